/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quantities: how their texts are read, and how their numbers are found. */
#include "simulation/quantity.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "object/data_graph.h"
#include "object/numbers.h"
#include "simulation/quantity_divided.h"
#include "simulation/simulation.h"

static const char *const op_words[] = {"min", "max", "mean", "sum", "norm", "maxnorm", "count"};
enum { N_OPS = sizeof op_words / sizeof *op_words };
static const char *const scene_words[] = {"kineticEnergy", "potentialEnergy", "dissipatedEnergy"};

static SofaErr refuse(SofaContext *ctx, const char *text, const char *why, const char *nearest) {
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.emitter = "quantity"}, "'%s': %s%s", text,
                   why, nearest ? nearest : "");
}

/* ---- the text ---- */

/* A text in parts, each ended by a zero in `copy`. */
typedef struct Parts {
  char *copy;
  const char *path, *field, *op; /* op NULL: none */
  bool one_entry, one_number;
  size_t entry, number;
} Parts;

static bool read_index(const char **p, size_t *out) {
  int64_t value = 0;
  if (**p < '0' || **p > '9' || !sofa_read_int(p, &value)) return false;
  *out = (size_t)value;
  return true;
}

/* "[12].y" */
static bool read_places(const char *p, Parts *out) {
  if (*p == '[') {
    p++;
    out->one_entry = read_index(&p, &out->entry);
    if (!out->one_entry || *p++ != ']') return false;
  }
  if (!*p) return true;
  if (*p++ != '.') return false;
  out->one_number = true;
  if (*p >= 'x' && *p <= 'z' && !p[1]) out->number = (size_t)(*p++ - 'x');
  else if (!read_index(&p, &out->number)) return false;
  return !*p;
}

/* false: it is not PATH.FIELD[ENTRY].NUMBER:OP. */
static bool split(char *text, Parts *out) {
  char *slash = strrchr(text, '/');
  char *colon = strrchr(slash ? slash : text, ':');
  char *dot = strchr(slash ? slash : text, '.');
  *out = (Parts){.copy = text, .path = text};
  if (colon) {
    out->op = colon + 1;
    *colon = '\0';
  }
  if (!dot || (colon && dot > colon)) return false;
  *dot = '\0';
  out->field = dot + 1;
  char *end = dot + 1 + strcspn(dot + 1, "[.");
  const bool good = end > dot + 1 && read_places(end, out);
  *end = '\0';
  return good;
}

/* ---- the object ---- */

static SofaErr refuse_path(SofaNode *from, const char *text, const char *path) {
  SofaText nearest = {0};
  SofaErr err = sofa_path_suggest(from, path, &nearest);
  if (err == SOFA_OK)
    err = refuse(from->object.ctx, text, "there is no such object or node", nearest.data);
  sofa_list_free(from->object.ctx, &nearest);
  return err;
}

static SofaErr find_object(SofaNode *from, const char *text, const char *path, SofaObject **out) {
  static const SofaPathRule rule = {.strict = true};
  const char *at = path + strspn(path, "/");
  if (*path == '/') from = sofa_node_root(from);
  *out = *at ? sofa_resolve_path(from, at, &rule) : &from->object;
  return *out ? SOFA_OK : refuse_path(from, text, path);
}

/* ---- the numbers ---- */

/* The numbers of a field that a quantity names, now. */
typedef struct Numbers {
  const SofaObject *object;
  const SofaField *field;
  size_t first, n, width;
} Numbers;

static bool has_numbers(const SofaField *field) {
  return field->type->scalar != SOFA_SCALAR_NONE && field->type->scalar != SOFA_SCALAR_STRING;
}

/* false: there are none (any more). */
static bool find_numbers(const SofaQuantity *q, const SofaObject *object, const SofaField *field,
                         Numbers *out) {
  const void *value = sofa_field_value(object, field);
  const size_t length = sofa_value_length(field, value), width = sofa_value_width(field, value);
  *out = (Numbers){.object = object, .field = field, .n = length * width, .width = width};
  if (q->one_entry && q->entry >= length) return false;
  if (q->one_number && q->number >= width) return false;
  if (q->one_entry) {
    out->first = q->entry * width;
    out->n = width;
  }
  if (q->one_number && (q->one_entry || length == 1)) {
    out->first += q->number;
    out->n = 1;
  }
  return true;
}

