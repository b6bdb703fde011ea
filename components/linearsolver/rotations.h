/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the points of a plan have turned: 3x3 matrices, row major, one for every three rows of the
 * linear system; rows that belong to no point of the finder have the identity. */
#ifndef LINEARSOLVER_ROTATIONS_H
#define LINEARSOLVER_ROTATIONS_H

#include "simulation/mechanics.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_WARP_FROM_REST = 1 << 20 };
#define QUIRK_WARP_FROM_REST_ROW                                                                   \
  {                                                                                                \
    QUIRK_WARP_FROM_REST, "warp-from-rest",                                                        \
        "RotationMatrixSystem turns by the rotation from rest, not by that since the matrix was "  \
        "built",                                                                                   \
        "test_preconditioned.rotations_since_rest"                                                 \
  }

/* Rotations from rest to now by a rotation finder (NULL: none). *found is false, and r as it was,
 * when the finder knows nothing about this plan. */
SofaErr rotations_find(SofaObject *finder, const SofaMechanics *m, SofaReals *r, bool *found);
/* r = r built^T: from the time of `built` to now; r stays when there is no `built`. */
void rotations_since(const SofaReals *built, SofaReals *r);
/* y = R x, or R^T x; y may be x. Rows behind the last three stay. */
void rotations_turn(const SofaReals *rotations, bool transposed, const double *x, double *y);

#endif
