/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OscillatingTorsionPressureForceField: the moment about its axis, its shares, and what is at rest
 * in a surface that turns as a whole. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>

#include "math/quaternion.h"
#include "math/vec.h"

enum { MOST = 30 };

typedef struct Surface {
  SceneRun run;
  SofaForceField *ff;
  const double *rest;
  size_t n;
} Surface;

static void open_surface(Surface *s, const char *points, const char *triangles, const char *load) {
  char text[1500];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<MeshTopology position='%s' triangles='%s'/><MechanicalObject name='state'/>"
           "<OscillatingTorsionPressureForceField name='ff' %s/></Node>",
           points, triangles, load);
  scene_run_open(&s->run, text, NULL);
  s->ff = (SofaForceField *)scene_run_object(&s->run, "/ff");
  s->rest = scene_run_state(&s->run, "/state")->position.data;
  s->n = scene_run_state(&s->run, "/state")->position.n;
  assert_true(3 * s->n <= MOST);
}

static void forces(Surface *s, double time, const double *x, double f[MOST]) {
  const SofaMechParams params = {.time = time};
  double *const to[1] = {f};
  FfPoint p;
  ff_point(&p, s->ff, x, NULL);
  p.at.time = time;
  memset(f, 0, MOST * sizeof *f);
  assert_int_equal(sofa_force_field_add_force(s->ff, &params, &p.at, to), SOFA_OK);
  free(p.zeros);
}

/* axis . sum (x - center) x f */
static double moment(const double *axis, const double *center, size_t n, const double *x,
                     const double *f) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double arm[3], turn[3];
    sofa_vec3_sub(x + 3 * i, center, arm);
    sofa_vec3_cross(arm, f + 3 * i, turn);
    sum += sofa_vec3_dot(axis, turn);
  }
  return sum;
}

static void assert_close(const char *what, double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%s: %.15g is not %.15g", what, a, b);
}

static const char points[] = "2 0 0  0 3 1  -2.5 0.5 0  1 -2 0.5  0.3 0.4 5  2 2 -1";
static const char triangles[] = "0 1 2  0 2 3  1 2 4  5 1 0";
static const double axis[3] = {2 / 3., -1 / 3., 2 / 3.}, center[3] = {0.2, 0.1, -0.3};
#define LOAD "triangleList='0 1 2 3' axis='4 -2 4' center='0.2 0.1 -0.3' "

/* x turned about the axis */
static void turn(const Surface *s, double angle, double x[MOST]) {
  double q[4];
  sofa_quat_from_axis_angle(axis, angle, q);
  for (size_t i = 0; i < s->n; i++) {
    double arm[3], to[3];
    sofa_vec3_sub(s->rest + 3 * i, center, arm);
    sofa_quat_rotate(q, arm, to);
    sofa_vec3_add(to, center, x + 3 * i);
  }
}

/* However the surface is bent, the moment of all its forces is M cos(2 pi f t). */
static void the_moment_is_the_one_asked_for(void **state) {
  static const double times[] = {0, 0.1, 1 / 3., 0.5, 0.77, 2e6 + 0.1};
  (void)state;
  Surface s;
  open_surface(&s, points, triangles, LOAD "moment='6' frequency='0.5' penalty='20'");
  for (size_t t = 0; t < sizeof times / sizeof *times; t++)
    for (int bent = 0; bent < 3; bent++) {
      double x[MOST], f[MOST];
      turn(&s, bent == 2 ? -2.1 : 0.4, x);
      for (size_t k = 0; k < 3 * s.n; k++)
        x[k] = bent ? x[k] + 0.2 * sin(7. * (double)k) : s.rest[k];
      forces(&s, times[t], x, f);
      assert_close("the moment", moment(axis, center, s.n, x, f), 6 * cos(M_PI * fmod(times[t], 2)),
                   1e-8);
    }
  scene_run_close(&s.run);
}

/* Without a moment a surface that turned as a whole has no forces, by whatever angle; one that is
 * moved along its axis is pulled back by the penalty on each point. */
static void turned_surfaces_are_at_rest(void **state) {
  (void)state;
  Surface s;
  open_surface(&s, points, triangles, LOAD "moment='0' penalty='20'");
  for (double angle = -3; angle <= 3; angle += 0.75) {
    double x[MOST], f[MOST];
    turn(&s, angle, x);
    forces(&s, 0.3, x, f);
    for (size_t k = 0; k < 3 * s.n; k++) assert_close("a turned surface", f[k], 0, 1e-10);
    for (size_t k = 0; k < 3 * s.n; k++) x[k] += 0.1 * axis[k % 3];
    forces(&s, 0.3, x, f);
    for (size_t k = 0; k < 3 * s.n; k++)
      assert_close("a moved surface", f[k], -20 * 0.1 * axis[k % 3], 1e-10);
  }
  scene_run_close(&s.run);
}

