/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of penalty loads: a law gives the force on each point by its place and velocity alone.
 * Plane, sphere, ellipsoid and cone are laws; everything else is shared. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_H
#define SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_H

#include "change/topology_change.h"
#include "components/mechanicalload/load.h"

typedef struct Penalty Penalty;
/* For one point at x with velocity v (dims reals each): false when no force acts; else adds it to f
 * and sets two blocks (dims x dims, row major, zero on entry): dF/dx, without what the damping has
 * of it, and behind it dF/dv. */
typedef bool (*PenaltyLaw)(const Penalty *p, const double *x, const double *v, double *f,
                           double *blocks);

/* Quirk of the classes that list its row. */
enum { QUIRK_LOAD_DAMPING_MATRIX = 1 << 23 };
#define QUIRK_LOAD_DAMPING_MATRIX_ROW                                                              \
  {                                                                                                \
    QUIRK_LOAD_DAMPING_MATRIX, "load-damping-matrix",                                              \
        "damping of penalty loads has no derivative in the matrices of implicit solvers",          \
        "test_dampers.quirk_leaves_the_derivative_out"                                             \
  }
static inline double penalty_bfactor(const SofaForceField *ff, const SofaMechParams *params) {
  return sofa_quirk(&ff->object, QUIRK_LOAD_DAMPING_MATRIX) ? 0 : params->b;
}
/* c I, d x d. */
static inline void penalty_set_diagonal(unsigned d, double c, double *block) {
  for (unsigned i = 0; i < d; i++) block[i * d + i] = c;
}

struct Penalty {
  SofaForceField force_field;
  double stiffness, damping;
  SofaInts range; /* localRange; empty: all points */
  bool bilateral; /* acts on both sides */
  SofaColor color;
  SofaReals contacts;                                      /* not used */
  PenaltyLaw law;                                          /* set by the class's init */
  const SofaApproximation *left_out;                       /* of the law's blocks; NULL: nothing */
  double (*law_energy)(const Penalty *p, const double *x); /* may be NULL */
  double (*damping_factor)(const Penalty *p, double distance); /* F += factor * v */
  unsigned dims;
  SofaPointNumbers named; /* what range calls the points */
  SofaReals blocks;       /* 2 dims^2 + 1 per point: of the last add_force, zero without contact */
};

extern const SofaClass penalty_class; /* abstract: stiffness, damping */
extern const SofaForceFieldOps penalty_ops, penalty_energy_ops;

#define PENALTY_ROWS_RANGE(T)                                                                      \
  SOFA_FIELD(T, penalty.range, "localRange", "-1 -1", "",                                          \
             "first and last point it acts on; negative: no limit"),                               \
      SOFA_FIELD(T, penalty.bilateral, "bilateral", "0", "",                                       \
                 "hold points from both sides instead of keeping them on one")
#define PENALTY_ROW_COLOR(T, def)                                                                  \
  SOFA_FIELD(T, penalty.color, "color", def, "", "colour it is drawn with",                        \
             .flags = SOFA_FIELD_DISPLAY)
#define PENALTY_ROW_CONTACTS(T)                                                                    \
  SOFA_FIELD(T, penalty.contacts, "contacts", NULL, "",                                            \
             "contacts of the last evaluation; computed, never read",                              \
             .flags = SOFA_FIELD_NO_EFFECT)

/* 1/2 k distance^2 where the force acts: on the near side, or on both. */
double penalty_energy_at(const Penalty *p, double distance);

#endif
