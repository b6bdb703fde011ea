/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear corotational tetrahedra, apart from any component: rest data, forces, stiffness blocks.
 *
 * An element with nodes a, b, c, d has a frame R (rows are its axes: world to local). With q_n the
 * rest position of node n relative to a in the rest frame, and x_n the current one in the world,
 *   u_n = R^T q_n - x_n,  H = sum_n u_n w_n^T,  w_n = R^T h_n,  h_n = sqrt(V) grad N_n,
 *   s = lambda tr(H) I + mu (H + H^T),  f_n = s w_n,
 * which is f = R^T J Km J^T D of the 12 x 6 form (Mueller, Gross: Interactive Virtual Materials,
 * 2004), because an isotropic law commutes with rotations. The stiffness block of nodes n, m is
 *   K_nm = lambda w_n w_m^T + mu (w_m w_n^T + (w_n . w_m) I).
 * With R^T the polar factor of F = R^T S, H is -sqrt(V) (S - I) and commutes with S: the force is
 * then the derivative of the energy V (mu |S - I|^2 + lambda/2 tr^2(S - I)). The exact tangent has
 * the derivative of R, too: dR^T = [t]x R^T with (tr S - S) t = 2 axl(dF R), and the block is
 *   lambda w_n w_m^T + 2 mu (w_n . w_m) I - [w_n]x T [w_m]x,
 *   T = (lambda tr(S - I) - 2 mu) (tr S - S)^-1 in the world's axes: -mu I without strain.
 * Elements are stored in groups of SOFA_LANES. The same entries of all elements of a group are
 * adjacent. */
#ifndef SOFA_NUMERICS_FEM_TETRA_ELEMENT_H
#define SOFA_NUMERICS_FEM_TETRA_ELEMENT_H

#include "numerics/fem/element_batch.h"
#include "numerics/fem/element_sums.h"

SOFA_BEGIN_DECLS

typedef enum SofaTetraMethod {
  SOFA_TETRA_SMALL, /* R = identity */
  SOFA_TETRA_LARGE, /* R = frame(b - a, c - a) */
  SOFA_TETRA_POLAR, /* R = polar factor of the matrix with rows b - a, c - a, d - a */
  SOFA_TETRA_SVD,   /* polar; the closest rotation where the element is flat or inverted */
  /* the following have no frame at rest: theirs is the world's */
  SOFA_TETRA_DEFORMATION,        /* R^T = polar factor of the deformation gradient F */
  SOFA_TETRA_DEFORMATION_STABLE, /* R^T = the rotation closest to F */
  SOFA_TETRA_MOMENT,       /* R^T = polar factor of H = sum (x_n - centroid) (X_n - centroid)^T */
  SOFA_TETRA_MOMENT_STABLE /* R^T = the rotation closest to H */
} SofaTetraMethod;

typedef struct SofaTetraGroup {
  uint32_t v[4][SOFA_LANES]; /* points; lanes beyond the last element repeat it */
  double q[9][SOFA_LANES];   /* b - a, c - a, d - a at rest in the rest frame, m */
  double h[9][SOFA_LANES];   /* sqrt(V) grad N of b, c, d in the rest frame, m^(1/2) */
  double lambda[SOFA_LANES]; /* Lame parameters, Pa; 0 beyond the last element */
  double mu[SOFA_LANES];
  double scale[SOFA_LANES]; /* 1 / (6 sqrt(V)): from cross products of edges to h */
} SofaTetraGroup;

/* Rest frame and inverse of the rest edge matrix: for svd. Row major. */
typedef struct SofaTetraRest {
  double frame[9], inverse[9];
} SofaTetraRest;

/* A mesh of tetrahedra. All arrays are owned. */
typedef struct SofaTetraBatch {
  SofaTetraMethod method;
  bool update; /* h from the current shape at every force */
  size_t n, n_groups, n_points;
  uint32_t *vertices; /* n x 4 */
  SofaTetraGroup *groups;
  double (*gradient)[9][SOFA_LANES]; /* n_groups: w of b, c, d since the last force */
  double (*rotation)[9][SOFA_LANES]; /* n_groups: R since the last force */
  double (*turn)[6][SOFA_LANES];     /* n_groups: T since the last force, xx yy zz xy yz zx, Pa;
                                        NULL: the tangent leaves the derivative of R out */
  double (*arm)[9][SOFA_LANES];      /* n_groups: factors of the edges b, c, d; NULL before
                                        SOFA_TETRA_DEFORMATION */
  SofaTetraRest *rest;               /* n, for SOFA_TETRA_SVD; else NULL */
  bool several;                      /* forces and products are summed up on several threads */
  SofaElementSums sums;
  /* made when they are asked for */
  uint32_t *around_start, *around; /* elements around a point, see sofa_elements_around */
  SofaElementPairs pairs;          /* with parts */
  double (*packed)[4][4];          /* n: w of a, b, c, d; behind the first two: lambda, mu */
  bool stale;                      /* elements were removed since the lists were made */
} SofaTetraBatch;

