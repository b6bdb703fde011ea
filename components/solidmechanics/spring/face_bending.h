/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What QuadBendingSprings and TriangleBendingSprings share: springs across edges of two faces. */
#ifndef SOFA_SPRING_FACE_BENDING_H
#define SOFA_SPRING_FACE_BENDING_H

#include "change/topology_change.h"
#include "components/solidmechanics/spring/SpringForceField.h"
#include "components/solidmechanics/spring/bending_springs.h"
#include "components/solidmechanics/spring/pair_map.h"

typedef struct FaceBendingSprings {
  SpringForceField springs;
  SofaLink topology;
  SofaInts local_range; /* of quads only */
  /* state */
  SofaCoords start;       /* the springs are at rest here: where points were when they came */
  SofaPointNumbers named; /* what localRange calls them */
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

/* Joins two points; their distance where they were at the start is the rest length. */
SofaErr sofa_face_bending_add(FaceBendingSprings *f, uint32_t a, uint32_t b);
/* Reports the first face with a vertex that is not a point of the state. */
SofaErr sofa_face_bending_check(const FaceBendingSprings *f, SofaElementKind kind, const void *v,
                                size_t n);
typedef SofaErr (*SofaFaceBendingFill)(FaceBendingMaker *, SofaTopology *);
/* For init: keeps the positions, clears the springs and lets `fill` add new ones. */
SofaErr sofa_face_bending_init(SofaObject *object, SofaFaceBendingFill fill);
/* After topological changes the springs are made again. */
SofaErr sofa_face_bending_done(SofaObject *object, SofaFaceBendingFill fill);
/* Where the state is divided among processes: leaves one of springs between the same points that
 * several processes have. */
SofaErr sofa_face_bending_unite(FaceBendingSprings *f);
extern const SofaTiesOps sofa_face_bending_ties;
/* The private lists. */
#define SOFA_FACE_BENDING_LISTS                                                                    \
  SOFA_PRIVATE(FaceBendingSprings, start,                                                          \
               SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_SUM)),                       \
      SOFA_PRIVATE_NAMES(FaceBendingSprings, named)

#endif
