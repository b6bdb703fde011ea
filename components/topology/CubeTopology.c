/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CubeTopology: the surface of a box as quads and edges. */
#include <math.h>
#include <string.h>
#include "cube_surface.h"
#include "grid_topology.h"

typedef SofaCubeTopology SofaSelf; /* of SOFA_ROW */

static const SofaField cube_fields[] = {
    SOFA_ROW(nx, "nx", "0", "1", "Number of points along x, at least 1.", ),
    SOFA_ROW(ny, "ny", "0", "1", "Number of points along y, at least 1.", ),
    SOFA_ROW(nz, "nz", "0", "1", "Number of points along z, at least 1.", ),
    SOFA_ROW(internal_points, "internalPoints", "0", "",
             "Has the points inside too, numbered as those of a RegularGridTopology.", ),
    SOFA_ROW(split_normals, "splitNormals", "0", "",
             "Each side has points of its own; the edges are those of one side each.", ),
    SOFA_ROW(min, "min", "0 0 0", "m", "Corner of smallest coordinates.", ),
    SOFA_ROW(max, "max", "1 1 1", "m", "Corner of largest coordinates.", ),
    SOFA_LEGACY_BOX_ROWS(SofaCubeTopology, legacy),
};

/* The sides, in the order in which points of split sides are numbered; the other three follow. */
typedef enum Side { X0, Y0, Z0, X1, Y1, Z1, ANY } Side;

/* Only the surface has points, shared by its sides. */
static bool is_shell(const SofaCubeTopology *c) {
  return !c->internal_points && c->nx > 1 && c->ny > 1 && c->nz > 1;
}

static size_t count(const SofaCubeTopology *c) {
  const size_t nx = (size_t)c->nx, ny = (size_t)c->ny, nz = (size_t)c->nz;
  if (c->split_normals)
    return nx * ny * (nz > 1 ? 2 : 1) + ny * nz * (nx > 1 ? 2 : 1) + nz * nx * (ny > 1 ? 2 : 1);
  return is_shell(c) ? 2 * nx * ny + (nz - 2) * (2 * nx + 2 * ny - 4) : nx * ny * nz;
}

/* ---- numbering ---- */

/* Number of a point of a split side. */
static uint32_t point_of_side(const SofaCubeTopology *c, int x, int y, int z, Side side) {
  const int half = c->ny * c->nz + c->nx * c->nz + c->nx * c->ny;
  if (side == ANY)
    side = x == 0 ? X0 : x == c->nx - 1 ? X1 : y == 0 ? Y0 : y == c->ny - 1 ? Y1 : z == 0 ? Z0 : Z1;
  const int base = side >= X1 ? half : 0;
  if (side % 3 == 0) return (uint32_t)(base + y + c->ny * z);
  if (side % 3 == 1) return (uint32_t)(base + c->ny * c->nz + x + c->nx * z);
  return (uint32_t)(base + c->ny * c->nz + c->nx * c->nz + x + c->nx * y);
}

static uint32_t point(const SofaCubeTopology *c, int x, int y, int z, Side side) {
  if (c->split_normals) return point_of_side(c, x, y, z, side);
  if (!is_shell(c)) return (uint32_t)(x + c->nx * (y + c->ny * z));
  if (z == 0) return (uint32_t)(x + c->nx * y);
  if (z == c->nz - 1) return (uint32_t)(x + c->nx * (y + c->ny));
  const int base = 2 * c->nx * c->ny + (2 * c->nx + 2 * c->ny - 4) * (z - 1);
  if (y == 0) return (uint32_t)(base + x);
  if (y == c->ny - 1) return (uint32_t)(base + c->nx + x);
  return (uint32_t)(base + 2 * c->nx + y - 1 + (x == 0 ? 0 : c->ny - 2));
}

