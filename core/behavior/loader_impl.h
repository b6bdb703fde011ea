/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the abstract mesh loader share. */
#ifndef SOFA_BEHAVIOR_LOADER_IMPL_H
#define SOFA_BEHAVIOR_LOADER_IMPL_H

#include "behavior/loader.h"

/* By the options of the loader. */
void sofa_mesh_loader_transform(const SofaMeshLoader *loader, SofaVec3s *position);
/* Are there several processes, and a file that they could read in slices? */
bool sofa_mesh_loader_has_slices(SofaMeshLoader *loader);

#endif
