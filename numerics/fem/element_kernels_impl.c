/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element kernels, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/fem/element_kernels_impl.h"

#include <string.h>
#include "base/team.h"
#include "numerics/fem/dense_blocks_impl.h"
#include "numerics/fem/lane_rows_impl.h"
#include "numerics/fem/tetra_lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

enum { GROUPS_GRAIN = 16 }; /* that a thread takes at once */

/* ---- tetrahedra ---- */

/* What the compiler knows of a batch: frames and gradients stay those at rest; or frames are those
 * of two edges, or polar factors of moments, and gradients turn with them. */
typedef enum TetraWay { TETRA_FIXED, TETRA_EDGES, TETRA_POLAR, TETRA_ANY } TetraWay;

static inline TetraWay tetra_way(const SofaTetraBatch *b) {
  if (b->update || b->turn) return TETRA_ANY;
  switch (b->method) {
  case SOFA_TETRA_SMALL:
    return TETRA_FIXED;
  case SOFA_TETRA_LARGE:
    return TETRA_EDGES;
  case SOFA_TETRA_DEFORMATION:
  case SOFA_TETRA_MOMENT:
    return TETRA_POLAR;
  default:
    return TETRA_ANY;
  }
}

/* Of LANES elements, 4 x 3 forces; f NULL: frames and gradients alone. */
ALWAYS void tetra_force_lanes(SofaTetraBatch *b, TetraWay way, size_t g, int s, const double *x,
                              Lanes *f) {
  const SofaTetraGroup *group = &b->groups[g];
  Lanes a[3], e[9], r[9], w[12];
  load_node(group->v[0] + s, x, a);
  for (int n = 0; n < 3; n++) {
    load_node(group->v[n + 1] + s, x, e + 3 * n);
    for (int i = 0; i < 3; i++) e[3 * n + i] = e[3 * n + i] - a[i];
  }
  if (way == TETRA_FIXED) {
    for (int k = 0; k < 9; k++) w[3 + k] = lanes_load(group->h[k] + s);
  } else {
    if (way == TETRA_EDGES || way == TETRA_POLAR) {
      if (way == TETRA_EDGES) lanes_frame(e, e + 3, r);
      else tetra_moment(b, g, s, e, r), lanes_polar(r);
      turn_gradients(group, s, r, w);
    } else {
      tetra_frame(b, g, s, e, r);
      tetra_gradients(b, group, s, e, r, w);
    }
    for (int k = 0; k < 9; k++) lanes_store(b->rotation[g][k] + s, r[k]);
    for (int k = 0; k < 9; k++) lanes_store(b->gradient[g][k] + s, w[3 + k]);
  }
  if (way == TETRA_ANY && b->turn) tetra_store_turn(b, g, s, e, w);
  if (!f) return;

  Lanes u[9]; // displacements, rest minus current
  for (int n = 0; n < 3; n++) {
    Lanes q[3], *un = u + 3 * n;
    for (int i = 0; i < 3; i++) q[i] = lanes_load(group->q[3 * n + i] + s);
    if (way == TETRA_FIXED) memcpy(un, q, sizeof q);
    else lanes_apply_t(r, q, un);
    for (int i = 0; i < 3; i++) un[i] = un[i] - e[3 * n + i];
  }
  tetra_stress_force(u, w, lanes_load(group->lambda + s), lanes_load(group->mu + s), f);
}

/* A loop over the groups of a batch. */
typedef struct TetraLoop {
  SofaTetraBatch *b;
  const double *x;
  double *f; /* NULL: frames and gradients alone */
  double factor;
} TetraLoop;

/* Of a batch, by its way. */
static inline void tetra_force_way(SofaTetraBatch *b, TetraWay way, size_t g, int s,
                                   const double *x, Lanes *f) {
  if (way == TETRA_FIXED) tetra_force_lanes(b, TETRA_FIXED, g, s, x, f);
  else if (way == TETRA_EDGES) tetra_force_lanes(b, TETRA_EDGES, g, s, x, f);
  else if (way == TETRA_POLAR) tetra_force_lanes(b, TETRA_POLAR, g, s, x, f);
  else tetra_force_lanes(b, TETRA_ANY, g, s, x, f);
}