/* The inverse: place of a point of split sides. */
static void place_of_side(const SofaCubeTopology *c, int i, int at[3]) {
  const int half = c->ny * c->nz + c->nx * c->nz + c->nx * c->ny;
  const bool far = i >= half;
  at[0] = far ? c->nx - 1 : 0;
  at[1] = far ? c->ny - 1 : 0;
  at[2] = far ? c->nz - 1 : 0;
  i -= far ? half : 0;
  if (i < c->ny * c->nz) {
    at[1] = i % c->ny;
    at[2] = i / c->ny;
    return;
  }
  i -= c->ny * c->nz;
  const int second = i < c->nx * c->nz ? 2 : 1;
  i -= second == 1 ? c->nx * c->nz : 0;
  at[0] = i % c->nx;
  at[second] = i / c->nx;
}

/* Of a point of a layer between the first and the last. */
static void place_in_ring(const SofaCubeTopology *c, int i, int at[3]) {
  const int ring = 2 * c->nx + 2 * (c->ny - 2);
  at[2] = i / ring + 1;
  i %= ring;
  if (i < 2 * c->nx) {
    at[0] = i % c->nx;
    at[1] = i < c->nx ? 0 : c->ny - 1;
    return;
  }
  i -= 2 * c->nx;
  at[0] = i < c->ny - 2 ? 0 : c->nx - 1;
  at[1] = 1 + (i < c->ny - 2 ? i : i - (c->ny - 2));
}

void sofa_cube_place(const SofaCubeTopology *c, size_t number, int at[3]) {
  const int i = (int)number, layer = c->nx * c->ny;
  if (c->split_normals) {
    place_of_side(c, i, at);
  } else if (is_shell(c) && i >= 2 * layer) {
    place_in_ring(c, i - 2 * layer, at);
  } else {
    at[0] = i % c->nx;
    at[1] = i / c->nx % c->ny;
    at[2] = i / layer;
    if (is_shell(c) && at[2] == 1) at[2] = c->nz - 1;
  }
}

/* ---- elements ---- */

static SofaErr add_edges(const SofaCubeTopology *c, SofaEdges *out) {
  SofaContext *ctx = c->mesh_topology.topology.object.ctx;
  const int n[3] = {c->nx, c->ny, c->nz};
  int at[3];
  for (at[2] = 0; at[2] < n[2]; at[2]++)
    for (at[1] = 0; at[1] < n[1]; at[1]++)
      for (at[0] = 0; at[0] < n[0]; at[0]++)
        for (int k = 0; k < 3; k++) {
          const int a = (k + 1) % 3, b = (k + 2) % 3;
          const bool outside = at[a] == 0 || at[a] == n[a] - 1 || at[b] == 0 || at[b] == n[b] - 1;
          if (at[k] == n[k] - 1 || !outside) continue;
          const SofaEdge edge = {
              {point(c, at[0], at[1], at[2], ANY),
               point(c, at[0] + (k == 0), at[1] + (k == 1), at[2] + (k == 2), ANY)}};
          SOFA_TRY(SOFA_APPEND(ctx, out, &edge));
        }
  return SOFA_OK;
}

/* A side of the box: its place along the axis across it; axis u runs inside, v outside; quads of a
 * turned one go along v first. */
typedef struct Face {
  Side side;
  int u, v, place;
  bool turned;
} Face;

static SofaErr add_side(const SofaCubeTopology *c, const Face *face, SofaQuads *out) {
  static const int corner[2][4][2] = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}},
                                      {{0, 0}, {0, 1}, {1, 1}, {1, 0}}};
  const int n[3] = {c->nx, c->ny, c->nz};
  for (int j = 0; j < n[face->v] - 1; j++)
    for (int i = 0; i < n[face->u] - 1; i++) {
      SofaQuad quad;
      for (int k = 0; k < 4; k++) {
        int at[3] = {face->place, face->place, face->place};
        at[face->u] = i + corner[face->turned][k][0];
        at[face->v] = j + corner[face->turned][k][1];
        quad.v[k] = point(c, at[0], at[1], at[2], face->side);
      }
      SOFA_TRY(SOFA_APPEND(c->mesh_topology.topology.object.ctx, out, &quad));
    }
  return SOFA_OK;
}

