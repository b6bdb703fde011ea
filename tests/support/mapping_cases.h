/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All conformance cases of mappings. */
#ifndef TESTS_SUPPORT_MAPPING_CASES_H
#define TESTS_SUPPORT_MAPPING_CASES_H

#include "tests/support/mapping_cases_linear.h"
#include "tests/support/mapping_cases_nonlinear.h"
#include "tests/support/mapping_cases_rigid.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { N_LISTS = 3 };
static const MappingCase *const mapping_lists[N_LISTS] = {linear_mapping_cases, rigid_mapping_cases,
                                                          nonlinear_mapping_cases};
static const size_t mapping_list_sizes[N_LISTS] = {
    COUNT(linear_mapping_cases), COUNT(rigid_mapping_cases), COUNT(nonlinear_mapping_cases)};

#endif
