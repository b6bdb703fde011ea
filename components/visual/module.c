/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Visual classes: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_Camera_class;
extern const SofaClass sofa_ClipPlane_class;
extern const SofaClass sofa_CompositingVisualLoop_class;
extern const SofaClass sofa_CylinderVisualModel_class;
extern const SofaClass sofa_DataDisplay_class;
extern const SofaClass sofa_DefaultVisualManagerLoop_class;
extern const SofaClass sofa_DirectionalLight_class;
extern const SofaClass sofa_InteractiveCamera_class;
extern const SofaClass sofa_LightManager_class;
extern const SofaClass sofa_LineAxis_class;
extern const SofaClass sofa_MergeVisualModels_class;
extern const SofaClass sofa_OglColorMap_class;
extern const SofaClass sofa_OglFloat2Attribute_class;
extern const SofaClass sofa_OglFloat2Variable_class;
extern const SofaClass sofa_OglFloat3Attribute_class;
extern const SofaClass sofa_OglFloat3Variable_class;
extern const SofaClass sofa_OglFloat4Attribute_class;
extern const SofaClass sofa_OglFloat4Variable_class;
extern const SofaClass sofa_OglFloatAttribute_class;
extern const SofaClass sofa_OglFloatVariable_class;
extern const SofaClass sofa_OglFloatVector2Variable_class;
extern const SofaClass sofa_OglFloatVector3Variable_class;
extern const SofaClass sofa_OglFloatVector4Variable_class;
extern const SofaClass sofa_OglFloatVectorVariable_class;
extern const SofaClass sofa_OglInt2Attribute_class;
extern const SofaClass sofa_OglInt2Variable_class;
extern const SofaClass sofa_OglInt3Attribute_class;
extern const SofaClass sofa_OglInt3Variable_class;
extern const SofaClass sofa_OglInt4Attribute_class;
extern const SofaClass sofa_OglInt4Variable_class;
extern const SofaClass sofa_OglIntAttribute_class;
extern const SofaClass sofa_OglIntVariable_class;
extern const SofaClass sofa_OglIntVector2Variable_class;
extern const SofaClass sofa_OglIntVector3Variable_class;
extern const SofaClass sofa_OglIntVector4Variable_class;
extern const SofaClass sofa_OglIntVectorVariable_class;
extern const SofaClass sofa_OglLabel_class;
extern const SofaClass sofa_OglMatrix2Variable_class;
extern const SofaClass sofa_OglMatrix2x3Variable_class;
extern const SofaClass sofa_OglMatrix2x4Variable_class;
extern const SofaClass sofa_OglMatrix3Variable_class;
extern const SofaClass sofa_OglMatrix3x2Variable_class;
extern const SofaClass sofa_OglMatrix3x4Variable_class;
extern const SofaClass sofa_OglMatrix4Variable_class;
extern const SofaClass sofa_OglMatrix4VectorVariable_class;
extern const SofaClass sofa_OglMatrix4x2Variable_class;
extern const SofaClass sofa_OglMatrix4x3Variable_class;
extern const SofaClass sofa_OglModel_class;
extern const SofaClass sofa_OglOITShader_class;
extern const SofaClass sofa_OglRenderingSRGB_class;
extern const SofaClass sofa_OglSceneFrame_class;
extern const SofaClass sofa_OglShader_class;
extern const SofaClass sofa_OglShaderDefineMacro_class;
extern const SofaClass sofa_OglShaderVisualModel_class;
extern const SofaClass sofa_OglShadowShader_class;
extern const SofaClass sofa_OglTexture_class;
extern const SofaClass sofa_OglTexture2D_class;
extern const SofaClass sofa_OglTexturePointer_class;
extern const SofaClass sofa_OglUInt2Attribute_class;
extern const SofaClass sofa_OglUInt3Attribute_class;
extern const SofaClass sofa_OglUInt4Attribute_class;
extern const SofaClass sofa_OglUIntAttribute_class;
extern const SofaClass sofa_OglViewport_class;
extern const SofaClass sofa_OrderIndependentTransparencyManager_class;
extern const SofaClass sofa_PointSplatModel_class;
extern const SofaClass sofa_PositionalLight_class;
extern const SofaClass sofa_PostProcessManager_class;
extern const SofaClass sofa_RecordedCamera_class;
extern const SofaClass sofa_SpotLight_class;
extern const SofaClass sofa_TrailRenderer_class;
extern const SofaClass sofa_Visual3DText_class;
extern const SofaClass sofa_VisualBoundingBox_class;
extern const SofaClass sofa_VisualGrid_class;
extern const SofaClass sofa_VisualManagerPass_class;
extern const SofaClass sofa_VisualManagerSecondaryPass_class;
extern const SofaClass sofa_VisualMesh_class;
extern const SofaClass sofa_VisualModelImpl_class;
extern const SofaClass sofa_VisualPointCloud_class;
extern const SofaClass sofa_VisualStyle_class;
extern const SofaClass sofa_VisualTransform_class;
extern const SofaClass sofa_VisualVectorField_class;

