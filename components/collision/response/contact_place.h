/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of contacts on bodies, which responses share.
 *
 * A place is a weighted sum of points of a model's state, or a point that is fixed in one of its
 * frames. No state is mapped for it: a force F at the place is w_i F at each of the points, or F
 * and the torque rho x F at the frame, with rho from its origin to the place. */
#ifndef COMPONENTS_COLLISION_CONTACT_PLACE_H
#define COMPONENTS_COLLISION_CONTACT_PLACE_H

#include "behavior/collision.h"
#include "math/quaternion.h"
#include "math/vec.h"

static inline bool contact_place_on_frame(const SofaState *state) {
  return state->object.kind == SOFA_RIGID3;
}
/* The place in space and rho (zero on points), at positions x of the state. */
static inline void contact_place_position(const SofaState *state, const SofaContactPoint *place,
                                          const double *x, double p[3], double rho[3]) {
  sofa_vec3_set(rho, 0, 0, 0);
  if (contact_place_on_frame(state)) {
    const double *frame = SOFA_POSE(x, place->index[0]);
    sofa_quat_rotate(frame + 3, place->arm, rho);
    sofa_vec3_add(frame, rho, p);
    return;
  }
  sofa_vec3_set(p, 0, 0, 0);
  for (unsigned i = 0; i < place->n; i++)
    sofa_vec3_axpy(place->weight[i], x + 3 * (size_t)place->index[i], p);
}
/* How the place moves with velocities or changes dx of the state. */
static inline void contact_place_motion(const SofaState *state, const SofaContactPoint *place,
                                        const double rho[3], const double *dx, double out[3]) {
  if (contact_place_on_frame(state)) {
    const double *twist = SOFA_TWIST(dx, place->index[0]);
    sofa_vec3_cross(twist + 3, rho, out);
    sofa_vec3_add(out, twist, out);
    return;
  }
  sofa_vec3_set(out, 0, 0, 0);
  for (unsigned i = 0; i < place->n; i++)
    sofa_vec3_axpy(place->weight[i], dx + 3 * (size_t)place->index[i], out);
}
/* J of point i of the place, place' = J q': 3 x width, row major; returns the width. */
unsigned contact_place_jacobian(const SofaState *state, const SofaContactPoint *place, unsigned i,
                                const double rho[3], double j[18]);

/* What SofaContactOps.report gives of two places of models at which a response acts below a
 * distance, without its force. */
void contact_place_report(SofaCollisionModel *const model[2], const SofaDetection *found,
                          const SofaContactPoint place[2], double distance, SofaContactReport *out);

#endif
