/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The points and elements that an exporter writes, of a state, a topology or its own fields. */
#ifndef SOFA_COMPONENTS_IO_EXPORT_MESH_H
#define SOFA_COMPONENTS_IO_EXPORT_MESH_H

#include "behavior/state.h"
#include "topology/element_source.h"
#include "topology/topology.h"
#include "numerics/io/vtk_writer.h"

/* Where the mesh comes from, all borrowed: positions if there are any, else the state's, else the
 * topology's. Flags: which elements of the topology. */
typedef struct ExportSource {
  const SofaObject *object; /* the object that writes, for messages */
  const SofaVec3s *position;
  SofaState *state;
  SofaTopology *topology;
  bool edges, triangles, quads, tetras, hexas;
  const SofaObject *elements; /* with SOFA_ELEMENT_SOURCE: its elements, too; or NULL */
} ExportSource;

/* Kept from file to file; all-zero: empty. */
typedef struct ExportMesh {
  SofaReals points; /* 3 per point, m; owned */
  VtkCells cells[6];
  size_t n_cells;       /* entries of cells */
  VtkCells solids;      /* tetrahedra of the topology, also where they are not chosen */
  SofaIndices whole[6]; /* of a divided mesh: vertices of cells, of solids; owned */
  bool told;            /* which elements cannot be written */
} ExportMesh;

/* Collects the points and the cells of the chosen kinds, which must name points that exist. */
SofaErr export_mesh_collect(const ExportSource *source, ExportMesh *mesh);
/* After a collection, called by all processes: where the mesh is divided among them, the first one
 * gets the whole and the others nothing. Elements that the topology has made of others are ordered
 * by their points. */
SofaErr export_mesh_gather(const ExportSource *source, ExportMesh *mesh);
/* The cells of a VTK type; n 0 when there are none. */
VtkCells export_mesh_cells(const ExportMesh *mesh, uint8_t type);
void export_mesh_free(SofaContext *ctx, ExportMesh *mesh);

enum { EXPORT_LINE = 3, EXPORT_TRIANGLE = 5, EXPORT_QUAD = 9, EXPORT_TETRA = 10, EXPORT_HEXA = 12 };

#endif
