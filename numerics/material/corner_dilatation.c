/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dilatation that is continuous over the elements; formulas in solid_batch.h. */
#include <math.h>

#include "base/team.h"
#include "numerics/material/dilatation_impl.h"
#include "numerics/material/solid_points_impl.h"
#include "numerics/material/tensor.h"

enum { CORNERS = 4, ROWS_GRAIN = 64 };

/* Share of a corner in an element, from a row of lanes of its group. */
static double share_of(const SofaCornerDilatation *c, size_t element, size_t corner) {
  return c->share[CORNERS * (element / SOFA_LANES) + corner][element % SOFA_LANES];
}

/* w N_a of a point. */
static double weight_of(const SofaSolidBatch *b, size_t e, size_t q, size_t corner) {
  const size_t at = b->n_gauss * (e / SOFA_LANES) + q;
  return b->volume[at][e % SOFA_LANES] * b->mode[CORNERS * at + corner][e % SOFA_LANES];
}

/* ---- making ---- */

/* N_a at the points of a lane. */
static void fill_modes(SofaSolidBatch *b, const SofaQuadraturePoint *rule, size_t lane) {
  for (size_t q = 0; q < b->n_gauss; q++) {
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
    sofa_shape_functions(sofa_shape_info(b->shape)->corners, rule[q].xi, n, d);
    for (size_t a = 0; a < CORNERS; a++)
      b->mode[CORNERS * (b->n_gauss * (lane / SOFA_LANES) + q) + a][lane % SOFA_LANES] = n[a];
  }
}

