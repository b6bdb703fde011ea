/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checkpoints: the whole state of a running scene in a file. A simulation of the same scene that
 * restores it goes on with the same bits as the one that saved it, on any number of threads.
 *
 * The file is binary, little endian: "csofaRUN", a marker of the byte order, the version of the
 * format, length and checksum of the rest; then version and options of the program, the checksum of
 * the scene (elements as parsed, meshes as loaded), the topological changes, the objects that a run
 * made (contacts), and for each object its fields and what its class adds (object/checkpoint.h).
 * Of a mesh that is divided among processes the rows of its points and elements stand behind these,
 * in the order of the whole mesh: each process writes and reads its run of them, and none has all.
 * Outputs (files of exporters) are not part of it. */
#ifndef SOFA_SCENE_CHECKPOINT_H
#define SOFA_SCENE_CHECKPOINT_H

#include "simulation/simulation.h"

SOFA_BEGIN_DECLS

/* Between steps, of an initialised simulation. An object that cannot be saved is reported by name
 * and path: SOFA_ERR_UNSUPPORTED. */
SofaErr sofa_checkpoint_save(SofaSimulation *simulation, const char *path);
/* The same of a simulation whose last step failed: the state of the step before it, as far as the
 * states have gone back to it; contacts are those that the failed step found. */
SofaErr sofa_checkpoint_save_good(SofaSimulation *simulation, const char *path);
/* Can the simulation be saved, as it is? Called by all processes, as the others. */
SofaErr sofa_checkpoint_check(SofaSimulation *simulation);
/* In an initialised simulation of the same scene, which is reset first unless it has made no step.
 * A file that is cut, changed, or of another scene, version or options is refused before anything
 * changes. After any other failure the simulation refuses further steps. */
SofaErr sofa_checkpoint_restore(SofaSimulation *simulation, const char *path);
/* The same in memory, of several processes in that of the first one; `name` is for messages. All
 * of them read the same bytes. */
SofaErr sofa_checkpoint_write(SofaSimulation *simulation, SofaText *out);
SofaErr sofa_checkpoint_read(SofaSimulation *simulation, const char *name, const char *bytes,
                             size_t n);
/* Appends one line per object with the checksums of its fields and of what its class adds, for
 * tests that compare runs. */
SofaErr sofa_checkpoint_print(SofaSimulation *simulation, SofaText *out);

SOFA_END_DECLS

#endif
