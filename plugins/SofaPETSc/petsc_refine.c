/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iterative refinement with residuals in three times the digits. */
#include "petsc_refine.h"

#include <math.h>

enum { PARTS = 3, MOST_CORRECTIONS = 8 };

/* Of the largest entry: the error at which rounding is certain for all practical purposes. An entry
 * rounds in another way where it is that close to the middle between two doubles. */
static const double certain = 0x1p-112;
/* Of the largest entry: smaller entries are rounded to multiples of this, as zeros among them
 * would be the error. */
#define COARSEST (-75)

/* ---- sums without rounding ---- */

/* *a + b = the new *a + what is returned. */
static inline double add_to(double *a, double b) {
  const double sum = *a + b, part = sum - *a;
  const double rest = (*a - (sum - part)) + (b - part);
  *a = sum;
  return rest;
}

/* Adds b, of the size of sum[first]. */
static inline void add(double sum[PARTS], int first, double b) {
  for (int i = first; i < PARTS - 1; i++) b = add_to(&sum[i], b);
  sum[PARTS - 1] += b;
}

/* sum -= a (x0 + x1 + x2) */
static inline void subtract_product(double sum[PARTS], double a, double x0, double x1, double x2) {
  const double p0 = -a * x0, p1 = -a * x1;
  add(sum, 0, p0);
  add(sum, 1, fma(-a, x0, -p0));
  add(sum, 1, p1);
  sum[2] += fma(-a, x1, -p1) - a * x2;
}

/* Each part becomes the rounded rest of those before it. */
static void normalize(double sum[PARTS]) {
  for (int k = 0; k < 2; k++)
    for (int i = PARTS - 1; i > 0; i--) sum[i] = add_to(&sum[i - 1], sum[i]);
}

/* ---- memory ---- */

void petsc_refine_free(SofaContext *ctx, PetscRefine *f) {
  PetscSFDestroy(&f->others);
  VecDestroy(&f->correction);
  for (int k = 0; k < PARTS; k++) {
    sofa_list_free(ctx, &f->own[k]);
    sofa_list_free(ctx, &f->others_of[k]);
  }
}

static SofaErr make_room(SofaContext *ctx, PetscRefine *f, PetscInt n_own, PetscInt n_others) {
  for (int k = 0; k < PARTS; k++) {
    SOFA_TRY(SOFA_RESIZE(ctx, &f->own[k], (size_t)n_own + 1));
    SOFA_TRY(SOFA_RESIZE(ctx, &f->others_of[k], (size_t)n_others + 1));
  }
  return SOFA_OK;
}

PetscErrorCode petsc_refine_shape(SofaContext *ctx, PetscRefine *f, Mat mat) {
  Mat near = NULL, far = NULL;
  const PetscInt *columns = NULL;
  PetscLayout rows = NULL;
  PetscInt n_own = 0, n_others = 0;
  PetscCall(MatMPIAIJGetSeqAIJ(mat, &near, &far, &columns));
  PetscCall(MatGetSize(near, &n_own, NULL));
  PetscCall(MatGetSize(far, NULL, &n_others));
  if (make_room(ctx, f, n_own, n_others) != SOFA_OK) return PETSC_ERR_MEM;
  PetscCall(MatGetLayouts(mat, &rows, NULL));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)mat), &f->others));
  PetscCall(PetscSFSetGraphLayout(f->others, rows, n_others, NULL, PETSC_COPY_VALUES, columns));
  return MatCreateVecs(mat, NULL, &f->correction);
}

/* ---- the residual ---- */

/* One of the two parts of the rows: its columns are those of x. */
typedef struct Rows {
  Mat mat;
  PetscInt n;
  const PetscInt *start, *column;
  const PetscScalar *values;
  const double *x[PARTS];
} Rows;

static PetscErrorCode open_rows(Rows *rows, Mat mat, const SofaReals x[PARTS]) {
  PetscBool done = PETSC_FALSE;
  rows->mat = mat;
  for (int k = 0; k < PARTS; k++) rows->x[k] = x[k].data;
  PetscCall(
      MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &rows->n, &rows->start, &rows->column, &done));
  if (!done) return PETSC_ERR_SUP;
  return MatSeqAIJGetArrayRead(mat, &rows->values);
}

static PetscErrorCode close_rows(Rows *rows) {
  PetscBool done = PETSC_FALSE;
  PetscCall(MatSeqAIJRestoreArrayRead(rows->mat, &rows->values));
  return MatRestoreRowIJ(rows->mat, 0, PETSC_FALSE, PETSC_FALSE, &rows->n, &rows->start,
                         &rows->column, &done);
}

