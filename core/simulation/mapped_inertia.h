/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inertia of masses below mappings. With v_out = J v their momentum is J^T M J v, and
 *
 *     J^T M (J a + J' v) = J^T f_out,   or   (J^T M J v)' = J^T f_out + J'^T M J v,
 *
 * J' being the derivative of J by time. Where J is constant J' is 0. The quirk of all ODE solvers
 * SOFA_QUIRK_MAPPED_INERTIA leaves the momentum and J' out. */
#ifndef SOFA_SIMULATION_MAPPED_INERTIA_H
#define SOFA_SIMULATION_MAPPED_INERTIA_H

#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

/* Do masses at this state count? Below mappings only with map_masses. */
bool sofa_mech_mass_counts(const SofaMechanics *m, const SofaState *state);
/* Before a step: sets m->mapped_masses and m->moving_masses; count false: both are false. */
void sofa_mech_take_mapped_masses(SofaMechanics *m, bool count);
/* res += factor J^T M J dx, main parts. Called by sofa_mech_add_mdx. */
SofaErr sofa_mech_add_mapped_mdx(SofaMechanics *m, const SofaMechPoint *at, const double *dx,
                                 double factor, double *res);

typedef enum SofaTransport {
  SOFA_TRANSPORT_OF_VELOCITY, /* f -= J^T (M J' v + w x I w), for schemes that balance M a */
  SOFA_TRANSPORT_OF_MOMENTUM  /* f += J'^T M J v, for those that balance M v */
} SofaTransport;
/* On the main part of f. Called by sofa_mech_add_gyroscopic in the first form. */
SofaErr sofa_mech_add_transport(SofaMechanics *m, const SofaMechPoint *at, const double *v,
                                SofaTransport form, double *f);

SOFA_END_DECLS

#endif
