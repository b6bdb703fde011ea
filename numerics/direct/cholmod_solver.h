/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solution of symmetric systems with CHOLMOD: what SparseLDLSolver, EigenSimplicialLDLT,
 * EigenSimplicialLLT and CholmodSupernodalLLT share. Supernodal L L^T where it pays, simplicial
 * factors for small or very sparse matrices, simplicial L D L^T for indefinite ones. */
#ifndef SOFA_NUMERICS_DIRECT_CHOLMOD_SOLVER_H
#define SOFA_NUMERICS_DIRECT_CHOLMOD_SOLVER_H

#include "behavior/ordering.h"
#include "numerics/krylov/assembled.h"
#include "numerics/krylov/symmetry.h"

SOFA_BEGIN_DECLS

typedef struct SofaCholmodSolver SofaCholmodSolver;

/* The better of AMD and METIS. */
enum { SOFA_ORDER_SPARSEST = -1 };

typedef struct SofaCholmodKind {
  bool positive_only;    /* L L^T: a matrix that is not positive definite is an error */
  bool half_after_order; /* the half of A below the diagonal of the *reordered* matrix is read, as
                            SOFA's own L D L^T does; else the half below the diagonal of A */
  bool supernodal;       /* always, not only where it pays; positive_only goes with it */
  int ordering;          /* of CHOLMOD_AMD, ... or SOFA_ORDER_SPARSEST; an ordering of the scene
                            takes precedence */
  int blas_threads;      /* >= 1; results may depend on it */
} SofaCholmodKind;
#define CHOLMOD_KIND_DEFAULT .ordering = SOFA_ORDER_SPARSEST, .blas_threads = 1

typedef struct SofaCholmodCounts {
  uint64_t analyses, factorizations, solves;
  uint64_t sweeps;  /* of solutions with a factor in single precision */
  double l_entries; /* of the last factor */
  bool supernodal;  /* the last factor */
} SofaCholmodCounts;

SofaErr sofa_cholmod_solver_create(SofaContext *ctx, SofaCholmodKind kind, SofaCholmodSolver **out);
void sofa_cholmod_solver_destroy(SofaCholmodSolver **solver);
SofaCholmodKind sofa_cholmod_solver_kind(const SofaCholmodSolver *solver);
/* Sets another kind, before the first factorization. */
void sofa_cholmod_solver_set_kind(SofaCholmodSolver *solver, SofaCholmodKind kind);

/* The abstract class of them all: L D L^T that reads the lower triangle, unless the class based on
 * it sets another kind in its construct. */
typedef struct SofaCholmodLinearSolver {
  SofaLinearSolver solver;
  SofaLink ordering;
  SofaCholmodSolver *cholmod; /* owned */
  SofaSymmetryCheck symmetry;
  bool told_singular;   /* with keep_going a matrix singular to rounding is reported once */
  SofaOption precision; /* of the factor: double, single */
  bool left_single;     /* single precision was not enough for a matrix of this run */
  bool told_double;     /* and that was said */
} SofaCholmodLinearSolver;
extern const SofaClass sofa_cholmod_linear_solver_class;
/* The templates of SOFA's sparse solvers, in the order of each family. */
extern const char *const sofa_cholmod_blocked_first[], *const sofa_cholmod_scalar_first[];

/* x = A^-1 b for n right-hand sides, one behind the other, with the assembled matrix of the
 * solver's system; analyses when its pattern changed, factorises when its values changed. Failures
 * are reported with dof and time. */
SofaErr sofa_cholmod_solver_solve(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                  double *x);
/* The two halves: factorise when the matrix changed; solve with the last factor (no factor, as of
 * an empty matrix: x stays). */
SofaErr sofa_cholmod_solver_update(SofaCholmodLinearSolver *owner);
SofaErr sofa_cholmod_solver_apply(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                  double *x);
/* For solvers of any matrix: the same when the matrix, which is symmetric, is positive definite
 * with pivots far above rounding. *done false: it is not, nothing was said, and x is as it was. */
SofaErr sofa_cholmod_solver_try(SofaCholmodLinearSolver *owner, size_t n, const double *b,
                                double *x, bool *done);
/* An update in three parts, for a factor that another thread makes. `begin` analyses, checks and
 * copies what `run` reads; *needed false: there is a factor of these values. `run` may be called by
 * any thread, while no other function of the solver is; it reports nothing. `end` takes the factor;
 * a matrix that is not definite is factorised again, as it is by then. */
