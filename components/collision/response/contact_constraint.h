/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the responses that are Lagrangian constraints share: rows at the places of contacts.
 *
 * With the places Q on the first model and P on the second, both along the free motion, a contact
 * has the rows n, t, s of the motion of P against Q; n is the normal from the first to the second,
 * t and s are tangents. d of n is (P - Q) . n - D with the contact distance D, that of t and s the
 * way along t and s behind the moment of contact. Contacts that roll or spin have three more rows:
 * the turn of the second body against the first about t, s and n, times a radius. */
#ifndef COMPONENTS_COLLISION_CONTACT_CONSTRAINT_H
#define COMPONENTS_COLLISION_CONTACT_CONSTRAINT_H

#include "behavior/lagrangian.h"
#include "change/topology_change.h"
#include "components/collision/response/contact_place.h"
#include "components/collision/response/contact_physics.h"
#include "numerics/constraint/laws.h"

typedef struct ContactRows {
  SofaDetection found;
  SofaContactPoint place[2];
  double direction[3][3]; /* n, t, s, which may be scaled; of sticking contacts the axes of space */
  double distance;        /* D, m */
  double surface[2];      /* from the place to where it rubs, along n: radii of spheres on frames */
  double part, expansion; /* impacts: speed at which it parts, m/s; coefficient e; 0: none */
  double rest[3];         /* sticking contacts: P - Q when they began to stick, m */
  double memory[3];       /* sticking contacts: multipliers of the last solve */
} ContactRows;
SOFA_LIST(ContactRows, ContactRowsList);

typedef struct ContactConstraint {
  SofaLagrangian lagrangian;
  SofaCollisionModel *model[2]; /* NULL: an object of the scene, which does nothing */
  ContactRowsList contacts;     /* of this step */
  double friction;              /* 0: the rows n alone, unless they roll or spin */
  ContactPhysics physics;
  bool made_first;     /* no contact constraint of the scene was made before */
  bool first_of_scene; /* so, and the models have not parted since */
  bool reported;       /* quirk: ids were given since the models touch */
} ContactConstraint;

extern const SofaClass contact_constraint_class; /* abstract */
extern const char *const contact_constraint_templates[];

/* ---- SofaContactOps ---- */

bool contact_constraint_supports(const SofaCollisionKind *first, const SofaCollisionKind *second);
SofaErr contact_constraint_connect(SofaObject *contact, SofaCollisionModel *first,
                                   SofaCollisionModel *second);
/* Makes the contacts of the detections, without those at the same places as earlier ones. */
SofaErr contact_constraint_set(SofaObject *contact, const SofaIntersection *method,
                               const SofaDetection *all, size_t n);
SofaErr contact_constraint_report(const SofaObject *contact, SofaContactReports *out);

/* ---- SofaLagrangianOps ---- */

/* The blocks of all contacts: 6 rows where they roll or spin, 3 with friction, else 1; `block` has
 * the law. */
SofaErr contact_constraint_build(ContactConstraint *c, SofaConstraintProblem *problem,
                                 SofaConstraintBlock *block);
SofaErr contact_constraint_violation(SofaLagrangian *c, const SofaConstraintProblem *problem,
                                     double *d);

/* ---- for sticking contacts ---- */

static inline const SofaState *contact_constraint_state(const ContactConstraint *c, int end) {
  return c->model[end]->state;
}
/* Puts n rows of a contact into the problem, from row `first` on. */
SofaErr contact_constraint_rows(const ContactConstraint *c, SofaConstraintProblem *problem,
                                const ContactRows *rows, uint32_t first, uint32_t n);
/* Both places at given positions of the states; rho: their arms. */
void contact_constraint_places(const ContactConstraint *c, const ContactRows *rows,
                               const double *const x[2], double p[2][3], double rho[2][3]);
/* The velocity of the second place against the first in the free motion. */
void contact_constraint_velocity(const ContactConstraint *c, const ContactRows *rows,
                                 double out[3]);
/* The speed, m/s, at which the places come closer at the start of the step. */
double contact_constraint_closing(const ContactConstraint *c, const ContactRows *rows);
/* (P - Q) . n - D, m, now or in the free motion. */
double contact_constraint_gap(const ContactConstraint *c, const ContactRows *rows, bool free);
/* May the pair have contacts? (quirk: not with a contactStiffness of 0; reported) */
bool contact_constraint_allowed(const ContactConstraint *c, size_t n);
/* The contact of a detection. */
void contact_constraint_make(const ContactConstraint *c, const SofaIntersection *method,
                             const SofaDetection *found, ContactRows *out);

#endif
