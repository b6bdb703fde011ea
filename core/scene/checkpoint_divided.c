/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of a scene whose mesh is divided among processes: in a form that any number of processes
 * can read. A value that all processes have alike is written once; rows of points and elements are
 * gathered in the order of the whole mesh; what follows from the scene alone (lists of indices,
 * outputs) is left as a restored run has it. What fits none of these is refused. */
#include <string.h>

#include "base/checksum.h"
#include "behavior/loader.h"
#include "behavior/mass.h"
#include "behavior/whole_list.h"
#include "object/numbers.h"
#include "object/process.h"
#include "scene/checkpoint_impl.h"
#include "topology/ties.h"

typedef enum Form { FORM_SAME, FORM_ROWS, FORM_LEFT } Form;

/* A field, or with field NULL a hidden part, of an object. */
typedef struct Value {
  SofaObject *object;
  const SofaField *field;
  SofaHiddenPart part;
} Value;
SOFA_LIST(Value, Values);

/* The entries of a value as rows of a mesh. */
typedef struct Rows {
  const SofaDivision *division; /* NULL: it has no rows */
  SofaElementKind kind;
  size_t n, size; /* entries, bytes of one: of this process */
  bool exact;     /* an entry per row; else several may belong to one */
  bool known;     /* kind is that of the entries; else it is found by their number */
} Rows;

/* ---- values and their bytes ---- */

static SofaErr list_values(const SofaObjects *objects, bool hidden, SofaContext *ctx, Values *out) {
  out->n = 0;
  for (size_t i = 0; i < objects->n; i++) {
    SofaObject *object = objects->data[i];
    const size_t n = hidden ? sofa_checkpoint_n_hidden(object) : sofa_class_n_fields(object->klass);
    for (size_t k = 0; k < n; k++) {
      Value v = {.object = object};
      if (hidden) v.part = sofa_checkpoint_hidden(object, k);
      else v.field = sofa_class_field_at(object->klass, k);
      if (v.field && v.field->type->link) continue;
      SOFA_TRY(SOFA_APPEND(ctx, out, &v));
    }
  }
  return SOFA_OK;
}

static void put_bytes(SofaCheckpointWriter *to, const Value *v) {
  to->bytes.n = 0;
  if (v->field)
    sofa_checkpoint_put_value(to, v->field->type, sofa_field_value(v->object, v->field));
  else sofa_checkpoint_put_part(to, v->object, &v->part);
}

static const char *name_of(const Value *v) {
  if (v->field) return v->field->name;
  return v->part.member ? v->part.member->name : "data";
}

static bool is_list(const Value *v) {
  if (v->field) return v->field->type->list;
  return v->part.list || (v->part.member && v->part.member->kind != SOFA_KEPT_BYTES);
}

/* Lists of a mesh and of its masses, and springs, which no step changes where it is divided; lists
 * that the scene gives or links, and outputs. */
static bool is_of_scene(const Value *v) {
  if (v->part.list && sofa_implements(v->object, SOFA_TIES)) return true;
  if (sofa_implements(v->object, SOFA_TOPOLOGY) || sofa_implements(v->object, SOFA_MASS) ||
      sofa_class_is_a(v->object->klass, &sofa_mesh_loader_class))
    return true;
  if (!v->field) return false;
  const SofaFieldState *state = sofa_field_state(v->object, v->field);
  return state->divided || state->source || (v->field->flags & SOFA_FIELD_OUTPUT);
}

/* The number of points of a state: that of this process. */
static bool is_count(const Value *v) {
  return v->field && sofa_implements(v->object, SOFA_STATE) &&
         strcmp(v->field->name, "size") == 0 && sofa_object_division(v->object, NULL);
}

/* ---- rows ---- */

static Rows rows_of_belongs(const Value *v, const SofaBelongs *b, size_t n, size_t size) {
  const SofaElementKind kind =
      b->kind_at ? *(const SofaElementKind *)((const char *)v->object + b->kind_at) : b->kind;
  return (Rows){.division = sofa_object_division(v->object, v->field),
                .kind = kind,
                .n = n,
                .size = size,
                .known = true};
}

static Rows rows_of_field(const Value *v) {
  const SofaType *type = v->field->type;
  const void *value = sofa_field_value(v->object, v->field);
  if (!type->list || type->scalar != SOFA_SCALAR_REAL) return (Rows){0};
  const size_t n = sofa_value_length(v->field, value);
  const size_t size = sofa_value_width(v->field, value) * sizeof(double);
  if (v->field->belongs && v->field->belongs->role == SOFA_ROLE_PER)
    return rows_of_belongs(v, v->field->belongs, n, size);
  return (Rows){
      .division = sofa_object_division(v->object, v->field), .n = n, .size = size, .exact = true};
}

