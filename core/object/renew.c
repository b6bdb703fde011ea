/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes an object again with one field changed, while its scene is open. */

#include "object/data_graph.h"
#include "object/handle_impl.h"
#include "object/node_index_impl.h"
#include "object/object_impl.h"

/* Gives `to` what the scene gave `from` in a field. */
static SofaErr copy_field(const SofaObject *from, const SofaFieldState *state, SofaObject *to) {
  const SofaField *field = state->field;
  SofaText text = {0};
  SofaErr err = SOFA_OK;
  if (state->source) return sofa_data_link(to, field, state->source, state->source_field);
  err = sofa_field_print(from, field, &text);
  if (err == SOFA_OK) err = sofa_field_set_text(to, field->name, text.data ? text.data : "", 0);
  sofa_list_free(from->ctx, &text);
  if (err == SOFA_OK) sofa_field_state(to, field)->line = state->line;
  return err;
}

static SofaErr copy_fields(const SofaObject *from, const SofaField *but, SofaObject *to) {
  const size_t n = sofa_class_n_fields(from->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *state = &from->field_states[i];
    if ((!state->set && !state->source) || state->field == but) continue;
    SOFA_TRY(copy_field(from, state, to));
  }
  to->auto_named = from->auto_named;
  return SOFA_OK;
}

/* What reading and initialising a scene does with an object. */
static SofaErr bring_to_life(SofaObject *object) {
  SOFA_TRY(sofa_data_resolve(object, true));
  SOFA_TRY(sofa_object_run(object, SOFA_RUN_PARSED));
  SOFA_TRY(sofa_data_pull(object, NULL));
  SOFA_TRY(sofa_object_run(object, SOFA_RUN_INIT));
  SOFA_TRY(sofa_object_run(object, SOFA_RUN_BWD_INIT));
  SOFA_TRY(sofa_object_run(object, SOFA_RUN_STORE_RESET));
  return sofa_valid(object) ? SOFA_OK : SOFA_ERR_ARGUMENT;
}

static SofaErr make(const SofaObject *old, const SofaField *field, const char *text,
                    SofaObject **out) {
  const SofaObjectInfo info = {old->file, old->line, old->created_as, NULL};
  SofaErr err = SOFA_OK;
  SOFA_TRY(
      sofa_object_create_from(old->node, old->klass, old->name, old->template_name, &info, out));
  SOFA_GO(err, done, copy_fields(old, field, *out));
  if (field) SOFA_GO(err, done, sofa_field_set_text(*out, field->name, text, 0));
  SOFA_GO(err, done, bring_to_life(*out));
done:
  if (err != SOFA_OK) sofa_object_destroy(out);
  return err;
}

static size_t rank_of(const SofaObjects *list, const SofaObject *object) {
  size_t i = 0;
  while (i < list->n && list->data[i] != object) i++;
  return i;
}

static void take_out(SofaObjects *list, size_t i) {
  sofa_node_index_drop(list->data[i]->node);
  list->n--;
  sofa_move(list->data + i, list->data + i + 1, (list->n - i) * sizeof *list->data);
}

/* The list had room for it before. */
static void put_back(SofaObjects *list, size_t i, SofaObject *object) {
  sofa_move(list->data + i + 1, list->data + i, (list->n - i) * sizeof *list->data);
  list->data[i] = object;
  sofa_node_index_drop(object->node);
  list->n++;
}

SofaErr sofa_object_make_aside(SofaObject *old, const SofaField *field, const char *text,
                               SofaObject **out) {
  SofaObjects *list = &old->node->objects;
  // room for it again, also when its successor brings others along
  enum { ROOM = 16 };
  const size_t n = list->n, at = rank_of(list, old);
  SOFA_TRY(SOFA_RESIZE(old->ctx, list, n + ROOM));
  list->n = n;
  // the old one stands aside, so that searches meet only one
  take_out(list, at);
  const SofaErr err = make(old, field, text, out);
  put_back(list, at, old);
  return err;
}

SofaErr sofa_object_renew(SofaObject *old, const char *name, const char *text, SofaObject **out) {
  SofaObjects *list = &old->node->objects;
  const SofaField *field = sofa_class_field(old->klass, name);
  *out = NULL;
  if (!field) return SOFA_ERR_NOT_FOUND;
  if (old->own_class)
    return sofa_field_fail(old, name, SOFA_ERR_UNSUPPORTED,
                           "cannot be changed while the scene is open: the fields of a %s depend "
                           "on the scene file",
                           old->klass->name);
  const SofaErr err = sofa_object_make_aside(old, field, text, out);
  sofa_graph_changed(old->node);
  if (err != SOFA_OK) return err;
  const size_t at = rank_of(list, old);
  take_out(list, rank_of(list, *out));
  take_out(list, at);
  put_back(list, at, *out);
  sofa_graph_redirect(sofa_node_root(old->node), old, *out);
  sofa_handle_move(old, *out);
  (*out)->rank = old->rank;
  sofa_object_destroy(&old);
  return SOFA_OK;
}
