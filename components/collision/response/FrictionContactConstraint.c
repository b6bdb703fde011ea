/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FrictionContactConstraint: contacts that do not penetrate, with Coulomb friction. */
#include "components/collision/response/contact_constraint.h"

typedef struct FrictionContactConstraint {
  ContactConstraint contact;
  double tolerance;
} FrictionContactConstraint;

static const SofaField fields[] = {
    SOFA_FIELD(FrictionContactConstraint, contact.friction, "mu", "0.8", "1",
               "coefficient of friction; 0: without friction", .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(FrictionContactConstraint, tolerance, "tol", "0", "",
               "tolerance of the constraint solver for these contacts; 0: its own",
               .range = SOFA_AT_LEAST(0)),
};

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  const FrictionContactConstraint *f = (const FrictionContactConstraint *)c;
  const bool friction = f->contact.friction > 0;
  SofaConstraintBlock block = {.law = friction ? &sofa_law_friction : &sofa_law_unilateral,
                               .tolerance = friction ? f->tolerance : 0};
  return contact_constraint_build((ContactConstraint *)c, problem, &block);
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = contact_constraint_violation, .solved = sofa_lagrangian_solved};

static const SofaContactOps contact_ops = {.supports = contact_constraint_supports,
                                           .connect = contact_constraint_connect,
                                           .set = contact_constraint_set,
                                           .report = contact_constraint_report};

SOFA_CLASS(FrictionContactConstraint) = {
    SOFA_NAMED(FrictionContactConstraint),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "ConstraintSet",
    .help = "The response to contacts by Lagrangian constraints with friction. A contact manager "
            "makes it where two collision models touch; in a scene file it does nothing.",
    .base = &contact_constraint_class,
    SOFA_FIELDS(fields),
    .templates = contact_constraint_templates,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_CONTACT, &contact_ops}),
};
