/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields by number: csofa_find_field and the calls that take what it gives. */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

static const char springs[] =
    "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<Node name='body'><EulerImplicitSolver name='ode'/>"
    "<CGLinearSolver iterations='25' tolerance='1e-12' threshold='1e-12'/>"
    "<MechanicalObject name='state' position='0 0 0  1 0 0  2 0 0'/>"
    "<UniformMass name='mass' totalMass='3'/>"
    "<RestShapeSpringsForceField name='rest' points='0 1' stiffness='5'/></Node></Node>";

typedef struct Fixture {
  CsofaContext *csofa;
  CsofaScene *scene;
  CsofaObject state, mass, rest;
} Fixture;

static void load(Fixture *f) {
  assert_int_equal(csofa_load_text(f->csofa, springs, NULL, &f->scene), CSOFA_OK);
  f->state = csofa_find(f->scene, 0, "/body/state");
  f->mass = csofa_find(f->scene, 0, "/body/mass");
  f->rest = csofa_find(f->scene, 0, "/body/rest");
}

static void open_scene(Fixture *f) {
  *f = (Fixture){0};
  assert_int_equal(csofa_create("threads=1", &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, NULL, NULL);
  load(f);
}

static CsofaField field_of(Fixture *f, CsofaObject object, const char *name) {
  const CsofaField field = csofa_find_field(f->scene, object, name);
  assert_true(field != 0);
  assert_true(csofa_field_object(field) == object);
  return field;
}

static bool near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

/* All calls read and write what the calls with names do. */
static void values(void **unused) {
  Fixture f;
  double x[9], total = 4;
  int64_t ids[2] = {0};
  (void)unused;
  open_scene(&f);
  const CsofaField position = field_of(&f, f.state, "position");
  const CsofaField mass = field_of(&f, f.mass, "totalMass");
  const CsofaField points = field_of(&f, f.rest, "points");
  assert_true(csofa_find_field(f.scene, f.state, "position") == position);
  assert_int_equal(csofa_field_get_reals(f.scene, position, 3, 6, x), CSOFA_OK);
  assert_true(near(x[0], 1) && near(x[3], 2));
  assert_int_equal(csofa_field_set_reals(f.scene, mass, 1, &total), CSOFA_OK);
  assert_string_equal(csofa_get_text(f.scene, f.mass, "totalMass"), "4");
  assert_int_equal(csofa_field_set_text(f.scene, mass, "6"), CSOFA_OK);
  assert_string_equal(csofa_field_get_text(f.scene, mass), "6");
  assert_int_equal(csofa_field_get_ints(f.scene, points, 0, 2, ids), CSOFA_OK);
  assert_int_equal(ids[1], 1);
  assert_int_equal(csofa_field_set_ints(f.scene, points, 2, (int64_t[2]){1, 2}), CSOFA_OK);
  assert_int_equal(csofa_get_ints(f.scene, f.rest, "points", 0, 2, ids), CSOFA_OK);
  assert_int_equal(ids[0], 1);
  csofa_destroy(f.csofa);
}

static void memory(void **unused) {
  Fixture f;
  void *data = NULL;
  size_t n = 0, width = 0;
  int kind = 0;
  double x = 0;
  (void)unused;
  open_scene(&f);
  assert_int_equal(csofa_init(f.scene), CSOFA_OK);
  const CsofaField position = field_of(&f, f.state, "position");
  assert_int_equal(csofa_field_view(f.scene, position, &data, &n, &width, &kind), CSOFA_OK);
  assert_int_equal(n, 3);
  assert_int_equal(width, 3);
  assert_int_equal(kind, CSOFA_REAL);
  assert_true(csofa_field_view_is_valid(f.scene, position, data, n));
  assert_false(csofa_field_view_is_valid(f.scene, position, data, n + 1));
  ((double *)data)[6] = 7;
  assert_int_equal(csofa_field_touch(f.scene, position), CSOFA_OK);
  assert_int_equal(csofa_get_reals(f.scene, f.state, "position", 6, 1, &x), CSOFA_OK);
  assert_true(near(x, 7));
  assert_int_equal(csofa_remove(f.scene, f.state), CSOFA_OK);
  assert_false(csofa_field_view_is_valid(f.scene, position, data, n));
  csofa_destroy(f.csofa);
}

/* Steps, a reset and an edit that makes the object again. */
static void numbers_that_stay(void **unused) {
  Fixture f;
  double stiffness = 0;
  (void)unused;
  open_scene(&f);
  const CsofaField points = field_of(&f, f.rest, "points");
  const CsofaField field = field_of(&f, f.rest, "stiffness");
  assert_int_equal(csofa_step(f.scene, 2), CSOFA_OK);
  assert_int_equal(csofa_field_set_ints(f.scene, points, 3, (int64_t[3]){0, 1, 2}), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_int_equal(csofa_reset(f.scene), CSOFA_OK);
  assert_int_equal(csofa_field_get_reals(f.scene, field, 0, 1, &stiffness), CSOFA_OK);
  assert_true(near(stiffness, 5));
  assert_true(csofa_find_field(f.scene, f.rest, "points") == points);
  csofa_destroy(f.csofa);
}

static void assert_refused(Fixture *f, CsofaField field, const char *why) {
  double x = 0;
  int64_t i = 0;
  void *data = NULL;
  size_t n = 0, width = 0;
  int kind = 0;
  assert_int_equal(csofa_field_get_reals(f->scene, field, 0, 1, &x), CSOFA_ERR_NOT_FOUND);
  assert_non_null(strstr(csofa_last_error(f->csofa), why));
  assert_int_equal(csofa_field_set_reals(f->scene, field, 1, &x), CSOFA_ERR_NOT_FOUND);
  assert_int_equal(csofa_field_get_ints(f->scene, field, 0, 1, &i), CSOFA_ERR_NOT_FOUND);
  assert_int_equal(csofa_field_set_ints(f->scene, field, 1, &i), CSOFA_ERR_NOT_FOUND);
  assert_int_equal(csofa_field_set_text(f->scene, field, "1"), CSOFA_ERR_NOT_FOUND);
  assert_null(csofa_field_get_text(f->scene, field));
  assert_int_equal(csofa_field_touch(f->scene, field), CSOFA_ERR_NOT_FOUND);
  assert_int_equal(csofa_field_view(f->scene, field, &data, &n, &width, &kind),
                   CSOFA_ERR_NOT_FOUND);
  assert_false(csofa_field_view_is_valid(f->scene, field, NULL, 0));
}

static void refusals(void **unused) {
  Fixture f;
  (void)unused;
  open_scene(&f);
  const CsofaField mass = field_of(&f, f.mass, "totalMass");
  assert_int_equal(csofa_find_field(f.scene, f.state, "positio"), 0);
  assert_non_null(strstr(csofa_last_error(f.csofa), "did you mean 'position'"));
  assert_int_equal(csofa_find_field(f.scene, 0, "position"), 0);
  assert_int_equal(csofa_find_field(f.scene, f.state, NULL), 0);
  assert_refused(&f, 0, "field 0");
  assert_refused(&f, f.mass, "not a number of csofa_find_field");
  assert_refused(&f, mass | (uint64_t)0xffff << 48, "not a number of csofa_find_field");
  assert_refused(&f, UINT64_MAX, "does not exist any more");
  assert_int_equal(csofa_remove(f.scene, f.rest), CSOFA_OK);
  assert_int_equal(csofa_remove(f.scene, f.mass), CSOFA_OK);
  assert_refused(&f, mass, "does not exist any more");
  csofa_destroy(f.csofa);
}

/* Scenes come and go; their slots are used again. Old numbers never mean a new object. */
static void old_numbers(void **unused) {
  enum { ROUNDS = 50 };
  CsofaField old[ROUNDS];
  Fixture f;
  (void)unused;
  open_scene(&f);
  for (int i = 0; i < ROUNDS; i++) {
    old[i] = field_of(&f, f.mass, "totalMass");
    csofa_destroy_scene(f.scene);
    load(&f);
    field_of(&f, f.mass, "totalMass");
    for (int k = 0; k <= i; k++) assert_null(csofa_field_get_text(f.scene, old[k]));
  }
  csofa_destroy(f.csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),
      cmocka_unit_test(memory),
      cmocka_unit_test(numbers_that_stay),
      cmocka_unit_test(refusals),
      cmocka_unit_test(old_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
