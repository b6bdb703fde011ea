/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over frames: building the entries, and the operations of mappings made of them. */
#include "numerics/mapping/frame_sums.h"

#include <string.h>

#include "math/isa.h"
#include "numerics/mapping/frame_sums_kernels_impl.h"

/* ---- building ---- */

SofaErr sofa_frame_sums_begin(SofaFrameSums *m) {
  const uint32_t zero = 0;
  m->n_in = m->mapping.inputs[0]->position.n;
  m->n = 0;
  sofa_map_matrix_free(m->mapping.object.ctx, &m->j);
  m->start.n = m->frame.n = m->weight.n = m->local.n = 0;
  return SOFA_APPEND(m->mapping.object.ctx, &m->start, &zero);
}

SofaErr sofa_frame_sums_entry(SofaFrameSums *m, uint32_t frame, double weight,
                              const double local[3]) {
  SofaContext *ctx = m->mapping.object.ctx;
  SOFA_TRY(SOFA_APPEND(ctx, &m->frame, &frame));
  SOFA_TRY(SOFA_APPEND(ctx, &m->weight, &weight));
  for (int c = 0; c < 3; c++) SOFA_TRY(SOFA_APPEND(ctx, &m->local, &local[c]));
  return SOFA_OK;
}

SofaErr sofa_frame_sums_next(SofaFrameSums *m) {
  const uint32_t end = (uint32_t)m->frame.n;
  m->n++;
  return SOFA_APPEND(m->mapping.object.ctx, &m->start, &end);
}

/* The entries by frames. */
static SofaErr make_columns(SofaFrameSums *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  m->column_start.n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column_start, m->n_in + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column_entry, m->frame.n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column_point, m->frame.n));
  uint32_t *start = m->column_start.data;
  // start[j + 1] is the begin of column j and moves while it is filled
  for (size_t e = 0; e < m->frame.n; e++) start[m->frame.data[e] + 2]++;
  for (size_t j = 1; j < m->column_start.n; j++) start[j] += start[j - 1];
  for (size_t i = 0; i < m->n; i++) {
    for (uint32_t e = m->start.data[i]; e < m->start.data[i + 1]; e++) {
      const uint32_t to = start[m->frame.data[e] + 1]++;
      m->column_entry.data[to] = e;
      m->column_point.data[to] = (uint32_t)i;
    }
  }
  m->column_start.n--; // the last one counted nothing
  return SOFA_OK;
}

SofaErr sofa_frame_sums_finish(SofaFrameSums *m) {
  SofaState *out = m->mapping.out;
  SOFA_TRY(SOFA_RESIZE(m->mapping.object.ctx, &m->arm, m->local.n));
  SOFA_TRY(make_columns(m));
  return out->position.n == m->n ? SOFA_OK : sofa_state_resize(out, m->n);
}

