/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BVHNarrowPhase: pairs of elements by the bounding trees of two models, then the tests of the
 * intersection method. */
#include "components/collision/detection/bvh.h"
#include "object/checkpoint.h"

/* ---- entries: the detections of a pair of models ---- */

/* There is room in `unused` for every entry. */
static SofaErr new_contact(BVHNarrowPhase *b, SofaModelContact **out) {
  SOFA_TRY(SOFA_RESERVE(b->object.ctx, &b->unused, b->map.entries.n + b->unused.n + 1));
  if (b->unused.n) {
    *out = b->unused.data[--b->unused.n];
    (*out)->detections.n = 0;
    return SOFA_OK;
  }
  *out = sofa_alloc(b->object.ctx, 1, sizeof **out);
  return *out ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr set_aside(BVHNarrowPhase *b, SofaModelContact *contact) {
  return SOFA_APPEND(b->object.ctx, &b->unused, &contact);
}

static bool has_detections(const PairMapEntry *entry, void *user) {
  (void)user;
  return entry->value && ((const SofaModelContact *)entry->value)->detections.n > 0;
}

static void empty_entries(BVHNarrowPhase *b) {
  for (size_t i = 0; i < b->map.entries.n; i++)
    ((SofaModelContact *)b->map.entries.data[i].value)->detections.n = 0;
}

/* With printLog: how much there was to do. */
static void tell(const BVHNarrowPhase *b, size_t n_pairs, const SofaModelContacts *out) {
  size_t n = 0;
  if (!b->object.print_log) return;
  for (size_t i = 0; i < out->n; i++) n += out->data[i]->detections.n;
  sofa_object_message(&b->object, SOFA_INFO,
                      "%zu pairs of models, %zu pairs of elements, %zu detections in %zu contacts",
                      n_pairs, b->n_close, n, out->n);
}

/* Entries without detections leave the map, the others are the result. */
static SofaErr collect(BVHNarrowPhase *b, SofaModelContacts *out) {
  SofaContext *ctx = b->object.ctx;
  for (size_t i = 0; i < b->map.entries.n; i++) {
    SofaModelContact *contact = b->map.entries.data[i].value;
    if (contact->detections.n == 0) SOFA_TRY(set_aside(b, contact));
    else SOFA_TRY(SOFA_APPEND(ctx, out, &contact));
  }
  pair_map_filter(&b->map, has_detections, NULL);
  return SOFA_OK;
}

SofaErr bvh_entry(BVHNarrowPhase *b, SofaCollisionModel *first, SofaCollisionModel *second,
                  SofaModelContact **out) {
  PairMapEntry *entry;
  SofaModelContact *contact;
  SOFA_TRY(new_contact(b, &contact));
  const SofaErr err =
      pair_map_insert(b->object.ctx, &b->map, (ModelPair){first, second}, PAIR_MAP_LARGEST, &entry);
  if (err != SOFA_OK || entry->value) {
    SOFA_TRY(set_aside(b, contact));
    if (err != SOFA_OK) return err;
  } else {
    *contact = (SofaModelContact){{first, second}, contact->detections};
    entry->value = contact;
  }
  *out = entry->value;
  return SOFA_OK;
}

/* ---- pairs ---- */

/* Models of one node: pairs of elements that are neighbours, or counted twice, leave the list. */
static void drop_neighbours(const SofaCollisionModel *a, const SofaCollisionModel *b, size_t begin,
                            SofaElementPairs *pairs) {
  size_t n = begin;
  if (!sofa_collision_same_node(a, b)) return;
  for (size_t i = begin; i < pairs->n; i++)
    if (sofa_collision_elements_may_touch(a, pairs->data[i].first, b, pairs->data[i].second))
      pairs->data[n++] = pairs->data[i];
  pairs->n = n;
}

/* Tests the pairs of elements of two models. Boxes hold the skins of their models. */
static SofaErr test_elements(BVHNarrowPhase *b, const PairFilter *filter, SofaDetections *out) {
  SofaContext *ctx = b->object.ctx;
  SofaElementPairs *pairs = &b->tests.pairs;
  const size_t begin = pairs->n;
  CandidatePairs candidates;
  size_t n_close;
  SOFA_TRY(candidates_find(ctx, &b->candidates, filter->first->tree, filter->second->tree,
                           filter->method->alarm_distance, &candidates));
  SOFA_TRY(pair_filter(ctx, filter, &candidates, pairs, &n_close));
  b->n_close += n_close;
  drop_neighbours(filter->first->model, filter->second->model, begin, pairs);
  return exact_tests_add(ctx, &b->tests, filter, begin, out);
}

static SofaErr test(BVHNarrowPhase *b, const SofaCollisionScene *scene, SofaModelPair pair) {
  const SofaCollisionBody *first = &scene->bodies[pair.first];
  const SofaCollisionBody *second = &scene->bodies[pair.second];
  SofaModelContact *contact;
  bool swapped;
  const SofaIntersectionRule *rule =
      sofa_intersection_rule(scene->method, first->model->kind, second->model->kind, &swapped);
  if (!rule || !sofa_intersection_uses(scene->method, rule)) return SOFA_OK;
  if (swapped) {
    const SofaCollisionBody *other = first;
    first = second;
    second = other;
  }
  SOFA_TRY(bvh_entry(b, first->model, second->model, &contact));
  const PairFilter filter = {scene->method, rule, first, second};
  return test_elements(b, &filter, &contact->detections);
}

static void forget(BVHNarrowPhase *b) {
  SofaContext *ctx = b->object.ctx;
  for (size_t i = 0; i < b->map.entries.n; i++) {
    SofaModelContact *contact = b->map.entries.data[i].value;
    if (!contact) continue;
    sofa_list_free(ctx, &contact->detections);
    sofa_free(ctx, contact);
  }
  pair_map_free(ctx, &b->map);
}

void bvh_begin(BVHNarrowPhase *b) {
  if (b->begins_anew) forget(b);
  b->begins_anew = false;
  b->n_close = 0;
  candidates_begin(&b->candidates);
  exact_tests_begin(&b->tests);
  empty_entries(b);
}

SofaErr bvh_end(BVHNarrowPhase *b, size_t n_pairs, SofaModelContacts *out) {
  SOFA_TRY(collect(b, out));
  tell(b, n_pairs, out);
  return SOFA_OK;
}

SofaErr bvh_find(BVHNarrowPhase *b, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                 SofaModelContacts *out) {
  bvh_begin(b);
  for (size_t i = 0; i < pairs->n; i++) SOFA_TRY(test(b, scene, pairs->data[i]));
  SOFA_TRY(exact_tests_end(b->object.ctx, &b->tests, scene->method));
  return bvh_end(b, pairs->n, out);
}

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                    SofaModelContacts *out) {
  return bvh_find((BVHNarrowPhase *)phase, scene, pairs, out);
}

