/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/mass/mass_rows.h"

#include "base/team.h"
#include "math/isa.h"
#include "numerics/mass/mass_rows_kernels_impl.h"

enum { ROWS_GRAIN = 512 };

/* Of points in the plane, on a line, or of frames. Inlined with a constant where there is one. */
static inline void multiply_row(const SofaMassProduct *p, size_t i, size_t deriv) {
  const SofaScalarRows *rows = p->rows;
  const double own = rows->own ? rows->own[i] : 0;
  double sum[6] = {0}, *to = p->res + i * deriv;
  for (size_t c = 0; c < deriv; c++) sum[c] = own * p->dx[i * deriv + c];
  for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
    const double *from = p->dx + rows->column[k] * deriv, value = rows->value[k];
    for (size_t c = 0; c < deriv; c++) sum[c] += value * from[c];
  }
  for (size_t c = 0; c < deriv; c++) to[c] += p->factor * sum[c];
}

static void multiply_rows(void *user, size_t begin, size_t end) {
  const SofaMassProduct *p = user;
  for (size_t i = begin; i < end; i++) {
    if (p->rows->deriv == 1) multiply_row(p, i, 1);
    else multiply_row(p, i, p->rows->deriv);
  }
}

typedef struct PointsProduct {
  const SofaMassProduct *product;
  SofaMassRowsKernel *kernel;
} PointsProduct;

static void multiply_points(void *user, size_t begin, size_t end) {
  const PointsProduct *p = user;
  p->kernel(p->product, begin, end);
}

void sofa_mass_rows_multiply(const SofaContext *ctx, const SofaScalarRows *rows, const double *dx,
                             double *res, double factor) {
  static SofaMassRowsKernel *const variants[] = SOFA_VARIANTS(sofa_mass_rows);
  SofaMassProduct product = {rows, dx, res, factor};
  PointsProduct points = {&product, variants[sofa_isa(ctx)]};
  if (rows->deriv == 3) sofa_team_for(ctx, rows->n, ROWS_GRAIN, multiply_points, &points);
  else sofa_team_for(ctx, rows->n, ROWS_GRAIN, multiply_rows, &product);
}
