/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/response/contact_manager.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "behavior/checks.h"
#include "behavior/force_field.h"
#include "behavior/lagrangian.h"
#include "components/collision/response/response_name.h"
#include "object/outside_plans.h"
#include "object/checkpoint.h"

enum {
  QUIRK_COUNT_STAYS = 1 << 21,
  QUIRK_EXPLICIT_CONTACTS = 1 << 22,
  QUIRK_CONTACT_ORDER = 1 << 23
};
static const SofaQuirk quirks[] = {
    QUIRK_RESPONSE_PARAMS_ROW,
    {QUIRK_COUNT_STAYS, "contact-count-stays",
     "numberOfContacts of a collision model does not go back to 0 when its contacts end",
     "test_response_manager.count_of_contacts"},
    {QUIRK_EXPLICIT_CONTACTS, "explicit-contacts",
     "contacts of two simulated models act in the pipeline's node: explicitly, when the ODE solver "
     "of both is below it",
     "test_response_node.below_one_solver"},
    {QUIRK_CONTACT_ORDER, "contact-order",
     "contacts by constraints are solved in the order in which their models were first compared",
     "test_contact_constraint.order"},
};

typedef ContactManager SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(response, "response", NULL, "",
             "class of the contact objects of models that name no other; see the components that "
             "are responses to contacts",
             .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(response_params, "responseParams", "", "",
             "values of fields of the contact objects: name=value, separated by &"),
    SOFA_ROW_OUTPUT(contacts, "contacts", "", "the contact objects"),
};

/* ---- init ---- */

static SofaErr make_base(ContactManager *m) {
  SofaContext *ctx = m->manager.object.ctx;
  SofaText text = {0};
  const char *params = m->response_params ? m->response_params : "";
  SofaErr err = sofa_text_printf(ctx, &text, "%s%s%s", m->response ? m->response : "",
                                 *params ? "?" : "", params);
  if (err != SOFA_OK) {
    sofa_list_free(ctx, &text);
    return err;
  }
  sofa_free(ctx, m->base);
  m->base = text.data;
  return SOFA_OK;
}

typedef struct ModelCheck {
  const ContactManager *manager;
  SofaErr err;
} ModelCheck;

/* Responses that models name. */
static SofaVisit check_models(SofaNode *node, void *user) {
  ModelCheck *check = user;
  const bool quirk = sofa_quirk(&check->manager->manager.object, QUIRK_RESPONSE_PARAMS);
  for (size_t i = 0; i < node->objects.n; i++) {
    if (!sofa_implements(node->objects.data[i], SOFA_COLLISION_MODEL)) continue;
    const SofaCollisionModel *m = (const SofaCollisionModel *)node->objects.data[i];
    if (!m->response || !*m->response) continue;
    const SofaErr err = response_check(&m->object, "contactResponse", m->response, true, quirk);
    if (check->err == SOFA_OK) check->err = err;
  }
  return SOFA_CONTINUE;
}

static SofaErr init(SofaObject *object) {
  ContactManager *m = (ContactManager *)object;
  ModelCheck check = {.manager = m};
  m->count_field = sofa_class_field(&sofa_collision_model_class, "numberOfContacts");
  SOFA_TRY(make_base(m));
  const SofaErr err =
      response_check(object, "response", m->base, false, sofa_quirk(object, QUIRK_RESPONSE_PARAMS));
  SOFA_TRY(sofa_visit(sofa_node_root(object->node),
                      &(SofaVisitor){check_models, NULL, &check, .inactive_too = true}));
  return err != SOFA_OK ? err : sofa_keep_going(object, check.err);
}

/* Contact objects cannot be removed while the graph is visited. */
static SofaErr reset(SofaObject *object) {
  ((ContactManager *)object)->stale = true;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  ContactManager *m = (ContactManager *)object;
  sofa_list_free(object->ctx, &m->pairs);
  sofa_list_free(object->ctx, &m->ranks);
  pair_map_free(object->ctx, &m->order);
  sofa_free(object->ctx, m->base);
}

