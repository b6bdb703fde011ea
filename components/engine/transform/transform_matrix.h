/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of engines that compose a transformation with another one: outT = inT T. */
#ifndef SOFA_COMPONENTS_ENGINE_TRANSFORM_TRANSFORM_MATRIX_H
#define SOFA_COMPONENTS_ENGINE_TRANSFORM_TRANSFORM_MATRIX_H

#include "components/engine/engine.h"

typedef struct TransformMatrix {
  SofaObject object;
  SofaMat4 in, out;
} TransformMatrix;

extern const SofaClass transform_matrix_class; /* abstract */

/* out = in (A, t; 0, 1); a: 3x3 row major (NULL: identity), t: 3 reals (NULL: zero). */
SofaErr transform_matrix_compose(TransformMatrix *e, const double *a, const double *t);

#endif
