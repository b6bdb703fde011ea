/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stars of corners and the pattern of the pairs of their points. */
#include "numerics/fem/corner_stars.h"

#include "base/bytes.h"
#include "base/team.h"

static const uint32_t none = UINT32_MAX;

static uint32_t node_of(const SofaElements *e, size_t element, size_t node) {
  return ((const uint32_t *)e->v)[e->width * element + node];
}

/* ---- corners and their elements ---- */

/* Numbers the points that are corners, ascending. number: n_points. */
static void number_corners(const SofaElements *e, SofaCornerStars *s, uint32_t *number) {
  for (size_t i = 0; i < s->n_points; i++) number[i] = none;
  for (size_t k = 0; k < s->n_elements * s->n_corners; k++)
    number[node_of(e, k / s->n_corners, k % s->n_corners)] = 0;
  for (size_t i = 0; i < s->n_points; i++)
    if (number[i] != none) number[i] = (uint32_t)s->n++;
  for (size_t k = 0; k < s->n_elements * s->n_corners; k++)
    s->corner[k] = number[node_of(e, k / s->n_corners, k % s->n_corners)];
}

static SofaErr make_corners(SofaContext *ctx, const SofaElements *e, SofaCornerStars *s,
                            uint32_t *number) {
  if (!(s->corner = sofa_alloc(ctx, s->n_elements * s->n_corners, sizeof *s->corner)))
    return SOFA_ERR_MEMORY;
  number_corners(e, s, number);
  return sofa_elements_around(ctx, (SofaElements){s->corner, s->n_elements, s->n_corners}, s->n,
                              &s->around_start, &s->around);
}

/* ---- places ---- */

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Lists the points of the star of a corner in `list`; marks: corner + 1 of those that are in it.
 * Returns their number. */
static size_t list_star(const SofaElements *e, const SofaCornerStars *s, size_t corner,
                        uint32_t *marks, uint32_t *list) {
  size_t n = 0;
  for (uint32_t k = s->around_start[corner]; k < s->around_start[corner + 1]; k++) {
    for (size_t node = 0; node < s->n_nodes; node++) {
      const uint32_t point = node_of(e, s->around[k] / s->n_corners, node);
      if (marks[point] == corner + 1) continue;
      marks[point] = (uint32_t)corner + 1;
      list[n++] = point;
    }
  }
  if (n) sofa_sort(list, n, sizeof *list, ascending);
  return n;
}

/* Where the points of a star are, for the elements around it. at: place of a point. */
static void place_elements(const SofaElements *e, SofaCornerStars *s, size_t corner, uint32_t *at) {
  for (size_t t = s->start[corner]; t < s->start[corner + 1]; t++) at[s->point[t]] = (uint32_t)t;
  for (uint32_t k = s->around_start[corner]; k < s->around_start[corner + 1]; k++)
    for (size_t node = 0; node < s->n_nodes; node++)
      s->place[(size_t)s->around[k] * s->n_nodes + node] =
          at[node_of(e, s->around[k] / s->n_corners, node)];
}

/* scratch: 2 n_points, zeros. */
static SofaErr make_places(SofaContext *ctx, const SofaElements *e, SofaCornerStars *s,
                           uint32_t *scratch) {
  uint32_t *marks = scratch, *list = scratch + s->n_points;
  if (!(s->start = sofa_alloc(ctx, s->n + 1, sizeof *s->start))) return SOFA_ERR_MEMORY;
  sofa_zero(marks, s->n_points * sizeof *marks);
  for (size_t c = 0; c < s->n; c++) s->start[c + 1] = s->start[c] + list_star(e, s, c, marks, list);
  s->n_places = s->start[s->n];
  if (!(s->point = sofa_alloc(ctx, s->n_places, sizeof *s->point)) ||
      !(s->of = sofa_alloc(ctx, s->n_places, sizeof *s->of)) ||
      !(s->place = sofa_alloc(ctx, s->n_elements * s->n_corners * s->n_nodes, sizeof *s->place)))
    return SOFA_ERR_MEMORY;
  sofa_zero(marks, s->n_points * sizeof *marks);
  for (size_t c = 0; c < s->n; c++) {
    const size_t n = list_star(e, s, c, marks, s->point + s->start[c]);
    for (size_t t = 0; t < n; t++) s->of[s->start[c] + t] = (uint32_t)c;
  }
  for (size_t c = 0; c < s->n; c++) place_elements(e, s, c, marks);
  return SOFA_OK;
}

