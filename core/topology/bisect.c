/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recursive bisection of coordinates. */
#include "topology/division.h"

#include <float.h>

typedef struct Place {
  double x; /* along the axis of the cut */
  uint32_t i;
} Place;

typedef struct Bisection {
  const double *places;
  Place *order; /* a permutation of the places: those of a range of parts are beside each other */
  uint32_t *part;
} Bisection;

static int compare(const void *a, const void *b) {
  const Place *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->i > q->i) - (p->i < q->i);
}

/* Longest side of the box of the places first .. last - 1. */
static int longest_axis(const Bisection *b, size_t first, size_t last) {
  double longest = -1;
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    double low = DBL_MAX, high = -DBL_MAX;
    for (size_t i = first; i < last; i++) {
      const double x = b->places[3 * (size_t)b->order[i].i + (size_t)k];
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    if (high - low <= longest) continue;
    longest = high - low;
    axis = k;
  }
  return axis;
}

/* Parts first_part .. first_part + n_parts - 1 get the places first .. last - 1; depth log2. */
static void bisect(const Bisection *b, size_t first, size_t last, uint32_t first_part,
                   uint32_t n_parts) {
  if (n_parts == 1) {
    for (size_t i = first; i < last; i++) b->part[b->order[i].i] = first_part;
    return;
  }
  const int axis = longest_axis(b, first, last);
  for (size_t i = first; i < last; i++)
    b->order[i].x = b->places[3 * (size_t)b->order[i].i + (size_t)axis];
  if (last > first) sofa_sort(b->order + first, last - first, sizeof *b->order, compare);
  /* the first half gets the larger parts, when not all have the same size */
  const uint32_t half = n_parts / 2;
  const size_t n = last - first, each = n / n_parts, more = n % n_parts;
  const size_t middle = first + each * half + (more < half ? more : half);
  bisect(b, first, middle, first_part, half);
  bisect(b, middle, last, first_part + half, n_parts - half);
}

SofaErr sofa_bisect_places(SofaContext *ctx, size_t n, const double *places, uint32_t n_parts,
                           uint32_t *part) {
  Place *order = sofa_alloc(ctx, n + 1, sizeof *order);
  if (!order) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) order[i].i = (uint32_t)i;
  bisect(&(Bisection){places, order, part}, 0, n, 0, n_parts);
  sofa_free(ctx, order);
  return SOFA_OK;
}
