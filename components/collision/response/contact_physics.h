/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of contacts with friction: impacts, rolling and spinning, friction that depends on the
 * direction. Formulas and units: docs/contacts.md.
 *
 * Impacts. A contact that the free motion closes, at a speed v above 2 |gravity| dt, parts with the
 * speed u, which is e v for small gaps g at the start of the step: it ends the step at the gap
 * max(0, g + u dt); when another pass removes drift, at max(0, g) + u dt. Poisson's law: u is 0
 * there, and a second solve asks for 1 + u / w times the forces of the first, w: the closing speed
 * at the end of the free motion.
 * Friction. The rows t and s along the axes of the ellipse; s is multiplied by muSecond / mu: with
 * these rows the ellipse is the cone of mu, and sliding dissipates most.
 * Rolling. Rows of turns are multiplied by the radius r, their multipliers are torques over r. */
#ifndef COMPONENTS_COLLISION_CONTACT_PHYSICS_H
#define COMPONENTS_COLLISION_CONTACT_PHYSICS_H

#include "behavior/lagrangian.h"

struct ContactConstraint;
struct ContactRows;

enum { CONTACT_NEWTON, CONTACT_POISSON };
enum { CONTACT_AXES_WORLD, CONTACT_AXES_BODY };

typedef struct ContactPhysics {
  double restitution;       /* e */
  SofaOption law, axes;     /* CONTACT_NEWTON ..., CONTACT_AXES_WORLD ... */
  double rolling, spinning; /* m */
  double second;            /* muSecond; negative: mu */
  SofaVec3 direction;       /* of mu; 0: any */
} ContactPhysics;

/* Do contacts have rows of turns? */
static inline bool contact_physics_turns(const ContactPhysics *p) {
  return p->rolling > 0 || p->spinning > 0;
}
/* Reports options that do not fit together or to the models; a contact is connected. */
SofaErr contact_physics_check(struct ContactConstraint *c);
/* Sets t and s; false: any directions do. */
bool contact_physics_directions(const struct ContactConstraint *c, struct ContactRows *rows);
/* The numbers of the block of a contact; finds out whether it is an impact. */
void contact_physics_block(const struct ContactConstraint *c, const SofaConstraintProblem *problem,
                           struct ContactRows *rows, SofaConstraintBlock *block);
/* The gap that the end of the step is to have, m, from that at its start. */
double contact_physics_target(const SofaConstraintProblem *problem, const struct ContactRows *rows,
                              double gap);
/* The rows of turns about t, s and n. */
SofaErr contact_physics_rows(const struct ContactConstraint *c, SofaConstraintProblem *problem,
                             const struct ContactRows *rows, uint32_t first);
/* The turn of a frame of a state in the free motion, or its angular velocity. */
void contact_physics_turn_of(const SofaState *state, uint32_t frame, bool velocity, double out[3]);
/* Their violations: the share of the turn in the free motion, or its velocity. */
void contact_physics_turn(const struct ContactConstraint *c, const SofaConstraintProblem *problem,
                          const struct ContactRows *rows, double share, double *d);

#endif
