/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists whose lengths core accepts, but that hardly mean what they say. */
#ifndef SOFA_OBJECT_LIST_CHECK_IMPL_H
#define SOFA_OBJECT_LIST_CHECK_IMPL_H

#include "object/object.h"

/* Values per element or point that may have any length: appends what is wrong with a length that is
 * neither none, one nor one for each, and what that does; nothing when that is not known. */
SofaErr sofa_list_unfit(const SofaObject *object, const SofaField *field, SofaText *why);

#endif
