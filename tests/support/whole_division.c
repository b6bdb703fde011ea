/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The division of a mesh that every process has whole. */
#include "tests/support/whole_division.h"

#include <float.h>

/* ---- bisection ---- */

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
static void halve(const Bisection *b, size_t first, size_t last, uint32_t first_part,
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
  halve(b, first, middle, first_part, half);
  halve(b, middle, last, first_part + half, n_parts - half);
}

SofaErr whole_bisect(SofaContext *ctx, size_t n, const double *places, uint32_t n_parts,
                     uint32_t *part) {
  Place *order = sofa_alloc(ctx, n + 1, sizeof *order);
  if (!order) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) order[i].i = (uint32_t)i;
  halve(&(Bisection){places, order, part}, 0, n, 0, n_parts);
  sofa_free(ctx, order);
  return SOFA_OK;
}

/* ---- parts of elements ---- */

static const SofaElementKind volumes[] = {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_PRISM,
                                          SOFA_ELEMENT_PYRAMID};
static const SofaElementKind others[] = {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE,
                                         SOFA_ELEMENT_QUAD};
enum { N_VOLUMES = 4, N_OTHERS = 3 };

typedef struct Pair {
  uint32_t part, point;
} Pair;
SOFA_LIST(Pair, Pairs);

/* What the division is made with; lists per point or element of the whole mesh. */
typedef struct Work {
  SofaContext *ctx;
  const SofaMesh *mesh;
  SofaPlace place;
  size_t n_points, n_volumes;
  double *centres;
  uint32_t *part[SOFA_N_ELEMENT_KINDS]; /* of the elements; those of volumes are of one array */
  uint32_t *all_volumes;                /* parts of the volume elements, kind after kind */
  SofaAround around;                    /* volume elements around points */
  uint32_t *lowest, *highest;           /* parts of each point; lowest > highest: none */
  uint32_t *local;                      /* number of each point here, or SOFA_NO_ELEMENT */
  Pairs pairs;                          /* of points of several parts, each part once */
} Work;

static void find_centres(Work *w) {
  double *c = w->centres;
  for (int v = 0; v < N_VOLUMES; v++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, volumes[v]);
    for (size_t e = 0; e < list.n; e++, c += 3)
      for (unsigned i = 0; i < list.width; i++)
        for (int k = 0; k < 3; k++)
          c[k] += w->mesh->position.data[list.v[e * list.width + i]].v[k] / list.width;
  }
}

static SofaErr divide_volumes(Work *w) {
  for (int v = 0; v < N_VOLUMES; v++) w->n_volumes += sofa_mesh_elements(w->mesh, volumes[v]).n;
  w->centres = sofa_alloc(w->ctx, 3 * w->n_volumes + 1, sizeof *w->centres);
  w->all_volumes = sofa_alloc(w->ctx, w->n_volumes + 1, sizeof *w->all_volumes);
  if (!w->centres || !w->all_volumes) return SOFA_ERR_MEMORY;
  find_centres(w);
  SOFA_TRY(whole_bisect(w->ctx, w->n_volumes, w->centres, (uint32_t)w->place.n, w->all_volumes));
  uint32_t *part = w->all_volumes;
  for (int v = 0; v < N_VOLUMES; v++) {
    w->part[volumes[v]] = part;
    part += sofa_mesh_elements(w->mesh, volumes[v]).n;
  }
  return SOFA_OK;
}

/* Volume elements around points: by their rank among those of all kinds. */
static SofaErr find_around(Work *w) {
  size_t n = 0;
  uint32_t *start = w->around.start = sofa_alloc(w->ctx, w->n_points + 2, sizeof *start);
  if (!start) return SOFA_ERR_MEMORY;
  for (int v = 0; v < N_VOLUMES; v++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, volumes[v]);
    for (size_t i = 0; i < list.n * list.width; i++) start[list.v[i] + 2]++;
    n += list.n * list.width;
  }
  w->around.n_rows = w->n_points;
  w->around.ids = sofa_alloc(w->ctx, n + 1, sizeof *w->around.ids);
  if (!w->around.ids) return SOFA_ERR_MEMORY;
  for (size_t i = 2; i < w->n_points + 2; i++) start[i] += start[i - 1];
  uint32_t element = 0;
  for (int v = 0; v < N_VOLUMES; v++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, volumes[v]);
    for (size_t e = 0; e < list.n; e++, element++)
      for (unsigned k = 0; k < list.width; k++)
        w->around.ids[start[list.v[e * list.width + k] + 1]++] = element;
  }
  return SOFA_OK;
}

static bool is_around(const Work *w, uint32_t point, uint32_t element) {
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(&w->around, point, &ids);
  for (size_t i = 0; i < n; i++)
    if (ids[i] == element) return true;
  return false;
}

