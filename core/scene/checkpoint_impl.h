/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the files on checkpoints share; private to core/scene. */
#ifndef SOFA_SCENE_CHECKPOINT_IMPL_H
#define SOFA_SCENE_CHECKPOINT_IMPL_H

#include "object/checkpoint.h"
#include "object/element.h"
#include "simulation/simulation.h"

/* The checksum of a scene that was read: of its elements (NULL: none) and of what loaders read. */
SofaErr sofa_checkpoint_sum_scene(SofaSimulation *simulation, const SofaElement *root);
/* The vectors of the solvers' plans. */
SofaErr sofa_checkpoint_put_plans(SofaCheckpointWriter *to);
SofaErr sofa_checkpoint_get_plans(SofaCheckpointReader *from, const SofaObjects *objects);

#endif
