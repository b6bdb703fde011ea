/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies: points and elements, and the sub-elements and neighbourhoods derived from them. */
#ifndef SOFA_TOPOLOGY_TOPOLOGY_H
#define SOFA_TOPOLOGY_TOPOLOGY_H

#include "object/node.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_topology_interface;
#define SOFA_TOPOLOGY (&sofa_topology_interface)

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

void sofa_mesh_free(SofaContext *ctx, SofaMesh *mesh);
/* Gives back what the lists do not use (sofa_list_trim). */
SofaErr sofa_mesh_trim(SofaContext *ctx, SofaMesh *mesh);

typedef struct SofaElementKindInfo {
  const char *name, *field; /* "tetrahedron", "tetrahedra" */
  unsigned width;           /* vertices of one element; 1 for points */
} SofaElementKindInfo;
const SofaElementKindInfo *sofa_element_kind_info(SofaElementKind kind);
/* Address of the list of a kind (not points), for the functions of base/array.h. */
void *sofa_mesh_list(SofaMesh *mesh, SofaElementKind kind);
/* Vertices of all elements of a kind: n * width indices; empty for points. Borrowed. */
typedef struct SofaElements {
  const uint32_t *v;
  size_t n;
  unsigned width;
} SofaElements;
SofaElements sofa_mesh_elements(const SofaMesh *mesh, SofaElementKind kind);
/* 1 + the largest vertex index of all elements; 0 without elements. */
size_t sofa_mesh_vertex_count(const SofaMesh *mesh);
/* The first element with a vertex >= n_points: false and its kind and rank; else true. */
bool sofa_mesh_check(const SofaMesh *mesh, size_t n_points, SofaElementKind *kind, size_t *element);

/* Adjacency in compressed rows: the ids of row i are ids[start[i]] .. ids[start[i + 1] - 1], or,
 * with counts, the count[i] ids from start[i] on (rows that change). */
typedef struct SofaAround {
  size_t n_rows;
  uint32_t *start, *count, *ids;
} SofaAround;
void sofa_around_free(SofaContext *ctx, SofaAround *around);
/* Number of ids in row i, and where they are; 0 for rows that do not exist. */
static inline size_t sofa_around_row(const SofaAround *around, size_t i, const uint32_t **ids) {
  if (i >= around->n_rows) return 0;
  *ids = around->ids + around->start[i];
  return around->count ? around->count[i] : around->start[i + 1] - around->start[i];
}

typedef enum SofaContainer { /* family of the topology's class; mappings choose by it */
                             SOFA_CONTAINER_MESH,
                             SOFA_CONTAINER_GRID,
                             SOFA_CONTAINER_SPARSE_GRID,
                             SOFA_CONTAINER_SET
} SofaContainer;

typedef struct SofaTopology {
  SofaObject object;
  SofaFileName filename;
  SofaMesh mesh;
  size_t n_points; /* as the class counts them (spec: MeshTopology, containers) */
  SofaContainer container;
  uint32_t lazy;                 /* bit per SofaElementKind: list is made when first asked for */
  uint32_t derived;              /* bit per SofaElementKind: made of other elements */
  bool changed;                  /* elements were removed or inserted during the simulation */
  uint32_t revision;             /* grows when elements or points change */
  struct SofaDivision *division; /* of its own mesh, topology/division.h; owned; NULL: whole, or see
                                    behavior/state_division.h */
  SofaErr failure;               /* of a derivation that ran out of memory; lists are then empty */
  struct SofaTopology *copied[SOFA_N_ELEMENT_KINDS]; /* its lists are those of these, or NULL */
  struct SofaTopologyCache *cache; /* what was derived on demand; private to topology.c */
} SofaTopology;

