/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of components and modules that scenes may use although no class has them. */
#ifndef SOFA_OBJECT_RENAMED_H
#define SOFA_OBJECT_RENAMED_H

#include <stdbool.h>

/* The present name of a component that was renamed, or NULL. */
const char *sofa_renamed_component(const char *name);
/* What to write instead of a component that is gone, or NULL. */
const char *sofa_removed_component(const char *name);
/* Is it a module of SOFA, or a group of them? */
bool sofa_is_known_module(const char *name);

#endif
