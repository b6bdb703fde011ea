/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Normals at the points of a surface, for its shading: the normalised sums of the vector areas of
 * its triangles and of the corners of its quads. The results do not depend on the instruction set.
 */
#ifndef SOFA_NUMERICS_SPATIAL_VERTEX_NORMALS_H
#define SOFA_NUMERICS_SPATIAL_VERTEX_NORMALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

SOFA_BEGIN_DECLS

/* A surface: x has 3 n_points coordinates, triangles and quads have 3 and 4 points per element.
 * An element with a point that does not exist adds nothing. */
typedef struct SofaFaces {
  const double *x;
  size_t n_points;
  const uint32_t *triangles, *quads;
  size_t n_triangles, n_quads;
} SofaFaces;

/* normals[3 n_points] becomes the sums of the vector areas (m^2): twice that of each triangle at
 * its points; at each point of a quad the product of the edges that meet there. */
void sofa_vertex_areas(const SofaContext *ctx, const SofaFaces *faces, double *normals);
/* Scales n vectors to length 1; zero stays zero. */
void sofa_normalize_all(const SofaContext *ctx, double *normals, size_t n);

SOFA_END_DECLS

#endif
