/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of a solver's plan, as compressed rows of numbers. */
#include <string.h>

#include "api/api_impl.h"
#include "behavior/lagrangian.h"
#include "behavior/ode_solver.h"
#include "behavior/state.h"
#include "numerics/assembly/assembly.h"
#include "simulation/mechanics.h"

struct CsofaSparse {
  SofaContext *ctx;
  size_t n;
  SofaIndices start, column;
  SofaReals value;
};

void csofa_free_sparse(CsofaSparse *matrix) {
  if (!matrix) return;
  sofa_list_free(matrix->ctx, &matrix->start);
  sofa_list_free(matrix->ctx, &matrix->column);
  sofa_list_free(matrix->ctx, &matrix->value);
  sofa_free(matrix->ctx, matrix);
}

/* The end of a row, or of none. */
static SofaErr append_end(CsofaSparse *m) {
  const uint32_t end = (uint32_t)m->column.n;
  return SOFA_APPEND(m->ctx, &m->start, &end);
}

/* Row r of block row i. */
static SofaErr append_row(CsofaSparse *m, const SofaBlockRows *rows, size_t i, size_t r) {
  for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
    const uint32_t first = rows->column_scalar[rows->column[k]];
    const uint32_t width = rows->column_scalar[rows->column[k] + 1] - first;
    const double *block = sofa_block_values(rows, k) + r * width;
    for (uint32_t c = 0; c < width; c++) {
      const uint32_t column = first + c;
      SOFA_TRY(SOFA_APPEND(m->ctx, &m->column, &column));
      SOFA_TRY(SOFA_APPEND(m->ctx, &m->value, &block[c]));
    }
  }
  return append_end(m);
}

static SofaErr copy_rows(CsofaSparse *m, const SofaBlockMatrix *from) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(from, &rows);
  m->n = rows.n_scalar_rows;
  SOFA_TRY(append_end(m));
  for (size_t i = 0; i < rows.n_rows; i++)
    for (uint32_t r = 0; r < rows.row_scalar[i + 1] - rows.row_scalar[i]; r++)
      SOFA_TRY(append_row(m, &rows, i, r));
  return SOFA_OK;
}

typedef struct Factors {
  double m, b, k;
  bool project;
} Factors;

static SofaErr assemble(SofaObject *solver, const Factors *factors, CsofaSparse *out) {
  const SofaAssemblyParts parts = {.stiffness = true,
                                   .mass = true,
                                   .damping = true,
                                   .geometric_stiffness = true,
                                   .mapped = true,
                                   .constraints = factors->project};
  const SofaNode *node = solver->node, *root = sofa_node_root(solver->node);
  SofaAssembly *assembly = NULL;
  SofaMechanics *m = NULL;
  SOFA_TRY(sofa_node_mechanics(solver->node, &m));
  SOFA_TRY(sofa_assembly_create(solver, &assembly));
  const SofaMechParams p =
      sofa_mech_params(root->dt, node->time, factors->m, factors->b, factors->k);
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, node->time);
  SofaErr err = sofa_assembly_build(assembly, m, &p, &at, &parts);
  if (err == SOFA_OK) err = copy_rows(out, sofa_assembly_matrix(assembly));
  sofa_assembly_destroy(&assembly);
  return err;
}

CsofaErr csofa_assemble(CsofaScene *scene, CsofaObject object, double m, double b, double k,
                        int project, CsofaSparse **out) {
  const Factors factors = {m, b, k, project != 0};
  SofaContext *ctx = scene->owner->ctx;
  *out = NULL;
  const CsofaErr ready = csofa_init(scene);
  if (ready != CSOFA_OK) return ready;
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  SofaObject *solver = sofa_node_find(o->node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP);
  if (!solver)
    return csofa_end(scene->owner, sofa_object_fail(o, SOFA_ERR_NOT_FOUND,
                                                    "no ODE solver moves this: it has no matrix"));
  CsofaSparse *matrix = sofa_alloc(ctx, 1, sizeof *matrix);
  if (!matrix) return csofa_end(scene->owner, SOFA_ERR_MEMORY);
  matrix->ctx = ctx;
  const SofaErr err = assemble(solver, &factors, matrix);
  if (err == SOFA_OK) *out = matrix;
  else csofa_free_sparse(matrix);
  return csofa_end(scene->owner, err);
}

