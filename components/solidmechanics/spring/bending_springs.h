/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base of TriangularBendingSprings and QuadularBendingSprings: linear springs across the edges that
 * exactly two faces share, of one stiffness, at rest when the state is. */
#ifndef SOFA_BENDING_SPRINGS_H
#define SOFA_BENDING_SPRINGS_H

#include "change/topology_change.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "topology/ties.h"

/* Visits the edges (by number) that exactly two faces of the kind share; p and q are the vertices
 * of these faces, p of the one with the smaller number. Checks first that vertices are points. */
typedef SofaErr (*SofaBendingVisit)(void *user, const SofaEdge *edge, const uint32_t *p,
                                    const uint32_t *q);
SofaErr sofa_bending_visit(const SofaForceField *ff, SofaTopology *mesh, SofaElementKind kind,
                           SofaBendingVisit visit, void *user);
/* Faces of a mesh that is divided among processes. */
typedef struct SofaBendingFaces {
  const SofaForceField *ff;
  SofaTopology *mesh;
  SofaElementKind kind;
  bool all; /* all sides of faces are edges, also where there are more than two faces: the first one
               then makes a pair with each other */
} SofaBendingFaces;
/* Called by all processes: visits each pair on one of them. */
SofaErr sofa_bending_visit_part(const SofaBendingFaces *faces, SofaBendingVisit visit, void *user);
/* Before init, for SOFA_TIES: the faces on both sides of an edge must be on one process. */
SofaErr sofa_bending_ties(const SofaObject *object, const SofaObject **state, SofaTies *out);
/* The vertex of a triangle that is not on the edge. */
uint32_t sofa_bending_opposite(const SofaEdge *edge, const uint32_t *triangle);
/* The linked topology, else the node's; reports when there is none. */
SofaErr sofa_bending_topology(const SofaObject *object, const SofaLink *link, SofaTopology **mesh);

typedef struct BendingSprings {
  SofaForceField force_field;
  double stiffness, damping; /* N/m, N s/m */
  char *edge_info;
  SofaLink topology;
  /* set by construct of the class */
  SofaElementKind faces;
  SofaBendingVisit join; /* user: the BendingSprings; calls sofa_bending_add */
  /* state */
  SofaTopology *mesh;
  uint32_t revision; /* of the mesh that the springs were made of */
  SofaSprings springs;
  SofaSpringSpace space;
  double *tangents; /* sofa_spring_kept of the springs, of the last force */
  SofaElementSums sums;
  SofaEdgeAssembly *edges;
} BendingSprings;

extern const SofaClass sofa_bending_springs_class; /* abstract: fields, init, force */
extern const SofaLinkRule sofa_bending_topology_rule;

/* Draws the springs. */
void sofa_bending_draw(SofaObject *object, const SofaDrawArgs *args);

/* A spring between two points at the distance of their rest positions. */
SofaErr sofa_bending_add(BendingSprings *b, uint32_t m1, uint32_t m2);

#endif
