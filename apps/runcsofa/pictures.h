/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures and videos of a batch run. */
#ifndef RUNCSOFA_PICTURES_H
#define RUNCSOFA_PICTURES_H

#include "components/visual/color_map.h"
#include "options.h"
#include "simulation/simulation.h"

typedef struct Pictures Pictures;

/* The ranges of colours that a series of pictures shares. */
typedef struct PictureRanges {
  SofaContext *ctx;
  SofaColorRanges list; /* owned by the caller, in ctx */
  bool measure;         /* pictures are not drawn: their ranges widen the list */
} PictureRanges;

/* Do the options ask for a series of pictures of a scene with colours by the range of their data?
 * Then a first run measures it. Not of a run without an end. */
bool pictures_need_ranges(const SofaSimulation *simulation, const RunOptions *options);

/* Prepares what the options ask for; *out is NULL when they ask for nothing, or when no picture can
 * be made (reported, and an error returned: the run goes on without). SOFA_ERR_ARGUMENT: what the
 * options name is not in the scene. *ranges outlives it. */
SofaErr pictures_open(SofaSimulation *simulation, const RunOptions *options, PictureRanges *ranges,
                      Pictures **out);
/* Draws and writes what is due after `step` steps. last: the run ends here. NULL-safe. */
SofaErr pictures_write(Pictures *pictures, uint64_t step, bool last);
/* Finishes the video; *pictures becomes NULL. NULL-safe. */
SofaErr pictures_close(Pictures **pictures);

#endif
