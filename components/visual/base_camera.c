/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all cameras of a scene have, and the rules that complete what a scene says of them. */
#include "components/visual/base_camera.h"

#include "math/quaternion.h"

static const char *const projections[] = {"Perspective", "Orthographic", NULL};

typedef BaseCamera SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(position, "position", NULL, "m", "where the camera is", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(orientation, "orientation", "0 0 0 1", "1",
             "quaternion from camera to world axes; it looks along -z, y is up",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(look_at, "lookAt", NULL, "m", "point in the middle of the picture",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(distance, "distance", "0", "m", "from the camera to lookAt",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(field_of_view, "fieldOfView", "45", "degree", "vertical angle of the picture",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(z_near, "zNear", "0.01", "m", "nearer objects are not drawn",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(z_far, "zFar", "100", "m", "farther objects are not drawn",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW_DISPLAY(compute_z_clip, "computeZClip", "1",
                     "zNear and zFar from the box of the scene"),
    SOFA_ROW(min_box, "minBBox", "0 0 0", "m", "box of the scene", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(max_box, "maxBBox", "1 1 1", "m", "box of the scene", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(width, "widthViewport", "800", "pixel", "of the picture", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(height, "heightViewport", "600", "pixel", "of the picture",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW_DISPLAY(projection_type, "projectionType", "Perspective", "kind of projection",
                     .options = projections),
    SOFA_ROW_DISPLAY(activated, "activated", "1", "use this camera"),
    SOFA_ROW_DISPLAY(fixed_look_at, "fixedLookAt", "0",
                     "lookAt stays where it is when the camera moves"),
    SOFA_ROW(model_view, "modelViewMatrix", NULL, "1", "computed by views",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(projection, "projectionMatrix", NULL, "1", "computed by views",
             .flags = SOFA_FIELD_DISPLAY),
};

const SofaClass sofa_base_camera_class = {
    .name = "BaseCamera",
    .module = "csofa",
    .category = "Visual",
    .help = "A camera.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(BaseCamera),
    SOFA_FIELDS(fields),
    .abstract = true,
};

bool sofa_base_camera_get(const BaseCamera *base, SofaCamera *camera) {
  const SofaObject *object = &base->object;
  const bool position = sofa_field_is_set(object, "position");
  const bool look_at = sofa_field_is_set(object, "lookAt");
  const bool orientation = sofa_field_is_set(object, "orientation");
  const double up[3] = {0, 1, 0};
  double back[3] = {0, 0, 1}, q[4];
  sofa_camera_init(camera);
  camera->field_of_view = base->field_of_view;
  camera->z_near = base->z_near;
  camera->z_far = base->z_far;
  camera->orthographic = base->projection_type.index == 1;
  if (position && !orientation) {
    sofa_camera_place(camera, base->position.v, base->look_at.v, up);
    return true;
  }
  if (!orientation || (!position && !look_at)) return false;

  // the third of position, orientation and lookAt follows from the others
  for (int k = 0; k < 4; k++) q[k] = base->orientation.q[k];
  sofa_quat_normalize(q);
  sofa_quat_rotate(q, back, back);
  double distance = base->distance;
  if (position && look_at) distance = sofa_vec3_distance(base->position.v, base->look_at.v);
  if (!(distance > 0)) distance = 1;
  for (int k = 0; k < 4; k++) camera->orientation[k] = q[k];
  camera->distance = distance;
  for (int k = 0; k < 3; k++) {
    camera->position[k] = position ? base->position.v[k] : base->look_at.v[k] + distance * back[k];
    camera->look_at[k] = camera->position[k] - distance * back[k];
  }
  return true;
}
