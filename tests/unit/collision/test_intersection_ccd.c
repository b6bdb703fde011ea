/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CCDTightInclusionIntersection: elements that pass each other during the step are found. */
#include "numerics/contact/closest.h"
#include "tests/unit/collision/intersection_test.h"

#define P (&sofa_collision_point)
#define L (&sofa_collision_line)
#define T (&sofa_collision_triangle)
#define S (&sofa_collision_sphere)
#define CCD(type, alarm)                                                                           \
  "CCDTightInclusionIntersection continuousCollisionType='" type "' alarmDistance='" alarm         \
  "' contactDistance='0.25'"

/* Elements with velocities and free positions. */
typedef struct Moving {
  Elements e;
  double v[3 * 4], free_x[3 * 4];
} Moving;

static void moving_make(Moving *m, const Method *method, const SofaCollisionKind *kind) {
  elements_make(&m->e, method, kind, 1);
  memset(m->v, 0, sizeof m->v);
  memset(m->free_x, 0, sizeof m->free_x);
  m->e.state.velocity = (SofaCoords){.data = m->v, .n = kind->corners, .width = 3};
  m->e.state.free_position = (SofaCoords){.data = m->free_x, .n = kind->corners, .width = 3};
}
static void moving_set(Moving *m, const double *x, const double *v) {
  elements_set(&m->e, 0, x);
  for (unsigned i = 0; i < 3 * m->e.model.kind->corners; i++) {
    m->v[i] = v[i];
    m->free_x[i] = x[i] + 0.01 * v[i];
  }
}
/* The first detection of a step of 0.01 s; NULL: none. */
static const SofaDetection *find(Method *m, Moving *a, Moving *b) {
  double ends[12];
  (void)m->object->ops->end(m->object, &a->e.state, 0.01, ends);
  assert_true(method_find(m, &a->e.model, &b->e.model));
  assert_in_range(m->found.n, 0, 1);
  return m->found.n ? m->found.data : NULL;
}

static const double triangle[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0}, still[9] = {0};
static const double bullet[3] = {1, 1, 5}, shot[3] = {0, 0, -1000};

static void a_bullet_does_not_pass(void **state) {
  static const struct {
    const char *tag;
    bool found;
  } cases[] = {{CCD("None", "0.5"), false},      {CCD("Inertia", "0.5"), true},
               {CCD("FreeMotion", "0.5"), true}, {CCD("Inertia", "0"), true},
               {CCD("FreeMotion", "0"), true},   {CCD("None", "0"), false}};
  static Moving t, p;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    Method m;
    method_open(&m, cases[i].tag, NULL);
    moving_make(&t, &m, T);
    moving_make(&p, &m, P);
    moving_set(&t, triangle, still);
    moving_set(&p, bullet, shot);
    const SofaDetection *d = find(&m, &t, &p);
    assert_int_equal(d != NULL, cases[i].found);
    if (d) assert_detection(d, (double[]){1, 1, 0, 1, 1, 5, 0, 0, 1, 4.75}, 1e-9);
    moving_set(&p, (double[]){3, 3, 5}, shot); /* past it */
    assert_null(find(&m, &t, &p));
    moving_set(&p, bullet, (double[]){0, 0, -400}); /* not there yet */
    assert_null(find(&m, &t, &p));
    method_close(&m);
  }
}

/* The triangle moves instead, and hits with a corner, an edge: the closest place counts. */
static void borders_hit(void **state) {
  static Moving t, p;
  static const double up[9] = {0, 0, 1000, 0, 0, 1000, 0, 0, 1000};
  Method m;
  (void)state;
  method_open(&m, CCD("Inertia", "0.5"), NULL);
  moving_make(&t, &m, T);
  moving_make(&p, &m, P);
  moving_set(&t, triangle, up);
  moving_set(&p, (double[]){1, -0.3, 5}, still);
  const SofaDetection *d = find(&m, &t, &p);
  assert_non_null(d);
  assert_detection(d, (double[]){1, 0, 0, 1, -0.3, 5, 0, -0.6, 0.8, 0.18 + 4 - 0.25}, 1e-6);
  method_close(&m);
}

static void lines_do_not_pass(void **state) {
  static Moving a, b;
  Method m;
  (void)state;
  for (int alarm = 0; alarm < 2; alarm++) {
    method_open(&m, alarm ? CCD("Inertia", "0.5") : CCD("Inertia", "0"), NULL);
    moving_make(&a, &m, L);
    moving_make(&b, &m, L);
    moving_set(&a, (double[]){-1, 0, 3, 1, 0, 3}, (double[]){0, 0, -700, 0, 0, -700});
    moving_set(&b, (double[]){0, -1, 0, 0, 1, 0}, still);
    const SofaDetection *d = find(&m, &a, &b);
    assert_non_null(d);
    assert_detection(d, (double[]){0, 0, 3, 0, 0, 0, 0, 0, -1, 2.75}, 1e-6);
    d = find(&m, &b, &a);
    assert_non_null(d);
    assert_detection(d, (double[]){0, 0, 0, 0, 0, 3, 0, 0, 1, 2.75}, 1e-6);
    method_close(&m);
  }
}

