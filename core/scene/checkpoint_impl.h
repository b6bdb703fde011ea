/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the files on checkpoints share; private to core/scene. */
#ifndef SOFA_SCENE_CHECKPOINT_IMPL_H
#define SOFA_SCENE_CHECKPOINT_IMPL_H

#include "behavior/state.h"
#include "object/checkpoint.h"
#include "object/element.h"
#include "simulation/simulation.h"

/* The checksum of a scene that was read: of its elements (NULL: none) and of what loaders read. */
SofaErr sofa_checkpoint_sum_scene(SofaSimulation *simulation, const SofaElement *root);
/* The vectors of the solvers' plans; with `whole` those of all points of a divided mesh. */
SofaErr sofa_checkpoint_put_plans(SofaCheckpointWriter *to, bool whole);
SofaErr sofa_checkpoint_get_plans(SofaCheckpointReader *from, const SofaObjects *objects,
                                  bool whole);

/* Called by all processes of a scene with a divided mesh; the first one writes. All fields, or
 * hidden parts, of all objects. */
SofaErr sofa_checkpoint_put_divided(SofaCheckpointWriter *to, bool hidden);
/* reinit[i]: object i has other values of fields that it must take over; may be NULL. */
SofaErr sofa_checkpoint_get_divided(SofaCheckpointReader *from, const SofaObjects *objects,
                                    bool hidden, bool *reinit);
/* `width` reals per point of a state, of the whole mesh in the file. */
SofaErr sofa_checkpoint_put_points(SofaCheckpointWriter *to, const SofaState *state, size_t width,
                                   const double *values);
SofaErr sofa_checkpoint_get_points(SofaCheckpointReader *from, const SofaState *state, size_t width,
                                   double *values);

#endif
