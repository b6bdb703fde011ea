/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements whose law takes the deformation gradient with the element's mean change of volume
 * (F-bar: de Souza Neto, Peric, Dutko, Owen 1996; with an energy: Elguedj, Bazilevs, Calo, Hughes
 * 2008).
 *
 * With J_q = det F at the points, volumes w_q, V their sum and Jm = sum w_q J_q / V, the energy of
 * an element is sum w W(s F), s = (Jm / J_q)^(1/3). Let S, D be those of the law at s F, t_n = F S
 * g_n, T = C : S, h_n = F^-T g_n, b_n = sum w J h_n / (V Jm) and d_n = b_n - h_n. A move of node n
 * changes ln Jm by b_n, ln J by h_n, and hence
 *   f_n = - sum w s^2 (t_n + T/3 d_n),
 *   K_nm = sum w (M_n^T D M_m + s^2 (g_n . S g_m I + 2/3 (t_n d_m^T + d_n t_m^T)
 *          + 2/9 T d_n d_m^T) + s^2 T/3 h_m h_n^T) + c (sum w J (h_n h_m^T - h_m h_n^T) / (V Jm)
 *          - b_n b_m^T),
 * with M_n = s^2 (B_n + 1/3 C d_n^T) and c = sum w s^2 T/3. */
#include "numerics/material/solid_points_impl.h"

#include <math.h>

enum { GAUSS = SOFA_SOLID_MAX_GAUSS, NODES = SOFA_SHAPE_MAX_NODES };

/* Of an element: what does not depend on its law. */
typedef struct Bar {
  double j[GAUSS], mean, volume; /* det F at the points, their mean, volume at rest */
  double h[GAUSS][NODES][3], b[NODES][3];
} Bar;

/* ---- deformation ---- */

/* s; not a number where an element is turned inside out. */
static double scale_of(double mean, double j) {
  return mean > 0 && j > 0 ? cbrt(mean / j) : NAN;
}

bool sofa_bar_deformation(const SofaSolidBatch *b, SofaSolidPlace at, const double *x, double *f) {
  double sum = 0, volume = 0;
  for (size_t q = 0; q < b->n_gauss; q++) {
    double g[3 * NODES], other[9];
    sofa_solid_gradients(b, at.element, q, g);
    sofa_solid_gradient_at(b, at.element, g, x, other);
    sum += sofa_solid_weight(b, at.element, q) * sofa_mat3_det(other);
    volume += sofa_solid_weight(b, at.element, q);
  }
  const double s = scale_of(sum / volume, sofa_mat3_det(f));
  for (int k = 0; k < 9; k++) f[k] *= s;
  return s > 0;
}

/* At the deformation gradients kept; false: turned inside out. */
static bool bar_of(const SofaSolidBatch *b, size_t e, Bar *bar) {
  double sum = 0;
  bar->volume = 0;
  sofa_zero(bar->b, sizeof bar->b);
  for (size_t q = 0; q < b->n_gauss; q++) {
    double f[9], inverse[9], g[3 * NODES];
    const double w = sofa_solid_weight(b, e, q);
    sofa_solid_kept(b, e, q, f);
    if (!sofa_mat3_inverse(f, inverse, &bar->j[q]) || !(bar->j[q] > 0)) return false;
    sofa_solid_gradients(b, e, q, g);
    for (size_t n = 0; n < b->n_nodes; n++) {
      sofa_mat3_apply_t(inverse, g + 3 * n, bar->h[q][n]);
      for (int i = 0; i < 3; i++) bar->b[n][i] += w * bar->j[q] * bar->h[q][n][i];
    }
    sum += w * bar->j[q];
    bar->volume += w;
  }
  bar->mean = sum / bar->volume;
  for (size_t n = 0; n < b->n_nodes; n++)
    for (int i = 0; i < 3; i++) bar->b[n][i] /= sum;
  return true;
}

/* Of a point: the response at s F, and what it makes of F. */
typedef struct Point {
  double f[9], c[6], g[3 * NODES]; /* of F itself */
  double s, trace;                 /* T */
  double d[NODES][3], t[NODES][3];
  double tangent[36];
  SofaPointResult r;
} Point;

static bool point_of(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                     const Bar *bar, bool with_tangent, Point *p) {
  SofaDeformation x;
  const double *s6 = p->r.s;
  p->r = (SofaPointResult){.d = with_tangent ? p->tangent : NULL};
  p->s = scale_of(bar->mean, bar->j[at.point]);
  sofa_solid_kept(b, at.element, at.point, p->f);
  for (int k = 0; k < 9; k++) x.f[k] = p->s * p->f[k];
  if (!sofa_solid_evaluate(b, law, at, &x, &p->r)) return false;
  for (int k = 0; k < 6; k++) p->c[k] = x.c[k] / (p->s * p->s);
  p->trace = p->c[0] * s6[0] + p->c[1] * s6[1] + p->c[2] * s6[2] +
             2 * (p->c[3] * s6[3] + p->c[4] * s6[4] + p->c[5] * s6[5]);
  sofa_solid_gradients(b, at.element, at.point, p->g);
  for (size_t n = 0; n < b->n_nodes; n++) {
    double traction[3];
    sofa_stress_apply(s6, p->g + 3 * n, traction);
    sofa_mat3_apply(p->f, traction, p->t[n]);
    sofa_vec3_sub(bar->b[n], bar->h[at.point][n], p->d[n]);
  }
  return true;
}

