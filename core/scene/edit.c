/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of fields while the scene is open. A value of the same length is set, and the class takes
 * it over. Where a list becomes longer or shorter or a link leads elsewhere, a class either makes
 * itself again (reinit), or its object is made again; what others were built on is refused. */
#include "scene/edit.h"

#include <string.h>

#include "base/text.h"
#include "behavior/loader.h"
#include "behavior/mapping.h"
#include "behavior/mass.h"
#include "behavior/projective.h"
#include "behavior/rotation_finder.h"
#include "behavior/visual_model.h"
#include "change/topological_mapping.h"
#include "object/data_graph.h"
#include "object/numbers.h"
#include "simulation/schedule.h"

/* ---- what may be changed ---- */

const char *sofa_edit_refusal(const SofaField *field) {
  static const char *const names[] = {"name", "template", NULL};
  if (field->flags & SOFA_FIELD_OUTPUT || strcmp(field->name, "componentState") == 0)
    return "it is computed";
  if (field->flags & SOFA_FIELD_UNSUPPORTED) return "it is not supported yet";
  for (int i = 0; names[i]; i++)
    if (strcmp(field->name, names[i]) == 0)
      return "links and templates of other objects rely on it: change the file and reload it";
  return NULL;
}

/* Makes the object its data again? The reinit of a base does not know what a class below it makes
 * in its own init. */
static bool has_reinit(const SofaObject *object) {
  for (const SofaClass *c = object->klass; c; c = sofa_class_base(c)) {
    if (c->reinit) return true;
    if (c->init || c->bwd_init) return false;
  }
  return false;
}

static bool has_warp(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strstr(node->objects.data[i]->klass->name, "WarpPreconditioner")) return true;
  for (size_t i = 0; i < node->children.n; i++)
    if (has_warp(node->children.data[i])) return true;
  return false;
}

/* Objects that act on a state and are referenced only by links. */
static bool is_leaf(const SofaObject *object) {
  // what a program itself put into the scene it knows by its address
  if (sofa_implements(object, SOFA_MASS) || !object->file) return false;
  if (!sofa_implements(object, SOFA_FORCE_FIELD) && !sofa_implements(object, SOFA_PROJECTIVE))
    return false;
  // a preconditioner keeps the force field whose rotations it uses
  return !sofa_implements(object, SOFA_ROTATION_FINDER) || !has_warp(sofa_node_root(object->node));
}

typedef enum Way { SET, RENEW, REFUSE } Way;

/* How a list gets another length, or a link another target. */
static Way way_of(const SofaObject *object, const SofaField *field, const char **why) {
  const bool link = field->type->link;
  *why = "";
  if (field->flags & SOFA_FIELD_DISPLAY && !link) return SET;
  if (sofa_implements(object, SOFA_VISUAL_MODEL)) *why = "a mapping moves these points";
  else if (sofa_implements(object, SOFA_STATE)) *why = "all that acts on the state relies on it";
  else if (sofa_implements(object, SOFA_TOPOLOGY) || sofa_implements(object, SOFA_LOADER) ||
           sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING))
    *why = "states, masses and force fields were made for these points and elements";
  else if (sofa_implements(object, SOFA_MAPPING)) *why = "the order of the scene relies on it";
  else if (is_leaf(object)) return link || !has_reinit(object) ? RENEW : SET;
  else if (has_reinit(object) || sofa_implements(object, SOFA_ENGINE)) return SET;
  else if (link) *why = "the object looked it up when the scene was loaded";
  else *why = "it was read into a table when the scene was loaded";
  return REFUSE;
}

/* ---- the old value ---- */

typedef struct Old {
  SofaText text;
  SofaObject *source; /* of a data link, or NULL */
  const SofaField *source_field;
  bool set;
} Old;

static SofaErr keep(const SofaObject *object, const SofaField *field, Old *old) {
  const SofaFieldState *state = sofa_field_state(object, field);
  *old = (Old){.source = state->source, .source_field = state->source_field, .set = state->set};
  return sofa_field_print(object, field, &old->text);
}

/* Does the new value stand? The class says so when it takes it over. */
static SofaErr take_over(SofaObject *object, const SofaField *field) {
  if (!object->initialised || (field->flags & SOFA_FIELD_REINIT)) return SOFA_OK;
  if (sofa_implements(object, SOFA_ENGINE)) return sofa_data_update(object);
  return sofa_object_run(object, SOFA_RUN_REINIT);
}

static void restore(SofaObject *object, const SofaField *field, Old *old) {
  sofa_field_set_text(object, field->name, old->text.data ? old->text.data : "", 0);
  if (field->type->link) sofa_data_resolve(object, true);
  if (old->source) sofa_data_link(object, field, old->source, old->source_field);
  sofa_field_state(object, field)->set = old->set;
  take_over(object, field);
}

/* ---- setting ---- */

