/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mechanical operations: forces, products, projections, mappings over the vectors of a plan. */
#include <math.h>
#include <string.h>

#include "base/profiler.h"
#include "simulation/mechanics.h"

/* Where a vector of the plan holds the values of a state; states of other plans keep their own. */
static const double *x_of(const SofaMechanics *m, const SofaState *s, const double *x) {
  return s->mechanics == m ? x + s->x_offset : s->position.data;
}
static const double *v_of(const SofaMechanics *m, const SofaState *s, const double *v) {
  return s->mechanics == m ? v + s->v_offset : s->velocity.data;
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
    for (size_t k = 0; k < size; k++) to[k] += s->external_force.data[k];
  }
}

static SofaPoint bridge(SofaMechanics *m, const SofaMapping *map, const double *x) {
  for (size_t k = 0; k < map->n_inputs; k++)
    m->in3[k] = (double *)(uintptr_t)x_of(m, map->inputs[k], x);
  return (SofaPoint){.x = (const double *const *)m->in3, .n = map->n_inputs};
}

/* f_in += J^T f_out of every mapping that carries forces, children before parents. */
static SofaErr pull_back(SofaMechanics *m, const double *x, double *f) {
  for (size_t i = m->n_mappings; i-- > 0;) {
    SofaMapping *map = m->mappings[i];
    if (!map->map_forces || map->out->mechanics != m) continue;
    for (size_t k = 0; k < map->n_inputs; k++) m->in[k] = f_of(m, map->inputs[k], f);
    const SofaPoint at = bridge(m, map, x);
    SOFA_TRY(sofa_mapping_apply_jt(map, &at, f + map->out->v_offset, m->in));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_compute_force(SofaMechanics *m, const SofaMechParams *p, const double *x,
                                const double *v, double *f) {
  memset(f, 0, m->n_v * sizeof *f);
  add_external(m, f);
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    SofaForceArgs args = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int k = 0; k < 2 && ff->state[k]; k++) {
      args.x[k] = x_of(m, ff->state[k], x);
      args.v[k] = v_of(m, ff->state[k], v);
      args.f[k] = f_of(m, ff->state[k], f);
    }
    sofa_timer_begin(m->ctx, ff->object.klass->name);
    const SofaErr err = sofa_force_field_ops(ff)->add_force(ff, p, &args);
    sofa_timer_end(m->ctx);
    if (err != SOFA_OK) return err;
  }
  return pull_back(m, x, f);
}

static SofaErr add_force_field_product(SofaMechanics *m, SofaForceField *ff,
                                       const SofaMechParams *p, const double *dx, double *df) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->add_dforce || (sofa_kfactor(ff, p) == 0 && p->b == 0)) return SOFA_OK;
  SofaDForceArgs args = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
  for (int k = 0; k < 2 && ff->state[k]; k++) {
    args.x[k] = x_of(m, ff->state[k], m->x);
    args.dx[k] = dx_of(m, ff->state[k], dx);
    args.df[k] = f_of(m, ff->state[k], df);
  }
  return ops->add_dforce(ff, p, &args);
}

/* Do masses at this state count in products? Below mappings only with map_masses. */
static bool mass_counts(const SofaMechanics *m, const SofaState *state) {
  if (!state->mapped) return true;
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->out == state) return m->mappings[i]->map_masses;
  return false;
}

static SofaErr add_mass_product(SofaMechanics *m, SofaMass *mass, const SofaMechParams *p,
                                const double *dx, double *df) {
  const double factor = sofa_mfactor(mass, p);
  const SofaState *s = mass->force_field.state[0];
  if (factor == 0 || s->mechanics != m || !mass_counts(m, s)) return SOFA_OK;
  return sofa_mass_ops(mass)->add_mdx(mass, dx + s->v_offset, df + s->v_offset, factor);
}

static SofaErr pull_back_products(SofaMechanics *m, const SofaMechParams *p, const double *dx,
                                  double *df) {
  for (size_t i = m->n_mappings; i-- > 0;) {
    SofaMapping *map = m->mappings[i];
    const SofaMappingOps *ops = sofa_mapping_ops(map);
    if (!map->map_forces || map->out->mechanics != m) continue;
    for (size_t k = 0; k < map->n_inputs; k++) {
      m->in[k] = f_of(m, map->inputs[k], df);
      m->in2[k] = (double *)(uintptr_t)dx_of(m, map->inputs[k], dx);
    }
    const SofaPoint at = bridge(m, map, m->x);
    SOFA_TRY(sofa_mapping_apply_jt(map, &at, df + map->out->v_offset, m->in));
    if (ops->apply_djt && p->k != 0)
      SOFA_TRY(sofa_mapping_apply_djt(map, &at, p->k,
                                      (map->djt_of_product ? df : m->f) + map->out->v_offset,
                                      (const double *const *)m->in2, m->in));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_add_mbk(SofaMechanics *m, const SofaMechParams *p, const double *dx, double *df) {
  memset(df + m->n_v_main, 0, (m->n_v - m->n_v_main) * sizeof *df);
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    SOFA_TRY(add_force_field_product(m, ff, p, dx, df));
    if (sofa_implements(&ff->object, SOFA_MASS))
      SOFA_TRY(add_mass_product(m, (SofaMass *)ff, p, dx, df));
  }
  return pull_back_products(m, p, dx, df);
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
  memset(m->outside, 0, m->outside_size * sizeof *m->outside);
  return m->outside;
}

SofaErr sofa_mech_project_response(SofaMechanics *m, const SofaMechParams *p, double *r) {
  for (size_t i = 0; i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (!constrains(m, c)) continue;
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_RESPONSE, p, response_of(m, c->state, r),
                                   response_of(m, c->second, r)));
  }
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

