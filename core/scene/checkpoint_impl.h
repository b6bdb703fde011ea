/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the files on checkpoints share; private to core/scene. */
#ifndef SOFA_SCENE_CHECKPOINT_IMPL_H
#define SOFA_SCENE_CHECKPOINT_IMPL_H

#include "behavior/state.h"
#include "object/checkpoint.h"
#include "object/element.h"
#include "scene/checkpoint_sections.h"
#include "simulation/simulation.h"

/* The checksum of a scene that was read: of its elements (NULL: none) and of what loaders read. */
SofaErr sofa_checkpoint_sum_scene(SofaSimulation *simulation, const SofaElement *root);
/* *fits: do the tables of an object (springs, pairs) and the elements of a topology name points
 * that are there? */
SofaErr sofa_checkpoint_check_places(SofaObject *object, bool *fits);
/* The vectors of the solvers' plans. sections NULL: no mesh is divided; else those of all points of
 * a divided one are sections. */
SofaErr sofa_checkpoint_put_plans(SofaCheckpointWriter *to, SofaSections *sections);
SofaErr sofa_checkpoint_get_plans(SofaCheckpointReader *from, const SofaObjects *objects,
                                  SofaSections *sections);

/* Called by all processes of a scene with a divided mesh; the first one writes. All fields, or
 * hidden parts, of all objects. */
SofaErr sofa_checkpoint_put_divided(SofaCheckpointWriter *to, SofaSections *sections, bool hidden);
/* reinit[i]: object i has other values of fields that it must take over; may be NULL. */
SofaErr sofa_checkpoint_get_divided(SofaCheckpointReader *from, SofaSections *sections,
                                    const SofaObjects *objects, bool hidden, bool *reinit);
/* `width` reals per point of a state. */
SofaErr sofa_checkpoint_put_points(SofaCheckpointWriter *to, SofaSections *sections,
                                   const SofaState *state, size_t width, const double *values);
SofaErr sofa_checkpoint_get_points(SofaCheckpointReader *from, SofaSections *sections,
                                   const SofaState *state, size_t width, double *values);

#endif
