/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scene utilities: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(APIVersion)                                                                                    \
  X(AddDataRepository)                                                                             \
  X(AddPluginRepository)                                                                           \
  X(FileMessageHandlerComponent)                                                                   \
  X(InfoComponent)                                                                                 \
  X(MessageHandlerComponent)                                                                       \
  X(PauseAnimationOnEvent)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_sceneutility;
const SofaModule sofa_module_sceneutility = {SOFA_ABI, "sceneutility", CSOFA_VERSION, classes};
