/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NullForceFeedback: a device without forces. */
#include "components/haptics/ForceFeedback.h"

typedef ForceFeedback NullForceFeedback;

SOFA_CLASS(NullForceFeedback) = {
    SOFA_NAMED(NullForceFeedback), .module = "Sofa.Component.Haptics",
    .category = "Controller",      .help = "A haptic device that makes no forces.",
    .base = &force_feedback_class,
};
