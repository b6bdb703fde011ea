/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Life of an object: creation, names and paths, messages, phases, destruction. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "object/handle_impl.h"
#include "object/node_index_impl.h"
#include "object/object_impl.h"
#include "object/outside_plans.h"

#define VALID_STATES "Undefined", "Loading", "Valid", "Dirty", "Busy", "Invalid"
static const char *const component_states[] = {VALID_STATES, NULL};

/* a box that contains nothing: DBL_MAX to -DBL_MAX */
#define EMPTY_BOX                                                                                  \
  "1.7976931348623157e308 1.7976931348623157e308 1.7976931348623157e308 "                          \
  "-1.7976931348623157e308 -1.7976931348623157e308 -1.7976931348623157e308"

static const SofaField object_fields[] = {
    SOFA_FIELD(SofaObject, name, "name", "", "", "name of the object",
               .flags = SOFA_FIELD_NO_AUTOLINK),
    SOFA_FIELD(SofaObject, print_log, "printLog", "0", "", "show info messages of this object",
               .flags = SOFA_FIELD_NO_AUTOLINK),
    SOFA_FIELD(SofaObject, tags, "tags", NULL, "", "words by which visitors choose objects",
               .flags = SOFA_FIELD_NO_AUTOLINK),
    SOFA_FIELD(SofaObject, bbox, "bbox", EMPTY_BOX, "m",
               "bounding box, min x y z then max x y z; empty when min > max",
               .flags = SOFA_FIELD_NO_AUTOLINK | SOFA_FIELD_DISPLAY),
    SOFA_FIELD(SofaObject, component_state, "componentState", "Undefined", "",
               "whether the object could be initialised; Invalid objects are left out",
               .flags = SOFA_FIELD_NO_AUTOLINK, .options = component_states),
    SOFA_FIELD(SofaObject, listening, "listening", "0", "", "receive events",
               .flags = SOFA_FIELD_NO_AUTOLINK),
};

static const SofaQuirk object_quirks[] = {
    {SOFA_QUIRK_FLOAT_ATTRIBUTES, "float-attributes",
     "legacy attributes such as dx, scale or xmin are read in single precision",
     "test_topologies.grid_attributes_of_old"},
};

const SofaClass sofa_object_class = {
    .name = "Object",
    .module = "csofa",
    .category = "Object",
    .help = "The base of all components.",
    .size = sizeof(SofaObject),
    SOFA_FIELDS(object_fields),
    SOFA_QUIRKS(object_quirks),
    .abstract = true,
};

/* ---- names ---- */

static SofaErr copy_name(SofaObject *object, const char *name) {
  char *copy = sofa_strdup(object->ctx, name ? name : "");
  if (!copy) return SOFA_ERR_MEMORY;
  sofa_free(object->ctx, object->name);
  object->name = copy;
  return SOFA_OK;
}

SofaErr sofa_object_set_name(SofaObject *object, const char *name) {
  SOFA_TRY(copy_name(object, name));
  sofa_node_index_renamed(object);
  return SOFA_OK;
}

SofaErr sofa_object_name(SofaObject *object) {
  const unsigned named = sofa_node_index_n_named(object->node, sofa_object_class_of(object));
  const unsigned k = named - object->auto_named + 1;
  char *name = sofa_format(object->ctx, "%s%u", object->klass->name, k);
  if (!name) return SOFA_ERR_MEMORY;
  sofa_free(object->ctx, object->name);
  object->name = name;
  sofa_node_index_renamed(object);
  sofa_node_index_named(object);
  return SOFA_OK;
}

/* "/a/b": every node but the root adds its name, empty ones too. */
static SofaErr append_node_path(const SofaNode *node, SofaText *out) {
  const SofaNode *parent = sofa_node_parent(node);
  if (!parent) return SOFA_OK;
  SOFA_TRY(append_node_path(parent, out));
  return sofa_text_printf(node->object.ctx, out, "/%s", node->object.name);
}

char *sofa_object_path(const SofaObject *object) {
  SofaText out = {0};
  SofaContext *ctx = object->ctx;
  const bool is_node = &object->node->object == object;
  SofaErr err = append_node_path(object->node, &out);
  if (!err && !out.n) err = sofa_text_append(ctx, &out, "/", 1);
  if (!err && !is_node) {
    // nothing goes between a node path that is just "/" and the name
    const char *slash = out.n == 1 ? "" : "/";
    err = sofa_text_printf(ctx, &out, "%s%s", slash, object->name ? object->name : "");
  }
  if (!err) return out.data;
  sofa_list_free(ctx, &out);
  return NULL;
}

