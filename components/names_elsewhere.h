/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components and plugins of SOFA that csofa does not have: for messages. */
#ifndef SOFA_COMPONENTS_NAMES_ELSEWHERE_H
#define SOFA_COMPONENTS_NAMES_ELSEWHERE_H

#include "object/factory.h"

extern const SofaNameRow components_elsewhere[];       /* text: where SOFA has it */
extern const char *const components_plugins_of_sofa[]; /* NULL-terminated */

#endif
