/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface of applications: csofa/csofa.h, and nothing else of the library. */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <csofa/csofa.h>

static const char fall[] = "<Node name='root' dt='0.1' gravity='0 -9.8 0'>"
                           "<DefaultAnimationLoop/>"
                           "<Node name='body'><EulerImplicitSolver name='ode'/>"
                           "<CGLinearSolver iterations='25' tolerance='1e-12' threshold='1e-12'/>"
                           "<MechanicalObject name='state' position='0 0 0  1 0 0'/>"
                           "<UniformMass name='mass' totalMass='2'/></Node></Node>";

typedef struct Fixture {
  CsofaContext *csofa;
  CsofaScene *scene;
  CsofaObject state;
  int n_messages;
  char last[500];
} Fixture;

static void hear(void *user, int severity, const char *text, const char *file, int line,
                 const char *path, const char *emitter) {
  Fixture *f = user;
  (void)file, (void)line, (void)path, (void)emitter;
  f->n_messages += severity >= CSOFA_WARNING;
  snprintf(f->last, sizeof f->last, "%s", text);
}

static void open_text(Fixture *f, const char *text) {
  *f = (Fixture){0};
  assert_int_equal(csofa_create("threads=1", &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, hear, f);
  assert_int_equal(csofa_load_text(f->csofa, text, NULL, &f->scene), CSOFA_OK);
  f->state = csofa_find(f->scene, 0, "/body/state");
  assert_true(f->state != 0);
}

static double number(Fixture *f, CsofaObject object, const char *field, size_t i) {
  double value = NAN;
  assert_int_equal(csofa_get_reals(f->scene, object, field, i, 1, &value), CSOFA_OK);
  return value;
}

static void steps_and_reads(void **unused) {
  Fixture f;
  double k, p;
  (void)unused;
  open_text(&f, fall);
  assert_int_equal(csofa_step(f.scene, 4), CSOFA_OK);
  assert_int_equal(csofa_steps(f.scene), 4);
  assert_true(fabs(csofa_time(f.scene) - 0.4) < 1e-12);
  // h^2 g n (n + 1) / 2
  assert_true(fabs(number(&f, f.state, "position", 1) + 0.98) < 1e-12);
  assert_true(fabs(number(&f, f.state, "position", 3) - 1) < 1e-12);
  assert_int_equal(csofa_energies(f.scene, &k, &p), CSOFA_OK);
  assert_true(fabs(k - 3.92 * 3.92) < 1e-12);
  assert_int_equal(csofa_run_until(f.scene, 1), CSOFA_OK);
  assert_int_equal(csofa_steps(f.scene), 10);
  assert_int_equal(csofa_reset(f.scene), CSOFA_OK);
  assert_int_equal(csofa_steps(f.scene), 0);
  assert_true(fabs(number(&f, f.state, "position", 1)) < 1e-15);
  csofa_destroy(f.csofa);
}

static void sets_fields(void **unused) {
  Fixture f;
  const double velocity[] = {1, 0, 0, 2, 0, 0};
  (void)unused;
  open_text(&f, fall);
  assert_int_equal(csofa_set_reals(f.scene, f.state, "velocity", 6, velocity), CSOFA_OK);
  assert_int_equal(csofa_set_text(f.scene, csofa_root(f.scene), "gravity", "0 0 0"), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "position", 0) - 0.1) < 1e-12);
  assert_true(fabs(number(&f, f.state, "position", 3) - 1.2) < 1e-12);
  // in the running scene, in place
  assert_int_equal(csofa_set_reals(f.scene, f.state, "velocity", 6, (double[6]){0}), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "position", 3) - 1.2) < 1e-12);
  // gravity of a running scene, as text and as numbers
  const CsofaObject root = csofa_root(f.scene);
  assert_int_equal(csofa_set_text(f.scene, root, "gravity", "0 0 10"), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "velocity", 2) - 1) < 1e-12);
  assert_int_equal(csofa_set_reals(f.scene, root, "gravity", 3, (double[3]){0, 0, -10}), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "velocity", 2)) < 1e-12);
  assert_string_equal(csofa_get_text(f.scene, csofa_find(f.scene, 0, "/body/mass"), "totalMass"),
                      "2");
  csofa_destroy(f.csofa);
}

