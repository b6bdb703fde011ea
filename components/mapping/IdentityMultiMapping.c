/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IdentityMultiMapping: the output has the points of all inputs, one input after the other. */
#include <string.h>
#include "components/mapping/constant_map.h"

static SofaErr identity_setup(SofaMapping *mapping) {
  SofaConstantMap *m = (SofaConstantMap *)mapping;
  const size_t deriv = sofa_state_kind_info(mapping->out->object.kind)->deriv;
  size_t n = 0, first = 0;
  for (size_t k = 0; k < mapping->n_inputs; k++) n += mapping->inputs[k]->position.n;
  SOFA_TRY(sofa_constant_map_begin(m, n));
  for (size_t k = 0; k < m->n_parts; k++) {
    const size_t from = deriv * first, to = from + deriv * m->n_in[k];
    SOFA_TRY(sofa_constant_map_open(m, k, to - from));
    for (size_t row = 0; row < deriv * n; row++) {
      sofa_map_matrix_row(&m->part[k]);
      if (row >= from && row < to) sofa_map_matrix_entry(&m->part[k], row - from, 1);
    }
    sofa_constant_map_close(m, k);
    first += m->n_in[k];
  }
  return SOFA_OK;
}

static SofaErr identity_apply(SofaMapping *mapping, const double *const *x_in, double *x_out) {
  const SofaConstantMap *m = (const SofaConstantMap *)mapping;
  const size_t coord = sofa_state_kind_info(mapping->out->object.kind)->coord;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, m->n_in, m->n_out));
  for (size_t k = 0; k < m->n_parts; x_out += coord * m->n_in[k++])
    if (m->n_in[k]) memcpy(x_out, x_in[k], coord * m->n_in[k] * sizeof *x_out);
  return SOFA_OK;
}

static const SofaMappingOps identity_ops = {
    .setup = identity_setup,
    .apply = identity_apply,
    .apply_j = sofa_constant_map_apply_j,
    .apply_jt = sofa_constant_map_apply_jt,
    .jacobian = sofa_constant_map_jacobian,
    .linear = true,
};

static const char *const identity_templates[] = {"Vec3d,Vec3d", "Rigid3d,Rigid3d", "Vec1d,Vec1d",
                                                 "Vec2d,Vec2d", NULL};

extern const SofaClass sofa_IdentityMultiMapping_class;
const SofaClass sofa_IdentityMultiMapping_class = {
    .name = "IdentityMultiMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output has the points of all inputs, in the order of the inputs.",
    .base = &sofa_multi_mapping_class,
    .size = sizeof(SofaConstantMap),
    .templates = identity_templates,
    .destroy = sofa_constant_map_destroy,
    .ops = {[SOFA_MAPPING] = &identity_ops},
};