/* The same of a list of which each process has a part, with the numbers of all. */
static bool find_whole(const SofaQuantity *q, const SofaObject *object, const SofaField *field,
                       Numbers *at) {
  const size_t n = sofa_quantity_n_whole(q);
  *at = (Numbers){.object = object, .field = field};
  at->width = sofa_value_width(field, sofa_field_value(object, field));
  at->n = (q->one_entry ? 1 : n) * at->width;
  if (q->one_entry && q->one_number) at->n = 1;
  return !(q->one_entry && q->entry >= n) && !(q->one_number && q->number >= at->width);
}

/* Does number i of a list belong to the quantity? "position.y" is that of each entry. */
static bool is_meant(const SofaQuantity *q, const Numbers *at, size_t i) {
  return !q->one_number || at->n == 1 || i % at->width == q->number;
}

static double number(const Numbers *at, size_t i) {
  double value = NAN;
  sofa_field_number(at->object, at->field, at->first + i, &value);
  return value;
}

static double sum_of_squares(const SofaQuantity *q, const Numbers *at, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; i++)
    if (is_meant(q, at, i)) sum += number(at, i) * number(at, i);
  return sum;
}

static double largest_norm(const SofaQuantity *q, const Numbers *at) {
  double most = at->n ? 0 : NAN;
  for (size_t i = 0; i < at->n; i += at->width)
    most = fmax(most, sum_of_squares(q, at, i, i + at->width < at->n ? i + at->width : at->n));
  return sqrt(most);
}

static double reduce(const SofaQuantity *q, const Numbers *at) {
  double low = NAN, high = NAN, sum = 0, n = 0;
  if (q->op == SOFA_QUANTITY_NORM) return sqrt(sum_of_squares(q, at, 0, at->n));
  if (q->op == SOFA_QUANTITY_MAXNORM) return largest_norm(q, at);
  if (q->op == SOFA_QUANTITY_COUNT) return at->width ? (double)(at->n / at->width) : 0;
  for (size_t i = 0; i < at->n; i++) {
    if (!is_meant(q, at, i)) continue;
    const double value = number(at, i);
    low = fmin(low, value);
    high = fmax(high, value);
    sum += value;
    n++;
  }
  if (q->op == SOFA_QUANTITY_SUM) return sum;
  if (q->op == SOFA_QUANTITY_MEAN) return n > 0 ? sum / n : NAN;
  return q->op == SOFA_QUANTITY_MIN ? low : high;
}

static void list_numbers(const SofaQuantity *q, const Numbers *at, double *values) {
  size_t k = 0;
  for (size_t i = 0; i < at->n && k < q->n_columns; i++)
    if (is_meant(q, at, i)) values[k++] = number(at, i);
}

static SofaErr read_energy(SofaNode *root, const SofaQuantity *q, double *value) {
  double kinetic, potential;
  if (q->op == SOFA_QUANTITY_DISSIPATED) return sofa_scene_dissipated(root, value);
  SOFA_TRY(sofa_scene_energies(root, &kinetic, &potential));
  *value = q->op == SOFA_QUANTITY_KINETIC ? kinetic : potential;
  return SOFA_OK;
}

SofaErr sofa_quantity_read(SofaContext *ctx, const SofaQuantity *q, double *values) {
  Numbers at;
  SofaObject *object = sofa_handle_object(ctx, q->object);
  for (size_t i = 0; i < q->n_columns; i++) values[i] = NAN;
  if (object && !q->field) return read_energy((SofaNode *)object, q, values);
  const SofaField *field = object ? sofa_class_field(object->klass, q->field) : NULL;
  if (!field) return SOFA_OK;
  SOFA_TRY(sofa_field_refresh(object, field));
  if (q->division) return sofa_quantity_read_divided(q, object, field, values);
  if (!has_numbers(field) || !find_numbers(q, object, field, &at)) return SOFA_OK;
  if (q->op == SOFA_QUANTITY_ALL) list_numbers(q, &at, values);
  else values[0] = reduce(q, &at);
  return SOFA_OK;
}

