/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rotations of the points of a plan. */
#include "components/linearsolver/rotations.h"

#include <string.h>

#include "behavior/rotation_finder.h"

SofaErr rotations_find(SofaObject *finder, const SofaMechanics *m, SofaReals *r, bool *found) {
  const bool knows = finder && sofa_valid(finder); // one that init refused has no elements
  const SofaState *state = knows ? sofa_rotation_finder_ops(finder)->state(finder) : NULL;
  *found = state && state->mechanics == m && !state->mapped && state->v_offset % 3 == 0 &&
           sofa_state_kind_info(state->object.kind)->deriv == 3;
  if (!*found) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(m->ctx, r, 9 * (m->n_v_main / 3)));
  for (size_t i = 0; i < r->n; i++) r->data[i] = i % 9 % 4 == 0 ? 1 : 0;
  return sofa_rotation_finder_ops(finder)->rotations(finder, r->data + 3 * state->v_offset);
}

void rotations_since(const SofaReals *built, SofaReals *r) {
  if (built->n != r->n) return;
  for (size_t i = 0; i < r->n; i += 9) {
    double now[9];
    const double *old = built->data + i;
    memcpy(now, r->data + i, sizeof now);
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        r->data[i + (size_t)(3 * j + k)] = now[3 * j] * old[3 * k] +
                                           now[3 * j + 1] * old[3 * k + 1] +
                                           now[3 * j + 2] * old[3 * k + 2];
  }
}

void rotations_turn(const SofaReals *rotations, bool transposed, const double *x, double *y) {
  const size_t across = transposed ? 3 : 1, down = transposed ? 1 : 3;
  for (size_t i = 0; i < rotations->n / 9; i++) {
    const double *r = rotations->data + 9 * i;
    const double v[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    for (size_t k = 0; k < 3; k++)
      y[3 * i + k] =
          r[down * k] * v[0] + r[down * k + across] * v[1] + r[down * k + 2 * across] * v[2];
  }
}
