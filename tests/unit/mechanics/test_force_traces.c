/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every force field on the scenes of the conformance suite, and with each of its fields edited: its
 * forces, products, matrices and energy, in weighted sums, its messages and fields are those of
 * force_traces.txt. The conformance suite compares the operations with each other, and the closed
 * forms say that the numbers are right. A trace that changes on purpose is recorded again:
 * CSOFA_RECORD=FILE writes what was found. An argument selects those whose name it matches:
 * test_force_traces 'Plane*' */
#include "tests/support/conform_forcefield.c"
#include "tests/support/force_field_cases.h"
#include "tests/support/trace.h"

#include <ctype.h>
#include <fnmatch.h>

#include "scene/edit.h"

enum { MOST_TEXT = 2000000, MOST_DIGEST = 4000, MOST_NUMBERS = 10000 };

/* ---- numbers ---- */

static double weight(size_t i) {
  return sin(1.3 * (double)i + 0.2);
}

/* A weighted sum; what is left of rounding is 0. */
static double sum_of(const double *x, size_t n) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < n; i++) {
    sum += weight(i) * x[i];
    all += fabs(weight(i) * x[i]);
  }
  return fabs(sum) < 1e-9 * all ? 0 : sum;
}

static void add_number(Trace *t, const char *name, SofaErr err, double x) {
  if (err != SOFA_OK) trace_add(t, " %s: %s", name, sofa_err_text(err));
  else if (isnan(x)) trace_add(t, " %s nan", name);
  else trace_add(t, " %s %.5g", name, x);
}

/* The numbers of a text. */
static size_t numbers_of(const char *text, double numbers[MOST_NUMBERS]) {
  size_t n = 0;
  for (const char *at = text; *at && n < MOST_NUMBERS;) {
    char *end = NULL;
    const bool begins = at == text || strchr(" ,[", at[-1]);
    const double value = begins && !isalpha((unsigned char)*at) ? strtod(at, &end) : 0;
    if (end && end != at) numbers[n++] = value, at = end;
    else at++;
  }
  return n;
}

/* The next output from rank *rank on, as text; false: there is none. */
static bool next_output(SofaObject *object, size_t *rank, const SofaField **field, SofaText *text) {
  sofa_list_free(object->ctx, text);
  for (; *rank < sofa_class_n_fields(object->klass); ++*rank) {
    *field = sofa_class_field_at(object->klass, *rank);
    if (!((*field)->flags & SOFA_FIELD_OUTPUT)) continue;
    (void)sofa_field_compute(object, *field);
    (void)sofa_field_print(object, *field, text);
    if (text->n) return ++*rank;
    sofa_list_free(object->ctx, text);
  }
  return false;
}

/* How many numbers each has and their sum; the text where it has none. */
static void add_outputs(Trace *t, SofaObject *object) {
  double numbers[MOST_NUMBERS];
  const SofaField *field;
  SofaText text = {0};
  for (size_t rank = 0; next_output(object, &rank, &field, &text);) {
    const size_t n = numbers_of(text.data, numbers);
    trace_add(t, "\n   %s ", field->name);
    if (n) trace_add(t, "%zu:%.5g", n, sum_of(numbers, n));
    else trace_add(t, "%.60s", text.data);
  }
}

/* One number for all, and how many are not numbers. */
static void add_output_sum(Trace *t, SofaObject *object) {
  double numbers[MOST_NUMBERS], sum = 0;
  const SofaField *field;
  SofaText text = {0};
  unsigned without = 0;
  bool some = false;
  for (size_t rank = 0; next_output(object, &rank, &field, &text);) {
    const size_t n = numbers_of(text.data, numbers);
    const double one = sum_of(numbers, n);
    some |= n > 0;
    if (!n || isnan(one)) without++;
    else sum += weight(rank) * one;
  }
  if (some) trace_add(t, " out %.5g", sum);
  if (some && without) trace_add(t, " nan %u", without);
}

/* ---- operations ---- */

typedef struct Arrays {
  double *x, *v, *dx, *to;
} Arrays;

static void fill_arrays(const Model *m, double size, Arrays *a) {
  *a = (Arrays){reals(m->nx), reals(m->nv), reals(m->nv), reals(m->nv + 1)};
  for (size_t i = 0; i < m->nv; i++) {
    a->v[i] = size * sin(1.7 * (double)i + 0.4);
    a->dx[i] = cos(2.1 * (double)i + 0.7);
  }
  model_rest(m, a->x);
  model_move(m, a->x, 1, a->v, a->x);
}

