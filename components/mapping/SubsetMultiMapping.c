/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetMultiMapping: the output consists of chosen points of several inputs. */
#include "components/mapping/map_matrix.h"
#include "components/mapping/multi_mapping.h"

typedef struct SubsetMultiMapping {
  SofaMultiMapping multi;
  SofaIndices pairs; /* input, point; for each output point */
  size_t n, in_coord, out_coord, n_coord, in_deriv, out_deriv, n_deriv;
  size_t *n_in;     /* points of each input */
  SofaMapMatrix *j; /* of each input */
  size_t n_inputs;  /* length of both */
} SubsetMultiMapping;

static const SofaField subset_multi_fields[] = {
    SOFA_FIELD(SubsetMultiMapping, pairs, "indexPairs", "", "",
               "input and its point for each output point: flat list of pairs"),
};

/* ---- setup ---- */

static SofaErr check_pairs(const SubsetMultiMapping *m) {
  const SofaMapping *map = &m->multi.mapping;
  if (m->pairs.n % 2)
    return sofa_field_fail(&map->object, "indexPairs", SOFA_ERR_RANGE,
                           "%zu numbers are no list of pairs", m->pairs.n);
  for (size_t i = 0; i < m->n; i++) {
    const uint32_t k = m->pairs.data[2 * i], p = m->pairs.data[2 * i + 1];
    if (k < map->n_inputs && p < m->n_in[k]) continue;
    return sofa_field_fail(
        &map->object, "indexPairs", SOFA_ERR_RANGE, "pair %zu is point %u of input %u: %s", i, p, k,
        k < map->n_inputs ? "the input has fewer points" : "there are fewer inputs");
  }
  return SOFA_OK;
}

static void free_tables(SubsetMultiMapping *m) {
  SofaContext *ctx = m->multi.mapping.object.ctx;
  for (size_t k = 0; m->j && k < m->n_inputs; k++) sofa_map_matrix_free(ctx, &m->j[k]);
  sofa_free(ctx, m->n_in);
  sofa_free(ctx, m->j);
  m->n_in = NULL;
  m->j = NULL;
  m->n_inputs = 0;
}

static SofaErr subset_multi_setup(SofaMapping *mapping) {
  SubsetMultiMapping *m = (SubsetMultiMapping *)mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(mapping->inputs[0]->object.kind);
  const SofaStateKindInfo *out = sofa_state_kind_info(mapping->out->object.kind);
  free_tables(m);
  m->n_inputs = mapping->n_inputs;
  m->n_in = sofa_alloc(mapping->object.ctx, m->n_inputs, sizeof *m->n_in);
  m->j = sofa_alloc(mapping->object.ctx, m->n_inputs, sizeof *m->j);
  if (!m->n_in || !m->j) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n_inputs; k++) {
    m->n_in[k] = mapping->inputs[k]->position.n;
    m->j[k] = (SofaMapMatrix){0};
  }
  m->n = m->pairs.n / 2;
  m->in_coord = in->coord;
  m->in_deriv = in->deriv;
  m->out_coord = out->coord;
  m->out_deriv = out->deriv;
  // from frames to points: the origins
  m->n_coord = in->coord < out->coord ? in->coord : out->coord;
  m->n_deriv = in->deriv < out->deriv ? in->deriv : out->deriv;
  SOFA_TRY(check_pairs(m));
  return mapping->out->position.n == m->n ? SOFA_OK : sofa_state_resize(mapping->out, m->n);
}

/* ---- operations ---- */

static SofaErr check(const SubsetMultiMapping *m) {
  return sofa_mapping_check_sizes(&m->multi.mapping, m->n_in, m->n);
}

static SofaErr subset_multi_apply(SofaMapping *mapping, const double *const *x_in, double *x_out) {
  const SubsetMultiMapping *m = (const SubsetMultiMapping *)mapping;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const double *from = x_in[m->pairs.data[2 * i]] + m->in_coord * m->pairs.data[2 * i + 1];
    for (size_t c = 0; c < m->n_coord; c++) x_out[m->out_coord * i + c] = from[c];
  }
  return SOFA_OK;
}

static SofaErr subset_multi_apply_j(SofaMapping *mapping, const double *const *v_in,
                                    double *v_out) {
  const SubsetMultiMapping *m = (const SubsetMultiMapping *)mapping;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const double *from = v_in[m->pairs.data[2 * i]] + m->in_deriv * m->pairs.data[2 * i + 1];
    for (size_t c = 0; c < m->n_deriv; c++) v_out[m->out_deriv * i + c] = from[c];
  }
  return SOFA_OK;
}

static SofaErr subset_multi_apply_jt(SofaMapping *mapping, const double *f_out,
                                     double *const *f_in) {
  const SubsetMultiMapping *m = (const SubsetMultiMapping *)mapping;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    double *to = f_in[m->pairs.data[2 * i]] + m->in_deriv * m->pairs.data[2 * i + 1];
    for (size_t c = 0; c < m->n_deriv; c++) to[c] += f_out[m->out_deriv * i + c];
  }
  return SOFA_OK;
}

static SofaErr subset_multi_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  SubsetMultiMapping *m = (SubsetMultiMapping *)mapping;
  SOFA_TRY(check(m));
  const size_t rows = m->n * m->out_deriv;
  SofaMapMatrix *j = &m->j[k];
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, j, rows, m->n_in[k] * m->in_deriv, rows));
  for (size_t r = 0; r < rows; r++) {
    const uint32_t *pair = m->pairs.data + 2 * (r / m->out_deriv);
    sofa_map_matrix_row(j);
    if (pair[0] == k) sofa_map_matrix_entry(j, m->in_deriv * pair[1] + r % m->out_deriv, 1);
  }
  sofa_map_matrix_end(j, out);
  return SOFA_OK;
}

static void subset_multi_destroy(SofaObject *object) {
  free_tables((SubsetMultiMapping *)object);
}

static const SofaMappingOps subset_multi_ops = {
    .setup = subset_multi_setup,
    .apply = subset_multi_apply,
    .apply_j = subset_multi_apply_j,
    .apply_jt = subset_multi_apply_jt,
    .jacobian = subset_multi_jacobian,
    .linear = true,
};

static const char *const subset_multi_templates[] = {
    "Vec3d,Vec3d", "Vec1d,Vec1d", "Vec2d,Vec2d", "Rigid3d,Rigid3d", "Rigid3d,Vec3d", NULL};

extern const SofaClass sofa_SubsetMultiMapping_class;
const SofaClass sofa_SubsetMultiMapping_class = {
    .name = "SubsetMultiMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output consists of points of several inputs.",
    .base = &sofa_multi_mapping_class,
    .size = sizeof(SubsetMultiMapping),
    .fields = subset_multi_fields,
    .n_fields = sizeof subset_multi_fields / sizeof *subset_multi_fields,
    .templates = subset_multi_templates,
    .destroy = subset_multi_destroy,
    .ops = {[SOFA_MAPPING] = &subset_multi_ops},
};
