/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cameras as files in the folder of their scene: `<scene>.view`, the form of runSofa. An XML
 * element `Camera` with elements position, orientation (x y z w), fieldOfView (degrees), distance,
 * zNear, zFar and projectionType, each with an attribute `value`. */
#ifndef VIEWER_VIEW_FILE_H
#define VIEWER_VIEW_FILE_H

#include "base/context.h"
#include "components/visual/camera_math.h"

/* Name of the file of a scene; owned. */
char *view_file_name(SofaContext *ctx, const char *scene);
SofaErr view_file_write(SofaContext *ctx, const char *path, const SofaCamera *camera);
/* Takes over what the file says; what it leaves out stays. It must say position and orientation (or
 * lookAt, in older files). Unreadable: reported with the line, and the camera stays as it is. */
SofaErr view_file_read(SofaContext *ctx, const char *path, SofaCamera *camera);
/* Reads the file of a scene if there is one; true: the camera is the file's. */
bool view_file_of_scene(SofaContext *ctx, const char *scene, SofaCamera *camera);

#endif
