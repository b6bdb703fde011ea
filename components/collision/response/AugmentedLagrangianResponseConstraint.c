/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AugmentedLagrangianResponseConstraint: the contacts of FrictionContactConstraint, whose forces an
 * augmented Lagrangian finds. */
#include "components/collision/response/contact_constraint.h"

enum { QUIRK_AUGMENTED_CONE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_AUGMENTED_CONE, "augmented-cone",
     "friction forces of sliding augmented contacts leave the friction cone",
     "test_contact_constraint.augmented_cone"},
};

typedef struct AugmentedLagrangianResponseConstraint {
  ContactConstraint contact;
  double epsilon, tolerance;
} AugmentedLagrangianResponseConstraint;

static const SofaField fields[] = {
    SOFA_FIELD(AugmentedLagrangianResponseConstraint, contact.friction, "mu", "0", "1",
               "coefficient of friction; 0: without friction", .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(AugmentedLagrangianResponseConstraint, epsilon, "epsilon", "0", "",
               "change of the force per violation in each visit; used with friction",
               .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(AugmentedLagrangianResponseConstraint, tolerance, "tol", "0", "",
               "tolerance of the constraint solver for these contacts; 0: its own",
               .range = SOFA_AT_LEAST(0)),
};

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  const AugmentedLagrangianResponseConstraint *a = (const AugmentedLagrangianResponseConstraint *)c;
  const bool friction = a->contact.friction > 0;
  const bool open = sofa_quirk(&c->object, QUIRK_AUGMENTED_CONE);
  SofaConstraintBlock block = {.law = open ? &sofa_law_augmented_open : &sofa_law_augmented,
                               .epsilon = a->epsilon,
                               .tolerance = friction ? a->tolerance : 0};
  if (!friction) block.law = &sofa_law_unilateral;
  return contact_constraint_build((ContactConstraint *)c, problem, &block);
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = contact_constraint_violation, .solved = sofa_lagrangian_solved};

static const SofaContactOps contact_ops = {.supports = contact_constraint_supports,
                                           .connect = contact_constraint_connect,
                                           .set = contact_constraint_set,
                                           .report = contact_constraint_report};

SOFA_CLASS(AugmentedLagrangianResponseConstraint) = {
    SOFA_NAMED(AugmentedLagrangianResponseConstraint),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "ConstraintSet",
    .help = "The response to contacts by Lagrangian constraints with friction that an augmented "
            "Lagrangian finds. A contact manager makes it where two collision models touch; in a "
            "scene file it does nothing.",
    .equations = "delta_n >= 0, f_n >= 0, delta_n f_n = 0, |f_t| <= mu f_n",
    .base = &contact_constraint_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = contact_constraint_templates,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_CONTACT, &contact_ops}),
};
