/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check of a force field: differences of the force against products with the tangent, these against
 * the assembled matrix and its transpose, and the force against the gradient of the energy. */
#include <float.h>
#include <math.h>

#include "behavior/mass.h"
#include "numerics/check/check_impl.h"

enum { N_DIRECTIONS = 3 };

/* A force field with copies of its states: vectors hold all different states one after the other.
 * All memory is scratch. */
typedef struct Field {
  SofaContext *ctx;
  SofaForceField *ff;
  SofaMechParams params;
  size_t n;                    /* states of the force field */
  size_t nx, nv, *x_at, *v_at; /* sizes; where state k begins */
  double *x, *v;               /* present state, v */
  double *moved, *swift;       /* what a difference evaluates at: x, v */
  double *direction;           /* nv; per h = 1 */
  bool by_velocity;            /* differences move the velocities */
  const double **at_x, **at_v, **at_dx;
  double **at_f;
  double noise; /* rounding of a position relative to the length of a direction */
} Field;

static const SofaStateKindInfo *info_of(const SofaState *s) {
  return sofa_state_kind_info(s->object.kind);
}

/* The place of a state that the force field has had before, else n. */
static size_t same_state(const SofaForceField *ff, size_t k) {
  size_t i = 0;
  while (i < k && ff->state[i] != ff->state[k]) i++;
  return i;
}

static SofaErr place_states(Field *m) {
  m->x_at = SOFA_SCRATCH(m->ctx, size_t, m->n + 1);
  m->v_at = SOFA_SCRATCH(m->ctx, size_t, m->n + 1);
  if (!m->x_at || !m->v_at) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n; k++) {
    const size_t first = same_state(m->ff, k), points = sofa_state_size(m->ff->state[k]);
    m->x_at[k] = first < k ? m->x_at[first] : m->nx;
    m->v_at[k] = first < k ? m->v_at[first] : m->nv;
    if (first < k) continue;
    m->nx += points * info_of(m->ff->state[k])->coord;
    m->nv += points * info_of(m->ff->state[k])->deriv;
  }
  return SOFA_OK;
}

static double *reals(Field *m, size_t n) {
  double *r = SOFA_SCRATCH(m->ctx, double, n + 1);
  if (r) sofa_zero(r, (n + 1) * sizeof *r);
  return r;
}

/* Mean distance between the points of a body of this size, 1 for a body without a size. */
static double spacing(const SofaState *s) {
  const SofaStateKindInfo *info = info_of(s);
  const size_t n = sofa_state_size(s), dims = info->space < 3 ? info->space : 3;
  double size = 0, most = 0;
  for (size_t a = 0; a < dims && n; a++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
      const double x = s->position.data[i * info->coord + a];
      low = fmin(low, x), high = fmax(high, x), most = fmax(most, fabs(x));
    }
    size = fmax(size, high - low);
  }
  if (!(size > 0)) return most > 0 ? most : 1;
  return size / fmax(1, pow((double)n, 1.0 / (double)dims));
}

/* Random: translations as large as the spacing of the points, rotations of one radian. */
static void choose_direction(Field *m, uint32_t *random) {
  m->noise = 0;
  for (size_t k = 0; k < m->n; k++) {
    const SofaState *s = m->ff->state[k];
    const SofaStateKindInfo *info = info_of(s);
    const size_t n = sofa_state_size(s) * info->deriv;
    const double size = m->by_velocity ? 1 : spacing(s);
    if (same_state(m->ff, k) < k) continue;
    for (size_t i = 0; i < n; i++) {
      const bool shift = !info->rigid || i % info->deriv < info->space;
      m->direction[m->v_at[k] + i] = sofa_check_random(random) * (shift ? size : 1);
    }
    const double most = sofa_check_norm(n / info->deriv * info->coord, m->x + m->x_at[k]);
    if (!m->by_velocity) m->noise = fmax(m->noise, DBL_EPSILON * (most / size + 1));
  }
}

