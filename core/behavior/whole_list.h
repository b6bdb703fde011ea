/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of a state whose points are divided among processes, for what is written of them. */
#ifndef SOFA_BEHAVIOR_WHOLE_LIST_H
#define SOFA_BEHAVIOR_WHOLE_LIST_H

#include "behavior/state_division.h"

SOFA_BEGIN_DECLS

/* Called by all processes: *out is this process's run (topology/mesh_slice.h) of the list of all
 * points in the order of the whole mesh, in `room`, where the state is divided. The runs tile it.
 * What is not divided is all on the first process, *out has no entries on the others. */
SofaErr sofa_run_of_list(const SofaState *state, const SofaCoords *list, SofaCoords *room,
                         const SofaCoords **out);

/* The division of the mesh whose points or elements a field of an object may have (NULL: any of its
 * lists), NULL: of none. */
const SofaDivision *sofa_object_division(const SofaObject *object, const SofaField *field);
/* Points or elements of this process, of all processes. */
size_t sofa_division_n_local(const SofaDivision *division, SofaElementKind kind);
size_t sofa_division_n_whole(const SofaDivision *division, SofaElementKind kind);
/* Number in the whole mesh of a local point or element. */
uint32_t sofa_division_number(const SofaDivision *division, SofaElementKind kind, size_t local);
/* Called by all processes: rows of `size` bytes per local point or element, on the first process in
 * the order of the whole mesh; elsewhere `whole` may be NULL. */
SofaErr sofa_gather_rows(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind,
                         size_t size, const void *rows, void *whole);
/* Rows of this process's run, in the order of the whole mesh. */
size_t sofa_run_length(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind);
/* Called by all processes: `run` gets these. */
SofaErr sofa_run_of_rows(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind,
                         size_t size, const void *rows, void *run);

/* Values that exactly one process has, each; have[i]: this one. All processes get them, and NaN
 * for a value that no process has. */
SofaErr sofa_share_values(SofaContext *ctx, size_t n, const bool *have, double *values);

SOFA_END_DECLS

#endif
