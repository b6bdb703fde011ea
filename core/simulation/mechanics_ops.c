/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mechanical operations: forces, products, projections, mappings over the vectors of a plan. */
#include <float.h>
#include <math.h>

#include "base/profiler.h"
#include "math/isa.h"
#include "simulation/check_kernels_impl.h"
#include "simulation/divided_plan.h"
#include "simulation/gyroscopic.h"
#include "simulation/mapped_inertia.h"
#include "simulation/vectors.h"

/* Where a vector of the plan holds the values of a state; states of other plans keep their own. */
static const double *x_of(const SofaMechanics *m, const SofaState *s, const double *x) {
  return s->mechanics == m ? x + s->x_offset : s->position.data;
}
/* changes of a state that is not ours are zero */
static const double *dx_of(const SofaMechanics *m, const SofaState *s, const double *dx) {
  return s->mechanics == m ? dx + s->v_offset : m->outside_zero;
}
/* forces on a state that is not ours are dropped */
static double *f_of(const SofaMechanics *m, const SofaState *s, double *f) {
  return s->mechanics == m ? f + s->v_offset : m->outside;
}

static void add_external(const SofaMechanics *m, double *f) {
  for (size_t i = 0; i < m->n_states; i++) {
    const SofaState *s = m->states[i];
    const size_t size = s->external_force.n * s->external_force.width;
    if (s->external_force.n != s->position.n) continue;
    double *to = f + s->v_offset;
    const size_t n = m->divided ? sofa_state_n_owned(s) * s->external_force.width : size;
    for (size_t k = 0; k < n; k++) to[k] += s->external_force.data[k];
  }
}

/* ---- points ---- */

SofaMechPoint sofa_mech_point(SofaMechanics *m, const double *x, const double *v, double time) {
  return (SofaMechPoint){.x = x, .v = v, .time = time, .id = sofa_point_id(m->ctx)};
}

SofaPoint sofa_mech_field_point(SofaMechanics *m, const SofaForceField *ff,
                                const SofaMechPoint *at) {
  size_t n = 0;
  for (; n < ff->n_states && ff->state[n]; n++) {
    m->at_x[n] = x_of(m, ff->state[n], at->x);
    m->at_v[n] = sofa_mech_velocity_of(m, ff->state[n], at->v);
  }
  return (SofaPoint){.x = m->at_x, .v = m->at_v, .n = n, .time = at->time, .id = at->id};
}

SofaPoint sofa_mech_mapping_point(SofaMechanics *m, const SofaMapping *map,
                                  const SofaMechPoint *at) {
  for (size_t k = 0; k < map->n_inputs; k++) {
    m->at_x[k] = x_of(m, map->inputs[k], at->x);
    m->at_v[k] = sofa_mech_velocity_of(m, map->inputs[k], at->v);
  }
  return (SofaPoint){
      .x = m->at_x, .v = m->at_v, .n = map->n_inputs, .time = at->time, .id = at->id};
}

const double *sofa_mech_mass_x(const SofaMechanics *m, const SofaMass *mass,
                               const SofaMechPoint *at) {
  const SofaState *s = mass->force_field.state[0];
  return x_of(m, s, at->x_mass && !s->mapped ? at->x_mass : at->x);
}

static SofaErr add_mass_product(SofaMechanics *m, SofaMass *mass, const SofaMechParams *p,
                                const SofaMechPoint *at, const double *dx, double *df) {
  const double factor = sofa_mfactor(mass, p);
  const SofaState *s = mass->force_field.state[0];
  if (factor == 0 || s->mechanics != m || !sofa_mech_mass_counts(m, s)) return SOFA_OK;
  return sofa_mass_ops(mass)->add_mdx(mass, sofa_mech_mass_x(m, mass, at), dx + s->v_offset,
                                      df + s->v_offset, factor);
}

