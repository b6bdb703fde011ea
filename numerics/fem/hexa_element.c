/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stiffness of trilinear hexahedra. */
#include "numerics/fem/hexa_element.h"

#include <float.h>
#include <string.h>
#include "numerics/fem/finite_element.h"
#include "math/vec.h"

static bool is_parallelepiped(const double *p) {
  double lx[3], lz[3], ly2[3];
  sofa_vec3_sub(p + 3, p, lx);
  sofa_vec3_sub(p + 12, p, lz);
  // node 2 against node 3 displaced along x
  sofa_vec3_add(p + 9, lx, ly2);
  if (!(sofa_vec3_distance(ly2, p + 6) < 0.001 * sofa_vec3_norm(lx))) return false;
  // the upper face against the lower one displaced along z
  for (int n = 0; n < 4; n++) {
    double upper[3];
    sofa_vec3_add(p + 3 * n, lz, upper);
    if (!(sofa_vec3_distance(upper, p + 12 + 3 * n) < 0.001 * sofa_vec3_norm(lz))) return false;
  }
  return true;
}

bool sofa_hexa_straighten(const double *p, double *out) {
  static const int ends[3] = {1, 3, 4};
  static const double steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  if (!is_parallelepiped(p)) return false;
  for (int n = 0; n < 8; n++) {
    for (int i = 0; i < 3; i++) {
      out[3 * n + i] = 0;
      for (int d = 0; d < 3; d++) out[3 * n + i] += steps[n][d] * (p[3 * ends[d] + i] - p[i]);
    }
  }
  return true;
}

void sofa_hexa_stiffness(const double *p, double lambda, double mu, double *k, double *det_min) {
  SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(SOFA_SHAPE_HEXA, SOFA_RULE_STIFFNESS, q);
  double smallest = DBL_MAX;
  memset(k, 0, 576 * sizeof *k);
  for (size_t i = 0; i < n_points; i++) {
    double n[8], d[8][3], g[24];
    sofa_shape_functions(SOFA_SHAPE_HEXA, q[i].xi, n, d);
    const double det = sofa_shape_gradients(SOFA_SHAPE_HEXA, 3, p, d, g);
    if (!(fabs(det) > 0)) {
      smallest = 0;
      continue;
    }
    sofa_add_isotropic_stiffness(8, 3, g, lambda * det, mu * det, k);
    smallest = det < smallest ? det : smallest;
  }
  sofa_mirror_blocks(8, 3, k);
  if (det_min) *det_min = smallest;
}

/* An isotropic box: the inverse of its Jacobian, which is diagonal, and its material. */
typedef struct Box {
  double j[3];
  double lambda, mu;
} Box;

/* Entry (c, d) of the block of nodes with signs s and t. */
static double box_entry(const Box *box, const double *s, const double *t, int c, int d) {
  const double *j = box->j, lambda = box->lambda, mu = box->mu;
  const int e = (c + 1) % 3, f = (c + 2) % 3;
  double a[3], p[3];
  for (int k = 0; k < 3; k++) {
    a[k] = s[k] * t[k];
    p[k] = 1 + a[k] / 3;
  }
  if (c == d)
    return j[c] * j[c] / 8 *
           ((lambda + 2 * mu) * a[c] * p[e] * p[f] +
            mu * (a[e] * p[c] * p[f] + a[f] * p[c] * p[e]));
  return j[c] * j[d] / 8 * p[3 - c - d] * (lambda * s[c] * t[d] + mu * s[d] * t[c]);
}

void sofa_hexa_stiffness_box(const double *p, double lambda, double mu, double *k) {
  static const double sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  Box box = {.lambda = lambda, .mu = mu};
  for (int c = 0; c < 3; c++) box.j[c] = 2 / (p[18 + c] - p[c]);
  const double volume = sofa_vec3_distance(p, p + 3) * sofa_vec3_distance(p, p + 9) *
                        sofa_vec3_distance(p, p + 12) / 8;
  for (int a = 0; a < 8; a++) {
    for (int b = a; b < 8; b++) {
      for (int c = 0; c < 3; c++) {
        for (int d = 0; d < 3; d++) {
          k[24 * (3 * a + c) + 3 * b + d] = volume * box_entry(&box, sign[a], sign[b], c, d);
        }
      }
    }
  }
  sofa_mirror_blocks(8, 3, k);
}
