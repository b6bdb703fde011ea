/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DistanceMapping: how much longer each edge is than at rest. */
#include "numerics/mapping/edge_lengths.h"
#include "object/checkpoint.h"

typedef struct DistanceMapping {
  SofaEdgeLengths lengths;
} DistanceMapping;

static const SofaField distance_fields[] = {
    SOFA_EDGE_LENGTH_ROWS(DistanceMapping),
    SOFA_EDGE_REST_ROWS(DistanceMapping),
};

static const char *const distance_templates[] = {"Vec3d,Vec1d", "Rigid3d,Vec1d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(DistanceMapping, lengths.direction),
    SOFA_REMADE(DistanceMapping, lengths.inverse),
};

SOFA_CLASS(DistanceMapping) = {
    SOFA_NAMED(DistanceMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points to the extensions (or lengths) of the edges between them.",
    .equations = "y = |x_b - x_a| - l_0\n"
                 "\"l_0: length at rest, or 0\"",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(distance_fields),
    .templates = distance_templates,
    .destroy = sofa_edge_lengths_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &sofa_edge_lengths_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_edge_lengths_listener}),
};
