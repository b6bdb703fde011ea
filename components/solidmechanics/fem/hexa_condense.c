/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static condensation of the fine cells in a hexahedron. */
#include "components/solidmechanics/fem/hexa_condense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "numerics/direct/lapack_impl.h"
#include "components/solidmechanics/fem/NonUniformHexahedronFEMForceFieldAndMass.h"
#include "numerics/fem/hexa_element.h"

/* A fine point: where it is in the lattice, and its number. */
typedef struct Node {
  uint32_t place, id;
} Node;

enum { NOBODY = UINT32_MAX, FREE = 8 };

typedef struct Lattice {
  int side; /* places along an edge */
  size_t n, n_free;
  Node *node;       /* sorted */
  uint32_t *first;  /* of each place, and the end */
  uint32_t *column; /* of free nodes in the system; of others their corner */
  uint8_t *corner;  /* or FREE */
  bool inverse;     /* the forces at the corners are unknowns, too */
  size_t n_rows;    /* of the system */
  double *a, *x;    /* by columns: n_rows x n_rows and n_rows x 24; of x, free nodes come first */
  int *pivot;
  double (*w)[3][8]; /* weights of each node, by axis */
} Lattice;

static uint32_t place_of(const Lattice *l, const int at[3], int corner) {
  int p[3];
  for (int k = 0; k < 3; k++) p[k] = at[k] + nonuniform_steps[corner][k];
  return (uint32_t)(p[0] + l->side * (p[1] + l->side * p[2]));
}

static void position_of(const Lattice *l, uint32_t place, double p[3]) {
  const uint32_t side = (uint32_t)l->side;
  const uint32_t at[3] = {place % side, place / side % side, place / side / side};
  for (int k = 0; k < 3; k++) p[k] = (double)at[k] / (l->side - 1);
}

/* Trilinear weight of a corner at a place. */
static double trilinear(const Lattice *l, uint32_t place, int corner) {
  double p[3], weight = 1;
  position_of(l, place, p);
  for (int k = 0; k < 3; k++) weight *= nonuniform_steps[corner][k] ? p[k] : 1 - p[k];
  return weight;
}

/* ---- points ---- */

