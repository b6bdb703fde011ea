/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetMapping: the output consists of chosen points of the input. */
#include "behavior/state_division.h"
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
  SofaIndices from; /* of each output point, UINT32_MAX: none; ELSEWHERE: of another process */
  bool divided;     /* the output has the points of all processes; a row is that of one */
  size_t n_in, n, coord, deriv;
  SofaMapMatrix j;
} SubsetMapping;

enum { NOWHERE = SOFA_NO_ELEMENT, ELSEWHERE = NOWHERE - 1 };

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

/* ---- inputs that are divided among processes ---- */

static SofaContext *context_of(const SubsetMapping *m) {
  return m->mapping.object.ctx;
}

/* The row of a point by its number in the whole mesh: its owner's. */
static SofaErr append_number(SubsetMapping *m, const SofaDivision *d, uint32_t number) {
  uint32_t at = number == NOWHERE ? NOWHERE : sofa_division_local(d, number);
  if (number == NOWHERE && sofa_process_rank(context_of(m)) > 0) at = ELSEWHERE;
  if (number != NOWHERE && (at == SOFA_NO_ELEMENT || at >= d->n_owned)) at = ELSEWHERE;
  return SOFA_APPEND(context_of(m), &m->from, &at);
}

/* Numbers that the scene gives: those of the whole mesh. */
static SofaErr numbers_given(SubsetMapping *m, const SofaDivision *d) {
  for (size_t i = 0; i < m->indices.n; i++) {
    if (m->indices.data[i] >= d->n_whole)
      return sofa_field_fail(&m->mapping.object, "indices", SOFA_ERR_RANGE,
                             "entry %zu is %u: the input has the points 0 to %zu on all processes",
                             i, m->indices.data[i], d->n_whole - 1);
    SOFA_TRY(append_number(m, d, m->indices.data[i]));
  }
  const SofaField *field = sofa_class_field(m->mapping.object.klass, "indices");
  sofa_field_state(&m->mapping.object, field)->divided = true;
  return SOFA_OK;
}

/* own[i]: number of the i-th listed point that this process owns. */
static SofaErr own_numbers(const SubsetMapping *m, const SofaDivision *d, SofaIndices *own) {
  for (size_t i = 0; i < m->indices.n; i++) {
    const uint32_t at = m->indices.data[i];
    if (at >= d->n || (i && at <= m->indices.data[i - 1])) {
      sofa_process_refuse(context_of(m));
      return sofa_field_fail(&m->mapping.object, "indices", SOFA_ERR_UNSUPPORTED,
                             "points of a divided mesh that are not ascending are not supported "
                             "yet");
    }
    if (at < d->n_owned) SOFA_TRY(SOFA_APPEND(context_of(m), own, &d->number.data[at]));
  }
  return SOFA_OK;
}

static int by_number(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return p < q ? -1 : p > q;
}