SofaErr sofa_cholmod_solver_begin(SofaCholmodLinearSolver *owner, bool *needed);
void sofa_cholmod_solver_run(SofaCholmodSolver *solver);
SofaErr sofa_cholmod_solver_end(SofaCholmodLinearSolver *owner);
/* w += factor J A^-1 J^T = factor Y^T D^-1 Y with Y = L^-1 P J^T, of which only the rows that J
 * reaches are computed. Symmetric to the bit. */
SofaErr sofa_cholmod_solver_add_jainvjt(SofaCholmodLinearSolver *owner, const SofaSparseRows *j,
                                        double factor, size_t ld, double *w);
/* Y D^-1/2 by rows, see sofa_linear_solver_factor_rows. */
SofaErr sofa_cholmod_solver_factor_rows(SofaCholmodLinearSolver *owner, const SofaSparseRows *j,
                                        SofaFactoredRows *out);
/* of SofaLinearSolverOps: */
SofaErr sofa_cholmod_factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                                 SofaFactoredRows *out);
SofaErr sofa_cholmod_add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j, double factor,
                                 size_t ld, double *w);
SofaCholmodCounts sofa_cholmod_solver_counts(const SofaCholmodSolver *solver);
/* l_entries, as an int when it fits. */
int sofa_cholmod_solver_entries(const SofaCholmodSolver *solver);
/* The next update analyses the pattern again. */
void sofa_cholmod_solver_forget(SofaCholmodSolver *solver);
void sofa_cholmod_forget_pattern(SofaLinearSolver *solver); /* of SofaLinearSolverOps */

/* ---- a factor that is kept ---- */

/* Appends the factor of the last update to the text, as bytes. */
SofaErr sofa_cholmod_solver_save(const SofaCholmodSolver *solver, SofaText *text);
/* Takes the factor of `rows` rows from bytes that save wrote, instead of an update. SOFA_ERR_PARSE,
 * not reported: the bytes are damaged, and there is no factor. */
SofaErr sofa_cholmod_solver_restore(SofaCholmodSolver *solver, size_t rows, const char *bytes,
                                    size_t size);
/* The same solver with one more owner; each owner destroys it. */
SofaCholmodSolver *sofa_cholmod_solver_share(SofaCholmodSolver *solver);

/* Refuses precision="single": in init of classes that keep factors or solve by those of another
 * matrix. */
SofaErr sofa_cholmod_refuse_single(const SofaObject *object);

/* For classes based on them; their structs begin with SofaCholmodLinearSolver. */
/* construct of classes that take positive definite matrices only: L L^T; else L D L^T */
SofaErr sofa_cholmod_construct_positive(SofaObject *object);

/* of SparseLDLSolver: reads the half below the diagonal of the reordered matrix */
#define SPARSE_LDL_KIND ((SofaCholmodKind){.half_after_order = true, CHOLMOD_KIND_DEFAULT})

/* ---- the ordering, shared with the LU solver ---- */

extern const SofaLinkRule sofa_ordering_rule;
#define SOFA_ROW_ORDERING(T, member)                                                               \
  SOFA_FIELD(                                                                                      \
      T, member, "orderingMethod", NULL, "",                                                       \
      "order of elimination; default: one in the node, else the one with the sparsest factor",     \
      .link = &sofa_ordering_rule)
/* Order of the scalar rows, n_scalar_rows ints: the ordering's order of the block rows. ordering
 * NULL: by `method`, see sofa_cholmod_order. */
SofaErr sofa_order_scalars(SofaContext *ctx, const SofaBlockRows *rows, SofaOrdering *ordering,
                           int method, int *order);
/* The ordering linked, or the one in the solver's node, or NULL. */
SofaOrdering *sofa_solver_ordering(const SofaLinearSolver *solver, const SofaLink *link);
/* "AMD", "METIS", ... */
const char *sofa_order_name(int method);
/* Orders a graph by one of CHOLMOD's methods (CHOLMOD_AMD, ...) or SOFA_ORDER_SPARSEST. */
SofaErr sofa_cholmod_order(SofaContext *ctx, const SofaOrderingGraph *graph, int method,
                           int *order);

SOFA_END_DECLS

#endif
