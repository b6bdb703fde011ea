/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers of scene files that are not XML. A class of a plugin with this interface reads them; the
 * factory knows which plugin that is by the extension of the file (SofaModule.readers). */
#ifndef SOFA_SCENE_READER_H
#define SOFA_SCENE_READER_H

#include "object/interface.h"
#include "simulation/simulation.h"

SOFA_BEGIN_DECLS

typedef struct SofaSceneReaderOps {
  const char *const *extensions; /* "py", ...; NULL-terminated */
  /* Makes the graph below the root of an empty simulation. The file exists. Problems are reported;
   * on failure the simulation is destroyed by the caller. */
  SofaErr (*read)(SofaSimulation *simulation, const char *path);
} SofaSceneReaderOps;

extern const SofaInterface sofa_scene_reader_interface;
#define SOFA_SCENE_READER (&sofa_scene_reader_interface)

/* Adds arguments "A,B" for the scenes that the context loads and that are programs. Loading another
 * scene then fails. */
SofaErr sofa_scene_add_arguments(SofaContext *ctx, const char *text);
/* All of them, separated by commas; "" without any. Borrowed. */
const char *sofa_scene_arguments(const SofaContext *ctx);

SOFA_END_DECLS

#endif
