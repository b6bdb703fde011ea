/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A simulation: a scene graph with its phases. The object most programs need. */
#ifndef SOFA_SIMULATION_SIMULATION_H
#define SOFA_SIMULATION_SIMULATION_H

#include "object/node.h"

SOFA_BEGIN_DECLS

typedef struct SofaSimulation {
  SofaContext *ctx;
  SofaNode *root;    /* owned */
  char *file;        /* scene file, owned */
  SofaStrings files; /* names of all files read, owned; objects borrow them */
  uint64_t graph_version;
  uint64_t steps;     /* done so far */
  uint64_t scene_sum; /* checksum of the elements of the scene file; 0: it was not made of one */
  SofaErr failure;    /* of the last step; later steps are refused */
  bool ready;         /* initialised, and not finished */
} SofaSimulation;

/* Creates an empty simulation with a root node named "root". */
SofaErr sofa_simulation_create(SofaContext *ctx, SofaSimulation **out);
/* Reads and creates a scene (core/scene). All problems are reported; with any of them the result is
 * SOFA_ERR_SCENE unless ctx->keep_going (then only a scene that cannot be read at all fails).
 * *out exists only on success. */
SofaErr sofa_simulation_load(SofaContext *ctx, const char *path, SofaSimulation **out);
SofaErr sofa_simulation_load_text(SofaContext *ctx, const char *text, SofaSimulation **out);
/* The same; names of files in the text are relative to `folder` (NULL: the current one). */
SofaErr sofa_simulation_load_text_in(SofaContext *ctx, const char *text, const char *folder,
                                     SofaSimulation **out);
void sofa_simulation_destroy(SofaSimulation **simulation);

/* Initialises the graph in SOFA's order (spec: initialisation sequence). */
SofaErr sofa_simulation_init(SofaSimulation *simulation);
/* Initialises the objects that were added since: their links are resolved, they are initialised in
 * the same order as at the start, and their reset state is stored. Those that fail stay out of the
 * simulation; they were reported: SOFA_ERR_SCENE unless ctx->keep_going. */
SofaErr sofa_simulation_init_added(SofaSimulation *simulation);
/* One step of the animation loop; dt 0: the root's. On failure (NaN, failed factorization, ...) the
 * object, the step and the time were reported and the state is the one of the last good step. */
SofaErr sofa_simulation_step(SofaSimulation *simulation, double dt);
/* The state of the start. Objects that fail stay out of the simulation; they were reported:
 * SOFA_ERR_SCENE unless ctx->keep_going, and no step is made until a reset succeeds. */
SofaErr sofa_simulation_reset(SofaSimulation *simulation);
/* Tells the objects that the run is over: exporters write the last state. Once; destroying a
 * simulation calls it if the program has not. */
SofaErr sofa_simulation_finish(SofaSimulation *simulation);

/* Mechanical states of the graph in visiting order, mapped ones included. Caller frees the list. */
SofaErr sofa_simulation_states(SofaSimulation *simulation, SofaObjects *out);
/* Kinetic and potential energy over all masses and force fields below the root of an initialised
 * scene, J. */
SofaErr sofa_scene_energies(SofaNode *root, double *kinetic, double *potential);
/* What the materials of all force fields have dissipated since the start, J. */
SofaErr sofa_scene_dissipated(SofaNode *root, double *dissipated);
SofaErr sofa_simulation_energies(SofaSimulation *simulation, double *kinetic, double *potential);

SOFA_END_DECLS

#endif
