/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inertia of masses below mappings: J^T M J, and what the motion of J adds to it. */
#include "simulation/mapped_inertia.h"

#include "simulation/gyroscopic.h"
#include "simulation/vectors.h"

/* ---- which masses ---- */

static const SofaMapping *mapping_of(const SofaMechanics *m, const SofaState *s) {
  for (size_t i = 0; s->mapped && i < m->n_mappings; i++)
    if (m->mappings[i]->out == s) return m->mappings[i];
  return NULL;
}

bool sofa_mech_mass_counts(const SofaMechanics *m, const SofaState *state) {
  const SofaMapping *map = mapping_of(m, state);
  return !state->mapped || (map && map->map_masses);
}

/* Is the Jacobian of the state by the independent ones a function of positions? */
static bool varies(const SofaMechanics *m, const SofaState *s) {
  const SofaMapping *map = mapping_of(m, s);
  if (!map) return false;
  if (!sofa_mapping_is_constant(map)) return true;
  for (size_t k = 0; k < map->n_inputs; k++)
    if (varies(m, map->inputs[k])) return true;
  return false;
}

static bool is_mapped_mass(const SofaMechanics *m, const SofaMass *mass) {
  const SofaState *s = mass->force_field.state[0];
  return s && s->mechanics == m && s->mapped && sofa_mech_mass_counts(m, s);
}

void sofa_mech_take_mapped_masses(SofaMechanics *m, bool count) {
  m->mapped_masses = m->moving_masses = false;
  for (size_t i = 0; count && i < m->n_masses; i++) {
    const SofaMass *mass = m->masses[i];
    if (!is_mapped_mass(m, mass)) continue;
    m->mapped_masses = true;
    if (mass->turns || varies(m, mass->force_field.state[0])) m->moving_masses = true;
  }
}

/* ---- J^T M J ---- */

/* to += factor M v of the masses of mapped states. */
static SofaErr add_products(SofaMechanics *m, const SofaMechPoint *at, const double *v,
                            double factor, double *to) {
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (!is_mapped_mass(m, mass)) continue;
    const size_t k = mass->force_field.state[0]->v_offset;
    const double *x = sofa_mech_mass_x(m, mass, at);
    SOFA_TRY(sofa_mass_ops(mass)->add_mdx(mass, x, v + k, to + k, factor));
  }
  return SOFA_OK;
}

static bool pulls(const SofaMechanics *m, const SofaMapping *map) {
  return map->map_forces && map->out->mechanics == m;
}

/* Where a vector of the plan holds the values of a state; what belongs to other plans is 0 and
 * dropped. */
static double *part_of(const SofaMechanics *m, const SofaState *s, double *v) {
  return s->mechanics == m ? v + s->v_offset : m->outside;
}
static const double *change_of(const SofaMechanics *m, const SofaState *s, const double *v) {
  return s->mechanics == m ? v + s->v_offset : m->outside_zero;
}

static SofaErr pull(SofaMechanics *m, const SofaMapping *map, const SofaPoint *at, const double *f,
                    double *to) {
  for (size_t k = 0; k < map->n_inputs; k++) m->in[k] = part_of(m, map->inputs[k], to);
  return sofa_mapping_apply_jt((SofaMapping *)(uintptr_t)map, at, f, m->in);
}

/* The main part of to += J^T f of the mapped states. */
static SofaErr pull_all(SofaMechanics *m, const SofaMechPoint *at, double *f, double *to) {
  SOFA_TRY(sofa_mech_pull_back(m, at, f));
  sofa_vec_add(sofa_main_v(m), 1, f, to);
  return SOFA_OK;
}

SofaErr sofa_mech_add_mapped_mdx(SofaMechanics *m, const SofaMechPoint *at, const double *dx,
                                 double factor, double *res) {
  if (!m->mapped_masses) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  double *v = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *f = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  SofaErr err = SOFA_ERR_MEMORY;
  if (!v || !f) goto done;
  sofa_vec_copy(sofa_main_v(m), dx, v);
  sofa_vec_zero(sofa_all_v(m), f);
  SOFA_GO(err, done, sofa_mech_propagate_dx(m, at, v));
  SOFA_GO(err, done, add_products(m, at, v, factor, f));
  err = pull_all(m, at, f, res);
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* ---- the motion of J ----
 *
 * J' is the derivative of J while the inputs move with their velocities: the central difference of
 * fourth order of products with J, at times within a step of the point. Its relative error is
 * 5e-7 (h w)^4 for motions of frequency w, below that of any step that resolves them. */

enum { PARTS = 16, SIDES = 4 }; /* of a step; points */
static const double places[SIDES] = {-2, -1, 1, 2},
                    weights[SIDES] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

typedef struct Motion {
  const SofaMechPoint *at;
  const double *v;
  double e;    /* s, of the difference */
  double *sum; /* reals of one state of the plan */
} Motion;

static double span_of(const SofaMechanics *m) {
  return (m->node->dt > 0 ? m->node->dt : 1e-2) / PARTS;
}

/* The point of the inputs after the time e, in scratch memory. */
static SofaErr moved_point(SofaMechanics *m, const SofaMapping *map, const Motion *motion, double e,
                           SofaPoint *out) {
  const double **x = SOFA_SCRATCH(m->ctx, const double *, map->n_inputs + 1);
  *out = sofa_mech_mapping_point(m, map, motion->at);
  if (!x) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < map->n_inputs; k++) {
    const SofaState *s = map->inputs[k];
    const size_t n = s->position.n * sofa_state_kind_info(s->object.kind)->coord;
    double *place = SOFA_SCRATCH(m->ctx, double, n + 1);
    if (!place) return SOFA_ERR_MEMORY;
    for (size_t c = 0; c < n; c++) place[c] = out->x[k][c];
    sofa_state_integrate(s->object.kind, s->position.n, e, sofa_mech_velocity_of(m, s, motion->v),
                         place);
    x[k] = place;
  }
  out->x = x;
  out->id = sofa_point_id(m->ctx);
  return SOFA_OK;
}

