/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What QuadBendingSprings and TriangleBendingSprings share: springs across edges of two faces. */
#ifndef SOFA_SPRING_FACE_BENDING_H
#define SOFA_SPRING_FACE_BENDING_H

#include "behavior/topology.h"
#include "components/solidmechanics/spring/SpringForceField.h"
#include "components/solidmechanics/spring/pair_map.h"

typedef struct FaceBendingSprings {
  SpringForceField springs;
  SofaLink topology;
  SofaInts local_range; /* of quads only */
} FaceBendingSprings;

/* While the springs are made. */
typedef struct FaceBendingMaker {
  FaceBendingSprings *f;
  SofaPairMap edges;   /* what the first face of an edge has opposite to it */
  SofaPairMap springs; /* pairs that are joined */
} FaceBendingMaker;

extern const SofaLinkRule sofa_face_bending_topology;
#define SOFA_FACE_BENDING_TOPOLOGY_ROW                                                             \
  SOFA_FIELD(FaceBendingSprings, topology, "topology", NULL, "",                                   \
             "topology with the faces; default: the node's, else the nearest ancestor's",          \
             .link = &sofa_face_bending_topology)

/* Joins two points; their distance in the current positions is the rest length. */
SofaErr sofa_face_bending_add(FaceBendingSprings *f, uint32_t a, uint32_t b);
/* Reports the first face with a vertex that is no point of the state. */
SofaErr sofa_face_bending_check(const FaceBendingSprings *f, const char *what, const uint32_t *v,
                                size_t n, unsigned width);
/* For init: finds the topology, clears the springs and lets `fill` add new ones. */
SofaErr sofa_face_bending_make(SofaObject *object,
                               SofaErr (*fill)(FaceBendingMaker *, SofaTopology *));

#endif
