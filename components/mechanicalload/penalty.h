/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of penalty loads: a law gives the force on each point by its place and velocity alone.
 * Plane, sphere, ellipsoid and cone are laws (penalty_kernels.h); everything else is shared. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_H
#define SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_H

#include "change/topology_change.h"
#include "components/mechanicalload/load.h"
#include "components/mechanicalload/penalty_kernels.h"

typedef struct Penalty Penalty;

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

struct Penalty {
  SofaForceField force_field;
  double stiffness, damping;
  SofaInts range; /* localRange; empty: all points */
  bool bilateral; /* acts on both sides */
  SofaColor color;
  SofaReals contacts;                                      /* not used */
  PenaltyLaw law;                                          /* set by the class's init */
  void (*describe)(const Penalty *p, PenaltyTerms *terms); /* what the law needs of the class */
  const SofaApproximation *left_out;                       /* of the derivatives; NULL: nothing */
  double (*law_energy)(const Penalty *p, const double *x); /* may be NULL */
  double beyond;                                           /* as of PenaltyTerms */
  unsigned dims;
  SofaPointNumbers named; /* what range calls the points */
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
