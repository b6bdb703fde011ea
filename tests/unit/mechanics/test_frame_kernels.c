/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of springs between frames: forces against formulas with the angles of the C library, for
 * every count of springs up to two groups; AVX2 and AVX-512 give the same bits. The conformance
 * suite compares products with differences of forces and with matrices. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "components/solidmechanics/spring/frame_kernels.h"
#include "math/quaternion.h"
#include "tests/unit/mechanics/each_isa.h"

enum { MOST = 2 * SOFA_LANES + 1, FRAMES = MOST + 3 };

/* Frames of two states, a spring of each kind between some of them, and what these gave. */
typedef struct Model {
  double x[2][7 * FRAMES], v[2][6 * FRAMES], f[2][6 * FRAMES], df[2][6 * FRAMES];
  AngularSpring angular[MOST];
  FrameSpring frame[MOST];
  SofaJointSpring joint[MOST];
  GearSpring gear[MOST];
  SofaJointReport joint_report[MOST];
  GearReport gear_report[MOST];
} Model;

static double any(size_t k) {
  return sin(1.7 * (double)(k % 1000) + 0.3 * (double)(k / 1000));
}

/* Rotations of all sizes, among them none, tiny ones and half turns. */
static void quat_of(size_t k, double *q) {
  static const double angles[] = {0, 1e-9, 1e-4, 0.3, 1.5, 2.5, M_PI, 4, 6, 2 * M_PI};
  const double axis[3] = {any(k), any(k + 1), any(k + 2)};
  sofa_quat_from_axis_angle(axis, angles[k % (sizeof angles / sizeof *angles)], q);
}

static void fill_joint(size_t k, SofaJointSpring *s) {
  *s = (SofaJointSpring){.head = {{(uint32_t)k, (uint32_t)(k + 1) % FRAMES}, 0},
                         .translation = {3, 100},
                         .rotation = {2 + any(k), 50},
                         .beyond = 7,
                         .damping = k % 3 ? 0.5 : 0,
                         .rest_t = {0.1, any(k), -0.2}};
  for (size_t i = 0; i < 6; i++) s->free[i] = (double)(k >> i % 3 & 1);
  for (size_t i = 0; i < 3; i++) {
    s->limit[2 * i] = k % 5 ? -1e5 : -0.4;
    s->limit[2 * i + 1] = k % 5 ? 1e5 : 0.3;
    s->constant[i] = any(3 * k + i);
  }
  quat_of(k / 2, s->rest_r);
  sofa_joint_finish(s);
}

static void fill_gear(size_t k, GearSpring *s) {
  const uint32_t own = k % 3 == 0;
  *s = (GearSpring){.head = {{(uint32_t)k, (uint32_t)(own ? k : k + 1), (uint32_t)k + 2,
                              (uint32_t)(k % 2 ? k + 2 : k)},
                             0},
                    .axis = {(double)(k % 3), (double)(k / 3 % 3)},
                    .rotation = {20, 50},
                    .ratio = k % 2 ? 2 : -0.5,
                    .translation = 100,
                    .damping = k % 4 ? 1.5 : 0,
                    .angle = {any(k), 1},
                    .previous = {20 * any(k), 0.4}};
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < 3; i++) s->parent[side][i] = any(k + i);
    quat_of(k + side, s->parent[side] + 3);
  }
}

static void fill(Model *m) {
  memset(m, 0, sizeof *m);
  for (size_t k = 0; k < FRAMES; k++) {
    for (size_t s = 0; s < 2; s++) {
      for (size_t i = 0; i < 3; i++) m->x[s][7 * k + i] = any(10 * k + 3 * s + i);
      quat_of(s ? 3 * k + 1 : k, m->x[s] + 7 * k + 3);
      for (size_t i = 0; i < 6; i++) m->v[s][6 * k + i] = any(20 * k + 7 * s + i);
    }
  }
  for (size_t k = 0; k < MOST; k++) {
    m->angular[k] = (AngularSpring){(uint32_t)k + 1, (uint32_t)k, 3 + any(k), 2};
    m->frame[k] = (FrameSpring){.head = {{(uint32_t)k, (uint32_t)(k + 2)}, 0},
                                .damping = k % 3 ? 0.7 : 0,
                                .arm1 = {any(k), 0.2, 0},
                                .arm2 = {0.1, any(k), -0.3},
                                .kt = 100,
                                .kr = 30};
    fill_joint(k, &m->joint[k]);
    fill_gear(k, &m->gear[k]);
  }
}

