/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IdentityMultiMapping: the output has the points of all inputs, one input after the other. */
#include "numerics/mapping/chosen_points.h"

/* Inserted points are the last ones, whatever their input; the last one takes the place of a
 * removed one. */
static SofaErr identity_setup(SofaMapping *mapping) {
  SofaChosenPoints *m = (SofaChosenPoints *)mapping;
  m->rows.every = true;
  SOFA_TRY(sofa_chosen_points_begin(m));
  for (uint32_t k = 0; k < mapping->n_inputs; k++)
    for (uint32_t i = 0; i < m->n_in[k]; i++)
      SOFA_TRY(sofa_map_rows_append(mapping->object.ctx, &m->rows, k, i));
  return sofa_chosen_points_finish(m);
}

static const SofaMappingOps identity_ops = {
    .setup = identity_setup,
    .apply = sofa_chosen_points_apply,
    .apply_j = sofa_chosen_points_apply_j,
    .apply_jt = sofa_chosen_points_apply_jt,
    .jacobian = sofa_chosen_points_jacobian,
    .linear = true,
};

static const char *const identity_templates[] = {"Vec3d,Vec3d", "Rigid3d,Rigid3d", "Vec1d,Vec1d",
                                                 "Vec2d,Vec2d", NULL};

SOFA_CLASS(IdentityMultiMapping) = {
    .name = "IdentityMultiMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output has the points of all inputs, in the order of the inputs.",
    .equations = "y = (x^1, x^2, ...)",
    .base = &sofa_multi_mapping_class,
    .size = sizeof(SofaChosenPoints),
    .templates = identity_templates,
    .destroy = sofa_chosen_points_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &identity_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_chosen_points_listener}),
};