static SofaErr open_field(Field *m) {
  SOFA_TRY(place_states(m));
  double **const vectors[] = {&m->x, &m->v, &m->moved, &m->swift, &m->direction};
  const size_t sizes[] = {m->nx, m->nv, m->nx, m->nv, m->nv};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (!(*vectors[i] = reals(m, sizes[i]))) return SOFA_ERR_MEMORY;
  m->at_x = SOFA_SCRATCH(m->ctx, const double *, m->n + 1);
  m->at_v = SOFA_SCRATCH(m->ctx, const double *, m->n + 1);
  m->at_dx = SOFA_SCRATCH(m->ctx, const double *, m->n + 1);
  m->at_f = SOFA_SCRATCH(m->ctx, double *, m->n + 1);
  if (!m->at_x || !m->at_v || !m->at_dx || !m->at_f) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n; k++) {
    const SofaState *s = m->ff->state[k];
    const size_t points = sofa_state_size(s);
    sofa_copy(m->x + m->x_at[k], s->position.data, points * info_of(s)->coord * sizeof *m->x);
    if (s->velocity.n == points)
      sofa_copy(m->v + m->v_at[k], s->velocity.data, points * info_of(s)->deriv * sizeof *m->v);
  }
  return SOFA_OK;
}

static SofaPoint point_at(Field *m, const double *x, const double *v) {
  for (size_t k = 0; k < m->n; k++) m->at_x[k] = x + m->x_at[k], m->at_v[k] = v + m->v_at[k];
  return (SofaPoint){
      .x = m->at_x, .v = m->at_v, .n = m->n, .time = m->params.time, .id = sofa_point_id(m->ctx)};
}

static SofaErr force(Field *m, const double *x, const double *v, double *f) {
  const SofaPoint at = point_at(m, x, v);
  sofa_zero(f, m->nv * sizeof *f);
  for (size_t k = 0; k < m->n; k++) m->at_f[k] = f + m->v_at[k];
  return sofa_force_field_add_force(m->ff, &m->params, &at, m->at_f);
}

static SofaErr product(Field *m, const double *x, const double *v, const double *dx, double *df) {
  const SofaPoint at = point_at(m, x, v);
  sofa_zero(df, m->nv * sizeof *df);
  for (size_t k = 0; k < m->n; k++) m->at_f[k] = df + m->v_at[k], m->at_dx[k] = dx + m->v_at[k];
  return sofa_force_field_add_dforce(m->ff, &m->params, &at, m->at_dx, m->at_f);
}

/* Moves the state by h along the direction. */
static void move(Field *m, double h) {
  sofa_copy(m->moved, m->x, m->nx * sizeof *m->x);
  sofa_zero(m->swift, m->nv * sizeof *m->swift);
  if (m->by_velocity) {
    for (size_t i = 0; i < m->nv; i++) m->swift[i] = m->v[i] + h * m->direction[i];
    return;
  }
  for (size_t k = 0; k < m->n; k++)
    if (same_state(m->ff, k) == k)
      sofa_state_integrate(m->ff->state[k]->object.kind, sofa_state_size(m->ff->state[k]), h,
                           m->direction + m->v_at[k], m->moved + m->x_at[k]);
}

static SofaErr moved_force(void *user, double h, double *f) {
  Field *m = user;
  move(m, h);
  return force(m, m->moved, m->swift, f);
}

/* A mass has the energy of its weight, and of its elements when it is one of finite elements. */
static bool has_energy(const SofaForceField *ff) {
  if (!ff->mass_ops) return sofa_force_field_has_energy(ff);
  return !((const SofaMass *)ff)->gravity_apart;
}

