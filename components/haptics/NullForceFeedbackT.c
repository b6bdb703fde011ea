/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NullForceFeedbackT: a device at a state, without forces. */
#include "components/haptics/ForceFeedback.h"

typedef ForceFeedback NullForceFeedbackT;

static const char *const templates[] = {"Rigid3d", "Vec1d", NULL};

SOFA_CLASS(NullForceFeedbackT) = {
    SOFA_NAMED(NullForceFeedbackT),
    .module = "Sofa.Component.Haptics",
    .category = "Controller",
    .help = "A haptic device at the state of its node that makes no forces.",
    .base = &force_feedback_class,
    .templates = templates,
    .init = force_feedback_find_state,
};
