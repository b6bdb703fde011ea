/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Volume part of linear tetrahedra with a continuous pressure. */
#include "components/solidmechanics/fem/linear_corners.h"

#include <math.h>
#include "base/team.h"
#include "numerics/fem/finite_element.h"

enum { CORNERS = 4, NODES = 10 };

/* ---- making ---- */

/* What one point of quadrature has in an element: N_a and weight grad N_i. */
static void add_point(SofaLinearCorners *c, size_t e, const double *n, const double *g,
                      double weight, double lambda) {
  for (size_t a = 0; a < CORNERS; a++) {
    const uint32_t *place = c->stars.place + NODES * (CORNERS * e + a);
    c->softness[c->stars.corner[CORNERS * e + a]] += weight * n[a] / lambda;
    for (size_t k = 0; k < 3 * NODES; k++)
      c->row[3 * (size_t)place[k / 3] + k % 3] += weight * n[a] * g[k];
  }
}

static void add_element(SofaLinearCorners *c, const SofaElementMesh *mesh, size_t e,
                        double lambda) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_rule = sofa_quadrature(SOFA_SHAPE_TETRA10, SOFA_RULE_STIFFNESS, rule);
  double p[3 * NODES];
  for (size_t k = 0; k < 3 * NODES; k++)
    p[k] = mesh->rest[3 * (size_t)mesh->vertices[NODES * e + k / 3] + k % 3];
  for (size_t q = 0; q < n_rule; q++) {
    double n[NODES], d[NODES][3], linear[CORNERS], slopes[CORNERS][3], g[3 * NODES];
    sofa_shape_functions(SOFA_SHAPE_TETRA10, rule[q].xi, n, d);
    sofa_shape_functions(SOFA_SHAPE_TETRA, rule[q].xi, linear, slopes);
    const double measure = sofa_shape_gradients(SOFA_SHAPE_TETRA10, 3, p, d, g);
    add_point(c, e, linear, g, rule[q].weight * fabs(measure), lambda);
  }
}

static SofaErr allocate(SofaContext *ctx, SofaLinearCorners *c) {
  if (!(c->rest = sofa_alloc(ctx, 3 * c->stars.n_points, sizeof *c->rest)) ||
      !(c->row = sofa_alloc(ctx, 3 * c->stars.n_places, sizeof *c->row)) ||
      !(c->softness = sofa_alloc(ctx, c->stars.n, sizeof *c->softness)) ||
      !(c->factor = sofa_alloc(ctx, c->stars.n, sizeof *c->factor)) ||
      !(c->pressure = sofa_alloc(ctx, c->stars.n, sizeof *c->pressure)) ||
      !(c->blocks = sofa_alloc(ctx, 9 * c->stars.pairs.n, sizeof *c->blocks)))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

SofaErr sofa_linear_corners_create(SofaContext *ctx, const SofaElementMesh *mesh,
                                   const double *lambda, SofaLinearCorners *out) {
  SofaErr err = SOFA_OK;
  *out = (SofaLinearCorners){.rest = NULL};
  SOFA_GO(err, done,
          sofa_corner_stars_create(ctx, (SofaElements){mesh->vertices, mesh->n, NODES}, CORNERS,
                                   mesh->n_points, &out->stars));
  SOFA_GO(err, done, allocate(ctx, out));
  sofa_copy(out->rest, mesh->rest, 3 * mesh->n_points * sizeof *out->rest);
  for (size_t e = 0; e < mesh->n; e++) add_element(out, mesh, e, lambda[e]);
  for (size_t a = 0; a < out->stars.n; a++) out->factor[a] = -1 / out->softness[a];
  sofa_corner_stars_add(&out->stars, ctx, out->factor, out->row, out->blocks);
done:
  if (err != SOFA_OK) sofa_linear_corners_free(ctx, out);
  return err;
}

void sofa_linear_corners_free(SofaContext *ctx, SofaLinearCorners *c) {
  double *const owned[] = {c->rest, c->row, c->softness, c->factor, c->pressure, c->blocks};
  for (size_t i = 0; i < SOFA_COUNT(owned); i++) sofa_free(ctx, owned[i]);
  sofa_corner_stars_free(ctx, &c->stars);
  *c = (SofaLinearCorners){.rest = NULL};
}

/* ---- products ---- */

/* d_a of a corner. */
static double dilatation_of(const SofaLinearCorners *c, size_t corner, const double *rest,
                            const double *x) {
  double sum = 0;
  for (size_t t = c->stars.start[corner]; t < c->stars.start[corner + 1]; t++) {
    const size_t at = 3 * (size_t)c->stars.point[t];
    for (size_t i = 0; i < 3; i++)
      sum += c->row[3 * t + i] * (rest ? x[at + i] - rest[at + i] : x[at + i]);
  }
  return sum;
}

typedef struct Product {
  const SofaLinearCorners *c;
  double factor;
  const double *rest, *dx;
  double *df;
} Product;

static void press_corners(void *user, size_t begin, size_t end) {
  const Product *p = user;
  const SofaLinearCorners *c = p->c;
  for (size_t a = begin; a < end; a++)
    c->pressure[a] = -c->factor[a] * dilatation_of(c, a, p->rest, p->dx);
}

static void push_points(void *user, size_t begin, size_t end) {
  const Product *p = user;
  const SofaLinearCorners *c = p->c;
  const SofaCornerStars *s = &c->stars;
  for (size_t i = begin; i < end; i++) {
    for (size_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
      const double *row = c->row + 3 * s->row[k];
      const double scale = p->factor * c->pressure[s->of[s->row[k]]];
      for (size_t j = 0; j < 3; j++) p->df[3 * i + j] -= scale * row[j];
    }
  }
}

enum { GRAIN = 256 };

void sofa_linear_corners_multiply(const SofaLinearCorners *c, const SofaContext *ctx, double factor,
                                  const double *rest, const double *dx, double *df) {
  Product product = {c, factor, rest, dx, df};
  sofa_team_for(ctx, c->stars.n, GRAIN, press_corners, &product);
  sofa_team_for(ctx, c->stars.n_points, GRAIN, push_points, &product);
}

double sofa_linear_corners_pressure(const SofaLinearCorners *c, size_t element, unsigned corner,
                                    const double *x) {
  const size_t a = c->stars.corner[CORNERS * element + corner];
  return dilatation_of(c, a, c->rest, x) / c->softness[a];
}

double sofa_linear_corners_energy(const SofaLinearCorners *c, const double *x) {
  double sum = 0;
  for (size_t a = 0; a < c->stars.n; a++) {
    const double d = dilatation_of(c, a, c->rest, x);
    sum += 0.5 * d * d / c->softness[a];
  }
  return sum;
}
