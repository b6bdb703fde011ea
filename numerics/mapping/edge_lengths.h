/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of edges as a mapping, for DistanceMapping, DistanceMultiMapping and
 * SquareDistanceMapping: x_e = |p1 - p0| - rest_e, or |p1 - p0|^2. */
#ifndef SOFA_NUMERICS_MAPPING_EDGE_LENGTHS_H
#define SOFA_NUMERICS_MAPPING_EDGE_LENGTHS_H

#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/map_rows.h"
#include "numerics/mapping/multi_mapping.h"

SOFA_BEGIN_DECLS

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
  SofaMapRows rows;      /* n: the ends of the edges */
  SofaReals rest;        /* n, [m]; empty: none */
  SofaReals direction;   /* n x 3: unit vectors, or p1 - p0 for squares */
  SofaReals inverse;     /* n: 1 / length, 0 for edges without length; unused for squares */
  bool squared;          /* set by the class's construct, as the next */
  bool joins_pairs;      /* the edges join `pairs`, else points of the only input */
  bool compute_distance; /* nothing at rest, unless lengths are given */
  SofaReals rest_lengths;
  SofaIndices pairs;     /* input, point; for each point of the topology */
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

#define SOFA_EDGE_REST_ROWS(T)                                                                     \
  SOFA_FIELD(T, lengths.compute_distance, "computeDistance", "0", "",                              \
             "the output is the length itself, unless `restLengths` is given"),                    \
      SOFA_FIELD(T, lengths.rest_lengths, "restLengths", "", "m",                                  \
                 "length at rest of each edge; default: those at init")

/* The operations of the classes, and their functions. */
extern const SofaMappingOps sofa_edge_lengths_ops;
void sofa_edge_lengths_destroy(SofaObject *object);
/* Topological changes: distances are removed and inserted with the edges, and removed with their
 * points; a new one rests at the length it has, or at 0 with compute_distance. Pairs are
 * renumbered. The first is for edges between points of one input. */
extern const SofaTopologyListenerOps sofa_edge_lengths_listener, sofa_edge_pairs_listener;

SOFA_END_DECLS

#endif
