/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses of elements of a mesh that is divided among processes. */
#ifndef SOFA_MASS_DIVIDED_MASS_H
#define SOFA_MASS_DIVIDED_MASS_H

#include "behavior/state_division.h"

/* A mass is that of one kind of elements. Where a mesh has several kinds of volumes, a process may
 * have those of another kind alone: it is refused. */
static inline SofaErr sofa_mass_check_divided(const SofaObject *object,
                                              const SofaTopology *topology) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_PRISM,
                                          SOFA_ELEMENT_PYRAMID};
  const SofaDivision *division = sofa_topology_division(topology);
  int n = 0;
  for (size_t i = 0; division && i < SOFA_COUNT(kinds); i++)
    n += division->n_whole_elements[kinds[i]] > 0;
  if (n <= 1) return SOFA_OK;
  return sofa_object_unsupported(
      object, "a mesh of several kinds of volumes that is divided among processes");
}

#endif