static SofaErr add_quads(const SofaCubeTopology *c, SofaQuads *out) {
  const Face faces[] = {{Z0, 0, 1, 0, true},  {Z1, 0, 1, c->nz - 1, false},
                        {Y0, 0, 2, 0, false}, {Y1, 0, 2, c->ny - 1, true},
                        {X0, 1, 2, 0, true},  {X1, 1, 2, c->nx - 1, false}};
  for (int i = 0; i < 6; i++) {
    // one layer of points has one side
    if (i % 2 == 1 && faces[i].place == 0) continue;
    SOFA_TRY(add_side(c, &faces[i], out));
  }
  return SOFA_OK;
}

/* ---- life ---- */

static SofaErr cube_parsed(SofaObject *object) {
  SofaCubeTopology *c = (SofaCubeTopology *)object;
  sofa_legacy_box_take(object, &c->legacy, &c->min, &c->max);
  return SOFA_OK;
}

static SofaErr check_counts(const SofaCubeTopology *c) {
  static const char *const names[] = {"nx", "ny", "nz"};
  const int n[3] = {c->nx, c->ny, c->nz};
  for (int k = 0; k < 3; k++)
    if (n[k] < 1 || (double)n[0] * n[1] * n[2] > INT32_MAX / 8)
      return sofa_field_fail(&c->mesh_topology.topology.object, names[k], SOFA_ERR_RANGE,
                             "%d x %d x %d points, expected 1 or more along each axis and not "
                             "more than an index can hold",
                             n[0], n[1], n[2]);
  return SOFA_OK;
}

static SofaErr cube_init(SofaObject *object) {
  SofaCubeTopology *c = (SofaCubeTopology *)object;
  SofaTopology *t = &c->mesh_topology.topology;
  SOFA_TRY(check_counts(c));
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++)
    sofa_topology_cut_link(t, (SofaElementKind)kind);
  SOFA_TRY(sofa_topology_clear(t, true));
  t->n_points = count(c);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->mesh.position, t->n_points));
  for (size_t i = 0; i < t->n_points; i++) sofa_topology_point(t, i, t->mesh.position.data[i].v);
  SOFA_TRY(add_edges(c, &t->mesh.edges));
  SOFA_TRY(add_quads(c, &t->mesh.quads));
  sofa_topology_touch(t, UINT32_MAX);
  return SOFA_OK;
}

bool sofa_cube_has_positions(const SofaTopology *topology) {
  (void)topology;
  return true;
}

static void cube_point(const SofaTopology *topology, size_t i, double *p) {
  const SofaCubeTopology *c = (const SofaCubeTopology *)topology;
  const int n[3] = {c->nx, c->ny, c->nz};
  int at[3];
  sofa_cube_place(c, i, at);
  for (int k = 0; k < 3; k++) {
    const double step = n[k] > 1 ? (c->max.v[k] - c->min.v[k]) / (n[k] - 1) : 0;
    p[k] = fma(step, (double)at[k], c->min.v[k]);
  }
}

static const SofaTopologyOps cube_ops = {.has_positions = sofa_cube_has_positions,
                                         .point = cube_point};

SOFA_CLASS(CubeTopology) = {
    .name = "CubeTopology",
    .module = "Sofa.Component.Topology.Container.Constant",
    .category = "Topology",
    .help = "The surface of a box: points, quads with normals outwards, edges.",
    .base = &sofa_mesh_topology_base_class,
    .size = sizeof(SofaCubeTopology),
    SOFA_FIELDS(cube_fields),
    .parsed = cube_parsed,
    .init = cube_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &cube_ops}),
};
