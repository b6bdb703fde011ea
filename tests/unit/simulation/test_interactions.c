/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interactions between two states: explicit above the solvers, implicit below a common one. */
#include "tests/support/scene_run.h"
#include "base/abi.h"

#include <math.h>

#include "behavior/projective.h"

/* A linear spring without rest length between point 0 of both states: f0 = k (x1 - x0) = -f1. */
typedef struct PairSpring {
  SofaForceField force_field;
  double stiffness;
} PairSpring;

static const SofaField fields[] = {
    SOFA_FIELD(PairSpring, stiffness, "stiffness", "10", "N/m", "of the spring"),
};

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *forces) {
  const double k = ((const PairSpring *)ff)->stiffness;
  (void)p;
  for (int c = 0; c < 3; c++) {
    const double f = k * (at->x[1][c] - at->x[0][c]);
    forces[0][c] += f;
    forces[1][c] -= f;
  }
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  (void)at;
  const double k = sofa_kfactor(ff, p) * ((const PairSpring *)ff)->stiffness;
  for (int c = 0; c < 3; c++) {
    const double f = k * (dx[1][c] - dx[0][c]);
    df[0][c] += f;
    df[1][c] -= f;
  }
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  (void)at;
  const double k = ((const PairSpring *)ff)->stiffness;
  (void)p;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const double d = i == j ? -k : k;
      sofa_tangent_add(tangent, i, 0, j, 0, (const double[]){d, 0, 0, 0, d, 0, 0, 0, d});
    }
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {
    .add_force = add_force, .add_dforce = add_dforce, .add_k = add_k, .tangent_is_dforce = true};
static const char *const templates[] = {"Vec3d", NULL};
static const SofaClass pair_spring = {.name = "PairSpring",
                                      .module = "tests",
                                      .category = "InteractionForceField",
                                      .help = "A spring between two states.",
                                      .base = &sofa_interaction_force_field_class,
                                      .size = sizeof(PairSpring),
                                      .fields = fields,
                                      .n_fields = 1,
                                      .templates = templates,
                                      SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops})};
static const SofaClass *const classes[] = {&pair_spring, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "tests", .version = "1", .classes = classes};

static void open_scene(SceneRun *run, const char *text) {
  memset(run, 0, sizeof *run);
  scene_run_context(run, NULL);
  assert_int_equal(sofa_factory_register(run->ctx, &module), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  assert_int_equal(run->n_problems, 0);
}

#define BODY(name, x, solver)                                                                      \
  "<Node name='" name "'>" solver "<MechanicalObject name='state' position='" x " 0 0'/>"          \
  "<UniformMass totalMass='2'/></Node>"
#define SOLVER(linear) "<EulerImplicitSolver/>" linear

/* Each body has its own solver: the spring's force of the start of the step acts as external force,
 * without stiffness: v = h f / m on both sides. */
static void between_solvers_it_acts_explicitly(void **state) {
  (void)state;
  SceneRun run;
  open_scene(
      &run,
      "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/>" BODY("a", "0", SOLVER("<SparseLDLSolver/>")) BODY(
          "b", "1",
          SOLVER(
              "<CGLinearSolver iterations='20' tolerance='1e-14' "
              "threshold='1e-30'/>")) "<PairSpring object1='@a/state' object2='@b/state'/></Node>");
  double x[2] = {0, 1}, v[2] = {0, 0};
  for (int i = 0; i < 30; i++) {
    scene_run_steps(&run, 1);
    const double f = 10 * (x[1] - x[0]);
    v[0] += 0.1 * f / 2, v[1] -= 0.1 * f / 2;
    x[0] += 0.1 * v[0], x[1] += 0.1 * v[1];
  }
  assert_true(fabs(scene_run_state(&run, "/a/state")->position.data[0] - x[0]) < 1e-12);
  assert_true(fabs(scene_run_state(&run, "/b/state")->position.data[0] - x[1]) < 1e-12);
  scene_run_close(&run);
}

/* Recorded forces and reactions of both bodies contain those of the spring above the solvers, at
 * the end of the step; the right body hangs on a mapped point. */
static void forces_above_solvers_are_recorded(void **state) {
  (void)state;
  SceneRun run;
  open_scene(
      &run,
      "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='a'>" SOLVER(
          "<SparseLDLSolver/>") "<MechanicalObject name='state' position='0 0 0'/><UniformMass "
                                "totalMass='2'/>"
                                "<FixedProjectiveConstraint name='fixed' indices='0'/></Node>"
                                "<Node name='b'>" SOLVER(
                                    "<SparseLDLSolver/>") "<MechanicalObject name='state' "
                                                          "position='1 0 0'/><UniformMass "
                                                          "totalMass='2'/>"
                                                          "<Node name='c'><MechanicalObject "
                                                          "name='state'/><IdentityMapping/></Node>"
                                                          "</Node><PairSpring object1='@a/state' "
                                                          "object2='@b/c/state'/></Node>");
  scene_run_steps(&run, 5);
  SofaState *a = scene_run_state(&run, "/a/state"), *b = scene_run_state(&run, "/b/state"),
            *c = scene_run_state(&run, "/b/c/state");
  const double f = 10 * b->position.data[0];
  SofaState *const states[] = {a, b, c};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(sofa_state_find_force(states[i]), SOFA_OK);
    assert_true(fabs(states[i]->force.data[0] - (i ? -f : f)) < 1e-12);
  }
  SofaObject *fixed = scene_run_object(&run, "/a/fixed");
  assert_int_equal(sofa_field_compute(fixed, sofa_class_field(fixed->klass, "reactions")), SOFA_OK);
  assert_true(fabs(((SofaProjective *)fixed)->reactions.data[0] + f) < 1e-12 && f > 1);
  assert_int_equal(a->external_force.n, 0);
  scene_run_close(&run);
}

