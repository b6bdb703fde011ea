/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GenericConstraintCorrection: all states of an ODE solver move by its linear system. */
#include "components/constraint/lagrangian/correction/system_correction.h"

enum { QUIRK_GENERIC_VELOCITY_FACTOR = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_GENERIC_VELOCITY_FACTOR, "generic-velocity-factor",
     "GenericConstraintCorrection leaves complianceFactor out of the motion when velocities are "
     "constrained",
     "test_correction_factors.generic_velocity_factor"},
};

static const SofaField fields[] = {
    SOFA_FIELD(SystemCorrection, compliance_factor, "complianceFactor", "1", "1",
               "factor of the compliance and of the motion", .range = SOFA_FINITE_ABOVE(0)),
};

static SofaErr find_motion(SofaConstraintCorrection *c, SofaConstraintProblem *problem) {
  SystemCorrection *s = (SystemCorrection *)c;
  const bool plain = problem->order == SOFA_CONSTRAIN_VELOCITIES &&
                     sofa_quirk(&c->object, QUIRK_GENERIC_VELOCITY_FACTOR);
  const double factor = plain ? 1 : s->compliance_factor;
  return system_find_motion(s, problem, factor * s->factors.position, factor * s->factors.velocity);
}

static const SofaConstraintCorrectionOps ops = {
    .begin = system_begin,
    .add_compliance = system_add_compliance,
    .find_motion = find_motion,
    .factor = system_factor,
    .start = system_start,
    .knows = system_knows,
    .add_displacement = system_add_displacement,
    .add_force = system_add_force,
};

SOFA_CLASS(GenericConstraintCorrection) = {
    .name = "GenericConstraintCorrection",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .category = "ConstraintCorrection",
    .help = "Moves all independent states of an ODE solver under constraint forces by its linear "
            "system, with what the states do to each other.",
    .equations =
        "c = A^-1 J^T lambda\n"
        "x = x_{free} + p c, v = v_{free} + q c\n"
        "\"A: matrix of the step, J: rows of the constraints, p and q: factors of the ODE solver\"",
    .base = &system_correction_class,
    .size = sizeof(SystemCorrection),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_CORRECTION, &ops}),
};
