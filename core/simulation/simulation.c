/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A simulation and its phases: initialise, step, reset, end. */
#include "simulation/simulation.h"

#include <string.h>

#include "base/profiler.h"
#include "base/provenance.h"
#include "behavior/animation_loop.h"
#include "math/kernels.h"
#include "object/factory.h"
#include "object/process.h"
#include "simulation/divide.h"
#include "simulation/mechanics.h"
#include "simulation/schedule.h"
#include "topology/topology.h"

SofaErr sofa_simulation_create(SofaContext *ctx, SofaSimulation **out) {
  *out = NULL;
  SofaSimulation *s = sofa_alloc(ctx, 1, sizeof *s);
  if (!s) return SOFA_ERR_MEMORY;
  s->ctx = ctx;
  const SofaErr err = sofa_node_create(ctx, NULL, "root", &s->root);
  if (err != SOFA_OK) {
    sofa_free(ctx, s);
    return err;
  }
  s->root->graph_version = &s->graph_version;
  *out = s;
  return SOFA_OK;
}

void sofa_simulation_destroy(SofaSimulation **simulation) {
  SofaSimulation *s = *simulation;
  if (!s) return;
  SofaContext *ctx = s->ctx;
  (void)sofa_simulation_finish(s);
  sofa_node_destroy(&s->root);
  for (size_t i = 0; i < s->files.n; i++) sofa_free(ctx, s->files.data[i]);
  sofa_list_free(ctx, &s->files);
  sofa_free(ctx, s->file);
  sofa_free(ctx, s);
  *simulation = NULL;
}

/* A failing object is left out of the simulation; the others go on, so that all problems show. */
static void run_object(SofaObject *object, SofaRun phase) {
  if (sofa_valid(object) && sofa_object_run(object, phase) != SOFA_OK)
    object->component_state.index = SOFA_INVALID;
}

/* ---- initialisation ---- */

/* Without a default a scene that has no loop is left as it is. */
static SofaErr add_default_loop(SofaSimulation *s, const SofaInterface *interface,
                                SofaSeverity severity) {
  const SofaClass *klass = NULL;
  SofaObject *loop = NULL;
  if (sofa_node_find(s->root, interface, SOFA_SEARCH_LOCAL)) return SOFA_OK;
  SOFA_TRY(sofa_factory_default(s->ctx, interface, NULL, &klass));
  if (!klass) return SOFA_OK;
  SOFA_TRY(sofa_object_create(s->root, klass, klass->name, NULL, &loop));

  /* it comes before the objects of the scene */
  sofa_node_put_first(s->root);
  if (severity != SOFA_INFO)
    sofa_object_message(&s->root->object, severity, "no animation loop in the scene: a %s is added",
                        klass->name);
  return SOFA_OK;
}

static SofaErr resolve_links(SofaSimulation *s) {
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(s->root, &nodes));
  for (size_t i = 0; i < nodes.n; i++) {
    sofa_data_resolve(&nodes.data[i]->object, true); /* reported; counted by the caller */
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++)
      sofa_data_resolve(nodes.data[i]->objects.data[k], true);
  }
  err = sofa_data_check_cycles(s->root);
done:
  sofa_list_free(s->ctx, &nodes);
  return err;
}

/* What the scene asks for and is not built is refused, never ignored; what it must say and does not
 * is said. Reported only: with keep_going the object goes on. */
static void check_fields(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    const bool set = object->field_states[i].set;
    if ((field->flags & SOFA_FIELD_UNSUPPORTED) && set && !sofa_field_is_default(object, field))
      sofa_field_fail(object, field->name, SOFA_ERR_UNSUPPORTED,
                      "is not supported yet with another value than its default '%s': %s",
                      field->def ? field->def : "", field->help);
    if (!(field->flags & SOFA_FIELD_REQUIRED) || set) continue;
    if (field->def)
      sofa_object_message(object, SOFA_WARNING, "'%s' is not given: its default %s is used",
                          field->name, field->def);
    else sofa_field_fail(object, field->name, SOFA_ERR_ARGUMENT, "must be given: %s", field->help);
  }
}

static SofaErr init_object(SofaObject *object);

/* What reads a topology that stands further down in the file: its elements come from data links,
 * and a sparse grid makes its own when it is asked for. What a source lacks is reported at its
 * init. */
