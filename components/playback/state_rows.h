/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of one process in a file of recorded states of a mesh that is divided. */
#ifndef SOFA_COMPONENTS_PLAYBACK_STATE_ROWS_H
#define SOFA_COMPONENTS_PLAYBACK_STATE_ROWS_H

#include "base/array.h"
#include "topology/division.h"

/* Called by all processes. Reads the file (plain or gzip) a piece at a time: *text gets its lines,
 * of which those with values of points (X=, X0=, V=, F=) have the values of the local points alone,
 * in their local order, with the same digits. x_width: numbers of a position, v_width: of a
 * velocity or force. A line whose numbers are not those of all points is an error; a last line
 * without an end has none. Values themselves are not looked at. *text ends with a NUL. */
SofaErr state_rows_read(SofaContext *ctx, const SofaOrigin *origin, const SofaDivision *division,
                        const unsigned widths[2], SofaText *text);

#endif