static int compare(const void *a, const void *b) {
  const Node *p = a, *q = b;
  if (p->place != q->place) return p->place < q->place ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

/* Points of the cells; where there are none, one of the void. */
static void collect(Lattice *l, const HexaFineCell *cells, size_t n_cells, bool join) {
  const uint32_t n_places = (uint32_t)(l->side * l->side * l->side);
  size_t n = 0;
  for (size_t c = 0; c < n_cells; c++)
    for (int i = 0; i < 8; i++)
      l->node[n++] = (Node){place_of(l, cells[c].at, i), join ? 0 : cells[c].points[i]};
  for (uint32_t p = 0; p < n_places; p++) l->node[n++] = (Node){p, NOBODY};
  sofa_sort(l->node, n, sizeof *l->node, compare);
  l->n = 0;
  for (size_t i = 0; i < n; i++) {
    const Node *last = l->n ? &l->node[l->n - 1] : NULL;
    const bool same = last && last->place == l->node[i].place;
    if (same && (last->id == l->node[i].id || l->node[i].id == NOBODY)) continue;
    if (!same) l->first[l->node[i].place] = (uint32_t)l->n;
    l->node[l->n++] = l->node[i];
  }
  l->first[n_places] = (uint32_t)l->n;
}

static void number(Lattice *l) {
  l->n_free = 0;
  for (size_t i = 0; i < l->n; i++) {
    l->corner[i] = FREE;
    for (uint8_t c = 0; c < 8; c++)
      if (trilinear(l, l->node[i].place, c) >= 1) l->corner[i] = c;
    l->column[i] = l->corner[i] == FREE ? (uint32_t)l->n_free++ : l->corner[i];
  }
}

static uint32_t find(const Lattice *l, uint32_t place, uint32_t id) {
  uint32_t i = l->first[place];
  while (l->node[i].id != id) i++;
  return i;
}

static void nodes_of(const Lattice *l, const HexaFineCell *cell, bool join, uint32_t v[8]) {
  for (int i = 0; i < 8; i++) v[i] = find(l, place_of(l, cell->at, i), join ? 0 : cell->points[i]);
}

/* ---- system ---- */

/* Forces on the nodes (rows): to a by free nodes, to x by the corners, negative. */
static void assemble(Lattice *l, const uint32_t v[8], const double *k) {
  for (size_t i = 0; i < 24; i++) {
    if (l->corner[v[i / 3]] != FREE && !l->inverse) continue;
    const size_t row = 3 * (size_t)(l->inverse ? v[i / 3] : l->column[v[i / 3]]) + i % 3;
    for (size_t j = 0; j < 24; j++) {
      const size_t column = 3 * (size_t)l->column[v[j / 3]] + j % 3;
      if (l->corner[v[j / 3]] == FREE) l->a[row + l->n_rows * column] += k[24 * i + j];
      else l->x[row + l->n_rows * column] -= k[24 * i + j];
    }
  }
}

/* What is not there is nearly rigid: a cube of 1 m with 1.02e12 Pa and Poisson ratio 0, in six
 * digits, as SOFA has it. */
static void void_stiffness(double *k) {
  double p[24];
  for (int i = 0; i < 24; i++) p[i] = nonuniform_steps[i / 3][i % 3];
  sofa_hexa_stiffness(p, 0, 5.1e11, k, NULL);
  for (int i = 0; i < 576; i++) {
    if (fabs(k[i]) < 1) {
      k[i] = 0;
      continue;
    }
    const double unit = pow(10, floor(log10(fabs(k[i]))) - 5);
    k[i] = (double)(float)(round(k[i] / unit) * unit);
  }
}

/* All cells, by place: where they meet the void, the order shows in the rounding errors. A void
 * cell has one point per place: where there are several, the first. */
static void assemble_all(Lattice *l, const HexaFineCell *cells, size_t n_cells, bool join) {
  const int n = l->side - 1;
  double empty[576];
  uint32_t v[8];
  void_stiffness(empty);
  for (int place = 0; place < n * n * n; place++) {
    const int at[3] = {place % n, place / n % n, place / n / n};
    bool full = false;
    for (size_t c = 0; c < n_cells; c++) {
      if (memcmp(at, cells[c].at, sizeof at)) continue;
      nodes_of(l, &cells[c], join, v);
      assemble(l, v, cells[c].k);
      full = true;
    }
    for (int i = 0; i < 8; i++) v[i] = l->first[place_of(l, at, i)];
    if (!full) assemble(l, v, empty);
  }
}

static void swap_rows(int n, double *a, int i, int k) {
  for (double *end = a + (size_t)n * (size_t)n; a < end && i != k; a += n) {
    const double kept = a[i];
    a[i] = a[k];
    a[k] = kept;
  }
}

/* to -= factor from */
static void subtract(int n, double factor, const double *restrict from, double *restrict to) {
  for (int i = 0; i < n; i++) to[i] -= factor * from[i];
}

/* P A = L U in place, by columns; false: a pivot is 0. */
static bool factorise(int n, double *a, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *column = a + (size_t)n * (size_t)k;
    pivot[k] = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(column[i]) > fabs(column[pivot[k]])) pivot[k] = i;
    swap_rows(n, a, k, pivot[k]);
    if (!(fabs(column[k]) > 0)) return false;
    const double scale = 1 / column[k];
    for (int i = k + 1; i < n; i++) column[i] *= scale;
    for (double *next = column + n; next < a + (size_t)n * (size_t)n; next += n)
      subtract(n - k - 1, next[k], column + k + 1, next + k + 1);
  }
  return true;
}

