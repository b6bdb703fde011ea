/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GridMeshCreator: a flat grid of points with quads or triangles. */
#include <stdlib.h>
#include "behavior/loader.h"

typedef struct GridMeshCreator {
  SofaMeshLoader loader;
  SofaInts2 resolution;
  int pattern;
} GridMeshCreator;

static const SofaField fields[] = {
    SOFA_FIELD(GridMeshCreator, resolution, "resolution", "2 2", "1",
               "Number of points along x and y; the grid spans the unit square.",
               .range = SOFA_AT_LEAST(2)),
    SOFA_FIELD(GridMeshCreator, pattern, "trianglePattern", "2", "",
               "Cells: 0 quads, 1 triangles with alternating diagonals, 2 with diagonals from the "
               "lower left, 3 with diagonals from the lower right.",
               .range = SOFA_WITHIN(0, 3)),
};

static SofaErr check(const GridMeshCreator *grid) {
  const SofaObject *object = &grid->loader.object;
  const int nx = grid->resolution.v[0], ny = grid->resolution.v[1];
  if ((double)nx * ny > INT32_MAX / 8)
    return sofa_field_fail(object, "resolution", SOFA_ERR_RANGE,
                           "%d x %d points; the product must be at most %d", nx, ny, INT32_MAX / 8);
  return SOFA_OK;
}

/* ---- edges ---- */

typedef struct Side {
  uint32_t from, to, rank; /* rank: when it was met */
} Side;
SOFA_LIST(Side, Sides);

static int compare(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

/* By the two points, whatever the direction; those met first come first. */
static int compare_points(const void *a, const void *b) {
  const Side *s = a, *t = b;
  int c = compare(s->from < s->to ? s->from : s->to, t->from < t->to ? t->from : t->to);
  if (!c) c = compare(s->from < s->to ? s->to : s->from, t->from < t->to ? t->to : t->from);
  return c ? c : compare(s->rank, t->rank);
}

static int compare_edges(const void *a, const void *b) {
  const SofaEdge *s = a, *t = b;
  const int c = compare(s->v[0], t->v[0]);
  return c ? c : compare(s->v[1], t->v[1]);
}

static SofaErr add_sides(SofaContext *ctx, SofaElements elements, Sides *sides) {
  for (size_t i = 0; i < elements.n; i++) {
    const uint32_t *v = elements.v + i * elements.width;
    for (unsigned k = 0; k < elements.width; k++) {
      const Side side = {v[k], v[(k + 1) % elements.width], (uint32_t)sides->n};
      SOFA_TRY(SOFA_APPEND(ctx, sides, &side));
    }
  }
  return SOFA_OK;
}

/* The sides of all cells, each once in the direction met first, sorted. */
static SofaErr make_edges(SofaContext *ctx, SofaMesh *mesh) {
  Sides sides = {0};
  SofaErr err;
  SOFA_GO(err, done, add_sides(ctx, sofa_mesh_elements(mesh, SOFA_ELEMENT_TRIANGLE), &sides));
  SOFA_GO(err, done, add_sides(ctx, sofa_mesh_elements(mesh, SOFA_ELEMENT_QUAD), &sides));
  sofa_sort(sides.data, sides.n, sizeof *sides.data, compare_points);
  for (size_t i = 0; i < sides.n; i++) {
    const Side *s = &sides.data[i], *last = i ? s - 1 : NULL;
    if (last && ((last->from == s->from && last->to == s->to) ||
                 (last->from == s->to && last->to == s->from)))
      continue;
    const SofaEdge edge = {{s->from, s->to}};
    SOFA_GO(err, done, SOFA_APPEND(ctx, &mesh->edges, &edge));
  }
  sofa_sort(mesh->edges.data, mesh->edges.n, sizeof *mesh->edges.data, compare_edges);
done:
  sofa_list_free(ctx, &sides);
  return err;
}

/* ---- cells ---- */

static SofaErr make_cell(SofaContext *ctx, SofaMesh *mesh, const uint32_t v[4], int pattern,
                         bool even) {
  static const uint8_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
  if (pattern == 0) return SOFA_APPEND(ctx, &mesh->quads, (const SofaQuad *)v);
  const uint8_t *cut = cuts[pattern == 3 || (pattern == 1 && !even)];
  for (int k = 0; k < 6; k += 3) {
    const SofaTriangle triangle = {{v[cut[k]], v[cut[k + 1]], v[cut[k + 2]]}};
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->triangles, &triangle));
  }
  return SOFA_OK;
}

static SofaErr make(SofaMeshLoader *loader) {
  const GridMeshCreator *grid = (const GridMeshCreator *)loader;
  SofaContext *ctx = loader->object.ctx;
  SofaMesh *mesh = &loader->data.mesh;
  SOFA_TRY(check(grid));
  const uint32_t nx = (uint32_t)grid->resolution.v[0], ny = (uint32_t)grid->resolution.v[1];
  SOFA_TRY(SOFA_RESIZE(ctx, &mesh->position, (size_t)nx * ny));
  for (uint32_t y = 0; y < ny; y++)
    for (uint32_t x = 0; x < nx; x++)
      mesh->position.data[x + nx * y] = (SofaVec3){{x * 1.0 / (nx - 1), y * 1.0 / (ny - 1), 0}};
  for (uint32_t y = 0; y + 1 < ny; y++) {
    for (uint32_t x = 0; x + 1 < nx; x++) {
      const uint32_t a = x + nx * y, v[4] = {a, a + 1, a + 1 + nx, a + nx};
      SOFA_TRY(make_cell(ctx, mesh, v, grid->pattern, (x + y) % 2 == 0));
    }
  }
  return make_edges(ctx, mesh);
}

static const SofaLoaderOps ops = {.make = make};

SOFA_CLASS(GridMeshCreator) = {
    SOFA_NAMED(GridMeshCreator),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Makes a flat grid of points with quads or triangles and their edges.",
    .base = &sofa_mesh_loader_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_LOADER, &ops}),
};
