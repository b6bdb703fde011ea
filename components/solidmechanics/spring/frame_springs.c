/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends and matrices of springs between frames. */
#include "components/solidmechanics/spring/frame_springs.h"

#include "math/quaternion.h"
#include "math/vec.h"

void sofa_frame_add_block(const SofaFrameEnds *ends, unsigned i, unsigned j, const double *block,
                          bool same_state, const SofaTangent *tangent) {
  sofa_tangent_add(tangent, same_state ? 0 : ends->of[i], ends->point[i],
                   same_state ? 0 : ends->of[j], ends->point[j], block);
}

void sofa_frame_add_opposite(const SofaFrameEnds *ends, const double *block, bool same_state,
                             const SofaTangent *tangent) {
  double minus[36];
  for (int e = 0; e < 36; e++) minus[e] = -block[e];
  for (unsigned i = 0; i < 2; i++)
    for (unsigned j = 0; j < 2; j++)
      sofa_frame_add_block(ends, i, j, i == j ? minus : block, same_state, tangent);
}

SofaErr sofa_frame_check(const SofaForceField *ff, size_t rank, const SofaFrameEnds *ends) {
  for (unsigned k = 0; k < ends->n; k++) {
    const size_t n = sofa_state_size(ff->state[ends->of[k]]);
    if (ends->point[k] < n) continue;
    return sofa_field_fail(&ff->object, "spring", SOFA_ERR_RANGE,
                           "spring %zu: frame %u does not exist, object%d has %zu frames", rank,
                           ends->point[k], ends->of[k] + 1, n);
  }
  return SOFA_OK;
}

const double *sofa_frame_pose(const SofaForceField *ff, const SofaFrameEnds *ends, unsigned k) {
  const SofaState *state = ff->state[ends->of[k]];
  if (!state || ends->point[k] >= state->position.n) return NULL;
  return SOFA_POSE(state->position.data, ends->point[k]);
}

void sofa_frame_draw_axis(SofaDrawList *list, const double *pose, int axis, double size,
                          SofaRgba color) {
  double a[3] = {0, 0, 0}, b[3];
  a[axis] = size;
  sofa_quat_rotate(pose + 3, a, a);
  sofa_vec3_sub(pose, a, b);
  sofa_vec3_add(pose, a, a);
  sofa_draw_tube(list, b, a, size / 15, size / 15, color);
}
