/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DistanceMultiMapping: how much longer each edge between points of several states is than
 * at rest. */
#include "numerics/mapping/edge_lengths.h"

typedef struct DistanceMultiMapping {
  SofaEdgeLengths lengths;
  bool compute_distance;
  SofaReals rest_lengths;
  SofaIndices pairs; /* input, point; for each point of the topology */
} DistanceMultiMapping;

static const SofaField distance_fields[] = {
    SOFA_EDGE_LENGTH_ROWS(DistanceMultiMapping),
    SOFA_FIELD(DistanceMultiMapping, compute_distance, "computeDistance", "0", "",
               "the output is the length itself, unless `restLengths` is given"),
    SOFA_FIELD(DistanceMultiMapping, rest_lengths, "restLengths", "", "m",
               "length at rest of each edge; default: those at init"),
    SOFA_FIELD(DistanceMultiMapping, pairs, "indexPairs", "", "",
               "input and its point for each point of the topology: flat list of pairs"),
};

static SofaErr distance_setup(SofaMapping *mapping) {
  DistanceMultiMapping *m = (DistanceMultiMapping *)mapping;
  SOFA_TRY(sofa_edge_lengths_setup(&m->lengths, &m->pairs));
  return sofa_edge_lengths_take_rest(&m->lengths, &m->rest_lengths, m->compute_distance);
}

static void distance_destroy(SofaObject *object) {
  sofa_edge_lengths_free((SofaEdgeLengths *)object);
}

static const SofaMappingOps distance_ops = {
    .setup = distance_setup,
    .apply = sofa_edge_lengths_apply,
    .apply_j = sofa_edge_lengths_apply_j,
    .apply_jt = sofa_edge_lengths_apply_jt,
    .apply_djt = sofa_edge_lengths_apply_djt,
    .add_djt_pair = sofa_edge_lengths_add_djt_pair,
    .jacobian = sofa_edge_lengths_jacobian,
    .keeps_point = true,
};

static const char *const distance_templates[] = {"Vec3d,Vec1d", "Rigid3d,Vec1d", NULL};

SOFA_CLASS(DistanceMultiMapping) = {
    SOFA_NAMED(DistanceMultiMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help =
        "Maps points of several states to the extensions (or lengths) of the edges between them.",
    .base = &sofa_multi_mapping_class,
    SOFA_FIELDS(distance_fields),
    .templates = distance_templates,
    .destroy = distance_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &distance_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_edge_pairs_listener}),
};
