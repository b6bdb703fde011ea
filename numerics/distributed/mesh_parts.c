/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of one process: its elements and points, and the points that it shares. */
#include "numerics/distributed/mesh_parts.h"

void sofa_mesh_part_free(SofaContext *ctx, SofaMeshPart *part) {
  sofa_list_free(ctx, &part->elements);
  sofa_list_free(ctx, &part->points);
  sofa_list_free(ctx, &part->owned);
  sofa_list_free(ctx, &part->neighbours);
  sofa_list_free(ctx, &part->start);
  sofa_list_free(ctx, &part->shared);
  sofa_list_free(ctx, &part->border);
}

uint32_t sofa_mesh_part_local(const SofaMeshPart *part, uint32_t point) {
  size_t low = 0, high = part->points.n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (part->points.data[middle] < point) low = middle + 1;
    else high = middle;
  }
  return low < part->points.n && part->points.data[low] == point ? (uint32_t)low : SOFA_NO_ELEMENT;
}

/* ---- the points of the part, and the parts of each ---- */

typedef struct Pair {
  uint32_t part, point; /* another part that has a local point */
} Pair;
SOFA_LIST(Pair, Pairs);

static int compare_pairs(const void *a, const void *b) {
  const Pair *p = a, *q = b;
  if (p->part != q->part) return p->part < q->part ? -1 : 1;
  return (p->point > q->point) - (p->point < q->point);
}

/* Marks the points of the part's elements; those without any element are of part 0. */
static SofaErr mark_points(SofaContext *ctx, const SofaDividedMesh *mesh, SofaMeshPart *out,
                           uint8_t *has) {
  enum { USED = 1, MINE = 2 };
  uint32_t element = 0;
  for (size_t l = 0; l < mesh->n_lists; l++) {
    const SofaElements *list = &mesh->lists[l];
    for (size_t e = 0; e < list->n; e++, element++) {
      const bool mine = mesh->part[element] == out->rank;
      if (mine) SOFA_TRY(SOFA_APPEND(ctx, &out->elements, &element));
      for (unsigned k = 0; k < list->width; k++)
        has[list->v[e * list->width + k]] |= mine ? USED | MINE : USED;
    }
  }
  for (uint32_t i = 0; i < mesh->n_points; i++)
    if (has[i] & MINE || (!has[i] && out->rank == 0)) SOFA_TRY(SOFA_APPEND(ctx, &out->points, &i));
  return SOFA_OK;
}

static SofaErr find_pairs(SofaContext *ctx, const SofaDividedMesh *mesh, const SofaMeshPart *part,
                          Pairs *pairs) {
  size_t element = 0;
  for (size_t l = 0; l < mesh->n_lists; l++) {
    const SofaElements *list = &mesh->lists[l];
    for (size_t e = 0; e < list->n; e++, element++) {
      Pair pair = {.part = mesh->part[element]};
      for (unsigned k = 0; k < list->width && pair.part != part->rank; k++) {
        pair.point = sofa_mesh_part_local(part, list->v[e * list->width + k]);
        if (pair.point != SOFA_NO_ELEMENT) SOFA_TRY(SOFA_APPEND(ctx, pairs, &pair));
      }
    }
  }
  if (pairs->n) sofa_sort(pairs->data, pairs->n, sizeof *pairs->data, compare_pairs);
  return SOFA_OK;
}

/* Pairs in their order, each once. */
static SofaErr list_shared(SofaContext *ctx, const Pairs *pairs, SofaMeshPart *out) {
  for (size_t i = 0; i < pairs->n; i++) {
    const Pair *pair = &pairs->data[i];
    const uint32_t begin = (uint32_t)out->shared.n;
    if (i && compare_pairs(pair, pair - 1) == 0) continue;
    if (!i || pair->part != pair[-1].part) {
      SOFA_TRY(SOFA_APPEND(ctx, &out->neighbours, &pair->part));
      SOFA_TRY(SOFA_APPEND(ctx, &out->start, &begin));
    }
    SOFA_TRY(SOFA_APPEND(ctx, &out->shared, &pair->point));
  }
  const uint32_t end = (uint32_t)out->shared.n;
  return SOFA_APPEND(ctx, &out->start, &end);
}

/* The owner is the lowest part. */
static SofaErr list_border(SofaContext *ctx, const Pairs *pairs, SofaMeshPart *out) {
  enum { OWNED = 1, SHARED = 2 };
  SOFA_TRY(SOFA_RESIZE(ctx, &out->owned, out->points.n));
  uint8_t *mark = out->owned.data;
  for (size_t i = 0; i < out->points.n; i++) mark[i] = OWNED;
  for (size_t i = 0; i < pairs->n; i++) {
    const Pair *pair = &pairs->data[i];
    mark[pair->point] |= SHARED;
    if (pair->part < out->rank) mark[pair->point] = SHARED;
  }
  for (uint32_t i = 0; i < out->points.n; i++) {
    if (mark[i] & SHARED) SOFA_TRY(SOFA_APPEND(ctx, &out->border, &i));
    mark[i] &= OWNED;
  }
  return SOFA_OK;
}

SofaErr sofa_mesh_part_make(SofaContext *ctx, const SofaDividedMesh *mesh, uint32_t rank,
                            SofaMeshPart *out) {
  SofaErr err = SOFA_ERR_MEMORY;
  Pairs pairs = {0};
  uint8_t *has = sofa_alloc(ctx, mesh->n_points + 1, 1);
  *out = (SofaMeshPart){.rank = rank};
  if (!has) goto done;
  SOFA_GO(err, done, mark_points(ctx, mesh, out, has));
  SOFA_GO(err, done, find_pairs(ctx, mesh, out, &pairs));
  SOFA_GO(err, done, list_shared(ctx, &pairs, out));
  SOFA_GO(err, done, list_border(ctx, &pairs, out));
done:
  sofa_free(ctx, has);
  sofa_list_free(ctx, &pairs);
  if (err != SOFA_OK) sofa_mesh_part_free(ctx, out);
  return err;
}

/* ---- values at shared points ---- */

void sofa_mesh_part_pack(const SofaMeshPart *part, size_t width, const double *values,
                         double *out) {
  for (size_t s = 0; s < part->shared.n; s++)
    for (size_t c = 0; c < width; c++)
      out[width * s + c] = values[width * part->shared.data[s] + c];
}

static void add_neighbour(const SofaMeshPart *part, size_t k, size_t width, const double *received,
                          double *values) {
  for (size_t s = part->start.data[k]; s < part->start.data[k + 1]; s++)
    for (size_t c = 0; c < width; c++)
      values[width * part->shared.data[s] + c] += received[width * s + c];
}

void sofa_mesh_part_sum(const SofaMeshPart *part, size_t width, const double *received, double *own,
                        double *values) {
  size_t k = 0;
  for (size_t i = 0; i < part->border.n * width; i++) {
    double *value = &values[width * part->border.data[i / width] + i % width];
    own[i] = *value;
    *value = 0;
  }
  for (; k < part->neighbours.n && part->neighbours.data[k] < part->rank; k++)
    add_neighbour(part, k, width, received, values);
  for (size_t i = 0; i < part->border.n * width; i++)
    values[width * part->border.data[i / width] + i % width] += own[i];
  for (; k < part->neighbours.n; k++) add_neighbour(part, k, width, received, values);
}