static Rows rows_of_member(const Value *v) {
  const SofaKeptMember *m = v->part.member;
  const void *at = (const char *)v->object + m->offset;
  if (m->kind != SOFA_KEPT_TYPED || m->type != &sofa_type_coords) return (Rows){0};
  const SofaCoords *coords = at;
  return (Rows){.division = sofa_object_division(v->object, NULL),
                .n = coords->n,
                .size = coords->width * sizeof(double),
                .exact = true};
}

/* Masses of points are partial sums at the copies of a point. */
static Rows rows_of(const Value *v) {
  if (sofa_implements(v->object, SOFA_MASS)) return (Rows){0};
  if (v->field) return rows_of_field(v);
  if (v->part.member) return rows_of_member(v);
  const SofaPrivateList *row = v->part.list;
  if (!row || !row->belongs || row->belongs->role != SOFA_ROLE_PER) return (Rows){0};
  const void *list = sofa_private_list(v->object, row);
  const size_t size = row->coords ? ((const SofaCoords *)list)->width * sizeof(double) : row->size;
  return rows_of_belongs(v, row->belongs, ((const SofaAnyList *)list)->n, size);
}

/* Bytes of a row where the entries are rows of the kind; -1: they are not. */
static double row_size(const Rows *rows, SofaElementKind kind) {
  const size_t n = sofa_division_n_local(rows->division, kind);
  if (!n) return rows->n ? -1 : 0;
  if (rows->n % n || (rows->exact && rows->n != n)) return -1;
  return (double)(rows->n / n * rows->size);
}

/* *fit: the entries are rows of rows->kind, of rows->size bytes, on all processes. */
static SofaErr find_rows(SofaContext *ctx, Rows *rows, bool *fit) {
  double most[2 * SOFA_N_ELEMENT_KINDS];
  *fit = false;
  const double has = rows->division != NULL;
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) {
    const bool asked = has > 0 && (!rows->known || rows->kind == (SofaElementKind)k) &&
                       sofa_division_n_whole(rows->division, (SofaElementKind)k);
    const double size = asked ? row_size(rows, (SofaElementKind)k) : -1;
    most[2 * k] = size < 0;
    most[2 * k + 1] = size;
  }
  SOFA_TRY(sofa_process_max(ctx, SOFA_COUNT(most), most));
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS && !*fit; k++) {
    *fit = most[2 * k] == 0 && most[2 * k + 1] > 0;
    if (!*fit) continue;
    rows->kind = (SofaElementKind)k;
    rows->size = (size_t)most[2 * k + 1];
  }
  return SOFA_OK;
}

/* ---- writing ---- */

/* same[i]: all processes have the bytes of value i. */
static SofaErr find_same(SofaCheckpointWriter *w, const Values *values, bool *same) {
  SofaContext *ctx = w->ctx;
  const size_t n = values->n, n_processes = (size_t)sofa_process_count(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint64_t *sums = SOFA_SCRATCH(ctx, uint64_t, (n_processes + 1) * n + 1), *all = sums + n;
  if (!sums) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    put_bytes(w, &values->data[i]);
    sums[i] = sofa_checksum(SOFA_CHECKSUM_BEGIN, w->bytes.data, w->bytes.n) ^ w->bytes.n;
  }
  SofaErr err = sofa_process_collect(ctx, n * sizeof *sums, sums, all);
  for (size_t i = 0; i < n && err == SOFA_OK; i++) {
    same[i] = true;
    for (size_t r = 1; r < n_processes; r++) same[i] = same[i] && all[r * n + i] == all[i];
  }
  sofa_scratch_release(ctx, mark);
  return err == SOFA_OK ? w->err : err;
}

/* What stands before the entries, without their number; the rows are a section. */
static SofaErr put_rows(SofaCheckpointWriter *to, SofaSections *sections, SofaCheckpointWriter *w,
                        const Rows *rows) {
  const SofaSectionRows own = {.division = rows->division,
                               .kind = rows->kind,
                               .n = sofa_division_n_local(rows->division, rows->kind),
                               .size = rows->size};
  const size_t head = w->bytes.n - own.n * rows->size - sizeof(uint64_t);
  sofa_checkpoint_put_uint(to, rows->kind);
  sofa_checkpoint_put_uint(to, rows->size);
  sofa_checkpoint_put_uint(to, sofa_division_n_whole(rows->division, rows->kind));
  sofa_checkpoint_put_uint(to, head);
  sofa_checkpoint_put(to, w->bytes.data, head);
  return sofa_sections_put(sections, &own, w->bytes.data + head + sizeof(uint64_t));
}

