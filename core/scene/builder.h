/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the description tree to the graph: nodes and objects in document order. */
#ifndef SOFA_SCENE_BUILDER_H
#define SOFA_SCENE_BUILDER_H

#include "scene/description.h"
#include "simulation/simulation.h"

/* Makes the graph that the description says below the simulation's root (which becomes the root
 * element's node). Whatever is wrong is reported and left out, so that all problems show; only
 * missing memory ends the work. The names of files move to the simulation. */
SofaErr sofa_scene_build(SofaSimulation *simulation, SofaDescription *description);

/* Looks over a loaded scene for what is legal but probably not meant; changes nothing. */
SofaErr sofa_scene_check(SofaSimulation *simulation);

#endif
