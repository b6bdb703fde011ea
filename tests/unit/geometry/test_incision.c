/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incisions: area and orientation stay, no triangle is flat, and the surface has as many parts,
 * borders and holes afterwards as scissors would give it; what is refused changes nothing. */
#include "components/topology/incision.h"

#include <math.h>

#include "math/vec.h"
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

/* ---- sheets ---- */

typedef enum Shape { FLAT, TUBE, HILL, ROUGH, CORNER } Shape;

typedef struct Sheet {
  SceneRun run;
  SofaTopology *mesh;
  SofaState *state;
} Sheet;

/* Noise in [0, 1), the same everywhere. */
static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static void place_point(Shape shape, int n, int i, int k, uint64_t *seed, double x[3]) {
  const bool inside = i > 0 && k > 0 && i < n && k < n;
  const double angle = 2 * 3.14159265358979323846 * i / n;
  sofa_vec3_set(x, i, k, 0);
  if (shape == TUBE) sofa_vec3_set(x, cos(angle), sin(angle), 0.5 * k);
  if (shape == HILL) x[2] = 2 * exp(-0.3 * (pow(i - 0.5 * n, 2) + pow(k - 0.5 * n, 2)));
  if (shape == ROUGH && inside)
    for (int c = 0; c < 2; c++) x[c] += 0.6 * (noise(seed) - 0.5);
}

/* n x n squares of two triangles; a tube is closed in the first direction; a corner lacks the
 * upper right quarter. */
static void sheet_text(Shape shape, int n, SofaContext *ctx, SofaText *text) {
  uint64_t seed = 7;
  const int columns = shape == TUBE ? n : n + 1;
  sofa_text_printf(ctx, text, "position='");
  for (int k = 0; k <= n; k++)
    for (int i = 0; i < columns; i++) {
      double x[3];
      place_point(shape, n, i, k, &seed, x);
      sofa_text_printf(ctx, text, "%.17g %.17g %.17g ", x[0], x[1], x[2]);
    }
  sofa_text_printf(ctx, text, "' triangles='");
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      const int a = k * columns + i, b = k * columns + (i + 1) % columns;
      const int c = a + columns, d = b + columns;
      if (shape == CORNER && 2 * i >= n && 2 * k >= n) continue;
      sofa_text_printf(ctx, text, "%d %d %d %d %d %d ", a, b, d, a, d, c);
    }
  sofa_text_printf(ctx, text, "'");
}

/* parts: further components on the sheet. */
static void sheet_open(Sheet *s, Shape shape, int n, const char *parts) {
  SofaContext *ctx = NULL;
  SofaText text = {0};
  assert_int_equal(sofa_context_create(&(SofaContextOptions){0}, &ctx), SOFA_OK);
  sofa_text_printf(ctx, &text,
                   "<Node name='root' dt='0.01' gravity='0 0 -9.81'><DefaultAnimationLoop/>"
                   "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver/>"
                   "<CGLinearSolver iterations='200' tolerance='1e-12' threshold='1e-12'/>"
                   "<TriangleSetTopologyContainer name='mesh' ");
  sheet_text(shape, n, ctx, &text);
  sofa_text_printf(ctx, &text,
                   "/><TriangleSetTopologyModifier name='modifier'/>"
                   "<MechanicalObject name='state'/>%s</Node></Node>",
                   parts);
  memset(s, 0, sizeof *s);
  scene_run_open(&s->run, text.data, NULL);
  sofa_list_free(ctx, &text);
  sofa_context_destroy(&ctx);
  s->mesh = (SofaTopology *)scene_run_object(&s->run, "/body/mesh");
  s->state = scene_run_state(&s->run, "/body/state");
}

/* ---- measures ---- */

typedef struct Measure {
  double area, least; /* of all triangles, of the smallest one */
  int euler, parts, borders, border_edges;
} Measure;

static uint32_t root_of(uint32_t *up, uint32_t i) {
  while (up[i] != i) i = up[i];
  return i;
}

static double area_of(const double *x, const uint32_t *v) {
  double u[3], w[3], n[3];
  sofa_vec3_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], u);
  sofa_vec3_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], w);
  sofa_vec3_cross(u, w, n);
  return 0.5 * sofa_vec3_norm(n);
}