/* ---- opening ---- */

static SofaErr take_op(SofaContext *ctx, const Parts *parts, SofaQuantity *q) {
  size_t i = 0;
  SofaText nearest = {0};
  if (!parts->op) return SOFA_OK;
  while (i < N_OPS && strcmp(op_words[i], parts->op) != 0) i++;
  q->op = (SofaQuantityOp)(SOFA_QUANTITY_MIN + i);
  if (i < N_OPS) return SOFA_OK;
  SofaErr err = sofa_text_suggest(ctx, parts->op, op_words, N_OPS, &nearest);
  if (err == SOFA_OK)
    err = refuse(ctx, q->text,
                 "there is no such operation (min, max, mean, sum, norm, maxnorm, count)",
                 nearest.data);
  sofa_list_free(ctx, &nearest);
  return err;
}

static SofaErr fail(const SofaObject *object, const SofaQuantity *q, const char *why) {
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "quantity '%s': %s", q->text, why);
}

/* Columns of a computed list that is empty before the first step; false: there is no such number,
 * or nobody knows how many there will be. */
static bool late_columns(SofaQuantity *q, const SofaField *field, const Numbers *at) {
  const bool late = (field->flags & SOFA_FIELD_OUTPUT) && field->type->list && !at->n;
  if (!late || !q->one_entry || (q->one_number && q->number >= at->width)) return false;
  q->n_columns = q->one_number || q->op != SOFA_QUANTITY_ALL ? 1 : at->width;
  q->width = at->width;
  return true;
}

static SofaErr take_field(const Parts *parts, SofaObject *object, SofaQuantity *q) {
  SofaContext *ctx = object->ctx;
  Numbers at;
  const SofaField *field = sofa_class_field(object->klass, parts->field);
  if (!field) {
    SofaText why = {0};
    SofaErr err = sofa_class_suggest_field(ctx, object->klass, parts->field, &why);
    if (err == SOFA_OK)
      err = sofa_object_fail(object, SOFA_ERR_ARGUMENT, "quantity '%s': there is no field '%s'%s",
                             q->text, parts->field, why.n ? why.data : "");
    sofa_list_free(ctx, &why);
    return err;
  }
  if (!has_numbers(field)) return fail(object, q, "the field has no numbers");
  SOFA_TRY(sofa_field_refresh(object, field));
  q->object = sofa_handle_of(object);
  q->field = sofa_strdup(ctx, field->name);
  if (!q->object || !q->field) return SOFA_ERR_MEMORY;
  q->unit = field->unit && q->op != SOFA_QUANTITY_COUNT ? field->unit : "";
  SOFA_TRY(sofa_quantity_find_division(object, field, q));
  const bool found =
      q->division ? find_whole(q, object, field, &at) : find_numbers(q, object, field, &at);
  if (late_columns(q, field, &at)) return SOFA_OK;
  if (!found) return fail(object, q, "the field has no such number");
  if (!at.n && q->op == SOFA_QUANTITY_ALL)
    return fail(
        object, q,
        "the list is empty now: name an entry, such as [0], or an operation, such as :norm");
  q->width = at.width;
  q->n_columns = q->op != SOFA_QUANTITY_ALL  ? 1
                 : q->one_number && at.n > 1 ? at.n / at.width
                                             : at.n;
  return SOFA_OK;
}

