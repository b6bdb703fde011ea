/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of an element: is it inverted or flat? */
#ifndef SOFA_TOPOLOGY_ELEMENT_SHAPE_IMPL_H
#define SOFA_TOPOLOGY_ELEMENT_SHAPE_IMPL_H

#include "object/type.h"

/* The smallest determinant of the Jacobian of an element at its integration points, divided by its
 * diameter to the power of its dimension. Positive: a proper element; 0: flat (a collapsed face or
 * edge); negative: inverted or folded. A face has an orientation only in the plane z = 0
 * (`planar`); in space its determinants are those along its mean normal. x: the vertices. */
double sofa_element_quality(SofaElementKind kind, const double (*x)[3], bool planar);

/* Determinants of a smaller size are those of a flat element, up to rounding. */
#define SOFA_FLAT_ELEMENT 1e-12

#endif
