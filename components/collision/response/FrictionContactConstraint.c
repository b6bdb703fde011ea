/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FrictionContactConstraint: contacts that do not penetrate, with Coulomb friction, impacts, and
 * resistance to rolling and spinning. */
#include "components/collision/response/contact_constraint.h"

typedef struct FrictionContactConstraint {
  ContactConstraint contact;
  double tolerance;
} FrictionContactConstraint;

typedef FrictionContactConstraint SofaSelf; /* of SOFA_ROW */

static const char *const laws[] = {"newton", "poisson", NULL};
static const char *const axes[] = {"world", "body", NULL};

static const SofaField fields[] = {
    SOFA_ROW(contact.friction, "mu", "0.8", "1", "coefficient of friction; 0: without friction",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(tolerance, "tol", "0", "",
             "tolerance of the constraint solver for these contacts; 0: its own",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(
        contact.physics.restitution, "restitution", "0", "1",
        "coefficient e of restitution of a contact that closes in the step, at a speed v above "
        "2 |gravity| dt; slower ones rest (addition of csofa, as the fields below)",
        .range = SOFA_WITHIN(0, 1)),
    SOFA_ROW(contact.physics.law, "restitutionLaw", "newton", "",
             "newton: the places part at least at e v; poisson: each contact gets at least 1 + e "
             "times the force that stops the bodies",
             .options = laws),
    SOFA_ROW(contact.physics.rolling, "muRolling", "0", "m",
             "resistance of spheres on frames to rolling: the torque across the normal is at most "
             "muRolling times the normal force",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(contact.physics.spinning, "muSpinning", "0", "m",
             "their resistance to spinning: the same of the torque along the normal",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(
        contact.physics.second, "muSecond", "-1", "1",
        "coefficient of friction across frictionDirection, where that along it is mu: friction "
        "forces are in the ellipse of both; negative: mu in all directions"),
    SOFA_ROW(contact.physics.direction, "frictionDirection", "0 0 0", "1",
             "direction of mu, see muSecond; it is projected on the tangent plane"),
    SOFA_ROW(contact.physics.axes, "frictionAxes", "world", "",
             "axes of frictionDirection: those of space, or of a frame of the body, which is the "
             "first of the two models whose state has frames",
             .options = axes),
};

static SofaErr init(SofaObject *object) {
  return contact_physics_check((ContactConstraint *)object);
}

static const SofaConstraintLaw *law_of(const ContactConstraint *c) {
  if (contact_physics_turns(&c->physics)) return &sofa_law_friction_exact;
  if (!(c->friction > 0)) return &sofa_law_unilateral;
  return c->physics.second < 0 ? &sofa_law_friction : &sofa_law_friction_exact;
}

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  const FrictionContactConstraint *f = (const FrictionContactConstraint *)c;
  const SofaConstraintLaw *law = law_of(&f->contact);
  SofaConstraintBlock block = {.law = law,
                               .tolerance = law == &sofa_law_unilateral ? 0 : f->tolerance};
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
    .help = "The response to contacts by Lagrangian constraints with friction, restitution and "
            "resistance to rolling. A contact manager makes it where two collision models touch; "
            "in a scene file it does nothing.",
    .equations = "delta_n >= 0, f_n >= 0, delta_n f_n = 0, |f_t| <= mu f_n",
    .base = &contact_constraint_class,
    SOFA_FIELDS(fields),
    .templates = contact_constraint_templates,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_CONTACT, &contact_ops}),
};
