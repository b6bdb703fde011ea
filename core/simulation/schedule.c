/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The schedule of a step: collected once per graph version, run every step. */
#include "simulation/schedule.h"

#include <string.h>

#include "base/profiler.h"
#include "behavior/animation_loop.h"
#include "behavior/collision.h"
#include "behavior/lagrangian.h"
#include "simulation/constraint_step.h"
#include "simulation/divergence_impl.h"
#include "simulation/vectors.h"

/* ---- collecting ---- */

static SofaErr push(SofaContext *ctx, SofaObjects *list, SofaObject *object) {
  return SOFA_APPEND(ctx, list, &object);
}

static bool handles_events(const SofaClass *klass) {
  while (klass && !klass->handle_event) klass = sofa_class_base(klass);
  return klass != NULL;
}

static SofaErr collect_object(SofaSchedule *s, SofaObject *object) {
  SofaContext *ctx = s->ctx;
  SOFA_TRY(push(ctx, &s->objects, object));
  if (handles_events(object->klass)) SOFA_TRY(push(ctx, &s->responders, object));
  if (!sofa_valid(object)) return SOFA_OK;
  if (object->tracked.n || sofa_implements(object, SOFA_ENGINE))
    SOFA_TRY(push(ctx, &s->linked, object));
  if (sofa_implements(object, SOFA_MECHANICAL_STATE)) SOFA_TRY(push(ctx, &s->states, object));
  if (sofa_implements(object, SOFA_PROJECTIVE)) SOFA_TRY(push(ctx, &s->constraints, object));
  if (sofa_implements(object, SOFA_CONTEXT_OBJECT))
    SOFA_TRY(push(ctx, &s->context_objects, object));
  if (sofa_implements(object, SOFA_COLLISION_PIPELINE)) SOFA_TRY(push(ctx, &s->pipelines, object));
  if (sofa_implements(object, SOFA_LAGRANGIAN)) SOFA_TRY(push(ctx, &s->lagrangians, object));
  if (sofa_implements(object, SOFA_CONSTRAINT_CORRECTION))
    SOFA_TRY(push(ctx, &s->corrections, object));
  if (sofa_implements(object, SOFA_CONSTRAINT_SOLVER))
    SOFA_TRY(push(ctx, &s->constraint_solvers, object));
  if (sofa_implements(object, SOFA_MAPPING)) {
    SofaMapping *map = (SofaMapping *)object;
    if (map->out) SOFA_TRY(push(ctx, map->mechanical ? &s->mappings : &s->visual_mappings, object));
  }
  return SOFA_OK;
}

const SofaObject *sofa_node_ode_solver(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_ODE_SOLVER) &&
        sofa_valid(node->objects.data[i]))
      return node->objects.data[i];
  return NULL;
}

typedef struct SolveCollector {
  SofaContext *ctx;
  SofaObjects *list;
  SofaErr err;
} SolveCollector;

/* Solvers do not let the visitor below them; above them only interactions act. */
static SofaVisit collect_solve(SofaNode *node, void *user) {
  SolveCollector *c = user;
  const bool solver = sofa_node_ode_solver(node) != NULL;
  for (size_t i = 0; i < node->objects.n && c->err == SOFA_OK; i++) {
    SofaObject *object = node->objects.data[i];
    if (!sofa_valid(object)) continue;
    if (sofa_implements(object, solver ? SOFA_ODE_SOLVER : SOFA_INTERACTION))
      c->err = push(c->ctx, c->list, object);
  }
  if (c->err != SOFA_OK) return SOFA_STOP;
  return solver ? SOFA_PRUNE : SOFA_CONTINUE;
}

SofaErr sofa_solve_order(SofaNode *root, SofaObjects *out) {
  SolveCollector collector = {root->object.ctx, out, SOFA_OK};
  const SofaVisitor visitor = {.down = collect_solve, .user = &collector};
  SOFA_TRY(sofa_visit(root, &visitor));
  return collector.err;
}

static bool constrains(const SofaObject *object) {
  return sofa_implements(object, SOFA_ODE_SOLVER) &&
         (sofa_ode_solver_traits((const SofaOdeSolver *)object) & SOFA_ODE_CONSTRAINS);
}

