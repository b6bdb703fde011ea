/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of second order from those of first order: nodes are added in the middle of edges, and
 * of faces and cells where the shape has some there. Elements that share an edge share its node. */
#ifndef SOFA_NUMERICS_FEM_RAISE_ORDER_H
#define SOFA_NUMERICS_FEM_RAISE_ORDER_H

#include "numerics/fem/finite_element.h"
#include "object/type.h"
#include "topology/tuple_map.h"

SOFA_BEGIN_DECLS

typedef struct SofaRaisedMesh { /* all-zero: empty */
  SofaVec3s nodes;              /* m; owned: the points, then the nodes that were added */
  SofaTupleMap middles;         /* owned: the node between corners */
} SofaRaisedMesh;

/* Appends to `list` n elements of `shape`, which is of second order, for elements of its corners:
 * `elements` has their points, which are nodes already. */
SofaErr sofa_raise_order(SofaContext *ctx, SofaRaisedMesh *mesh, SofaShape shape,
                         const uint32_t *elements, size_t n, SofaIndices *list);
void sofa_raised_mesh_free(SofaContext *ctx, SofaRaisedMesh *mesh);

SOFA_END_DECLS

#endif
