/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mesh of all kinds of elements, whole and in slices, for the tests of meshes that nobody has
 * whole. */
#ifndef TESTS_SLICED_MESH_H
#define TESTS_SLICED_MESH_H

#include "topology/mesh_slice.h"

enum { SLICED_CELLS = 5, SLICED_SIDE = SLICED_CELLS + 1 };
enum { SLICED_POINTS = SLICED_SIDE * SLICED_SIDE * SLICED_SIDE + 3 };

/* Numbers of the points are mixed, so that runs of numbers are no pieces of the body. */
static inline uint32_t sliced_number(uint32_t i, bool mixed) {
  return mixed ? (uint32_t)((uint64_t)i * 97 % SLICED_POINTS) : i;
}

static inline SofaErr sliced_add(SofaContext *ctx, SofaMesh *mesh, SofaElementKind kind,
                                 const uint32_t *corner, const char *digits) {
  uint32_t v[8];
  unsigned n = 0;
  for (; digits[n]; n++) v[n] = corner[digits[n] - '0'];
  return sofa_list_append(ctx, sofa_mesh_list(mesh, kind), n * sizeof *v, v);
}

/* A cell of the cube: hexahedron, two prisms, six tetrahedra, or a pyramid with tetrahedra. */
static inline SofaErr sliced_cell(SofaContext *ctx, SofaMesh *mesh, int way, const uint32_t *c) {
  static const char *const tetras[6] = {"0126", "0236", "0376", "0746", "0456", "0516"};
  static const char *const beside[2] = {"1256", "2376"};
  if (way == 0) return sliced_add(ctx, mesh, SOFA_ELEMENT_HEXA, c, "01234567");
  if (way == 1) {
    SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_PRISM, c, "012456"));
    return sliced_add(ctx, mesh, SOFA_ELEMENT_PRISM, c, "023467");
  }
  if (way == 2) SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_PYRAMID, c, "01235"));
  for (int t = 0; t < (way == 2 ? 2 : 6); t++)
    SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_TETRA, c, way == 2 ? beside[t] : tetras[t]));
  return SOFA_OK;
}

/* Some faces and edges of cells, edges and triangles across the mesh, those of points that no
 * volume element has. */
static inline SofaErr sliced_lower(SofaContext *ctx, SofaMesh *mesh, uint32_t i,
                                   const uint32_t *c) {
  if (i % 3 == 0) SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_TRIANGLE, c, i % 2 ? "012" : "203"));
  if (i % 4 == 0) SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_QUAD, c, i % 8 ? "0374" : "0123"));
  if (i % 5 == 0) SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_EDGE, c, i % 2 ? "01" : "62"));
  if (i % 41) return SOFA_OK;
  const uint32_t n = SLICED_POINTS;
  const uint32_t far[4] = {i % n, n - 1 - i % 7, (i * 53 + 11) % n, (i * 31 + 101) % n};
  SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_EDGE, far, "02"));
  SOFA_TRY(sliced_add(ctx, mesh, SOFA_ELEMENT_EDGE, far, "10"));
  return sliced_add(ctx, mesh, SOFA_ELEMENT_TRIANGLE, far, "123");
}

static inline SofaErr sliced_make(SofaContext *ctx, bool mixed, SofaMesh *mesh) {
  SOFA_TRY(SOFA_RESIZE(ctx, &mesh->position, SLICED_POINTS));
  for (uint32_t i = 0; i < SLICED_POINTS; i++) {
    const uint32_t at[3] = {i % SLICED_SIDE, i / SLICED_SIDE % SLICED_SIDE,
                            i / SLICED_SIDE / SLICED_SIDE};
    for (int k = 0; k < 3; k++)
      mesh->position.data[sliced_number(i, mixed)].v[k] =
          at[k] + 0.01 * ((i * 7 + 3 * (uint32_t)k) % 11);
  }
  for (uint32_t i = 0; i < SLICED_CELLS * SLICED_CELLS * SLICED_CELLS; i++) {
    static const int ring[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const uint32_t x = i % SLICED_CELLS, y = i / SLICED_CELLS % SLICED_CELLS,
                   z = i / SLICED_CELLS / SLICED_CELLS;
    uint32_t c[8];
    for (uint32_t k = 0; k < 8; k++)
      c[k] = sliced_number(x + (uint32_t)ring[k % 4][0] +
                               SLICED_SIDE * (y + (uint32_t)ring[k % 4][1]) +
                               SLICED_SIDE * SLICED_SIDE * (z + k / 4),
                           mixed);
    SOFA_TRY(sliced_cell(ctx, mesh, (int)(i % 5 % 4), c));
    SOFA_TRY(sliced_lower(ctx, mesh, i, c));
  }
  return SOFA_OK;
}

/* The runs of this process of a mesh that the test has whole. */
static inline SofaErr sliced_cut(SofaContext *ctx, const SofaMesh *mesh, SofaMeshSlice *out) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  *out = (SofaMeshSlice){0};
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)k);
    const bool points = k == SOFA_ELEMENT_POINT;
    const size_t whole = points ? mesh->position.n : list.n;
    const size_t size = points ? sizeof(SofaVec3) : list.width * sizeof(uint32_t);
    const size_t first = sofa_slice_begin(whole, rank, n);
    const char *data = points ? (const char *)mesh->position.data : (const char *)list.v;
    SofaAnyList *to = points ? (SofaAnyList *)(void *)&out->mesh.position
                             : sofa_mesh_list(&out->mesh, (SofaElementKind)k);
    out->n_whole[k] = whole;
    out->first[k] = first;
    SOFA_TRY(sofa_list_resize(ctx, to, size, sofa_slice_begin(whole, rank + 1, n) - first));
    if (to->n) sofa_copy(to->data, data + first * size, to->n * size);
  }
  return SOFA_OK;
}

/* Have two meshes the same lists, to the bit? */
static inline bool sliced_equal(const SofaMesh *a, const SofaMesh *b) {
  if (a->position.n != b->position.n) return false;
  bool same =
      sofa_compare(a->position.data, b->position.data, a->position.n * sizeof(SofaVec3)) == 0;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements p = sofa_mesh_elements(a, (SofaElementKind)k),
                       q = sofa_mesh_elements(b, (SofaElementKind)k);
    same = same && p.n == q.n && sofa_compare(p.v, q.v, p.n * p.width * sizeof *p.v) == 0;
  }
  return same;
}

#endif
