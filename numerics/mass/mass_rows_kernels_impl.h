/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with mass matrices, compiled once per instruction set. Use mass_rows.h. */
#ifndef SOFA_NUMERICS_MASS_MASS_ROWS_KERNELS_H
#define SOFA_NUMERICS_MASS_MASS_ROWS_KERNELS_H

#include "behavior/tangent_rows.h"

/* res += factor M dx of points in space. */
typedef struct SofaMassProduct {
  const SofaScalarRows *rows;
  const double *dx;
  double *res;
  double factor;
} SofaMassProduct;

typedef void SofaMassRowsKernel(const SofaMassProduct *product, size_t begin, size_t end);

/* The last two exist on x86-64 only and give the same bits. */
extern SofaMassRowsKernel sofa_mass_rows_baseline, sofa_mass_rows_avx2, sofa_mass_rows_avx512;

#endif