/* ---- forces ---- */

bool sofa_bar_force(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e, double *force) {
  Bar bar;
  Point p;
  sofa_zero(force, 3 * b->n_nodes * sizeof *force);
  if (!bar_of(b, e, &bar)) return false;
  for (size_t q = 0; q < b->n_gauss; q++) {
    if (!point_of(b, law, (SofaSolidPlace){e, q}, &bar, false, &p)) return false;
    const double w = sofa_solid_weight(b, e, q) * p.s * p.s;
    for (size_t n = 1; n < b->n_nodes; n++) {
      for (size_t i = 0; i < 3; i++) {
        // the sum over all nodes is 0
        const double part = w * (p.t[n][i] + p.trace / 3 * p.d[n][i]);
        force[3 * n + i] -= part;
        force[i] += part;
      }
    }
  }
  return true;
}

/* ---- stiffness blocks ---- */

/* M_n and D M_n of all nodes. */
typedef struct Moves {
  double strain[NODES][6][3], stress[NODES][6][3];
} Moves;

static void moves_of(const SofaSolidBatch *b, const Point *p, Moves *m) {
  const double s2 = p->s * p->s;
  for (size_t n = 0; n < b->n_nodes; n++) {
    sofa_strain_of_move(p->f, p->g + 3 * n, m->strain[n]);
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 3; i++)
        m->strain[n][k][i] =
            s2 * (m->strain[n][k][i] + (k < 3 ? 1. : 2.) / 3 * p->c[k] * p->d[n][i]);
    sofa_tangent_apply(p->r.d, m->strain[n], m->stress[n]);
  }
}

/* Adds - w times what a point has in K_nm. */
static void add_point(const Point *p, const Moves *m, const double (*h)[3], const size_t pair[2],
                      double w, double *to) {
  const size_t n = pair[0], o = pair[1];
  const double s2 = p->s * p->s;
  double traction[3];
  sofa_stress_apply(p->r.s, p->g + 3 * n, traction);
  const double geometric = sofa_vec3_dot(p->g + 3 * o, traction);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = s2 * ((i == j ? geometric : 0) +
                         2. / 3 * (p->t[n][i] * p->d[o][j] + p->d[n][i] * p->t[o][j]) +
                         2. / 9 * p->trace * p->d[n][i] * p->d[o][j]) +
                   s2 * p->trace / 3 * h[o][i] * h[n][j];
      for (int k = 0; k < 6; k++) sum += m->strain[n][k][i] * m->stress[o][k][j];
      to[3 * i + j] -= w * sum;
    }
  }
}

/* Adds the part of the element's mean to the blocks. */
static void add_mean(const SofaSolidBatch *b, size_t e, const Bar *bar, double c, double *to) {
  for (size_t n = 0; n < b->n_nodes; n++) {
    for (size_t o = n; o < b->n_nodes; o++, to += 9) {
      for (size_t k = 0; k < 9; k++) {
        const size_t i = k / 3, j = k % 3;
        double turn = 0;
        for (size_t q = 0; q < b->n_gauss; q++) {
          const double(*h)[3] = bar->h[q];
          turn += sofa_solid_weight(b, e, q) * bar->j[q] * (h[n][i] * h[o][j] - h[o][i] * h[n][j]);
        }
        to[k] -= c * (turn / (bar->volume * bar->mean) - bar->b[n][i] * bar->b[o][j]);
      }
    }
  }
}

bool sofa_bar_blocks(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e, double *blocks) {
  Bar bar;
  Point p;
  Moves moves;
  double c = 0;
  sofa_zero(blocks, 9 * (size_t)b->n_pairs * sizeof *blocks);
  if (!bar_of(b, e, &bar)) return false;
  for (size_t q = 0; q < b->n_gauss; q++) {
    const double w = sofa_solid_weight(b, e, q);
    double *to = blocks;
    if (!point_of(b, law, (SofaSolidPlace){e, q}, &bar, true, &p)) return false;
    moves_of(b, &p, &moves);
    c += w * p.s * p.s * p.trace / 3;
    for (size_t n = 0; n < b->n_nodes; n++)
      for (size_t o = n; o < b->n_nodes; o++, to += 9)
        add_point(&p, &moves, (const double(*)[3])bar.h[q], (size_t[]){n, o}, w, to);
  }
  add_mean(b, e, &bar, c, blocks);
  return true;
}
