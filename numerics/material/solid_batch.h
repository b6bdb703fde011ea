/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic elements with any number of quadrature points, apart from any component.
 *
 * At a quadrature point with gradients g_n of the shape functions at rest and the volume w (weight
 * times measure), F = sum x_n g_n^T, f_n = - w P g_n with P = dW/dF, and dF/dx has the blocks
 * - w K_nm. With subscripts for derivatives of W(I1, I2, L), y_n = F g_n and h_n = F^-T g_n the
 * formulas of isotropic_materials.c become, for the two forms of W that are supported,
 *   STRAIN  P = c0 F + c1 F C,    K_nm = (c0 g_n . g_m + c1 y_n . y_m) I + c2 y_n y_m^T
 *                                        + c1 (g_n . g_m F F^T + y_m y_n^T),
 *           c0 = 2 (W_1 + I1 W_2), c1 = -2 W_2, c2 = 4 (W_11 + W_2);
 *   SPLIT   P = c0 F + c1 F^-T,   K_nm = c0 g_n . g_m I + c2 h_n h_m^T - c1 h_m h_n^T,
 *           c0 = 2 W_1, c1 = W_L, c2 = W_LL
 * (Bonet, Wood: Nonlinear Continuum Mechanics for Finite Element Analysis, 2008, chapters 6 and 9).
 * With fewer modes of the dilatation than points, the part U(J) of W becomes U(J~), where J~ is the
 * projection of J on functions m_a of the element: j_a = sum w m_a J, J~ = sum j_a m_a, orthonormal
 * by sum w m_a m_b. The pressure is projected, too: p_a = sum w m_a U'(J~), and U' in P becomes
 * sum p_a m_a (Simo, Taylor, Pister 1985, with the pressure eliminated). The energy remains a
 * function of x, the tangent symmetric: it gets the blocks - sum H_ab B_an B_bm^T with
 * B_an = sum w m_a J h_n, H_ab = sum w m_a m_b U''(J~).
 * A continuous dilatation (Tetrahedron10) has a value per corner of the mesh: with N_a linear in
 * the elements, 1 at corner a and 0 at the others, and sums over the points of all elements,
 *   m_a = sum w N_a, J_a = sum w N_a J / m_a, energy sum m_a U(J_a) instead of sum w U(J),
 *   p_a = U'(J_a), U' in P becomes p~ = sum p_a N_a,
 *   B_an = sum w N_a J h_n, dF/dx gets - sum U''(J_a) / m_a B_an B_am^T.
 * For small strains this is the element of displacements of second order and pressures of first
 * order (Taylor, Hood 1973; it is stable, Boffi 1997 in space), where sum p_a m_a q_a, in place of
 * int p q dV, weighs the compressibility: the stationary p has a value at each corner that depends
 * on the displacements around it alone and is eliminated. The lumped product is not less than the
 * exact one, at most 5 times as great, so that the constant of stability stays. The energy is a
 * function of x, the tangent exact and symmetric; it couples the points around a corner.
 * Elements are stored in groups of SOFA_LANES. The same entries of all elements of a group are
 * adjacent. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_BATCH_H
#define SOFA_NUMERICS_MATERIAL_SOLID_BATCH_H

#include "behavior/force_field.h"
#include "numerics/fem/corner_stars.h"
#include "numerics/fem/element_mesh.h"
#include "numerics/fem/element_sums.h"
#include "numerics/fem/late_blocks.h"
#include "numerics/fem/linear_fem.h"
#include "numerics/fem/pair_product.h"
#include "numerics/material/material.h"
#include "numerics/material/point_law.h"

SOFA_BEGIN_DECLS

enum { SOFA_SOLID_MAX_GAUSS = 27, SOFA_SOLID_MAX_MODES = 4 };

/* A material with its parameters, or a law of points, whose `material` says where it is defined. */
typedef struct SofaSolidLaw {
  const SofaHyperMaterial *material;
  double p[SOFA_HYPER_MAX_PARAMETERS];
  SofaPointLaw point; /* NULL: the energy of the material */
  const void *user;   /* parameters of point, borrowed from the object with the law */
  size_t n_history;   /* numbers of a point, at most SOFA_POINT_MAX_HISTORY */
  size_t n_data;      /* elements that the law has values for; 0 or 1: the same for all */
  double dt, time;    /* see SofaPointArgs; set by the caller */
} SofaSolidLaw;

