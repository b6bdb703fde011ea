/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GenerateCylinder: points, tetrahedra and the surface of a cylinder along z. */
#include <math.h>

#include "bezier.h"
#include "components/engine/engine.h"

typedef struct GenerateCylinder {
  SofaObject object;
  SofaVec3s points, surface_points;
  SofaTetras tetrahedra;
  SofaTriangles triangles;
  SofaReals triangle_weights, tetrahedron_weights;
  SofaBools triangle_rational, tetrahedron_rational;
  uint32_t triangle_degree, tetrahedron_degree, around, radial, layers;
  double radius, height;
  SofaVec3 origin;
  bool open;
} GenerateCylinder;

#define ROW_DEGREE(member, xml)                                                                    \
  SOFA_ROW_INPUT(                                                                                  \
      member, xml, "0", "",                                                                        \
      "degree of rational Bezier elements, whose mantle is that of the cylinder: their "           \
      "control points follow the points; 0, 1: linear elements",                                   \
      .range = SOFA_WITHIN(0, SOFA_BEZIER_MOST_DEGREE))

typedef GenerateCylinder SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_OUTPUT(points, "output_TetrahedraPosition", "m",
                    "points, layer by layer: the center, then rings from the inside",
                    .aliases = "position output_position"),
    SOFA_ROW_OUTPUT(surface_points, "output_TrianglesPosition", "m",
                    "points of the surface, layer by layer, and of the ends their centers"),
    SOFA_ROW_OUTPUT(tetrahedra, "tetrahedra", "", "tetrahedra"),
    SOFA_ROW_OUTPUT(triangles, "triangles", "", "triangles of the surface"),
    SOFA_ROW_OUTPUT(triangle_weights, "BezierTriangleWeights", "",
                    "weights of the points of the surface; empty for linear elements"),
    SOFA_ROW_OUTPUT(triangle_rational, "isBezierTriangleRational", "",
                    "has the triangle a curved edge; empty for linear elements"),
    ROW_DEGREE(triangle_degree, "BezierTriangleDegree"),
    SOFA_ROW_OUTPUT(tetrahedron_weights, "BezierTetrahedronWeights", "",
                    "weights of the points; empty for linear elements"),
    SOFA_ROW_OUTPUT(tetrahedron_rational, "isBezierTetrahedronRational", "",
                    "has the tetrahedron a curved edge; empty for linear elements"),
    ROW_DEGREE(tetrahedron_degree, "BezierTetrahedronDegree"),
    SOFA_ROW_INPUT(radius, "radius", "0.2", "m", "radius", .range = SOFA_ABOVE(0)),
    SOFA_ROW_INPUT(height, "height", "1", "m", "height"),
    SOFA_ROW_INPUT(origin, "origin", "0 0 0", "m", "center of the lower end"),
    SOFA_ROW_INPUT(open, "openSurface", "1", "", "the surface has no ends"),
    SOFA_ROW_INPUT(around, "resCircumferential", "6", "", "points of a ring",
                   .range = SOFA_WITHIN(3, 10000)),
    SOFA_ROW_INPUT(radial, "resRadial", "3", "", "number of rings", .range = SOFA_WITHIN(1, 10000)),
    SOFA_ROW_INPUT(layers, "resHeight", "5", "", "number of layers",
                   .range = SOFA_WITHIN(2, 10000)),
};

/* ---- points ---- */

static SofaErr add_point(GenerateCylinder *c, SofaVec3s *list, uint32_t layer, double r,
                         uint32_t k) {
  const double angle = k * 2 * acos(-1.0) / c->around;
  const double *o = c->origin.v;
  const SofaVec3 p = {
      {o[0] + r * cos(angle), o[1] + r * sin(angle), o[2] + layer * c->height / (c->layers - 1)}};
  return SOFA_APPEND(c->object.ctx, list, &p);
}

static SofaErr add_points(GenerateCylinder *c) {
  for (uint32_t i = 0; i < c->layers; i++) {
    SOFA_TRY(add_point(c, &c->points, i, 0, 0));
    for (uint32_t j = 1; j <= c->radial; j++)
      for (uint32_t k = 0; k < c->around; k++)
        SOFA_TRY(add_point(c, &c->points, i, j * c->radius / c->radial, k));
  }
  return SOFA_OK;
}

/* ---- elements ---- */

static SofaErr add_tetrahedra(GenerateCylinder *c, const uint32_t *v, const uint8_t (*corners)[4],
                              int n) {
  for (int t = 0; t < n; t++) {
    SofaTetra tetra;
    for (int k = 0; k < 4; k++) tetra.v[k] = v[corners[t][k]];
    SOFA_TRY(SOFA_APPEND(c->object.ctx, &c->tetrahedra, &tetra));
  }
  return SOFA_OK;
}

/* Prisms around the axis between layer i - 1 and i, then hexahedra ring by ring. */
static SofaErr add_layer(GenerateCylinder *c, uint32_t i) {
  static const uint8_t prism[3][4] = {{1, 0, 2, 3}, {1, 2, 4, 3}, {3, 4, 5, 2}};
  static const uint8_t hexahedron[6][4] = {{0, 5, 4, 7}, {0, 1, 5, 3}, {5, 0, 3, 7},
                                           {0, 3, 7, 2}, {7, 0, 2, 4}, {6, 7, 2, 4}};
  const uint32_t n = c->around, stride = n * c->radial + 1;
  uint32_t center = i * stride;
  for (uint32_t k = 1; k <= n; k++) {
    const uint32_t before = k == 1 ? n : k - 1;
    uint32_t v[6] = {center, center + before, center + k, 0, 0, 0};
    for (int a = 0; a < 3; a++) v[3 + a] = v[a] - stride;
    SOFA_TRY(add_tetrahedra(c, v, prism, 3));
  }
  for (uint32_t j = 1; j < c->radial; j++, center += n)
    for (uint32_t k = 1; k <= n; k++) {
      const uint32_t before = k == 1 ? n : k - 1;
      uint32_t v[8] = {center + k, center + before, center + k + n, center + before + n};
      for (int a = 0; a < 4; a++) v[4 + a] = v[a] - stride;
      SOFA_TRY(add_tetrahedra(c, v, hexahedron, 6));
    }
  return SOFA_OK;
}

