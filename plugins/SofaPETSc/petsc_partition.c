/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A graph of csofa as one of PETSc, and the parts that PT-Scotch finds for it. */
#include "petsc_partition.h"

#include <petscmat.h>

#include "petsc_calls.h"

/* The lists of the matrix are PETSc's from then on. */
static PetscErrorCode make_graph(const SofaGraph *graph, Mat *out) {
  PetscInt *start = NULL, *to = NULL;
  const size_t n_to = graph->start[graph->n];
  PetscCall(PetscMalloc1(graph->n + 1, &start));
  PetscCall(PetscMalloc1(n_to + 1, &to));
  for (size_t i = 0; i <= graph->n; i++) start[i] = (PetscInt)graph->start[i];
  for (size_t k = 0; k < n_to; k++) to[k] = (PetscInt)graph->to[k];
  return MatCreateMPIAdj(PETSC_COMM_WORLD, (PetscInt)graph->n, (PetscInt)graph->n_whole, start, to,
                         NULL, out);
}

static PetscErrorCode take_parts(IS parts, size_t n, uint32_t *part) {
  const PetscInt *indices = NULL;
  PetscCall(ISGetIndices(parts, &indices));
  for (size_t i = 0; i < n; i++) part[i] = (uint32_t)indices[i];
  return ISRestoreIndices(parts, &indices);
}

static PetscErrorCode divide(const SofaGraph *graph, Mat *mat, MatPartitioning *partitioning,
                             IS *parts) {
  PetscCall(make_graph(graph, mat));
  PetscCall(MatPartitioningCreate(PETSC_COMM_WORLD, partitioning));
  PetscCall(MatPartitioningSetAdjacency(*partitioning, *mat));
  PetscCall(MatPartitioningSetType(*partitioning, MATPARTITIONINGPTSCOTCH));
  return MatPartitioningApply(*partitioning, parts);
}

SofaErr petsc_partition(SofaContext *ctx, const SofaGraph *graph, uint32_t *part) {
  Mat mat = NULL;
  MatPartitioning partitioning = NULL;
  IS parts = NULL;
  PetscCalls calls;
  if (graph->n_whole >= (size_t)PETSC_MAX_INT || graph->start[graph->n] >= PETSC_MAX_INT)
    return sofa_fail(ctx, SOFA_ERR_RANGE, NULL,
                     "the mesh has %zu volume elements: its graph is larger than PETSc counts with "
                     "its integers of %zu bytes; bisection divides it",
                     graph->n_whole, sizeof(PetscInt));
  PetscErrorCode code = petsc_calls_begin(&calls, NULL);
  if (!code) code = divide(graph, &mat, &partitioning, &parts);
  if (!code) code = take_parts(parts, graph->n, part);
  ISDestroy(&parts);
  MatPartitioningDestroy(&partitioning);
  MatDestroy(&mat);
  return petsc_calls_end_alone(&calls, code, ctx, "the mesh cannot be divided by its graph");
}
