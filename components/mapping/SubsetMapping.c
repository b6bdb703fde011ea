/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetMapping: the output consists of chosen points of the input. */
#include "change/topology_change.h"
#include "numerics/mapping/map_matrix.h"
#include "object/checkpoint.h"

#include <math.h>

typedef struct SubsetMapping {
  SofaMapping mapping;
  SofaIndices indices;
  uint32_t first, last; /* UINT32_MAX: not given */
  double radius;
  bool handle_topology_change, ignore_not_found, resize_to_model;
  SofaLink topology;
  SofaIndices from; /* of each output point, UINT32_MAX: none */
  size_t n_in, n, coord, deriv;
  SofaMapMatrix j;
} SubsetMapping;

enum { NOWHERE = SOFA_NO_ELEMENT };

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField subset_fields[] = {
    SOFA_FIELD(SubsetMapping, indices, "indices", "", "",
               "input point of each output point; default: the point at the same position"),
    SOFA_FIELD(SubsetMapping, first, "first", "4294967295", "",
               "first input point, when `indices` is empty"),
    SOFA_FIELD(SubsetMapping, last, "last", "4294967295", "",
               "last input point, when `indices` is empty"),
    SOFA_FIELD(SubsetMapping, radius, "radius", "1e-05", "m",
               "how near an input point must be to be that of an output point, >= 0",
               .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(SubsetMapping, handle_topology_change, "handleTopologyChange", "1", "",
               "points of the output are removed with points of the input; 0: the removal of a "
               "point ends the run"),
    SOFA_FIELD(SubsetMapping, ignore_not_found, "ignoreNotFound", "0", "",
               "output points without an input point are accepted"),
    SOFA_FIELD(SubsetMapping, resize_to_model, "resizeToModel", "0", "",
               "no effect: the output always has as many points as there are indices",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SubsetMapping, topology, "topology", NULL, "",
               "no effect: points are followed in the input's state", .link = &topology_rule,
               .flags = SOFA_FIELD_NO_EFFECT),
};

static const SofaPrivateList subset_lists[] = {
    SOFA_PRIVATE(SubsetMapping, from, SOFA_SOURCES(.state = SOFA_STATE_FIRST)),
};

/* ---- setup ---- */

static SofaErr given_indices(SubsetMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  for (size_t i = 0; i < m->indices.n; i++) {
    if (m->indices.data[i] < m->n_in) {
      SOFA_TRY(SOFA_APPEND(ctx, &m->from, &m->indices.data[i]));
      continue;
    }
    const SofaErr err = sofa_field_fail(&m->mapping.object, "indices", SOFA_ERR_RANGE,
                                        "entry %zu is %u: the input has the points 0 to %zd", i,
                                        m->indices.data[i], (ptrdiff_t)m->n_in - 1);
    // with keep_going the others are mapped
    if (!ctx->keep_going) return err;
  }
  return SOFA_OK;
}

static SofaErr given_range(SubsetMapping *m) {
  const uint32_t n = (uint32_t)m->n_in;
  const uint32_t first = m->first < n ? m->first : 0;
  const uint32_t last = m->last < n ? m->last : n - 1;
  for (uint32_t i = first; n && i <= last; i++)
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->from, &i));
  return SOFA_OK;
}

static double distance2(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t c = 0; c < n; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/* For each output point the nearest input point within the radius, the first of equal ones. */
static SofaErr nearest_points(SubsetMapping *m) {
  const double *in = m->mapping.inputs[0]->position.data, *out = m->mapping.out->position.data;
  const size_t space = m->coord == 7 ? 3 : m->coord;
  for (size_t i = 0; i < m->mapping.out->position.n; i++) {
    uint32_t found = NOWHERE;
    double best = m->radius * m->radius;
    for (uint32_t k = 0; k < m->n_in; k++) {
      const double d = distance2(in + m->coord * k, out + m->coord * i, space);
      if (!(d < best)) continue;
      best = d;
      found = k;
    }
    if (found == NOWHERE && !m->ignore_not_found) {
      const SofaErr err = sofa_object_fail(
          &m->mapping.object, SOFA_ERR_NOT_FOUND,
          "no input point is within 'radius' (%g m) of output point %zu", m->radius, i);
      if (!m->mapping.object.ctx->keep_going) return err;
    }
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->from, &found));
  }
  return SOFA_OK;
}

