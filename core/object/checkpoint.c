/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing and reading the values of objects for checkpoints. */
#include "object/checkpoint.h"

#include <string.h>

/* ---- bytes ---- */

void sofa_checkpoint_put(SofaCheckpointWriter *to, const void *bytes, size_t n) {
  const size_t at = to->bytes.n;
  if (to->err == SOFA_OK) to->err = SOFA_RESERVE(to->ctx, &to->bytes, at + n);
  if (to->err != SOFA_OK) return;
  sofa_copy(to->bytes.data + at, bytes, n);
  to->bytes.n = at + n;
}

void sofa_checkpoint_put_uint(SofaCheckpointWriter *to, uint64_t value) {
  sofa_checkpoint_put(to, &value, sizeof value);
}

/* With its end, so that a reader may borrow it. */
void sofa_checkpoint_put_text(SofaCheckpointWriter *to, const char *text) {
  const size_t n = text ? strlen(text) + 1 : 0;
  sofa_checkpoint_put_uint(to, n);
  sofa_checkpoint_put(to, text, n);
}

void sofa_checkpoint_put_list(SofaCheckpointWriter *to, const void *list, size_t size) {
  const SofaAnyList *any = list;
  sofa_checkpoint_put_uint(to, any->n);
  sofa_checkpoint_put(to, any->data, any->n * size);
}

/* The place of the first object in `sorted` that is not before the given one. */
static size_t place_of(const SofaObjects *sorted, const SofaObject *object) {
  size_t low = 0, high = sorted->n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((uintptr_t)sorted->data[middle] < (uintptr_t)object) low = middle + 1;
    else high = middle;
  }
  return low;
}

void sofa_checkpoint_put_object(SofaCheckpointWriter *to, const SofaObject *object) {
  const size_t at = place_of(&to->sorted, object);
  const bool there = at < to->sorted.n && to->sorted.data[at] == object;
  sofa_checkpoint_put_uint(to, there ? to->places.data[at] + (uint64_t)1 : 0);
}

void sofa_checkpoint_get(SofaCheckpointReader *from, void *bytes, size_t n) {
  if (n > (size_t)(from->end - from->at)) from->bad = true;
  if (from->bad) {
    sofa_zero(bytes, n);
    return;
  }
  sofa_copy(bytes, from->at, n);
  from->at += n;
}

uint64_t sofa_checkpoint_get_uint(SofaCheckpointReader *from) {
  uint64_t value;
  sofa_checkpoint_get(from, &value, sizeof value);
  return value;
}

/* n entries of `size` bytes at this place, which the reader is then behind. */
static const char *take(SofaCheckpointReader *from, uint64_t n, size_t size) {
  const char *at = from->at;
  if (size && n > (size_t)(from->end - at) / size) from->bad = true;
  if (from->bad) return NULL;
  from->at += n * size;
  return at;
}

const char *sofa_checkpoint_get_text(SofaCheckpointReader *from) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  const char *text = take(from, n, 1);
  if (text && n && text[n - 1] != 0) from->bad = true;
  return from->bad || !n ? NULL : text;
}

SofaErr sofa_checkpoint_get_list(SofaCheckpointReader *from, void *list, size_t size) {
  SofaAnyList *any = list;
  const uint64_t n = sofa_checkpoint_get_uint(from);
  const char *entries = take(from, n, size);
  if (!entries) return SOFA_OK;
  SOFA_TRY(sofa_list_resize(from->ctx, any, size, n));
  sofa_copy(any->data, entries, n * size);
  return SOFA_OK;
}

SofaObject *sofa_checkpoint_get_object(SofaCheckpointReader *from) {
  const uint64_t place = sofa_checkpoint_get_uint(from);
  if (!place) return NULL;
  if (!from->objects || place > from->objects->n) {
    from->bad = true;
    return NULL;
  }
  return from->objects->data[place - 1];
}

void sofa_checkpoint_misread(SofaCheckpointReader *from) {
  from->bad = true;
}

bool sofa_checkpoint_is_bad(const SofaCheckpointReader *from) {
  return from->bad;
}