/* Looks at the surface from its triangles alone; x: 3 reals per point. */
static Measure measure(Sheet *s, const double *x) {
  const SofaTriangles *t = &s->mesh->mesh.triangles;
  const size_t n = s->state->position.n;
  uint32_t *up = calloc(n, sizeof *up), *border = calloc(n, sizeof *border);
  bool *used = calloc(n, sizeof *used), *at_border = calloc(n, sizeof *at_border);
  Measure m = {.least = INFINITY};
  int edges2 = 0, points = 0;
  assert_true(up && border && used && at_border);
  for (uint32_t i = 0; i < n; i++) up[i] = border[i] = i;
  for (size_t i = 0; i < t->n; i++) {
    const uint32_t *v = t->data[i].v;
    const double area = area_of(x, v);
    m.area += area;
    m.least = fmin(m.least, area);
    for (int k = 0; k < 3; k++) {
      const uint32_t a = v[k], b = v[(k + 1) % 3];
      int same = 0, opposite = 0;
      assert_true(a < n);
      used[a] = true;
      up[root_of(up, a)] = root_of(up, b);
      for (size_t j = 0; j < t->n; j++)
        for (int c = 0; c < 3; c++) {
          const uint32_t p = t->data[j].v[c], q = t->data[j].v[(c + 1) % 3];
          same += p == a && q == b;
          opposite += p == b && q == a;
        }
      // neighbours agree on what is above
      assert_int_equal(same, 1);
      assert_true(opposite <= 1);
      edges2 += opposite ? 1 : 2;
      if (opposite) continue;
      m.border_edges++;
      at_border[a] = at_border[b] = true;
      border[root_of(border, a)] = root_of(border, b);
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    points += used[i];
    m.parts += used[i] && root_of(up, i) == i;
    m.borders += at_border[i] && root_of(border, i) == i;
  }
  m.euler = points - edges2 / 2 + (int)t->n;
  assert_int_equal(s->mesh->mesh.edges.n, edges2 / 2);
  assert_int_equal(s->mesh->n_points, n);
  assert_int_equal(points, n);
  free(up);
  free(border);
  free(used);
  free(at_border);
  return m;
}

/* ---- cutting ---- */

static SofaErr cut(Sheet *s, const SofaSurfacePlace *places, size_t n, const double snap[2],
                   SofaIncisionResult *result) {
  SofaTopologyEdit edit;
  const SofaIncision incision = {.topology = s->mesh,
                                 .state = s->state,
                                 .places = places,
                                 .n = n,
                                 .snap_path = snap[0],
                                 .snap_end = snap[1],
                                 .caller = &s->mesh->object};
  assert_int_equal(sofa_topology_edit_begin(s->run.simulation->root, &edit), SOFA_OK);
  const SofaErr err = sofa_incise(&edit, &incision, result);
  assert_int_equal(sofa_topology_edit_end(&edit, err != SOFA_OK), SOFA_OK);
  return err;
}

static const double snaps[2] = {0.1, 0.25};

/* Through points, 3 coordinates each. */
static SofaErr cut_along(Sheet *s, const double *path, size_t n, const double snap[2],
                         SofaIncisionResult *result) {
  SofaSurfacePlace places[16];
  SofaSurfaceNearest nearest;
  for (size_t i = 0; i < n; i++) {
    assert_int_not_equal(sofa_surface_nearest(s->state->position.data, s->state->position.n,
                                              &s->mesh->mesh.triangles, path + 3 * i,
                                              path + 3 * (i ? i - 1 : 1), &nearest),
                         SOFA_FOOT_NONE);
    places[i] = nearest.place;
  }
  return cut(s, places, n, snap, result);
}

typedef struct Case {
  const char *what;
  Shape shape;
  size_t n;
  double path[18];
  int euler, parts, borders;
} Case;

static const Case cases[] = {
    {"inside", FLAT, 2, {1.3, 2.6, 0, 4.4, 3.3, 0}, 0, 1, 2},
    {"inside, in one triangle", FLAT, 2, {2.55, 2.3, 0, 2.75, 2.5, 0}, 0, 1, 2},
    {"from the border", FLAT, 2, {0, 2.6, 0, 4.4, 3.3, 0}, 1, 1, 1},
    {"to the border", FLAT, 2, {4.4, 3.3, 0, 6, 2.6, 0}, 1, 1, 1},
    {"through and through", FLAT, 2, {0, 2.4, 0, 6, 3.7, 0}, 2, 2, 2},
    {"along edges", FLAT, 2, {2, 3, 0, 5, 3, 0}, 0, 1, 2},
    {"along diagonals", FLAT, 2, {1, 1, 0, 4, 4, 0}, 0, 1, 2},
    {"through vertices", FLAT, 2, {1, 1, 0, 3, 5, 0}, 0, 1, 2},
    {"one edge", FLAT, 2, {2, 3, 0, 3, 3, 0}, 0, 1, 2},
    {"one edge from the border", FLAT, 2, {0, 3, 0, 1, 3, 0}, 1, 1, 1},
    {"a corner of the sheet", FLAT, 2, {2.4, 0, 0, 0, 3.5, 0}, 2, 2, 2},
    {"with corners", FLAT, 4, {1, 1.5, 0, 4.5, 1.4, 0, 4.4, 4.6, 0, 1.5, 4.5, 0}, 0, 1, 2},
    {"a patch", FLAT, 4, {1.4, 1.4, 0, 4.6, 1.5, 0, 2.5, 4.4, 0, 1.4, 1.4, 0}, 1, 2, 3},
    {"over itself", FLAT, 4, {1, 1.3, 0, 5, 4.6, 0, 5, 1.4, 0, 1, 4.4, 0}, 1, 2, 3},
    {"there and back", FLAT, 3, {1.2, 1.3, 0, 4.6, 4.4, 0, 1.2, 1.3, 0}, 0, 1, 2},
    {"around a tube's side", TUBE, 2, {1, 0.1, 1, 0, 1, 1.6}, -1, 1, 3},
    {"along a tube", TUBE, 2, {1, 0.1, 0, 0.95, 0.2, 3}, 1, 1, 1},
    {"over a hill", HILL, 2, {1.4, 2.7, 0.5, 4.8, 3.4, 0.5}, 0, 1, 2},
    {"a hill in two", HILL, 3, {0, 2.7, 0, 3, 3, 2, 6, 3.4, 0}, 2, 2, 2},
    {"rough", ROUGH, 3, {1.6, 1.7, 0, 3.1, 4.4, 0, 4.5, 1.6, 0}, 0, 1, 2},
};

static void is_cut_as_by_scissors(void **state) {
  (void)state;
  static const double all_snaps[][2] = {{0.1, 0.25}, {0, 0}, {0.1, 0.5}, {0.5, 0.5}, {0.01, 0.01}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof all_snaps / sizeof *all_snaps; k++) {
      const Case *c = &cases[i];
      Sheet s;
      SofaIncisionResult result;
      // what is smaller than what is met exactly is another matter
      if (i == 1 && k >= 2 && k <= 3) continue;
      sheet_open(&s, c->shape, 6, "<DiagonalMass massDensity='3'/>");
      const Measure before = measure(&s, s.state->position.data);
      if (cut_along(&s, c->path, c->n, all_snaps[k], &result) != SOFA_OK)
        fail_msg("%s, snaps %zu: %s", c->what, k, s.run.last);
      const Measure m = measure(&s, s.state->position.data);
      if (m.euler != c->euler || m.parts != c->parts || m.borders != c->borders)
        fail_msg("%s, snaps %zu: %d points - edges + triangles, %d parts, %d borders", c->what, k,
                 m.euler, m.parts, m.borders);
      assert_true(fabs(m.area - before.area) < 1e-12 * before.area);
      assert_true(m.least > 1e-8 * before.least);
      if (k == 0) assert_true(m.least > 1e-3 * before.least);
      // both sides of every edge are borders now,
      // but for edges of the former border that an end was put on
      const int more = m.border_edges - before.border_edges - 2 * (int)result.edges;
      if (more < 0 || more > 2)
        fail_msg("%s, snaps %zu: %d edges of borders, before %d, cut %zu", c->what, k,
                 m.border_edges, before.border_edges, result.edges);
      assert_true(result.doubled > 0 && result.first < s.state->position.n &&
                  result.last < s.state->position.n);
      SofaMass *mass = (SofaMass *)scene_run_object(&s.run, "/body/DiagonalMass1");
      assert_true(fabs(sofa_mass_ops(mass)->total_mass(mass) - 3 * before.area) <
                  1e-11 * before.area);
      scene_run_close(&s.run);
    }
}

/* What is known of a state before a refusal. */
typedef struct Kept {
  size_t n, triangles, edges;
  double x[1000];
} Kept;

static void keep(const Sheet *s, Kept *k) {
  *k = (Kept){.n = s->state->position.n,
              .triangles = s->mesh->mesh.triangles.n,
              .edges = s->mesh->mesh.edges.n};
  memcpy(k->x, s->state->position.data, 3 * (k->n < 333 ? k->n : 333) * sizeof *k->x);
}

static void is_kept(const Sheet *s, const Kept *before) {
  static Kept now;
  keep(s, &now);
  assert_memory_equal(&now, before, sizeof now);
}

/* Cut after cut, anywhere: a flat sheet without handles has 2 parts - borders = points - edges +
 * triangles. */
static void many_cuts(void **state) {
  (void)state;
  static Kept before;
  uint64_t seed = 3;
  int done = 0;
  for (int round = 0; round < 25; round++) {
    Sheet s;
    sheet_open(&s, ROUGH, 6, "");
    s.run.quiet = true;
    const double area = measure(&s, s.state->position.data).area;
    for (int i = 0; i < 12; i++) {
      SofaIncisionResult result;
      double path[6] = {0};
      for (int k = 0; k < 6; k++)
        if (k % 3 < 2) path[k] = 6 * noise(&seed);
      const double *snap = i % 3 ? snaps : (const double[]){0.02, 0.02};
      keep(&s, &before);
      if (cut_along(&s, path, 2, snap, &result) != SOFA_OK) {
        is_kept(&s, &before);
        continue;
      }
      done++;
      const Measure m = measure(&s, s.state->position.data);
      assert_true(fabs(m.area - area) < 1e-12 * area);
      assert_true(m.least > 0);
      // borders that only touch in a point count as one here
      assert_true(m.euler <= 2 * m.parts - m.borders);
      for (size_t t = 0; t < s.mesh->mesh.triangles.n; t++) {
        double u[3], w[3], normal[3];
        const double *x = s.state->position.data;
        const uint32_t *v = s.mesh->mesh.triangles.data[t].v;
        sofa_vec3_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], u);
        sofa_vec3_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], w);
        sofa_vec3_cross(u, w, normal);
        assert_true(normal[2] > 0);
      }
    }
    scene_run_close(&s.run);
  }
  assert_true(done > 100);
}