static void invert_factors(int n, const double *lu, const int *pivot, double *inverse) {
  const size_t size = (size_t)n;
  sofa_zero(inverse, size * size * sizeof *inverse);
  for (size_t i = 0; i < size; i++) inverse[i * (size + 1)] = 1;
  for (int k = 0; k < n; k++) swap_rows(n, inverse, k, pivot[k]);
  for (double *x = inverse; x < inverse + size * size; x += n) {
    for (int k = 0; k < n; k++)
      subtract(n - k - 1, x[k], lu + (size_t)k * (size + 1) + 1, x + k + 1);
    for (int k = n; k-- > 0;) {
      x[k] /= lu[(size_t)k * (size + 1)];
      subtract(k, x[k], lu + (size_t)k * size, x);
    }
  }
}

/* SOFA's way: the inverse of the system with the forces at the corners as unknowns, times x. Its
 * rounding errors show where soft and rigid cells meet: without BLAS, which rounds as the processor
 * suggests, they are the same on all. */
static SofaErr invert(SofaContext *ctx, Lattice *l, int *info) {
  const size_t n = l->n_rows;
  double *inverse = sofa_alloc(ctx, n + 24, n * sizeof *inverse), *y = inverse + n * n;
  size_t column = 3 * l->n_free;
  if (!inverse) return SOFA_ERR_MEMORY;
  for (uint8_t c = 0; c < 8; c++)
    for (size_t i = 0; i < l->n; i++)
      for (size_t k = 0; l->corner[i] == c && k < 3; k++) l->a[3 * i + k + n * column++] -= 1;
  *info = !factorise((int)n, l->a, l->pivot);
  if (!*info) invert_factors((int)n, l->a, l->pivot, inverse);
  for (size_t i = 0; i < 24 * n && !*info; i++) {
    y[i] = 0;
    for (size_t j = 0; j < n; j++) y[i] += inverse[i % n + n * j] * l->x[j + n * (i / n)];
  }
  if (!*info) sofa_copy(l->x, y, 24 * n * sizeof *y);
  sofa_free(ctx, inverse);
  return SOFA_OK;
}

/* Displacements of the free nodes by those of the corners. *solved is false when some hang loose.
 */
static SofaErr solve(SofaContext *ctx, Lattice *l, bool *solved) {
  const int n = (int)l->n_rows, n_rhs = 24;
  int info = 0;
  *solved = true;
  if (!n) return SOFA_OK;
  if (l->inverse) SOFA_TRY(invert(ctx, l, &info));
  else dgesv_(&n, &n_rhs, l->a, &n, l->pivot, l->x, &n, &info);
  for (size_t c = 0; c < 24; c++)
    for (size_t i = 0; i < 3 * l->n_free; i++)
      if (!(fabs(l->x[i + l->n_rows * c]) < 1e6)) info = 1;
  *solved = info == 0;
  return SOFA_OK;
}

/* ---- weights ---- */

/* Between equal axes, from the corners of the edge or face of the node; their sum is 1. */
static void make_weights(Lattice *l, bool solved) {
  const size_t n = l->n_rows;
  for (size_t i = 0; i < l->n; i++)
    for (size_t axis = 0; axis < 3; axis++) {
      double sum = 0, *w = l->w[i][axis];
      for (int c = 0; c < 8; c++) {
        const double near = trilinear(l, l->node[i].place, c);
        w[c] = near;
        if (near > 1e-5 && l->corner[i] == FREE && solved)
          w[c] = l->x[3 * (size_t)l->column[i] + axis + n * (3 * (size_t)c + axis)];
        sum += w[c];
      }
      for (int c = 0; c < 8; c++)
        w[c] = fabs(sum) > 1e-12 ? w[c] / sum : trilinear(l, l->node[i].place, c);
    }
}

