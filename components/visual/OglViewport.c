/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglViewport: a second view of the scene in a part of the picture. The drawing is the view's. */
#include "components/visual/OglViewport.h"

#include <string.h>

#include "math/quaternion.h"
#include "math/vec.h"

typedef OglViewport SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(
        position, "screenPosition", "0 0",
        "lower left corner, pixels from that of the picture; negative: from the opposite corner"),
    SOFA_ROW_DISPLAY(size, "screenSize", "0 0", "width and height, pixels; 0: there is no view",
                     .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_DISPLAY(camera_position, "cameraPosition", "0 0 0", "where its camera is, m"),
    SOFA_ROW_DISPLAY(
        camera_orientation, "cameraOrientation", "0 0 0 1",
        "quaternion x y z w from the camera's axes (it looks along -z, y is up) to the world's"),
    SOFA_ROW_DISPLAY(camera_rigid, "cameraRigid", NULL, "both as a frame, instead of them"),
    SOFA_ROW_DISPLAY(z_near, "zNear", "0", "nearest that is seen, m; 0: around the scene"),
    SOFA_ROW_DISPLAY(z_far, "zFar", "0", "farthest that is seen, m; 0: around the scene"),
    SOFA_ROW_DISPLAY(fovy, "fovy", "60", "height of the field of view, degrees",
                     .range = SOFA_BETWEEN(0, 180)),
    SOFA_ROW_DISPLAY(enabled, "enabled", "1", "show it"),
    SOFA_ROW_DISPLAY(advanced, "advancedRendering", "0",
                     "show it with the display flag showAdvancedRendering"),
    SOFA_ROW_DISPLAY(use_fbo, "useFBO", "1",
                     "draw it into a texture first; the picture is the same"),
    SOFA_ROW_DISPLAY(swap, "swapMainView", "0",
                     "the main view is seen by this camera, this one by the main"),
    SOFA_ROW_DISPLAY(draw_camera, "drawCamera", "0", "draw the axes of the camera"),
};

/* Place and unit quaternion of the camera. */
static void place(const OglViewport *v, double p[3], double q[4]) {
  const bool rigid = v->camera_rigid.n > 0;
  memcpy(p, rigid ? v->camera_rigid.data->v : v->camera_position.v, 3 * sizeof *p);
  memcpy(q, rigid ? v->camera_rigid.data->v + 3 : v->camera_orientation.q, 4 * sizeof *q);
  if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0)) q[3] = 1;
  sofa_quat_normalize(q);
}

void sofa_ogl_viewport_camera(const OglViewport *v, const SofaBox *box, SofaCamera *out) {
  const double back[3] = {0, 0, 1};
  double axis[3];
  sofa_camera_init(out);
  place(v, out->position, out->orientation);
  sofa_quat_rotate(out->orientation, back, axis);
  sofa_vec3_copy(out->position, out->look_at);
  sofa_vec3_axpy(-out->distance, axis, out->look_at);
  out->field_of_view = v->fovy;
  if (box->min[0] <= box->max[0]) sofa_camera_clip(out, box);
  if (v->z_near > 0 && v->z_far > v->z_near) {
    out->z_near = v->z_near;
    out->z_far = v->z_far;
  }
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const OglViewport *v = (const OglViewport *)object;
  double p[3], q[4];
  if (!v->draw_camera) return;
  place(v, p, q);
  sofa_draw_frame(args->list, p, q, 0.1);
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(OglViewport) = {
    SOFA_NAMED(OglViewport),
    .module = "Sofa.GL.Component.Rendering2D",
    .category = "VisualModel",
    .help = "A second view of the scene, by a camera of its own, in a part of the picture. With "
            "tags it shows the objects that have one of them.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