size_t sofa_checkpoint_begin(SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, 0);
  return to->bytes.n;
}

void sofa_checkpoint_end(SofaCheckpointWriter *to, size_t begin) {
  const uint64_t n = to->bytes.n - begin;
  if (to->err == SOFA_OK) sofa_copy(to->bytes.data + begin - sizeof n, &n, sizeof n);
}

SofaCheckpointReader sofa_checkpoint_part(SofaCheckpointReader *from) {
  SofaCheckpointReader part = *from;
  const uint64_t n = sofa_checkpoint_get_uint(from);
  part.at = take(from, n, 1);
  part.bad = from->bad;
  part.end = part.bad ? part.at : part.at + n;
  return part;
}

/* ---- values ---- */

/* A list with an entry of the type's scalars; of coords its own width. */
static size_t entry_size(const SofaType *type, const void *value) {
  if (type == &sofa_type_coords) return ((const SofaCoords *)value)->width * sizeof(double);
  if (type == &sofa_type_rigid_masses) return sizeof(SofaRigidMass);
  return sofa_scalar_size(type->scalar) * type->width;
}

static bool is_lists(const SofaType *type) {
  return type == &sofa_type_index_lists || type == &sofa_type_real_lists;
}

static bool is_strings(const SofaType *type) {
  return type == &sofa_type_strings || type == &sofa_type_tags;
}

static bool is_list(const SofaType *type) {
  return type->list && (type->scalar != SOFA_SCALAR_NONE || type == &sofa_type_rigid_masses);
}

/* The type of a class's own, with memory that it alone knows: its text has the value. */
static bool is_text(const SofaType *type) {
  return type->copy && !is_list(type) && !is_lists(type) && !is_strings(type) &&
         type != &sofa_type_filename && type != &sofa_type_string && type != &sofa_type_material;
}

static void put_text(SofaCheckpointWriter *to, const SofaType *type, const void *value) {
  SofaText text = {0};
  const SofaErr err = sofa_type_print(type, to->ctx, NULL, value, &text);
  if (err == SOFA_OK) sofa_checkpoint_put_text(to, text.data);
  else if (to->err == SOFA_OK) to->err = err;
  sofa_list_free(to->ctx, &text);
}

static void put_strings(SofaCheckpointWriter *to, const SofaStrings *strings) {
  sofa_checkpoint_put_uint(to, strings->n);
  for (size_t i = 0; i < strings->n; i++) sofa_checkpoint_put_text(to, strings->data[i]);
}

static void put_lists(SofaCheckpointWriter *to, const SofaType *type, const void *value) {
  const bool reals = type == &sofa_type_real_lists;
  const SofaRealLists *lists = value; /* both have one layout */
  sofa_checkpoint_put_uint(to, lists->n);
  for (size_t i = 0; i < lists->n; i++)
    sofa_checkpoint_put_list(to, &lists->data[i], reals ? sizeof(double) : sizeof(uint32_t));
}

void sofa_checkpoint_put_value(SofaCheckpointWriter *to, const SofaType *type, const void *value) {
  if (is_text(type)) {
    put_text(to, type, value);
  } else if (is_lists(type)) {
    put_lists(to, type, value);
  } else if (is_strings(type)) {
    put_strings(to, value);
  } else if (type == &sofa_type_filename) {
    sofa_checkpoint_put_text(to, ((const SofaFileName *)value)->text);
  } else if (type == &sofa_type_string) {
    sofa_checkpoint_put_text(to, *(char *const *)value);
  } else if (is_list(type)) {
    sofa_checkpoint_put_list(to, value, entry_size(type, value));
  } else if (type == &sofa_type_material) {
    sofa_checkpoint_put_text(to, ((const SofaMaterial *)value)->name);
    sofa_checkpoint_put(to, ((const SofaMaterial *)value)->use,
                        sizeof(SofaMaterial) - offsetof(SofaMaterial, use));
  } else {
    sofa_checkpoint_put(to, value, type->size);
  }
}

