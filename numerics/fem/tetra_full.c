/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tetrahedra in full 12 x 6 form, element by element. */
#include "numerics/fem/tetra_full.h"

#include <string.h>
#include "math/vec.h"

/* Positions relative to node a in the frame r. */
static void local_positions(const SofaTetraOne *one, const double *r, const double *x, double *p) {
  const double *a = x + 3 * (size_t)one->v[0];
  for (int n = 0; n < 4; n++) {
    double e[3];
    sofa_vec3_sub(x + 3 * (size_t)one->v[n], a, e);
    sofa_mat3_apply(r, e, p + 3 * n);
  }
}

/* J of one element: from its rest shape, its current shape, or half of each. */
static void strain_matrix(const SofaTetraBatch *batch, const SofaTetraFull *full,
                          const SofaTetraOne *one, const double *p, double *j) {
  double rest[12], current[12];
  sofa_tetra_gradients(&one->q[0][0], rest);
  if (!batch->update && !full->partial) {
    sofa_tetra_j(rest, rest, j);
    return;
  }
  sofa_tetra_gradients(p, current);
  sofa_tetra_j(current, full->partial ? rest : current, j);
}

static void flow(const SofaTetraPlasticity *p, const double *e, double *plastic) {
  double elastic[6], norm2 = 0, plastic2 = 0;
  for (int i = 0; i < 6; i++) {
    elastic[i] = e[i] - plastic[i];
    norm2 += elastic[i] * elastic[i];
  }
  if (norm2 > p->yield * p->yield) {
    for (int i = 0; i < 6; i++) plastic[i] += p->creep * elastic[i];
  }
  for (int i = 0; i < 6; i++) plastic2 += plastic[i] * plastic[i];
  if (plastic2 > p->max * p->max) {
    const double shrink = p->max / sqrt(plastic2);
    for (int i = 0; i < 6; i++) plastic[i] *= shrink;
  }
}

/* f = J C e, 12. */
static void local_force(const SofaTetraOne *one, const double *j, const double *e, double *f) {
  double c[36], stress[6];
  sofa_tetra_law(one->lambda, one->mu, one->scale * one->scale, c);
  for (int i = 0; i < 6; i++) {
    stress[i] = 0;
    for (int k = 0; k < 6; k++) stress[i] += c[6 * i + k] * e[k];
  }
  for (int i = 0; i < 12; i++) {
    f[i] = 0;
    for (int k = 0; k < 6; k++) f[i] += j[6 * i + k] * stress[k];
  }
}

/* e = J^T d */
static void strain(const double *j, const double *d, double *e) {
  for (int k = 0; k < 6; k++) {
    e[k] = 0;
    for (int i = 0; i < 12; i++) e[k] += j[6 * i + k] * d[i];
  }
}

static void add_rotated(const SofaTetraOne *one, const double *local, double factor, double *f) {
  for (int n = 0; n < 4; n++) {
    double world[3];
    sofa_mat3_apply_t(one->r, local + 3 * n, world);
    sofa_vec3_axpy(factor, world, f + 3 * (size_t)one->v[n]);
  }
}

/* Strain e at x and its matrix j. */
static void strain_at(const SofaTetraBatch *batch, const SofaTetraFull *full, const double *x,
                      const SofaTetraOne *one, double *j, double *e) {
  double p[12], d[12];
  local_positions(one, one->r, x, p);
  for (int k = 0; k < 12; k++) d[k] = one->q[k / 3][k % 3] - p[k];
  strain_matrix(batch, full, one, p, j);
  strain(j, d, e);
}

void sofa_tetra_full_flow(const SofaTetraBatch *batch, const SofaTetraFull *full, const double *x) {
  for (size_t element = 0; full->plasticity && element < batch->n; element++) {
    SofaTetraOne one;
    double j[72], e[6];
    sofa_tetra_one(batch, element, &one);
    strain_at(batch, full, x, &one, j, e);
    flow(full->plasticity, e, full->plastic + 6 * element);
  }
}

void sofa_tetra_full_force(const SofaTetraBatch *batch, const SofaTetraFull *full, const double *x,
                           double *f) {
  for (size_t element = 0; element < batch->n; element++) {
    SofaTetraOne one;
    double j[72], e[6], local[12];
    sofa_tetra_one(batch, element, &one);
    strain_at(batch, full, x, &one, j, e);
    if (full->j) memcpy(full->j + 72 * element, j, sizeof j);
    for (int i = 0; full->plasticity && i < 6; i++) e[i] -= full->plastic[6 * element + (size_t)i];
    local_force(&one, j, e, local);
    add_rotated(&one, local, 1, f);
  }
}

void sofa_tetra_full_dforce(const SofaTetraBatch *batch, const SofaTetraFull *full, double factor,
                            const double *dx, double *df) {
  for (size_t element = 0; element < batch->n; element++) {
    SofaTetraOne one;
    double d[12], e[6], local[12];
    const double *j = full->j + 72 * element;
    sofa_tetra_one(batch, element, &one);
    for (int n = 0; n < 4; n++) sofa_mat3_apply(one.r, dx + 3 * (size_t)one.v[n], d + 3 * n);
    strain(j, d, e);
    local_force(&one, j, e, local);
    add_rotated(&one, local, -factor, df);
  }
}

