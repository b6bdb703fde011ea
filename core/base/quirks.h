/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where SOFA's code contradicts its own documentation or its method's definition, csofa computes
 * what is documented and --quirks reproduces SOFA. The rows stand in quirks.def.
 */
#ifndef SOFA_BASE_QUIRKS_H
#define SOFA_BASE_QUIRKS_H

/* clang-format off */
typedef enum SofaQuirk {
#define X(id, word, text) id,
#include "base/quirks.def"
#undef X
  SOFA_N_QUIRKS
} SofaQuirk;
/* clang-format on */

#endif
