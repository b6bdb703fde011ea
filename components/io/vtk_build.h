/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the readers of legacy and XML VTK files share: cells of all types become a mesh.
 * Source: VTK User's Guide, "VTK File Formats"; vtkCellType.h for the types. */
#ifndef SOFA_IO_VTK_BUILD_H
#define SOFA_IO_VTK_BUILD_H

#include "behavior/loader.h"
#include "behavior/tuple_map.h"
#include "mesh_faces.h"
#include "mesh_text.h"

SOFA_LIST(int64_t, SofaVtkInts);

typedef struct SofaVtkBuild {
  SofaMeshText text;
  const SofaFaceOptions *faces;
  SofaMeshData *out;
  SofaIndexRows *polylines; /* may be NULL */
  SofaTupleMap mid_edges;   /* edges of quadratic elements so far */
  uint64_t left_out;        /* bit per cell type announced as left out */
  size_t first_point;       /* of the current piece in the mesh */
  /* of one group of cells */
  SofaVtkInts offsets; /* end of each cell in the connectivity */
  SofaVtkInts connectivity, types;
  SofaIndices cell;          /* corners of one cell */
  SofaText packed, unpacked; /* bytes of one array (XML) */
  SofaIndices sizes;         /* of its compressed blocks */
} SofaVtkBuild;

/* Types of numbers in a file. */
typedef struct SofaVtkType {
  const char *legacy, *xml; /* "double", "Float64" */
  unsigned size;            /* bytes */
  bool real, is_signed;
} SofaVtkType;
/* Finds a type by either name; NULL when there is none. */
const SofaVtkType *sofa_vtk_type(const char *name, size_t length);
/* One number of a type from its bytes. */
double sofa_vtk_real(const SofaVtkType *type, const char *bytes, bool big_endian);
int64_t sofa_vtk_int(const SofaVtkType *type, const char *bytes, bool big_endian);
/* Points declared `float` hold what a float can, in text files too. */
SofaErr sofa_vtk_add_point(SofaVtkBuild *b, const SofaVtkType *type, const double x[3]);

/* Adds the cells of b->types, offsets, connectivity; without types all are of `type`. Indices are
 * those of the current piece. */
SofaErr sofa_vtk_add_cells(SofaVtkBuild *b, int type);

SofaErr sofa_vtk_legacy(SofaVtkBuild *b);
SofaErr sofa_vtk_xml(SofaVtkBuild *b);

enum {
  SOFA_VTK_VERTEX = 1,
  SOFA_VTK_POLY_VERTEX = 2,
  SOFA_VTK_LINE = 3,
  SOFA_VTK_POLY_LINE = 4,
  SOFA_VTK_STRIP = 6,
  SOFA_VTK_POLYGON = 7,
  SOFA_VTK_FACE = -1 /* of POLYGONS: four corners make a quad */
};

#endif