static void refuses(void **unused) {
  Fixture f;
  double value;
  (void)unused;
  open_text(&f, fall);
  const CsofaObject mass = csofa_find(f.scene, 0, "/body/mass");
  const CsofaObject ode = csofa_find(f.scene, 0, "/body/ode");
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_int_equal(csofa_get_reals(f.scene, f.state, "positio", 0, 1, &value), CSOFA_ERR_NOT_FOUND);
  assert_non_null(strstr(csofa_last_error(f.csofa), "did you mean 'position'"));
  assert_int_equal(csofa_get_reals(f.scene, f.state, "position", 5, 2, &value), CSOFA_ERR_RANGE);
  assert_int_equal(csofa_get_reals(f.scene, f.state, "name", 0, 1, &value), CSOFA_ERR_TYPE);
  // another number of points, a number outside of its range: the old value stays
  assert_true(csofa_set_reals(f.scene, f.state, "position", 3, (double[3]){0}) != CSOFA_OK);
  assert_int_equal(csofa_set_reals(f.scene, f.state, "position", 4, (double[4]){0}),
                   CSOFA_ERR_RANGE);
  assert_int_equal(csofa_set_reals(f.scene, ode, "rayleighMass", 1, (double[1]){-1}),
                   CSOFA_ERR_RANGE);
  assert_true(number(&f, ode, "rayleighMass", 0) >= 0);
  assert_int_equal(csofa_set_ints(f.scene, mass, "totalMass", 2, (int64_t[2]){1, 2}),
                   CSOFA_ERR_RANGE);
  assert_int_equal(csofa_find(f.scene, 0, "/nobody"), 0);
  assert_int_equal(csofa_set_text(f.scene, 0, "x", "1"), CSOFA_ERR_NOT_FOUND);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  csofa_destroy(f.csofa);
}

static void shows_memory(void **unused) {
  Fixture f;
  void *data = NULL;
  size_t n = 0, width = 0;
  int kind = 0;
  (void)unused;
  open_text(&f, fall);
  assert_int_equal(csofa_init(f.scene), CSOFA_OK);
  assert_int_equal(csofa_view(f.scene, f.state, "position", &data, &n, &width, &kind), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  if (!csofa_view_is_valid(f.scene, f.state, "position", data, n))
    assert_int_equal(csofa_view(f.scene, f.state, "position", &data, &n, &width, &kind), CSOFA_OK);
  assert_int_equal(n, 2);
  assert_int_equal(width, 3);
  assert_int_equal(kind, CSOFA_REAL);
  const double *x = data;
  const double before = x[1];
  assert_int_equal(csofa_step(f.scene, 3), CSOFA_OK);
  assert_true(csofa_view_is_valid(f.scene, f.state, "position", data, n));
  assert_true(x[1] < before);
  ((double *)data)[0] = 5;
  assert_int_equal(csofa_touch(f.scene, f.state, "position"), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "position", 0) - 5) < 1e-12);
  csofa_destroy(f.csofa);
}

static void adds_forces_for_a_step(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, fall);
  assert_int_equal(csofa_init(f.scene), CSOFA_OK);
  // 2 kg over 2 points: 1 kg each
  assert_int_equal(csofa_add_force(f.scene, f.state, 1, 3, (double[3]){10, 0, 0}), CSOFA_OK);
  assert_int_equal(csofa_add_force(f.scene, f.state, 2, 3, (double[3]){10, 0, 0}), CSOFA_ERR_RANGE);
  assert_int_equal(csofa_step(f.scene, 2), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "velocity", 3) - 1) < 1e-12);
  csofa_destroy(f.csofa);
}

