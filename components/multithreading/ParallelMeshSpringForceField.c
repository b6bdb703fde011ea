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

SOFA_CLASS(ParallelMeshSpringForceField) = {
    SOFA_NAMED(ParallelMeshSpringForceField),
    .module = "MultiThreading",
    .category = "InteractionForceField",
    .help = "The same as MeshSpringForceField, which uses the threads of the run.",
    .base = &sofa_MeshSpringForceField_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = parallel_tell,
};