static inline void tetra_ask_for(const SofaTetraBatch *b, TetraWay way, size_t g) {
  ask_for(b->groups + g, sizeof *b->groups);
  if (way == TETRA_FIXED) return;
  ask_for(b->gradient + g, sizeof *b->gradient);
  ask_for(b->rotation + g, sizeof *b->rotation);
}

static void tetra_turn_groups(void *user, size_t begin, size_t end) {
  const TetraLoop *loop = user;
  const TetraWay way = tetra_way(loop->b);
  for (size_t g = begin; g < end; g++)
    for (int s = 0; s < SOFA_LANES; s += LANES) tetra_force_way(loop->b, way, g, s, loop->x, NULL);
}

/* Gives the forces of the elements from those of group g on. */
ALWAYS void tetra_forces(const TetraLoop *loop, TetraWay way, size_t begin, size_t end,
                         double *parts) {
  SofaVectorsTo to = {loop->f, parts};
  for (size_t e = begin; e < end; e += LANES) {
    const size_t g = e / SOFA_LANES, s = e % SOFA_LANES;
    Lanes f[12];
    if (s == 0) tetra_ask_for(loop->b, way, g + 1);
    tetra_force_lanes(loop->b, way, g, (int)s, loop->x, f);
    give_lanes(4, loop->b->groups[g].v[0] + s, f, end - e, to);
    if (parts) to.parts += 12 * LANES;
  }
}

/* A SofaGiveVectors. */
static void tetra_give_forces(void *user, size_t begin, size_t end, double *parts) {
  const TetraLoop *loop = user;
  const TetraWay way = tetra_way(loop->b);
  if (way == TETRA_FIXED) tetra_forces(loop, TETRA_FIXED, begin, end, parts);
  else if (way == TETRA_EDGES) tetra_forces(loop, TETRA_EDGES, begin, end, parts);
  else if (way == TETRA_POLAR) tetra_forces(loop, TETRA_POLAR, begin, end, parts);
  else tetra_forces(loop, TETRA_ANY, begin, end, parts);
}

static void tetra_force(SofaTetraBatch *b, const SofaContext *ctx, const double *x, double *f) {
  TetraLoop loop = {b, x, f, 1};
  if (f) sofa_element_sums_run(&b->sums, b->n, tetra_give_forces, &loop, &loop.f);
  else sofa_team_for(ctx, b->n_groups, GROUPS_GRAIN, tetra_turn_groups, &loop);
}

ALWAYS void tetra_dforce_lanes(const SofaTetraBatch *b, size_t g, size_t s, Lanes factor,
                               const double *dx, Lanes *f) {
  const SofaTetraGroup *group = &b->groups[g];
  Lanes a[3], u[9], w[12];
  load_node(group->v[0] + s, dx, a);
  for (int n = 0; n < 3; n++) {
    load_node(group->v[n + 1] + s, dx, u + 3 * n);
    for (int i = 0; i < 3; i++) u[3 * n + i] = a[i] - u[3 * n + i];
  }
  for (int k = 0; k < 9; k++) w[3 + k] = lanes_load(b->gradient[g][k] + s);
  const Lanes lambda = factor * lanes_load(group->lambda + s),
              mu = factor * lanes_load(group->mu + s);
  if (b->turn) {
    Lanes t[6];
    for (int k = 0; k < 6; k++) t[k] = factor * lanes_load(b->turn[g][k] + s);
    tetra_turn_force(u, w, lambda, mu, t, f);
  } else {
    tetra_stress_force(u, w, lambda, mu, f);
  }
}

