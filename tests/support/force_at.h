/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of one force field at plain arrays; every state of it gets the same ones. */
#ifndef TESTS_SUPPORT_FORCE_AT_H
#define TESTS_SUPPORT_FORCE_AT_H

#include <stdlib.h>
#include "behavior/force_field.h"

enum { FF_MOST_STATES = 4 };

typedef struct FfPoint {
  const double *x[FF_MOST_STATES], *v[FF_MOST_STATES];
  double *zeros; /* velocities when none are given */
  SofaPoint at;
} FfPoint;

/* id 0: what is kept of another point is computed again. Points may not be copied. */
static inline void ff_point(FfPoint *p, const SofaForceField *ff, const double *x,
                            const double *v) {
  size_t n = 1;
  for (size_t k = 0; k < ff->n_states && ff->state[k]; k++) n += sofa_state_size(ff->state[k]) * 6;
  p->zeros = calloc(n, sizeof *p->zeros);
  for (size_t k = 0; k < FF_MOST_STATES; k++) {
    p->x[k] = x;
    p->v[k] = v ? v : p->zeros;
  }
  p->at = (SofaPoint){.x = p->x, .v = p->v, .n = ff->n_states};
}

static inline SofaErr ff_force(SofaForceField *ff, const SofaMechParams *params, const double *x,
                               const double *v, double *f) {
  FfPoint p;
  double *const both[FF_MOST_STATES] = {f, f, f, f};
  ff_point(&p, ff, x, v);
  const SofaErr err = sofa_force_field_add_force(ff, params, &p.at, both);
  free(p.zeros);
  return err;
}

static inline SofaErr ff_dforce(SofaForceField *ff, const SofaMechParams *params, const double *x,
                                const double *dx, double *df) {
  FfPoint p;
  const double *const from[FF_MOST_STATES] = {dx, dx, dx, dx};
  double *const to[FF_MOST_STATES] = {df, df, df, df};
  ff_point(&p, ff, x, NULL);
  const SofaErr err = sofa_force_field_add_dforce(ff, params, &p.at, from, to);
  free(p.zeros);
  return err;
}

/* All pairs of states into one matrix. */
static inline SofaErr ff_add_k(SofaForceField *ff, const SofaMechParams *params, const double *x,
                               double factor, SofaBlockMatrix *matrix) {
  FfPoint p;
  SofaTangentPair pairs[FF_MOST_STATES * FF_MOST_STATES];
  for (int k = 0; k < FF_MOST_STATES * FF_MOST_STATES; k++)
    pairs[k] = (SofaTangentPair){.matrix = matrix};
  const SofaTangent tangent = {.pairs = pairs, .n = ff->n_states, .factor = factor};
  ff_point(&p, ff, x, NULL);
  const SofaErr err = sofa_force_field_add_k(ff, params, &p.at, &tangent);
  free(p.zeros);
  return err;
}

static inline SofaErr ff_energy(SofaForceField *ff, const SofaMechParams *params, const double *x,
                                double *energy) {
  FfPoint p;
  ff_point(&p, ff, x, NULL);
  const SofaErr err = sofa_force_field_potential_energy(ff, params, &p.at, energy);
  free(p.zeros);
  return err;
}

#endif
