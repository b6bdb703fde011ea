/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meshes of all kinds of volume elements for tests of divided meshes, and slices of them. */
#ifndef TESTS_SLICE_MESHES_H
#define TESTS_SLICE_MESHES_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "topology/mesh_slice.h"

/* Cells of a grid that are left out. */
typedef bool (*LeftOut)(const uint32_t cell[3], uint32_t n);

static inline bool none_left_out(const uint32_t cell[3], uint32_t n) {
  (void)cell, (void)n;
  return false;
}
/* What is left is an L. */
static inline bool corner_left_out(const uint32_t cell[3], uint32_t n) {
  return cell[0] >= n / 3 && cell[1] >= n / 3;
}
/* A shell with a hole through it. */
static inline bool core_left_out(const uint32_t cell[3], uint32_t n) {
  return cell[0] >= n / 4 && cell[0] < n - n / 4 && cell[1] >= n / 4 && cell[1] < n - n / 4;
}

static inline SofaErr add_tetras(SofaContext *ctx, const uint32_t v[8], SofaMesh *mesh) {
  static const uint8_t ring[7] = {1, 2, 3, 7, 4, 5, 1};
  for (int s = 0; s < 6; s++) {
    const SofaTetra t = {{v[0], v[ring[s]], v[ring[s + 1]], v[6]}};
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->tetrahedra, &t));
  }
  return SOFA_OK;
}

/* A cell becomes a hexahedron, two prisms or three pyramids, in turn; or six tetrahedra. */
static inline SofaErr add_cell(SofaContext *ctx, const uint32_t v[8], int kind, SofaMesh *mesh) {
  const SofaHexa hexa = {{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}};
  const SofaPrism prisms[2] = {{{v[0], v[1], v[2], v[4], v[5], v[6]}},
                               {{v[0], v[2], v[3], v[4], v[6], v[7]}}};
  const SofaPyramid pyramids[3] = {{{v[0], v[1], v[2], v[3], v[6]}},
                                   {{v[0], v[4], v[5], v[1], v[6]}},
                                   {{v[0], v[3], v[7], v[4], v[6]}}};
  if (kind == 0) return SOFA_APPEND(ctx, &mesh->hexahedra, &hexa);
  for (int i = 0; kind == 1 && i < 2; i++) SOFA_TRY(SOFA_APPEND(ctx, &mesh->prisms, &prisms[i]));
  for (int i = 0; kind == 2 && i < 3; i++)
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->pyramids, &pyramids[i]));
  return kind == 3 ? add_tetras(ctx, v, mesh) : SOFA_OK;
}

/* A cube of n * n * n cells; mixed: of all kinds, else of tetrahedra. Many centres have equal
 * coordinates. */
static inline SofaErr make_cells(SofaContext *ctx, uint32_t n, LeftOut is_left_out, bool mixed,
                                 SofaMesh *mesh) {
  static const uint8_t corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const uint32_t side = n + 1;
  for (uint32_t i = 0; i < side * side * side; i++) {
    const SofaVec3 p = {{i % side - 1.0, i / side % side - 1.5, i / side / side - 2.0}};
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->position, &p));
  }
  for (uint32_t i = 0; i < n * n * n; i++) {
    const uint32_t cell[3] = {i % n, i / n % n, i / n / n};
    uint32_t v[8];
    if (is_left_out(cell, n)) continue;
    for (int k = 0; k < 8; k++)
      v[k] = cell[0] + corners[k][0] +
             side * (cell[1] + corners[k][1] + side * (cell[2] + corners[k][2]));
    SOFA_TRY(add_cell(ctx, v, mixed ? (int)(i % 4) : 3, mesh));
  }
  return SOFA_OK;
}

static inline SofaErr cut_run(SofaContext *ctx, size_t size, size_t first, size_t end, void *list) {
  SofaAnyList *any = list;
  if (!any->n) return SOFA_OK;
  memmove(any->data, (char *)any->data + size * first, size * (end - first));
  return sofa_list_resize(ctx, list, size, end - first);
}

/* The slice of this process of a mesh that it has whole; the mesh becomes the slice's. */
static inline SofaErr make_slice(SofaContext *ctx, SofaMesh *whole, SofaMeshSlice *out) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  *out = (SofaMeshSlice){.mesh = *whole};
  *whole = (SofaMesh){0};
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElementKind kind = (SofaElementKind)k;
    const bool points = kind == SOFA_ELEMENT_POINT;
    void *list = points ? (void *)&out->mesh.position : sofa_mesh_list(&out->mesh, kind);
    const size_t size =
        points ? sizeof(SofaVec3) : sofa_element_kind_info(kind)->width * sizeof(uint32_t);
    out->n_whole[k] = ((SofaAnyList *)list)->n;
    out->first[k] = sofa_slice_begin(out->n_whole[k], rank, n);
    SOFA_TRY(
        cut_run(ctx, size, out->first[k], sofa_slice_begin(out->n_whole[k], rank + 1, n), list));
  }
  return SOFA_OK;
}

/* Of all volume elements of a whole mesh: 3 reals each. */
static inline SofaErr whole_centres(SofaContext *ctx, const SofaMesh *mesh, SofaVec3s *out) {
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, sofa_volume_kinds[k]);
    for (size_t e = 0; e < list.n; e++) {
      SofaVec3 c = {{0}};
      for (unsigned i = 0; i < list.width; i++)
        for (int a = 0; a < 3; a++)
          c.v[a] += mesh->position.data[list.v[e * list.width + i]].v[a] / list.width;
      SOFA_TRY(SOFA_APPEND(ctx, out, &c));
    }
  }
  return SOFA_OK;
}

/* Number in the whole mesh of volume element i of the slice. */
static inline size_t whole_number(const SofaMeshSlice *slice, size_t i) {
  size_t before = 0;
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
    const size_t n = sofa_mesh_elements(&slice->mesh, sofa_volume_kinds[k]).n;
    if (i < n) return before + slice->first[sofa_volume_kinds[k]] + i;
    i -= n;
    before += slice->n_whole[sofa_volume_kinds[k]];
  }
  return SIZE_MAX;
}

#endif