/* Ops of SOFA_TOPOLOGY; each may be NULL. */
typedef struct SofaTopologyOps {
  /* Has the topology points that a mechanical state should take over? (grids: always) */
  bool (*has_positions)(const SofaTopology *topology);
  /* Point i, 3 reals. */
  void (*point)(const SofaTopology *topology, size_t i, double *p);
  /* Regular grids: number of points per axis and the affine frame of the grid; false: no grid, or
   * one that is divided. */
  bool (*grid)(const SofaTopology *topology, int n[3], double p0[3], double dx[3], double dy[3],
               double dz[3]);
  /* Grids of any shape: number of points per axis, known once the attributes are read. */
  void (*counts)(const SofaTopology *topology, int n[3]);
  /* Sparse grids: the hexahedron that p is in, or the nearest one at the surface, and the local
   * coordinates of p there; false: there is none. */
  bool (*find_hexa)(const SofaTopology *topology, const double p[3], uint32_t *hexa, double f[3]);
  /* Sparse grids: factors of the stiffness and of the mass of each hexahedron, borrowed. */
  bool (*factors)(const SofaTopology *topology, const double **stiffness, const double **mass);
  /* Classes that make their mesh: before init, called by all processes, makes the part of this one,
   * and sets `division`, where there are volume elements and their points are known; else nothing.
   */
  SofaErr (*divide)(SofaTopology *topology);
  /* Those that wait with their elements for `divide`: makes them after all. */
  SofaErr (*make_whole)(SofaTopology *topology);
  /* Makes the list of one kind that is derived lazily (edges from triangles, ...). */
  SofaErr (*derive)(SofaTopology *topology, SofaElementKind kind);
  /* Elements were written by a topological mapping and n_points set to its input's: counts points
   * again if the class has a rule of its own, and makes the data that its init makes. */
  SofaErr (*refresh)(SofaTopology *topology);
} SofaTopologyOps;
static inline const SofaTopologyOps *sofa_topology_ops(const SofaTopology *topology) {
  return (const SofaTopologyOps *)sofa_ops(&topology->object, SOFA_TOPOLOGY);
}

/* Abstract; field position. Classes build on sofa_changing_topology_class
 * (change/topology_change.h), which builds on this one. */
extern const SofaClass sofa_topology_class;

/* Rows of the element fields, for the tables of the classes that have them (T's first member is
 * `topology`, or a struct that starts with a SofaTopology of that name). */
#define SOFA_MESH_ROW(T, member, xml, what, ...)                                                   \
  SOFA_FIELD(T, topology.mesh.member, xml, NULL, "1", what, .flags = SOFA_FIELD_REINIT, __VA_ARGS__)
#define SOFA_ROW_EDGES(T)                                                                          \
  SOFA_MESH_ROW(T, edges, "edges", "Edges, 2 point indices each.", .aliases = "lines")
#define SOFA_ROW_TRIANGLES(T)                                                                      \
  SOFA_MESH_ROW(T, triangles, "triangles", "Triangles, 3 point indices each.", .aliases = NULL)
#define SOFA_ROW_QUADS(T)                                                                          \
  SOFA_MESH_ROW(T, quads, "quads", "Quads, 4 point indices each.", .aliases = NULL)
#define SOFA_ROW_TETRAHEDRA(T)                                                                     \
  SOFA_MESH_ROW(T, tetrahedra, "tetrahedra", "Tetrahedra, 4 point indices each.",                  \
                .aliases = "tetras")
#define SOFA_ROW_HEXAHEDRA(T)                                                                      \
  SOFA_MESH_ROW(T, hexahedra, "hexahedra", "Hexahedra, 8 point indices each.", .aliases = "hexas")
#define SOFA_ROW_PRISMS(T)                                                                         \
  SOFA_MESH_ROW(T, prisms, "prisms", "Prisms, 6 point indices each.",                              \
                .aliases = "pentas pentahedra")
#define SOFA_ROW_PYRAMIDS(T)                                                                       \
  SOFA_MESH_ROW(T, pyramids, "pyramids", "Pyramids, 5 point indices each, apex last.",             \
                .aliases = NULL)

bool sofa_topology_has_positions(const SofaTopology *topology);
/* Point i; zeros when there is none. */
void sofa_topology_point(const SofaTopology *topology, size_t i, double p[3]);
/* Per-axis point counts when it is a regular grid (spec numbering), else false. Any of the frame's
 * pointers may be NULL. */
bool sofa_topology_grid(const SofaTopology *topology, int n[3], double p0[3], double dx[3],
                        double dy[3], double dz[3]);

