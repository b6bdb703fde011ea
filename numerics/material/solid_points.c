/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops over elements whose law is evaluated point by point. Elements are computed in chunks, each
 * on all threads, and added in their order: results do not depend on the threads. */
#include "numerics/material/dilatation_impl.h"
#include "numerics/material/solid_points_impl.h"

#include <stdatomic.h>
#include <string.h>

#include "base/team.h"
#include "math/vec.h"

enum { CHUNK = 64, ELEMENTS_GRAIN = 8 };

/* Numbers of an element's blocks, which are more than those of its forces. */
static size_t work_of(const SofaSolidBatch *b) {
  return 9 * (size_t)b->n_pairs;
}

/* ---- law and history ---- */

SofaErr sofa_solid_points_law(SofaObject *material, const SofaSolidBatch *b, double dt, double time,
                              SofaSolidLaw *law) {
  SOFA_TRY(sofa_solid_material_law(material, law));
  law->dt = dt;
  law->time = time;
  if (!sofa_solid_by_points(b, law)) return SOFA_OK;
  if (law->n_data > 1 && law->n_data != b->n)
    return sofa_object_fail(material, SOFA_ERR_RANGE,
                            "has values for %zu elements, but there are %zu", law->n_data, b->n);
  if (b->work && law->n_history * b->n * b->n_gauss != b->n_history)
    return sofa_object_fail(material, SOFA_ERR_RANGE,
                            "has another number of internal variables than at the start");
  return SOFA_OK;
}

SofaErr sofa_solid_points_create(SofaContext *ctx, const SofaSolidLaw *law, SofaSolidBatch *b) {
  if (!sofa_solid_by_points(b, law)) return SOFA_OK;
  b->n_history = law->n_history * b->n * b->n_gauss;
  b->work = sofa_alloc(ctx, CHUNK * work_of(b), sizeof *b->work);
  b->history = sofa_alloc(ctx, b->n_history, sizeof *b->history);
  if (!b->work || !b->history) {
    sofa_solid_batch_free(ctx, b); // without a history its points cannot be looked at
    return SOFA_ERR_MEMORY;
  }
  sofa_solid_points_reset(b);
  return SOFA_OK;
}

void sofa_solid_points_free(SofaContext *ctx, SofaSolidBatch *b) {
  sofa_free(ctx, b->work);
  sofa_free(ctx, b->history);
  b->work = b->history = NULL;
}

void sofa_solid_points_reset(SofaSolidBatch *b) {
  if (b->history) sofa_zero(b->history, b->n_history * sizeof *b->history);
  b->dissipated = 0;
}

bool sofa_solid_points_dissipated(const SofaSolidBatch *b, double *energy) {
  *energy = b->dissipated;
  return b->n_history > 0;
}

/* ---- a point ---- */

void sofa_solid_gradients(const SofaSolidBatch *b, size_t e, size_t q, double *g) {
  const size_t size = 3 * (size_t)b->n_nodes, at = b->n_gauss * (e / SOFA_LANES) + q;
  for (size_t k = 0; k < size; k++) g[k] = b->gradient[size * at + k][e % SOFA_LANES];
}

void sofa_solid_gradient_at(const SofaSolidBatch *b, size_t e, const double *g, const double *x,
                            double *f) {
  const uint32_t(*v)[SOFA_LANES] =
      (const uint32_t(*)[SOFA_LANES])(b->v + e / SOFA_LANES * b->n_nodes);
  const double *origin = x + 3 * (size_t)v[0][e % SOFA_LANES];
  memset(f, 0, 9 * sizeof *f);
  for (size_t n = 1; n < b->n_nodes; n++) {
    double u[3];
    sofa_vec3_sub(x + 3 * (size_t)v[n][e % SOFA_LANES], origin, u);
    for (size_t i = 0; i < 3; i++)
      for (size_t k = 0; k < 3; k++) f[3 * i + k] += u[i] * g[3 * n + k];
  }
}

/* S = 2 dW/dC of a law of the invariants. */
static void stress_of(const SofaSolidLaw *law, const SofaDeformation *x, double *s) {
  SofaHyperDerivatives w = {0};
  law->material->derivatives(law->p, x, &w);
  for (int k = 0; k < 6; k++)
    s[k] = (k < 3 ? 2 * (w.w1 + w.w2 * x->i1) : 0) - 2 * w.w2 * x->c[k] + w.wl * x->ci[k];
}