/* Of a continuous dilatation; stars.n is 0 for others. */
typedef struct SofaCornerDilatation {
  SofaCornerStars stars;       /* its pairs are those of the batch, which has the memory then */
  double *measure;             /* m_a, m^3 */
  double *mean;                /* J_a since the last force */
  double *pressure, *modulus;  /* p_a, - U''(J_a) / m_a */
  double *other;               /* J_a at the positions of an energy or of an output */
  double (*share)[SOFA_LANES]; /* n_groups x 4: parts of an element in m_a J_a */
  double (*slope)[SOFA_LANES]; /* n_groups x 4 x 3 n_nodes: the same in B_an */
  double *row;                 /* n_places x 3: B_an */
} SofaCornerDilatation;

/* Elements of one shape. All arrays are owned. All-zero: empty. */
typedef struct SofaSolidBatch {
  SofaShape shape;
  unsigned n_nodes, n_gauss; /* of an element */
  unsigned n_pairs;          /* local pairs (a, b), a <= b, ordered by a, then b */
  size_t n, n_groups, n_points;
  uint32_t (*v)[SOFA_LANES];      /* n_groups x n_nodes; lanes beyond the last element repeat it */
  double (*gradient)[SOFA_LANES]; /* n_groups x n_gauss x 3 n_nodes, 1/m */
  double (*volume)[SOFA_LANES];   /* n_groups x n_gauss, m^3, positive; 0 beyond the last */
  unsigned n_modes;               /* of the dilatation; 0: J at each point is its own */
  double (*mode)[SOFA_LANES];     /* n_groups x n_gauss x n_modes: m_a; 0 beyond the last */
  SofaCornerDilatation corners;   /* n_modes is 4 then, and m_a is N_a */
  bool bar;                       /* the law takes F with the mean dilatation: solid_bar.c */
  double (*f)[SOFA_LANES];        /* n_groups x n_gauss x 9: F since the last force */
  SofaElementSums sums;           /* of forces */
  SofaElementPairs pairs;
  SofaLateBlocks late;     /* of blocks, for several threads */
  SofaPairProduct product; /* of pairs, for several threads */
  double *blocks;          /* 9 per pair: dF/dx */
  /* of laws of points, see solid_points.h; NULL for others */
  double *work, *history; /* history: n x n_gauss x that of a point, accepted */
  size_t n_history;       /* numbers in all */
  double dissipated;      /* by accepted steps, J */
  double dt, time;        /* of the last force */
} SofaSolidBatch;

/* Can the law be used with a dilatation that is not full? */
static inline bool sofa_solid_law_dilates(const SofaSolidLaw *law) {
  return law->material->form == SOFA_HYPER_SPLIT && law->material->dilatation != NULL;
}

/* Can it be used with a continuous one? */
static inline bool sofa_solid_law_mixes(const SofaSolidLaw *law) {
  return !law->point && law->material->dilatation != NULL;
}

/* Can the law take the deformation gradient with the mean change of volume (SOFA_DILATATION_BAR)?
 */
static inline bool sofa_solid_law_takes_bar(const SofaSolidLaw *law) {
  return law->point || law->material->stress;
}

/* Solid elements of a mesh in three dimensions, with SOFA_RULE_FULL (or SOFA_RULE_REDUCED where the
 * mesh says so). A degenerate one is an error of `object`, inverted ones are computed as if
 * positive. */
SofaErr sofa_solid_batch_create(const SofaObject *object, const SofaElementMesh *mesh, int threads,
                                SofaSolidBatch *out);
void sofa_solid_batch_free(SofaContext *ctx, SofaSolidBatch *batch);
/* Volume at rest, m^3. */
double sofa_solid_batch_volume(const SofaSolidBatch *batch);
double sofa_solid_batch_volume_of(const SofaSolidBatch *batch, size_t element);

/* Each returns the first element with a point where the material is not defined, or batch->n.
 * Results do not depend on the threads. */
/* f += forces at x; keeps the deformation gradients. */
size_t sofa_solid_batch_force(const SofaContext *ctx, SofaSolidBatch *batch,
                              const SofaSolidLaw *law, const double *x, double *f);
/* batch->blocks = dF/dx at the deformation gradients kept. */
size_t sofa_solid_batch_blocks(const SofaContext *ctx, SofaSolidBatch *batch,
                               const SofaSolidLaw *law);
/* Sum of W, J. */
size_t sofa_solid_batch_energy(const SofaSolidBatch *batch, const SofaSolidLaw *law,
                               const double *x, double *energy);
/* The least det F at the deformation gradients kept of an element. */
double sofa_solid_batch_least_det(const SofaSolidBatch *batch, size_t element);

SOFA_END_DECLS

#endif