static SofaErr moved_energy(void *user, double h, double *energy) {
  Field *m = user;
  move(m, h);
  const SofaPoint at = point_at(m, m->moved, m->swift);
  SOFA_TRY(sofa_force_field_potential_energy(m->ff, &m->params, &at, energy));
  if (m->ff->mass_ops)
    *energy += m->ff->mass_ops->potential_energy((SofaMass *)m->ff, at.x[0],
                                                 m->ff->object.node->gravity.v);
  return SOFA_OK;
}

/* ---- comparisons ---- */

static SofaCheckVerdict judge(const SofaDifference *d, const SofaApproximation *left_out) {
  if (d->error <= SOFA_CHECK_DIFFERENCES) return SOFA_CHECK_OK;
  if (!d->smooth) return SOFA_CHECK_KINK;
  return left_out && isfinite(d->error) ? SOFA_CHECK_APPROXIMATE : SOFA_CHECK_WRONG;
}

static void keep_worst(SofaDifference *worst, const SofaDifference *d) {
  worst->smooth &= d->smooth;
  if (!(d->error <= worst->error)) worst->error = d->error;
}

/* Differences of the force against the product, along several directions. */
static SofaErr difference(Field *m, uint32_t random, SofaDifference *worst) {
  double *df = reals(m, m->nv);
  SofaDifferenceSpec spec = {moved_force, m, m->nv, df, 0, 0};
  SofaDifference d;
  *worst = (SofaDifference){0, true};
  if (!df) return SOFA_ERR_MEMORY;
  for (int i = 0; i < N_DIRECTIONS; i++) {
    choose_direction(m, &random);
    move(m, 0);
    SOFA_TRY(product(m, m->moved, m->swift, m->direction, df));
    spec.noise = m->noise;
    SOFA_TRY(sofa_check_differences(m->ctx, &spec, &d));
    keep_worst(worst, &d);
  }
  return SOFA_OK;
}

/* Moves the present state a thousandth of a direction; *present becomes a copy of it. */
static SofaErr step_aside(Field *m, uint32_t *random, double **present) {
  if (!(*present = reals(m, m->nx))) return SOFA_ERR_MEMORY;
  sofa_copy(*present, m->x, m->nx * sizeof **present);
  choose_direction(m, random);
  move(m, 1e-3);
  sofa_copy(m->x, m->moved, m->nx * sizeof *m->x);
  return SOFA_OK;
}

/* A tangent that is wrong here and right at a state beside is that of a single point: a spring
 * without length, say. */
static SofaErr compare_tangent(Field *m, const SofaApproximation *left_out, SofaComparisons *c) {
  SofaDifference here, beside;
  double *present = NULL;
  uint32_t random = 4711;
  m->params.k = !m->by_velocity;
  m->params.b = m->by_velocity;
  SOFA_TRY(difference(m, random, &here));
  SofaCheckVerdict verdict = judge(&here, left_out);
  if (verdict == SOFA_CHECK_WRONG && !m->by_velocity) {
    SOFA_TRY(step_aside(m, &random, &present));
    SOFA_TRY(difference(m, random, &beside));
    sofa_copy(m->x, present, m->nx * sizeof *present);
    if (judge(&beside, NULL) == SOFA_CHECK_OK) verdict = SOFA_CHECK_KINK;
  }
  return sofa_compare_add(c, m->by_velocity ? "derivative by velocities" : "tangent", verdict,
                          here.error);
}

/* Beside the present state: at rest any energy has no gradient. */
static SofaErr compare_energy(Field *m, const SofaApproximation *left_out, SofaComparisons *c) {
  double *f = reals(m, m->nv), *present = NULL, gradient = 0, size = 0;
  SofaDifference worst = {0, true}, d;
  uint32_t random = 1789;
  SofaDifferenceSpec spec = {moved_energy, m, 1, &gradient, 0, 0};
  if (!f) return SOFA_ERR_MEMORY;
  SOFA_TRY(step_aside(m, &random, &present));
  for (int i = 0; i < N_DIRECTIONS; i++) {
    choose_direction(m, &random);
    SOFA_TRY(moved_force(m, 0, f));
    gradient = -sofa_check_dot(m->nv, f, m->direction);
    size = 0;
    for (size_t k = 0; k < m->nv; k++) size += fabs(f[k] * m->direction[k]);
    spec.noise = m->noise;
    spec.scale = size;
    SOFA_TRY(sofa_check_differences(m->ctx, &spec, &d));
    keep_worst(&worst, &d);
  }
  sofa_copy(m->x, present, m->nx * sizeof *present);
  if (left_out && !left_out->of_energy) left_out = NULL;
  return sofa_compare_add(c, "energy", judge(&worst, left_out), worst.error);
}

