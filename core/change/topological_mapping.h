/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological mappings: fill one topology with elements made from another's. */
#ifndef SOFA_CHANGE_TOPOLOGICAL_MAPPING_H
#define SOFA_CHANGE_TOPOLOGICAL_MAPPING_H

#include "change/topology_change.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_topological_mapping_interface;
#define SOFA_TOPOLOGICAL_MAPPING (&sofa_topological_mapping_interface)

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

/* For `map`, where the input is divided among processes: of its part each process has made the n
 * elements of the output, key[i] orders them among those of all (topology/shared_sides.h). */
SofaErr sofa_topological_mapping_divide(SofaTopologicalMapping *mapping, SofaElementKind kind,
                                        size_t n, const uint64_t *key);
/* The same where n elements of the output are made of each element of the kind `from`, in turn. */
SofaErr sofa_topological_mapping_divide_each(SofaTopologicalMapping *mapping, SofaElementKind kind,
                                             const struct SofaDivision *division,
                                             SofaElementKind from, unsigned n);

/* ---- topological changes ---- */

/* The state in the node of the output whose points are removed and inserted with the output's. NULL
 * if there is none, if it is the input's, or if a mapping to it changes its points. */
SofaState *sofa_topological_mapping_state(const SofaTopologicalMapping *mapping,
                                          const SofaTopologyEdit *edit);
/* Answers of listeners: remove points (ids in any order) from the output and that state, or insert
 * points into both. */
SofaErr sofa_topological_mapping_remove_points(SofaTopologicalMapping *mapping,
                                               SofaTopologyEdit *edit, const uint32_t *ids,
                                               size_t n);
SofaErr sofa_topological_mapping_add_points(SofaTopologicalMapping *mapping, SofaTopologyEdit *edit,
                                            size_t n, const SofaAncestors *ancestors);

SOFA_END_DECLS

#endif
