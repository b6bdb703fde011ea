/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What springs between frames (Rigid3d) share: products and matrices of small linear operators. */
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

/* df = K dx of one spring: n displacements to n forces, all zero before the call. */
typedef void (*SofaFrameProduct)(const void *spring, const double (*dx)[6], double (*df)[6]);

void sofa_frame_dforce(const SofaFrameEnds *ends, SofaFrameProduct product, const void *spring,
                       double factor, const double *const *dx, double *const *df);
/* Adds the matrix of the same operator, column by column. */
void sofa_frame_add_k(const SofaFrameEnds *ends, SofaFrameProduct product, const void *spring,
                      bool same_state, const SofaTangent *tangent);
/* The pose (7 reals) of end k; NULL: there is none. */
const double *sofa_frame_pose(const SofaForceField *ff, const SofaFrameEnds *ends, unsigned k);
/* A rod of 2 `size` through a frame, along one of its axes. */
void sofa_frame_draw_axis(SofaDrawList *list, const double *pose, int axis, double size,
                          SofaRgba color);
/* Reports the first end that is not a point of its state. */
SofaErr sofa_frame_check(const SofaForceField *ff, size_t rank, const SofaFrameEnds *ends);

#endif