static void ready_topology(SofaObject *object) {
  if (!object || object->initialised || !sofa_implements(object, SOFA_TOPOLOGY)) return;
  if (((SofaTopology *)object)->container == SOFA_CONTAINER_SPARSE_GRID) (void)init_object(object);
  else (void)sofa_data_pull(object, NULL);
}

/* The topologies that the init of the object reads. */
static void ready_topologies(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  if (sofa_implements(object, SOFA_TOPOLOGY)) return;
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = object->field_states[i].field;
    if (!field->type->link || field->type->list) continue;
    ready_topology(((const SofaLink *)sofa_field_value(object, field))->target);
  }
  if (!sofa_implements(object, SOFA_MECHANICAL_STATE)) return;
  SofaObject *topology = sofa_node_find(object->node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
  if (topology && ((SofaTopology *)topology)->container == SOFA_CONTAINER_SPARSE_GRID)
    ready_topology(topology);
}

static SofaErr init_object(SofaObject *object) {
  if (object->initialised) return SOFA_OK;
  if (!sofa_valid(object)) {
    object->initialised = true;
    return SOFA_OK;
  }
  sofa_timer_begin(object->ctx, object->klass->name);
  if (sofa_data_pull(object, NULL) != SOFA_OK) {
    object->component_state.index = SOFA_INVALID;
  } else {
    check_fields(object);
    ready_topologies(object);
    run_object(object, SOFA_RUN_INIT);
  }
  object->initialised = true; // also where its init failed
  sofa_timer_end(object->ctx);
  return SOFA_OK;
}

/* Of what acts on the points of one state: their number when it was initialised. */
typedef struct KnownSize {
  const SofaObject *object;
  size_t n;
} KnownSize;
SOFA_LIST(KnownSize, KnownSizes);

static const SofaState *state_of(const SofaObject *object) {
  if (!sofa_valid(object)) return NULL;
  if (sofa_implements(object, SOFA_FORCE_FIELD)) {
    const SofaForceField *ff = (const SofaForceField *)object;
    return ff->n_states == 1 ? ff->state[0] : NULL;
  }
  if (!sofa_implements(object, SOFA_PROJECTIVE)) return NULL;
  const SofaProjective *c = (const SofaProjective *)object;
  return c->second ? NULL : c->state;
}

static SofaErr know_size(const SofaObject *object, KnownSizes *known) {
  const SofaState *state = state_of(object);
  if (!state) return SOFA_OK;
  const KnownSize size = {object, sofa_state_size(state)};
  return SOFA_APPEND(object->ctx, known, &size);
}

/* A mapping that comes later may have left fewer points: what was checked against those before, and
 * kept of them, is then out of range. What acts on several states looks at them in its bwd_init. */
static void check_size(SofaObject *object, size_t n) {
  const SofaState *state = state_of(object);
  if (!state || sofa_state_size(state) >= n) return;
  sofa_object_fail(object, SOFA_ERR_RANGE,
                   "its state '%s' had %zu points and has %zu now: what comes later has resized "
                   "it, a mapping for instance; put this object behind that",
                   state->object.name, n, sofa_state_size(state));
  object->component_state.index = SOFA_INVALID;
}

/* Objects have kept their order; some may be gone. */
static void check_sizes(const SofaNodes *nodes, const KnownSizes *known) {
  size_t next = 0;
  for (size_t i = 0; i < nodes->n; i++)
    for (size_t k = 0; k < nodes->data[i]->objects.n; k++) {
      SofaObject *object = nodes->data[i]->objects.data[k];
      size_t at = next;
      if (!state_of(object)) continue;
      while (at < known->n && known->data[at].object != object) at++;
      if (at == known->n) continue;
      check_size(object, known->data[at].n);
      next = at + 1;
    }
}

static const SofaState *refused(const SofaState *const *states, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (states[i] && !sofa_valid(&states[i]->object)) return states[i];
  return NULL;
}

/* The first state of an object that was refused, or NULL. */
static const SofaState *refused_state(const SofaObject *object) {
  if (sofa_implements(object, SOFA_FORCE_FIELD)) {
    const SofaForceField *ff = (const SofaForceField *)object;
    return refused((const SofaState *const *)ff->state, ff->n_states);
  }
  if (sofa_implements(object, SOFA_PROJECTIVE)) {
    const SofaProjective *c = (const SofaProjective *)object;
    return refused((const SofaState *const[]){c->state, c->second}, 2);
  }
  if (!sofa_implements(object, SOFA_MAPPING)) return NULL;
  const SofaMapping *map = (const SofaMapping *)object;
  const SofaState *in = refused((const SofaState *const *)map->inputs, map->n_inputs);
  return in ? in : refused((const SofaState *const[]){map->out}, 1);
}

