/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lights of a scene. Without a LightManager a view lights the scene itself. */
#ifndef SOFA_VISUAL_LIGHT_H
#define SOFA_VISUAL_LIGHT_H

#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

typedef struct SofaLight {
  SofaVisual visual;
  SofaColor color;
  uint32_t shadow_size;
  bool draw_source, shadows, soft_shadows;
  double z_near, z_far, shadow_factor, light_bleeding, min_variance;
  int texture_unit;
  SofaReals model_view, projection;
} SofaLight;

typedef struct DirectionalLight {
  SofaLight light;
  SofaVec3 direction; /* the way the light goes */
} DirectionalLight;

typedef struct PositionalLight {
  SofaLight light;
  bool fixed; /* position is in the camera's axes */
  SofaVec3 position;
  double attenuation;
} PositionalLight;

typedef struct SpotLight {
  PositionalLight positional;
  SofaVec3 direction;
  double cutoff, exponent; /* degrees; 1 */
  bool look_at;            /* direction is the point it is turned to */
} SpotLight;

typedef struct LightManager {
  SofaVisual visual;
  bool shadows, soft_shadows, debug;
  SofaColor ambient;
} LightManager;

extern const SofaClass sofa_light_class; /* abstract */
extern const SofaClass sofa_DirectionalLight_class, sofa_PositionalLight_class,
    sofa_SpotLight_class, sofa_LightManager_class;

SOFA_END_DECLS

#endif
