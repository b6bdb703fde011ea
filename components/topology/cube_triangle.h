/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a triangle meet the unit cube around the origin? */
#ifndef SOFA_TOPOLOGY_CUBE_TRIANGLE_H
#define SOFA_TOPOLOGY_CUBE_TRIANGLE_H

#include <stdbool.h>

/* Touching counts. In single precision, as in SOFA: the answer decides which cells a grid has.
 * Source: D. Green, D. Hatch, Fast Polygon-Cube Intersection Testing, Graphics Gems V (1995). */
bool sofa_triangle_meets_cube(const float p[3][3]);

#endif
