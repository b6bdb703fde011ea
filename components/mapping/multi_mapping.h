/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base class of mappings with several inputs of one kind. */
#ifndef SOFA_MAPPING_MULTI_MAPPING_H
#define SOFA_MAPPING_MULTI_MAPPING_H

#include "behavior/mapping.h"

typedef struct SofaMultiMapping {
  SofaMapping mapping; /* its link `input` is not used */
  SofaLinks sources;
} SofaMultiMapping;

extern const SofaClass sofa_multi_mapping_class; /* abstract */

#endif
