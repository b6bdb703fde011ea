/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of the application interface: components whose functions the application gives. */
#ifndef CSOFA_APPLICATION_IMPL_H
#define CSOFA_APPLICATION_IMPL_H

#include "csofa/csofa.h"
#include "object/factory.h"

typedef struct ApplicationFunction {
  CsofaFunction function; /* NULL: none */
  void *user;
} ApplicationFunction;

typedef struct ApplicationFunctions {
  ApplicationFunction of[CSOFA_N_FUNCTIONS];
} ApplicationFunctions;

/* The classes: ApplicationController, ... */
extern const SofaModule csofa_application_module;
/* The functions of an object of one of them, else NULL. */
ApplicationFunctions *csofa_application_functions(SofaObject *object);

/* Its result as an error of the object. */
SofaErr csofa_application_result(const SofaObject *object, int result);

extern const SofaClass csofa_force_field_class, csofa_mapping_class;
ApplicationFunctions *csofa_force_field_functions(SofaObject *object);
ApplicationFunctions *csofa_mapping_functions(SofaObject *object);

#endif