/* f += (r_K K - r_M M) v of a component with its own Rayleigh factors. */
static SofaErr add_own_damping(SofaMechanics *m, SofaForceField *ff, const SofaMechParams *params,
                               const SofaMechPoint *at, double *f) {
  SofaMechParams own = sofa_mech_params(params->dt, params->time, 0, 0, 0);
  own.r = 1;
  if (ff->rayleigh_stiffness != 0) {
    const SofaPoint point = sofa_mech_field_point(m, ff, at);
    for (size_t k = 0; k < point.n; k++) m->at_f[k] = f_of(m, ff->state[k], f);
    SOFA_TRY(sofa_force_field_add_dforce(ff, &own, &point, point.v, m->at_f));
  }
  return ff->mass_ops ? add_mass_product(m, (SofaMass *)ff, &own, at, at->v, f) : SOFA_OK;
}

SofaErr sofa_mech_pull_back(SofaMechanics *m, const SofaMechPoint *at, double *f) {
  for (size_t i = m->n_mappings; i-- > 0;) {
    SofaMapping *map = m->mappings[i];
    if (!map->map_forces || map->out->mechanics != m) continue;
    for (size_t k = 0; k < map->n_inputs; k++) m->in[k] = f_of(m, map->inputs[k], f);
    const SofaPoint point = sofa_mech_mapping_point(m, map, at);
    SOFA_TRY(sofa_mapping_apply_jt(map, &point, f + map->out->v_offset, m->in));
  }
  return SOFA_OK;
}

/* A field by points adds to copies of a point on all processes: those of other owners are kept as
 * they are. The first state's entries in a vector, in scratch memory; NULL: nothing is kept. */
typedef struct Others {
  double *at, *kept;
  size_t n;
} Others;

static SofaErr keep_others(const SofaMechanics *m, const SofaForceField *ff, double *f,
                           Others *out) {
  const SofaState *s = ff->state[0];
  *out = (Others){0};
  if (!m->divided || sofa_class_divided(ff->object.klass) != SOFA_DIVIDED_BY_POINTS || !s)
    return SOFA_OK;
  const size_t width = sofa_state_kind_info(s->object.kind)->deriv;
  const size_t n_owned = sofa_state_n_owned(s);
  *out = (Others){.at = f + n_owned * width, .n = (s->position.n - n_owned) * width};
  out->kept = SOFA_SCRATCH(m->ctx, double, out->n + 1);
  if (!out->kept) return SOFA_ERR_MEMORY;
  sofa_copy(out->kept, out->at, out->n * sizeof *out->kept);
  return SOFA_OK;
}

static void restore_others(const Others *others) {
  if (others->kept) sofa_copy(others->at, others->kept, others->n * sizeof *others->kept);
}

static SofaErr add_field(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                         SofaForceField *ff, double *f) {
  const SofaPoint point = sofa_mech_field_point(m, ff, at);
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  Others others;
  for (size_t k = 0; k < point.n; k++) m->at_f[k] = f_of(m, ff->state[k], f);
  SofaErr err = keep_others(m, ff, m->at_f[0], &others);
  if (err == SOFA_OK) err = sofa_force_field_add_force(ff, p, &point, m->at_f);
  if (err == SOFA_OK && m->own_damping) err = add_own_damping(m, ff, p, at, f);
  if (err == SOFA_OK) restore_others(&others);
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* Of the fields that `only` holds for; NULL: of all. */
static SofaErr add_fields(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                          bool (*only)(const SofaForceField *ff), double *f) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    if (only && !only(ff)) continue;
    sofa_timer_begin(m->ctx, ff->object.klass->name);
    const SofaErr err = add_field(m, p, at, ff, f);
    sofa_timer_end(m->ctx);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

static bool is_load(const SofaForceField *ff) {
  return sofa_force_field_is_load(ff);
}

static bool is_no_load(const SofaForceField *ff) {
  return !sofa_force_field_is_load(ff);
}

static SofaErr forces(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                      double *f) {
  const bool scaled = m->load_factor != 1;
  sofa_vec_zero(sofa_all_v(m), f);
  add_external(m, f);
  if (scaled) {
    SOFA_TRY(add_fields(m, p, at, is_load, f));
    sofa_vec_scale(sofa_all_v(m), m->load_factor, f);
  }
  SOFA_TRY(add_fields(m, p, at, scaled ? is_no_load : NULL, f));
  SOFA_TRY(sofa_mech_pull_back(m, at, f));
  return sofa_divided_sum(m, f);
}

SofaErr sofa_mech_compute_loads(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                                double *f) {
  sofa_vec_zero(sofa_all_v(m), f);
  add_external(m, f);
  SOFA_TRY(add_fields(m, p, at, is_load, f));
  SOFA_TRY(sofa_mech_pull_back(m, at, f));
  return sofa_divided_sum(m, f);
}

SofaErr sofa_mech_compute_force(SofaMechanics *m, const SofaMechParams *p, SofaMechPoint *at,
                                double *f) {
  at->f = NULL;
  SOFA_TRY(forces(m, p, at, f));
  at->f = f;
  return SOFA_OK;
}

SofaErr sofa_mech_forces_at(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                            const double **f) {
  *f = at->f ? at->f : m->point_f;
  if (at->f || !m->point_f || (at->id != 0 && m->point_f_id == at->id)) return SOFA_OK;
  m->point_f_id = 0;
  SOFA_TRY(forces(m, p, at, m->point_f));
  m->point_f_id = at->id;
  return SOFA_OK;
}

SofaErr sofa_mech_accept(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    const SofaPoint point = sofa_mech_field_point(m, m->force_fields[i], at);
    SOFA_TRY(sofa_force_field_accept(m->force_fields[i], p, &point));
  }
  return SOFA_OK;
}

