/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SquareDistanceMapping: the squared length of each edge. */
#include "numerics/mapping/edge_lengths.h"

typedef struct SquareDistanceMapping {
  SofaEdgeLengths lengths;
} SquareDistanceMapping;

static const SofaField square_distance_fields[] = {
    SOFA_EDGE_LENGTH_ROWS(SquareDistanceMapping),
};

static SofaErr square_distance_setup(SofaMapping *mapping) {
  SofaEdgeLengths *m = (SofaEdgeLengths *)mapping;
  m->squared = true;
  return sofa_edge_lengths_setup(m, NULL);
}

static void square_distance_destroy(SofaObject *object) {
  sofa_edge_lengths_free((SofaEdgeLengths *)object);
}

static const SofaMappingOps square_distance_ops = {
    .setup = square_distance_setup,
    .apply = sofa_edge_lengths_apply,
    .apply_j = sofa_edge_lengths_apply_j,
    .apply_jt = sofa_edge_lengths_apply_jt,
    .apply_djt = sofa_edge_lengths_apply_djt,
    .add_djt_pair = sofa_edge_lengths_add_djt_pair,
    .jacobian = sofa_edge_lengths_jacobian,
    .keeps_point = true,
};

static const char *const square_distance_templates[] = {"Vec3d,Vec1d", "Rigid3d,Vec1d", NULL};

SOFA_CLASS(SquareDistanceMapping) = {
    SOFA_NAMED(SquareDistanceMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points to the squared lengths of the edges between them.",
    .base = &sofa_mapping_class,
    SOFA_FIELDS(square_distance_fields),
    .templates = square_distance_templates,
    .destroy = square_distance_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &square_distance_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_edge_lengths_listener}),
};
