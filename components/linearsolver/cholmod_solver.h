/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solution of symmetric systems with CHOLMOD: what SparseLDLSolver, EigenSimplicialLDLT and
 * EigenSimplicialLLT share. Supernodal L L^T where it pays, simplicial factors for small or very
 * sparse matrices, simplicial L D L^T for indefinite ones. */
#ifndef LINEARSOLVER_CHOLMOD_SOLVER_H
#define LINEARSOLVER_CHOLMOD_SOLVER_H

#include "behavior/linear_solver.h"
#include "behavior/ordering.h"

typedef struct CholmodSolver CholmodSolver;

typedef struct CholmodKind {
  bool positive_only;    /* L L^T: a matrix that is not positive definite is an error */
  bool half_after_order; /* the half of A below the diagonal of the *reordered* matrix is read, as
                            SOFA's own L D L^T does; else the half below the diagonal of A */
} CholmodKind;

typedef struct CholmodCounts {
  uint64_t analyses, factorizations, solves;
  double l_entries; /* of the last factor */
  bool supernodal;  /* the last factor */
} CholmodCounts;

SofaErr cholmod_solver_create(SofaContext *ctx, CholmodKind kind, CholmodSolver **out);
void cholmod_solver_destroy(CholmodSolver **solver);
/* The common members of the three classes. */
typedef struct CholmodLinearSolver {
  SofaLinearSolver solver;
  SofaLink ordering;
  CholmodSolver *cholmod; /* owned */
} CholmodLinearSolver;

/* x = A^-1 b with the assembled matrix of the solver's system; analyses when its pattern changed,
 * factorises when its values changed. Failures are reported with dof and time. */
SofaErr cholmod_solver_solve(CholmodLinearSolver *owner, const double *b, double *x);
/* The two halves: factorise when the matrix changed; solve with the last factor (no factor, as of
 * an empty matrix: x stays). */
SofaErr cholmod_solver_update(CholmodLinearSolver *owner);
SofaErr cholmod_solver_apply(CholmodLinearSolver *owner, const double *b, double *x);
CholmodCounts cholmod_solver_counts(const CholmodSolver *solver);
/* The next update analyses the pattern anew. */
void cholmod_solver_forget(CholmodSolver *solver);

/* For classes based on them; their structs begin with CholmodLinearSolver. */
extern const SofaClass sofa_EigenSimplicialLLT_class, sofa_EigenSimplicialLDLT_class;

/* SparseLDLSolver, for classes based on it. */
typedef struct SparseLDLSolver {
  CholmodLinearSolver base;
  bool precompute;
  int l_entries;
} SparseLDLSolver;
extern const SofaClass sofa_SparseLDLSolver_class;
SofaErr sparse_ldl_solve(SofaLinearSolver *solver, const double *b, double *x);
/* of SparseLDLSolver: reads the half below the diagonal of the reordered matrix */
#define SPARSE_LDL_KIND ((CholmodKind){.positive_only = false, .half_after_order = true})

/* ---- the ordering, shared with the LU solver ---- */

extern const SofaLinkRule sofa_ordering_rule;
#define SOFA_ROW_ORDERING(T, member)                                                               \
  SOFA_FIELD(                                                                                      \
      T, member, "orderingMethod", NULL, "",                                                       \
      "order of elimination; default: one in the node, else what keeps the factor sparsest",       \
      .link = &sofa_ordering_rule)
/* Order of the scalar rows: the ordering's order of the block rows. *order is n_scalar_rows ints,
 * caller frees. ordering NULL: the better one of AMD and METIS. */
SofaErr sofa_order_scalars(SofaContext *ctx, const SofaBlockRows *rows, SofaOrdering *ordering,
                           int **order);
/* The ordering linked, or the one in the solver's node, or NULL. */
SofaOrdering *sofa_solver_ordering(const SofaLinearSolver *solver, const SofaLink *link);
/* Orders a graph by one of CHOLMOD's methods (CHOLMOD_AMD, ...); -1: the better of AMD and METIS.
 */
SofaErr sofa_cholmod_order(SofaContext *ctx, const SofaOrderingGraph *graph, int method,
                           int *order);

#endif