/* A SofaGiveVectors. */
static void tetra_give_products(void *user, size_t begin, size_t end, double *parts) {
  const TetraLoop *loop = user;
  const SofaTetraBatch *b = loop->b;
  const Lanes scale = lanes_set(loop->factor);
  SofaVectorsTo to = {loop->f, parts};
  for (size_t e = begin; e < end; e += LANES) {
    const size_t g = e / SOFA_LANES, s = e % SOFA_LANES;
    Lanes f[12];
    if (s == 0) {
      ask_for(b->groups[g + 1].v, sizeof b->groups->v);
      ask_for(b->groups[g + 1].lambda, 2 * sizeof b->groups->lambda);
      ask_for(b->gradient + g + 1, sizeof *b->gradient);
    }
    tetra_dforce_lanes(b, g, s, scale, loop->x, f);
    give_lanes(4, b->groups[g].v[0] + s, f, end - e, to);
    if (parts) to.parts += 12 * LANES;
  }
}

static void tetra_dforce(SofaTetraBatch *b, const SofaContext *ctx, double factor, const double *dx,
                         double *df) {
  (void)ctx; /* the sums have it */
  TetraLoop loop = {b, dx, df, factor};
  sofa_element_sums_run(&b->sums, b->n, tetra_give_products, &loop, &loop.f);
}

/* Four doubles side by side, whatever the registers of the instruction set. */
typedef double Four __attribute__((vector_size(32)));

static inline void add_product(Four *sum, double a, const Four *b) {
#ifdef __FMA__
  *sum = (Four)_mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)*b, (__m256d)*sum);
#else
  const Four aa = {a, a, a, a};
  *sum += aa * *b;
#endif
}

static void tetra_pack(const SofaTetraBatch *b, size_t begin, size_t end) {
  for (size_t g = begin; g < end; g++) {
    const size_t count = lanes_in_group(b->n, g);
    for (size_t l = 0; l < count; l++) {
      double(*to)[4] = b->packed[g * SOFA_LANES + l];
      for (int k = 0; k < 9; k++) to[k / 3 + 1][k % 3] = b->gradient[g][k][l];
      for (int i = 0; i < 3; i++) to[0][i] = -((to[1][i] + to[2][i]) + to[3][i]);
      to[0][3] = b->groups[g].lambda[l];
      to[1][3] = b->groups[g].mu[l];
    }
  }
}

/* Adds minus the block of a row and a column gradient with T to a pair. */
static inline void add_turn_block(const double *m, const double *n, double lambda, double mu,
                                  const double *t, double *to) {
  const double tn[9] = {
      /* T [n]x */
      t[3] * n[2] - t[5] * n[1], t[5] * n[0] - t[0] * n[2], t[0] * n[1] - t[3] * n[0],
      t[1] * n[2] - t[4] * n[1], t[4] * n[0] - t[3] * n[2], t[3] * n[1] - t[1] * n[0],
      t[4] * n[2] - t[2] * n[1], t[2] * n[0] - t[5] * n[2], t[5] * n[1] - t[4] * n[0]};
  const double trace = 2 * mu * (m[0] * n[0] + m[1] * n[1] + m[2] * n[2]);
  for (int j = 0; j < 3; j++) {
    const double about[3] = {m[1] * tn[6 + j] - m[2] * tn[3 + j], m[2] * tn[j] - m[0] * tn[6 + j],
                             m[0] * tn[3 + j] - m[1] * tn[j]};
    for (int i = 0; i < 3; i++)
      to[3 * i + j] += about[i] - lambda * m[i] * n[j] - (i == j ? trace : 0);
  }
}

