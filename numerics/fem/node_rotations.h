/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rotations of points from those of the elements around them. */
#ifndef SOFA_NUMERICS_FEM_NODE_ROTATIONS_H
#define SOFA_NUMERICS_FEM_NODE_ROTATIONS_H

#include <stddef.h>
#include <stdint.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* r: 9 reals per point. Begin, add every element, end: r is then the rotation closest to the mean
 * of those of the elements around each point; the identity for a point without elements. */
void sofa_node_rotations_begin(size_t n_points, double *r);
/* The element turned from frame `rest` to frame `now`; rows are axes. v: its n points. */
void sofa_node_rotations_add(const double *rest, const double *now, const uint32_t *v, int n,
                             double *r);
/* SOFA's way with hexahedra: now rest^T, which turns frame axes instead of the body. */
void sofa_node_rotations_add_inverse(const double *rest, const double *now, const uint32_t *v,
                                     int n, double *r);
void sofa_node_rotations_end(size_t n_points, double *r);

SOFA_END_DECLS

#endif
