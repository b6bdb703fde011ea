/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of a solver's plan, as compressed rows of numbers. */
#include "api/api_impl.h"
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
  const uint32_t end = (uint32_t)m->column.n;
  return SOFA_APPEND(m->ctx, &m->start, &end);
}

static SofaErr copy_rows(CsofaSparse *m, const SofaBlockMatrix *from) {
  const uint32_t zero = 0;
  SofaBlockRows rows;
  sofa_block_matrix_rows(from, &rows);
  m->n = rows.n_scalar_rows;
  SOFA_TRY(SOFA_APPEND(m->ctx, &m->start, &zero));
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

int64_t csofa_sparse_row(CsofaScene *scene, CsofaObject state) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, state);
  if (!o || !sofa_implements(o, SOFA_MECHANICAL_STATE)) return -1;
  const SofaState *s = (const SofaState *)o;
  return s->mechanics && !s->mapped ? (int64_t)s->v_offset : -1;
}