/* An incision that begins where the last one ended lets the surface fall apart. */
static void goes_on(void **state) {
  (void)state;
  Sheet s;
  SofaIncisionResult result;
  sheet_open(&s, FLAT, 6, "");
  static const double legs[][6] = {
      {0, 2.3, 0, 2.4, 2.6, 0}, {2.4, 2.6, 0, 4.3, 3.1, 0}, {4.3, 3.1, 0, 6, 3.3, 0}};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(cut_along(&s, legs[i], 2, snaps, &result), SOFA_OK);
    const Measure m = measure(&s, s.state->position.data);
    assert_int_equal(m.parts, i < 2 ? 1 : 2);
  }
  scene_run_close(&s.run);
}

/* ---- what moves along ---- */

/* The state is a linear function of the place at rest: so are the new points. */
static void points_are_interpolated(void **state) {
  (void)state;
  Sheet s;
  SofaIncisionResult result;
  sheet_open(&s, ROUGH, 6, "");
  for (size_t i = 0; i < s.state->position.n; i++) {
    double *x = s.state->position.data + 3 * i, *v = s.state->velocity.data + 3 * i;
    const double *r = s.state->rest_position.data + 3 * i;
    sofa_vec3_set(x, 2 * r[0] + r[1], r[1] - 0.3 * r[0], 0.2 * r[0] + 1);
    sofa_vec3_set(v, r[0], 1 - r[1], 3 * r[0] + r[1]);
  }
  const double path[] = {3.5, 0.8, 1.2, 11, 2, 1.6};
  const size_t n = s.state->position.n;
  assert_int_equal(cut_along(&s, path, 2, snaps, &result), SOFA_OK);
  assert_true(s.state->position.n > n + result.doubled);
  for (size_t i = n; i < s.state->position.n; i++) {
    const double *x = s.state->position.data + 3 * i, *v = s.state->velocity.data + 3 * i;
    const double *r = s.state->rest_position.data + 3 * i;
    const double expected[6] = {2 * r[0] + r[1], r[1] - 0.3 * r[0], 0.2 * r[0] + 1, r[0],
                                1 - r[1],        3 * r[0] + r[1]};
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(x[k] - expected[k]) < 1e-12);
      assert_true(fabs(v[k] - expected[3 + k]) < 1e-12);
    }
  }
  measure(&s, s.state->rest_position.data);
  scene_run_close(&s.run);
}

