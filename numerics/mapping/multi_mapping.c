/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings with several inputs: how they find their states. */
#include "numerics/mapping/multi_mapping.h"

#include <string.h>
#include "object/element.h"
#include "object/checkpoint.h"

static const SofaLinkRule state_rule = {.interface = SOFA_STATE, .search = SOFA_SEARCH_NONE};

#define OUTPUT_ROW                                                                                 \
  SOFA_FIELD(SofaMapping, output, "output", NULL, "",                                              \
             "state that is moved; default: the one of this node", .link = &state_rule)

static const SofaField multi_fields[] = {
    SOFA_FIELD(SofaMultiMapping, sources, "input", NULL, "",
               "states that move the output, all of one kind", .link = &state_rule),
    OUTPUT_ROW,
    SOFA_MAPPING_ROWS,
};
static const SofaField two_kinds_fields[] = {
    SOFA_FIELD(SofaMultiMapping, sources, "input1", NULL, "",
               "states of the first kind that move the output", .link = &state_rule),
    SOFA_FIELD(SofaMultiMapping, second, "input2", NULL, "",
               "states of the second kind that move the output", .link = &state_rule),
    OUTPUT_ROW,
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

/* Do all paths of an attribute name states of this kind? *n: how many there are. */
static bool all_fit(SofaNode *node, const struct SofaElement *element, const char *attribute,
                    SofaStateKind wanted, SofaText *why, size_t *n) {
  const char *text = element ? sofa_element_attribute(element, attribute) : NULL;
  char *paths = sofa_strdup(node->object.ctx, text ? text : ""), *rest = NULL;
  bool good = paths != NULL;
  *n = 0;
  if (!paths) return false;
  for (char *p = strtok_r(paths, " \t\n\r", &rest); good && p;
       p = strtok_r(NULL, " \t\n\r", &rest), ++*n)
    good = fits(node, attribute, p, wanted, why);
  sofa_free(node->object.ctx, paths);
  return good;
}

static bool output_fits(SofaNode *node, const struct SofaElement *element, SofaStateKind wanted,
                        SofaText *why) {
  const char *output = element ? sofa_element_attribute(element, "output") : NULL;
  return fits(node, "output", output && *output ? output : "@./", wanted, why);
}

static bool names_none(SofaNode *node, const char *attribute, SofaText *why) {
  (void)sofa_text_printf(node->object.ctx, why, "'%s' names no states", attribute);
  return false;
}

static bool multi_can_create(SofaNode *node, const struct SofaElement *element,
                             const char *template_name, SofaText *why) {
  SofaStateKind wanted[2];
  size_t n;
  sofa_mapping_split_template(template_name, wanted);
  if (!all_fit(node, element, "input", wanted[0], why, &n)) return false;
  return n ? output_fits(node, element, wanted[1], why) : names_none(node, "input", why);
}

static bool two_kinds_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why) {
  SofaStateKind first[2], rest[2];
  const char *comma = strchr(template_name, ',');
  size_t n[2];
  sofa_mapping_split_template(template_name, first);
  sofa_mapping_split_template(comma ? comma + 1 : "", rest);
  if (!all_fit(node, element, "input1", first[0], why, &n[0]) ||
      !all_fit(node, element, "input2", rest[0], why, &n[1]))
    return false;
  return n[0] ? output_fits(node, element, rest[1], why) : names_none(node, "input1", why);
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

/* Appends the states of a list of links, all of one kind. */
static SofaErr take(SofaMultiMapping *m, SofaLinks *links, const char *field) {
  SofaMapping *map = &m->mapping;
  const size_t first = map->n_inputs;
  for (size_t k = 0; k < links->n; k++) {
    SofaState *s = NULL;
    SOFA_TRY(resolve(m, &links->data[k], field, "", &s));
    if (s == map->out || (k && s->object.kind != map->inputs[first]->object.kind))
      return sofa_field_fail(&map->object, field, SOFA_ERR_TYPE,
                             "'%s' is of another kind than the first input, or the output",
                             s->object.name);
    for (size_t i = 0; i < map->n_inputs; i++)
      if (map->inputs[i] == s)
        return sofa_field_fail(&map->object, field, SOFA_ERR_ARGUMENT, "'%s' is named twice",
                               s->object.name);
    map->inputs[map->n_inputs++] = s;
  }
  return SOFA_OK;
}

static SofaErr start(SofaMultiMapping *m, const char *first, const char *second) {
  SofaMapping *map = &m->mapping;
  SofaContext *ctx = map->object.ctx;
  SOFA_TRY(resolve(m, &map->output, "output", "@./", &map->out));
  sofa_mapping_free(map);
  map->inputs = sofa_alloc(ctx, m->sources.n + m->second.n, sizeof(SofaState *));
  if (!map->inputs) return SOFA_ERR_MEMORY;
  SOFA_TRY(take(m, &m->sources, first));
  if (!map->n_inputs)
    return sofa_field_fail(&map->object, first, SOFA_ERR_ARGUMENT, "there are no inputs");
  SOFA_TRY(take(m, &m->second, second));
  return sofa_mapping_start(map);
}

static SofaErr multi_init(SofaObject *object) {
  return start((SofaMultiMapping *)object, "input", "");
}
static SofaErr two_kinds_init(SofaObject *object) {
  return start((SofaMultiMapping *)object, "input1", "input2");
}

static void multi_destroy(SofaObject *object) {
  sofa_mapping_free((SofaMapping *)object);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaMultiMapping, mapping.memory),
};

const SofaClass sofa_multi_mapping_class = {
    .name = "MultiMapping",
    .module = "Sofa.Core",
    .category = "Mapping",
    .help = "Moves one state by several.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaMultiMapping),
    SOFA_FIELDS(multi_fields),
    .abstract = true,
    .can_create = multi_can_create,
    .init = multi_init,
    .destroy = multi_destroy,
};

static const SofaSparedMember two_kinds_mapping_spared[] = {
    SOFA_REMADE(SofaMultiMapping, mapping.memory),
};

const SofaClass sofa_two_kinds_mapping_class = {
    .name = "TwoKindsMapping",
    .module = "Sofa.Core",
    .category = "Mapping",
    .help = "Moves one state by states of two kinds.",
    .base = &sofa_object_class,
    SOFA_SPARES(two_kinds_mapping_spared),
    .size = sizeof(SofaMultiMapping),
    SOFA_FIELDS(two_kinds_fields),
    .abstract = true,
    .can_create = two_kinds_can_create,
    .init = two_kinds_init,
    .destroy = multi_destroy,
};