/* Points per axis when it is a grid of any shape, else false. */
bool sofa_topology_counts(const SofaTopology *topology, int n[3]);
/* Factors of the stiffness and of the mass of each hexahedron; false, and NULL: all are 1. */
bool sofa_topology_factors(const SofaTopology *topology, const double **stiffness,
                           const double **mass);

/* Element lists, derived first where the class derives them lazily. Borrowed, valid until the
 * topology changes. When memory runs out the list is empty, the error is reported and kept in
 * topology->failure. */
const SofaEdges *sofa_topology_edges(SofaTopology *topology);
const SofaTriangles *sofa_topology_triangles(SofaTopology *topology);
const SofaQuads *sofa_topology_quads(SofaTopology *topology);
SofaElements sofa_topology_elements(SofaTopology *topology, SofaElementKind kind);
static inline const SofaTetras *sofa_topology_tetrahedra(SofaTopology *t) {
  return &t->mesh.tetrahedra;
}
static inline const SofaHexas *sofa_topology_hexahedra(SofaTopology *t) {
  return &t->mesh.hexahedra;
}

/* Sub-elements: for each element of `kind` (triangle, quad, tetrahedron, hexahedron) the ids of its
 * `sub` elements (edges; triangles of tetrahedra; quads of hexahedra) in the order of the numbering
 * tables; SOFA_NO_ELEMENT where the topology does not list it. *per is their number per element.
 * Borrowed until the topology changes; NULL when there are none. */
#define SOFA_NO_ELEMENT UINT32_MAX
const uint32_t *sofa_topology_sub(SofaTopology *topology, SofaElementKind sub, SofaElementKind kind,
                                  unsigned *per);
/* Elements of `kind` around each point, edge, triangle or quad. Ids ascend, except triangles around
 * the edges of a MeshTopology or grid: those whose direction is the edge's come first, last one
 * first (spec, section 7). Never NULL; borrowed until the topology changes. */
const SofaAround *sofa_topology_around(SofaTopology *topology, SofaElementKind kind,
                                       SofaElementKind of);
/* Id of the edge between two points, SOFA_NO_ELEMENT if there is none. */
uint32_t sofa_topology_edge_index(SofaTopology *topology, uint32_t a, uint32_t b);
/* Elements or points have changed: neighbourhoods are made again when next asked for. */
void sofa_topology_changed(SofaTopology *topology);
/* Removes elements from their list, in descending order: the last one takes the place of each.
 * Neighbourhoods that were made are updated around these elements. */
void sofa_topology_take_elements(SofaTopology *topology, SofaElementKind kind, const uint32_t *ids,
                                 size_t n);
/* The same for points, with their positions; elements of the last points get their new indices. */
SofaErr sofa_topology_take_points(SofaTopology *topology, const uint32_t *ids, size_t n);
/* Empties the element lists (positions: also the points), for a topological mapping to fill. */
SofaErr sofa_topology_clear(SofaTopology *topology, bool positions);
/* Reports to linked fields that the lists in `kinds` (bit per SofaElementKind; bit 0: position)
 * changed.
 */
void sofa_topology_touch(SofaTopology *topology, uint32_t kinds);
/* Cuts the data link of a list, so that its derived value is not overwritten by an empty source. */
void sofa_topology_cut_link(SofaTopology *topology, SofaElementKind kind);
/* Reports and returns an error when an element names a point beyond the positions, where there are
 * any (keep_going: it is kept), or beyond what an index can hold: then the lists are cleared. */
SofaErr sofa_topology_check_size(SofaTopology *topology);

/* Derivations (spec, sections 7 and 8), each appends to a list that must be empty on entry. */
SofaErr sofa_derive_tetra_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out);
SofaErr sofa_derive_hexa_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out);
/* tetrahedra then hexahedra, (min, max) */
SofaErr sofa_derive_volume_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out);
/* triangles, oriented as met first; then quads, (min, max) */
SofaErr sofa_derive_surface_edges(SofaContext *ctx, const SofaMesh *mesh, SofaEdges *out);
SofaErr sofa_derive_triangles(SofaContext *ctx, const SofaTetras *tetras, SofaTriangles *out);
SofaErr sofa_derive_quads(SofaContext *ctx, const SofaHexas *hexas, SofaQuads *out);

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

SOFA_END_DECLS

#endif
