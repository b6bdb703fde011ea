/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over triangles of springs, compiled once per instruction set. avx2 and avx512 give
 * the same bits; lanes do not see each other.
 *
 * Edge j of a triangle goes from vertex j + 1 to vertex j + 2, modulo 3. It has q = l - L, or
 * l^2 - L^2 (squares). With (j, k, l) cyclic, g_j = k_j q_j + gamma_l q_k + gamma_k q_l pulls its
 * ends together along e_j, the unit vector of the edge or (squares) the edge. A triangle whose area
 * A is below that at rest, A0, has the energy A0 S (A / A0 - 1)^4 / 4 besides. */
#ifndef SOFA_NUMERICS_FEM_MEMBRANE_KERNELS_H
#define SOFA_NUMERICS_FEM_MEMBRANE_KERNELS_H

#include "base/context.h"
#include "numerics/fem/element_sums.h"
#include "numerics/fem/lane_count.h"

SOFA_BEGIN_DECLS

/* Triangles side by side; lanes beyond the last triangle repeat it. */
typedef struct SofaMembraneGroup {
  uint32_t v[3][SOFA_LANES];
  double k[3][SOFA_LANES], gamma[3][SOFA_LANES];
  double rest[3][SOFA_LANES]; /* L or L^2 */
  double area[SOFA_LANES];    /* A0 */
  /* of the last force: e, g / l (squares: g), and of SOFA's lengths 1 / l */
  double e[3][3][SOFA_LANES], pull[3][SOFA_LANES], inverse[3][SOFA_LANES];
  /* where the triangle is compressed: its normal and area, the derivatives of the energy by the
   * area; elsewhere the last two are 0 */
  double normal[3][SOFA_LANES], area_now[SOFA_LANES], push[SOFA_LANES], stiffness[SOFA_LANES];
} SofaMembraneGroup;

typedef struct SofaMembraneLaw {
  bool squares;
  bool sofas;         /* blocks are SOFA's, which are not the derivatives; products are */
  double rate;        /* q grows by this times (v_end - v_start) . dp, of lengths / l */
  bool rate_per_size; /* of squares: by rate / l^2 instead */
  double compression; /* S; 0: triangles do not resist it */
} SofaMembraneLaw;

/* J = A / A0 of a triangle whose normal is not to be trusted. */
#define SOFA_MEMBRANE_FLAT 0.01

typedef struct SofaMembraneKernels {
  const char *name; /* as of SofaKernels */
  /* Gives the forces of n triangles at x, with v (NULL: at rest), and keeps what is of the last
   * force. normals: of the triangles, the last ones that they were not flat with. Returns the first
   * triangle that has flipped, n when none has. */
  size_t (*force)(const SofaMembraneLaw *law, SofaMembraneGroup *groups, size_t n,
                  const double *const xv[2], double (*normals)[3], SofaVectorsTo to);
  /* Gives factor times the change of the forces by dx, and rate times that by velocities dx, of
   * which q grows by e . (dx_end - dx_start). */
  void (*product)(const SofaMembraneLaw *law, const SofaMembraneGroup *groups, size_t n,
                  const double factor_rate[2], const double *dx, SofaVectorsTo to);
  /* Second derivatives of the triangles of a group: for edge j nine reals M, which adds
   * M (dx_k - dx_l) to vertex k and - M^T times it to vertex l. */
  void (*blocks)(const SofaMembraneLaw *law, const SofaMembraneGroup *group, double (*m)[3][9]);
} SofaMembraneKernels;

/* The kernels of the context's instruction set. */
const SofaMembraneKernels *sofa_membrane_kernels(const SofaContext *ctx);

/* Use sofa_membrane_kernels. The last two exist on x86-64 only. */
extern const SofaMembraneKernels sofa_membrane_kernels_baseline, sofa_membrane_kernels_avx2,
    sofa_membrane_kernels_avx512;

SOFA_END_DECLS

#endif
