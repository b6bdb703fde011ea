/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelHexahedronFEMForceField: HexahedronFEMForceField under the name that SOFA gives to its
 * version on several threads. */
#include "components/solidmechanics/fem/HexahedronFEMForceField.h"
#include "components/multithreading/parallel.h"

typedef struct ParallelHexahedronFEMForceField {
  HexahedronFEMForceField base;
  ParallelFields parallel;
} ParallelHexahedronFEMForceField;

static const SofaField fields[] = {PARALLEL_ROWS(ParallelHexahedronFEMForceField, parallel)};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(ParallelHexahedronFEMForceField) = {
    SOFA_NAMED(ParallelHexahedronFEMForceField),
    .module = "MultiThreading",
    .category = "ForceField",
    .help = "The same as HexahedronFEMForceField, which uses the threads of the run.",
    .base = &sofa_HexahedronFEMForceField_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = parallel_tell,
};