static SofaErr add_triangle(GenerateCylinder *c, uint32_t a, uint32_t b, uint32_t d) {
  const SofaTriangle t = {{a, b, d}};
  return SOFA_APPEND(c->object.ctx, &c->triangles, &t);
}

/* The mantle, two triangles outwards per quad; with ends, their centers come last. */
static SofaErr add_surface(GenerateCylinder *c) {
  const uint32_t n = c->around, top = (c->layers - 1) * n;
  for (uint32_t i = 0; i < c->layers; i++)
    for (uint32_t k = 0; k < n; k++) SOFA_TRY(add_point(c, &c->surface_points, i, c->radius, k));
  for (uint32_t i = 0; i + 1 < c->layers; i++)
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t a = i * n + k, b = i * n + (k + 1) % n;
      SOFA_TRY(add_triangle(c, a, b, b + n));
      SOFA_TRY(add_triangle(c, a, b + n, a + n));
    }
  if (c->open) return SOFA_OK;
  const uint32_t low = (uint32_t)c->surface_points.n;
  SOFA_TRY(add_point(c, &c->surface_points, 0, 0, 0));
  SOFA_TRY(add_point(c, &c->surface_points, c->layers - 1, 0, 0));
  for (uint32_t k = 0; k < n; k++) {
    SOFA_TRY(add_triangle(c, low, (k + 1) % n, k));
    SOFA_TRY(add_triangle(c, low + 1, top + k, top + (k + 1) % n));
  }
  return SOFA_OK;
}

/* ---- Bezier elements ---- */

/* An edge between neighbouring angles of the mantle: an arc, seen along z, that the control point
 * (x_a + x_b) / (2 cos^2) with weight cos of half the angle makes. */
static void arc(const GenerateCylinder *c, const SofaVec3s *points, uint32_t a, uint32_t b,
                double h[4]) {
  const double *x = points->data[a].v, *y = points->data[b].v, *o = c->origin.v;
  const double w = cos(acos(-1.0) / c->around);
  for (int k = 0; k < 2; k++) h[k] = w * o[k] + ((x[k] - o[k]) + (y[k] - o[k])) / (2 * w);
  h[2] = w * (x[2] + y[2]) / 2;
  h[3] = w;
}

static bool triangle_edge(const void *user, uint32_t a, uint32_t b, double h[4]) {
  const GenerateCylinder *c = (const GenerateCylinder *)user;
  const uint32_t n = c->around * c->layers;
  if (a >= n || b >= n || a % c->around == b % c->around) return false;
  arc(c, &c->surface_points, a, b, h);
  return true;
}

static bool tetra_edge(const void *user, uint32_t a, uint32_t b, double h[4]) {
  const GenerateCylinder *c = (const GenerateCylinder *)user;
  const uint32_t n = c->around * c->radial + 1, first = n - c->around, i = a % n, j = b % n;
  if (i < first || j < first || i == j) return false;
  arc(c, &c->points, a, b, h);
  return true;
}

static SofaErr add_control_points(GenerateCylinder *c) {
  const SofaBezier tetrahedra = {.ctx = c->object.ctx,
                                 .degree = c->tetrahedron_degree,
                                 .elements = (const uint32_t *)(const void *)c->tetrahedra.data,
                                 .n_elements = c->tetrahedra.n,
                                 .n_corners = 4,
                                 .points = &c->points,
                                 .weights = &c->tetrahedron_weights,
                                 .rational = &c->tetrahedron_rational,
                                 .user = c,
                                 .edge = tetra_edge};
  const SofaBezier triangles = {.ctx = c->object.ctx,
                                .degree = c->triangle_degree,
                                .elements = (const uint32_t *)(const void *)c->triangles.data,
                                .n_elements = c->triangles.n,
                                .n_corners = 3,
                                .points = &c->surface_points,
                                .weights = &c->triangle_weights,
                                .rational = &c->triangle_rational,
                                .user = c,
                                .edge = triangle_edge};
  if (c->tetrahedron_degree > 1) SOFA_TRY(sofa_bezier_make(&tetrahedra));
  return c->triangle_degree > 1 ? sofa_bezier_make(&triangles) : SOFA_OK;
}

/* ---- evaluation ---- */

static SofaErr check(const GenerateCylinder *c) {
  if (((double)c->around * c->radial + 1) * c->layers > 1e9)
    return sofa_object_fail(&c->object, SOFA_ERR_RANGE, "there are too many points");
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  GenerateCylinder *c = (GenerateCylinder *)object;
  SOFA_TRY(check(c));
  c->points.n = c->surface_points.n = c->tetrahedra.n = c->triangles.n = 0;
  c->triangle_weights.n = c->tetrahedron_weights.n = 0;
  c->triangle_rational.n = c->tetrahedron_rational.n = 0;
  SOFA_TRY(add_points(c));
  for (uint32_t i = 1; i < c->layers; i++) SOFA_TRY(add_layer(c, i));
  SOFA_TRY(add_surface(c));
  return add_control_points(c);
}

ENGINE_CLASS(GenerateCylinder, "Generate",
             "Makes the points, tetrahedra and surface of a cylinder along z.",
             .templates = engine_vec3_templates, .init = engine_init, );