static void tetra_turn_blocks(const SofaTetraBatch *b, size_t begin, size_t end, double *blocks) {
  const SofaElementPairs *pairs = &b->pairs;
  sofa_zero(blocks, 9 * (end - begin) * sizeof *blocks);
  for (size_t p = begin; p < end; p++) {
    for (size_t k = pairs->start[p]; k < pairs->start[p + 1]; k++) {
      const SofaPairPart part = pairs->part[k];
      const double(*w)[4] = (const double(*)[4])b->packed[part.element];
      double t[6];
      for (int i = 0; i < 6; i++)
        t[i] = b->turn[part.element / SOFA_LANES][i][part.element % SOFA_LANES];
      add_turn_block(w[part.row_node], w[part.column_node], w[0][3], w[1][3], t,
                     blocks + 9 * (p - begin));
    }
  }
}

static void tetra_blocks(const SofaTetraBatch *b, size_t begin, size_t end, double *blocks) {
  const SofaElementPairs *pairs = &b->pairs;
  if (b->turn) {
    tetra_turn_blocks(b, begin, end, blocks);
    return;
  }
  for (size_t p = begin; p < end; p++) {
    /* with m, n the gradients of row and column node: sums of lambda m n^T and of mu n m^T, whose
     * trace is the sum of mu m . n; the fourth column is garbage */
    Four lame[3] = {{0}, {0}, {0}}, shear[3] = {{0}, {0}, {0}};
    for (size_t k = pairs->start[p]; k < pairs->start[p + 1]; k++) {
      const SofaPairPart part = pairs->part[k];
      const double(*w)[4] = (const double(*)[4])b->packed[part.element];
      const double *row = w[part.row_node], *column = w[part.column_node];
      const double lambda = w[0][3], mu = w[1][3];
      Four m, n;
      memcpy(&m, row, sizeof m);
      memcpy(&n, column, sizeof n);
      m *= (Four){mu, mu, mu, mu};
      n *= (Four){lambda, lambda, lambda, lambda};
      for (int i = 0; i < 3; i++) {
        add_product(&lame[i], row[i], &n);
        add_product(&shear[i], column[i], &m);
      }
    }
    const double trace = (shear[0][0] + shear[1][1]) + shear[2][2];
    double *to = blocks + 9 * (p - begin);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        to[3 * i + j] = -((lame[i][j] + shear[i][j]) + (i == j ? trace : 0));
    }
  }
}

/* ---- elements with a dense stiffness ---- */

/* The nodes and dimensions of every function here are those of the batch, handed over so that they
 * can be constants. */

/* A vector times a factor. */
typedef struct Scaled {
  double factor;
  const double *x;
} Scaled;

/* Mean edges of a hexahedron along its first n directions. */
ALWAYS void mean_edges(int n, const Lanes *p, Lanes *m) {
  /* pairs (from, to) of nodes along each direction */
  static const uint8_t edges[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                         {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                         {{0, 4}, {1, 5}, {3, 7}, {2, 6}}};
  const Lanes quarter = lanes_set(0.25);
  for (int d = 0; d < n; d++) {
    for (int i = 0; i < 3; i++) {
      Lanes sum = lanes_set(0);
      for (int k = 0; k < 4; k++)
        sum = sum + (p[3 * edges[d][k][1] + i] - p[3 * edges[d][k][0] + i]);
      m[3 * d + i] = sum * quarter;
    }
  }
}

/* Frames of a plane, lane by lane. */
static inline void plane_frames(bool reflect, Lanes *m) {
  double from[4][LANES], to[4][LANES];
  for (int k = 0; k < 4; k++) lanes_store(from[k], m[k]);
  for (int l = 0; l < LANES; l++) {
    double one[4], r[4];
    for (int k = 0; k < 4; k++) one[k] = from[k][l];
    sofa_plane_rotation(one, reflect, r);
    for (int k = 0; k < 4; k++) to[k][l] = r[k];
  }
  for (int k = 0; k < 4; k++) m[k] = lanes_load(to[k]);
}

/* Frames that are not fixed. */
ALWAYS void dense_frame(const SofaElementBatch *b, size_t nodes, size_t dim, Part part,
                        const Lanes *p, Lanes *r) {
  const size_t g = part.g;
  const int s = part.s;
  if (b->frame == SOFA_FRAME_EDGES && nodes == 8) {
    Lanes m[6];
    mean_edges(2, p, m);
    lanes_frame(m, m + 3, r);
  } else if (b->frame == SOFA_FRAME_EDGES) {
    Lanes m[6];
    for (int k = 0; k < 6; k++) m[k] = p[3 + k] - p[k % 3];
    lanes_frame(m, m + 3, r);
  } else if (b->frame == SOFA_FRAME_POLAR_EDGES) {
    mean_edges(3, p, r);
    lanes_polar(r);
  } else {
    // H^T = sum of q_n x_n^T, or with the gradients at the center
    const double(*arm)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->arm ? b->arm : b->q);
    for (size_t k = 0; k < dim * dim; k++) r[k] = lanes_set(0);
    for (size_t n = 0; n < nodes; n++) {
      for (size_t i = 0; i < dim; i++) {
        const Lanes q = lanes_load(arm[(g * nodes + n) * dim + i] + s);
        for (size_t j = 0; j < dim; j++)
          r[dim * i + j] = lanes_madd(q, p[dim * n + j], r[dim * i + j]);
      }
    }
    if (dim == 2) plane_frames(b->frame == SOFA_FRAME_MOMENT, r);
    else if (b->frame == SOFA_FRAME_ROTATION) lanes_rotation(r);
    else lanes_polar(r);
  }
}

