/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of edges as a mapping, for DistanceMapping, DistanceMultiMapping and
 * SquareDistanceMapping: x_e = |p1 - p0| - rest_e, or |p1 - p0|^2. */
#ifndef SOFA_NUMERICS_MAPPING_EDGE_LENGTHS_H
#define SOFA_NUMERICS_MAPPING_EDGE_LENGTHS_H

#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/map_rows.h"
#include "numerics/mapping/multi_mapping.h"

#pragma GCC visibility push(default)

/* Starts a class whose inputs are points or frames (their origins count); classes with one input
 * use `multi.mapping` alone. The row of output e is -row_e at end 0 of the edge and +row_e at end
 * 1; d(row)/d(p1) is the 3x3 curvature. */
typedef struct SofaEdgeLengths {
  SofaMultiMapping multi;
  SofaOption geometric;
  SofaLink topology;
  double show_object_scale;
  SofaColor show_color;
  size_t n, coord, deriv;
  SofaMapRows rows;    /* n: the ends of the edges */
  SofaReals rest;      /* n, [m]; empty: none */
  SofaReals direction; /* n x 3: unit vectors, or p1 - p0 for squares */
  SofaReals inverse;   /* n: 1 / length, 0 for edges without length; unused for squares */
  bool squared;
  size_t n_parts, *n_in; /* inputs, and their points at setup */
  SofaMapMatrix *j;      /* of each input */
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

/* Takes the edges of the topology and resizes the output. pairs: NULL when the edges join points of
 * the only input; else they join pairs (input, point), a flat list of the field `indexPairs`. */
SofaErr sofa_edge_lengths_setup(SofaEdgeLengths *m, const SofaIndices *pairs);
/* Lengths at rest: the given ones when there are as many as edges, else 0 or those at init. */
SofaErr sofa_edge_lengths_take_rest(SofaEdgeLengths *m, const SofaReals *given, bool zero);
void sofa_edge_lengths_free(SofaEdgeLengths *m);
/* Topological changes: distances are inserted and removed with the edges, and removed with their
 * points. The rest length of a new one is its current length, or 0 with `zero`. pairs: as at setup;
 * they are renumbered. */
SofaErr sofa_edge_lengths_follow(SofaEdgeLengths *m, const SofaTopologyChange *change,
                                 SofaIndices *pairs, bool zero);
/* All operations but setup. */
SofaErr sofa_edge_lengths_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out);
SofaErr sofa_edge_lengths_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v,
                                  double *out);
SofaErr sofa_edge_lengths_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                                   double *const *in);
SofaErr sofa_edge_lengths_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                                    const double *f, const double *const *dx, double *const *df);
SofaErr sofa_edge_lengths_add_djt_pair(SofaMapping *mapping, const SofaPoint *at, size_t row,
                                       size_t column, const double *f, const SofaTangent *tangent);
SofaErr sofa_edge_lengths_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                   SofaJacobian *out);

#pragma GCC visibility pop

#endif
