/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/direct/gpl_parts.h"

bool sofa_has_gpl_parts(void) {
  return CSOFA_GPL;
}

SofaErr sofa_gpl_part_missing(const SofaObject *object, const char *part) {
  return sofa_object_unsupported(object,
                                 "this build has no GPL parts of SuiteSparse (CSOFA_GPL is off), "
                                 "and it needs %s. SparseLDLSolver (symmetric matrices), "
                                 "SVDLinearSolver (small systems) and the iterative solvers need "
                                 "none",
                                 part);
}
