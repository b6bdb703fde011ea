/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the methods of solve.h. */
#ifndef SOFA_NUMERICS_CONSTRAINT_SOLVE_IMPL_H
#define SOFA_NUMERICS_CONSTRAINT_SOLVE_IMPL_H

#include <math.h>
#include <string.h>

#include "math/kernels.h"
#include "numerics/constraint/solve.h"

typedef struct Sweep {
  double error;
  bool verified;
} Sweep;

static inline const SofaConstraintBlock *block_of(const SofaConstraintSolve *s, size_t k) {
  return &s->problem->blocks.data[k];
}
static inline double *part_of(const SofaConstraintSolve *s, size_t k) {
  return s->part.data + s->part_at.data[k];
}
static inline double *work_of(const SofaConstraintSolve *s, size_t k) {
  return s->work.data ? s->work.data + s->work_at.data[k] : NULL;
}
/* A row of W. */
static inline const double *w_row(const SofaConstraintProblem *p, size_t row) {
  return p->w.data + row * p->n;
}
static inline double dot(const SofaConstraintProblem *p, const double *x, const double *y) {
  return p->ctx->kernels->dot(p->n, x, y);
}
static inline double *vector_of(const SofaConstraintSolve *s, unsigned i) {
  return s->vector[i].data;
}
SofaErr sofa_constraint_take_vectors(SofaConstraintSolve *s, unsigned n_vectors);

/* d of a block's rows under problem->lambda, by W. */
void sofa_constraint_block_violation(const SofaConstraintSolve *s, size_t k, double *d);
/* Without W: by the corrections. */
void sofa_constraint_unbuilt_violation(const SofaConstraintSolve *s, size_t k, double *d);
/* Own parts of the blocks, from the corrections. */
SofaErr sofa_constraint_unbuilt_start(SofaConstraintSolve *s);
/* Runs the law of block k on s->d; s->before gets the old multipliers. */
void sofa_constraint_visit(SofaConstraintSolve *s, size_t k);
/* Adds the error of block k to the sweep, for a change from s->before. */
void sofa_constraint_measure(SofaConstraintSolve *s, size_t k, Sweep *sweep);
/* Does the sweep end the solve? */
bool sofa_constraint_ends(const SofaConstraintSolve *s, const Sweep *sweep);
/* Keeps the iteration's numbers in the report. */
SofaErr sofa_constraint_record(SofaConstraintSolve *s, const Sweep *sweep);
SofaErr sofa_constraint_sweep(SofaConstraintSolve *s, Sweep *sweep);
SofaErr sofa_constraint_regularize(SofaConstraintSolve *s);
/* Eigenvalues (ascending) of W into s->vector[0]; with vectors: these into s->matrix, columns. */
SofaErr sofa_constraint_eigenvalues(SofaConstraintSolve *s, bool vectors);

#endif
