/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the description tree to the graph: nodes and objects in document order. */
#ifndef SOFA_SCENE_BUILDER_H
#define SOFA_SCENE_BUILDER_H

#include "scene/description.h"
#include "simulation/simulation.h"

#pragma GCC visibility push(default)

/* Makes the graph of the description below the simulation's root (which becomes the root
 * element's node). An element with an error is reported and left out, so that one run shows all
 * errors; only missing memory ends the work. The names of files move to the simulation. */
SofaErr sofa_scene_build(SofaSimulation *simulation, SofaDescription *description);

/* Makes an object in a node, after its objects, as an element of a scene file would: attributes,
 * links, `parsed`; it is not initialised. attributes: names and values in turn, ended by NULL; or
 * NULL. Problems are reported. SOFA_ERR_SCENE: the class is unknown or an attribute was refused;
 * then *out is NULL. */
SofaErr sofa_scene_add_object(SofaNode *node, const char *tag, const char *const *attributes,
                              SofaObject **out);
/* The same of a child node. */
SofaErr sofa_scene_add_node(SofaNode *parent, const char *name, const char *const *attributes,
                            SofaNode **out);

/* Warns of legal but probably unintended settings of a loaded scene; changes nothing. */
SofaErr sofa_scene_check(SofaSimulation *simulation);
/* The same of an initialised scene, with the remedies: what no solver moves, regions that select
 * nothing, elements and points that cannot work, bodies that nothing holds. */
SofaErr sofa_scene_check_ready(SofaSimulation *simulation);

#pragma GCC visibility pop

#endif
