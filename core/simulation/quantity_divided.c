/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each process reads its own points or elements; sums are made in the order of the ranks. */
#include "simulation/quantity_divided.h"

#include <math.h>

#include "base/checksum.h"
#include "behavior/whole_list.h"
#include "object/numbers.h"
#include "object/process.h"

static size_t length_of(const SofaObject *object, const SofaField *field) {
  return sofa_value_length(field, sofa_field_value(object, field));
}

size_t sofa_quantity_n_whole(const SofaQuantity *q) {
  return sofa_division_n_whole(q->division, q->kind);
}

/* Is the value equal on all processes? */
static SofaErr find_same(const SofaObject *object, const SofaField *field, bool *same) {
  const void *value = sofa_field_value(object, field);
  const size_t n = length_of(object, field) * sofa_value_width(field, value);
  uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, &n, sizeof n);
  for (size_t i = 0; i < n; i++) {
    double entry = 0;
    sofa_field_number(object, field, i, &entry);
    sum = sofa_checksum(sum, &entry, sizeof entry);
  }
  return sofa_process_same(object->ctx, sizeof sum, &sum, same);
}

/* fits[k]: the list has an entry per element of kind k on all processes. */
static SofaErr find_fits(SofaContext *ctx, const SofaDivision *d, size_t length,
                         double fits[SOFA_N_ELEMENT_KINDS]) {
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++)
    fits[k] = length != sofa_division_n_local(d, (SofaElementKind)k);
  return sofa_process_max(ctx, SOFA_N_ELEMENT_KINDS, fits);
}

SofaErr sofa_quantity_find_division(const SofaObject *object, const SofaField *field,
                                    SofaQuantity *q) {
  const SofaDivision *d = object->ctx->processes ? sofa_object_division(object, field) : NULL;
  double fits[SOFA_N_ELEMENT_KINDS];
  q->division = NULL;
  if (!d || !field->type->list) return SOFA_OK;
  SOFA_TRY(find_fits(object->ctx, d, length_of(object, field), fits));
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS && !q->division; k++) {
    if (fits[k] > 0 || !sofa_division_n_whole(d, (SofaElementKind)k)) continue;
    q->division = d;
    q->kind = (SofaElementKind)k;
  }
  bool same = false;
  if (!q->division) SOFA_TRY(find_same(object, field, &same));
  if (q->division || same) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED,
                          "quantity '%s' is not supported yet: the list has neither the points nor "
                          "the elements of the mesh that is divided among processes",
                          q->text);
}

/* ---- reading ---- */

/* The entries of this process. */
typedef struct Part {
  const SofaQuantity *q;
  const SofaObject *object;
  const SofaField *field;
  size_t n, width;
} Part;

static double number(const Part *p, size_t entry, size_t c) {
  double value = NAN;
  sofa_field_number(p->object, p->field, entry * p->width + c, &value);
  return value;
}

static bool is_meant(const Part *p, size_t c) {
  return !p->q->one_number || c == p->q->number;
}

/* Sums of this process, then of all: squares, values, their number. Extremes: of -values, values,
 * squares of the norms of entries. */
typedef struct Partial {
  double sums[3], most[3];
} Partial;

static void add_entry(const Part *p, size_t entry, Partial *out) {
  double squares = 0;
  for (size_t c = 0; c < p->width; c++) {
    if (!is_meant(p, c)) continue;
    const double value = number(p, entry, c);
    squares += value * value;
    out->sums[1] += value;
    out->sums[2]++;
    out->most[0] = fmax(out->most[0], -value);
    out->most[1] = fmax(out->most[1], value);
  }
  out->sums[0] += squares;
  out->most[2] = fmax(out->most[2], squares);
}

static double result_of(const SofaQuantity *q, const Partial *all) {
  const bool none = all->sums[2] == 0;
  switch (q->op) {
  case SOFA_QUANTITY_NORM:
    return sqrt(all->sums[0]);
  case SOFA_QUANTITY_SUM:
    return all->sums[1];
  case SOFA_QUANTITY_MEAN:
    return none ? NAN : all->sums[1] / all->sums[2];
  case SOFA_QUANTITY_MIN:
    return none ? NAN : -all->most[0];
  case SOFA_QUANTITY_MAX:
    return none ? NAN : all->most[1];
  case SOFA_QUANTITY_MAXNORM:
    return none ? NAN : sqrt(all->most[2]);
  default:
    return (double)sofa_quantity_n_whole(q);
  }
}

/* Local entry of the one that is asked for; n: another process counts it. */
static size_t local_entry(const Part *p) {
  const uint32_t at =
      sofa_division_local_element(p->q->division, p->q->kind, (uint32_t)p->q->entry);
  return at < p->n ? at : p->n;
}

static SofaErr reduce(const Part *p, double *value) {
  Partial all = {{0, 0, 0}, {-INFINITY, -INFINITY, 0}};
  const size_t one = p->q->one_entry ? local_entry(p) : 0;
  if (!p->q->one_entry)
    for (size_t i = 0; i < p->n; i++) add_entry(p, i, &all);
  else if (one < p->n) add_entry(p, one, &all);
  SOFA_TRY(sofa_process_sum(p->object->ctx, 3, all.sums));
  SOFA_TRY(sofa_process_max(p->object->ctx, 3, all.most));
  *value = result_of(p->q, &all);
  return SOFA_OK;
}

/* Numbers of an entry that are asked for. */
static size_t n_meant(const Part *p) {
  return p->q->one_number ? 1 : p->width;
}

static void list_entry(const Part *p, size_t entry, size_t at, bool *have, double *values) {
  for (size_t c = 0; c < p->width; c++) {
    if (!is_meant(p, c) || at >= p->q->n_columns) continue;
    have[at] = true;
    values[at++] = number(p, entry, c);
  }
}

static SofaErr list_numbers(const Part *p, double *values) {
  SofaContext *ctx = p->object->ctx;
  const SofaDivision *d = p->q->division;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaIndices *numbers =
      p->q->kind == SOFA_ELEMENT_POINT ? &d->number : &d->elements[p->q->kind];
  bool *have = SOFA_SCRATCH(ctx, bool, p->q->n_columns + 1);
  if (!have) return SOFA_ERR_MEMORY;
  sofa_zero(have, p->q->n_columns * sizeof *have);
  const size_t one = p->q->one_entry ? local_entry(p) : 0;
  if (!p->q->one_entry)
    for (size_t i = 0; i < p->n; i++) list_entry(p, i, numbers->data[i] * n_meant(p), have, values);
  else if (one < p->n) list_entry(p, one, 0, have, values);
  const SofaErr err = sofa_share_values(ctx, p->q->n_columns, have, values);
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_quantity_read_divided(const SofaQuantity *q, const SofaObject *object,
                                   const SofaField *field, double *values) {
  const SofaDivision *d = q->division;
  Part p = {.q = q, .object = object, .field = field};
  p.n = q->kind == SOFA_ELEMENT_POINT ? d->n_owned : d->elements[q->kind].n;
  p.width = sofa_value_width(field, sofa_field_value(object, field));
  if (length_of(object, field) < p.n) p.n = length_of(object, field);
  return q->op == SOFA_QUANTITY_ALL ? list_numbers(&p, values) : reduce(&p, values);
}
