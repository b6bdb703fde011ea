/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetMultiMapping: the output consists of chosen points of several inputs. */
#include "numerics/mapping/chosen_points.h"

#include "object/process.h"

typedef struct SubsetMultiMapping {
  SofaChosenPoints points;
  SofaIndices pairs; /* input, point; for each output point */
} SubsetMultiMapping;

static const SofaField subset_multi_fields[] = {
    SOFA_FIELD(SubsetMultiMapping, pairs, "indexPairs", "", "",
               "input and its point for each output point: flat list of pairs"),
};

static SofaErr subset_multi_setup(SofaMapping *mapping) {
  SubsetMultiMapping *m = (SubsetMultiMapping *)mapping;
  if (m->pairs.n % 2)
    return sofa_field_fail(&mapping->object, "indexPairs", SOFA_ERR_RANGE,
                           "%zu numbers are not a list of pairs", m->pairs.n);
  SOFA_TRY(sofa_chosen_points_begin(&m->points));
  const SofaField *field = sofa_class_field(mapping->object.klass, "indexPairs");
  if (m->points.divided && sofa_field_state(&mapping->object, field)->source)
    return sofa_object_undivided(&mapping->object, "points that another object lists, of a mesh "
                                                   "that is divided among processes");
  for (size_t i = 0; i < m->pairs.n; i += 2)
    SOFA_TRY(sofa_chosen_points_append(&m->points, m->pairs.data[i], m->pairs.data[i + 1]));
  return sofa_chosen_points_finish(&m->points);
}

/* The field has the current indices. */
static SofaErr subset_multi_done(SofaObject *object) {
  SubsetMultiMapping *m = (SubsetMultiMapping *)object;
  SOFA_TRY(sofa_chosen_points_done(object));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->pairs, 2 * m->points.n));
  for (size_t i = 0; i < m->points.n; i++) {
    m->pairs.data[2 * i] = m->points.rows.input.data[i];
    m->pairs.data[2 * i + 1] = m->points.rows.point.data[i];
  }
  sofa_field_touch_name(object, "indexPairs");
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {
    .listen = sofa_chosen_points_listen, .done = subset_multi_done, .moves_output = true};

static const SofaMappingOps subset_multi_ops = {
    .setup = subset_multi_setup,
    .apply = sofa_chosen_points_apply,
    .apply_j = sofa_chosen_points_apply_j,
    .apply_jt = sofa_chosen_points_apply_jt,
    .jacobian = sofa_chosen_points_jacobian,
    .linear = true,
};

static const char *const subset_multi_templates[] = {
    "Vec3d,Vec3d", "Vec1d,Vec1d", "Vec2d,Vec2d", "Rigid3d,Rigid3d", "Rigid3d,Vec3d", NULL};

SOFA_CLASS(SubsetMultiMapping) = {
    SOFA_NAMED(SubsetMultiMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output consists of points of several inputs.",
    .equations = "y_i = x_{j_i}^{(k_i)}\n"
                 "\"k_i, j_i: input and its point, of indexPairs\"",
    .base = &sofa_multi_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(subset_multi_fields),
    .templates = subset_multi_templates,
    .destroy = sofa_chosen_points_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &subset_multi_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