static double total_mass(Sheet *s, const char *path) {
  SofaMass *mass = (SofaMass *)scene_run_object(&s->run, path);
  return sofa_mass_ops(mass)->total_mass(mass);
}

/* Masses, elements, springs, constraints, loads, mapped and drawn points follow; at rest the cut
 * body is at rest, and a straight pull is one after the cut. */
static void body_follows(void **state) {
  (void)state;
  static const char *const masses[] = {
      "<DiagonalMass name='mass' massDensity='3'/>",
      "<MeshMatrixMass name='mass' massDensity='3'/>",
      "<UniformMass name='mass' totalMass='108' preserveTotalMass='1'/>"};
  static const char *const elements[] = {
      "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3' method='large'/>",
      "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3' method='small'/>",
      "<TriangularFEMForceFieldOptim youngModulus='300' poissonRatio='0.3'/>",
      "<TriangleFEMForceField youngModulus='300' poissonRatio='0.3'/>"};
  for (size_t i = 0; i < 12; i++) {
    Sheet s;
    SofaIncisionResult result;
    char parts[3000];
    snprintf(parts, sizeof parts,
             "%s%s<TriangularBendingSprings stiffness='10'/><FastTriangularBendingSprings "
             "bendingStiffness='1'/><FixedProjectiveConstraint indices='0 6 42 48'/>"
             "<ConstantForceField indices='24' forces='0 0 2'/>"
             "<Node name='rim'><EdgeSetTopologyContainer name='edges'/>"
             "<EdgeSetTopologyModifier name='modifier'/><Triangle2EdgeTopologicalMapping "
             "input='@../mesh' output='@edges'/><MeshSpringForceField linesStiffness='10'/></Node>"
             "<Node name='copy'><MechanicalObject name='points'/><IdentityMapping/></Node>"
             "<Node name='marks'><MechanicalObject name='points' position='1.3 2.2 0 4.6 3.1 0'/>"
             "<UniformMass vertexMass='0.1'/><BarycentricMapping/></Node>"
             "<Node name='look'><OglModel name='points'/><IdentityMapping input='@../state' "
             "output='@points'/></Node>",
             masses[i % 3], elements[i % 4]);
    sheet_open(&s, FLAT, 6, parts);
    SofaTopology *rim = (SofaTopology *)scene_run_object(&s.run, "/body/rim/edges");
    assert_int_equal(rim->mesh.edges.n, 24);
    assert_true(fabs(total_mass(&s, "/body/mass") - 108) < 1e-10);
    scene_run_steps(&s.run, 3);
    const double path[] = {1.2, 2.2, 0, 4.7, 3.4, 0};
    assert_int_equal(cut_along(&s, path, 2, snaps, &result), SOFA_OK);
    if (!(fabs(total_mass(&s, "/body/mass") - 108) < 1e-10))
      fail_msg("%s: %.15g kg", masses[i % 3], total_mass(&s, "/body/mass"));
    assert_int_equal(rim->mesh.edges.n, 24 + 2 * result.edges);
    const size_t n = s.state->position.n;
    assert_int_equal(scene_run_state(&s.run, "/body/copy/points")->position.n, n);
    assert_int_equal(scene_run_state(&s.run, "/body/marks/points")->position.n, 2);
    scene_run_steps(&s.run, 30);
    for (size_t k = 0; k < 3 * n; k++) assert_true(isfinite(s.state->position.data[k]));
    // the lips of the cut are not where the other is
    double apart = 0;
    for (size_t a = 49; a < n; a++)
      for (size_t b = 0; b < a; b++)
        if (sofa_vec3_distance(s.state->rest_position.data + 3 * a,
                               s.state->rest_position.data + 3 * b) < 1e-9)
          apart = fmax(apart, sofa_vec3_distance(s.state->position.data + 3 * a,
                                                 s.state->position.data + 3 * b));
    assert_true(apart > 1e-3);
    assert_int_equal(s.run.n_problems, 0);
    scene_run_close(&s.run);
  }
}