static uint32_t part_of(const Work *w, const uint32_t *points, unsigned width) {
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(&w->around, points[0], &ids);
  for (size_t i = 0; i < n; i++) {
    unsigned k = 1;
    while (k < width && is_around(w, points[k], ids[i])) k++;
    if (k == width) return w->all_volumes[ids[i]];
  }
  for (unsigned k = 0; k < width; k++)
    if (sofa_around_row(&w->around, points[k], &ids)) return w->all_volumes[ids[0]];
  return 0;
}

static SofaErr divide_others(Work *w) {
  for (int o = 0; o < N_OTHERS; o++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, others[o]);
    uint32_t *part = w->part[others[o]] = sofa_alloc(w->ctx, list.n + 1, sizeof *part);
    if (!part) return SOFA_ERR_MEMORY;
    for (size_t e = 0; e < list.n; e++) part[e] = part_of(w, list.v + e * list.width, list.width);
  }
  return SOFA_OK;
}

/* ---- points ---- */

static SofaErr find_parts_of_points(Work *w) {
  w->lowest = sofa_alloc(w->ctx, w->n_points + 1, sizeof *w->lowest);
  w->highest = sofa_alloc(w->ctx, w->n_points + 1, sizeof *w->highest);
  w->local = sofa_alloc(w->ctx, w->n_points + 1, sizeof *w->local);
  if (!w->lowest || !w->highest || !w->local) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < w->n_points; i++) w->lowest[i] = w->local[i] = SOFA_NO_ELEMENT;
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, (SofaElementKind)kind);
    for (size_t i = 0; i < list.n * list.width; i++) {
      const uint32_t part = w->part[kind][i / list.width], p = list.v[i];
      if (w->lowest[p] == SOFA_NO_ELEMENT || part < w->lowest[p]) w->lowest[p] = part;
      if (part > w->highest[p]) w->highest[p] = part;
    }
  }
  for (size_t i = 0; i < w->n_points; i++)
    if (w->lowest[i] == SOFA_NO_ELEMENT) w->lowest[i] = 0;
  return SOFA_OK;
}

static int by_point(const void *a, const void *b) {
  const Pair *p = a, *q = b;
  if (p->point != q->point) return p->point < q->point ? -1 : 1;
  return (p->part > q->part) - (p->part < q->part);
}

static int by_part(const void *a, const void *b) {
  const Pair *p = a, *q = b;
  if (p->part != q->part) return p->part < q->part ? -1 : 1;
  return (p->point > q->point) - (p->point < q->point);
}

static SofaErr find_pairs(Work *w) {
  Pairs *pairs = &w->pairs;
  size_t n = 0;
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, (SofaElementKind)kind);
    for (size_t i = 0; i < list.n * list.width; i++) {
      const Pair pair = {w->part[kind][i / list.width], list.v[i]};
      if (w->lowest[pair.point] == w->highest[pair.point]) continue;
      SOFA_TRY(SOFA_APPEND(w->ctx, pairs, &pair));
    }
  }
  if (pairs->n) sofa_sort(pairs->data, pairs->n, sizeof *pairs->data, by_point);
  for (size_t i = 0; i < pairs->n; i++)
    if (!i || by_point(&pairs->data[i], &pairs->data[i - 1]) != 0)
      pairs->data[n++] = pairs->data[i];
  pairs->n = n;
  return SOFA_OK;
}

/* The points that are owned, then the others. */
static SofaErr number_points(Work *w, SofaDivision *out) {
  const uint32_t rank = (uint32_t)w->place.rank;
  for (uint32_t i = 0; i < w->n_points; i++)
    if (w->lowest[i] == rank) SOFA_TRY(SOFA_APPEND(w->ctx, &out->number, &i));
  out->n_owned = out->number.n;
  for (size_t i = 0; i < w->pairs.n; i++) {
    const Pair *pair = &w->pairs.data[i];
    if (pair->part != rank || w->lowest[pair->point] == rank) continue;
    SOFA_TRY(SOFA_APPEND(w->ctx, &out->number, &pair->point));
    SOFA_TRY(SOFA_APPEND(w->ctx, &out->owner, &w->lowest[pair->point]));
  }
  out->n_whole = w->n_points;
  out->n = out->number.n;
  for (uint32_t i = 0; i < out->n; i++) w->local[out->number.data[i]] = i;
  return SOFA_OK;
}

