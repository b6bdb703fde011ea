/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the readers of legacy and XML VTK files: cells of all types become a mesh.
 * Source: VTK User's Guide, "VTK File Formats"; vtkCellType.h for the types. */
#ifndef SOFA_NUMERICS_IO_VTK_BUILD_H
#define SOFA_NUMERICS_IO_VTK_BUILD_H

#include "behavior/loader.h"
#include "topology/tuple_map.h"
#include "numerics/io/mesh_faces.h"
#include "numerics/io/mesh_text.h"
#include "numerics/io/vtk_reader.h"

SOFA_LIST(int64_t, SofaVtkInts);

typedef struct SofaVtkBuild {
  SofaMeshText text;
  const SofaFaceOptions *faces;
  SofaMeshData *out;
  SofaVtkExtras *extras;  /* may be NULL */
  SofaTupleMap mid_edges; /* edges of quadratic elements so far */
  uint64_t left_out;      /* bit per cell type announced as left out */
  size_t first_point;     /* of the current piece in the mesh */
  size_t first_number;    /* of the first point or cell at hand, for messages */
  size_t n_cells;         /* so far, also those left out */
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

/* ---- structured data sets: points of a grid, x fastest ---- */

/* Number of points of a grid with so many along x, y, z. */
SofaErr sofa_vtk_grid_size(SofaVtkBuild *b, const int64_t dims[3], size_t *n);
/* Cells between neighbouring points: hexahedra, quads of a plane grid, edges of a line. */
SofaErr sofa_vtk_add_grid_cells(SofaVtkBuild *b, const int64_t dims[3]);
/* Points of an image: origin + direction (row major 3x3) * (index * spacing), indices from
 * `first` on. */
typedef struct SofaVtkImage {
  int64_t first[3], dims[3];
  double origin[3], spacing[3], direction[9];
} SofaVtkImage;
SofaErr sofa_vtk_add_image(SofaVtkBuild *b, const SofaVtkImage *image);
/* Points at all combinations of coordinates, dims[k] in axes[k]. */
SofaErr sofa_vtk_add_rectilinear(SofaVtkBuild *b, const SofaReals axes[3], const int64_t dims[3]);

/* ---- arrays of points and cells ---- */

/* What a file says of an array in front of its values. */
typedef struct SofaVtkArrayHead {
  const char *name; /* of length characters */
  size_t length;
  bool cells;   /* else of points */
  size_t width; /* components */
  const SofaVtkType *type;
} SofaVtkArrayHead;
/* The list that receives the next values of an array; *values is NULL when the array has no name
 * or is not wanted. An array of the same name in another piece must have as many components. */
SofaErr sofa_vtk_array(SofaVtkBuild *b, const SofaVtkArrayHead *head, SofaReals **values);
/* Every array must have a tuple per point or cell; other arrays are left out with a warning.
 * Arrays of points are checked first. */
void sofa_vtk_check_arrays(SofaVtkBuild *b);
void sofa_vtk_sort_arrays(SofaVtkArrays *arrays); /* those of points first */
/* The vectors of that name are the normals of the points. */
SofaErr sofa_vtk_use_normals(SofaVtkBuild *b, const char *name, size_t length);

void sofa_vtk_build_free(SofaVtkBuild *b);
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