static size_t size_of(const SofaState *s) {
  return s->position.n * sofa_state_kind_info(s->object.kind)->deriv;
}

/* c_out = J c_in + J' v_in: the acceleration of the output for the input's c_in. */
static SofaErr accelerate(SofaMechanics *m, SofaMapping *map, const Motion *motion, double *c) {
  double *to = c + map->out->v_offset;
  const size_t n = size_of(map->out);
  SofaPoint point = sofa_mech_mapping_point(m, map, motion->at);
  for (size_t k = 0; k < map->n_inputs; k++)
    m->in[k] = (double *)(uintptr_t)change_of(m, map->inputs[k], c);
  SOFA_TRY(sofa_mapping_apply_j(map, &point, (const double *const *)m->in, to));
  if (sofa_mapping_is_constant(map)) return SOFA_OK;
  for (int s = 0; s < SIDES; s++) {
    SOFA_TRY(moved_point(m, map, motion, places[s] * motion->e, &point));
    for (size_t k = 0; k < map->n_inputs; k++)
      m->in[k] = (double *)(uintptr_t)sofa_mech_velocity_of(m, map->inputs[k], motion->v);
    SOFA_TRY(sofa_mapping_apply_j(map, &point, (const double *const *)m->in, motion->sum));
    for (size_t i = 0; i < n; i++) to[i] += weights[s] * motion->sum[i] / motion->e;
  }
  return SOFA_OK;
}

/* f -= w x I w of masses of mapped frames that turn. */
static SofaErr subtract_turning(SofaMechanics *m, const Motion *motion, double *f) {
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (!mass->turns || !is_mapped_mass(m, mass)) continue;
    const SofaState *s = mass->force_field.state[0];
    double *inertia = SOFA_SCRATCH(m->ctx, double, 9 * s->position.n + 1);
    if (!inertia) return SOFA_ERR_MEMORY;
    for (size_t k = 0; k < 9 * s->position.n; k++) inertia[k] = 0;
    sofa_mass_ops(mass)->add_inertia(mass, sofa_mech_mass_x(m, mass, motion->at), inertia);
    for (size_t k = 0; k < s->position.n; k++) {
      double torque[3];
      sofa_gyroscopic_torque(inertia + 9 * k, motion->v + s->v_offset + 6 * k + 3, torque);
      for (size_t c = 0; c < 3; c++) f[s->v_offset + 6 * k + 3 + c] += torque[c];
    }
  }
  return SOFA_OK;
}

/* main part of f -= J^T (M J' v + w x I w) */
static SofaErr subtract_acceleration(SofaMechanics *m, const Motion *motion, double *c, double *g,
                                     double *f) {
  sofa_vec_zero(sofa_main_v(m), c);
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->out->mechanics == m) SOFA_TRY(accelerate(m, m->mappings[i], motion, c));
  SOFA_TRY(add_products(m, motion->at, c, -1, g));
  SOFA_TRY(subtract_turning(m, motion, g));
  return pull_all(m, motion->at, g, f);
}

/* g_in += J^T g_out + J'^T p_out, p_in += J^T p_out: the rate and the momentum of an input. */
static SofaErr pull_rate(SofaMechanics *m, SofaMapping *map, const Motion *motion, double *p,
                         double *g) {
  const size_t at = map->out->v_offset, n = size_of(map->out);
  SofaPoint point = sofa_mech_mapping_point(m, map, motion->at);
  SOFA_TRY(pull(m, map, &point, g + at, g));
  if (!sofa_mapping_is_constant(map))
    for (int s = 0; s < SIDES; s++) {
      SOFA_TRY(moved_point(m, map, motion, places[s] * motion->e, &point));
      for (size_t i = 0; i < n; i++) motion->sum[i] = weights[s] * p[at + i] / motion->e;
      SOFA_TRY(pull(m, map, &point, motion->sum, g));
    }
  point = sofa_mech_mapping_point(m, map, motion->at);
  return pull(m, map, &point, p + at, p);
}

/* main part of f += J'^T M J v */
static SofaErr add_rate(SofaMechanics *m, const Motion *motion, double *p, double *g, double *f) {
  sofa_vec_zero(sofa_all_v(m), p);
  SOFA_TRY(add_products(m, motion->at, motion->v, 1, p));
  for (size_t i = m->n_mappings; i-- > 0;)
    if (pulls(m, m->mappings[i])) SOFA_TRY(pull_rate(m, m->mappings[i], motion, p, g));
  sofa_vec_add(sofa_main_v(m), 1, g, f);
  return SOFA_OK;
}

SofaErr sofa_mech_add_transport(SofaMechanics *m, const SofaMechPoint *at, const double *v,
                                SofaTransport form, double *f) {
  if (!m->moving_masses) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  double *mapped = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *a = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *b = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *sum = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  const Motion motion = {at, mapped, span_of(m), sum};
  SofaErr err = SOFA_ERR_MEMORY;
  if (!mapped || !a || !b || !sum) goto done;
  sofa_vec_copy(sofa_main_v(m), v, mapped);
  sofa_vec_zero(sofa_all_v(m), b);
  SOFA_GO(err, done, sofa_mech_propagate_dx(m, at, mapped));
  err = form == SOFA_TRANSPORT_OF_MOMENTUM ? add_rate(m, &motion, a, b, f)
                                           : subtract_acceleration(m, &motion, a, b, f);
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}
