/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads images of voxels and fills the cells of grids with them. */
#include "voxel_image.h"

#include <math.h>

#include "numerics/io/mesh_text.h"

void sofa_voxel_image_free(SofaContext *ctx, SofaVoxelImage *image) {
  sofa_list_free(ctx, &image->used);
}

static SofaErr make_room(SofaMeshText *t, SofaVoxelImage *image, size_t *n) {
  *n = 1;
  for (int k = 0; k < 3; k++) {
    if (image->n[k] < 1 || *n > (size_t)INT32_MAX / (size_t)image->n[k])
      return sofa_mesh_fail(t, SOFA_ERR_RANGE,
                            "an image of %d x %d x %d voxels: each must be at least 1, and their "
                            "product less than 2^31",
                            image->n[0], image->n[1], image->n[2]);
    if (!(image->size[k] > 0) || !isfinite(image->size[k]))
      return sofa_mesh_fail(t, SOFA_ERR_RANGE, "voxels of %g x %g x %g; each must be > 0",
                            image->size[0], image->size[1], image->size[2]);
    *n *= (size_t)image->n[k];
  }
  return SOFA_OK;
}

SofaErr sofa_voxel_image_raw(SofaContext *ctx, const SofaFileBytes *file, SofaVoxelImage *image) {
  SofaMeshText t = sofa_mesh_text(ctx, file);
  size_t n;
  t.binary = true;
  SOFA_TRY(make_room(&t, image, &n));
  if (file->size < n)
    return sofa_mesh_fail(&t, SOFA_ERR_PARSE,
                          "the file has %zu bytes; %d x %d x %d voxels need %zu", file->size,
                          image->n[0], image->n[1], image->n[2], n);
  SOFA_TRY(SOFA_RESIZE(ctx, &image->used, n));
  for (size_t i = 0; i < n; i++) image->used.data[i] = file->bytes[i] != 0;
  return SOFA_OK;
}

SofaErr sofa_voxel_image_text(SofaContext *ctx, const SofaFileBytes *file, SofaVoxelImage *image) {
  SofaMeshText t = sofa_mesh_text(ctx, file);
  size_t n;
  for (int k = 0; k < 3; k++) {
    SOFA_TRY(sofa_mesh_read_count(&t, "a number of voxels", 1, &n));
    image->n[k] = n < INT32_MAX ? (int)n : INT32_MAX;
  }
  SOFA_TRY(sofa_mesh_read_reals(&t, "the size of a voxel", 3, image->size));
  SOFA_TRY(make_room(&t, image, &n));
  if (n > file->size)
    return sofa_mesh_fail(&t, SOFA_ERR_RANGE, "%zu voxels do not fit the rest of the file", n);
  SOFA_TRY(SOFA_RESIZE(ctx, &image->used, n));
  for (size_t i = 0; i < n; i++) {
    int64_t value;
    SOFA_TRY(sofa_mesh_read_int(&t, "the value of a voxel", &value));
    image->used.data[i] = value != 0;
  }
  return SOFA_OK;
}

/* First and last cell along axis k that voxel i counts in. */
static void cells_of(const SofaVoxelImage *image, const SofaSparseLevel *l, int k, int i,
                     int range[2]) {
  const int64_t n = l->n[k] - 1, voxels = image->n[k];
  range[0] = (int)(i * n / voxels);
  range[1] = n > voxels ? (int)(((i + 1) * n + voxels - 1) / voxels) - 1 : range[0];
}

/* Number of voxels along axis k that count in a cell. */
static int count_of(const SofaVoxelImage *image, const SofaSparseLevel *l, int k, int cell) {
  const int64_t n = l->n[k] - 1, voxels = image->n[k], near = cell * voxels / n;
  int count = 0;
  for (int64_t i = near > 1 ? near - 2 : 0; i < voxels; i++) {
    int range[2];
    cells_of(image, l, k, (int)i, range);
    if (range[0] > cell) break;
    count += range[1] >= cell;
  }
  return count > 0 ? count : 1;
}

void sofa_voxel_image_shares(const SofaVoxelImage *image, const SofaSparseLevel *l, double *share) {
  const size_t n_cells = sofa_sparse_n_cells(l);
  for (size_t c = 0; c < n_cells; c++) share[c] = 0;
  // used voxels per cell
  for (size_t i = 0; i < image->used.n; i++) {
    const size_t nx = (size_t)image->n[0], ny = (size_t)image->n[1];
    const int at[3] = {(int)(i % nx), (int)(i / nx % ny), (int)(i / nx / ny)};
    int range[3][2];
    if (!image->used.data[i]) continue;
    for (int k = 0; k < 3; k++) cells_of(image, l, k, at[k], range[k]);
    for (int z = range[2][0]; z <= range[2][1]; z++)
      for (int y = range[1][0]; y <= range[1][1]; y++)
        for (int x = range[0][0]; x <= range[0][1]; x++) share[sofa_sparse_cell(l, x, y, z)] += 1;
  }
  // over all voxels per cell
  for (size_t c = 0; c < n_cells; c++) {
    int at[3];
    if (!(share[c] > 0)) continue;
    sofa_sparse_cell_at(l, (uint32_t)c, at);
    for (int k = 0; k < 3; k++) share[c] /= count_of(image, l, k, at[k]);
  }
}