static FrameVectors vectors_of(const Model *m, const double **x, const double **v, double **f) {
  for (size_t s = 0; s < 2; s++) {
    x[s] = m->x[s];
    v[s] = m->v[s];
    f[s] = (double *)(uintptr_t)m->f[s];
  }
  return (FrameVectors){x, v, f};
}

/* The kernels of one instruction set. */
typedef struct Kernels {
  const FrameSpringKernels *frames;
  const JointKernels *joints;
  const GearKernels *gears;
} Kernels;

typedef enum Kind { ANGULAR, FRAME, JOINT, GEAR, KINDS } Kind;

/* Forces of n springs of a kind, and their product with v. */
static void run(const Kernels *by, Kind kind, bool quirk, size_t n, Model *m) {
  const double *x[2], *v[2];
  double *f[2], *df[2] = {m->df[0], m->df[1]};
  const FrameVectors at = vectors_of(m, x, v, f);
  const SofaSpringFactors factors = {.k = 0.9, .b = 0.2};
  const JointCall joint = {true, quirk, m->joint_report};
  const GearCall gear = {quirk, true, m->gear_report};
  switch (kind) {
  case ANGULAR:
    by->frames->angular(m->angular, n, quirk, x[0], f[0]);
    break;
  case FRAME:
    by->frames->force(m->frame, n, quirk, &at);
    by->frames->product(m->frame, n, quirk, factors, v, df);
    break;
  case JOINT:
    by->joints->force(m->joint, n, &joint, &at);
    by->joints->product(m->joint, n, factors, v, df);
    break;
  default:
    by->gears->force(m->gear, n, &gear, &at);
    by->gears->product(m->gear, n, factors, v, df);
  }
}

/* ---- formulas ---- */

static void assert_near(const char *what, size_t k, double a, double b, double size) {
  if (!(fabs(a - b) <= 2e-14 * size)) fail_msg("%s of spring %zu: %.17g, not %.17g", what, k, a, b);
}

/* From p to q: in the world, or in p. */
static void between(const double *p, const double *q, bool inside, double *r) {
  double inverse[4];
  sofa_quat_inverse(p, inverse);
  if (inside) sofa_quat_multiply(inverse, q, r);
  else sofa_quat_multiply(q, inverse, r);
}

static void check_angular(const Kernels *by) {
  static Model m;
  for (size_t n = 1; n <= MOST; n++) {
    fill(&m);
    run(by, ANGULAR, false, n, &m);
    for (size_t k = 0; k < FRAMES; k++) {
      double q[4], r[3] = {0, 0, 0};
      if (k > 0 && k <= n) {
        between(m.x[0] + 7 * k - 4, m.x[0] + 7 * k + 3, false, q);
        // half turns have two vectors
        if (fabs(q[3]) < 1e-12) continue;
        sofa_quat_to_rotation_vector(q, r);
        sofa_vec3_scale(-m.angular[k - 1].torque, r, r);
      }
      for (size_t i = 0; i < 3; i++) {
        assert_near("torque", k, m.f[0][6 * k + 3 + i], r[i], 20);
        assert_true(m.f[0][6 * k + i] == 0);
      }
    }
  }
}

/* Force and torque of a joint along the axes of its first frame, without limits. */
static void joint_law(const SofaJointSpring *s, const double *x, double *f) {
  double r[3], m[9];
  int n_free = 0, a = 0;
  sofa_quat_to_rotation_vector(x + 3, r);
  for (int i = 0; i < 3; i++) {
    f[i] = s->translation[s->free[i] != 0 ? 0 : 1] * x[i];
    f[3 + i] = s->rotation[s->free[3 + i] != 0 ? 0 : 1] * r[i];
    if (s->free[3 + i] == 0) continue;
    n_free++;
    a = i;
  }
  if (n_free != 1) return;
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  sofa_quat_to_matrix(x + 3, m);
  const double sine = hypot(m[3 * b + a], m[3 * c + a]), tilt = atan2(sine, m[4 * a]);
  f[3 + b] = -s->rotation[1] * m[3 * c + a] * (sine > 0 ? tilt / sine : 1);
  f[3 + c] = s->rotation[1] * m[3 * b + a] * (sine > 0 ? tilt / sine : 1);
}