static SofaErr create(SofaNode *root, SofaSchedule **out) {
  SofaContext *ctx = root->object.ctx;
  SofaErr err = SOFA_OK;
  *out = NULL;
  SofaSchedule *s = sofa_alloc(ctx, 1, sizeof *s);
  if (!s) return SOFA_ERR_MEMORY;
  s->ctx = ctx;
  s->root = root;
  s->graph_version = *root->graph_version;
  SOFA_GO(err, done, sofa_node_order(root, &s->nodes));
  for (size_t i = 0; i < s->nodes.n; i++)
    for (size_t k = 0; k < s->nodes.data[i]->objects.n; k++)
      SOFA_GO(err, done, collect_object(s, s->nodes.data[i]->objects.data[k]));
  err = sofa_solve_order(root, &s->solve);
done:
  if (err != SOFA_OK) sofa_schedule_destroy(&s);
  *out = s;
  return err;
}

static SofaErr make_parts(SofaSchedule *s) {
  s->parts = sofa_alloc(s->ctx, s->solve.n + 1, sizeof(SofaSchedule *));
  if (!s->parts) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < s->solve.n; i++) {
    SofaObject *solver = s->solve.data[i];
    if (!constrains(solver)) continue;
    SOFA_TRY(create(solver->node, &s->parts[i]));
    s->parts[i]->solve.data[0] = solver;
    s->parts[i]->solve.n = 1;
    if (!s->parts[i]->constraint_solvers.n) sofa_schedule_destroy(&s->parts[i]);
  }
  return SOFA_OK;
}

SofaErr sofa_schedule_create(SofaNode *root, SofaSchedule **out) {
  SOFA_TRY(create(root, out));
  const SofaErr err = make_parts(*out);
  if (err != SOFA_OK) sofa_schedule_destroy(out);
  return err;
}

void sofa_schedule_destroy(SofaSchedule **schedule) {
  SofaSchedule *s = *schedule;
  if (!s) return;
  SofaContext *ctx = s->ctx;
  for (size_t i = 0; i < s->solve.n && s->parts; i++) sofa_schedule_destroy(&s->parts[i]);
  sofa_free(ctx, s->parts);
  sofa_list_free(ctx, &s->nodes);
  SofaObjects *lists[] = {&s->objects,
                          &s->responders,
                          &s->linked,
                          &s->states,
                          &s->constraints,
                          &s->mappings,
                          &s->visual_mappings,
                          &s->context_objects,
                          &s->solve,
                          &s->pipelines,
                          &s->lagrangians,
                          &s->corrections,
                          &s->constraint_solvers};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(ctx, lists[i]);
  sofa_free(ctx, s);
  *schedule = NULL;
}

/* ---- context, data, events ---- */

SofaErr sofa_schedule_update_context(SofaSchedule *s) {
  for (size_t i = 0; i < s->nodes.n; i++) {
    SofaNode *node = s->nodes.data[i];
    const SofaNode *parent = sofa_node_parent(node);
    if (node != s->root && parent) {
      node->gravity = parent->gravity;
      node->dt = parent->dt;
      node->time = parent->time;
      node->animate = parent->animate;
    }
    for (size_t k = 0; k < s->context_objects.n; k++) {
      SofaObject *object = s->context_objects.data[k];
      if (object->node == node) SOFA_TRY(sofa_object_run(object, SOFA_RUN_UPDATE));
    }
  }
  return SOFA_OK;
}

SofaErr sofa_schedule_update_data(SofaSchedule *s) {
  for (size_t i = 0; i < s->linked.n; i++) {
    SofaObject *object = s->linked.data[i];
    if (!sofa_valid(object)) continue;
    SOFA_TRY(sofa_data_update(object));
  }
  return SOFA_OK;
}

