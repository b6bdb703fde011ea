/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings: values that a program gives in place of those of a scene, "PATH.FIELD=VALUE". An object
 * has them from its creation, before it reads files, as if the scene file said so. They hold for
 * each scene that the context loads. */
#ifndef SOFA_SCENE_SETTINGS_H
#define SOFA_SCENE_SETTINGS_H

#include "base/context.h"

SOFA_BEGIN_DECLS

/* Adds one. PATH is that of an object or node from the root, "/body/FEM"; without PATH it is the
 * root node: "dt=0.01". A later setting of the same field replaces an earlier one.
 * SOFA_ERR_ARGUMENT: the text is no setting; reported. */
SofaErr sofa_scene_set(SofaContext *ctx, const char *text);

SOFA_END_DECLS

#endif