static SofaErr reset(SofaObject *object) {
  ((BVHNarrowPhase *)object)->begins_anew = true;
  return SOFA_OK;
}

/* ---- checkpoints: the order of the pairs ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const BVHNarrowPhase *b = (const BVHNarrowPhase *)object;
  sofa_checkpoint_put_uint(to, b->begins_anew);
  pair_map_save(&b->map, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  BVHNarrowPhase *b = (BVHNarrowPhase *)object;
  SofaErr err = SOFA_OK;
  b->begins_anew = sofa_checkpoint_get_uint(from) != 0;
  forget(b);
  SOFA_TRY(pair_map_restore(object->ctx, &b->map, from));
  for (size_t i = 0; i < b->map.entries.n && err == SOFA_OK; i++) {
    PairMapEntry *entry = &b->map.entries.data[i];
    SofaModelContact *contact = NULL;
    err = new_contact(b, &contact);
    if (err == SOFA_OK)
      *contact = (SofaModelContact){{entry->key.first, entry->key.second}, contact->detections};
    entry->value = contact;
  }
  if (err != SOFA_OK) forget(b);
  return err;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static void destroy(SofaObject *object) {
  BVHNarrowPhase *b = (BVHNarrowPhase *)object;
  forget(b);
  for (size_t i = 0; i < b->unused.n; i++) {
    sofa_list_free(object->ctx, &b->unused.data[i]->detections);
    sofa_free(object->ctx, b->unused.data[i]);
  }
  sofa_list_free(object->ctx, &b->unused);
  exact_tests_free(object->ctx, &b->tests);
  candidates_free(object->ctx, &b->candidates);
}

static const SofaNarrowPhaseOps ops = {.find = find, .deep_trees = true, .only_pairs = true};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BVHNarrowPhase, candidates),
    SOFA_REMADE(BVHNarrowPhase, map),
    SOFA_REMADE(BVHNarrowPhase, n_close),
    SOFA_REMADE(BVHNarrowPhase, unused),
};

SOFA_CLASS(BVHNarrowPhase) = {
    SOFA_NAMED(BVHNarrowPhase),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Finds pairs of elements by trees of boxes around them, and tests them with the "
            "intersection method.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .reset = reset,
    .destroy = destroy,
    .checkpoint = &checkpoint,
    SOFA_IMPLEMENTS({SOFA_NARROW_PHASE, &ops}),
};
