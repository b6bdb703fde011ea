/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in several passes: some objects are drawn into textures, which shaders put together. The
 * drawing is the view's. */
#ifndef SOFA_VISUAL_PASSES_H
#define SOFA_VISUAL_PASSES_H

#include "components/visual/shader.h"
#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

typedef struct DefaultVisualManagerLoop {
  SofaObject object;
  bool enable;
  SofaLink target_node;
} DefaultVisualManagerLoop;

typedef struct CompositingVisualLoop {
  DefaultVisualManagerLoop loop;
  char *vertex, *fragment; /* not used */
} CompositingVisualLoop;

typedef struct VisualManagerPass {
  SofaVisual visual;
  double factor;
  bool to_screen;
  char *output; /* name of the texture, empty: the object's */
} VisualManagerPass;

typedef struct VisualManagerSecondaryPass {
  VisualManagerPass pass;
  SofaTags inputs, outputs;
  SofaFileName fragment;
  SofaLink shader;
} VisualManagerSecondaryPass;

typedef struct PostProcessManager {
  SofaVisual visual;
  double z_near, z_far;
} PostProcessManager;

extern const SofaClass sofa_DefaultVisualManagerLoop_class, sofa_CompositingVisualLoop_class,
    sofa_VisualManagerPass_class, sofa_VisualManagerSecondaryPass_class,
    sofa_PostProcessManager_class;

SOFA_END_DECLS

#endif
