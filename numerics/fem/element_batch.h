/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements with a dense stiffness matrix in a frame that turns with them, apart from any component.
 *
 * With R the element's frame (rows are its axes: world to local), q_n = R0 (X_n - centroid) at rest
 * and x_n the current position, f = R^T K (q - R x). K must have no forces in translations.
 *
 * This force leaves the derivative of R out and is not that of an energy. Of a batch that is exact
 * it is: the force is minus the gradient of W = 1/2 u . K u, u_n = p_n - q_n, p_n = R x_n, and the
 * tangent minus its second derivative. R^T is then the polar factor of M = sum x_n c_n^T = R^T S,
 * with constants c_n that sum up to 0. For displacements R^T xi_n, and with g = K u,
 *   dR^T = R^T [Q xi]x,  Q_n = G^-1 [c_n]x,  G = tr(S) I - S,  u' = xi + Pi Q xi,  Pi_n = [p_n]x,
 *   gradient: g_n - b x c_n,  b = G^-1 sum p_n x g_n,
 *   second derivative: K + Q^T W + W^T Q,
 *   W = Pi^T K + N + 1/2 (Pi^T K Pi + Z) Q,  N_n = [g_n]x + b c_n^T - (c_n . b) I,
 *   Z = symmetric part of G [b]x + sum [g_n]x [p_n]x - [S b]x.
 * The torque of the force is 0: sum p_n x (b x c_n) = G b.
 * Elements are stored in groups of SOFA_LANES. The same entries of all elements of a group are
 * adjacent. */
#ifndef SOFA_NUMERICS_FEM_ELEMENT_BATCH_H
#define SOFA_NUMERICS_FEM_ELEMENT_BATCH_H

#include "behavior/force_field.h"
#include "numerics/fem/element_mesh.h"
#include "numerics/fem/element_pairs.h"
#include "numerics/fem/element_sums.h"
#include "numerics/fem/lane_count.h"
#include "numerics/fem/late_blocks.h"
#include "numerics/fem/mirrored_kinds.h"
#include "numerics/fem/pair_window.h"

SOFA_BEGIN_DECLS

enum {
  SOFA_DENSE_ROWS = 3 * SOFA_SHAPE_MAX_NODES, /* degrees of freedom of an element */
  SOFA_ELEMENT_KINDS = 32,                    /* matrices that groups share, of a batch */
  /* entries of its packed blocks */
  SOFA_DENSE_MAX = 9 * (SOFA_SHAPE_MAX_NODES * (SOFA_SHAPE_MAX_NODES + 1) / 2)
};

typedef enum SofaFrame {
  SOFA_FRAME_FIXED, /* R = identity */
  SOFA_FRAME_EDGES, /* R = frame of two directions; hexahedra: the mean edges along xi and eta,
                       others: from node 0 to nodes 1 and 2. 3 dimensions. */
  SOFA_FRAME_POLAR_EDGES, /* hexahedra: R = polar factor of the matrix of the three mean edges */
  /* the following have no frame at rest: theirs is the world's */
  SOFA_FRAME_CENTER,  /* hexahedra: R^T = polar factor of the deformation gradient
                         sum x_n (grad N_n)^T at the center */
  SOFA_FRAME_MOMENT,  /* R^T = polar factor of H = sum (x_n - centroid) (X_n - centroid)^T */
  SOFA_FRAME_ROTATION /* R^T = the rotation closest to H */
} SofaFrame;

/* A mesh of elements of one shape. All arrays are owned. */
typedef struct SofaElementBatch {
  SofaShape shape;
  SofaFrame frame;
  unsigned dim;       /* of the space: 1, 2 or 3 */
  unsigned n_nodes;   /* of an element */
  unsigned n_pairs;   /* local pairs (a, b), a <= b, ordered by a, then b */
  bool turned_blocks; /* blocks are R K R^T instead of R^T K R */
  size_t n, n_groups, n_points;
  uint32_t *place;           /* n: the lane of each element, counted through all groups; NULL: its
                                number. All else is ordered by lanes. */
  uint32_t *vertices;        /* n x n_nodes */
  uint32_t (*v)[SOFA_LANES]; /* n_groups x n_nodes; lanes beyond the last element repeat it */
  double (*q)[SOFA_LANES];   /* n_groups x n_nodes dim: rest positions in the rest frame, m */
  /* of a fixed frame, n_points x dim each, m: rest positions, and those less the positions of the
   * last force */
  double *rest, *moves;
  double (*k)[SOFA_LANES];   /* n_groups x n_pairs dim^2: blocks K_ab, N/m; 0 beyond; those
                                of node 0, which products need not read, are the last */
  uint8_t *run;              /* n_groups: 0, or 1 + the axis of a run, see sofa_run_ends */
  uint8_t *kind;             /* n_groups: 0, or 1 + the kind that all its elements are of */
  double *kinds; /* SOFA_ELEMENT_KINDS x n_pairs dim^2: their K, packed as in a lane of k */
  size_t n_kinds;
  /* hexahedra whose kinds have the symmetry of a box, see mirrored_kinds.h */
  bool in_order; /* blocks are added element by element, in an order of pairs: most have it */
  bool mirrored[SOFA_ELEMENT_KINDS];
  uint8_t order[SOFA_MIRROR_PAIRS];
  double *mirror;                 /* SOFA_ELEMENT_KINDS x SOFA_MIRROR_SIZE */
  double *waves;                  /* SOFA_ELEMENT_KINDS x SOFA_MIRROR_WAVES */
  double (*rotation)[SOFA_LANES]; /* n_groups x dim^2: R since the last force */
  double (*arm)[SOFA_LANES];      /* SOFA_FRAME_CENTER: grad N_n, as q, 1/m; else NULL: q is */
  /* of exact batches, else NULL */
  double (*strained)[SOFA_LANES]; /* n_groups x 2 n_nodes dim: -u, then -K u since the last force */
  double (*turn)[SOFA_LANES];     /* n_groups x 6 n_nodes dim: rows of Q, then of W */
  bool turned;                    /* turn is of the last force */
  SofaElementSums sums;           /* of forces and products */
  SofaElementPairs pairs;
  /* for assembly: on one thread, or blocks and, in 3 dimensions, late ones for several */
  SofaPairWindow window;
  SofaLateBlocks late;
  double *blocks; /* pairs.n x dim^2 */
} SofaElementBatch;

