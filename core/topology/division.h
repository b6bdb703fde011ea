/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mesh of which each process has a part. Elements are divided; a point belongs to every part that
 * has one of its elements, and its owner is the lowest of them. There are no ghost elements. What
 * is not divided is whole: every process has all of it, with equal values. */
#ifndef SOFA_TOPOLOGY_DIVISION_H
#define SOFA_TOPOLOGY_DIVISION_H

#include "object/process.h"
#include "topology/mesh_slice.h"

SOFA_BEGIN_DECLS

SOFA_LIST(uint8_t, SofaMarks);

/* The part of this process. Local numbers are those that all components see. All zeros: empty. */
typedef struct SofaDivision {
  size_t n_whole;         /* points of the whole mesh */
  size_t n, n_owned;      /* local points; the first n_owned are this process's own */
  SofaIndices number;     /* of each local point in the whole mesh: ascending among the owned ones,
                             and ascending among the others */
  SofaIndices neighbours; /* other processes with a point of this one, ascending */
  SofaIndices start, shared; /* local points that neighbour k has, too: shared[start[k]] to
                                shared[start[k + 1] - 1], by ascending number: in this order on
                                both sides */
  SofaIndices border;        /* local points that any neighbour has, too, ascending */
  SofaIndices owner;         /* rank of the owner of local point n_owned + i */
  SofaIndices elements[SOFA_N_ELEMENT_KINDS]; /* number in the whole mesh of each local element,
                                                 ascending */
  size_t n_whole_elements[SOFA_N_ELEMENT_KINDS];
} SofaDivision;

/* Called by all processes: an error, unless all have the same mesh. */
SofaErr sofa_mesh_check_same(SofaContext *ctx, const SofaMesh *mesh);
void sofa_division_free(SofaContext *ctx, SofaDivision *division);
/* The part of this process of a mesh in slices, by the parts (< number of processes) of the volume
 * elements of each: those of sofa_mesh_slice_n_volumes. Called by all processes. Elements of lower
 * dimension belong to the part of the first volume element that has all their points, else to a
 * part that has one of them; edges also to all others that have a volume element with them. Points
 * without elements belong to part 0. local: the points and elements
 * of this part, by their local numbers. A process holds a small multiple of its share of the mesh.
 * The slice is empty afterwards but for its lists of second order: these have then the elements of
 * this part, each of one part alone, by local numbers. An element of second order is where the
 * volume element with its corners is, and its other nodes belong to that part. Points that
 * ctx->processes->ties names are in one part. */
SofaErr sofa_division_make_sliced(SofaContext *ctx, SofaMeshSlice *slice, const uint32_t *part,
                                  SofaDivision *out, SofaMesh *local);
/* Has every process a volume element? An error of the object otherwise: most components refuse a
 * topology without elements. No volume elements at all are none to divide. */
SofaErr sofa_division_check(const SofaObject *object, size_t n_volumes);
/* Has the mesh elements that can be divided? */
bool sofa_mesh_has_volumes(const SofaMesh *mesh);
/* Leaves the entries of this process in a list of `size` bytes per point, or per element of a kind,
 * of the whole mesh. */
SofaErr sofa_division_pick(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind,
                           void *list, size_t size);
/* Local number of a point of the whole mesh; SOFA_NO_ELEMENT: this process does not have it. */
uint32_t sofa_division_local(const SofaDivision *division, uint32_t number);
/* The same of an element, or a point. */
uint32_t sofa_division_local_element(const SofaDivision *division, SofaElementKind kind,
                                     uint32_t number);

/* Called by all processes that have a part; `width` reals per local point. */
/* Copies of a shared point get the sum of all of them, added in the order of the ranks. */
SofaErr sofa_division_sum(SofaContext *ctx, const SofaDivision *division, size_t width,
                          double *values);
/* Copies of a shared point get the value of its owner. */
SofaErr sofa_division_copy(SofaContext *ctx, const SofaDivision *division, size_t width,
                           double *values);
/* The values of the whole mesh, in its order, on process `root`: n_whole * width reals; elsewhere
 * `whole` may be NULL. */
SofaErr sofa_division_gather(SofaContext *ctx, const SofaDivision *division, int root, size_t width,
                             const double *values, double *whole);
/* The local values of those of the whole mesh that `root` has. */
SofaErr sofa_division_scatter(SofaContext *ctx, const SofaDivision *division, int root,
                              size_t width, const double *whole, double *values);

SOFA_END_DECLS

#endif
