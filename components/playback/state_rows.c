/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a file of recorded states and keeps the values of local points. */
#include "components/playback/state_rows.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/checksum.h"
#include "base/provenance.h"

enum { PIECE = 1 << 16, LONGEST_LABEL = 3 };

typedef enum Mode { MODE_LABEL, MODE_COPY, MODE_VALUES } Mode;
SOFA_LIST(size_t, Sizes);

typedef struct Filter {
  SofaContext *ctx;
  const SofaOrigin *origin;
  const SofaDivision *division;
  const unsigned *widths;
  SofaText *out;
  SofaIndices order; /* local points by ascending number */
  SofaIndices rank;  /* of each local point in `order` */
  /* of the present line */
  Mode mode;
  int line;       /* from 1 */
  unsigned width; /* numbers of a point */
  char label[LONGEST_LABEL + 1];
  size_t n_label, n_numbers; /* that were begun */
  size_t next;               /* rank of the next local point */
  bool in_number, keeps;     /* this number is one of a local point */
  SofaText kept;             /* numbers of local points, each behind a blank */
  Sizes start;               /* of each in `kept` */
} Filter;

/* ---- the order of local points ---- */

/* Owned points and the others ascend, each: merges both. */
static SofaErr sort_points(Filter *f) {
  const SofaDivision *d = f->division;
  const uint32_t *number = d->number.data;
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->order, d->n));
  SOFA_TRY(SOFA_RESIZE(f->ctx, &f->rank, d->n));
  size_t a = 0, b = d->n_owned;
  for (uint32_t i = 0; i < d->n; i++) {
    const bool own = b == d->n || (a < d->n_owned && number[a] < number[b]);
    f->order.data[i] = (uint32_t)(own ? a++ : b++);
    f->rank.data[f->order.data[i]] = i;
  }
  return SOFA_OK;
}

/* ---- lines ---- */

static SofaErr put(Filter *f, const char *bytes, size_t n) {
  return sofa_text_append(f->ctx, f->out, bytes, n);
}

static void begin_line(Filter *f) {
  f->mode = MODE_LABEL;
  f->line++;
  f->n_label = f->n_numbers = f->next = 0;
  f->in_number = f->keeps = false;
  f->kept.n = f->start.n = 0;
}

/* The label is complete: are there values of points? */
static void take_label(Filter *f) {
  static const char *const labels[] = {"X=", "X0=", "V=", "F="};
  f->label[f->n_label] = '\0';
  f->mode = MODE_COPY;
  for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) {
    if (strcmp(f->label, labels[k]) != 0) continue;
    f->mode = MODE_VALUES;
    f->width = f->widths[k >= 2];
  }
}

static SofaErr read_label(Filter *f, char c) {
  if (c == ' ' || c == '\t') return put(f, &c, 1);
  f->label[f->n_label++] = c;
  if (c == '=' || f->n_label == LONGEST_LABEL || c == '#') take_label(f);
  return put(f, &c, 1);
}

/* Point and number are those of the list of all points. */
static SofaErr begin_number(Filter *f) {
  const size_t point = f->n_numbers++ / f->width;
  const SofaIndices *number = &f->division->number;
  while (f->next < f->order.n && number->data[f->order.data[f->next]] < point) f->next++;
  f->keeps = f->next < f->order.n && number->data[f->order.data[f->next]] == point;
  f->in_number = true;
  if (!f->keeps) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(f->ctx, &f->start, &f->kept.n));
  return sofa_text_append(f->ctx, &f->kept, " ", 1);
}

static SofaErr read_value(Filter *f, char c) {
  if (c == ' ' || c == '\t' || c == '\r') {
    f->in_number = false;
    return SOFA_OK;
  }
  if (!f->in_number) SOFA_TRY(begin_number(f));
  return f->keeps ? sofa_text_append(f->ctx, &f->kept, &c, 1) : SOFA_OK;
}

/* In the local order. */
static SofaErr put_values(Filter *f) {
  const size_t n_whole = f->division->n_whole;
  SofaOrigin origin = *f->origin;
  origin.line = f->line;
  if (f->n_numbers != n_whole * f->width)
    return sofa_fail(f->ctx, SOFA_ERR_PARSE, &origin,
                     "%s has %zu numbers, the state has %zu points with %u each", f->label,
                     f->n_numbers, n_whole, f->width);
  for (size_t i = 0; i < f->rank.n; i++) {
    const size_t first = (size_t)f->rank.data[i] * f->width, end = first + f->width;
    const size_t begin = f->start.data[first];
    SOFA_TRY(
        put(f, f->kept.data + begin, (end < f->start.n ? f->start.data[end] : f->kept.n) - begin));
  }
  return SOFA_OK;
}

static SofaErr read_char(Filter *f, char c) {
  if (c == '\n') {
    if (f->mode == MODE_VALUES) SOFA_TRY(put_values(f));
    begin_line(f);
    return put(f, &c, 1);
  }
  if (f->mode == MODE_LABEL) return read_label(f, c);
  return f->mode == MODE_VALUES ? read_value(f, c) : put(f, &c, 1);
}

/* ---- the file ---- */

static SofaErr fail(const Filter *f, SofaErr err, const char *what, const char *why) {
  return sofa_fail(f->ctx, err, f->origin, "cannot %s the file: %s", what, why);
}

static SofaErr read_pieces(Filter *f, gzFile in, uint64_t *sum) {
  char bytes[PIECE];
  int n, code = 0;
  while ((n = gzread(in, bytes, sizeof bytes)) > 0) {
    *sum = sofa_checksum(*sum, bytes, (size_t)n);
    for (int i = 0; i < n; i++) SOFA_TRY(read_char(f, bytes[i]));
  }
  const char *why = gzerror(in, &code);
  if (n < 0) return fail(f, SOFA_ERR_IO, "read", code == Z_ERRNO ? strerror(errno) : why);
  return SOFA_OK;
}

static SofaErr read_file(Filter *f, uint64_t *sum) {
  errno = 0;
  gzFile in = gzopen(f->origin->file, "rb");
  if (!in)
    return fail(f, errno == ENOENT ? SOFA_ERR_NOT_FOUND : SOFA_ERR_IO, "open",
                strerror(errno ? errno : ENOMEM));
  const SofaErr err = read_pieces(f, in, sum);
  // a compressed stream cut short shows only here
  if (gzclose(in) != Z_OK && err == SOFA_OK)
    return fail(f, SOFA_ERR_IO, "read", "it is incomplete");
  return err;
}

SofaErr state_rows_read(SofaContext *ctx, const SofaOrigin *origin, const SofaDivision *division,
                        const unsigned widths[2], SofaText *text) {
  Filter f = {.ctx = ctx, .origin = origin, .division = division, .widths = widths, .out = text};
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  bool same = true;
  SofaErr err;
  text->n = 0;
  begin_line(&f);
  SOFA_GO(err, done, sort_points(&f));
  SOFA_GO(err, done, read_file(&f, &sum));
  SOFA_GO(err, done, put(&f, "", 0));
  SOFA_GO(err, done, sofa_provenance_input(ctx, origin->file, sum));
  SOFA_GO(err, done, sofa_process_same(ctx, sizeof sum, &sum, &same));
  if (!same)
    err = sofa_fail(ctx, SOFA_ERR_SCENE, origin, "the processes have different files of this name");
done:
  sofa_list_free(ctx, &f.order);
  sofa_list_free(ctx, &f.rank);
  sofa_list_free(ctx, &f.kept);
  sofa_list_free(ctx, &f.start);
  return err;
}
