/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects: instances of classes. An object belongs to exactly one node. */
#ifndef SOFA_OBJECT_OBJECT_H
#define SOFA_OBJECT_OBJECT_H

#include "base/message.h"
#include "object/class.h"

SOFA_BEGIN_DECLS

typedef enum SofaComponentState {
  SOFA_UNDEFINED,
  SOFA_LOADING,
  SOFA_VALID,
  SOFA_DIRTY,
  SOFA_BUSY,
  SOFA_INVALID
} SofaComponentState;

typedef struct SofaObject {
  const SofaClass *klass;
  SofaContext *ctx;
  struct SofaNode *node; /* owner; for a node: itself */
  char *name;
  uint64_t handle;  /* object/handle.h; 0: none was asked for */
  uint64_t rank;    /* grows with each object and node that the context makes */
  const char *file; /* scene file of its element; owned by the simulation */
  int line;
  struct SofaOwnClass *own_class; /* klass, when it has field families; owned */
  char *created_as;               /* tag in the scene when it is not the class name; owned */
  char *template_name;            /* canonical template, owned; "" when the class has none */
  uint32_t quirks;                /* bits of the class's quirks that are on; resolved at creation */
  SofaStateKind kind;             /* from the template's first part; SOFA_NO_KIND */
  SofaFieldState *field_states;   /* one per field of the class, owned */
  bool print_log, listening;
  bool initialised;           /* init was called */
  bool auto_named;            /* named by sofa_object_name */
  bool dying;                 /* its destruction has begun */
  bool of_run;                /* another object made it in a step; see object/checkpoint.h */
  bool in_update;             /* data graph: on the stack */
  bool updated;               /* engines: update has run */
  uint64_t changes;           /* grows with every change of a field and every run of a phase */
  uint64_t update_stamp;      /* engines: sum of the tracked versions at the last update */
  uint64_t current_at;        /* engines: the context's n_changes when they were up to date */
  SofaIndices tracked;        /* fields that are linked or inputs of an engine */
  SofaOption component_state; /* SofaComponentState; INVALID ones are left out */
  SofaTags tags;
  SofaBox bbox;
} SofaObject;

/* Interface test and ops of an object (ops may be SOFA_NO_OPS). */
static inline const void *sofa_ops(const SofaObject *object, const SofaInterface *interface) {
  return sofa_class_ops(object->klass, interface);
}
static inline bool sofa_implements(const SofaObject *object, const SofaInterface *interface) {
  return object && sofa_class_ops(object->klass, interface) != NULL;
}
/* Is a quirk of the object's class on? bit: of the quirk. */
static inline bool sofa_quirk(const SofaObject *object, uint32_t bit) {
  return (object->quirks & bit) != 0;
}
/* What others keep of the object's data is no longer true: classes call it where they make data
 * again outside of a phase. */
static inline void sofa_object_changed(SofaObject *object) {
  object->changes++;
  object->ctx->n_changes++;
}
static inline bool sofa_valid(const SofaObject *object) {
  return object->component_state.index != SOFA_INVALID;
}

/* Creates an object in `node` (appended to its lists), applies defaults and calls construct.
 * `name` NULL: "" (the caller names it later). */
SofaErr sofa_object_create(struct SofaNode *node, const SofaClass *klass, const char *name,
                           const char *template_name, SofaObject **out);
/* The origin of an object. */
typedef struct SofaObjectInfo {
  const char *file; /* must outlive the object */
  int line;
  const char *created_as; /* tag in the scene; copied when it differs from the class name */
  const struct SofaElement *element; /* gives the number of fields of a family; NULL: the default */
} SofaObjectInfo;
SofaErr sofa_object_create_from(struct SofaNode *node, const SofaClass *klass, const char *name,
                                const char *template_name, const SofaObjectInfo *info,
                                SofaObject **out);
/* Creates an object in the node of `maker`, which needs it: messages about it name the place of the
 * maker in the scene. */
SofaErr sofa_object_create_for(const SofaObject *maker, const SofaClass *klass, const char *name,
                               const char *template_name, SofaObject **out);
/* Removes it from its node's lists and frees it with its fields. Links of other objects to it are
 * cleared; plans of the solvers above are dropped first. */
void sofa_object_destroy(SofaObject **object);

/* Makes an object again, as loading would, from the fields that were set and one field's new text
 * ("@path" links). On success links of other objects lead to *out, and the old object is destroyed.
 * On failure the old object is unchanged and the reason is reported. For objects that only links
 * refer to (force fields, projective constraints). */
