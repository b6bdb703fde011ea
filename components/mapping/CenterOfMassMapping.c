/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CenterOfMassMapping: one point, the mean of the frames' origins weighted by their masses. */
#include <string.h>
#include "behavior/mass.h"
#include "components/mapping/map_matrix.h"

typedef struct CenterOfMassMapping {
  SofaMapping mapping;
  size_t n_in, coord, deriv, space;
  SofaReals share; /* mass of each frame / total mass */
  SofaMapMatrix j;
} CenterOfMassMapping;

/* ---- setup ---- */

static SofaErr find_mass(const CenterOfMassMapping *m, SofaMass **mass) {
  const SofaObject *in = &m->mapping.inputs[0]->object;
  *mass = (SofaMass *)sofa_node_find(in->node, SOFA_MASS, SOFA_SEARCH_LOCAL);
  if (!*mass)
    return sofa_object_fail(&m->mapping.object, SOFA_ERR_NOT_FOUND,
                            "there is no mass beside the input '%s'", in->name);
  if ((*mass)->force_field.object.initialised) return SOFA_OK;
  return sofa_object_fail(&m->mapping.object, SOFA_ERR_SCENE,
                          "the mass '%s' stands after the mapping in the scene: move it before",
                          (*mass)->force_field.object.name);
}

/* share = M times a unit translation along x: the masses of frames and points. */
static SofaErr weigh(CenterOfMassMapping *m, SofaMass *mass) {
  SofaContext *ctx = m->mapping.object.ctx;
  const size_t n = m->n_in * m->deriv;
  double *unit = sofa_alloc(ctx, 2 * n + 1, sizeof *unit), total = 0;
  if (!unit) return SOFA_ERR_MEMORY;
  memset(unit, 0, 2 * n * sizeof *unit);
  for (size_t i = 0; i < m->n_in; i++) unit[m->deriv * i] = 1;
  SofaErr err = mass->inert ? SOFA_OK : sofa_mass_ops(mass)->add_mdx(mass, unit, unit + n, 1);
  for (size_t i = 0; i < m->n_in; i++) total += unit[n + m->deriv * i];
  if (err == SOFA_OK && !(total > 0))
    err = sofa_object_fail(&m->mapping.object, SOFA_ERR_RANGE,
                           "the mass '%s' is %g kg in all: there is no centre of mass",
                           mass->force_field.object.name, total);
  for (size_t i = 0; i < m->n_in; i++) m->share.data[i] = unit[n + m->deriv * i] / total;
  sofa_free(ctx, unit);
  return err;
}

static SofaErr center_setup(SofaMapping *mapping) {
  CenterOfMassMapping *m = (CenterOfMassMapping *)mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(mapping->inputs[0]->object.kind);
  SofaMass *mass = NULL;
  m->n_in = mapping->inputs[0]->position.n;
  m->coord = in->coord;
  m->deriv = in->deriv;
  m->space = in->space;
  SOFA_TRY(find_mass(m, &mass));
  SOFA_TRY(SOFA_RESIZE(mapping->object.ctx, &m->share, m->n_in));
  SOFA_TRY(weigh(m, mass));
  return mapping->out->position.n == 1 ? SOFA_OK : sofa_state_resize(mapping->out, 1);
}

/* ---- operations ---- */

static void mean(const CenterOfMassMapping *m, const double *x, size_t stride, double *out) {
  for (size_t c = 0; c < m->space; c++) {
    double sum = 0;
    for (size_t i = 0; i < m->n_in; i++) sum += m->share.data[i] * x[stride * i + c];
    out[c] = sum;
  }
}

static SofaErr center_apply(SofaMapping *mapping, const double *const *x_in, double *x_out) {
  const CenterOfMassMapping *m = (const CenterOfMassMapping *)mapping;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, 1));
  mean(m, x_in[0], m->coord, x_out);
  return SOFA_OK;
}

static SofaErr center_apply_j(SofaMapping *mapping, const double *const *v_in, double *v_out) {
  const CenterOfMassMapping *m = (const CenterOfMassMapping *)mapping;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, 1));
  mean(m, v_in[0], m->deriv, v_out);
  return SOFA_OK;
}

static SofaErr center_apply_jt(SofaMapping *mapping, const double *f_out, double *const *f_in) {
  const CenterOfMassMapping *m = (const CenterOfMassMapping *)mapping;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, 1));
  for (size_t i = 0; i < m->n_in; i++)
    for (size_t c = 0; c < m->space; c++) f_in[0][m->deriv * i + c] += m->share.data[i] * f_out[c];
  return SOFA_OK;
}

static SofaErr center_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  CenterOfMassMapping *m = (CenterOfMassMapping *)mapping;
  (void)k;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, 1));
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j, m->space, m->n_in * m->deriv,
                                 m->n_in * m->space));
  for (size_t c = 0; c < m->space; c++) {
    sofa_map_matrix_row(&m->j);
    for (size_t i = 0; i < m->n_in; i++)
      sofa_map_matrix_entry(&m->j, m->deriv * i + c, m->share.data[i]);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static void center_destroy(SofaObject *object) {
  CenterOfMassMapping *m = (CenterOfMassMapping *)object;
  sofa_list_free(object->ctx, &m->share);
  sofa_map_matrix_free(object->ctx, &m->j);
}

static const SofaMappingOps center_ops = {
    .setup = center_setup,
    .apply = center_apply,
    .apply_j = center_apply_j,
    .apply_jt = center_apply_jt,
    .jacobian = center_jacobian,
    .linear = true,
};

static const char *const center_templates[] = {"Rigid3d,Vec3d", "Rigid2d,Vec2d", NULL};

extern const SofaClass sofa_CenterOfMassMapping_class;
const SofaClass sofa_CenterOfMassMapping_class = {
    .name = "CenterOfMassMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Maps frames to their centre of mass, by the mass in the node of the input.",
    .base = &sofa_mapping_class,
    .size = sizeof(CenterOfMassMapping),
    .templates = center_templates,
    .destroy = center_destroy,
    .ops = {[SOFA_MAPPING] = &center_ops},
};
