/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Value types that only mesh loaders have: groups of elements, lists of materials, rows of indices.
 */
#include <string.h>
#include "base/text.h"
#include "behavior/loader.h"

static void group_free(SofaContext *ctx, SofaMeshGroup *group) {
  sofa_free(ctx, group->name);
  sofa_free(ctx, group->material);
}

void sofa_mesh_groups_free(SofaContext *ctx, SofaMeshGroups *groups) {
  for (size_t i = 0; i < groups->n; i++) group_free(ctx, &groups->data[i]);
  sofa_list_free(ctx, groups);
}

static void groups_free(SofaContext *ctx, void *value) {
  sofa_mesh_groups_free(ctx, (SofaMeshGroups *)value);
}

static SofaErr expected(const SofaParse *parse, const char *text) {
  sofa_text_append(parse->ctx, parse->why, text, strlen(text));
  return SOFA_ERR_PARSE;
}

/* A word, "-" meaning none. */
static char *group_word(SofaContext *ctx, const char **text) {
  const char *word;
  size_t n;
  if (!sofa_read_word(text, &word, &n)) return NULL;
  return n == 1 && *word == '-' ? sofa_strdup(ctx, "") : sofa_strndup(ctx, word, n);
}

/* Rank of the material, first element, number of elements. */
static bool group_numbers(const char **text, SofaMeshGroup *group) {
  int64_t id, first, n;
  if (!sofa_read_int(text, &id) || !sofa_read_int(text, &first) || !sofa_read_int(text, &n))
    return false;
  if (id < -1 || id > INT32_MAX || first < 0 || first > UINT32_MAX || n < 0 || n > UINT32_MAX)
    return false;
  group->material_id = (int)id;
  group->first = (uint32_t)first, group->n = (uint32_t)n;
  return true;
}

/* The order is SOFA's, which writes nothing for a material without a name. */
static bool group_read(SofaContext *ctx, const char **text, SofaMeshGroup *group) {
  group->name = group_word(ctx, text);
  const char *rest = *text;
  group->material = group_word(ctx, text);
  if (!group->name || !group->material) return false;
  if (group_numbers(text, group)) return true;
  *text = rest;
  group->material[0] = '\0';
  return group_numbers(text, group);
}

static SofaErr groups_parse(const SofaType *type, const SofaParse *parse, const char *text,
                            void *value) {
  (void)type;
  SofaMeshGroups *groups = (SofaMeshGroups *)value;
  sofa_mesh_groups_free(parse->ctx, groups);
  while (!sofa_at_end(&text)) {
    SofaMeshGroup group = {0};
    const bool good = group_read(parse->ctx, &text, &group);
    const SofaErr err = good ? SOFA_APPEND(parse->ctx, groups, &group) : SOFA_OK;
    if (good && err == SOFA_OK) continue;
    group_free(parse->ctx, &group);
    return err == SOFA_OK ? expected(parse, "groups: name material material-id first count") : err;
  }
  return SOFA_OK;
}

/* Appends a word that reads back as one: blanks become underscores. */
static SofaErr print_word(SofaContext *ctx, const char *word, bool blank, SofaText *out) {
  if (blank) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
  if (!word || !*word) return sofa_text_append(ctx, out, "-", 1);
  for (; *word; word++)
    SOFA_TRY(sofa_text_append(ctx, out, (unsigned char)*word > ' ' ? word : "_", 1));
  return SOFA_OK;
}

static SofaErr groups_print(const SofaType *type, SofaContext *ctx, const SofaField *field,
                            const void *value, SofaText *out) {
  (void)type;
  const SofaMeshGroups *groups = (const SofaMeshGroups *)value;
  (void)field;
  for (size_t i = 0; i < groups->n; i++) {
    const SofaMeshGroup *g = &groups->data[i];
    SOFA_TRY(print_word(ctx, g->name, i > 0, out));
    SOFA_TRY(print_word(ctx, g->material, true, out));
    SOFA_TRY(sofa_text_printf(ctx, out, " %d %u %u", g->material_id, g->first, g->n));
  }
  return SOFA_OK;
}

static SofaErr groups_copy(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  (void)type;
  const SofaMeshGroups *source = (const SofaMeshGroups *)from;
  SofaMeshGroups copy = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < source->n && err == SOFA_OK; i++) {
    SofaMeshGroup group = source->data[i];
    group.name = sofa_strdup(ctx, group.name ? group.name : "");
    group.material = sofa_strdup(ctx, group.material ? group.material : "");
    err = group.name && group.material ? SOFA_APPEND(ctx, &copy, &group) : SOFA_ERR_MEMORY;
    if (err != SOFA_OK) group_free(ctx, &group);
  }
  if (err != SOFA_OK) {
    sofa_mesh_groups_free(ctx, &copy);
    return err;
  }
  groups_free(ctx, to);
  *(SofaMeshGroups *)to = copy;
  return SOFA_OK;
}

const SofaType sofa_type_mesh_groups = {.name = "group list",
                                        .size = sizeof(SofaMeshGroups),
                                        .parse = groups_parse,
                                        .print = groups_print,
                                        .copy = groups_copy,
                                        .free = groups_free};

/* ---- materials: one behind the other, each as sofa_type_material prints it, in brackets ---- */

static void material_free(SofaContext *ctx, SofaMaterial *material) {
  if (sofa_type_material.free) sofa_type_material.free(ctx, material);
}

void sofa_materials_free(SofaContext *ctx, SofaMaterials *materials) {
  for (size_t i = 0; i < materials->n; i++) material_free(ctx, &materials->data[i]);
  sofa_list_free(ctx, materials);
}

