/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A straight elastic beam between two frames, apart from any component: strains are small,
 * rotations may be large.
 *
 * At rest the frames turned by two constant rotations both are the beam's frame, x along it. With
 * their orientations R_a, R_b now, theta the rotation vector of R_a^T R_b, M = R_a exp(theta / 2)
 * the mean frame and n = M^T (x_b - x_a) / l the direction of the chord of length l in it, the
 * energy is
 *   W = 1/2 (EA/L (l - L)^2 + s_y n_y^2 + s_z n_z^2 + sum_i t_i theta_i^2),
 *   s_y = 12 E Iz / (L (1 + phi_y)), phi_y = 12 E Iz / (G A_y L^2), y and z exchanged for s_z,
 *   t = (G J, E Iy, E Iz) / L,
 * that of Przemieniecki (Theory of Matrix Structural Analysis, 1968, 5.6) for ends that turn by
 * +- theta / 2 and -n against the chord.
 *
 * A geometrically exact beam has the strains of Reissner and Simo at its middle instead: stretch
 * and shear Gamma = l n / L - (1, 0, 0), curvature theta / L, the constant one between rotations
 * that are interpolated from M (M. A. Crisfield, G. Jelenic, Proc. R. Soc. A 455, 1999), and W =
 * L/2 (EA Gamma_x^2 + G A_y Gamma_y^2 + G A_z Gamma_z^2 + sum_i t_i theta_i^2 / L). They may be
 * large. Forces and tangents are the exact derivatives of W. */
#ifndef SOFA_NUMERICS_FEM_BEAM_ELEMENT_H
#define SOFA_NUMERICS_FEM_BEAM_ELEMENT_H

#include <stdbool.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

typedef struct SofaBeam {
  double length;            /* m */
  double axial;             /* EA / L, N/m */
  double shear[3], turn[3]; /* (0, s_y, s_z) and t, N m */
  bool exact;
  double stretch[3]; /* of an exact beam: (EA, G A_y, G A_z) / L, N/m */
  double rest_a[4],
      rest_b[4]; /* rotations from the frames of the ends to that of the beam at rest */
} SofaBeam;

/* Where a beam is, and its load there. */
typedef struct SofaBeamPose {
  double frame[4];                       /* M */
  double length, direction[3], theta[3]; /* l, n, theta */
  double load[12]; /* derivative of W: force and torque at a, then at b, in the mean frame */
} SofaBeamPose;

/* Section and material of a beam. */
typedef struct SofaBeamSection {
  double young, shear;     /* moduli, Pa */
  double area, iy, iz, j;  /* m^2, m^4 */
  double shear_y, shear_z; /* areas, m^2; 0: rigid in shear */
} SofaBeamSection;

/* a, b: poses at rest, 7 reals each. false: the beam has no length. y of the beam's frame is that
 * of a, turned with x the shortest way. */
bool sofa_beam_make(const SofaBeamSection *section, const double *a, const double *b,
                    SofaBeam *out);
/* The same for a geometrically exact beam; the section has both shear areas. */
bool sofa_beam_make_exact(const SofaBeamSection *section, const double *a, const double *b,
                          SofaBeam *out);
void sofa_beam_pose(const SofaBeam *beam, const double *a, const double *b, SofaBeamPose *out);
double sofa_beam_energy(const SofaBeam *beam, const SofaBeamPose *pose);
/* Derivative of W by the positions and rotations of the ends in the world, 12. */
void sofa_beam_gradient(const SofaBeamPose *pose, double *g);
/* Second derivative of W along rotation vectors of the ends, 12 x 12 and symmetric. */
void sofa_beam_hessian(const SofaBeam *beam, const SofaBeamPose *pose, double *k);
/* f = K u of the straight beam in its frame, 12; not of an exact one. */
void sofa_beam_product(const SofaBeam *beam, const double *u, double *f);

SOFA_END_DECLS

#endif
