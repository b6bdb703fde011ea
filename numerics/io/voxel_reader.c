/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes hexahedra or points of the voxels of a raw image. */
#include "numerics/io/mesh_readers.h"
#include "numerics/io/mesh_text.h"

typedef struct VoxelBuild {
  SofaMeshText text;
  const SofaVoxelOptions *options;
  SofaMesh *out;
  SofaIndices *grid_index;
  int first[3], last[3]; /* voxels used */
  bool used[256];        /* by value */
  SofaIndices points;    /* of the corners of the box used; UINT32_MAX: none */
} VoxelBuild;

/* The file must hold the image; the box is clamped to it. */
static SofaErr check(VoxelBuild *b, size_t size) {
  const int *n = b->options->resolution, *roi = b->options->roi;
  SofaMeshText *t = &b->text;
  uint64_t n_voxels = 1;
  for (int k = 0; k < 3; k++) {
    if (n[k] <= 0 || n[k] > 1 << 20)
      return sofa_mesh_fail(t, SOFA_ERR_RANGE, "resolution %d %d %d, each must be in 1 to 1048576",
                            n[0], n[1], n[2]);
    n_voxels *= (uint64_t)n[k];
    b->first[k] = roi[k] < 0 ? 0 : roi[k] >= n[k] ? n[k] - 1 : roi[k];
    b->last[k] = roi[3 + k] >= n[k] ? n[k] - 1 : roi[3 + k];
    if (b->last[k] < b->first[k]) b->last[k] = b->first[k];
  }
  if (size < b->options->header_size || n_voxels > size - b->options->header_size)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE,
                          "%d x %d x %d voxels and a header of %zu bytes do not fit %zu bytes",
                          n[0], n[1], n[2], b->options->header_size, size);
  if (n_voxels != size - b->options->header_size)
    sofa_mesh_warn(t, "the file has %llu bytes after the voxels",
                   (unsigned long long)(size - b->options->header_size - n_voxels));
  return SOFA_OK;
}

static void find_used(VoxelBuild *b) {
  const SofaVoxelOptions *o = b->options;
  for (int value = 0; value < 256; value++) {
    bool active = false, ignored = false;
    for (size_t i = 0; i < o->active.n; i++) active |= o->active.data[i] == value;
    for (size_t i = 0; i < o->ignored.n; i++) ignored |= o->ignored.data[i] == value;
    b->used[value] = o->active.n ? active : !ignored;
  }
}

/* Rank of a corner of the box in b->points. */
static size_t corner(const VoxelBuild *b, const int at[3]) {
  const size_t nx = (size_t)(b->last[0] - b->first[0]) + 2,
               ny = (size_t)(b->last[1] - b->first[1]) + 2;
  return (size_t)(at[0] - b->first[0]) +
         nx * ((size_t)(at[1] - b->first[1]) + ny * (size_t)(at[2] - b->first[2]));
}

static SofaErr add_point(VoxelBuild *b, const int at[3]) {
  SofaVec3 p;
  for (int k = 0; k < 3; k++) p.v[k] = at[k] * b->options->voxel_size.v[k];
  return SOFA_APPEND(b->text.ctx, &b->out->position, &p);
}

/* Calls `visit` for each voxel used, x fastest. */
static SofaErr for_each(VoxelBuild *b, SofaErr (*visit)(VoxelBuild *, const int at[3])) {
  const int *n = b->options->resolution;
  const unsigned char *values = (const unsigned char *)b->text.begin + b->options->header_size;
  int at[3];
  for (at[2] = b->first[2]; at[2] <= b->last[2]; at[2]++)
    for (at[1] = b->first[1]; at[1] <= b->last[1]; at[1]++)
      for (at[0] = b->first[0]; at[0] <= b->last[0]; at[0]++)
        if (b->used[values[(size_t)at[0] +
                           (size_t)n[0] * ((size_t)at[1] + (size_t)n[1] * (size_t)at[2])]])
          SOFA_TRY(visit(b, at));
  return SOFA_OK;
}

static SofaErr note_voxel(VoxelBuild *b, const int at[3]) {
  const int *n = b->options->resolution;
  const uint64_t rank =
      (uint64_t)at[0] + (uint64_t)n[0] * ((uint64_t)at[1] + (uint64_t)n[1] * (uint64_t)at[2]);
  const uint32_t index = (uint32_t)rank;
  return SOFA_APPEND(b->text.ctx, b->grid_index, &index);
}

static SofaErr visit_as_point(VoxelBuild *b, const int at[3]) {
  SOFA_TRY(note_voxel(b, at));
  return add_point(b, at);
}

/* Steps of SOFA's corners of a hexahedron. */
static const int steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static SofaErr visit_corners(VoxelBuild *b, const int at[3]) {
  for (int k = 0; k < 8; k++) {
    const int to[3] = {at[0] + steps[k][0], at[1] + steps[k][1], at[2] + steps[k][2]};
    b->points.data[corner(b, to)] = 0;
  }
  return SOFA_OK;
}

static SofaErr visit_as_hexahedron(VoxelBuild *b, const int at[3]) {
  SofaHexa hexa;
  for (int k = 0; k < 8; k++) {
    const int to[3] = {at[0] + steps[k][0], at[1] + steps[k][1], at[2] + steps[k][2]};
    hexa.v[k] = b->points.data[corner(b, to)];
  }
  SOFA_TRY(note_voxel(b, at));
  return SOFA_APPEND(b->text.ctx, &b->out->hexahedra, &hexa);
}

/* Points are the corners of used voxels, x fastest. */
static SofaErr make_hexahedra(VoxelBuild *b) {
  int at[3], end[3];
  size_t n = 1;
  for (int k = 0; k < 3; k++) {
    end[k] = b->last[k] + 1;
    n *= (size_t)(b->last[k] - b->first[k]) + 2;
  }
  if (n >= INT32_MAX) return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "more than 2^31 points");
  SOFA_TRY(SOFA_RESIZE(b->text.ctx, &b->points, n));
  for (size_t i = 0; i < n; i++) b->points.data[i] = UINT32_MAX;
  SOFA_TRY(for_each(b, visit_corners));
  for (at[2] = b->first[2]; at[2] <= end[2]; at[2]++)
    for (at[1] = b->first[1]; at[1] <= end[1]; at[1]++)
      for (at[0] = b->first[0]; at[0] <= end[0]; at[0]++) {
        uint32_t *point = &b->points.data[corner(b, at)];
        if (*point == UINT32_MAX) continue;
        *point = (uint32_t)b->out->position.n;
        SOFA_TRY(add_point(b, at));
      }
  return for_each(b, visit_as_hexahedron);
}

SofaErr sofa_voxels_read(SofaContext *ctx, const SofaFileBytes *file,
                         const SofaVoxelOptions *options, SofaMesh *out, SofaIndices *grid_index) {
  VoxelBuild b = {
      .text = sofa_mesh_text(ctx, file), .options = options, .out = out, .grid_index = grid_index};
  SofaErr err;
  b.text.binary = true;
  SOFA_GO(err, done, check(&b, file->size));
  find_used(&b);
  err = options->hexahedra ? make_hexahedra(&b) : for_each(&b, visit_as_point);
done:
  sofa_list_free(ctx, &b.points);
  if (err != SOFA_OK) {
    sofa_mesh_free(ctx, out);
    sofa_list_free(ctx, grid_index);
  }
  return err;
}