SofaErr sofa_schedule_send(SofaSchedule *s, SofaEventType type, double dt) {
  const SofaEvent event = {.type = type, .dt = dt};
  for (size_t i = 0; i < s->responders.n; i++) {
    SofaObject *object = s->responders.data[i];
    if (!object->listening || !sofa_valid(object)) continue;
    sofa_timer_begin(s->ctx, object->klass->name);
    const SofaErr err = sofa_object_handle_event(object, &event);
    sofa_timer_end(s->ctx);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

/* ---- solving ---- */

static void go_back(SofaMechanics *m) {
  sofa_vec_copy(sofa_all_x(m), m->x_good, m->x);
  sofa_vec_copy(sofa_all_v(m), m->v_good, m->v);
}

/* Runs a solver on its plan; on failure, or when the result is not sound, x and v go back. */
static SofaErr run_solver(SofaOdeSolver *solver, double dt, bool free) {
  SofaMechanics *m = NULL;
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_ode_solver_prepare(solver, &m));
  sofa_timer_begin(m->ctx, solver->object.klass->name);
  if (free) {
    err = sofa_ode_solver_free_motion(solver, m, dt);
  } else {
    SOFA_GO(err, done, sofa_ode_solver_step(solver, m, dt));
    err = sofa_ode_solver_check(solver, m, dt);
  }
done:
  sofa_timer_end(m->ctx);
  if (err == SOFA_OK) return SOFA_OK;
  sofa_explain_divergence(solver, m, dt, err);
  go_back(m);
  return err;
}

/* The force is put back as zeros, which it is before the first step. */
static SofaErr assemble(SofaOdeSolver *solver, double dt) {
  SofaMechanics *m = NULL;
  const SofaOdeSolverOps *ops = sofa_ode_solver_ops(solver);
  if (!ops->assemble) return SOFA_OK;
  SOFA_TRY(sofa_ode_solver_prepare(solver, &m));
  const SofaErr err = ops->assemble(solver, m, dt);
  go_back(m);
  sofa_vec_zero(sofa_all_v(m), m->f);
  return err;
}

SofaErr sofa_schedule_assemble(SofaSchedule *s, double dt) {
  const SofaAnimationLoop *loop =
      (const SofaAnimationLoop *)sofa_node_slot(s->root, SOFA_ANIMATION_LOOP);
  const SofaAnimationLoopOps *ops = loop ? sofa_ops(&loop->object, SOFA_ANIMATION_LOOP) : NULL;
  SofaErr err = SOFA_OK;
  if (ops && ops->integration_dt) dt = ops->integration_dt(loop, dt);
  for (size_t i = 0; i < s->solve.n && err == SOFA_OK; i++)
    if (sofa_implements(s->solve.data[i], SOFA_ODE_SOLVER))
      err = assemble((SofaOdeSolver *)s->solve.data[i], dt);
  return err;
}

void sofa_schedule_drop_plans(SofaSchedule *s) {
  for (size_t i = 0; i < s->solve.n; i++)
    if (sofa_implements(s->solve.data[i], SOFA_ODE_SOLVER))
      sofa_node_drop_mechanics(s->solve.data[i]->node);
}

void sofa_schedule_clear_vectors(SofaSchedule *s) {
  for (size_t i = 0; i < s->solve.n; i++)
    if (s->solve.data[i]->node->mechanics)
      sofa_mechanics_clear_vectors(s->solve.data[i]->node->mechanics);
}

/* A step of a solver with SOFA_ODE_CONSTRAINS: its node has a constraint solver. */
static SofaErr run_constrained(SofaSchedule *part, double dt) {
  const SofaConstrainedStep step = {.dt = dt, .order = SOFA_CONSTRAIN_POSITIONS};
  SOFA_TRY(sofa_schedule_free_motion(part, &step));
  return sofa_schedule_constrain(part, (SofaConstraintSolver *)part->constraint_solvers.data[0],
                                 &step);
}

/* An interaction above the solvers acts explicitly: its force becomes external force of its states.
 */
static SofaErr run_interaction(SofaForceField *ff, double dt) {
  SofaContext *ctx = ff->object.ctx;
  const SofaMechParams p = sofa_mech_params(dt, ff->object.node->time, 0, 0, 0);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  double **f = SOFA_SCRATCH(ctx, double *, ff->n_states + 1);
  SOFA_GO(err, done, f ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, done, sofa_force_field_check_states(ff));
  for (size_t k = 0; k < ff->n_states && ff->state[k]; k++) {
    SofaState *s = ff->state[k];
    if (s->external_force.n != s->position.n)
      SOFA_GO(err, done, sofa_coords_resize(ctx, &s->external_force, s->position.n));
    f[k] = s->external_force.data;
  }
  err = sofa_interaction_add_force(ff, &p, f);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

static bool has_tag(const SofaObject *object, const char *tag) {
  const SofaStrings *words = &object->tags.words;
  for (size_t i = 0; i < words->n; i++)
    if (strcmp(words->data[i], tag) == 0) return true;
  return false;
}

static SofaErr solve_one(SofaSchedule *s, size_t i, double dt, bool free) {
  SofaObject *object = s->solve.data[i];
  if (!free && s->parts && s->parts[i]) return run_constrained(s->parts[i], dt);
  if (sofa_implements(object, SOFA_ODE_SOLVER))
    return run_solver((SofaOdeSolver *)object, dt, free);
  return run_interaction((SofaForceField *)object, dt);
}

/* The first n solvers go back to the beginning of the step. */
static void go_back_all(SofaSchedule *s, size_t n, const char *tag) {
  for (size_t i = 0; i < n; i++) {
    const SofaObject *object = s->solve.data[i];
    if (sofa_implements(object, SOFA_ODE_SOLVER) && object->node->mechanics &&
        (!tag || has_tag(object, tag)))
      go_back(object->node->mechanics);
  }
}

static SofaErr solve(SofaSchedule *s, double dt, const char *tag, bool free) {
  for (size_t i = 0; i < s->solve.n; i++) {
    if (tag && !has_tag(s->solve.data[i], tag)) continue;
    const SofaErr err = solve_one(s, i, dt, free);
    if (err == SOFA_OK) continue;
    go_back_all(s, i, tag);
    return err;
  }
  return SOFA_OK;
}

SofaErr sofa_schedule_solve(SofaSchedule *s, double dt) {
  return solve(s, dt, NULL, false);
}

SofaErr sofa_schedule_solve_tagged(SofaSchedule *s, double dt, const char *tag) {
  return solve(s, dt, tag, false);
}

SofaErr sofa_schedule_solve_free(SofaSchedule *s, double dt) {
  return solve(s, dt, NULL, true);
}

/* ---- end of a step ---- */

static SofaErr project(SofaSchedule *s, double dt, bool start) {
  for (size_t i = 0; i < s->constraints.n; i++) {
    SofaProjective *c = (SofaProjective *)s->constraints.data[i];
    SofaState *first = c->state, *second = c->second;
    SofaMechParams p = sofa_mech_params(dt, c->object.node->time, 0, 0, 0);
    if (!first) continue;
    if (start) p.until = p.from;
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_POSITION, &p, first->position.data,
                                   second ? second->position.data : NULL));
    SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_VELOCITY, &p, first->velocity.data,
                                   second ? second->velocity.data : NULL));
    sofa_state_touch(first);
    if (second) sofa_state_touch(second);
  }
  return sofa_schedule_propagate(s);
}