static void compare_joint(const Model *m, size_t k) {
  const SofaJointSpring *s = &m->joint[k];
  const SofaJointReport *r = &m->joint_report[k];
  const double *x1 = SOFA_POSE(m->x[0], s->head.points[0]),
               *x2 = SOFA_POSE(m->x[1], s->head.points[1]);
  double x[7], f[6], world[6];
  for (int i = 0; i < 3; i++) x[i] = x2[i] - x1[i] - s->rest_t[i];
  sofa_quat_rotate_inverse(x1 + 3, x, x);
  between(x1 + 3, x2 + 3, true, x + 3);
  sofa_quat_multiply(x + 3, s->rest_r, x + 3);
  if (k % 5 == 0 || fabs(x[6]) < 1e-12) return; // limits: below
  joint_law(s, x, f);
  for (int part = 0; part < 6; part += 3) {
    double sum[3];
    sofa_vec3_add(f + part, s->constant + part, sum);
    sofa_quat_rotate(x1 + 3, sum, world + part);
  }
  for (size_t i = 0; i < 6; i++) {
    const double d =
        SOFA_TWIST(m->v[1], s->head.points[1])[i] - SOFA_TWIST(m->v[0], s->head.points[0])[i];
    assert_near("force in the first frame", k, r->spring[i], f[i], 400);
    assert_near("force", k, r->f[i], world[i] + s->damping * d, 400);
  }
}

static void check_joints(const Kernels *by) {
  static Model m;
  for (size_t n = 1; n <= MOST; n++) {
    double sum[6] = {0}, sums[2][6] = {{0}};
    fill(&m);
    run(by, JOINT, false, n, &m);
    for (size_t k = 0; k < n; k++) {
      compare_joint(&m, k);
      for (size_t i = 0; i < 6; i++) sum[i] += m.joint_report[k].f[i];
    }
    // all forces arrive, and no others
    for (size_t k = 0; k < 6 * FRAMES; k++)
      for (size_t s = 0; s < 2; s++) sums[s][k % 6] += m.f[s][k];
    for (size_t i = 0; i < 6; i++) {
      assert_near("sum on first frames", n, sums[0][i], sum[i], 4000);
      assert_near("sum on second frames", n, sums[1][i], -sum[i], 4000);
    }
  }
}

/* The torque of a joint that is turned about its first axis, which has limits. */
static double torque_at(const Kernels *by, double angle, double low, double high) {
  static Model m;
  fill(&m);
  const double axis[3] = {1, 0, 0};
  SofaJointSpring *s = &m.joint[0];
  *s = (SofaJointSpring){.head = {{0}, 8}, // KS_B is given
                         .rotation = {2, 50},
                         .beyond = 7,
                         .free = {0, 0, 0, 1, 1, 0},
                         .limit = {low, high, -1e5, 1e5, -1e5, 1e5},
                         .rest_r = {0, 0, 0, 1}};
  sofa_joint_finish(s);
  sofa_quat_identity(m.x[0] + 3);
  sofa_quat_from_axis_angle(axis, angle, m.x[1] + 3);
  run(by, JOINT, false, 1, &m);
  return m.joint_report[0].spring[3];
}

/* Within them the plain spring; beyond them KS_B of the excess over the nearer one, by turns. */
static void check_limits(const Kernels *by) {
  assert_near("inside", 0, torque_at(by, 0.25, -0.4, 0.3), 2 * 0.25, 10);
  assert_near("above", 0, torque_at(by, 0.5, -0.4, 0.3), 7 * 0.2, 10);
  assert_near("below", 0, torque_at(by, -0.5, -0.4, 0.3), 7 * -0.1, 10);
  assert_near("half a turn", 0, torque_at(by, 3, -0.4, 0.3), 7 * 2.7, 30);
  assert_near("turned beyond", 0, torque_at(by, 3.1, -0.1, 2), 7 * 1.1, 30);
  // from 3 the limit -3 is nearer the other way round
  assert_near("the other way", 0, torque_at(by, 3, -3.1, 0.5), 7 * (3 + 3.1 - 2 * M_PI), 30);
}

