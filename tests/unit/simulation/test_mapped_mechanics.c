/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mechanics through mappings: a model on a mapped state moves like the equivalent one on the state
 * above, however the linear system is made; momentum, masses below mappings, several solvers. */
#include "tests/support/scene_run.h"
#include "tests/support/gpl_parts.h"

#include <math.h>

#define SCENE(gravity)                                                                             \
  "<Node name='root' dt='0.02' gravity='" gravity "'><DefaultAnimationLoop/>"                      \
  "<DefaultVisualManagerLoop/>"
#define FALL "0.5 -9.81 2"
#define FREE "0 0 0"
#define BODY "<Node name='body'><EulerImplicitSolver rayleighStiffness='0.02'/>%s"
#define BLOCK                                                                                      \
  "<RegularGridTopology name='grid' n='3 3 5' min='0 0 0' max='1 1 2'/>"                           \
  "<MechanicalObject name='state'/>"
#define ELASTIC "<TetrahedronFEMForceField method='large' youngModulus='2000' poissonRatio='0.3'/>"
#define CLAMP "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"

#define FREE_CG                                                                                    \
  "<CGLinearSolver template='GraphScattered' iterations='2000' tolerance='1e-15' "                 \
  "threshold='1e-40'/>"
#define MATRIX_CG                                                                                  \
  "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='2000' "                 \
  "tolerance='1e-15' threshold='1e-40'/>"
#define LDL "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define LU "<EigenSparseLU template='CompressedRowSparseMatrixd'/>"

typedef struct Motion {
  double *x, *v;
  size_t n;
} Motion;

/* Runs a scene whose solver is `solver`; the positions and velocities of a state at the end. */
static Motion run(const char *scene, const char *solver, const char *path, int steps) {
  char text[8000];
  SceneRun r;
  Motion m;
  assert_true(snprintf(text, sizeof text, scene, solver, solver) < (int)sizeof text);
  scene_run_open(&r, text, NULL);
  scene_run_steps(&r, steps);
  const SofaState *s = scene_run_state(&r, path);
  m.n = s->position.n * s->position.width;
  m.x = malloc(m.n * sizeof *m.x);
  m.v = malloc(m.n * sizeof *m.v);
  assert_true(m.x && m.v);
  memcpy(m.x, s->position.data, m.n * sizeof *m.x);
  memcpy(m.v, s->velocity.data, m.n * sizeof *m.v);
  scene_run_close(&r);
  return m;
}

static void motion_free(Motion *m) {
  free(m->x), free(m->v);
}

static void assert_same_motion(Motion a, Motion b, double tolerance) {
  assert_int_equal(a.n, b.n);
  double worst = 0, moved = 0;
  for (size_t i = 0; i < a.n; i++) {
    worst = fmax(worst, fabs(a.x[i] - b.x[i]));
    worst = fmax(worst, 0.02 * fabs(a.v[i] - b.v[i]));
    moved = fmax(moved, fabs(a.v[i]));
  }
  if (!(worst <= tolerance)) fail_msg("motions differ by %.3g, expected %.3g", worst, tolerance);
  assert_true(moved > 1e-3); /* something happened */
  motion_free(&a);
  motion_free(&b);
}

/* ---- the same model above and below a mapping ---- */

static const char above[] =
    SCENE(FALL) BODY BLOCK CLAMP "<UniformMass totalMass='3'/>" ELASTIC "</Node></Node>";
static const char below_copy[] = SCENE(FALL) BODY BLOCK CLAMP
    "<Node name='copy'><MechanicalObject name='c'/><IdentityMapping applyRestPosition='1'/>"
    "<UniformMass totalMass='3'/>" ELASTIC "</Node></Node></Node>";
/* the copy of a copy; half of the mass at each level */
static const char below_two[] = SCENE(FALL) BODY BLOCK CLAMP
    "<UniformMass totalMass='1'/>"
    "<Node name='copy'><MechanicalObject name='c'/><IdentityMapping applyRestPosition='1'/>"
    "<UniformMass totalMass='1.5'/>"
    "<Node name='copy'><MechanicalObject name='c'/><IdentityMapping applyRestPosition='1'/>"
    "<UniformMass totalMass='0.5'/>" ELASTIC "</Node></Node></Node></Node>";
/* points of the second grid at those of the first one: weights 0 and 1 up to rounding */
static const char below_grid[] = SCENE(FALL) BODY BLOCK CLAMP
    "<Node name='copy'><RegularGridTopology name='grid' n='3 3 5' min='0 0 0' max='1 1 2'/>"
    "<MechanicalObject name='c'/><BarycentricMapping applyRestPosition='1'/>"
    "<UniformMass totalMass='3'/>" ELASTIC "</Node></Node></Node>";