/* Switches that are neither on nor off are no values. */
static bool are_values(const SofaType *type, const char *bytes, size_t n) {
  if (type->scalar != SOFA_SCALAR_BOOL) return true;
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)bytes[i] > 1) return false;
  return true;
}

static SofaErr get_text(SofaCheckpointReader *from, char **value, bool *changed) {
  const char *text = sofa_checkpoint_get_text(from);
  if (from->bad || (text && *value ? strcmp(text, *value) == 0 : text == *value)) return SOFA_OK;
  char *copy = text ? sofa_strdup(from->ctx, text) : NULL;
  if (text && !copy) return SOFA_ERR_MEMORY;
  sofa_free(from->ctx, *value);
  *value = copy;
  *changed = true;
  return SOFA_OK;
}

static SofaErr get_strings(SofaCheckpointReader *from, SofaStrings *strings, bool *changed) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  if (n > (size_t)(from->end - from->at)) from->bad = true;
  if (from->bad) return SOFA_OK;
  *changed |= n != strings->n;
  for (; strings->n > n; strings->n--) sofa_free(from->ctx, strings->data[strings->n - 1]);
  SOFA_TRY(SOFA_RESIZE(from->ctx, strings, n));
  for (size_t i = 0; i < n; i++) SOFA_TRY(get_text(from, &strings->data[i], changed));
  return SOFA_OK;
}

static SofaErr get_list(SofaCheckpointReader *from, const SofaType *type, void *value,
                        bool *changed) {
  SofaAnyList *any = value;
  const size_t size = entry_size(type, value);
  const uint64_t n = sofa_checkpoint_get_uint(from);
  const char *entries = take(from, n, size);
  if (entries && !are_values(type, entries, n * size)) from->bad = true;
  if (!entries || from->bad) return SOFA_OK;
  if (n == any->n && !sofa_compare(any->data, entries, n * size)) return SOFA_OK;
  *changed = true;
  if (n != any->n)
    SOFA_TRY(type == &sofa_type_coords ? sofa_coords_resize(from->ctx, value, n)
                                       : sofa_list_resize(from->ctx, any, size, n));
  sofa_copy(any->data, entries, n * size);
  return SOFA_OK;
}

static SofaErr get_lists(SofaCheckpointReader *from, const SofaType *type, void *value,
                         bool *changed) {
  const SofaType *one = type == &sofa_type_real_lists ? &sofa_type_reals : &sofa_type_indices;
  SofaRealLists *lists = value;
  const uint64_t n = sofa_checkpoint_get_uint(from);
  if (n > (size_t)(from->end - from->at)) from->bad = true;
  if (from->bad) return SOFA_OK;
  *changed |= n != lists->n;
  SOFA_TRY(type == &sofa_type_real_lists ? sofa_real_lists_resize(from->ctx, value, n)
                                         : sofa_index_lists_resize(from->ctx, value, n));
  for (size_t i = 0; i < n; i++) SOFA_TRY(get_list(from, one, &lists->data[i], changed));
  return SOFA_OK;
}

static SofaErr get_as_text(SofaCheckpointReader *from, const SofaType *type, void *value,
                           bool *changed) {
  const char *text = sofa_checkpoint_get_text(from);
  SofaText now = {0}, why = {0};
  const SofaParse parse = {.ctx = from->ctx, .kind = SOFA_NO_KIND, .why = &why};
  if (from->bad || !text) return SOFA_OK;
  SofaErr err = sofa_type_print(type, from->ctx, NULL, value, &now);
  if (err == SOFA_OK && strcmp(now.data, text) != 0) {
    *changed = true;
    err = sofa_type_parse(type, &parse, text, value);
    if (err == SOFA_ERR_PARSE) from->bad = true;
  }
  sofa_list_free(from->ctx, &now);
  sofa_list_free(from->ctx, &why);
  return err == SOFA_ERR_PARSE ? SOFA_OK : err;
}

static void get_bytes(SofaCheckpointReader *from, void *value, size_t n, bool *changed) {
  const char *bytes = take(from, n, 1);
  if (!bytes || !sofa_compare(value, bytes, n)) return;
  sofa_copy(value, bytes, n);
  *changed = true;
}

