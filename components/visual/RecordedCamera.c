/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RecordedCamera: a camera that follows a path in time. */
#include <math.h>

#include "components/visual/base_camera.h"
#include "math/quaternion.h"
#include "object/type.h"

typedef struct RecordedCamera {
  BaseCamera base;
  double start_time, end_time, rotation_speed;
  bool rotation_mode, translation_mode, navigation_mode, draw_rotation, draw_translation;
  SofaVec3 center, start_point, rotation_look_at, axis, up;
  SofaVec3s positions;
  SofaReals orientations; /* x y z w each */
} RecordedCamera;

typedef RecordedCamera SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(base.zoom_speed, "zoomSpeed", "250", "speed of zooming"),
    SOFA_ROW_DISPLAY(base.pan_speed, "panSpeed", "0.1", "speed of shifting"),
    SOFA_ROW_DISPLAY(base.pivot, "pivot", "0", "centre of the camera's rotation by the mouse"),
    SOFA_ROW(start_time, "startTime", "0", "s", "time at which the path begins",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(end_time, "endTime", "200", "s", "time at which the path ends; then it starts again",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW_DISPLAY(rotation_mode, "rotationMode", "0", "go round rotationCenter"),
    SOFA_ROW_DISPLAY(translation_mode, "translationMode", "0",
                     "go along cameraPositions, looking at the next one"),
    SOFA_ROW_DISPLAY(navigation_mode, "navigationMode", "0",
                     "go along cameraPositions with cameraOrientations"),
    SOFA_ROW_DISPLAY(rotation_speed, "rotationSpeed", "0.1", "not used"),
    SOFA_ROW(center, "rotationCenter", "0 10 0", "m", "centre of the circle",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(start_point, "rotationStartPoint", "0 10 50", "m", "where the circle begins",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(rotation_look_at, "rotationLookAt", "0 10 0", "m", "point looked at from the circle",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(axis, "rotationAxis", "0 1 0", "1", "axis of the circle", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(up, "cameraUp", "0 0 0", "1", "upwards in the picture; 0: the axis",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW_DISPLAY(draw_rotation, "drawRotation", "0", "draw the circle"),
    SOFA_ROW_DISPLAY(draw_translation, "drawTranslation", "0", "draw the path"),
    SOFA_ROW(positions, "cameraPositions", NULL, "m", "points of the path",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(orientations, "cameraOrientations", NULL, "1", "quaternions x y z w, one per point",
             .flags = SOFA_FIELD_DISPLAY),
};

static SofaErr init(SofaObject *object) {
  const RecordedCamera *r = (const RecordedCamera *)object;
  if (r->navigation_mode && r->orientations.n != 4 * r->positions.n)
    return sofa_field_fail(object, "cameraOrientations", SOFA_ERR_RANGE,
                           "%zu numbers, expected 4 per position: %zu", r->orientations.n,
                           4 * r->positions.n);
  return SOFA_OK;
}

/* Position on the circle. */
static void go_round(const RecordedCamera *r, double share, SofaCamera *camera) {
  double turn[4], arm[3], at[3];
  const double *up = sofa_vec3_norm(r->up.v) > 0 ? r->up.v : r->axis.v;
  sofa_quat_from_axis_angle(r->axis.v, 2 * 3.14159265358979323846 * share, turn);
  sofa_vec3_sub(r->start_point.v, r->center.v, arm);
  sofa_quat_rotate(turn, arm, arm);
  sofa_vec3_add(r->center.v, arm, at);
  sofa_camera_place(camera, at, r->rotation_look_at.v, up);
}

/* Position on the path of straight pieces, each for the same time. */
static void go_along(const RecordedCamera *r, double share, SofaCamera *camera) {
  const size_t n = r->positions.n;
  const double t = share * (double)(n - 1);
  size_t i = (size_t)t;
  if (i > n - 2) i = n - 2;
  const double f = t - (double)i;
  const double *a = r->positions.data[i].v, *b = r->positions.data[i + 1].v;
  double at[3], q[4], back[3] = {0, 0, 1};
  for (int k = 0; k < 3; k++) at[k] = a[k] + f * (b[k] - a[k]);
  if (r->navigation_mode && r->orientations.n == 4 * n) {
    sofa_quat_slerp(r->orientations.data + 4 * i, r->orientations.data + 4 * i + 4, f, q);
    sofa_quat_normalize(q);
    sofa_quat_rotate(q, back, back);
    for (int k = 0; k < 4; k++) camera->orientation[k] = q[k];
    for (int k = 0; k < 3; k++) {
      camera->position[k] = at[k];
      camera->look_at[k] = at[k] - camera->distance * back[k];
    }
  } else {
    const double up[3] = {0, 1, 0};
    sofa_camera_place(camera, at, b, sofa_vec3_norm(r->up.v) > 0 ? r->up.v : up);
  }
}

bool sofa_base_camera_record(const BaseCamera *base, double time, SofaCamera *camera) {
  if (!sofa_class_is_a(base->object.klass, &sofa_RecordedCamera_class)) return false;
  const RecordedCamera *r = (const RecordedCamera *)base;
  double period = r->end_time - r->start_time;
  if (!(period > 0)) period = 200;
  double t = fmod(time - r->start_time, period);
  if (!(t > 0)) t = 0;
  const bool path = r->translation_mode || r->navigation_mode;
  if (r->rotation_mode) go_round(r, t / period, camera);
  else if (path && r->positions.n > 1) go_along(r, t / period, camera);
  else return false;
  return true;
}

SOFA_CLASS(RecordedCamera) = {
    SOFA_NAMED(RecordedCamera),
    .module = "Sofa.Component.Visual",
    .category = "Visual",
    .help = "A camera that moves along a circle or a path in time.",
    .base = &sofa_base_camera_class,
    SOFA_FIELDS(fields),
    .init = init,
};
