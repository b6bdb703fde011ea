/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements that an object has from elsewhere than a topology, for programs that show its numbers.
 */
#ifndef SOFA_TOPOLOGY_ELEMENT_SOURCE_H
#define SOFA_TOPOLOGY_ELEMENT_SOURCE_H

#include "topology/topology.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_element_source_interface;
#define SOFA_ELEMENT_SOURCE (&sofa_element_source_interface)
typedef struct SofaElementSourceOps {
  /* required: the elements and their kind. Borrowed until the topology changes; n is 0 before init.
   */
  SofaElements (*elements)(const SofaObject *object, SofaElementKind *kind);
  /* The same elements with all nodes: those of second order have nodes behind the corners, in VTK's
   * order. NULL: the corners are all. */
  SofaElements (*nodes)(const SofaObject *object);
} SofaElementSourceOps;

SOFA_END_DECLS

#endif
