/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSparseQR: direct solution by Q R with SuiteSparseQR, for any regular matrix. */
#include "object/checkpoint.h"
#include "numerics/krylov/assembled.h"
#include "numerics/direct/cholmod_solver.h"

#if CSOFA_GPL
#include <SuiteSparseQR_C.h>
#include <string.h>

#include "base/profiler.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/krylov/work_vector.h"
#include "math/scalar_columns.h"

typedef struct EigenSparseQR {
  SofaLinearSolver solver;
  SofaLink ordering;
  SofaScalarColumns columns;
  int *order;                    /* of elimination: that of `columns`; owned, NULL: as given */
  SuiteSparse_long *start, *row; /* the pattern of `columns`; owned */
  SofaReals side;                /* reordered */
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the factors; 0: none */
  SuiteSparseQR_C_factorization *qr;
  cholmod_common common;
  bool told_singular;
} EigenSparseQR;

static SofaErr construct(SofaObject *object) {
  EigenSparseQR *s = (EigenSparseQR *)object;
  cholmod_l_start(&s->common);
  s->common.print = 0;
  s->common.SPQR_nthreads = 1;
  s->common.SPQR_grain = 1;
  return SOFA_OK;
}

static void free_pattern(EigenSparseQR *s) {
  SofaContext *ctx = s->solver.object.ctx;
  if (s->qr) SuiteSparseQR_C_free(&s->qr, &s->common);
  s->qr = NULL;
  sofa_free(ctx, s->start);
  sofa_free(ctx, s->row);
  sofa_free(ctx, s->order);
  s->start = s->row = NULL;
  s->order = NULL;
  s->matrix = NULL;
}

static void destroy(SofaObject *object) {
  EigenSparseQR *s = (EigenSparseQR *)object;
  free_pattern(s);
  sofa_scalar_columns_free(object->ctx, &s->columns);
  sofa_list_free(object->ctx, &s->side);
  cholmod_l_finish(&s->common);
}

