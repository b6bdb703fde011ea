/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saving a scene as an XML file. */
#ifndef SOFA_SCENE_SAVE_H
#define SOFA_SCENE_SAVE_H

#include "simulation/simulation.h"

SOFA_BEGIN_DECLS

/* Appends the scene as XML: nodes and objects in order, the fields that the scene or a program has
 * set, data links as links. A state of an initialised scene has the positions and velocities that a
 * reset restores: the saved scene runs as this one does from its beginning. Objects that components
 * made themselves are left out. A node with several parents is refused: SOFA_ERR_UNSUPPORTED. */
SofaErr sofa_scene_print(SofaSimulation *simulation, SofaText *out);
/* Writes it to a file. Files that it reads are named relative to the folder of this one where they
 * have a folder in common; files that it writes as the scene names them. */
SofaErr sofa_scene_save(SofaSimulation *simulation, const char *path);

SOFA_END_DECLS

#endif
