/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of core/object: handles of objects that leave or are made again. */
#ifndef SOFA_OBJECT_HANDLE_IMPL_H
#define SOFA_OBJECT_HANDLE_IMPL_H

#include "object/handle.h"

/* The handle finds nothing from now on. */
void sofa_handle_drop(SofaObject *object);
/* The handle of `from`, if it has one, is that of `to`. */
void sofa_handle_move(SofaObject *from, SofaObject *to);

#endif
