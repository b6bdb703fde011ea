/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user wants to see of a scene, as texts of options: flags, camera, colours. */
#ifndef VIEWER_VIEW_REQUEST_H
#define VIEWER_VIEW_REQUEST_H

#include "viewer/scene_view.h"

/* Texts are borrowed; NULL: as the scene says. */
typedef struct ViewRequest {
  const char *show;     /* display flags, as sofa_display_flags_read reads them */
  const char *camera;   /* a view file, or numbers: position, place looked at, [up], [degrees] */
  const char *look_at;  /* three numbers, or the path of an object or node: the middle of its box */
  const char *color;    /* PATH.FIELD, as color_field_open reads it */
  SofaColorRange range; /* of the colours; low > high: that of the numbers */
} ViewRequest;

/* Applies it to a view of an initialised simulation. A camera stays where --camera says and turns
 * to what is looked at; else it moves there and keeps its direction and distance. What cannot be
 * read or is not there is reported, with the nearest: SOFA_ERR_ARGUMENT (of a view file, its
 * error). */
SofaErr view_request_apply(SceneView *view, SofaSimulation *simulation, const ViewRequest *request);

/* Reads "6 numbers [3] [1]" or "position lookAt up degrees"; false: it is no such text. */
bool view_request_camera(const char *text, SofaCamera *camera);

#endif
