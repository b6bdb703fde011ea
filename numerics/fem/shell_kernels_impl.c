/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of shells, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/fem/shell_kernels.h"

#include "numerics/fem/lane_points_impl.h"

typedef Lanes Real;
#define FORM static inline __attribute__((always_inline))

static inline Lanes real_set(double a) {
  return lanes_set(a);
}
static inline Lanes real_madd(Lanes a, Lanes b, Lanes c) {
  return lanes_madd(a, b, c);
}
static inline Lanes real_inverse(Lanes n) {
  const Lanes zero = lanes_set(0);
  return lanes_select(lanes_less(zero, n), lanes_set(1) / n, zero);
}
/* Of lanes from that on where the first number is. */
static inline Lanes real_of(const double *rest, size_t k) {
  return lanes_load(rest + SOFA_LANES * k);
}
/* Forces and their derivatives are minus those of the energy. */
static inline void real_put(double *out, size_t k, Lanes value) {
  lanes_store(out + SOFA_LANES * k, -value);
}

#include "numerics/fem/shell_derivatives_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* `width` reals of each node, 6 or 7. */
FORM void load_nodes(unsigned n, const SofaShellGroup *group, size_t s, size_t width,
                     const double *x, Lanes *out) {
  for (unsigned i = 0; i < n; i++) {
    const char *first[LANES], *last[LANES];
    for (size_t l = 0; l < LANES; l++) {
      const double *from = x + width * group->v[i][s + l];
      first[l] = (const char *)from;
      last[l] = (const char *)(from + width - 4);
    }
    Lanes *to = out + width * i;
    load_four_lanes(first, to);
    load_four_lanes(last, to + width - 4);
  }
}

FORM void force_of(unsigned n, const SofaShellGroup *group, const double *x,
                   double (*f)[SOFA_LANES]) {
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    Lanes poses[SOFA_SHELL_NODES][7];
    load_nodes(n, group, s, 7, x, poses[0]);
    shell_gradient(n, group->shell[0] + s, (const Lanes(*)[7])poses, f[0] + s);
  }
}

FORM void tangent_of(unsigned n, const SofaShellGroup *group, const double *x,
                     double (*k)[SOFA_LANES]) {
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    Lanes poses[SOFA_SHELL_NODES][7];
    load_nodes(n, group, s, 7, x, poses[0]);
    shell_hessian(n, group->shell[0] + s, (const Lanes(*)[7])poses, k[0] + s);
  }
}

/* Asks for rows of lanes of the group behind, for the second cache: the first one has no room. */
FORM void ask_ahead(const double (*rows)[SOFA_LANES], size_t n) {
  for (size_t k = 0; k < n; k++) __builtin_prefetch(rows[k], 0, 2);
}

FORM void product_of(unsigned n, const SofaShellGroup *group, const double (*k)[SOFA_LANES],
                     const double *dx, double (*df)[SOFA_LANES]) {
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    Lanes d[SOFA_SHELL_FREEDOMS], f[SOFA_SHELL_FREEDOMS];
    load_nodes(n, group, s, 6, dx, d);
    for (unsigned i = 0; i < 6 * n; i++) {
      const Lanes own = d[i];
      ask_ahead(k + shell_entry(6 * n, 0) + shell_entry(i, 0), i + 1);
      Lanes sum = lanes_load(k[shell_entry(i, i)] + s) * own;
      for (unsigned j = 0; j < i; j++) {
        const Lanes entry = lanes_load(k[shell_entry(i, j)] + s);
        sum = lanes_madd(entry, d[j], sum);
        f[j] = lanes_madd(entry, own, f[j]);
      }
      f[i] = sum;
    }
    for (unsigned i = 0; i < 6 * n; i++) lanes_store(df[i] + s, f[i]);
  }
}

static void force(unsigned n, const SofaShellGroup *group, const double *x,
                  double (*f)[SOFA_LANES]) {
  if (n == 4) force_of(4, group, x, f);
  else force_of(3, group, x, f);
}

static void tangent(unsigned n, const SofaShellGroup *group, const double *x,
                    double (*k)[SOFA_LANES]) {
  if (n == 4) tangent_of(4, group, x, k);
  else tangent_of(3, group, x, k);
}

static void product(unsigned n, const SofaShellGroup *group, const double (*k)[SOFA_LANES],
                    const double *dx, double (*df)[SOFA_LANES]) {
  if (n == 4) product_of(4, group, k, dx, df);
  else product_of(3, group, k, dx, df);
}

const SofaShellKernels CAT(sofa_shell_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .force = force, .tangent = tangent, .product = product};