/* Rotation vector from u to v. */
static void turning(const double *u, const double *v, double *r) {
  sofa_vec3_cross(u, v, r);
  const double sine = sofa_vec3_norm(r);
  sofa_vec3_scale(sine > 0 ? atan2(sine, sofa_vec3_dot(u, v)) / sine : 0, r, r);
}
static void axis_vector(const double *pose, int axis, double *v) {
  const double e[3] = {axis == 0, axis == 1, axis == 2};
  sofa_quat_rotate(pose + 3, e, v);
}

/* The mean of the angles of the two other axes about the axis of the parent. */
static double angle_about(const double *parent, const double *gear, int axis, bool whole) {
  double a[3], sum = 0;
  axis_vector(parent, axis, a);
  for (int i = 0; i < 3; i++) {
    double u[3], v[3], r[3];
    if (i == axis) continue;
    axis_vector(parent, i, u);
    axis_vector(gear, i, v);
    turning(u, v, r);
    const double along = sofa_vec3_dot(r, a), size = sofa_vec3_norm(r);
    sum += !whole ? along : along < 0 ? -size : size;
  }
  return sum / 2;
}

static void compare_gear(const Model *before, const Model *m, size_t k, bool whole) {
  const GearSpring *s = &before->gear[k], *after = &m->gear[k];
  double angle[2];
  for (size_t side = 0; side < 2; side++) {
    const uint32_t p = s->head.points[2 * side], g = s->head.points[2 * side + 1];
    const double *parent = p == g ? s->parent[side] : SOFA_POSE(m->x[side], p);
    const double turn = whole ? 2 / M_PI : 2 * M_PI;
    double a[3];
    axis_vector(parent, (int)s->axis[side], a);
    for (int i = 0; i < 3; i++) assert_near("axis", k, after->along[side][i], a[i], 1);
    double now = angle_about(parent, SOFA_POSE(m->x[side], g), (int)s->axis[side], whole);
    while (now - s->previous[side] > M_PI) now -= turn;
    while (now - s->previous[side] < -M_PI) now += turn;
    angle[side] = s->angle[side] + now - s->previous[side];
    assert_near("angle", k, m->gear_report[k].angle[side], angle[side], 100);
    assert_true(after->angle[side] == m->gear_report[k].angle[side]);
    assert_near("previous angle", k, after->previous[side], now, 100);
  }
  assert_near("torque", k, m->gear_report[k].torque, -(angle[0] * s->ratio + angle[1]) * 20, 4000);
}

static void check_gears(const Kernels *by) {
  static Model before, m;
  for (size_t n = 1; n <= MOST; n++) {
    for (int whole = 0; whole < 2; whole++) {
      fill(&before);
      fill(&m);
      run(by, GEAR, whole, n, &m);
      for (size_t k = 0; k < n; k++) compare_gear(&before, &m, k, whole);
    }
  }
}

/* ---- every instruction set ---- */

static void check(const char *isa, const Kernels *by) {
  if (!sofa_kernels_select(isa)) return;
  check_angular(by);
  check_joints(by);
  check_limits(by);
  check_gears(by);
}

#define KERNELS(isa)                                                                               \
  { &frame_spring_kernels_##isa, &joint_kernels_##isa, &gear_kernels_##isa }

static void formulas(void **state) {
  (void)state;
  static const Kernels baseline = KERNELS(baseline);
  check("baseline", &baseline);
#if defined(__x86_64__)
  static const Kernels avx2 = KERNELS(avx2), avx512 = KERNELS(avx512);
  check("avx2", &avx2);
  check("avx512", &avx512);
#endif
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  static const Kernels avx2 = KERNELS(avx2), avx512 = KERNELS(avx512);
  static Model two, five;
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= MOST; n++) {
    for (int kind = 0; kind < 2 * KINDS; kind++) {
      fill(&two);
      fill(&five);
      run(&avx2, (Kind)(kind / 2), kind % 2, n, &two);
      run(&avx512, (Kind)(kind / 2), kind % 2, n, &five);
      assert_memory_equal(&two, &five, sizeof two);
    }
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
