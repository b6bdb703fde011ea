/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Visual classes: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_Camera_class;
extern const SofaClass sofa_ClipPlane_class;
extern const SofaClass sofa_CylinderVisualModel_class;
extern const SofaClass sofa_DataDisplay_class;
extern const SofaClass sofa_DefaultVisualManagerLoop_class;
extern const SofaClass sofa_DirectionalLight_class;
extern const SofaClass sofa_InteractiveCamera_class;
extern const SofaClass sofa_LightManager_class;
extern const SofaClass sofa_LineAxis_class;
extern const SofaClass sofa_MergeVisualModels_class;
extern const SofaClass sofa_OglColorMap_class;
extern const SofaClass sofa_OglLabel_class;
extern const SofaClass sofa_OglModel_class;
extern const SofaClass sofa_OglSceneFrame_class;
extern const SofaClass sofa_OglViewport_class;
extern const SofaClass sofa_PointSplatModel_class;
extern const SofaClass sofa_PositionalLight_class;
extern const SofaClass sofa_RecordedCamera_class;
extern const SofaClass sofa_SpotLight_class;
extern const SofaClass sofa_TrailRenderer_class;
extern const SofaClass sofa_Visual3DText_class;
extern const SofaClass sofa_VisualBoundingBox_class;
extern const SofaClass sofa_VisualGrid_class;
extern const SofaClass sofa_VisualMesh_class;
extern const SofaClass sofa_VisualModelImpl_class;
extern const SofaClass sofa_VisualPointCloud_class;
extern const SofaClass sofa_VisualStyle_class;
extern const SofaClass sofa_VisualTransform_class;
extern const SofaClass sofa_VisualVectorField_class;

static const SofaClass *const classes[] = {&sofa_Camera_class,
                                           &sofa_ClipPlane_class,
                                           &sofa_CylinderVisualModel_class,
                                           &sofa_DataDisplay_class,
                                           &sofa_DefaultVisualManagerLoop_class,
                                           &sofa_DirectionalLight_class,
                                           &sofa_InteractiveCamera_class,
                                           &sofa_LightManager_class,
                                           &sofa_LineAxis_class,
                                           &sofa_MergeVisualModels_class,
                                           &sofa_OglColorMap_class,
                                           &sofa_OglLabel_class,
                                           &sofa_OglModel_class,
                                           &sofa_OglSceneFrame_class,
                                           &sofa_OglViewport_class,
                                           &sofa_PointSplatModel_class,
                                           &sofa_PositionalLight_class,
                                           &sofa_RecordedCamera_class,
                                           &sofa_SpotLight_class,
                                           &sofa_TrailRenderer_class,
                                           &sofa_Visual3DText_class,
                                           &sofa_VisualBoundingBox_class,
                                           &sofa_VisualGrid_class,
                                           &sofa_VisualMesh_class,
                                           &sofa_VisualModelImpl_class,
                                           &sofa_VisualPointCloud_class,
                                           &sofa_VisualStyle_class,
                                           &sofa_VisualTransform_class,
                                           &sofa_VisualVectorField_class,
                                           NULL};

extern const SofaModule sofa_module_visual;
const SofaModule sofa_module_visual = {SOFA_ABI, "visual", CSOFA_VERSION, classes};
