/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices that did not change are neither assembled nor factorised again; what changes them is
 * seen; and the bits are those of a run that makes them in every step. */
#include "tests/support/topology_edits.h"

#include <math.h>

#include "behavior/linear_solver.h"
#include "math/block_matrix.h"
#include "scene/edit.h"

#define GRID                                                                                       \
  "<RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='0.3 0.2 0.2'/>"                     \
  "<Node name='body'><TetrahedronSetTopologyContainer name='mesh'/>"                               \
  "<TetrahedronSetTopologyModifier/>"                                                              \
  "<Hexa2TetraTopologicalMapping input='@../grid' output='@mesh'/>"
#define SOLVER(factors, linear)                                                                    \
  "<EulerImplicitSolver name='ode' " factors "/>" linear                                           \
  "<MechanicalObject name='state' position='@../grid.position'/>"
#define LDL "<SparseLDLSolver name='linear' template='CompressedRowSparseMatrixMat3x3d'/>"
#define SMALL                                                                                      \
  "<TetrahedronFEMForceField name='fem' method='small' youngModulus='2000' poissonRatio='0.3'/>"
#define MASS "<UniformMass name='mass' totalMass='0.4'/>"
#define FIXED "<FixedProjectiveConstraint name='fixed' indices='0 4 8 12'/>"
#define SPRINGS                                                                                    \
  "<SpringForceField name='springs' spring='0 5 40 1 0.1  5 10 40 1 0.1  10 15 40 1 0.1'/>"
#define SCENE(parts) "<Node name='root' dt='0.01' gravity='0 -9 0'>" GRID parts "</Node></Node>"
#define CONSTANT SCENE(SOLVER("rayleighStiffness='0.01'", LDL) MASS SMALL FIXED)

/* The same scene twice: one that keeps its matrices, one that makes them in every step. */
typedef struct Pair {
  SceneRun kept, made;
} Pair;

static void open_one(SceneRun *run, const char *scene, bool always) {
  const SofaContextOptions options = {.assembles_always = always};
  *run = (SceneRun){.quiet = false};
  scene_run_context(run, &options);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

static void open_pair(Pair *pair, const char *scene) {
  open_one(&pair->kept, scene, false);
  open_one(&pair->made, scene, true);
}

static void close_pair(Pair *pair) {
  scene_run_close(&pair->kept);
  scene_run_close(&pair->made);
}

static SofaObject *find(SceneRun *run, const char *path) {
  SofaObject *object =
      sofa_resolve_path(run->simulation->root, path, &(SofaPathRule){.strict = true});
  if (!object) fail_msg("there is no %s", path);
  return object;
}

static uint64_t version_of(SceneRun *run) {
  const SofaLinearSolver *solver = (SofaLinearSolver *)find(run, "/body/linear");
  SofaBlockRows rows;
  sofa_block_matrix_rows(sofa_linear_system_matrix(solver->system), &rows);
  return rows.value_version;
}

static void same_bits(Pair *pair) {
  const SofaState *a = (SofaState *)find(&pair->kept, "/body/state");
  const SofaState *b = (SofaState *)find(&pair->made, "/body/state");
  assert_int_equal(a->position.n, b->position.n);
  assert_memory_equal(a->position.data, b->position.data, 3 * a->position.n * sizeof(double));
  assert_memory_equal(a->velocity.data, b->velocity.data, 3 * a->position.n * sizeof(double));
}

static void step(Pair *pair, double dt) {
  assert_int_equal(sofa_simulation_step(pair->kept.simulation, dt), SOFA_OK);
  assert_int_equal(sofa_simulation_step(pair->made.simulation, dt), SOFA_OK);
  same_bits(pair);
}

/* The next step has another matrix, the one after it the same. */
static void changes_once(Pair *pair, double dt) {
  const uint64_t before = version_of(&pair->kept);
  step(pair, dt);
  const uint64_t after = version_of(&pair->kept);
  assert_int_not_equal(before, after);
  step(pair, dt);
  assert_int_equal(version_of(&pair->kept), after);
}

static void edit(Pair *pair, const char *path, const char *field, const char *text) {
  SofaObject *a = find(&pair->kept, path), *b = find(&pair->made, path);
  assert_int_equal(sofa_edit(&a, field, text), SOFA_OK);
  assert_int_equal(sofa_edit(&b, field, text), SOFA_OK);
}

static void constant_matrices_are_kept(void **state) {
  Pair pair;
  (void)state;
  open_pair(&pair, CONSTANT);
  step(&pair, 0);
  const uint64_t kept = version_of(&pair.kept), made = version_of(&pair.made);
  for (int i = 0; i < 4; i++) step(&pair, 0);
  assert_int_equal(version_of(&pair.kept), kept);
  assert_int_not_equal(version_of(&pair.made), made);
  close_pair(&pair);
}

static void changes_are_seen(void **state) {
  static const struct {
    const char *path, *field, *text;
  } edits[] = {
      {"/body/fem", "youngModulus", "2500"},      {"/body/fem", "poissonRatio", "0.35"},
      {"/body/fem", "rayleighStiffness", "0.02"}, {"/body/fem", "method", "small"},
      {"/body/mass", "totalMass", "0.5"},         {"/body/mass", "rayleighMass", "0.3"},
      {"/body/ode", "rayleighStiffness", "0.03"}, {"/body/ode", "rayleighMass", "0.2"},
      {"/body/ode", "trapezoidalScheme", "1"},    {"/body/fixed", "indices", "0 4 8 16"},
      {"/body/rest", "stiffness", "31"},          {"/body/damper", "dampingCoefficient", "0.4"},
  };
  Pair pair;
  (void)state;
  open_pair(&pair, SCENE(SOLVER("", LDL) MASS SMALL
                         "<RestShapeSpringsForceField name='rest' stiffness='30' points='3 7'/>"
                         "<UniformVelocityDampingForceField name='damper' implicit='1' "
                         "dampingCoefficient='0.1'/>" FIXED));
  step(&pair, 0);
  step(&pair, 0);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    edit(&pair, edits[i].path, edits[i].field, edits[i].text);
    changes_once(&pair, 0);
  }
  changes_once(&pair, 0.02); // another dt
  close_pair(&pair);
}

