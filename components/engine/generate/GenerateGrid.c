/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GenerateGrid: a grid of points and its elements. */
#include "components/engine/engine.h"

typedef struct GenerateGrid {
  SofaObject object;
  SofaCoords position;
  SofaTetras tetrahedra;
  SofaQuads quads;
  SofaTriangles triangles;
  SofaHexas hexahedra;
  SofaVec3 min, max;
  SofaInts3 resolution;
} GenerateGrid;

typedef GenerateGrid SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_OUTPUT(position, "output_position", "m", "points, x fastest", .aliases = "position"),
    SOFA_ROW_OUTPUT(tetrahedra, "tetrahedra", "", "six tetrahedra of each hexahedron"),
    SOFA_ROW_OUTPUT(quads, "quads", "", "quads of a grid in the plane"),
    SOFA_ROW_OUTPUT(triangles, "triangles", "", "two triangles of each quad"),
    SOFA_ROW_OUTPUT(hexahedra, "hexahedra", "", "hexahedra, z fastest"),
    SOFA_ROW_INPUT(min, "min", "0 0 0", "m", "lower corner"),
    SOFA_ROW_INPUT(max, "max", "0 0 0", "m", "upper corner"),
    SOFA_ROW_INPUT(resolution, "resolution", "3 3 3", "",
                   "number of cells along x and y, at least 1, and z; 0: a grid in the plane"),
};

static uint32_t point(const int *n, int i, int j, int k) {
  return (uint32_t)(i + (n[0] + 1) * (j + (n[1] + 1) * k));
}

static SofaErr add_points(GenerateGrid *g) {
  const int *n = g->resolution.v;
  const unsigned space = sofa_state_kind_info(g->object.kind)->space;
  const size_t total = ((size_t)n[0] + 1) * ((size_t)n[1] + 1) * ((size_t)n[2] + 1);
  SOFA_TRY(sofa_coords_resize(g->object.ctx, &g->position, total));
  double *x = g->position.data;
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++, x += space) {
        const int at[3] = {i, j, k};
        for (unsigned c = 0; c < space; c++)
          x[c] = g->min.v[c] + (n[c] ? at[c] * ((g->max.v[c] - g->min.v[c]) / n[c]) : 0);
      }
  return SOFA_OK;
}

static SofaErr add_quad(GenerateGrid *g, int i, int j) {
  const int *n = g->resolution.v;
  SofaContext *ctx = g->object.ctx;
  const SofaQuad q = {
      {point(n, i, j, 0), point(n, i + 1, j, 0), point(n, i + 1, j + 1, 0), point(n, i, j + 1, 0)}};
  const SofaTriangle t[2] = {{{q.v[0], q.v[1], q.v[3]}}, {{q.v[3], q.v[1], q.v[2]}}};
  SOFA_TRY(SOFA_APPEND(ctx, &g->quads, &q));
  SOFA_TRY(SOFA_APPEND(ctx, &g->triangles, &t[0]));
  return SOFA_APPEND(ctx, &g->triangles, &t[1]);
}

static SofaErr add_hexahedron(GenerateGrid *g, int i, int j, int k) {
  static const uint8_t corners[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                        {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  const int *n = g->resolution.v;
  SofaHexa h;
  for (int c = 0; c < 8; c++) {
    const int right = (c & 3) == 1 || (c & 3) == 2;
    h.v[c] = point(n, i + right, j + ((c & 3) > 1), k + (c > 3));
  }
  SOFA_TRY(SOFA_APPEND(g->object.ctx, &g->hexahedra, &h));
  for (int t = 0; t < 6; t++) {
    SofaTetra tetra;
    for (int c = 0; c < 4; c++) tetra.v[c] = h.v[corners[t][c]];
    SOFA_TRY(SOFA_APPEND(g->object.ctx, &g->tetrahedra, &tetra));
  }
  return SOFA_OK;
}

static SofaErr check(const GenerateGrid *g) {
  const int *n = g->resolution.v;
  for (int c = 0; c < 3; c++)
    if (n[c] < (c < 2) || n[c] > 10000)
      return sofa_field_fail(&g->object, "resolution", SOFA_ERR_RANGE,
                             "%d cells in direction %d; there must be %d to 10000", n[c], c, c < 2);
  if ((double)(n[0] + 1) * (n[1] + 1) * (n[2] + 1) > 1e9)
    return sofa_field_fail(&g->object, "resolution", SOFA_ERR_RANGE, "there are too many points");
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  GenerateGrid *g = (GenerateGrid *)object;
  const int *n = g->resolution.v;
  SOFA_TRY(check(g));
  g->tetrahedra.n = g->quads.n = g->triangles.n = g->hexahedra.n = 0;
  SOFA_TRY(add_points(g));
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++) {
      if (!n[2]) SOFA_TRY(add_quad(g, i, j));
      for (int k = 0; k < n[2]; k++) SOFA_TRY(add_hexahedron(g, i, j, k));
    }
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

ENGINE_CLASS(GenerateGrid, "Generate", "Makes a grid of points and its elements.",
             .templates = templates, .init = engine_init, );