static void materials_free(SofaContext *ctx, void *value) {
  sofa_materials_free(ctx, (SofaMaterials *)value);
}

static SofaErr materials_parse(const SofaType *type, const SofaParse *parse, const char *text,
                               void *value) {
  (void)type;
  SofaMaterials *materials = (SofaMaterials *)value;
  sofa_materials_free(parse->ctx, materials);
  while (!sofa_at_end(&text)) {
    const char *end = *text == '[' ? strchr(text, ']') : NULL;
    if (!end) return expected(parse, "materials in brackets: [ name Diffuse ... ] [ ... ]");
    char *one = sofa_strndup(parse->ctx, text + 1, (size_t)(end - text - 1));
    if (!one) return SOFA_ERR_MEMORY;
    SofaMaterial material;
    memset(&material, 0, sizeof material);
    SofaErr err = sofa_type_parse(&sofa_type_material, parse, one, &material);
    sofa_free(parse->ctx, one);
    if (err == SOFA_OK) err = SOFA_APPEND(parse->ctx, materials, &material);
    if (err != SOFA_OK) {
      material_free(parse->ctx, &material);
      return err;
    }
    text = end + 1;
  }
  return SOFA_OK;
}

static SofaErr materials_print(const SofaType *type, SofaContext *ctx, const SofaField *field,
                               const void *value, SofaText *out) {
  (void)type;
  const SofaMaterials *materials = (const SofaMaterials *)value;
  for (size_t i = 0; i < materials->n; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, "%s[ ", i ? " " : ""));
    SOFA_TRY(sofa_type_print(&sofa_type_material, ctx, field, &materials->data[i], out));
    SOFA_TRY(sofa_text_append(ctx, out, " ]", 2));
  }
  return SOFA_OK;
}

static SofaErr materials_copy(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  (void)type;
  const SofaMaterials *source = (const SofaMaterials *)from;
  SofaMaterials copy = {0};
  SofaErr err = SOFA_RESIZE(ctx, &copy, source->n);
  for (size_t i = 0; i < source->n && err == SOFA_OK; i++) {
    err = sofa_type_copy(&sofa_type_material, ctx, &source->data[i], &copy.data[i]);
  }
  if (err != SOFA_OK) {
    sofa_materials_free(ctx, &copy);
    return err;
  }
  materials_free(ctx, to);
  *(SofaMaterials *)to = copy;
  return SOFA_OK;
}

const SofaType sofa_type_materials = {.name = "material list",
                                      .size = sizeof(SofaMaterials),
                                      .parse = materials_parse,
                                      .print = materials_print,
                                      .copy = materials_copy,
                                      .free = materials_free};

/* ---- rows of indices ---- */

static void rows_free(SofaContext *ctx, void *value) {
  SofaIndexRows *rows = (SofaIndexRows *)value;
  sofa_list_free(ctx, &rows->ids);
  sofa_list_free(ctx, &rows->end);
}

static SofaErr rows_parse(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  (void)type;
  SofaIndexRows *rows = (SofaIndexRows *)value;
  rows_free(parse->ctx, value);
  for (; !sofa_at_end(&text); text++) {
    if (*text == ',') continue;
    if (*text++ != '[') return expected(parse, "rows in brackets: [ 0 , 1 , 2 ] [ 3 ]");
    while (!sofa_at_end(&text) && *text != ']') {
      int64_t id;
      if (*text == ',') {
        text++;
        continue;
      }
      if (!sofa_read_int(&text, &id) || id < -1 || id > INT32_MAX)
        return expected(parse, "an index");
      const int index = (int)id;
      SOFA_TRY(SOFA_APPEND(parse->ctx, &rows->ids, &index));
    }
    if (*text != ']') return expected(parse, "']' behind the last row");
    const uint32_t end = (uint32_t)rows->ids.n;
    SOFA_TRY(SOFA_APPEND(parse->ctx, &rows->end, &end));
  }
  return SOFA_OK;
}

static SofaErr rows_print(const SofaType *type, SofaContext *ctx, const SofaField *field,
                          const void *value, SofaText *out) {
  (void)type;
  const SofaIndexRows *rows = (const SofaIndexRows *)value;
  size_t k = 0;
  (void)field;
  for (size_t i = 0; i < rows->end.n; i++) {
    SOFA_TRY(sofa_text_append(ctx, out, i ? " [" : "[", i ? 2 : 1));
    for (bool first = true; k < rows->end.data[i]; k++, first = false) {
      SOFA_TRY(sofa_text_append(ctx, out, first ? " " : " , ", first ? 1 : 3));
      SOFA_TRY(sofa_text_int(ctx, out, rows->ids.data[k]));
    }
    SOFA_TRY(sofa_text_append(ctx, out, " ]", 2));
  }
  return SOFA_OK;
}

static SofaErr rows_copy(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  (void)type;
  const SofaIndexRows *source = (const SofaIndexRows *)from;
  SofaIndexRows *rows = (SofaIndexRows *)to;
  SOFA_TRY(sofa_list_copy(ctx, &rows->ids, &source->ids, sizeof *rows->ids.data));
  return sofa_list_copy(ctx, &rows->end, &source->end, sizeof *rows->end.data);
}

const SofaType sofa_type_index_rows = {.name = "index rows",
                                       .size = sizeof(SofaIndexRows),
                                       .parse = rows_parse,
                                       .print = rows_print,
                                       .copy = rows_copy,
                                       .free = rows_free};
