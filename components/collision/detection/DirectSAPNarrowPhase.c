/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectSAPNarrowPhase: the contacts of BVHNarrowPhase under the name of SOFA's sweep and prune.
 * With the quirk a sweep over the boxes of all elements finds the pairs, in SOFA's order. */
#include "base/bytes.h"
#include "object/checkpoint.h"
#include "components/collision/detection/bvh.h"

#include <stdlib.h>

enum { QUIRK_SWEEP = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_SWEEP, "direct-sap-sweep",
     "DirectSAPNarrowPhase tests pairs in the order of a sweep along an axis, and all elements of "
     "models in play, also those that share a group or are neighbours",
     "test_direct_sap.order"},
};

/* An end of the box of an element; boxes are numbered. */
typedef struct SweepEnd {
  double value;
  uint32_t box;
  bool upper;
} SweepEnd;
SOFA_LIST(SweepEnd, SweepEnds);

typedef struct SweepBox {
  const double *box; /* low, high */
  uint32_t body, element;
} SweepBox;
SOFA_LIST(SweepBox, SweepBoxes);

typedef struct DirectSAPNarrowPhase {
  BVHNarrowPhase bvh;
  bool show_only_investigated;
  int n_pairs;
  SofaObjects models; /* ever in play, in the order of their boxes */
  SweepEnds ends;     /* workspace of a sweep */
  SweepBoxes boxes;
  SofaIndices in_play, open;
} DirectSAPNarrowPhase;

static const SofaField fields[] = {
    SOFA_FIELD(DirectSAPNarrowPhase, show_only_investigated, "showOnlyInvestigatedBoxes", "1", "",
               "no effect: boxes are not drawn", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(DirectSAPNarrowPhase, n_pairs, "nbPairs", "0", "1",
               "pairs of elements whose boxes are close, in the last detection",
               .flags = SOFA_FIELD_OUTPUT),
};

/* ---- boxes ---- */

static bool is_known(const DirectSAPNarrowPhase *d, const SofaCollisionModel *model) {
  for (size_t i = 0; i < d->models.n; i++)
    if (d->models.data[i] == &model->object) return true;
  return false;
}

/* in_play[body]: is it in a pair of this detection? New models follow the known ones. */
static SofaErr find_models(DirectSAPNarrowPhase *d, const SofaCollisionScene *scene,
                           const SofaModelPairs *pairs) {
  SofaContext *ctx = d->bvh.object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &d->in_play, scene->n));
  for (size_t i = 0; i < scene->n; i++) d->in_play.data[i] = 0;
  for (size_t i = 0; i < pairs->n; i++)
    d->in_play.data[pairs->data[i].first] = d->in_play.data[pairs->data[i].second] = 1;
  for (size_t i = 0; i < scene->n; i++) {
    SofaObject *object = &scene->bodies[i].model->object;
    if (d->in_play.data[i] && !is_known(d, scene->bodies[i].model))
      SOFA_TRY(SOFA_APPEND(ctx, &d->models, &object));
  }
  return SOFA_OK;
}

static SofaErr add_boxes(DirectSAPNarrowPhase *d, const SofaCollisionScene *scene,
                         const SofaObject *model) {
  for (uint32_t i = 0; i < scene->n; i++) {
    const SofaCollisionBody *body = &scene->bodies[i];
    if (&body->model->object != model) continue;
    for (uint32_t k = 0; k < body->tree->n; k++) {
      const SweepBox box = {body->tree->boxes + 6 * (size_t)k, i, k};
      SOFA_TRY(SOFA_APPEND(d->bvh.object.ctx, &d->boxes, &box));
    }
  }
  return SOFA_OK;
}

/* ---- ends ---- */

/* The axis along which the ends are spread most. */
static unsigned axis_of(const SweepBoxes *boxes) {
  double mean[3] = {0, 0, 0}, variance[3] = {0, 0, 0};
  for (size_t i = 0; i < boxes->n; i++)
    for (unsigned k = 0; k < 3; k++) mean[k] += boxes->data[i].box[k] + boxes->data[i].box[3 + k];
  for (size_t i = 0; i < boxes->n; i++)
    for (unsigned k = 0; k < 6; k++) {
      const double off = boxes->data[i].box[k] - mean[k % 3] / (2 * (double)boxes->n);
      variance[k % 3] += off * off;
    }
  if (variance[0] >= variance[1] && variance[0] >= variance[2]) return 0;
  return variance[1] >= variance[2] ? 1 : 2;
}

static int compare_ends(const void *a, const void *b) {
  const SweepEnd *x = a, *y = b;
  if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
  if (x->box != y->box) return x->box < y->box ? -1 : 1;
  return (int)x->upper - (int)y->upper;
}

static SofaErr sort_ends(DirectSAPNarrowPhase *d, double alarm) {
  const unsigned axis = axis_of(&d->boxes);
  SOFA_TRY(SOFA_RESIZE(d->bvh.object.ctx, &d->ends, 2 * d->boxes.n));
  for (uint32_t i = 0; i < d->boxes.n; i++) {
    const double *box = d->boxes.data[i].box;
    d->ends.data[2 * i] = (SweepEnd){box[axis] - alarm / 2, i, false};
    d->ends.data[2 * i + 1] = (SweepEnd){box[3 + axis] + alarm / 2, i, true};
  }
  if (d->ends.n) sofa_sort(d->ends.data, d->ends.n, sizeof *d->ends.data, compare_ends);
  return SOFA_OK;
}

/* ---- pairs ---- */