/* What a batch is made of. */
typedef struct SofaTetraMesh {
  SofaTetraMethod method;
  bool update; /* as in the batch */
  bool exact;  /* the tangent has the derivative of R: SOFA_TETRA_DEFORMATION and _STABLE */
  const SofaTetra *tetras; /* with points below n_points */
  size_t n, n_points;
  const double *rest; /* positions of the points, n_points x 3, m */
} SofaTetraMesh;

/* Elements that are not right at rest. */
typedef struct SofaTetraFaults {
  size_t flat;                       /* the element without volume that made the batch fail */
  size_t n_inverted, first_inverted; /* elements of negative volume, and the first of them */
} SofaTetraFaults;

/* An element without volume gives SOFA_ERR_GEOMETRY; nothing is reported. Lame parameters are 0
 * until sofa_tetra_batch_material. threads > 1 makes the sums of several. */
SofaErr sofa_tetra_batch_create(SofaContext *ctx, const SofaTetraMesh *mesh, int threads,
                                SofaTetraBatch *out, SofaTetraFaults *faults);
void sofa_tetra_batch_free(SofaContext *ctx, SofaTetraBatch *batch);
void sofa_tetra_batch_material(SofaTetraBatch *batch, size_t element, double young, double poisson);

/* Removes one of several elements: the last one takes its place. */
void sofa_tetra_batch_remove(SofaTetraBatch *batch, size_t element);
/* Replaces point `from` by `to` in the listed elements. */
void sofa_tetra_batch_rename(SofaTetraBatch *batch, const uint32_t *elements, size_t n,
                             uint32_t from, uint32_t to);
/* After removals, before forces and products: the sums are made again. */
SofaErr sofa_tetra_batch_refresh(SofaContext *ctx, SofaTetraBatch *batch, size_t n_points);
/* Before the blocks of pairs, and before the elements around points are read: makes pairs and
 * packed, or around, unless they are there. The batch is not stale. */
SofaErr sofa_tetra_batch_pairs(SofaContext *ctx, SofaTetraBatch *batch);
SofaErr sofa_tetra_batch_around(SofaContext *ctx, SofaTetraBatch *batch);

/* One element out of a batch, for what is not hot: row major, in the element's frames. */
typedef struct SofaTetraOne {
  uint32_t v[4];
  double r[9];             /* frame since the last force */
  double q[4][3], h[4][3]; /* rest; h of a is minus the sum of the others */
  double w[4][3];          /* world, since the last force */
  double lambda, mu, scale;
} SofaTetraOne;
void sofa_tetra_one(const SofaTetraBatch *batch, size_t element, SofaTetraOne *out);

/* ---- single elements; p: 4 x 3 positions ---- */

/* Six times the signed volume. */
double sofa_tetra_volume6(const double *p);
/* The element's frame by a method (svd: the polar factor), at rest for those from
 * SOFA_TETRA_DEFORMATION on. */
void sofa_tetra_frame(SofaTetraMethod method, const double *p, double *r);
/* Frame of the svd method for current edges (rows b - a, c - a, d - a). true when the element is
 * flat or inverted and r was set to the closest rotation; false: the polar factor is right. */
bool sofa_tetra_svd_frame(const SofaTetraRest *rest, const double *edges, double *r);
/* Frame of the methods from SOFA_TETRA_DEFORMATION on: by decomposition of sum arm_n edge_n^T. */
void sofa_tetra_moment_frame(SofaTetraMethod method, const double *arms, const double *edges,
                             double *r);
/* Frame of an element of a batch at x (n_points x 3). */
void sofa_tetra_frame_at(const SofaTetraBatch *batch, size_t element, const double *x, double *r);
/* Vectors g_n (6 V grad N_n for positive elements) of a, b, c, d, 4 x 3. */
void sofa_tetra_gradients(const double *p, double *g);
/* The 12 x 6 matrix J of vectors g_n, with `shear` (4 x 3) in the shear columns; Voigt order
 * xx yy zz xy yz zx. */
void sofa_tetra_j(const double *normal, const double *shear, double *j);
/* Isotropic 6 x 6 law times `factor`. */
void sofa_tetra_law(double lambda, double mu, double factor, double *c);

/* 12 x 12 local stiffness J C J^T. */
void sofa_tetra_stiffness(const double *j, const double *c, double *k);

/* Lame parameters of an isotropic material. */
static inline void sofa_lame(double young, double poisson, double *lambda, double *mu) {
  *lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  *mu = young / (2 * (1 + poisson));
}

SOFA_END_DECLS

#endif
