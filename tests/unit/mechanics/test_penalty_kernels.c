/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of penalty loads against the laws of single points, for every count of points up to two
 * registers, inside, outside and where the laws are special; AVX2 and AVX-512 give the same bits.
 */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "components/mechanicalload/penalty_kernels.h"
#include "math/quaternion.h"
#include "tests/unit/mechanics/each_isa.h"

enum { POINTS = 40, REALS = 7 * POINTS, ENTRIES = PENALTY_MOST * PENALTY_MOST };

/* A load, and how its points lie. */
typedef struct Load {
  const char *what;
  PenaltyLaw law;
  PenaltyTerms terms;
  unsigned coord, deriv;
} Load;

#define PUSH .stiffness = 3, .damping = 0.7
static const Load loads[] = {
    {"plane",
     PENALTY_PLANE,
     {.dims = 3, PUSH, .beyond = -0.7, .axis = {0.5, -1, 0.25}, .size = 0.125},
     3,
     3},
    {"plane, bilateral",
     PENALTY_PLANE,
     {.dims = 3, .bilateral = true, PUSH, .beyond = -0.7, .axis = {0, 0.5}, .size = -0.25},
     3,
     3},
    {"plane, bilateral, SOFA's damping",
     PENALTY_PLANE,
     {.dims = 3, .bilateral = true, PUSH, .beyond = 0.7, .axis = {0, 0.5, 1}, .size = -0.25},
     3,
     3},
    {"plane of frames",
     PENALTY_PLANE,
     {.dims = 3, PUSH, .beyond = -0.7, .axis = {0.5, -1, 0.25}, .size = 0.125},
     7,
     6},
    {"plane in the plane",
     PENALTY_PLANE,
     {.dims = 2, PUSH, .beyond = -0.7, .axis = {0.5, -1}, .size = 0.125},
     2,
     2},
    {"plane of six reals",
     PENALTY_WIDE_PLANE,
     {.dims = 6,
      PUSH,
      .beyond = -0.7,
      .axis = {1, 0.5, -0.5, 0.3, 0.2, 2},
      .size = 0.1,
      .limit = (double)INFINITY},
     6,
     6},
    {"limited plane",
     PENALTY_WIDE_PLANE,
     {.dims = 3, PUSH, .beyond = -0.7, .axis = {0.5, -1, 0.25}, .size = 0.125, .limit = 1.2},
     3,
     3},
    {"limited plane of frames",
     PENALTY_WIDE_PLANE,
     {.dims = 3, .bilateral = true, PUSH, .beyond = -0.7, .axis = {0.5, -1, 0.25}, .limit = 0.8},
     7,
     6},
    {"sphere",
     PENALTY_SPHERE,
     {.dims = 3, PUSH, .beyond = -0.7, .center = {0.25, 0, -0.25}, .size = 1},
     3,
     3},
    {"sphere, bilateral",
     PENALTY_SPHERE,
     {.dims = 3, .bilateral = true, PUSH, .beyond = -0.7, .center = {0.25, 0, -0.25}, .size = 0.5},
     3,
     3},
    {"sphere on a line",
     PENALTY_SPHERE,
     {.dims = 1, PUSH, .beyond = -0.7, .center = {0.25}, .size = 0.5},
     1,
     1},
    {"ellipsoid",
     PENALTY_ELLIPSOID,
     {.dims = 3, PUSH, .center = {0.25, 0, -0.25}, .inverse = {1, 2, 0.5}},
     3,
     3},
    {"ellipsoid from outside",
     PENALTY_ELLIPSOID,
     {.dims = 3,
      .stiffness = -3,
      .damping = 0.7,
      .center = {0.25, 0, -0.25},
      .inverse = {1, 2, 0.5}},
     3,
     3},
    {"ellipsoid, SOFA's derivative",
     PENALTY_ELLIPSOID,
     {.dims = 3, PUSH, .center = {0.25, 0, -0.25}, .inverse = {1, 2, 0.5}, .sofa_term = true},
     3,
     3},
    {"ellipse", PENALTY_ELLIPSOID, {.dims = 2, PUSH, .center = {0.25}, .inverse = {1, 2}}, 2, 2},
    {"cone",
     PENALTY_CONE,
     {.dims = 3,
      PUSH,
      .beyond = -0.7,
      .center = {0.25, 0, -0.25},
      .axis = {0, 0.6, 0.8},
      .size = 1,
      .sine = 0.6,
      .cosine = 0.8,
      .behind = 0.8},
     3,
     3},
    {"wide cone",
     PENALTY_CONE,
     {.dims = 3,
      PUSH,
      .beyond = -0.7,
      .center = {0.25, 0, -0.25},
      .axis = {0, 0.6, 0.8},
      .size = 1.5,
      .sine = 0.6,
      .cosine = -0.8,
      .behind = -0.8},
     3,
     3},
};
enum { LOADS = sizeof loads / sizeof *loads };

