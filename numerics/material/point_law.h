/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws that are evaluated one quadrature point at a time: with a history, with values per element,
 * with time.
 *
 * A law has an incremental potential: S = d(potential)/dE at fixed history, D = dS/dE. It is the
 * stored energy after the internal variables moved for the time dt, and what this dissipates as far
 * as it depends on E. At dt = 0 and an accepted deformation it is the stored energy. Notation of
 * material.h. */
#ifndef SOFA_NUMERICS_MATERIAL_POINT_LAW_H
#define SOFA_NUMERICS_MATERIAL_POINT_LAW_H

#include "numerics/material/material.h"

SOFA_BEGIN_DECLS

enum { SOFA_POINT_MAX_HISTORY = 96 };

typedef struct SofaPointArgs {
  const void *user; /* parameters of the law */
  const SofaDeformation *x;
  const double *history; /* accepted; all zero at the start */
  size_t element;
  double dt;   /* since the accepted state, s; 0: the state at this moment */
  double time; /* of loads, s */
} SofaPointArgs;

typedef struct SofaPointResult {
  double potential;  /* J/m^3 at rest */
  double dissipated; /* since the accepted state, J/m^3 at rest */
  double s[6];       /* Pa */
  double *d;         /* 36; NULL: not wanted */
  double *history;   /* new values; NULL: not wanted */
} SofaPointResult;

/* Sets potential, dissipated, s, and *d and *history where they are wanted. Called from several
 * threads. */
typedef void (*SofaPointLaw)(const SofaPointArgs *args, SofaPointResult *out);

/* Say for laws of points that they are defined where J > 0, or J is not 0; they have no energy. */
extern const SofaHyperMaterial sofa_point_domain, sofa_point_domain_inverts;

/* Any energy density with its parameters. */
typedef struct SofaEnergyLaw {
  const SofaHyperMaterial *material; /* with `stress` */
  double p[SOFA_HYPER_MAX_PARAMETERS];
} SofaEnergyLaw;
/* user: SofaEnergyLaw; no history. */
void sofa_point_energy(const SofaPointArgs *args, SofaPointResult *out);

/* Generalised Maxwell model: the energy, and branches of a spring and a dashpot on the logarithmic
 * deviator (Reese, Govindjee 1998). With b = F Cv^-1 F^T of a branch, e = dev ln b / 2 its elastic
 * strain: stored G e : e, Kirchhoff stress 2 G e, and in the time dt at held F e becomes
 * exp(-dt / tau) e. History of a branch: Cv^-1 - I. */
enum { SOFA_MAX_BRANCHES = SOFA_POINT_MAX_HISTORY / 6 };
typedef struct SofaViscoelasticLaw {
  SofaEnergyLaw energy;
  size_t n;
  const double *modulus, *time; /* n: Pa, s */
} SofaViscoelasticLaw;
void sofa_point_viscoelastic(const SofaPointArgs *args, SofaPointResult *out);

/* J2 plasticity with logarithmic strains (Simo 1992; Simo, Hughes: Computational Inelasticity,
 * 1998, chapter 9). With b = F Cp^-1 F^T, e = ln b / 2: stored k/2 (tr e)^2 + mu |dev e|^2, yield
 * at |dev tau| = sqrt(2/3) y(a), y(a) = yield + hardening a + (saturation - yield)(1 - exp(-rate
 * a)), a the accumulated plastic strain. The work of hardening counts as dissipated. History: Cp^-1
 * - I, a. */
enum { SOFA_PLASTIC_HISTORY = 7 };
typedef struct SofaPlasticLaw {
  double mu, bulk;                           /* Pa */
  double yield, hardening, saturation, rate; /* Pa, Pa, Pa >= yield, 1 */
} SofaPlasticLaw;
void sofa_point_plastic(const SofaPointArgs *args, SofaPointResult *out);

/* Directions at rest, of one for all elements or one for each, of any length above 0. */
typedef struct SofaFibres {
  const double (*direction)[3];
  size_t n;
} SofaFibres;

/* Two families of fibres with dispersion (Gasser, Ogden, Holzapfel 2006): c/2 (I1' - 3) + k0/2 L^2
 * + sum_i k1/(2 k2) (exp(k2 <Ei>^2) - 1), Ei = kappa (I1' - 3) + (1 - 3 kappa) (I4i' - 1), where
 * <E> = max(E, 0). No history. */
typedef struct SofaFibreLaw {
  double c, k1, k2, kappa, k0; /* Pa, Pa, 1, 1 in [0, 1/3], Pa */
  SofaFibres family[2];        /* n = 0: not there */
} SofaFibreLaw;
void sofa_point_fibres(const SofaPointArgs *args, SofaPointResult *out);

/* Any energy and an active stress S = stress a N N^T along fibres N, a the activation: constant in
 * E, with the potential stress a (N . C N - 1) / 2. No history. */
typedef struct SofaActiveLaw {
  SofaEnergyLaw energy;
  double stress; /* Pa at activation 1 */
  SofaFibres fibres;
  const double *activation; /* of one for all elements or one for each */
  size_t n_activation;
  const double *key_time, *key_value; /* n_keys: a factor of time, linear between the keys */
  size_t n_keys;                      /* 0: 1 at all times */
} SofaActiveLaw;
void sofa_point_active(const SofaPointArgs *args, SofaPointResult *out);
/* The factor of time: the first and the last value outside the keys. */
double sofa_key_factor(const double *time, const double *value, size_t n, double at);

SOFA_END_DECLS

#endif
