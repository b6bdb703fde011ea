/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The division of a mesh that every process has whole: what those of meshes in slices must equal.
 */
#ifndef TESTS_SUPPORT_WHOLE_DIVISION_H
#define TESTS_SUPPORT_WHOLE_DIVISION_H

#include "topology/division.h"

/* part[i] < n_parts of each of n places (3 reals each; centres of elements) by recursive bisection
 * across the longest side of their box; equal coordinates by their rank. The sizes of the parts
 * differ by one at most. n_parts >= 1. */
SofaErr whole_bisect(SofaContext *ctx, size_t n, const double *places, uint32_t n_parts,
                     uint32_t *part);
/* The part of one place. The mesh has its points and volume elements, whose centres are divided.
 * Elements of lower dimension belong to the part of the first volume element that has all their
 * points, else to a part that has one of them; edges also to all others that have a volume element
 * with them. Points without elements belong to part 0. */
SofaErr whole_division_make(SofaContext *ctx, const SofaMesh *mesh, const SofaPlace *place,
                            SofaDivision *out);
/* Leaves the local points and elements of the mesh that was divided, by their local numbers. */
SofaErr whole_division_cut(SofaContext *ctx, const SofaDivision *division, SofaMesh *mesh);

#endif