/* The scene of `fall`, from code. */
static void build(Fixture *f) {
  static const char *const solver[] = {"name", "ode", NULL};
  static const char *const cg[] = {"iterations", "25",    "tolerance", "1e-12",
                                   "threshold",  "1e-12", NULL};
  static const char *const state[] = {"name", "state", "position", "0 0 0  1 0 0", NULL};
  static const char *const mass[] = {"totalMass", "2", NULL};
  CsofaObject body, made;
  *f = (Fixture){0};
  assert_int_equal(csofa_create(NULL, &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, hear, f);
  assert_int_equal(csofa_new_scene(f->csofa, &f->scene), CSOFA_OK);
  const CsofaObject root = csofa_root(f->scene);
  assert_int_equal(csofa_set_text(f->scene, root, "dt", "0.1"), CSOFA_OK);
  assert_int_equal(csofa_set_text(f->scene, root, "gravity", "0 -9.8 0"), CSOFA_OK);
  assert_int_equal(csofa_add_object(f->scene, root, "DefaultAnimationLoop", NULL, &made), CSOFA_OK);
  assert_int_equal(csofa_add_node(f->scene, root, "body", NULL, &body), CSOFA_OK);
  assert_int_equal(csofa_add_object(f->scene, body, "EulerImplicitSolver", solver, &made),
                   CSOFA_OK);
  assert_int_equal(csofa_add_object(f->scene, body, "CGLinearSolver", cg, &made), CSOFA_OK);
  assert_int_equal(csofa_add_object(f->scene, body, "MechanicalObject", state, &f->state),
                   CSOFA_OK);
  assert_int_equal(csofa_add_object(f->scene, body, "UniformMass", mass, &made), CSOFA_OK);
}

/* A node has the attributes that it is made with; of wrong ones there is no node. */
static void nodes_have_attributes(void **unused) {
  static const char *const attributes[] = {"dt", "0.25", "gravity", "1 2 3", NULL};
  static const char *const wrong[] = {"dt", "soon", NULL};
  Fixture f = {0};
  CsofaObject node;
  double g[3];
  (void)unused;
  assert_int_equal(csofa_create(NULL, &f.csofa), CSOFA_OK);
  csofa_on_message(f.csofa, hear, &f);
  assert_int_equal(csofa_new_scene(f.csofa, &f.scene), CSOFA_OK);
  const CsofaObject root = csofa_root(f.scene);
  assert_int_equal(csofa_add_node(f.scene, root, "a", attributes, &node), CSOFA_OK);
  assert_string_equal(csofa_get_text(f.scene, node, "dt"), "0.25");
  assert_int_equal(csofa_get_reals(f.scene, node, "gravity", 0, 3, g), CSOFA_OK);
  assert_true(g[0] == 1 && g[1] == 2 && g[2] == 3);
  assert_int_not_equal(csofa_add_node(f.scene, root, "b", wrong, &node), CSOFA_OK);
  csofa_destroy(f.csofa);
}

static void builds_scenes(void **unused) {
  static const char *const wrong[] = {"totalmas", "2", NULL};
  Fixture f;
  CsofaObject made = 7;
  (void)unused;
  build(&f);
  const CsofaObject body = csofa_find(f.scene, 0, "body");
  assert_int_equal(csofa_add_object(f.scene, body, "UniformMass", wrong, &made), CSOFA_ERR_SCENE);
  assert_non_null(strstr(csofa_last_error(f.csofa), "did you mean 'totalMass'"));
  assert_true(made == 0);
  assert_int_equal(csofa_n_objects(f.scene, body), 4);
  assert_true(csofa_add_object(f.scene, body, "UniformMas", NULL, &made) != CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 4), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "position", 1) + 0.98) < 1e-12);
  // one more in the running scene, and out again: its number finds nothing any more
  static const char *const force[] = {"forces", "0 9.8 0", "indices", "0", NULL};
  assert_int_equal(csofa_add_object(f.scene, body, "ConstantForceField", force, &made), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "velocity", 1) + 3.92) < 1e-12);
  assert_int_equal(csofa_remove(f.scene, made), CSOFA_OK);
  assert_int_equal(csofa_remove(f.scene, made), CSOFA_ERR_NOT_FOUND);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_true(fabs(number(&f, f.state, "velocity", 1) + 4.9) < 1e-12);
  assert_int_equal(csofa_remove(f.scene, body), CSOFA_OK);
  assert_null(csofa_name(f.scene, f.state));
  csofa_destroy(f.csofa);
}