SofaErr sofa_schedule_project(SofaSchedule *s, double dt) {
  return project(s, dt, false);
}

SofaErr sofa_schedule_project_start(SofaSchedule *s, double dt) {
  return project(s, dt, true);
}

/* A state that nothing moves keeps its version: the motion of a state that took its positions from
 * it by a link goes on from its own. */
static void touch_integrated(SofaSchedule *s) {
  for (size_t i = 0; i < s->states.n; i++) {
    SofaState *state = (SofaState *)s->states.data[i];
    if (state->mechanics) sofa_state_touch(state);
  }
}

SofaErr sofa_schedule_propagate(SofaSchedule *s) {
  for (size_t i = 0; i < s->mappings.n; i++)
    SOFA_TRY(sofa_mapping_update((SofaMapping *)s->mappings.data[i]));
  touch_integrated(s);
  return SOFA_OK;
}

SofaErr sofa_schedule_update_visuals(SofaSchedule *s) {
  for (size_t i = 0; i < s->visual_mappings.n; i++)
    SOFA_TRY(sofa_mapping_update((SofaMapping *)s->visual_mappings.data[i]));
  return SOFA_OK;
}

void sofa_schedule_clear_external_forces(SofaSchedule *s) {
  for (size_t i = 0; i < s->states.n; i++) ((SofaState *)s->states.data[i])->external_force.n = 0;
}

/* ---- accepted steps ---- */

static SofaErr accept_interaction(SofaForceField *ff, const SofaMechParams *p) {
  const SofaScratchMark mark = sofa_scratch_mark(ff->object.ctx);
  SofaPoint at;
  SofaErr err = sofa_force_field_state_point(ff, p->time, &at);
  if (err == SOFA_OK) err = sofa_force_field_accept(ff, p, &at);
  sofa_scratch_release(ff->object.ctx, mark);
  return err;
}

/* Every solve went well, constraints and mappings were applied: what components remember of the
 * past moves to the end of the step. Solvers of one node share their plan. */