/* f = k (x1 - x0) + r k (v1 - v0); with the quirk without the second part. */
static void damping_above_solvers(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    const SofaContextOptions options = {.quirk_words = quirk ? "interaction-rayleigh" : NULL};
    scene_run_open(
        &run,
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<DefaultVisualManagerLoop/>" BODY("a", "0", SOLVER("<SparseLDLSolver/>")) BODY(
            "b", "1",
            SOLVER("<SparseLDLSolver/>")) "<SpringForceField object1='@a/state' object2='@b/state' "
                                          "spring='0 0 10 0 0.9' rayleighStiffness='0.2'/></Node>",
        &options);
    double x[2] = {0, 1}, v[2] = {0, 0};
    for (int i = 0; i < 20; i++) {
      scene_run_steps(&run, 1);
      const double f = 10 * (x[1] - x[0] - 0.9) + (quirk ? 0 : 0.2 * 10 * (v[1] - v[0]));
      v[0] += 0.1 * f / 2, v[1] -= 0.1 * f / 2;
      x[0] += 0.1 * v[0], x[1] += 0.1 * v[1];
    }
    assert_true(fabs(scene_run_state(&run, "/a/state")->position.data[0] - x[0]) < 1e-12);
    scene_run_close(&run);
  }
}

/* One solver above both bodies: backward Euler for the pair. With d = x1 - x0 and reduced mass 1:
 * (1 + h^2 k) dv = -h k (d + h w). */
static void common_solver(const char *linear) {
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='pair'>" SOLVER("%s") BODY("a", "0", "") BODY(
               "b", "1", "") "<PairSpring object1='@a/state' object2='@b/state'/></Node></Node>",
           linear);
  open_scene(&run, text);
  double d = 1, w = 0;
  for (int i = 0; i < 30; i++) {
    scene_run_steps(&run, 1);
    w += -0.1 * 10 * (d + 0.1 * w) / (1 + 0.1 * 0.1 * 10);
    d += 0.1 * w;
  }
  const double a = scene_run_state(&run, "/pair/a/state")->position.data[0];
  const double b = scene_run_state(&run, "/pair/b/state")->position.data[0];
  assert_true(fabs(b - a - d) < 1e-12);
  assert_true(fabs(a + b - 1) < 1e-12); /* centre of mass at rest */
  scene_run_close(&run);
}

static void below_a_solver_it_is_implicit(void **state) {
  (void)state;
  common_solver("<SparseLDLSolver/>");
  common_solver("<CGLinearSolver iterations='20' tolerance='1e-14' threshold='1e-30'/>");
  common_solver("<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='20' "
                "tolerance='1e-14' threshold='1e-30'/>");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(between_solvers_it_acts_explicitly),
      cmocka_unit_test(forces_above_solvers_are_recorded),
      cmocka_unit_test(damping_above_solvers),
      cmocka_unit_test(below_a_solver_it_is_implicit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
