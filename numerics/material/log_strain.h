/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws of the logarithmic elastic strain behind an inelastic deformation.
 *
 * With an inelastic part G = Cp^-1, b = F G F^T = sum l_a^2 n_a n_a^T and e_a = ln l_a. An
 * isotropic law gives principal Kirchhoff stresses t_a(e); with N_a = F^-1 n_a
 *   S = sum t_a N_a N_a^T,
 *   D = sum_ab (dt_a/de_b - 2 t_a [a = b]) M_aa x M_bb + 4 sum_(a < b) g_ab M_ab x M_ab,
 *   M_ab = sym(N_a N_b^T), g_ab = (t_a l_b^2 - t_b l_a^2) / (l_a^2 - l_b^2)
 * (Bonet, Wood: Nonlinear Continuum Mechanics for Finite Element Analysis, 2008, section 6.6). */
#ifndef SOFA_NUMERICS_MATERIAL_LOG_STRAIN_H
#define SOFA_NUMERICS_MATERIAL_LOG_STRAIN_H

#include "base/api.h"

SOFA_BEGIN_DECLS

typedef struct SofaLogStrain {
  double n[3][3]; /* N_a */
  double e[3];    /* e_a */
  double trace;   /* sum of e_a */
  double dev[3];  /* e_a - trace / 3 */
  double norm;    /* of dev */
} SofaLogStrain;

/* Stresses pressure + k dev_a, k a function of the norm: pressure = bulk trace, and slope is
 * d(k norm)/d(norm). */
typedef struct SofaLogResponse {
  double pressure, bulk, k, slope;
} SofaLogResponse;

/* history: G - I, six numbers. */
void sofa_log_strain(const double *f, const double *history, SofaLogStrain *out);
/* s += S; d += D unless NULL. */
void sofa_log_add_stress(const SofaLogStrain *x, const SofaLogResponse *r, double *s, double *d);
/* history = G - I of the elastic strains e. */
void sofa_log_history(const SofaLogStrain *x, const double *e, double *history);

SOFA_END_DECLS

#endif
