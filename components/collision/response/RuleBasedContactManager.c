/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RuleBasedContactManager: the response to contacts is chosen by the names or groups of the models.
 */
#include <string.h>

#include "base/text.h"
#include "components/collision/response/contact_manager.h"
#include "components/collision/response/response_name.h"

enum { QUIRK_CONTACT_RULES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CONTACT_RULES, "contact-rules",
     "RuleBasedContactManager ignores a rule of less than three words, and rules may name models "
     "that do not exist",
     "test_response_rules.bad_rules"},
};

/* Which models a rule is for. */
typedef enum ModelsOf { MODELS_ALL, MODELS_NAMED, MODELS_GROUP } ModelsOf;
typedef struct RuleSide {
  ModelsOf of;
  const char *name; /* a word of the field */
  int64_t group;
} RuleSide;

typedef struct Rule {
  RuleSide side[2];
  char *response; /* the word of the field with the values of its variables; owned */
} Rule;
SOFA_LIST(Rule, Rules);

typedef struct RuleBasedContactManager {
  ContactManager base;
  SofaStrings variables, rules;
  Rules list;
} RuleBasedContactManager;

typedef RuleBasedContactManager SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(variables, "variables", NULL, "",
             "names of further fields of this object, which responses name as $name$"),
    SOFA_ROW(rules, "rules", NULL, "",
             "three words for each rule: two models, each by its name, its group or * for all, and "
             "the response to their contacts, or nullptr; the first rule that fits counts, and "
             "`response` where none does"),
};

static const SofaFieldFamily families[] = {
    {.row = {.name = "variable", .type = &sofa_type_string, .help = "value of the variable"},
     .count = "variables"},
};

/* ---- rules ---- */

static RuleSide read_side(const char *word) {
  const char *end = word;
  RuleSide side = {.of = MODELS_NAMED, .name = word};
  if (strcmp(word, "*") == 0) side.of = MODELS_ALL;
  else if (sofa_read_int(&end, &side.group) && !*end) side.of = MODELS_GROUP;
  return side;
}

/* The value of a variable, which may not be empty; its name is n bytes. */
static SofaErr find_variable(RuleBasedContactManager *m, const char *name, size_t n,
                             const char **out) {
  const SofaObject *object = &m->base.manager.object;
  for (size_t i = 0; i < m->variables.n; i++) {
    const char *known = m->variables.data[i];
    if (strlen(known) != n || strncmp(known, name, n) != 0) continue;
    *out = *(char *const *)sofa_family_value(object, 0, i);
    if (*out && **out) return SOFA_OK;
    return sofa_field_fail(object, "rules", SOFA_ERR_ARGUMENT, "the variable '%s' has no value",
                           known);
  }
  return sofa_field_fail(object, "rules", SOFA_ERR_NOT_FOUND,
                         "$%.*s$ is not one of the names of 'variables'", (int)n, name);
}

/* The word with each "$name$" replaced by the value of the variable. */
static SofaErr read_response(RuleBasedContactManager *m, const char *word, SofaText *out) {
  SofaContext *ctx = m->base.manager.object.ctx;
  const char *first, *last, *value = "";
  while ((first = strchr(word, '$')) && (last = strchr(first + 1, '$'))) {
    SOFA_TRY(find_variable(m, first + 1, (size_t)(last - first - 1), &value));
    SOFA_TRY(sofa_text_append(ctx, out, word, (size_t)(first - word)));
    SOFA_TRY(sofa_text_append(ctx, out, value, strlen(value)));
    word = last + 1;
  }
  return sofa_text_append(ctx, out, word, strlen(word));
}

static bool fits(const RuleSide *side, const SofaCollisionModel *m) {
  if (side->of == MODELS_NAMED) return strcmp(side->name, m->object.name) == 0;
  for (size_t i = 0; i < m->group.n; i++)
    if (side->of == MODELS_GROUP && m->group.data[i] == side->group) return true;
  return side->of == MODELS_ALL;
}