/* r = M v, or M^T v */
ALWAYS void dense_apply(size_t dim, bool transposed, const Lanes *m, const Lanes *v, Lanes *r) {
  const size_t row = transposed ? 1 : dim, step = transposed ? dim : 1;
  for (size_t i = 0; i < dim; i++) {
    r[i] = m[row * i] * v[0];
    for (size_t j = 1; j < dim; j++) r[i] = lanes_madd(m[row * i + step * j], v[j], r[i]);
  }
}

/* m NULL: fixed frames turn nothing. */
ALWAYS void dense_turned(size_t dim, bool transposed, const Lanes *m, const Lanes *v, Lanes *r) {
  if (m) dense_apply(dim, transposed, m, v, r);
  for (size_t i = 0; !m && i < dim; i++) r[i] = v[i];
}

/* Constants of a kernel, and its lanes. */
typedef struct Sized {
  size_t nodes, dim;
  Part part;
} Sized;

/* Where lanes give their forces: to rows of a group, or, unless f is NULL, as lanes of a run to the
 * points. rows NULL: they have none. */
typedef struct DenseTo {
  double (*rows)[SOFA_LANES], *f;
} DenseTo;

/* Forces in the frame of the elements. */
typedef struct LocalForce {
  const Lanes *f;
  const Lanes *scale; /* NULL: 1 */
} LocalForce;

/* Those of a node in the world. */
ALWAYS void dense_world(Sized of, size_t n, const Lanes *r, const LocalForce *local, Lanes *f) {
  Lanes own[3];
  for (size_t i = 0; i < of.dim; i++) {
    own[i] = local->f[of.dim * n + i];
    if (local->scale) own[i] = own[i] * *local->scale;
  }
  dense_turned(of.dim, true, r, own, f);
}

/* Adds the forces of a run's lanes. The second ends of edges have the points of the first ones but
 * for one: a point gets first what the element before gives it, which is the order of the elements.
 */
ALWAYS void dense_add_run(const SofaElementBatch *b, Sized of, const Lanes *r, const LocalForce *f,
                          double *to) {
  const size_t axis = b->run[of.part.g] - 1u, first = of.part.g * of.nodes;
  for (size_t k = 0; k < 8; k++) {
    const size_t n = sofa_run_ends[axis][k ^ SOFA_RUN_EDGES];
    Lanes world[3];
    dense_world(of, n, r, f, world);
    add_row(world, to + 3 * (size_t)b->v[first + n][of.part.s]);
  }
}

