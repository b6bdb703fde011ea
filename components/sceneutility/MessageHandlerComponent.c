/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MessageHandlerComponent: how messages are shown, as far as a scene may decide that. */
#include <string.h>
#include "object/object.h"

typedef struct MessageHandlerComponent {
  SofaObject object;
  char *handler;
  bool silent;
} MessageHandlerComponent;

static const char *const handlers[] = {"sofa", "clang", "rich", "silent", NULL};

static const SofaField fields[] = {
    SOFA_FIELD(MessageHandlerComponent, handler, "handler", NULL, "",
               "'silent': information and warnings are hidden, errors are shown; 'sofa', "
               "'clang' and 'rich': as the program shows them",
               .options = handlers),
};

static SofaErr parsed(SofaObject *object) {
  MessageHandlerComponent *m = (MessageHandlerComponent *)object;
  m->silent = m->handler && strcmp(m->handler, "silent") == 0;
  object->ctx->silences += m->silent;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  object->ctx->silences -= ((MessageHandlerComponent *)object)->silent;
}

SOFA_CLASS(MessageHandlerComponent) = {
    SOFA_NAMED(MessageHandlerComponent),
    .module = "Sofa.Component.SceneUtility",
    .category = "_Miscellaneous",
    .help = "Says how messages are shown.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .parsed = parsed,
    .destroy = destroy,
};
