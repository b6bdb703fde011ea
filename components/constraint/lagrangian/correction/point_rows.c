/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of constraints by points. */
#include "components/constraint/lagrangian/correction/point_rows.h"

void point_rows_free(SofaContext *ctx, PointRows *rows) {
  SofaIndices *lists[] = {&rows->start, &rows->by_point, &rows->point_start, &rows->number};
  sofa_list_free(ctx, &rows->parts);
  for (size_t i = 0; i < SOFA_COUNT(lists); i++) sofa_list_free(ctx, lists[i]);
}

/* Appends the parts of row i; columns ascend. */
static SofaErr take_row(PointRows *rows, SofaContext *ctx, const SofaSparseRows *j, size_t i,
                        const PointCompliance *compliance) {
  for (uint32_t k = j->start[i]; k < j->start[i + 1];) {
    PointRow part = {.row = (uint32_t)i, .point = j->column[k] / rows->width};
    for (; k < j->start[i + 1] && j->column[k] / rows->width == part.point; k++)
      part.value[j->column[k] % rows->width] = j->value[k];
    compliance->apply(compliance->user, part.point, part.value, part.image);
    SOFA_TRY(SOFA_APPEND(ctx, &rows->parts, &part));
  }
  return SOFA_OK;
}

static SofaErr sort_by_points(PointRows *rows, SofaContext *ctx, size_t n_points) {
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->point_start, n_points + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->by_point, rows->parts.n));
  uint32_t *start = rows->point_start.data;
  for (size_t p = 0; p < n_points + 2; p++) start[p] = 0;
  for (size_t k = 0; k < rows->parts.n; k++) start[rows->parts.data[k].point + 2]++;
  for (size_t p = 2; p < n_points + 2; p++) start[p] += start[p - 1];
  for (size_t k = 0; k < rows->parts.n; k++)
    rows->by_point.data[start[rows->parts.data[k].point + 1]++] = (uint32_t)k;
  return SOFA_OK;
}

SofaErr point_rows_make(PointRows *rows, const SofaState *state, const SofaConstrainedState *s,
                        const PointCompliance *compliance) {
  SofaContext *ctx = state->object.ctx;
  rows->width = sofa_state_kind_info(state->object.kind)->deriv;
  rows->n_rows = s ? s->j.n_rows : 0;
  rows->parts.n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->start, rows->n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->number, rows->n_rows));
  for (size_t i = 0; i < rows->n_rows; i++) {
    rows->start.data[i] = (uint32_t)rows->parts.n;
    rows->number.data[i] = s->j.number[i];
    SOFA_TRY(take_row(rows, ctx, &s->j, i, compliance));
  }
  rows->start.data[rows->n_rows] = (uint32_t)rows->parts.n;
  return sort_by_points(rows, ctx, state->position.n);
}

static double product(const PointRows *rows, const PointRow *a, const PointRow *b) {
  double sum = 0;
  for (unsigned c = 0; c < rows->width; c++) sum += a->value[c] * b->image[c];
  return sum;
}

void point_rows_add(const PointRows *rows, double factor, size_t n, double *w) {
  for (size_t p = 0; p + 1 < rows->point_start.n; p++)
    for (uint32_t b = rows->point_start.data[p]; b < rows->point_start.data[p + 1]; b++)
      for (uint32_t a = rows->point_start.data[p]; a <= b; a++) {
        const PointRow *of_a = &rows->parts.data[rows->by_point.data[a]];
        const PointRow *of_b = &rows->parts.data[rows->by_point.data[b]];
        const size_t i = rows->number.data[of_a->row], k = rows->number.data[of_b->row];
        const double value = factor * product(rows, of_a, of_b);
        w[i + n * k] += value;
        if (i != k) w[k + n * i] += value;
      }
}

double point_rows_pair(const PointRows *rows, uint32_t i, uint32_t k) {
  uint32_t a = rows->start.data[i], b = rows->start.data[k];
  double sum = 0;
  while (a < rows->start.data[i + 1] && b < rows->start.data[k + 1]) {
    const PointRow *of_a = &rows->parts.data[a], *of_b = &rows->parts.data[b];
    if (of_a->point == of_b->point) sum += product(rows, of_a, of_b);
    a += of_a->point <= of_b->point;
    b += of_b->point <= of_a->point;
  }
  return sum;
}

double point_rows_times(const PointRows *rows, uint32_t i, const double *y) {
  double sum = 0;
  for (uint32_t k = rows->start.data[i]; k < rows->start.data[i + 1]; k++) {
    const PointRow *part = &rows->parts.data[k];
    const double *at = y + (size_t)rows->width * part->point;
    for (unsigned c = 0; c < rows->width; c++) sum += part->value[c] * at[c];
  }
  return sum;
}