ALWAYS void dense_store(const SofaElementBatch *b, Sized of, const Lanes *r, const LocalForce *f,
                        DenseTo to) {
  if (to.f) {
    dense_add_run(b, of, r, f, to.f);
    return;
  }
  for (size_t n = 0; n < of.nodes; n++) {
    Lanes world[3];
    dense_world(of, n, r, f, world);
    for (size_t i = 0; i < of.dim; i++) lanes_store(to.rows[of.dim * n + i] + of.part.s, world[i]);
  }
}

/* Do the lanes have their points one behind the other? */
ALWAYS bool dense_runs(const SofaElementBatch *b, Sized of) {
  return of.nodes == 8 && of.dim == 3 && b->run[of.part.g];
}

/* Coordinates of a node. */
ALWAYS void dense_load(const SofaElementBatch *b, Sized of, size_t n, const double *x, Lanes *p) {
  const uint32_t *v = b->v[of.part.g * of.nodes + n] + of.part.s;
  if (dense_runs(b, of)) load_row(x + 3 * (size_t)*v, p);
  else load_point(of.dim, v, x, p);
}

/* p: positions of the nodes; r: from the world to the frame. */
ALWAYS void dense_local_force(SofaElementBatch *b, Sized of, const Lanes *p, const Lanes *r,
                              DenseTo to) {
  const size_t nodes = of.nodes, dim = of.dim;
  Lanes d[SOFA_DENSE_ROWS], f[SOFA_DENSE_ROWS];
  for (size_t n = 0; n < nodes; n++) {
    const double(*q)[SOFA_LANES] =
        (const double(*)[SOFA_LANES])(b->q + dim * (of.part.g * nodes + n));
    Lanes local[3];
    dense_turned(dim, false, r, p + dim * n, local);
    for (size_t i = 0; i < dim; i++) d[dim * n + i] = lanes_load(q[i] + of.part.s) - local[i];
  }
  dense_product(b, nodes, dim, of.part, d, f);
  if (b->turn) dense_exact_force(b, nodes, of.part, d, f);
  dense_store(b, of, r, &(LocalForce){f, NULL}, to);
}

ALWAYS void dense_force_lanes(SofaElementBatch *b, size_t nodes, size_t dim, Part part,
                              const double *x, DenseTo to) {
  const size_t g = part.g;
  const int s = part.s;
  Lanes p[SOFA_DENSE_ROWS], r[9];
  for (size_t k = nodes * dim; k < 9; k++) p[k] = lanes_set(0);
  const Sized of = {nodes, dim, part};
  for (size_t n = 0; n < nodes; n++) dense_load(b, of, n, x, p + dim * n);
  // relative to the first node
  for (size_t n = nodes; n-- > 0;) {
    for (size_t i = 0; i < dim; i++) p[dim * n + i] = p[dim * n + i] - p[i];
  }
  dense_frame(b, nodes, dim, part, p, r);
  for (size_t k = 0; k < dim * dim; k++) lanes_store(b->rotation[g * dim * dim + k] + s, r[k]);
  if (to.rows) dense_local_force(b, of, p, r, to);
}

/* r as above. */
ALWAYS void dense_local_dforce(const SofaElementBatch *b, Sized of, Scaled dx, const Lanes *r,
                               DenseTo to) {
  const size_t nodes = of.nodes, dim = of.dim;
  const Lanes scale = lanes_set(-dx.factor);
  Lanes p[3], d[SOFA_DENSE_ROWS], f[SOFA_DENSE_ROWS];
  for (size_t n = 0; n < nodes; n++) {
    dense_load(b, of, n, dx.x, p);
    dense_turned(dim, false, r, p, d + dim * n);
  }
  dense_product(b, nodes, dim, of.part, d, f);
  if (b->turn) dense_turn_product(b, nodes, of.part, d, f);
  dense_store(b, of, r, &(LocalForce){f, &scale}, to);
}

