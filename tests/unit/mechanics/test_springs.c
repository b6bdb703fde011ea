/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Springs: which ones a mesh gives, how lists are read, what they do. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "components/solidmechanics/spring/SpringForceField.h"

#define MESH_SPRINGS(topology, attributes)                                                         \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" topology                  \
  "<MechanicalObject name='state'/><MeshSpringForceField name='ff' " attributes "/></Node>"
#define CUBE "<RegularGridTopology n='2 2 2' min='0 0 0' max='2 2 2' computeTriangleList='0'/>"

static SpringForceField *open(SceneRun *run, const char *scene) {
  scene_run_open(run, scene, NULL);
  return (SpringForceField *)scene_run_object(run, "/ff");
}

static void a_mesh_joins_each_pair_once(void **state) {
  (void)state;
  SceneRun run;
  /* the groups come one after the other: edges, then what only faces and cells have */
  const SpringForceField *s =
      open(&run, MESH_SPRINGS(CUBE, "linesStiffness='10' quadsStiffness='20' "
                                    "cubesStiffness='30' linesDamping='4'"));
  assert_int_equal(s->springs.n, 28);
  int n[3] = {0};
  for (size_t k = 0; k < s->springs.n; k++) {
    const SofaSpring *spring = &s->springs.data[k];
    const double length[3] = {2, 2 * sqrt(2), 2 * sqrt(3)};
    for (int d = 0; d < 3; d++) {
      if (fabs(spring->length - length[d]) > 1e-12) continue;
      n[d]++;
      assert_true(fabs(spring->stiffness - 10 * (d + 1) / length[d]) < 1e-12);
      assert_true(fabs(spring->damping - (d ? 0 : 2)) < 1e-12);
    }
  }
  assert_int_equal(n[0], 12);
  assert_int_equal(n[1], 12);
  assert_int_equal(n[2], 4);
  scene_run_close(&run);
}

static void one_name_sets_all_groups(void **state) {
  (void)state;
  SceneRun run;
  const SpringForceField *s = open(&run, MESH_SPRINGS(CUBE, "stiffness='10' damping='1'"));
  assert_int_equal(s->springs.n, 28);
  for (size_t k = 0; k < 28; k++) {
    assert_true(fabs(s->springs.data[k].stiffness * s->springs.data[k].length - 10) < 1e-12);
    assert_true(fabs(s->springs.data[k].damping * s->springs.data[k].length - 1) < 1e-12);
  }
  scene_run_close(&run);
}

static void a_range_limits_the_springs(void **state) {
  (void)state;
#define LINE "<MeshTopology position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0' edges='0 1 1 2 2 3 3 4'/>"
  SceneRun run;
  const SpringForceField *s = open(&run, MESH_SPRINGS(LINE, "stiffness='1' localRange='1 2'"));
  assert_int_equal(s->springs.n, 2);
  assert_int_equal(s->springs.data[0].m1, 1);
  assert_int_equal(s->springs.data[1].m1, 2);
  scene_run_close(&run);
#undef LINE
}

#define SPRINGS(attributes)                                                                        \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                           \
  "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0 0'/>"                                  \
  "<SpringForceField name='ff' " attributes "/></Node>"

static void force_at(SceneRun *run, const double *x, const double *v, double *f) {
  SofaForceField *ff = (SofaForceField *)scene_run_object(run, "/ff");
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  memset(f, 0, 9 * sizeof *f);
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
}

static void lists_go_on_with_their_last_value(void **state) {
  (void)state;
  SceneRun run;
  const SpringForceField *s =
      open(&run, SPRINGS("indices1='0 1 0' indices2='1 2 2' stiffness='10 20' length='0.5' "
                         "elongationOnly='0 1' enabled='1 1 0'"));
  assert_int_equal(s->springs.n, 3);
  assert_true(s->springs.data[2].stiffness == 20 && s->springs.data[2].length == 0.5);
  assert_true(s->springs.data[2].damping == 5);
  assert_true(!s->springs.data[0].elongation_only && s->springs.data[2].elongation_only);
  assert_true(s->springs.data[1].enabled && !s->springs.data[2].enabled);
  scene_run_close(&run);
}

static void lists_longer_than_the_springs_are_told(void **state) {
  (void)state;
  static const char *const lists[] = {"stiffness", "damping", "lengths", "elongationOnly",
                                      "enabled"};
  for (size_t i = 0; i < 5; i++) {
    char scene[800];
    SceneRun run = {.quiet = true};
    snprintf(scene, sizeof scene, SPRINGS("indices1='0' indices2='1' %s='1 0'"), lists[i]);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    snprintf(scene, sizeof scene, "field '%s': has 2 values, expected 1 at most", lists[i]);
    if (!strstr(run.last, scene)) fail_msg("expected \"%s\" in \"%s\"", scene, run.last);
    scene_run_close(&run);
  }
}

static void springs_pull_push_and_damp(void **state) {
  (void)state;
  const double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, v[9] = {0, 0, 0, 0.5, 3, 0, 0, 0, 0};
  double f[9];
  SceneRun run;
  open(&run, SPRINGS("spring='0 1 100 2 0.9'"));
  force_at(&run, x, v, f);
  /* 100 * 0.1 + 2 * 0.5; speed across the spring counts for nothing */
  assert_true(fabs(f[0] - 11) < 1e-12 && fabs(f[3] + 11) < 1e-12 && f[1] == 0 && f[4] == 0);
  scene_run_close(&run);

  open(&run, SPRINGS("indices1='0 1' indices2='1 2' stiffness='100' damping='2' length='1.5' "
                     "elongationOnly='1 0' enabled='1'"));
  force_at(&run, x, v, f);
  /* the first one is slack, the second pushes */
  assert_true(f[0] == 0 && fabs(f[6] - (50 + 2 * 0.5)) < 1e-12);
  scene_run_close(&run);
}

static void refuse(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("expected \"%s\" in \"%s\"", words, run.last);
  scene_run_close(&run);
}

static void mistakes_are_refused(void **state) {
  (void)state;
  refuse(SPRINGS("spring='0 1 100 0'"), "whole springs");
  refuse(SPRINGS("spring='0 3 100 0 1'"), "point 3 does not exist");
  refuse(SPRINGS("spring='0 1.5 100 0 1'"), "not an index");
  refuse(SPRINGS("indices1='0 1' indices2='1'"), "springsIndices1");
  refuse(MESH_SPRINGS("", "stiffness='1'"), "no topology");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mesh_joins_each_pair_once),
      cmocka_unit_test(one_name_sets_all_groups),
      cmocka_unit_test(a_range_limits_the_springs),
      cmocka_unit_test(lists_go_on_with_their_last_value),
      cmocka_unit_test(lists_longer_than_the_springs_are_told),
      cmocka_unit_test(springs_pull_push_and_damp),
      cmocka_unit_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
