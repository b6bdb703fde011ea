/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ScaleTransformMatrixEngine: composes a transformation with a scaling. */
#include "components/engine/transform/transform_matrix.h"

typedef struct ScaleTransformMatrixEngine {
  TransformMatrix transform;
  SofaVec3 scale;
} ScaleTransformMatrixEngine;

typedef ScaleTransformMatrixEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(scale, "scale", "0 0 0", "1", "scale along the axes, applied before inT"),
};

static SofaErr update(SofaObject *object) {
  ScaleTransformMatrixEngine *e = (ScaleTransformMatrixEngine *)object;
  const double *s = e->scale.v, m[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]};
  return transform_matrix_compose(&e->transform, m, NULL);
}

ENGINE_CLASS_OF(ScaleTransformMatrixEngine, &transform_matrix_class, "Transform",
                "Composes a transformation with a scaling.",
                .equations = "T' = T S\n"
                             "\"T: inT, T': outT, S: scale\"",
                .init = engine_init, );
