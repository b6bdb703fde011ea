/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orientations of frames that turn with tetrahedra or hexahedra: the rotation in the polar
 * decomposition of A = B N, where the columns of B are the edges of the element at its first vertex
 * and those of N the frame's axes in the element at init, of unit length. */
#ifndef SOFA_MAPPING_TURNING_FRAMES_H
#define SOFA_MAPPING_TURNING_FRAMES_H

#include "change/topology_change.h"
#include "numerics/spatial/locator.h"
#include "numerics/mapping/map_matrix.h"

typedef struct SofaTurningFrame {
  uint32_t vertex[8]; /* those that turn it; the first four span B */
  double axes[9];     /* N, row major */
} SofaTurningFrame;
SOFA_LIST(SofaTurningFrame, SofaTurningFrameList);

typedef struct SofaTurningFrames {
  unsigned width;            /* vertices that turn a frame */
  bool about_origin;         /* quirk: the angular velocity is the sum of x_v cross v_v */
  SofaTurningFrameList list; /* empty: the frames do not turn */
  SofaReals j;               /* n x 3 x 3 width: angular velocity by those of the vertices */
} SofaTurningFrames;

/* Frames (coords of Rigid3) in located elements, all of one kind; about_origin is set before. */
SofaErr sofa_turning_frames_make(SofaContext *ctx, const SofaLocator *locator, size_t n,
                                 const SofaLocation *location, const double *frames,
                                 SofaTurningFrames *out);
void sofa_turning_frames_free(SofaContext *ctx, SofaTurningFrames *frames);
/* Frames go with the points of the output; the last one takes the place of each. */
void sofa_turning_frames_remove(SofaTurningFrames *frames, const SofaTopologyChange *change);
/* Frame i turns as it did in `from`, where both have it. */
void sofa_turning_frames_copy(const SofaTurningFrames *from, SofaTurningFrames *frames, size_t i);
/* Writes the orientations at the positions x, and refreshes j. */
void sofa_turning_frames_apply(SofaTurningFrames *frames, const double *x, double *coords);
/* Angular velocities of derivs, and their transpose: v += J^T torques. */
void sofa_turning_frames_apply_j(const SofaTurningFrames *frames, const double *v, double *derivs);
void sofa_turning_frames_apply_jt(const SofaTurningFrames *frames, const double *derivs, double *v);
/* Entries of the row of angular velocity `row` (0 to 2) of frame i. */
void sofa_turning_frames_row(const SofaTurningFrames *frames, size_t i, size_t row,
                             SofaMapMatrix *out);

#endif
