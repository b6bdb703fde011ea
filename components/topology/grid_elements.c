/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers the elements of a grid: hexahedra, quads in three groups, triangles, edges. All are made
 * in runs: all of them, or those of one process. */
#include "grid_elements.h"

#include "topology/slice_finish.h"

/* Rank of a point. */
static uint32_t point(const int n[3], int x, int y, int z) {
  return (uint32_t)x + (uint32_t)n[0] * ((uint32_t)y + (uint32_t)n[1] * (uint32_t)z);
}

/* Elements of a group, one per place, x fastest: those from `i` to `end` - 1 are to come. */
typedef struct Places {
  int n[3], at[3];
  size_t i, end;
} Places;

static size_t count(const int n[3], const int less[3]) {
  size_t all = 1;
  for (int k = 0; k < 3; k++) all *= n[k] > less[k] ? (size_t)(n[k] - less[k]) : 0;
  return all;
}

/* Of a grid of n points without the last `less` along each axis: first .. end - 1 of their list,
 * which `before` others precede. */
static Places places(const int n[3], const int less[3], size_t before, size_t first, size_t end) {
  const size_t all = count(n, less);
  Places p = {.n = {n[0] - less[0], n[1] - less[1], n[2] - less[2]}};
  p.i = first > before ? first - before : 0;
  p.end = end > before ? end - before : 0;
  if (p.end > all) p.end = all;
  if (p.i >= p.end) return p;
  const size_t nx = (size_t)p.n[0], ny = (size_t)p.n[1];
  p.at[0] = (int)(p.i % nx);
  p.at[1] = (int)(p.i / nx % ny);
  p.at[2] = (int)(p.i / nx / ny);
  return p;
}

static void next(Places *p) {
  p->i++;
  if (++p->at[0] < p->n[0]) return;
  p->at[0] = 0;
  if (++p->at[1] < p->n[1]) return;
  p->at[1] = 0;
  p->at[2]++;
}

static const int cell[3] = {1, 1, 1};

static SofaErr add_hexas(SofaContext *ctx, const int n[3], size_t first, size_t end,
                         SofaHexas *out) {
  for (Places p = places(n, cell, 0, first, end); p.i < p.end; next(&p)) {
    const int x = p.at[0], y = p.at[1], z = p.at[2];
    const SofaHexa hexa = {{point(n, x, y, z), point(n, x + 1, y, z), point(n, x + 1, y + 1, z),
                            point(n, x, y + 1, z), point(n, x, y, z + 1), point(n, x + 1, y, z + 1),
                            point(n, x + 1, y + 1, z + 1), point(n, x, y + 1, z + 1)}};
    SOFA_TRY(SOFA_APPEND(ctx, out, &hexa));
  }
  return SOFA_OK;
}

/* Quads along the axes a and b, at every point that has a next one on both. */
static SofaErr add_plane(SofaContext *ctx, const int n[3], int a, int b, Places p, SofaQuads *out) {
  const int da[3] = {a == 0, a == 1, a == 2}, db[3] = {b == 0, b == 1, b == 2};
  for (; p.i < p.end; next(&p)) {
    const int x = p.at[0], y = p.at[1], z = p.at[2];
    const SofaQuad quad = {{point(n, x, y, z), point(n, x + da[0], y + da[1], z + da[2]),
                            point(n, x + da[0] + db[0], y + da[1] + db[1], z + da[2] + db[2]),
                            point(n, x + db[0], y + db[1], z + db[2])}};
    SOFA_TRY(SOFA_APPEND(ctx, out, &quad));
  }
  return SOFA_OK;
}

