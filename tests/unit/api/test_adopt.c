/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes of simulations that somebody else owns: what plugins of other languages use. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

#include "components/builtins.h"
#include "simulation/simulation.h"

static const char scene_text[] = "<Node name='root' dt='0.1' gravity='0 0 0'>"
                                 "<DefaultAnimationLoop/><Node name='body'>"
                                 "<MechanicalObject name='state' position='1 2 3'/></Node></Node>";

static void hear_nothing(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

static void adopts(void **unused) {
  const SofaContextOptions options = {.sink = hear_nothing};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  CsofaScene *scene = NULL;
  CsofaObject made = 0;
  double x[3];
  (void)unused;
  assert_int_equal(sofa_context_create_with_builtins(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, scene_text, &simulation), SOFA_OK);
  assert_int_equal(csofa_adopt(simulation, &scene), CSOFA_OK);
  // the owner initialises it: what is added before is part of that
  assert_int_equal(csofa_add_node(scene, csofa_root(scene), "more", NULL, &made), CSOFA_OK);
  assert_int_equal(csofa_init(scene), CSOFA_OK);
  assert_false(simulation->ready);
  assert_int_equal(sofa_simulation_init(simulation), SOFA_OK);
  const char *const attributes[] = {"name", "late", "position", "4 5 6", NULL};
  assert_int_equal(csofa_add_object(scene, made, "MechanicalObject", attributes, &made), CSOFA_OK);
  assert_int_equal(csofa_init(scene), CSOFA_OK);
  assert_int_equal(sofa_simulation_step(simulation, 0), SOFA_OK);
  assert_int_equal(csofa_get_reals(scene, csofa_find(scene, 0, "/more/late"), "position", 0, 3, x),
                   CSOFA_OK);
  assert_true(fabs(x[2] - 6) < 1e-15);
  assert_int_equal(csofa_get_reals(scene, made, "positio", 0, 3, x), CSOFA_ERR_NOT_FOUND);
  assert_non_null(strstr(csofa_last_error(csofa_context_of(scene)), "position"));
  // a question is not an error
  const uint64_t errors = ctx->n_messages[SOFA_ERROR];
  assert_true(csofa_has_field(scene, made, "position"));
  assert_false(csofa_has_field(scene, made, "positio"));
  assert_false(csofa_has_field(scene, 0, "position"));
  assert_int_equal(ctx->n_messages[SOFA_ERROR], errors);
  csofa_release(scene);
  csofa_release(NULL);
  // the simulation goes on
  assert_int_equal(sofa_simulation_step(simulation, 0), SOFA_OK);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(adopts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
