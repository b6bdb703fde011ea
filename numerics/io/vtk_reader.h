/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reader of VTK files: legacy text and binary, XML with text, base64, raw and compressed arrays;
 * unstructured grids, polygonal data, structured and rectilinear grids, images. */
#ifndef SOFA_NUMERICS_IO_VTK_READER_H
#define SOFA_NUMERICS_IO_VTK_READER_H

#include "behavior/loader.h"
#include "numerics/io/mesh_faces.h"

SOFA_BEGIN_DECLS

/* An array of values of the points or cells of a file. */
typedef struct SofaVtkArray {
  char *name; /* owned */
  bool cells; /* else points */
  bool whole; /* integers that an int holds */
  unsigned width;
  SofaReals values; /* width per point, or per cell in the order of the file */
} SofaVtkArray;
SOFA_LIST(SofaVtkArray, SofaVtkArrays);

/* The data of VTK files beyond the mesh. All-zero: empty. */
typedef struct SofaVtkExtras {
  SofaIndexRows polylines; /* points of each line with more than two points */
  SofaVtkArrays arrays;
  size_t n_cells; /* of the file, where its arrays are read in slices */
} SofaVtkExtras;
void sofa_vtk_extras_free(SofaContext *ctx, SofaVtkExtras *extras);

/* Reads `size` bytes into *out (empty on entry, empty again on failure). extras: NULL or likewise.
 * origin (may be NULL): the file, for messages. */
SofaErr sofa_vtk_read(SofaContext *ctx, const SofaFileBytes *file, const SofaFaceOptions *faces,
                      SofaMeshData *out, SofaVtkExtras *extras);
/* Could a file that begins with these bytes be read in slices: one piece of an unstructured grid in
 * raw appended data? */
bool sofa_vtk_has_slices(const char *bytes, size_t n);
/* The arrays of such a file, without their values. *found false: it must be read whole. */
SofaErr sofa_vtk_slice_arrays(SofaContext *ctx, const SofaPartFile *file, SofaVtkExtras *extras,
                              bool *found);
/* Called by all processes: the runs of this one. extras: NULL, or the arrays of the file, which get
 * the values of the runs of its points and cells. *found false, on all of them: the file has cells
 * of second order, or normals of its points, and must be read whole. */
SofaErr sofa_vtk_read_slice(SofaContext *ctx, const SofaPartFile *file,
                            const SofaFaceOptions *faces, SofaMeshSlice *out, SofaVtkExtras *extras,
                            bool *found);

SOFA_END_DECLS

#endif
