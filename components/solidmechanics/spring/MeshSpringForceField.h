/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshSpringForceField, for the class of its name for several threads. */
#ifndef SOFA_SPRING_MESH_SPRING_FORCE_FIELD_H
#define SOFA_SPRING_MESH_SPRING_FORCE_FIELD_H

#include "change/topology_change.h"
#include "components/solidmechanics/spring/SpringForceField.h"

/* Kinds of element in the order their springs are made: the first kind to join two points decides.
 */
enum {
  MESH_SPRING_LINES,
  MESH_SPRING_TRIANGLES,
  MESH_SPRING_QUADS,
  MESH_SPRING_TETRAHEDRA,
  MESH_SPRING_CUBES,
  MESH_SPRING_GROUPS
};

typedef struct MeshSpringForceField {
  SpringForceField springs;
  double stiffness[MESH_SPRING_GROUPS],
      damping[MESH_SPRING_GROUPS]; /* N and N s: divided by the rest length */
  bool no_compression;
  SofaInts local_range;
  double draw_min_elongation, draw_max_elongation, draw_spring_size;
  SofaLink topology;
  SofaPointNumbers named; /* what localRange calls the points */
} MeshSpringForceField;

extern const SofaClass sofa_MeshSpringForceField_class;

#endif
