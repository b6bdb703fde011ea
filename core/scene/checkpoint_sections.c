/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections of a checkpoint, of which each process has a run. */
#include "scene/checkpoint_sections.h"

#include "base/checksum.h"
#include "behavior/whole_list.h"

enum { BLOCK = 1 << 16 };

/* Rows first to end - 1 of a section are those of a process. */
typedef struct Span {
  uint64_t first, end;
} Span;

static Span span_of(const SofaSections *s, const SofaSection *section, int rank) {
  const int n = sofa_process_count(s->ctx);
  return (Span){sofa_slice_begin(section->n, rank, n), sofa_slice_begin(section->n, rank + 1, n)};
}

static size_t n_bytes_of(const SofaSections *s, const SofaSection *section, int rank) {
  const Span span = span_of(s, section, rank);
  return (size_t)((span.end - span.first) * section->size);
}

/* ---- writing ---- */

SofaErr sofa_sections_put(SofaSections *s, const SofaSectionRows *rows, const void *values) {
  const SofaSection section = {sofa_division_n_whole(rows->division, rows->kind), rows->size};
  const size_t before = s->run.n, n = n_bytes_of(s, &section, sofa_process_rank(s->ctx));
  SOFA_TRY(SOFA_APPEND(s->ctx, &s->table, &section));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->run, before + n));
  return sofa_run_of_rows(s->ctx, rows->division, rows->kind, rows->size, values,
                          s->run.data + before);
}

/* A row counts with its number, so that the sum does not depend on who adds it. */
static uint64_t sum_rows(uint64_t number, uint64_t n, size_t size, const char *rows) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t row = number + i;
    sum +=
        sofa_checksum(sofa_checksum(SOFA_CHECKSUM_BEGIN, &row, sizeof row), rows + i * size, size);
  }
  return sum;
}

SofaErr sofa_sections_sum_runs(const SofaSections *s, uint64_t *sum) {
  const char *at = s->run.data;
  uint64_t number = 0;
  *sum = 0;
  for (size_t i = 0; i < s->table.n; i++) {
    const SofaSection *section = &s->table.data[i];
    const Span span = span_of(s, section, sofa_process_rank(s->ctx));
    *sum += sum_rows(number + span.first, span.end - span.first, section->size, at);
    at += n_bytes_of(s, section, sofa_process_rank(s->ctx));
    number += section->n;
  }
  return sofa_process_sum_counts(s->ctx, 1, sum);
}

SofaErr sofa_sections_write(const SofaSections *s, SofaSharedOutput *file) {
  const char *at = s->run.data;
  for (size_t i = 0; i < s->table.n; i++) {
    const size_t n = n_bytes_of(s, &s->table.data[i], sofa_process_rank(s->ctx));
    SOFA_TRY(sofa_shared_output_write(s->ctx, file, at, n));
    at += n;
  }
  return SOFA_OK;
}

SofaErr sofa_sections_gather(const SofaSections *s, SofaText *to) {
  const int n = sofa_process_count(s->ctx), rank = sofa_process_rank(s->ctx);
  const SofaScratchMark mark = sofa_scratch_mark(s->ctx);
  size_t *lengths = SOFA_SCRATCH(s->ctx, size_t, (size_t)n);
  const char *at = s->run.data;
  SofaErr err = lengths ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < s->table.n && err == SOFA_OK; i++) {
    const SofaSection *section = &s->table.data[i];
    const size_t before = to->n;
    for (int r = 0; r < n; r++) lengths[r] = n_bytes_of(s, section, r);
    if (rank == 0) err = SOFA_RESIZE(s->ctx, to, before + (size_t)(section->n * section->size));
    if (err == SOFA_OK)
      err = sofa_process_gather(s->ctx, 0, lengths, at, rank == 0 ? to->data + before : NULL);
    at += lengths[rank];
  }
  sofa_scratch_release(s->ctx, mark);
  return err;
}

/* ---- reading ---- */