static int compare_indices(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

static SofaErr list_border(Work *w, SofaDivision *out) {
  for (size_t i = 0; i < w->pairs.n; i++) {
    const Pair *pair = &w->pairs.data[i];
    if (pair->part == (uint32_t)w->place.rank)
      SOFA_TRY(SOFA_APPEND(w->ctx, &out->border, &w->local[pair->point]));
  }
  if (out->border.n)
    sofa_sort(out->border.data, out->border.n, sizeof *out->border.data, compare_indices);
  return SOFA_OK;
}

/* Neighbours with the points that they have, too. */
static SofaErr list_shared(Work *w, SofaDivision *out) {
  const uint32_t rank = (uint32_t)w->place.rank;
  Pairs *pairs = &w->pairs;
  size_t n = 0;
  for (size_t i = 0; i < pairs->n; i++)
    if (pairs->data[i].part != rank && w->local[pairs->data[i].point] != SOFA_NO_ELEMENT)
      pairs->data[n++] = pairs->data[i];
  pairs->n = n;
  if (n) sofa_sort(pairs->data, n, sizeof *pairs->data, by_part);
  for (size_t i = 0; i < n; i++) {
    const Pair *pair = &pairs->data[i];
    const uint32_t begin = (uint32_t)i;
    if (!i || pair->part != pair[-1].part) {
      SOFA_TRY(SOFA_APPEND(w->ctx, &out->neighbours, &pair->part));
      SOFA_TRY(SOFA_APPEND(w->ctx, &out->start, &begin));
    }
    SOFA_TRY(SOFA_APPEND(w->ctx, &out->shared, &w->local[pair->point]));
  }
  const uint32_t end = (uint32_t)n;
  return SOFA_APPEND(w->ctx, &out->start, &end);
}

/* Has this process a volume element with the edge? It gets a copy of the edge then. */
static bool has_edge(const Work *w, const uint32_t *points) {
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(&w->around, points[0], &ids);
  for (size_t i = 0; i < n; i++)
    if (w->all_volumes[ids[i]] == (uint32_t)w->place.rank && is_around(w, points[1], ids[i]))
      return true;
  return false;
}

static SofaErr list_elements(Work *w, SofaDivision *out) {
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(w->mesh, (SofaElementKind)kind);
    out->n_whole_elements[kind] = list.n;
    for (uint32_t e = 0; e < list.n; e++)
      if (w->part[kind][e] == (uint32_t)w->place.rank ||
          (kind == SOFA_ELEMENT_EDGE && has_edge(w, list.v + 2 * (size_t)e)))
        SOFA_TRY(SOFA_APPEND(w->ctx, &out->elements[kind], &e));
  }
  out->n_whole_elements[SOFA_ELEMENT_POINT] = w->n_points;
  return SOFA_OK;
}

static SofaErr make(Work *w, SofaDivision *out) {
  SOFA_TRY(divide_volumes(w));
  SOFA_TRY(find_around(w));
  SOFA_TRY(divide_others(w));
  SOFA_TRY(find_parts_of_points(w));
  SOFA_TRY(find_pairs(w));
  SOFA_TRY(number_points(w, out));
  SOFA_TRY(list_border(w, out));
  SOFA_TRY(list_shared(w, out));
  return list_elements(w, out);
}

SofaErr whole_division_make(SofaContext *ctx, const SofaMesh *mesh, const SofaPlace *place,
                            SofaDivision *out) {
  Work w = {.ctx = ctx, .mesh = mesh, .place = *place, .n_points = mesh->position.n};
  *out = (SofaDivision){0};
  SofaErr err = sofa_mesh_check_same(ctx, mesh);
  if (err == SOFA_OK) err = make(&w, out);
  sofa_free(ctx, w.centres);
  sofa_free(ctx, w.all_volumes);
  for (int o = 0; o < N_OTHERS; o++) sofa_free(ctx, w.part[others[o]]);
  sofa_around_free(ctx, &w.around);
  sofa_free(ctx, w.lowest);
  sofa_free(ctx, w.highest);
  sofa_free(ctx, w.local);
  sofa_list_free(ctx, &w.pairs);
  if (err != SOFA_OK) sofa_division_free(ctx, out);
  return err;
}

/* ---- cutting ---- */

SofaErr whole_division_cut(SofaContext *ctx, const SofaDivision *division, SofaMesh *mesh) {
  SOFA_TRY(sofa_division_pick(ctx, division, SOFA_ELEMENT_POINT, &mesh->position,
                              sizeof *mesh->position.data));
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElementKind kind = (SofaElementKind)k;
    const unsigned width = sofa_element_kind_info(kind)->width;
    SofaAnyList *list = sofa_mesh_list(mesh, kind);
    SOFA_TRY(sofa_division_pick(ctx, division, kind, list, width * sizeof(uint32_t)));
    uint32_t *v = list->data;
    for (size_t i = 0; i < list->n * width; i++) v[i] = sofa_division_local(division, v[i]);
  }
  return SOFA_OK;
}