/* ---- messages ---- */

static void send(const SofaObject *object, SofaSeverity severity, int line, const char *text) {
  char *path = sofa_object_path(object);
  char *emitter =
      sofa_format(object->ctx, "%s(%s)", object->klass->name, object->name ? object->name : "");
  const SofaOrigin origin = {object->file, line ? line : object->line, path, emitter};
  sofa_message(object->ctx, severity, &origin, "%s", text);
  sofa_free(object->ctx, path);
  sofa_free(object->ctx, emitter);
}

static void send_va(const SofaObject *object, SofaSeverity severity, int line, const char *before,
                    const char *format, va_list args) __attribute__((format(printf, 5, 0)));

static void send_va(const SofaObject *object, SofaSeverity severity, int line, const char *before,
                    const char *format, va_list args) {
  char text[2048];
  size_t n = strlen(before);
  if (n > sizeof text / 2) n = sizeof text / 2;
  sofa_copy(text, before, n);
  sofa_vprint(text + n, sizeof text - n, format, args);
  send(object, severity, line, text);
}

void sofa_object_message(const SofaObject *object, SofaSeverity severity, const char *format, ...) {
  if (severity == SOFA_INFO && !object->print_log) return;
  va_list args;
  va_start(args, format);
  send_va(object, severity, 0, "", format, args);
  va_end(args);
}

SofaErr sofa_object_fail(const SofaObject *object, SofaErr err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  send_va(object, SOFA_ERROR, 0, "", format, args);
  va_end(args);
  return err;
}

SofaErr sofa_field_fail(const SofaObject *object, const char *name, SofaErr err, const char *format,
                        ...) {
  const SofaField *field = sofa_class_field(object->klass, name);
  const bool known = field && object->field_states;
  char before[128];
  va_list args;
  snprintf(before, sizeof before, "field '%.100s': ", name);
  va_start(args, format);
  send_va(object, SOFA_ERROR, known ? sofa_field_state(object, field)->line : 0, before, format,
          args);
  va_end(args);
  return err;
}

SofaErr sofa_object_unsupported(const SofaObject *object, const char *format, ...) {
  char before[160];
  va_list args;
  snprintf(before, sizeof before, "%.100s is not supported yet: ", object->klass->name);
  va_start(args, format);
  send_va(object, SOFA_ERROR, 0, before, format, args);
  va_end(args);
  return SOFA_ERR_UNSUPPORTED;
}

/* ---- phases ---- */

typedef SofaErr (*Phase)(SofaObject *object);

static Phase phase_of(const SofaClass *klass, SofaRun phase) {
  switch (phase) {
  case SOFA_RUN_CONSTRUCT:
    return klass->construct;
  case SOFA_RUN_PARSED:
    return klass->parsed;
  case SOFA_RUN_INIT:
    return klass->init;
  case SOFA_RUN_BWD_INIT:
    return klass->bwd_init;
  case SOFA_RUN_REINIT:
    return klass->reinit;
  case SOFA_RUN_STORE_RESET:
    return klass->store_reset;
  case SOFA_RUN_RESET:
    return klass->reset;
  case SOFA_RUN_UPDATE:
    return klass->update;
  }
  return NULL;
}

static SofaErr run_chain(SofaObject *object, const SofaClass *klass, SofaRun phase) {
  if (!klass) return SOFA_OK;
  SOFA_TRY(run_chain(object, sofa_class_base(klass), phase));
  const Phase function = phase_of(klass, phase);
  return function ? function(object) : SOFA_OK;
}

/* Is there a function of the phase? */
static bool has_phase(const SofaClass *klass, SofaRun phase) {
  while (klass && !phase_of(klass, phase)) klass = sofa_class_base(klass);
  return klass != NULL;
}

/* Links that a scene gives to an output are not those that the object finds, which it may own. */
static void drop_given_outputs(SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    for (size_t i = 0; i < k->n_fields; i++) {
      const SofaField *field = &k->fields[i];
      if ((field->flags & SOFA_FIELD_OUTPUT) && field->type->link)
        sofa_type_free(field->type, object->ctx, (char *)object + field->offset);
    }
}