static SofaVisit leave_out(SofaNode *node, void *user) {
  (void)user;
  for (size_t k = 0; k < node->objects.n; k++) {
    SofaObject *object = node->objects.data[k];
    const SofaState *state = sofa_valid(object) ? refused_state(object) : NULL;
    if (!state) continue;
    object->component_state.index = SOFA_INVALID;
    if (object->ctx->keep_going)
      sofa_object_message(object, SOFA_WARNING, "is left out, as its state '%s' is",
                          state->object.name);
  }
  return SOFA_CONTINUE;
}

/* Nothing gives a refused state the vectors of the steps: what acts on it is left out, too. */
static SofaErr leave_out_followers(SofaNode *root) {
  return sofa_visit(root, &(SofaVisitor){.down = leave_out, .inactive_too = true});
}

static void copy_context(SofaNode *node, const SofaNode *root) {
  const SofaNode *parent = sofa_node_parent(node);
  if (node != root && parent) {
    node->gravity = parent->gravity;
    node->dt = parent->dt;
    node->time = parent->time;
    node->animate = parent->animate;
  }
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (sofa_implements(object, SOFA_CONTEXT_OBJECT)) run_object(object, SOFA_RUN_UPDATE);
  }
}

/* Top-down init, then bottom-up bwd_init in exact reverse order. */
static SofaErr init_graph(SofaSimulation *s) {
  SofaNodes nodes = {0};
  KnownSizes known = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(s->root, &nodes));
  for (size_t i = 0; i < nodes.n; i++) {
    SofaNode *node = nodes.data[i];
    copy_context(node, s->root);
    for (size_t k = 0; k < node->objects.n; k++) { /* objects may be appended meanwhile */
      SOFA_GO(err, done, init_object(node->objects.data[k]));
      SOFA_GO(err, done, know_size(node->objects.data[k], &known));
    }
  }
  check_sizes(&nodes, &known);
  SOFA_GO(err, done, leave_out_followers(s->root));
  for (size_t i = nodes.n; i-- > 0;)
    for (size_t k = nodes.data[i]->objects.n; k-- > 0;)
      run_object(nodes.data[i]->objects.data[k], SOFA_RUN_BWD_INIT);
done:
  sofa_list_free(s->ctx, &known);
  sofa_list_free(s->ctx, &nodes);
  return err;
}

static SofaErr finish_init(SofaSimulation *s, SofaSchedule *schedule) {
  SOFA_TRY(sofa_schedule_send(schedule, SOFA_EVENT_INIT_DONE, s->root->dt));
  SOFA_TRY(sofa_schedule_update_data(schedule));
  SOFA_TRY(sofa_schedule_project_start(schedule, s->root->dt));
  SOFA_TRY(sofa_schedule_update_visuals(schedule));
  for (size_t i = 0; i < schedule->objects.n; i++)
    run_object(schedule->objects.data[i], SOFA_RUN_STORE_RESET);
  SOFA_TRY(leave_out_followers(s->root));
  s->ready = true;
  SOFA_TRY(sofa_provenance_seal(s->ctx, s->ctx->kernels ? s->ctx->kernels->name : NULL));
  return sofa_schedule_send(schedule, SOFA_EVENT_READY, s->root->dt);
}

SofaErr sofa_simulation_finish(SofaSimulation *s) {
  const SofaEvent event = {.type = SOFA_EVENT_END, .dt = s->root->dt};
  if (!s->ready) return SOFA_OK;
  s->ready = false;
  return sofa_send_event(s->root, &event);
}

static uint64_t n_errors(const SofaContext *ctx) {
  return ctx->n_messages[SOFA_ERROR] + ctx->n_messages[SOFA_FATAL];
}

