/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of shells, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/fem/shell_kernels.h"

#include <string.h>
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

/* Asks for the group behind, for a cache of level `level`. */
FORM void ask_ahead(unsigned n, const SofaShellGroup *group, int level) {
  const size_t reals = n == 4 ? SOFA_SHELL_REALS : SOFA_SHELL_TRIANGLE_REALS;
  const size_t first = offsetof(SofaShellGroup, v),
               last = offsetof(SofaShellGroup, shell) + reals * sizeof(double[SOFA_LANES]);
#pragma GCC unroll 8
  for (size_t at = first; at < last; at += 64) {
    const char *line = (const char *)(group + 1) + at;
    if (level == 1) __builtin_prefetch(line);
    else __builtin_prefetch(line, 0, 2);
  }
}

FORM void force_of(unsigned n, const SofaShellGroup *group, const double *x,
                   double (*f)[SOFA_LANES]) {
  ask_ahead(n, group, 1);
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    Lanes poses[SOFA_SHELL_NODES][7];
    load_nodes(n, group, s, 7, x, poses[0]);
    shell_gradient(n, group->shell[0] + s, (const Lanes(*)[7])poses, f[0] + s);
  }
}

FORM void tangent_of(unsigned n, const SofaShellGroup *group, const double *x,
                     double (*k)[SOFA_LANES]) {
  ask_ahead(n, group, 2);
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    Lanes poses[SOFA_SHELL_NODES][7];
    load_nodes(n, group, s, 7, x, poses[0]);
    shell_hessian(n, group->shell[0] + s, (const Lanes(*)[7])poses, k[0] + s);
  }
}

/* ---- blocks of pairs ---- */

enum { BLOCK = 36, WHOLE = BLOCK / LANES * LANES }; /* the part in whole registers */

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

typedef uint32_t PlaceLanes __attribute__((vector_size(4 * LANES)));
enum { ALL_FIRST = (1 << LANES) - 1 };

/* Where the blocks of a local pair (a, b) of lanes come from and go to. */
typedef struct ShellSpread {
  const double *rows[6]; /* of block (a, b), a <= b, of the packed lower half: it is transposed */
  bool own;              /* a == b */
  LaneBits turned;       /* the transpose goes there */
  unsigned first;        /* bits of lanes: nothing is there yet */
  double *to[LANES];
} ShellSpread;

_Static_assert(SOFA_PLACE_TURNED == 1, "bits of a lane are minus it");

/* Members are set one by one: a copy of the struct would wait for them. */
FORM void spread_start(const double (*k)[SOFA_LANES], const size_t *ab, const uint32_t *places,
                       double *blocks, ShellSpread *p) {
  PlaceLanes all;
  memcpy(&all, places, sizeof all);
  p->turned = -__builtin_convertvector(all & (uint32_t)SOFA_PLACE_TURNED, LaneBits);
  p->own = ab[0] == ab[1];
  p->first = 0;
  for (size_t i = 0; i < 6; i++) p->rows[i] = k[shell_entry(6 * ab[1] + i, 6 * ab[0])];
  for (size_t l = 0; l < LANES; l++) {
    p->first |= (places[l] & SOFA_PLACE_FIRST ? 1u : 0u) << l;
    p->to[l] = blocks + BLOCK * (size_t)(places[l] >> SOFA_PLACE_SHIFT);
  }
}

/* Number e of the blocks. */
FORM Lanes block_entry(const ShellSpread *p, bool own, size_t e) {
  const size_t i = e / 6, j = e % 6;
  if (own) return lanes_load(i < j ? p->rows[j] + SOFA_LANES * i : p->rows[i] + SOFA_LANES * j);
  if (i == j) return lanes_load(p->rows[i] + SOFA_LANES * i);
  return lanes_select(p->turned, lanes_load(p->rows[i] + SOFA_LANES * j),
                      lanes_load(p->rows[j] + SOFA_LANES * i));
}

/* Adds numbers to those that are there, or puts them there. */
FORM void put_or_add(bool first, Lanes numbers, double *to) {
  if (!first) numbers = lanes_load(to) + numbers;
  lanes_store(to, numbers);
}

/* The last numbers of blocks that fill half a register, where there are some. */
FORM void spread_rest(const ShellSpread *p, bool own, unsigned first, size_t n) {
#if defined(__AVX512F__)
  Lanes m[4], t[4];
#pragma GCC unroll 4
  for (size_t e = 0; e < 4; e++) m[e] = block_entry(p, own, WHOLE + e);
  transpose_halves(4, m, t);
#pragma GCC unroll 8
  for (size_t l = 0; l < LANES && l < n; l++) {
    double *to = p->to[l] + WHOLE;
    __m256d half = l < 4 ? _mm512_castpd512_pd256(t[l % 4]) : _mm512_extractf64x4_pd(t[l % 4], 1);
    if (!(first >> l & 1)) half = _mm256_loadu_pd(to) + half;
    _mm256_storeu_pd(to, half);
  }
#else
  (void)p, (void)own, (void)first, (void)n;
#endif
}

/* Blocks of the first n lanes, from registers: what is stored and read in parts waits. */
FORM void spread_blocks(const ShellSpread *p, bool own, unsigned first, size_t n) {
#pragma GCC unroll 18
  for (size_t e = 0; e < WHOLE; e += LANES) {
    Lanes m[LANES], t[LANES];
#pragma GCC unroll 8
    for (size_t k = 0; k < LANES; k++) m[k] = block_entry(p, own, e + k);
    transpose_lanes(m, t);
#pragma GCC unroll 8
    for (size_t l = 0; l < LANES && l < n; l++) put_or_add(first >> l & 1, t[l], p->to[l] + e);
  }
  spread_rest(p, own, first, n);
}

/* The same without questions where all lanes add, or none does. */
FORM void spread_lanes(const ShellSpread *p, bool own, size_t n) {
  if (n >= LANES && !p->first) spread_blocks(p, own, 0, LANES);
  else if (n >= LANES && p->first == ALL_FIRST) spread_blocks(p, own, ALL_FIRST, LANES);
  else spread_blocks(p, own, p->first, n);
}

/* Asks for the blocks of a local pair that are put there first: they may lie in memory. */
FORM void ask_for_blocks(const uint32_t *places, double *blocks) {
  for (size_t l = 0; places && l < SOFA_LANES; l++) {
    if (!(places[l] & SOFA_PLACE_FIRST)) continue;
    const double *block = blocks + BLOCK * (size_t)(places[l] >> SOFA_PLACE_SHIFT);
    for (int line = 0; line < 5; line++) __builtin_prefetch(block + 8 * line, 1, 2);
  }
}

static void spread(unsigned n_nodes, const double (*k)[SOFA_LANES], const uint32_t *places,
                   size_t n, const uint32_t *ahead, double *blocks) {
  for (size_t a = 0; a < n_nodes; a++) {
    for (size_t b = a; b < n_nodes; b++, places += SOFA_LANES) {
      ask_for_blocks(ahead, blocks);
      if (ahead) ahead += SOFA_LANES;
      for (size_t s = 0; s < n; s += LANES) {
        ShellSpread p;
        spread_start((const double(*)[SOFA_LANES])(k[0] + s), (size_t[]){a, b}, places + s, blocks,
                     &p);
        if (p.own) spread_lanes(&p, true, n - s);
        else spread_lanes(&p, false, n - s);
      }
    }
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

const SofaShellKernels CAT(sofa_shell_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .force = force, .tangent = tangent, .spread = spread};
