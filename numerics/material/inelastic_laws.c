/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Viscoelastic and plastic laws of the logarithmic strain; formulas in point_law.h. */
#include <math.h>
#include <string.h>
#include "numerics/material/log_strain.h"
#include "numerics/material/point_law.h"

/* ---- any energy ---- */

static void add_energy(const SofaEnergyLaw *law, const SofaPointArgs *args, SofaPointResult *out) {
  out->potential = law->material->energy(law->p, args->x);
  out->dissipated = 0;
  law->material->stress(law->p, args->x, out->s, out->d);
}

void sofa_point_energy(const SofaPointArgs *args, SofaPointResult *out) {
  add_energy(args->user, args, out);
}

/* ---- viscoelastic ---- */

static void add_branch(double modulus, double time, const SofaPointArgs *args,
                       const double *history, SofaPointResult *out, double *next) {
  SofaLogStrain x;
  sofa_log_strain(args->x->f, history, &x);
  const double left = exp(-args->dt / time), k = 2 * modulus * left;
  const double square = x.norm * x.norm;
  sofa_log_add_stress(&x, &(SofaLogResponse){.k = k, .slope = k}, out->s, out->d);
  out->potential += modulus * left * square;
  out->dissipated -= modulus * expm1(-2 * args->dt / time) * square;
  if (!next) return;
  double e[3];
  for (int a = 0; a < 3; a++) e[a] = x.trace / 3 + left * x.dev[a];
  sofa_log_history(&x, e, next);
}

void sofa_point_viscoelastic(const SofaPointArgs *args, SofaPointResult *out) {
  const SofaViscoelasticLaw *law = args->user;
  add_energy(&law->energy, args, out);
  for (size_t i = 0; i < law->n; i++)
    add_branch(law->modulus[i], law->time[i], args, args->history + 6 * i, out,
               out->history ? out->history + 6 * i : NULL);
}

/* ---- plastic ---- */

static double yield_at(const SofaPlasticLaw *law, double a, double *slope) {
  const double more = law->saturation - law->yield, left = exp(-law->rate * a);
  *slope = law->hardening + more * law->rate * left;
  return law->yield + law->hardening * a + more * (1 - left);
}

/* The integral of the yield stress from 0 to a. */
static double plastic_work(const SofaPlasticLaw *law, double a) {
  const double more = law->saturation - law->yield;
  const double saturating = law->rate > 0 ? more * (a + expm1(-law->rate * a) / law->rate) : 0;
  return law->yield * a + law->hardening / 2 * a * a + saturating;
}

static const double root = 0.81649658092772603; /* sqrt(2/3) */

/* The growth of the accumulated strain to the yield surface, from the norm of the trial stress, and
 * the slope of the yield stress there. The equation is convex and falls: Newton's method from 0
 * converges from one side. */
static double return_to_yield(const SofaPlasticLaw *law, double trial, double a, double *slope) {
  double grown = 0;
  for (int i = 0; i < 60; i++) {
    const double y = yield_at(law, a + grown, slope);
    const double excess = trial - root * (3 * law->mu * grown + y);
    if (!(excess > 1e-15 * trial)) break;
    grown += excess / (root * (3 * law->mu + *slope));
  }
  return grown;
}

void sofa_point_plastic(const SofaPointArgs *args, SofaPointResult *out) {
  const SofaPlasticLaw *law = args->user;
  const double a = args->history[6], mu = law->mu;
  SofaLogStrain x;
  sofa_log_strain(args->x->f, args->history, &x);
  double slope = 0, grown = 0, ratio = 1;
  const double trial = 2 * mu * x.norm;
  SofaLogResponse r = {law->bulk * x.trace, law->bulk, 2 * mu, 2 * mu};
  if (trial > root * yield_at(law, a, &slope)) {
    grown = return_to_yield(law, trial, a, &slope);
    ratio = 1 - grown / root / x.norm;
    r.k = 2 * mu * ratio;
    r.slope = 2 * mu * slope / (3 * mu + slope);
  }
  memset(out->s, 0, sizeof out->s);
  if (out->d) memset(out->d, 0, 36 * sizeof *out->d);
  sofa_log_add_stress(&x, &r, out->s, out->d);
  out->dissipated = plastic_work(law, a + grown) - plastic_work(law, a);
  out->potential =
      law->bulk / 2 * x.trace * x.trace + mu * ratio * ratio * x.norm * x.norm + out->dissipated;
  if (!out->history) return;
  double e[3];
  for (int k = 0; k < 3; k++) e[k] = x.trace / 3 + ratio * x.dev[k];
  sofa_log_history(&x, e, out->history);
  out->history[6] = a + grown;
}

const SofaHyperMaterial sofa_point_domain = {.name = "of points", .log = true};
const SofaHyperMaterial sofa_point_domain_inverts = {.name = "of points", .inverts = true};
