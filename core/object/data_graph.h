/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data graph: field-to-field links. Values flow one way, from source to field, when pulled:
 * before an object's init and at the start of every step; never inside numerical code. */
#ifndef SOFA_OBJECT_DATA_GRAPH_H
#define SOFA_OBJECT_DATA_GRAPH_H

#include "object/object.h"

SOFA_BEGIN_DECLS

/* Links `field` of `object` to "@path.name" (text with '@'). A target that does not exist yet is
 * remembered and resolved by sofa_data_resolve. Type mismatch and self-reference are reported. */
SofaErr sofa_data_link_text(SofaObject *object, const SofaField *field, const char *text, int line);
SofaErr sofa_data_link(SofaObject *object, const SofaField *field, SofaObject *source,
                       const SofaField *source_field);
/* `src="@loader"`: links every field of the same name (aliases included) unless excluded.
 * `excluded` lists names written as attributes on the same element. */
SofaErr sofa_data_link_source(SofaObject *object, const char *text, const char *const *excluded,
                              size_t n_excluded, int line);
/* Does the field get its value from an output of the engine, by whatever way? */
bool sofa_data_comes_from(const SofaObject *object, const SofaField *field,
                          const SofaObject *engine);
/* Resolves remembered data links and SofaLink fields of the object. final: a target that is still
 * missing is reported (file, line, path, nearest name) and SOFA_ERR_NOT_FOUND returned. */
SofaErr sofa_data_resolve(SofaObject *object, bool final);

/* Brings the linked fields of `object` up to date: pulls sources first (engines that are stale are
 * updated), copies values whose version changed. *changed (may be NULL) tells whether any did.
 * A cycle is reported once, printing the cycle: SOFA_ERR_CYCLE. */
SofaErr sofa_data_pull(SofaObject *object, bool *changed);
/* Engines: pull, and when an input changed since the last update (or never updated), update. */
SofaErr sofa_data_update(SofaObject *object);
/* Touches all outputs, those of base classes, too. */
void sofa_object_touch_outputs(SofaObject *object);
/* Is a field that is no output fed by another object, so that its value is known at init only? */
bool sofa_object_has_linked_inputs(const SofaObject *object);
/* Before a field is read from outside, between steps: pulls links, updates the engine whose output
 * it is, computes it where it is lazy. Before init: the output of an engine that all its inputs
 * allow, by a copy of the engine that is initialised and thrown away; else nothing. */
SofaErr sofa_field_refresh(SofaObject *object, const SofaField *field);

/* Searches all data links below root for cycles; reports each ("a.x -> b.y -> a.x"). */
SofaErr sofa_data_check_cycles(struct SofaNode *root);

SOFA_END_DECLS

#endif
