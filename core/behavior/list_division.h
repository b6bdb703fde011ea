/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of a scene that belong to points or elements of a mesh that is divided. */
#ifndef SOFA_BEHAVIOR_LIST_DIVISION_H
#define SOFA_BEHAVIOR_LIST_DIVISION_H

#include "object/object.h"

SOFA_BEGIN_DECLS

/* The lists that the scene gives as text have numbers of the whole mesh and values of all its
 * points or elements: leaves those of this process, by their local numbers, once. Then
 * sofa_object_check_lists. For the init of base classes whose states are known. */
SofaErr sofa_object_settle_lists(SofaObject *object);
/* Has the scene given entries of which other processes have some? An empty list then means none. */
bool sofa_list_was_divided(const SofaObject *object, const char *field);

SOFA_END_DECLS

#endif
