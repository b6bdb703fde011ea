/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one of several processes has read of a mesh: a run of its points, and a run of its elements
 * of each kind. The runs of all processes tile the mesh; nobody holds the whole. */
#ifndef SOFA_TOPOLOGY_MESH_SLICE_H
#define SOFA_TOPOLOGY_MESH_SLICE_H

#include "object/process.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* The run of a process among n items: from sofa_slice_begin(n, rank, ..) to that of rank + 1. */
static inline size_t sofa_slice_begin(size_t n, int rank, int n_processes) {
  return (size_t)((uint64_t)n * (uint64_t)rank / (uint64_t)n_processes);
}
/* The process whose run has item i < n. */
static inline uint32_t sofa_slice_rank(size_t n, size_t i, int n_processes) {
  return (uint32_t)((((uint64_t)i + 1) * (uint64_t)n_processes - 1) / (uint64_t)n);
}

/* Elements of second order, all their nodes in VTK's order (numerics/fem/finite_element.h). */
typedef enum SofaQuadraticList {
  SOFA_EDGES3,
  SOFA_TRIANGLES6,
  SOFA_QUADS8,
  SOFA_QUADS9,
  SOFA_TETRAHEDRA10,
  SOFA_PYRAMIDS13,
  SOFA_PRISMS15,
  SOFA_HEXAHEDRA20,
  SOFA_HEXAHEDRA27,
  SOFA_N_QUADRATIC_LISTS
} SofaQuadraticList;
typedef struct SofaQuadraticInfo {
  unsigned width, corners; /* nodes of an element; the first ones are its corners */
} SofaQuadraticInfo;
extern const SofaQuadraticInfo sofa_quadratic_info[SOFA_N_QUADRATIC_LISTS];

/* Of this process. All zeros: empty. Kinds are those of SofaElementKind, points among them. */
typedef struct SofaMeshSlice {
  size_t n_whole[SOFA_N_ELEMENT_KINDS]; /* points, elements of the whole mesh */
  size_t first[SOFA_N_ELEMENT_KINDS];   /* number in the whole mesh of the first one here */
  SofaMesh mesh; /* the runs; elements name points by their numbers in the whole mesh */
  size_t first_quadratic[SOFA_N_QUADRATIC_LISTS]; /* number of the first element here */
  SofaIndices quadratic[SOFA_N_QUADRATIC_LISTS];  /* runs of elements that have theirs of first
                                                     order in `mesh`, too */
} SofaMeshSlice;

void sofa_mesh_slice_free(SofaContext *ctx, SofaMeshSlice *slice);
/* The runs of this process of a mesh that it has whole, which is empty afterwards. */
SofaErr sofa_mesh_slice_take(SofaContext *ctx, SofaMesh *mesh, SofaMeshSlice *out);
/* The same of its lists of second order. */
SofaErr sofa_mesh_slice_take_quadratic(SofaContext *ctx, SofaIndices *lists, SofaMeshSlice *out);

/* The kinds of elements that are divided, in the order in which they count as one list of volume
 * elements: a volume element's number is its number of its kind + the elements of the kinds before.
 */
enum { SOFA_N_VOLUME_KINDS = 4 };
extern const SofaElementKind sofa_volume_kinds[SOFA_N_VOLUME_KINDS];
/* Volume elements of the slice, of the whole mesh. */
size_t sofa_mesh_slice_n_volumes(const SofaMeshSlice *slice);
size_t sofa_mesh_slice_n_whole_volumes(const SofaMeshSlice *slice);

/* Values of items, of which each process has its run: values[i] is that of item begin + i. */
typedef struct SofaSliceRun {
  size_t n_whole, size; /* items; bytes of a value */
  const void *values;   /* borrowed */
} SofaSliceRun;
/* Called by all processes: out gets the values of the items numbers[0 .. n - 1] < n_whole, which
 * may be in any order and more than once. */
SofaErr sofa_slice_fetch(SofaContext *ctx, const SofaSliceRun *run, size_t n,
                         const uint32_t *numbers, void *out);

/* Values of the items of the run and of some others. */
typedef struct SofaSliceValues {
  size_t size, first, n; /* bytes of a value; the run */
  const void *own;       /* borrowed */
  SofaIndices others;    /* ascending; owned */
  void *of_others;       /* owned */
} SofaSliceValues;
/* Called by all processes: those that `numbers` names. */
SofaErr sofa_slice_values(SofaContext *ctx, const SofaSliceRun *run, size_t n,
                          const uint32_t *numbers, SofaSliceValues *out);
void sofa_slice_values_free(SofaContext *ctx, SofaSliceValues *values);
/* The value of an item of the run, or of `numbers`. */
const void *sofa_slice_value(const SofaSliceValues *values, uint32_t number);

/* The centres of the volume elements of the slice, in their order: the mean of their points. */
SofaErr sofa_mesh_slice_centres(SofaContext *ctx, const SofaMeshSlice *slice, SofaVec3s *centres);

SOFA_END_DECLS

#endif
