/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loaders that other classes are derived from or search. */
#ifndef SOFA_COMPONENTS_IO_LOADERS_H
#define SOFA_COMPONENTS_IO_LOADERS_H

#include "object/class.h"

extern const SofaClass sofa_MeshOffLoader_class, sofa_VoxelGridLoader_class;

#endif