static void get_plain(SofaCheckpointReader *from, const SofaType *type, void *value,
                      bool *changed) {
  const size_t n = type->size;
  if (n <= (size_t)(from->end - from->at) && !are_values(type, from->at, n)) from->bad = true;
  if (!from->bad) get_bytes(from, value, n, changed);
}

SofaErr sofa_checkpoint_get_value(SofaCheckpointReader *from, const SofaType *type, void *value,
                                  bool *changed) {
  bool other = false;
  SofaErr err = SOFA_OK;
  if (is_text(type)) {
    err = get_as_text(from, type, value, &other);
  } else if (is_lists(type)) {
    err = get_lists(from, type, value, &other);
  } else if (is_strings(type)) {
    err = get_strings(from, value, &other);
  } else if (type == &sofa_type_filename) {
    err = get_text(from, &((SofaFileName *)value)->text, &other);
  } else if (type == &sofa_type_string) {
    err = get_text(from, value, &other);
  } else if (is_list(type)) {
    err = get_list(from, type, value, &other);
  } else if (type == &sofa_type_material) {
    err = get_text(from, &((SofaMaterial *)value)->name, &other);
    get_bytes(from, ((SofaMaterial *)value)->use,
              sizeof(SofaMaterial) - offsetof(SofaMaterial, use), &other);
  } else {
    get_plain(from, type, value, &other);
  }
  if (changed) *changed |= other;
  return err;
}

/* ---- fields ---- */

/* Links are not saved, hence their counters are not: a restored run makes its outputs anew. */
void sofa_checkpoint_put_fields(SofaCheckpointWriter *to, const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  sofa_checkpoint_put_uint(to, n);
  sofa_checkpoint_put_uint(to, object->updated);
  sofa_checkpoint_put_uint(to, object->update_stamp);
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    if (field->type->link) continue;
    const SofaFieldState *state = &object->field_states[i];
    const uint32_t versions[3] = {state->version, state->pulled, state->ranged};
    sofa_checkpoint_put(to, versions, sizeof versions);
    sofa_checkpoint_put_value(to, field->type, sofa_field_value(object, field));
  }
}

/* Is the value of an option one of its words? */
static bool is_choice(const SofaObject *object, const SofaField *field) {
  if (field->type != &sofa_type_option) return true;
  const int index = ((const SofaOption *)sofa_field_value(object, field))->index;
  for (int i = 0; i <= index && field->options; i++)
    if (!field->options[i]) return false;
  return index >= 0;
}

SofaErr sofa_checkpoint_get_fields(SofaCheckpointReader *from, SofaObject *object, bool *reinit,
                                   const SofaField **differs) {
  const size_t n = sofa_class_n_fields(object->klass);
  if (sofa_checkpoint_get_uint(from) != n) from->bad = true;
  const bool updated = sofa_checkpoint_get_uint(from) != 0;
  const uint64_t stamp = sofa_checkpoint_get_uint(from);
  for (size_t i = 0; i < n && !from->bad; i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    if (field->type->link) continue;
    SofaFieldState *state = &object->field_states[i];
    uint32_t versions[3];
    bool changed = false;
    sofa_checkpoint_get(from, versions, sizeof versions);
    SOFA_TRY(
        sofa_checkpoint_get_value(from, field->type, sofa_field_value(object, field), &changed));
    if (!is_choice(object, field)) from->bad = true;
    if (changed && differs && !*differs) *differs = field;
    *reinit |= changed && (field->flags & SOFA_FIELD_REINIT);
    if (from->bad) break;
    state->version = versions[0];
    state->pulled = versions[1];
    state->ranged = versions[2];
    sofa_object_changed(object);
  }
  if (from->bad) return SOFA_OK;
  object->updated = updated;
  object->update_stamp = stamp;
  return SOFA_OK;
}

/* ---- lists, rows and functions of classes ---- */

