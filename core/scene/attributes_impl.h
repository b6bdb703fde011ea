/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of core/scene: attributes of elements become values of fields. */
#ifndef SOFA_SCENE_ATTRIBUTES_H
#define SOFA_SCENE_ATTRIBUTES_H

#include "object/node.h"
#include "scene/reader_impl.h"

/* `src` first, then printLog, then the others by name in byte order. Problems are reported; the
 * result is an error only when memory is exhausted. */
SofaErr sofa_apply_attributes(SofaObject *object, SofaElement *element);
/* After `parsed`, which may give the object fields: those that are left; unknown ones are reported.
 */
SofaErr sofa_apply_late_attributes(SofaObject *object, SofaElement *element);
SofaErr sofa_apply_node_attributes(SofaNode *node, SofaElement *element);

/* Reports the attributes that no object of the class would know: for elements whose object could
 * not be created, so that all problems of a scene show in one run. */
SofaErr sofa_check_attribute_names(SofaContext *ctx, const SofaClass *klass,
                                   const SofaElement *element);

#endif