static void put_same(SofaCheckpointWriter *to, const SofaCheckpointWriter *w) {
  sofa_checkpoint_put_uint(to, FORM_SAME);
  const size_t part = sofa_checkpoint_begin(to);
  sofa_checkpoint_put(to, w->bytes.data, w->bytes.n);
  sofa_checkpoint_end(to, part);
}

static SofaErr put_left(SofaCheckpointWriter *to, const Value *v) {
  sofa_checkpoint_put_uint(to, FORM_LEFT);
  if (v->field) sofa_checkpoint_put_uint(to, is_of_scene(v));
  if (v->field || is_of_scene(v)) return to->err;
  return sofa_object_unsupported(v->object,
                                 "a saved state: '%s' is that of a part of a mesh, and has no rows "
                                 "of it",
                                 name_of(v));
}

/* Lists of two parts may be equal by chance, where the parts are alike: they are no less lists of
 * parts. */
static SofaErr put_formed(SofaCheckpointWriter *to, SofaSections *sections, SofaCheckpointWriter *w,
                          const Value *v, bool same) {
  Rows rows = rows_of(v);
  bool fit = false;
  if (rows.division) SOFA_TRY(find_rows(to->ctx, &rows, &fit));
  if (fit) {
    sofa_checkpoint_put_uint(to, FORM_ROWS);
    return put_rows(to, sections, w, &rows);
  }
  const bool of_part = (is_list(v) || sofa_implements(v->object, SOFA_MASS)) &&
                       sofa_object_division(v->object, v->field);
  if (!same || is_count(v) || (of_part && is_of_scene(v))) return put_left(to, v);
  put_same(to, w);
  return to->err;
}

/* w: work space. */
static SofaErr put_value(SofaCheckpointWriter *to, SofaSections *sections, SofaCheckpointWriter *w,
                         const Value *v, bool same) {
  if (v->field) {
    const SofaFieldState *state = sofa_field_state(v->object, v->field);
    const uint32_t versions[3] = {state->version, state->pulled, state->ranged};
    sofa_checkpoint_put(to, versions, sizeof versions);
  }
  put_bytes(w, v);
  return w->err == SOFA_OK ? put_formed(to, sections, w, v, same) : w->err;
}

SofaErr sofa_checkpoint_put_divided(SofaCheckpointWriter *to, SofaSections *sections, bool hidden) {
  SofaContext *ctx = to->ctx;
  SofaCheckpointWriter w = {
      .ctx = ctx, .objects = to->objects, .sorted = to->sorted, .places = to->places};
  Values values = {0};
  SofaErr err = list_values(to->objects, hidden, ctx, &values);
  bool *same = sofa_alloc(ctx, values.n, sizeof *same);
  if (err == SOFA_OK && !same) err = SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = find_same(&w, &values, same);
  for (size_t i = 0; i < values.n && err == SOFA_OK; i++)
    err = put_value(to, sections, &w, &values.data[i], same[i]);
  for (size_t i = 0; i < to->objects->n && !hidden; i++) {
    sofa_checkpoint_put_uint(to, to->objects->data[i]->updated);
    sofa_checkpoint_put_uint(to, to->objects->data[i]->update_stamp);
  }
  sofa_free(ctx, same);
  sofa_list_free(ctx, &values);
  sofa_list_free(ctx, &w.bytes);
  return err == SOFA_OK ? to->err : err;
}

SofaErr sofa_checkpoint_put_points(SofaCheckpointWriter *to, SofaSections *sections,
                                   const SofaState *state, size_t width, const double *values) {
  const SofaSectionRows rows = {.division = sofa_state_division(state),
                                .kind = SOFA_ELEMENT_POINT,
                                .n = sofa_state_size(state),
                                .size = width * sizeof *values};
  sofa_checkpoint_put_uint(to, rows.division ? FORM_ROWS : FORM_SAME);
  if (rows.division) SOFA_TRY(sofa_sections_put(sections, &rows, values));
  else sofa_checkpoint_put(to, values, rows.n * rows.size);
  return to->err;
}

/* ---- reading ---- */

/* The rows of the file as bytes of this process's value. The number of entries is that of the value
 * that is there: a restored scene has its lists. */
