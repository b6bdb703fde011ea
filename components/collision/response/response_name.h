/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Responses by name, as scenes write them: "Name?a=1&b=2" is the class Name, and values of fields
 * of its contact objects. "nullptr" is no response. */
#ifndef COMPONENTS_COLLISION_RESPONSE_NAME_H
#define COMPONENTS_COLLISION_RESPONSE_NAME_H

#include "behavior/collision.h"

/* Fields that the response does not have are left out with a warning. */
enum { QUIRK_RESPONSE_PARAMS = 1 << 20 };
#define QUIRK_RESPONSE_PARAMS_ROW                                                                  \
  {                                                                                                \
    QUIRK_RESPONSE_PARAMS, "response-params",                                                      \
        "parameters that a response does not have, such as the friction of a penalty contact, "    \
        "are ignored",                                                                             \
        "test_response_manager.parameters"                                                         \
  }

/* The class of a response; *out is NULL for "nullptr", which `none` allows. A name that is not
 * known is an error of the object's field. */
SofaErr response_class(const SofaObject *object, const char *field, const char *text, bool none,
                       const SofaClass **out);
/* The same, and the response has all fields that the text names. quirk: others are left out. */
SofaErr response_check(const SofaObject *object, const char *field, const char *text, bool none,
                       bool quirk);
/* Sets the fields of a new contact object that the text names; line: of the text. */
SofaErr response_set_fields(SofaObject *contact, const char *text, int line);

#endif