bool sofa_sections_length(const SofaSections *s, uint64_t most, uint64_t *length) {
  *length = 0;
  for (size_t i = 0; i < s->table.n; i++) {
    const SofaSection *section = &s->table.data[i];
    if (!section->size || section->n > (most - *length) / section->size) return false;
    *length += section->n * section->size;
  }
  return true;
}

static SofaErr read_bytes(const SofaSections *s, uint64_t at, size_t n, void *out) {
  if (s->bytes) sofa_copy(out, s->bytes + s->begin + at, n);
  return s->bytes ? SOFA_OK : sofa_part_read(s->file, s->begin + at, n, out);
}

/* Rows of a section that begins at byte `at`, a block at a time. */
static SofaErr sum_span(const SofaSections *s, const SofaSection *section, uint64_t at,
                        uint64_t number, uint64_t *sum) {
  const Span span = span_of(s, section, sofa_process_rank(s->ctx));
  const uint64_t most = section->size < BLOCK ? BLOCK / section->size : 1;
  SofaText block = {0};
  SofaErr err = SOFA_RESIZE(s->ctx, &block, (size_t)(most * section->size));
  for (uint64_t i = span.first; i < span.end && err == SOFA_OK; i += most) {
    const uint64_t n = span.end - i < most ? span.end - i : most;
    err = read_bytes(s, at + i * section->size, (size_t)(n * section->size), block.data);
    if (err == SOFA_OK) *sum += sum_rows(number + i, n, section->size, block.data);
  }
  sofa_list_free(s->ctx, &block);
  return err;
}

SofaErr sofa_sections_sum_read(const SofaSections *s, uint64_t *sum) {
  uint64_t at = 0, number = 0;
  *sum = 0;
  for (size_t i = 0; i < s->table.n; i++) {
    const SofaSection *section = &s->table.data[i];
    SOFA_TRY(sum_span(s, section, at, number, sum));
    at += section->n * section->size;
    number += section->n;
  }
  return sofa_process_sum_counts(s->ctx, 1, sum);
}

/* Each process reads its run and has from the others what it needs. */
static SofaErr fetch(const SofaSections *s, const SofaSection *section, const SofaSectionRows *rows,
                     void *values) {
  const int rank = sofa_process_rank(s->ctx);
  const size_t n = n_bytes_of(s, section, rank);
  const uint64_t at = s->next_byte + span_of(s, section, rank).first * section->size;
  const uint32_t *numbers = rows->kind == SOFA_ELEMENT_POINT
                                ? rows->division->number.data
                                : rows->division->elements[rows->kind].data;
  SofaText run = {0};
  SofaErr err = SOFA_RESIZE(s->ctx, &run, n);
  if (err == SOFA_OK) err = read_bytes(s, at, n, run.data);
  if (err == SOFA_OK)
    err = sofa_slice_fetch(s->ctx, &(SofaSliceRun){(size_t)section->n, rows->size, run.data},
                           rows->n, numbers, values);
  sofa_list_free(s->ctx, &run);
  return err;
}

bool sofa_sections_has(const SofaSections *s, uint64_t n_whole, size_t size) {
  const SofaSection *section = s->next < s->table.n ? &s->table.data[s->next] : NULL;
  return section && section->n == n_whole && section->size == size;
}

SofaErr sofa_sections_get(SofaSections *s, const SofaSectionRows *rows, void *values, bool *bad) {
  const size_t n_whole =
      rows->division ? sofa_division_n_whole(rows->division, rows->kind) : rows->n;
  if (!sofa_sections_has(s, n_whole, rows->size)) {
    *bad = true;
    return SOFA_OK;
  }
  const SofaSection *section = &s->table.data[s->next];
  SOFA_TRY(rows->division ? fetch(s, section, rows, values)
                          : read_bytes(s, s->next_byte, rows->n * rows->size, values));
  s->next++;
  s->next_byte += section->n * section->size;
  return SOFA_OK;
}

void sofa_sections_rewind(SofaSections *s) {
  s->next = 0;
  s->next_byte = 0;
}

void sofa_sections_free(SofaSections *s) {
  sofa_list_free(s->ctx, &s->table);
  sofa_list_free(s->ctx, &s->run);
}