static void free_arrays(Arrays *a) {
  free(a->x), free(a->v), free(a->dx), free(a->to);
}

/* The weighted sum of the product of add_k or add_b with dx. */
static SofaErr matrix_sum(const Model *m, Assemble *add, const SofaMechParams *p, const Arrays *a,
                          double *sum) {
  uint8_t *sizes = calloc(m->nv + 1, 1);
  uint32_t first[2] = {0, 0}, n = 0;
  SofaBlockMatrix *matrix;
  SofaTangentPair pairs[4];
  const SofaTangent tangent = {.pairs = pairs, .n = m->ff->n_states, .factor = 1};
  for (int k = 0; k < m->n_states; k++) {
    first[k] = n;
    for (size_t i = 0; i < sofa_state_size(m->state[k]); i++)
      sizes[n++] = (uint8_t)sofa_state_kind_info(m->state[k]->object.kind)->deriv;
  }
  assert_int_equal(sofa_block_matrix_create(m->run.ctx, n, sizes, n, sizes, &matrix), SOFA_OK);
  for (size_t k = 0; k < tangent.n * tangent.n; k++)
    pairs[k] = (SofaTangentPair){matrix, first[m->n_states == 2 ? k / tangent.n : 0],
                                 first[m->n_states == 2 ? k % tangent.n : 0]};
  ModelPoint point;
  model_point(m, a->x, a->v, 0, &point);
  sofa_block_matrix_begin(matrix);
  const SofaErr err = add(m->ff, p, &point.at, &tangent);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  memset(a->to, 0, m->nv * sizeof *a->to);
  sofa_block_matrix_multiply(matrix, a->dx, a->to, 1);
  *sum = sum_of(a->to, m->nv);
  sofa_block_matrix_destroy(&matrix);
  free(sizes);
  return err;
}

/* Sums of products with dx: of add_dforce, and of both matrices where they are not the same. */
static void add_products(Trace *t, const Model *m, const SofaMechParams *p, const SofaPoint *at,
                         const Arrays *a) {
  double *to[2], df, k, b;
  const double *from[2];
  for (int i = 0; i < 2; i++) {
    to[i] = (double *)(uintptr_t)part(m, a->to, m->v_at, i);
    from[i] = part(m, a->dx, m->v_at, i);
  }
  memset(a->to, 0, m->nv * sizeof *a->to);
  const SofaErr err = sofa_force_field_add_dforce(m->ff, p, at, from, to);
  df = sum_of(a->to, m->nv);
  add_number(t, "df", err, df);
  const SofaErr of_k = matrix_sum(m, sofa_force_field_add_k, p, a, &k);
  const SofaErr of_b = matrix_sum(m, sofa_force_field_add_b, p, a, &b);
  if (of_k != SOFA_OK || b != 0 || !(fabs(k - df) < 1e-9 * fabs(k))) add_number(t, "K", of_k, k);
  if (of_b != SOFA_OK || b != 0) add_number(t, "B", of_b, b);
}

/* The force, products and the energy at a point that is `size` away from rest. */
static void add_operations(Trace *t, const Model *m, double size, bool accept) {
  const SofaMechParams p = sofa_mech_params(0.01, 0.3, 0, 0.5, 1);
  Arrays a;
  ModelPoint point;
  double *to[2], energy = 0, lost = 0;
  fill_arrays(m, size, &a);
  for (int k = 0; k < 2; k++) to[k] = (double *)(uintptr_t)part(m, a.to, m->v_at, k);
  model_point(m, a.x, a.v, sofa_point_id(m->run.ctx), &point);
  SofaErr err = sofa_force_field_add_force(m->ff, &p, &point.at, to);
  add_number(t, "f", err, sum_of(a.to, m->nv));
  if (err == SOFA_OK) {
    add_products(t, m, &p, &point.at, &a);
    if (sofa_force_field_has_energy(m->ff)) {
      err = sofa_force_field_potential_energy(m->ff, &p, &point.at, &energy);
      add_number(t, "E", err, energy);
    }
    if (accept) err = sofa_force_field_accept(m->ff, &p, &point.at);
    if (accept && sofa_force_field_dissipated(m->ff, &lost)) add_number(t, "lost", err, lost);
  }
  free_arrays(&a);
}

