/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of finite elements: means, invariants, values of points. */
#include "numerics/fem/element_results.h"

#include <math.h>
#include <string.h>
#include "math/polar.h"
#include "math/vec.h"
#include "numerics/fem/patch_recovery_impl.h"

const SofaInterface sofa_element_results_interface = {
    .name = "element results", SOFA_REQUIRES(offsetof(SofaElementResultsOps, elements))};

/* ---- tensors ---- */

double sofa_von_mises(const double *s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

static void unpack(const double *s, double *full) {
  const double m[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  memcpy(full, m, sizeof m);
}

void sofa_principal_values(const double *s, double *out) {
  double full[9], values[3], v[9];
  out[0] = out[1] = out[2] = NAN;
  for (int k = 0; k < 6; k++)
    if (!isfinite(s[k])) return;
  unpack(s, full);
  sofa_eigen3(full, values, v);
  for (int k = 0; k < 3; k++) out[k] = values[2 - k];
}

void sofa_tensor_to_scene(const double *axes, const double *s, double *t) {
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  double full[9];
  unpack(s, full);
  for (int k = 0; k < 6; k++) {
    t[k] = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        t[k] += axes[3 * i + row[k]] * full[3 * i + j] * axes[3 * j + column[k]];
  }
}

void sofa_element_sample_mean(unsigned n_gauss, SofaElementSample *s) {
  double sum = 0;
  memset(s->middle_stress, 0, sizeof s->middle_stress);
  memset(s->middle_strain, 0, sizeof s->middle_strain);
  for (unsigned q = 0; q < n_gauss; q++) sum += s->weight[q];
  for (unsigned q = 0; q < n_gauss; q++)
    for (int k = 0; k < 6; k++) {
      s->middle_stress[k] += s->weight[q] / sum * s->stress[q][k];
      s->middle_strain[k] += s->weight[q] / sum * s->strain[q][k];
    }
}

/* ---- elements ---- */

/* Where the recovery takes stresses of an element. */
static unsigned n_samples(const SofaResultElements *e) {
  return e->middle ? 1 : e->n_gauss;
}

static SofaErr resize(SofaContext *ctx, const SofaResultElements *e, SofaElementResults *r) {
  const size_t n_gauss = e->n * e->n_gauss, n_taken = e->n * n_samples(e);
  SOFA_TRY(SOFA_RESIZE(ctx, &r->point_stress, n_gauss));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->point_strain, n_gauss));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->element_stress, e->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->element_strain, e->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->element_principal, e->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->element_energy, e->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->vertices, e->n * e->n_nodes));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->sample_place, n_taken));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->sample_stress, n_taken));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->node_stress, e->n_points));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->node_strain, e->n_points));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->weight, e->n_points));
  if (r->own_mises) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, &r->element_mises, e->n));
  return SOFA_RESIZE(ctx, &r->node_mises, e->n_points);
}

static void begin_points(SofaElementResults *r) {
  sofa_zero(r->node_stress.data, r->node_stress.n * sizeof *r->node_stress.data);
  sofa_zero(r->node_strain.data, r->node_strain.n * sizeof *r->node_strain.data);
  if (!r->own_mises) sofa_zero(r->node_mises.data, r->node_mises.n * sizeof *r->node_mises.data);
  sofa_zero(r->weight.data, r->weight.n * sizeof *r->weight.data);
}

/* A tensor in the axes of the scene, or of the body at rest. */
static void in_scene(const SofaResultElements *e, const double *axes, const double *s, double *t) {
  if (e->turned) sofa_tensor_to_scene(axes, s, t);
  else memcpy(t, s, 6 * sizeof *t);
}

