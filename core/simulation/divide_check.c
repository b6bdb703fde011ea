/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of scenes that several processes run. */
#include <string.h>

#include "base/checksum.h"
#include "behavior/list_owner.h"
#include "behavior/loader.h"
#include "behavior/mapping.h"
#include "behavior/animation_loop.h"
#include "behavior/linear_solver.h"
#include "behavior/linear_system.h"
#include "behavior/ode_solver.h"
#include "behavior/state_division.h"
#include "simulation/divide.h"
#include "topology/element_source.h"

/* ---- what an object works on ---- */

/* Has the object a part of a mesh? */
static bool is_divided(const SofaObject *object) {
  if (!object) return false;
  if (sofa_implements(object, SOFA_STATE)) return sofa_state_division((const SofaState *)object);
  if (sofa_implements(object, SOFA_TOPOLOGY))
    return sofa_topology_division((const SofaTopology *)object);
  return sofa_class_is_a(object->klass, &sofa_mesh_loader_class) &&
         ((const SofaMeshLoader *)object)->division;
}

static bool links_to_divided(const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *state = &object->field_states[i];
    const SofaField *field = state->field;
    if (is_divided(state->source)) return true;
    if (field->type == &sofa_type_link &&
        is_divided(((const SofaLink *)sofa_field_value(object, field))->target))
      return true;
    const SofaLinks *links = sofa_field_value(object, field);
    for (size_t k = 0; field->type == &sofa_type_links && k < links->n; k++)
      if (is_divided(links->data[k].target)) return true;
  }
  return false;
}

static bool has_divided_states(const SofaObject *object) {
  if (sofa_implements(object, SOFA_FORCE_FIELD)) {
    const SofaForceField *ff = (const SofaForceField *)object;
    for (size_t i = 0; i < ff->n_states; i++)
      if (ff->state[i] && sofa_state_division(ff->state[i])) return true;
  }
  if (!sofa_implements(object, SOFA_MAPPING)) return false;
  const SofaMapping *map = (const SofaMapping *)object;
  for (size_t i = 0; i < map->n_inputs; i++)
    if (map->inputs[i] && sofa_state_division(map->inputs[i])) return true;
  return map->out && sofa_state_division(map->out);
}

static bool touches(const SofaObject *object) {
  if (has_divided_states(object) || links_to_divided(object)) return true;
  if (is_divided(&sofa_node_state(object->node)->object)) return true;
  const SofaTopology *topology = sofa_node_topology(object->node);
  return topology && sofa_topology_division(topology);
}

/* Solvers work on the states below them. */
static bool is_of_solution(const SofaObject *object) {
  return sofa_implements(object, SOFA_ODE_SOLVER) || sofa_implements(object, SOFA_LINEAR_SOLVER) ||
         sofa_implements(object, SOFA_LINEAR_SYSTEM) ||
         sofa_implements(object, SOFA_ANIMATION_LOOP);
}

/* ---- refusals ---- */

/* Has the topology faces that it made of its part of the volumes? Those between two parts would
 * count twice. */
static bool derives_faces(const SofaTopology *topology) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};
  for (size_t i = 0; topology && i < SOFA_COUNT(kinds); i++) {
    if (!sofa_mesh_elements(&topology->mesh, kinds[i]).n) continue;
    if (!sofa_topology_list_division(topology, kinds[i])) return true;
  }
  return false;
}

/* A topology that is made of another has a division of its own, of the same points. */
static bool same_points(const SofaDivision *a, const SofaDivision *b) {
  if (a == b || !a || !b) return a == b;
  return a->n_whole == b->n_whole && a->n == b->n &&
         sofa_compare(a->number.data, b->number.data, a->n * sizeof *a->number.data) == 0;
}

static const SofaDivision *numbers_at(const SofaFieldState *state, const SofaDivision *wanted,
                                      int depth);

static bool has_numbers(const SofaField *field) {
  return field->type == &sofa_type_indices && (field->flags & SOFA_FIELD_INPUT);
}

