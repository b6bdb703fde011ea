/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of engines that select the points and elements inside a region. A region implements
 * RoiOps and sets class->update to roi_update; everything else is shared. */
#ifndef SOFA_COMPONENTS_ENGINE_SELECT_ROI_H
#define SOFA_COMPONENTS_ENGINE_SELECT_ROI_H

#include "behavior/draw_state.h"
#include "behavior/state.h"
#include "topology/topology.h"

typedef struct Roi {
  SofaObject object;
  /* inputs */
  SofaCoords position;
  SofaEdges edges;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaTetras tetrahedra;
  SofaHexas hexahedra;
  bool compute_edges, compute_triangles, compute_quads, compute_tetrahedra, compute_hexahedra;
  bool strict, do_update;
  /* outputs */
  SofaIndices indices, edge_indices, triangle_indices, quad_indices, tetrahedron_indices,
      hexahedron_indices;
  SofaIndices indices_out, edge_out_indices, triangle_out_indices, tetrahedron_out_indices;
  SofaCoords points_in, points_out;
  SofaEdges edges_in, edges_out;
  SofaTriangles triangles_in, triangles_out;
  SofaQuads quads_in;
  SofaTetras tetrahedra_in, tetrahedra_out;
  SofaHexas hexahedra_in;
  uint32_t n_indices;
  /* display */
  bool draw_roi, draw_points, draw_edges, draw_triangles, draw_quads, draw_tetrahedra,
      draw_hexahedra;
  double draw_size;
  bool started;   /* init was reached: before it nothing is evaluated */
  bool by_points; /* the points inside decide about elements, and did when last selected */
  uint64_t selection_stamp; /* of the versions of the elements and options of that selection */
} Roi;

extern const SofaClass roi_class; /* abstract */

typedef struct RoiOps {
  /* optional: brings the region's own parameters in order; called before each evaluation */
  SofaErr (*prepare)(Roi *roi);
  /* required: is the point inside? p: 3 reals, 0 beyond the kind's space */
  bool (*contains)(const Roi *roi, const double p[3]);
  /* optional: further condition for an element of n vertices whose points are inside; x: n points
   */
  bool (*accepts)(const Roi *roi, unsigned n, const double (*x)[3]);
  /* with `accepts`: does it accept every element now? NULL: no */
  bool (*accepts_all)(const Roi *roi);
  /* optional: draws the region */
  void (*draw)(const Roi *roi, SofaDrawList *list, SofaRgba color);
  /* without `strict`, all vertices inside are enough, too */
  bool vertices_suffice;
} RoiOps;

/* Evaluates the region: class->update of every region. */
SofaErr roi_update(SofaObject *object);

#endif