/* How many parts the class adds: its lists, its rows, what its functions write. */
static size_t own_parts(const SofaClass *klass) {
  const bool functions = klass->checkpoint && klass->checkpoint->save;
  return klass->n_lists + klass->n_kept + (functions ? 1 : 0);
}

/* Base classes first. */
static size_t parts_of(const SofaClass *klass) {
  size_t n = 0;
  for (; klass; klass = sofa_class_base(klass)) n += own_parts(klass);
  return n;
}

size_t sofa_checkpoint_n_hidden(const SofaObject *object) {
  return parts_of(object->klass);
}

SofaHiddenPart sofa_checkpoint_hidden(const SofaObject *object, size_t i) {
  const SofaClass *k = object->klass;
  for (const SofaClass *base; (base = sofa_class_base(k)) && i < parts_of(base);) k = base;
  if (sofa_class_base(k)) i -= parts_of(sofa_class_base(k));
  SofaHiddenPart part = {.klass = k};
  if (i < k->n_lists) part.list = &k->lists[i];
  else if (i < k->n_lists + k->n_kept) part.member = &k->kept[i - k->n_lists];
  return part;
}

static const void *member_of(const SofaObject *object, size_t offset) {
  return (const char *)object + offset;
}

static size_t private_size(const SofaPrivateList *row, const void *list) {
  return row->coords ? ((const SofaCoords *)list)->width * sizeof(double) : row->size;
}

static void put_member(SofaCheckpointWriter *to, const SofaKeptMember *m,
                       const SofaObject *object) {
  const void *at = member_of(object, m->offset);
  switch (m->kind) {
  case SOFA_KEPT_BYTES:
    sofa_checkpoint_put(to, at, m->size);
    return;
  case SOFA_KEPT_LIST:
    sofa_checkpoint_put_list(to, at, m->size);
    return;
  case SOFA_KEPT_TYPED:
    if (m->type == &sofa_type_coords) sofa_checkpoint_put_uint(to, ((const SofaCoords *)at)->width);
    sofa_checkpoint_put_value(to, m->type, at);
    return;
  case SOFA_KEPT_BLOCK: {
    const void *block = *(void *const *)at;
    const size_t n = block ? *(const size_t *)member_of(object, m->count_at) : 0;
    sofa_checkpoint_put_uint(to, n);
    sofa_checkpoint_put(to, block, n * m->size);
    return;
  }
  case SOFA_KEPT_PLACE: {
    const char *text = *(char *const *)member_of(object, m->count_at);
    const char *place = *(const char *const *)at;
    sofa_checkpoint_put_uint(to, text && place ? (uint64_t)(place - text) + 1 : 0);
  }
  }
}

void sofa_checkpoint_put_part(SofaCheckpointWriter *to, const SofaObject *object,
                              const SofaHiddenPart *part) {
  if (part->list) {
    const void *list = sofa_private_list(object, part->list);
    if (part->list->coords) sofa_checkpoint_put_uint(to, ((const SofaCoords *)list)->width);
    sofa_checkpoint_put_list(to, list, private_size(part->list, list));
  } else if (part->member) {
    put_member(to, part->member, object);
  } else if (to->err == SOFA_OK) {
    to->err = part->klass->checkpoint->save(object, to);
  }
}

void sofa_checkpoint_put_hidden(SofaCheckpointWriter *to, const SofaObject *object) {
  const size_t n = sofa_checkpoint_n_hidden(object);
  for (size_t i = 0; i < n && to->err == SOFA_OK; i++) {
    const SofaHiddenPart part = sofa_checkpoint_hidden(object, i);
    sofa_checkpoint_put_part(to, object, &part);
  }
}

/* The width of coords, which a list that is still empty may not have. */
static void get_width(SofaCheckpointReader *from, SofaCoords *coords) {
  const uint64_t width = sofa_checkpoint_get_uint(from);
  if (width == coords->width) return;
  if (coords->n || width > 64) from->bad = true;
  else coords->width = (uint32_t)width;
}