/* ---- single points ---- */

/* What a law gives for a point: blocks of dims x dims. */
typedef struct Answer {
  double f[PENALTY_MOST], by_x[ENTRIES], by_v[ENTRIES];
} Answer;

static double dot_of(unsigned n, const double *a, const double *b) {
  double sum = 0;
  for (unsigned i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
static double rate_of(const PenaltyTerms *t, double d) {
  return d < 0 ? t->damping * d : t->beyond * d;
}
/* block += a I + b u w^T */
static void add_to(unsigned n, double a, double b, const double *u, const double *w,
                   double *block) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++) block[n * i + j] += b * u[i] * w[j] + (i == j ? a : 0);
}

static void plane(const PenaltyTerms *t, const double *x, const double *v, Answer *a) {
  const unsigned n = t->dims;
  const double d = dot_of(n, x, t->axis) - t->size, limit = t->limit > 0 ? t->limit : 1e300;
  if (d >= 0 && !t->bilateral) return;
  for (unsigned i = 0; i < n; i++) a->f[i] = -t->stiffness * d * t->axis[i] + rate_of(t, d) * v[i];
  const double size = sqrt(dot_of(n, a->f, a->f)), factor = size > limit ? limit / size : 1;
  add_to(n, 0, -t->stiffness, t->axis, t->axis, a->by_x);
  add_to(n, factor * rate_of(t, d), factor < 1 ? -factor * rate_of(t, d) / (size * size) : 0, a->f,
         a->f, a->by_v);
  for (unsigned i = 0; i < n; i++) a->f[i] *= factor;
}

static void sphere(const PenaltyTerms *t, const double *x, const double *v, Answer *a) {
  double n[3];
  for (unsigned i = 0; i < t->dims; i++) n[i] = x[i] - t->center[i];
  const double length = sqrt(dot_of(t->dims, n, n)), d = length - t->size, q = t->size / length;
  if (length == 0 || (d >= 0 && !t->bilateral)) return;
  for (unsigned i = 0; i < t->dims; i++) n[i] /= length;
  for (unsigned i = 0; i < t->dims; i++) a->f[i] = -t->stiffness * d * n[i] + rate_of(t, d) * v[i];
  add_to(t->dims, -t->stiffness * (1 - q), -t->stiffness * q, n, n, a->by_x);
  add_to(t->dims, rate_of(t, d), 0, n, n, a->by_v);
}

static void ellipsoid(const PenaltyTerms *t, const double *x, const double *v, Answer *a) {
  double g[3], s2 = 0, *r2 = (double[3]){0};
  for (unsigned i = 0; i < t->dims; i++) {
    const double d = x[i] - t->center[i];
    r2[i] = 1 / (t->inverse[i] * t->inverse[i]);
    g[i] = d / r2[i];
    s2 += d * d / r2[i];
  }
  if ((s2 - 1) * t->stiffness >= 0 || s2 == 0) return;
  const double s = sqrt(s2), norm2 = dot_of(t->dims, g, g), norm = sqrt(norm2);
  const double k = fabs(t->stiffness), rate = -t->damping * fabs(s - 1), f2 = -k * (s - 1) / norm;
  const double f3 = t->sofa_term ? -k * (s - 1) / norm2 : k * (s - 1) / (norm2 * norm);
  for (unsigned i = 0; i < t->dims; i++) {
    a->f[i] = f2 * g[i] + rate * v[i];
    for (unsigned j = 0; j < t->dims; j++)
      a->by_x[t->dims * i + j] =
          g[i] * g[j] * (-k / (s * norm) + f3 / r2[j]) + (i == j ? f2 / r2[i] : 0);
  }
  add_to(t->dims, rate, 0, g, g, a->by_v);
}

/* To the nearest point of the side: p is turned to it about the normal of the plane of p and the
 * axis. */
static double to_side(const PenaltyTerms *t, const double *p, double turn, double *n) {
  double about[3], q[4], along[3];
  sofa_vec3_cross(t->axis, p, about);
  sofa_quat_from_axis_angle(about, -turn, q);
  sofa_quat_rotate(q, p, along);
  sofa_vec3_normalize(along);
  sofa_vec3_scale(sofa_vec3_dot(p, along), along, along);
  sofa_vec3_sub(along, p, n);
  return sofa_vec3_normalize(n);
}

