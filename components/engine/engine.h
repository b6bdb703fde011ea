/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines share: rows of their tables, inputs that the scene left open, checks of indices. */
#ifndef SOFA_COMPONENTS_ENGINE_ENGINE_H
#define SOFA_COMPONENTS_ENGINE_ENGINE_H

#include "behavior/state.h"
#include "topology/topology.h"
#include "object/data_graph.h"

/* Rows of families: fields of the template's list type, or as many as `count` says. */
#define ENGINE_TEMPLATE_INPUT(xml, help_text, other_names)                                         \
  {                                                                                                \
    .row = {                                                                                       \
      .name = (xml),                                                                               \
      .help = (help_text),                                                                         \
      .unit = "",                                                                                  \
      .flags = SOFA_FIELD_INPUT,                                                                   \
      .aliases = (other_names)                                                                     \
    }                                                                                              \
  }
#define ENGINE_TEMPLATE_OUTPUT(xml, help_text, other_names)                                        \
  {                                                                                                \
    .row = {                                                                                       \
      .name = (xml),                                                                               \
      .help = (help_text),                                                                         \
      .unit = "",                                                                                  \
      .flags = SOFA_FIELD_OUTPUT,                                                                  \
      .aliases = (other_names)                                                                     \
    }                                                                                              \
  }
#define ENGINE_INPUTS(type_name, xml, count_name, unit_text, help_text)                            \
  {                                                                                                \
    .row = {.name = (xml),                                                                         \
            .type = &sofa_type_##type_name,                                                        \
            .help = (help_text),                                                                   \
            .unit = (unit_text),                                                                   \
            .flags = SOFA_FIELD_INPUT},                                                            \
    .count = (count_name)                                                                          \
  }

/* The class sofa_<T>_class with the tables `fields` and the function `update`; further members
 * follow. An engine is evaluated at init and when an output is wanted after an input changed. */
#define ENGINE_CLASS(T, group, help_text, ...)                                                     \
  ENGINE_CLASS_OF(T, &sofa_object_class, group, help_text, __VA_ARGS__)
#define ENGINE_CLASS_OF(T, base_class, group, help_text, ...)                                      \
  extern const SofaClass sofa_##T##_class;                                                         \
  const SofaClass sofa_##T##_class = {.name = #T,                                                  \
                                      .module = "Sofa.Component.Engine." group,                    \
                                      .category = "Engine",                                        \
                                      .help = (help_text),                                         \
                                      .base = (base_class),                                        \
                                      .size = sizeof(T),                                           \
                                      SOFA_FIELDS(fields),                                         \
                                      .update = update,                                            \
                                      SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),                 \
                                      __VA_ARGS__}
#define ENGINE_FAMILIES SOFA_FAMILIES(families)
extern const char *const engine_vec3_templates[];  /* Vec3d */
extern const char *const engine_state_templates[]; /* Vec3d, Vec1d, Vec2d, Rigid2d, Rigid3d */

/* class->init: brings the inputs up to date and evaluates. */
SofaErr engine_init(SofaObject *object);

/* Links a field that the scene left open to a field of the source; without a source (NULL), or
 * without that field, nothing happens. */
SofaErr engine_link(SofaObject *object, const char *name, SofaObject *source,
                    const char *source_name);
/* Links `name` to the points a node works on: rest positions of its state, else positions of its
 * loader, else rest positions of the nearest state above. */
SofaErr engine_link_points(SofaObject *object, const char *name);
/* Links lists of elements (names, NULL-terminated) to those of the topology; `up`: also one above
 * the node. */
SofaErr engine_link_elements(SofaObject *object, const char *const *names, bool up);

/* Every index of the list is less than `limit`; reports the first entry with one that is not.
 * `what`: plural of what is counted. */
SofaErr engine_check(const SofaObject *object, const char *field, SofaElements list, size_t limit,
                     const char *what);
/* Two lists have the same number of entries; else reports `field`. */
SofaErr engine_check_same(const SofaObject *object, const char *field, size_t n, size_t wanted);
/* engine_check for a list of indices or elements, with vertices less than n_points. */
#define ENGINE_CHECK(object, field, list, n_points)                                                \
  engine_check((object), (field),                                                                  \
               (SofaElements){(const uint32_t *)(const void *)(list)->data, (list)->n,             \
                              sizeof *(list)->data / sizeof(uint32_t)},                            \
               (n_points), "points")

/* Appends an index, or an entry of a list. */
static inline SofaErr engine_append(SofaContext *ctx, SofaIndices *list, size_t i) {
  const uint32_t index = (uint32_t)i;
  return SOFA_APPEND(ctx, list, &index);
}
/* Appends entry i of `from` to `to`, which is empty or of the same width. */
SofaErr engine_append_coord(SofaContext *ctx, SofaCoords *to, const SofaCoords *from, size_t i);
/* Makes `to` a copy of `from`. */
SofaErr engine_copy_coords(SofaContext *ctx, SofaCoords *to, const SofaCoords *from);

/* Lists whose type a template decides: number of entries, bytes of one, and address of one. */
size_t engine_list_n(const void *list);
size_t engine_entry_size(const SofaType *type);
void *engine_entry(const SofaType *type, const void *list, size_t i);
/* Appends a copy of the entry (a string too). */
SofaErr engine_append_entry(SofaContext *ctx, const SofaType *type, void *list, const void *entry);
/* Empties the list, freeing strings; other lists keep their memory. */
void engine_clear(SofaContext *ctx, const SofaType *type, void *list);
/* The list as text; frees what *text was. */
SofaErr engine_print(SofaContext *ctx, const SofaType *type, const void *list, char **text);
/* -1, 0, 1: order of two entries, number by number (strings by bytes). */
int engine_compare(const SofaType *type, const void *a, const void *b);

#endif
