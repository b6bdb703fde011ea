/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembly and products of mass matrices of elements. */
#include "numerics/mass/mass_matrix.h"

#include "base/team.h"
#include "numerics/mass/mass_rows.h"

static SofaErr allocate(SofaContext *ctx, SofaMassMatrix *m, size_t n_values) {
  const size_t n_pairs = m->pairs.n + 1, width = m->width;
  if (!(m->start = sofa_alloc(ctx, m->n + 2, sizeof *m->start)) ||
      !(m->column = sofa_alloc(ctx, n_values, sizeof *m->column)) ||
      !(m->value = sofa_alloc(ctx, width * n_values, sizeof *m->value)) ||
      !(m->row_sum = sofa_alloc(ctx, width * m->n, sizeof *m->row_sum)) ||
      !(m->upper = sofa_alloc(ctx, n_pairs, sizeof *m->upper)) ||
      !(m->lower = sofa_alloc(ctx, n_pairs, sizeof *m->lower)))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

SofaErr sofa_mass_matrix_create(SofaContext *ctx, size_t n_elements, unsigned n_nodes,
                                const uint32_t *vertices, size_t n_points, SofaMassMatrix *out) {
  SofaErr err = SOFA_OK;
  *out = (SofaMassMatrix){.width = out->width > 1 ? out->width : 1, .n = n_points};
  SofaElementPairs *pairs = &out->pairs;
  SOFA_GO(err, done,
          sofa_element_pairs_create(ctx, (SofaElements){vertices, n_elements, n_nodes}, n_points,
                                    SOFA_PAIRS_SLOTS, pairs));
  size_t n_values = pairs->n;
  for (size_t p = 0; p < pairs->n; p++) n_values += pairs->row[p] != pairs->column[p];
  SOFA_GO(err, done, allocate(ctx, out, n_values));

  // counts two rows ahead, so that start[i + 1] walks through row i while it is filled; pairs are
  // ordered by row, then column, so the columns of a row come ascending
  for (size_t p = 0; p < pairs->n; p++) {
    out->start[pairs->row[p] + 2]++;
    if (pairs->row[p] != pairs->column[p]) out->start[pairs->column[p] + 2]++;
  }
  for (size_t i = 2; i < n_points + 2; i++) out->start[i] += out->start[i - 1];
  for (size_t p = 0; p < pairs->n; p++) {
    const uint32_t i = pairs->row[p], j = pairs->column[p];
    out->upper[p] = out->start[i + 1]++;
    out->column[out->upper[p]] = j;
    out->lower[p] = out->upper[p];
    if (i == j) continue;
    out->lower[p] = out->start[j + 1]++;
    out->column[out->lower[p]] = i;
  }
done:
  if (err != SOFA_OK) sofa_mass_matrix_free(ctx, out);
  return err;
}

SofaErr sofa_mass_matrix_of_geometry(SofaContext *ctx, const SofaMassGeometry *g,
                                     const double *density, bool by_element, SofaMassMatrix *out) {
  SOFA_TRY(
      sofa_mass_matrix_create(ctx, g->n_elements, g->n_vertices, g->vertices, g->n_points, out));
  for (size_t e = 0; e < g->n_elements; e++) {
    double p[24], rho[8], element[64];
    for (int n = 0; n < 8; n++) rho[n] = density[by_element ? e : 0];
    sofa_mass_element_points(g, e, p);
    sofa_consistent_mass(sofa_mass_cell_shape(g->cell), 3, SOFA_RULE_MASS, p, rho, element);
    sofa_mass_matrix_add(out, e, element);
  }
  sofa_mass_matrix_sums(out);
  return SOFA_OK;
}

void sofa_mass_matrix_free(SofaContext *ctx, SofaMassMatrix *m) {
  sofa_element_pairs_free(ctx, &m->pairs);
  sofa_free(ctx, m->start);
  sofa_free(ctx, m->column);
  sofa_free(ctx, m->value);
  sofa_free(ctx, m->row_sum);
  sofa_free(ctx, m->upper);
  sofa_free(ctx, m->lower);
  *m = (SofaMassMatrix){.width = m->width};
}

void sofa_mass_matrix_add(SofaMassMatrix *m, size_t element, const double *element_mass) {
  const unsigned n_nodes = m->pairs.n_nodes, width = m->width;
  const uint32_t *slot = m->pairs.slot + element * sofa_element_pairs_local(n_nodes);
  for (unsigned a = 0; a < n_nodes; a++) {
    for (unsigned b = a; b < n_nodes; b++, slot++) {
      const uint32_t upper = m->upper[*slot >> 2], lower = m->lower[*slot >> 2];
      const double *part = element_mass + width * (a * n_nodes + b);
      for (size_t c = 0; c < width; c++) {
        m->value[width * upper + c] += part[c];
        // an edge between a point and itself counts from both ends
        if (lower != upper || (*slot & 3) == SOFA_PAIR_BOTH) m->value[width * lower + c] += part[c];
      }
    }
  }
}

void sofa_mass_matrix_sums(SofaMassMatrix *m) {
  const size_t width = m->width;
  for (size_t i = 0; i < width * m->n; i++) {
    m->row_sum[i] = 0;
    for (uint32_t k = m->start[i / width]; k < m->start[i / width + 1]; k++)
      m->row_sum[i] += m->value[width * k + i % width];
  }
}

const double *sofa_mass_matrix_diagonal(const SofaMassMatrix *m, size_t i) {
  uint32_t k = m->start[i];
  while (m->column[k] != i) k++;
  return m->value + m->width * k;
}

static void multiply_wide_row(const SofaMassMatrix *m, size_t i, size_t deriv, const double *dx,
                              double *res, double factor) {
  for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++)
    for (size_t c = 0; c < deriv; c++)
      res[i * deriv + c] += factor * m->value[m->width * k + c] * dx[m->column[k] * deriv + c];
}