size_t csofa_sparse_size(const CsofaSparse *matrix) {
  return matrix->n;
}

const uint32_t *csofa_sparse_start(const CsofaSparse *matrix) {
  return matrix->start.data;
}

const uint32_t *csofa_sparse_columns(const CsofaSparse *matrix) {
  return matrix->column.data;
}

const double *csofa_sparse_values(const CsofaSparse *matrix) {
  return matrix->value.data;
}

/* ---- what the last step made ---- */

static SofaErr copy_system(SofaObject *o, CsofaSparse *out) {
  SofaLinearSystem *system = NULL;
  if (sofa_implements(o, SOFA_LINEAR_SYSTEM)) system = (SofaLinearSystem *)o;
  else if (sofa_implements(o, SOFA_LINEAR_SOLVER)) system = ((SofaLinearSolver *)o)->system;
  const bool built =
      system && system->mechanics && system->mechanics == system->mechanics->node->mechanics;
  const SofaBlockMatrix *matrix = built ? sofa_linear_system_matrix(system) : NULL;
  if (matrix) return copy_rows(out, matrix);
  return sofa_object_fail(o, SOFA_ERR_NOT_FOUND, "it has no assembled matrix of a step");
}

/* Column major to rows. */
static SofaErr copy_square(const double *w, uint32_t n, CsofaSparse *out) {
  out->n = n;
  SOFA_TRY(append_end(out));
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < n; k++) {
      SOFA_TRY(SOFA_APPEND(out->ctx, &out->column, &k));
      SOFA_TRY(SOFA_APPEND(out->ctx, &out->value, &w[(size_t)k * n + i]));
    }
    SOFA_TRY(append_end(out));
  }
  return SOFA_OK;
}

/* Solvers that do without W leave it to those who ask. */
static SofaErr copy_compliance(SofaObject *o, CsofaSparse *out) {
  if (!sofa_implements(o, SOFA_CONSTRAINT_SOLVER))
    return sofa_object_fail(o, SOFA_ERR_TYPE, "it is not a constraint solver");
  SofaConstraintProblem *p = &((SofaConstraintSolver *)o)->problem;
  const size_t n = (size_t)p->n * p->n;
  if (p->w.n == n) return copy_square(p->w.data, p->n, out);
  double *w = sofa_alloc(out->ctx, n, sizeof *w);
  SofaErr err = w ? sofa_constraint_compliance(p, w) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = copy_square(w, p->n, out);
  sofa_free(out->ctx, w);
  return err;
}

/* The state's rows of one solver's problem. */
static SofaErr copy_constraints(const SofaConstraintProblem *p, const SofaSparseRows *j,
                                CsofaSparse *out) {
  size_t next = 0;
  out->n = p->n;
  SOFA_TRY(append_end(out));
  for (uint32_t i = 0; i < p->n; i++) {
    for (; next < j->n_rows && j->number[next] == i; next++)
      for (uint32_t k = j->start[next]; k < j->start[next + 1]; k++) {
        SOFA_TRY(SOFA_APPEND(out->ctx, &out->column, &j->column[k]));
        SOFA_TRY(SOFA_APPEND(out->ctx, &out->value, &j->value[k]));
      }
    SOFA_TRY(append_end(out));
  }
  return SOFA_OK;
}

