/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of values along data links, the update of engines, and the search for cycles. */
#include "object/data_graph.h"

#include "object/object_impl.h"

bool sofa_is_engine(const SofaClass *klass) {
  while (klass && !klass->update) klass = sofa_class_base(klass);
  return klass != NULL;
}

/* Does the source's value come out of the update of an engine? */
static bool from_engine(const SofaFieldState *state) {
  return (state->source_field->flags & SOFA_FIELD_OUTPUT) && sofa_is_engine(state->source->klass);
}

/* ---- cycles ---- */

static SofaErr append_field(const SofaObject *object, const SofaFieldState *state, SofaText *out) {
  char *path = sofa_object_path(object);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err =
      sofa_text_printf(object->ctx, out, "%s%s.%s", out->n ? " -> " : "", path, state->field->name);
  sofa_free(object->ctx, path);
  return err;
}

/* The tracked field of an engine that is being pulled. */
static SofaFieldState *busy_input(const SofaObject *engine) {
  for (size_t i = 0; i < engine->tracked.n; i++) {
    SofaFieldState *state = &engine->field_states[engine->tracked.data[i]];
    if (state->busy) return state;
  }
  return NULL;
}

/* Reports the cycle through a busy link and breaks it there, so that it is reported once. All
 * links of a cycle are busy. */
static SofaErr report_cycle(SofaObject *object, SofaFieldState *state) {
  SofaText text = {0};
  const SofaObject *o = object;
  const SofaFieldState *s = state;
  SofaErr err = append_field(o, s, &text);
  do {
    if (!err && from_engine(s)) err = append_field(s->source, s->source_state, &text);
    o = s->source;
    s = from_engine(s) ? busy_input(o) : s->source_state;
    if (!err && s) err = append_field(o, s, &text);
  } while (!err && s && s != state);
  state->broken = true;
  if (!err) {
    err = sofa_field_fail(object, state->field->name, SOFA_ERR_CYCLE, "cyclic data links: %s",
                          text.data);
  }
  sofa_list_free(object->ctx, &text);
  return err;
}

/* Depth-first search from one link, towards the sources. */
static SofaErr check_link(SofaObject *object, SofaFieldState *state) {
  if (!state->source || state->broken || state->checked) return SOFA_OK;
  if (state->busy) return report_cycle(object, state);
  SofaErr err = SOFA_OK;
  state->busy = true;
  SofaObject *source = state->source;
  if (!from_engine(state)) {
    err = check_link(source, state->source_state);
  } else {
    for (size_t i = 0; i < source->tracked.n; i++) {
      const SofaErr e = check_link(source, &source->field_states[source->tracked.data[i]]);
      if (!err) err = e;
    }
  }
  state->busy = false;
  state->checked = true;
  return err;
}

static void uncheck(SofaObject *object) {
  for (size_t i = 0; i < object->tracked.n; i++) {
    object->field_states[object->tracked.data[i]].checked = false;
  }
}

static SofaErr check_object(SofaObject *object) {
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < object->tracked.n; i++) {
    const SofaErr e = check_link(object, &object->field_states[object->tracked.data[i]]);
    if (!err) err = e;
  }
  return err;
}

typedef struct Check {
  bool reset;
  SofaErr err;
} Check;

static void check_one(SofaObject *object, Check *check) {
  if (check->reset) {
    uncheck(object);
    return;
  }
  const SofaErr e = check_object(object);
  if (!check->err) check->err = e;
}

static SofaVisit check_node(SofaNode *node, void *user) {
  Check *check = user;
  check_one(&node->object, check);
  for (size_t i = 0; i < node->objects.n; i++) check_one(node->objects.data[i], check);
  return SOFA_CONTINUE;
}

SofaErr sofa_data_check_cycles(SofaNode *root) {
  Check check = {.reset = true};
  const SofaVisitor visitor = {.down = check_node, .user = &check, .inactive_too = true};
  SOFA_TRY(sofa_visit(root, &visitor));
  check.reset = false;
  SOFA_TRY(sofa_visit(root, &visitor));
  return check.err;
}

/* ---- where a value comes from ---- */

/* None of the links that it has followed is followed twice. */
static bool leads_to(SofaFieldState *state, const SofaObject *engine) {
  for (; state && state->source && !state->broken && !state->followed;
       state = state->source_state) {
    const SofaObject *source = state->source;
    state->followed = true;
    if (!from_engine(state)) continue;
    bool found = source == engine;
    for (size_t i = 0; i < source->tracked.n && !found; i++)
      found = leads_to(&source->field_states[source->tracked.data[i]], engine);
    return found;
  }
  return false;
}

static void forget_links(SofaFieldState *state) {
  for (; state && state->followed; state = state->source_state) {
    const SofaObject *source = state->source;
    state->followed = false;
    if (!from_engine(state)) continue;
    for (size_t i = 0; i < source->tracked.n; i++)
      forget_links(&source->field_states[source->tracked.data[i]]);
    return;
  }
}

bool sofa_data_comes_from(const SofaObject *object, const SofaField *field,
                          const SofaObject *engine) {
  SofaFieldState *state = sofa_field_state(object, field);
  const bool found = leads_to(state, engine);
  forget_links(state);
  return found;
}

