/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of shells, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/fem/shell_kernels.h"

#include "numerics/fem/lane_points_impl.h"
#include "numerics/fem/late_blocks.h"

typedef Lanes Real;
#define FORM static inline __attribute__((always_inline))
#define FORM_CALLED static __attribute__((noinline)) /* of many instructions, several times */

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

/* Asks for the group behind. */
FORM void ask_ahead(unsigned n, const SofaShellGroup *group) {
  const size_t reals = n == 4 ? SOFA_SHELL_REALS : SOFA_SHELL_TRIANGLE_REALS;
  for (size_t k = 0; k < reals; k++) __builtin_prefetch(group[1].shell[k]);
}

FORM void force_of(unsigned n, const SofaShellGroup *group, const double *x,
                   double (*f)[SOFA_LANES]) {
  ask_ahead(n, group);
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

/* ---- blocks of pairs ---- */

enum { BLOCK = 36, BLOCK_ROOM = 40 }; /* the next multiple of the largest number of lanes */

/* Lanes of LANES numbers become the numbers of a lane. */
FORM void transpose_lanes(const Lanes *a, Lanes *t) {
#if defined(__AVX512F__)
  Lanes low[4], high[4];
  transpose_halves(4, a, low); // of lanes l and l + 4: four numbers each
  transpose_halves(4, a + 4, high);
  for (int l = 0; l < 4; l++) {
    t[l] = _mm512_shuffle_f64x2(low[l], high[l], 0x44);
    t[l + 4] = _mm512_shuffle_f64x2(low[l], high[l], 0xee);
  }
#elif defined(__AVX2__)
  transpose_four(a, t);
#else
  t[0] = (Lanes){a[0][0], a[1][0]};
  t[1] = (Lanes){a[0][1], a[1][1]};
#endif
}

/* Rows of block (a, b), a <= b, of the packed lower half, which has it transposed. */
FORM void block_rows(const double (*k)[SOFA_LANES], size_t s, const size_t *ab,
                     const double **rows) {
  for (size_t i = 0; i < 6; i++) rows[i] = k[shell_entry(6 * ab[1] + i, 6 * ab[0])] + s;
}

/* All bits of turned: the transpose. */
FORM void load_block(const double *const *rows, LaneBits turned, Lanes *m) {
#pragma GCC unroll 6
  for (size_t i = 0; i < 6; i++) {
    m[7 * i] = lanes_load(rows[i] + SOFA_LANES * i);
#pragma GCC unroll 6
    for (size_t j = 0; j < i; j++) {
      const Lanes one = lanes_load(rows[i] + SOFA_LANES * j);
      const Lanes other = lanes_load(rows[j] + SOFA_LANES * i);
      m[6 * j + i] = lanes_select(turned, other, one);
      m[6 * i + j] = lanes_select(turned, one, other);
    }
  }
}

/* That of a node with itself. */
FORM void load_own(const double *const *rows, Lanes *m) {
#pragma GCC unroll 6
  for (size_t i = 0; i < 6; i++)
#pragma GCC unroll 6
    for (size_t j = 0; j <= i; j++)
      m[6 * i + j] = m[6 * j + i] = lanes_load(rows[i] + SOFA_LANES * j);
}

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/* Adds a block to that at a place, or puts it there. */
FORM void add_block(const double *from, uint32_t place, double *blocks) {
  Four *to = (Four *)(void *)(blocks + BLOCK * (size_t)(place >> SOFA_PLACE_SHIFT));
  const Four *block = (const Four *)(const void *)from;
  if (place & SOFA_PLACE_FIRST) {
#pragma GCC unroll 9
    for (size_t k = 0; k < BLOCK / 4; k++) to[k] = block[k];
    return;
  }
#pragma GCC unroll 9
  for (size_t k = 0; k < BLOCK / 4; k++) to[k] += block[k];
}

/* Of a local pair; places: those of its lanes. */
FORM void spread_pair(const double (*k)[SOFA_LANES], const size_t *ab, const uint32_t *places,
                      size_t n, double *blocks) {
  for (size_t s = 0; s < n; s += LANES) {
    Lanes m[BLOCK_ROOM], t[LANES];
    double rows[LANES][BLOCK_ROOM];
    const double *from[6];
    LaneBits turned;
    for (size_t l = 0; l < LANES; l++)
      turned[l] = places[s + l] & SOFA_PLACE_TURNED ? (int64_t)-1 : 0;
    block_rows(k, s, ab, from);
    if (ab[0] == ab[1]) load_own(from, m);
    else load_block(from, turned, m);
    for (size_t e = BLOCK; e < BLOCK_ROOM; e++) m[e] = lanes_set(0);
    for (size_t e = 0; e < BLOCK; e += LANES) {
      transpose_lanes(m + e, t);
      for (size_t l = 0; l < LANES; l++) lanes_store(rows[l] + e, t[l]);
    }
    for (size_t l = 0; l < LANES && s + l < n; l++) add_block(rows[l], places[s + l], blocks);
  }
}

FORM void spread_of(unsigned n_nodes, const double (*k)[SOFA_LANES], const uint32_t *places,
                    size_t n, double *blocks) {
  for (size_t a = 0; a < n_nodes; a++)
    for (size_t b = a; b < n_nodes; b++, places += SOFA_LANES)
      spread_pair(k, (size_t[]){a, b}, places, n, blocks);
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

static void spread(unsigned n_nodes, const double (*k)[SOFA_LANES], const uint32_t *places,
                   size_t n, double *blocks) {
  spread_of(n_nodes, k, places, n, blocks);
}

const SofaShellKernels CAT(sofa_shell_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .force = force, .tangent = tangent, .spread = spread};
