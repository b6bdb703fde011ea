/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InvertTransformMatrixEngine: the inverse of an affine transformation. */
#include "components/engine/transform/transform_matrix.h"
#include "math/vec.h"

typedef struct InvertTransformMatrixEngine {
  TransformMatrix transform;
} InvertTransformMatrixEngine;

/* (A, t; 0, 1)^-1 = (A^-1, -A^-1 t; 0, 1); the last row of the input is not read. */
static SofaErr update(SofaObject *object) {
  TransformMatrix *e = (TransformMatrix *)object;
  double a[9], t[3], inverse[9], back[3], det;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) a[3 * i + j] = e->in.m[4 * i + j];
    t[i] = e->in.m[4 * i + 3];
  }
  if (!sofa_mat3_inverse(a, inverse, &det))
    return sofa_field_fail(object, "inT", SOFA_ERR_SINGULAR, "it has no inverse");
  sofa_mat3_apply(inverse, t, back);
  const double m[16] = {inverse[0], inverse[1], inverse[2], 0 - back[0],
                        inverse[3], inverse[4], inverse[5], 0 - back[1],
                        inverse[6], inverse[7], inverse[8], 0 - back[2],
                        0,          0,          0,          1};
  memcpy(e->out.m, m, sizeof m);
  return SOFA_OK;
}

SOFA_CLASS(InvertTransformMatrixEngine) = {
    SOFA_NAMED(InvertTransformMatrixEngine),
    .module = "Sofa.Component.Engine.Transform",
    .category = "Engine",
    .help = "Inverts an affine transformation.",
    .equations = "T' = T^-1\n"
                 "\"T: inT, T': outT\"",
    .base = &transform_matrix_class,
    .init = engine_init,
    .update = update,
};