static SofaErr accept_step(SofaSchedule *s, double dt, const char *tag) {
  const SofaMechanics *last = NULL;
  for (size_t i = 0; i < s->solve.n; i++) {
    SofaObject *object = s->solve.data[i];
    const SofaMechParams p = sofa_mech_params(dt, object->node->time + dt, 0, 0, 0);
    if (tag && !has_tag(object, tag)) continue;
    if (!sofa_implements(object, SOFA_ODE_SOLVER)) {
      SOFA_TRY(accept_interaction((SofaForceField *)object, &p));
      continue;
    }
    SofaMechanics *m = object->node->mechanics;
    if (!m || m == last) continue;
    const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, p.time);
    SOFA_TRY(sofa_mech_accept(m, &p, &at));
    last = m;
  }
  return SOFA_OK;
}

SofaErr sofa_schedule_accept(SofaSchedule *s, double dt) {
  return accept_step(s, dt, NULL);
}

/* ---- what animation loops are made of ---- */

SofaErr sofa_schedule_renew(SofaSchedule **s, SofaNode *root) {
  if (*s && sofa_schedule_is_stale(*s)) sofa_schedule_destroy(s);
  return *s ? SOFA_OK : sofa_schedule_create(root, s);
}

SofaErr sofa_schedule_collide(SofaSchedule **s, SofaNode *root, double dt) {
  SOFA_TRY(sofa_schedule_renew(s, root));
  SOFA_TRY(sofa_schedule_send(*s, SOFA_EVENT_COLLISION_BEGIN, dt));
  SOFA_TRY(sofa_schedule_renew(s, root));
  for (size_t i = 0; i < (*s)->pipelines.n; i++) {
    SofaObject *pipeline = (*s)->pipelines.data[i];
    const SofaCollisionPipelineOps *ops = sofa_ops(pipeline, SOFA_COLLISION_PIPELINE);
    sofa_timer_begin((*s)->ctx, pipeline->klass->name);
    const SofaErr err = ops->collide(pipeline, dt);
    sofa_timer_end((*s)->ctx);
    if (err != SOFA_OK) return err;
    SOFA_TRY(sofa_schedule_renew(s, root));
  }
  SOFA_TRY(sofa_schedule_send(*s, SOFA_EVENT_COLLISION_END, dt));
  return sofa_schedule_renew(s, root);
}

SofaErr sofa_schedule_integrate(SofaSchedule *s, double dt, double constraint_dt) {
  return sofa_schedule_integrate_tagged(s, dt, constraint_dt, NULL);
}

SofaErr sofa_schedule_integrate_tagged(SofaSchedule *s, double dt, double constraint_dt,
                                       const char *tag) {
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_INTEGRATE_BEGIN, dt));
  sofa_timer_begin(s->ctx, "solve");
  const SofaErr err = sofa_schedule_solve_tagged(s, dt, tag);
  sofa_timer_end(s->ctx);
  if (err != SOFA_OK) return err;
  SOFA_TRY(sofa_schedule_project(s, constraint_dt));
  SOFA_TRY(accept_step(s, dt, tag));
  sofa_schedule_clear_external_forces(s);
  return sofa_schedule_send(s, SOFA_EVENT_INTEGRATE_END, dt);
}

/* States and surfaces that are linked to other objects show what these give at the end of a step.
 * States that a mapping or a solver moves are brought up to date at the start of the next one. */
static SofaErr update_linked_states(SofaSchedule *s) {
  for (size_t i = 0; i < s->linked.n; i++) {
    SofaObject *object = s->linked.data[i];
    if (!object->tracked.n || !sofa_implements(object, SOFA_STATE) || !sofa_valid(object)) continue;
    SOFA_TRY(sofa_data_update(object));
  }
  return SOFA_OK;
}

SofaErr sofa_schedule_finish(SofaSchedule *s, double dt) {
  SOFA_TRY(update_linked_states(s));
  SOFA_TRY(sofa_schedule_send(s, SOFA_EVENT_ANIMATE_END, dt));
  sofa_timer_begin(s->ctx, "visual mappings");
  const SofaErr err = sofa_schedule_update_visuals(s);
  sofa_timer_end(s->ctx);
  if (err != SOFA_OK) return err;
  return sofa_schedule_send(s, SOFA_EVENT_UPDATE_MAPPING_END, dt);
}
