/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges and faces between the parts of a mesh that is divided among processes, and the divisions of
 * elements that are made of others. */
#ifndef SOFA_TOPOLOGY_SHARED_SIDES_H
#define SOFA_TOPOLOGY_SHARED_SIDES_H

#include "topology/division.h"

SOFA_BEGIN_DECLS

/* Called by all processes. lowest[i]: the lowest other process that has the points of asked[i] (in
 * any order) among its own sides; SOFA_NO_ELEMENT: none has. Local points; at most 4 per side, as
 * many of own ones as of asked ones. */
SofaErr sofa_find_shared_sides(SofaContext *ctx, const SofaDivision *division, SofaElements own,
                               SofaElements asked, uint32_t *lowest);

/* Elements of one kind that each process has made of its own, of the same points. key[i] orders
 * element i among those of all processes, each key is that of one element; ascending. */
typedef struct SofaMadeElements {
  SofaElementKind kind;
  size_t n;
  const uint64_t *key;
} SofaMadeElements;

/* Called by all processes: a division with the points of `from` and these elements alone; owned by
 * the caller. */
SofaErr sofa_division_of_made(SofaContext *ctx, const SofaDivision *from,
                              const SofaMadeElements *made, SofaDivision **out);

SOFA_END_DECLS

#endif
