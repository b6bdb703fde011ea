/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseGridRamificationTopology: a sparse grid whose cells share points only where the body
 * connects them. */
#include "sparse_topology.h"

enum { QUIRK_RAMIFIED_FACTORS = 1 << 20 };
static const SofaQuirk quirks[] = {
    {QUIRK_RAMIFIED_FACTORS, "ramified-factors",
     "SparseGridRamificationTopology loses parts of the stiffness and mass of branched cells",
     "test_quirks_sets.topologies"},
};

static const SofaField ramification_fields[] = {
    SOFA_FIELD(SofaSparseTopology, options.finest_connectivity, "finestConnectivity", "1", "",
               "Cells at the surface are connected only where an edge of the surface passes from "
               "one to the other.", ),
};

static SofaErr ramification_construct(SofaObject *object) {
  ((SofaSparseTopology *)object)->options.ramified = true;
  ((SofaSparseTopology *)object)->options.lost_factors = sofa_quirk(object, QUIRK_RAMIFIED_FACTORS);
  return SOFA_OK;
}

static const char *const ramification_aliases[] = {"SparseGridRamification", NULL};

SOFA_CLASS(SparseGridRamificationTopology) = {
    .name = "SparseGridRamificationTopology",
    .aliases = ramification_aliases,
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A sparse grid whose cells share points only where they are connected: branches of a "
            "body that pass through one cell get a hexahedron each.",
    .base = &sofa_SparseGridTopology_class,
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaSparseTopology),
    SOFA_FIELDS(ramification_fields),
    .construct = ramification_construct,
};
