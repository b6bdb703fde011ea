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

extern const SofaClass sofa_ParallelSpringForceField_class;
const SofaClass sofa_ParallelSpringForceField_class = {
    .name = "ParallelSpringForceField",
    .module = "MultiThreading",
    .category = "InteractionForceField",
    .help = "The same as SpringForceField, which uses the threads of the run.",
    .base = &sofa_SpringForceField_class,
    .size = sizeof(ParallelSpringForceField),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = parallel_tell,
};
