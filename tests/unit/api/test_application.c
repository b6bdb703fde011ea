/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers, engines and mappings whose functions an application gives, and matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

static void hear(void *user, int severity, const char *text, const char *file, int line,
                 const char *path, const char *emitter) {
  (void)user, (void)severity, (void)text, (void)file, (void)line, (void)path, (void)emitter;
}

typedef struct Fixture {
  CsofaContext *csofa;
  CsofaScene *scene;
} Fixture;

static void open_text(Fixture *f, const char *text) {
  *f = (Fixture){0};
  assert_int_equal(csofa_create(NULL, &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, hear, NULL);
  if (csofa_load_text(f->csofa, text, NULL, &f->scene) != CSOFA_OK)
    fail_msg("%s", csofa_last_error(f->csofa));
}

static double number(Fixture *f, const char *path, const char *field, size_t i) {
  double value = NAN;
  const CsofaObject object = csofa_find(f->scene, 0, path);
  assert_int_equal(csofa_get_reals(f->scene, object, field, i, 1, &value), CSOFA_OK);
  return value;
}

/* ---- controllers ---- */

#define BODY                                                                                       \
  "<EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-12' threshold='1e-12'/>"    \
  "<MechanicalObject name='state' position='0 0 0  1 0 0'/><UniformMass totalMass='2'/>"

typedef struct Counter {
  Fixture *f;
  int begins, ends, key;
} Counter;

static int count(void *user, const char *event, int key, double dt) {
  Counter *c = user;
  if (strcmp(event, "animateBegin") == 0) {
    const double v[6] = {1, 0, 0, 1, 0, 0};
    c->begins++;
    if (!(fabs(dt - 0.1) < 1e-15)) return 1;
    return (int)csofa_set_reals(c->f->scene, csofa_find(c->f->scene, 0, "/body/state"), "velocity",
                                6, v);
  }
  if (strcmp(event, "keyPressed") == 0) c->key = key;
  c->ends += strcmp(event, "animateEnd") == 0;
  return c->key == 'x';
}

static void controllers(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
                "<ApplicationController name='control' data='gain:real names:strings'/>"
                "<Node name='body'>" BODY "</Node></Node>");
  const CsofaObject control = csofa_find(f.scene, 0, "/control");
  Counter c = {.f = &f};
  assert_int_equal(csofa_set_controller(f.scene, control, count, &c), CSOFA_OK);
  assert_int_equal(csofa_set_text(f.scene, control, "gain", "2.5"), CSOFA_OK);
  assert_true(number(&f, "/control", "gain", 0) == 2.5);
  assert_int_equal(csofa_step(f.scene, 3), CSOFA_OK);
  assert_int_equal(c.begins, 3);
  assert_int_equal(c.ends, 3);
  assert_true(fabs(number(&f, "/body/state", "position", 0) - 0.3) < 1e-12);
  assert_int_equal(csofa_send_key(f.scene, 'k', 1), CSOFA_OK);
  assert_int_equal(c.key, 'k');
  // a function that fails
  assert_true(csofa_send_key(f.scene, 'x', 1) != CSOFA_OK);
  const CsofaObject state = csofa_find(f.scene, 0, "/body/state");
  assert_int_equal(csofa_set_controller(f.scene, state, count, &c), CSOFA_ERR_TYPE);
  csofa_destroy(f.csofa);
}

static void wrong_fields(void **unused) {
  static const char *const wrong[] = {"gain", "gain:doubles", "gain:real:both", ":real",
                                      "name:string"};
  Fixture f;
  CsofaObject made;
  (void)unused;
  open_text(&f, "<Node name='root'/>");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const attributes[] = {"data", wrong[i], NULL};
    assert_int_equal(
        csofa_add_object(f.scene, csofa_root(f.scene), "ApplicationController", attributes, &made),
        CSOFA_ERR_SCENE);
  }
  csofa_destroy(f.csofa);
}

/* ---- engines ---- */

static int twice(void *user) {
  Fixture *f = user;
  const CsofaObject engine = csofa_find(f->scene, 0, "/engine");
  double x[6];
  if (csofa_get_reals(f->scene, engine, "from", 0, 6, x) != CSOFA_OK) return 1;
  for (int i = 0; i < 6; i++) x[i] *= 2;
  return (int)csofa_set_reals(f->scene, engine, "to", 6, x);
}

