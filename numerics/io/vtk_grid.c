/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structured data sets of VTK files: points in rows and the cells between them. */
#include <math.h>

#include "numerics/io/vtk_build_impl.h"

#define MOST_POINTS 100000000 /* of a grid whose points the file does not list */

SofaErr sofa_vtk_grid_size(SofaVtkBuild *b, const int64_t dims[3], size_t *n) {
  *n = 1;
  for (int k = 0; k < 3; k++) {
    if (dims[k] < 0 || (dims[k] > 0 && *n > MOST_POINTS / (uint64_t)dims[k]))
      return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE,
                            "a grid of %lld x %lld x %lld points; there can be 0 to %d in all",
                            (long long)dims[0], (long long)dims[1], (long long)dims[2],
                            MOST_POINTS);
    *n *= (size_t)dims[k];
  }
  return SOFA_OK;
}

/* ---- cells ---- */

/* Corners of the cell with two points along the first n_axes axes, counter-clockwise, lower first:
 * steps from the first corner. */
static SofaErr add_cell(SofaVtkBuild *b, uint32_t first, const size_t *step, unsigned n_axes) {
  static const bool corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const SofaElementKind kinds[4] = {SOFA_ELEMENT_POINT, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_QUAD,
                                           SOFA_ELEMENT_HEXA};
  const unsigned n = 1U << n_axes;
  uint32_t v[8];
  for (unsigned c = 0; c < n; c++) {
    v[c] = first;
    for (unsigned k = 0; k < n_axes; k++) v[c] += corner[c][k] ? (uint32_t)step[k] : 0;
  }
  if (n_axes == 2) return sofa_mesh_add_face(b->text.ctx, b->faces, v, 4, &b->out->mesh);
  return sofa_list_append(b->text.ctx, sofa_mesh_list(&b->out->mesh, kinds[n_axes]), n * sizeof *v,
                          v);
}

SofaErr sofa_vtk_add_grid_cells(SofaVtkBuild *b, const int64_t dims[3]) {
  size_t n[3] = {1, 1, 1}, step[3] = {0, 0, 0}, stride = 1, at[3];
  unsigned n_axes = 0;
  // axes with a single point have no extent
  for (int k = 0; k < 3; stride *= (size_t)dims[k++]) {
    if (dims[k] == 0) return SOFA_OK;
    if (dims[k] == 1) continue;
    n[n_axes] = (size_t)dims[k] - 1;
    step[n_axes++] = stride;
  }
  if (n_axes == 0) return SOFA_OK;
  for (at[2] = 0; at[2] < n[2]; at[2]++)
    for (at[1] = 0; at[1] < n[1]; at[1]++)
      for (at[0] = 0; at[0] < n[0]; at[0]++) {
        const size_t first = at[0] * step[0] + at[1] * step[1] + at[2] * step[2];
        SOFA_TRY(add_cell(b, (uint32_t)(b->first_point + first), step, n_axes));
      }
  b->n_cells += n[0] * n[1] * n[2];
  return SOFA_OK;
}

/* ---- points ---- */

SofaErr sofa_vtk_add_image(SofaVtkBuild *b, const SofaVtkImage *image) {
  const SofaVtkType *type = sofa_vtk_type("double", 6);
  size_t n;
  SOFA_TRY(sofa_vtk_grid_size(b, image->dims, &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, b->first_point + n));
  for (size_t i = 0; i < n; i++) {
    const size_t nx = (size_t)image->dims[0], ny = (size_t)image->dims[1];
    const size_t at[3] = {i % nx, i / nx % ny, i / nx / ny};
    double local[3], x[3];
    for (int k = 0; k < 3; k++)
      local[k] = (double)(image->first[k] + (int64_t)at[k]) * image->spacing[k];
    for (int k = 0; k < 3; k++) {
      const double *row = image->direction + 3 * k;
      x[k] = image->origin[k] + (row[0] * local[0] + row[1] * local[1] + row[2] * local[2]);
    }
    SOFA_TRY(sofa_vtk_add_point(b, type, x));
  }
  return SOFA_OK;
}

SofaErr sofa_vtk_add_rectilinear(SofaVtkBuild *b, const SofaReals axes[3], const int64_t dims[3]) {
  const SofaVtkType *type = sofa_vtk_type("double", 6);
  size_t n;
  SOFA_TRY(sofa_vtk_grid_size(b, dims, &n));
  for (int k = 0; k < 3; k++)
    if (axes[k].n != (size_t)dims[k])
      return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%lld %c coordinates announced, %zu given",
                            (long long)dims[k], "xyz"[k], axes[k].n);
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, b->first_point + n));
  for (size_t i = 0; i < n; i++) {
    const double x[3] = {axes[0].data[i % axes[0].n], axes[1].data[i / axes[0].n % axes[1].n],
                         axes[2].data[i / axes[0].n / axes[1].n]};
    SOFA_TRY(sofa_vtk_add_point(b, type, x));
  }
  return SOFA_OK;
}
