/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of fields while a scene is open: what the window, programs and scripts do. */
#ifndef SOFA_SCENE_EDIT_H
#define SOFA_SCENE_EDIT_H

#include "object/object.h"

SOFA_BEGIN_DECLS

/* Why a field can never be changed in an open scene; NULL: it can. */
const char *sofa_edit_refusal(const SofaField *field);

/* Sets a field to a text as an XML attribute ("@path" links), between steps. Before init the value
 * is set. After it a value of the same length is set, and the class takes it over; where a list
 * becomes longer or shorter or a link leads elsewhere, a class either reinitialises itself, or its
 * object is made again: then *object is the new one, and links of other objects lead to it. What
 * other objects were built on is refused. On failure, which is reported, the field is unchanged. */
SofaErr sofa_edit(SofaObject **object, const char *field, const char *text);
SofaErr sofa_edit_field(SofaObject **object, const SofaField *field, const char *text);

/* The same with numbers: n is a multiple of the numbers of an entry. */
SofaErr sofa_edit_numbers(SofaObject **object, const char *field, size_t n, const double *values);
SofaErr sofa_edit_field_numbers(SofaObject **object, const SofaField *field, size_t n,
                                const double *values);

/* Says that the value was written in place: the class takes it over. */
SofaErr sofa_edit_touch(SofaObject *object, const SofaField *field);

SOFA_END_DECLS

#endif
