/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why no two models of a pipeline can meet. */
#include "components/collision/detection/sub_pipeline.h"

/* What excludes pairs of models, the least specific reason first. */
typedef enum Reason {
  REASON_NONE,
  REASON_SELF,
  REASON_SAME_NODE,
  REASON_GROUP,
  REASON_SIMULATED,
  REASON_UNKNOWN_PAIR,
  REASON_IGNORED_PAIR,
  N_REASONS
} Reason;

static bool is_usable(const SofaCollisionModel *m) {
  return m->active && sofa_valid(&m->object) && m->kind && m->kind->corners > 0;
}

static Reason why_not(const SubPipeline *p, const SofaCollisionModel *a,
                      const SofaCollisionModel *b) {
  bool swapped;
  if (a == b && !a->self_collision) return REASON_SELF;
  if (!a->simulated && !b->simulated) return REASON_SIMULATED;
  if (!sofa_collision_may_meet(a, b))
    return sofa_collision_same_node(a, b) && !(a->self_collision && b->self_collision)
               ? REASON_SAME_NODE
               : REASON_GROUP;
  if (sofa_narrow_phase_ops(p->narrow)->own_tests) return REASON_NONE;
  const SofaIntersectionRule *rule = sofa_intersection_rule(p->method, a->kind, b->kind, &swapped);
  if (!rule) return REASON_UNKNOWN_PAIR;
  return sofa_intersection_uses(p->method, rule) ? REASON_NONE : REASON_IGNORED_PAIR;
}

/* An example of each reason. */
typedef struct Examples {
  const SofaCollisionModel *a[N_REASONS], *b[N_REASONS];
} Examples;

/* Was a model refused? Its own message says why. */
static bool has_refused(const SubPipeline *p) {
  for (size_t i = 0; i < p->models.n; i++)
    if (!sofa_valid(&p->models.data[i].model->object)) return true;
  return false;
}

/* Can any two models meet? */
static bool collect(const SubPipeline *p, Examples *e) {
  bool any = false;
  for (size_t i = 0; i < p->models.n; i++) {
    const SofaCollisionModel *a = p->models.data[i].model;
    if (!is_usable(a)) continue;
    for (size_t k = 0; k <= i; k++) {
      const SofaCollisionModel *b = p->models.data[k].model;
      if (!is_usable(b)) continue;
      const Reason why = why_not(p, a, b);
      any = any || why == REASON_NONE;
      e->a[why] = a;
      e->b[why] = b;
    }
  }
  return any;
}

static void name_pair(SofaContext *ctx, SofaText *text, const SofaCollisionModel *a,
                      const SofaCollisionModel *b) {
  char *first = sofa_object_path(&a->object), *second = sofa_object_path(&b->object);
  (void)sofa_text_printf(ctx, text, "%s and %s", first ? first : "", second ? second : "");
  sofa_free(ctx, first);
  sofa_free(ctx, second);
}

static void name_reason(const SubPipeline *p, const Examples *e, Reason why, SofaText *text) {
  SofaContext *ctx = p->owner->ctx;
  const SofaCollisionModel *a = e->a[why], *b = e->b[why];
  const char *method = p->method->object.klass->name;
  if (!a) return;
  (void)sofa_text_printf(ctx, text, "%s", text->n ? "; " : "");
  if (why == REASON_SELF) {
    (void)sofa_text_printf(ctx, text, "a model meets itself only with selfCollision=\"1\"");
    return;
  }
  name_pair(ctx, text, a, b);
  if (why == REASON_SAME_NODE)
    (void)sofa_text_printf(ctx, text, " are in one node without selfCollision");
  else if (why == REASON_GROUP) (void)sofa_text_printf(ctx, text, " share a group");
  else if (why == REASON_SIMULATED) (void)sofa_text_printf(ctx, text, " both have simulated=\"0\"");
  else if (why == REASON_UNKNOWN_PAIR)
    (void)sofa_text_printf(ctx, text, " cannot be tested: %s knows no test of %s with %s", method,
                           a->kind->plural, b->kind->plural);
  else
    (void)sofa_text_printf(ctx, text, " are ignored: %s does not test %s with %s", method,
                           a->kind->plural, b->kind->plural);
}

SofaErr sub_pipeline_explain(const SubPipeline *p) {
  SofaText text = {0};
  Examples e = {0};
  if (!p->valid || has_refused(p)) return SOFA_OK;
  if (collect(p, &e)) {
    name_reason(p, &e, REASON_UNKNOWN_PAIR, &text);
    if (text.n)
      sofa_object_message(p->owner, SOFA_WARNING, "models that do not collide: %s", text.data);
    sofa_list_free(p->owner->ctx, &text);
    return SOFA_OK;
  }
  for (int why = N_REASONS - 1; why > REASON_NONE; why--) {
    if (why == REASON_SELF && text.n) break; // the others say more
    name_reason(p, &e, (Reason)why, &text);
  }
  sofa_object_message(p->owner, SOFA_WARNING,
                      "no two collision models can meet, so that no contact is ever found%s%s",
                      text.n ? ": " : "", text.n ? text.data : "");
  sofa_list_free(p->owner->ctx, &text);
  return SOFA_OK;
}
