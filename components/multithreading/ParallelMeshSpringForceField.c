/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelMeshSpringForceField: MeshSpringForceField under the name that SOFA gives to its version
 * on several threads. */
#include "components/solidmechanics/spring/MeshSpringForceField.h"
#include "components/multithreading/parallel.h"

typedef struct ParallelMeshSpringForceField {
  MeshSpringForceField base;
  ParallelFields parallel;
} ParallelMeshSpringForceField;

static const SofaField fields[] = {PARALLEL_ROWS(ParallelMeshSpringForceField, parallel)};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};

extern const SofaClass sofa_ParallelMeshSpringForceField_class;
const SofaClass sofa_ParallelMeshSpringForceField_class = {
    .name = "ParallelMeshSpringForceField",
    .module = "MultiThreading",
    .category = "InteractionForceField",
    .help = "The same as MeshSpringForceField, which uses the threads of the run.",
    .base = &sofa_MeshSpringForceField_class,
    .size = sizeof(ParallelMeshSpringForceField),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = parallel_tell,
};
