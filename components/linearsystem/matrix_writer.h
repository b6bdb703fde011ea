/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What GlobalSystemMatrixExporter and GlobalSystemMatrixImage share: when a file is written, of
 * which system, and its name. */
#ifndef LINEARSYSTEM_MATRIX_WRITER_H
#define LINEARSYSTEM_MATRIX_WRITER_H

#include "behavior/linear_system.h"

typedef enum MatrixFormat { MATRIX_TXT, MATRIX_CSV, MATRIX_MTX, MATRIX_PNG } MatrixFormat;

typedef struct MatrixWriter {
  SofaObject object;
  SofaFileName filename;
  uint32_t every; /* steps */
  bool at_begin, at_end, enable;
  SofaLink linear_system;
  uint32_t pixels;     /* of a picture, at most */
  MatrixFormat format; /* set by the class that is based on this one */
  int digits;          /* likewise */
  uint64_t n_steps;
  SofaText text; /* of one file */
} MatrixWriter;

extern const SofaClass matrix_writer_class; /* abstract */

#endif
