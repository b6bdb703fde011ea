/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The acceleration of explicit schemes with diagonal masses. */
#include "components/odesolver/acceleration.h"

#include "components/odesolver/solver_inputs.h"
#include "simulation/gyroscopic.h"
#include "simulation/vectors.h"

SofaErr acceleration(SofaMechanics *m, const SofaMechParams *p, double *x, double *v, double *a) {
  SOFA_TRY(sofa_mech_project_position(m, p, x));
  SOFA_TRY(sofa_mech_project_velocity(m, p, v));
  SofaMechPoint at = sofa_mech_point(m, x, v, p->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &at, x));
  SOFA_TRY(sofa_mech_propagate_dx(m, &at, v));
  SOFA_TRY(sofa_mech_compute_force(m, p, &at, m->f));
  SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &at, v, 0, m->f));
  SOFA_TRY(sofa_mech_acc_from_f(m, &at, m->f, a));
  return sofa_mech_project_response(m, p, a);
}

SofaErr acceleration_check(const SofaObject *solver, const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_masses; i++) {
    const SofaMass *mass = m->masses[i];
    const SofaObject *object = &mass->force_field.object;
    if (mass->force_field.state[0]->mapped) {
      if (sofa_quirk(solver, QUIRK_MASS_BELOW_MAPPING)) continue;
      return sofa_object_fail(
          solver, SOFA_ERR_UNSUPPORTED,
          "divides forces by masses: %s '%s' is below a mapping (move it above, "
          "or take EulerExplicitSolver with a linear solver)",
          object->klass->name, object->name);
    }
    if (sofa_mass_ops(mass)->is_diagonal(mass)) continue;
    return sofa_object_fail(solver, SOFA_ERR_UNSUPPORTED,
                            "divides forces by masses: %s '%s' is not diagonal (lump it, or take "
                            "UniformMass or DiagonalMass)",
                            object->klass->name, object->name);
  }
  return SOFA_OK;
}

unsigned acceleration_traits(const SofaOdeSolver *solver) {
  return SOFA_ODE_DIVIDES_BY_MASS | ode_damping_traits(solver);
}