/* Points that each process has listed: all of them, ascending as on one process. */
static SofaErr points_listed(SubsetMapping *m, const SofaDivision *d) {
  SofaContext *ctx = context_of(m);
  const size_t n_processes = (size_t)sofa_process_count(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaIndices own = {0};
  size_t most = 0;
  uint32_t *all = NULL;
  SofaErr err = own_numbers(m, d, &own);
  size_t *n = SOFA_SCRATCH(ctx, size_t, n_processes);
  if (err == SOFA_OK)
    err = n ? sofa_process_collect(ctx, sizeof own.n, &own.n, n) : SOFA_ERR_MEMORY;
  for (size_t r = 0; err == SOFA_OK && r < n_processes; r++) most = n[r] > most ? n[r] : most;
  if (err == SOFA_OK) err = SOFA_RESIZE(ctx, &own, most);
  if (err == SOFA_OK && !(all = SOFA_SCRATCH(ctx, uint32_t, n_processes * most)))
    err = SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = sofa_process_collect(ctx, most * sizeof *all, own.data, all);
  size_t total = 0;
  for (size_t r = 0; err == SOFA_OK && r < n_processes; r++)
    for (size_t i = 0; i < n[r]; i++) all[total++] = all[r * most + i];
  if (err == SOFA_OK) sofa_sort(all, total, sizeof *all, by_number);
  for (size_t i = 0; i < total && err == SOFA_OK; i++) err = append_number(m, d, all[i]);
  sofa_list_free(ctx, &own);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* The nearest point of all processes; of equal ones that with the lowest number. */
typedef struct Near {
  double distance2;
  uint64_t number;
} Near;

static Near nearest_own(const SubsetMapping *m, const SofaDivision *d, const double *p) {
  const double *in = m->mapping.inputs[0]->position.data;
  const size_t space = m->coord == 7 ? 3 : m->coord;
  Near best = {m->radius * m->radius, NOWHERE};
  for (size_t k = 0; k < d->n_owned; k++) {
    const double d2 = distance2(in + m->coord * k, p, space);
    if (d2 < best.distance2) best = (Near){d2, d->number.data[k]};
  }
  return best;
}

static SofaErr append_nearest(SubsetMapping *m, const SofaDivision *d, const Near *all, size_t i) {
  const size_t n = m->mapping.out->position.n,
               n_processes = (size_t)sofa_process_count(context_of(m));
  Near best = all[i];
  for (size_t r = 1; r < n_processes; r++) {
    const Near *other = &all[r * n + i];
    if (other->distance2 < best.distance2 ||
        (!(best.distance2 < other->distance2) && other->number < best.number))
      best = *other;
  }
  if (best.number == NOWHERE && !m->ignore_not_found) {
    const SofaErr err = sofa_object_fail(
        &m->mapping.object, SOFA_ERR_NOT_FOUND,
        "no input point is within 'radius' (%g m) of output point %zu", m->radius, i);
    if (!context_of(m)->keep_going) return err;
  }
  return append_number(m, d, (uint32_t)best.number);
}

static SofaErr nearest_of_all(SubsetMapping *m, const SofaDivision *d) {
  SofaContext *ctx = context_of(m);
  const SofaCoords *out = &m->mapping.out->position;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Near *mine = SOFA_SCRATCH(ctx, Near, out->n * (1 + (size_t)sofa_process_count(ctx)));
  Near *all = mine + out->n;
  SofaErr err = mine ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < out->n && err == SOFA_OK; i++)
    mine[i] = nearest_own(m, d, out->data + m->coord * i);
  if (err == SOFA_OK) err = sofa_process_collect(ctx, out->n * sizeof *mine, mine, all);
  for (size_t i = 0; i < out->n && err == SOFA_OK; i++) err = append_nearest(m, d, all, i);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr range_of_all(SubsetMapping *m, const SofaDivision *d) {
  const uint32_t n = (uint32_t)d->n_whole;
  const uint32_t first = m->first < n ? m->first : 0, last = m->last < n ? m->last : n - 1;
  for (uint32_t i = first; n && i <= last; i++) SOFA_TRY(append_number(m, d, i));
  return SOFA_OK;
}

/* The output has all points on all processes. */
static SofaErr setup_divided(SubsetMapping *m, const SofaDivision *d) {
  const SofaField *field = sofa_class_field(m->mapping.object.klass, "indices");
  const bool linked = sofa_field_state(&m->mapping.object, field)->source != NULL;
  if (linked) return points_listed(m, d);
  if (m->indices.n) return numbers_given(m, d);
  if (m->first != NOWHERE || m->last != NOWHERE) return range_of_all(m, d);
  return nearest_of_all(m, d);
}

/* Rows of other processes are 0 so far. */
static SofaErr sum_rows(const SubsetMapping *m, size_t width, double *out) {
  return m->divided ? sofa_process_sum(context_of(m), m->n * width, out) : SOFA_OK;
}

static SofaErr choose_points(SubsetMapping *m) {
  const SofaDivision *division = sofa_state_division(m->mapping.inputs[0]);
  m->divided = division != NULL;
  if (division) return setup_divided(m, division);
  if (m->indices.n) return given_indices(m);
  if (m->first != NOWHERE || m->last != NOWHERE) return given_range(m);
  return nearest_points(m);
}

static SofaErr subset_setup(SofaMapping *mapping) {
  SubsetMapping *m = (SubsetMapping *)mapping;
  const SofaStateKindInfo *kind = sofa_state_kind_info(mapping->out->object.kind);
  m->n_in = mapping->inputs[0]->position.n;
  m->coord = kind->coord;
  m->deriv = kind->deriv;
  m->from.n = 0;
  SOFA_TRY(choose_points(m));
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
    if (k == ELSEWHERE) {
      sofa_zero(x_out + m->coord * i, m->coord * sizeof *x_out);
      continue;
    }
    const double *from = k != NOWHERE               ? at->x[0] + m->coord * k
                         : i < out->rest_position.n ? out->rest_position.data + m->coord * i
                                                    : out->position.data + m->coord * i;
    for (size_t c = 0; c < m->coord; c++) x_out[m->coord * i + c] = from[c];
  }
  return sum_rows(m, m->coord, x_out);
}

/* `deriv` is a constant of the caller where points are in space. */
static inline void take_velocity(size_t deriv, uint32_t k, const double *v, double *to) {
  for (size_t c = 0; c < deriv; c++) to[c] = k >= ELSEWHERE ? 0 : v[deriv * k + c];
}

static SofaErr subset_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v_in,
                              double *v_out) {
  const SubsetMapping *m = (const SubsetMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    if (m->deriv == 3) take_velocity(3, m->from.data[i], v_in[0], v_out + 3 * i);
    else take_velocity(m->deriv, m->from.data[i], v_in[0], v_out + m->deriv * i);
  }
  return sum_rows(m, m->deriv, v_out);
}

static inline void give_force(size_t deriv, uint32_t k, const double *f, double *to) {
  if (k >= ELSEWHERE) return;
  for (size_t c = 0; c < deriv; c++) to[deriv * k + c] += f[c];
}

static SofaErr subset_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                               double *const *f_in) {
  const SubsetMapping *m = (const SubsetMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    if (m->deriv == 3) give_force(3, m->from.data[i], f_out + 3 * i, f_in[0]);
    else give_force(m->deriv, m->from.data[i], f_out + m->deriv * i, f_in[0]);
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
    if (from < ELSEWHERE) sofa_map_matrix_entry(&m->j, m->deriv * from + r % m->deriv, 1);
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
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    SOFA_FIELDS(subset_fields),
    SOFA_PRIVATE_LISTS(subset_lists),
    .templates = subset_templates,
    .destroy = subset_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &subset_ops}, {SOFA_TOPOLOGY_LISTENER, &subset_listener}),
};
