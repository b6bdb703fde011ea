/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Classes of single objects: with the fields of families that the scene's counts and the template
 * ask for, or with fields that were found in a file. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "object/element.h"
#include "object/object_impl.h"

#define MOST_FIELDS 10000 /* of one family */

/* One block: this, the rows, the first row of each family, the names. Added fields: this, the rows,
 * the values, the names. */
struct SofaOwnClass {
  SofaClass klass;
  SofaField *rows;
  size_t *start; /* n_families + 1 */
};

const SofaClass *sofa_own_class(const SofaOwnClass *own) {
  return &own->klass;
}

const SofaClass *sofa_object_class_of(const SofaObject *object) {
  return object->own_class ? object->own_class->klass.base : object->klass;
}

/* ---- how many ---- */

/* Are the names of the fields the words of a field of strings? */
static bool is_named(const SofaClass *klass, const SofaFieldFamily *family) {
  return family->count && sofa_class_field(klass, family->count)->type == &sofa_type_strings;
}

/* The text that the scene gives to the count of a family, or NULL. */
static const char *count_text(const SofaFieldFamily *family, const SofaObjectInfo *info) {
  return info && info->element ? sofa_element_attribute(info->element, family->count) : NULL;
}

/* The number of words that name fields; a name that the class has is refused. */
static SofaErr count_names(SofaContext *ctx, const SofaClass *klass, const SofaFieldFamily *family,
                           const SofaObjectInfo *info, size_t *out) {
  const char *text = count_text(family, info), *word;
  size_t length;
  *out = 0;
  while (text && sofa_read_word(&text, &word, &length)) {
    char *name = sofa_strndup(ctx, word, length);
    if (!name) return SOFA_ERR_MEMORY;
    const bool taken = sofa_class_field(klass, name) != NULL;
    sofa_free(ctx, name);
    ++*out;
    if (!taken) continue;
    const SofaOrigin origin = {.file = info->file, .line = info->line, .emitter = klass->name};
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &origin,
                     "field '%s': '%.*s' is a field of every %s, choose another name",
                     family->count, (int)length, word, klass->name);
  }
  return SOFA_OK;
}

/* The number that the scene, else the default, gives to the count of a family. */
static SofaErr count_of(SofaContext *ctx, const SofaClass *klass, const SofaFieldFamily *family,
                        const SofaObjectInfo *info, size_t *out) {
  int64_t n = 1;
  *out = 1;
  if (!family->count) return SOFA_OK;
  if (is_named(klass, family)) return count_names(ctx, klass, family, info, out);
  const SofaField *field = sofa_class_field(klass, family->count);
  const char *text = count_text(family, info);
  const char *written = text;
  // text that is not a number is reported when the field reads it
  if (!text || !sofa_read_int(&text, &n)) {
    text = field->def;
    n = 0;
    if (text) sofa_read_int(&text, &n);
  }
  if (n >= 0 && n <= MOST_FIELDS) {
    *out = (size_t)n + family->extra;
    return SOFA_OK;
  }
  const SofaOrigin origin = {
      .file = info ? info->file : NULL, .line = info ? info->line : 0, .emitter = klass->name};
  return sofa_fail(ctx, SOFA_ERR_RANGE, &origin,
                   "field '%s': there cannot be %s of them; it must be 0 to %d", family->count,
                   written ? written : "", MOST_FIELDS);
}

SofaErr sofa_families_check(const SofaObject *object) {
  const SofaClass *klass = sofa_object_class_of(object);
  for (size_t f = 0; object->own_class && f < klass->n_families; f++) {
    const SofaFieldFamily *family = &klass->families[f];
    if (!family->count) continue;
    const SofaField *field = sofa_class_field(klass, family->count);
    const void *value = sofa_field_value(object, field);
    const bool named = is_named(klass, family);
    const size_t wanted = named ? ((const SofaStrings *)value)->n : *(const uint32_t *)value;
    if (wanted + family->extra != sofa_family_n(object, f))
      return sofa_field_fail(object, family->count, SOFA_ERR_RANGE,
                             "it is %zu, but the object was made with %zu fields '%s%s' ...; the "
                             "%s must be in the scene",
                             wanted, sofa_family_n(object, f), family->row.name, named ? "" : "1",
                             named ? "names" : "number");
  }
  return SOFA_OK;
}

/* ---- the class ---- */

static size_t name_size(const SofaFieldFamily *family) {
  return strlen(family->row.name) + 8;
}

/* Room for the names of a family. */
static size_t names_size(const SofaClass *klass, const SofaFieldFamily *family, size_t n,
                         const SofaObjectInfo *info) {
  if (!is_named(klass, family)) return n * name_size(family);
  const char *text = count_text(family, info);
  return text ? strlen(text) + 1 : 0;
}

