/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects made anew with one field changed, in a scene that runs. */
#include "../../support/scene_run.h"

#include "scene/edit.h"

static const char scene[] =
    "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>"
    "<Node name='a'><EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-12' "
    "threshold='1e-20'/><MechanicalObject name='state' position='0 0 0 1 0 0 2 0 0'/>"
    "<UniformMass totalMass='3'/>"
    "<ConstantForceField name='force' indices='1' forces='0 1 0'/>"
    "<ConstantForceField name='copy' indices='@force.indices' forces='0 0 1'/>"
    "<FixedProjectiveConstraint name='fixed' indices='0'/>"
    "<MeshTopology name='mesh' edges='0 1 1 2'/>"
    "<MeshSpringForceField name='springs' stiffness='100'/></Node></Node>";

static SofaObject *renew(SceneRun *run, const char *path, const char *field, const char *text) {
  SofaObject *made = NULL;
  sofa_object_renew(scene_run_object(run, path), field, text, &made);
  return made;
}

static void takes_the_place(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 5);
  const double *x = scene_run_state(&run, "/a/state")->position.data;
  const double held = x[1], before = scene_run_state(&run, "/a/state")->velocity.data[7];
  const SofaNode *node = scene_run_object(&run, "/a/fixed")->node;
  const size_t n = node->objects.n;
  SofaObject *made = renew(&run, "/a/fixed", "indices", "0 2");
  assert_non_null(made);
  assert_int_equal(node->objects.n, n);
  assert_ptr_equal(scene_run_object(&run, "/a/fixed"), made);
  assert_string_equal(node->objects.data[6]->name, "fixed"); // its old place
  scene_run_steps(&run, 5);
  x = scene_run_state(&run, "/a/state")->position.data;
  assert_true(x[1] == held && held == 0);
  // held now: no force reaches it, and it keeps its velocity
  assert_true(scene_run_state(&run, "/a/state")->velocity.data[7] == before && before < 0);
  assert_true(x[4] < 0);
  scene_run_close(&run);
}

static void links_follow(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  assert_non_null(renew(&run, "/a/force", "indices", "1 2"));
  SofaObject *copy = scene_run_object(&run, "/a/copy");
  assert_int_equal(sofa_data_pull(copy, NULL), SOFA_OK);
  SofaText text = {0};
  sofa_field_print(copy, sofa_class_field(copy->klass, "indices"), &text);
  assert_string_equal(text.data, "1 2");
  sofa_list_free(run.ctx, &text);
  // a link made anew
  assert_non_null(renew(&run, "/a/fixed", "indices", "@copy.indices"));
  scene_run_steps(&run, 3);
  const double *x = scene_run_state(&run, "/a/state")->position.data;
  assert_true(x[4] == 0 && x[7] == 0 && x[1] < 0);
  scene_run_close(&run);
}

static void refused_stays(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"indices", "0 77"}, {"indices", "@nothing.there"}, {"indices", "one"}, {"nofield", "1"}};
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  run.quiet = true;
  SofaObject *fixed = scene_run_object(&run, "/a/fixed");
  const size_t n = fixed->node->objects.n;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(renew(&run, "/a/fixed", bad[i][0], bad[i][1]));
    assert_ptr_equal(scene_run_object(&run, "/a/fixed"), fixed);
    assert_int_equal(fixed->node->objects.n, n);
  }
  scene_run_steps(&run, 3);
  assert_true(scene_run_state(&run, "/a/state")->position.data[1] == 0);
  scene_run_close(&run);
}

/* Nothing changes what is not edited: the same motion to the bit. */
static void same_is_same(void **state) {
  (void)state;
  SceneRun a, b;
  scene_run_open(&a, scene, NULL);
  scene_run_open(&b, scene, NULL);
  assert_non_null(renew(&b, "/a/springs", "stiffness", "100"));
  assert_non_null(renew(&b, "/a/fixed", "indices", "0"));
  scene_run_steps(&a, 20);
  scene_run_steps(&b, 20);
  const SofaState *p = scene_run_state(&a, "/a/state"), *q = scene_run_state(&b, "/a/state");
  assert_memory_equal(p->position.data, q->position.data, 9 * sizeof(double));
  scene_run_close(&a);
  scene_run_close(&b);
}

/* Memory may run out at every place. */
typedef struct Limited {
  long left, blocks;
} Limited;

static void *limited(void *user, void *block, size_t size) {
  Limited *l = user;
  if (size == 0) {
    l->blocks -= block != NULL;
    free(block);
    return NULL;
  }
  if (l->left == 0) return NULL;
  if (l->left > 0) l->left--;
  void *result = realloc(block, size);
  l->blocks += result && !block;
  return result;
}

static void without_memory(void **state) {
  (void)state;
  SceneRun run;
  Limited memory = {.left = -1};
  bool done = false;
  scene_run_open(&run, scene, &(SofaContextOptions){.allocate = limited, .allocate_user = &memory});
  run.quiet = true;
  for (long most = 0; !done && most < 2000; most++) {
    SofaObject *old = scene_run_object(&run, "/a/fixed"), *made = NULL;
    memory.left = most;
    sofa_object_renew(old, "indices", "0 1", &made);
    memory.left = -1;
    done = made != NULL;
    assert_ptr_equal(scene_run_object(&run, "/a/fixed"), done ? made : old);
  }
  assert_true(done);
  scene_run_steps(&run, 2);
  scene_run_close(&run);
  assert_int_equal(memory.blocks, 0);
}

/* A field that is linked while the scene runs follows in each step. */
static void new_links_are_followed(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                 "<EulerExplicitSolver/><MechanicalObject name='state' position='0 0 0 1 0 0'/>"
                 "<UniformMass totalMass='3'/>"
                 "<PlaneForceField name='other' normal='1 0 0' d='-9'/>"
                 "<PlaneForceField name='plane' normal='0 1 0' d='-9'/></Node>",
                 NULL);
  scene_run_steps(&run, 1);
  SofaObject *plane = scene_run_object(&run, "/plane"), *other = scene_run_object(&run, "/other");
  assert_int_equal(sofa_edit(&plane, "normal", "@other.normal"), SOFA_OK);
  scene_run_steps(&run, 1);
  assert_int_equal(sofa_edit(&other, "normal", "0 0 1"), SOFA_OK);
  scene_run_steps(&run, 1);
  const SofaReals *normal = sofa_field_value(plane, sofa_class_field(plane->klass, "normal"));
  assert_true(normal->n == 3 && normal->data[0] == 0 && normal->data[2] == 1);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_the_place), cmocka_unit_test(links_follow),
      cmocka_unit_test(refused_stays),   cmocka_unit_test(same_is_same),
      cmocka_unit_test(without_memory),  cmocka_unit_test(new_links_are_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