static void engines(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
                "<ApplicationEngine name='engine' data='from:vec3s:in to:vec3s:out'/>"
                "<Node name='body'>"
                "<EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-12' "
                "threshold='1e-12'/>"
                "<MechanicalObject name='state' position='@/engine.to'/>"
                "<UniformMass totalMass='2'/></Node></Node>");
  const CsofaObject engine = csofa_find(f.scene, 0, "/engine");
  assert_int_equal(csofa_set_text(f.scene, engine, "from", "1 2 3  4 5 6"), CSOFA_OK);
  assert_int_equal(csofa_set_engine(f.scene, engine, twice, &f), CSOFA_OK);
  if (csofa_init(f.scene) != CSOFA_OK) fail_msg("%s", csofa_last_error(f.csofa));
  assert_true(number(&f, "/body/state", "position", 4) == 10);
  // an output that is read follows its inputs
  assert_int_equal(csofa_set_text(f.scene, engine, "from", "7 8 9  4 5 6"), CSOFA_OK);
  assert_true(number(&f, "/engine", "to", 0) == 14);
  csofa_destroy(f.csofa);
}

/* ---- mappings ---- */

/* From an angle a to (sin a, -cos a, 0). */
static int place(void *user, size_t n_in, const double *x_in, size_t n_out, double *x_out) {
  (void)user;
  if (n_in != 1 || n_out != 1) return 1;
  x_out[0] = sin(x_in[0]);
  x_out[1] = -cos(x_in[0]);
  x_out[2] = 0;
  return 0;
}

static int slope(void *user, size_t n_in, const double *x_in, CsofaJacobian *jacobian) {
  const uint32_t rows[] = {1, 0, 0}, columns[] = {0, 0, 0};
  const double values[] = {sin(x_in[0]), cos(x_in[0]) / 2, cos(x_in[0]) / 2};
  (void)n_in;
  csofa_jacobian_add(jacobian, 3, rows, columns, values);
  if (user) csofa_jacobian_add(jacobian, 1, (uint32_t[]){3}, columns, values);
  return 0;
}

static const char pendulum[] =
    "<Node name='root' dt='0.001' gravity='0 -10 0'><DefaultAnimationLoop/>"
    "<Node name='angle'><EulerImplicitSolver/>"
    "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
    "<MechanicalObject name='state' template='Vec1d' position='0.1'/>"
    "<Node name='bob'><MechanicalObject name='state' template='Vec3d' position='0 0 0'/>"
    "<UniformMass totalMass='2'/>"
    "<ApplicationMapping name='map' template='Vec1d,Vec3d' points='1'/></Node></Node></Node>";

static void mappings(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, pendulum);
  const CsofaObject map = csofa_find(f.scene, 0, "/angle/bob/map");
  assert_int_equal(csofa_set_mapping(f.scene, map, place, slope, NULL), CSOFA_OK);
  if (csofa_init(f.scene) != CSOFA_OK) fail_msg("%s", csofa_last_error(f.csofa));
  assert_true(fabs(number(&f, "/angle/bob/state", "position", 0) - sin(0.1)) < 1e-15);
  // a quarter of the period 2 pi sqrt(l / g), amplitude 0.1
  if (csofa_run_until(f.scene, 0.4967 * (1 + 0.01 / 16)) != CSOFA_OK)
    fail_msg("%s", csofa_last_error(f.csofa));
  assert_true(fabs(number(&f, "/angle/state", "position", 0)) < 1e-3);
  csofa_destroy(f.csofa);
}

static void mappings_that_are_wrong(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, pendulum);
  assert_true(csofa_init(f.scene) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(f.csofa), "csofa_set_mapping"));
  csofa_destroy(f.csofa);
  open_text(&f, pendulum);
  const CsofaObject map = csofa_find(f.scene, 0, "/angle/bob/map");
  assert_int_equal(csofa_set_mapping(f.scene, map, place, slope, &f), CSOFA_OK);
  assert_true(csofa_step(f.scene, 1) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(f.csofa), "outside"));
  csofa_destroy(f.csofa);
}

/* ---- matrices ---- */

/* A spring of stiffness 100 between two points of 1 kg along x, the first one fixed. */
static const char spring[] =
    "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='body'>" BODY
    "<FixedProjectiveConstraint indices='0'/>"
    "<SpringForceField name='spring' spring='0 1 100 0 1'/></Node></Node>";

static double entry(const CsofaSparse *a, size_t row, size_t column) {
  const uint32_t *start = csofa_sparse_start(a), *columns = csofa_sparse_columns(a);
  double sum = 0;
  for (uint32_t k = start[row]; k < start[row + 1]; k++)
    if (columns[k] == column) sum += csofa_sparse_values(a)[k];
  return sum;
}

