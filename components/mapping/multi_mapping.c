/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings with several inputs: how they find their states. */
#include "components/mapping/multi_mapping.h"

#include <string.h>
#include "object/element.h"

static const SofaLinkRule state_rule = {.interface = SOFA_STATE, .search = SOFA_SEARCH_NONE};

static const SofaField multi_fields[] = {
    SOFA_FIELD(SofaMultiMapping, sources, "input", NULL, "",
               "states that move the output, all of one kind", .link = &state_rule),
    SOFA_FIELD(SofaMapping, output, "output", NULL, "",
               "state that is moved; default: the one of this node", .link = &state_rule),
    SOFA_MAPPING_ROWS,
};

/* Is the state at a path of this kind? The reason is appended to *why. */
static bool fits(SofaNode *node, const char *attribute, const char *path, SofaStateKind wanted,
                 SofaText *why) {
  bool ambiguous = false;
  const SofaState *s = sofa_mapping_state_at(node, path, &ambiguous);
  if (s && s->object.kind == wanted) return true;
  // a reason that cannot be written is a memory error, which the next allocation reports
  (void)sofa_text_printf(node->object.ctx, why, "'%s' %s: \"%s\"", attribute,
                         s           ? "names a state of another kind"
                         : ambiguous ? "means a node with several states, name one of them"
                                     : "names no state",
                         path);
  return false;
}

static bool multi_can_create(SofaNode *node, const struct SofaElement *element,
                             const char *template_name, SofaText *why) {
  SofaStateKind wanted[2];
  const char *input = element ? sofa_element_attribute(element, "input") : NULL;
  const char *output = element ? sofa_element_attribute(element, "output") : NULL;
  bool good = true;
  size_t n_paths = 0;
  sofa_mapping_split_template(template_name, wanted);
  char *paths = sofa_strdup(node->object.ctx, input ? input : ""), *rest = NULL;
  if (!paths) return false;
  for (char *p = strtok_r(paths, " \t\n\r", &rest); good && p;
       p = strtok_r(NULL, " \t\n\r", &rest), n_paths++)
    good = fits(node, "input", p, wanted[0], why);
  sofa_free(node->object.ctx, paths);
  if (good && !n_paths) (void)sofa_text_printf(node->object.ctx, why, "'input' names no states");
  return good && n_paths &&
         fits(node, "output", output && *output ? output : "@./", wanted[1], why);
}

static SofaErr resolve(SofaMultiMapping *m, SofaLink *link, const char *field, const char *missing,
                       SofaState **out) {
  const char *path = link->path && *link->path ? link->path : missing;
  if (!link->target) link->target = sofa_resolve_link(&m->mapping.object, &state_rule, path);
  *out = (SofaState *)link->target;
  if (*out) return SOFA_OK;
  return sofa_field_fail(&m->mapping.object, field, SOFA_ERR_NOT_FOUND,
                         "there is no state at \"%s\"", path);
}

static SofaErr multi_init(SofaObject *object) {
  SofaMultiMapping *m = (SofaMultiMapping *)object;
  SofaMapping *map = &m->mapping;
  SOFA_TRY(resolve(m, &map->output, "output", "@./", &map->out));
  sofa_free(object->ctx, map->inputs);
  map->n_inputs = 0;
  map->inputs = sofa_alloc(object->ctx, m->sources.n + 1, sizeof(SofaState *));
  if (!map->inputs) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->sources.n; k++) {
    SOFA_TRY(resolve(m, &m->sources.data[k], "input", "", &map->inputs[k]));
    if (map->inputs[k]->object.kind != map->inputs[0]->object.kind || map->inputs[k] == map->out)
      return sofa_field_fail(object, "input", SOFA_ERR_TYPE,
                             "'%s' is of another kind than the first input, or the output",
                             map->inputs[k]->object.name);
    for (size_t i = 0; i < k; i++)
      if (map->inputs[i] == map->inputs[k])
        return sofa_field_fail(object, "input", SOFA_ERR_ARGUMENT, "'%s' is named twice",
                               map->inputs[k]->object.name);
  }
  map->n_inputs = m->sources.n;
  if (!map->n_inputs)
    return sofa_field_fail(object, "input", SOFA_ERR_ARGUMENT, "there are no inputs");
  return sofa_mapping_start(map);
}

static void multi_destroy(SofaObject *object) {
  SofaMapping *map = (SofaMapping *)object;
  sofa_free(object->ctx, map->inputs);
  map->inputs = NULL;
}

const SofaClass sofa_multi_mapping_class = {
    .name = "MultiMapping",
    .module = "Sofa.Core",
    .category = "Mapping",
    .help = "Moves one state by several.",
    .base = &sofa_object_class,
    .size = sizeof(SofaMultiMapping),
    .fields = multi_fields,
    .n_fields = sizeof multi_fields / sizeof *multi_fields,
    .abstract = true,
    .can_create = multi_can_create,
    .init = multi_init,
    .destroy = multi_destroy,
};
