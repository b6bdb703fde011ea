/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses, strains and energies of elements with quadrature. */
#include "numerics/material/solid_fields.h"

#include <math.h>
#include <string.h>
#include "numerics/material/dilatation_impl.h"
#include "math/polar.h"
#include "math/vec.h"

double sofa_von_mises(const double *s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

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

static void principal(const double *s, double *out) {
  const double full[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  double values[3], v[9];
  if (!isfinite(s[0])) {
    out[0] = out[1] = out[2] = NAN;
    return;
  }
  sofa_eigen3(full, values, v);
  for (int k = 0; k < 3; k++) out[k] = values[2 - k];
}

static SofaErr resize(SofaContext *ctx, const SofaSolidBatch *b, size_t n, SofaSolidFields *f) {
  SOFA_TRY(SOFA_RESIZE(ctx, &f->point_stress, b->n * b->n_gauss));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->point_strain, b->n * b->n_gauss));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->element_stress, b->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->element_strain, b->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->element_principal, b->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->element_mises, b->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->element_energy, b->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->node_stress, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->node_strain, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->weight, n));
  return SOFA_RESIZE(ctx, &f->node_mises, n);
}

static double weight_of(const SofaSolidBatch *b, size_t e, size_t q) {
  return b->volume[e / SOFA_LANES * b->n_gauss + q][e % SOFA_LANES];
}

/* What is computed at a point of an element. */
typedef struct PointFields {
  double *stress, *strain, j;
} PointFields;

/* Fills them and returns the energy density. */
static double at_point(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                       const double *x, PointFields *out) {
  SofaDeformation d;
  SofaPointResult r = {.d = NULL};
  const bool defined = sofa_solid_point_at(b, law, at, x, &d, &r);
  for (int k = 0; k < 6; k++) out->stress[k] = out->strain[k] = NAN;
  out->j = defined ? d.j : NAN;
  if (!defined) return NAN;
  for (int k = 0; k < 6; k++) out->strain[k] = (d.c[k] - (k < 3)) / 2;
  cauchy(&d, r.s, out->stress);
  return r.potential;
}

/* Stress and energy with the dilatation that the element projects, J at its points. */
static void project_dilatation(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e,
                               const double *j, SofaSolidFields *f) {
  double change[SOFA_SOLID_MAX_GAUSS], energy = 0;
  const bool defined = sofa_dilatation_pressure(b, law, e, j, change) &&
                       sofa_dilatation_energy(b, law, e, j, &energy);
  f->element_energy.data[e] += defined ? energy : NAN;
  for (size_t q = 0; q < b->n_gauss; q++)
    for (int k = 0; k < 3; k++)
      f->point_stress.data[e * b->n_gauss + q].v[k] += defined ? change[q] : NAN;
}

static void of_element(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e, const double *x,
                       SofaSolidFields *f) {
  double *stress = f->element_stress.data[e].v, *strain = f->element_strain.data[e].v;
  const double volume = sofa_solid_batch_volume_of(b, e);
  double j[SOFA_SOLID_MAX_GAUSS];
  f->element_energy.data[e] = 0;
  memset(stress, 0, 6 * sizeof *stress);
  memset(strain, 0, 6 * sizeof *strain);
  for (size_t q = 0; q < b->n_gauss; q++) {
    const size_t at = e * b->n_gauss + q;
    PointFields point = {f->point_stress.data[at].v, f->point_strain.data[at].v, NAN};
    f->element_energy.data[e] +=
        weight_of(b, e, q) * at_point(b, law, (SofaSolidPlace){e, q}, x, &point);
    j[q] = point.j;
  }
  if (b->n_modes) project_dilatation(b, law, e, j, f);
  for (size_t q = 0; q < b->n_gauss; q++) {
    const double share = weight_of(b, e, q) / volume;
    for (int k = 0; k < 6; k++) {
      stress[k] += share * f->point_stress.data[e * b->n_gauss + q].v[k];
      strain[k] += share * f->point_strain.data[e * b->n_gauss + q].v[k];
    }
  }
  f->element_mises.data[e] = sofa_von_mises(stress);
  principal(stress, f->element_principal.data[e].v);
}

static void add_to_point(const SofaSolidFields *f, size_t e, double volume, size_t v) {
  f->weight.data[v] += volume;
  f->node_mises.data[v] += volume * f->element_mises.data[e];
  for (int i = 0; i < 6; i++) {
    f->node_stress.data[v].v[i] += volume * f->element_stress.data[e].v[i];
    f->node_strain.data[v].v[i] += volume * f->element_strain.data[e].v[i];
  }
}

static void of_points(const SofaSolidBatch *b, size_t n, SofaSolidFields *f) {
  sofa_zero(f->node_stress.data, n * sizeof *f->node_stress.data);
  sofa_zero(f->node_strain.data, n * sizeof *f->node_strain.data);
  sofa_zero(f->node_mises.data, n * sizeof *f->node_mises.data);
  sofa_zero(f->weight.data, n * sizeof *f->weight.data);
  for (size_t e = 0; e < b->n; e++) {
    const double volume = sofa_solid_batch_volume_of(b, e);
    for (size_t k = 0; k < b->n_nodes; k++)
      add_to_point(f, e, volume, b->v[e / SOFA_LANES * b->n_nodes + k][e % SOFA_LANES]);
  }
  for (size_t v = 0; v < n; v++) {
    if (!(f->weight.data[v] > 0)) continue;
    f->node_mises.data[v] /= f->weight.data[v];
    for (int i = 0; i < 6; i++) {
      f->node_stress.data[v].v[i] /= f->weight.data[v];
      f->node_strain.data[v].v[i] /= f->weight.data[v];
    }
  }
}

void sofa_solid_fields_free(SofaContext *ctx, SofaSolidFields *fields) {
  sofa_list_free(ctx, &fields->weight);
}

SofaErr sofa_solid_fields_compute(SofaContext *ctx, const SofaSolidBatch *b,
                                  const SofaSolidLaw *law, const double *x, size_t n_points,
                                  SofaSolidFields *out) {
  SOFA_TRY(resize(ctx, b, n_points, out));
  sofa_corners_at(b, x); // where it is turned inside out values are not numbers
  for (size_t e = 0; e < b->n; e++) of_element(b, law, e, x, out);
  of_points(b, n_points, out);
  out->dissipated = b->dissipated;
  return SOFA_OK;
}
