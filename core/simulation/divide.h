/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes that several processes run: what is divided, what is the same on all, what is refused. */
#ifndef SOFA_SIMULATION_DIVIDE_H
#define SOFA_SIMULATION_DIVIDE_H

#include "object/node.h"

SOFA_BEGIN_DECLS

/* Before init, links resolved: divides the meshes with volume elements that main states get their
 * points from, by data links or from a topology, when a loader or a grid made them. Meshes that
 * waited for this, and are not divided, are then read or made whole. */
SofaErr sofa_divide_meshes(SofaNode *root);
/* After init: reports all objects that cannot work on what is divided, and the first state or
 * topology that is not divided and differs between processes. */
SofaErr sofa_check_divided(SofaNode *root);
/* After an init that failed, which may be because of them: the same objects, on this process alone.
 */
void sofa_tell_divided(SofaNode *root);
/* Is some state divided? */
bool sofa_is_divided(SofaNode *root);

SOFA_END_DECLS

#endif
