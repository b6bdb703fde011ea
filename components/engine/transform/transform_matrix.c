/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Composition of 4x4 transformations. */
#include "components/engine/transform/transform_matrix.h"

typedef TransformMatrix SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(in, "inT", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "",
                   "transformation to start from, applied last"),
    SOFA_ROW_OUTPUT(out, "outT", "", "the composed transformation"),
};

SofaErr transform_matrix_compose(TransformMatrix *e, const double *a, const double *t) {
  double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; a && j < 3; j++) m[4 * i + j] = a[3 * i + j];
    if (t) m[4 * i + 3] = t[i];
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += e->in.m[4 * i + k] * m[4 * k + j];
      e->out.m[4 * i + j] = sum;
    }
  return SOFA_OK;
}

const SofaClass transform_matrix_class = {
    .name = "AbstractTransformMatrixEngine",
    .module = "Sofa.Component.Engine.Transform",
    .category = "Engine",
    .help = "Composes a transformation with another one.",
    .base = &sofa_object_class,
    .size = sizeof(TransformMatrix),
    SOFA_FIELDS(fields),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