static SofaErr fail_length(const SofaObject *object, const SofaField *field, size_t n, size_t now,
                           const char *why) {
  return sofa_field_fail(object, field->name, SOFA_ERR_RANGE,
                         "expected %zu entries, not %zu: the length of this list cannot change "
                         "while the scene is open: %s; change the file and reload it",
                         n, now, why);
}

/* A text that reads as a list of another length: does it go? *way: how. */
static SofaErr look_at_length(SofaObject *object, const SofaField *field, const char *text,
                              Way *way) {
  const size_t n = sofa_value_length(field, sofa_field_value(object, field));
  SofaText why = {0};
  const SofaParse parse = {object->ctx, field, NULL, object->kind, &why, object};
  const char *reason = "";
  size_t now = n;
  void *value = sofa_alloc(object->ctx, 1, field->type->size);
  if (!value) return SOFA_ERR_MEMORY;
  if (field->type == &sofa_type_coords)
    ((SofaCoords *)value)->width = ((const SofaCoords *)sofa_field_value(object, field))->width;
  // unreadable text is reported when it is set
  if (sofa_type_parse(field->type, &parse, text, value) == SOFA_OK)
    now = sofa_value_length(field, value);
  sofa_type_free(field->type, object->ctx, value);
  sofa_free(object->ctx, value);
  sofa_list_free(object->ctx, &why);
  if (now == n) return SOFA_OK;
  *way = way_of(object, field, &reason);
  return *way == REFUSE ? fail_length(object, field, n, now, reason) : SOFA_OK;
}

/* Links and values, into the object as it is. Reports why not. */
static SofaErr set(SofaObject *object, const SofaField *field, const char *text) {
  const bool link = text[0] == '@' || field->type->link;
  const size_t n = sofa_value_length(field, sofa_field_value(object, field));
  const char *why = "";
  SOFA_TRY(sofa_field_set_text(object, field->name, text, 0));
  if (!link) return take_over(object, field);
  SOFA_TRY(sofa_data_resolve(object, true));
  if (!field->type->link) {
    SOFA_TRY(sofa_data_check_cycles(sofa_node_root(object->node)));
    SOFA_TRY(sofa_data_pull(object, NULL));
    const size_t now = sofa_value_length(field, sofa_field_value(object, field));
    if (field->type->list && now != n && way_of(object, field, &why) == REFUSE)
      return fail_length(object, field, n, now, why);
  }
  SOFA_TRY(take_over(object, field));
  sofa_graph_changed(object->node);
  return SOFA_OK;
}

static SofaErr set_or_restore(SofaObject *object, const SofaField *field, const char *text) {
  Old old;
  SofaErr err = keep(object, field, &old);
  if (err == SOFA_OK) err = set(object, field, text);
  if (err != SOFA_OK && err != SOFA_ERR_MEMORY) restore(object, field, &old);
  sofa_list_free(object->ctx, &old.text);
  return err;
}

/* A class that made something of the value at the beginning, and cannot make it again. */
static void say_when(const SofaObject *object, const SofaField *field) {
  const SofaField *common = sofa_object_class.fields; /* names, tags, messages: read when used */
  if ((field->flags & (SOFA_FIELD_REINIT | SOFA_FIELD_DISPLAY)) || has_reinit(object)) return;
  if (field >= common && field < common + sofa_object_class.n_fields) return;
  if (sofa_implements(object, SOFA_FORCE_FIELD) || sofa_implements(object, SOFA_MAPPING) ||
      sofa_implements(object, SOFA_TOPOLOGY))
    sofa_object_message(object, SOFA_WARNING,
                        "'%s' is set; data made of the old value when the scene was loaded is "
                        "not updated: change the file and reload it if nothing is to be seen",
                        field->name);
}

static SofaErr refuse(const SofaObject *object, const char *field, const char *why,
                      const char *hint) {
  return sofa_field_fail(object, field, SOFA_ERR_UNSUPPORTED,
                         "it cannot be changed while the scene is open: %s%s", why, hint);
}

/* In a scene that is initialised the nodes below take gravity and dt over, as they do at init. */
static SofaErr hand_down(SofaObject *object) {
  SofaNode *root = sofa_node_root(object->node);
  SofaSchedule *schedule = NULL;
  if (object->klass != &sofa_node_class || !root->objects.n || !root->objects.data[0]->initialised)
    return SOFA_OK;
  SOFA_TRY(sofa_schedule_create(root, &schedule));
  const SofaErr err = sofa_schedule_update_context(schedule);
  sofa_schedule_destroy(&schedule);
  return err;
}

/* Init sees the value. Nodes are not initialised. */
static SofaErr set_early(SofaObject *object, const SofaField *field, const char *text) {
  SOFA_TRY(sofa_field_set_text(object, field->name, text, 0));
  if (sofa_data_resolve(object, false) == SOFA_ERR_MEMORY) return SOFA_ERR_MEMORY;
  return hand_down(object);
}

