/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DistanceMultiMapping: how much longer each edge between points of several states is than
 * at rest. */
#include "numerics/mapping/edge_lengths.h"

typedef struct DistanceMultiMapping {
  SofaEdgeLengths lengths;
} DistanceMultiMapping;

static const SofaField distance_fields[] = {
    SOFA_EDGE_LENGTH_ROWS(DistanceMultiMapping),
    SOFA_EDGE_REST_ROWS(DistanceMultiMapping),
    SOFA_FIELD(DistanceMultiMapping, lengths.pairs, "indexPairs", "", "",
               "input and its point for each point of the topology: flat list of pairs; "
               "4294967295: none (the "
               "point was removed)"),
};

static SofaErr construct(SofaObject *object) {
  ((SofaEdgeLengths *)object)->joins_pairs = true;
  return SOFA_OK;
}

static const char *const distance_templates[] = {"Vec3d,Vec1d", "Rigid3d,Vec1d", NULL};

SOFA_CLASS(DistanceMultiMapping) = {
    SOFA_NAMED(DistanceMultiMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help =
        "Maps points of several states to the extensions (or lengths) of the edges between them.",
    .equations = "y = |x_b - x_a| - l_0",
    .base = &sofa_multi_mapping_class,
    SOFA_FIELDS(distance_fields),
    .templates = distance_templates,
    .construct = construct,
    .destroy = sofa_edge_lengths_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &sofa_edge_lengths_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_edge_pairs_listener}),
};