static void saves_as_xml(void **unused) {
  Fixture f;
  CsofaScene *again = NULL;
  double y[2];
  (void)unused;
  build(&f);
  assert_int_equal(csofa_step(f.scene, 3), CSOFA_OK);
  char *xml = strdup(csofa_xml(f.scene));
  assert_non_null(xml);
  assert_int_equal(csofa_load_text(f.csofa, xml, NULL, &again), CSOFA_OK);
  assert_int_equal(csofa_step(again, 4), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  const CsofaObject state = csofa_find(again, 0, "/body/state");
  assert_int_equal(csofa_get_reals(again, state, "position", 1, 1, &y[0]), CSOFA_OK);
  assert_int_equal(csofa_get_reals(f.scene, f.state, "position", 1, 1, &y[1]), CSOFA_OK);
  assert_memory_equal(&y[0], &y[1], sizeof y[0]);
  free(xml);
  csofa_destroy(f.csofa);
}

static void describes(void **unused) {
  Fixture f;
  size_t n, width;
  int kind;
  unsigned flags;
  (void)unused;
  open_text(&f, fall);
  assert_string_equal(csofa_class(f.scene, f.state), "MechanicalObject");
  assert_string_equal(csofa_path(f.scene, f.state), "/body/state");
  assert_string_equal(csofa_template(f.scene, f.state), "Vec3d");
  assert_true(csofa_is_node(f.scene, csofa_parent(f.scene, f.state)));
  assert_string_equal(csofa_field_unit(f.scene, f.state, "velocity"), "m/s");
  assert_int_equal(csofa_field_info(f.scene, f.state, "position", &kind, &n, &width, &flags),
                   CSOFA_OK);
  assert_int_equal(kind, CSOFA_REAL);
  assert_int_equal(width, 3);
  assert_true(flags & CSOFA_FIELD_SET && flags & CSOFA_FIELD_LIST);
  assert_null(csofa_field_help(f.scene, f.state, "nothing"));
  bool found = false;
  for (size_t i = 0; i < csofa_n_fields(f.scene, f.state); i++)
    found |= strcmp(csofa_field_name(f.scene, f.state, i), "rest_position") == 0;
  assert_true(found);
  assert_true(csofa_has_class(f.csofa, "MechanicalObject"));
  assert_false(csofa_has_class(f.csofa, "NoSuchClass"));
  csofa_destroy(f.csofa);
}

static void reports(void **unused) {
  Fixture f = {0};
  (void)unused;
  assert_int_equal(csofa_create("threads=0", &f.csofa), CSOFA_ERR_ARGUMENT);
  assert_int_equal(csofa_create("quirk", &f.csofa), CSOFA_ERR_ARGUMENT);
  assert_null(f.csofa);
  assert_int_equal(csofa_create("quirks strict threads=2 isa=baseline", &f.csofa), CSOFA_OK);
  csofa_on_message(f.csofa, hear, &f);
  assert_string_equal(csofa_last_error(f.csofa), "");
  assert_int_equal(csofa_load(f.csofa, "nowhere.scn", &f.scene), CSOFA_ERR_NOT_FOUND);
  assert_null(f.scene);
  assert_non_null(strstr(csofa_last_error(f.csofa), "nowhere.scn"));
  assert_int_equal(f.n_messages, 1);
  assert_int_equal(csofa_load_text(f.csofa, "<Node><Masss/></Node>", NULL, &f.scene),
                   CSOFA_ERR_SCENE);
  assert_non_null(strstr(csofa_last_error(f.csofa), "Masss"));
  assert_true(csofa_api_version() >= CSOFA_API_VERSION);
  csofa_destroy(f.csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_and_reads),
      cmocka_unit_test(sets_fields),
      cmocka_unit_test(refuses),
      cmocka_unit_test(shows_memory),
      cmocka_unit_test(adds_forces_for_a_step),
      cmocka_unit_test(nodes_have_attributes),
      cmocka_unit_test(builds_scenes),
      cmocka_unit_test(saves_as_xml),
      cmocka_unit_test(describes),
      cmocka_unit_test(reports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
