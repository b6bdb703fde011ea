/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outputs of all force fields and masses. Those of internal forces do not depend on the place of
 * the body; the strain of a uniform deformation is the same in all elements; and all numbers are as
 * recorded in field_outputs.tsv. */
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

#include <math.h>

enum { MOST_OUTPUTS = 40, MOST_FIELDS = 100, MOST_NUMBERS = 20000 };

/* The numbers of one output. */
typedef struct Numbers {
  char name[60];
  size_t n;
  double *data;
} Numbers;

typedef struct Outputs {
  Numbers list[MOST_OUTPUTS];
  size_t n;
} Outputs;

static SofaForceField *force_field_of(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaForceField *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaForceField *found = force_field_of(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

/* The numbers in a text: words that are no numbers are left out. */
static void numbers_of(const char *text, Numbers *out) {
  out->data = calloc(MOST_NUMBERS, sizeof *out->data);
  while (*text && out->n < MOST_NUMBERS) {
    char *end;
    const double value = strtod(text, &end);
    if (end > text) out->data[out->n++] = value;
    text = end > text ? end : text + 1;
  }
}

/* Computes an output. It has another version than before any was computed: links read it again. */
static void compute(SofaObject *object, const SofaField *field, uint32_t before) {
  if (sofa_field_compute(object, field) != SOFA_OK)
    fail_msg("%s: %s is not computed", object->klass->name, field->name);
  if ((field->flags & SOFA_FIELD_LAZY) && sofa_field_state(object, field)->version == before)
    fail_msg("%s: %s is computed and keeps its version", object->klass->name, field->name);
}

static void read_outputs(SofaObject *object, Outputs *out) {
  uint32_t before[MOST_FIELDS] = {0};
  *out = (Outputs){.n = 0};
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    assert_true(i < MOST_FIELDS);
    before[i] = sofa_field_state(object, sofa_class_field_at(object->klass, i))->version;
  }
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    SofaText text = {0};
    if (!(field->flags & SOFA_FIELD_OUTPUT) || field->type->link) continue;
    assert_true(out->n < MOST_OUTPUTS);
    compute(object, field, before[i]);
    assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
    snprintf(out->list[out->n].name, sizeof out->list[out->n].name, "%s", field->name);
    if (text.n) numbers_of(text.data, &out->list[out->n]);
    out->n++;
    sofa_list_free(object->ctx, &text);
  }
}

static void outputs_free(Outputs *out) {
  for (size_t i = 0; i < out->n; i++) free(out->list[i].data);
}

/* Points of all states: A x + b; frames are moved alone. */
static void place(const SofaForceField *ff, const double a[9], const double b[3]) {
  for (int k = 0; k < 2 && ff->state[k] && (!k || ff->state[1] != ff->state[0]); k++) {
    SofaCoords *x = &ff->state[k]->position;
    const SofaCoords *rest =
        ff->state[k]->rest_position.n ? &ff->state[k]->rest_position : &ff->state[k]->position;
    const unsigned space = sofa_state_kind_info(ff->state[k]->object.kind)->space;
    for (size_t i = 0; i < x->n; i++) {
      double p[3] = {0, 0, 0}, q[3] = {0, 0, 0};
      for (unsigned d = 0; d < space && d < 3; d++) q[d] = rest->data[i * x->width + d];
      for (int d = 0; d < 9; d++) p[d / 3] += a[d] * q[d % 3];
      for (unsigned d = 0; d < space && d < 3; d++) x->data[i * x->width + d] = p[d] + b[d];
    }
  }
}

static const double stretch[9] = {1.1, 0.03, 0.01, -0.02, 0.95, 0.04, 0.02, 0.05, 1.05};

/* Outputs of a case in a uniform deformation, moved by b. */
static void outputs_at(const ForceFieldCase *c, const double b[3], Outputs *out) {
  SceneRun run;
  scene_run_open(&run, c->scene, NULL);
  SofaForceField *ff = force_field_of(run.simulation->root, c->klass);
  assert_non_null(ff);
  place(ff, stretch, b);
  scene_run_steps(&run, 1); /* no solver: what is computed after a step */
  read_outputs(&ff->object, out);
  scene_run_close(&run);
}

static double most(const Numbers *a) {
  double m = 0;
  for (size_t i = 0; i < a->n; i++) m = fmax(m, fabs(a->data[i]));
  return m;
}

