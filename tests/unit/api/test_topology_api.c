/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csofa_add_elements, csofa_remove_elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

static const char cloth[] =
    "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
    "<CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>"
    "<TriangleSetTopologyContainer name='mesh' position='0 0 0  1 0 0  1 1 0  0 1 0' "
    "triangles='0 1 2  0 2 3'/><TriangleSetTopologyModifier name='modifier'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='1'/></Node>";

static void hear_nothing(void *user, int severity, const char *text, const char *file, int line,
                         const char *path, const char *emitter) {
  (void)user, (void)severity, (void)text, (void)file, (void)line, (void)path, (void)emitter;
}

static size_t entries(CsofaScene *scene, const char *object, const char *field) {
  size_t n = 0;
  assert_int_equal(
      csofa_field_info(scene, csofa_find(scene, 0, object), field, NULL, &n, NULL, NULL), CSOFA_OK);
  return n;
}

static void changes(void **unused) {
  CsofaContext *csofa = NULL;
  CsofaScene *scene = NULL;
  (void)unused;
  assert_int_equal(csofa_create(NULL, &csofa), CSOFA_OK);
  csofa_on_message(csofa, hear_nothing, NULL);
  assert_int_equal(csofa_load_text(csofa, cloth, NULL, &scene), CSOFA_OK);
  const CsofaObject mesh = csofa_find(scene, 0, "/mesh");
  assert_int_equal(csofa_add_elements(scene, mesh, "point", 1, NULL), CSOFA_ERR_ARGUMENT);
  assert_int_equal(csofa_step(scene, 1), CSOFA_OK);
  const CsofaObject modifier = csofa_find(scene, 0, "/modifier");
  const CsofaObject state = csofa_find(scene, 0, "/state");
  assert_int_equal(csofa_remove_elements(scene, modifier, "triangle", 1, (uint32_t[]){1}),
                   CSOFA_OK);
  assert_int_equal(entries(scene, "/mesh", "triangles"), 1);
  assert_int_equal(entries(scene, "/state", "position"), 3);
  assert_int_equal(csofa_add_elements(scene, mesh, "point", 1, NULL), CSOFA_OK);
  assert_int_equal(csofa_add_elements(scene, mesh, "triangle", 1, (uint32_t[]){0, 2, 3}), CSOFA_OK);
  assert_int_equal(entries(scene, "/mesh", "triangles"), 2);
  assert_int_equal(entries(scene, "/state", "position"), 4);
  assert_int_equal(csofa_step(scene, 1), CSOFA_OK);
  // nothing changes where the request is wrong
  assert_int_equal(csofa_remove_elements(scene, mesh, "triangle", 1, (uint32_t[]){2}),
                   CSOFA_ERR_RANGE);
  assert_int_equal(csofa_remove_elements(scene, mesh, "triangle", 2, (uint32_t[]){0, 0}),
                   CSOFA_ERR_ARGUMENT);
  assert_int_equal(csofa_add_elements(scene, mesh, "triangle", 1, (uint32_t[]){0, 1, 4}),
                   CSOFA_ERR_RANGE);
  assert_int_equal(csofa_remove_elements(scene, mesh, "lump", 1, (uint32_t[]){0}),
                   CSOFA_ERR_ARGUMENT);
  assert_int_equal(csofa_remove_elements(scene, state, "point", 1, (uint32_t[]){0}),
                   CSOFA_ERR_TYPE);
  assert_int_equal(entries(scene, "/mesh", "triangles"), 2);
  assert_int_equal(csofa_step(scene, 1), CSOFA_OK);
  csofa_destroy(csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
