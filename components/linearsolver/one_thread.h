/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds BLAS and OpenMP at one thread around calls into SuiteSparse, so that its results do not
 * depend on the number of threads, and gives the user's settings back. */
#ifndef LINEARSOLVER_ONE_THREAD_H
#define LINEARSOLVER_ONE_THREAD_H

#include <omp.h>

/* of OpenBLAS; absent with another BLAS, whose threads are then the user's own matter */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n) __attribute__((weak));

typedef struct OneThread {
  int blas, levels;
} OneThread;

static inline OneThread one_thread_begin(void) {
  OneThread saved = {0, omp_get_max_active_levels()};
  if (openblas_get_num_threads && openblas_set_num_threads) {
    saved.blas = openblas_get_num_threads();
    if (saved.blas != 1) openblas_set_num_threads(1);
  }
  omp_set_max_active_levels(0);
  return saved;
}

static inline void one_thread_end(OneThread saved) {
  omp_set_max_active_levels(saved.levels);
  if (saved.blas > 1) openblas_set_num_threads(saved.blas);
}

#endif
