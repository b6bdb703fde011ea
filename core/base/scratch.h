/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scratch memory, as the context uses it; the public part is in base/context.h. */
#ifndef SOFA_BASE_SCRATCH_H
#define SOFA_BASE_SCRATCH_H

#include "base/context.h"

SOFA_BEGIN_DECLS

/* Gives all scratch memory back to the allocator. Marks taken before are invalid afterwards. */
void sofa_scratch_destroy(SofaContext *ctx);

SOFA_END_DECLS

#endif