SofaErr sofa_mech_project_velocity(SofaMechanics *m, const SofaMechParams *p, double *v) {
  for (size_t i = 0; i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (!constrains(m, c)) continue;
    double *first = (double *)(uintptr_t)v_of(m, c->state, v);
    double *second = c->second ? (double *)(uintptr_t)v_of(m, c->second, v) : NULL;
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_VELOCITY, p, first, second));
  }
  return SOFA_OK;
}

/* ---- mappings ---- */

SofaErr sofa_mech_propagate_x(SofaMechanics *m, double *x) {
  for (size_t i = 0; i < m->n_mappings; i++) {
    SofaMapping *map = m->mappings[i];
    if (map->out->mechanics != m) continue;
    const SofaPoint at = bridge(m, map, x);
    SOFA_TRY(sofa_mapping_apply(map, &at, x + map->out->x_offset));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_propagate_dx(SofaMechanics *m, double *dx) {
  for (size_t i = 0; i < m->n_mappings; i++) {
    SofaMapping *map = m->mappings[i];
    if (map->out->mechanics != m) continue;
    for (size_t k = 0; k < map->n_inputs; k++)
      m->in[k] = (double *)(uintptr_t)dx_of(m, map->inputs[k], dx);
    const SofaPoint at = bridge(m, map, m->x);
    SOFA_TRY(sofa_mapping_apply_j(map, &at, (const double *const *)m->in, dx + map->out->v_offset));
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

SofaErr sofa_mech_add_mdx(SofaMechanics *m, const double *dx, double factor, double *res) {
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (!is_main(m, mass)) continue;
    const size_t at = mass->force_field.state[0]->v_offset;
    SOFA_TRY(sofa_mass_ops(mass)->add_mdx(mass, dx + at, res + at, factor));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_acc_from_f(SofaMechanics *m, const double *f, double *a) {
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (!is_main(m, mass)) continue;
    const SofaMassOps *ops = sofa_mass_ops(mass);
    const size_t at = mass->force_field.state[0]->v_offset;
    if (!ops->acc_from_f)
      return sofa_object_unsupported(&mass->force_field.object,
                                     "dividing a force by this mass (it is not diagonal)");
    SOFA_TRY(ops->acc_from_f(mass, f + at, a + at));
  }
  return SOFA_OK;
}

bool sofa_mech_masses_diagonal(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_masses; i++) {
    const SofaMass *mass = m->masses[i];
    if (!is_main(m, mass) || !sofa_mass_ops(mass)->is_diagonal(mass)) return false;
  }
  return true;
}

SofaErr sofa_mech_energies(SofaMechanics *m, const SofaMechParams *p, const double *x,
                           const double *v, double *kinetic, double *potential) {
  *kinetic = *potential = 0;
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    if (!ff->state[0]) continue;
    SofaForceArgs args = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int k = 0; k < 2 && ff->state[k]; k++) {
      args.x[k] = x_of(m, ff->state[k], x);
      args.v[k] = v_of(m, ff->state[k], v);
    }
    if (sofa_implements(&ff->object, SOFA_MASS)) {
      SofaMass *mass = (SofaMass *)ff;
      *kinetic += sofa_mass_ops(mass)->kinetic_energy(mass, args.v[0]);
      if (!mass->separate_gravity)
        *potential +=
            sofa_mass_ops(mass)->potential_energy(mass, args.x[0], ff->object.node->gravity.v);
      continue;
    }
    const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
    double energy = 0;
    if (ops->potential_energy) SOFA_TRY(ops->potential_energy(ff, p, &args, &energy));
    *potential += energy;
  }
  return SOFA_OK;
}

bool sofa_mech_has_rayleigh(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_force_fields; i++)
    if (m->force_fields[i]->rayleigh_stiffness != 0) return true;
  for (size_t i = 0; i < m->n_masses; i++)
    if (m->masses[i]->rayleigh_mass != 0) return true;
  return false;
}

void sofa_mech_separate_gravity(SofaMechanics *m, double dt, double *v) {
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    if (mass->separate_gravity && is_main(m, mass))
      sofa_mass_add_gravity_to_v(mass, dt, v + mass->force_field.state[0]->v_offset);
  }
}

SofaErr sofa_mech_check_finite(SofaMechanics *m, const double *x, const double *v, double time) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    for (size_t k = 0; k < s->position.n * kind->coord; k++)
      if (!isfinite(x[s->x_offset + k]))
        return sofa_object_fail(&s->object, SOFA_ERR_NOT_FINITE,
                                "position of point %zu is not finite after the step from t = %g s",
                                k / kind->coord, time);
    for (size_t k = 0; k < s->position.n * kind->deriv; k++)
      if (!isfinite(v[s->v_offset + k]))
        return sofa_object_fail(&s->object, SOFA_ERR_NOT_FINITE,
                                "velocity of point %zu is not finite after the step from t = %g s",
                                k / kind->deriv, time);
  }
  return SOFA_OK;
}