/* The places of each point. */
static SofaErr make_rows(SofaContext *ctx, SofaCornerStars *s) {
  if (!(s->row_start = sofa_alloc(ctx, s->n_points + 2, sizeof *s->row_start)) ||
      !(s->row = sofa_alloc(ctx, s->n_places, sizeof *s->row)))
    return SOFA_ERR_MEMORY;
  // counts two rows ahead, so that filling leaves the starts in place
  for (size_t t = 0; t < s->n_places; t++) s->row_start[s->point[t] + 2]++;
  for (size_t i = 1; i <= s->n_points; i++) s->row_start[i + 1] += s->row_start[i];
  for (size_t t = 0; t < s->n_places; t++) s->row[s->row_start[s->point[t] + 1]++] = t;
  return SOFA_OK;
}

/* ---- pairs ---- */

/* Points of the stars around a point that do not come before it. */
static size_t list_row(const SofaCornerStars *s, size_t point, uint32_t *marks, uint32_t *list) {
  size_t n = 0;
  for (size_t k = s->row_start[point]; k < s->row_start[point + 1]; k++) {
    for (size_t t = s->row[k]; t < s->start[s->of[s->row[k]] + 1]; t++) {
      if (marks[s->point[t]] == point + 1) continue;
      marks[s->point[t]] = (uint32_t)point + 1;
      list[n++] = s->point[t];
    }
  }
  if (n) sofa_sort(list, n, sizeof *list, ascending);
  return n;
}

/* Fills the pairs of a row from `first` on, and the slots of its places. at: pair of a point. */
static void fill_row(SofaCornerStars *s, size_t point, size_t first, size_t n, uint32_t *at) {
  for (size_t k = first; k < first + n; k++) {
    s->pairs.row[k] = (uint32_t)point;
    at[s->pairs.column[k]] = (uint32_t)k;
  }
  for (size_t k = s->row_start[point]; k < s->row_start[point + 1]; k++) {
    const size_t place = s->row[k], end = s->start[s->of[place] + 1];
    uint32_t *slot = s->slot + s->slot_start[place];
    for (size_t t = place; t < end; t++) *slot++ = at[s->point[t]];
  }
}

static SofaErr make_slots(SofaContext *ctx, SofaCornerStars *s, uint32_t *scratch) {
  uint32_t *marks = scratch, *list = scratch + s->n_points;
  SofaElementPairs *p = &s->pairs;
  sofa_zero(marks, s->n_points * sizeof *marks);
  for (size_t i = 0; i < s->n_points; i++) p->n += list_row(s, i, marks, list);
  if (!(s->slot_start = sofa_alloc(ctx, s->n_places + 1, sizeof *s->slot_start)))
    return SOFA_ERR_MEMORY;
  for (size_t t = 0; t < s->n_places; t++)
    s->slot_start[t + 1] = s->slot_start[t] + s->start[s->of[t] + 1] - t;
  if (!(s->slot = sofa_alloc(ctx, s->slot_start[s->n_places], sizeof *s->slot)) ||
      !(p->row = sofa_alloc(ctx, p->n, sizeof *p->row)) ||
      !(p->column = sofa_alloc(ctx, p->n, sizeof *p->column)))
    return SOFA_ERR_MEMORY;
  sofa_zero(marks, s->n_points * sizeof *marks);
  size_t at = 0;
  for (size_t i = 0; i < s->n_points; i++) {
    const size_t n = list_row(s, i, marks, p->column + at);
    fill_row(s, i, at, n, list);
    at += n;
  }
  return sofa_element_pairs_count(ctx, p);
}