static void cone(const PenaltyTerms *t, const double *x, const double *v, Answer *a) {
  double p[3], n[3];
  sofa_vec3_sub(x, t->center, p);
  const double length = sofa_vec3_norm(p), z = sofa_vec3_dot(p, t->axis);
  const double angle = length > 0 ? acos(fmax(-1, fmin(1, z / length))) : 0;
  double depth = length;
  if (length <= t->size && angle <= acos(t->cosine)) return;
  sofa_vec3_scale(-1 / length, p, n);
  if (length > t->size) {
    depth = length - t->size;
    add_to(3, rate_of(t, depth), 0, n, n, a->by_v);
  } else {
    if (z > 0) depth = to_side(t, p, angle - acos(t->cosine), n);
    add_to(3, 0, -t->damping, n, n, a->by_v);
  }
  add_to(3, 0, -t->stiffness, n, n, a->by_x);
  sofa_mat3_apply(a->by_v, v, a->f);
  sofa_vec3_axpy(t->stiffness * depth, n, a->f);
}

static void answer(const Load *load, const double *x, const double *v, Answer *a) {
  memset(a, 0, sizeof *a);
  switch (load->law) {
  case PENALTY_SPHERE:
    sphere(&load->terms, x, v, a);
    break;
  case PENALTY_ELLIPSOID:
    ellipsoid(&load->terms, x, v, a);
    break;
  case PENALTY_CONE:
    cone(&load->terms, x, v, a);
    break;
  default:
    plane(&load->terms, x, v, a);
  }
}

/* ---- comparison ---- */

typedef struct Model {
  double x[REALS], v[REALS], dx[REALS];
  double f[REALS], df[REALS], blocks[POINTS * ENTRIES];
} Model;

/* Registers of points that are all far away, or all near, and some that are both. The first ones
 * are at a centre, on borders and on axes. */
static void fill(const Load *load, Model *m) {
  static const double special[][3] = {
      {0.25, 0, -0.25},      {1.25, 0, -0.25},    {0.25, 0.5, -0.25}, {0.25, 0.375, 0.25},
      {0.25, -0.375, -0.75}, {0.25, -0.5, -0.25}, {0, 0, 0.5},        {0.25, 0.75, -0.25}};
  const unsigned d = load->terms.dims, c = load->coord;
  for (size_t i = 0; i < REALS; i++) {
    m->v[i] = sin(2.3 * (double)i + 1);
    m->dx[i] = sin(0.9 * (double)i + 0.1);
    m->f[i] = m->df[i] = (double)i;
  }
  for (size_t p = 0; p < POINTS; p++) {
    const double scale = p / 8 == 1 ? 90 : p / 8 == 2 ? 0.3 : p / 8 == 3 ? 1 : 1.6;
    for (unsigned k = 0; k < c; k++) {
      m->x[c * p + k] = scale * sin(1.7 * (double)(c * p + k) + 0.4);
      if (p < 8 && k < d && k < 3) m->x[c * p + k] = special[p][k];
    }
  }
}

static void run(const PenaltyKernels *kernels, const Load *load, size_t n, Model *m) {
  const PenaltyLoops *loops = &kernels->of[load->law];
  const PenaltyPoints points = {m->x, m->v, n, load->coord, load->deriv};
  const size_t size = (size_t)loops->width * loops->width;
  loops->force(&load->terms, &points, m->f);
  loops->product(&load->terms, &points, (PenaltyFactors){0.7, -0.3}, m->dx, m->df);
  for (size_t at = 0; at < n; at += SOFA_LANES) {
    const size_t left = n - at;
    const PenaltyPoints some = {m->x + at * load->coord, m->v + at * load->deriv,
                                left < SOFA_LANES ? left : SOFA_LANES, load->coord, load->deriv};
    loops->blocks(&load->terms, &some, (PenaltyFactors){0.7, -0.3}, m->blocks + at * size);
  }
}

static void expect(const Load *load, size_t n, const char *of, size_t point, double is,
                   double expected) {
  if (!(fabs(is - expected) <= 1e-12 * (100 + fabs(expected))))
    fail_msg("%s, %zu points, %s of point %zu: %.17g, expected %.17g", load->what, n, of, point, is,
             expected);
}

