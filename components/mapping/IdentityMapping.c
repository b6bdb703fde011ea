/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IdentityMapping: copies points, or the common components of two kinds. */
#include <string.h>
#include "behavior/mapping.h"

typedef struct IdentityMapping {
  SofaMapping mapping;
  uint32_t *start, *column; /* Jacobian, made when first asked for */
  double *value;
} IdentityMapping;

static const SofaStateKindInfo *kind_of(const SofaState *state) {
  return sofa_state_kind_info(state->object.kind);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static SofaErr identity_setup(SofaMapping *mapping) {
  const size_t n = sofa_state_size(mapping->inputs[0]);
  return sofa_state_size(mapping->out) == n ? SOFA_OK : sofa_state_resize(mapping->out, n);
}

/* Copies the first reals that entries of both widths have; the others of the output stay. */
static void copy(size_t n, const double *in, size_t in_width, double *out, size_t out_width) {
  const size_t width = smaller(in_width, out_width);
  if (in_width == out_width) {
    if (n) memcpy(out, in, n * width * sizeof *out);
    return;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < width; k++) out[i * out_width + k] = in[i * in_width + k];
}

static SofaErr identity_apply(SofaMapping *mapping, const double *const *x_in, double *x_out) {
  copy(sofa_state_size(mapping->inputs[0]), x_in[0], kind_of(mapping->inputs[0])->coord, x_out,
       kind_of(mapping->out)->coord);
  return SOFA_OK;
}

static SofaErr identity_apply_j(SofaMapping *mapping, const double *const *v_in, double *v_out) {
  copy(sofa_state_size(mapping->inputs[0]), v_in[0], kind_of(mapping->inputs[0])->deriv, v_out,
       kind_of(mapping->out)->deriv);
  return SOFA_OK;
}

static SofaErr identity_apply_jt(SofaMapping *mapping, const double *f_out, double *const *f_in) {
  const size_t in = kind_of(mapping->inputs[0])->deriv, out = kind_of(mapping->out)->deriv;
  const size_t n = sofa_state_size(mapping->inputs[0]), width = smaller(in, out);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < width; k++) f_in[0][i * in + k] += f_out[i * out + k];
  return SOFA_OK;
}

static SofaErr make_jacobian(IdentityMapping *identity, size_t n, size_t in, size_t out) {
  SofaContext *ctx = identity->mapping.object.ctx;
  const size_t n_rows = n * out;
  identity->start = (uint32_t *)sofa_alloc(ctx, n_rows + 1, sizeof *identity->start);
  identity->column = (uint32_t *)sofa_alloc(ctx, n_rows + 1, sizeof *identity->column);
  identity->value = (double *)sofa_alloc(ctx, n_rows + 1, sizeof *identity->value);
  if (!identity->start || !identity->column || !identity->value) return SOFA_ERR_MEMORY;
  uint32_t at = 0;
  for (size_t row = 0; row < n_rows; row++) {
    identity->start[row] = at;
    if (row % out >= in) continue;
    identity->column[at] = (uint32_t)(row / out * in + row % out);
    identity->value[at++] = 1;
  }
  identity->start[n_rows] = at;
  return SOFA_OK;
}

static void identity_destroy(SofaObject *object) {
  IdentityMapping *identity = (IdentityMapping *)object;
  sofa_free(object->ctx, identity->start);
  sofa_free(object->ctx, identity->column);
  sofa_free(object->ctx, identity->value);
  identity->start = identity->column = NULL;
  identity->value = NULL;
}

static SofaErr identity_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  IdentityMapping *identity = (IdentityMapping *)mapping;
  const SofaState *input = mapping->inputs[k];
  const size_t n = sofa_state_size(input), in = kind_of(input)->deriv,
               width = kind_of(mapping->out)->deriv;
  if (!identity->value) {
    const SofaErr err = make_jacobian(identity, n, in, width);
    if (err != SOFA_OK) {
      identity_destroy(&mapping->object);
      return err;
    }
  }
  *out = (SofaJacobian){.n_rows = n * width,
                        .n_columns = n * in,
                        .start = identity->start,
                        .column = identity->column,
                        .value = identity->value};
  return SOFA_OK;
}

static const SofaMappingOps identity_ops = {.setup = identity_setup,
                                            .apply = identity_apply,
                                            .apply_j = identity_apply_j,
                                            .apply_jt = identity_apply_jt,
                                            .jacobian = identity_jacobian,
                                            .linear = true};

static const char *const identity_templates[] = {
    "Vec3d,Vec3d",     "Vec1d,Vec1d",   "Vec2d,Vec2d",     "Vec6d,Vec6d",   "Vec6d,Vec3d",
    "Rigid3d,Rigid3d", "Rigid3d,Vec3d", "Rigid2d,Rigid2d", "Rigid2d,Vec2d", NULL};

extern const SofaClass sofa_IdentityMapping_class;
const SofaClass sofa_IdentityMapping_class = {
    .name = "IdentityMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Copies the input; between different kinds the components that both have.",
    .base = &sofa_mapping_class,
    .size = sizeof(IdentityMapping),
    .templates = identity_templates,
    .destroy = identity_destroy,
    .ops = {[SOFA_MAPPING] = &identity_ops},
};
