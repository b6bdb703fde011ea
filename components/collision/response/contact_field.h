/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the responses that are force fields share: contacts between places on two bodies. */
#ifndef COMPONENTS_COLLISION_CONTACT_FIELD_H
#define COMPONENTS_COLLISION_CONTACT_FIELD_H

#include "behavior/force_field.h"
#include "change/topology_change.h"
#include "components/collision/response/contact_place.h"

typedef struct Contact {
  SofaDetection found;
  SofaContactPoint place[2];
  double start[2][3]; /* quirk: position and velocity of the held place at the start of the step */
} Contact;
SOFA_LIST(Contact, Contacts);

typedef struct ContactField {
  SofaForceField force_field;
  SofaCollisionModel *model[2]; /* NULL: an object of the scene, which does nothing */
  Contacts contacts;            /* of this step */
  SofaIndices table;            /* workspace of contact_field_filter */
  SofaIndices kept;             /* the detections that it kept, in their order */
  int held;              /* quirk: end whose places stay where they are at the start of a step
                            while another solver moves them; -1: none */
  bool outside_velocity; /* quirk */
} ContactField;

extern const SofaClass contact_field_class; /* abstract */
extern const char *const contact_field_templates[];

/* SofaContactOps.connect */
SofaErr contact_field_connect(SofaObject *contact, SofaCollisionModel *first,
                              SofaCollisionModel *second);
/* Makes `kept`: of the detections of one id that of the smallest value, of equal ones the first. */
SofaErr contact_field_filter(ContactField *f, const SofaDetection *all, size_t n);
/* The contact of a detection, with its places at the positions as they are now. */
void contact_make(const ContactField *f, const SofaDetection *found, Contact *out);
/* What SofaContactOps.report gives of a contact that acts below a distance; no force. */
static inline void contact_report(const ContactField *f, const Contact *c, double distance,
                                  SofaContactReport *out) {
  contact_place_report(f->model, &c->found, c->place, distance, out);
}

/* Are all contacts between a point of one state and one of the other, without quirks of places? */
bool contact_field_joins_points(const ContactField *f);

/* ---- places; `end` 0: on the first model, 1: on the second ---- */

static inline bool contact_on_frame(const ContactField *f, int end) {
  return contact_place_on_frame(f->force_field.state[end]);
}
/* The place in space and rho (zero on points), at positions x of the state. */
static inline void contact_place(const ContactField *f, const Contact *c, int end, const double *x,
                                 double p[3], double rho[3]) {
  contact_place_position(f->force_field.state[end], &c->place[end], x, p, rho);
}
/* Are the points of an end moved by another solver than those of the other end, or by none? */
static inline bool contact_outside(const ContactField *f) {
  return f->force_field.state[0]->mechanics != f->force_field.state[1]->mechanics;
}
/* Does the place stay where it was at the start of the step? */
static inline bool contact_held(const ContactField *f, int end) {
  return f->held == end && contact_outside(f);
}
/* The place and rho at an evaluation point. */
static inline void contact_place_at(const ContactField *f, const Contact *c, int end,
                                    const SofaPoint *at, double p[3], double rho[3]) {
  contact_place(f, c, end, at->x[end], p, rho);
  if (contact_held(f, end)) sofa_vec3_copy(c->start[0], p);
}
/* The velocity of the place there. */
static inline void contact_velocity(const ContactField *f, const Contact *c, int end,
                                    const double rho[3], const SofaPoint *at, double out[3]) {
  contact_place_motion(f->force_field.state[end], &c->place[end], rho, at->v[end], out);
  if (contact_held(f, end)) sofa_vec3_copy(c->start[1], out);
}
/* How the second place moves against the first with changes dx of the states. Changes of points
 * that another solver moves are zero. With the quirk they are the velocity there when those of the
 * other end are the velocity. */
static inline void contact_change(const ContactField *f, const Contact *c, const double rho[2][3],
                                  const SofaPoint *at, const double *const *dx, double out[3]) {
  const bool moves = f->outside_velocity && contact_outside(f);
  double moved[2][3];
  for (int end = 0; end < 2; end++) {
    if (moves && dx[1 - end] == at->v[1 - end])
      contact_velocity(f, c, end, rho[end], at, moved[end]);
    else
      contact_place_motion(f->force_field.state[end], &c->place[end], rho[end], dx[end],
                           moved[end]);
  }
  sofa_vec3_sub(moved[1], moved[0], out);
}
/* Adds a force at the place. */
static inline void contact_add_force(const ContactField *f, const Contact *c, int end,
                                     const double rho[3], const double force[3], double *to) {
  const SofaContactPoint *place = &c->place[end];
  if (contact_on_frame(f, end)) {
    double *wrench = SOFA_TWIST(to, place->index[0]), torque[3];
    sofa_vec3_cross(rho, force, torque);
    sofa_vec3_add(wrench, force, wrench);
    sofa_vec3_add(wrench + 3, torque, wrench + 3);
    return;
  }
  for (unsigned i = 0; i < place->n; i++)
    sofa_vec3_axpy(place->weight[i], force, to + 3 * (size_t)place->index[i]);
}

/* SOFA maps a state for the places on elements of this kind. */
static inline bool contact_mapped(const SofaCollisionKind *kind) {
  return kind->corners > 1;
}

/* Adds the matrix of forces -K (u2 - u1) on the second place and the opposite on the first, where
 * u are small motions of the places; k: 3 x 3, row major. */
void contact_add_matrix(const ContactField *f, const Contact *c, const double rho[2][3],
                        const double k[9], const SofaTangent *tangent);
/* Adds the derivative of the torque of a force at a place on a frame by the turning of rho. */
void contact_add_arm_matrix(const ContactField *f, const Contact *c, int end, const double rho[3],
                            const double force[3], const SofaTangent *tangent);
/* The same as a product: the torque that the turning dx of the frame adds. */
void contact_add_arm_product(const Contact *c, int end, const double rho[3], const double force[3],
                             const double *dx, double *df);

#endif
