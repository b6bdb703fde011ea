/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear springs between points, apart from any component.
 *
 * With u = (x2 - x1) / d, d = |x2 - x1|: t = ks (d - L) + kd u . (v2 - v1), f1 += t u, f2 -= t u.
 * Tangents of f1: T = (ks - t / d) u u^T + (t / d) I by x2 - x1, the damping part of t included
 * (without kd u (v2 - v1)^T (I - u u^T) / d, which is not symmetric), kd u u^T by v2 - v1. Nothing
 * acts in a disabled spring, below the length
 * `shortest`, or when a spring that only pulls is slack or one that only pushes is stretched. */
#ifndef SOFA_SPRING_SET_H
#define SOFA_SPRING_SET_H

#include "behavior/draw_state.h"
#include "behavior/force_field.h"
#include "numerics/fem/edge_assembly.h"
#include "numerics/fem/element_sums.h"
#include "numerics/fem/spring_kernels.h"

typedef struct SofaSprings {
  SofaSpring *data;
  size_t n, capacity;
} SofaSprings;

/* Layout of the states the springs act on. */
typedef struct SofaSpringSpace {
  unsigned space; /* reals of a point in space, at most 6 */
  unsigned coord, deriv;
  double shortest;                  /* m: shorter springs have no direction and do not act */
  const SofaSpringKernels *kernels; /* where all three are 3, else NULL */
  const SofaElementSums *sums;      /* for several threads; NULL: one adds */
  SofaEdgeAssembly **edges;         /* of springs of one state, made by the first assembly; NULL:
                                       it adds spring by spring */
  SofaContext *ctx;
} SofaSpringSpace;
/* Of the state of an object, without sums and edges. shortest: 1e-9 m. */
SofaSpringSpace sofa_spring_space(const SofaState *state);

/* Quirks of the classes that list their rows. */
enum { QUIRK_SPRINGS_WITHOUT_MATRIX = 1 << 22, QUIRK_SPRING_DAMPING_MATRIX = 1 << 23 };
#define QUIRK_SPRINGS_WITHOUT_MATRIX_ROW                                                           \
  {                                                                                                \
    QUIRK_SPRINGS_WITHOUT_MATRIX, "springs-without-matrix",                                        \
        "JointSpring-, GearSpring- and VectorSpringForceField assemble no stiffness",              \
        "test_spring_kinds.quirks_leave_matrices_incomplete"                                       \
  }

#define QUIRK_SPRING_DAMPING_MATRIX_ROW                                                            \
  {                                                                                                \
    QUIRK_SPRING_DAMPING_MATRIX, "spring-damping-matrix",                                          \
        "damping of springs and joints has no derivative in the matrices of implicit solvers",     \
        "test_dampers.quirk_leaves_the_derivative_out"                                             \
  }

static inline bool sofa_spring_damps_late(const SofaForceField *ff) {
  return sofa_quirk(&ff->object, QUIRK_SPRING_DAMPING_MATRIX);
}
static inline SofaSpringFactors sofa_spring_factors(const SofaForceField *ff,
                                                    const SofaMechParams *params) {
  return (SofaSpringFactors){sofa_kfactor(ff, params), sofa_spring_damps_late(ff) ? 0 : params->b,
                             params->descends};
}

/* Reals that are kept of n springs: of each group of SOFA_LANES a row of as many for ks - t / d,
 * t / d and the entries of u, all 0 where nothing acts. */
static inline size_t sofa_spring_kept(size_t n, SofaSpringSpace space) {
  // and some in front: they begin with a line of the cache
  return (n + SOFA_LANES - 1) / SOFA_LANES * SOFA_LANES * ((size_t)space.space + 2) + SOFA_LANES;
}

/* n pairs of points of three reals, the numbers of a pair `stride` behind those of the one before.
 */
typedef struct SofaSpringPairs {
  const uint32_t *ends;
  size_t stride, n;
} SofaSpringPairs;
/* Sums for several threads of vectors between points of two states, which may be one; all zero
 * where one adds. What is in *sums is freed. */
SofaErr sofa_spring_pair_sums(const SofaSpringPairs *pairs, SofaState *const states[2],
                              SofaElementSums *sums);

/* Sums for several threads, made anew where springs or the sizes of the states have changed; all
 * zero for springs that have no kernels. states: of the two ends, which may be one. What is in
 * *sums is freed. */
SofaErr sofa_spring_sums_make(const SofaSprings *springs, SofaSpringSpace space,
                              SofaState *const states[2], SofaElementSums *sums);

/* Adds the forces; kept: sofa_spring_kept, for what is below. */
void sofa_springs_force(const SofaSprings *springs, SofaSpringSpace space, const SofaPoint *at,
                        double *const *f, double *kept);
/* The same of springs of polynomial tension between points of three reals. */
void sofa_springs_tension(const SofaSprings *springs, SofaSpringSpace space,
                          const SofaTension *tension, const double *const *x, double *const *f,
                          double *kept);
/* df1 += (k T + b kd u u^T) (dx2 - dx1), df2 -= the same; descends: the nearest T without negative
 * eigenvalues, which those across compressed springs are. */
void sofa_springs_dforce(const SofaSprings *springs, SofaSpringSpace space, SofaSpringFactors by,
                         const double *const *dx, double *const *df, const double *kept);
/* T, and kd u u^T; only: the state of both ends, which is state 0 of the tangent, NULL: there are
 * two. */
SofaErr sofa_springs_add_k(const SofaSprings *springs, SofaSpringSpace space, const SofaState *only,
                           bool descends, const SofaTangent *tangent, const double *kept);
SofaErr sofa_springs_add_b(const SofaSprings *springs, SofaSpringSpace space, const SofaState *only,
                           const SofaTangent *tangent, const double *kept);
/* The state of both ends, or NULL. */
static inline const SofaState *sofa_springs_only_state(const SofaForceField *ff) {
  return ff->state[0] == ff->state[1] ? ff->state[0] : NULL;
}
/* Sum of ks (d - L)^2 / 2 over the springs that act, J; *idle: over the others (SOFA counts them).
 */
double sofa_springs_energy(const SofaSprings *springs, SofaSpringSpace space,
                           const double *const *x, double *idle);
/* Lines: green at rest length, towards red when longer, towards blue when shorter. mode 0: lines of
 * a pixel; 1: tubes of radius size, m; 2: arrows. */
/* One spring as its mode says: 0 a line, 1 a tube, 2 an arrow of radius `size`. */
void sofa_spring_draw(SofaDrawList *list, const double *a, const double *b, int mode, double size,
                      SofaRgba color);
void sofa_springs_draw(const SofaSprings *springs, const SofaState *const state[2], int mode,
                       double size, SofaDrawList *list);
/* Distance of two points in the rest positions (positions when there are none), m. */
double sofa_springs_rest_length(const SofaState *state, SofaSpringSpace space, uint32_t a,
                                uint32_t b);

/* Refuses an end of a spring that is no point of its state. end: 0 of object1, 1 of object2. */
SofaErr sofa_spring_check_end(const SofaForceField *ff, const char *field, size_t spring, int end,
                              uint32_t point);
/* Refuses what is not a number >= 0; with keep_going a warning names the first and it stays. */
SofaErr sofa_spring_check_values(const SofaObject *object, const char *field, const double *values,
                                 size_t n);
/* Entry k of a list, else its first one, else `none`. */
static inline double sofa_spring_entry(const SofaReals *list, size_t k, double none) {
  return list->n ? list->data[k < list->n ? k : 0] : none;
}

#endif