static void a_model_on_a_mapped_state_moves_alike(void **state) {
  (void)state;
  const char *const scenes[] = {below_copy, below_two, below_grid};
  const char *const solvers[] = {FREE_CG, MATRIX_CG, LDL, LU};
  for (size_t k = 0; k < 3; k++)
    for (size_t s = 0; s < 4 && !lacks_gpl_part(solvers[s]); s++)
      assert_same_motion(run(above, LDL, "/body/state", 15),
                         run(scenes[k], solvers[s], "/body/state", 15), 1e-10);
}

/* ---- assembled and matrix-free ---- */

#define SPRINGS_INSIDE                                                                             \
  "<Node name='points'><MechanicalObject name='p' position='0.2 0.3 0.1 0.8 0.7 1.9 0.5 -0.3 1 "   \
  "0.4 0.4 2.3'/><MeshTopology edges='0 1 1 2 2 3 3 0'/>"                                          \
  "<MeshSpringForceField linesStiffness='300' linesDamping='2' rayleighStiffness='0.01'/>"         \
  "<UniformMass vertexMass='0.2'/>"

static const char mixed[] = SCENE(FALL) BODY BLOCK CLAMP
    "<UniformMass totalMass='3'/>" ELASTIC SPRINGS_INSIDE "<BarycentricMapping/>"
    "<Node name='copy'><MechanicalObject name='q'/><IdentityMapping applyRestPosition='1'/>"
    "<UniformMass vertexMass='0.1'/></Node></Node></Node></Node>";

static void assembled_and_matrix_free_agree(void **state) {
  (void)state;
  const char *const solvers[] = {MATRIX_CG, LDL, LU};
  for (size_t s = 0; s < 3 && !lacks_gpl_part(solvers[s]); s++)
    assert_same_motion(run(mixed, FREE_CG, "/body/state", 15),
                       run(mixed, solvers[s], "/body/state", 15), 1e-10);
  assert_same_motion(run(mixed, FREE_CG, "/body/points/copy/q", 15),
                     run(mixed, LDL, "/body/points/p", 15), 1e-10);
}

/* Two bodies below one solver, tied by springs between their mapped points. */
static const char tied[] = SCENE(FALL) BODY
    "<Node name='a'>" BLOCK "<UniformMass totalMass='3'/>"
    "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/>" CLAMP
    "<Node name='points'><MechanicalObject name='p' position='0.2 0.3 2 0.8 0.7 1.9'/>"
    "<BarycentricMapping/></Node></Node>"
    "<Node name='b'><RegularGridTopology n='2 2 2' min='0 0 3' max='1 1 4'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"
    "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/>"
    "<Node name='points'><MechanicalObject name='p' position='0.2 0.3 3.1 0.8 0.7 3.2'/>"
    "<BarycentricMapping/></Node></Node>"
    "<SpringForceField object1='@a/points/p' object2='@b/points/p' "
    "spring='0 0 200 1 1 1 1 200 1 1'/>"
    "<SpringForceField object1='@a/state' object2='@b/points/p' spring='40 0 100 1 1'/>"
    "</Node></Node>";

static void interactions_of_mapped_points(void **state) {
  (void)state;
  const char *const solvers[] = {MATRIX_CG, LDL, LU}, *const paths[] = {"/body/a/state",
                                                                        "/body/b/state"};
  for (size_t s = 0; s < 3 && !lacks_gpl_part(solvers[s]); s++)
    for (size_t k = 0; k < 2; k++)
      assert_same_motion(run(tied, FREE_CG, paths[k], 15), run(tied, solvers[s], paths[k], 15),
                         1e-10);
}

/* ---- several solvers ---- */

#define ONE_BODY(name, height)                                                                     \
  "<Node name='" name "'><EulerImplicitSolver rayleighStiffness='0.02'/>%s"                        \
  "<RegularGridTopology n='3 3 5' min='0 0 0' max='1 1 " height "'/><MechanicalObject name='s'/>"  \
  "<UniformMass totalMass='3'/><HexahedronFEMForceField youngModulus='3000' "                      \
  "poissonRatio='0.3'/>" CLAMP                                                                     \
  "<Node name='points'><MechanicalObject name='p' position='0.2 0.3 2 0.8 0.7 1.9'/>"              \
  "<UniformMass totalMass='1'/><BarycentricMapping/></Node></Node>"

