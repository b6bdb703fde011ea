/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/detection/sub_pipeline.h"

#include "base/profiler.h"
#include "numerics/spatial/bounding_tree.h"

static SofaContext *context_of(const SubPipeline *p) {
  return p->owner->ctx;
}

void sub_pipeline_free(SubPipeline *p) {
  if (!p->owner) return;
  SofaContext *ctx = context_of(p);
  for (size_t i = 0; i < p->models.n; i++) {
    sofa_bounding_tree_free(ctx, p->models.data[i].tree);
    sofa_free(ctx, p->models.data[i].tree);
  }
  sofa_list_free(ctx, &p->models);
  sofa_list_free(ctx, &p->bodies);
  sofa_list_free(ctx, &p->pairs);
  sofa_list_free(ctx, &p->contacts);
  sofa_list_free(ctx, &p->ends);
}

SofaErr sub_pipeline_add_model(SubPipeline *p, SofaCollisionModel *model) {
  SofaContext *ctx = context_of(p);
  PipelineModel entry = {.model = model, .tree = sofa_alloc(ctx, 1, sizeof *entry.tree)};
  if (!entry.tree) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(ctx, &p->models, &entry);
  if (err != SOFA_OK) sofa_free(ctx, entry.tree);
  return err;
}

/* ---- parts ---- */

static bool is_there(const SubPipeline *p, bool there, const char *what) {
  if (!there)
    sofa_object_message(p->owner, SOFA_WARNING,
                        "there is no %s: nothing is detected, and no body collides", what);
  return there;
}

/* Part: an object, or NULL; one that was refused is not used. */
static bool is_valid(const void *part) {
  return part && sofa_valid(part);
}

/* Some are initialised after the pipeline has looked at them. */
static bool can_run(const SubPipeline *p) {
  return p->valid && is_valid(p->method) && is_valid(p->broad) && is_valid(p->narrow) &&
         is_valid(p->manager);
}

void sub_pipeline_check(SubPipeline *p) {
  const bool parts[] = {
      is_there(p, p->models.n > 0, "collision model below this node"),
      is_there(p, is_valid(p->method), "intersection method (such as MinProximityIntersection)"),
      is_there(p, is_valid(p->broad), "broad phase (such as BruteForceBroadPhase)"),
      is_there(p, is_valid(p->narrow), "narrow phase (such as BVHNarrowPhase)"),
      is_there(p, is_valid(p->manager), "contact manager (such as CollisionResponse)")};
  p->valid = true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) p->valid = p->valid && parts[i];
  p->graph_version = *p->owner->node->graph_version;
}

/* The objects of the graph that a sub-pipeline uses, marked when they are still there. */
typedef struct StillThere {
  SubPipeline *p;
  SofaObject *parts[4]; /* NULL once seen */
  bool *models;         /* seen */
} StillThere;

static SofaVisit look(SofaNode *node, void *user) {
  StillThere *s = user;
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    for (int k = 0; k < 4; k++)
      if (s->parts[k] == object) s->parts[k] = NULL;
    if (!sofa_implements(object, SOFA_COLLISION_MODEL)) continue;
    for (size_t k = 0; k < s->p->models.n; k++)
      if (&s->p->models.data[k].model->object == object) s->models[k] = true;
  }
  return SOFA_CONTINUE;
}

static void drop_models(SubPipeline *p, const bool *seen) {
  size_t n = 0;
  for (size_t i = 0; i < p->models.n; i++) {
    PipelineModel *m = &p->models.data[i];
    if (seen[i]) {
      p->models.data[n++] = *m;
      continue;
    }
    sofa_bounding_tree_free(context_of(p), m->tree);
    sofa_free(context_of(p), m->tree);
  }
  if (n < p->models.n && p->manager) p->manager->ops->clear(p->manager);
  p->models.n = n;
}

/* The graph changed: models that are no longer there leave the list; a missing part ends it all. */
static SofaErr look_again(SubPipeline *p) {
  SofaContext *ctx = context_of(p);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  StillThere s = {.p = p, .parts = {&p->method->object, p->broad, p->narrow, &p->manager->object}};
  s.models = SOFA_SCRATCH(ctx, bool, p->models.n + 1);
  if (!s.models) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < p->models.n; i++) s.models[i] = false;
  const SofaVisitor visitor = {.down = look, .user = &s, .inactive_too = true};
  const SofaErr err = sofa_visit(sofa_node_root(p->owner->node), &visitor);
  if (err == SOFA_OK) {
    if (s.parts[3]) p->manager = NULL;
    drop_models(p, s.models);
    if (s.parts[0]) p->method = NULL;
    if (s.parts[1]) p->broad = NULL;
    if (s.parts[2]) p->narrow = NULL;
    sub_pipeline_check(p);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- detection ---- */

static bool is_active(const SofaNode *node) {
  for (; node; node = sofa_node_parent(node))
    if (!node->activated) return false;
  return true;
}

/* The positions at the end of the step; *x_end is NULL when detection is not continuous. */
static SofaErr find_end(SubPipeline *p, const SofaCollisionModel *model, double dt,
                        const double **x_end) {
  const SofaCoords *x = &model->state->position;
  *x_end = NULL;
  if (!p->method->ops->end) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(context_of(p), &p->ends, x->n * x->width));
  if (p->method->ops->end(p->method, model->state, dt, p->ends.data)) *x_end = p->ends.data;
  return SOFA_OK;
}

/* Can a model meet no other one, nor itself? Of many models this is not asked, nor of radii, which
 * an update brings up to date for their drawing. */
