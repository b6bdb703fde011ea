/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TransformEngine: scales, rotates and moves a list of positions. */
#include <math.h>
#include <string.h>

#include "behavior/state.h"
#include "math/quaternion.h"
#include "object/data_graph.h"

typedef struct TransformEngine {
  SofaObject object;
  SofaCoords input, output;
  SofaVec3 translation, rotation, scale;
  SofaQuat quaternion;
  bool inverse;
} TransformEngine;

static const SofaField fields[] = {
    SOFA_FIELD(TransformEngine, input, "input_position", NULL, "m", "positions to transform",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(TransformEngine, output, "output_position", NULL, "m", "transformed positions",
               .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(TransformEngine, translation, "translation", "0 0 0", "m", "moves, last",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(TransformEngine, rotation, "rotation", "0 0 0", "deg",
               "rotates about the x, then y, then z axis, after scaling",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(TransformEngine, quaternion, "quaternion", "0 0 0 1", "",
               "rotates once more, after rotation", .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(TransformEngine, scale, "scale", "1 1 1", "1", "scales along the axes, first",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(TransformEngine, inverse, "inverse", "0", "",
               "undoes the transformation: the inverse steps in reverse order",
               .flags = SOFA_FIELD_INPUT),
};

/* One position; p: coord of a kind that moves in space[1..3]. */
static void rotate(const SofaStateKindInfo *kind, const double q[4], double *p) {
  double point[3] = {0, 0, 0};
  sofa_copy(point, p, kind->space * sizeof *p);
  sofa_quat_rotate(q, point, point);
  sofa_copy(p, point, kind->space * sizeof *p);
  if (kind->rigid && kind->space == 3) sofa_quat_multiply(q, p + 3, p + 3);
  // in the plane only the turn about z is left
  if (kind->rigid && kind->space == 2) p[2] += 2 * atan2(q[2], q[3]);
}

static void scale(const SofaStateKindInfo *kind, const double s[3], double *p) {
  for (unsigned k = 0; k < kind->space; k++) p[k] *= s[k];
}

static void move(const SofaStateKindInfo *kind, const double t[3], double *p) {
  for (unsigned k = 0; k < kind->space; k++) p[k] += t[k];
}

static bool is_identity(const double q[4]) {
  return q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 1;
}

static bool is_quaternion(const double q[4]) {
  return q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0;
}

static SofaErr check(const TransformEngine *e) {
  for (int k = 0; k < 3; k++)
    if (e->inverse && e->scale.v[k] == 0)
      return sofa_field_fail(&e->object, "scale", SOFA_ERR_RANGE,
                             "factor %d is 0, which has no inverse", k);
  if (is_quaternion(e->quaternion.q)) return SOFA_OK;
  return sofa_field_fail(&e->object, "quaternion", SOFA_ERR_RANGE, "0 0 0 0 is not a rotation");
}

static SofaErr transform_update(SofaObject *object) {
  TransformEngine *e = (TransformEngine *)object;
  const SofaStateKindInfo *kind = sofa_state_kind_info(object->kind);
  double euler[4], t[3], s[3], q[4];
  SOFA_TRY(check(e));
  memcpy(q, e->quaternion.q, sizeof q);
  sofa_quat_from_euler_degrees(e->rotation.v, euler);
  for (int k = 0; k < 3; k++) {
    t[k] = e->inverse ? -e->translation.v[k] : e->translation.v[k];
    s[k] = e->inverse ? 1 / e->scale.v[k] : e->scale.v[k];
  }
  if (e->inverse) {
    sofa_quat_inverse(euler, euler);
    sofa_quat_inverse(q, q);
  }
  e->output.width = e->input.width;
  SOFA_TRY(sofa_coords_resize(object->ctx, &e->output, e->input.n));
  if (e->input.n)
    sofa_copy(e->output.data, e->input.data, e->input.n * e->input.width * sizeof *e->input.data);
  for (size_t i = 0; i < e->output.n; i++) {
    double *p = e->output.data + i * e->output.width;
    if (e->inverse) {
      move(kind, t, p);
      if (!is_identity(q)) rotate(kind, q, p);
      if (!is_identity(euler)) rotate(kind, euler, p);
      scale(kind, s, p);
    } else {
      scale(kind, s, p);
      if (!is_identity(euler)) rotate(kind, euler, p);
      if (!is_identity(q)) rotate(kind, q, p);
      move(kind, t, p);
    }
  }
  sofa_field_touch_name(object, "output_position");
  return SOFA_OK;
}

static SofaErr transform_init(SofaObject *object) {
  return sofa_data_update(object);
}

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(TransformEngine) = {
    SOFA_NAMED(TransformEngine),
    .module = "Sofa.Component.Engine.Transform",
    .category = "Engine",
    .help = "Scales, rotates and moves positions.",
    .equations = "x' = d + Q R S x, with inverse x' = S^-1 R^-1 Q^-1 (x - d)\n"
                 "\"d: translation, Q: quaternion, R: rotation, S: scale\"",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = transform_init,
    .update = transform_update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
