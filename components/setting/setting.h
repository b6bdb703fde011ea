/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings that views read. */
#ifndef SOFA_SETTING_SETTING_H
#define SOFA_SETTING_SETTING_H

#include "object/node.h"

SOFA_BEGIN_DECLS

typedef struct BackgroundSetting {
  SofaObject object;
  SofaColor color;
  SofaFileName image; /* wins over the colour */
} BackgroundSetting;

typedef struct ViewerSetting {
  SofaObject object;
  SofaInts2 resolution;
  bool fullscreen, show_node_box, show_box, show_positions, show_surfaces, show_volumes,
      show_indices;
  SofaOption camera_mode, picking; /* Perspective Orthographic; "Ray casting" "Selection buffer" */
  double visual_scaling;
} ViewerSetting;

/* The action of a mouse button while Shift is held. */
typedef struct MouseButtonSetting {
  SofaObject object;
  SofaOption button; /* Left Middle Right */
  double stiffness, arrow_size, show_factor;
} MouseButtonSetting;

extern const SofaClass sofa_BackgroundSetting_class, sofa_ViewerSetting_class;
extern const SofaClass sofa_mouse_button_setting_class; /* abstract */
extern const SofaClass sofa_AttachBodyButtonSetting_class, sofa_ConstraintAttachButtonSetting_class,
    sofa_FixPickedParticleButtonSetting_class;

SOFA_END_DECLS

#endif
