/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with the weights of a composite hexahedron, compiled once per instruction set with
 * KERNELS_ISA naming it. */
#include "components/mapping/composite_kernels_impl.h"

#include "math/point_register_impl.h"

enum { CORNER_REALS = 24 };

/* Each sum in four parts, of every fourth product. */
static void add(const double *w, const double *u, double d[3]) {
  Quad x = {0, 0, 0, 0}, y = x, z = x;
  for (int k = 0; k < CORNER_REALS; k += 4) {
    const Quad part = LOAD(u + k);
    x += LOAD(w + k) * part;
    y += LOAD(w + CORNER_REALS + k) * part;
    z += LOAD(w + 2 * CORNER_REALS + k) * part;
  }
  d[0] += (x[0] + x[2]) + (x[1] + x[3]);
  d[1] += (y[0] + y[2]) + (y[1] + y[3]);
  d[2] += (z[0] + z[2]) + (z[1] + z[3]);
}

static void add_transposed(const double *w, const double f[3], double *u) {
  const double x = f[0], y = f[1], z = f[2];
  for (int k = 0; k < CORNER_REALS; k += 4) {
    const Quad sum = LOAD(w + k) * x + LOAD(w + CORNER_REALS + k) * y;
    *(QuadAt *)(u + k) = LOAD(u + k) + (sum + LOAD(w + 2 * CORNER_REALS + k) * z);
  }
}

const CompositeKernels CAT(composite_kernels_, KERNELS_ISA) = {.add = add,
                                                               .add_transposed = add_transposed};