/* ---- products ---- */

static SofaErr add_force_field_product(SofaMechanics *m, SofaForceField *ff,
                                       const SofaMechParams *p, const SofaMechPoint *at,
                                       const double *dx, double *df) {
  if (sofa_kfactor(ff, p) == 0 && p->b == 0) return SOFA_OK;
  const SofaPoint point = sofa_mech_field_point(m, ff, at);
  for (size_t k = 0; k < point.n; k++) {
    m->at_dx[k] = dx_of(m, ff->state[k], dx);
    m->at_f[k] = f_of(m, ff->state[k], df);
  }
  SofaMechParams scaled = *p;
  scaled.k *= sofa_mech_load_factor(m, ff);
  return sofa_force_field_add_dforce(ff, &scaled, &point, m->at_dx, m->at_f);
}

SofaErr sofa_mech_mapped_force(SofaMechanics *m, const SofaMapping *map, const double *f,
                               const double **out) {
  const SofaCoords *more = &map->out->constraint_force;
  const size_t n = more->n * more->width, at = map->out->v_offset;
  *out = f + at;
  if (n == 0) return SOFA_OK;
  if (!m->total_f) SOFA_TRY(sofa_mechanics_work(m, &m->total_f));
  for (size_t i = 0; i < n; i++) m->total_f[at + i] = f[at + i] + more->data[i];
  *out = m->total_f + at;
  return SOFA_OK;
}

static SofaErr pull_back_products(SofaMechanics *m, const SofaMechParams *p,
                                  const SofaMechPoint *at, const double *dx, double *df) {
  for (size_t i = m->n_mappings; i-- > 0;) {
    SofaMapping *map = m->mappings[i];
    const SofaMappingOps *ops = sofa_mapping_ops(map);
    const double *f = NULL;
    if (!map->map_forces || map->out->mechanics != m) continue;
    if (ops->apply_djt && p->k != 0) SOFA_TRY(sofa_mech_forces_at(m, p, at, &f));
    for (size_t k = 0; k < map->n_inputs; k++) {
      m->in[k] = f_of(m, map->inputs[k], df);
      m->in2[k] = (double *)(uintptr_t)dx_of(m, map->inputs[k], dx);
    }
    const SofaPoint point = sofa_mech_mapping_point(m, map, at);
    SOFA_TRY(sofa_mapping_apply_jt(map, &point, df + map->out->v_offset, m->in));
    if (!ops->apply_djt || p->k == 0) continue;
    if (map->djt_of_product) f = df + map->out->v_offset;
    else SOFA_TRY(sofa_mech_mapped_force(m, map, f, &f));
    SOFA_TRY(sofa_mapping_apply_djt(map, &point, p->k, f, (const double *const *)m->in2, m->in));
  }
  return SOFA_OK;
}

