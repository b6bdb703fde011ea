/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VTK files of unstructured grids as text: .vtu (XML; arrays ASCII or base64 of zlib blocks) and
 * the legacy ASCII format. Nothing is written to disk here. */
#ifndef SOFA_NUMERICS_IO_VTK_WRITER_H
#define SOFA_NUMERICS_IO_VTK_WRITER_H

#include "base/array.h"

SOFA_BEGIN_DECLS

/* Elements of one VTK cell type, borrowed. */
typedef struct VtkCells {
  uint8_t type;        /* VTK_LINE 3, VTK_TRIANGLE 5, ... */
  unsigned n_vertices; /* per cell */
  size_t n;
  const uint32_t *vertices; /* NULL: cell i is point i */
} VtkCells;

/* Values at points or cells, borrowed: n tuples of `width` reals. */
typedef struct SofaVtkField {
  const char *name;
  unsigned width;
  const double *values;
} SofaVtkField;

typedef struct VtkGrid {
  const double *points; /* n_points x 3 */
  size_t n_points;
  const VtkCells *cells;
  size_t n_cells; /* entries of `cells` */
  const SofaVtkField *point_fields, *cell_fields;
  size_t n_point_fields, n_cell_fields;
} VtkGrid;

/* Buffers kept from file to file, all owned; zero is a valid empty value. */
typedef struct SofaVtkBuffers {
  SofaText text;   /* the file */
  SofaText bytes;  /* one array, raw */
  SofaText packed; /* compressed blocks */
  SofaText header; /* of the compressed blocks */
} SofaVtkBuffers;
void sofa_vtk_buffers_free(SofaContext *ctx, SofaVtkBuffers *buffers);

/* Writes the grid into buffers->text. ascii: readable arrays with 17 digits. */
SofaErr sofa_vtk_write_xml(SofaContext *ctx, const VtkGrid *grid, bool ascii,
                           SofaVtkBuffers *buffers);
SofaErr sofa_vtk_write_legacy(SofaContext *ctx, const VtkGrid *grid, const char *title,
                              SofaVtkBuffers *buffers);
/* Writes the .pvtu of pieces of one grid into buffers->text: with the names and widths of the
 * fields of one piece. sources: names of the files of the pieces. */
SofaErr sofa_vtk_write_pieces(SofaContext *ctx, const VtkGrid *grid, const SofaStrings *sources,
                              SofaVtkBuffers *buffers);
/* Appends words as text of an XML attribute. */
SofaErr sofa_vtk_append_escaped(SofaContext *ctx, SofaText *text, const char *words);

SOFA_END_DECLS

#endif
