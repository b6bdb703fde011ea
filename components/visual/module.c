/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Visual classes: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_Camera_class;
extern const SofaClass sofa_DefaultVisualManagerLoop_class;
extern const SofaClass sofa_DirectionalLight_class;
extern const SofaClass sofa_InteractiveCamera_class;
extern const SofaClass sofa_LightManager_class;
extern const SofaClass sofa_OglModel_class;
extern const SofaClass sofa_PositionalLight_class;
extern const SofaClass sofa_RecordedCamera_class;
extern const SofaClass sofa_SpotLight_class;
extern const SofaClass sofa_VisualStyle_class;

static const SofaClass *const classes[] = {&sofa_Camera_class,
                                           &sofa_DefaultVisualManagerLoop_class,
                                           &sofa_DirectionalLight_class,
                                           &sofa_InteractiveCamera_class,
                                           &sofa_LightManager_class,
                                           &sofa_OglModel_class,
                                           &sofa_PositionalLight_class,
                                           &sofa_RecordedCamera_class,
                                           &sofa_SpotLight_class,
                                           &sofa_VisualStyle_class,
                                           NULL};

extern const SofaModule sofa_module_visual;
const SofaModule sofa_module_visual = {SOFA_ABI, "visual", CSOFA_VERSION, classes};