static void compare(const Load *load, unsigned width, size_t n, const Model *m) {
  const unsigned d = load->terms.dims;
  double f[REALS], df[REALS];
  for (size_t i = 0; i < REALS; i++) f[i] = df[i] = (double)i;
  for (size_t p = 0; p < n; p++) {
    Answer a;
    answer(load, m->x + p * load->coord, m->v + p * load->deriv, &a);
    for (unsigned i = 0; i < d; i++) {
      f[p * load->deriv + i] += a.f[i];
      for (unsigned j = 0; j < d; j++) {
        const double entry = 0.7 * a.by_x[d * i + j] - 0.3 * a.by_v[d * i + j];
        df[p * load->deriv + i] += entry * m->dx[p * load->deriv + j];
        expect(load, n, "block", p, m->blocks[(p * width + i) * width + j], entry);
      }
    }
  }
  for (size_t i = 0; i < REALS; i++) {
    expect(load, n, "force", i / load->deriv, m->f[i], f[i]);
    expect(load, n, "product", i / load->deriv, m->df[i], df[i]);
  }
}

static void check(const PenaltyKernels *kernels) {
  for (size_t l = 0; l < LOADS; l++) {
    for (size_t n = 0; n <= POINTS; n += n < 18 ? 1 : 11) {
      Model m;
      fill(&loads[l], &m);
      run(kernels, &loads[l], n, &m);
      compare(&loads[l], kernels->of[loads[l].law].width, n, &m);
    }
  }
}

static void laws_in_lanes_are_those_of_single_points(void **state) {
  (void)state;
  EACH_ISA(check, penalty_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t l = 0; l < LOADS; l++) {
    static Model two, five;
    fill(&loads[l], &two);
    fill(&loads[l], &five);
    run(&penalty_kernels_avx2, &loads[l], POINTS - 1, &two);
    run(&penalty_kernels_avx512, &loads[l], POINTS - 1, &five);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(two.df, five.df, sizeof two.df);
  }
#else
  skip();
#endif
}

/* ---- carried ellipsoids ---- */

static const PenaltyShape shapes[] = {{{0.25, 0, -0.25}, {1, 2, 0.5}},
                                      {{-0.75, 0.25, 0.5}, {1, 1, 2}},
                                      {{0.5, -0.5, 0.5}, {1, 0.5, 1}},
                                      {{9, 9, 9}, {1, 1, 1}}};

static void carry(double stiffness, size_t n, PenaltyCarried *e) {
  const double q[4] = {0.1, -0.5, 0.7, 0.5};
  *e = (PenaltyCarried){.terms = {.dims = 3, .stiffness = stiffness, .damping = 0.7},
                        .origin = {0.2, -0.1, 0.3},
                        .moved = {0.4, -0.2, 0.9},
                        .shapes = shapes,
                        .n = n};
  sofa_quat_to_matrix(q, e->rotation);
}

/* World axes; v: velocity. */
static void carried_answer(const PenaltyCarried *e, const double *x, const double *v, Answer *a) {
  const double zero[3] = {0};
  PenaltyTerms terms = e->terms;
  double local[3], lowest = 1e300;
  memset(a, 0, sizeof *a);
  sofa_vec3_sub(x, e->origin, local);
  sofa_mat3_apply_t(e->rotation, local, local);
  for (size_t k = 0; k < e->n; k++) {
    double level = 0;
    for (int i = 0; i < 3; i++) {
      const double d = (local[i] - shapes[k].center[i]) * shapes[k].inverse[i];
      level += d * d;
    }
    if (level >= lowest) continue;
    lowest = level;
    memcpy(terms.center, shapes[k].center, sizeof shapes[k].center);
    memcpy(terms.inverse, shapes[k].inverse, sizeof shapes[k].inverse);
  }
  ellipsoid(&terms, local, zero, a);
  sofa_mat3_apply(e->rotation, a->f, a->f);
  sofa_mat3_mul(e->rotation, a->by_x, a->by_x);
  sofa_mat3_mul_nt(a->by_x, e->rotation, a->by_x);
  sofa_vec3_axpy(a->by_v[0], v, a->f);
}

static const Load carried_load = {"carried", PENALTY_ELLIPSOID, {.dims = 3}, 3, 3};
static void carried_run(const PenaltyCarriedLoops *loops, const PenaltyCarried *e, size_t n,
                        Model *m, double *sum) {
  const PenaltyFactors by = {0.7, -0.3};
  const PenaltyPoints points = {m->x, m->v, n, 3, 3};
  loops->force(e, &points, m->f, sum);
  loops->product(e, &points, by, m->dx, m->df, sum + 3);
  for (size_t at = 0; at < n; at += SOFA_LANES) {
    const PenaltyPoints some = {m->x + 3 * at, m->v + 3 * at,
                                n - at < SOFA_LANES ? n - at : SOFA_LANES, 3, 3};
    loops->blocks(e, &some, by, m->blocks + 9 * at);
  }
}

