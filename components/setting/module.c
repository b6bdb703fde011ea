/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_AddFrameButtonSetting_class;
extern const SofaClass sofa_AddRecordedCameraButtonSetting_class;
extern const SofaClass sofa_AttachBodyButtonSetting_class;
extern const SofaClass sofa_BackgroundSetting_class;
extern const SofaClass sofa_ConstraintAttachButtonSetting_class;
extern const SofaClass sofa_FixPickedParticleButtonSetting_class;
extern const SofaClass sofa_RequiredPlugin_class;
extern const SofaClass sofa_SofaDefaultPathSetting_class;
extern const SofaClass sofa_StartNavigationButtonSetting_class;
extern const SofaClass sofa_StatsSetting_class;
extern const SofaClass sofa_TaskSchedulerSettings_class;
extern const SofaClass sofa_ViewerSetting_class;

static const SofaClass *const classes[] = {&sofa_AddFrameButtonSetting_class,
                                           &sofa_AddRecordedCameraButtonSetting_class,
                                           &sofa_AttachBodyButtonSetting_class,
                                           &sofa_BackgroundSetting_class,
                                           &sofa_ConstraintAttachButtonSetting_class,
                                           &sofa_FixPickedParticleButtonSetting_class,
                                           &sofa_RequiredPlugin_class,
                                           &sofa_SofaDefaultPathSetting_class,
                                           &sofa_StartNavigationButtonSetting_class,
                                           &sofa_StatsSetting_class,
                                           &sofa_TaskSchedulerSettings_class,
                                           &sofa_ViewerSetting_class,
                                           NULL};

extern const SofaModule sofa_module_setting;
const SofaModule sofa_module_setting = {SOFA_ABI, "setting", CSOFA_VERSION, classes};
