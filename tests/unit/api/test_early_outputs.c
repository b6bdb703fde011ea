/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outputs of engines that a program reads before the scene is initialised. */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

typedef struct Fixture {
  CsofaContext *csofa;
  CsofaScene *scene;
  int n_messages;
} Fixture;

static void hear(void *user, int severity, const char *text, const char *file, int line,
                 const char *path, const char *emitter) {
  Fixture *f = user;
  (void)text, (void)file, (void)line, (void)path, (void)emitter;
  f->n_messages += severity >= CSOFA_WARNING;
}

static void open_text(Fixture *f, const char *body) {
  char text[2000];
  *f = (Fixture){0};
  assert_int_equal(csofa_create("threads=1", &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, hear, f);
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>", body);
  assert_int_equal(csofa_load_text(f->csofa, text, NULL, &f->scene), CSOFA_OK);
  f->n_messages = 0;
}

static const char *text_of(Fixture *f, const char *path, const char *field) {
  const CsofaObject object = csofa_find(f->scene, 0, path);
  assert_true(object != 0);
  const char *text = csofa_get_text(f->scene, object, field);
  assert_non_null(text);
  return text;
}

#define BOX "<BoxROI name='box' box='0.5 -1 -1  3 1 1' position='0 0 0  1 0 0  2 0 0  9 0 0'/>"

/* They are those of the initialised engine; the scene is as it was, and initialises as usual. */
static void computes(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, BOX "<MechanicalObject name='inside' position='@box.pointsInROI'/>");
  const CsofaObject root = csofa_root(f.scene), box = csofa_find(f.scene, 0, "/box");
  const size_t n = csofa_n_objects(f.scene, root);
  assert_string_equal(text_of(&f, "/box", "indices"), "1 2");
  assert_string_equal(text_of(&f, "/box", "indicesOut"), "0 3");
  assert_int_equal(csofa_n_objects(f.scene, root), n);
  assert_true(csofa_find(f.scene, 0, "/box") == box);
  assert_true(csofa_object(f.scene, root, 2) == box);
  // a changed input
  assert_int_equal(csofa_set_text(f.scene, box, "box", "-1 -1 -1  0.5 1 1"), CSOFA_OK);
  assert_string_equal(text_of(&f, "/box", "indices"), "0");
  assert_int_equal(f.n_messages, 0);
  assert_int_equal(csofa_init(f.scene), CSOFA_OK);
  assert_string_equal(text_of(&f, "/box", "indices"), "0");
  assert_string_equal(text_of(&f, "/inside", "position"), "0 0 0");
  csofa_destroy(f.csofa);
}

/* An engine that reads another one; the values are also numbers and memory. */
static void chains(void **unused) {
  Fixture f;
  void *data = NULL;
  size_t n = 0, width = 0;
  int kind = 0;
  (void)unused;
  open_text(&f, BOX "<BoxROI name='second' box='1.5 -1 -1  3 1 1' position='@box.pointsInROI'/>");
  const CsofaObject second = csofa_find(f.scene, 0, "/second");
  assert_int_equal(csofa_view(f.scene, second, "pointsInROI", &data, &n, &width, &kind), CSOFA_OK);
  assert_int_equal(n, 1);
  assert_true(fabs(((double *)data)[0] - 2) < 1e-15);
  assert_string_equal(text_of(&f, "/second", "indices"), "1");
  csofa_destroy(f.csofa);
}

/* Links that lead to nothing yet: the outputs stay, without a message, until there is more. */
static void unknown_inputs(void **unused) {
  Fixture f;
  CsofaObject made = 0;
  (void)unused;
  open_text(&f, "<BoxROI name='box' box='0.5 -1 -1  3 1 1' position='@state.position'/>");
  assert_string_equal(text_of(&f, "/box", "indicesOut"), "");
  assert_int_equal(f.n_messages, 0);
  const char *const state[] = {"name", "state", "position", "1 0 0  5 0 0", NULL};
  assert_int_equal(csofa_add_object(f.scene, csofa_root(f.scene), "MechanicalObject", state, &made),
                   CSOFA_OK);
  assert_string_equal(text_of(&f, "/box", "indicesOut"), "1");
  assert_int_equal(csofa_init(f.scene), CSOFA_OK);
  assert_string_equal(text_of(&f, "/box", "indicesOut"), "1");
  csofa_destroy(f.csofa);
}

/* An engine that cannot be evaluated says so when the scene is initialised, not before. */
static void bad_inputs(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, "<BoxROI name='box' box='0 0 0 1 1 1' position='0 0 0' triangles='0 1 2'/>");
  assert_string_equal(text_of(&f, "/box", "indicesOut"), "");
  assert_int_equal(f.n_messages, 0);
  assert_true(csofa_init(f.scene) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(f.csofa), "there are 1 points"));
  csofa_destroy(f.csofa);
}

/* A cycle of links ends the look, too; the scene's initialisation reports it. */
static void cycles(void **unused) {
  Fixture f;
  (void)unused;
  open_text(&f, "<BoxROI name='a' position='@b.pointsInROI'/>"
                "<BoxROI name='b' position='@a.pointsInROI'/>");
  assert_string_equal(text_of(&f, "/a", "indicesOut"), "");
  assert_true(csofa_init(f.scene) != CSOFA_OK);
  csofa_destroy(f.csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computes),   cmocka_unit_test(chains), cmocka_unit_test(unknown_inputs),
      cmocka_unit_test(bad_inputs), cmocka_unit_test(cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
