/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What topology/mesh_finish.h does with a mesh, for one in slices: the same lists in the same
 * order. All functions are called by all processes, which hold small multiples of their shares. */
#ifndef SOFA_TOPOLOGY_SLICE_FINISH_H
#define SOFA_TOPOLOGY_SLICE_FINISH_H

#include "topology/mesh_slice.h"

SOFA_BEGIN_DECLS

/* Elements that each process has found. Those of all of them are one list: table after table, those
 * of a table in the order of the ranks. */
typedef struct SofaFoundElements {
  size_t n_tables;
  SofaIndices *tables; /* points of the elements, one behind the other */
} SofaFoundElements;
/* Appends them to the list of a kind; the runs are then those of the longer list. The tables are
 * freed. */
SofaErr sofa_mesh_slice_append(SofaContext *ctx, SofaMeshSlice *slice, SofaElementKind kind,
                               SofaFoundElements *found);

SofaErr sofa_mesh_slice_triangulate(SofaContext *ctx, SofaMeshSlice *slice, bool flip);
/* Those of one kind: quads, triangles, edges. */
SofaErr sofa_mesh_slice_add_faces(SofaContext *ctx, SofaMeshSlice *slice, SofaElementKind kind);
SofaErr sofa_mesh_slice_add_subelements(SofaContext *ctx, SofaMeshSlice *slice);
/* Drops points without elements; the others follow each other. *kept gets the numbers that those of
 * the new run had before. */
SofaErr sofa_mesh_slice_drop_unused(SofaContext *ctx, SofaMeshSlice *slice, SofaIndices *kept);
/* Of the points of the slice; `normals` is empty on entry. */
SofaErr sofa_mesh_slice_normals(SofaContext *ctx, const SofaMeshSlice *slice, SofaVec3s *normals);

SOFA_END_DECLS

#endif
