/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Levels of sparse grids: the finest from a surface, coarser ones from it; finding cells. */
#include "sparse_grid.h"

#include <math.h>
#include "math/vec.h"

/* ---- facets ---- */

void sofa_facets_free(SofaContext *ctx, SofaFacets *facets) {
  sofa_list_free(ctx, &facets->vertex);
  sofa_list_free(ctx, &facets->start);
  sofa_list_free(ctx, &facets->corner);
}

SofaErr sofa_facets_append(SofaContext *ctx, SofaFacets *facets, const uint32_t *corner, size_t n) {
  const uint32_t zero = 0;
  if (!facets->start.n) SOFA_TRY(SOFA_APPEND(ctx, &facets->start, &zero));
  for (size_t k = 0; k < n; k++) SOFA_TRY(SOFA_APPEND(ctx, &facets->corner, &corner[k]));
  const uint32_t end = (uint32_t)facets->corner.n;
  return SOFA_APPEND(ctx, &facets->start, &end);
}

void sofa_sparse_bodies_free(SofaContext *ctx, SofaSparseBodies *bodies) {
  for (size_t i = 0; i < bodies->n; i++) sofa_facets_free(ctx, &bodies->data[i].facets);
  sofa_list_free(ctx, bodies);
}

void sofa_sparse_level_free(SofaContext *ctx, SofaSparseLevel *l) {
  void *lists[] = {&l->place,       &l->cell,      &l->first, &l->hexas,  &l->at,
                   &l->boundary,    &l->stiffness, &l->mass,  &l->points, &l->links,
                   &l->child_start, &l->children,  &l->parent};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(ctx, lists[i]);
}

/* ---- finest level ---- */

/* rounded once, as points of regular grids are */
void sofa_sparse_position(const SofaSparseLevel *level, const int at[3], double p[3]) {
  for (int k = 0; k < 3; k++) p[k] = fma(level->step[k], (double)at[k], level->min[k]);
}

static SofaErr add_place(SofaContext *ctx, SofaSparseLevel *l, uint32_t cell) {
  const uint32_t hexa = (uint32_t)l->at.n;
  l->place.data[cell] = (uint32_t)l->n_places++;
  SOFA_TRY(SOFA_APPEND(ctx, &l->cell, &cell));
  return SOFA_APPEND(ctx, &l->first, &hexa);
}

static SofaErr add_hexa(SofaContext *ctx, SofaSparseLevel *l, bool boundary, double stiffness,
                        double mass) {
  const uint32_t place = (uint32_t)l->n_places - 1;
  SOFA_TRY(SOFA_APPEND(ctx, &l->at, &place));
  SOFA_TRY(SOFA_APPEND(ctx, &l->boundary, &boundary));
  SOFA_TRY(SOFA_APPEND(ctx, &l->stiffness, &stiffness));
  return SOFA_APPEND(ctx, &l->mass, &mass);
}

static SofaErr begin(SofaContext *ctx, SofaSparseLevel *l) {
  SOFA_TRY(SOFA_RESIZE(ctx, &l->place, sofa_sparse_n_cells(l)));
  for (size_t c = 0; c < l->place.n; c++) l->place.data[c] = SOFA_NO_CELL;
  l->n_places = 0;
  return SOFA_OK;
}

static SofaErr finish(SofaContext *ctx, SofaSparseLevel *l) {
  const uint32_t end = (uint32_t)l->at.n;
  return SOFA_APPEND(ctx, &l->first, &end);
}

/* Kind and factors of the cells of the regular grid. */
typedef struct Cells {
  uint8_t *kind, *own; /* of all bodies, of one */
  float *stiffness, *mass;
} Cells;

/* Single precision, as SOFA keeps factors. */
static float blend(const SofaSparseOptions *options, float before, double own) {
  return options->erase_previous ? (float)own : (before + (float)own) * .5f;
}

/* The cells of one body more. */
static void add_body(const SofaSparseOptions *options, const SofaSparseBody *body, size_t n,
                     Cells *c) {
  for (size_t i = 0; i < n; i++) {
    if (c->own[i] == SOFA_CELL_OUTSIDE) continue;
    const bool crossed = c->own[i] == SOFA_CELL_BOUNDARY;
    if (crossed && options->fill_weighted) {
      c->stiffness[i] = blend(options, c->stiffness[i], body->stiffness);
      c->mass[i] = blend(options, c->mass[i], body->mass);
    } else {
      c->stiffness[i] = (float)body->stiffness;
      c->mass[i] = (float)body->mass;
    }
    const bool boundary = crossed && (options->fill_weighted || !options->several);
    if (!boundary) c->kind[i] = SOFA_CELL_INSIDE;
    else if (c->kind[i] == SOFA_CELL_OUTSIDE) c->kind[i] = SOFA_CELL_BOUNDARY;
  }
}

