/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A look at the outputs of an engine before the scene is initialised: those of a copy, which is
 * initialised and thrown away. The engine itself stays as it was read. */
#include "base/bytes.h"
#include "object/data_graph.h"
#include "object/object_impl.h"

static void hear_nothing(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

/* Outputs of a copy that was initialised are the values of the object's own. */
static SofaErr take_outputs(SofaObject *object, const SofaObject *copy) {
  const size_t n = sofa_class_n_fields(object->klass);
  SofaErr err = SOFA_OK;
  for (size_t i = 0; err == SOFA_OK && i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    const SofaType *type = state->field->type;
    if (!(state->field->flags & SOFA_FIELD_OUTPUT) || state->source || type->link) continue;
    err = sofa_type_convert(object->ctx, type, sofa_field_value(copy, state->field), type,
                            sofa_field_value(object, state->field));
    sofa_field_touch_state(object, state);
  }
  return err;
}

static SofaErr look(SofaObject *object) {
  SofaObject *copy = NULL;
  SofaErr err = sofa_object_make_aside(object, NULL, NULL, &copy);
  if (err == SOFA_OK) err = take_outputs(object, copy);
  sofa_object_destroy(&copy);
  sofa_graph_changed(object->node);
  return err;
}

/* Sources that are engines first. Unknown: a link leads to nothing yet. */
static SofaErr look_at_sources(SofaObject *object, bool *known) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; *known && i < n; i++) {
    const SofaFieldState *state = &object->field_states[i];
    if (state->source) SOFA_TRY(sofa_field_look(state->source, state->source_field));
    else if (state->link_path) *known = false;
  }
  return SOFA_OK;
}

static SofaErr look_silently(SofaObject *object) {
  SofaContext *ctx = object->ctx;
  const SofaMessageSink sink = ctx->sink;
  SofaMessageTap *taps = ctx->taps;
  uint64_t counts[SOFA_N_SEVERITIES];
  sofa_copy(counts, ctx->n_messages, sizeof counts);
  ctx->sink = hear_nothing;
  ctx->taps = NULL;
  const SofaErr err = look(object);
  ctx->sink = sink;
  ctx->taps = taps;
  sofa_copy(ctx->n_messages, counts, sizeof counts);
  return err;
}

SofaErr sofa_field_look(SofaObject *object, const SofaField *field) {
  bool known = true;
  if (object->initialised || object->in_update || object->own_class || !sofa_valid(object) ||
      !(field->flags & SOFA_FIELD_OUTPUT) || !sofa_is_engine(object->klass))
    return SOFA_OK;
  object->in_update = true; // also against cycles
  SofaErr err = sofa_data_resolve(object, false);
  if (err != SOFA_ERR_MEMORY) err = look_at_sources(object, &known);
  if (err != SOFA_ERR_MEMORY && known) err = look_silently(object);
  object->in_update = false;
  return err == SOFA_ERR_MEMORY ? err : SOFA_OK; // the rest its init reports
}