/* Forces of a stretched sheet do not change when it is cut along the pull: the elements that come
 * have the rest shape of those that went. */
static void rest_shape_stays(void **state) {
  (void)state;
  static const char *const elements[] = {"TriangularFEMForceField method='large'",
                                         "TriangularFEMForceField method='small'",
                                         "TriangularFEMForceFieldOptim", "TriangleFEMForceField"};
  for (size_t i = 0; i < 4; i++) {
    Sheet s;
    SofaIncisionResult result;
    char parts[600];
    double energy[2], kinetic;
    snprintf(parts, sizeof parts,
             "<UniformMass totalMass='1'/><%s youngModulus='300' poissonRatio='0.3'/>",
             elements[i]);
    sheet_open(&s, ROUGH, 6, parts);
    sofa_vec3_set(s.run.simulation->root->gravity.v, 0, 0, 0);
    sofa_vec3_set(((SofaNode *)scene_run_object(&s.run, "/body/state")->node)->gravity.v, 0, 0, 0);
    for (size_t k = 0; k < s.state->position.n; k++) {
      double *x = s.state->position.data + 3 * k;
      sofa_vec3_set(x, -1.3 * x[1], 1.3 * x[0], 0);
    }
    sofa_state_touch(s.state);
    assert_int_equal(sofa_simulation_energies(s.run.simulation, &kinetic, &energy[0]), SOFA_OK);
    const double path[] = {-2.2, 1.7, 0, -3.4, 6.2, 0};
    assert_int_equal(cut_along(&s, path, 2, snaps, &result), SOFA_OK);
    assert_int_equal(sofa_simulation_energies(s.run.simulation, &kinetic, &energy[1]), SOFA_OK);
    assert_true(energy[0] > 1); // it is stretched
    if (!(fabs(energy[1] - energy[0]) < 1e-9 * energy[0]))
      fail_msg("%s: energy %.12g, then %.12g", elements[i], energy[0], energy[1]);
    scene_run_close(&s.run);
  }
}

