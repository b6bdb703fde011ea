/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of integers, whose words are A, A-B or A-B-S. */
#include <limits.h>
#include <string.h>
#include "object/type_impl.h"

#define LONGEST_LIST ((uint64_t)1 << 26) /* entries made of ranges; more is a slip of the pen */

typedef struct Range {
  int64_t first, last, step;
} Range;

/* An integer that fills [begin, end) and fits the scalar. */
static bool whole_int(SofaScalar scalar, const char *begin, const char *end, int64_t *v) {
  const char *stop = begin;
  if (!sofa_parse_int(begin, end, &stop, v) || stop != end) return false;
  if (scalar == SOFA_SCALAR_UINT) return *v >= 0 && *v <= UINT32_MAX;
  return *v >= INT_MIN && *v <= INT_MAX;
}

static const char *find_dash(const char *begin, const char *end) {
  return begin < end ? memchr(begin, '-', (size_t)(end - begin)) : NULL;
}

/* Reads one word; the first character of each part may be its sign. */
static bool read_range(SofaScalar scalar, const char *word, const char *end, Range *r) {
  const char *dash = find_dash(word + 1, end);
  if (!whole_int(scalar, word, dash ? dash : end, &r->first)) return false;
  r->last = r->first;
  r->step = 1;
  if (!dash) return true;
  const char *second = find_dash(dash + 2, end);
  if (!whole_int(scalar, dash + 1, second ? second : end, &r->last)) return false;
  r->step = r->last < r->first ? -1 : 1;
  return !second || whole_int(SOFA_SCALAR_INT, second + 1, end, &r->step);
}

static SofaErr append(const SofaType *type, SofaContext *ctx, int64_t v, void *list) {
  const int i = type->scalar == SOFA_SCALAR_INT ? (int)v : 0;
  const uint32_t u = type->scalar == SOFA_SCALAR_UINT ? (uint32_t)v : 0;
  return sofa_list_append(ctx, list, 4, type->scalar == SOFA_SCALAR_INT ? (const void *)&i : &u);
}

static SofaErr expand(const SofaType *type, const SofaParse *parse, Range r, void *list) {
  if (r.step == 0) {
    r.step = r.last < r.first ? -1 : 1;
    SOFA_TRY(sofa_tolerate(parse, "a step of 0 is read as %d", (int)r.step));
  }
  // the step decides the direction
  if ((r.last - r.first) * r.step < 0) {
    const int64_t first = r.first;
    r.first = r.last;
    r.last = first;
  }
  const uint64_t distance = (uint64_t)(r.last > r.first ? r.last - r.first : r.first - r.last);
  const uint64_t n = distance / (uint64_t)(r.step < 0 ? -r.step : r.step);
  if (n && n + ((const SofaIndices *)list)->n >= LONGEST_LIST) {
    return sofa_refuse(parse, "the range from %lld to %lld is too long", (long long)r.first,
                       (long long)r.last);
  }
  // SOFA always ends descending unsigned ranges with their last value
  const bool descending = r.step < 0 && type->scalar == SOFA_SCALAR_UINT;
  for (int64_t v = r.first; r.step > 0   ? v <= r.last
                            : descending ? v > r.last
                                         : v >= r.last;
       v += r.step) {
    SOFA_TRY(append(type, parse->ctx, v, list));
  }
  return descending ? append(type, parse->ctx, r.last, list) : SOFA_OK;
}

SofaErr sofa_parse_ranges(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  const char *p = text, *word = NULL, *bad = NULL;
  size_t length = 0;
  SOFA_TRY(sofa_list_resize(parse->ctx, value, 4, 0));
  while (sofa_read_word(&p, &word, &length)) {
    Range r = {0};
    if (read_range(type->scalar, word, word + length, &r)) {
      SOFA_TRY(expand(type, parse, r, value));
    } else {
      // SOFA goes on with 0 in its place
      if (!bad) bad = word;
      SOFA_TRY(append(type, parse->ctx, 0, value));
    }
  }
  if (!bad) return SOFA_OK;
  const char *kind = type->scalar == SOFA_SCALAR_INT ? "integers" : "integers >= 0";
  return sofa_refuse(parse, "expected %s or ranges A-B, A-B-S; found '%.*s'", kind,
                     sofa_word_length(bad), bad);
}