/* The nodes of a hexahedron at the ends of its edges along an axis: the first ends, then the second
 * ones. The elements of a group are a run along the axis where each node of theirs has the point
 * behind that of the element before, and each second end the point behind that of the first. Other
 * points of theirs are apart. */
enum { SOFA_RUN_EDGES = 4, SOFA_RUN_AXES = 3 };
static const uint8_t sofa_run_ends[SOFA_RUN_AXES][2 * SOFA_RUN_EDGES] = {
    {0, 3, 4, 7, 1, 2, 5, 6}, {0, 1, 4, 5, 3, 2, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}};

/* The lane of an element. */
static inline size_t sofa_element_batch_lane(const SofaElementBatch *b, size_t element) {
  return b->place ? b->place[element] : element;
}

/* The block of a group's local pair. */
static inline double (*sofa_element_batch_block(const SofaElementBatch *b, size_t group,
                                                size_t pair))[SOFA_LANES] {
  const size_t first = b->n_nodes, place = pair < first ? b->n_pairs - first + pair : pair - first;
  return b->k + (group * b->n_pairs + place) * b->dim * b->dim;
}
/* Makes it exact: the frame is one from SOFA_FRAME_CENTER on, dim 3. */
SofaErr sofa_element_batch_make_exact(SofaContext *ctx, SofaElementBatch *batch);
/* Stiffness is 0 until sofa_element_batch_stiffness. threads > 1 makes the sums of several. */
SofaErr sofa_element_batch_create(SofaContext *ctx, const SofaElementMesh *mesh, SofaFrame frame,
                                  int threads, SofaElementBatch *out);
void sofa_element_batch_free(SofaContext *ctx, SofaElementBatch *batch);
/* Stores a local stiffness, (n_nodes dim)^2. */
void sofa_element_batch_stiffness(SofaElementBatch *batch, size_t element, const double *k);
/* After all stiffnesses: groups whose elements have equal ones, but for rounding (1e-12 of the
 * largest entry), get those of a kind. They need not be read from memory one by one. Elements
 * change their places with others nearby where this gives more such groups. */
SofaErr sofa_element_batch_compare(SofaContext *ctx, SofaElementBatch *batch);
/* Makes what depends on the places: pairs, sums, late blocks or the window. */
SofaErr sofa_element_batch_connect(SofaContext *ctx, SofaElementBatch *batch, int threads);
/* The late blocks alone. */
SofaErr sofa_element_batch_late(SofaContext *ctx, SofaElementBatch *batch, int threads);
/* The local stiffness of an element, (n_nodes dim)^2. */
void sofa_element_batch_matrix(const SofaElementBatch *batch, size_t element, double *k);
/* Rest positions of an element in its rest frame, n_nodes x dim. */
void sofa_element_batch_rest(const SofaElementBatch *batch, size_t element, double *q);
/* Elastic energy at x in the frames of x: sum of 1/2 D . K D with D = q - R x, J. */
double sofa_element_batch_energy(const SofaElementBatch *batch, const double *x);
double sofa_element_batch_energy_of(const SofaElementBatch *batch, size_t element, const double *x);

/* Frame of one element at p (n_nodes x dim). q: rest positions about the centroid, for
 * SOFA_FRAME_CENTER the gradients there (both n_nodes x dim); not read before it. */
void sofa_element_frame(SofaShape shape, unsigned dim, SofaFrame frame, const double *q,
                        const double *p, double *r);
/* Frame at rest. */
void sofa_element_rest_frame(SofaShape shape, unsigned dim, SofaFrame frame, const double *p,
                             double *r);
/* Rows: mean edges of a hexahedron along xi, eta and zeta. */
void sofa_hexa_mean_edges(const double *p, double *m);
/* R of a plane: the rotation closest to m (2 x 2), or with `reflect` its polar factor. */
void sofa_plane_rotation(const double *m, bool reflect, double *r);

/* ---- operations of a force field with a batch ---- */

SofaErr sofa_element_batch_add_force(const SofaForceField *ff, SofaElementBatch *batch,
                                     const SofaPoint *at, double *const *f);
SofaErr sofa_element_batch_add_dforce(const SofaForceField *ff, SofaElementBatch *batch,
                                      const SofaMechParams *params, const double *const *dx,
                                      double *const *df);
SofaErr sofa_element_batch_add_k(const SofaForceField *ff, SofaElementBatch *batch,
                                 const SofaTangent *tangent);

SOFA_END_DECLS

#endif