static SofaErr allocate(SofaContext *ctx, const SofaSolidBatch *b, SofaCornerDilatation *c) {
  double **const of_corners[] = {&c->measure, &c->mean, &c->pressure, &c->modulus, &c->other};
  for (size_t i = 0; i < SOFA_COUNT(of_corners); i++)
    if (!(*of_corners[i] = sofa_alloc(ctx, c->stars.n, sizeof(double)))) return SOFA_ERR_MEMORY;
  if (!(c->share = sofa_alloc(ctx, CORNERS * b->n_groups, sizeof *c->share)) ||
      !(c->slope = sofa_alloc(ctx, 3 * CORNERS * b->n_nodes * b->n_groups, sizeof *c->slope)) ||
      !(c->row = sofa_alloc(ctx, 3 * c->stars.n_places, sizeof *c->row)))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

SofaErr sofa_corners_create(SofaContext *ctx, const SofaElementMesh *mesh,
                            const SofaQuadraturePoint *rule, SofaSolidBatch *b) {
  SofaCornerDilatation *c = &b->corners;
  for (size_t lane = 0; lane < b->n_groups * SOFA_LANES; lane++) fill_modes(b, rule, lane);
  SOFA_TRY(sofa_corner_stars_create(ctx, (SofaElements){mesh->vertices, b->n, b->n_nodes}, CORNERS,
                                    b->n_points, &c->stars));
  b->pairs = c->stars.pairs;
  c->stars.pairs = (SofaElementPairs){0};
  SOFA_TRY(allocate(ctx, b, c));
  for (size_t k = 0; k < CORNERS * b->n; k++)
    for (size_t q = 0; q < b->n_gauss; q++)
      c->measure[c->stars.corner[k]] += weight_of(b, k / CORNERS, q, k % CORNERS);
  for (size_t a = 0; a < c->stars.n; a++) c->mean[a] = 1;
  return SOFA_OK;
}

void sofa_corners_free(SofaContext *ctx, SofaCornerDilatation *c) {
  void *const owned[] = {c->measure, c->mean,  c->pressure, c->modulus,
                         c->other,   c->share, c->slope,    c->row};
  for (size_t i = 0; i < SOFA_COUNT(owned); i++) sofa_free(ctx, owned[i]);
  sofa_corner_stars_free(ctx, &c->stars);
  *c = (SofaCornerDilatation){.measure = NULL};
}

/* ---- the dilatation of corners ---- */

void sofa_corners_share(const SofaSolidBatch *b, size_t e, const double *j) {
  for (size_t a = 0; a < CORNERS; a++) {
    double sum = 0;
    for (size_t q = 0; q < b->n_gauss; q++) sum += weight_of(b, e, q, a) * j[q];
    b->corners.share[CORNERS * (e / SOFA_LANES) + a][e % SOFA_LANES] = sum;
  }
}

/* J_a from the shares; returns the first element at a corner where it is not positive, or b->n. */
static size_t gather_means(const SofaSolidBatch *b, double *mean) {
  const SofaCornerDilatation *c = &b->corners;
  size_t bad = b->n;
  for (size_t a = 0; a < c->stars.n; a++) {
    double sum = 0;
    for (uint32_t k = c->stars.around_start[a]; k < c->stars.around_start[a + 1]; k++)
      sum += share_of(c, c->stars.around[k] / CORNERS, c->stars.around[k] % CORNERS);
    mean[a] = sum / c->measure[a];
    const size_t first = c->stars.around[c->stars.around_start[a]] / CORNERS;
    if (!(mean[a] > 0) && first < bad) bad = first;
  }
  return bad;
}

void sofa_corners_respond(const SofaSolidBatch *b, const SofaSolidLaw *law) {
  const SofaCornerDilatation *c = &b->corners;
  for (size_t a = 0; a < c->stars.n; a++) {
    double u[3];
    law->material->dilatation(law->p, c->mean[a], u);
    c->pressure[a] = u[1];
    c->modulus[a] = -u[2] / c->measure[a];
  }
}

size_t sofa_corners_update(const SofaSolidBatch *b, const SofaSolidLaw *law) {
  const size_t bad = gather_means(b, b->corners.mean);
  if (bad == b->n) sofa_corners_respond(b, law);
  return bad;
}

size_t sofa_corners_at(const SofaSolidBatch *b, const double *x) {
  if (!b->corners.stars.n) return b->n;
  for (size_t e = 0; e < b->n; e++) {
    double j[SOFA_SOLID_MAX_GAUSS];
    for (size_t q = 0; q < b->n_gauss; q++) {
      double g[3 * SOFA_SHAPE_MAX_NODES], f[9];
      sofa_solid_gradients(b, e, q, g);
      sofa_solid_gradient_at(b, e, g, x, f);
      j[q] = sofa_mat3_det(f);
    }
    sofa_corners_share(b, e, j);
  }
  return gather_means(b, b->corners.other);
}

/* ---- elements ---- */

static double interpolate(const SofaSolidBatch *b, SofaSolidPlace at, const double *values) {
  const size_t row = CORNERS * (b->n_gauss * (at.element / SOFA_LANES) + at.point);
  double sum = 0;
  for (size_t a = 0; a < CORNERS; a++)
    sum += b->mode[row + a][at.element % SOFA_LANES] *
           values[b->corners.stars.corner[CORNERS * at.element + a]];
  return sum;
}

void sofa_corners_project(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t group,
                          size_t count, SofaSolidResponse *r) {
  for (size_t l = 0; l < count; l++) {
    for (size_t q = 0; q < b->n_gauss; q++) {
      const double j = r[q][3][l];
      double u[3];
      const double pressure =
          interpolate(b, (SofaSolidPlace){SOFA_LANES * group + l, q}, b->corners.pressure);
      law->material->dilatation(law->p, j, u);
      r[q][1][l] += (pressure - u[1]) * j;
      r[q][2][l] += (pressure - u[1] - j * u[2]) * j;
    }
  }
}

/* S of U is U' J Ci, D is (U' J + U'' J^2) Ci x Ci - 2 U' J Ci . Ci; those of p~ have U'' = 0. */
void sofa_corners_adjust(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                         const SofaDeformation *x, SofaPointResult *r) {
  double u[3], half[6];
  law->material->dilatation(law->p, x->j, u);
  const double change = (interpolate(b, at, b->corners.pressure) - u[1]) * x->j;
  for (int k = 0; k < 6; k++) {
    r->s[k] += change * x->ci[k];
    half[k] = 0.5 * (change - u[2] * x->j * x->j) * x->ci[k];
  }
  if (!r->d) return;
  sofa_add_symmetric_product(half, x->ci, r->d);
  sofa_add_inverse_square(-2 * change, x->ci, r->d);
}

void sofa_corners_keep_slopes(const SofaSolidBatch *b, size_t e) {
  const size_t rows = 3 * (size_t)b->n_nodes;
  double(*to)[SOFA_LANES] = b->corners.slope + CORNERS * rows * (e / SOFA_LANES);
  for (size_t k = 0; k < CORNERS * rows; k++) to[k][e % SOFA_LANES] = 0;
  for (size_t q = 0; q < b->n_gauss; q++) {
    double f[9], inverse[9], g[3 * SOFA_SHAPE_MAX_NODES], j;
    sofa_solid_kept(b, e, q, f);
    sofa_mat3_inverse(f, inverse, &j);
    sofa_solid_gradients(b, e, q, g);
    for (size_t n = 0; n < b->n_nodes; n++) {
      double h[3];
      sofa_mat3_apply_t(inverse, g + 3 * n, h);
      for (size_t a = 0; a < CORNERS; a++)
        for (size_t i = 0; i < 3; i++)
          to[rows * a + 3 * n + i][e % SOFA_LANES] += weight_of(b, e, q, a) * j * h[i];
    }
  }
}

/* B_an of a corner from the slopes of the elements around it. */
static void gather_row(const SofaSolidBatch *b, size_t corner) {
  const SofaCornerDilatation *c = &b->corners;
  const SofaCornerStars *s = &c->stars;
  const size_t rows = 3 * (size_t)b->n_nodes;
  sofa_zero(c->row + 3 * s->start[corner],
            3 * (s->start[corner + 1] - s->start[corner]) * sizeof *c->row);
  for (uint32_t k = s->around_start[corner]; k < s->around_start[corner + 1]; k++) {
    const size_t e = s->around[k] / CORNERS, a = s->around[k] % CORNERS;
    const double(*from)[SOFA_LANES] =
        (const double(*)[SOFA_LANES])(c->slope + rows * (CORNERS * (e / SOFA_LANES) + a));
    for (size_t i = 0; i < rows; i++)
      c->row[3 * (size_t)s->place[b->n_nodes * (size_t)s->around[k] + i / 3] + i % 3] +=
          from[i][e % SOFA_LANES];
  }
}

static void gather_rows(void *user, size_t begin, size_t end) {
  for (size_t a = begin; a < end; a++) gather_row(user, a);
}

void sofa_corners_add_blocks(SofaSolidBatch *b, const SofaContext *ctx) {
  const SofaCornerDilatation *c = &b->corners;
  sofa_team_for(ctx, c->stars.n, ROWS_GRAIN, gather_rows, b);
  sofa_corner_stars_add(&c->stars, ctx, c->modulus, c->row, b->blocks);
}

/* ---- energy and stress ---- */

double sofa_corners_energy(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e,
                           const double *j) {
  double sum = 0, u[3];
  for (size_t a = 0; a < CORNERS; a++) {
    law->material->dilatation(law->p, b->corners.other[b->corners.stars.corner[CORNERS * e + a]],
                              u);
    for (size_t q = 0; q < b->n_gauss; q++) sum += weight_of(b, e, q, a) * u[0];
  }
  for (size_t q = 0; q < b->n_gauss; q++) {
    law->material->dilatation(law->p, j[q], u);
    sum -= sofa_solid_weight(b, e, q) * u[0];
  }
  return sum;
}

void sofa_corners_pressure(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e,
                           const double *j, double *change) {
  double at_corner[CORNERS], u[3];
  for (size_t a = 0; a < CORNERS; a++) {
    law->material->dilatation(law->p, b->corners.other[b->corners.stars.corner[CORNERS * e + a]],
                              u);
    at_corner[a] = u[1];
  }
  for (size_t q = 0; q < b->n_gauss; q++) {
    const size_t row = CORNERS * (b->n_gauss * (e / SOFA_LANES) + q);
    law->material->dilatation(law->p, j[q], u);
    change[q] = -u[1];
    for (size_t a = 0; a < CORNERS; a++)
      change[q] += b->mode[row + a][e % SOFA_LANES] * at_corner[a];
  }
}