/* The first model's own response, the second's, the first rule's in either order, the manager's. */
static const char *choose(const ContactManager *base, const SofaCollisionModel *const m[2]) {
  const RuleBasedContactManager *manager = (const RuleBasedContactManager *)base;
  for (int k = 0; k < 2; k++)
    if (m[k]->response && *m[k]->response) return m[k]->response;
  for (size_t i = 0; i < manager->list.n; i++) {
    const Rule *rule = &manager->list.data[i];
    for (int k = 0; k < 2; k++)
      if (fits(&rule->side[0], m[k]) && fits(&rule->side[1], m[1 - k])) return rule->response;
  }
  return base->base;
}

/* ---- init ---- */

static SofaErr construct(SofaObject *object) {
  ((ContactManager *)object)->choose = choose;
  return SOFA_OK;
}

typedef struct SideSearch {
  const RuleSide *side;
  bool found;
} SideSearch;

static SofaVisit find_side(SofaNode *node, void *user) {
  SideSearch *search = user;
  for (size_t i = 0; i < node->objects.n && !search->found; i++)
    search->found = sofa_implements(node->objects.data[i], SOFA_COLLISION_MODEL) &&
                    fits(search->side, (const SofaCollisionModel *)node->objects.data[i]);
  return search->found ? SOFA_STOP : SOFA_CONTINUE;
}

/* A rule that names no model is a mistake. */
static SofaErr check_side(const RuleBasedContactManager *m, size_t rule, const RuleSide *side) {
  const SofaObject *object = &m->base.manager.object;
  SideSearch search = {.side = side};
  SOFA_TRY(sofa_visit(sofa_node_root(object->node),
                      &(SofaVisitor){find_side, NULL, &search, .inactive_too = true}));
  if (search.found || side->of == MODELS_ALL || sofa_quirk(object, QUIRK_CONTACT_RULES))
    return SOFA_OK;
  return sofa_field_fail(object, "rules", SOFA_ERR_NOT_FOUND,
                         "rule %zu: there is no collision model of the %s '%s'", rule + 1,
                         side->of == MODELS_GROUP ? "group" : "name", side->name);
}

static SofaErr add_rule(RuleBasedContactManager *m, size_t i) {
  SofaObject *object = &m->base.manager.object;
  char *const *words = m->rules.data + 3 * i;
  Rule rule;
  for (int k = 0; k < 2; k++) {
    rule.side[k] = read_side(words[k]);
    SOFA_TRY(check_side(m, i, &rule.side[k]));
  }
  SofaText response = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, read_response(m, words[2], &response));
  rule.response = response.data;
  SOFA_GO(err, done,
          response_check(object, "rules", rule.response, true,
                         sofa_quirk(object, QUIRK_RESPONSE_PARAMS)));
  SOFA_GO(err, done, SOFA_APPEND(object->ctx, &m->list, &rule));
  return SOFA_OK;
done:
  sofa_list_free(object->ctx, &response);
  return err;
}

static void drop_rules(RuleBasedContactManager *m) {
  for (size_t i = 0; i < m->list.n; i++)
    sofa_free(m->base.manager.object.ctx, m->list.data[i].response);
  m->list.n = 0;
}

static SofaErr init(SofaObject *object) {
  RuleBasedContactManager *m = (RuleBasedContactManager *)object;
  drop_rules(m);
  if (m->rules.n % 3 && !sofa_quirk(object, QUIRK_CONTACT_RULES))
    return sofa_field_fail(object, "rules", SOFA_ERR_ARGUMENT,
                           "has %zu words, expected three for each rule: two models and a response",
                           m->rules.n);
  for (size_t i = 0; i < m->rules.n / 3; i++) SOFA_TRY(add_rule(m, i));
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  RuleBasedContactManager *m = (RuleBasedContactManager *)object;
  drop_rules(m);
  sofa_list_free(object->ctx, &m->list);
}

SOFA_CLASS(RuleBasedContactManager) = {
    SOFA_NAMED(RuleBasedContactManager),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "CollisionAlgorithm",
    .help = "Makes a contact object for every pair of collision models that touch, of a class that "
            "rules give by the models' names and groups.",
    .base = &contact_manager_class,
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    SOFA_FAMILIES(families),
    .construct = construct,
    .init = init,
    .destroy = destroy,
};