/* d . K e = e . K d. An energy promises that, but of frames, whose derivatives by turns about axes
 * of the world are symmetric where there is no torque. */
static SofaErr compare_symmetry(Field *m, SofaComparisons *c) {
  double *e = reals(m, m->nv), *dd = reals(m, m->nv), *de = reals(m, m->nv), left = 0, right = 0,
         size = 0;
  uint32_t random = 99;
  if (!e || !dd || !de) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n; k++)
    if (info_of(m->ff->state[k])->rigid) return SOFA_OK;
  choose_direction(m, &random);
  sofa_copy(e, m->direction, m->nv * sizeof *e);
  choose_direction(m, &random);
  m->params.k = 1, m->params.b = 0;
  move(m, 0);
  SOFA_TRY(product(m, m->moved, m->swift, e, de));
  SOFA_TRY(product(m, m->moved, m->swift, m->direction, dd));
  for (size_t i = 0; i < m->nv; i++) {
    left += e[i] * dd[i];
    right += m->direction[i] * de[i];
    size += fabs(e[i] * dd[i]);
  }
  const double error = size > 0 ? fabs(left - right) / size : 0;
  return sofa_compare_add(c, "symmetry",
                          error <= SOFA_CHECK_ROUNDING ? SOFA_CHECK_OK : SOFA_CHECK_WRONG, error);
}

/* The matrix over all states; the caller destroys it. */
static SofaErr assemble(Field *m, SofaBlockMatrix **matrix) {
  size_t n = 0, done = 0;
  uint32_t *first = SOFA_SCRATCH(m->ctx, uint32_t, m->n + 1);
  uint8_t *sizes = SOFA_SCRATCH(m->ctx, uint8_t, m->nv + 1);
  SofaTangentPair *pairs = SOFA_SCRATCH(m->ctx, SofaTangentPair, m->n * m->n + 1);
  if (!first || !sizes || !pairs) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n; k++) {
    const size_t same = same_state(m->ff, k);
    first[k] = same < k ? first[same] : (uint32_t)n;
    if (same == k) n += sofa_state_size(m->ff->state[k]);
    for (; done < n; done++) sizes[done] = (uint8_t)info_of(m->ff->state[k])->deriv;
  }
  SOFA_TRY(sofa_block_matrix_create(m->ctx, n, sizes, n, sizes, matrix));
  for (size_t a = 0; a < m->n; a++)
    for (size_t b = 0; b < m->n; b++)
      pairs[a * m->n + b] = (SofaTangentPair){*matrix, first[a], first[b]};
  const SofaTangent tangent = {.pairs = pairs, .n = m->n, .factor = 1};
  const SofaPoint at = point_at(m, m->moved, m->swift);
  sofa_block_matrix_begin(*matrix);
  SOFA_TRY(sofa_force_field_add_k(m->ff, &m->params, &at, &tangent));
  return sofa_block_matrix_end(*matrix);
}

