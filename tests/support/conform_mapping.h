/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance of mappings: what every class that implements SOFA_MAPPING must fulfil, in every
 * template and variant. A case is a small scene; the checks evaluate at two points in turn, neither
 * of which is that of the states, and compare the operations with each other: J with differences of
 * apply, J^T with J, the matrix with both, and every answer with the one before the other point. */
#ifndef TESTS_SUPPORT_CONFORM_MAPPING_H
#define TESTS_SUPPORT_CONFORM_MAPPING_H

#include <math.h>
#include "tests/support/scene_run.h"

typedef struct MappingCase {
  const char *klass; /* name of the class */
  const char *what;  /* the variant, for messages */
  const char *scene; /* the mapping is the first object of the class in it, its output mechanical;
                        the inputs' points are spread over lengths of about 1 */
} MappingCase;

/* Runs all checks of a case; a failing one fails the cmocka test. */
void conform_mapping(const MappingCase *c);
/* Fails when a creatable class of the factory that is a mapping has no case in the lists. */
void conform_mappings_complete(const MappingCase *const *lists, const size_t *sizes, size_t n);

#endif
