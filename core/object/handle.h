/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles: numbers that stand for objects where pointers are not safe, in programs and scripts that
 * keep them. A handle of an object that was destroyed finds nothing, and is not used again. */
#ifndef SOFA_OBJECT_HANDLE_H
#define SOFA_OBJECT_HANDLE_H

#include "object/object.h"

SOFA_BEGIN_DECLS

enum { SOFA_HANDLE_BITS = 48 };
typedef uint64_t SofaHandle; /* below 2^SOFA_HANDLE_BITS; 0: of nothing */

/* The object's handle, made at the first call. 0: out of memory, reported. */
SofaHandle sofa_handle_of(SofaObject *object);
/* NULL: the object does not exist (any more). */
SofaObject *sofa_handle_object(const SofaContext *ctx, SofaHandle handle);

SOFA_END_DECLS

#endif