/* What was given triangle by triangle goes on to their parts: stiffness, poisson ratio, loads. */
static void values_stay(void **state) {
  (void)state;
  static const char *const elements[] = {"TriangularFEMForceField", "TriangularFEMForceFieldOptim",
                                         "TriangleFEMForceField"};
  static const char *const loads[] = {
      "TrianglePressureForceField triangleList='%s' pressure='0 0 2'",
      "SurfacePressureForceField triangleIndices='%s' pressure='2'",
      ("SurfacePressureForceField min='-1 -1 -1' max='3.5 8 1' "
       "pressure='2' name='%.2s'")};
  for (int i = 0; i < 3; i++) {
    Sheet s;
    SofaIncisionResult result;
    double force[2] = {0, 0}, energy[2], kinetic;
    char parts[3000], values[600] = "", half[400] = "";
    for (int t = 0; t < 72; t++) {
      snprintf(values + strlen(values), sizeof values - strlen(values), "%d ",
               t % 12 < 6 ? 10 : 500);
      if (t % 12 < 6) snprintf(half + strlen(half), sizeof half - strlen(half), "%d ", t);
    }
    char load[600];
    snprintf(load, sizeof load, loads[i], half);
    snprintf(parts, sizeof parts,
             "<DiagonalMass massDensity='1'/><%s youngModulus='%s' poissonRatio='0.3'/><%s/>",
             elements[i], values, load);
    sheet_open(&s, FLAT, 6, parts);
    for (size_t k = 0; k < s.state->position.n; k++) {
      double *x = s.state->position.data + 3 * k;
      sofa_vec3_set(x, 1.3 * x[0], 1.3 * x[1], 0);
    }
    sofa_state_touch(s.state);
    assert_int_equal(sofa_simulation_energies(s.run.simulation, &kinetic, &energy[0]), SOFA_OK);
    const double path[] = {1.2, 1.7, 0, 6.4, 5.8, 0};
    for (int cuts = 0; cuts < 2; cuts++) {
      if (cuts) {
        assert_int_equal(cut_along(&s, path, 2, snaps, &result), SOFA_OK);
        assert_int_equal(sofa_simulation_energies(s.run.simulation, &kinetic, &energy[1]), SOFA_OK);
      }
      SofaForceField *ff =
          (SofaForceField *)s.state->object.node->objects.data[s.state->object.node->objects.n - 1];
      for (size_t o = 0; o < s.state->object.node->objects.n; o++) {
        SofaObject *object = s.state->object.node->objects.data[o];
        if (strstr(object->klass->name, "Pressure")) ff = (SofaForceField *)object;
      }
      const size_t n = 3 * s.state->position.n;
      double *f = calloc(n, sizeof *f);
      assert_non_null(f);
      const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
      assert_int_equal(ff_force(ff, &params, s.state->position.data, s.state->velocity.data, f),
                       SOFA_OK);
      for (size_t k = 2; k < n; k += 3) force[cuts] += f[k];
      free(f);
    }
    if (!(fabs(energy[1] - energy[0]) < 1e-9 * energy[0]))
      fail_msg("%s: energy %.12g, then %.12g", elements[i], energy[0], energy[1]);
    assert_true(fabs(force[0]) > 1);
    if (!(fabs(force[1] - force[0]) < 1e-9 * fabs(force[0])))
      fail_msg("%s: force %.12g, then %.12g", loads[i], force[0], force[1]);
    scene_run_close(&s.run);
  }
}

/* ---- refusals ---- */