/* Makes an engine its numbers of lists with those of another mesh? */
static bool combines_others(const SofaObject *engine, const SofaDivision *wanted, int depth) {
  enum { MOST = 16 };
  const size_t n = sofa_class_n_fields(engine->klass);
  if (!sofa_implements(engine, SOFA_ENGINE)) return false;
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *state = &engine->field_states[i];
    if (!state->source || !has_numbers(state->field)) continue;
    if (depth == MOST || !same_points(numbers_at(state, wanted, depth + 1), wanted)) return true;
  }
  return false;
}

/* The mesh whose numbers a list that comes from another object has; NULL: of one that is whole. */
static const SofaDivision *numbers_at(const SofaFieldState *state, const SofaDivision *wanted,
                                      int depth) {
  const SofaObject *source = state->source;
  const SofaBelongs *b = state->source_field->belongs;
  const SofaField *places = sofa_class_field(source->klass, "position");
  if (b && b->role != SOFA_ROLE_NONE && b->kind == SOFA_ELEMENT_POINT) {
    const SofaState *of = sofa_state_of_role(source, b->state);
    return of ? sofa_state_division(of) : NULL;
  }
  if (is_divided(source)) return wanted;
  if (places && sofa_field_state(source, places)->source)
    return sofa_field_division(source, places);
  if (combines_others(source, wanted, depth)) return NULL;
  return touches(source) ? wanted : NULL;
}

static const SofaDivision *numbers_of(const SofaFieldState *state, const SofaDivision *wanted) {
  return numbers_at(state, wanted, 0);
}

/* The division of what a list belongs to; NULL: it is whole. */
static const SofaDivision *owner_of(const SofaObject *object, const SofaBelongs *b) {
  if (b->kind != SOFA_ELEMENT_POINT || b->of_topology) {
    const SofaTopology *t = sofa_topology_of_link(object, b->link);
    return t ? sofa_topology_division(t) : NULL;
  }
  const SofaState *of = sofa_state_of_role(object, b->state);
  return of ? sofa_state_division(of) : NULL;
}

/* Has a list the numbers of another mesh than the one it is used for? A single value of the scene
 * is that of all. */
static bool has_foreign_list(const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *state = &object->field_states[i];
    const SofaBelongs *b = state->field->belongs;
    if (!b || b->role == SOFA_ROLE_NONE || (!state->source && !state->set)) continue;
    const SofaDivision *wanted = owner_of(object, b);
    const SofaAnyList *list = sofa_field_value(object, state->field);
    if (state->source && !same_points(numbers_of(state, wanted), wanted)) return true;
    /* recorders keep the places of entries, and find the points of other processes themselves */
    if (!state->source && wanted && list->n > 1 && !state->divided && !b->keep_places) return true;
  }
  return false;
}

/* Has an engine that selects from the points of one mesh numbers of another one? */
static bool selects_foreign(const SofaObject *object) {
  const SofaField *places = sofa_class_field(object->klass, "position");
  return places && sofa_implements(object, SOFA_ENGINE) &&
         combines_others(object, sofa_field_division(object, places), 0);
}

/* Chooses a mapping points by numbers of another mesh than its input has? Its list has no row. */
static bool chooses_foreign(const SofaObject *object) {
  const SofaField *field = sofa_class_field(object->klass, "indices");
  const SofaFieldState *state = field ? sofa_field_state(object, field) : NULL;
  if (!sofa_implements(object, SOFA_MAPPING) || !state || !state->source || field->belongs)
    return false;
  const SofaMapping *map = (const SofaMapping *)object;
  const SofaDivision *wanted =
      map->n_inputs && map->inputs[0] ? sofa_state_division(map->inputs[0]) : NULL;
  return !same_points(numbers_of(state, wanted), wanted);
}

static bool is_named(const SofaField *field, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(field->name, names[i]) == 0) return true;
  return false;
}

/* Of a topology's faces that a field is linked to: are they derived from its part of the volumes?
 */