/* ---- pulling ---- */

static SofaErr pull_field(SofaObject *object, SofaFieldState *state, bool *changed);

/* Brings the source of a link up to date. An engine that was not initialised yet has nothing to
 * give; its value comes with a later pull. */
static SofaErr refresh(SofaFieldState *state) {
  SofaObject *source = state->source;
  SOFA_TRY(sofa_field_compute(source, state->source_field));
  if (!from_engine(state)) return pull_field(source, state->source_state, NULL);
  if (source->in_update) {
    SofaFieldState *input = busy_input(source);
    return input ? report_cycle(source, input) : SOFA_OK;
  }
  return source->initialised ? sofa_data_update(source) : SOFA_OK;
}

static SofaErr copy_value(SofaObject *object, SofaFieldState *state) {
  const SofaField *from = state->source_field, *to = state->field;
  const bool view = sofa_field_is_view(object, to);
  const SofaErr err =
      sofa_type_convert(object->ctx, from->type, sofa_field_value(state->source, from), to->type,
                        sofa_field_value(object, to));
  // a state that got another size has left the solver's vectors
  if (view && !sofa_field_is_view(object, to)) sofa_graph_changed(object->node);
  if (err && err != SOFA_ERR_MEMORY) {
    return sofa_field_fail(object, to->name, err, "the value of '%s' cannot be read as a %s",
                           state->link_path ? state->link_path : from->name, to->type->name);
  }
  return err;
}

static SofaErr pull_field(SofaObject *object, SofaFieldState *state, bool *changed) {
  if (!state->source || state->broken) return SOFA_OK;
  if (state->busy) return report_cycle(object, state);
  state->busy = true;
  SofaErr err = refresh(state);
  const uint32_t version = state->source_state->version;
  if (!err && state->pulled != version) {
    // a value that cannot be read is reported once
    state->pulled = version;
    err = copy_value(object, state);
    sofa_field_touch_state(object, state);
    if (!err) err = sofa_range_settle(object, state);
    if (changed) *changed = true;
  } else if (!err && state->outside) {
    err = SOFA_ERR_RANGE; // reported when it came
  }
  state->busy = false;
  return err;
}

/* Pulls all linked fields; *reinit: one that asks for it has changed. */
static SofaErr pull_all(SofaObject *object, bool *changed, bool *reinit) {
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < object->tracked.n; i++) {
    SofaFieldState *state = &object->field_states[object->tracked.data[i]];
    bool one = false;
    const SofaErr e = pull_field(object, state, &one);
    if (!err) err = e;
    *changed |= one;
    *reinit |= one && (state->field->flags & SOFA_FIELD_REINIT);
  }
  return err;
}

SofaErr sofa_data_pull(SofaObject *object, bool *changed) {
  bool any = false, reinit = false;
  if (changed) *changed = false;
  if (!object->tracked.n) return SOFA_OK;
  SofaErr err = pull_all(object, &any, &reinit);
  if (changed) *changed = any;
  if (!err && reinit && object->initialised) err = sofa_object_run(object, SOFA_RUN_REINIT);
  return err;
}

/* ---- engines ---- */

/* Versions only grow, so a sum that stays means that nothing changed. */
static uint64_t input_stamp(const SofaObject *object) {
  uint64_t stamp = 0;
  for (size_t i = 0; i < object->tracked.n; i++) {
    stamp += object->field_states[object->tracked.data[i]].version;
  }
  return stamp;
}

void sofa_object_touch_outputs(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    if (state->field->flags & SOFA_FIELD_OUTPUT) sofa_field_touch_state(object, state);
  }
}

bool sofa_object_has_linked_inputs(const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *state = &object->field_states[i];
    if (!(state->field->flags & SOFA_FIELD_OUTPUT) && (state->source || state->link_path))
      return true;
  }
  return false;
}

SofaErr sofa_data_update(SofaObject *object) {
  if (!sofa_is_engine(object->klass)) return sofa_data_pull(object, NULL);
  if (object->in_update) return SOFA_OK;
  // several links lead to it, and nothing has changed since the first one asked
  if (object->updated && object->current_at == object->ctx->n_changes) return SOFA_OK;
  // an engine that was refused does not compute; nor do those that wait for its values
  if (!sofa_valid(object)) return object->ctx->keep_going ? SOFA_OK : SOFA_ERR_SCENE;
  object->in_update = true;
  SofaErr err = sofa_data_pull(object, NULL);
  if (!err && (!object->updated || input_stamp(object) != object->update_stamp)) {
    err = sofa_object_run(object, SOFA_RUN_UPDATE);
    sofa_object_touch_outputs(object);
    // a change that the update made to an input is not a reason for another update
    object->updated = true;
    object->update_stamp = input_stamp(object);
  }
  object->in_update = false;
  object->current_at = err == SOFA_OK ? object->ctx->n_changes : 0;
  return err;
}

SofaErr sofa_field_refresh(SofaObject *object, const SofaField *field) {
  if (!object->initialised) return sofa_field_look(object, field);
  const bool output = object->updated && field->flags & SOFA_FIELD_OUTPUT;
  SOFA_TRY(output ? sofa_data_update(object) : sofa_data_pull(object, NULL));
  return sofa_field_compute(object, field);
}