ALWAYS void dense_dforce_lanes(const SofaElementBatch *b, size_t nodes, size_t dim, Part part,
                               Scaled dx, DenseTo to) {
  const size_t first = part.g * dim * dim;
  const Sized of = {nodes, dim, part};
  Lanes r[9];
  if (b->frame == SOFA_FRAME_FIXED) {
    dense_local_dforce(b, of, dx, NULL, to);
    return;
  }
  for (size_t k = 0; k < dim * dim; k++) r[k] = lanes_load(b->rotation[first + k] + part.s);
  dense_local_dforce(b, of, dx, r, to);
}

/* A loop over the groups of a batch. */
typedef struct DenseLoop {
  SofaElementBatch *b;
  Scaled x;
  double *f; /* NULL: frames alone */
} DenseLoop;

/* Adds the forces of a group to f, or puts them to parts, one after the other. */
ALWAYS void dense_give(const DenseLoop *loop, size_t nodes, size_t dim, size_t g,
                       const double (*force)[SOFA_LANES], double *parts) {
  const size_t count = lanes_in_group(loop->b->n, g);
  const uint32_t(*v)[SOFA_LANES] = (const uint32_t(*)[SOFA_LANES])(loop->b->v + nodes * g);
  if (parts) put_vectors(nodes * dim, force, count, parts);
  else scatter(nodes, dim, v, force, count, loop->f);
}

/* Groups begin .. end - 1. */
typedef struct GroupRange {
  size_t begin, end;
  double *parts; /* see SofaGiveVectors */
} GroupRange;

/* Where a run's lanes add their forces; other lanes have no such place. */
ALWAYS double *points_of(const DenseLoop *loop, size_t nodes, size_t dim, const GroupRange *range,
                         size_t g) {
  return nodes == 8 && dim == 3 && !range->parts && loop->b->run[g] ? loop->f : NULL;
}

/* Where a group puts its forces. */
ALWAYS double *parts_of(const GroupRange *range, size_t g, size_t reals) {
  return range->parts ? range->parts + reals * SOFA_LANES * (g - range->begin) : NULL;
}

ALWAYS void dense_force_of(const DenseLoop *loop, size_t nodes, size_t dim, GroupRange range) {
  for (size_t g = range.begin; g < range.end; g++) {
    double force[SOFA_DENSE_ROWS][SOFA_LANES];
    const DenseTo to = {loop->f ? force : NULL, points_of(loop, nodes, dim, &range, g)};
    for (int s = 0; s < SOFA_LANES; s += LANES)
      dense_force_lanes(loop->b, nodes, dim, (Part){g, s}, loop->x.x, to);
    if (loop->f && !to.f)
      dense_give(loop, nodes, dim, g, (const double(*)[SOFA_LANES])force,
                 parts_of(&range, g, nodes * dim));
  }
}

ALWAYS void dense_dforce_of(const DenseLoop *loop, size_t nodes, size_t dim, GroupRange range) {
  for (size_t g = range.begin; g < range.end; g++) {
    double force[SOFA_DENSE_ROWS][SOFA_LANES];
    const DenseTo to = {force, points_of(loop, nodes, dim, &range, g)};
    for (int s = 0; s < SOFA_LANES; s += LANES)
      dense_dforce_lanes(loop->b, nodes, dim, (Part){g, s}, loop->x, to);
    if (!to.f)
      dense_give(loop, nodes, dim, g, (const double(*)[SOFA_LANES])force,
                 parts_of(&range, g, nodes * dim));
  }
}

/* Calls a function with constants for hexahedra. */
#define DENSE_LOOP(function, loop, range)                                                          \
  do {                                                                                             \
    const SofaElementBatch *batch = (loop)->b;                                                     \
    if (batch->n_nodes == 8 && batch->dim == 3) function(loop, 8, 3, range);                       \
    else function(loop, batch->n_nodes, batch->dim, range);                                        \
  } while (0)

