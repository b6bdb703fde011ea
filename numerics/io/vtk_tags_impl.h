/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tags of XML VTK files. */
#ifndef SOFA_NUMERICS_IO_VTK_TAGS_H
#define SOFA_NUMERICS_IO_VTK_TAGS_H

#include "numerics/io/mesh_text.h"

enum { SOFA_VTK_MAX_ATTRIBUTES = 16 };

typedef struct SofaVtkWords {
  const char *at;
  size_t n;
} SofaVtkWords;

/* A tag of the file: "<name attributes>" or "</name>". */
typedef struct SofaVtkTag {
  SofaVtkWords name;
  bool closing, empty;
  size_t n_attributes;
  SofaVtkWords names[SOFA_VTK_MAX_ATTRIBUTES], values[SOFA_VTK_MAX_ATTRIBUTES];
} SofaVtkTag;

bool sofa_vtk_is(SofaVtkWords words, const char *text);
/* Counts the lines on the way. */
void sofa_vtk_move(SofaMeshText *t, const char *to);
/* The next tag; *found false at the end of the file. */
SofaErr sofa_vtk_next_tag(SofaMeshText *t, SofaVtkTag *tag, bool *found);
/* The value of an attribute; `at` is NULL without it. */
SofaVtkWords sofa_vtk_attribute(const SofaVtkTag *tag, const char *name);
/* A count in an attribute; 0 without it. */
SofaErr sofa_vtk_count(SofaMeshText *t, const SofaVtkTag *tag, const char *name, size_t *count);

#endif