static SofaErr make_room(SofaContext *ctx, const SofaClass *klass, const size_t *counts,
                         const SofaObjectInfo *info, SofaOwnClass **out) {
  size_t n_rows = 0, n_text = 0;
  for (size_t f = 0; f < klass->n_families; f++) {
    n_rows += counts[f];
    n_text += names_size(klass, &klass->families[f], counts[f], info);
  }
  const size_t head = (sizeof(SofaOwnClass) + 15) / 16 * 16;
  const size_t starts = (klass->n_families + 1) * sizeof(size_t);
  SofaOwnClass *own = sofa_alloc(ctx, 1, head + n_rows * sizeof(SofaField) + starts + n_text);
  if (!own) return SOFA_ERR_MEMORY;
  own->rows = (SofaField *)(void *)((char *)own + head);
  own->start = (size_t *)(void *)(own->rows + n_rows);
  own->klass = (SofaClass){.name = klass->name,
                           .module = klass->module,
                           .category = klass->category,
                           .help = klass->help,
                           .base = klass,
                           .fields = own->rows,
                           .n_fields = n_rows};
  *out = own;
  return SOFA_OK;
}

/* Writes the name of field i of a family, counted or the next word of *words; returns its end. */
static char *write_name(const SofaFieldFamily *family, size_t i, const char **words, char *text) {
  const char *word;
  size_t length;
  if (!*words || !sofa_read_word(words, &word, &length))
    return text + snprintf(text, name_size(family), "%s%zu", family->row.name, i + 1) + 1;
  sofa_copy(text, word, length);
  text[length] = '\0';
  return text + length + 1;
}

static void fill(SofaOwnClass *own, const SofaClass *klass, const size_t *counts,
                 const SofaObjectInfo *info, const SofaType *by_template) {
  char *text = (char *)(own->start + klass->n_families + 1);
  size_t offset = (klass->size + 15) / 16 * 16, row = 0;
  for (size_t f = 0; f < klass->n_families; f++) {
    const SofaFieldFamily *family = &klass->families[f];
    const char *words = is_named(klass, family) ? count_text(family, info) : NULL;
    own->start[f] = row;
    for (size_t i = 0; i < counts[f]; i++, row++) {
      own->rows[row] = family->row;
      if (!family->row.type) own->rows[row].type = by_template;
      own->rows[row].offset = offset;
      offset += (own->rows[row].type->size + 15) / 16 * 16;
      if (!family->count) continue;
      own->rows[row].name = text;
      text = write_name(family, i, &words, text);
    }
  }
  own->start[klass->n_families] = row;
  own->klass.size = offset;
}

SofaErr sofa_own_class_create(SofaContext *ctx, const SofaClass *klass, const char *template_name,
                              const SofaObjectInfo *info, SofaOwnClass **out) {
  SofaErr err = SOFA_OK;
  *out = NULL;
  if (!klass->n_families) return SOFA_OK;
  if (!template_name && klass->templates) template_name = klass->templates[0];
  const SofaType *type = sofa_template_list_type(template_name ? template_name : "");
  for (size_t f = 0; f < klass->n_families; f++)
    if (!klass->families[f].row.type && !type) return SOFA_ERR_TYPE;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  size_t *counts = SOFA_SCRATCH(ctx, size_t, klass->n_families);
  if (!counts) return SOFA_ERR_MEMORY;
  for (size_t f = 0; f < klass->n_families; f++)
    SOFA_GO(err, done, count_of(ctx, klass, &klass->families[f], info, &counts[f]));
  SOFA_GO(err, done, make_room(ctx, klass, counts, info, out));
  fill(*out, klass, counts, info, type);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- added fields ---- */

static size_t value_room(const SofaType *type) {
  return (type->size + 15) / 16 * 16;
}

static SofaOwnClass *make_added(const SofaObject *object, const SofaField *rows, size_t n) {
  const SofaClass *klass = object->klass;
  const size_t head = (sizeof(SofaOwnClass) + n * sizeof(SofaField) + 15) / 16 * 16;
  size_t values = 0, text = 0;
  for (size_t i = 0; i < n; i++) values += value_room(rows[i].type);
  for (size_t i = 0; i < n; i++) text += strlen(rows[i].name) + 1;
  SofaOwnClass *own = sofa_alloc(object->ctx, 1, head + values + text);
  if (!own) return NULL;
  own->rows = (SofaField *)(own + 1);
  own->klass = (SofaClass){.name = klass->name,
                           .module = klass->module,
                           .category = klass->category,
                           .help = klass->help,
                           .base = klass,
                           .size = klass->size,
                           .fields = own->rows,
                           .n_fields = n};
  char *value = (char *)own + head, *name = value + values;
  for (size_t i = 0; i < n; i++) {
    own->rows[i] = rows[i];
    own->rows[i].offset = (uintptr_t)value - (uintptr_t)object;
    own->rows[i].name = strcpy(name, rows[i].name);
    value += value_room(rows[i].type);
    name += strlen(name) + 1;
  }
  return own;
}

/* Links to fields of the object, below the node: their states have moved. */
static void follow_states(SofaNode *node, const SofaObject *object, const SofaFieldState *old) {
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *other = node->objects.data[i];
    for (size_t k = 0; k < other->tracked.n; k++) {
      SofaFieldState *state = &other->field_states[other->tracked.data[k]];
      if (state->source == object)
        state->source_state = object->field_states + (state->source_state - old);
    }
  }
  for (size_t i = 0; i < node->children.n; i++) follow_states(node->children.data[i], object, old);
}

