/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lattice of boxes: two passes, count and fill, over the cells of each box. */
#include "box_hash.h"

#include <math.h>

/* A box of more cells than this is kept aside and tested one by one. */
enum { MAX_CELLS = 512 };

static int32_t coordinate(double x) {
  const double cell = floor(x);
  if (!(cell > -2e9)) return isnan(x) ? 0 : -2000000000;
  return cell < 2e9 ? (int32_t)cell : 2000000000;
}

SofaCell sofa_box_hash_cell(const SofaBoxHash *hash, const double p[3]) {
  SofaCell cell;
  for (int k = 0; k < 3; k++) cell.v[k] = coordinate(p[k] * hash->inverse_size);
  return cell;
}

static SofaTuple cell_key(SofaCell cell) {
  return (SofaTuple){{(uint32_t)cell.v[0], (uint32_t)cell.v[1], (uint32_t)cell.v[2], 0}};
}

static bool is_large(const SofaCellBox *box) {
  double cells = 1;
  for (int k = 0; k < 3; k++) cells *= (double)box->max.v[k] - box->min.v[k] + 1;
  return cells > MAX_CELLS;
}

static SofaCellBox cell_box(const SofaBoxHash *hash, const double *box, size_t id) {
  return (SofaCellBox){sofa_box_hash_cell(hash, box), sofa_box_hash_cell(hash, box + 3),
                       (uint32_t)id};
}

static bool is_empty(const double *box) {
  return !(box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5]);
}

/* Calls for each cell of the box: counts it (ids NULL) or files the box under it. */
static SofaErr visit_cells(SofaContext *ctx, SofaBoxHash *hash, const SofaCellBox *box,
                           SofaIndices *counts) {
  SofaCell cell;
  for (cell.v[0] = box->min.v[0]; cell.v[0] <= box->max.v[0]; cell.v[0]++) {
    for (cell.v[1] = box->min.v[1]; cell.v[1] <= box->max.v[1]; cell.v[1]++) {
      for (cell.v[2] = box->min.v[2]; cell.v[2] <= box->max.v[2]; cell.v[2]++) {
        const SofaTuple key = cell_key(cell);
        uint32_t row;
        if (!counts) {
          row = sofa_tuple_map_find(&hash->cells, &key);
          hash->ids[hash->start[row + 1]++] = box->id;
          continue;
        }
        SOFA_TRY(sofa_tuple_map_add(ctx, &hash->cells, &key, (uint32_t)counts->n, &row));
        if (row == counts->n) {
          const uint32_t zero = 0;
          SOFA_TRY(SOFA_APPEND(ctx, counts, &zero));
        }
        counts->data[row]++;
      }
    }
  }
  return SOFA_OK;
}

/* Row starts shifted by one, so that filling moves them to their place. */
static SofaErr make_rows(SofaContext *ctx, SofaBoxHash *hash, const SofaIndices *counts) {
  hash->n_rows = counts->n;
  hash->start = (uint32_t *)sofa_alloc(ctx, counts->n + 2, sizeof *hash->start);
  if (!hash->start) return SOFA_ERR_MEMORY;
  size_t total = 0;
  for (size_t i = 0; i < counts->n; i++) {
    hash->start[i + 1] = (uint32_t)total;
    total += counts->data[i];
  }
  if (total > UINT32_MAX) return SOFA_ERR_MEMORY;
  hash->ids = (uint32_t *)sofa_alloc(ctx, total + 1, sizeof *hash->ids);
  return hash->ids ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_box_hash_build(SofaContext *ctx, size_t n, const double *boxes, double size,
                            SofaBoxHash *out) {
  SofaErr err = SOFA_OK;
  SofaIndices counts = {0};
  SofaBoxHash hash = {.inverse_size = size > 0 && isfinite(size) ? 1 / size : 1};
  size_t n_large = 0;
  for (size_t i = 0; i < n; i++) {
    const SofaCellBox box = cell_box(&hash, boxes + 6 * i, i);
    if (is_empty(boxes + 6 * i)) continue;
    if (is_large(&box)) {
      n_large++;
    } else {
      SOFA_GO(err, done, visit_cells(ctx, &hash, &box, &counts));
    }
  }
  SOFA_GO(err, done, make_rows(ctx, &hash, &counts));
  hash.large = (SofaCellBox *)sofa_alloc(ctx, n_large + 1, sizeof *hash.large);
  if (!hash.large) {
    err = SOFA_ERR_MEMORY;
    goto done;
  }
  for (size_t i = 0; i < n; i++) {
    const SofaCellBox box = cell_box(&hash, boxes + 6 * i, i);
    if (is_empty(boxes + 6 * i)) continue;
    if (is_large(&box)) {
      hash.large[hash.n_large++] = box;
    } else {
      SOFA_GO(err, done, visit_cells(ctx, &hash, &box, NULL));
    }
  }
done:
  sofa_list_free(ctx, &counts);
  if (err != SOFA_OK) sofa_box_hash_free(ctx, &hash);
  *out = hash;
  return err;
}

void sofa_box_hash_free(SofaContext *ctx, SofaBoxHash *hash) {
  sofa_tuple_map_free(ctx, &hash->cells);
  sofa_free(ctx, hash->start);
  sofa_free(ctx, hash->ids);
  sofa_free(ctx, hash->large);
  *hash = (SofaBoxHash){0};
}

SofaBoxWalk sofa_box_hash_walk(const SofaBoxHash *hash, SofaCell cell) {
  SofaBoxWalk walk = {.hash = hash, .cell = cell};
  const SofaTuple key = cell_key(cell);
  const uint32_t row = sofa_tuple_map_find(&hash->cells, &key);
  if (row != UINT32_MAX) {
    walk.at = hash->ids + hash->start[row];
    walk.end = hash->ids + hash->start[row + 1];
  }
  return walk;
}

uint32_t sofa_box_walk_next(SofaBoxWalk *walk) {
  const SofaBoxHash *hash = walk->hash;
  // the next large box that covers the cell
  while (walk->large < hash->n_large) {
    const SofaCellBox *box = &hash->large[walk->large];
    bool covers = true;
    for (int k = 0; k < 3; k++)
      covers = covers && box->min.v[k] <= walk->cell.v[k] && walk->cell.v[k] <= box->max.v[k];
    if (covers) break;
    walk->large++;
  }
  // whichever comes first
  const uint32_t large = walk->large < hash->n_large ? hash->large[walk->large].id : UINT32_MAX;
  if (walk->at < walk->end && *walk->at < large) return *walk->at++;
  if (large != UINT32_MAX) walk->large++;
  return large;
}