static SofaErr find_cells(const SofaObject *object, const SofaSparseBodies *bodies,
                          const SofaSparseOptions *options, const SofaSparseLevel *l, Cells *c) {
  const size_t n = sofa_sparse_n_cells(l);
  for (size_t i = 0; i < n; i++) c->kind[i] = SOFA_CELL_OUTSIDE;
  for (size_t i = 0; i < bodies->n; i++) {
    SOFA_TRY(sofa_sparse_voxels(object, &bodies->data[i].facets, l, c->own));
    add_body(options, &bodies->data[i], n, c);
  }
  return SOFA_OK;
}

/* Cells at the surface come first. */
static SofaErr take_cells(SofaContext *ctx, const SofaSparseOptions *options, const Cells *cells,
                          SofaSparseLevel *l) {
  const size_t n = sofa_sparse_n_cells(l);
  SOFA_TRY(begin(ctx, l));
  for (int pass = options->only_inside; pass < 2; pass++)
    for (uint32_t c = 0; c < n; c++) {
      if (cells->kind[c] != (pass ? SOFA_CELL_INSIDE : SOFA_CELL_BOUNDARY)) continue;
      SOFA_TRY(add_place(ctx, l, c));
      SOFA_TRY(add_hexa(ctx, l, !pass, (double)cells->stiffness[c], (double)cells->mass[c]));
    }
  return finish(ctx, l);
}

/* Links and points. facets: the surface that decides on links. */
static SofaErr complete(SofaContext *ctx, const SofaFacets *facets,
                        const SofaSparseOptions *options, SofaSparseLevel *l) {
  if (options->ramified) SOFA_TRY(sofa_sparse_link_finest(ctx, facets, options, l));
  return options->ramified && options->finest_connectivity ? sofa_sparse_linked_points(ctx, l)
                                                           : sofa_sparse_points(ctx, l);
}

SofaErr sofa_sparse_level_build(const SofaObject *object, const SofaSparseBodies *bodies,
                                const SofaSparseOptions *options, SofaSparseLevel *l) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  const size_t n = sofa_sparse_n_cells(l);
  Cells cells = {.kind = sofa_alloc(ctx, 2 * n, 1)};
  cells.stiffness = sofa_alloc(ctx, 2 * n, sizeof *cells.stiffness);
  if (!cells.kind || !cells.stiffness) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  cells.own = cells.kind + n;
  cells.mass = cells.stiffness + n;
  SOFA_GO(err, done, find_cells(object, bodies, options, l, &cells));
  SOFA_GO(err, done, take_cells(ctx, options, &cells, l));
  err = complete(ctx, &bodies->data[0].facets, options, l);
done:
  sofa_free(ctx, cells.kind);
  sofa_free(ctx, cells.stiffness);
  return err;
}

SofaErr sofa_sparse_level_fill(SofaContext *ctx, const double *share,
                               const SofaSparseOptions *options, SofaSparseLevel *l) {
  const SofaFacets none = {0};
  SOFA_TRY(begin(ctx, l));
  for (uint32_t c = 0; c < l->place.n; c++) {
    const double factor = options->fill_weighted ? share[c] : 1;
    if (!(share[c] > 0)) continue;
    SOFA_TRY(add_place(ctx, l, c));
    SOFA_TRY(add_hexa(ctx, l, false, factor, factor));
  }
  SOFA_TRY(finish(ctx, l));
  return complete(ctx, &none, options, l);
}

/* ---- coarse levels ---- */

static void set_coarse_grid(const SofaSparseLevel *fine, SofaSparseLevel *l) {
  for (int k = 0; k < 3; k++) {
    l->n[k] = fine->n[k] / 2 + 1;
    l->min[k] = fine->min[k];
    const double max = l->min[k] + (l->n[k] - 1) * 2. * fine->step[k];
    l->step[k] = (max - l->min[k]) / (l->n[k] - 1);
  }
}

/* The fine hexahedra in the coarse cell at (i, j, k), by octant: at most `room` are kept, their
 * number is returned. */