static inline void subtract_row(double sum[PARTS], const Rows *rows, PetscInt i) {
  for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
    const PetscInt j = rows->column[k];
    subtract_product(sum, rows->values[k], rows->x[0][j], rows->x[1][j], rows->x[2][j]);
  }
}

static PetscErrorCode get_others(PetscRefine *f) {
  for (int k = 0; k < PARTS; k++) {
    PetscCall(PetscSFBcastBegin(f->others, MPIU_SCALAR, f->own[k].data, f->others_of[k].data,
                                MPI_REPLACE));
    PetscCall(
        PetscSFBcastEnd(f->others, MPIU_SCALAR, f->own[k].data, f->others_of[k].data, MPI_REPLACE));
  }
  return 0;
}

/* r = b - A x, rounded */
static PetscErrorCode residual(PetscRefine *f, const PetscSolved *s) {
  Rows near, far;
  Mat parts[2];
  const PetscInt *columns = NULL;
  const PetscScalar *from = NULL;
  PetscScalar *to = NULL;
  PetscCall(get_others(f));
  PetscCall(MatMPIAIJGetSeqAIJ(s->mat, &parts[0], &parts[1], &columns));
  PetscCall(open_rows(&near, parts[0], f->own));
  PetscCall(open_rows(&far, parts[1], f->others_of));
  PetscCall(VecGetArrayRead(s->b, &from));
  PetscCall(VecGetArrayWrite(s->r, &to));
  for (PetscInt i = 0; i < near.n; i++) {
    double sum[PARTS] = {from[i]};
    subtract_row(sum, &near, i);
    subtract_row(sum, &far, i);
    to[i] = (sum[2] + sum[1]) + sum[0];
  }
  PetscCall(VecRestoreArrayWrite(s->r, &to));
  PetscCall(VecRestoreArrayRead(s->b, &from));
  PetscCall(close_rows(&far));
  return close_rows(&near);
}

/* ---- corrections ---- */

static PetscErrorCode begin(PetscRefine *f, Vec x) {
  const PetscScalar *from = NULL;
  const size_t n = f->own[0].n - 1;
  PetscCall(VecNorm(x, NORM_INFINITY, &f->first));
  f->last = f->first;
  PetscCall(VecGetArrayRead(x, &from));
  sofa_copy(f->own[0].data, from, n * sizeof *from);
  sofa_zero(f->own[1].data, n * sizeof *from);
  sofa_zero(f->own[2].data, n * sizeof *from);
  return VecRestoreArrayRead(x, &from);
}

static PetscErrorCode correct(PetscRefine *f) {
  const PetscScalar *from = NULL;
  PetscCall(VecGetArrayRead(f->correction, &from));
  for (size_t i = 0; i + 1 < f->own[0].n; i++) {
    double sum[PARTS] = {f->own[0].data[i], f->own[1].data[i], f->own[2].data[i]};
    add(sum, 0, from[i]);
    normalize(sum);
    for (int k = 0; k < PARTS; k++) f->own[k].data[i] = sum[k];
  }
  return VecRestoreArrayRead(f->correction, &from);
}

/* The same on all processes. */
static PetscErrorCode end(PetscRefine *f, Vec x) {
  PetscScalar *to = NULL;
  PetscReal largest = 0;
  int exponent = 0;
  PetscCall(VecGetArrayWrite(x, &to));
  sofa_copy(to, f->own[0].data, (f->own[0].n - 1) * sizeof *to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  frexp(largest, &exponent);
  /* what is added to this has the multiples as its last digits */
  const double shift = ldexp(1.5, 52 + exponent + COARSEST), below = shift / 3;
  PetscCall(VecGetArray(x, &to));
  for (size_t i = 0; i + 1 < f->own[0].n; i++)
    if (fabs(to[i]) < below) to[i] = (to[i] + shift) - shift;
  return VecRestoreArray(x, &to);
}

PetscErrorCode petsc_refine(PetscRefine *f, const PetscSolved *s, bool *done) {
  *done = false;
  PetscCall(begin(f, s->x));
  for (int k = 0; k < MOST_CORRECTIONS && !*done; k++) {
    PetscReal size = 0;
    PetscCall(residual(f, s));
    PetscCall(PCApply(s->pc, s->r, f->correction));
    PetscCall(VecNorm(f->correction, NORM_INFINITY, &size));
    if (!(size <= 0.1 * f->last)) return 0; /* not a number either */
    PetscCall(correct(f));
    /* the error that is left is to this correction as it is to the last one */
    *done = size == 0 || size * (size / f->last) <= certain * f->first;
    f->last = size;
  }
  return *done ? end(f, s->x) : 0;
}
