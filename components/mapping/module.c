/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(BarycentricMapping)                                                                            \
  X(DistanceMapping)                                                                               \
  X(IdentityMapping)                                                                               \
  X(RigidMapping)                                                                                  \
  X(SquareDistanceMapping)                                                                         \
  X(SquareMapping)                                                                                 \
  X(SubsetMapping)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_mapping;
const SofaModule sofa_module_mapping = {SOFA_ABI, "mapping", CSOFA_VERSION, classes};