static const SofaClass *const classes[] = {&sofa_Camera_class,
                                           &sofa_ClipPlane_class,
                                           &sofa_CompositingVisualLoop_class,
                                           &sofa_CylinderVisualModel_class,
                                           &sofa_DataDisplay_class,
                                           &sofa_DefaultVisualManagerLoop_class,
                                           &sofa_DirectionalLight_class,
                                           &sofa_InteractiveCamera_class,
                                           &sofa_LightManager_class,
                                           &sofa_LineAxis_class,
                                           &sofa_MergeVisualModels_class,
                                           &sofa_OglColorMap_class,
                                           &sofa_OglFloat2Attribute_class,
                                           &sofa_OglFloat2Variable_class,
                                           &sofa_OglFloat3Attribute_class,
                                           &sofa_OglFloat3Variable_class,
                                           &sofa_OglFloat4Attribute_class,
                                           &sofa_OglFloat4Variable_class,
                                           &sofa_OglFloatAttribute_class,
                                           &sofa_OglFloatVariable_class,
                                           &sofa_OglFloatVector2Variable_class,
                                           &sofa_OglFloatVector3Variable_class,
                                           &sofa_OglFloatVector4Variable_class,
                                           &sofa_OglFloatVectorVariable_class,
                                           &sofa_OglInt2Attribute_class,
                                           &sofa_OglInt2Variable_class,
                                           &sofa_OglInt3Attribute_class,
                                           &sofa_OglInt3Variable_class,
                                           &sofa_OglInt4Attribute_class,
                                           &sofa_OglInt4Variable_class,
                                           &sofa_OglIntAttribute_class,
                                           &sofa_OglIntVariable_class,
                                           &sofa_OglIntVector2Variable_class,
                                           &sofa_OglIntVector3Variable_class,
                                           &sofa_OglIntVector4Variable_class,
                                           &sofa_OglIntVectorVariable_class,
                                           &sofa_OglLabel_class,
                                           &sofa_OglMatrix2Variable_class,
                                           &sofa_OglMatrix2x3Variable_class,
                                           &sofa_OglMatrix2x4Variable_class,
                                           &sofa_OglMatrix3Variable_class,
                                           &sofa_OglMatrix3x2Variable_class,
                                           &sofa_OglMatrix3x4Variable_class,
                                           &sofa_OglMatrix4Variable_class,
                                           &sofa_OglMatrix4VectorVariable_class,
                                           &sofa_OglMatrix4x2Variable_class,
                                           &sofa_OglMatrix4x3Variable_class,
                                           &sofa_OglModel_class,
                                           &sofa_OglOITShader_class,
                                           &sofa_OglRenderingSRGB_class,
                                           &sofa_OglSceneFrame_class,
                                           &sofa_OglShader_class,
                                           &sofa_OglShaderDefineMacro_class,
                                           &sofa_OglShaderVisualModel_class,
                                           &sofa_OglShadowShader_class,
                                           &sofa_OglTexture_class,
                                           &sofa_OglTexture2D_class,
                                           &sofa_OglTexturePointer_class,
                                           &sofa_OglUInt2Attribute_class,
                                           &sofa_OglUInt3Attribute_class,
                                           &sofa_OglUInt4Attribute_class,
                                           &sofa_OglUIntAttribute_class,
                                           &sofa_OglViewport_class,
                                           &sofa_OrderIndependentTransparencyManager_class,
                                           &sofa_PointSplatModel_class,
                                           &sofa_PositionalLight_class,
                                           &sofa_PostProcessManager_class,
                                           &sofa_RecordedCamera_class,
                                           &sofa_SpotLight_class,
                                           &sofa_TrailRenderer_class,
                                           &sofa_Visual3DText_class,
                                           &sofa_VisualBoundingBox_class,
                                           &sofa_VisualGrid_class,
                                           &sofa_VisualManagerPass_class,
                                           &sofa_VisualManagerSecondaryPass_class,
                                           &sofa_VisualMesh_class,
                                           &sofa_VisualModelImpl_class,
                                           &sofa_VisualPointCloud_class,
                                           &sofa_VisualStyle_class,
                                           &sofa_VisualTransform_class,
                                           &sofa_VisualVectorField_class,
                                           NULL};

extern const SofaModule sofa_module_visual;
const SofaModule sofa_module_visual = {SOFA_ABI, "visual", CSOFA_VERSION, classes};