void sofa_tetra_full_stiffness(const SofaTetraBatch *batch, const SofaTetraFull *full,
                               size_t element, double *k) {
  SofaTetraOne one;
  double c[36], local[144];
  sofa_tetra_one(batch, element, &one);
  sofa_tetra_law(one.lambda, one.mu, one.scale * one.scale, c);
  sofa_tetra_stiffness(full->j + 72 * element, c, local);
  for (int n = 0; n < 4; n++) {
    for (int m = 0; m < 4; m++) {
      double block[9];
      for (int i = 0; i < 9; i++) block[i] = local[12 * (3 * n + i / 3) + 3 * m + i % 3];
      sofa_mat3_mul(block, one.r, block);
      sofa_mat3_mul_tn(one.r, block, block);
      for (int i = 0; i < 9; i++) k[12 * (3 * n + i / 3) + 3 * m + i % 3] = -block[i];
    }
  }
}

/* ---- energy and stress ---- */

/* G = sum_n d_n g_n^T: gradient of the field d, 4 x 3. */
static void field_gradient(const double *d, const double *g, double *out) {
  memset(out, 0, 9 * sizeof *out);
  for (int n = 0; n < 4; n++) {
    for (int i = 0; i < 9; i++) out[i] += d[3 * n + i / 3] * g[3 * n + i % 3];
  }
}

double sofa_tetra_energy_of(const SofaTetraBatch *batch, size_t element, const double *x) {
  SofaTetraOne one;
  double r[9], p[12], d[12], h[9], g[12];
  sofa_tetra_one(batch, element, &one);
  sofa_tetra_frame_at(batch, element, x, r);
  local_positions(&one, r, x, p);
  for (int k = 0; k < 12; k++) d[k] = one.q[k / 3][k % 3] - p[k];
  const double *shape = &one.h[0][0];
  if (batch->update) {
    sofa_tetra_gradients(p, g);
    for (int k = 0; k < 12; k++) g[k] *= one.scale;
    shape = g;
  }
  field_gradient(d, shape, h);
  // sqrt(V) times the strain, so the square carries the volume
  double norm2 = 0;
  for (int i = 0; i < 9; i++) {
    const double s = 0.5 * (h[i] + h[3 * (i % 3) + i / 3]);
    norm2 += s * s;
  }
  const double trace = sofa_mat3_trace(h);
  return 0.5 * (one.lambda * trace * trace + 2 * one.mu * norm2);
}

double sofa_tetra_energy(const SofaTetraBatch *batch, const double *x) {
  double energy = 0;
  for (size_t element = 0; element < batch->n; element++)
    energy += sofa_tetra_energy_of(batch, element, x);
  return energy;
}

/* The part of the stress that is a pressure does not count. */
static double von_mises(const double *e, double mu) {
  double s[9];
  for (int i = 0; i < 9; i++) s[i] = 2 * mu * e[i];
  const double square = s[0] * s[0] + s[4] * s[4] + s[8] * s[8] - s[0] * s[4] - s[4] * s[8] -
                        s[8] * s[0] + 3 * (s[5] * s[5] + s[2] * s[2] + s[1] * s[1]);
  const double stress = sqrt(square > 0 ? square : 0);
  return stress < 1e-10 ? 0 : stress;
}

void sofa_tetra_von_mises(const SofaTetraBatch *batch, SofaTetraStrain strain_kind,
                          bool mixed_frames, const double *rest, const double *x, double *out) {
  for (size_t element = 0; element < batch->n; element++) {
    SofaTetraOne one;
    double X[12], g[12], d[12], h[9], e[9];
    sofa_tetra_one(batch, element, &one);
    for (int n = 0; n < 4; n++) sofa_vec3_copy(rest + 3 * (size_t)one.v[n], X + 3 * n);
    // gradients of the shape functions in the world at rest
    sofa_tetra_gradients(X, g);
    const double volume6 = sofa_tetra_volume6(X);
    for (int k = 0; k < 12; k++) g[k] /= volume6;
    if (strain_kind == SOFA_TETRA_GREEN) {
      for (int n = 0; n < 4; n++) sofa_vec3_sub(x + 3 * (size_t)one.v[n], X + 3 * n, d + 3 * n);
    } else {
      double r[9], r0[9], p[12];
      sofa_tetra_frame_at(batch, element, x, r);
      local_positions(&one, r, x, p);
      for (int k = 0; k < 12; k++) d[k] = p[k] - one.q[k / 3][k % 3];
      sofa_tetra_frame(batch->method, X, r0);
      for (int n = 0; n < 4 && !mixed_frames; n++) sofa_mat3_apply(r0, g + 3 * n, g + 3 * n);
    }
    field_gradient(d, g, h);
    for (int i = 0; i < 9; i++) {
      e[i] = 0.5 * (h[i] + h[3 * (i % 3) + i / 3]);
      if (strain_kind == SOFA_TETRA_GREEN) {
        for (int k = 0; k < 3; k++) e[i] += 0.5 * h[3 * k + i / 3] * h[3 * k + i % 3];
      }
    }
    out[element] = von_mises(e, one.mu);
  }
}