static SofaErr add_products(SofaMechanics *m, SofaForceField *ff, const SofaMechParams *p,
                            const SofaMechPoint *at, const double *dx, double *df) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  Others others = {0};
  SofaErr err = SOFA_OK;
  if (ff->state[0]) err = keep_others(m, ff, f_of(m, ff->state[0], df), &others);
  if (err == SOFA_OK) err = add_force_field_product(m, ff, p, at, dx, df);
  if (err == SOFA_OK && ff->mass_ops) err = add_mass_product(m, (SofaMass *)ff, p, at, dx, df);
  restore_others(&others);
  sofa_scratch_release(m->ctx, mark);
  return err;
}

SofaErr sofa_mech_add_mbk(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                          const double *dx, double *df) {
  sofa_vec_zero(sofa_mapped_v(m), df);
  sofa_divided_open(m, df);
  for (size_t i = 0; i < m->n_force_fields; i++)
    SOFA_TRY(add_products(m, m->force_fields[i], p, at, dx, df));
  SOFA_TRY(pull_back_products(m, p, at, dx, df));
  return sofa_divided_sum(m, df);
}

/* The largest place of a state along an axis. */
static double size_of(const SofaState *s, const double *x, size_t dims) {
  const size_t width = sofa_state_kind_info(s->object.kind)->coord;
  double size = 0;
  for (size_t k = 0; k < s->position.n; k++)
    for (size_t a = 0; a < dims; a++) {
      const double one = fabs(x[k * width + a]);
      size = one > size ? one : size;
    }
  return size;
}

/* Numbers of a linear congruential generator: the next four follow from the last four, each from
 * its own. */
enum { STREAMS = 4 };
typedef struct Streams {
  uint64_t bits[STREAMS], factor, addend;
  unsigned at;
} Streams;

static Streams streams(uint64_t bits) {
  const uint64_t factor = 6364136223846793005u, addend = 1442695040888963407u;
  Streams s = {.factor = 1, .addend = 0};
  for (int i = 0; i < STREAMS; i++) {
    s.bits[i] = bits = bits * factor + addend;
    s.addend = s.addend * factor + addend;
    s.factor *= factor;
  }
  return s;
}

static inline uint64_t next(Streams *s) {
  uint64_t *own = &s->bits[s->at];
  const uint64_t now = *own;
  *own = now * s->factor + s->addend;
  s->at = (s->at + 1) % STREAMS;
  return now;
}

/* Of signs without a pattern, so that no rigid motion is among them. */
static void fill_roundings(const SofaMechanics *m, const double *x, double *d) {
  Streams s = streams(0x9e3779b97f4a7c15u);
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *state = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
    const size_t dims = kind->rigid ? kind->space : kind->deriv, n = state->position.n;
    const double size = DBL_EPSILON * size_of(state, x + state->x_offset, dims);
    double *to = d + state->v_offset;
    for (size_t k = 0; k < n; k++)
      for (size_t a = 0; a < kind->deriv; a++)
        *to++ = copysign(a < dims ? size : DBL_EPSILON, next(&s) >> 63 ? 1.0 : -1.0);
  }
}

SofaErr sofa_mech_rounding(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                           double *square) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const SofaMechParams k = sofa_mech_params(p->dt, p->time, 0, 0, 1);
  SofaErr err = SOFA_ERR_MEMORY;
  double *d = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *f = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  if (!d || !f) goto done;
  fill_roundings(m, at->x, d);
  SOFA_GO(err, done, sofa_divided_copy(m, d));
  sofa_vec_zero(sofa_all_v(m), f);
  SOFA_GO(err, done, sofa_mech_propagate_dx(m, at, d));
  SOFA_GO(err, done, sofa_mech_add_mbk(m, &k, at, d, f));
  *square = sofa_vec_dot(sofa_main_v(m), f, f);
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* ---- projections ---- */

/* Does the constraint hold a state of this plan? */
static bool constrains(const SofaMechanics *m, const SofaProjective *c) {
  return (c->state && c->state->mechanics == m) || (c->second && c->second->mechanics == m);
}
/* responses of a state that is not ours are zero and dropped */
static double *response_of(const SofaMechanics *m, const SofaState *s, double *r) {
  if (!s) return NULL;
  if (s->mechanics == m) return r + s->v_offset;
  sofa_zero(m->outside, m->outside_size * sizeof *m->outside);
  return m->outside;
}