SofaErr sofa_edit_field(SofaObject **pobject, const SofaField *field, const char *text) {
  SofaObject *object = *pobject;
  const char *why = "";
  Way way = SET;
  if (object->in_update) return set_early(object, field, text); // an engine's own output
  if (sofa_edit_refusal(field)) return refuse(object, field->name, sofa_edit_refusal(field), "");
  if (!object->initialised) return set_early(object, field, text);
  if (text[0] == '@' || field->type->link) way = way_of(object, field, &why);
  else if (field->type->list) SOFA_TRY(look_at_length(object, field, text, &way));
  // a data link that brings as many entries is possible everywhere but in a state
  if (way == REFUSE && (field->type->link || sofa_implements(object, SOFA_STATE)))
    return refuse(object, field->name, why, "; change the file and reload it");
  if (way == RENEW) {
    SofaObject *made = NULL;
    SOFA_TRY(sofa_object_renew(object, field->name, text, &made));
    *pobject = made;
    return SOFA_OK;
  }
  SOFA_TRY(set_or_restore(object, field, text));
  say_when(object, field);
  return SOFA_OK;
}

SofaErr sofa_edit(SofaObject **object, const char *name, const char *text) {
  const SofaField *field = sofa_class_field((*object)->klass, name);
  if (!field) return sofa_field_fail(*object, name, SOFA_ERR_NOT_FOUND, "there is no such field");
  return sofa_edit_field(object, field, text);
}

/* ---- numbers ---- */

static SofaErr set_as_text(SofaObject **object, const SofaField *field, size_t n,
                           const double *values) {
  SofaContext *ctx = (*object)->ctx;
  SofaText text = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; err == SOFA_OK && i < n; i++) {
    char number[40];
    sofa_print_real(number, values[i], 17);
    err = sofa_text_printf(ctx, &text, "%s%s", i ? " " : "", number);
  }
  if (err == SOFA_OK) err = sofa_edit_field(object, field, text.data ? text.data : "");
  sofa_list_free(ctx, &text);
  return err;
}

/* Of the same length, in place; a value that the class refuses is taken back. */
static SofaErr set_in_place(SofaObject *object, const SofaField *field, size_t n,
                            const double *values) {
  SofaContext *ctx = object->ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *old = SOFA_SCRATCH(ctx, double, n + 1);
  SofaErr err = old ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; err == SOFA_OK && i < n; i++)
    if (!sofa_field_number(object, field, i, &old[i])) err = SOFA_ERR_TYPE;
  if (err == SOFA_OK) err = sofa_field_set_numbers(object, field, n, values);
  if (err == SOFA_OK) {
    err = take_over(object, field);
    if (err != SOFA_OK && sofa_field_set_numbers(object, field, n, old) == SOFA_OK)
      take_over(object, field);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_edit_field_numbers(SofaObject **pobject, const SofaField *field, size_t n,
                                const double *values) {
  SofaObject *object = *pobject;
  const char *name = field->name;
  const SofaScalar scalar = field->type->scalar;
  if (scalar == SOFA_SCALAR_NONE || scalar == SOFA_SCALAR_STRING)
    return sofa_field_fail(object, name, SOFA_ERR_TYPE, "a %s has no numbers", field->type->name);
  if (sofa_edit_refusal(field) && !object->in_update)
    return refuse(object, name, sofa_edit_refusal(field), "");
  const void *value = sofa_field_value(object, field);
  const size_t width = sofa_value_width(field, value);
  if (n % width || (!field->type->list && n != width))
    return sofa_field_fail(object, name, SOFA_ERR_RANGE,
                           "%zu numbers, expected %s%zu: the value is a %s", n,
                           field->type->list ? "a multiple of " : "", width, field->type->name);
  const uint64_t before = object->ctx->n_messages[SOFA_ERROR];
  if (n != sofa_value_length(field, value) * width || sofa_field_state(object, field)->source)
    return set_as_text(pobject, field, n, values);
  if (object->in_update) return sofa_field_set_numbers(object, field, n, values);
  SofaErr err = set_in_place(object, field, n, values);
  if (err == SOFA_OK) err = hand_down(object);
  if (err == SOFA_OK) say_when(object, field);
  else if (object->ctx->n_messages[SOFA_ERROR] == before)
    sofa_field_fail(object, name, err, "a number does not fit a %s", field->type->name);
  return err;
}

SofaErr sofa_edit_numbers(SofaObject **object, const char *name, size_t n, const double *values) {
  const SofaField *field = sofa_class_field((*object)->klass, name);
  if (!field) return sofa_field_fail(*object, name, SOFA_ERR_NOT_FOUND, "there is no such field");
  return sofa_edit_field_numbers(object, field, n, values);
}

SofaErr sofa_edit_touch(SofaObject *object, const SofaField *field) {
  if (sofa_edit_refusal(field)) return refuse(object, field->name, sofa_edit_refusal(field), "");
  sofa_field_touch(object, field);
  if (!object->initialised) return SOFA_OK;
  if (field->flags & SOFA_FIELD_REINIT) return sofa_object_run(object, SOFA_RUN_REINIT);
  return take_over(object, field);
}