static SofaErr copy_rows_of_state(SofaObject *o, CsofaSparse *out) {
  if (!sofa_implements(o, SOFA_MECHANICAL_STATE))
    return sofa_object_fail(o, SOFA_ERR_TYPE, "it is not a mechanical state");
  const SofaObject *solver = sofa_node_find(o->node, SOFA_CONSTRAINT_SOLVER, SOFA_SEARCH_UP);
  const SofaConstraintProblem *p = solver ? &((const SofaConstraintSolver *)solver)->problem : NULL;
  const SofaConstrainedState *s = p ? sofa_constrained_state(p, (const SofaState *)o) : NULL;
  if (s) return copy_constraints(p, &s->j, out);
  return sofa_object_fail(o, SOFA_ERR_NOT_FOUND, "no constraints of a step act on it");
}

typedef SofaErr (*CopyMatrix)(SofaObject *object, CsofaSparse *out);

static CopyMatrix copy_of(const char *kind) {
  static const struct {
    const char *kind;
    CopyMatrix copy;
  } kinds[] = {{"A", copy_system}, {"W", copy_compliance}, {"J", copy_rows_of_state}};
  for (size_t i = 0; i < SOFA_COUNT(kinds); i++)
    if (strcmp(kinds[i].kind, kind) == 0) return kinds[i].copy;
  return NULL;
}

CsofaErr csofa_solved_matrix(CsofaScene *scene, CsofaObject object, const char *kind,
                             CsofaSparse **out) {
  SofaContext *ctx = scene->owner->ctx;
  *out = NULL;
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  const CopyMatrix copy = copy_of(kind);
  if (!copy) return csofa_fail(scene->owner, SOFA_ERR_ARGUMENT, "'%s' is not A, W or J", kind);
  CsofaSparse *matrix = sofa_alloc(ctx, 1, sizeof *matrix);
  if (!matrix) return csofa_end(scene->owner, SOFA_ERR_MEMORY);
  matrix->ctx = ctx;
  const SofaErr err = copy(o, matrix);
  if (err == SOFA_OK) *out = matrix;
  else csofa_free_sparse(matrix);
  return csofa_end(scene->owner, err);
}

/* Of the ODE solver above an object. */
static SofaErr find_vector(SofaObject *o, bool solution, const double **values, size_t *n) {
  const SofaOdeSolver *solver =
      (const SofaOdeSolver *)sofa_node_find(o->node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP);
  const SofaStepEquations *ops = solver ? sofa_ode_solver_ops(solver)->equations : NULL;
  const SofaMechanics *m = solver ? solver->mechanics : NULL;
  const bool current =
      m && m == solver->object.node->mechanics && m->serial == solver->plan_version;
  const double *(*const get)(const SofaOdeSolver *) = !ops || !ops->rhs ? NULL
                                                      : solution        ? ops->solution
                                                                        : ops->rhs;
  if (!current || !get)
    return sofa_object_fail(o, SOFA_ERR_NOT_FOUND,
                            "there is no step of an EulerImplicitSolver whose system it is");
  *values = get(solver);
  *n = m->n_v_main;
  return SOFA_OK;
}

CsofaErr csofa_solved_vector(CsofaScene *scene, CsofaObject object, const char *kind,
                             const double **values, size_t *n) {
  *values = NULL;
  *n = 0;
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  if (strcmp(kind, "b") == 0 || strcmp(kind, "x") == 0)
    return csofa_end(scene->owner, find_vector(o, *kind == 'x', values, n));
  if (strcmp(kind, "lambda") != 0 || !sofa_implements(o, SOFA_CONSTRAINT_SOLVER))
    return csofa_end(scene->owner, sofa_object_fail(o, SOFA_ERR_ARGUMENT,
                                                    "it has no vector '%s' (b, x, lambda)", kind));
  const SofaConstraintProblem *p = &((const SofaConstraintSolver *)o)->problem;
  *values = p->lambda.data;
  *n = p->lambda.n < p->n ? p->lambda.n : p->n;
  return CSOFA_OK;
}

int64_t csofa_sparse_row(CsofaScene *scene, CsofaObject state) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, state);
  if (!o || !sofa_implements(o, SOFA_MECHANICAL_STATE)) return -1;
  const SofaState *s = (const SofaState *)o;
  return s->mechanics && !s->mapped ? (int64_t)s->v_offset : -1;
}
