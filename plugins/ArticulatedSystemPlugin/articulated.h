/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trees of bodies: what a scene says about them, one object per joint. */
#ifndef ARTICULATED_SYSTEM_H
#define ARTICULATED_SYSTEM_H

#include <sofa.h>

/* One degree of freedom between two bodies. */
typedef struct Articulation {
  SofaObject object;
  SofaVec3 axis;
  bool rotation, translation;
  int index;
} Articulation;

/* Where two bodies meet. Its articulations are in nodes below its own. */
typedef struct ArticulationCenter {
  SofaObject object;
  int parent, child;
  SofaVec3 global_position, on_parent, on_child;
  int process;
} ArticulationCenter;

typedef struct ArticulatedHierarchyContainer {
  SofaObject object;
  SofaFileName filename;
} ArticulatedHierarchyContainer;

extern const SofaClass sofa_Articulation_class;
extern const SofaClass sofa_ArticulationCenter_class;
extern const SofaClass sofa_ArticulatedHierarchyContainer_class;

#endif
