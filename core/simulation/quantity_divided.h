/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of fields of which each process has a part, for quantities. Entries have their numbers in
 * the whole mesh. Called by all processes. */
#ifndef SOFA_SIMULATION_QUANTITY_DIVIDED_H
#define SOFA_SIMULATION_QUANTITY_DIVIDED_H

#include "simulation/quantity.h"

SOFA_BEGIN_DECLS

/* Finds the division and whether the entries are points or elements: q->division NULL, all
 * processes have the whole list. A list of which this is not known is refused. */
SofaErr sofa_quantity_find_division(const SofaObject *object, const SofaField *field,
                                    SofaQuantity *q);
/* Entries on all processes. */
size_t sofa_quantity_n_whole(const SofaQuantity *q);
SofaErr sofa_quantity_read_divided(const SofaQuantity *q, const SofaObject *object,
                                   const SofaField *field, double *values);

SOFA_END_DECLS

#endif
