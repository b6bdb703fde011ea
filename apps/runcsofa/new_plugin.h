/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of a new plugin: a component, its scene, its test, and what builds them. */
#ifndef RUNCSOFA_NEW_PLUGIN_H
#define RUNCSOFA_NEW_PLUGIN_H

#include "base/context.h"

/* Writes the folder (NULL: named as the plugin), which must not exist. The name must be a C
 * identifier, and no component may have the name of the new one. Prints the next steps. */
SofaErr new_plugin_write(SofaContext *ctx, const char *name, const char *folder);

#endif