typedef struct Refusal {
  Shape shape;
  size_t n;
  double path[9];
  const char *expected;
} Refusal;

static const Refusal refusals[] = {
    {FLAT, 1, {1, 1, 0}, "needs 2 points at least, it has 1"},
    {FLAT, 2, {2.02, 2.03, 0, 2.02, 2.03, 0}, "has no length"},
    {FLAT, 2, {2.02, 2.03, 0, 2.05, 2.01, 0}, "has no length"},
    {FLAT, 2, {0, 1, 0, 0, 4, 0}, "does not open anything: its path follows a border"},
    {CORNER, 2, {1.4, 5.6, 0, 5.6, 1.4, 0}, "leaves the surface over a border or a former cut"},
    {CORNER, 3, {1, 1, 0, 1.4, 5.6, 0, 5.6, 1.4, 0}, "from point 1 to point 2 leaves the surface"},
};

static void refuses(void **state) {
  (void)state;
  static Kept before;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const Refusal *r = &refusals[i];
    Sheet s;
    SofaIncisionResult result;
    sheet_open(&s, r->shape, 6, "");
    s.run.quiet = true;
    keep(&s, &before);
    if (cut_along(&s, r->path, r->n, snaps, &result) == SOFA_OK)
      fail_msg("expected '%s', but it was cut", r->expected);
    if (!strstr(s.run.last, r->expected))
      fail_msg("expected '%s', found: %s", r->expected, s.run.last);
    is_kept(&s, &before);
    scene_run_close(&s.run);
  }
}

static void refuses_to_cross_a_cut(void **state) {
  (void)state;
  static Kept before;
  Sheet s;
  SofaIncisionResult result;
  sheet_open(&s, FLAT, 6, "");
  s.run.quiet = true;
  const double first[] = {1, 2.5, 0, 5, 2.4, 0}, second[] = {3, 1, 0, 3.3, 5, 0};
  assert_int_equal(cut_along(&s, first, 2, snaps, &result), SOFA_OK);
  keep(&s, &before);
  assert_int_not_equal(cut_along(&s, second, 2, snaps, &result), SOFA_OK);
  assert_non_null(strstr(s.run.last, "leaves the surface over a border or a former cut"));
  is_kept(&s, &before);
  scene_run_close(&s.run);
}

static void refuses_bad_places(void **state) {
  (void)state;
  static const struct {
    SofaSurfacePlace place;
    const char *expected;
  } bad[] = {{{72, {1, 0, 0}}, "point 1 of the incision is in triangle 72: there are 72"},
             {{3, {1.5, -0.5, 0}}, "point 1 of the incision is outside of its triangle 3"},
             {{3, {0.5, 0.1, 0}}, "outside of its triangle"},
             {{3, {NAN, 0, 0}}, "outside of its triangle"}};
  Sheet s;
  sheet_open(&s, FLAT, 6, "");
  s.run.quiet = true;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    SofaIncisionResult result;
    const SofaSurfacePlace places[2] = {{20, {0.3, 0.3, 0.4}}, bad[i].place};
    assert_int_not_equal(cut(&s, places, 2, snaps, &result), SOFA_OK);
    if (!strstr(s.run.last, bad[i].expected))
      fail_msg("expected '%s', found: %s", bad[i].expected, s.run.last);
  }
  s.state->position.data[7] = NAN;
  SofaIncisionResult result;
  const SofaSurfacePlace places[2] = {{20, {0.3, 0.3, 0.4}}, {50, {0.3, 0.3, 0.4}}};
  assert_int_not_equal(cut(&s, places, 2, snaps, &result), SOFA_OK);
  assert_non_null(strstr(s.run.last, "point 2 is at no finite place"));
  scene_run_close(&s.run);
}