bool sofa_solid_evaluate(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                         SofaDeformation *x, SofaPointResult *out) {
  if (!sofa_deformation(law->material, x)) return false;
  if (law->point) {
    const double *history =
        law->n_history ? b->history + law->n_history * (at.element * b->n_gauss + at.point) : NULL;
    law->point(&(SofaPointArgs){law->user, x, history, at.element, law->dt, law->time}, out);
    return true;
  }
  out->potential = law->material->energy(law->p, x);
  out->dissipated = 0;
  if (law->material->stress) law->material->stress(law->p, x, out->s, out->d);
  else stress_of(law, x, out->s);
  return true;
}

bool sofa_solid_point_at(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                         const double *x, SofaDeformation *d, SofaPointResult *out) {
  double g[3 * SOFA_SHAPE_MAX_NODES];
  sofa_solid_gradients(b, at.element, at.point, g);
  sofa_solid_gradient_at(b, at.element, g, x, d->f);
  if (b->bar && !sofa_bar_deformation(b, at, x, d->f)) return false;
  return sofa_solid_evaluate(b, law, at, d, out);
}

/* ---- forces ---- */

/* Keeps the deformation gradients of an element at x. */
static void keep(SofaSolidBatch *b, size_t e, const double *x) {
  double j[SOFA_SOLID_MAX_GAUSS];
  for (size_t q = 0; q < b->n_gauss; q++) {
    const size_t at = 9 * (b->n_gauss * (e / SOFA_LANES) + q);
    double g[3 * SOFA_SHAPE_MAX_NODES], f[9];
    sofa_solid_gradients(b, e, q, g);
    sofa_solid_gradient_at(b, e, g, x, f);
    for (size_t k = 0; k < 9; k++) b->f[at + k][e % SOFA_LANES] = f[k];
    j[q] = sofa_mat3_det(f);
  }
  if (b->corners.stars.n) sofa_corners_share(b, e, j);
}

/* The response at the deformation gradient kept, which `d` has then. */
static bool respond(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                    SofaDeformation *d, SofaPointResult *r) {
  sofa_solid_kept(b, at.element, at.point, d->f);
  if (!sofa_solid_evaluate(b, law, at, d, r)) return false;
  if (b->corners.stars.n) sofa_corners_adjust(b, law, at, d, r);
  return true;
}

/* Forces of the nodes of an element at the deformation gradients kept. */
static bool element_force(SofaSolidBatch *b, const SofaSolidLaw *law, size_t e, double *force) {
  if (b->bar) return sofa_bar_force(b, law, e, force);
  sofa_zero(force, 3 * b->n_nodes * sizeof *force);
  for (size_t q = 0; q < b->n_gauss; q++) {
    double g[3 * SOFA_SHAPE_MAX_NODES];
    SofaDeformation d;
    SofaPointResult r = {.d = NULL};
    sofa_solid_gradients(b, e, q, g);
    if (!respond(b, law, (SofaSolidPlace){e, q}, &d, &r)) return false;
    for (size_t n = 1; n < b->n_nodes; n++) {
      double traction[3], part[3];
      sofa_stress_apply(r.s, g + 3 * n, traction);
      sofa_mat3_apply(d.f, traction, part);
      for (size_t i = 0; i < 3; i++) {
        force[3 * n + i] -= sofa_solid_weight(b, e, q) * part[i];
        force[i] += sofa_solid_weight(b, e, q) * part[i];
      }
    }
  }
  return true;
}

/* A loop over the elements of a chunk. */
typedef struct Loop {
  SofaSolidBatch *b;
  const SofaSolidLaw *law;
  const double *x;
  size_t first;       /* element of the chunk */
  _Atomic size_t bad; /* the first bad element */
} Loop;

static void note_bad(Loop *loop, size_t element) {
  size_t first = atomic_load_explicit(&loop->bad, memory_order_relaxed);
  while (element < first &&
         !atomic_compare_exchange_weak_explicit(&loop->bad, &first, element, memory_order_relaxed,
                                                memory_order_relaxed))
    continue;
}

