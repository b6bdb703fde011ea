/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/response/contact_place.h"

#include <string.h>

#include "math/quaternion.h"

unsigned contact_place_jacobian(const SofaState *state, const SofaContactPoint *place, unsigned i,
                                const double rho[3], double j[18]) {
  const bool frame = contact_place_on_frame(state);
  const unsigned width = frame ? 6 : 3;
  memset(j, 0, 18 * sizeof *j);
  for (unsigned r = 0; r < 3; r++) j[r * width + r] = frame ? 1 : place->weight[i];
  if (!frame) return width;
  double cross[9]; /* w x rho = -rho x w */
  sofa_mat3_cross(rho, cross);
  for (unsigned r = 0; r < 3; r++)
    for (unsigned k = 0; k < 3; k++) j[r * width + 3 + k] = -cross[3 * r + k];
  return width;
}

void contact_place_report(SofaCollisionModel *const model[2], const SofaDetection *found,
                          const SofaContactPoint place[2], double distance,
                          SofaContactReport *out) {
  double rho[3], u[3];
  *out = (SofaContactReport){.model = {model[0], model[1]},
                             .element = {found->element[0], found->element[1]}};
  sofa_vec3_copy(found->normal, out->normal);
  for (int end = 0; end < 2; end++)
    contact_place_position(model[end]->state, &place[end], model[end]->state->position.data,
                           out->point[end], rho);
  sofa_vec3_sub(out->point[1], out->point[0], u);
  out->gap = sofa_vec3_dot(u, found->normal) - distance;
}
