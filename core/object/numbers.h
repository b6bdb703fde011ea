/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of fields: how many there are, and one of them. */
#ifndef SOFA_OBJECT_NUMBERS_H
#define SOFA_OBJECT_NUMBERS_H

#include "object/object.h"

#pragma GCC visibility push(default)

size_t sofa_value_length(const SofaField *field, const void *value); /* entries; 1: not a list */
size_t sofa_value_width(const SofaField *field, const void *value);  /* numbers of an entry */
/* The first number of a value; NULL for an empty list. */
const void *sofa_value_data(const SofaField *field, const void *value);
/* Number i of the field (entry i / width). false: it has no numbers, or fewer. */
bool sofa_field_number(const SofaObject *object, const SofaField *field, size_t i, double *out);

/* Sets all numbers of a numeric field, which has as many: a value outside of its range is refused
 * and reported. The field counts as set; a data link ends. Of an initialised object with
 * SOFA_FIELD_REINIT, its reinit runs. SOFA_ERR_TYPE, SOFA_ERR_RANGE (another n; a number that the
 * kind of integer does not have): not reported. */
SofaErr sofa_field_set_numbers(SofaObject *object, const SofaField *field, size_t n,
                               const double *values);

#pragma GCC visibility pop

#endif