/* The states themselves, for what is computed of them. */
static void move_states(const Model *m, double size) {
  Arrays a;
  fill_arrays(m, size, &a);
  for (int k = 0; k < m->n_states; k++) {
    const SofaCoords *to = &m->state[k]->position;
    memcpy(to->data, a.x + m->x_at[k], to->n * to->width * sizeof *to->data);
  }
  free_arrays(&a);
}

/* ---- cases ---- */

/* What cannot be read at all is the same for all classes. */
static void sink(void *user, const SofaMessage *message) {
  if (message->severity >= SOFA_WARNING && !strstr(message->text, "cannot read"))
    trace_add(user, "\n   %s: %.200s", sofa_severity_text(message->severity), message->text);
}

static bool open_case(Model *m, Trace *t, const ForceFieldCase *c,
                      const SofaContextOptions *options) {
  *m = (Model){.c = c};
  m->run.quiet = true;
  scene_run_context(&m->run, options);
  m->run.ctx->sink = sink;
  m->run.ctx->sink_user = t;
  SofaErr err = sofa_simulation_load_text(m->run.ctx, c->scene, &m->run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(m->run.simulation);
  m->ff = err == SOFA_OK ? find_force_field(m->run.simulation->root, c->klass) : NULL;
  if (m->ff) model_measure(m);
  else trace_add(t, "  %s\n", sofa_err_text(err));
  return m->ff;
}

static void close_case(Model *m) {
  m->run.ctx->sink = scene_run_sink;
  m->run.ctx->sink_user = &m->run;
  model_close(m);
}

/* At two points, with the history of the first at the second, and after a step and a reset. */
static void trace_case(Trace *t, const ForceFieldCase *c, const SofaContextOptions *options) {
  Model m;
  const double size = c->shake > 0 ? c->shake : 0.05;
  if (open_case(&m, t, c, options)) {
    trace_add(t, "  here ");
    add_operations(t, &m, size, true);
    move_states(&m, size);
    add_outputs(t, &m.ff->object);
    trace_add(t, "\n  there");
    add_operations(t, &m, -2 * size, false);
    m.run.simulation->root->dt = 0.3;
    const SofaErr err = sofa_simulation_step(m.run.simulation, 0);
    trace_add(t, "\n  step %s", sofa_err_text(err));
    add_operations(t, &m, size, false);
    trace_add(t, "\n  reset %s", sofa_err_text(sofa_simulation_reset(m.run.simulation)));
    add_operations(t, &m, size, false);
  }
  trace_add(t, "\n");
  close_case(&m);
}

/* ---- edits ---- */

/* A value and what follows from it; nothing where that is `before`. */
static void trace_edit(Trace *t, Model *m, const SofaField *field, const char *value,
                       const char *before) {
  static char text[MOST_DIGEST];
  Trace one = {.text = text, .most = sizeof text};
  SofaObject *object = &m->ff->object;
  text[0] = 0;
  m->run.ctx->sink_user = &one;
  const SofaErr err = sofa_edit(&object, field->name, value);
  m->ff = (SofaForceField *)object;
  model_measure(m);
  if (err == SOFA_ERR_PARSE) trace_add(&one, " unreadable");
  else if (err != SOFA_OK) trace_add(&one, " %s", sofa_err_text(err));
  const size_t begin = one.n;
  add_operations(&one, m, m->c->shake > 0 ? m->c->shake : 0.05, false);
  add_output_sum(&one, &m->ff->object);
  if (strcmp(text + begin, before) == 0) one.n = begin;
  if (one.n) trace_add(t, "  %s='%s':%.*s\n", field->name, value, (int)one.n, text);
  m->run.ctx->sink_user = t;
}

/* All values of a field, then the former one. */
static void edit_field(Trace *t, Model *m, const SofaField *field, const char *before) {
  static const char *const values[] = {"0", "-1", "2", "1 0.5", "0 1 2"};
  SofaObject *object = &m->ff->object;
  SofaText former = {0};
  assert_int_equal(sofa_field_print(object, field, &former), SOFA_OK);
  const size_t n = field->type->list ? SOFA_COUNT(values) : 3;
  for (size_t i = 0; i < n; i++) trace_edit(t, m, field, values[i], before);
  for (size_t i = 0; field->options && field->options[i]; i++)
    trace_edit(t, m, field, field->options[i], before);
  object = &m->ff->object;
  trace_edit(t, m, field, former.n ? former.data : "", before);
  sofa_list_free(m->run.ctx, &former);
}

static void edit_case(Trace *t, const ForceFieldCase *c, const SofaContextOptions *options) {
  static char before[MOST_DIGEST];
  Model m;
  Trace one = {.text = before, .most = sizeof before};
  before[0] = 0;
  if (open_case(&m, t, c, options)) {
    const double size = c->shake > 0 ? c->shake : 0.05;
    move_states(&m, size);
    add_operations(&one, &m, size, false);
    add_output_sum(&one, &m.ff->object);
    const SofaClass *klass = m.ff->object.klass;
    const SofaField *common = sofa_object_class.fields;
    for (size_t i = 0; i < sofa_class_n_fields(klass); i++) {
      const SofaField *field = sofa_class_field_at(klass, i);
      const unsigned left_out =
          SOFA_FIELD_OUTPUT | SOFA_FIELD_UNSUPPORTED | SOFA_FIELD_DISPLAY | SOFA_FIELD_NO_EFFECT;
      if (field >= common && field < common + sofa_object_class.n_fields) continue;
      if (field->flags & left_out || field->type->link) continue;
      edit_field(t, &m, field, before);
    }
  }
  close_case(&m);
}

/* ---- traces ---- */

static const SofaContextOptions variants[] = {{0}, {.keep_going = true}, {.quirks = true}};
static const char *const variant_names[] = {"", ", keep going", ", quirks"};

/* The lines that `base` does not have. */
static void add_new_lines(Trace *t, const char *text, const char *base) {
  char line[MOST_DIGEST];
  for (const char *end; *text; text = end) {
    end = text + strcspn(text, "\n") + 1;
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    if (!strstr(base, line)) trace_add(t, "%s", line);
  }
}

/* With keep_going and with quirks only what differs. */
static void trace(Trace *t, const ForceFieldCase *c, bool edits) {
  static char text[3][MOST_TEXT / 10];
  for (int i = 0; i < 3; i++) {
    Trace one = {.text = text[i], .most = sizeof text[i]};
    text[i][0] = 0;
    trace_case(&one, c, &variants[i]);
    if (edits && i < 2) edit_case(&one, c, &variants[i]);
    if (i && strcmp(text[0], text[i]) == 0) continue;
    trace_add(t, "%s, %s%s\n", c->klass, c->what, variant_names[i]);
    add_new_lines(t, text[i], i ? text[0] : "");
  }
}

/* ---- the recorded ones ---- */

static const char recorded_path[] = "tests/unit/mechanics/force_traces.txt";

static bool is_chosen(const char *name, const char *pattern) {
  return !pattern || fnmatch(pattern, name, 0) == 0;
}

/* The traces whose names match are those of the file. */
static void check_chosen(const Trace *t, const char *pattern) {
  static char all[MOST_TEXT], kept[MOST_TEXT], line[MOST_DIGEST];
  Trace part = {.text = kept, .most = sizeof kept};
  FILE *file = fopen(recorded_path, "r");
  assert_non_null(file);
  all[fread(all, 1, sizeof all - 1, file)] = 0;
  fclose(file);
  bool chosen = false;
  for (const char *at = all, *end; *at; at = end) {
    end = at + strcspn(at, "\n") + 1;
    snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
    if (line[0] != ' ') chosen = is_chosen(line, pattern);
    if (chosen) trace_add(&part, "%s", line);
  }
  trace_compare(t->text, kept);
}

/* Contacts have tests of their own; each class is edited in its first case. */
static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  const char *pattern = *state;
  Trace t = {.text = found, .most = sizeof found};
  if (!pattern) trace_add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t list = 0; list < COUNT(force_field_lists); list++)
    for (size_t i = 0; i < force_field_list_sizes[list]; i++) {
      const ForceFieldCase *c = &force_field_lists[list][i];
      char name[400];
      snprintf(name, sizeof name, "%s, %s\n", c->klass, c->what);
      if (force_field_lists[list] == contact_cases || force_field_lists[list] == mass_cases ||
          !is_chosen(name, pattern))
        continue;
      trace(&t, c, !i || strcmp(c->klass, c[-1].klass) != 0);
    }
  if (pattern) check_chosen(&t, pattern);
  else trace_check(&t, recorded_path);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(as_recorded, argc > 1 ? argv[1] : NULL)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