static cholmod_sparse view(const EigenSparseQR *s) {
  return (cholmod_sparse){.nrow = s->columns.n,
                          .ncol = s->columns.n,
                          .nzmax = s->columns.n_entries,
                          .p = s->start,
                          .i = s->row,
                          .x = s->columns.value,
                          .itype = CHOLMOD_LONG,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static SofaErr report(const EigenSparseQR *s, const char *what) {
  const bool memory = s->common.status == CHOLMOD_OUT_OF_MEMORY;
  return sofa_object_fail(&s->solver.object, memory ? SOFA_ERR_MEMORY : SOFA_ERR_ARGUMENT,
                          "SuiteSparseQR failed in %s: status %d", what, s->common.status);
}

/* An order that is given goes to rows and columns of the matrix. */
static SofaErr analyse(EigenSparseQR *s, const SofaBlockMatrix *matrix, const SofaBlockRows *rows) {
  SofaContext *ctx = s->solver.object.ctx;
  SofaOrdering *ordering = sofa_solver_ordering(&s->solver, &s->ordering);
  free_pattern(s);
  if (ordering) {
    s->order = sofa_alloc(ctx, rows->n_scalar_rows + 1, sizeof *s->order);
    if (!s->order) return SOFA_ERR_MEMORY;
    SOFA_TRY(sofa_order_scalars(ctx, rows, ordering, 0, s->order));
  }
  SOFA_TRY(sofa_scalar_columns_build(ctx, matrix, SOFA_COLUMNS_ALL, s->order, NULL, &s->columns));
  SOFA_TRY(work_vector(ctx, s->columns.n, &s->side));
  const SofaScalarColumns *c = &s->columns;
  s->start = sofa_alloc(ctx, c->n + 1, sizeof *s->start);
  s->row = sofa_alloc(ctx, c->n_entries + 1, sizeof *s->row);
  if (!s->start || !s->row) return SOFA_ERR_MEMORY;
  for (size_t j = 0; j <= c->n; j++) s->start[j] = c->start[j];
  for (size_t k = 0; k < c->n_entries; k++) s->row[k] = c->row[k];
  cholmod_sparse a = view(s);
  s->qr = SuiteSparseQR_C_symbolic(s->order ? SPQR_ORDERING_FIXED : SPQR_ORDERING_DEFAULT, 0, &a,
                                   &s->common);
  if (!s->qr) return report(s, "the symbolic analysis");
  sofa_assembled_log_blas(&s->solver, s->columns.n);
  s->matrix = matrix;
  return SOFA_OK;
}

static SofaErr factorise(EigenSparseQR *s, const SofaBlockMatrix *matrix,
                         const SofaBlockRows *rows) {
  s->value_version = 0;
  if (s->matrix != matrix || s->columns.pattern_version != rows->pattern_version)
    SOFA_TRY(analyse(s, matrix, rows));
  sofa_scalar_columns_refresh(matrix, 1, &s->columns);
  cholmod_sparse a = view(s);
  const bool made = SuiteSparseQR_C_numeric(SPQR_NO_TOL, &a, s->qr, &s->common);
  if (!made || s->common.SPQR_istat[4] < (SuiteSparse_long)s->columns.n)
    SOFA_TRY(sofa_assembled_check_finite(&s->solver, rows));
  if (!made) return report(s, "the factorization");
  if (s->common.SPQR_istat[4] < (SuiteSparse_long)s->columns.n)
    return sofa_object_fail(&s->solver.object, SOFA_ERR_SINGULAR,
                            "the matrix is singular: of rank %ld, with %zu rows, time %g",
                            (long)s->common.SPQR_istat[4], s->columns.n,
                            s->solver.object.node->time);
  s->value_version = rows->value_version;
  return SOFA_OK;
}

/* x = E R^-1 Q^T b */
static SofaErr solve_with_factor(EigenSparseQR *s, size_t columns, const double *b, double *x) {
  const size_t n = s->columns.n;
  const int *order = s->order;
  if (s->side.n < n * columns) SOFA_TRY(work_vector(s->solver.object.ctx, n * columns, &s->side));
  for (size_t c = 0; c < columns; c++)
    for (size_t k = 0; k < n; k++)
      s->side.data[c * n + k] = b[c * n + (order ? (size_t)order[k] : k)];
  cholmod_dense side = {.nrow = n,
                        .ncol = columns,
                        .nzmax = n * columns,
                        .d = n,
                        .x = s->side.data,
                        .xtype = CHOLMOD_REAL,
                        .dtype = CHOLMOD_DOUBLE};
  cholmod_dense *y = SuiteSparseQR_C_qmult(SPQR_QTX, s->qr, &side, &s->common);
  cholmod_dense *z = y ? SuiteSparseQR_C_solve(SPQR_RETX_EQUALS_B, s->qr, y, &s->common) : NULL;
  const double *found = z ? z->x : NULL;
  for (size_t c = 0; c < columns && found; c++)
    for (size_t k = 0; k < n; k++) x[c * n + (order ? (size_t)order[k] : k)] = found[c * n + k];
  const SofaErr err = z ? SOFA_OK : report(s, "the solution");
  cholmod_l_free_dense(&y, &s->common);
  cholmod_l_free_dense(&z, &s->common);
  return err;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  EigenSparseQR *s = (EigenSparseQR *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (rows.n_scalar_rows == 0) return SOFA_OK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  if (s->matrix != matrix || s->value_version != rows.value_version) {
    sofa_timer_begin(solver->object.ctx, "factorise");
    err = factorise(s, matrix, &rows);
    sofa_timer_end(solver->object.ctx);
  }
  if (err == SOFA_OK) err = solve_with_factor(s, n, b, x);
  sofa_blas_threads_end(saved);
  if (err != SOFA_OK) return err;
  return sofa_assembled_check_residuals(solver, &rows, n, b, x, &s->told_singular);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(EigenSparseQR, columns), SOFA_REMADE(EigenSparseQR, start),
    SOFA_REMADE(EigenSparseQR, row),     SOFA_REMADE(EigenSparseQR, side),
    SOFA_REMADE(EigenSparseQR, matrix),  SOFA_REMADE(EigenSparseQR, value_version),
    SOFA_REMADE(EigenSparseQR, qr),      SOFA_REMADE(EigenSparseQR, common),
};

#else
#include "numerics/direct/gpl_parts.h"

typedef struct EigenSparseQR {
  SofaLinearSolver solver;
  SofaLink ordering;
} EigenSparseQR;

static SofaErr init(SofaObject *object) {
  return sofa_gpl_part_missing(object, "SuiteSparseQR");
}

/* Of no solver that is initialised. */
static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  (void)n;
  (void)b;
  (void)x;
  return sofa_gpl_part_missing(&solver->object, "SuiteSparseQR");
}
#endif

static const SofaField fields[] = {
    SOFA_FIELD(EigenSparseQR, ordering, "orderingMethod", NULL, "",
               "order of elimination; default: one in the node, else SuiteSparseQR's own choice",
               .link = &sofa_ordering_rule),
};

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many};

static const char *const templates[] = {"CompressedRowSparseMatrixMat3x3d",
                                        "CompressedRowSparseMatrixd", NULL};

SOFA_CLASS(EigenSparseQR) = {
    SOFA_NAMED(EigenSparseQR),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution by Q R (SuiteSparseQR); the matrix need not be symmetric.",
    .equations = "A P = Q R",
    .base = &sofa_linear_solver_class,
    SOFA_FIELDS(fields),
    .templates = templates,
#if CSOFA_GPL
    SOFA_SPARES(spared),
    .construct = construct,
    .destroy = destroy,
#else
    .init = init,
#endif
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
