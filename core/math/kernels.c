/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the numeric kernels by name and by what the processor can run. */
#include "math/kernels.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

static bool has_baseline(void) {
  return true;
}

const SofaKernels *sofa_kernels_select(const char *isa) {
  // best first
  static const struct {
    const SofaKernels *kernels;
    bool (*available)(void);
  } sets[] = {
#if defined(__x86_64__)
    {&sofa_kernels_avx512, has_avx512},
    {&sofa_kernels_avx2, has_avx2},
#endif
    {&sofa_kernels_baseline, has_baseline},
  };
  const bool any = !isa || strcmp(isa, "auto") == 0;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    if ((any || strcmp(isa, sets[i].kernels->name) == 0) && sets[i].available()) {
      return sets[i].kernels;
    }
  }
  return NULL;
}
