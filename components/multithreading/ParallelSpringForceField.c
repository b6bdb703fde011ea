/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelSpringForceField: SpringForceField under the name that SOFA gives to its version on
 * several threads. */
#include "components/solidmechanics/spring/SpringForceField.h"
#include "components/multithreading/parallel.h"

typedef struct ParallelSpringForceField {
  SpringForceField base;
  ParallelFields parallel;
} ParallelSpringForceField;

static const SofaField fields[] = {PARALLEL_ROWS(ParallelSpringForceField, parallel)};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", "Vec2d", "Vec6d", NULL};

SOFA_CLASS(ParallelSpringForceField) = {
    SOFA_NAMED(ParallelSpringForceField),
    .module = "MultiThreading",
    .category = "InteractionForceField",
    .help = "The same as SpringForceField, which uses the threads of the run.",
    .base = &sofa_SpringForceField_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = parallel_tell,
};
