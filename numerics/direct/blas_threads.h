/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds BLAS and OpenMP at one thread around calls into SuiteSparse and LAPACK, so that their
 * results do not depend on the number of threads, and gives the user's settings back. */
#ifndef SOFA_NUMERICS_DIRECT_BLAS_THREADS_H
#define SOFA_NUMERICS_DIRECT_BLAS_THREADS_H

#include <omp.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* of OpenBLAS; absent with another BLAS, whose threads are then the user's own matter */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n) __attribute__((weak));

typedef struct SofaBlasThreads {
  int blas, levels;
} SofaBlasThreads;

/* BLAS on n threads, OpenMP on one. */
static inline SofaBlasThreads sofa_blas_threads_begin(int n) {
  SofaBlasThreads saved = {0, omp_get_max_active_levels()};
  if (openblas_get_num_threads && openblas_set_num_threads) {
    saved.blas = openblas_get_num_threads();
    if (saved.blas != n) openblas_set_num_threads(n);
  }
  omp_set_max_active_levels(0);
  return saved;
}

static inline void sofa_blas_threads_end(SofaBlasThreads saved) {
  omp_set_max_active_levels(saved.levels);
  if (saved.blas > 0 && openblas_get_num_threads() != saved.blas)
    openblas_set_num_threads(saved.blas);
}

SOFA_END_DECLS

#endif
