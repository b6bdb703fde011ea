/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Display flags as options give them. */
#ifndef SOFA_DRAW_DISPLAY_WORDS_H
#define SOFA_DRAW_DISPLAY_WORDS_H

#include "draw/display_flags.h"

SOFA_BEGIN_DECLS

/* Reads show or hide and a flag, a flag alone (it is shown) or with a '-' (it is
 * hidden), separated by blanks or commas; the case of letters is the same. Short words: points
 * (BehaviorModels), forces (ForceFields), contacts (DetectionOutputs). NULL: all was read. Else the
 * first word that is not a flag: *length of it, *nearest flag or short word, NULL when none is
 * near.
 */
const char *sofa_display_flags_read(const char *text, SofaDisplayFlags *out, size_t *length,
                                    const char **nearest);
/* What words said, 1 or -1 for flags and groups: the outermost group that is mentioned decides. */
void sofa_display_flags_rule(const SofaDisplayFlags *said, SofaDisplayFlags *out);

SOFA_END_DECLS

#endif