SofaErr sofa_object_run(SofaObject *object, SofaRun phase) {
  if (phase == SOFA_RUN_PARSED && has_phase(object->klass, phase))
    SOFA_TRY(sofa_ranges_settle(object, false));
  if (phase == SOFA_RUN_INIT) {
    SOFA_TRY(sofa_families_check(object));
    SOFA_TRY(sofa_object_check_ranges(object));
    drop_given_outputs(object);
  }
  sofa_object_changed(object);
  const SofaErr err = run_chain(object, object->klass, phase);
  if (!err && phase == SOFA_RUN_INIT) object->initialised = true;
  // what failed knows no place in the scene
  if (err == SOFA_ERR_MEMORY) return sofa_object_fail(object, err, "there is not enough memory");
  return err;
}

static SofaErr event_chain(SofaObject *object, const SofaClass *klass,
                           const struct SofaEvent *event) {
  if (!klass) return SOFA_OK;
  SOFA_TRY(event_chain(object, sofa_class_base(klass), event));
  return klass->handle_event ? klass->handle_event(object, event) : SOFA_OK;
}

SofaErr sofa_object_handle_event(SofaObject *object, const struct SofaEvent *event) {
  return event_chain(object, object->klass, event);
}

static SofaErr box_chain(SofaObject *object, const SofaClass *klass, SofaBox *box) {
  if (!klass) return SOFA_OK;
  SOFA_TRY(box_chain(object, sofa_class_base(klass), box));
  return klass->bounding_box ? klass->bounding_box(object, box) : SOFA_OK;
}

SofaErr sofa_object_bounding_box(SofaObject *object, SofaBox *box) {
  return box_chain(object, object->klass, box);
}

/* ---- creation ---- */

/* Canonical text of all parts of a template: "Rigid3, Vec3" is "Rigid3d,Vec3d". */
static SofaErr set_template(SofaObject *object, const char *text) {
  SofaText out = {0};
  SofaErr err = sofa_text_append(object->ctx, &out, "", 0);
  char part[64];
  for (const char *p = text ? text : ""; !err && *p;) {
    p += strspn(p, " ,");
    const size_t n = strcspn(p, " ,");
    if (!n) break;
    const char *name = part;
    if (n < sizeof part) {
      sofa_copy(part, p, n);
      part[n] = '\0';
      name = sofa_template_alias(part, NULL);
    }
    err = n < sizeof part ? sofa_text_printf(object->ctx, &out, "%s%s", out.n ? "," : "", name)
                          : sofa_text_append(object->ctx, &out, p, n);
    p += n;
  }
  if (err) sofa_list_free(object->ctx, &out);
  object->template_name = out.data;
  return err;
}

static SofaStateKind first_kind(const char *template_name) {
  char part[64];
  const size_t n = strcspn(template_name, ",");
  if (!n || n >= sizeof part) return SOFA_NO_KIND;
  sofa_copy(part, template_name, n);
  part[n] = '\0';
  return sofa_state_kind_from_name(part);
}

static bool is_listening(const SofaClass *klass) {
  while (klass && !klass->listening) klass = sofa_class_base(klass);
  return klass != NULL;
}

/* Which quirks of the class are on; said once per context. */
static SofaErr resolve_quirks(SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k)) {
    for (size_t i = 0; i < k->n_quirks; i++) {
      if (!sofa_quirk_chosen(object->ctx, k->quirks[i].word)) continue;
      object->quirks |= k->quirks[i].bit;
      SOFA_TRY(sofa_quirk_announce(object->ctx, &k->quirks[i]));
    }
  }
  return SOFA_OK;
}

SofaErr sofa_object_setup(SofaObject *object, const SofaClass *klass, SofaNode *node,
                          const char *name, const char *template_name, const SofaObjectInfo *info) {
  object->klass = klass;
  object->node = node;
  object->rank = ++object->ctx->n_objects;
  object->kind = SOFA_NO_KIND;
  SOFA_TRY(resolve_quirks(object));
  if (info) {
    object->file = info->file;
    object->line = info->line;
    if (info->created_as && strcmp(info->created_as, klass->name) != 0) {
      object->created_as = sofa_strdup(object->ctx, info->created_as);
      if (!object->created_as) return SOFA_ERR_MEMORY;
    }
  }
  const char *const *templates = sofa_object_class_of(object)->templates;
  if (!template_name && templates) template_name = templates[0];
  SOFA_TRY(set_template(object, template_name));
  object->kind = first_kind(object->template_name);
  SOFA_TRY(sofa_fields_setup(object));
  object->listening = is_listening(klass);
  return copy_name(object, name);
}

/* The functions of its interfaces, where their structs keep them; those of the class come before
 * those of its bases. */
static void keep_ops(SofaObject *object) {
  for (const SofaClass *klass = object->klass; klass; klass = sofa_class_base(klass)) {
    for (const SofaImplementation *i = klass->implements; i && i->interface; i++) {
      if (i->interface->ops_member == 0) continue;
      const void **ops = (const void **)((char *)object + i->interface->ops_member);
      if (!*ops) *ops = i->ops;
    }
  }
}