/* Closer than the alarm distance now. */
static void static_distance(void **state) {
  static const char *const tags[] = {CCD("None", "0.5"), CCD("Inertia", "0.5")};
  static Moving t, p, a, b;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(tags); i++) {
    Method m;
    method_open(&m, tags[i], NULL);
    moving_make(&t, &m, T);
    moving_make(&p, &m, P);
    moving_make(&a, &m, L);
    moving_make(&b, &m, L);
    moving_set(&t, triangle, still);
    moving_set(&p, (double[]){1, 1, -0.375}, (double[]){0, 0, 10});
    assert_detection(find(&m, &t, &p), (double[]){1, 1, 0, 1, 1, -0.375, 0, 0, -1, 0.125}, 1e-12);
    moving_set(&p, (double[]){-0.3, 1, 0}, still);
    assert_detection(find(&m, &t, &p), (double[]){0, 1, 0, -0.3, 1, 0, -1, 0, 0, 0.05}, 1e-12);
    moving_set(&p, (double[]){1, 1, 0.5001}, still);
    assert_null(find(&m, &t, &p));
    moving_set(&p, (double[]){1, 1, 0}, still); /* touching */
    assert_detection(find(&m, &t, &p), (double[]){1, 1, 0, 1, 1, 0, 0, 0, -1, -0.25}, 1e-12);
    moving_set(&a, (double[]){-1, 0, 0.3, 1, 0, 0.3}, still);
    moving_set(&b, (double[]){0, 0.41, 0, 0, 1, 0}, still);
    assert_null(find(&m, &a, &b));
    moving_set(&b, (double[]){0, 0.3, 0, 0, 1, 0}, still);
    assert_detection(find(&m, &a, &b),
                     (double[]){0, 0, 0.3, 0, 0.3, 0, 0, 0.70710678, -0.70710678, 0.17426407},
                     1e-7);
    method_close(&m);
  }
}

/* The last elements of models of several are the moving ones. */
static void each_element_has_its_motion(void **state) {
  static Elements t, p;
  static double still_v[3 * 9], v[3 * 3] = {0, 0, 0, 0, 0, 0, 0, 0, -1000};
  double ends[27];
  Method m;
  (void)state;
  method_open(&m, CCD("Inertia", "0.5"), NULL);
  elements_make(&t, &m, T, 3);
  elements_make(&p, &m, P, 3);
  t.state.velocity = (SofaCoords){.data = still_v, .n = 9, .width = 3};
  p.state.velocity = (SofaCoords){.data = v, .n = 3, .width = 3};
  for (uint32_t i = 0; i < 3; i++) {
    double x[9];
    for (int k = 0; k < 9; k++) x[k] = triangle[k] + (i < 2 ? 20 * (double)(i + 1) : 0);
    elements_set(&t, i, x);
    elements_set(&p, i, bullet);
  }
  (void)m.object->ops->end(m.object, &p.state, 0.01, ends);
  assert_true(method_find(&m, &t.model, &p.model));
  assert_int_equal(m.found.n, 1);
  assert_int_equal(m.found.data[0].element[0], 2);
  assert_int_equal(m.found.data[0].element[1], 2);
  assert_int_equal(m.found.data[0].id, 2);
  /* the triangle comes up instead */
  v[8] = 0;
  for (int k = 0; k < 3; k++) still_v[18 + 3 * k + 2] = 1000;
  assert_true(method_find(&m, &t.model, &p.model));
  assert_int_equal(m.found.n, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(m.found.data[i].element[0], 2);
    assert_int_equal(m.found.data[i].element[1], i);
  }
  method_close(&m);
}

/* ---- random motion against a fine sampling of the time ---- */

enum { SAMPLES = 400 };

static double least_distance(const Moving *a, const Moving *b) {
  const bool is_triangle = a->e.model.kind == T;
  double least = INFINITY;
  for (int s = 0; s <= SAMPLES; s++) {
    const double *x[4];
    double at[4][3];
    SofaClosest c;
    for (unsigned k = 0, n = a->e.model.kind->corners; k < 4; k++) {
      const Moving *of = k < n ? a : b;
      const unsigned i = k < n ? k : k - n;
      for (int d = 0; d < 3; d++)
        at[k][d] = of->e.x[3 * i + (unsigned)d] + 0.01 * s / SAMPLES * of->v[3 * i + (unsigned)d];
      x[k] = at[k];
    }
    if (is_triangle) sofa_closest_point_triangle(x[3], x, &c);
    else sofa_closest_segments(x, x + 2, &c);
    least = fmin(least, sqrt(c.d2));
  }
  return least;
}

static void randomise(Moving *m, uint64_t *seed) {
  double x[12], v[12];
  for (int i = 0; i < 12; i++) {
    x[i] = 2 * random_real(seed);
    v[i] = 300 * random_real(seed);
  }
  moving_set(m, x, v);
}

