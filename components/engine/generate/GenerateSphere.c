/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GenerateSphere: a sphere of triangles made from a regular solid, and the ball inside. */
#include <math.h>
#include <string.h>

#include "bezier.h"
#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct GenerateSphere {
  SofaObject object;
  SofaVec3s tetrahedra_points, points;
  SofaTetras tetrahedra;
  SofaTriangles triangles;
  SofaReals triangle_weights, tetrahedron_weights;
  SofaBools triangle_rational, tetrahedron_rational;
  uint32_t triangle_degree, tetrahedron_degree, degree;
  double radius;
  SofaVec3 origin;
  char *solid;
} GenerateSphere;

static const char *const solids[] = {"tetrahedron", "octahedron", "icosahedron", NULL};

#define ROW_DEGREE(member, xml)                                                                    \
  SOFA_ROW_INPUT(                                                                                  \
      member, xml, "0", "",                                                                        \
      "degree of rational Bezier elements: their control points follow the points. From 2 "        \
      "on edges are great arcs; from 4 on the surface of a plain solid is "                        \
      "the sphere; 0, 1: linear elements",                                                         \
      .range = SOFA_WITHIN(0, SOFA_BEZIER_MOST_DEGREE))

typedef GenerateSphere SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_OUTPUT(tetrahedra_points, "output_TetrahedraPosition", "m",
                    "center, then the points of the surface",
                    .aliases = "position output_position"),
    SOFA_ROW_OUTPUT(
        tetrahedra, "tetrahedra", "",
        "tetrahedra from the center; of the plain tetrahedron itself, without a center"),
    SOFA_ROW_OUTPUT(points, "output_TrianglesPosition", "m",
                    "points of the surface: of the solid, its edges, its faces"),
    SOFA_ROW_OUTPUT(
        triangles, "triangles", "",
        "triangles of the surface; those of the octahedron look outwards, the others inwards"),
    ROW_DEGREE(tetrahedron_degree, "BezierTetrahedronDegree"),
    SOFA_ROW_OUTPUT(tetrahedron_weights, "BezierTetrahedronWeights", "",
                    "weights of the points; empty for linear elements"),
    SOFA_ROW_OUTPUT(tetrahedron_rational, "isBezierTetrahedronRational", "",
                    "has the tetrahedron a curved edge; empty for linear elements"),
    ROW_DEGREE(triangle_degree, "BezierTriangleDegree"),
    SOFA_ROW_OUTPUT(triangle_weights, "BezierTriangleWeights", "",
                    "weights of the points of the surface; empty for linear elements"),
    SOFA_ROW_OUTPUT(triangle_rational, "isBezierTriangleRational", "",
                    "has the triangle a curved edge; empty for linear elements"),
    SOFA_ROW_INPUT(radius, "radius", "0.2", "m", "radius", .range = SOFA_ABOVE(0)),
    SOFA_ROW_INPUT(origin, "origin", "0 0 0", "m", "center"),
    SOFA_ROW_INPUT(degree, "tessellationDegree", "1", "", "parts of each edge of the solid",
                   .range = SOFA_WITHIN(1, 1000)),
    SOFA_ROW_INPUT(solid, "platonicSolid", "icosahedron", "", "the solid", .options = solids),
};

/* ---- the solids: points of any length, faces; edges are the pairs in faces, sorted ---- */

typedef struct Solid {
  unsigned n_points, n_faces;
  double x[12][3];
  uint8_t face[20][3];
} Solid;

