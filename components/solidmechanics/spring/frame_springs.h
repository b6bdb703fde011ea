/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What springs between frames (Rigid3d) share: ends, matrices, drawing. */
#ifndef SOFA_FRAME_SPRINGS_H
#define SOFA_FRAME_SPRINGS_H

#include "behavior/draw_state.h"
#include "behavior/force_field.h"

enum { SOFA_MAX_FRAMES = 4 };

/* The frames a spring acts on; point k is of state of[k] of the force field. */
typedef struct SofaFrameEnds {
  unsigned n;
  int of[SOFA_MAX_FRAMES];
  uint32_t point[SOFA_MAX_FRAMES];
} SofaFrameEnds;

/* Adds the 6 x 6 block of the forces of end i by the moves of end j. */
void sofa_frame_add_block(const SofaFrameEnds *ends, unsigned i, unsigned j, const double *block,
                          bool same_state, const SofaTangent *tangent);
/* Adds the matrix of two ends whose forces are opposite and see only how these move against each
 * other: the block by the other one, minus it by themselves. */
void sofa_frame_add_opposite(const SofaFrameEnds *ends, const double *block, bool same_state,
                             const SofaTangent *tangent);
/* The pose (7 reals) of end k; NULL: there is none. */
const double *sofa_frame_pose(const SofaForceField *ff, const SofaFrameEnds *ends, unsigned k);
/* A rod of 2 `size` through a frame, along one of its axes. */
void sofa_frame_draw_axis(SofaDrawList *list, const double *pose, int axis, double size,
                          SofaRgba color);
/* Reports the first end that is not a point of its state. */
SofaErr sofa_frame_check(const SofaForceField *ff, size_t rank, const SofaFrameEnds *ends);

#endif