static bool are_close(const double *a, const double *b, double distance) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double gap = a[k] > b[3 + k] ? a[k] - b[3 + k] : b[k] > a[3 + k] ? b[k] - a[3 + k] : 0;
    sum += gap * gap;
  }
  return sum <= distance * distance;
}

static bool may_meet(const SofaCollisionModel *opened, const SofaCollisionModel *other) {
  return (opened->simulated || other->simulated) &&
         (!sofa_collision_same_node(opened, other) || opened->self_collision);
}

/* The box that was opened with another one. Of two models of a kind the one that the scene declares
 * first is the first. */
static SofaErr test_pair(DirectSAPNarrowPhase *d, const SofaCollisionScene *scene,
                         const SweepBox *opened, const SweepBox *other) {
  SofaCollisionModel *a = scene->bodies[opened->body].model;
  SofaCollisionModel *b = scene->bodies[other->body].model;
  SofaModelContact *contact;
  bool swapped;
  if (!may_meet(a, b) || !are_close(opened->box, other->box, scene->method->alarm_distance))
    return SOFA_OK;
  const SofaIntersectionRule *rule =
      sofa_intersection_rule(scene->method, a->kind, b->kind, &swapped);
  if (!rule || !sofa_intersection_uses(scene->method, rule)) return SOFA_OK;
  if (!swapped && a->kind == b->kind) swapped = opened->body > other->body;
  const SofaElementPair pair = swapped ? (SofaElementPair){other->element, opened->element}
                                       : (SofaElementPair){opened->element, other->element};
  d->bvh.n_close++;
  SOFA_TRY(bvh_entry(&d->bvh, swapped ? b : a, swapped ? a : b, &contact));
  return rule->find(scene->method, swapped ? b : a, swapped ? a : b, &pair, 1,
                    &contact->detections);
}

static void close_box(SofaIndices *open, uint32_t box) {
  size_t n = 0;
  for (size_t i = 0; i < open->n; i++)
    if (open->data[i] != box) open->data[n++] = open->data[i];
  open->n = n;
}

static SofaErr sweep(DirectSAPNarrowPhase *d, const SofaCollisionScene *scene) {
  d->open.n = 0;
  for (size_t i = 0; i < d->ends.n; i++) {
    const SweepEnd *end = &d->ends.data[i];
    const SweepBox *box = &d->boxes.data[end->box];
    if (!d->in_play.data[box->body]) continue;
    if (end->upper) {
      close_box(&d->open, end->box);
      continue;
    }
    for (size_t k = 0; k < d->open.n; k++)
      SOFA_TRY(test_pair(d, scene, box, &d->boxes.data[d->open.data[k]]));
    SOFA_TRY(SOFA_APPEND(d->bvh.object.ctx, &d->open, &end->box));
  }
  return SOFA_OK;
}

static SofaErr find_by_sweep(DirectSAPNarrowPhase *d, const SofaCollisionScene *scene,
                             const SofaModelPairs *pairs, SofaModelContacts *out) {
  if (d->bvh.begins_anew) d->models.n = 0;
  bvh_begin(&d->bvh);
  SOFA_TRY(find_models(d, scene, pairs));
  d->boxes.n = 0;
  for (size_t i = 0; i < d->models.n; i++) SOFA_TRY(add_boxes(d, scene, d->models.data[i]));
  SOFA_TRY(sort_ends(d, scene->method->alarm_distance));
  SOFA_TRY(sweep(d, scene));
  return bvh_end(&d->bvh, pairs->n, out);
}

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                    SofaModelContacts *out) {
  DirectSAPNarrowPhase *d = (DirectSAPNarrowPhase *)phase;
  SOFA_TRY(sofa_quirk(phase, QUIRK_SWEEP) ? find_by_sweep(d, scene, pairs, out)
                                          : bvh_find(&d->bvh, scene, pairs, out));
  d->n_pairs = (int)d->bvh.n_close;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  DirectSAPNarrowPhase *d = (DirectSAPNarrowPhase *)object;
  sofa_list_free(object->ctx, &d->models);
  sofa_list_free(object->ctx, &d->ends);
  sofa_list_free(object->ctx, &d->boxes);
  sofa_list_free(object->ctx, &d->in_play);
  sofa_list_free(object->ctx, &d->open);
}

static const SofaNarrowPhaseOps ops = {.find = find, .deep_trees = true};

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const DirectSAPNarrowPhase *d = (const DirectSAPNarrowPhase *)object;
  sofa_checkpoint_put_uint(to, d->models.n);
  for (size_t i = 0; i < d->models.n; i++) sofa_checkpoint_put_object(to, d->models.data[i]);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  DirectSAPNarrowPhase *d = (DirectSAPNarrowPhase *)object;
  const uint64_t n = sofa_checkpoint_get_uint(from);
  d->models.n = 0;
  for (uint64_t i = 0; i < n; i++) {
    SofaObject *model = sofa_checkpoint_get_object(from);
    if (!model) sofa_checkpoint_misread(from);
    if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
    SOFA_TRY(SOFA_APPEND(object->ctx, &d->models, &model));
  }
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

SOFA_CLASS(DirectSAPNarrowPhase) = {
    SOFA_NAMED(DirectSAPNarrowPhase),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Finds the same contacts as BVHNarrowPhase, in the same way. SOFA's class sweeps along "
            "an axis; its contacts differ only where it leaves out groups and neighbours.",
    .base = &sofa_BVHNarrowPhase_class,
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_NARROW_PHASE, &ops}),
};