static GroupRange groups_of(size_t begin, size_t end, double *parts) {
  return (GroupRange){begin / SOFA_LANES, (end + SOFA_LANES - 1) / SOFA_LANES, parts};
}

/* A SofaGiveVectors. */
static void dense_give_forces(void *user, size_t begin, size_t end, double *parts) {
  if (parts) DENSE_LOOP(dense_force_of, (const DenseLoop *)user, groups_of(begin, end, parts));
  else DENSE_LOOP(dense_force_of, (const DenseLoop *)user, groups_of(begin, end, NULL));
}

static void dense_frame_groups(void *user, size_t begin, size_t end) {
  const GroupRange range = {begin, end, NULL};
  DENSE_LOOP(dense_force_of, (const DenseLoop *)user, range);
}

static void dense_turn_range(void *user, size_t begin, size_t end) {
  SofaElementBatch *b = user;
  for (size_t g = begin; g < end; g++) {
    for (int s = 0; s < SOFA_LANES; s += LANES) dense_turn_lanes(b, b->n_nodes, (Part){g, s});
  }
}

static void dense_turn(SofaElementBatch *b, const SofaContext *ctx) {
  sofa_team_for(ctx, b->n_groups, GROUPS_GRAIN, dense_turn_range, b);
}

/* A SofaGiveVectors. */
static void dense_give_products(void *user, size_t begin, size_t end, double *parts) {
  if (parts) DENSE_LOOP(dense_dforce_of, (const DenseLoop *)user, groups_of(begin, end, parts));
  else DENSE_LOOP(dense_dforce_of, (const DenseLoop *)user, groups_of(begin, end, NULL));
}

static void dense_dforce(SofaElementBatch *b, const SofaContext *ctx, double factor,
                         const double *dx, double *df) {
  (void)ctx; /* the sums have it */
  DenseLoop loop = {b, {factor, dx}, df};
  sofa_element_sums_run(&b->sums, b->n, dense_give_products, &loop, &loop.f);
}

enum { MOVES_GRAIN = 4096 }; /* reals that a thread takes at once */

/* Positions, and the moves back to rest that follow from them. */
typedef struct Moves {
  const double *x, *rest;
  double *moves;
} Moves;

static void find_moves(void *user, size_t begin, size_t end) {
  const Moves *m = user;
  for (size_t k = begin; k < end; k++) m->moves[k] = m->rest[k] - m->x[k];
}

/* Of a fixed frame: the product with the moves, which are made once for each point. */
static void dense_fixed_force(SofaElementBatch *b, const SofaContext *ctx, const double *x,
                              double *f) {
  Moves moves = {x, b->rest, b->moves};
  sofa_team_for(ctx, b->n_points * b->dim, MOVES_GRAIN, find_moves, &moves);
  dense_dforce(b, ctx, -1, b->moves, f);
}

static void dense_force(SofaElementBatch *b, const SofaContext *ctx, const double *x, double *f) {
  DenseLoop loop = {b, {1, x}, f};
  if (b->frame != SOFA_FRAME_FIXED && f)
    sofa_element_sums_run(&b->sums, b->n, dense_give_forces, &loop, &loop.f);
  else if (b->frame != SOFA_FRAME_FIXED)
    sofa_team_for(ctx, b->n_groups, GROUPS_GRAIN, dense_frame_groups, &loop);
  else if (f) dense_fixed_force(b, ctx, x, f);
}

const SofaElementKernels CAT(sofa_element_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .tetra_force = tetra_force,
    .tetra_dforce = tetra_dforce,
    .tetra_pack = tetra_pack,
    .tetra_blocks = tetra_blocks,
    .dense_force = dense_force,
    .dense_turn = dense_turn,
    .dense_dforce = dense_dforce,
    .dense_blocks = dense_blocks,
    .dense_group_blocks = dense_group_blocks,
};
