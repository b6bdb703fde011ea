/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TranslateTransformMatrixEngine: composes a transformation with a translation. */
#include "components/engine/transform/transform_matrix.h"

typedef struct TranslateTransformMatrixEngine {
  TransformMatrix transform;
  SofaVec3 translation;
} TranslateTransformMatrixEngine;

typedef TranslateTransformMatrixEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(translation, "translation", "0 0 0", "m", "translation, applied before inT"),
};

static SofaErr update(SofaObject *object) {
  TranslateTransformMatrixEngine *e = (TranslateTransformMatrixEngine *)object;
  return transform_matrix_compose(&e->transform, NULL, e->translation.v);
}

ENGINE_CLASS_OF(TranslateTransformMatrixEngine, &transform_matrix_class, "Transform",
                "Composes a transformation with a translation.",
                .equations = "T' = T D\n"
                             "\"T: inT, T': outT, D: translation\"",
                .init = engine_init, );