enum { ROWS_GRAIN = 512 };

typedef struct Product {
  const SofaMassMatrix *m;
  size_t deriv;
  double factor;
  const double *dx;
  double *res;
} Product;

static void multiply_wide_rows(void *user, size_t begin, size_t end) {
  const Product *p = user;
  for (size_t i = begin; i < end; i++)
    multiply_wide_row(p->m, i, p->deriv, p->dx, p->res, p->factor);
}

static SofaScalarRows scalar_rows(const SofaMassMatrix *m, size_t deriv) {
  return (SofaScalarRows){
      .n = m->n, .deriv = deriv, .start = m->start, .column = m->column, .value = m->value};
}

void sofa_mass_matrix_multiply(const SofaMassMatrix *m, const SofaContext *ctx, size_t deriv,
                               const double *dx, double *res, double factor) {
  if (m->width <= 1) {
    const SofaScalarRows rows = scalar_rows(m, deriv);
    sofa_mass_rows_multiply(ctx, &rows, dx, res, factor);
    return;
  }
  Product product = {m, deriv, factor, dx, res};
  sofa_team_for(ctx, m->n, ROWS_GRAIN, multiply_wide_rows, &product);
}

typedef struct Blocks {
  const SofaMassMatrix *m;
  size_t deriv;
} Blocks;

static void entry_block(void *user, size_t k, double *block) {
  const Blocks *b = user;
  sofa_zero(block, b->deriv * b->deriv * sizeof *block);
  for (size_t c = 0; c < b->deriv; c++)
    block[c * (b->deriv + 1)] = mass_matrix_of(b->m, b->m->value + b->m->width * k, c);
}

void sofa_mass_matrix_add_m(const SofaMassMatrix *m, const SofaContext *ctx, size_t deriv,
                            const SofaTangent *tangent) {
  if (m->width == 1) {
    const SofaScalarRows scalars = scalar_rows(m, deriv);
    sofa_tangent_add_scalar_rows(ctx, &scalars, tangent);
    return;
  }
  Blocks blocks = {m, deriv};
  const SofaPointRows rows = {m->n, m->start, m->column, entry_block, &blocks};
  sofa_tangent_add_rows(ctx, &rows, tangent);
}

double sofa_mass_matrix_kinetic(const SofaMassMatrix *m, size_t deriv, const double *v) {
  double energy = 0;
  for (size_t i = 0; i < m->n; i++) {
    for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
      for (size_t c = 0; c < deriv; c++)
        energy += mass_matrix_of(m, m->value + m->width * k, c) * v[i * deriv + c] *
                  v[m->column[k] * deriv + c];
    }
  }
  return 0.5 * energy;
}

/* ---- diagonal ---- */

void sofa_mass_diagonal_multiply(const double *masses, size_t n, size_t deriv, const double *dx,
                                 double *res, double factor) {
  for (size_t i = 0; i < n; i++, dx += deriv, res += deriv)
    for (size_t k = 0; k < deriv; k++) res[k] += factor * masses[i] * dx[k];
}

void sofa_mass_diagonal_add_m(const double *masses, const SofaContext *ctx, size_t n, size_t deriv,
                              const SofaTangent *tangent) {
  const SofaScalarRows rows = {.n = n, .deriv = deriv, .own = masses};
  sofa_tangent_add_scalar_rows(ctx, &rows, tangent);
}

double sofa_mass_diagonal_kinetic(const double *masses, size_t n, size_t deriv, const double *v) {
  double energy = 0;
  for (size_t k = 0; k < n * deriv; k++) energy += 0.5 * masses[k / deriv] * v[k] * v[k];
  return energy;
}

void sofa_mass_diagonal_gravity(const double *masses, size_t n, size_t deriv, const double *g,
                                double *f) {
  const double weight[3] = {g[0], deriv > 1 ? g[1] : 0, deriv > 2 ? g[2] : 0};
  for (size_t i = 0; i < n; i++, f += deriv)
    for (size_t k = 0; k < deriv; k++) f[k] += masses[i] * weight[k];
}

double sofa_mass_diagonal_potential(const double *masses, size_t n, size_t deriv, const double *g,
                                    const double *x) {
  double energy = 0;
  for (size_t i = 0; i < n; i++, x += deriv)
    for (size_t k = 0; k < deriv; k++) energy -= masses[i] * g[k] * x[k];
  return energy;
}

SofaErr sofa_mass_diagonal_whole(const SofaState *state, size_t width, const double *own,
                                 SofaReals *out) {
  const SofaDivision *division = sofa_state_division(state);
  SofaContext *ctx = state->object.ctx;
  out->n = 0;
  if (!division) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, out, width * division->n));
  sofa_copy(out->data, own, out->n * sizeof *own);
  return sofa_division_sum(ctx, division, width, out->data);
}