static size_t hexas_within(const SofaSparseLevel *fine, const int at[3], SofaSparseChild *child,
                           size_t room) {
  size_t n = 0;
  for (int o = 0; o < 8; o++) {
    const int x = 2 * at[0] + (o & 1), y = 2 * at[1] + (o >> 1 & 1), z = 2 * at[2] + (o >> 2);
    if (x > fine->n[0] - 2 || y > fine->n[1] - 2 || z > fine->n[2] - 2) continue;
    const uint32_t place = fine->place.data[sofa_sparse_cell(fine, x, y, z)];
    if (place == SOFA_NO_CELL) continue;
    for (uint32_t h = fine->first.data[place]; h < fine->first.data[place + 1]; h++, n++)
      if (n < room) child[n] = (SofaSparseChild){(uint32_t)o, h};
  }
  return n;
}

/* Numbers of the connected parts of the children, in the order in which the children meet them;
 * returns how many there are. */
static uint32_t find_parts(const SofaSparseLevel *fine, const SofaSparseChild *child, size_t n,
                           uint32_t *part) {
  uint32_t n_parts = 0;
  for (size_t i = 0; i < n; i++) part[i] = (uint32_t)i;
  // the smaller number spreads over links until nothing changes
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < n; i++) {
      // links are sorted by their first hexahedron
      size_t low = 0, high = fine->links.n;
      while (low < high) {
        const size_t mid = (low + high) / 2;
        if (fine->links.data[mid].a < child[i].hexa) low = mid + 1;
        else high = mid;
      }
      for (; low < fine->links.n && fine->links.data[low].a == child[i].hexa; low++)
        for (size_t j = 0; j < n; j++) {
          if (child[j].hexa != fine->links.data[low].b || part[i] == part[j]) continue;
          part[i] = part[j] = part[i] < part[j] ? part[i] : part[j];
          changed = true;
        }
    }
  }
  // consecutive numbers: part[i] is the first child of its part
  for (size_t i = 0; i < n; i++) part[i] = part[i] == i ? n_parts++ : part[part[i]];
  return n_parts;
}

/* The children of a coarse cell with the part that each belongs to. */
typedef struct Children {
  SofaSparseChild *child;
  uint32_t *part;
  size_t n;
} Children;

/* One hexahedron of the coarse level from the children of a part. */
static SofaErr add_part(SofaContext *ctx, SofaSparseLevel *fine, SofaSparseLevel *l,
                        const Children *children, uint32_t part) {
  const SofaSparseChild *child = children->child;
  size_t inside = 0;
  double stiffness = 0, mass = 0;
  const uint32_t start = (uint32_t)l->children.n;
  SOFA_TRY(SOFA_APPEND(ctx, &l->child_start, &start));
  for (size_t i = 0; i < children->n; i++) {
    const uint32_t h = child[i].hexa;
    if (children->part[i] != part) continue;
    SOFA_TRY(SOFA_APPEND(ctx, &l->children, &child[i]));
    fine->parent.data[h] = (uint32_t)l->at.n;
    inside += !fine->boundary.data[h];
    stiffness += fine->stiffness.data[h];
    mass += fine->mass.data[h];
  }
  return add_hexa(ctx, l, inside < 8, stiffness / 8, mass / 8);
}

/* SOFA's factors: of the last child where a cell has several parts; else one child per octant
 * counts, that whose number is the number of its place. */
static void take_wrong_factors(const SofaSparseLevel *fine, SofaSparseLevel *l, uint32_t n_parts) {
  const size_t h = l->at.n - 1;
  const SofaSparseChild *child = l->children.data;
  double stiffness = 0, mass = 0;
  for (size_t i = l->child_start.data[h]; i < l->children.n; i++) {
    const bool last = i + 1 == l->children.n;
    const bool same = !last && child[i + 1].octant == child[i].octant;
    if (n_parts > 1 ? !last : same) continue;
    const uint32_t k = n_parts > 1 ? child[i].hexa : fine->at.data[child[i].hexa];
    stiffness += fine->stiffness.data[k];
    mass += fine->mass.data[k];
  }
  l->stiffness.data[h] = stiffness / 8;
  l->mass.data[h] = mass / 8;
}

