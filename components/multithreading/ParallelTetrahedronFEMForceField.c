/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelTetrahedronFEMForceField: TetrahedronFEMForceField under the name that SOFA gives to its
 * version on several threads. */
#include "components/solidmechanics/fem/TetrahedronFEMForceField.h"
#include "components/multithreading/parallel.h"

typedef struct ParallelTetrahedronFEMForceField {
  TetrahedronFEMForceField base;
  ParallelFields parallel;
} ParallelTetrahedronFEMForceField;

static const SofaField fields[] = {PARALLEL_ROWS(ParallelTetrahedronFEMForceField, parallel)};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(ParallelTetrahedronFEMForceField) = {
    SOFA_NAMED(ParallelTetrahedronFEMForceField),
    .module = "MultiThreading",
    .category = "ForceField",
    .help = "The same as TetrahedronFEMForceField, which uses the threads of the run.",
    .base = &sofa_TetrahedronFEMForceField_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = parallel_tell,
};
