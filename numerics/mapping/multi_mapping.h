/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base classes of mappings with several inputs: of one kind, and of two. */
#ifndef SOFA_NUMERICS_MAPPING_MULTI_MAPPING_H
#define SOFA_NUMERICS_MAPPING_MULTI_MAPPING_H

#include "behavior/mapping.h"

SOFA_BEGIN_DECLS

/* Inputs in the order of `sources`, then of `second`, which is empty when all are of one kind. */
typedef struct SofaMultiMapping {
  SofaMapping mapping; /* its link `input` is not used */
  SofaLinks sources, second;
} SofaMultiMapping;

/* abstract: input; templates "In,Out" */
extern const SofaClass sofa_multi_mapping_class;
/* abstract: input1 and input2, which may be empty; templates "In1,In2,Out" */
extern const SofaClass sofa_two_kinds_mapping_class;

SOFA_END_DECLS

#endif
