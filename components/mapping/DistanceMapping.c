/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DistanceMapping: how much longer each edge is than at rest. */
#include "numerics/mapping/edge_lengths.h"

typedef struct DistanceMapping {
  SofaEdgeLengths lengths;
  bool compute_distance;
  SofaReals rest_lengths;
} DistanceMapping;

static const SofaField distance_fields[] = {
    SOFA_EDGE_LENGTH_ROWS(DistanceMapping),
    SOFA_FIELD(DistanceMapping, compute_distance, "computeDistance", "0", "",
               "the output is the length itself, unless `restLengths` is given"),
    SOFA_FIELD(DistanceMapping, rest_lengths, "restLengths", "", "m",
               "length at rest of each edge; default: those at init"),
};

static SofaErr distance_setup(SofaMapping *mapping) {
  DistanceMapping *m = (DistanceMapping *)mapping;
  SOFA_TRY(sofa_edge_lengths_setup(&m->lengths, NULL));
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

SOFA_CLASS(DistanceMapping) = {
    SOFA_NAMED(DistanceMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points to the extensions (or lengths) of the edges between them.",
    .base = &sofa_mapping_class,
    SOFA_FIELDS(distance_fields),
    .templates = distance_templates,
    .destroy = distance_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &distance_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_edge_lengths_listener}),
};
