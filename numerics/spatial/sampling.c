/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampling of points by farthest points and nearest samples. */
#include "numerics/spatial/sampling.h"

#include "math/vec.h"

void sofa_sampling_reset(Sampling *s) {
  for (size_t i = 0; i < s->points->n; i++) s->distance[i] = INFINITY;
}

SofaErr sofa_sampling_start(Sampling *s, SofaContext *ctx, const SofaVec3s *points,
                            const SofaAround *around) {
  *s = (Sampling){.ctx = ctx, .points = points, .around = around};
  s->distance = sofa_alloc(ctx, points->n, sizeof *s->distance);
  s->region = sofa_alloc(ctx, points->n, sizeof *s->region);
  if (!s->distance || !s->region) return SOFA_ERR_MEMORY;
  sofa_sampling_reset(s);
  return SOFA_OK;
}

void sofa_sampling_free(Sampling *s) {
  sofa_list_free(s->ctx, &s->samples);
  sofa_free(s->ctx, s->distance);
  sofa_free(s->ctx, s->region);
  *s = (Sampling){0};
}

static double distance(const Sampling *s, size_t i, size_t j) {
  double d[3];
  sofa_vec3_sub(s->points->data[i].v, s->points->data[j].v, d);
  return sofa_vec3_norm(d);
}

/* ---- straight ---- */

static void spread_straight(Sampling *s) {
  for (size_t i = 0; i < s->points->n; i++)
    for (size_t j = 0; j < s->samples.n; j++) {
      const double d = distance(s, i, s->samples.data[j]);
      if (!(d < s->distance[i])) continue;
      s->distance[i] = d;
      s->region[i] = (uint32_t)j;
    }
}

/* ---- along edges ---- */

typedef struct Entry {
  double distance;
  uint32_t point;
} Entry;
SOFA_LIST(Entry, Heap);

static bool before(const Entry *a, const Entry *b) {
  return a->distance < b->distance || (!(a->distance > b->distance) && a->point < b->point);
}

static SofaErr push(SofaContext *ctx, Heap *heap, double d, uint32_t point) {
  const Entry entry = {d, point};
  SOFA_TRY(SOFA_APPEND(ctx, heap, &entry));
  size_t i = heap->n - 1;
  for (; i && before(&entry, &heap->data[(i - 1) / 2]); i = (i - 1) / 2)
    heap->data[i] = heap->data[(i - 1) / 2];
  heap->data[i] = entry;
  return SOFA_OK;
}

static Entry pop(Heap *heap) {
  const Entry top = heap->data[0], last = heap->data[--heap->n];
  size_t i = 0;
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= heap->n) break;
    if (child + 1 < heap->n && before(&heap->data[child + 1], &heap->data[child])) child++;
    if (!before(&heap->data[child], &last)) break;
    heap->data[i] = heap->data[child];
    i = child;
  }
  heap->data[i] = last;
  return top;
}

static SofaErr relax(Sampling *s, Heap *heap, uint32_t point) {
  const uint32_t *near = NULL;
  const size_t n = sofa_around_row(s->around, point, &near);
  for (size_t k = 0; k < n; k++) {
    const double d = s->distance[point] + distance(s, point, near[k]);
    if (!(s->distance[near[k]] > d)) continue;
    s->distance[near[k]] = d;
    s->region[near[k]] = s->region[point];
    SOFA_TRY(push(s->ctx, heap, d, near[k]));
  }
  return SOFA_OK;
}

static SofaErr spread_along_edges(Sampling *s) {
  Heap heap = {0};
  SofaErr err = SOFA_OK;
  for (size_t j = 0; !err && j < s->samples.n; j++) {
    s->distance[s->samples.data[j]] = 0;
    s->region[s->samples.data[j]] = (uint32_t)j;
    err = push(s->ctx, &heap, 0, s->samples.data[j]);
  }
  while (!err && heap.n) {
    const Entry top = pop(&heap);
    // an entry that was overtaken
    if (top.distance > s->distance[top.point]) continue;
    err = relax(s, &heap, top.point);
  }
  sofa_list_free(s->ctx, &heap);
  return err;
}

SofaErr sofa_sampling_spread(Sampling *s) {
  if (s->around) return spread_along_edges(s);
  spread_straight(s);
  return SOFA_OK;
}

SofaErr sofa_sampling_farthest(Sampling *s, size_t n, bool reset) {
  const uint32_t first = 0;
  if (n > s->points->n) n = s->points->n;
  SOFA_TRY(SOFA_APPEND(s->ctx, &s->samples, &first));
  for (;;) {
    if (reset) sofa_sampling_reset(s);
    SOFA_TRY(sofa_sampling_spread(s));
    if (s->samples.n >= n) return SOFA_OK;
    uint32_t farthest = 0;
    double most = 0;
    for (uint32_t i = 0; i < s->points->n; i++)
      if (s->distance[i] > most) {
        most = s->distance[i];
        farthest = i;
      }
    if (!(most > 0)) return SOFA_OK;
    SOFA_TRY(SOFA_APPEND(s->ctx, &s->samples, &farthest));
  }
}
