/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of OglViewport, for views. */
#ifndef SOFA_VISUAL_OGLVIEWPORT_H
#define SOFA_VISUAL_OGLVIEWPORT_H

#include "components/visual/camera_math.h"
#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

typedef struct OglViewport {
  SofaVisual visual;
  SofaInts2 position, size; /* pixels, from the lower left corner; negative: from the other side */
  SofaVec3 camera_position;
  SofaQuat camera_orientation;
  SofaVec7s camera_rigid; /* empty: the two above */
  double z_near, z_far, fovy;
  bool enabled, advanced, use_fbo, swap, draw_camera;
} OglViewport;

extern const SofaClass sofa_OglViewport_class;

/* Its camera; near and far planes around the box unless the fields say. */
void sofa_ogl_viewport_camera(const OglViewport *viewport, const SofaBox *box, SofaCamera *out);

SOFA_END_DECLS

#endif
