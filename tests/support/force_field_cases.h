/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All lists of conformance cases of force fields. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_H

#include "tests/support/force_field_cases_caribou.h"
#include "tests/support/force_field_cases_contact.h"
#include "tests/support/force_field_cases_hyperelastic.h"
#include "tests/support/force_field_cases_mass.h"
#include "tests/support/force_field_cases_mechanicalload.h"
#include "tests/support/force_field_cases_solidmechanics.h"
#include "tests/support/force_field_cases_spring.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define FORCE_FIELD_LISTS(X)                                                                       \
  X(caribou_cases)                                                                                 \
  X(contact_cases)                                                                                 \
  X(hyperelastic_cases)                                                                            \
  X(mass_cases)                                                                                    \
  X(mechanicalload_cases)                                                                          \
  X(solidmechanics_cases)                                                                          \
  X(spring_cases)

#define FORCE_FIELD_LIST(cases) cases,
#define FORCE_FIELD_LIST_SIZE(cases) COUNT(cases),
static const ForceFieldCase *const force_field_lists[] = {FORCE_FIELD_LISTS(FORCE_FIELD_LIST)};
static const size_t force_field_list_sizes[] = {FORCE_FIELD_LISTS(FORCE_FIELD_LIST_SIZE)};

#endif
