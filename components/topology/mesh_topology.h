/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What MeshTopology and the grids share: all lists of a mesh as fields, derivation on demand. */
#ifndef SOFA_TOPOLOGY_MESH_TOPOLOGY_H
#define SOFA_TOPOLOGY_MESH_TOPOLOGY_H

#include "topology/topology.h"

typedef struct SofaMeshTopology {
  SofaTopology topology;
  SofaVec2s uv;
  bool compute_all_buffers;
  bool draw_edges, draw_triangles, draw_quads, draw_tetrahedra, draw_hexahedra;
} SofaMeshTopology;

extern const SofaClass sofa_mesh_topology_base_class; /* abstract; the fields */

/* Derives one list: quads of hexahedra, triangles of tetrahedra; edges of volumes when there are
 * any, else of triangles, then quads. */
SofaErr sofa_mesh_topology_derive(SofaTopology *topology, SofaElementKind kind);
/* Marks the edges, triangles and quads that are empty as lazy, cutting their data links; derives
 * them at once with compute_all_buffers. */
SofaErr sofa_mesh_topology_mark(SofaMeshTopology *mesh_topology);

#endif
