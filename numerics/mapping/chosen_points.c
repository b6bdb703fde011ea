/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chosen points of several inputs: tables and operations. */
#include "numerics/mapping/chosen_points.h"

#include "behavior/state_division.h"

/* ---- setup ---- */

static void free_tables(SofaChosenPoints *m) {
  SofaContext *ctx = m->multi.mapping.object.ctx;
  for (size_t k = 0; m->j && k < m->n_inputs; k++) sofa_map_matrix_free(ctx, &m->j[k]);
  sofa_free(ctx, m->n_in);
  sofa_free(ctx, m->j);
}

void sofa_chosen_points_destroy(SofaObject *object) {
  SofaChosenPoints *m = (SofaChosenPoints *)object;
  free_tables(m);
  sofa_map_rows_free(object->ctx, &m->rows);
}

SofaErr sofa_chosen_points_begin(SofaChosenPoints *m) {
  const SofaMapping *map = &m->multi.mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(map->inputs[0]->object.kind);
  const SofaStateKindInfo *out = sofa_state_kind_info(map->out->object.kind);
  free_tables(m);
  m->rows.width = 1;
  m->rows.input.n = m->rows.point.n = 0;
  m->n_inputs = map->n_inputs;
  m->n_in = sofa_alloc(map->object.ctx, m->n_inputs, sizeof *m->n_in);
  m->j = sofa_alloc(map->object.ctx, m->n_inputs, sizeof *m->j);
  if (!m->n_in || !m->j) return SOFA_ERR_MEMORY;
  m->divided = false;
  for (size_t k = 0; k < m->n_inputs; k++) {
    m->n_in[k] = map->inputs[k]->position.n;
    m->divided |= sofa_state_division(map->inputs[k]) != NULL;
  }
  m->in_coord = in->coord;
  m->in_deriv = in->deriv;
  m->out_coord = out->coord;
  m->out_deriv = out->deriv;
  // from frames to points: the origins
  m->n_coord = in->coord < out->coord ? in->coord : out->coord;
  m->n_deriv = in->deriv < out->deriv ? in->deriv : out->deriv;
  return SOFA_OK;
}

static bool is_whole(const SofaChosenPoints *m, size_t row) {
  return !sofa_state_division(m->multi.mapping.inputs[m->rows.input.data[row]]);
}

SofaErr sofa_chosen_points_append(SofaChosenPoints *m, uint32_t input, uint32_t point) {
  const SofaMapping *map = &m->multi.mapping;
  const SofaDivision *d = input < map->n_inputs ? sofa_state_division(map->inputs[input]) : NULL;
  if (d && point >= d->n_whole)
    return sofa_field_fail(&map->object, "indexPairs", SOFA_ERR_RANGE,
                           "pair %zu is point %u of input %u, which has %zu on all processes",
                           sofa_map_rows_n(&m->rows), point, input, d->n_whole);
  if (d) point = sofa_division_local(d, point);
  if (d && point >= d->n_owned) point = SOFA_NO_ELEMENT;
  return sofa_map_rows_append(map->object.ctx, &m->rows, input, point);
}

SofaErr sofa_chosen_points_finish(SofaChosenPoints *m) {
  const SofaMapping *map = &m->multi.mapping;
  m->n = sofa_map_rows_n(&m->rows);
  for (size_t i = 0; i < m->n; i++) {
    const uint32_t k = m->rows.input.data[i], p = m->rows.point.data[i];
    if (k < map->n_inputs && (p < m->n_in[k] || (m->divided && p == SOFA_NO_ELEMENT))) continue;
    return sofa_field_fail(
        &map->object, "indexPairs", SOFA_ERR_RANGE, "pair %zu is point %u of input %u: %s", i, p, k,
        k < map->n_inputs ? "the input has fewer points" : "there are fewer inputs");
  }
  return map->out->position.n == m->n ? SOFA_OK : sofa_state_resize(map->out, m->n);
}

SofaErr sofa_chosen_points_listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaChosenPoints *m = (SofaChosenPoints *)object;
  return sofa_map_rows_listen(&m->rows, &m->multi.mapping, change);
}

SofaErr sofa_chosen_points_done(SofaObject *object) {
  SofaChosenPoints *m = (SofaChosenPoints *)object;
  const SofaMapping *map = &m->multi.mapping;
  m->n = sofa_map_rows_n(&m->rows);
  for (size_t k = 0; k < m->n_inputs; k++) {
    m->n_in[k] = map->inputs[k]->position.n;
    sofa_map_matrix_free(map->object.ctx, &m->j[k]);
  }
  return sofa_mapping_put(&m->multi.mapping);
}