static void keep_elements(void *user, size_t begin, size_t end) {
  const Loop *loop = user;
  for (size_t e = begin; e < end; e++) keep(loop->b, e, loop->x);
}

static void force_elements(void *user, size_t begin, size_t end) {
  Loop *loop = user;
  const size_t size = work_of(loop->b);
  for (size_t k = begin; k < end; k++)
    if (!element_force(loop->b, loop->law, loop->first + k, loop->b->work + size * k))
      note_bad(loop, loop->first + k);
}

size_t sofa_solid_points_force(const SofaContext *ctx, SofaSolidBatch *b, const SofaSolidLaw *law,
                               const double *x, double *f) {
  const size_t size = work_of(b);
  size_t bad = b->n;
  Loop loop = {.b = b, .law = law, .x = x, .bad = b->n};
  b->dt = law->dt;
  b->time = law->time;
  sofa_team_for(ctx, b->n, CHUNK, keep_elements, &loop);
  if (b->corners.stars.n && (bad = sofa_corners_update(b, law)) < b->n) return bad;
  for (size_t begin = 0; begin < b->n; begin += CHUNK) {
    const size_t end = begin + CHUNK < b->n ? begin + CHUNK : b->n;
    loop.first = begin;
    sofa_team_for(ctx, end - begin, ELEMENTS_GRAIN, force_elements, &loop);
    if (loop.bad < b->n) return loop.bad;
    for (size_t e = begin; e < end; e++) {
      for (size_t n = 0; n < b->n_nodes; n++) {
        double *to = f + 3 * (size_t)b->v[e / SOFA_LANES * b->n_nodes + n][e % SOFA_LANES];
        sofa_vec3_add(to, b->work + size * (e - begin) + 3 * n, to);
      }
    }
  }
  return bad;
}

/* ---- stiffness blocks ---- */

/* to += factor (geometric I + B_n^T DB_m) */
static void add_block(double factor, double geometric, double (*bn)[3], double (*dbm)[3],
                      double *to) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = i == j ? geometric : 0;
      for (int k = 0; k < 6; k++) sum += bn[k][i] * dbm[k][j];
      to[3 * i + j] += factor * sum;
    }
  }
}

/* Blocks of the local pairs from one point. */
static void point_blocks(const SofaSolidBatch *b, double factor, const double *f, const double *g,
                         const SofaPointResult *r, double *blocks) {
  double moves[SOFA_SHAPE_MAX_NODES][6][3], stresses[SOFA_SHAPE_MAX_NODES][6][3];
  for (size_t n = 0; n < b->n_nodes; n++) {
    sofa_strain_of_move(f, g + 3 * n, moves[n]);
    sofa_tangent_apply(r->d, moves[n], stresses[n]);
  }
  for (size_t n = 0; n < b->n_nodes; n++) {
    double traction[3];
    sofa_stress_apply(r->s, g + 3 * n, traction);
    for (size_t m = n; m < b->n_nodes; m++, blocks += 9)
      add_block(factor, sofa_vec3_dot(g + 3 * m, traction), moves[n], stresses[m], blocks);
  }
}

static bool element_blocks(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e,
                           double *blocks) {
  if (b->bar) return sofa_bar_blocks(b, law, e, blocks);
  if (b->corners.stars.n) sofa_corners_keep_slopes(b, e);
  sofa_zero(blocks, work_of(b) * sizeof *blocks);
  for (size_t q = 0; q < b->n_gauss; q++) {
    double g[3 * SOFA_SHAPE_MAX_NODES], tangent[36];
    SofaDeformation d;
    SofaPointResult r = {.d = tangent};
    if (!respond(b, law, (SofaSolidPlace){e, q}, &d, &r)) return false;
    sofa_solid_gradients(b, e, q, g);
    point_blocks(b, -sofa_solid_weight(b, e, q), d.f, g, &r, blocks);
  }
  return true;
}

/* to += block, or its transpose, or both */
static void add_turned(const double *block, unsigned turn, double *to) {
  for (int i = 0; i < 9; i++) {
    if (turn != SOFA_PAIR_TRANSPOSED) to[i] += block[i];
    if (turn != SOFA_PAIR_STRAIGHT) to[i] += block[3 * (i % 3) + i / 3];
  }
}

