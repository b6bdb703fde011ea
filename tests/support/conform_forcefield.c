/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance of force fields. Included by the test that has the cases. */
#include "components/builtins.h"
#include "tests/support/conform_forcefield.h"

#include "draw/draw.h"
#include "math/block_matrix.h"
#include "math/kernels.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "numerics/check/check.h"
#include "tests/support/contact_touch.h"

/* A force field with its distinct states; vectors hold all states one after the other. */
typedef struct Model {
  const ForceFieldCase *c;
  SceneRun run;
  SofaForceField *ff;
  const SofaForceFieldOps *ops;
  SofaState *state[2];
  int n_states;
  size_t nx, nv, x_at[2], v_at[2];
  uint32_t random;
} Model;

static double model_random(Model *m) {
  m->random = m->random * 1664525u + 1013904223u;
  return (double)(m->random >> 8) / (1 << 23) - 1;
}

static double *reals(size_t n) {
  double *r = calloc(n ? n : 1, sizeof *r);
  assert_non_null(r);
  return r;
}

/* First object of the class in visiting order. */
static SofaForceField *find_force_field(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++) {
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaForceField *)node->objects.data[i];
  }
  for (size_t i = 0; i < node->children.n; i++) {
    SofaForceField *found = find_force_field(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

/* Takes the sizes of the states, which topological changes change. */
static void model_measure(Model *m) {
  m->nx = m->nv = 0;
  for (int k = 0; k < 2 && m->ff->state[k]; k++) {
    if (k && m->ff->state[1] == m->ff->state[0]) break;
    const SofaStateKindInfo *info = sofa_state_kind_info(m->ff->state[k]->object.kind);
    m->state[k] = m->ff->state[k];
    m->n_states = k + 1;
    m->x_at[k] = m->nx;
    m->v_at[k] = m->nv;
    m->nx += info->coord * sofa_state_size(m->state[k]);
    m->nv += info->deriv * sofa_state_size(m->state[k]);
  }
  assert_true(m->n_states > 0);
}

static void model_open(Model *m, const ForceFieldCase *c, const SofaContextOptions *options) {
  memset(m, 0, sizeof *m);
  m->c = c;
  m->random = 4711;
  scene_run_open(&m->run, c->scene, options);
  contact_touch_all(&m->run);
  m->ff = find_force_field(m->run.simulation->root, c->klass);
  if (!m->ff) fail_msg("%s %s: no such object in its scene", c->klass, c->what);
  m->ops = sofa_force_field_ops(m->ff);
  model_measure(m);
}

static void model_close(Model *m) {
  scene_run_close(&m->run);
}

/* Place in `all` of state k of the force field (the second may be the first again). */
static const double *part(const Model *m, const double *all, const size_t *at, int k) {
  if (!m->ff->state[k]) return NULL;
  return all + at[m->n_states == 2 ? k : 0];
}

static void model_rest(const Model *m, double *x) {
  for (int k = 0; k < m->n_states; k++) {
    const SofaState *s = m->state[k];
    const SofaCoords *from = s->rest_position.n ? &s->rest_position : &s->position;
    memcpy(x + m->x_at[k], from->data, from->n * from->width * sizeof *x);
  }
}

/* x moved by h times the velocities d. */
static void model_move(const Model *m, const double *x, double h, const double *d, double *out) {
  if (out != x) memcpy(out, x, m->nx * sizeof *x);
  for (int k = 0; k < m->n_states; k++)
    sofa_state_integrate(m->state[k]->object.kind, sofa_state_size(m->state[k]), h, d + m->v_at[k],
                         out + m->x_at[k]);
}

static SofaMechParams params_of_k(void) {
  return sofa_mech_params(0.01, 0, 0, 0, 1);
}

/* A point made of the vectors x and v, with the arrays it needs. id 0: derivatives are computed as
 * if nothing were kept. */
typedef struct ModelPoint {
  const double *x[2], *v[2];
  SofaPoint at;
} ModelPoint;

static void model_point(const Model *m, const double *x, const double *v, uint64_t id,
                        ModelPoint *p) {
  for (int k = 0; k < 2; k++) {
    p->x[k] = part(m, x, m->x_at, k);
    p->v[k] = part(m, v, m->v_at, k);
  }
  p->at = (SofaPoint){.x = p->x, .v = p->v, .n = m->ff->n_states, .id = id};
}

/* f += force at x with the velocities v; id: of the point */
static void model_force_of(const Model *m, uint64_t id, const double *x, const double *v,
                           double *f) {
  const SofaMechParams p = params_of_k();
  ModelPoint point;
  double *to[2];
  for (int k = 0; k < 2; k++) to[k] = (double *)(uintptr_t)part(m, f, m->v_at, k);
  model_point(m, x, v, id, &point);
  assert_int_equal(sofa_force_field_add_force(m->ff, &p, &point.at, to), SOFA_OK);
}

static void model_moving_force(const Model *m, const double *x, const double *v, double *f) {
  model_force_of(m, sofa_point_id(m->run.ctx), x, v, f);
}

/* f += force at x, v = 0 */
static void model_force(const Model *m, const double *x, double *f) {
  double *v = reals(m->nv);
  model_moving_force(m, x, v, f);
  free(v);
}

/* df += product at x, v; id: of the point */
static void model_moving_dforce(const Model *m, const SofaMechParams *p, uint64_t id,
                                const double *const xv[2], const double *dx, double *df) {
  ModelPoint point;
  double *to[2];
  const double *from[2];
  for (int k = 0; k < 2; k++) {
    from[k] = part(m, dx, m->v_at, k);
    to[k] = (double *)(uintptr_t)part(m, df, m->v_at, k);
  }
  model_point(m, xv[0], xv[1], id, &point);
  assert_int_equal(sofa_force_field_add_dforce(m->ff, p, &point.at, from, to), SOFA_OK);
}

/* v = 0 */
static void model_dforce_of(const Model *m, const SofaMechParams *p, uint64_t id, const double *x,
                            const double *dx, double *df) {
  double *v = reals(m->nv);
  model_moving_dforce(m, p, id, (const double *const[2]){x, v}, dx, df);
  free(v);
}

static void model_dforce(const Model *m, const SofaMechParams *p, const double *x, const double *dx,
                         double *df) {
  model_dforce_of(m, p, 0, x, dx, df);
}

/* A square matrix of all states, assembled by `add` (add_k or add_b) at x, v; the caller destroys
 * it.
 */
typedef SofaErr Assemble(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         const SofaTangent *tangent);
static SofaBlockMatrix *model_matrix_of(const Model *m, const SofaMechParams *p, Assemble *add,
                                        const double *x, const double *v) {
  SofaContext *ctx = m->run.ctx;
  uint8_t *sizes = calloc(m->nv + 1, 1);
  uint32_t first[2] = {0, 0}, n = 0;
  SofaBlockMatrix *matrix;
  for (int k = 0; k < m->n_states; k++) {
    first[k] = n;
    for (size_t i = 0; i < sofa_state_size(m->state[k]); i++)
      sizes[n++] = (uint8_t)sofa_state_kind_info(m->state[k]->object.kind)->deriv;
  }
  assert_int_equal(sofa_block_matrix_create(ctx, n, sizes, n, sizes, &matrix), SOFA_OK);
  free(sizes);
  SofaTangentPair pairs[4];
  const SofaTangent t = {.pairs = pairs, .n = m->ff->n_states, .factor = 1};
  assert_in_range(t.n, 1, 2);
  for (size_t a = 0; a < t.n; a++)
    for (size_t b = 0; b < t.n; b++)
      pairs[a * t.n + b] = (SofaTangentPair){matrix, first[m->n_states == 2 ? a : 0],
                                             first[m->n_states == 2 ? b : 0]};
  ModelPoint point;
  model_point(m, x, v, 0, &point);
  sofa_block_matrix_begin(matrix);
  assert_int_equal(add(m->ff, p, &point.at, &t), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  return matrix;
}

static SofaBlockMatrix *model_matrix(const Model *m, Assemble *add, const double *x,
                                     const double *v) {
  const SofaMechParams p = params_of_k();
  return model_matrix_of(m, &p, add, x, v);
}

static void model_moving_product(const Model *m, Assemble *add, const double *x, const double *v,
                                 const double *dx, double *df) {
  SofaBlockMatrix *matrix = model_matrix(m, add, x, v);
  double *padded = reals(m->nv + 1);
  memcpy(padded, dx, m->nv * sizeof *dx);
  sofa_block_matrix_multiply(matrix, padded, df, 1);
  free(padded);
  sofa_block_matrix_destroy(&matrix);
}

static void model_product(const Model *m, const double *x, const double *dx, double *df) {
  double *v = reals(m->nv);
  model_moving_product(m, sofa_force_field_add_k, x, v, dx, df);
  free(v);
}

static double norm(size_t n, const double *a) {
  double m = 0;
  for (size_t i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
  return m;
}

static double difference(size_t n, const double *a, const double *b) {
  double m = 0;
  for (size_t i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
  return m;
}

/* Fails with the names of case and check when value > limit or is not a number. */
static void require(const Model *m, const char *check, double value, double limit) {
  if (value <= limit) return;
  fail_msg("%s %s: %s: %.3e, at most %.3e", m->c->klass, m->c->what, check, value, limit);
}

static void random_direction(Model *m, double *d) {
  for (size_t i = 0; i < m->nv; i++) d[i] = model_random(m);
}

/* x = rest moved by random displacements of the case's size */
static void shaken(Model *m, double *x) {
  double *d = reals(m->nv);
  random_direction(m, d);
  model_rest(m, x);
  model_move(m, x, m->c->shake > 0 ? m->c->shake : 0.05, d, x);
  free(d);
}

/* ---- checks ---- */

/* |df - difference quotient| / |df| at x for a random direction. */
static double fd_error(Model *m, const double *x) {
  const double h = 1e-5;
  const SofaMechParams p = params_of_k();
  double *d = reals(m->nv), *y = reals(m->nx), *plus = reals(m->nv), *minus = reals(m->nv);
  double *df = reals(m->nv), *f = reals(m->nv);
  random_direction(m, d);
  model_move(m, x, h, d, y);
  model_force(m, y, plus);
  model_move(m, x, -h, d, y);
  model_force(m, y, minus);
  model_force(m, x, f); /* last: derivatives are of this state */
  model_dforce(m, &p, x, d, df);
  for (size_t i = 0; i < m->nv; i++) plus[i] = (plus[i] - minus[i]) / (2 * h);
  const double scale = norm(m->nv, df);
  double error = difference(m->nv, df, plus);
  /* the forces' own rounding, which the difference quotient magnifies */
  error -= 1e-14 * norm(m->nv, f) / h;
  free(d);
  free(y);
  free(plus);
  free(minus);
  free(df);
  free(f);
  return scale > 0 ? error / scale : error;
}

static void check_differences(Model *m) {
  double *x = reals(m->nx), *d = reals(m->nv);
  if (m->c->checks & CONFORM_FD) {
    shaken(m, x);
    require(m, "add_dforce against differences of add_force", fd_error(m, x), 1e-6);
  }
  if (m->c->checks & CONFORM_FD_AT_REST) {
    model_rest(m, x);
    require(m, "add_dforce against differences at rest", fd_error(m, x), 1e-6);
    /* near it: the error is of the order of the strain */
    random_direction(m, d);
    model_move(m, x, 1e-3, d, x);
    require(m, "add_dforce against differences near rest", fd_error(m, x), 0.1);
  }
  free(x);
  free(d);
}

/* At a shaken state in motion, by a random change d of the velocities: differences of the force,
 * the product by velocities, and that of the assembled matrix. Returns the size of what they are
 * compared with. */
static double velocity_products(Model *m, double *quotient, double *df, double *product) {
  const double h = 1e-4;
  SofaMechParams p = sofa_mech_params(0.01, 0, 0, 1, 0);
  p.r = 0;
  double *x = reals(m->nx), *v = reals(m->nv), *d = reals(m->nv), *w = reals(m->nv);
  double *minus = reals(m->nv), *f = reals(m->nv);
  shaken(m, x);
  random_direction(m, v);
  random_direction(m, d);
  for (size_t i = 0; i < m->nv; i++) w[i] = v[i] - h * d[i];
  model_moving_force(m, x, w, minus);
  for (size_t i = 0; i < m->nv; i++) w[i] = v[i] + h * d[i];
  model_moving_force(m, x, w, quotient);
  for (size_t i = 0; i < m->nv; i++) quotient[i] = (quotient[i] - minus[i]) / (2 * h);
  model_moving_force(m, x, v, f);
  model_moving_dforce(m, &p, 0, (const double *const[2]){x, v}, d, df);
  model_moving_product(m, sofa_force_field_add_b, x, v, d, product);
  const double size = fmax(norm(m->nv, f), norm(m->nv, quotient));
  free(x), free(v), free(d), free(w), free(minus), free(f);
  return size;
}

static void check_velocities(Model *m) {
  double *quotient = reals(m->nv), *df = reals(m->nv), *product = reals(m->nv);
  const double size = velocity_products(m, quotient, df, product);
  if (m->c->checks & CONFORM_LATE) memset(quotient, 0, m->nv * sizeof *quotient);
  require(m, "add_dforce against differences by velocities", difference(m->nv, df, quotient),
          1e-6 * size);
  require(m, "add_b against differences by velocities", difference(m->nv, product, quotient),
          1e-6 * size);
  free(quotient), free(df), free(product);
}

/* With all quirks: what add_dforce leaves out, add_b leaves out. */
static void check_quirks(const ForceFieldCase *c) {
  const SofaContextOptions options = {.quirks = true};
  Model m;
  /* the product of this one has then no factors: see its quirk */
  if (strcmp(c->klass, "FrameSpringForceField") == 0) return;
  model_open(&m, c, &options);
  double *quotient = reals(m.nv), *df = reals(m.nv), *product = reals(m.nv);
  const double size = velocity_products(&m, quotient, df, product);
  require(&m, "add_b against add_dforce with quirks", difference(m.nv, product, df), 1e-12 * size);
  free(quotient), free(df), free(product);
  model_close(&m);
}

/* Springs without a matrix have neither that of positions nor that of velocities. */
static void check_no_matrix(const ForceFieldCase *c) {
  const SofaContextOptions options = {.quirk_words = "springs-without-matrix"};
  Model m;
  model_open(&m, c, &options);
  if (m.ff->partial_tangent) {
    double *x = reals(m.nx), *v = reals(m.nv), *d = reals(m.nv), *product = reals(m.nv);
    shaken(&m, x);
    random_direction(&m, v);
    random_direction(&m, d);
    model_moving_force(&m, x, v, product);
    memset(product, 0, m.nv * sizeof *product);
    model_moving_product(&m, sofa_force_field_add_k, x, v, d, product);
    require(&m, "no matrix of positions", norm(m.nv, product), 0);
    model_moving_product(&m, sofa_force_field_add_b, x, v, d, product);
    require(&m, "no matrix of velocities", norm(m.nv, product), 0);
    free(x), free(v), free(d), free(product);
  }
  model_close(&m);
}

static void check_products(Model *m) {
  double *x = reals(m->nx), *d = reals(m->nv), *f = reals(m->nv);
  double *df = reals(m->nv), *twice = reals(m->nv), *product = reals(m->nv);
  shaken(m, x);
  random_direction(m, d);
  model_force(m, x, f);
  SofaMechParams p = params_of_k();
  model_dforce(m, &p, x, d, df);
  /* adds to what is there, scaled by k + r rayleighStiffness */
  memcpy(twice, df, m->nv * sizeof *df);
  const double old = m->ff->rayleigh_stiffness;
  m->ff->rayleigh_stiffness = 0.25;
  p.k = 0.5;
  p.r = 2;
  model_dforce(m, &p, x, d, twice);
  m->ff->rayleigh_stiffness = old;
  for (size_t i = 0; i < m->nv; i++) twice[i] *= 0.5;
  require(m, "add_dforce adds and scales", difference(m->nv, twice, df), 1e-14 * norm(m->nv, df));
  if (m->c->checks & (CONFORM_K | CONFORM_DENSE_K)) {
    assert_int_equal(m->ops->tangent_is_dforce, (m->c->checks & CONFORM_K) != 0);
    model_product(m, x, d, product);
    require(m, "add_k against add_dforce", difference(m->nv, product, df), 1e-12 * norm(m->nv, df));
  }
  if (m->c->checks & CONFORM_SYMMETRIC) {
    double *e = reals(m->nv), *de = reals(m->nv), left = 0, right = 0, size = 0;
    random_direction(m, e);
    p = params_of_k();
    model_dforce(m, &p, x, e, de);
    for (size_t i = 0; i < m->nv; i++) {
      left += e[i] * df[i];
      right += d[i] * de[i];
      size += fabs(e[i] * df[i]);
    }
    require(m, "symmetry", fabs(left - right), 1e-13 * size);
    free(e);
    free(de);
  }
  free(x);
  free(d);
  free(f);
  free(df);
  free(twice);
  free(product);
}

#include "tests/support/conform_forcefield_descent.h"

static double energy_at(const Model *m, const double *x) {
  const SofaMechParams p = params_of_k();
  double *v = reals(m->nv), energy = NAN;
  ModelPoint point;
  model_point(m, x, v, 0, &point);
  assert_int_equal(sofa_force_field_potential_energy(m->ff, &p, &point.at, &energy), SOFA_OK);
  free(v);
  return energy;
}

static void check_energy(Model *m) {
  if (!(m->c->checks & CONFORM_ENERGY)) return;
  const double h = 1e-5;
  double *x = reals(m->nx), *y = reals(m->nx), *d = reals(m->nv), *f = reals(m->nv), work = 0,
         size = 0;
  assert_non_null(m->ops->potential_energy);
  shaken(m, x);
  random_direction(m, d);
  model_force(m, x, f);
  model_move(m, x, h, d, y);
  const double plus = energy_at(m, y);
  model_move(m, x, -h, d, y);
  const double minus = energy_at(m, y);
  for (size_t i = 0; i < m->nv; i++) {
    work -= f[i] * d[i];
    size += fabs(f[i] * d[i]);
  }
  const double rounding = 1e-14 * fmax(fabs(plus), fabs(minus)) / h;
  require(m, "force against energy", fabs((plus - minus) / (2 * h) - work), 1e-6 * size + rounding);
  free(x);
  free(y);
  free(d);
  free(f);
}

/* Size of the forces that displacements as large as the body would give: what 0 is compared to. */
static double force_scale(Model *m, const double *x) {
  double *d = reals(m->nv), *df = reals(m->nv), *f = reals(m->nv), low[6], high[6], size = 0;
  const SofaMechParams p = params_of_k();
  model_force(m, x, f);
  /* no translation of any kind of state */
  for (size_t i = 0; i < m->nv; i++) d[i] = (double)(i * 7 % 5) / 2 - 1;
  model_dforce(m, &p, x, d, df);
  const SofaStateKindInfo *info = sofa_state_kind_info(m->state[0]->object.kind);
  for (size_t i = 0; i < info->space; i++) low[i] = high[i] = x[i];
  for (size_t i = 0; i < sofa_state_size(m->state[0]) * info->coord; i++) {
    if (i % info->coord >= info->space) continue;
    low[i % info->coord] = fmin(low[i % info->coord], x[i]);
    high[i % info->coord] = fmax(high[i % info->coord], x[i]);
  }
  for (size_t i = 0; i < info->space; i++) size = fmax(size, high[i] - low[i]);
  const double scale = norm(m->nv, df) * size;
  free(d);
  free(df);
  free(f);
  return scale;
}

static void check_rest(Model *m) {
  double *x = reals(m->nx), *f = reals(m->nv);
  model_rest(m, x);
  if (m->c->checks & CONFORM_REST) {
    model_force(m, x, f);
    require(m, "no force at rest", norm(m->nv, f), 1e-13 * force_scale(m, x));
  }
  free(x);
  free(f);
}

/* x := Q x + t for all points */
static void turn(const Model *m, const double *q, const double *t, double *x) {
  for (size_t i = 0; i + 3 <= m->nx; i += 3) {
    sofa_mat3_apply(q, x + i, x + i);
    for (size_t k = 0; k < 3; k++) x[i + k] += t[k];
  }
}

static void check_rotation(Model *m) {
  if (!(m->c->checks & CONFORM_ROTATES)) return;
  assert_int_equal(m->state[0]->object.kind, SOFA_VEC3);
  const double t[3] = {0.3, -0.2, 0.7}, none[3] = {0}, axis[3] = {1.1, -0.7, 2.3};
  double q[9], quaternion[4], *x = reals(m->nx), *f = reals(m->nv), *g = reals(m->nv);
  const double angle = sofa_vec3_norm(axis);
  for (int i = 0; i < 3; i++) quaternion[i] = axis[i] / angle * sin(angle / 2);
  quaternion[3] = cos(angle / 2);
  sofa_quat_to_matrix(quaternion, q);

  model_rest(m, x);
  const double scale = force_scale(m, x);
  turn(m, q, t, x);
  model_force(m, x, f);
  require(m, "no force when moved and turned as a whole", norm(m->nv, f), 1e-12 * scale);

  memset(f, 0, m->nv * sizeof *f);
  shaken(m, x);
  model_force(m, x, f);
  turn(m, q, t, x);
  model_force(m, x, g);
  turn(m, q, none, f);
  require(m, "forces turn with the body", difference(m->nv, f, g), 1e-12 * scale);
  free(x);
  free(f);
  free(g);
}

/* There is a force, at a shaken state in motion, unless the case has CONFORM_IDLE. */
static void check_force(Model *m) {
  double *x = reals(m->nx), *v = reals(m->nv), *f = reals(m->nv);
  shaken(m, x);
  random_direction(m, v);
  model_moving_force(m, x, v, f);
  if ((norm(m->nv, f) > 0) == ((m->c->checks & CONFORM_IDLE) != 0))
    fail_msg("%s %s: the force is %g", m->c->klass, m->c->what, norm(m->nv, f));
  free(x), free(v), free(f);
}

static void check_balance(Model *m) {
  if (!(m->c->checks & CONFORM_BALANCED)) return;
  double *x = reals(m->nx), *f = reals(m->nv), sum[6] = {0};
  shaken(m, x);
  model_force(m, x, f);
  const unsigned deriv = sofa_state_kind_info(m->state[0]->object.kind)->deriv;
  for (size_t i = 0; i < m->nv; i++) sum[i % deriv] += f[i];
  require(m, "forces balance", norm(deriv, sum), 1e-12 * norm(m->nv, f) * (double)m->nv);
  free(x);
  free(f);
}

/* Forces, products and matrices at two points in turn, neither of them the state's: each is that of
 * its own point, and trials leave no trace. */
static void check_points(Model *m) {
  const SofaMechParams p = params_of_k();
  double *x[2], *f[2], *df[2], *product[2], *d = reals(m->nv), *again = reals(m->nv);
  double *v = reals(m->nv);
  uint64_t id[2];
  random_direction(m, d);
  for (int k = 0; k < 2; k++) {
    x[k] = reals(m->nx);
    f[k] = reals(m->nv), df[k] = reals(m->nv), product[k] = reals(m->nv);
    id[k] = sofa_point_id(m->run.ctx);
    shaken(m, x[k]);
    model_force_of(m, id[k], x[k], v, f[k]);
    model_dforce_of(m, &p, id[k], x[k], d, df[k]); /* with what the force kept */
    model_product(m, x[k], d, product[k]);
  }
  for (int turn = 0; turn < 4; turn++) {
    const int k = turn % 2;
    memset(again, 0, m->nv * sizeof *again);
    model_dforce_of(m, &p, id[k], x[k], d, again); /* the other point is kept */
    require(m, "product at its point", difference(m->nv, again, df[k]), 0);
    model_product(m, x[1 - k], d, again);
    require(m, "matrix at its point", difference(m->nv, again, product[1 - k]), 0);
    memset(again, 0, m->nv * sizeof *again);
    model_force_of(m, id[k], x[k], v, again);
    require(m, "force after a trial", difference(m->nv, again, f[k]), 0);
  }
  for (int k = 0; k < 2; k++) free(x[k]), free(f[k]), free(df[k]), free(product[k]);
  free(d), free(again), free(v);
}

/* add_force adds; operations take no memory once they have run. */
static void check_manners(Model *m) {
  double *x = reals(m->nx), *f = reals(m->nv), *g = reals(m->nv), *d = reals(m->nv);
  const SofaMechParams p = params_of_k();
  shaken(m, x);
  model_force(m, x, f);
  const double size = norm(m->nv, f);
  for (size_t i = 0; i < m->nv; i++) g[i] = -f[i];
  model_force(m, x, g);
  require(m, "add_force adds", norm(m->nv, g), 1e-13 * size);
  model_dforce(m, &p, x, d, g);
  const uint64_t before = m->run.ctx->n_allocations;
  model_force(m, x, g);
  model_dforce(m, &p, x, d, g);
  assert_int_equal(m->run.ctx->n_allocations - before, 0);
  assert_int_equal(m->run.n_problems, 0);
  free(x);
  free(f);
  free(g);
  free(d);
}

/* Energy and drawing, which the accesses of memory are watched in: numbers, whatever the flags. */
static void look(const Model *m, const double *x) {
  SofaDisplayFlags flags = {{0}};
  SofaDrawList list = {.ctx = m->run.ctx};
  const SofaBox box = {{-1, -1, -1}, {1, 1, 1}};
  const SofaDrawArgs args = {.list = &list, .flags = &flags, .box = &box};
  const SofaDrawOps *ops = sofa_ops(&m->ff->object, SOFA_DRAW);
  if (m->ops->potential_energy) assert_true(isfinite(energy_at(m, x)));
  memset(flags.value, 1, sizeof flags.value);
  if (ops) ops->draw(&m->ff->object, &args);
  assert_int_equal(list.failure, SOFA_OK);
  sofa_draw_free(&list);
}

static void scale_rest(const Model *m, double factor) {
  for (int k = 0; k < m->n_states; k++) {
    SofaCoords *rest = &m->state[k]->rest_position;
    for (size_t i = 0; i < rest->n * rest->width; i++)
      if (i % rest->width < sofa_state_kind_info(m->state[k]->object.kind)->space)
        rest->data[i] *= factor;
  }
}

static void renumber_meshes(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_TOPOLOGY))
      ((SofaTopology *)node->objects.data[i])->revision++;
  for (size_t i = 0; i < node->children.n; i++) renumber_meshes(node->children.data[i]);
}

/* Does it make its elements from the rest shape when the mesh has another revision? */
static bool is_made_again(const ForceFieldCase *c, const SofaClass *klass) {
  static const char *const keep[] = {"TriangleFEMForceField", "TetrahedronDiffusionFEMForceField",
                                     "ParallelMeshSpringForceField", "ParallelSpringForceField"};
  static const char *const springs[] = {
      "FastTriangularBendingSprings", "QuadularBendingSprings", "TriangularBendingSprings",
      "TriangularQuadraticSpringsForceField", "TriangularBiquadraticSpringsForceField"};
  bool made = strstr(klass->module, "SolidMechanics.FEM") || strstr(klass->module, "TensorMass") ||
              strstr(klass->name, "Parallel");
  for (size_t i = 0; i < sizeof keep / sizeof *keep; i++) made &= strcmp(c->klass, keep[i]) != 0;
  for (size_t i = 0; i < sizeof springs / sizeof *springs; i++)
    made |= strcmp(c->klass, springs[i]) == 0;
  return made && !strstr(c->what, "own rest shape") && !strstr(c->what, "another object");
}

/* Elements are made at the beginning, at a reinit, and when the mesh has another revision; no force
 * but one to the rest shape depends on the rest positions of the moment. */
static void check_revision(Model *m) {
  double *x = reals(m->nx), *f = reals(m->nv), *g = reals(m->nv);
  const SofaClass *klass = m->ff->object.klass;
  shaken(m, x);
  model_force(m, x, f);
  assert_int_equal(sofa_object_run(&m->ff->object, SOFA_RUN_REINIT), SOFA_OK);
  model_force(m, x, g);
  require(m, "force after a reinit", difference(m->nv, f, g), 0);
  memset(g, 0, m->nv * sizeof *g);
  scale_rest(m, 1.25);
  model_force(m, x, g);
  if (!strstr(klass->name, "RestShape"))
    require(m, "force with other rest positions", difference(m->nv, f, g), 0);
  memset(g, 0, m->nv * sizeof *g);
  renumber_meshes(m->run.simulation->root);
  model_force(m, x, g);
  if ((difference(m->nv, f, g) > 0) != is_made_again(m->c, klass) &&
      !strstr(klass->name, "RestShape"))
    fail_msg("%s %s: another revision of the mesh", m->c->klass, m->c->what);
  free(x), free(f), free(g);
}

/* Force and product at a shaken state under other options. */
static void evaluate(const ForceFieldCase *c, const SofaContextOptions *options, size_t *n,
                     double **f, double **df, double **product) {
  Model m;
  model_open(&m, c, options);
  double *x = reals(m.nx), *d = reals(m.nv);
  const SofaMechParams p = params_of_k();
  *n = m.nv;
  *f = reals(m.nv);
  *df = reals(m.nv);
  *product = reals(m.nv);
  shaken(&m, x);
  random_direction(&m, d);
  model_force(&m, x, *f);
  model_dforce(&m, &p, x, d, *df);
  model_product(&m, x, d, *product);
  look(&m, x);
  free(x);
  free(d);
  model_close(&m);
}

/* Same bits for any number of threads; same numbers, to rounding, for any instruction set. */
static void check_options(const ForceFieldCase *c) {
  static const SofaContextOptions options[] = {
      {.threads = 2}, {.threads = 3}, {.isa = "baseline"}, {.isa = "avx2"}};
  double *f[2], *df[2], *product[2];
  size_t n;
  evaluate(c, NULL, &n, &f[0], &df[0], &product[0]);
  const Model named = {.c = c};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    if (options[k].isa && !sofa_kernels_select(options[k].isa)) continue;
    evaluate(c, &options[k], &n, &f[1], &df[1], &product[1]);
    const bool exact = !options[k].isa;
    const char *check = exact ? "same bits with threads" : "same numbers with instruction sets";
    require(&named, check, difference(n, f[0], f[1]), exact ? 0 : 1e-12 * norm(n, f[0]));
    require(&named, check, difference(n, df[0], df[1]), exact ? 0 : 1e-12 * norm(n, df[0]));
    require(&named, check, difference(n, product[0], product[1]),
            exact ? 0 : 1e-12 * norm(n, product[0]));
    free(f[1]);
    free(df[1]);
    free(product[1]);
  }
  free(f[0]);
  free(df[0]);
  free(product[0]);
}

/* The check of scenes, at a shaken state: it finds nothing wrong, and what the class says it leaves
 * out is what the case leaves out. The states stay as they are. */
static void check_report(Model *m) {
  SofaCheckReport report = {.ctx = m->run.ctx};
  double *x = reals(m->nx);
  const SofaApproximation *left_out = sofa_force_field_approximation(m->ff);
  shaken(m, x);
  for (int k = 0; k < m->n_states; k++) {
    SofaCoords *to = &m->state[k]->position;
    memcpy(to->data, x + m->x_at[k], to->n * to->width * sizeof *x);
  }
  if ((left_out == NULL) != ((m->c->checks & CONFORM_FD) != 0))
    fail_msg("%s %s: what its tangent leaves out: %s", m->c->klass, m->c->what,
             left_out ? left_out->why : "nothing");
  assert_int_equal(sofa_check_force_field(m->ff, &report), SOFA_OK);
  assert_int_equal(report.findings.n, 1);
  const SofaFinding *f = &report.findings.data[0];
  if (f->verdict > (left_out ? SOFA_CHECK_KINK : SOFA_CHECK_OK))
    fail_msg("%s %s: %s: %s", m->c->klass, m->c->what, sofa_check_verdict_text(f->verdict),
             f->text);
  for (int k = 0; k < m->n_states; k++) {
    const SofaCoords *now = &m->state[k]->position;
    assert_memory_equal(now->data, x + m->x_at[k], now->n * now->width * sizeof *x);
  }
  sofa_check_report_free(&report);
  free(x);
}

void conform_force_field(const ForceFieldCase *c) {
  Model m;
  model_open(&m, c, NULL);
  check_differences(&m);
  check_velocities(&m);
  check_products(&m);
  check_descent(&m);
  check_energy(&m);
  check_rest(&m);
  check_rotation(&m);
  check_balance(&m);
  check_force(&m);
  check_points(&m);
  check_manners(&m);
  check_revision(&m);
  check_report(&m);
  model_close(&m);
  check_options(c);
  check_quirks(c);
  check_no_matrix(c);
}

void conform_force_fields_complete(const ForceFieldCase *const *lists, const size_t *sizes,
                                   size_t n) {
  SofaContext *ctx;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  const SofaOrigin origin = {.emitter = "test"};
  assert_int_equal(sofa_plugin_load(ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  int missing = 0;
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract || !sofa_class_ops(klass, SOFA_FORCE_FIELD)) continue;
    bool found = false;
    for (size_t l = 0; l < n; l++) {
      for (size_t k = 0; k < sizes[l]; k++) found |= strcmp(lists[l][k].klass, klass->name) == 0;
    }
    if (!found) print_error("no conformance case for force field %s\n", klass->name);
    missing += !found;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}
