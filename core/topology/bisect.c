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

/* Centres of all volume elements of a kind, in their order, on all processes. */
static SofaErr collect_kind(SofaContext *ctx, size_t n_whole, const SofaVec3 *mine, SofaVec3 *all) {
  const size_t n = (size_t)sofa_process_count(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  size_t *bytes = SOFA_SCRATCH(ctx, size_t, n);
  SofaErr err = bytes ? SOFA_OK : SOFA_ERR_MEMORY;
  for (int r = 0; err == SOFA_OK && r < (int)n; r++)
    bytes[r] = (sofa_slice_begin(n_whole, r + 1, (int)n) - sofa_slice_begin(n_whole, r, (int)n)) *
               sizeof *mine;
  if (err == SOFA_OK) err = sofa_process_gather(ctx, 0, bytes, mine, all);
  if (err == SOFA_OK) err = sofa_process_spread(ctx, 0, n_whole * sizeof *mine, all);
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_division_parts(SofaContext *ctx, const SofaMeshSlice *slice, uint32_t *part) {
  const size_t n_whole = sofa_mesh_slice_n_whole_volumes(slice);
  SofaVec3s centres = {0};
  SofaVec3 *all = sofa_alloc(ctx, n_whole + 1, sizeof *all);
  uint32_t *parts = sofa_alloc(ctx, n_whole + 1, sizeof *parts);
  SofaErr err = all && parts ? SOFA_OK : SOFA_ERR_MEMORY;
  size_t at = 0, before = 0;
  SOFA_GO(err, done, err);
  SOFA_GO(err, done, sofa_mesh_slice_centres(ctx, slice, &centres));
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) {
    const SofaElementKind kind = sofa_volume_kinds[v];
    SOFA_GO(err, done, collect_kind(ctx, slice->n_whole[kind], centres.data + at, all + before));
    at += sofa_mesh_elements(&slice->mesh, kind).n;
    before += slice->n_whole[kind];
  }
  SOFA_GO(err, done,
          sofa_bisect_places(ctx, n_whole, all->v, (uint32_t)sofa_process_count(ctx), parts));
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) {
    const SofaElementKind kind = sofa_volume_kinds[v];
    const size_t n = sofa_mesh_elements(&slice->mesh, kind).n;
    sofa_copy(part, parts + slice->first[kind], n * sizeof *part);
    part += n;
    parts += slice->n_whole[kind];
  }
  parts -= n_whole;
done:
  sofa_list_free(ctx, &centres);
  sofa_free(ctx, all);
  sofa_free(ctx, parts);
  return err;
}