static SofaErr subset_setup(SofaMapping *mapping) {
  SubsetMapping *m = (SubsetMapping *)mapping;
  const SofaStateKindInfo *kind = sofa_state_kind_info(mapping->out->object.kind);
  m->n_in = mapping->inputs[0]->position.n;
  m->coord = kind->coord;
  m->deriv = kind->deriv;
  m->from.n = 0;
  if (m->indices.n) SOFA_TRY(given_indices(m));
  else if (m->first != NOWHERE || m->last != NOWHERE) SOFA_TRY(given_range(m));
  else SOFA_TRY(nearest_points(m));
  m->n = m->from.n;
  return mapping->out->position.n == m->n ? SOFA_OK : sofa_state_resize(mapping->out, m->n);
}

/* ---- operations ---- */

static SofaErr check(const SubsetMapping *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n_in, m->n);
}

static SofaErr subset_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const SubsetMapping *m = (const SubsetMapping *)mapping;
  const SofaState *out = mapping->out;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const uint32_t k = m->from.data[i];
    const double *from = k != NOWHERE               ? at->x[0] + m->coord * k
                         : i < out->rest_position.n ? out->rest_position.data + m->coord * i
                                                    : out->position.data + m->coord * i;
    for (size_t c = 0; c < m->coord; c++) x_out[m->coord * i + c] = from[c];
  }
  return SOFA_OK;
}

static SofaErr subset_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v_in,
                              double *v_out) {
  const SubsetMapping *m = (const SubsetMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const uint32_t k = m->from.data[i];
    for (size_t c = 0; c < m->deriv; c++)
      v_out[m->deriv * i + c] = k == NOWHERE ? 0 : v_in[0][m->deriv * k + c];
  }
  return SOFA_OK;
}

static SofaErr subset_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                               double *const *f_in) {
  const SubsetMapping *m = (const SubsetMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const uint32_t k = m->from.data[i];
    for (size_t c = 0; k != NOWHERE && c < m->deriv; c++)
      f_in[0][m->deriv * k + c] += f_out[m->deriv * i + c];
  }
  return SOFA_OK;
}

static SofaErr subset_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                               SofaJacobian *out) {
  SubsetMapping *m = (SubsetMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(check(m));
  const size_t rows = m->n * m->deriv;
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j, rows, m->n_in * m->deriv, rows));
  for (size_t r = 0; r < rows; r++) {
    const uint32_t from = m->from.data[r / m->deriv];
    sofa_map_matrix_row(&m->j);
    if (from != NOWHERE) sofa_map_matrix_entry(&m->j, m->deriv * from + r % m->deriv, 1);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static void subset_destroy(SofaObject *object) {
  SubsetMapping *m = (SubsetMapping *)object;
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* ---- topological changes ---- */

static SofaErr subset_done(SofaObject *object) {
  SubsetMapping *m = (SubsetMapping *)object;
  m->n_in = m->mapping.inputs[0]->position.n;
  m->n = m->from.n;
  if (m->indices.n || m->first != NOWHERE || m->last != NOWHERE)
    SOFA_TRY(sofa_change_write_field(object, "indices", &m->indices, &m->from));
  sofa_map_matrix_free(object->ctx, &m->j);
  return SOFA_OK;
}

static bool can_listen(const SofaObject *object, const char **why) {
  *why = "is about to change, and handleTopologyChange is 0";
  return ((const SubsetMapping *)object)->handle_topology_change;
}

static const SofaTopologyListenerOps subset_listener = {
    .done = subset_done, .can_listen = can_listen, .moves_output = true};

static const SofaMappingOps subset_ops = {
    .setup = subset_setup,
    .apply = subset_apply,
    .apply_j = subset_apply_j,
    .apply_jt = subset_apply_jt,
    .jacobian = subset_jacobian,
    .linear = true,
};

static const char *const subset_templates[] = {"Vec3d,Vec3d", "Vec1d,Vec1d", "Rigid3d,Rigid3d",
                                               NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SubsetMapping, j),
};

SOFA_CLASS(SubsetMapping) = {
    SOFA_NAMED(SubsetMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output consists of some of the input's points: by index, by a range of indices, "
            "or by the positions of the output.",
    .equations = "y_i = x_{s_i}",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(subset_fields),
    SOFA_PRIVATE_LISTS(subset_lists),
    .templates = subset_templates,
    .destroy = subset_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &subset_ops}, {SOFA_TOPOLOGY_LISTENER, &subset_listener}),
};
