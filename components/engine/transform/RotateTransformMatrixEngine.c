/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RotateTransformMatrixEngine: composes a transformation with a rotation. */
#include "components/engine/transform/transform_matrix.h"
#include "math/quaternion.h"

typedef struct RotateTransformMatrixEngine {
  TransformMatrix transform;
  SofaVec3 rotation;
} RotateTransformMatrixEngine;

typedef RotateTransformMatrixEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(rotation, "rotation", "0 0 0", "deg",
                   "rotation about the x, then y, then z axis, applied before inT"),
};

static SofaErr update(SofaObject *object) {
  RotateTransformMatrixEngine *e = (RotateTransformMatrixEngine *)object;
  double q[4], m[9];
  sofa_quat_from_euler_degrees(e->rotation.v, q);
  sofa_quat_to_matrix(q, m);
  return transform_matrix_compose(&e->transform, m, NULL);
}

ENGINE_CLASS_OF(RotateTransformMatrixEngine, &transform_matrix_class, "Transform",
                "Composes a transformation with a rotation.",
                .equations = "T' = T R\n"
                             "\"T: inT, T': outT, R: rotation\"",
                .init = engine_init, );
