/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "behavior/constrained_state.h"

#include "object/element.h"

const SofaLinkRule sofa_constrained_state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                                  .search = SOFA_SEARCH_NONE};

SofaErr sofa_constrained_state_check(const SofaObject *object, SofaState **state) {
  if (!*state)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no mechanical state in this node or above to constrain");
  const SofaStateKind kind = (*state)->object.kind;
  if (object->kind == SOFA_NO_KIND || kind == object->kind) return SOFA_OK;
  *state = NULL;
  return sofa_object_fail(object, SOFA_ERR_TYPE, "the state is of kind %s, the constraint %s",
                          sofa_state_kind_info(kind)->name,
                          sofa_state_kind_info(object->kind)->name);
}

/* ---- creation ---- */

static bool is_mechanical_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_MECHANICAL_STATE);
}

/* Is there a state of the template's kind for this link? If not, the reason is appended. */
static bool has_state(SofaNode *node, const struct SofaElement *element, const char *attribute,
                      const char *template_name, SofaText *why) {
  SofaContext *ctx = node->object.ctx;
  const char *path = element ? sofa_element_attribute(element, attribute) : NULL;
  const SofaState *state = NULL;
  if (path)
    state = (SofaState *)sofa_resolve_path(node, path + (*path == '@'),
                                           &(SofaPathRule){.accept = is_mechanical_state});
  else state = sofa_node_state(node);
  const SofaStateKind kind = sofa_state_kind_from_name(template_name);
  if (state && (kind == SOFA_NO_KIND || state->object.kind == kind)) return true;
  /* a failure to write the reason is a memory error that the next allocation reports again */
  if (!state)
    (void)sofa_text_printf(ctx, why, "no mechanical state %s%s", path ? "at " : "in context",
                           path ? path : "");
  else
    (void)sofa_text_printf(ctx, why, "the state is of kind %s",
                           sofa_state_kind_info(state->object.kind)->name);
  return false;
}

bool sofa_constraint_can_create(SofaNode *node, const struct SofaElement *element,
                                const char *template_name, SofaText *why) {
  return has_state(node, element, "mstate", template_name, why);
}

bool sofa_pair_constraint_can_create(SofaNode *node, const struct SofaElement *element,
                                     const char *template_name, SofaText *why) {
  return has_state(node, element, "object1", template_name, why) &&
         has_state(node, element, "object2", template_name, why);
}