/* The angle is the mean of the points', weighted by their distances: one of 4 points at the
 * distances 1, 1, 1, 3 that turned by 0.3 leaves the others 0.3 * 3 / 6 behind; the springs pull
 * it back and them on. */
static void far_points_count_more(void **state) {
  (void)state;
  Surface s;
  open_surface(&s, "1 0 0  0 1 0  -1 0 0  0 -3 0", "0 1 2  0 2 3",
               "triangleList='0 1' moment='0' penalty='20'");
  double x[MOST], f[MOST];
  memcpy(x, s.rest, 12 * sizeof *x);
  x[9] = 3 * sin(0.3);
  x[10] = -3 * cos(0.3);
  forces(&s, 0, x, f);
  /* radial parts are springs alone: the chord of 0.15 at the distances 1 and 3 */
  assert_close("a point that stayed", f[0], 20 * (cos(0.15) - 1), 1e-12);
  const double radial = f[9] * sin(0.3) - f[10] * cos(0.3);
  assert_close("the point that turned", radial, 60 * (cos(0.15) - 1), 1e-12);
  assert_close("the moment", moment((double[]){0, 0, 1}, (double[3]){0}, 4, x, f), 0, 1e-12);
  scene_run_close(&s.run);
}

/* At rest a share is an area times the cube of a length. Of two triangles of one shape about the
 * axis, the second twice as large, it has 32 of 33 parts of the moment, on arms twice as long;
 * points at equal distances have equal shares; a point on the axis has none. */
static void shares_grow_with_area_and_distance(void **state) {
  (void)state;
  Surface s;
  double f[MOST];
  open_surface(&s, "1 0 0  0 1 0  -1 0 0  2 0 0  0 2 0  -2 0 0  0 0 7", "0 1 2  3 4 5",
               "triangleList='0 1' moment='33'");
  forces(&s, 0, s.rest, f);
  for (int i = 0; i < 3; i++) {
    assert_close("a small arm", hypot(f[3 * i], f[3 * i + 1]), 1 / 3., 1e-12);
    assert_close("a large arm", hypot(f[9 + 3 * i], f[10 + 3 * i]), 32 / 3. / 2, 1e-12);
  }
  assert_close("the direction", f[1], 1 / 3., 1e-12);
  assert_close("the direction", f[3], -1 / 3., 1e-12);
  for (int k = 18; k < 21; k++) assert_close("outside of the triangles", f[k], 0, 0);
  scene_run_close(&s.run);

  /* equal distances, areas 1 to 2 by the height: the ones of the second have 2 of 3 parts */
  open_surface(&s, "1 0 0  0 1 0  -1 0 0  1 0 2  0 1 2  1 0 4", "0 1 3  3 4 5",
               "triangleList='0' moment='3'");
  forces(&s, 0, s.rest, f);
  assert_close("one triangle", f[1], 1, 1e-12);
  assert_close("one triangle", f[10], 1, 1e-12);
  assert_close("one triangle", f[3], -1, 1e-12);
  scene_run_close(&s.run);

  open_surface(&s, "0 0 0  1 0 0  0 1 0", "0 1 2", "triangleList='0' moment='5'");
  forces(&s, 0, s.rest, f);
  for (int k = 0; k < 3; k++) assert_close("on the axis", f[k], 0, 0);
  assert_close("the moment", f[4] - f[6], 5, 1e-12);
  assert_close("equal distances", f[4], -f[6], 1e-12);
  scene_run_close(&s.run);
}

/* Without a list those triangles are turned whose points are between dmin and dmax along the axis,
 * of any length; a bound itself is outside. */
static void a_layer_of_triangles(void **state) {
  static const struct {
    const char *bounds;
    bool low, high;
  } cases[] = {{"dmin='-0.1' dmax='1.1'", true, false},
               {"dmin='0.9' dmax='3.1'", false, true},
               {"dmin='-1' dmax='4'", true, true},
               {"dmin='0' dmax='1'", false, false},
               {"dmin='0.5' dmax='3.5'", false, true}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Surface s;
    double f[MOST];
    char load[200];
    snprintf(load, sizeof load, "moment='3' axis='0 0 5' %s", cases[i].bounds);
    open_surface(&s, "1 0 0  0 1 0  -1 0 1  1 0 1  0 1 2  -1 0 3", "0 1 2  3 4 5", load);
    forces(&s, 0, s.rest, f);
    if ((f[1] != 0) != cases[i].low || (f[10] != 0) != (cases[i].high))
      fail_msg("%s: %g %g", cases[i].bounds, f[1], f[10]);
    scene_run_close(&s.run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_moment_is_the_one_asked_for),
      cmocka_unit_test(turned_surfaces_are_at_rest),
      cmocka_unit_test(far_points_count_more),
      cmocka_unit_test(shares_grow_with_area_and_distance),
      cmocka_unit_test(a_layer_of_triangles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