SofaErr sofa_object_renew(SofaObject *object, const char *field, const char *text,
                          SofaObject **out);

/* Renames; NULL is "". */
SofaErr sofa_object_set_name(SofaObject *object, const char *name);
/* Gives an unnamed object the name SOFA gives it: class name and a number, from 1, that counts the
 * unnamed objects of the class in the node. */
SofaErr sofa_object_name(SofaObject *object);

/* Phases of life, in the class table's order. Runs the function of every class of the chain, base
 * first; stops at the first error. SOFA_RUN_INIT sets `initialised`. */
typedef enum SofaRun {
  SOFA_RUN_CONSTRUCT,
  SOFA_RUN_PARSED,
  SOFA_RUN_INIT,
  SOFA_RUN_BWD_INIT,
  SOFA_RUN_REINIT,
  SOFA_RUN_STORE_RESET,
  SOFA_RUN_RESET,
  SOFA_RUN_UPDATE
} SofaRun;
SofaErr sofa_object_run(SofaObject *object, SofaRun phase);
SofaErr sofa_object_handle_event(SofaObject *object, const struct SofaEvent *event);
/* Grows *box by what the classes of the object report. */
SofaErr sofa_object_bounding_box(SofaObject *object, SofaBox *box);

/* Path as SOFA writes it ("/a/b/name"; unnamed nodes give empty parts). Caller frees. */
char *sofa_object_path(const SofaObject *object);

/* Messages of an object: with file, line, path. Info only appears with printLog="true". */
void sofa_object_message(const SofaObject *object, SofaSeverity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports an error of the object and returns err. */
SofaErr sofa_object_fail(const SofaObject *object, SofaErr err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Same for one field: the message names the field and the line of its attribute. */
SofaErr sofa_field_fail(const SofaObject *object, const char *field, SofaErr err,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Are all values in their ranges? Init checks it; call it when the object is used before init.
 * Each value is reported once. */
SofaErr sofa_object_check_ranges(SofaObject *object);
/* Have the lists of the object's rows the lengths and indices of what they belong to? The bases of
 * force fields, constraints and mappings ask at init and reinit, when they know their states. */
SofaErr sofa_object_check_lists(SofaObject *object);
/* "X is not supported yet: ..." with SOFA_ERR_UNSUPPORTED. */
SofaErr sofa_object_unsupported(const SofaObject *object, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fields of the object in family `family` of its class: their number, and the value of the i-th. */
size_t sofa_family_n(const SofaObject *object, size_t family);
void *sofa_family_value(const SofaObject *object, size_t family, size_t i);
/* Type of the values of a family. */
const SofaType *sofa_family_type(const SofaObject *object, size_t family);

/* Adds fields to this object that its class does not have, after the others: a loader does so for
 * the arrays of a file. Names are copied; offsets are not used; values are all zero. Only once, in
 * `parsed`, and not for classes with families. */
SofaErr sofa_object_add_fields(SofaObject *object, const SofaField *rows, size_t n);

/* Fields. `name` is a field name or alias. */
static inline void *sofa_field_value(const SofaObject *object, const SofaField *field) {
  /* added fields lie anywhere: the sum may wrap around */
  return (void *)((uintptr_t)object + field->offset);
}
static inline void *sofa_private_list(const SofaObject *object, const SofaPrivateList *list) {
  return (char *)(uintptr_t)object + list->offset;
}
/* Before reading a field of another object: computes it when it is lazy. */
SofaErr sofa_field_compute(SofaObject *object, const SofaField *field);
SofaFieldState *sofa_field_state(const SofaObject *object, const SofaField *field);
bool sofa_field_is_set(const SofaObject *object, const char *name);
/* Marks the value as changed: increments the version. In a step: O(1) with the field, not the name.
 */
void sofa_field_touch(SofaObject *object, const SofaField *field);
void sofa_field_touch_name(SofaObject *object, const char *name);
/* Applies text as an XML attribute would: "@path" makes a (data) link. All fields matching the name
 * or alias get it. Unreadable text: reported with file, line, expected form; SOFA's value is left
 * and SOFA_ERR_PARSE returned. Unknown name: SOFA_ERR_NOT_FOUND, not reported. line: 0 unknown. */
SofaErr sofa_field_set_text(SofaObject *object, const char *name, const char *text, int line);
/* Appends the value as text (17 significant digits). */
SofaErr sofa_field_print(const SofaObject *object, const SofaField *field, SofaText *out);

/* Is the field at its default? (compares text forms) */
bool sofa_field_is_default(const SofaObject *object, const SofaField *field);

SOFA_END_DECLS

#endif