static bool is_alone(const SubPipeline *p, const SofaCollisionModel *model) {
  enum { MANY_MODELS = 64 };
  if (model->radius || !sofa_broad_phase_ops(p->broad)->asks_models ||
      !sofa_narrow_phase_ops(p->narrow)->only_pairs || p->models.n > MANY_MODELS)
    return false;
  for (size_t i = 0; i < p->models.n; i++) {
    const SofaCollisionModel *other = p->models.data[i].model;
    if ((model->simulated || other->simulated) && sofa_collision_may_meet(model, other))
      return false;
  }
  return true;
}

/* The tree of a model that does not move, or that meets nothing, stays as it was built. */
static SofaErr fit(SubPipeline *p, PipelineModel *m, bool deep, double dt) {
  SofaCollisionModel *model = m->model;
  const bool built = sofa_bounding_tree_is_built(m->tree);
  const double *x_end = NULL;
  if (built && (!model->moving || is_alone(p, model)) && !model->ops->changed(model))
    return SOFA_OK;
  SOFA_TRY(model->ops->update(model));
  SOFA_TRY(sofa_bounding_tree_resize(context_of(p), m->tree, model->n));
  SOFA_TRY(find_end(p, model, dt, &x_end));
  sofa_collision_boxes(model, x_end, m->tree->boxes);
  if (built && m->revision == model->revision && m->deep == deep &&
      sofa_bounding_tree_is_built(m->tree)) {
    sofa_bounding_tree_move(context_of(p), m->tree);
    return SOFA_OK;
  }
  m->revision = model->revision;
  m->deep = deep;
  return sofa_bounding_tree_build(context_of(p), m->tree, deep ? p->depth : 0);
}

static SofaErr fit_all(SubPipeline *p, double dt) {
  const bool deep =
      sofa_broad_phase_ops(p->broad)->deep_trees || sofa_narrow_phase_ops(p->narrow)->deep_trees;
  p->bodies.n = 0;
  for (size_t i = 0; i < p->models.n; i++) {
    PipelineModel *m = &p->models.data[i];
    SofaCollisionModel *model = m->model;
    if (!model->active || !sofa_valid(&model->object) || !model->state ||
        !is_active(model->object.node))
      continue;
    SOFA_TRY(fit(p, m, deep, dt));
    const SofaCollisionBody body = {model, m->tree};
    SOFA_TRY(SOFA_APPEND(context_of(p), &p->bodies, &body));
  }
  return SOFA_OK;
}

SofaErr sub_pipeline_detect(SubPipeline *p, double dt) {
  SofaContext *ctx = context_of(p);
  SofaErr err = SOFA_OK;
  p->contacts.n = p->pairs.n = 0;
  if (!p->valid) return SOFA_OK;
  if (p->graph_version != *p->owner->node->graph_version) SOFA_TRY(look_again(p));
  if (!can_run(p)) return SOFA_OK;
  sofa_timer_begin(ctx, "bounding trees");
  err = fit_all(p, dt);
  sofa_timer_end(ctx);
  if (err != SOFA_OK) return err;
  const SofaCollisionScene scene = {p->bodies.data, p->bodies.n, p->method};
  sofa_timer_begin(ctx, "broad phase");
  err = sofa_broad_phase_ops(p->broad)->find(p->broad, &scene, &p->pairs);
  sofa_timer_end(ctx);
  if (err != SOFA_OK) return err;
  sofa_timer_begin(ctx, "narrow phase");
  err = sofa_narrow_phase_ops(p->narrow)->find(p->narrow, &scene, &p->pairs, &p->contacts);
  sofa_timer_end(ctx);
  return err;
}

SofaErr sub_pipeline_respond(SubPipeline *p) {
  if (!can_run(p)) return SOFA_OK;
  sofa_timer_begin(context_of(p), "response");
  const SofaErr err = p->manager->ops->respond(p->manager, p->owner->node, p->method, &p->contacts);
  sofa_timer_end(context_of(p));
  return err;
}

void sub_pipeline_reset(SubPipeline *p) {
  for (size_t i = 0; i < p->models.n; i++) p->models.data[i].tree->n_cells = 0;
}

/* ---- checkpoints ---- */

void sub_pipeline_save(const SubPipeline *p, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, p->models.n);
  for (size_t i = 0; i < p->models.n; i++) {
    const PipelineModel *m = &p->models.data[i];
    sofa_checkpoint_put_uint(to, m->deep);
    sofa_checkpoint_put_uint(to, sofa_bounding_tree_is_built(m->tree) &&
                                     m->revision == m->model->revision);
    sofa_bounding_tree_save(m->tree, to);
  }
}

/* The elements of a model may have changed since init: it looks at them before its tree is that of
 * its revision. */
static SofaErr restore_model(SubPipeline *p, PipelineModel *m, SofaCheckpointReader *from) {
  m->deep = sofa_checkpoint_get_uint(from) != 0;
  const bool is_current = sofa_checkpoint_get_uint(from) != 0;
  SOFA_TRY(sofa_bounding_tree_restore(context_of(p), m->tree, from));
  if (!sofa_bounding_tree_is_built(m->tree)) return SOFA_OK;
  if (m->model->state) SOFA_TRY(m->model->ops->update(m->model));
  m->revision = is_current ? m->model->revision : UINT64_MAX;
  if (is_current && m->tree->n != m->model->n) sofa_checkpoint_misread(from);
  return SOFA_OK;
}

SofaErr sub_pipeline_restore(SubPipeline *p, SofaCheckpointReader *from) {
  if (sofa_checkpoint_get_uint(from) != p->models.n) sofa_checkpoint_misread(from);
  for (size_t i = 0; i < p->models.n && !sofa_checkpoint_is_bad(from); i++)
    SOFA_TRY(restore_model(p, &p->models.data[i], from));
  return SOFA_OK;
}