/* The hexahedra of one coarse cell: one, or one per connected part. */
static SofaErr add_cell(SofaContext *ctx, const SofaSparseOptions *options, SofaSparseLevel *fine,
                        SofaSparseLevel *l, const int at[3]) {
  const size_t n = hexas_within(fine, at, NULL, 0);
  SofaErr err = SOFA_OK;
  uint32_t n_parts = 1;
  if (!n) return SOFA_OK;
  const Children all = {sofa_alloc(ctx, n, sizeof *all.child), sofa_alloc(ctx, n, sizeof *all.part),
                        n};
  if (!all.child || !all.part) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  hexas_within(fine, at, all.child, n);
  if (options->ramified) n_parts = find_parts(fine, all.child, n, all.part);
  SOFA_GO(err, done, add_place(ctx, l, sofa_sparse_cell(l, at[0], at[1], at[2])));
  for (uint32_t p = 0; p < n_parts; p++) {
    SOFA_GO(err, done, add_part(ctx, fine, l, &all, p));
    if (options->ramified && options->lost_factors) take_wrong_factors(fine, l, n_parts);
  }
done:
  sofa_free(ctx, all.child);
  sofa_free(ctx, all.part);
  return err;
}

SofaErr sofa_sparse_level_coarsen(SofaContext *ctx, const SofaSparseOptions *options,
                                  SofaSparseLevel *fine, SofaSparseLevel *l) {
  int at[3];
  set_coarse_grid(fine, l);
  SOFA_TRY(begin(ctx, l));
  SOFA_TRY(SOFA_RESIZE(ctx, &fine->parent, fine->at.n));
  for (at[0] = 0; at[0] < l->n[0] - 1; at[0]++)
    for (at[1] = 0; at[1] < l->n[1] - 1; at[1]++)
      for (at[2] = 0; at[2] < l->n[2] - 1; at[2]++) SOFA_TRY(add_cell(ctx, options, fine, l, at));
  const uint32_t end = (uint32_t)l->children.n;
  SOFA_TRY(SOFA_APPEND(ctx, &l->child_start, &end));
  SOFA_TRY(finish(ctx, l));
  if (!options->ramified) return sofa_sparse_points(ctx, l);
  SOFA_TRY(sofa_sparse_link_coarse(ctx, fine, l));
  return sofa_sparse_linked_points(ctx, l);
}

/* ---- finding ---- */

uint32_t sofa_sparse_find(const SofaSparseLevel *l, const double p[3], double f[3]) {
  int at[3];
  for (int k = 0; k < 3; k++) {
    const double u = (p[k] - l->min[k]) * l->step[k] / (l->step[k] * l->step[k]), i = floor(u);
    if (!(i >= 0 && i <= l->n[k] - 2)) return SOFA_NO_CELL;
    at[k] = (int)i;
    f[k] = u - i;
  }
  return sofa_sparse_cell(l, at[0], at[1], at[2]);
}

uint32_t sofa_sparse_nearest_cell(const SofaSparseLevel *l, const double p[3], double f[3]) {
  int at[3];
  for (int k = 0; k < 3; k++) {
    const double u = (p[k] - l->min[k]) * l->step[k] / (l->step[k] * l->step[k]);
    double i = floor(u);
    if (!(i > 0)) i = 0;
    if (i > l->n[k] - 2) i = l->n[k] - 2;
    at[k] = (int)i;
    f[k] = u - i;
  }
  return sofa_sparse_cell(l, at[0], at[1], at[2]);
}

/* Among the cells at the boundary, or among all. */
static uint32_t nearest_of(const SofaSparseLevel *l, const double p[3], bool all, double f[3]) {
  uint32_t best = SOFA_NO_CELL;
  float least = 99999999.f;
  for (size_t h = 0; h < l->hexas.n; h++) {
    if (!all && !l->boundary.data[h]) continue;
    const double *a = l->points.data[l->hexas.data[h].v[0]].v;
    const double *b = l->points.data[l->hexas.data[h].v[6]].v;
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = p[k] - (a[k] + b[k]) / 2;
    // in single precision, as in SOFA: ties go to the first
    const float distance = (float)sofa_vec3_norm(d);
    if (!(distance < least)) continue;
    least = distance;
    best = (uint32_t)h;
    for (int k = 0; k < 3; k++) f[k] = (p[k] - a[k]) / (b[k] - a[k]);
  }
  return best;
}

uint32_t sofa_sparse_nearest(const SofaSparseLevel *l, const double p[3], double f[3]) {
  const uint32_t best = nearest_of(l, p, false, f);
  // grids of voxels have no cells at a boundary
  return best != SOFA_NO_CELL ? best : nearest_of(l, p, true, f);
}

uint32_t sofa_sparse_find_hexa(const SofaSparseLevel *l, const double p[3], double f[3]) {
  const uint32_t cell = sofa_sparse_find(l, p, f);
  const uint32_t place = cell == SOFA_NO_CELL ? SOFA_NO_CELL : l->place.data[cell];
  return place == SOFA_NO_CELL ? sofa_sparse_nearest(l, p, f) : l->first.data[place];
}
