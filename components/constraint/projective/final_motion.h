/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points brought linearly from their first place to a final one between two times, then held. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_FINAL_MOTION_H
#define SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_FINAL_MOTION_H

#include "components/constraint/projective/indexed.h"

typedef struct FinalMotion FinalMotion;
struct FinalMotion {
  IndexedConstraint indexed;
  SofaIndices mesh_indices;
  double begin, end; /* s */
  bool draw;
  SofaReals x0;    /* coords of the state at the first projection */
  SofaReals final; /* final coords of the state; unlisted points are not used */
  /* Sets final from x0; set by the class's init. */
  SofaErr (*compute)(FinalMotion *motion);
  /* The whole movement (a deriv) of the point that was at x0; NULL: frames turn at the end only. */
  void (*move)(const FinalMotion *motion, const double *x0, double *deriv);
};

/* Quirk of the classes that list its row. */
enum { QUIRK_PATCH_FRAMES = 1 };

#define FINAL_MOTION_ROWS(T)                                                                       \
  SOFA_FIELD(T, motion.mesh_indices, "meshIndices", NULL, "", "indices of the mesh; only drawn",   \
             .flags = SOFA_FIELD_NO_EFFECT),                                                       \
      SOFA_FIELD(T, motion.indexed.indices, "indices", NULL, "", "the moved points",               \
                 .flags = SOFA_FIELD_REINIT, .on_bad = SOFA_BAD_DROP,                              \
                 SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),                                             \
      SOFA_FIELD(T, motion.begin, "beginConstraintTime", "0", "s",                                 \
                 "points start from their first place then", .flags = SOFA_FIELD_REINIT),          \
      SOFA_FIELD(T, motion.end, "endConstraintTime", "20", "s",                                    \
                 "points reach their final place then; after beginConstraintTime",                 \
                 .flags = SOFA_FIELD_REINIT),                                                      \
      SOFA_FIELD(T, motion.draw, "drawConstrainedPoints", "0", "", "draw the moved points",        \
                 .flags = SOFA_FIELD_DISPLAY)

SofaErr final_motion_init(FinalMotion *motion);
#define FINAL_MOTION_LISTS PROJECTIVE_COORDS(FinalMotion, x0), SOFA_PRIVATE(FinalMotion, final)
extern const SofaTopologyListenerOps final_motion_listener;
extern const SofaProjectiveOps final_motion_ops;

#endif