SofaErr sofa_object_add_fields(SofaObject *object, const SofaField *rows, size_t n) {
  SofaContext *ctx = object->ctx;
  const size_t before = sofa_class_n_fields(object->klass);
  if (object->own_class) return SOFA_ERR_ARGUMENT;
  SofaFieldState *states = sofa_alloc(ctx, before + n, sizeof *states);
  SofaOwnClass *own = states ? make_added(object, rows, n) : NULL;
  if (!own) {
    sofa_free(ctx, states);
    return SOFA_ERR_MEMORY;
  }
  SofaFieldState *old = object->field_states;
  sofa_copy(states, old, before * sizeof *states);
  for (size_t i = 0; i < n; i++)
    states[before + i] = (SofaFieldState){.field = &own->rows[i], .version = 1};
  object->field_states = states;
  object->own_class = own;
  object->klass = &own->klass;
  follow_states(sofa_node_root(object->node), object, old);
  sofa_free(ctx, old);
  for (size_t i = 0; i < n; i++)
    if (rows[i].flags & SOFA_FIELD_INPUT) SOFA_TRY(sofa_data_track(object, &states[before + i]));
  return SOFA_OK;
}

/* ---- access ---- */

size_t sofa_family_n(const SofaObject *object, size_t family) {
  const SofaOwnClass *own = object->own_class;
  return own && own->start ? own->start[family + 1] - own->start[family] : 0;
}

void *sofa_family_value(const SofaObject *object, size_t family, size_t i) {
  const SofaOwnClass *own = object->own_class;
  return sofa_field_value(object, &own->rows[own->start[family] + i]);
}

const SofaType *sofa_family_type(const SofaObject *object, size_t family) {
  const SofaOwnClass *own = object->own_class;
  const SofaType *type = own->klass.base->families[family].row.type;
  return type ? type : sofa_template_list_type(object->template_name);
}

/* ---- types by template ---- */

const SofaType *sofa_template_list_type(const char *template_name) {
  static const struct {
    const char *name;
    const SofaType *type;
  } rows[] = {
      {"d", &sofa_type_reals},
      {"i", &sofa_type_ints},
      {"I", &sofa_type_indices},
      {"B", &sofa_type_indices},
      {"H", &sofa_type_indices},
      {"bool", &sofa_type_bools},
      {"string", &sofa_type_strings},
      {"Vec1d", &sofa_type_reals},
      {"Vec2d", &sofa_type_vec2s},
      {"Vec3d", &sofa_type_vec3s},
      {"Vec4d", &sofa_type_vec4s},
      {"Vec6d", &sofa_type_vec6s},
      {"Mat4x4d", &sofa_type_mat4s},
      {"Vec2I", &sofa_type_edges},
      {"RigidCoord2d", &sofa_type_vec3s},
      {"RigidDeriv2d", &sofa_type_vec3s},
      {"RigidCoord3d", &sofa_type_vec7s},
      {"RigidDeriv3d", &sofa_type_vec6s},
      {"fixed_array<I,2>", &sofa_type_edges},
      {"fixed_array<I,3>", &sofa_type_triangles},
      {"fixed_array<I,4>", &sofa_type_quads},
      {"fixed_array<I,8>", &sofa_type_hexas},
  };
  const char *name = template_name;
  size_t n = strlen(name);
  // of several templates the last one tells the values
  const char *comma = strrchr(name, ',');
  if (comma && !strchr(comma, '>')) {
    name = comma + 1;
    n = strlen(name);
  }
  if (strncmp(name, "vector<", 7) == 0 && name[n - 1] == '>') {
    name += 7;
    n -= 8;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strlen(rows[i].name) == n && sofa_compare(rows[i].name, name, n) == 0) return rows[i].type;
  return NULL;
}