static SofaErr get_rows(SofaCheckpointReader *from, SofaSections *sections, const Value *v,
                        SofaText *out) {
  const Rows now = rows_of(v);
  SofaSectionRows rows = {.division = now.division};
  rows.kind = (SofaElementKind)sofa_checkpoint_get_uint(from);
  rows.size = sofa_checkpoint_get_uint(from);
  const uint64_t n_whole = sofa_checkpoint_get_uint(from), head = sofa_checkpoint_get_uint(from);
  if (rows.kind >= SOFA_N_ELEMENT_KINDS || !rows.size || !now.size || rows.size % now.size ||
      !sofa_sections_has(sections, n_whole, rows.size))
    from->bad = true;
  if (from->bad || head > (size_t)(from->end - from->at)) return SOFA_OK;
  rows.n = now.division ? sofa_division_n_local(now.division, rows.kind) : (size_t)n_whole;
  const uint64_t entries = rows.n * (rows.size / now.size);
  SOFA_TRY(SOFA_RESIZE(from->ctx, out, head + sizeof entries + rows.n * rows.size));
  sofa_copy(out->data, from->at, head);
  sofa_copy(out->data + head, &entries, sizeof entries);
  from->at += head;
  return sofa_sections_get(sections, &rows, out->data + head + sizeof entries, &from->bad);
}

static SofaErr take(SofaCheckpointReader *from, const Value *v, bool *changed) {
  if (v->field)
    return sofa_checkpoint_get_value(from, v->field->type, sofa_field_value(v->object, v->field),
                                     changed);
  return sofa_checkpoint_get_part(from, v->object, &v->part);
}

/* A value that the scene alone makes must be as the scene made it. */
static SofaErr check_left(SofaCheckpointReader *from, const Value *v, const uint32_t versions[3]) {
  const bool of_scene = sofa_checkpoint_get_uint(from) != 0;
  if (from->bad || of_scene || sofa_field_state(v->object, v->field)->version == versions[0])
    return SOFA_OK;
  return sofa_object_unsupported(
      v->object, "a saved state of a divided mesh: '%s' has changed in the run", v->field->name);
}

static SofaErr get_value(SofaCheckpointReader *from, SofaSections *sections, const Value *v,
                         bool *changed) {
  uint32_t versions[3] = {0};
  SofaText bytes = {0};
  SofaCheckpointReader part = *from;
  SofaErr err = SOFA_OK;
  if (v->field) sofa_checkpoint_get(from, versions, sizeof versions);
  const uint64_t form = sofa_checkpoint_get_uint(from);
  if (form == FORM_LEFT) return v->field && !from->bad ? check_left(from, v, versions) : SOFA_OK;
  if (form == FORM_SAME) {
    part = sofa_checkpoint_part(from);
  } else {
    err = get_rows(from, sections, v, &bytes);
    part.at = bytes.data;
    part.end = bytes.data + bytes.n;
  }
  if (err == SOFA_OK) err = take(&part, v, changed);
  if (part.bad) from->bad = true;
  sofa_list_free(from->ctx, &bytes);
  if (err != SOFA_OK || from->bad || !v->field) return err;
  SofaFieldState *state = sofa_field_state(v->object, v->field);
  state->version = versions[0];
  state->pulled = versions[1];
  state->ranged = versions[2];
  return SOFA_OK;
}

SofaErr sofa_checkpoint_get_divided(SofaCheckpointReader *from, SofaSections *sections,
                                    const SofaObjects *objects, bool hidden, bool *reinit) {
  Values values = {0};
  SofaErr err = list_values(objects, hidden, from->ctx, &values);
  size_t at = 0;
  for (size_t i = 0; i < values.n && err == SOFA_OK && !from->bad; i++) {
    const Value *v = &values.data[i];
    bool changed = false;
    while (objects->data[at] != v->object) at++;
    err = get_value(from, sections, v, &changed);
    if (reinit && changed && v->field) reinit[at] |= (v->field->flags & SOFA_FIELD_REINIT) != 0;
  }
  for (size_t i = 0; i < objects->n && !hidden && err == SOFA_OK; i++) {
    objects->data[i]->updated = sofa_checkpoint_get_uint(from) != 0;
    objects->data[i]->update_stamp = sofa_checkpoint_get_uint(from);
  }
  sofa_list_free(from->ctx, &values);
  return err;
}

SofaErr sofa_checkpoint_get_points(SofaCheckpointReader *from, SofaSections *sections,
                                   const SofaState *state, size_t width, double *values) {
  const SofaSectionRows rows = {.division = sofa_state_division(state),
                                .kind = SOFA_ELEMENT_POINT,
                                .n = sofa_state_size(state),
                                .size = width * sizeof *values};
  const uint64_t form = sofa_checkpoint_get_uint(from);
  if (form == FORM_ROWS && !from->bad)
    return sofa_sections_get(sections, &rows, values, &from->bad);
  if (form != FORM_SAME || rows.division) from->bad = true;
  sofa_checkpoint_get(from, values, rows.n * rows.size);
  return SOFA_OK;
}
