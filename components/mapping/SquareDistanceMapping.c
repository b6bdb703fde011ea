/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SquareDistanceMapping: the squared length of each edge. */
#include "numerics/mapping/edge_lengths.h"
#include "object/checkpoint.h"

typedef struct SquareDistanceMapping {
  SofaEdgeLengths lengths;
} SquareDistanceMapping;

static const SofaField square_distance_fields[] = {
    SOFA_EDGE_LENGTH_ROWS(SquareDistanceMapping),
};

static SofaErr construct(SofaObject *object) {
  ((SofaEdgeLengths *)object)->squared = true;
  return SOFA_OK;
}

static const char *const square_distance_templates[] = {"Vec3d,Vec1d", "Rigid3d,Vec1d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SquareDistanceMapping, lengths.direction),
};

SOFA_CLASS(SquareDistanceMapping) = {
    SOFA_NAMED(SquareDistanceMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points to the squared lengths of the edges between them.",
    .equations = "y = |x_b - x_a|^2",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(square_distance_fields),
    .templates = square_distance_templates,
    .construct = construct,
    .destroy = sofa_edge_lengths_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &sofa_edge_lengths_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_edge_lengths_listener}),
};
