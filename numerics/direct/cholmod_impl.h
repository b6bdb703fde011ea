/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a SofaCholmodSolver. */
#ifndef SOFA_NUMERICS_DIRECT_CHOLMOD_IMPL_H
#define SOFA_NUMERICS_DIRECT_CHOLMOD_IMPL_H

#include <cholmod.h>

#include "base/rooms_impl.h"
#include "numerics/direct/cholmod_solver.h"
#include "numerics/direct/front_factor_impl.h"
#include "math/scalar_columns.h"

/* What solutions of sparse right-hand sides need of the pattern of L. A node is a supernode, or a
 * column of a simplicial factor; the rows of a node are those it eliminates. */
typedef struct EliminationTree {
  int *rank;      /* per row of A: its number in the order of elimination */
  int *node;      /* per row of L: the node that eliminates it */
  int *next;      /* per node: the first row below that its columns reach, a row of its parent; -1:
                     none. A column of L^-1 that begins in a node has entries in it and in its
                     ancestors alone */
  size_t n_nodes; /* 0: not made yet */
} EliminationTree;

/* Columns of a panel, at most. */
enum { PANEL_COLUMNS = 96 };

/* Consecutive rows of L that the columns lo, lo + 1, ... of a panel have entries in: the last rows
 * of a supernode, or columns of a simplicial factor. Values of a supernode are column by column,
 * others row by row. */
typedef struct PanelBlock {
  int row, n;
  int lo, columns;
  size_t at; /* place of the values in y */
} PanelBlock;
SOFA_LIST(PanelBlock, PanelBlocks);

/* Columns of Y = L^-1 P J^T. */
typedef struct Panel {
  size_t first; /* the columns are those of the rows order[first], ... of J */
  int columns;
  size_t first_block, n_blocks; /* the rows of L that one of them reaches, ascending */
  size_t at, n_reals;           /* their values in y */
} Panel;
SOFA_LIST(Panel, Panels);

/* Memory of products with the inverse, kept from one to the next. */
typedef struct InverseWork {
  SofaIndices order, count; /* rows of J that have entries, by their first eliminated row */
  SofaInts lo, end;         /* per node: the columns of a panel that reach it; end 0: none */
  SofaInts first, reached;  /* the first row that they reach; does a panel reach the node? */
  Panels panels;
  PanelBlocks blocks;
  size_t n_reals;     /* of y */
  SofaReals y, z;     /* panels of Y and of D^-1 Y; z: L D L^T alone */
  SofaInts place;     /* per thread and row of L: its block in the panel at work */
  SofaReals diagonal; /* inverses of the diagonal blocks of supernodes */
  SofaReals buffer;   /* per thread: what a supernode adds to its ancestors */
  SofaReals tile;     /* per thread: products of two panels */
  SofaRooms rooms;    /* numbers of threads */
} InverseWork;

SOFA_LIST(float, SofaFloats);

/* Memory of solutions by a factor in single precision, in the order of elimination. */
typedef struct SingleWork {
  SofaReals x, r, z, p, q;
  SofaFloats y;
  SofaInts first; /* columns of the matrix that are multiplied together; n more, the end */
} SingleWork;

/* A symbolic factor with the reordered matrix it belongs to. */
typedef struct Factor {
  cholmod_factor *l;
  int *order; /* row of A that is eliminated as number k */
  SofaScalarColumns columns;
  SofaReals factored;          /* values of the factorization before, while new ones are compared */
  bool complete;               /* l is of the values in `columns` */
  uint64_t pattern_version;    /* 0: none */
  SofaFloats single;           /* the values of L, in single precision; then l has none */
  double scale;                /* `single` is of scale times the matrix; a power of 2 */
  EliminationTree tree;        /* made when it is first asked for */
  SofaFronts *fronts;          /* of the last supernodal factor; owned */
  SofaSupernodeSolver *solver; /* the same */
} Factor;

struct SofaCholmodSolver {
  SofaContext *ctx;
  uint32_t owners;
  SofaCholmodKind kind;
  cholmod_common common;
  Factor best;        /* supernodal L L^T, or simplicial when that is as good */
  Factor indefinite;  /* simplicial L D L^T, made when the best one met an indefinite matrix */
  const Factor *used; /* by the last factorization */
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the last factorization; 0: none */
  uint64_t rows_version;  /* of that of the last factored rows */
  uint64_t begun;         /* value version of the factor in the making */
  SofaErr run;            /* how it went */
  bool single;            /* the best factor is one in single precision */
  SingleWork refined;
  bool doubtful; /* a pivot is nearly rounding: solutions are checked */
  double *y;     /* reordered right-hand sides and solutions, y_columns of them */
  size_t y_columns, y_rows;
  cholmod_dense *work; /* of the supernodal solve */
  InverseWork inverse;
  SofaCholmodCounts counts;
};

static inline SofaSupernodes cholmod_supernodes(const cholmod_factor *l) {
  return (SofaSupernodes){
      .n = l->nsuper, .super = l->super, .row_start = l->pi, .value_start = l->px, .row = l->s};
}
void cholmod_factor_free(SofaCholmodSolver *s, Factor *f);
/* Room for solutions of n rows. */
SofaErr cholmod_make_room(SofaCholmodSolver *s, size_t n);
/* x = A^-1 b for n right-hand sides with the factor used last. */
SofaErr cholmod_solve_with_factor(SofaCholmodSolver *s, size_t n, const double *b, double *x);
/* The best factor in single precision. *good false: a pivot is lost to its rounding. */
SofaErr cholmod_single_reserve(SofaCholmodSolver *s, const Factor *f);
void cholmod_single_free(SofaContext *ctx, SingleWork *work);
void cholmod_single_factorise(Factor *f);
bool cholmod_single_has_pivots(const Factor *f);
/* A x = b for n right-hand sides to the accuracy of double precision. *reached false: the factor
 * does not lead there, and x is of no use. */
SofaErr cholmod_single_solve(SofaCholmodSolver *s, size_t n, const double *b, double *x,
                             bool *reached);
/* x = P^T L^-T half with a supernodal one. */
SofaErr cholmod_finish_with_factor(SofaCholmodSolver *s, const double *half, double *x);
/* w += factor J A^-1 J^T with the factor used last, see sofa_linear_solver_add_jainvjt. */
SofaErr cholmod_add_jainvjt(SofaCholmodSolver *s, const SofaSparseRows *j, double factor, size_t ld,
                            double *w);
/* The pattern of Y = L^-1 P J^T, for the factor used last, which *out becomes; then its values.
 */
SofaErr cholmod_make_panels(SofaCholmodSolver *s, const SofaSparseRows *j, Factor **out);
SofaErr cholmod_fill_panels(SofaCholmodSolver *s, const SofaSparseRows *j, const Factor *f,
                            SofaReals *y);
/* The row of L where a row of J, with entries, begins. */
int cholmod_first_rank(const EliminationTree *t, const SofaSparseRows *j, size_t row);
/* A list of at least n entries, which grows geometrically: the number of contacts changes from step
 * to step. */
SofaErr cholmod_grow(SofaContext *ctx, void *list, size_t size, size_t n);
#define CHOLMOD_GROW(ctx, list, n) cholmod_grow((ctx), (list), sizeof *(list)->data, (n))
void cholmod_tree_free(SofaContext *ctx, EliminationTree *tree);
void cholmod_inverse_free(SofaContext *ctx, InverseWork *work);
/* Reports the failure in CHOLMOD's status. */
SofaErr cholmod_report(const SofaCholmodSolver *s);

#endif
