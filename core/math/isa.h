/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice among variants of code that is compiled once per instruction set. */
#ifndef SOFA_MATH_ISA_H
#define SOFA_MATH_ISA_H

#include "base/context.h"
#include "math/kernels.h"

/* A list of the variants of a function, or, with & before its name, of an object; its index is
 * sofa_isa:
 *
 *   static const FaceKernels *const variants[] = SOFA_VARIANTS(&face_kernels);
 *   return variants[sofa_isa(ctx)];
 */
#define SOFA_VARIANTS(name) SOFA_VARIANTS_OF(name)
#if defined(__x86_64__)
#define SOFA_VARIANTS_OF(name)                                                                     \
  { name##_baseline, name##_avx2, name##_avx512 }
#else
#define SOFA_VARIANTS_OF(name)                                                                     \
  { name##_baseline }
#endif

/* The instruction set that the context chose; the portable one where it has no kernels. */
static inline SofaIsa sofa_isa(const SofaContext *ctx) {
  return ctx->kernels ? ctx->kernels->isa : SOFA_ISA_baseline;
}

#endif
