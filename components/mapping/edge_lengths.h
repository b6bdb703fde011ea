/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of edges as a mapping, shared by DistanceMapping and SquareDistanceMapping:
 * x_e = |p1 - p0| - rest_e, or |p1 - p0|^2. */
#ifndef SOFA_MAPPING_EDGE_LENGTHS_H
#define SOFA_MAPPING_EDGE_LENGTHS_H

#include "behavior/topology.h"
#include "components/mapping/map_matrix.h"

/* Starts a class with one input of points or frames (their origins count). The row of output e is
 * -row_e at point 0 of the edge and +row_e at point 1; d(row)/d(p1) is the 3x3 curvature. */
typedef struct SofaEdgeLengths {
  SofaMapping mapping;
  SofaOption geometric;
  SofaLink topology;
  double show_object_scale;
  SofaColor show_color;
  size_t n_in, n, coord, deriv;
  SofaEdges edges;
  SofaReals rest;      /* n, [m]; empty: none */
  SofaReals direction; /* n x 3: unit vectors, or p1 - p0 for squares */
  SofaReals inverse;   /* n: 1 / length, 0 for edges without length; unused for squares */
  bool squared;
  SofaMapMatrix j;
} SofaEdgeLengths;

/* The rows of the fields they share. */
extern const SofaLinkRule sofa_edge_topology_rule;
#define SOFA_EDGE_LENGTH_ROWS(T)                                                                   \
  SOFA_FIELD(T, lengths.geometric, "geometricStiffness", "Stabilized", "",                         \
             "derivative of the turning forces: left out, exact, or of stretched edges only",      \
             .options = sofa_geometric_items),                                                     \
      SOFA_FIELD(T, lengths.topology, "topology", NULL, "",                                        \
                 "edges to measure; default: the first topology in the node or above",             \
                 .link = &sofa_edge_topology_rule),                                                \
      SOFA_FIELD(T, lengths.show_object_scale, "showObjectScale", "0", "", "size of drawing",      \
                 .flags = SOFA_FIELD_DISPLAY),                                                     \
      SOFA_FIELD(T, lengths.show_color, "showColor", "1 1 0 1", "", "colour of drawing",           \
                 .flags = SOFA_FIELD_DISPLAY)

/* Takes the edges of the topology and resizes the output. */
SofaErr sofa_edge_lengths_setup(SofaEdgeLengths *m);
void sofa_edge_lengths_free(SofaEdgeLengths *m);
/* All operations but setup. */
SofaErr sofa_edge_lengths_apply(SofaMapping *mapping, const double *const *x, double *out);
SofaErr sofa_edge_lengths_apply_j(SofaMapping *mapping, const double *const *v, double *out);
SofaErr sofa_edge_lengths_apply_jt(SofaMapping *mapping, const double *f, double *const *in);
SofaErr sofa_edge_lengths_apply_djt(SofaMapping *mapping, double factor, const double *f,
                                    const double *const *dx, double *const *df);
SofaErr sofa_edge_lengths_add_djt(SofaMapping *mapping, const double *f,
                                  const SofaTangent *tangent);
SofaErr sofa_edge_lengths_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out);
/* |p1 - p0| of an edge of the input at positions x. */
double sofa_edge_lengths_measure(const SofaEdgeLengths *m, const double *x, size_t e);

#endif