void sofa_frame_sums_destroy(SofaObject *object) {
  SofaFrameSums *m = (SofaFrameSums *)object;
  sofa_list_free(object->ctx, &m->start);
  sofa_list_free(object->ctx, &m->frame);
  sofa_list_free(object->ctx, &m->weight);
  sofa_list_free(object->ctx, &m->local);
  sofa_list_free(object->ctx, &m->arm);
  sofa_list_free(object->ctx, &m->column_start);
  sofa_list_free(object->ctx, &m->column_entry);
  sofa_list_free(object->ctx, &m->column_point);
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* ---- topological changes ---- */

/* Drops removed frames from the entries [begin, end) and appends the others at *at. */
static void keep_entries(SofaFrameSums *m, const SofaTopologyChange *change, uint32_t begin,
                         uint32_t end, uint32_t *at) {
  const uint32_t first = *at;
  double all = 0, kept = 0;
  for (uint32_t e = begin; e < end; e++) {
    const uint32_t now = sofa_change_renamed(change, m->frame.data[e]);
    const double w = m->weight.data[e];
    all += w;
    if (now == SOFA_NO_ELEMENT) continue;
    kept += w;
    m->frame.data[*at] = now;
    m->weight.data[*at] = w;
    memmove(m->local.data + 3 * (size_t)*at, m->local.data + 3 * (size_t)e, 3 * sizeof(double));
    ++*at;
  }
  if (*at - first == end - begin) return;
  for (uint32_t e = first; e < *at; e++) {
    m->weight.data[e] *= all / kept;
    for (int c = 0; c < 3; c++) m->local.data[3 * (size_t)e + (size_t)c] *= all / kept;
  }
}

static SofaErr frames_go(SofaFrameSums *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices gone = {0};
  SofaErr err = SOFA_OK;
  uint32_t at = 0, begin = 0;
  for (uint32_t i = 0; i < m->n && err == SOFA_OK; i++) {
    const uint32_t end = m->start.data[i + 1];
    keep_entries(m, change, begin, end, &at);
    if (begin < end && at == m->start.data[i]) err = SOFA_APPEND(ctx, &gone, &i);
    m->start.data[i + 1] = at;
    begin = end;
  }
  m->frame.n = m->weight.n = at;
  m->local.n = 3 * (size_t)at;
  m->n_in -= change->n;
  for (size_t k = 0; k < gone.n / 2; k++) {
    const uint32_t id = gone.data[k];
    gone.data[k] = gone.data[gone.n - 1 - k];
    gone.data[gone.n - 1 - k] = id;
  }
  // the output's removal comes back as a change of its points
  if (err == SOFA_OK)
    err = sofa_state_remove_points(change->edit, m->mapping.out, gone.data, gone.n);
  sofa_list_free(ctx, &gone);
  return err;
}

/* The rows in the order in which the points stand now. */
static SofaErr points_go(SofaFrameSums *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaFrameSums old = *m;
  SofaIndices row = {0};
  SofaErr err = SOFA_RESIZE(ctx, &row, m->n);
  for (uint32_t i = 0; i < row.n; i++) row.data[i] = i;
  sofa_change_remove_entries(change, &row, sizeof *row.data);
  m->start = m->frame = (SofaIndices){0};
  m->weight = m->local = (SofaReals){0};
  if (err == SOFA_OK) err = sofa_frame_sums_begin(m);
  m->n_in = old.n_in;
  for (size_t k = 0; k < row.n && err == SOFA_OK; k++) {
    for (uint32_t e = old.start.data[row.data[k]]; e < old.start.data[row.data[k] + 1]; e++)
      if (err == SOFA_OK)
        err = sofa_frame_sums_entry(m, old.frame.data[e], old.weight.data[e],
                                    old.local.data + 3 * (size_t)e);
    if (err == SOFA_OK) err = sofa_frame_sums_next(m);
  }
  sofa_list_free(ctx, &row);
  sofa_list_free(ctx, &old.start);
  sofa_list_free(ctx, &old.frame);
  sofa_list_free(ctx, &old.weight);
  sofa_list_free(ctx, &old.local);
  return err;
}

SofaErr sofa_frame_sums_listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaFrameSums *m = (SofaFrameSums *)object;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  if (sofa_change_moves(change, m->mapping.inputs[0])) {
    if (goes) return frames_go(m, change);
    m->n_in += change->n;
  }
  if (sofa_change_moves(change, m->mapping.out) && goes) return points_go(m, change);
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->arm, m->local.n));
  SOFA_TRY(make_columns(m));
  sofa_map_matrix_free(object->ctx, &m->j);
  return sofa_mapping_put(&m->mapping);
}

/* ---- operations ---- */

static SofaErr check(const SofaFrameSums *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n_in, m->n);
}

static const SofaFrameSumKernels *kernels(const SofaFrameSums *m) {
  static const SofaFrameSumKernels *const variants[] = SOFA_VARIANTS(&sofa_frame_sum_kernels);
  return variants[sofa_isa(m->mapping.object.ctx)];
}

SofaErr sofa_frame_sums_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  SofaFrameSums *m = (SofaFrameSums *)mapping;
  SOFA_TRY(check(m));
  kernels(m)->apply(m, at->x[0], x_out);
  return SOFA_OK;
}

SofaErr sofa_frame_sums_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v,
                                double *out) {
  const SofaFrameSums *m = (const SofaFrameSums *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  kernels(m)->apply_j(m, v[0], out);
  return SOFA_OK;
}

SofaErr sofa_frame_sums_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                                 double *const *in) {
  const SofaFrameSums *m = (const SofaFrameSums *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  kernels(m)->apply_jt(m, f, in[0]);
  return SOFA_OK;
}

/* Row k of point i: (w I, -[rho]x) for each of its frames. */
static void write_row(SofaFrameSums *m, size_t i, size_t k) {
  const size_t a = (k + 1) % 3, b = (k + 2) % 3;
  sofa_map_matrix_row(&m->j);
  for (uint32_t e = m->start.data[i]; e < m->start.data[i + 1]; e++) {
    const size_t c = 6 * (size_t)m->frame.data[e];
    const double *rho = m->arm.data + 3 * (size_t)e;
    sofa_map_matrix_entry(&m->j, c + k, m->weight.data[e]);
    sofa_map_matrix_entry(&m->j, c + 3 + a, rho[b]);
    sofa_map_matrix_entry(&m->j, c + 3 + b, -rho[a]);
  }
}

SofaErr sofa_frame_sums_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                 SofaJacobian *out) {
  SofaFrameSums *m = (SofaFrameSums *)mapping;
  (void)at, (void)k;
  SOFA_TRY(check(m));
  SOFA_TRY(
      sofa_map_matrix_begin(mapping->object.ctx, &m->j, 3 * m->n, 6 * m->n_in, 9 * m->frame.n));
  for (size_t r = 0; r < 3 * m->n; r++) write_row(m, r / 3, r % 3);
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}
