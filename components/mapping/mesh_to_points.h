/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh2PointTopologicalMapping, for the mechanical mapping that follows it. */
#ifndef SOFA_MAPPING_MESH_TO_POINTS_H
#define SOFA_MAPPING_MESH_TO_POINTS_H

#include "change/topological_mapping.h"

enum { SOFA_MESH_TO_POINTS_KINDS = 6 };

/* What a point of the output was made in. */
typedef struct SofaPointOrigin {
  uint32_t kind; /* a rank in the table below */
  uint32_t element, place;
} SofaPointOrigin;
SOFA_LIST(SofaPointOrigin, SofaPointOrigins);

typedef struct SofaMeshToPoints {
  SofaTopologicalMapping mapping;
  SofaVec3s coords[SOFA_MESH_TO_POINTS_KINDS]; /* places in each element of a kind */
  bool copy_edges, copy_triangles, copy_tetrahedra;
  SofaPointOrigins origin; /* of each point; at init in the order of kind, element, place */
} SofaMeshToPoints;

extern const SofaClass sofa_Mesh2PointTopologicalMapping_class;
extern const SofaElementKind sofa_mesh_to_points_kinds[SOFA_MESH_TO_POINTS_KINDS];

/* Elements of kind k (a rank in the table above) of the input; points: each its own. */
SofaElements sofa_mesh_to_points_elements(const SofaMeshToPoints *m, int k);
/* Weights of the vertices of an element of kind k at place j; returns their number. Those of quads
 * belong to the vertices 0, 1, 2, 3 in the order of the corners (0, 0), (1, 0), (0, 1), (1, 1), as
 * in SOFA; those of points are 1, and the place is an offset. */
unsigned sofa_mesh_to_points_weights(const SofaMeshToPoints *m, int k, size_t j, double w[8]);

#endif
