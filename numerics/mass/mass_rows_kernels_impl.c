/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with mass matrices, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/mass/mass_rows_kernels_impl.h"

#include "math/point_register_impl.h"

#define SPLAT(a) ((Quad){(a), (a), (a), (a)})
#define ENTRY(e, sum) MADD(SPLAT(value[e]), POINT(x + 3 * (size_t)column[e]), sum)

/* Four sums in turn: each waits for its last addition. */
ALWAYS void multiply_row(const SofaMassProduct *p, size_t i) {
  const SofaScalarRows *rows = p->rows;
  const uint32_t *column = rows->column, end = rows->start[i + 1];
  const double *value = rows->value, *x = p->dx;
  double *to = p->res + 3 * i;
  Quad s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  uint32_t e = rows->start[i];
  if (rows->own) s0 = SPLAT(rows->own[i]) * POINT(x + 3 * i);
  for (; e + 4 <= end; e += 4) {
    s0 = ENTRY(e, s0);
    s1 = ENTRY(e + 1, s1);
    s2 = ENTRY(e + 2, s2);
    s3 = ENTRY(e + 3, s3);
  }
  for (; e < end; e++) s0 = ENTRY(e, s0);
  const Quad sum = MADD(SPLAT(p->factor), (s0 + s1) + (s2 + s3), POINT(to));
  PUT(sum, to);
}

SofaMassRowsKernel CAT(sofa_mass_rows_, KERNELS_ISA);
void CAT(sofa_mass_rows_, KERNELS_ISA)(const SofaMassProduct *p, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) multiply_row(p, i);
}
