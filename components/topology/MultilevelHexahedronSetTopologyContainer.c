/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MultilevelHexahedronSetTopologyContainer: voxels as hexahedra, at their finest level. */
#include "set_container.h"
#include "voxel_numbers.h"

typedef struct Multilevel {
  SofaSetContainer set;
  int level;
  SofaInts3 resolution;
  SofaIndices numbers;
  char *coarse, *fine;
} Multilevel;

typedef Multilevel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(level, "level", "0", "1",
             "number of times that voxels were merged in pairs; always 0 in a scene",
             .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_ROW(resolution, "resolution", "0 0 0", "1", "voxels along x, y, z",
             .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(numbers, "idxInRegularGrid", NULL, "1",
             "number of each hexahedron in the grid, x fastest", .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(coarse, "coarseComponents", NULL, "", "kept inside and not given",
             .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_ROW(fine, "fineComponents", NULL, "", "kept inside and not given",
             .flags = SOFA_FIELD_UNSUPPORTED),
};

static SofaErr init(SofaObject *object) {
  const Multilevel *m = (const Multilevel *)object;
  return sofa_voxel_numbers_check(&m->set.topology, &m->resolution, &m->numbers);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  Multilevel *m = (Multilevel *)object;
  return sofa_voxel_numbers_follow(&m->set.topology, change, &m->numbers, NULL);
}

static const SofaTopologyListenerOps listener = {.listen = listen};

SOFA_CLASS(MultilevelHexahedronSetTopologyContainer) = {
    .name = "MultilevelHexahedronSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "Hexahedra that are voxels of a grid. In SOFA programs join them to coarser ones; "
            "scenes cannot.",
    .base = &sofa_HexahedronSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_NOT,
    .size = sizeof(Multilevel),
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