static void constraints_end(void **state) {
  Pair pair;
  (void)state;
  open_pair(&pair, SCENE(SOLVER("", LDL) MASS SMALL FIXED
                         "<FixedProjectiveConstraint name='short' indices='3' endTime='0.025'/>"));
  for (int i = 0; i < 3; i++) step(&pair, 0);
  changes_once(&pair, 0);
  close_pair(&pair);
}

static void topologies_change(void **state) {
  static const Edit edits[MOST_EDITS] = {{"/body/mesh", SOFA_ELEMENT_TETRA, false, 2, {9, 4}, 0}};
  Pair pair;
  (void)state;
  open_pair(&pair, CONSTANT);
  step(&pair, 0);
  step(&pair, 0);
  carry_out(&pair.kept, "kept", edits);
  carry_out(&pair.made, "made", edits);
  changes_once(&pair, 0);
  close_pair(&pair);
}

/* The springs' matrix turns with them: it is added to a copy of what comes before it. */
static void constant_parts_come_first(void **state) {
  Pair pair;
  (void)state;
  open_pair(&pair, SCENE(SOLVER("rayleighStiffness='0.01'", LDL) MASS SMALL SPRINGS FIXED));
  for (int i = 0; i < 4; i++) step(&pair, 0);
  edit(&pair, "/body/fem", "youngModulus", "2500");
  for (int i = 0; i < 4; i++) step(&pair, 0);
  edit(&pair, "/body/springs", "stiffness", "90");
  for (int i = 0; i < 2; i++) step(&pair, 0.02);
  close_pair(&pair);
}

/* An explicit scheme's matrix is that of the masses, whatever the forces do; their factors become
 * those of an edit. */
static void factors_of_zero(void **state) {
  Pair pair;
  (void)state;
  open_pair(&pair, SCENE("<EulerExplicitSolver name='ode' symplectic='0'/>" LDL
                         "<MechanicalObject name='state' position='@../grid.position'/>"
                         "<MeshMatrixMass name='mass' totalMass='0.4'/>" SPRINGS FIXED));
  step(&pair, 0.001);
  const uint64_t kept = version_of(&pair.kept), made = version_of(&pair.made);
  for (int i = 0; i < 4; i++) step(&pair, 0.001);
  assert_int_equal(version_of(&pair.kept), kept);
  assert_int_not_equal(version_of(&pair.made), made);
  edit(&pair, "/body/mass", "totalMass", "0.5");
  changes_once(&pair, 0.001);
  close_pair(&pair);
}

/* Few iterations: the elements are applied. Their products are those of the matrix to rounding. */
static void operators_agree(void **state) {
#define CG(n)                                                                                      \
  SCENE(SOLVER("", "<CGLinearSolver name='linear' iterations='" n                                  \
                   "' tolerance='1e-14' threshold='0'/>") MASS                                     \
        "<TetrahedronFEMForceField name='fem' method='large' youngModulus='20' "                   \
        "poissonRatio='0.3'/>" FIXED)
  Pair pair;
  (void)state;
  open_one(&pair.kept, CG("7"), false);
  open_one(&pair.made, CG("8"), false);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(sofa_simulation_step(pair.kept.simulation, 0), SOFA_OK);
    assert_int_equal(sofa_simulation_step(pair.made.simulation, 0), SOFA_OK);
  }
  const SofaState *a = (SofaState *)find(&pair.kept, "/body/state");
  const SofaState *b = (SofaState *)find(&pair.made, "/body/state");
  for (size_t i = 0; i < 3 * a->position.n; i++)
    assert_true(fabs(a->position.data[i] - b->position.data[i]) < 1e-6);
  close_pair(&pair);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_matrices_are_kept),
      cmocka_unit_test(changes_are_seen),
      cmocka_unit_test(constraints_end),
      cmocka_unit_test(topologies_change),
      cmocka_unit_test(constant_parts_come_first),
      cmocka_unit_test(factors_of_zero),
      cmocka_unit_test(operators_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