/* Bodies that do not touch move as if alone, to the last bit. */
static void several_solvers_in_a_scene(void **state) {
  (void)state;
  const char *const solvers[] = {FREE_CG, LDL};
  for (int s = 0; s < 2; s++) {
    const char *both = SCENE(FALL) ONE_BODY("a", "2") ONE_BODY("b", "3") "</Node>";
    const char *alone = SCENE(FALL) ONE_BODY("b", "3") "</Node>";
    assert_same_motion(run(both, solvers[s], "/b/s", 10), run(alone, solvers[s], "/b/s", 10), 0);
    assert_same_motion(run(both, solvers[s], "/b/points/p", 10),
                       run(alone, solvers[s], "/b/points/p", 10), 0);
  }
}

/* ---- flags ---- */

/* Velocity after one step of 1 s of a point of 2 kg that carries a copy of 1 kg, g = 9 m/s^2. */
static double first_velocity(const char *flags, const char *solver) {
  char text[4000];
  SceneRun r;
  snprintf(text, sizeof text,
           "<Node name='root' dt='1' gravity='0 -9 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver/>%s"
           "<MechanicalObject name='s' position='0 0 0'/><UniformMass vertexMass='2'/>"
           "<Node name='copy'><MechanicalObject name='c'/>"
           "<IdentityMapping %s/><UniformMass vertexMass='1'/></Node></Node></Node>",
           solver, flags);
  scene_run_open(&r, text, NULL);
  scene_run_steps(&r, 1);
  const double v = scene_run_state(&r, "/body/s")->velocity.data[1];
  scene_run_close(&r);
  return v;
}

static void flags_of_masses_and_forces(void **state) {
  (void)state;
  const char *const solvers[] = {FREE_CG, LDL};
  for (int s = 0; s < 2; s++) {
    // 3 kg fall under 3 kg's weight
    assert_true(fabs(first_velocity("", solvers[s]) + 9) < 1e-12);
    // without its inertia the copy's weight still pulls: 2 a = 3 g
    assert_true(fabs(first_velocity("mapMasses='0'", solvers[s]) + 13.5) < 1e-12);
    // without forces nothing comes up
    assert_true(fabs(first_velocity("mapForces='0'", solvers[s]) + 9) < 1e-12);
    assert_true(fabs(first_velocity("isMechanical='0'", solvers[s]) + 9) < 1e-12);
  }
}

/* ---- momentum ---- */

static const char floating[] = SCENE(FREE) BODY BLOCK
    "<UniformMass totalMass='3'/>"
    "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/>" SPRINGS_INSIDE
    "<BarycentricMapping/></Node></Node></Node>";

/* Sum of m v over the points of a state with equal masses. */
static void add_momentum(const SofaState *s, double mass, double p[3]) {
  for (size_t i = 0; i < 3 * s->velocity.n; i++) p[i % 3] += mass * s->velocity.data[i];
}

static void total_momentum(SceneRun *r, double p[3]) {
  const SofaState *s = scene_run_state(r, "/body/state");
  memset(p, 0, 3 * sizeof *p);
  add_momentum(s, 3 / (double)s->position.n, p);
  add_momentum(scene_run_state(r, "/body/points/p"), 0.2, p);
}

static void momentum_is_conserved(void **state) {
  (void)state;
  const char *const solvers[] = {FREE_CG, MATRIX_CG, LDL};
  for (int k = 0; k < 3; k++) {
    char text[8000];
    SceneRun r;
    double before[3], after[3];
    snprintf(text, sizeof text, floating, solvers[k]);
    scene_run_open(&r, text, NULL);
    // a start that deforms the body and the springs
    SofaState *s = scene_run_state(&r, "/body/state");
    for (size_t i = 0; i < 3 * s->velocity.n; i++) s->velocity.data[i] = sin(1.7 * (double)i);
    assert_int_equal(sofa_simulation_step(r.simulation, 1e-12), SOFA_OK); /* velocities go down */
    total_momentum(&r, before);
    scene_run_steps(&r, 25);
    total_momentum(&r, after);
    for (int c = 0; c < 3; c++) assert_true(fabs(after[c] - before[c]) < 1e-11);
    assert_true(fabs(before[0]) + fabs(before[1]) + fabs(before[2]) > 1e-3);
    scene_run_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_on_a_mapped_state_moves_alike),
      cmocka_unit_test(assembled_and_matrix_free_agree),
      cmocka_unit_test(interactions_of_mapped_points),
      cmocka_unit_test(several_solvers_in_a_scene),
      cmocka_unit_test(flags_of_masses_and_forces),
      cmocka_unit_test(momentum_is_conserved),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