/* out += W^T in W with the weights of eight nodes. */
static void add_weighted(const Lattice *l, const uint32_t v[8], const HexaFineCell *cell,
                         HexaCondensation *out) {
  double half[576] = {0}, light[192] = {0};
  for (size_t i = 0; i < 24; i++)
    for (size_t j = 0; j < 24; j++)
      for (size_t c = 0; c < 8; c++)
        half[24 * i + 3 * c + j % 3] += cell->k[24 * i + j] * l->w[v[j / 3]][j % 3][c];
  for (size_t i = 0; i < 24; i++)
    for (size_t c = 0; c < 8; c++)
      for (size_t j = 0; j < 24; j++)
        out->k[24 * (3 * c + i % 3) + j] += l->w[v[i / 3]][i % 3][c] * half[24 * i + j];
  for (size_t i = 0; i < 192; i++)
    for (size_t c = 0; c < 8; c++)
      light[3 * (8 * (i / 24) + c) + i % 3] += cell->m[i] * l->w[v[i / 3 % 8]][i % 3][c];
  for (size_t i = 0; i < 192; i++)
    for (size_t c = 0; c < 8; c++)
      out->m[3 * (8 * c + i / 3 % 8) + i % 3] += l->w[v[i / 24]][i % 3][c] * light[i];
}

/* Weights of the corners of a cell, for interpolation. */
static void give_weights(const Lattice *l, const uint32_t v[8], bool complete, double *weight) {
  const size_t n = l->n_rows;
  for (size_t i = 0; i < 24; i++)
    for (size_t j = 0; j < 24; j++) {
      const uint32_t node = v[i / 3];
      weight[24 * i + j] = i % 3 == j % 3 ? l->w[node][i % 3][j / 3] : 0;
      if (complete && l->corner[node] == FREE)
        weight[24 * i + j] = l->x[3 * (size_t)l->column[node] + i % 3 + n * j];
    }
}

/* ---- all together ---- */

static SofaErr open_lattice(SofaContext *ctx, Lattice *l, int n_side, size_t n_cells) {
  l->side = n_side + 1;
  const size_t n_places = (size_t)l->side * (size_t)l->side * (size_t)l->side;
  const size_t most = 8 * n_cells + n_places;
  l->node = sofa_alloc(ctx, most, sizeof *l->node);
  l->first = sofa_alloc(ctx, n_places + 1, sizeof *l->first);
  l->column = sofa_alloc(ctx, most, sizeof *l->column);
  l->corner = sofa_alloc(ctx, most, 1);
  l->w = sofa_alloc(ctx, most, sizeof *l->w);
  return l->node && l->first && l->column && l->corner && l->w ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr open_system(SofaContext *ctx, Lattice *l) {
  l->n_rows = 3 * (l->inverse ? l->n : l->n_free);
  const size_t n = l->n_rows + 1;
  l->a = sofa_alloc(ctx, n, n * sizeof *l->a);
  l->x = sofa_alloc(ctx, n, 24 * sizeof *l->x);
  l->pivot = sofa_alloc(ctx, n, sizeof *l->pivot);
  return l->a && l->x && l->pivot ? SOFA_OK : SOFA_ERR_MEMORY;
}

static void close_lattice(SofaContext *ctx, Lattice *l) {
  void *blocks[] = {l->node, l->first, l->column, l->corner, l->w, l->a, l->x, l->pivot};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sofa_free(ctx, blocks[i]);
}

SofaErr hexa_condense(SofaContext *ctx, HexaFineCell *cells, size_t n, HexaCondensation *out) {
  Lattice l = {0};
  SofaErr err = SOFA_OK;
  uint32_t v[8];
  bool solved;
  SOFA_GO(err, done, open_lattice(ctx, &l, out->n_side, n));
  collect(&l, cells, n, out->join);
  number(&l);
  l.inverse = out->inverse;
  SOFA_GO(err, done, open_system(ctx, &l));
  assemble_all(&l, cells, n, out->join);
  SOFA_GO(err, done, solve(ctx, &l, &solved));
  out->n_unsolved += !solved;
  make_weights(&l, solved);
  for (size_t c = 0; c < n; c++) {
    nodes_of(&l, &cells[c], out->join, v);
    add_weighted(&l, v, &cells[c], out);
    give_weights(&l, v, out->complete && solved, cells[c].weight);
  }
done:
  close_lattice(ctx, &l);
  return err;
}