const SofaTopologyListenerOps sofa_chosen_points_listener = {
    .listen = sofa_chosen_points_listen, .done = sofa_chosen_points_done, .moves_output = true};

/* ---- operations ---- */

static SofaErr check(const SofaChosenPoints *m) {
  return sofa_mapping_check_sizes(&m->multi.mapping, m->n_in, m->n);
}

/* Entries of the points of an input and of the output. */
typedef struct Widths {
  size_t in, out, n;
} Widths;

/* Points in space: loops over constants are unrolled. */
static bool is_of_three(const Widths *w) {
  return w->in == 3 && w->out == 3 && w->n == 3;
}

static inline void copy_row(const SofaChosenPoints *m, size_t i, const Widths *w,
                            const double *const *in, double *out) {
  const double *from = in[m->rows.input.data[i]] + w->in * m->rows.point.data[i];
  for (size_t c = 0; c < w->n; c++) out[w->out * i + c] = from[c];
}

/* Rows of divided inputs are summed over the processes, of which one has each. */
static SofaErr copy_divided(const SofaChosenPoints *m, const Widths *w, const double *const *in,
                            double *out) {
  sofa_zero(out, m->n * w->out * sizeof *out);
  for (size_t i = 0; i < m->n; i++)
    if (m->rows.point.data[i] != SOFA_NO_ELEMENT && !is_whole(m, i)) copy_row(m, i, w, in, out);
  SOFA_TRY(sofa_process_sum(m->multi.mapping.object.ctx, m->n * w->out, out));
  for (size_t i = 0; i < m->n; i++)
    if (is_whole(m, i)) copy_row(m, i, w, in, out);
  return SOFA_OK;
}

static SofaErr copy_rows(const SofaChosenPoints *m, const Widths *w, const double *const *in,
                         double *out) {
  SOFA_TRY(check(m));
  if (m->divided) return copy_divided(m, w, in, out);
  if (is_of_three(w)) {
    for (size_t i = 0; i < m->n; i++) copy_row(m, i, &(Widths){3, 3, 3}, in, out);
  } else {
    for (size_t i = 0; i < m->n; i++) copy_row(m, i, w, in, out);
  }
  return SOFA_OK;
}

SofaErr sofa_chosen_points_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const SofaChosenPoints *m = (const SofaChosenPoints *)mapping;
  return copy_rows(m, &(Widths){m->in_coord, m->out_coord, m->n_coord}, at->x, x_out);
}

SofaErr sofa_chosen_points_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                   const double *const *v_in, double *v_out) {
  const SofaChosenPoints *m = (const SofaChosenPoints *)mapping;
  (void)at;
  return copy_rows(m, &(Widths){m->in_deriv, m->out_deriv, m->n_deriv}, v_in, v_out);
}

static inline void add_row(const SofaChosenPoints *m, size_t i, const Widths *w, const double *out,
                           double *const *in) {
  if (m->rows.point.data[i] == SOFA_NO_ELEMENT) return;
  double *to = in[m->rows.input.data[i]] + w->in * m->rows.point.data[i];
  for (size_t c = 0; c < w->n; c++) to[c] += out[w->out * i + c];
}

SofaErr sofa_chosen_points_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                    double *const *f_in) {
  const SofaChosenPoints *m = (const SofaChosenPoints *)mapping;
  const Widths w = {m->in_deriv, m->out_deriv, m->n_deriv};
  (void)at;
  SOFA_TRY(check(m));
  if (is_of_three(&w)) {
    for (size_t i = 0; i < m->n; i++) add_row(m, i, &(Widths){3, 3, 3}, f_out, f_in);
  } else {
    for (size_t i = 0; i < m->n; i++) add_row(m, i, &w, f_out, f_in);
  }
  return SOFA_OK;
}

SofaErr sofa_chosen_points_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                    SofaJacobian *out) {
  SofaChosenPoints *m = (SofaChosenPoints *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  const size_t rows = m->n * m->out_deriv;
  SofaMapMatrix *j = &m->j[k];
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, j, rows, m->n_in[k] * m->in_deriv, rows));
  for (size_t r = 0; r < rows; r++) {
    const size_t i = r / m->out_deriv, c = r % m->out_deriv;
    sofa_map_matrix_row(j);
    if (m->rows.input.data[i] == k && c < m->n_deriv && m->rows.point.data[i] != SOFA_NO_ELEMENT)
      sofa_map_matrix_entry(j, m->in_deriv * m->rows.point.data[i] + c, 1);
  }
  sofa_map_matrix_end(j, out);
  return SOFA_OK;
}
