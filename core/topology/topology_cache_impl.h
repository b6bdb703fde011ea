/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The derived neighbourhoods of a topology; private to core/topology. */
#ifndef SOFA_TOPOLOGY_TOPOLOGY_CACHE_H
#define SOFA_TOPOLOGY_TOPOLOGY_CACHE_H

#include "topology/topology.h"

typedef struct SofaTopologyCache {
  uint32_t revision; /* of the topology when the tables below were made */
  uint32_t
      *sub[SOFA_N_ELEMENT_KINDS][SOFA_N_ELEMENT_KINDS]; /* [sub][kind], owned; NULL: not made */
  SofaAround around[SOFA_N_ELEMENT_KINDS]
                   [SOFA_N_ELEMENT_KINDS]; /* [kind][of]; start NULL: not made */
} SofaTopologyCache;

/* Number of sub-elements per element, 0 when the pair has no meaning. */
unsigned sofa_topology_sub_count(SofaElementKind sub, SofaElementKind kind);
void sofa_topology_cache_clear(SofaContext *ctx, SofaTopologyCache *cache);

#endif
