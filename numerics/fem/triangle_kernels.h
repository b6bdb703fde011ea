/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over plane triangles, compiled once per instruction set. avx2 and avx512 give the
 * same bits; lanes do not see each other. */
#ifndef SOFA_NUMERICS_FEM_TRIANGLE_KERNELS_H
#define SOFA_NUMERICS_FEM_TRIANGLE_KERNELS_H

#include "base/context.h"
#include "numerics/fem/triangle_element.h"

SOFA_BEGIN_DECLS

/* Elements begin .. end - 1, begin a multiple of SOFA_LANES, end one or the number of elements. */
typedef struct SofaTriangleKernels {
  const char *name; /* as of SofaKernels */
  /* Axes and gradients at x; gives the forces. */
  void (*force)(SofaTriangleBatch *batch, size_t begin, size_t end, const double *x,
                SofaVectorsTo to);
  /* Gives -factor K dx with the axes and gradients of the last force. */
  void (*dforce)(const SofaTriangleBatch *batch, size_t begin, size_t end, double factor,
                 const double *dx, SofaVectorsTo to);
  /* Of each element the blocks of -K of its nodes 0 1, 1 2 and 2 0, 27 reals; those behind the end
   * that fill up a group have some, too. */
  void (*blocks)(const SofaTriangleBatch *batch, size_t begin, size_t end, double *blocks);
} SofaTriangleKernels;

/* The kernels of the context's instruction set. */
const SofaTriangleKernels *sofa_triangle_kernels(const SofaContext *ctx);

/* Use sofa_triangle_kernels. The last two exist on x86-64 only. */
extern const SofaTriangleKernels sofa_triangle_kernels_baseline, sofa_triangle_kernels_avx2,
    sofa_triangle_kernels_avx512;

SOFA_END_DECLS

#endif