static void block_elements(void *user, size_t begin, size_t end) {
  Loop *loop = user;
  const size_t size = work_of(loop->b);
  for (size_t k = begin; k < end; k++)
    if (!element_blocks(loop->b, loop->law, loop->first + k, loop->b->work + size * k))
      note_bad(loop, loop->first + k);
}

size_t sofa_solid_points_blocks(const SofaContext *ctx, SofaSolidBatch *b,
                                const SofaSolidLaw *given) {
  const size_t size = work_of(b);
  const uint32_t *slot = b->pairs.slot;
  SofaSolidLaw law = *given;
  Loop loop = {.b = b, .law = &law, .bad = b->n};
  law.dt = b->dt; // those of the force whose derivative is asked for
  law.time = b->time;
  if (b->corners.stars.n) sofa_corners_respond(b, &law);
  sofa_zero(b->blocks, 9 * b->pairs.n * sizeof *b->blocks);
  for (size_t begin = 0; begin < b->n; begin += CHUNK) {
    const size_t end = begin + CHUNK < b->n ? begin + CHUNK : b->n;
    loop.first = begin;
    sofa_team_for(ctx, end - begin, ELEMENTS_GRAIN, block_elements, &loop);
    if (loop.bad < b->n) return loop.bad;
    for (size_t e = begin; e < end; e++)
      for (size_t k = 0; k < b->n_pairs; k++, slot++)
        add_turned(b->work + size * (e - begin) + 9 * k, *slot & 3,
                   b->blocks + 9 * (size_t)(*slot >> 2));
  }
  if (b->corners.stars.n) sofa_corners_add_blocks(b, ctx);
  return b->n;
}

/* ---- energy and history ---- */

size_t sofa_solid_points_energy(const SofaSolidBatch *b, const SofaSolidLaw *law, const double *x,
                                double *energy) {
  const size_t bad = sofa_corners_at(b, x);
  *energy = 0;
  if (bad < b->n) return bad;
  for (size_t e = 0; e < b->n; e++) {
    double j[SOFA_SOLID_MAX_GAUSS];
    for (size_t q = 0; q < b->n_gauss; q++) {
      SofaDeformation d;
      SofaPointResult r = {.d = NULL};
      if (!sofa_solid_point_at(b, law, (SofaSolidPlace){e, q}, x, &d, &r)) return e;
      *energy += sofa_solid_weight(b, e, q) * r.potential;
      j[q] = d.j;
    }
    if (b->corners.stars.n) *energy += sofa_corners_energy(b, law, e, j);
  }
  return b->n;
}

/* The history of an element at x, as b->work takes it; *dissipated in J. */
static bool element_accept(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e,
                           const double *x, double *dissipated) {
  *dissipated = 0;
  for (size_t q = 0; q < b->n_gauss; q++) {
    double next[SOFA_POINT_MAX_HISTORY];
    SofaDeformation d;
    SofaPointResult r = {.history = next};
    if (!sofa_solid_point_at(b, law, (SofaSolidPlace){e, q}, x, &d, &r)) return false;
    sofa_copy(b->history + law->n_history * (e * b->n_gauss + q), next,
              law->n_history * sizeof *next);
    *dissipated += sofa_solid_weight(b, e, q) * r.dissipated;
  }
  return true;
}

static void accept_elements(void *user, size_t begin, size_t end) {
  Loop *loop = user;
  for (size_t k = begin; k < end; k++)
    if (!element_accept(loop->b, loop->law, loop->first + k, loop->x, loop->b->work + k))
      note_bad(loop, loop->first + k);
}

size_t sofa_solid_points_accept(const SofaContext *ctx, SofaSolidBatch *b, const SofaSolidLaw *law,
                                const double *x) {
  Loop loop = {.b = b, .law = law, .x = x, .bad = b->n};
  if (!law->n_history) return b->n;
  for (size_t begin = 0; begin < b->n; begin += CHUNK) {
    const size_t end = begin + CHUNK < b->n ? begin + CHUNK : b->n;
    loop.first = begin;
    sofa_team_for(ctx, end - begin, ELEMENTS_GRAIN, accept_elements, &loop);
    if (loop.bad < b->n) return loop.bad;
    for (size_t e = begin; e < end; e++) b->dissipated += b->work[e - begin];
  }
  return b->n;
}
