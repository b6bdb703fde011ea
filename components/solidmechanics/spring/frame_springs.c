/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products and matrices of springs between frames. */
#include "components/solidmechanics/spring/frame_springs.h"

#include "math/quaternion.h"
#include "math/vec.h"

#include <string.h>

void sofa_frame_dforce(const SofaFrameEnds *ends, SofaFrameProduct product, const void *spring,
                       double factor, const double *const *moves, double *const *changes) {
  double dx[SOFA_MAX_FRAMES][6], df[SOFA_MAX_FRAMES][6] = {{0}};
  for (unsigned k = 0; k < ends->n; k++)
    memcpy(dx[k], SOFA_TWIST(moves[ends->of[k]], ends->point[k]), sizeof dx[k]);
  product(spring, (const double(*)[6])dx, df);
  for (unsigned k = 0; k < ends->n; k++) {
    double *out = SOFA_TWIST(changes[ends->of[k]], ends->point[k]);
    for (int c = 0; c < 6; c++) out[c] += factor * df[k][c];
  }
}

void sofa_frame_add_k(const SofaFrameEnds *ends, SofaFrameProduct product, const void *spring,
                      bool same_state, const SofaTangent *tangent) {
  for (unsigned j = 0; j < ends->n; j++) {
    double blocks[SOFA_MAX_FRAMES][36];
    for (int c = 0; c < 6; c++) {
      double dx[SOFA_MAX_FRAMES][6] = {{0}}, df[SOFA_MAX_FRAMES][6] = {{0}};
      dx[j][c] = 1;
      product(spring, (const double(*)[6])dx, df);
      for (unsigned i = 0; i < ends->n; i++) {
        for (int r = 0; r < 6; r++) blocks[i][6 * r + c] = df[i][r];
      }
    }
    for (unsigned i = 0; i < ends->n; i++)
      sofa_tangent_add(tangent, same_state ? 0 : ends->of[i], ends->point[i],
                       same_state ? 0 : ends->of[j], ends->point[j], blocks[i]);
  }
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