static void same_elsewhere(const ForceFieldCase *c, const Outputs *here) {
  Outputs there;
  outputs_at(c, (const double[3]){3, -2, 5}, &there);
  assert_int_equal(here->n, there.n);
  for (size_t i = 0; i < here->n; i++) {
    const Numbers *a = &here->list[i], *b = &there.list[i];
    const double limit = 1e-9 * (most(a) + 1);
    assert_int_equal(a->n, b->n);
    for (size_t k = 0; k < a->n; k++)
      if (!(fabs(a->data[k] - b->data[k]) <= limit))
        fail_msg("%s %s: %s depends on the place: %g, %g", c->klass, c->what, a->name, a->data[k],
                 b->data[k]);
  }
  outputs_free(&there);
}

/* Solid elements have one strain; the strain of triangles is in the axes of each. */
static void same_in_elements(const ForceFieldCase *c, const Outputs *out) {
  const bool solid = strstr(c->klass, "Tetra") || strstr(c->klass, "Hexa");
  for (size_t i = 0; solid && i < out->n; i++) {
    const Numbers *a = &out->list[i];
    if (strcmp(a->name, "elementStrain") != 0) continue;
    const double limit = 1e-9 * most(a);
    for (size_t k = 6; k < a->n; k++)
      if (!(fabs(a->data[k] - a->data[k % 6]) <= limit))
        fail_msg("%s %s: %s of element %zu: %g, not %g", c->klass, c->what, a->name, k / 6,
                 a->data[k], a->data[k % 6]);
  }
}

/* ---- recorded numbers ---- */

/* Number of values, their mean, the mean of their squares, and the mean weighted by the place. */
static void digest(const Numbers *a, double out[4]) {
  out[0] = (double)a->n;
  out[1] = out[2] = out[3] = 0;
  for (size_t k = 0; k < a->n; k++) {
    out[1] += a->data[k] / out[0];
    out[2] += a->data[k] * a->data[k] / out[0];
    out[3] += a->data[k] * sin(1 + (double)k) / out[0];
  }
}

static bool is_row(const char *row, const double found[4]) {
  char *end = (char *)(uintptr_t)row;
  const double scale = sqrt(found[2]);
  bool same = true;
  for (int k = 0; k < 4; k++) {
    const double value = strtod(end, &end);
    same &= fabs(found[k] - value) <= 1e-5 * fabs(value) + (k == 2 ? 1e-9 : 1e-6 * scale);
  }
  return same;
}

/* Two cases may have the same name. */
static bool recorded(const char *text, const char *key, const double found[4]) {
  for (const char *at = text; (at = strstr(at, key)); at++)
    if (at[-1] == '\n' && is_row(at + strlen(key), found)) return true;
  return false;
}

/* A number that changes on purpose gets the row that is printed. */
static int n_changed(const char *text, const ForceFieldCase *c, const Outputs *out) {
  int changed = 0;
  for (size_t i = 0; i < out->n; i++) {
    char key[300];
    double found[4];
    digest(&out->list[i], found);
    snprintf(key, sizeof key, "%s\t%s\t%s\t", c->klass, c->what, out->list[i].name);
    // von Mises stresses of beams whose section has no outline are not numbers
    if (found[0] == 0 || (isnan(found[1]) && strstr(c->klass, "Beam")) ||
        recorded(text, key, found))
      continue;
    changed++;
    print_error("%s%.8g\t%.8g\t%.8g\t%.8g\n", key, found[0], found[1], found[2], found[3]);
  }
  return changed;
}

static int check(const char *text, const ForceFieldCase *c) {
  Outputs out;
  outputs_at(c, (const double[3]){0, 0, 0}, &out);
  if (out.n && (c->checks & CONFORM_BALANCED)) same_elsewhere(c, &out);
  same_in_elements(c, &out);
  const int changed = n_changed(text, c, &out);
  outputs_free(&out);
  return changed;
}

static void all_outputs(void **state) {
  static char text[400000];
  (void)state;
  FILE *file = fopen("tests/unit/mechanics/field_outputs.tsv", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  int changed = 0;
  for (size_t list = 0; list < COUNT(force_field_lists); list++)
    for (size_t i = 0; i < force_field_list_sizes[list]; i++)
      if (force_field_lists[list] != contact_cases)
        changed += check(text, &force_field_lists[list][i]);
  assert_int_equal(changed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_outputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
