/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the object model; not for components. */
#ifndef SOFA_OBJECT_OBJECT_IMPL_H
#define SOFA_OBJECT_OBJECT_IMPL_H

#include "object/node.h"

/* Quirk of every object (row in object.c). Bits of base classes go from here downwards, those of
 * other classes from 1 upwards. */
enum { SOFA_QUIRK_FLOAT_ATTRIBUTES = 1 << 30 };

/* Fills the common part of an object that is zero but for its context, and applies the defaults of
 * its fields. On failure sofa_object_clear frees what there is. */
SofaErr sofa_object_setup(SofaObject *object, const SofaClass *klass, SofaNode *node,
                          const char *name, const char *template_name, const SofaObjectInfo *info);
/* Frees fields and common parts, not the struct. */
void sofa_object_clear(SofaObject *object);
/* Runs the destroy functions and frees the object; it is out of all lists already. */
void sofa_object_release(SofaObject *object);

/* A class for one object, with the fields of its class's families. NULL without families. */
typedef struct SofaOwnClass SofaOwnClass;
SofaErr sofa_own_class_create(SofaContext *ctx, const SofaClass *klass, const char *template_name,
                              const SofaObjectInfo *info, SofaOwnClass **out);
const SofaClass *sofa_own_class(const SofaOwnClass *own);
/* Were the counts changed since? Reported. */
SofaErr sofa_families_check(const SofaObject *object);

SofaErr sofa_fields_setup(SofaObject *object);
/* Reads the default text into a zeroed value, which the caller frees. */
SofaErr sofa_field_default(const SofaObject *object, const SofaField *field, void *value);

/* Ranges. Appends why a value is outside, nothing when it is in the range. */
SofaErr sofa_range_why(SofaContext *ctx, const SofaRange *range, const SofaType *type,
                       const void *value, SofaText *why);
/* Looks at a value once per version: reported when outside, and refused (SOFA_ERR_RANGE) or, with
 * keep_going, treated as the row says. */
SofaErr sofa_range_settle(SofaObject *object, SofaFieldState *state);
/* All fields, without the linked ones when these have no value yet. */
SofaErr sofa_ranges_settle(SofaObject *object, bool linked);
/* Reports a text that would give a value outside; does not report an unreadable one. */
SofaErr sofa_range_check_text(const SofaObject *object, const SofaField *field, const char *text);
void sofa_fields_clear(SofaObject *object);

/* Lists that belong to points or elements. Does core check the lengths or indices of the row? */
bool sofa_list_checked(const SofaField *field);
/* Appends what is wrong with a value, nothing when it is right or not known. */
SofaErr sofa_list_why(const SofaObject *object, const SofaField *field, const void *value,
                      SofaText *why);
/* The same as sofa_range_settle, at every call. */
SofaErr sofa_list_settle(SofaObject *object, const SofaField *field);

/* Makes an object from the fields that were set in `old`, and one field's new text (NULL: none), as
 * loading and initialising the scene would; it stands behind the others in the node of `old`. */
SofaErr sofa_object_make_aside(SofaObject *old, const SofaField *field, const char *text,
                               SofaObject **out);
/* Before init: brings the outputs of an engine up to date, where its inputs are known; an engine
 * that cannot be evaluated keeps them, without a message. Nothing for other fields. */
SofaErr sofa_field_look(SofaObject *object, const SofaField *field);
bool sofa_is_engine(const SofaClass *klass);

/* The value of a field was written. */
void sofa_field_touch_state(SofaObject *object, SofaFieldState *state);

/* Data graph: takes the link off a field; adds the field to the object's tracked ones. */
void sofa_data_unlink(SofaObject *object, SofaFieldState *state);
SofaErr sofa_data_track(SofaObject *object, const SofaFieldState *state);
/* Sets the targets of a link field that are missing and can be found; no message. */
void sofa_links_resolve(SofaObject *object, SofaFieldState *state);
/* Clears all references of the graph below root to objects that are dying. */
void sofa_graph_forget_dying(SofaNode *root);
/* Makes all references of the graph below root to `from` lead to `to`, of the same class. */
void sofa_graph_redirect(SofaNode *root, const SofaObject *from, SofaObject *to);
/* Drops the plans of the solvers at the node and above it. */
void sofa_node_drop_plans(SofaNode *node);

/* Is the value a view into a flat vector? */
bool sofa_field_is_view(const SofaObject *object, const SofaField *field);
/* Folder of the object's scene file, owned; *out is NULL when there is no file. */
SofaErr sofa_object_folder(const SofaObject *object, char **out);
/* " (did you mean 'x'?)" for the nearest of the words, or nothing. */
SofaErr sofa_text_nearest(SofaContext *ctx, SofaText *out, const char *before, const char *word,
                          const char *const *words, size_t n);

#endif
