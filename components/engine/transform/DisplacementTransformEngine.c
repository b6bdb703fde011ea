/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DisplacementTransformEngine: what has moved frames since rest, x x0^-1. */
#include <string.h>

#include "components/engine/engine.h"
#include "math/quaternion.h"

typedef struct DisplacementTransformEngine {
  SofaObject object;
  SofaCoords rest, position;
} DisplacementTransformEngine;

typedef DisplacementTransformEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(rest, "x0", NULL, "m", "frames at rest"),
    SOFA_ROW_INPUT(position, "x", NULL, "m", "frames now, as many"),
};

static const SofaFieldFamily families[] = {
    ENGINE_TEMPLATE_OUTPUT(
        "displacements", "x x0^-1 of each frame, as a frame or as a 4x4 matrix by template", NULL),
};

/* d = x x0^-1 as a frame. */
static void displacement(const double *x, const double *x0, double *d) {
  double inverse[7], c[4];
  sofa_quat_inverse(x0 + 3, c);
  sofa_quat_rotate(c, x0, inverse);
  sofa_vec3_scale(-1, inverse, inverse);
  memcpy(inverse + 3, c, sizeof c);
  sofa_rigid3_multiply(x, inverse, d);
}

static void to_matrix(const double *frame, double *m) {
  double r[9];
  sofa_quat_to_matrix(frame + 3, r);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m[4 * i + j] = r[3 * i + j];
    m[4 * i + 3] = frame[i];
    m[12 + i] = 0;
  }
  m[15] = 1;
}

static SofaErr update(SofaObject *object) {
  DisplacementTransformEngine *e = (DisplacementTransformEngine *)object;
  const SofaType *type = sofa_family_type(object, 0);
  void *out = sofa_family_value(object, 0, 0);
  SOFA_TRY(engine_check_same(object, "x", e->position.n, e->rest.n));
  SOFA_TRY(sofa_list_resize(object->ctx, out, engine_entry_size(type), e->position.n));
  for (size_t i = 0; i < e->position.n; i++) {
    double d[7];
    displacement(SOFA_POSE(e->position.data, i), SOFA_POSE(e->rest.data, i), d);
    if (type == &sofa_type_mat4s) to_matrix(d, engine_entry(type, out, i));
    else memcpy(engine_entry(type, out, i), d, sizeof d);
  }
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d,Mat4x4d", "Rigid3d,RigidCoord3d", NULL};

ENGINE_CLASS(DisplacementTransformEngine, "Transform",
             "Gives the transformation of each frame since rest.",
             .equations = "T = X X_0^-1\n"
                          "\"X and X_0: the frames x and x0\"",
             ENGINE_FAMILIES, .templates = templates, .init = engine_init, );