SofaErr sofa_simulation_init(SofaSimulation *s) {
  SofaSchedule *schedule = NULL;
  SofaErr err = SOFA_OK;
  const uint64_t errors = n_errors(s->ctx);
  sofa_timer_begin(s->ctx, "init");
  SOFA_GO(err, done, add_default_loop(s, SOFA_ANIMATION_LOOP, SOFA_WARNING));
  SOFA_GO(err, done, add_default_loop(s, SOFA_VISUAL_LOOP, SOFA_INFO));
  SOFA_GO(err, done, resolve_links(s));
  SOFA_GO(err, done, sofa_divide_meshes(s->root));
  SOFA_GO(err, done, init_graph(s));
  if (n_errors(s->ctx) == errors || s->ctx->keep_going) {
    SOFA_GO(err, done, sofa_check_divided(s->root));
    SOFA_GO(err, done, sofa_schedule_create(s->root, &schedule));
    err = finish_init(s, schedule);
  } else {
    sofa_tell_divided(s->root);
  }
  if (err == SOFA_OK) err = sofa_process_end_loading(s->ctx);
done:
  // objects have found their states: what a modification during init found of them is out of date
  sofa_graph_changed(s->root);
  sofa_schedule_destroy(&schedule);
  sofa_timer_end(s->ctx);
  if (err == SOFA_OK && n_errors(s->ctx) != errors && !s->ctx->keep_going) err = SOFA_ERR_SCENE;
  s->failure = err;
  return err;
}

/* Of the objects that are not initialised: init from the top, then bwd_init from the bottom. */
static SofaErr init_added(SofaSimulation *s, SofaObjects *added) {
  SofaNodes nodes = {0};
  KnownSizes known = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(s->root, &nodes));
  for (size_t i = 0; i < nodes.n; i++) {
    const SofaNode *node = nodes.data[i];
    for (size_t k = 0; k < node->objects.n; k++) {
      SofaObject *object = node->objects.data[k];
      if (object->initialised) continue;
      SOFA_GO(err, done, SOFA_APPEND(s->ctx, added, &object));
      SOFA_GO(err, done, init_object(object));
      SOFA_GO(err, done, know_size(object, &known));
    }
  }
  check_sizes(&nodes, &known);
  for (size_t i = added->n; i-- > 0;) run_object(added->data[i], SOFA_RUN_BWD_INIT);
  for (size_t i = 0; i < added->n; i++) run_object(added->data[i], SOFA_RUN_STORE_RESET);
done:
  sofa_list_free(s->ctx, &known);
  sofa_list_free(s->ctx, &nodes);
  return err;
}

SofaErr sofa_simulation_init_added(SofaSimulation *s) {
  SofaSchedule *schedule = NULL;
  SofaObjects added = {0};
  SofaErr err = SOFA_OK;
  const uint64_t errors = n_errors(s->ctx);
  SOFA_GO(err, done, resolve_links(s));
  SOFA_GO(err, done, init_added(s, &added));
  sofa_graph_changed(s->root);
  SOFA_GO(err, done, sofa_schedule_create(s->root, &schedule));
  SOFA_GO(err, done, sofa_schedule_propagate(schedule));
  err = sofa_schedule_update_visuals(schedule);
done:
  sofa_schedule_destroy(&schedule);
  sofa_list_free(s->ctx, &added);
  if (err == SOFA_OK && n_errors(s->ctx) != errors && !s->ctx->keep_going) err = SOFA_ERR_SCENE;
  return err;
}

/* ---- stepping ---- */

SofaErr sofa_simulation_step(SofaSimulation *s, double dt) {
  if (s->failure != SOFA_OK) return s->failure;
  if (dt == 0) dt = s->root->dt;
  SofaAnimationLoop *loop = (SofaAnimationLoop *)sofa_node_slot(s->root, SOFA_ANIMATION_LOOP);
  if (!loop)
    return sofa_object_fail(&s->root->object, SOFA_ERR_NOT_FOUND, "there is no animation loop");
  if (!sofa_valid(&loop->object))
    return sofa_object_fail(&loop->object, SOFA_ERR_SCENE,
                            "no step is made: the animation loop could not be initialised");
  if (!(dt > 0))
    return sofa_object_fail(&s->root->object, SOFA_ERR_RANGE, "step %llu: dt = %g s, expected > 0",
                            (unsigned long long)s->steps + 1, dt);
  const SofaAnimationLoopOps *ops = sofa_ops(&loop->object, SOFA_ANIMATION_LOOP);
  sofa_timer_begin(s->ctx, "step");
  s->ctx->step = s->steps + 1;
  s->failure = ops->step(loop, s->root, dt);
  s->ctx->step = 0;
  sofa_timer_end(s->ctx);
  if (s->failure == SOFA_OK) s->steps++;
  else
    sofa_object_message(&s->root->object, SOFA_ERROR,
                        "step %llu (t = %g s) failed: %s; the state is that of the step before",
                        (unsigned long long)s->steps + 1, s->root->time, sofa_err_text(s->failure));
  return s->failure;
}