static bool links_to_derived(const SofaObject *object, const SofaFieldState *state) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};
  if (!sofa_implements(state->source, SOFA_TOPOLOGY)) return false;
  const SofaTopology *t = (const SofaTopology *)state->source;
  for (size_t i = 0; i < SOFA_COUNT(kinds); i++)
    if (strcmp(state->source_field->name, sofa_element_kind_info(kinds[i])->field) == 0)
      return !sofa_topology_list_division(t, kinds[i]) ||
             !sofa_field_division(object, state->field);
  return false;
}

/* Edges and faces that a topology has made of its part of the volumes: those of two parts are no
 * list of the whole. Objects that count faces ask for them (derives_faces). */
static bool is_derived(const SofaObject *object, const SofaField *field) {
  if (!sofa_implements(object, SOFA_TOPOLOGY)) return false;
  const unsigned derived = ((const SofaTopology *)object)->derived;
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++)
    if (derived & 1u << k &&
        strcmp(field->name, sofa_element_kind_info((SofaElementKind)k)->field) == 0)
      return true;
  return false;
}

/* Has it a list of the scene's text, or of faces, that is not that of this process? */
static bool has_whole_list(const SofaObject *object) {
  static const char *const names[] = {
      "position",  "rest_position", "velocity",           "externalForce", "edges",
      "triangles", "quads",         "tetrahedra",         "hexahedra",     "prisms",
      "pyramids",  "indices",       "tetrahedronIndices", "localRange"};
  const bool state = sofa_implements(object, SOFA_STATE);
  const bool engine = sofa_implements(object, SOFA_ENGINE);
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *s = &object->field_states[i];
    const SofaAnyList *list = sofa_field_value(object, s->field);
    if (!is_named(s->field, names, SOFA_COUNT(names)) && !(engine && has_numbers(s->field)))
      continue;
    if (s->field->type->link || is_derived(object, s->field)) continue;
    if (!s->field->type->list) continue; /* a choice of exporters */
    if (sofa_implements(object, SOFA_ELEMENT_SOURCE) && s->source && links_to_derived(object, s))
      return true;
    if (s->field->belongs && s->field->belongs->role != SOFA_ROLE_NONE) continue; /* by its row */
    if (!s->set || s->source || s->divided || (s->field->flags & SOFA_FIELD_OUTPUT)) continue;
    if (state && (strcmp(s->field->name, "position") == 0 || list->n <= 1)) continue;
    if (list->n) return true;
  }
  return false;
}

static const char *why_not_whole(const SofaObject *object) {
  if (sofa_implements(object, SOFA_LINEAR_SOLVER))
    return "it needs all of it: use PETScLinearSolver, or CGLinearSolver without a matrix";
  return "it needs all of it";
}

/* Why the object cannot work on what is divided; NULL: it can. */
static const char *why_not(const SofaObject *object) {
  const SofaDivided how = sofa_class_divided(object->klass);
  if (how == SOFA_DIVIDED_NEUTRAL) return NULL;
  if (how == SOFA_DIVIDED_NOT)
    return touches(object) || is_of_solution(object) ? why_not_whole(object) : NULL;
  if (!touches(object)) return NULL;
  if (has_foreign_list(object) || chooses_foreign(object) || selects_foreign(object))
    return "one of its lists has numbers of the whole mesh";
  if (has_whole_list(object))
    return "one of its lists is that of the whole mesh, or of derived faces";
  if (how == SOFA_DIVIDED_BY_FACES && derives_faces(sofa_topology_of_link(object, NULL)))
    return "its topology derives faces from volumes: list them in the mesh, for instance with "
           "createSubelements of the loader";
  return NULL;
}

/* Objects of the scene in their order: those that are used, or all. */
static SofaErr list_objects(SofaNode *root, bool all, SofaObjects *out) {
  SofaContext *ctx = root->object.ctx;
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(root, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++)
      if (all || sofa_valid(nodes.data[i]->objects.data[k]))
        SOFA_GO(err, done, SOFA_APPEND(ctx, out, &nodes.data[i]->objects.data[k]));
done:
  sofa_list_free(ctx, &nodes);
  return err;
}

