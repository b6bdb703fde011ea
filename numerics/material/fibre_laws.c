/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws of fibres: passive with dispersion, and active; formulas in point_law.h.
 *
 * For a symmetric H, h = H : C and the isochoric measure e = J^(-2/3) h - 1 has
 *   T = de/dE = 2 J^(-2/3) (H - h/3 Ci),
 *   dT/dE = J^(-2/3) (-4/3 (H x Ci + Ci x H) + 4/9 h Ci x Ci + 4/3 h Ci . Ci).
 * I1' - 3 = e of H = I, less 2, and Ei = e of H = kappa I + (1 - 3 kappa) N N^T. */
#include <math.h>
#include <string.h>
#include "math/vec.h"
#include "numerics/material/point_law.h"
#include "numerics/material/tensor.h"

/* The dyad of the unit direction of an element. */
static void dyad_of(const SofaFibres *fibres, size_t element, double *m) {
  double n[3];
  sofa_vec3_copy(fibres->direction[fibres->n == 1 ? 0 : element], n);
  sofa_vec3_scale(1 / sofa_vec3_norm(n), n, n);
  const double values[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2],
                            n[0] * n[1], n[1] * n[2], n[2] * n[0]};
  memcpy(m, values, sizeof values);
}

/* H : C */
static double product(const double *h, const double *c) {
  return h[0] * c[0] + h[1] * c[1] + h[2] * c[2] + 2 * (h[3] * c[3] + h[4] * c[4] + h[5] * c[5]);
}

/* An isochoric measure at a deformation. */
typedef struct Measure {
  const double *h; /* 6 */
  double g, value; /* J^(-2/3), H : C */
} Measure;

/* s, d += those of a function of the measure with the derivatives w1 and w2. */
static void add_isochoric(const Measure *m, double w1, double w2, const double *ci,
                          SofaPointResult *out) {
  double t[6], v[6];
  for (int k = 0; k < 6; k++) {
    t[k] = 2 * m->g * (m->h[k] - m->value / 3 * ci[k]);
    v[k] = w1 * m->g * (-4.0 / 3 * m->h[k] + 2.0 / 9 * m->value * ci[k]);
    out->s[k] += w1 * t[k];
  }
  if (!out->d) return;
  sofa_add_product(w2, t, t, out->d);
  sofa_add_symmetric_product(v, ci, out->d);
  sofa_add_inverse_square(4.0 / 3 * w1 * m->g * m->value, ci, out->d);
}

static void add_volume(double k0, const SofaDeformation *x, SofaPointResult *out) {
  out->potential += k0 / 2 * x->l * x->l;
  for (int k = 0; k < 6; k++) out->s[k] += k0 * x->l * x->ci[k];
  if (!out->d) return;
  sofa_add_product(k0, x->ci, x->ci, out->d);
  sofa_add_inverse_square(-2 * k0 * x->l, x->ci, out->d);
}

static void add_family(const SofaFibreLaw *law, const SofaFibres *fibres, double g,
                       const SofaPointArgs *args, SofaPointResult *out) {
  double h[6];
  dyad_of(fibres, args->element, h);
  for (int k = 0; k < 6; k++) h[k] = (1 - 3 * law->kappa) * h[k] + (k < 3 ? law->kappa : 0);
  const Measure m = {h, g, product(h, args->x->c)};
  const double e = g * m.value - 1;
  if (!(e > 0)) return;
  const double grown = exp(law->k2 * e * e);
  out->potential += law->k1 / (2 * law->k2) * expm1(law->k2 * e * e);
  add_isochoric(&m, law->k1 * e * grown, law->k1 * grown * (1 + 2 * law->k2 * e * e), args->x->ci,
                out);
}

void sofa_point_fibres(const SofaPointArgs *args, SofaPointResult *out) {
  static const double one[6] = {1, 1, 1, 0, 0, 0};
  const SofaFibreLaw *law = args->user;
  const SofaDeformation *x = args->x;
  const double g = exp(-2.0 / 3 * x->l);
  memset(out->s, 0, sizeof out->s);
  if (out->d) memset(out->d, 0, 36 * sizeof *out->d);
  out->dissipated = 0;
  out->potential = law->c / 2 * (g * x->i1 - 3);
  add_isochoric(&(Measure){one, g, x->i1}, law->c / 2, 0, x->ci, out);
  add_volume(law->k0, x, out);
  for (int i = 0; i < 2; i++)
    if (law->family[i].n) add_family(law, &law->family[i], g, args, out);
}

/* ---- active ---- */

double sofa_key_factor(const double *time, const double *value, size_t n, double at) {
  if (n == 0) return 1;
  if (!(at > time[0])) return value[0];
  size_t i = 1;
  while (i < n && time[i] <= at) i++;
  if (i == n) return value[n - 1];
  const double s = (at - time[i - 1]) / (time[i] - time[i - 1]);
  return value[i - 1] + s * (value[i] - value[i - 1]);
}

void sofa_point_active(const SofaPointArgs *args, SofaPointResult *out) {
  const SofaActiveLaw *law = args->user;
  double m[6];
  sofa_point_energy(&(SofaPointArgs){.user = &law->energy, .x = args->x}, out);
  dyad_of(&law->fibres, args->element, m);
  const double factor = sofa_key_factor(law->key_time, law->key_value, law->n_keys, args->time);
  const double stress =
      law->stress * factor * law->activation[law->n_activation == 1 ? 0 : args->element];
  out->potential += stress / 2 * (product(m, args->x->c) - 1);
  for (int k = 0; k < 6; k++) out->s[k] += stress * m[k];
}
