/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of recorded states: blocks "T= t", "X= ...", "X0= ...", "V= ...", "F= ...". */
#ifndef SOFA_COMPONENTS_PLAYBACK_STATE_TEXT_H
#define SOFA_COMPONENTS_PLAYBACK_STATE_TEXT_H

#include "base/context.h"

/* Checks every line of `size` bytes (a NUL follows them), so that reading finds nothing but
 * numbers: a time per block, positions in tuples of x_width, velocities and forces of v_width. An
 * error names the line. A block at the end that is not complete, as an interrupted recording leaves
 * it, is cut off with a warning. origin (may be NULL): the file. */
SofaErr state_text_check(SofaContext *ctx, const SofaOrigin *origin, char *text, size_t size,
                         unsigned x_width, unsigned v_width);

#endif
