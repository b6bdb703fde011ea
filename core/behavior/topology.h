/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies: points and elements, and the sub-elements and neighbourhoods derived from them. */
#ifndef SOFA_BEHAVIOR_TOPOLOGY_H
#define SOFA_BEHAVIOR_TOPOLOGY_H

#include "object/node.h"

/* Geometry arrays that loaders and topologies share; their fields are linked by `src`. */
typedef struct SofaMesh {
  SofaVec3s position; /* [m] */
  SofaEdges edges;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaTetras tetrahedra;
  SofaHexas hexahedra;
  SofaPrisms prisms;
  SofaPyramids pyramids;
} SofaMesh;

/* Adjacency in compressed rows: the ids of row i are ids[start[i]] .. ids[start[i + 1] - 1]. */
typedef struct SofaAround { size_t n_rows; uint32_t *start, *ids; } SofaAround;
void sofa_around_free(SofaContext *ctx, SofaAround *around);

typedef enum SofaContainer { /* what class of topology it is, for mappings that choose by it */
  SOFA_CONTAINER_MESH, SOFA_CONTAINER_GRID, SOFA_CONTAINER_SPARSE_GRID, SOFA_CONTAINER_SET
} SofaContainer;

typedef struct SofaTopology {
  SofaObject object;
  SofaMesh mesh;
  size_t n_points;          /* as the class counts them (spec: MeshTopology, containers) */
  SofaContainer container;
  uint32_t revision;        /* grows when elements or points change */
  struct SofaTopologyCache *cache; /* what was derived on demand; private to topology.c */
} SofaTopology;

/* Ops of SOFA_TOPOLOGY; each may be NULL. */
typedef struct SofaTopologyOps {
  /* Has the topology points that a mechanical state should take over? (grids: always) */
  bool (*has_positions)(const SofaTopology *topology);
  /* Point i, 3 reals. */
  void (*point)(const SofaTopology *topology, size_t i, double *p);
  /* Regular grids: number of points per axis and the affine frame of the grid; false: no grid. */
  bool (*grid)(const SofaTopology *topology, int n[3], double p0[3], double dx[3], double dy[3],
               double dz[3]);
  /* Makes the lists that are derived lazily (edges from triangles, ...). */
  SofaErr (*derive)(SofaTopology *topology);
} SofaTopologyOps;

extern const SofaClass sofa_topology_class; /* abstract; fields of the mesh */

bool sofa_topology_has_positions(const SofaTopology *topology);
void sofa_topology_point(const SofaTopology *topology, size_t i, double p[3]);
/* Per-axis point counts when it is a regular grid (spec numbering), else false. */
bool sofa_topology_grid(const SofaTopology *topology, int n[3], double p0[3], double dx[3],
                        double dy[3], double dz[3]);

/* Element lists, derived first where the class derives them lazily. Borrowed, valid until the
 * topology changes. */
const SofaEdges *sofa_topology_edges(SofaTopology *topology);
const SofaTriangles *sofa_topology_triangles(SofaTopology *topology);
const SofaQuads *sofa_topology_quads(SofaTopology *topology);
static inline const SofaTetras *sofa_topology_tetrahedra(SofaTopology *t) { return &t->mesh.tetrahedra; }
static inline const SofaHexas *sofa_topology_hexahedra(SofaTopology *t) { return &t->mesh.hexahedra; }

/* The topology a component works on: its link if given, else the node's slot, else the ancestors'
 * (SOFA_SEARCH_SLOT). NULL when there is none. */
SofaTopology *sofa_node_topology(const SofaNode *node);

/* Numbering tables (spec: vertex/element numbering). */
extern const uint8_t sofa_tetra_edges[6][2], sofa_tetra_faces[4][3];
extern const uint8_t sofa_hexa_edges[12][2], sofa_hexa_quads[6][4];
/* Six tetrahedra of a hexahedron, plain and mirrored; see Hexa2TetraTopologicalMapping. */
extern const uint8_t sofa_hexa_tetras[6][4], sofa_hexa_tetras_mirrored[6][4];
/* Vertices of hexahedron i of a grid with nx, ny cells after the alternate swaps, and whether the
 * number of swaps is odd. */
bool sofa_hexa_swapped(const SofaHexa *hexa, size_t i, size_t nx, size_t ny, uint32_t out[8]);

#endif