/* The assembled matrix against the product. */
static SofaErr compare_matrix(Field *m, SofaComparisons *c) {
  SofaBlockMatrix *matrix = NULL;
  double *df = reals(m, m->nv), *assembled = reals(m, m->nv), *padded = reals(m, m->nv + 8);
  uint32_t random = 271;
  SofaErr err = df && assembled && padded ? SOFA_OK : SOFA_ERR_MEMORY;
  double error = 0;
  if (err != SOFA_OK) return err;
  m->params.k = 1, m->params.b = 0;
  choose_direction(m, &random);
  move(m, 0);
  SOFA_GO(err, done, product(m, m->moved, m->swift, m->direction, df));
  SOFA_GO(err, done, assemble(m, &matrix));
  sofa_copy(padded, m->direction, m->nv * sizeof *padded);
  sofa_block_matrix_multiply(matrix, padded, assembled, 1);
  const double size = fmax(sofa_check_norm(m->nv, df), sofa_check_norm(m->nv, assembled));
  if (size > 0) error = sofa_check_distance(m->nv, df, assembled) / size;
  err = sofa_compare_add(c, "matrix",
                         error <= SOFA_CHECK_ROUNDING ? SOFA_CHECK_OK : SOFA_CHECK_WRONG, error);
done:
  sofa_block_matrix_destroy(&matrix);
  return err;
}

static bool is_moving(const Field *m) {
  for (size_t i = 0; i < m->nv; i++)
    if (m->v[i] != 0) return true;
  return false;
}

static SofaErr compare_all(Field *m, SofaComparisons *c) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(m->ff);
  const SofaApproximation *left_out = sofa_force_field_approximation(m->ff);
  SOFA_TRY(compare_tangent(m, left_out, c));
  if (ops->add_k && ops->add_dforce && !m->ff->partial_tangent) SOFA_TRY(compare_matrix(m, c));
  if (ops->add_dforce && has_energy(m->ff)) SOFA_TRY(compare_symmetry(m, c));
  if (has_energy(m->ff)) SOFA_TRY(compare_energy(m, left_out, c));
  if (ops->add_b || is_moving(m)) {
    m->by_velocity = true;
    SOFA_TRY(compare_tangent(m, NULL, c));
  }
  if (c->verdict == SOFA_CHECK_KINK)
    SOFA_TRY(sofa_compare_say(c, "the force has a kink here: its one-sided derivatives differ"));
  if (left_out) SOFA_TRY(sofa_compare_say(c, left_out->why));
  return SOFA_OK;
}

static bool is_finite(const Field *m) {
  return isfinite(sofa_check_norm(m->nx, m->x)) && isfinite(sofa_check_norm(m->nv, m->v));
}

SofaErr sofa_check_force_field(SofaForceField *ff, SofaCheckReport *report) {
  SofaContext *ctx = ff->object.ctx;
  const SofaNode *node = ff->object.node;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Field m = {.ctx = ctx, .ff = ff, .params = sofa_mech_params(node->dt, node->time, 0, 0, 1)};
  SofaComparisons c = {.ctx = ctx};
  report->check = "tangent";
  m.params.r = 0;
  m.params.iterates = true;
  while (m.n < ff->n_states && ff->state[m.n]) m.n++;
  SofaErr err = open_field(&m);
  if (err == SOFA_OK && m.nv == 0) {
    c.verdict = SOFA_CHECK_SKIPPED;
    c.error = NAN;
    err = sofa_compare_say(&c, "its states have no points");
  } else if (err == SOFA_OK && !is_finite(&m)) {
    c.verdict = SOFA_CHECK_WRONG;
    c.error = NAN;
    err = sofa_compare_say(&c, "a position or velocity of its states is not finite");
  } else if (err == SOFA_OK) {
    err = compare_all(&m, &c);
    if (err != SOFA_OK && err != SOFA_ERR_MEMORY) {
      c.verdict = SOFA_CHECK_WRONG;
      err = sofa_compare_say(&c, "it cannot be evaluated near this state");
    }
  }
  sofa_force_field_forget_point(ff);
  sofa_scratch_release(ctx, mark);
  if (err == SOFA_OK) return sofa_compare_end(&c, &ff->object, report);
  sofa_list_free(ctx, &c.text);
  return err;
}