/* A word of the scene; *found: it is one. */
static SofaErr take_scene_word(SofaNode *root, SofaQuantity *q, bool *found) {
  *found = false;
  for (unsigned i = 0; i < sizeof scene_words / sizeof *scene_words; i++) {
    if (strcmp(q->text, scene_words[i]) != 0) continue;
    q->op = (SofaQuantityOp)(SOFA_QUANTITY_KINETIC + i);
    q->unit = "J";
    q->n_columns = q->width = 1;
    q->object = sofa_handle_of(&root->object);
    *found = true;
  }
  return *found && !q->object ? SOFA_ERR_MEMORY : SOFA_OK;
}

static SofaErr open_field(SofaNode *from, Parts *parts, SofaQuantity *q) {
  SofaObject *object = NULL;
  q->one_entry = parts->one_entry;
  q->one_number = parts->one_number;
  q->entry = parts->entry;
  q->number = parts->number;
  SOFA_TRY(take_op(from->object.ctx, parts, q));
  SOFA_TRY(find_object(from, q->text, parts->path, &object));
  return take_field(parts, object, q);
}

SofaErr sofa_quantity_open(SofaNode *from, const char *text, SofaQuantity *out) {
  SofaContext *ctx = from->object.ctx;
  Parts parts;
  bool found;
  *out = (SofaQuantity){.text = sofa_strdup(ctx, text), .unit = ""};
  char *copy = sofa_strdup(ctx, text);
  SofaErr err = out->text && copy ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = take_scene_word(sofa_node_root(from), out, &found);
  if (err == SOFA_OK && !found) {
    if (split(copy, &parts)) err = open_field(from, &parts, out);
    else
      err = refuse(
          ctx, text,
          "expected PATH.FIELD[ENTRY].NUMBER:OPERATION, such as "
          "/body/state.position[12].y, or kineticEnergy, potentialEnergy or dissipatedEnergy",
          NULL);
  }
  sofa_free(ctx, copy);
  if (err != SOFA_OK) sofa_quantity_close(ctx, out);
  return err;
}

void sofa_quantity_close(SofaContext *ctx, SofaQuantity *quantity) {
  sofa_free(ctx, quantity->text);
  sofa_free(ctx, quantity->field);
  *quantity = (SofaQuantity){.text = NULL};
}

/* ---- names ---- */

static SofaErr add_number(SofaContext *ctx, size_t number, SofaText *out) {
  if (number < 3) return sofa_text_printf(ctx, out, ".%c", (char)('x' + number));
  return sofa_text_printf(ctx, out, ".%zu", number);
}

/* What follows the quantity's own text in the name of column k. */
static SofaErr add_place(SofaContext *ctx, const SofaQuantity *q, size_t k, SofaText *out) {
  if (q->op != SOFA_QUANTITY_ALL) return SOFA_OK;
  if (q->n_columns == 1) {
    if (q->width > 1 && !q->one_number) return add_number(ctx, 0, out);
    return SOFA_OK;
  }
  if (!q->one_entry && (q->one_number || q->n_columns > q->width))
    SOFA_TRY(sofa_text_printf(ctx, out, "[%zu]", q->one_number ? k : k / q->width));
  return q->one_number || q->width == 1 ? SOFA_OK : add_number(ctx, k % q->width, out);
}

SofaErr sofa_quantity_names(SofaContext *ctx, const SofaQuantity *q, SofaText *out) {
  for (size_t k = 0; k < q->n_columns; k++) {
    SOFA_TRY(sofa_text_printf(ctx, out, ",%s", q->text));
    SOFA_TRY(add_place(ctx, q, k, out));
    if (*q->unit) SOFA_TRY(sofa_text_printf(ctx, out, " [%s]", q->unit));
  }
  return SOFA_OK;
}

SofaErr sofa_quantity_cells(SofaContext *ctx, const SofaQuantity *q, SofaText *out) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *values = SOFA_SCRATCH(ctx, double, q->n_columns + 1);
  SofaErr err = values ? sofa_quantity_read(ctx, q, values) : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < q->n_columns && err == SOFA_OK; i++) {
    err = sofa_text_append(ctx, out, ",", 1);
    if (err == SOFA_OK && !isnan(values[i])) err = sofa_text_real(ctx, out, values[i], 0);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}
