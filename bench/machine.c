/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures one core of this machine (memory, cache, dense products) and the library's kernels.
 *
 * usage: csofa_machine [ISA]        one JSON object per line on stdout */
#include "bench/machine.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* in OpenBLAS; other BLAS libraries have one thread or their own switch */
void openblas_set_num_threads(int n);

/* ---- STREAM triad: a = b + s c, compiled for any processor as STREAM usually is ---- */

typedef struct Triad {
  size_t n;
  double *a, *b, *c;
} Triad;

static void triad(size_t n, double *restrict a, const double *restrict b, const double *restrict c,
                  double s) {
  for (size_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

static double run_triad(void *user) {
  const Triad *t = user;
  triad(t->n, t->a, t->b, t->c, 3.0);
  return t->a[t->n / 2];
}

/* total: bytes of the three vectors. STREAM counts 24 bytes an entry. */
static int measure_triad(const char *name, size_t total) {
  const size_t n = total / 24;
  double *block = malloc(3 * n * sizeof *block);
  if (!block) return 1;
  for (size_t i = 0; i < 3 * n; i++) block[i] = (double)(i % 7);
  Triad t = {n, block, block + n, block + 2 * n};
  report(name, 24e-9 * (double)n / best_seconds(run_triad, &t), "GB/s");
  free(block);
  return 0;
}

/* Bytes of the cache of a level (index of the system's table); `usual` when nothing tells. */
static size_t cache_size(int index, size_t usual) {
  char path[80];
  size_t kib = 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
  FILE *file = fopen(path, "r");
  if (!file) return usual;
  const int found = fscanf(file, "%zu", &kib);
  fclose(file);
  return found == 1 && kib ? kib << 10 : usual;
}

static int measure_memory(void) {
  const size_t l2 = cache_size(2, (size_t)1 << 20), l3 = cache_size(3, (size_t)8 << 20);
  const size_t least = (size_t)256 << 20;
  report("l2", (double)l2 / 1048576, "MiB");
  report("l3", (double)l3 / 1048576, "MiB");
  return measure_triad("triad_memory", 8 * l3 > least ? 8 * l3 : least) ||
         measure_triad("triad_l3", l3 / 2);
}

/* ---- dgemm ---- */

enum { GEMM = 768 };

static double run_dgemm(void *user) {
  double *a = user, *b = a + GEMM * GEMM, *c = b + GEMM * GEMM;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, GEMM, GEMM, GEMM, 1, a, GEMM, b, GEMM, 0,
              c, GEMM);
  return c[GEMM];
}

static int measure_dgemm(void) {
  double *block = malloc(3 * GEMM * GEMM * sizeof *block);
  if (!block) return 1;
  for (size_t i = 0; i < 3 * GEMM * GEMM; i++) block[i] = (double)(i % 11) - 5;
  openblas_set_num_threads(1);
  const double flops = 2.0 * GEMM * GEMM * GEMM;
  report("dgemm", 1e-9 * flops / best_seconds(run_dgemm, block), "GF/s");
  free(block);
  return 0;
}

int main(int argc, char **argv) {
  const char *isa = argc > 1 ? argv[1] : "auto";
  if (argc > 2) {
    fputs("usage: csofa_machine [ISA]\n", stderr);
    return 2;
  }
  if (measure_memory() || measure_dgemm()) {
    fputs("csofa_machine: not enough memory\n", stderr);
    return 1;
  }
  // the beam of 10 368 tetrahedra that scenes.py makes, too
  return measure_kernels(8, 8, 27, isa);
}