static void random_motion(void **state) {
  static Moving a, b;
  uint64_t seed = 424242;
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    int n_found = 0, n_none = 0;
    Method m;
    method_open(&m, CCD("Inertia", "0.25"), NULL);
    moving_make(&a, &m, kind ? T : L);
    moving_make(&b, &m, kind ? P : L);
    for (int i = 0; i < 400; i++) {
      randomise(&a, &seed);
      randomise(&b, &seed);
      const double least = least_distance(&a, &b);
      const SofaDetection *d = find(&m, &a, &b);
      if (least < 0.25) assert_non_null(d);
      /* between two samples a corner moves by less than 0.03 relative to the other element */
      if (least > 0.25 + 0.03) assert_null(d);
      n_found += d != NULL;
      n_none += d == NULL;
      if (!d) continue;
      double r[3];
      sofa_vec3_sub(d->point[1], d->point[0], r);
      assert_true(fabs(sofa_vec3_norm(d->normal) - 1) < 1e-12);
      assert_true(fabs(sofa_vec3_dot(r, d->normal) - 0.25 - d->value) < 1e-12);
    }
    assert_true(n_found > 30 && n_none > 50);
    method_close(&m);
  }
}

/* ---- the end of the step ---- */

static void ends_of_the_step(void **state) {
  static Moving p;
  double x_end[3] = {0};
  Method m;
  (void)state;
  method_open(&m, CCD("None", "0.5"), NULL);
  moving_make(&p, &m, P);
  moving_set(&p, bullet, shot);
  assert_false(m.object->ops->end(m.object, &p.e.state, 0.01, x_end));
  method_close(&m);
  method_open(&m, CCD("Inertia", "0.5"), NULL);
  assert_true(m.object->ops->end(m.object, &p.e.state, 0.001, x_end));
  assert_near(x_end, (double[]){1, 1, 4}, 1e-12);
  p.e.state.velocity.n = 0; /* no velocities: it stays where it is */
  assert_false(m.object->ops->end(m.object, &p.e.state, 0.001, x_end));
  method_close(&m);
  method_open(&m, CCD("FreeMotion", "0.5"), NULL);
  assert_true(m.object->ops->end(m.object, &p.e.state, 0.001, x_end));
  assert_near(x_end, (double[]){1, 1, -5}, 1e-12);
  p.e.state.free_position.n = 0;
  assert_false(m.object->ops->end(m.object, &p.e.state, 0.001, x_end));
  method_close(&m);
}

static void quirk_finds_nothing(void **state) {
  static Moving t, p;
  double ends[3];
  Method m;
  (void)state;
  for (int with = 0; with < 2; with++) {
    method_open(&m, CCD("Inertia", "0.5"), with ? "no-continuous-detection" : NULL);
    moving_make(&t, &m, T);
    moving_make(&p, &m, P);
    moving_set(&p, bullet, shot);
    assert_int_equal(method_find(&m, &t.e.model, &p.e.model), !with);
    assert_int_equal(m.object->ops->end(m.object, &p.e.state, 0.01, ends), !with);
    method_close(&m);
  }
}

/* ---- in a pipeline: the boxes hold the motion ---- */

#define SCENE(type)                                                                                \
  "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline/>"                    \
  "<BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse "                                    \
  "response='PenalityContactForceField'/>"                                                         \
  "<CCDTightInclusionIntersection continuousCollisionType='" type                                  \
  "' alarmDistance='0.1' contactDistance='0.05'/>"                                                 \
  "<Node name='floor'><MeshTopology position='0 0 0 4 0 0 0 4 0' triangles='0 1 2'/>"              \
  "<MechanicalObject/><TriangleCollisionModel simulated='0' name='model'/></Node>"                 \
  "<Node name='bullet'><EulerExplicitSolver/><MechanicalObject position='1 1 5' velocity='0 0 "    \
  "-1000'/><UniformMass vertexMass='1'/><PointCollisionModel name='model'/></Node></Node>"

static void a_pipeline_finds_the_bullet(void **state) {
  (void)state;
  for (int continuous = 0; continuous < 2; continuous++) {
    SceneRun run;
    scene_run_open(&run, continuous ? SCENE("Inertia") : SCENE("None"), NULL);
    scene_run_steps(&run, 1);
    const SofaCollisionModel *model =
        (const SofaCollisionModel *)scene_run_object(&run, "/bullet/model");
    assert_int_equal(model->n_contacts, continuous);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bullet_does_not_pass),
      cmocka_unit_test(borders_hit),
      cmocka_unit_test(lines_do_not_pass),
      cmocka_unit_test(static_distance),
      cmocka_unit_test(each_element_has_its_motion),
      cmocka_unit_test(random_motion),
      cmocka_unit_test(ends_of_the_step),
      cmocka_unit_test(quirk_finds_nothing),
      cmocka_unit_test(a_pipeline_finds_the_bullet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
