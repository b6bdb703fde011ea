/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of hexahedra are functions of the mean edges m_k; w = sum_k G_k dm_k is the angular
 * velocity with which the frame turns. */
#include "components/mapping/hexa_pose.h"

#include "components/solidmechanics/fem/NonUniformHexahedronFEMForceFieldAndMass.h"
#include "math/polar.h"
#include "math/vec.h"

/* The functions below add nothing to g, which is 0, where an element has no frame. */

/* Axes e1 along m_0, e2 in the plane of m_0 and m_1:
 * w = e1 x dm_0 / |m_0| + e1 (e3 . dm_1 - a e3 . dm_0 / |m_0|) / b with m_1 = a e1 + b e2. */
static void spin_of_edges(const double *r, const double *m, double g[3][9]) {
  const double *e1 = r, *e3 = r + 6, length = sofa_vec3_dot(m, e1);
  const double a = sofa_vec3_dot(m + 3, e1), b = sofa_vec3_dot(m + 3, r + 3);
  double about[9];
  if (!(length > 0 && b > 0)) return;
  sofa_mat3_cross(e1, g[0]);
  sofa_mat3_scale(1 / length, g[0], g[0]);
  sofa_mat3_outer(e1, e3, about);
  sofa_mat3_axpy(-a / (length * b), about, g[0]);
  sofa_mat3_scale(1 / b, about, g[1]);
}

/* M = R S: dR = R [t]x with (tr S - S) t = axial vector of R^T dM - (R^T dM)^T, and w = -t. */
static void spin_of_polar(const double *r, const double *s, double g[3][9]) {
  double h[9], inverse[9], det;
  const double trace = sofa_mat3_trace(s);
  for (int i = 0; i < 9; i++) h[i] = (i % 4 == 0 ? trace : 0) - s[i];
  if (!sofa_mat3_inverse(h, inverse, &det)) return;
  for (int k = 0; k < 3; k++) {
    /* dM has the row k alone: R^T dM = (row k of R) dm^T with the axial vector dm x (row k) */
    double cross[9];
    sofa_mat3_cross(r + 3 * k, cross);
    sofa_mat3_mul(inverse, cross, g[k]);
  }
}

void sofa_hexa_pose(SofaFrame frame, HexaPose *pose) {
  double m[9], s[9], g[3][9] = {{0}};
  sofa_hexa_mean_edges(pose->x, m);
  sofa_element_frame(SOFA_SHAPE_HEXA, 3, frame, NULL, pose->x, pose->r);
  if (frame == SOFA_FRAME_EDGES) spin_of_edges(pose->r, m, g);
  else if (frame == SOFA_FRAME_POLAR_EDGES && sofa_polar(m, pose->r, s))
    spin_of_polar(pose->r, s, g);
  for (size_t c = 0; c < 8; c++)
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < 3; j++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++)
          sum += (nonuniform_steps[c][k] ? 0.25 : -0.25) * g[k][3 * i + j];
        pose->spin[24 * i + 3 * c + j] = sum;
      }
}