static SofaErr append_refusal(const SofaObject *object, const char *why, SofaText *out) {
  SofaContext *ctx = object->ctx;
  SOFA_TRY(sofa_text_printf(ctx, out, out->n ? "; " : " "));
  if (object->file) SOFA_TRY(sofa_text_printf(ctx, out, "%s:%d: ", object->file, object->line));
  return sofa_text_printf(ctx, out, "%s '%s': %s", object->klass->name,
                          object->name ? object->name : "", why);
}

static void say(SofaContext *ctx, size_t n, const SofaText *text) {
  sofa_message(ctx, SOFA_ERROR, NULL,
               "%zu object%s cannot work on a mesh that is divided among processes yet:%s", n,
               n == 1 ? "" : "s", text->data);
}

/* The lowest process that has something to refuse says it. */
static SofaErr report(SofaContext *ctx, size_t n, const SofaText *text) {
  const int n_processes = sofa_process_count(ctx), rank = sofa_process_rank(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const uint64_t mine = n;
  uint64_t *all = SOFA_SCRATCH(ctx, uint64_t, (size_t)n_processes);
  SofaErr err = all ? sofa_process_collect(ctx, sizeof mine, &mine, all) : SOFA_ERR_MEMORY;
  int first = 0;
  while (err == SOFA_OK && first < n_processes && !all[first]) first++;
  if (err == SOFA_OK && first < n_processes) err = SOFA_ERR_UNSUPPORTED;
  if (err == SOFA_ERR_UNSUPPORTED && first == rank) say(ctx, n, text);
  // the others end the run when it is said; whether they wait so long is of no other use
  if (err == SOFA_ERR_UNSUPPORTED) (void)sofa_process_collect(ctx, sizeof mine, &mine, all);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr list_refused(const SofaObjects *objects, size_t *n, SofaText *text) {
  *n = 0;
  for (size_t i = 0; i < objects->n; i++) {
    const char *why = why_not(objects->data[i]);
    if (!why) continue;
    ++*n;
    SOFA_TRY(append_refusal(objects->data[i], why, text));
  }
  return SOFA_OK;
}

static SofaErr refuse(SofaContext *ctx, const SofaObjects *objects) {
  SofaText text = {0};
  size_t n;
  SofaErr err = list_refused(objects, &n, &text);
  if (err == SOFA_OK) err = report(ctx, n, &text);
  sofa_list_free(ctx, &text);
  return err;
}

/* Objects that keep_going has left out because of the division: the motion would be another one.
 * The lowest process that has refused one says it. */
static SofaErr refuse_left_out(SofaContext *ctx) {
  const int n_processes = sofa_process_count(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const bool mine = ctx->processes->undivided;
  bool *all = SOFA_SCRATCH(ctx, bool, (size_t)n_processes);
  SofaErr err = all ? sofa_process_collect(ctx, sizeof mine, &mine, all) : SOFA_ERR_MEMORY;
  int first = 0;
  while (err == SOFA_OK && first < n_processes && !all[first]) first++;
  if (err == SOFA_OK && first < n_processes) err = SOFA_ERR_UNSUPPORTED;
  if (err == SOFA_ERR_UNSUPPORTED && first == sofa_process_rank(ctx))
    sofa_message(ctx, SOFA_ERROR, NULL,
                 "an object cannot work on its part of a mesh: it is not left out, as the motion "
                 "would be another one than on one process");
  if (err == SOFA_ERR_UNSUPPORTED) (void)sofa_process_collect(ctx, sizeof mine, &mine, all);
  sofa_scratch_release(ctx, mark);
  return err;
}

void sofa_tell_divided(SofaNode *root) {
  SofaContext *ctx = root->object.ctx;
  SofaObjects objects = {0};
  SofaText text = {0};
  size_t n = 0;
  if (!sofa_is_divided(root)) return;
  if (list_objects(root, true, &objects) == SOFA_OK &&
      list_refused(&objects, &n, &text) == SOFA_OK && n)
    say(ctx, n, &text);
  sofa_list_free(ctx, &text);
  sofa_list_free(ctx, &objects);
}

/* ---- what all have ---- */

static uint64_t sum_list(uint64_t sum, size_t n, size_t size, const void *data) {
  const uint64_t count = n;
  sum = sofa_checksum(sum, &count, sizeof count);
  return n ? sofa_checksum(sum, data, n * size) : sum;
}

static uint64_t sum_state(const SofaState *s) {
  const size_t size = s->position.width * sizeof(double);
  const uint64_t sum = sum_list(SOFA_CHECKSUM_BEGIN, s->position.n, size, s->position.data);
  return sum_list(sum, s->rest_position.n, size, s->rest_position.data);
}

static uint64_t sum_topology(const SofaTopology *t) {
  uint64_t sum =
      sum_list(SOFA_CHECKSUM_BEGIN, t->mesh.position.n, sizeof(SofaVec3), t->mesh.position.data);
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(&t->mesh, (SofaElementKind)kind);
    sum = sum_list(sum, list.n, list.width * sizeof *list.v, list.v);
  }
  return sum;
}

/* Of what is not divided, and its class. */
static uint64_t sum_object(const SofaObject *object) {
  const char *name = object->klass->name;
  const uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, name, strlen(name));
  if (is_divided(object)) return sum;
  if (sofa_implements(object, SOFA_STATE)) return sum ^ sum_state((const SofaState *)object);
  if (sofa_implements(object, SOFA_TOPOLOGY))
    return sum ^ sum_topology((const SofaTopology *)object);
  return sum;
}

static SofaErr differs(const SofaObject *object) {
  if (sofa_process_rank(object->ctx) > 0) return SOFA_ERR_SCENE;
  return sofa_object_fail(object, SOFA_ERR_SCENE,
                          "differs between the processes: it is made from a divided mesh in a way "
                          "that is not supported yet, or the processes read different files");
}

/* sums: of this process, n_objects of them; all: room for those of all processes. */
static SofaErr compare(SofaContext *ctx, const SofaObjects *objects, uint64_t *sums,
                       uint64_t *all) {
  const size_t n = objects->n, n_processes = (size_t)sofa_process_count(ctx);
  for (size_t i = 0; i < n; i++) sums[i] = sum_object(objects->data[i]);
  SOFA_TRY(sofa_process_collect(ctx, n * sizeof *sums, sums, all));
  for (size_t i = 0; i < n; i++)
    for (size_t r = 1; r < n_processes; r++)
      if (all[r * n + i] != all[i]) return differs(objects->data[i]);
  return SOFA_OK;
}

static SofaErr compare_whole(SofaContext *ctx, const SofaObjects *objects) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const uint64_t n = objects->n;
  bool same = false;
  SofaErr err = sofa_process_same(ctx, sizeof n, &n, &same);
  if (err == SOFA_OK && !same)
    err = sofa_fail(ctx, SOFA_ERR_SCENE, NULL, "the processes have read different scenes");
  uint64_t *sums = SOFA_SCRATCH(ctx, uint64_t, n + 1);
  uint64_t *all = SOFA_SCRATCH(ctx, uint64_t, n * (size_t)sofa_process_count(ctx) + 1);
  if (err == SOFA_OK) err = sums && all ? compare(ctx, objects, sums, all) : SOFA_ERR_MEMORY;
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_check_divided(SofaNode *root) {
  SofaContext *ctx = root->object.ctx;
  SofaObjects objects = {0}, all = {0};
  if (!ctx->processes) return SOFA_OK;
  const bool divided = sofa_is_divided(root);
  SofaErr err = list_objects(root, false, &objects);
  if (err == SOFA_OK) err = list_objects(root, true, &all);
  if (err == SOFA_OK && divided) err = refuse(ctx, ctx->keep_going ? &all : &objects);
  if (err == SOFA_OK && divided) err = refuse_left_out(ctx);
  if (err == SOFA_OK) err = sofa_process_tell_mended(ctx);
  if (err == SOFA_OK) err = compare_whole(ctx, &objects);
  sofa_list_free(ctx, &objects);
  sofa_list_free(ctx, &all);
  return err;
}