/* The pairs of the elements among all pairs: both are ordered by row, then column. */
static SofaErr take_elements(SofaContext *ctx, const SofaElements *e, SofaCornerStars *s) {
  SofaElementPairs own = {0}, *p = &s->pairs;
  SofaErr err = SOFA_OK;
  uint32_t *at = NULL;
  SOFA_GO(
      err, done,
      sofa_element_pairs_create(ctx, *e, s->n_points, SOFA_PAIRS_SLOTS | SOFA_PAIRS_PARTS, &own));
  if (!(p->start = sofa_alloc(ctx, p->n + 1, sizeof *p->start)) ||
      !(at = sofa_alloc(ctx, own.n, sizeof *at))) {
    err = SOFA_ERR_MEMORY;
    goto done;
  }
  size_t k = 0;
  for (size_t i = 0; i < p->n; i++) {
    p->start[i] = own.start[k];
    if (k < own.n && own.row[k] == p->row[i] && own.column[k] == p->column[i])
      at[k++] = (uint32_t)i;
  }
  p->start[p->n] = own.start[own.n];
  const size_t n_slots = e->n * sofa_element_pairs_local(s->n_nodes);
  for (size_t i = 0; i < n_slots; i++) own.slot[i] = at[own.slot[i] >> 2] << 2 | (own.slot[i] & 3);
  p->n_elements = own.n_elements;
  p->n_nodes = own.n_nodes;
  p->slot = own.slot;
  p->part = own.part;
  own.slot = NULL;
  own.part = NULL;
done:
  sofa_free(ctx, at);
  sofa_element_pairs_free(ctx, &own);
  return err;
}

/* ---- making ---- */

SofaErr sofa_corner_stars_create(SofaContext *ctx, SofaElements elements, unsigned n_corners,
                                 size_t n_points, SofaCornerStars *out) {
  SofaErr err = SOFA_OK;
  uint32_t *scratch = sofa_alloc(ctx, 2 * n_points, sizeof *scratch);
  *out = (SofaCornerStars){.n_points = n_points,
                           .n_elements = elements.n,
                           .n_nodes = elements.width,
                           .n_corners = n_corners};
  if (!scratch) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, make_corners(ctx, &elements, out, scratch));
  SOFA_GO(err, done, make_places(ctx, &elements, out, scratch));
  SOFA_GO(err, done, make_rows(ctx, out));
  SOFA_GO(err, done, make_slots(ctx, out, scratch));
  SOFA_GO(err, done, take_elements(ctx, &elements, out));
done:
  sofa_free(ctx, scratch);
  if (err != SOFA_OK) sofa_corner_stars_free(ctx, out);
  return err;
}

void sofa_corner_stars_free(SofaContext *ctx, SofaCornerStars *s) {
  void *const owned[] = {s->corner, s->around_start, s->around, s->start,      s->point, s->of,
                         s->place,  s->row_start,    s->row,    s->slot_start, s->slot};
  for (size_t i = 0; i < SOFA_COUNT(owned); i++) sofa_free(ctx, owned[i]);
  sofa_element_pairs_free(ctx, &s->pairs);
  *s = (SofaCornerStars){0};
}

/* ---- blocks ---- */

typedef struct Adding {
  const SofaCornerStars *s;
  const double *c, *row;
  double *blocks;
} Adding;

/* A thread has whole rows of pairs: the order of the sums is that of the corners. */
static void add_rows(void *user, size_t begin, size_t end) {
  const Adding *adding = user;
  const SofaCornerStars *s = adding->s;
  const double *row = adding->row;
  for (size_t i = begin; i < end; i++) {
    for (size_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
      const size_t place = s->row[k], last = s->start[s->of[place] + 1];
      const uint32_t *slot = s->slot + s->slot_start[place];
      const double scale = adding->c[s->of[place]];
      const double a[3] = {scale * row[3 * place], scale * row[3 * place + 1],
                           scale * row[3 * place + 2]};
      for (size_t t = place; t < last; t++, slot++) {
        double *to = adding->blocks + 9 * (size_t)*slot;
        for (size_t j = 0; j < 9; j++) to[j] += a[j / 3] * row[3 * t + j % 3];
      }
    }
  }
}

enum { ROWS_GRAIN = 16 };

void sofa_corner_stars_add(const SofaCornerStars *s, const SofaContext *ctx, const double *c,
                           const double *row, double *blocks) {
  Adding adding = {s, c, row, blocks};
  sofa_team_for(ctx, s->n_points, ROWS_GRAIN, add_rows, &adding);
}