static void matrices(void **unused) {
  Fixture f;
  CsofaSparse *m = NULL, *k = NULL, *fixed = NULL;
  (void)unused;
  open_text(&f, spring);
  const CsofaObject body = csofa_find(f.scene, 0, "/body");
  const CsofaObject state = csofa_find(f.scene, 0, "/body/state");
  assert_int_equal(csofa_assemble(f.scene, body, 1, 0, 0, 0, &m), CSOFA_OK);
  assert_int_equal(csofa_assemble(f.scene, state, 0, 0, 1, 0, &k), CSOFA_OK);
  assert_int_equal(csofa_assemble(f.scene, state, 0, 0, 1, 1, &fixed), CSOFA_OK);
  assert_int_equal(csofa_sparse_size(m), 6);
  assert_int_equal(csofa_sparse_row(f.scene, state), 0);
  for (size_t i = 0; i < 6; i++) assert_true(fabs(entry(m, i, i) - 1) < 1e-15);
  assert_true(fabs(entry(k, 0, 0) + 100) < 1e-12);
  assert_true(fabs(entry(k, 0, 3) - 100) < 1e-12);
  assert_true(entry(fixed, 0, 0) == 1);
  assert_true(entry(fixed, 0, 3) == 0);
  assert_true(fabs(entry(fixed, 3, 3) + 100) < 1e-12);
  csofa_free_sparse(m);
  csofa_free_sparse(k);
  csofa_free_sparse(fixed);
  assert_int_equal(csofa_assemble(f.scene, csofa_root(f.scene), 1, 0, 0, 0, &m),
                   CSOFA_ERR_NOT_FOUND);
  assert_null(m);
  csofa_destroy(f.csofa);
}

/* ---- saved states ---- */

#define STATE_FILE "test_application.state"

typedef struct Memory {
  unsigned char bytes[4];
  size_t n;
  int fails, restored;
} Memory;

static int keep(void *user, CsofaBytes *to) {
  const Memory *m = user;
  for (size_t i = 0; i < m->n; i++) csofa_put_bytes(to, &m->bytes[i], 1);
  return m->fails;
}

static int take_back(void *user, const void *bytes, size_t n) {
  Memory *m = user;
  m->restored++;
  if (n > sizeof m->bytes) return 1;
  if (n) memcpy(m->bytes, bytes, n);
  m->n = n;
  return m->fails;
}

static void saved_states(void **unused) {
  static const char text[] =
      "<Node name='root' dt='0.1'><DefaultAnimationLoop/><Node name='body'>" BODY "</Node></Node>";
  Memory first = {.bytes = {1, 0, 255}, .n = 3}, second = {0};
  Fixture f;
  (void)unused;
  open_text(&f, text);
  assert_int_equal(csofa_on_save(f.scene, keep, take_back, &first), CSOFA_OK);
  assert_int_equal(csofa_step(f.scene, 2), CSOFA_OK);
  assert_int_equal(csofa_save_state(f.scene, STATE_FILE), CSOFA_OK);
  first.fails = 1;
  assert_true(csofa_save_state(f.scene, STATE_FILE) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(f.csofa), "function of the application failed"));
  csofa_destroy(f.csofa);
  open_text(&f, text);
  assert_int_equal(csofa_on_save(f.scene, keep, take_back, &second), CSOFA_OK);
  assert_int_equal(csofa_restore_state(f.scene, STATE_FILE), CSOFA_OK);
  assert_int_equal(csofa_steps(f.scene), 2);
  assert_int_equal(second.restored, 1);
  assert_int_equal(second.n, 3);
  assert_memory_equal(second.bytes, first.bytes, 3);
  second.fails = 1;
  assert_true(csofa_restore_state(f.scene, STATE_FILE) != CSOFA_OK);
  // a file that has none
  second = (Memory){.n = 2};
  Memory none = {0};
  CsofaScene *other = NULL;
  assert_int_equal(csofa_load_text(f.csofa, text, NULL, &other), CSOFA_OK);
  assert_int_equal(csofa_on_save(other, NULL, take_back, &none), CSOFA_OK);
  assert_int_equal(csofa_save_state(other, STATE_FILE), CSOFA_OK);
  assert_int_equal(csofa_restore_state(other, STATE_FILE), CSOFA_OK);
  assert_int_equal(none.restored, 1);
  assert_int_equal(none.n, 0);
  remove(STATE_FILE);
  csofa_destroy(f.csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(controllers),
      cmocka_unit_test(wrong_fields),
      cmocka_unit_test(engines),
      cmocka_unit_test(mappings),
      cmocka_unit_test(mappings_that_are_wrong),
      cmocka_unit_test(matrices),
      cmocka_unit_test(saved_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