static const int planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
static const int last_of_plane[3][3] = {{1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
static const int last_of_line[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static size_t count_groups(const int n[3], const int less[3][3]) {
  return count(n, less[0]) + count(n, less[1]) + count(n, less[2]);
}

static SofaErr add_quads(SofaContext *ctx, const int n[3], size_t first, size_t end,
                         SofaQuads *out) {
  size_t before = 0;
  for (int k = 0; k < 3; k++) {
    const Places p = places(n, last_of_plane[k], before, first, end);
    SOFA_TRY(add_plane(ctx, n, planes[k][0], planes[k][1], p, out));
    before += count(n, last_of_plane[k]);
  }
  return SOFA_OK;
}

/* Two of each quad. */
static SofaErr add_triangles(SofaContext *ctx, const int n[3], size_t first, size_t end,
                             SofaTriangles *out) {
  SofaQuads quads = {0};
  SofaErr err;
  SOFA_GO(err, done, add_quads(ctx, n, first / 2, (end + 1) / 2, &quads));
  SOFA_GO(err, done, SOFA_RESERVE(ctx, out, end - first));
  for (size_t i = first; i < end; i++) {
    const uint32_t *q = quads.data[i / 2 - first / 2].v;
    const SofaTriangle t[2] = {{{q[0], q[1], q[2]}}, {{q[0], q[2], q[3]}}};
    SOFA_GO(err, done, SOFA_APPEND(ctx, out, &t[i % 2]));
  }
done:
  sofa_list_free(ctx, &quads);
  return err;
}

static SofaErr add_lines(SofaContext *ctx, const int n[3], size_t first, size_t end,
                         SofaEdges *out) {
  size_t before = 0;
  for (int axis = 0; axis < 3; axis++) {
    const int *d = last_of_line[axis];
    for (Places p = places(n, d, before, first, end); p.i < p.end; next(&p)) {
      const int x = p.at[0], y = p.at[1], z = p.at[2];
      const SofaEdge edge = {{point(n, x, y, z), point(n, x + d[0], y + d[1], z + d[2])}};
      SOFA_TRY(SOFA_APPEND(ctx, out, &edge));
    }
    before += count(n, d);
  }
  return SOFA_OK;
}

SofaErr sofa_grid_elements(SofaContext *ctx, const int n[3], const SofaGridLists *lists,
                           SofaMesh *mesh) {
  const size_t n_quads = count_groups(n, last_of_plane);
  if (lists->hexas) SOFA_TRY(add_hexas(ctx, n, 0, count(n, cell), &mesh->hexahedra));
  if (lists->triangles) SOFA_TRY(add_triangles(ctx, n, 0, 2 * n_quads, &mesh->triangles));
  if (lists->edges && mesh->triangles.n) {
    // quads do not count here: all their edges are edges of triangles
    SOFA_TRY(sofa_derive_surface_edges(ctx, mesh, &mesh->edges));
  } else if (lists->edges) {
    SOFA_TRY(add_lines(ctx, n, 0, count_groups(n, last_of_line), &mesh->edges));
  }
  return lists->quads ? add_quads(ctx, n, 0, n_quads, &mesh->quads) : SOFA_OK;
}

/* ---- slices ---- */

size_t sofa_grid_n_hexas(const int n[3], const SofaGridLists *lists) {
  return lists->hexas ? count(n, cell) : 0;
}

/* The run of this process of a list: its end. */
static size_t begin_run(SofaContext *ctx, SofaMeshSlice *out, SofaElementKind kind, size_t n) {
  const int rank = sofa_process_rank(ctx), n_processes = sofa_process_count(ctx);
  out->n_whole[kind] = n;
  out->first[kind] = sofa_slice_begin(n, rank, n_processes);
  return sofa_slice_begin(n, rank + 1, n_processes);
}

SofaErr sofa_grid_slice(SofaContext *ctx, const int n[3], const SofaGridLists *lists,
                        SofaMeshSlice *out) {
  const size_t n_quads = count_groups(n, last_of_plane), *first = out->first;
  size_t end = begin_run(ctx, out, SOFA_ELEMENT_HEXA, sofa_grid_n_hexas(n, lists));
  begin_run(ctx, out, SOFA_ELEMENT_POINT, count(n, (const int[3]){0}));
  SOFA_TRY(add_hexas(ctx, n, first[SOFA_ELEMENT_HEXA], end, &out->mesh.hexahedra));
  end = begin_run(ctx, out, SOFA_ELEMENT_TRIANGLE, lists->triangles ? 2 * n_quads : 0);
  SOFA_TRY(add_triangles(ctx, n, first[SOFA_ELEMENT_TRIANGLE], end, &out->mesh.triangles));
  if (lists->edges && out->n_whole[SOFA_ELEMENT_TRIANGLE]) {
    SOFA_TRY(sofa_mesh_slice_add_faces(ctx, out, SOFA_ELEMENT_EDGE));
  } else if (lists->edges) {
    end = begin_run(ctx, out, SOFA_ELEMENT_EDGE, count_groups(n, last_of_line));
    SOFA_TRY(add_lines(ctx, n, first[SOFA_ELEMENT_EDGE], end, &out->mesh.edges));
  }
  end = begin_run(ctx, out, SOFA_ELEMENT_QUAD, lists->quads ? n_quads : 0);
  return add_quads(ctx, n, first[SOFA_ELEMENT_QUAD], end, &out->mesh.quads);
}