SofaErr sofa_object_create_from(SofaNode *node, const SofaClass *klass, const char *name,
                                const char *template_name, const SofaObjectInfo *info,
                                SofaObject **out) {
  SofaContext *ctx = node->object.ctx;
  SofaErr err = SOFA_OK;
  *out = NULL;
  const bool is_node = sofa_class_is_a(klass, &sofa_node_class);
  if (klass->abstract || is_node || klass->size < sizeof(SofaObject)) {
    return sofa_object_fail(&node->object, SOFA_ERR_ARGUMENT, "a %s cannot be created",
                            klass->name);
  }
  SofaOwnClass *own = NULL;
  SOFA_TRY(sofa_own_class_create(ctx, klass, template_name, info, &own));
  if (own) klass = sofa_own_class(own);
  SofaObject *object = sofa_alloc(ctx, 1, klass->size);
  if (!object) {
    sofa_free(ctx, own);
    return SOFA_ERR_MEMORY;
  }
  object->ctx = ctx;
  object->own_class = own;
  SOFA_GO(err, fail, sofa_object_setup(object, klass, node, name, template_name, info));
  keep_ops(object);
  SOFA_GO(err, fail, SOFA_APPEND(ctx, &node->objects, &object));
  sofa_graph_changed(node);
  err = sofa_object_run(object, SOFA_RUN_CONSTRUCT);
  if (!err) {
    *out = object;
    return SOFA_OK;
  }
  sofa_object_destroy(&object);
  return err;
fail:
  sofa_object_clear(object);
  sofa_free(ctx, object);
  return err;
}

SofaErr sofa_object_create(SofaNode *node, const SofaClass *klass, const char *name,
                           const char *template_name, SofaObject **out) {
  return sofa_object_create_from(node, klass, name, template_name, NULL, out);
}

SofaErr sofa_object_create_for(const SofaObject *maker, const SofaClass *klass, const char *name,
                               const char *template_name, SofaObject **out) {
  const SofaObjectInfo info = {.file = maker->file, .line = maker->line};
  return sofa_object_create_from(maker->node, klass, name, template_name, &info, out);
}

/* ---- destruction ---- */

void sofa_object_clear(SofaObject *object) {
  SofaContext *ctx = object->ctx;
  sofa_handle_drop(object);
  sofa_fields_clear(object);
  // the name is a field, but it may be all there is
  sofa_free(ctx, object->name);
  sofa_free(ctx, object->created_as);
  sofa_free(ctx, object->template_name);
  sofa_free(ctx, object->own_class);
  object->own_class = NULL;
  object->name = object->created_as = object->template_name = NULL;
}

void sofa_object_release(SofaObject *object) {
  for (const SofaClass *klass = object->klass; klass; klass = sofa_class_base(klass)) {
    if (klass->destroy) klass->destroy(object);
    for (size_t i = 0; i < klass->n_lists; i++)
      sofa_list_free(object->ctx, sofa_private_list(object, &klass->lists[i]));
  }
  SofaContext *ctx = object->ctx;
  sofa_object_clear(object);
  sofa_free(ctx, object);
}

/* Takes the object out of its node and frees it. */
static void take_out(SofaObject *object) {
  SofaNode *node = object->node;
  SofaObjects *list = &node->objects;
  for (size_t i = 0; i < list->n; i++) {
    if (list->data[i] != object) continue;
    sofa_move(list->data + i, list->data + i + 1, (list->n - i - 1) * sizeof *list->data);
    list->n--;
    sofa_node_index_drop(node);
    break;
  }
  sofa_graph_forget_dying(sofa_node_root(node));
  // forgetting looks at the graph only, the object itself is out of it
  sofa_graph_changed(node);
  sofa_object_release(object);
}

void sofa_object_destroy(SofaObject **pobject) {
  SofaObject *object = pobject ? *pobject : NULL;
  if (!object) return;
  *pobject = NULL;
  object->dying = true;
  sofa_node_drop_plans(object->node);
  take_out(object);
}

void sofa_object_destroy_outside(SofaObject **pobject) {
  SofaObject *object = *pobject;
  if (!object) return;
  SofaNode *node = object->node;
  const uint64_t before = node->graph_version ? *node->graph_version : 0;
  *pobject = NULL;
  object->dying = true;
  take_out(object);
  sofa_graph_changed_outside(node, before);
}
