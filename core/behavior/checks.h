/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that components make at init and that rows of fields cannot say. Each reports an error. */
#ifndef SOFA_BEHAVIOR_CHECKS_H
#define SOFA_BEHAVIOR_CHECKS_H

#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* The vertices of all elements are points of a state with n_points points. */
SofaErr sofa_check_elements(const SofaObject *object, SofaElementKind kind, SofaElements elements,
                            size_t n_points);
/* The same for one element; `what`: "triangle", `id`: its index in the topology. */
SofaErr sofa_check_element(const SofaObject *object, const char *what, size_t id, const uint32_t *v,
                           unsigned n_vertices, size_t n_points);
/* After an error was reported: returns it, or SOFA_OK where the run goes on (keep_going). A lack of
 * memory is always an error. */
SofaErr sofa_keep_going(const SofaObject *object, SofaErr err);

/* A value of n reals, of a field whose length follows the kind of state: what the scene gives must
 * have n numbers; with keep_going, or a default, it is cut or padded with zeros. */
SofaErr sofa_take_reals(const SofaObject *object, const char *field, SofaReals *value, size_t n);

SOFA_END_DECLS

#endif