SofaErr sofa_mech_project_one(SofaMechanics *m, SofaProjective *c, const SofaMechParams *p,
                              double *r) {
  if (!constrains(m, c)) return SOFA_OK;
  return sofa_projective_apply(c, SOFA_PROJECT_RESPONSE, p, response_of(m, c->state, r),
                               response_of(m, c->second, r));
}

SofaErr sofa_mech_project_response(SofaMechanics *m, const SofaMechParams *p, double *r) {
  for (size_t i = 0; i < m->n_constraints; i++)
    SOFA_TRY(sofa_mech_project_one(m, m->constraints[i], p, r));
  return SOFA_OK;
}

SofaErr sofa_mech_project_position(SofaMechanics *m, const SofaMechParams *p, double *x) {
  for (size_t i = 0; i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (!constrains(m, c)) continue;
    double *first = (double *)(uintptr_t)x_of(m, c->state, x);
    double *second = c->second ? (double *)(uintptr_t)x_of(m, c->second, x) : NULL;
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_POSITION, p, first, second));
  }
  return SOFA_OK;
}

static bool holds(const SofaProjective *c) {
  const SofaProjectiveOps *ops = sofa_projective_ops(c);
  return ops->pair ? ops->pair->response != NULL : ops->response != NULL;
}

SofaErr sofa_mech_move_held(SofaMechanics *m, const SofaMechParams *p, double *x) {
  for (size_t i = 0; i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (!constrains(m, c) || !holds(c)) continue;
    double *first = (double *)(uintptr_t)x_of(m, c->state, x);
    double *second = c->second ? (double *)(uintptr_t)x_of(m, c->second, x) : NULL;
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_POSITION, p, first, second));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_project_velocity(SofaMechanics *m, const SofaMechParams *p, double *v) {
  for (size_t i = 0; i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (!constrains(m, c)) continue;
    double *first = (double *)(uintptr_t)sofa_mech_velocity_of(m, c->state, v);
    double *second = c->second ? (double *)(uintptr_t)sofa_mech_velocity_of(m, c->second, v) : NULL;
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_VELOCITY, p, first, second));
  }
  return SOFA_OK;
}

/* ---- mappings ---- */

SofaErr sofa_mech_propagate_x(SofaMechanics *m, const SofaMechPoint *at, double *x) {
  for (size_t i = 0; i < m->n_mappings; i++) {
    SofaMapping *map = m->mappings[i];
    if (map->out->mechanics != m) continue;
    const SofaPoint point = sofa_mech_mapping_point(m, map, at);
    SOFA_TRY(sofa_mapping_apply(map, &point, x + map->out->x_offset));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_propagate_dx(SofaMechanics *m, const SofaMechPoint *at, double *dx) {
  for (size_t i = 0; i < m->n_mappings; i++) {
    SofaMapping *map = m->mappings[i];
    if (map->out->mechanics != m) continue;
    for (size_t k = 0; k < map->n_inputs; k++)
      m->in[k] = (double *)(uintptr_t)dx_of(m, map->inputs[k], dx);
    const SofaPoint point = sofa_mech_mapping_point(m, map, at);
    SOFA_TRY(
        sofa_mapping_apply_j(map, &point, (const double *const *)m->in, dx + map->out->v_offset));
  }
  return SOFA_OK;
}

/* ---- masses and energies ---- */

void sofa_mech_integrate_x(SofaMechanics *m, double h, const double *v, double *x) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    sofa_state_integrate(s->object.kind, s->position.n, h, v + s->v_offset, x + s->x_offset);
  }
}

static bool is_main(const SofaMechanics *m, const SofaMass *mass) {
  const SofaState *s = mass->force_field.state[0];
  return s && s->mechanics == m && !s->mapped;
}

static SofaErr add_one_mdx(SofaMechanics *m, SofaMass *mass, const SofaMechPoint *at,
                           const double *dx, double factor, double *res) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const size_t to = mass->force_field.state[0]->v_offset;
  const double *x = sofa_mech_mass_x(m, mass, at);
  Others others;
  SofaErr err = keep_others(m, &mass->force_field, res + to, &others);
  if (err == SOFA_OK) err = sofa_mass_ops(mass)->add_mdx(mass, x, dx + to, res + to, factor);
  restore_others(&others);
  sofa_scratch_release(m->ctx, mark);
  return err;
}

