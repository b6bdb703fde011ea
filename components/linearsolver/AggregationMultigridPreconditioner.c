/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AggregationMultigridPreconditioner: a cycle of multigrid by smoothed aggregation. */
#include "base/checksum.h"
#include "behavior/linear_solver.h"
#include "math/block_values.h"
#include "numerics/krylov/assembled.h"
#include "numerics/krylov/multigrid.h"
#include "object/checkpoint.h"
#include "simulation/mechanics.h"

typedef struct AggregationMultigridPreconditioner {
  SofaLinearSolver solver;
  double strength;
  uint32_t degree, coarsest;
  uint32_t levels;   /* of the last build */
  double complexity; /* likewise */
  SofaMultigrid *multigrid;
  const SofaBlockMatrix *matrix; /* of the levels; only compared */
  uint64_t value_version;        /* of it; 0: there are no levels */
  SofaReals points;              /* where the levels were built, 3 for each row of blocks, m */
  uint64_t restored;             /* checksum of the matrix of points from a checkpoint; 0: none */
} AggregationMultigridPreconditioner;

static const SofaField fields[] = {
    SOFA_FIELD(AggregationMultigridPreconditioner, strength, "strength", "0", "1",
               "points i, j are coupled when |A_ij| > strength sqrt(|A_ii| |A_jj|); larger values "
               "follow the strong direction of flat elements and cost more levels",
               .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(AggregationMultigridPreconditioner, degree, "degree", "2", "1",
               "degree of the polynomials that smooth before and after the coarser levels",
               .range = SOFA_WITHIN(1, 100), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(AggregationMultigridPreconditioner, coarsest, "coarsestSize", "600", "1",
               "a level of so many unknowns, or fewer, is solved directly",
               .range = SOFA_WITHIN(6, 5000), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(AggregationMultigridPreconditioner, levels, "levels", "0", "1",
               "levels of the last matrix, with its own", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(AggregationMultigridPreconditioner, complexity, "complexity", "0", "1",
               "entries of all levels over those of the matrix", .flags = SOFA_FIELD_OUTPUT),
};
enum { LEVELS = 3, COMPLEXITY = 4 };

static void forget(AggregationMultigridPreconditioner *p) {
  p->value_version = p->restored = 0;
}

static SofaErr construct(SofaObject *object) {
  return sofa_multigrid_create(object->ctx,
                               &((AggregationMultigridPreconditioner *)object)->multigrid);
}

static SofaErr reset(SofaObject *object) {
  forget((AggregationMultigridPreconditioner *)object);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  AggregationMultigridPreconditioner *p = (AggregationMultigridPreconditioner *)object;
  sofa_multigrid_destroy(&p->multigrid);
  sofa_list_free(object->ctx, &p->points);
}

/* ---- the points ---- */

static uint64_t sum_of(const SofaBlockMatrix *matrix) {
  size_t n = 0;
  const double *values = sofa_block_matrix_values(matrix, &n);
  const uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, values, n * sizeof *values);
  return sum ? sum : 1;
}

/* Those of the last build, unless the matrix is that of a checkpoint: the levels are then built
 * again where they were. */
static SofaErr take_points(AggregationMultigridPreconditioner *p, const SofaBlockMatrix *matrix,
                           const SofaBlockRows *rows) {
  const SofaLinearSystem *system = p->solver.system;
  const SofaMechanics *m = system->mechanics;
  const SofaObject *object = &p->solver.object;
  const bool kept =
      p->restored && p->points.n == rows->n_scalar_rows && p->restored == sum_of(matrix);
  p->restored = 0;
  for (size_t i = 0; i < m->n_main; i++)
    if (m->states[i]->object.kind != SOFA_VEC3)
      return sofa_object_unsupported(object, "a state of kind %s",
                                     sofa_state_kind_info(m->states[i]->object.kind)->name);
  if (rows->uniform != 3 || (system->at.x && rows->n_scalar_rows != m->n_x_main))
    return sofa_object_unsupported(object, "a matrix that has not a block of 3 x 3 at each point");
  if (kept) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &p->points, rows->n_scalar_rows));
  // a system that was made without a point: all at one place, where only translations are modes
  if (system->at.x) sofa_copy(p->points.data, system->at.x, p->points.n * sizeof *p->points.data);
  else sofa_zero(p->points.data, p->points.n * sizeof *p->points.data);
  return SOFA_OK;
}

/* ---- levels ---- */

static SofaErr build(AggregationMultigridPreconditioner *p, const SofaBlockMatrix *matrix,
                     const SofaBlockRows *rows) {
  SofaLinearSolver *solver = &p->solver;
  const SofaMultigridOptions options = {p->strength, p->degree, p->coarsest};
  size_t row = 0;
  p->value_version = 0;
  SOFA_TRY(take_points(p, matrix, rows));
  SOFA_TRY(sofa_assembled_check_finite(solver, rows));
  const SofaErr err = sofa_multigrid_build(p->multigrid, matrix, p->points.data, &options, &row);
  if (err == SOFA_ERR_SINGULAR)
    return sofa_linear_solver_fail_at(solver, err, row, "the matrix is not positive definite");
  SOFA_TRY(err);
  p->matrix = matrix;
  p->value_version = rows->value_version;
  p->levels = (uint32_t)sofa_multigrid_n_levels(p->multigrid);
  p->complexity = sofa_multigrid_complexity(p->multigrid);
  sofa_field_touch(&solver->object, &fields[LEVELS]);
  sofa_field_touch(&solver->object, &fields[COMPLEXITY]);
  if (solver->object.print_log)
    sofa_object_message(&solver->object, SOFA_INFO, "%u levels, complexity %.2f", p->levels,
                        p->complexity);
  return SOFA_OK;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  AggregationMultigridPreconditioner *p = (AggregationMultigridPreconditioner *)solver;
  const SofaBlockMatrix *matrix;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (p->matrix != matrix || p->value_version != rows.value_version)
    SOFA_TRY(build(p, matrix, &rows));
  sofa_multigrid_apply(p->multigrid, b, x);
  return sofa_assembled_check_solution(solver, &rows, b, x);
}

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const AggregationMultigridPreconditioner *p = (const AggregationMultigridPreconditioner *)object;
  const SofaLinearSystem *system = p->solver.system;
  const SofaBlockMatrix *matrix =
      system && p->value_version ? sofa_linear_system_matrix(p->solver.system) : NULL;
  // levels of a checkpoint that no solution has asked for yet are those of the next one, too
  const uint64_t sum = p->restored                     ? p->restored
                       : matrix && matrix == p->matrix ? sum_of(matrix)
                                                       : 0;
  sofa_checkpoint_put_uint(to, sum);
  if (sum) sofa_checkpoint_put_list(to, &p->points, sizeof *p->points.data);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  AggregationMultigridPreconditioner *p = (AggregationMultigridPreconditioner *)object;
  forget(p);
  p->restored = sofa_checkpoint_get_uint(from);
  return p->restored ? sofa_checkpoint_get_list(from, &p->points, sizeof *p->points.data) : SOFA_OK;
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(AggregationMultigridPreconditioner, multigrid),
    SOFA_REMADE(AggregationMultigridPreconditioner, matrix),
    SOFA_REMADE(AggregationMultigridPreconditioner, value_version),
    SOFA_REMADE(AggregationMultigridPreconditioner, restored),
};

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {"CompressedRowSparseMatrixMat3x3d",
                                        "CompressedRowSparseMatrixd", NULL};

SOFA_CLASS(AggregationMultigridPreconditioner) = {
    SOFA_NAMED(AggregationMultigridPreconditioner),
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver for solids of points: a cycle of multigrid by "
            "smoothed aggregation with rigid-body modes (Vanek, Mandel, Brezina, 1996). The number "
            "of iterations hardly grows with the mesh. An addition of csofa.",
    .equations = "A' = P^T A P, P = (I - omega D^-1 A) P0, omega = 4/(3 lambda)\n"
                 "\"P0: rigid-body modes of the aggregates, orthonormal; D: block diagonal of A; "
                 "lambda: largest eigenvalue of D^-1 A\"",
    .base = &sofa_linear_solver_class,
    .checkpoint = &checkpoint,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
