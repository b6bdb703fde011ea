/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of core/scene: how settings reach the objects of a scene. */
#ifndef SOFA_SCENE_SETTINGS_IMPL_H
#define SOFA_SCENE_SETTINGS_IMPL_H

#include "object/node.h"
#include "scene/reader_impl.h"
#include "scene/settings.h"

/* Before a scene is loaded: none has been used. */
void sofa_settings_begin(SofaContext *ctx);
/* The settings of the object become attributes of its element. An unknown field is reported; the
 * result is an error only when memory is exhausted. */
SofaErr sofa_settings_apply(const SofaObject *object, SofaElement *element);
/* After loading: reports each setting whose object does not exist. SOFA_ERR_SCENE: one or more. */
SofaErr sofa_settings_check(SofaNode *root);

#endif
