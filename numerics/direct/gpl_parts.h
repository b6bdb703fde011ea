/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of SuiteSparse that are under the GPL: UMFPACK, SuiteSparseQR, and the modules
 * Supernodal, Modify and MatrixOps of CHOLMOD. With the option CSOFA_GPL off csofa calls none. */
#ifndef NUMERICS_DIRECT_GPL_PARTS_H
#define NUMERICS_DIRECT_GPL_PARTS_H

#include "object/object.h"

SOFA_BEGIN_DECLS

/* Was the library built with them? */
bool sofa_has_gpl_parts(void);
/* Reports that the object needs one of them, which this build does not have. */
SofaErr sofa_gpl_part_missing(const SofaObject *object, const char *part);

SOFA_END_DECLS

#endif