static SofaErr get_block(SofaCheckpointReader *from, const SofaKeptMember *m, SofaObject *object) {
  void **block = (void **)(uintptr_t)member_of(object, m->offset);
  const uint64_t n = sofa_checkpoint_get_uint(from);
  const char *entries = take(from, n, m->size);
  if (!n || !entries) return SOFA_OK;
  if (n != *(const size_t *)member_of(object, m->count_at)) {
    from->bad = true;
    return SOFA_OK;
  }
  if (!*block) *block = sofa_alloc(from->ctx, n, m->size);
  if (!*block) return SOFA_ERR_MEMORY;
  sofa_copy(*block, entries, n * m->size);
  return SOFA_OK;
}

static void get_place(SofaCheckpointReader *from, const SofaKeptMember *m, SofaObject *object) {
  const char **at = (const char **)(uintptr_t)member_of(object, m->offset);
  const char *text = *(char *const *)member_of(object, m->count_at);
  const uint64_t place = sofa_checkpoint_get_uint(from);
  if (place && (!text || place - 1 > strlen(text))) from->bad = true;
  else *at = place ? text + (place - 1) : NULL;
}

static SofaErr get_member(SofaCheckpointReader *from, const SofaKeptMember *m, SofaObject *object) {
  void *at = (void *)(uintptr_t)member_of(object, m->offset);
  switch (m->kind) {
  case SOFA_KEPT_BYTES:
    if (m->size <= (size_t)(from->end - from->at)) sofa_checkpoint_get(from, at, m->size);
    else from->bad = true;
    return SOFA_OK;
  case SOFA_KEPT_LIST:
    return sofa_checkpoint_get_list(from, at, m->size);
  case SOFA_KEPT_TYPED:
    if (m->type == &sofa_type_coords) get_width(from, at);
    return sofa_checkpoint_get_value(from, m->type, at, NULL);
  case SOFA_KEPT_BLOCK:
    return get_block(from, m, object);
  case SOFA_KEPT_PLACE:
    get_place(from, m, object);
  }
  return SOFA_OK;
}

static SofaErr get_private(SofaCheckpointReader *from, const SofaPrivateList *row,
                           SofaObject *object) {
  void *list = sofa_private_list(object, row);
  if (!row->coords) return sofa_checkpoint_get_list(from, list, row->size);
  get_width(from, list);
  return sofa_checkpoint_get_value(from, &sofa_type_coords, list, NULL);
}

SofaErr sofa_checkpoint_get_part(SofaCheckpointReader *from, SofaObject *object,
                                 const SofaHiddenPart *part) {
  if (part->list) return get_private(from, part->list, object);
  if (part->member) return get_member(from, part->member, object);
  return part->klass->checkpoint->restore(object, from);
}

SofaErr sofa_checkpoint_get_hidden(SofaCheckpointReader *from, SofaObject *object) {
  const size_t n = sofa_checkpoint_n_hidden(object);
  for (size_t i = 0; i < n && !from->bad; i++) {
    const SofaHiddenPart part = sofa_checkpoint_hidden(object, i);
    SOFA_TRY(sofa_checkpoint_get_part(from, object, &part));
  }
  if (from->at != from->end) from->bad = true;
  return SOFA_OK;
}

/* ---- objects that objects make; refusals ---- */

static const SofaCheckpointOps *maker_of(const SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    if (k->checkpoint && k->checkpoint->make) return k->checkpoint;
  return NULL;
}

bool sofa_checkpoint_makes(const SofaObject *object) {
  return maker_of(object) != NULL;
}

SofaErr sofa_checkpoint_put_made(SofaCheckpointWriter *to, const SofaObject *object) {
  return maker_of(object)->save_made(object, to);
}

SofaErr sofa_checkpoint_get_made(SofaCheckpointReader *from, SofaObject *object) {
  SOFA_TRY(maker_of(object)->make(object, from));
  if (from->at != from->end) from->bad = true;
  return SOFA_OK;
}

const char *sofa_checkpoint_refusal(const SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k)) {
    const char *why =
        k->checkpoint && k->checkpoint->refuses ? k->checkpoint->refuses(object) : NULL;
    if (why) return why;
  }
  return NULL;
}