SofaErr sofa_mech_add_mdx(SofaMechanics *m, const SofaMechPoint *at, const double *dx,
                          double factor, double *res) {
  sofa_divided_open(m, res);
  for (size_t i = 0; i < m->n_masses; i++)
    if (is_main(m, m->masses[i])) SOFA_TRY(add_one_mdx(m, m->masses[i], at, dx, factor, res));
  SOFA_TRY(sofa_mech_add_mapped_mdx(m, at, dx, factor, res));
  return sofa_divided_sum(m, res);
}

SofaErr sofa_mech_acc_from_f(SofaMechanics *m, const SofaMechPoint *at, const double *f,
                             double *a) {
  sofa_vec_zero(sofa_all_v(m), a);
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (!is_main(m, mass)) continue;
    const SofaMassOps *ops = sofa_mass_ops(mass);
    const size_t to = mass->force_field.state[0]->v_offset;
    if (!ops->acc_from_f)
      return sofa_object_unsupported(&mass->force_field.object,
                                     "dividing a force by this mass (it is not diagonal)");
    SOFA_TRY(ops->acc_from_f(mass, sofa_mech_mass_x(m, mass, at), f + to, a + to));
  }
  return m->n_constraints ? sofa_mech_held_spins(m, at, f, a) : SOFA_OK;
}

bool sofa_mech_masses_diagonal(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_masses; i++) {
    const SofaMass *mass = m->masses[i];
    if (!is_main(m, mass) || !sofa_mass_ops(mass)->is_diagonal(mass)) return false;
  }
  return true;
}

/* Does a field act on copies of points, of which one counts? */
static bool counts_copies(const SofaMechanics *m, const SofaForceField *ff) {
  return m->divided && ff->state[0] && sofa_state_division(ff->state[0]) &&
         sofa_class_divided(ff->object.klass) == SOFA_DIVIDED_BY_POINTS;
}

bool sofa_mech_has_potential(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    const SofaForceField *ff = m->force_fields[i];
    const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
    if (ff->state[0] && ops && !ops->potential_energy && !ff->mass_ops) return false;
    if (counts_copies(m, ff) && ops && ops->potential_energy && !ops->is_load && !ops->own_points)
      return false;
  }
  return true;
}

/* kinetic, potential += those of one field at a point. */
static SofaErr add_energies(SofaMechanics *m, const SofaMechParams *p, SofaForceField *ff,
                            const SofaPoint *point, double *kinetic, double *potential) {
  if (ff->mass_ops) {
    SofaMass *mass = (SofaMass *)ff;
    *kinetic += sofa_mass_ops(mass)->kinetic_energy(mass, point->x[0], point->v[0]);
    if (!mass->gravity_apart)
      *potential +=
          sofa_mech_load_factor(m, ff) *
          sofa_mass_ops(mass)->potential_energy(mass, point->x[0], ff->object.node->gravity.v);
  }
  double energy = 0; // also of elements that are a mass, too
  SOFA_TRY(sofa_force_field_potential_energy(ff, p, point, &energy));
  *potential += sofa_mech_load_factor(m, ff) * energy;
  return SOFA_OK;
}

/* Masses and loads by points: those of other owners are at rest at the origin, where they have no
 * energy. Fields that count this process's points themselves need no such place. */
static SofaErr add_owned_energies(SofaMechanics *m, const SofaMechParams *p, SofaForceField *ff,
                                  const SofaPoint *point, double *kinetic, double *potential) {
  const SofaState *s = ff->state[0];
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  const size_t n = s->position.n, n_owned = sofa_state_n_owned(s);
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (ops->own_points && !ff->mass_ops) return add_energies(m, p, ff, point, kinetic, potential);
  if (ops->potential_energy && !ops->is_load)
    return sofa_object_unsupported(&ff->object,
                                   "its energy on a mesh that is divided among processes");
  double *x = SOFA_SCRATCH(m->ctx, double, n * kind->coord + 1);
  double *v = SOFA_SCRATCH(m->ctx, double, n * kind->deriv + 1);
  if (!x || !v) return SOFA_ERR_MEMORY;
  sofa_zero(x, n * kind->coord * sizeof *x);
  sofa_zero(v, n * kind->deriv * sizeof *v);
  sofa_copy(x, point->x[0], n_owned * kind->coord * sizeof *x);
  sofa_copy(v, point->v[0], n_owned * kind->deriv * sizeof *v);
  const double *const at_x[1] = {x}, *const at_v[1] = {v};
  const SofaPoint owned = {.x = at_x, .v = at_v, .n = 1, .time = point->time, .id = 0};
  return add_energies(m, p, ff, &owned, kinetic, potential);
}

