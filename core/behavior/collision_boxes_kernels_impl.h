/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes of elements, compiled once per instruction set. Use sofa_collision_boxes. */
#ifndef SOFA_BEHAVIOR_COLLISION_BOXES_KERNELS_H
#define SOFA_BEHAVIOR_COLLISION_BOXES_KERNELS_H

#include "behavior/collision_model.h"

/* Of the elements [begin, end): boxes has 6 reals for each element of the model. */
typedef void SofaCollisionBoxes(const SofaCollisionModel *m, const double *x_end, size_t begin,
                                size_t end, double *boxes);

/* The last two exist on x86-64 only. All give the same bits. */
extern SofaCollisionBoxes sofa_collision_boxes_baseline, sofa_collision_boxes_avx2,
    sofa_collision_boxes_avx512;

#endif
