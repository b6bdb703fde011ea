/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that all follow one curve within a time window. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_CURVE_MOTION_H
#define SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_CURVE_MOTION_H

#include "components/constraint/projective/indexed.h"

typedef struct CurveMotion CurveMotion;
struct CurveMotion {
  IndexedConstraint indexed;
  double begin, end; /* s */
  /* The place on the curve at time t, and the velocity there; set by the class's init. */
  void (*place)(const CurveMotion *motion, double t, double *x);
  void (*velocity)(const CurveMotion *motion, double t, double dt, double *v);
  bool first_only; /* quirk: all points but the first get the velocity 0 */
};

#define CURVE_MOTION_ROWS(T)                                                                       \
  SOFA_FIELD(T, motion.indexed.indices, "indices", NULL, "", "the moved points",                   \
             .flags = SOFA_FIELD_REINIT, .on_bad = SOFA_BAD_DROP,                                  \
             SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),                                                 \
      SOFA_FIELD(T, motion.begin, "BeginTime", "0", "s", "start of the movement"),                 \
      SOFA_FIELD(T, motion.end, "EndTime", "0", "s", "end of the movement")

extern const SofaProjectiveOps curve_motion_ops;

#endif
