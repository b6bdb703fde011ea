/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solution of symmetric systems with CHOLMOD: what SparseLDLSolver, EigenSimplicialLDLT,
 * EigenSimplicialLLT and CholmodSupernodalLLT share. Supernodal L L^T where it pays, simplicial
 * factors for small or very sparse matrices, simplicial L D L^T for indefinite ones. */
#ifndef SOFA_NUMERICS_DIRECT_CHOLMOD_SOLVER_H
#define SOFA_NUMERICS_DIRECT_CHOLMOD_SOLVER_H

#include "behavior/ordering.h"
#include "numerics/krylov/assembled.h"

typedef struct CholmodSolver CholmodSolver;

/* The better of AMD and METIS. */
enum { SOFA_ORDER_SPARSEST = -1 };

typedef struct CholmodKind {
  bool positive_only;    /* L L^T: a matrix that is not positive definite is an error */
  bool half_after_order; /* the half of A below the diagonal of the *reordered* matrix is read, as
                            SOFA's own L D L^T does; else the half below the diagonal of A */
  bool supernodal;       /* always, not only where it pays; positive_only goes with it */
  int ordering;          /* of CHOLMOD_AMD, ... or SOFA_ORDER_SPARSEST; an ordering of the scene
                            goes before it */
  int blas_threads;      /* >= 1; results may depend on it */
} CholmodKind;
#define CHOLMOD_KIND_DEFAULT .ordering = SOFA_ORDER_SPARSEST, .blas_threads = 1

typedef struct CholmodCounts {
  uint64_t analyses, factorizations, solves;
  double l_entries; /* of the last factor */
  bool supernodal;  /* the last factor */
} CholmodCounts;

SofaErr cholmod_solver_create(SofaContext *ctx, CholmodKind kind, CholmodSolver **out);
void cholmod_solver_destroy(CholmodSolver **solver);
CholmodKind cholmod_solver_kind(const CholmodSolver *solver);
/* Another kind, before the first factorization. */
void cholmod_solver_set_kind(CholmodSolver *solver, CholmodKind kind);

/* The abstract class of them all: L D L^T that reads the lower triangle, unless the class based on
 * it sets another kind in its construct. */
typedef struct CholmodLinearSolver {
  SofaLinearSolver solver;
  SofaLink ordering;
  CholmodSolver *cholmod; /* owned */
  SymmetryCheck symmetry;
  bool told_singular; /* with keep_going a matrix singular to rounding is told once */
} CholmodLinearSolver;
extern const SofaClass cholmod_linear_solver_class;
/* The templates of SOFA's sparse solvers, in the order of each family. */
extern const char *const cholmod_blocked_first[], *const cholmod_scalar_first[];

/* x = A^-1 b for n right-hand sides, one behind the other, with the assembled matrix of the
 * solver's system; analyses when its pattern changed, factorises when its values changed. Failures
 * are reported with dof and time. */
SofaErr cholmod_solver_solve(CholmodLinearSolver *owner, size_t n, const double *b, double *x);
/* The two halves: factorise when the matrix changed; solve with the last factor (no factor, as of
 * an empty matrix: x stays). */
SofaErr cholmod_solver_update(CholmodLinearSolver *owner);
SofaErr cholmod_solver_apply(CholmodLinearSolver *owner, size_t n, const double *b, double *x);
CholmodCounts cholmod_solver_counts(const CholmodSolver *solver);
/* The next update analyses the pattern anew. */
void cholmod_solver_forget(CholmodSolver *solver);
void cholmod_forget_pattern(SofaLinearSolver *solver); /* of SofaLinearSolverOps */

/* ---- a factor that is kept ---- */

/* Appends the factor of the last update to the text, as bytes. */
SofaErr cholmod_solver_save(const CholmodSolver *solver, SofaText *text);
/* Takes the factor of `rows` rows from bytes that save wrote, instead of an update. SOFA_ERR_PARSE,
 * not reported: they are damaged, and there is no factor. */
SofaErr cholmod_solver_restore(CholmodSolver *solver, size_t rows, const char *bytes, size_t size);
/* The same solver, with one owner more; each destroys it. */
CholmodSolver *cholmod_solver_share(CholmodSolver *solver);

/* For classes based on them; their structs begin with CholmodLinearSolver. */
extern const SofaClass sofa_EigenSimplicialLLT_class, sofa_EigenSimplicialLDLT_class;

/* SparseLDLSolver, for classes based on it. */
typedef struct SparseLDLSolver {
  CholmodLinearSolver base;
  bool precompute;
  uint64_t value_version; /* of the last matrix */
  int l_entries;
} SparseLDLSolver;
extern const SofaClass sofa_SparseLDLSolver_class;
SofaErr sparse_ldl_solve(SofaLinearSolver *solver, size_t n, const double *b, double *x);
/* of SparseLDLSolver: reads the half below the diagonal of the reordered matrix */
#define SPARSE_LDL_KIND ((CholmodKind){.half_after_order = true, CHOLMOD_KIND_DEFAULT})

/* ---- the ordering, shared with the LU solver ---- */

extern const SofaLinkRule sofa_ordering_rule;
#define SOFA_ROW_ORDERING(T, member)                                                               \
  SOFA_FIELD(                                                                                      \
      T, member, "orderingMethod", NULL, "",                                                       \
      "order of elimination; default: one in the node, else what keeps the factor sparsest",       \
      .link = &sofa_ordering_rule)
/* Order of the scalar rows: the ordering's order of the block rows. *order is n_scalar_rows ints,
 * caller frees. ordering NULL: by `method`, see sofa_cholmod_order. */
SofaErr sofa_order_scalars(SofaContext *ctx, const SofaBlockRows *rows, SofaOrdering *ordering,
                           int method, int **order);
/* The ordering linked, or the one in the solver's node, or NULL. */
SofaOrdering *sofa_solver_ordering(const SofaLinearSolver *solver, const SofaLink *link);
/* "AMD", "METIS", ... */
const char *sofa_order_name(int method);
/* Orders a graph by one of CHOLMOD's methods (CHOLMOD_AMD, ...) or SOFA_ORDER_SPARSEST. */
SofaErr sofa_cholmod_order(SofaContext *ctx, const SofaOrderingGraph *graph, int method,
                           int *order);

#endif