/* What cannot be cut: other topologies, surfaces of something else, other states. */
static void refuses_bad_bodies(void **state) {
  (void)state;
  static const struct {
    const char *mesh, *expected;
  } bad[] = {
      {"<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 1 3 2'/>"
       "<MechanicalObject name='state'/>",
       "expected a TriangleSetTopologyContainer with a TriangleSetTopologyModifier in the same "
       "node"},
      {"<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 "
       "1 2 1 3 2'/><MechanicalObject name='state'/>",
       "expected a TriangleSetTopologyContainer with a TriangleSetTopologyModifier in the same "
       "node"},
      {"<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 "
       "1 2 1 3 2'/><TriangleSetTopologyModifier/><MechanicalObject name='state' "
       "template='Rigid3d' position='0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1'/>",
       "there is no mechanical state Vec3d"},
      {"<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' "
       "tetrahedra='0 1 2 3'/><TetrahedronSetTopologyModifier/><MechanicalObject name='state'/>",
       "expected a TriangleSetTopologyContainer with a TriangleSetTopologyModifier in the same "
       "node"},
      {"<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 "
       "1 2 1 3 2'/><TriangleSetTopologyModifier/><MechanicalObject name='state' "
       "position='0 0 0 1 0 0 0 1 0 1 1 0 2 2 2'/>",
       "it has 4 points, the state 'state' has 5"},
      {"<Node name='up'><QuadSetTopologyContainer name='quads' position='0 0 0 1 0 0 1 1 0 0 1 0' "
       "quads='0 1 2 3'/><QuadSetTopologyModifier/><MechanicalObject name='s'/></Node>"
       "<TriangleSetTopologyContainer name='mesh'/><TriangleSetTopologyModifier/>"
       "<Quad2TriangleTopologicalMapping input='@up/quads' output='@mesh'/>"
       "<MechanicalObject name='state' position='0 0 0 1 0 0 1 1 0 0 1 0'/>",
       "its triangles are made by the Quad2TriangleTopologicalMapping"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    Sheet s = {.run = {.quiet = true}};
    char text[2000];
    SofaIncisionResult result;
    snprintf(text, sizeof text, "<Node name='root'><DefaultAnimationLoop/>%s</Node>", bad[i].mesh);
    scene_run_open(&s.run, text, NULL);
    s.run.quiet = true;
    s.mesh = (SofaTopology *)scene_run_object(&s.run, "/mesh");
    s.state = scene_run_state(&s.run, "/state");
    const SofaSurfacePlace places[2] = {{0, {0.3, 0.3, 0.4}}, {1, {0.3, 0.3, 0.4}}};
    assert_int_not_equal(cut(&s, places, 2, snaps, &result), SOFA_OK);
    if (!strstr(s.run.last, bad[i].expected))
      fail_msg("expected '%s', found: %s", bad[i].expected, s.run.last);
    scene_run_close(&s.run);
  }
}

/* ---- places ---- */

static void finds_places(void **state) {
  (void)state;
  static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  SofaTriangle both[] = {{{0, 1, 2}}, {{0, 2, 3}}};
  const SofaTriangles t = {both, 2, 2};
  static const struct {
    double p[3], towards[3];
    SofaSurfaceFoot foot;
    uint32_t triangle;
    double distance, weights[3];
  } all[] = {
      {{0.75, 0.25, 2}, {0, 0, 0}, SOFA_FOOT_INSIDE, 0, 2, {0.25, 0.5, 0.25}},
      {{0.5, 0.5, 0}, {1, 0, 0}, SOFA_FOOT_INSIDE, 0, 0, {0.5, 0, 0.5}},
      {{0.5, 0.5, 0}, {0, 1, 0}, SOFA_FOOT_INSIDE, 1, 0, {0.5, 0.5, 0}},
      {{-3, 0.5, 0}, {0, 0, 0}, SOFA_FOOT_BORDER, 1, 3, {0.5, 0, 0.5}},
      {{2, 2, 0}, {0, 0.5, 0}, SOFA_FOOT_BORDER, 1, 1.4142135623730951, {0, 1, 0}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    SofaSurfaceNearest nearest;
    assert_int_equal(sofa_surface_nearest(x, 4, &t, all[i].p, all[i].towards, &nearest),
                     all[i].foot);
    assert_int_equal(nearest.place.triangle, all[i].triangle);
    assert_true(fabs(nearest.distance - all[i].distance) < 1e-12);
    assert_true(fabs(nearest.size - sqrt(2)) < 1e-12);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(nearest.place.weights[k] - all[i].weights[k]) < 1e-12);
  }
  SofaSurfaceNearest nearest;
  const SofaTriangles none = {0};
  assert_int_equal(sofa_surface_nearest(x, 4, &none, x, NULL, &nearest), SOFA_FOOT_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_cut_as_by_scissors),
      cmocka_unit_test(many_cuts),
      cmocka_unit_test(goes_on),
      cmocka_unit_test(points_are_interpolated),
      cmocka_unit_test(body_follows),
      cmocka_unit_test(rest_shape_stays),
      cmocka_unit_test(values_stay),
      cmocka_unit_test(refuses),
      cmocka_unit_test(refuses_to_cross_a_cut),
      cmocka_unit_test(refuses_bad_places),
      cmocka_unit_test(refuses_bad_bodies),
      cmocka_unit_test(finds_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
