/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all cameras of a scene have. */
#ifndef SOFA_VISUAL_BASE_CAMERA_H
#define SOFA_VISUAL_BASE_CAMERA_H

#include "components/visual/camera_math.h"
#include "object/node.h"

SOFA_BEGIN_DECLS

typedef struct BaseCamera {
  SofaObject object;
  SofaVec3 position, look_at;
  SofaQuat orientation;
  double distance, field_of_view, z_near, z_far;
  bool compute_z_clip, activated, fixed_look_at;
  SofaVec3 min_box, max_box;
  uint32_t width, height;
  SofaOption projection_type;
  SofaReals model_view, projection;
  double zoom_speed, pan_speed;
  int pivot;
} BaseCamera;

extern const SofaClass sofa_base_camera_class; /* abstract */
extern const SofaClass sofa_RecordedCamera_class;

/* The camera that the fields say, completed as far as they do: false when too little is given; then
 * only angle, planes and kind of projection are set. */
bool sofa_base_camera_get(const BaseCamera *base, SofaCamera *camera);
/* Moves the camera along its recording to `time`. false: it is not a moving RecordedCamera. */
bool sofa_base_camera_record(const BaseCamera *base, double time, SofaCamera *camera);

SOFA_END_DECLS

#endif
