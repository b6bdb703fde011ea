/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a corotational hexahedron is turned at a point, and how that changes with its corners. */
#ifndef SOFA_MAPPING_HEXA_POSE_H
#define SOFA_MAPPING_HEXA_POSE_H

#include "numerics/fem/element_batch.h"

typedef struct HexaPose {
  double r[9];     /* frame: rows are its axes, world to local */
  double x[24];    /* corners */
  double spin[72]; /* 3 x 24: angular velocity of the frame by the velocities of the corners */
} HexaPose;

/* frame: SOFA_FRAME_FIXED, SOFA_FRAME_EDGES or SOFA_FRAME_POLAR_EDGES. pose->x is given. Where the
 * frame has no derivative, spin is 0. */
void sofa_hexa_pose(SofaFrame frame, HexaPose *pose);

#endif