static void compare_carried(const PenaltyCarried *e, size_t n, const Model *m, const double *sum) {
  double f[REALS], df[REALS], all[6] = {0};
  for (size_t i = 0; i < REALS; i++) f[i] = df[i] = (double)i;
  for (size_t p = 0; p < n; p++) {
    double against[3], change[3], braked[3];
    Answer a;
    carried_answer(e, m->x + 3 * p, m->v + 3 * p, &a);
    for (int k = 0; k < 9; k++)
      expect(&carried_load, n, "block", p, m->blocks[9 * p + (size_t)k],
             0.7 * a.by_x[k] - 0.3 * a.by_v[k]);
    sofa_vec3_sub(m->dx + 3 * p, e->moved, against);
    sofa_mat3_apply(a.by_x, against, change);
    sofa_mat3_apply(a.by_v, m->dx + 3 * p, braked);
    for (size_t i = 0; i < 3; i++) {
      const double product = 0.7 * change[i] - 0.3 * braked[i];
      f[3 * p + i] += a.f[i], all[i] += a.f[i];
      df[3 * p + i] += product, all[3 + i] += product;
    }
  }
  for (size_t i = 0; i < 6; i++) expect(&carried_load, n, "sum", i, sum[i], all[i]);
  for (size_t i = 0; i < REALS; i++) {
    expect(&carried_load, n, "force", i / 3, m->f[i], f[i]);
    expect(&carried_load, n, "product", i / 3, m->df[i], df[i]);
  }
}

static void check_carried(const PenaltyCarriedLoops *loops) {
  for (size_t n = 0; n <= POINTS; n += n < 18 ? 1 : 11) {
    for (size_t k = 0; k < 8; k++) {
      PenaltyCarried e;
      Model m;
      double sum[6];
      fill(&carried_load, &m);
      carry(k % 2 ? -3 : 3, 1 + k / 2, &e);
      carried_run(loops, &e, n, &m, sum);
      compare_carried(&e, n, &m, sum);
    }
  }
}

/* Between two spheres the first one pushes. */
static void check_middle(const PenaltyCarriedLoops *loops) {
  static const PenaltyShape spheres[] = {{{1, 0, 0}, {0.5, 0.5, 0.5}},
                                         {{-1, 0, 0}, {0.5, 0.5, 0.5}}};
  const PenaltyCarried e = {{.stiffness = 4}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}, {0}, spheres, 2};
  const double x[3] = {0}, v[3] = {0};
  const PenaltyPoints points = {x, v, 1, 3, 3};
  double f[3] = {0}, sum[3];
  loops->force(&e, &points, f, sum);
  assert_true(fabs(f[0] + 2) < 1e-12);
}

static void carried_ellipsoids(void **state) {
  (void)state;
  EACH_ISA(check_carried, penalty_carried);
  EACH_ISA(check_middle, penalty_carried);
}

static void same_bits_of_carried(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= POINTS; n++) {
    static Model two, five;
    double sum[2][6];
    PenaltyCarried e;
    carry(3, 3, &e);
    fill(&carried_load, &two);
    fill(&carried_load, &five);
    carried_run(&penalty_carried_avx2, &e, n, &two, sum[0]);
    carried_run(&penalty_carried_avx512, &e, n, &five, sum[1]);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(two.df, five.df, sizeof two.df);
    assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
  }
#else
  skip();
#endif
}

/* The kernels are those of the instruction set of the context. */
static void kernels_are_of_the_instruction_set(void **state) {
  (void)state;
#if defined(__x86_64__)
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  const PenaltyKernels *const expected[] = {&penalty_kernels_baseline, &penalty_kernels_avx2,
                                            &penalty_kernels_avx512};
  const PenaltyCarriedLoops *const carried[] = {&penalty_carried_baseline, &penalty_carried_avx2,
                                                &penalty_carried_avx512};
  for (int i = 0; i < 3; i++) {
    const SofaContextOptions options = {.isa = isas[i]};
    SofaContext *ctx;
    if (!sofa_kernels_select(isas[i])) continue;
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_ptr_equal(penalty_kernels(ctx), expected[i]);
    assert_ptr_equal(penalty_kernels(ctx)->carried, carried[i]);
    sofa_context_destroy(&ctx);
  }
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_in_lanes_are_those_of_single_points),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(carried_ellipsoids),
      cmocka_unit_test(same_bits_of_carried),
      cmocka_unit_test(kernels_are_of_the_instruction_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