static void add_to_points(const SofaResultElements *e, const SofaElementSample *s, size_t i,
                          SofaElementResults *r) {
  double volume = 0, stress[6], strain[6];
  for (unsigned q = 0; q < e->n_gauss; q++) volume += s->weight[q];
  in_scene(e, s->middle_axes, s->middle_stress, stress);
  in_scene(e, s->middle_axes, s->middle_strain, strain);
  for (unsigned k = 0; k < e->n_nodes; k++) {
    const size_t v = s->v[k];
    r->vertices.data[e->n_nodes * i + k] = s->v[k];
    r->weight.data[v] += volume;
    if (!r->own_mises) r->node_mises.data[v] += volume * r->element_mises.data[i];
    for (int c = 0; c < 6; c++) {
      r->node_stress.data[v].v[c] += volume * stress[c];
      r->node_strain.data[v].v[c] += volume * strain[c];
    }
  }
}

static void end_points(SofaElementResults *r) {
  for (size_t i = 0; i < r->weight.n; i++) {
    const double volume = r->weight.data[i];
    if (!(volume > 0)) continue;
    if (!r->own_mises) r->node_mises.data[i] /= volume;
    for (int c = 0; c < 6; c++) {
      r->node_stress.data[i].v[c] /= volume;
      r->node_strain.data[i].v[c] /= volume;
    }
  }
}

static void take_samples(const SofaResultElements *e, const SofaElementSample *s, size_t i,
                         SofaElementResults *r) {
  for (unsigned q = 0; q < n_samples(e); q++) {
    const size_t at = n_samples(e) * i + q;
    sofa_vec3_copy(e->middle ? s->middle_place : s->place[q], r->sample_place.data[at].v);
    in_scene(e, e->middle ? s->middle_axes : s->axes[q],
             e->middle ? s->middle_stress : s->stress[q], r->sample_stress.data[at].v);
  }
}

static void of_element(const SofaResultElements *e, size_t i, SofaElementResults *r) {
  SofaElementSample s;
  s.mises = -1;
  e->sample(e->source, i, &s);
  for (unsigned q = 0; q < e->n_gauss; q++) {
    memcpy(r->point_stress.data[e->n_gauss * i + q].v, s.stress[q], sizeof s.stress[q]);
    memcpy(r->point_strain.data[e->n_gauss * i + q].v, s.strain[q], sizeof s.strain[q]);
  }
  memcpy(r->element_stress.data[i].v, s.middle_stress, sizeof s.middle_stress);
  memcpy(r->element_strain.data[i].v, s.middle_strain, sizeof s.middle_strain);
  r->element_energy.data[i] = s.energy;
  if (!r->own_mises)
    r->element_mises.data[i] = s.mises < 0 ? sofa_von_mises(s.middle_stress) : s.mises;
  sofa_principal_values(s.middle_stress, r->element_principal.data[i].v);
  add_to_points(e, &s, i, r);
  take_samples(e, &s, i, r);
}

SofaErr sofa_element_results_compute(SofaContext *ctx, const SofaResultElements *e, bool recover,
                                     SofaElementResults *out) {
  SOFA_TRY(resize(ctx, e, out));
  begin_points(out);
  for (size_t i = 0; i < e->n; i++) of_element(e, i, out);
  end_points(out);
  return recover ? sofa_patch_recovery(ctx, e, n_samples(e), out) : SOFA_OK;
}

SofaErr sofa_element_results_output(SofaObject *object, const SofaField *field,
                                    SofaElementResults *out) {
  const SofaElementResultsOps *ops = sofa_ops(object, SOFA_ELEMENT_RESULTS);
  SofaResultElements elements = {.n = 0};
  SOFA_TRY(ops->elements((SofaForceField *)object, &elements));
  if (!elements.n) return SOFA_OK;
  const bool recover = sofa_field_value(object, field) == (void *)&out->recovered_stress;
  SOFA_TRY(sofa_element_results_compute(object->ctx, &elements, recover, out));
  sofa_field_touch(object, field);
  return SOFA_OK;
}

void sofa_element_results_free(SofaContext *ctx, SofaElementResults *r) {
  sofa_list_free(ctx, &r->weight);
  sofa_list_free(ctx, &r->sample_place);
  sofa_list_free(ctx, &r->sample_stress);
  sofa_list_free(ctx, &r->vertices);
  sofa_list_free(ctx, &r->start);
  sofa_list_free(ctx, &r->around);
  sofa_list_free(ctx, &r->seen);
}