#define S2 1.4142135623730951
#define S3 1.7320508075688772
static const Solid shapes[] = {
    {4,
     4,
     {{0, 0, 1},
      {0, 2 * S2 / 3, -1.0 / 3},
      {-S2 / S3, -S2 / 3, -1.0 / 3},
      {S2 / S3, -S2 / 3, -1.0 / 3}},
     {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}},
    {6,
     8,
     {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
     {{0, 1, 2}, {0, 2, 4}, {0, 4, 5}, {0, 5, 1}, {1, 5, 3}, {1, 3, 2}, {3, 5, 4}, {2, 3, 4}}},
    {12,
     20,
     {{0.4249358858193742, -0.6234212590752522, -0.901521749427252},
      {-0.5999406907417391, 0.05914133178387721, -1.009227188986324},
      {0.4980672603913731, 0.6101449500603583, -0.872707378430782},
      {1.170388006823068, -0.06734654200022822, -0.0873067158600265},
      {0.4878971283264427, -1.037062929459035, 0.2615777778398508},
      {-0.606226178027942, -0.958889124295748, -0.3082004094765843},
      {-0.4249358858193759, 0.6234212590752533, 0.90152174942725},
      {0.5999406907417364, -0.05914133178387813, 1.009227188986327},
      {-0.4980672603913764, -0.6101449500603557, 0.87270737843078},
      {-1.170388006823072, 0.0673465420002311, 0.0873067158600247},
      {-0.4878971283264417, 1.037062929459036, -0.2615777778398516},
      {0.606226178027942, 0.958889124295747, 0.3082004094765856}},
     {{0, 1, 5},  {0, 2, 1},  {0, 3, 2},   {0, 4, 3},  {0, 5, 4},   {1, 2, 10}, {1, 9, 5},
      {1, 10, 9}, {2, 3, 11}, {2, 11, 10}, {3, 4, 7},  {3, 7, 11},  {4, 5, 8},  {4, 8, 7},
      {5, 9, 8},  {6, 7, 8},  {6, 8, 9},   {6, 9, 10}, {6, 10, 11}, {6, 11, 7}}},
};

/* Rank of edge a b among the edges of the solid, sorted by their smaller, then larger end. */
static unsigned edge_rank(const Solid *s, unsigned a, unsigned b) {
  const unsigned low = a < b ? a : b, high = a < b ? b : a;
  unsigned rank = 0;
  for (unsigned i = 0; i < s->n_points; i++)
    for (unsigned j = i + 1; j < s->n_points; j++) {
      bool is_edge = false;
      if (i > low || (i == low && j >= high)) return rank;
      for (unsigned f = 0; f < s->n_faces && !is_edge; f++) {
        const uint8_t *v = s->face[f];
        const bool has_i = v[0] == i || v[1] == i || v[2] == i;
        is_edge = has_i && (v[0] == j || v[1] == j || v[2] == j);
      }
      rank += is_edge;
    }
  return rank;
}

/* ---- points on the unit sphere ---- */

static SofaErr add_point(GenerateSphere *g, const double *x) {
  SofaVec3 p;
  sofa_vec3_scale(1 / sofa_vec3_norm(x), x, p.v);
  return SOFA_APPEND(g->object.ctx, &g->points, &p);
}

/* Points along the great arc between two points. */
static SofaErr add_edge(GenerateSphere *g, unsigned a, unsigned b) {
  for (uint32_t j = 1; j < g->degree; j++) {
    const double *x = g->points.data[a].v, *y = g->points.data[b].v;
    const double angle = acos(sofa_vec3_dot(x, y)), w = (double)j / g->degree;
    double p[3];
    sofa_vec3_scale(sin((1 - w) * angle), x, p);
    sofa_vec3_axpy(sin(w * angle), y, p);
    SOFA_TRY(add_point(g, p));
  }
  return SOFA_OK;
}

static SofaErr add_edges(GenerateSphere *g, const Solid *s) {
  for (unsigned i = 0; i < s->n_points; i++)
    for (unsigned j = i + 1; j < s->n_points; j++)
      for (unsigned f = 0; f < s->n_faces; f++) {
        const uint8_t *v = s->face[f];
        const bool has_i = v[0] == i || v[1] == i || v[2] == i;
        if (!has_i || (v[0] != j && v[1] != j && v[2] != j)) continue;
        SOFA_TRY(add_edge(g, i, j));
        break;
      }
  return SOFA_OK;
}

static SofaErr add_face_points(GenerateSphere *g, const uint8_t *v) {
  for (uint32_t j = 1; j < g->degree; j++)
    for (uint32_t k = 1; k + j < g->degree; k++) {
      double p[3] = {0, 0, 0};
      sofa_vec3_axpy(j, g->points.data[v[0]].v, p);
      sofa_vec3_axpy(k, g->points.data[v[1]].v, p);
      sofa_vec3_axpy(g->degree - j - k, g->points.data[v[2]].v, p);
      SOFA_TRY(add_point(g, p));
    }
  return SOFA_OK;
}

/* ---- triangles ---- */

/* Number of the point with weights a, b, c (sum: degree) of the corners of face f. */
static uint32_t number(const GenerateSphere *g, const Solid *s, unsigned f, uint32_t a, uint32_t b,
                       uint32_t c) {
  const uint32_t n = g->degree, w[3] = {a, b, c};
  const uint8_t *v = s->face[f];
  for (int k = 0; k < 3; k++)
    if (w[k] == n) return v[k];
  const uint32_t n_edges = s->n_points + s->n_faces - 2;
  for (int k = 0; k < 3; k++) {
    if (w[k]) continue;
    const unsigned p = v[(k + 1) % 3], q = v[(k + 2) % 3];
    const uint32_t from_low = p < q ? w[(k + 2) % 3] : w[(k + 1) % 3];
    return s->n_points + (n - 1) * edge_rank(s, p, q) + from_low - 1;
  }
  // rows a = 1, 2, ... of n - 1 - a points
  uint32_t inner = b - 1;
  for (uint32_t row = 1; row < a; row++) inner += n - 1 - row;
  return s->n_points + (n - 1) * n_edges + f * ((n - 1) * (n - 2) / 2) + inner;
}

static SofaErr add_triangle(GenerateSphere *g, uint32_t a, uint32_t b, uint32_t c) {
  const SofaTriangle t = {{a, b, c}};
  return SOFA_APPEND(g->object.ctx, &g->triangles, &t);
}

static SofaErr add_face(GenerateSphere *g, const Solid *s, unsigned f) {
  const uint32_t n = g->degree;
  for (uint32_t i = 1; i <= n; i++)
    for (uint32_t j = 0; i + j <= n; j++) {
      const uint32_t k = n - i - j;
      const uint32_t a = number(g, s, f, i, j, k), b = number(g, s, f, i - 1, j + 1, k);
      SOFA_TRY(add_triangle(g, a, b, number(g, s, f, i - 1, j, k + 1)));
      if (k) SOFA_TRY(add_triangle(g, a, number(g, s, f, i, j + 1, k - 1), b));
    }
  return SOFA_OK;
}

/* ---- Bezier elements ---- */

/* What the control points are made of: points of the surface or of the ball. */
typedef struct Net {
  const GenerateSphere *g;
  const SofaVec3s *points;
  bool center; /* point 0 is the center */
} Net;

static void unit_point(const Net *net, uint32_t i, double x[3]) {
  sofa_vec3_sub(net->points->data[i].v, net->g->origin.v, x);
  sofa_vec3_scale(1 / sofa_vec3_norm(x), x, x);
}

static void to_world(const GenerateSphere *g, double h[4]) {
  for (int k = 0; k < 3; k++) h[k] = g->radius * h[k] + h[3] * g->origin.v[k];
}

/* A great arc of the unit sphere: the tangents at its ends meet in (x + y) / (1 + x.y); its weight
 * is the cosine of half the angle. */
static void great_arc(const double *x, const double *y, double h[4]) {
  const double dot = sofa_vec3_dot(x, y);
  h[3] = sqrt((1 + dot) / 2);
  for (int k = 0; k < 3; k++) h[k] = h[3] * (x[k] + y[k]) / (1 + dot);
}

static bool net_edge(const void *user, uint32_t a, uint32_t b, double h[4]) {
  const Net *net = (const Net *)user;
  double x[3], y[3];
  if (net->center && (a == 0 || b == 0)) return false;
  unit_point(net, a, x);
  unit_point(net, b, y);
  great_arc(x, y, h);
  to_world(net->g, h);
  return true;
}

/* The form of degree 4 whose image is the sphere's triangle with corners x: its arcs span a form q
 * of degree 2, which is seen from the pole and moved along the view onto the sphere,
 * q -> (|d|^2 pole + 2 (w - pole.q) d, |d|^2) with d = q - w pole.
 * Source: G. Farin, B. Piper, A. Worsey, The octant of a sphere as a non-degenerate triangular
 * Bezier patch, Computer Aided Geometric Design 4 (1987). */
typedef struct Patch {
  double x[3][3], pole[3];
} Patch;

static void make_patch(Patch *p) {
  double u[3], v[3];
  sofa_vec3_sub(p->x[1], p->x[0], u);
  sofa_vec3_sub(p->x[2], p->x[0], v);
  sofa_vec3_cross(u, v, p->pole);
  sofa_vec3_scale(1 / sofa_vec3_norm(p->pole), p->pole, p->pole);
  // the pole is behind the triangle
  if (sofa_vec3_dot(p->pole, p->x[0]) > 0) sofa_vec3_scale(-1, p->pole, p->pole);
}

/* d and w - pole.q of control point j of degree 2. */
static double patch_view(const Patch *p, const uint32_t j[3], double d[3]) {
  unsigned ends[2] = {0, 0}, n = 0;
  double h[4] = {0, 0, 0, 1};
  for (unsigned k = 0; k < 3; k++)
    for (uint32_t t = 0; t < j[k]; t++) ends[n++] = k;
  if (ends[0] == ends[1]) memcpy(h, p->x[ends[0]], sizeof p->x[0]);
  else great_arc(p->x[ends[0]], p->x[ends[1]], h);
  for (int k = 0; k < 3; k++) d[k] = h[k] - h[3] * p->pole[k];
  return h[3] - sofa_vec3_dot(p->pole, h);
}

static double multinomial(const uint32_t j[3]) {
  static const double factorial[5] = {1, 1, 2, 6, 24};
  return factorial[j[0] + j[1] + j[2]] / (factorial[j[0]] * factorial[j[1]] * factorial[j[2]]);
}

/* Control point i of degree 4: products of two of degree 2; corners have weight 1. */
static void quartic(const void *user, const uint32_t *i, double h[4]) {
  const Patch *p = (const Patch *)user;
  const double scale = 2 * (1 - sofa_vec3_dot(p->pole, p->x[0])) * multinomial(i);
  memset(h, 0, 4 * sizeof *h);
  for (uint32_t a = 0; a <= 2; a++)
    for (uint32_t b = 0; a + b <= 2; b++) {
      const uint32_t j[3] = {a, b, 2 - a - b};
      if (j[0] > i[0] || j[1] > i[1] || j[2] > i[2]) continue;
      const uint32_t k[3] = {i[0] - j[0], i[1] - j[1], i[2] - j[2]};
      double d[3], e[3];
      const double s = patch_view(p, j, d), t = patch_view(p, k, e);
      const double c = multinomial(j) * multinomial(k) / scale, dot = sofa_vec3_dot(d, e);
      for (int m = 0; m < 3; m++) h[m] += c * (dot * p->pole[m] + s * e[m] + t * d[m]);
      h[3] += c * dot;
    }
}

/* A point of the solid next to both ends of an edge. */
static uint32_t third_point(const Net *net, const uint32_t v[2]) {
  const Solid *s = &shapes[0];
  for (size_t k = 0; solids[k]; k++)
    if (strcmp(net->g->solid, solids[k]) == 0) s = &shapes[k];
  for (unsigned f = 0; f < s->n_faces; f++) {
    uint32_t found = 0, third = 0;
    for (int k = 0; k < 3; k++) {
      const uint32_t point = s->face[f][k] + (uint32_t)net->center;
      if (point == v[0] || point == v[1]) found++;
      else third = point;
    }
    if (found == 2) return third;
  }
  return v[0];
}

/* The triangles of a plain solid are all alike, so that neighbours agree on their edge's points. */
static bool net_control(const void *user, const uint32_t *v, unsigned n, const uint32_t *i,
                        double h[4]) {
  const Net *net = (const Net *)user;
  const uint32_t third = n == 2 ? third_point(net, v) : v[2];
  const uint32_t index[3] = {i[0], i[1], n == 2 ? 0 : i[2]};
  Patch patch;
  if (net->center && (v[0] == 0 || v[1] == 0 || third == 0)) return false;
  unit_point(net, v[0], patch.x[0]);
  unit_point(net, v[1], patch.x[1]);
  unit_point(net, third, patch.x[2]);
  make_patch(&patch);
  sofa_bezier_elevate(quartic, &patch, 4, 3, index, h);
  to_world(net->g, h);
  return true;
}

static SofaErr add_control_points(GenerateSphere *g) {
  const bool exact = g->degree == 1;
  const Net surface = {g, &g->points, false};
  const Net ball = {g, &g->tetrahedra_points, g->tetrahedra_points.n > g->points.n};
  SofaBezier b = {.ctx = g->object.ctx,
                  .degree = g->tetrahedron_degree,
                  .elements = (const uint32_t *)(const void *)g->tetrahedra.data,
                  .n_elements = g->tetrahedra.n,
                  .n_corners = 4,
                  .points = &g->tetrahedra_points,
                  .weights = &g->tetrahedron_weights,
                  .rational = &g->tetrahedron_rational,
                  .user = &ball,
                  .edge = net_edge,
                  .control = exact && g->tetrahedron_degree >= 4 ? net_control : NULL};
  if (b.degree > 1) SOFA_TRY(sofa_bezier_make(&b));
  b.degree = g->triangle_degree;
  b.elements = (const uint32_t *)(const void *)g->triangles.data;
  b.n_elements = g->triangles.n;
  b.n_corners = 3;
  b.points = &g->points;
  b.weights = &g->triangle_weights;
  b.rational = &g->triangle_rational;
  b.user = &surface;
  b.control = exact && g->triangle_degree >= 4 ? net_control : NULL;
  return b.degree > 1 ? sofa_bezier_make(&b) : SOFA_OK;
}

/* ---- evaluation ---- */

static SofaErr add_ball(GenerateSphere *g, bool plain_tetrahedron) {
  SofaContext *ctx = g->object.ctx;
  const SofaTetra whole = {{0, 1, 2, 3}};
  if (plain_tetrahedron) {
    SOFA_TRY(SOFA_APPEND(ctx, &g->tetrahedra, &whole));
    return sofa_list_copy(ctx, &g->tetrahedra_points, &g->points, sizeof(SofaVec3));
  }
  SOFA_TRY(SOFA_APPEND(ctx, &g->tetrahedra_points, &g->origin));
  for (size_t i = 0; i < g->points.n; i++)
    SOFA_TRY(SOFA_APPEND(ctx, &g->tetrahedra_points, &g->points.data[i]));
  for (size_t i = 0; i < g->triangles.n; i++) {
    const uint32_t *v = g->triangles.data[i].v;
    const SofaTetra t = {{0, v[0] + 1, v[1] + 1, v[2] + 1}};
    SOFA_TRY(SOFA_APPEND(ctx, &g->tetrahedra, &t));
  }
  return SOFA_OK;
}

static SofaErr make(GenerateSphere *g, const Solid *s) {
  for (unsigned i = 0; i < s->n_points; i++) SOFA_TRY(add_point(g, s->x[i]));
  SOFA_TRY(add_edges(g, s));
  for (unsigned f = 0; f < s->n_faces; f++) SOFA_TRY(add_face_points(g, s->face[f]));
  for (unsigned f = 0; f < s->n_faces; f++) SOFA_TRY(add_face(g, s, f));
  for (size_t i = 0; i < g->points.n; i++) {
    sofa_vec3_scale(g->radius, g->points.data[i].v, g->points.data[i].v);
    sofa_vec3_add(g->points.data[i].v, g->origin.v, g->points.data[i].v);
  }
  SOFA_TRY(add_ball(g, s == &shapes[0] && g->degree == 1));
  return add_control_points(g);
}

static SofaErr update(SofaObject *object) {
  GenerateSphere *g = (GenerateSphere *)object;
  g->points.n = g->tetrahedra_points.n = g->triangles.n = g->tetrahedra.n = 0;
  g->triangle_weights.n = g->tetrahedron_weights.n = 0;
  g->triangle_rational.n = g->tetrahedron_rational.n = 0;
  for (size_t k = 0; solids[k]; k++)
    if (g->solid && strcmp(g->solid, solids[k]) == 0) return make(g, &shapes[k]);
  return sofa_field_fail(object, "platonicSolid", SOFA_ERR_ARGUMENT,
                         "'%s' is not one of tetrahedron, octahedron, icosahedron", g->solid);
}

ENGINE_CLASS(GenerateSphere, "Generate", "Makes a sphere of triangles and the ball inside.",
             .templates = engine_vec3_templates, .init = engine_init, );
