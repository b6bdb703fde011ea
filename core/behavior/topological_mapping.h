/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological mappings: fill one topology with elements made from another's. */
#ifndef SOFA_BEHAVIOR_TOPOLOGICAL_MAPPING_H
#define SOFA_BEHAVIOR_TOPOLOGICAL_MAPPING_H

#include "behavior/topology.h"

typedef struct SofaTopologicalMapping {
  SofaObject object;
  SofaLink input, output;  /* defaults: the topologies of @../ and @./ */
  SofaTopology *from, *to; /* resolved at init */
} SofaTopologicalMapping;

extern const SofaClass sofa_topological_mapping_class; /* abstract */

typedef struct SofaTopologicalMappingOps {
  /* optional: refuses topologies that do not fit, before `to` is emptied */
  SofaErr (*check)(const SofaTopologicalMapping *mapping);
  /* required: appends elements to the emptied `to`, whose n_points is that of `from`; a mapping
   * that makes points of its own fills the positions and sets n_points. The base class's init calls
   * it and then refreshes `to`. */
  SofaErr (*map)(SofaTopologicalMapping *mapping);
  bool keeps_output; /* `to` is neither emptied nor refreshed: `map` only looks at it */
} SofaTopologicalMappingOps;

#endif