/* ---- ranks of models ---- */

static int by_address(const void *a, const void *b) {
  const uintptr_t p = (uintptr_t)((const ModelRank *)a)->model;
  const uintptr_t q = (uintptr_t)((const ModelRank *)b)->model;
  return p < q ? -1 : p > q;
}

static const ModelRank *find_rank(const ContactManager *m, SofaCollisionModel *model) {
  const ModelRank key = {.model = model};
  if (!m->ranks.n) return NULL;
  return sofa_search(&key, m->ranks.data, m->ranks.n, sizeof key, by_address);
}

typedef struct RankCollector {
  ContactManager *manager;
  SofaErr err;
} RankCollector;

static SofaVisit collect_ranks(SofaNode *node, void *user) {
  RankCollector *c = user;
  ModelRanks *ranks = &c->manager->ranks;
  for (size_t i = 0; i < node->objects.n && c->err == SOFA_OK; i++) {
    if (!sofa_implements(node->objects.data[i], SOFA_COLLISION_MODEL)) continue;
    const ModelRank rank = {(SofaCollisionModel *)node->objects.data[i], (uint32_t)ranks->n};
    c->err = SOFA_APPEND(node->object.ctx, ranks, &rank);
  }
  return c->err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

/* ---- pairs ---- */

static int compare(const ContactPair *a, const ContactPair *b) {
  const int k = a->rank[0] == b->rank[0];
  return a->rank[k] < b->rank[k] ? -1 : a->rank[k] > b->rank[k];
}

/* The place of the first pair that is not before the key. */
static size_t lower_bound(const ContactManager *m, const ContactPair *key) {
  size_t low = 0, high = m->pairs.n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (compare(&m->pairs.data[middle], key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* A new pair and an empty link at a place. */
static SofaErr insert_pair(ContactManager *m, size_t place, const ContactPair *pair) {
  SofaContext *ctx = m->manager.object.ctx;
  const SofaLink link = {0};
  const size_t behind = m->pairs.n - place;
  SOFA_TRY(SOFA_RESERVE(ctx, &m->contacts, m->pairs.n + 1));
  SOFA_TRY(SOFA_APPEND(ctx, &m->pairs, pair));
  SOFA_TRY(SOFA_APPEND(ctx, &m->contacts, &link));
  ContactPair *to = m->pairs.data + place;
  SofaLink *link_to = m->contacts.data + place;
  sofa_move(to + 1, to, behind * sizeof *to);
  sofa_move(link_to + 1, link_to, behind * sizeof *link_to);
  *to = *pair;
  *link_to = link;
  return SOFA_OK;
}

/* Is the contact object in no plan of a solver? */
static bool is_outside(const SofaClass *klass) {
  return sofa_class_ops(klass, SOFA_LAGRANGIAN) && !sofa_class_ops(klass, SOFA_FORCE_FIELD);
}

static void destroy_contact(SofaObject **contact) {
  if (*contact && is_outside((*contact)->klass)) sofa_object_destroy_outside(contact);
  else sofa_object_destroy(contact);
}

static void free_contact(ContactManager *m, size_t i) {
  SofaLink *link = &m->contacts.data[i];
  destroy_contact(&link->target);
  sofa_free(m->manager.object.ctx, link->path);
  *link = (SofaLink){0};
}

static void clear(SofaContactManager *manager) {
  ContactManager *m = (ContactManager *)manager;
  for (size_t i = m->pairs.n; i-- > 0;) free_contact(m, i);
  m->pairs.n = m->contacts.n = 0;
  pair_map_free(m->manager.object.ctx, &m->order);
  m->stale = false;
}

/* After a reset. Contact objects, which have no contacts now, stay: the detection may come within a
 * step, when the solvers' plans are in use. */
static void begin_again(ContactManager *m) {
  for (size_t i = 0; i < m->pairs.n; i++) m->pairs.data[i].without = false;
  pair_map_free(m->manager.object.ctx, &m->order);
  m->stale = false;
}

/* The ranks of a graph that has changed; pairs of models that were removed are dropped. */
static SofaErr update_ranks(ContactManager *m) {
  SofaNode *root = sofa_node_root(m->manager.object.node);
  RankCollector c = {.manager = m};
  if (m->ranked == *root->graph_version) return SOFA_OK;
  m->ranks.n = 0;
  SOFA_TRY(sofa_visit(root, &(SofaVisitor){collect_ranks, NULL, &c, .inactive_too = true}));
  SOFA_TRY(c.err);
  if (m->ranks.n) sofa_sort(m->ranks.data, m->ranks.n, sizeof *m->ranks.data, by_address);
  size_t n = 0;
  for (size_t i = 0; i < m->pairs.n; i++) {
    const ModelRank *rank[2];
    for (int k = 0; k < 2; k++) rank[k] = find_rank(m, m->pairs.data[i].model[k]);
    if (!rank[0] || !rank[1]) {
      free_contact(m, i);
      continue;
    }
    m->pairs.data[n] = m->pairs.data[i];
    m->contacts.data[n] = m->contacts.data[i];
    for (int k = 0; k < 2; k++) m->pairs.data[n].rank[k] = rank[k]->rank;
    n++;
  }
  m->pairs.n = m->contacts.n = n;
  m->ranked = *root->graph_version;
  return SOFA_OK;
}

/* ---- contact objects ---- */

/* A model's own response, or the manager's when they name none or two. */
static const char *choose(const ContactManager *m, const SofaCollisionModel *const models[2]) {
  const char *own[2];
  for (int k = 0; k < 2; k++) own[k] = models[k]->response ? models[k]->response : "";
  if (m->choose) return m->choose(m, models);
  if (!*own[0] && !*own[1]) return m->base;
  if (!*own[0] || !*own[1]) return *own[0] ? own[0] : own[1];
  return strcmp(own[0], own[1]) == 0 ? own[0] : m->base;
}

/* The nearest node above both, or `node`, the pipeline's. */
static SofaNode *common_node(const ContactPair *pair, SofaNode *node) {
  for (SofaNode *a = pair->model[0]->object.node; a && a != node; a = sofa_node_parent(a))
    for (const SofaNode *b = pair->model[1]->object.node; b; b = sofa_node_parent(b))
      if (a == b) return a;
  return node;
}

/* The node of the simulated model; when both are, the nearest node above both, so that an ODE
 * solver of both integrates the contact. */
static SofaNode *node_of(const ContactManager *m, const ContactPair *pair, SofaNode *node) {
  if (!pair->model[0]->simulated) return pair->model[1]->object.node;
  if (!pair->model[1]->simulated) return pair->model[0]->object.node;
  if (sofa_quirk(&m->manager.object, QUIRK_EXPLICIT_CONTACTS)) return node;
  return common_node(pair, node);
}

static SofaErr set_tags(SofaObject *contact, const ContactPair *pair) {
  SofaText text = {0};
  SofaErr err = SOFA_OK;
  for (int k = 0; k < 2; k++) {
    const SofaStrings *words = &pair->model[k]->object.tags.words;
    for (size_t i = 0; i < words->n && err == SOFA_OK; i++)
      err = sofa_text_printf(contact->ctx, &text, " %s", words->data[i]);
  }
  if (err == SOFA_OK && text.n) err = sofa_field_set_text(contact, "tags", text.data, 0);
  sofa_list_free(contact->ctx, &text);
  return err;
}

static SofaErr start(SofaObject *contact, const SofaContactOps *ops, const ContactPair *pair,
                     const char *response) {
  SOFA_TRY(set_tags(contact, pair));
  SOFA_TRY(response_set_fields(contact, response, contact->line));
  SOFA_TRY(sofa_object_run(contact, SOFA_RUN_PARSED));
  SOFA_TRY(ops->connect(contact, pair->model[0], pair->model[1]));
  SOFA_TRY(sofa_object_run(contact, SOFA_RUN_INIT));
  return sofa_object_run(contact, SOFA_RUN_BWD_INIT);
}

/* Named "first-second"; the template has the kinds of both states. */
static SofaErr create(const ContactManager *m, const ContactPair *pair, SofaNode *node,
                      const SofaClass *klass, SofaObject **out) {
  SofaContext *ctx = node->object.ctx;
  const SofaObjectInfo info = {.file = m->manager.object.file, .line = m->manager.object.line};
  const char *kind[2];
  SofaText name = {0}, kinds = {0};
  SofaErr err = SOFA_OK;
  *out = NULL;
  for (int k = 0; k < 2; k++)
    kind[k] = sofa_state_kind_info(pair->model[k]->state->object.kind)->name;
  SOFA_GO(err, done,
          sofa_text_printf(ctx, &name, "%s-%s", pair->model[0]->object.name,
                           pair->model[1]->object.name));
  SOFA_GO(err, done, sofa_text_printf(ctx, &kinds, "%s,%s", kind[0], kind[1]));
  err = sofa_object_create_from(node, klass, name.data, kind[0] == kind[1] ? kind[0] : kinds.data,
                                &info, out);
done:
  sofa_list_free(ctx, &name);
  sofa_list_free(ctx, &kinds);
  return err;
}

/* Moves the new object of pair i before those of later pairs. */
static void put_in_order(const ContactManager *m, size_t i, SofaObject *contact) {
  for (size_t k = i + 1; k < m->pairs.n; k++) {
    const SofaObject *next = m->contacts.data[k].target;
    if (!next || next->node != contact->node) continue;
    sofa_node_put_before(contact->node, next);
    return;
  }
}

/* The text of the output. */
static SofaErr set_path(ContactManager *m, size_t i) {
  SofaLink *link = &m->contacts.data[i];
  SofaContext *ctx = m->manager.object.ctx;
  char *path = sofa_object_path(link->target);
  sofa_free(ctx, link->path);
  link->path = path ? sofa_format(ctx, "@%s", path) : NULL;
  sofa_free(ctx, path);
  return link->path ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr make(ContactManager *m, size_t i, SofaNode *node, const SofaClass *klass,
                    const char *response) {
  const ContactPair *pair = &m->pairs.data[i];
  const SofaContactOps *ops = sofa_class_ops(klass, SOFA_CONTACT);
  const SofaCollisionKind *kinds[2] = {pair->model[0]->kind, pair->model[1]->kind};
  SofaObject *contact = NULL;
  if (!ops->supports(kinds[0], kinds[1]))
    return sofa_object_fail(&m->manager.object, SOFA_ERR_UNSUPPORTED,
                            "%s is no response to contacts of %s ('%s') with %s ('%s')",
                            klass->name, kinds[0]->plural, pair->model[0]->object.name,
                            kinds[1]->plural, pair->model[1]->object.name);
  const uint64_t version = *node->graph_version;
  SOFA_TRY(create(m, pair, node_of(m, pair, node), klass, &contact));
  if (is_outside(klass)) sofa_graph_changed_outside(node, version);
  contact->of_run = true;
  const SofaErr err = start(contact, ops, pair, response);
  if (err != SOFA_OK) {
    destroy_contact(&contact);
    return err;
  }
  put_in_order(m, i, contact);
  m->contacts.data[i].target = contact;
  return set_path(m, i);
}

/* A pair that the response does not know is reported once and stays without a contact object; a
 * wrong value of a parameter ends the run. */
static SofaErr make_contact(ContactManager *m, size_t i, SofaNode *node) {
  ContactPair *pair = &m->pairs.data[i];
  const SofaCollisionModel *const models[2] = {pair->model[0], pair->model[1]};
  const char *response = choose(m, models);
  const SofaClass *klass = NULL;
  SofaErr err = response_class(&m->manager.object, "response", response, true, &klass);
  if (err == SOFA_OK && klass) err = make(m, i, node, klass, response);
  pair->without = err != SOFA_OK || !klass;
  if (err == SOFA_ERR_UNSUPPORTED) return SOFA_OK;
  return err == SOFA_ERR_MEMORY ? err : sofa_keep_going(&m->manager.object, err);
}

/* ---- a detection ---- */

static SofaErr set_contacts(SofaObject *contact, const SofaIntersection *method,
                            const SofaDetections *found) {
  const SofaContactOps *ops = sofa_ops(contact, SOFA_CONTACT);
  return ops->set(contact, method, found ? found->data : NULL, found ? found->n : 0);
}

static SofaErr take(ContactManager *m, SofaNode *node, const SofaIntersection *method,
                    const SofaModelContact *contact) {
  ContactPair key = {.model = {contact->model[0], contact->model[1]}, .node = node};
  for (int k = 0; k < 2; k++) {
    const ModelRank *rank = find_rank(m, key.model[k]);
    if (!rank) return SOFA_OK; /* it is not in the graph */
    key.rank[k] = rank->rank;
  }
  const size_t i = lower_bound(m, &key);
  if (i == m->pairs.n || compare(&m->pairs.data[i], &key) != 0) SOFA_TRY(insert_pair(m, i, &key));
  if (!m->pairs.data[i].without && !m->contacts.data[i].target) SOFA_TRY(make_contact(m, i, node));
  SofaObject *object = m->contacts.data[i].target;
  if (!object) return SOFA_OK;
  m->pairs.data[i].touch = true;
  return set_contacts(object, method, &contact->detections);
}

/* ---- SOFA's order of constraints ---- */

static bool touches(const PairMapEntry *entry, void *user) {
  const ModelRank *rank[2] = {find_rank(user, entry->key.first),
                              find_rank(user, entry->key.second)};
  if (!rank[0] || !rank[1]) return false;
  const ContactManager *m = user;
  const ContactPair key = {.rank = {rank[0]->rank, rank[1]->rank}};
  const size_t i = lower_bound(m, &key);
  return i < m->pairs.n && compare(&m->pairs.data[i], &key) == 0 && m->pairs.data[i].touch;
}

/* Moves the contact objects of a group of pairs behind all others of their nodes, in order. */
static void append_group(ContactManager *m, bool simulated) {
  for (size_t i = 0; i < m->order.entries.n; i++) {
    const ModelPair *key = &m->order.entries.data[i].key;
    const ModelRank *rank[2] = {find_rank(m, key->first), find_rank(m, key->second)};
    if (!rank[0] || !rank[1] || (key->first->simulated && key->second->simulated) != simulated)
      continue;
    SofaObject *contact =
        m->contacts.data[lower_bound(m, &(ContactPair){.rank = {rank[0]->rank, rank[1]->rank}})]
            .target;
    if (contact && is_outside(contact->klass)) sofa_object_put_last_outside(contact);
  }
}

/* Contacts with bodies that are not simulated come first. */
static SofaErr order_as_sofa(ContactManager *m, const SofaModelContacts *contacts) {
  SofaContext *ctx = m->manager.object.ctx;
  const size_t before = m->order.entries.n;
  PairMapEntry *entry;
  if (!sofa_quirk(&m->manager.object, QUIRK_CONTACT_ORDER)) return SOFA_OK;
  for (size_t i = 0; i < contacts->n; i++) {
    const ModelPair key = {contacts->data[i]->model[0], contacts->data[i]->model[1]};
    if (contacts->data[i]->detections.n)
      SOFA_TRY(pair_map_insert(ctx, &m->order, key, PAIR_MAP_NEW, &entry));
  }
  const size_t with = m->order.entries.n;
  pair_map_filter(&m->order, touches, m);
  if (with == before && m->order.entries.n == with) return SOFA_OK;
  append_group(m, false);
  append_group(m, true);
  return SOFA_OK;
}

/* numberOfContacts of the models. */
static void count(ContactManager *m) {
  const bool stays = sofa_quirk(&m->manager.object, QUIRK_COUNT_STAYS);
  for (size_t i = 0; i < m->pairs.n; i++)
    for (int k = 0; k < 2 && (m->pairs.data[i].touch || !stays); k++) {
      SofaCollisionModel *model = m->pairs.data[i].model[k];
      model->n_contacts = 0;
      sofa_field_touch(&model->object, m->count_field);
    }
  for (size_t i = 0; i < m->pairs.n; i++) {
    ContactPair *pair = &m->pairs.data[i];
    const int n = pair->model[0] == pair->model[1] ? 1 : 2;
    for (int k = 0; k < n && pair->touch; k++) pair->model[k]->n_contacts++;
  }
}

static SofaErr respond(SofaContactManager *manager, SofaNode *node, const SofaIntersection *method,
                       const SofaModelContacts *contacts) {
  ContactManager *m = (ContactManager *)manager;
  SOFA_TRY(update_ranks(m));
  for (size_t i = 0; i < m->pairs.n; i++) m->pairs.data[i].touch = false;
  if (m->stale) {
    count(m);
    begin_again(m);
    SOFA_TRY(update_ranks(m));
  }
  for (size_t i = 0; i < contacts->n; i++) SOFA_TRY(take(m, node, method, contacts->data[i]));
  SOFA_TRY(order_as_sofa(m, contacts));
  for (size_t i = 0; i < m->pairs.n; i++)
    if (!m->pairs.data[i].touch && m->contacts.data[i].target)
      SOFA_TRY(set_contacts(m->contacts.data[i].target, method, NULL));
  count(m);
  return SOFA_OK;
}

/* ---- checkpoints ---- */

static size_t place_in_node(const SofaObject *object) {
  size_t place = 0;
  while (object && object->node->objects.data[place] != object) place++;
  return place;
}

static SofaErr save_made(const SofaObject *object, SofaCheckpointWriter *to) {
  const ContactManager *m = (const ContactManager *)object;
  sofa_checkpoint_put_uint(to, m->pairs.n);
  for (size_t i = 0; i < m->pairs.n; i++) {
    const ContactPair *pair = &m->pairs.data[i];
    for (int k = 0; k < 2; k++) sofa_checkpoint_put_object(to, &pair->model[k]->object);
    sofa_checkpoint_put_object(to, &pair->node->object);
    const bool flags[3] = {pair->without, pair->touch, m->contacts.data[i].target != NULL};
    sofa_checkpoint_put(to, flags, sizeof flags);
    sofa_checkpoint_put_uint(to, place_in_node(m->contacts.data[i].target));
  }
  return SOFA_OK;
}

/* A contact object that is made again, and its place in its node. */
typedef struct ContactPlace {
  uint64_t place;
  SofaObject *contact;
} ContactPlace;
SOFA_LIST(ContactPlace, ContactPlaces);

static SofaObject *get_as(SofaCheckpointReader *from, const SofaInterface *interface) {
  SofaObject *object = sofa_checkpoint_get_object(from);
  const bool fits = object && (interface ? sofa_implements(object, interface)
                                         : sofa_class_is_a(object->klass, &sofa_node_class));
  if (!fits) sofa_checkpoint_misread(from);
  return fits ? object : NULL;
}

/* The pairs come in their order. */
static SofaErr make_again(ContactManager *m, SofaCheckpointReader *from, ContactPlace *place) {
  ContactPair pair = {.touch = false};
  bool flags[3];
  *place = (ContactPlace){0};
  for (int k = 0; k < 2; k++)
    pair.model[k] = (SofaCollisionModel *)get_as(from, SOFA_COLLISION_MODEL);
  pair.node = (SofaNode *)get_as(from, NULL);
  sofa_checkpoint_get(from, flags, sizeof flags);
  place->place = sofa_checkpoint_get_uint(from);
  if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
  pair.without = flags[0];
  pair.touch = flags[1];
  for (int k = 0; k < 2; k++) {
    const ModelRank *rank = find_rank(m, pair.model[k]);
    if (!rank || !pair.model[k]->state) sofa_checkpoint_misread(from);
    else pair.rank[k] = rank->rank;
  }
  const size_t i = lower_bound(m, &pair);
  if (sofa_checkpoint_is_bad(from) || i != m->pairs.n) {
    sofa_checkpoint_misread(from);
    return SOFA_OK;
  }
  SOFA_TRY(insert_pair(m, i, &pair));
  if (!flags[2]) return SOFA_OK;
  SOFA_TRY(make_contact(m, i, pair.node));
  place->contact = m->contacts.data[i].target;
  if (!place->contact) sofa_checkpoint_misread(from);
  return SOFA_OK;
}

static int by_place(const void *a, const void *b) {
  const uint64_t p = ((const ContactPlace *)a)->place, q = ((const ContactPlace *)b)->place;
  return p < q ? -1 : p > q;
}

/* Constraints are solved in the order of their nodes, which is not that of the pairs with the quirk
 * `contact-order`. */
static void put_in_places(const ContactManager *m, ContactPlaces *places) {
  if (!sofa_quirk(&m->manager.object, QUIRK_CONTACT_ORDER)) return;
  sofa_sort(places->data, places->n, sizeof *places->data, by_place);
  for (size_t i = 0; i < places->n; i++)
    if (places->data[i].contact && is_outside(places->data[i].contact->klass))
      sofa_object_put_last_outside(places->data[i].contact);
}

static SofaErr make_objects(SofaObject *object, SofaCheckpointReader *from) {
  ContactManager *m = (ContactManager *)object;
  const uint64_t n = sofa_checkpoint_get_uint(from);
  ContactPlaces places = {0};
  ContactPlace place;
  SofaErr err = SOFA_OK;
  clear(&m->manager);
  SOFA_GO(err, done, update_ranks(m));
  for (uint64_t i = 0; i < n && !sofa_checkpoint_is_bad(from); i++) {
    SOFA_GO(err, done, make_again(m, from, &place));
    SOFA_GO(err, done, SOFA_APPEND(object->ctx, &places, &place));
  }
  put_in_places(m, &places);
done:
  sofa_list_free(object->ctx, &places);
  return err;
}

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const ContactManager *m = (const ContactManager *)object;
  sofa_checkpoint_put_uint(to, m->stale);
  pair_map_save(&m->order, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  ContactManager *m = (ContactManager *)object;
  m->stale = sofa_checkpoint_get_uint(from) != 0;
  return pair_map_restore(object->ctx, &m->order, from);
}

static const SofaCheckpointOps checkpoint = {
    .save = save, .restore = restore, .save_made = save_made, .make = make_objects};

static const SofaContactManagerOps ops = {.respond = respond, .clear = clear};

static const SofaSparedMember spared[] = {

    SOFA_REMADE(ContactManager, ranked),
    SOFA_REMADE(ContactManager, ranks),
};

const SofaClass contact_manager_class = {
    .name = "ContactManager",
    .module = "csofa",
    .category = "CollisionAlgorithm",
    .help = "Contact objects for pairs of collision models that touch.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .size = sizeof(ContactManager),
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .init = init,
    .reset = reset,
    .destroy = destroy,
    .checkpoint = &checkpoint,
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_CONTACT_MANAGER, &ops}, {SOFA_DRAW, &contact_manager_draw}),
};
