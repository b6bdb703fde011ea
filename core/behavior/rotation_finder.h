/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rotation finders: objects, such as corotational force fields, that know how far the surroundings
 * of each point have turned since rest. */
#ifndef SOFA_BEHAVIOR_ROTATION_FINDER_H
#define SOFA_BEHAVIOR_ROTATION_FINDER_H

#include "behavior/state.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_rotation_finder_interface;
#define SOFA_ROTATION_FINDER (&sofa_rotation_finder_interface)

typedef struct SofaRotationFinderOps {
  /* required: the state the points belong to; NULL: none */
  SofaState *(*state)(SofaObject *object);
  /* required: r[9 i] .. is the rotation, row major, of point i from rest to the state of the last
   * force; room for every point of the state */
  SofaErr (*rotations)(SofaObject *object, double *r);
} SofaRotationFinderOps;

static inline const SofaRotationFinderOps *sofa_rotation_finder_ops(const SofaObject *object) {
  return (const SofaRotationFinderOps *)sofa_ops(object, SOFA_ROTATION_FINDER);
}

SOFA_END_DECLS

#endif
