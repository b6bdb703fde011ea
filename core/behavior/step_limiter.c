/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "behavior/step_limiter.h"

const SofaInterface sofa_step_limiter_interface = {
    .name = "step limiter",
    SOFA_REQUIRES(offsetof(SofaStepLimiterOps, states), offsetof(SofaStepLimiterOps, limit))};
