/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The built-in components: what a program registers to run scenes of SOFA. */
#ifndef SOFA_COMPONENTS_BUILTINS_H
#define SOFA_COMPONENTS_BUILTINS_H

#include "object/factory.h"

SOFA_BEGIN_DECLS

/* All built-in modules. */
SofaErr sofa_register_builtins(SofaContext *ctx);
/* A context with the built-in modules: what most programs begin with. On failure *out is NULL. */
SofaErr sofa_context_create_with_builtins(const SofaContextOptions *options, SofaContext **out);

/* The modules of the folders of components, NULL-terminated: made by cmake/class_list.cmake from
 * the sources. */
extern const SofaModule *const sofa_builtin_modules[];
/* Old names, prefabs and defaults. */
extern const SofaModule sofa_names_module;

SOFA_END_DECLS

#endif
