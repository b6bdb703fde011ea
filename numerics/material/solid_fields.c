/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses, strains and energies of elements with quadrature. */
#include "numerics/material/solid_fields.h"

#include <math.h>
#include <string.h>
#include "math/vec.h"
#include "numerics/material/dilatation_impl.h"

/* sigma = F S F^T / J */
static void cauchy(const SofaDeformation *x, const double *s, double *sigma) {
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
  for (int k = 0; k < 6; k++) {
    sigma[k] = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        sigma[k] += x->f[3 * row[k] + i] * s[at[i][j]] * x->f[3 * column[k] + j] / x->j;
  }
}

static double weight_of(const SofaSolidBatch *b, size_t e, size_t q) {
  return b->volume[e / SOFA_LANES * b->n_gauss + q][e % SOFA_LANES];
}

/* Fills stress and strain of a point and j; returns the energy density. */
static double at_point(const SofaSolidSource *from, SofaSolidPlace at, SofaElementSample *out,
                       double *j) {
  SofaDeformation d;
  SofaPointResult r = {.d = NULL};
  double *stress = out->stress[at.point], *strain = out->strain[at.point];
  const bool defined = sofa_solid_point_at(from->batch, &from->law, at, from->x, &d, &r);
  for (int k = 0; k < 6; k++) stress[k] = strain[k] = NAN;
  *j = defined ? d.j : NAN;
  if (!defined) return NAN;
  for (int k = 0; k < 6; k++) strain[k] = (d.c[k] - (k < 3)) / 2;
  cauchy(&d, r.s, stress);
  return r.potential;
}

/* Stress and energy with the dilatation that the element projects, J at its points. */
static void project_dilatation(const SofaSolidSource *from, size_t e, const double *j,
                               SofaElementSample *out) {
  const SofaSolidBatch *b = from->batch;
  double change[SOFA_SOLID_MAX_GAUSS], energy = 0;
  const bool defined = sofa_dilatation_pressure(b, &from->law, e, j, change) &&
                       sofa_dilatation_energy(b, &from->law, e, j, &energy);
  out->energy += defined ? energy : NAN;
  for (size_t q = 0; q < b->n_gauss; q++)
    for (int k = 0; k < 3; k++) out->stress[q][k] += defined ? change[q] : NAN;
}

/* Points of quadrature at rest: the rule is the one with their number. */
static void places(const SofaSolidSource *from, SofaElementSample *out) {
  const SofaSolidBatch *b = from->batch;
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
  if (sofa_quadrature(b->shape, SOFA_RULE_FULL, rule) != b->n_gauss)
    sofa_quadrature(b->shape, SOFA_RULE_REDUCED, rule);
  memset(out->middle_place, 0, sizeof out->middle_place);
  for (unsigned q = 0; q < b->n_gauss; q++) {
    memset(out->place[q], 0, sizeof out->place[q]);
    sofa_shape_functions(b->shape, rule[q].xi, n, d);
    for (unsigned k = 0; k < b->n_nodes; k++)
      sofa_vec3_axpy(n[k], from->rest + 3 * (size_t)out->v[k], out->place[q]);
  }
  double sum = 0;
  for (unsigned q = 0; q < b->n_gauss; q++) {
    sum += out->weight[q];
    sofa_vec3_axpy(out->weight[q], out->place[q], out->middle_place);
  }
  sofa_vec3_scale(1 / sum, out->middle_place, out->middle_place);
}

static void sample(const void *source, size_t e, SofaElementSample *out) {
  const SofaSolidSource *from = source;
  const SofaSolidBatch *b = from->batch;
  double j[SOFA_SOLID_MAX_GAUSS];
  for (unsigned k = 0; k < b->n_nodes; k++)
    out->v[k] = b->v[e / SOFA_LANES * b->n_nodes + k][e % SOFA_LANES];
  out->energy = 0;
  for (size_t q = 0; q < b->n_gauss; q++) {
    out->weight[q] = weight_of(b, e, q);
    out->energy += out->weight[q] * at_point(from, (SofaSolidPlace){e, q}, out, &j[q]);
  }
  if (b->n_modes) project_dilatation(from, e, j, out);
  sofa_element_sample_mean(b->n_gauss, out);
  places(from, out);
}

void sofa_solid_result_elements(const SofaSolidSource *source, size_t n_points,
                                SofaResultElements *out) {
  const SofaSolidBatch *b = source->batch;
  sofa_corners_at(b, source->x); // where it is turned inside out values are not numbers
  *out = (SofaResultElements){.n = b->n,
                              .n_points = n_points,
                              .n_nodes = b->n_nodes,
                              .n_gauss = b->n_gauss,
                              .dim = 3,
                              .rest = source->rest,
                              .rest_width = 3,
                              .space = 3,
                              .middle = sofa_shape_info(b->shape)->order == 1,
                              .source = source,
                              .sample = sample};
}
