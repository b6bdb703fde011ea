/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symmetry of a sum of matrices, by their products with one vector. */
#include "petsc_symmetry.h"

#include <math.h>
#include <stdio.h>

#include "numerics/krylov/symmetry.h"
#include "simulation/divided_plan.h"

static const double limit = 1e-8; /* of sofa_symmetry_check */

typedef struct Check {
  const SofaLinearSolver *solver;
  SofaMechanics *m;
  const SofaBlockRows *rows;
  double *diagonal, *v; /* n_scalar_rows reals each */
  double *apart;        /* (A - A^T) v */
  double *size;         /* (|A| + |A^T|) |v| of the parts */
} Check;

static inline uint32_t size_of(const uint32_t *scalar, size_t i) {
  return scalar[i + 1] - scalar[i];
}

/* As in the matrix of PETSc: what couples whole states is that of the first process. */
static bool counts(const Check *c, size_t i, size_t j) {
  const uint8_t *partial = c->m->divided->partial.data;
  return partial[i] || partial[j] || sofa_process_rank(c->m->ctx) == 0;
}

/* The sum over all processes, at all copies. */
static SofaErr sum(const Check *c, double *vector) {
  SofaMechanics *m = c->m;
  SOFA_TRY(sofa_divided_sum(m, vector));
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const size_t n = sofa_state_size(s) * sofa_state_kind_info(s->object.kind)->deriv;
    if (!sofa_state_division(s)) SOFA_TRY(sofa_process_sum(m->ctx, n, vector + s->v_offset));
  }
  return SOFA_OK;
}

static SofaErr find_diagonal(const Check *c) {
  const SofaBlockRows *rows = c->rows;
  for (size_t i = 0; i < rows->n_rows; i++) {
    if (!counts(c, i, i)) continue;
    const uint32_t n = size_of(rows->row_scalar, i);
    const double *block = sofa_block_values(rows, rows->diagonal[i]);
    for (uint32_t r = 0; r < n; r++) c->diagonal[rows->row_scalar[i] + r] = block[r * n + r];
  }
  return sum(c, c->diagonal);
}

/* 0.5 to 1, with a sign, from a number: no two rows and no pattern of a mesh cancel. */
static double draw(uint64_t number) {
  uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  return (0.5 + (double)(bits >> 12) * 0x1p-53) * (bits & 1 ? 1 : -1);
}

/* The same at all copies; its unit is such that no choice of units changes what is found. */
static void fill_vector(const Check *c) {
  const SofaBlockRows *rows = c->rows;
  for (size_t i = 0; i < rows->n_rows; i++) {
    const uint64_t block = c->m->divided->block.data[i];
    for (uint32_t k = rows->row_scalar[i]; k < rows->row_scalar[i + 1]; k++) {
      const double d = c->diagonal[k];
      c->v[k] = draw(8 * block + k - rows->row_scalar[i]) / (d > 0 ? sqrt(d) : 1);
    }
  }
}

static void add_block(const Check *c, size_t i, size_t k) {
  const SofaBlockRows *rows = c->rows;
  const size_t row = rows->row_scalar[i], column = rows->column_scalar[rows->column[k]];
  const uint32_t nr = size_of(rows->row_scalar, i);
  const uint32_t nc = size_of(rows->column_scalar, rows->column[k]);
  const double *a = sofa_block_values(rows, k);
  for (size_t r = row; r < row + nr; r++) {
    for (size_t q = column; q < column + nc; q++, a++) {
      c->apart[r] += *a * c->v[q];
      c->apart[q] -= *a * c->v[r];
      c->size[r] += fabs(*a * c->v[q]);
      c->size[q] += fabs(*a * c->v[r]);
    }
  }
}

static SofaErr multiply(const Check *c) {
  const SofaBlockRows *rows = c->rows;
  for (size_t i = 0; i < rows->n_rows; i++)
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
      if (counts(c, i, rows->column[k])) add_block(c, i, k);
  SOFA_TRY(sum(c, c->apart));
  return sum(c, c->size);
}

/* The own row that is farthest from its column, by the measure of its diagonal; 0 where a number is
 * not finite. */
static double find_worst(const Check *c, size_t *at) {
  const SofaBlockRows *rows = c->rows;
  double worst = 0;
  for (size_t i = 0; i < rows->n_rows; i++) {
    if (!c->m->divided->owned.data[i]) continue;
    for (size_t k = rows->row_scalar[i]; k < rows->row_scalar[i + 1]; k++) {
      const double most = fmax(sqrt(fmax(c->diagonal[k], 0)), c->size[k]);
      const double apart = most > 0 ? fabs(c->apart[k]) / most : 0;
      if (!(apart > worst)) continue;
      worst = apart;
      *at = k;
    }
  }
  return worst;
}

static SofaErr report(const Check *c, size_t row, double mine, double worst, bool *told) {
  const SofaObject *object = &c->solver->object;
  char what[200];
  if (sofa_quirk(object, SOFA_QUIRK_ASYMMETRIC_MATRIX) || object->ctx->keep_going) {
    *told = true;
    sofa_object_message(object, SOFA_WARNING,
                        "the matrix is not symmetric: a row and its column are %.3g of their size "
                        "apart; it is told to PETSc as symmetric",
                        worst);
    return SOFA_OK;
  }
  if (mine < worst)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "the matrix is not symmetric in a row of another process");
  snprintf(what, sizeof what,
           "the matrix is not symmetric: row %zu and its column are %.3g of their size apart; "
           "symmetric=\"0\" takes such matrices. The row stands",
           row, worst);
  return sofa_linear_solver_fail_at(c->solver, SOFA_ERR_ARGUMENT, row, what);
}

static SofaErr check(Check *c, double *memory, bool *told) {
  const size_t n = c->rows->n_scalar_rows;
  size_t row = 0;
  sofa_zero(memory, 4 * n * sizeof *memory);
  c->diagonal = memory;
  c->v = memory + n;
  c->apart = memory + 2 * n;
  c->size = memory + 3 * n;
  SOFA_TRY(find_diagonal(c));
  fill_vector(c);
  SOFA_TRY(multiply(c));
  const double mine = find_worst(c, &row);
  double worst = mine;
  SOFA_TRY(sofa_process_max(c->m->ctx, 1, &worst));
  return worst > limit ? report(c, row, mine, worst, told) : SOFA_OK;
}

SofaErr petsc_symmetry_check(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                             bool *told) {
  SofaContext *ctx = solver->object.ctx;
  Check c = {.solver = solver, .m = solver->system->mechanics, .rows = rows};
  if (*told) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *memory = SOFA_SCRATCH(ctx, double, 4 * rows->n_scalar_rows + 1);
  const SofaErr err = memory ? check(&c, memory, told) : SOFA_ERR_MEMORY;
  sofa_scratch_release(ctx, mark);
  return err;
}