/* The objects that fail stay out; *err becomes the first error, unless the run keeps going. */
static void reset_objects(const SofaObjects *objects, SofaErr *err) {
  for (size_t i = 0; i < objects->n; i++) {
    SofaObject *object = objects->data[i];
    if (!sofa_valid(object)) continue;
    run_object(object, SOFA_RUN_RESET);
    if (!sofa_valid(object) && !object->ctx->keep_going && *err == SOFA_OK) *err = SOFA_ERR_SCENE;
  }
}

SofaErr sofa_simulation_reset(SofaSimulation *s) {
  SofaSchedule *schedule = NULL;
  SofaErr err = SOFA_OK, failed = SOFA_OK;
  const SofaAnimationLoop *loop =
      (const SofaAnimationLoop *)sofa_node_slot(s->root, SOFA_ANIMATION_LOOP);
  if (loop) s->root->time = loop->stored_time;
  SOFA_GO(err, done, sofa_schedule_create(s->root, &schedule));
  SOFA_GO(err, done, sofa_schedule_update_context(schedule));
  reset_objects(&schedule->objects, &failed);
  // constraints take their start values; the stored state is projected already
  SOFA_GO(err, done, sofa_schedule_project_start(schedule, s->root->dt));
  reset_objects(&schedule->states, &failed);
  SOFA_GO(err, done, sofa_schedule_propagate(schedule));
  SOFA_GO(err, done, sofa_schedule_update_visuals(schedule));
  sofa_schedule_clear_vectors(schedule); // increments that solvers start from
  s->steps = 0;
  err = failed;
done:
  sofa_schedule_destroy(&schedule);
  s->failure = err;
  return err;
}

/* ---- queries ---- */

SofaErr sofa_simulation_states(SofaSimulation *s, SofaObjects *out) {
  SofaSchedule *schedule = NULL;
  *out = (SofaObjects){0};
  SOFA_TRY(sofa_schedule_create(s->root, &schedule));
  *out = schedule->states;
  schedule->states = (SofaObjects){0};
  sofa_schedule_destroy(&schedule);
  return SOFA_OK;
}

/* Energies, and what force fields have dissipated. */
static SofaErr add_energies(SofaNode *node, double energy[3]) {
  SofaMechanics *m = NULL;
  double k = 0, p = 0;
  SOFA_TRY(sofa_node_mechanics(node, &m));
  const SofaMechParams params = sofa_mech_params(0, node->time, 0, 0, 0);
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, node->time);
  SOFA_TRY(sofa_mech_energies(m, &params, &at, &k, &p));
  energy[0] += k;
  energy[1] += p;
  for (size_t i = 0; i < m->n_force_fields; i++)
    if (m->force_fields[i]->state[0] && sofa_force_field_dissipated(m->force_fields[i], &p))
      energy[2] += p;
  return SOFA_OK;
}

static SofaErr find_energies(SofaNode *root, double energy[3]) {
  SofaSchedule *schedule = NULL;
  SofaErr err = SOFA_OK;
  energy[0] = energy[1] = energy[2] = 0;
  SOFA_GO(err, done, sofa_schedule_create(root, &schedule));
  const SofaNode *last = NULL;
  for (size_t i = 0; i < schedule->solve.n; i++) {
    SofaNode *node = schedule->solve.data[i]->node;
    if (!sofa_implements(schedule->solve.data[i], SOFA_ODE_SOLVER) || node == last) continue;
    SOFA_GO(err, done, add_energies(node, energy));
    last = node;
  }
done:
  sofa_schedule_destroy(&schedule);
  return err;
}

SofaErr sofa_scene_energies(SofaNode *root, double *kinetic, double *potential) {
  double energy[3];
  const SofaErr err = find_energies(root, energy);
  *kinetic = energy[0];
  *potential = energy[1];
  return err;
}

SofaErr sofa_scene_dissipated(SofaNode *root, double *dissipated) {
  double energy[3];
  const SofaErr err = find_energies(root, energy);
  *dissipated = energy[2];
  return err;
}

SofaErr sofa_simulation_energies(SofaSimulation *s, double *kinetic, double *potential) {
  return sofa_scene_energies(s->root, kinetic, potential);
}