static bool is_counted(const SofaMechanics *m, const SofaForceField *ff) {
  return !m->divided || sofa_state_division(ff->state[0]) || sofa_process_rank(m->ctx) == 0;
}

SofaErr sofa_mech_energies(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                           double *kinetic, double *potential) {
  *kinetic = *potential = 0;
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    if (!ff->state[0]) continue;
    if (!is_counted(m, ff)) continue;
    const SofaPoint point = sofa_mech_field_point(m, ff, at);
    const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
    const SofaErr err = counts_copies(m, ff)
                            ? add_owned_energies(m, p, ff, &point, kinetic, potential)
                            : add_energies(m, p, ff, &point, kinetic, potential);
    sofa_scratch_release(m->ctx, mark);
    if (err != SOFA_OK) return err;
  }
  double sums[2] = {*kinetic, *potential};
  if (m->divided) SOFA_TRY(sofa_process_sum(m->ctx, 2, sums));
  *kinetic = sums[0];
  *potential = sums[1];
  return SOFA_OK;
}

void sofa_mech_separate_gravity(SofaMechanics *m, double dt, double *v) {
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (mass->gravity_apart && is_main(m, mass))
      sofa_mass_add_gravity_to_v(mass, dt, v + mass->force_field.state[0]->v_offset);
  }
}

static SofaErr bad_position(const SofaState *s, size_t point, double value, double time) {
  if (!isfinite(value))
    return sofa_object_fail(&s->object, SOFA_ERR_NOT_FINITE,
                            "position of point %zu is not finite after the step from t = %g s",
                            point, time);
  return sofa_object_fail(&s->object, SOFA_ERR_RANGE,
                          "position of point %zu is %g after the step from t = %g s, beyond any "
                          "scale of the scene (the solver's runawayFactor moves the limit)",
                          point, value, time);
}

static bool are_within(const SofaContext *ctx, const double *x, size_t n, double limit) {
  static SofaAreWithin *const variants[] = SOFA_VARIANTS(sofa_are_within);
  return variants[sofa_isa(ctx)](x, n, limit);
}

static SofaErr check_positions(const SofaState *s, const double *x, double limit, double time) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  const size_t n = s->position.n * kind->coord;
  // most are right, and points have no other numbers than places
  if (are_within(s->object.ctx, x, n, kind->coord == kind->space ? limit : fmin(limit, DBL_MAX)))
    return SOFA_OK;
  for (size_t i = 0; i < s->position.n; i++)
    for (unsigned k = 0; k < kind->coord; k++)
      if (!(fabs(x[i * kind->coord + k]) <= (k < kind->space ? limit : DBL_MAX)))
        return bad_position(s, i, x[i * kind->coord + k], time);
  return SOFA_OK;
}

static SofaErr check_states(const SofaMechanics *m, const SofaMechLimits *limits, double time) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    SOFA_TRY(check_positions(s, m->x + s->x_offset, kind->space > 1 ? limits->space : limits->flat,
                             time));
    const size_t n = s->position.n * kind->deriv;
    if (are_within(m->ctx, m->v + s->v_offset, n, DBL_MAX)) continue;
    for (size_t k = 0; k < n; k++)
      if (!isfinite(m->v[s->v_offset + k]))
        return sofa_object_fail(&s->object, SOFA_ERR_NOT_FINITE,
                                "velocity of point %zu is not finite after the step from t = %g s",
                                k / kind->deriv, time);
  }
  return SOFA_OK;
}

SofaErr sofa_mech_check_states(const SofaMechanics *m, const SofaMechLimits *limits, double time) {
  const SofaErr err = check_states(m, limits, time);
  double worst = (double)err;
  if (!m->divided) return err;
  SOFA_TRY(sofa_process_max(m->ctx, 1, &worst)); /* all processes give up the same step */
  return err != SOFA_OK ? err : (SofaErr)(int)worst;
}
