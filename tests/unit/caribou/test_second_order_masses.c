/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses of elements of second order: total mass, inertia, products against energies, free fall. */
#include "tests/support/scene_memory.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/mass.h"
#include "change/topology_change.h"
#include "object/numbers.h"

enum { MAX_NODES = 125 };

static const double density = 3, side[3] = {1.5, 0.8, 2}, corner[3] = {-0.4, 0.3, 0.1};
static const double gravity[3] = {1, -2, 3};

#define ROOT(content)                                                                              \
  "<Node name='root' gravity='1 -2 3'><RequiredPlugin name='SofaCaribou'/>"                        \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<NodalMassDensity property='3'/>" content "</Node>"
/* a box of two cells per axis */
#define BOX(lists, field, name_of, mass)                                                           \
  ROOT("<RegularGridTopology name='grid' n='3 3 3' min='-0.4 0.3 0.1' max='1.1 1.1 2.1'/>"         \
       "<QuadraticMesh name='mesh' position='@grid.position' " lists "/>"                          \
       "<MechanicalObject name='state' position='@mesh.nodes'/>"                                   \
       "<CaribouTopology name='solid' template='" name_of "' indices='@mesh." field "'/>" mass)
#define HEXAS "hexahedra='@grid.hexahedra'"
#define PRISMS                                                                                     \
  "prisms='0 1 4 9 10 13 0 4 3 9 13 12 1 2 5 10 11 14 1 5 4 10 14 13 3 4 7 12 13 16 3 7 6 12 16 "  \
  "15 4 5 8 13 14 17 4 8 7 13 17 16 9 10 13 18 19 22 9 13 12 18 22 21 10 11 14 19 20 23 10 14 13 " \
  "19 23 22 12 13 16 21 22 25 12 16 15 21 25 24 13 14 17 22 23 26 13 17 16 22 26 25'"
#define PYRAMIDS                                                                                   \
  "pyramids='0 2 8 6 13 18 24 26 20 13 0 18 20 2 13 6 8 26 24 13 0 6 24 18 13 2 20 26 8 13'"
#define TETRAS                                                                                     \
  "tetrahedra='0 2 8 13 0 8 6 13 18 26 20 13 18 24 26 13 0 20 2 13 0 18 20 13 6 8 26 13 6 26 24 "  \
  "13 0 6 24 13 0 24 18 13 2 20 26 13 2 26 8 13'"

typedef struct MassCase {
  const char *scene;
  bool lumped;
  bool inertia; /* is exact */
} MassCase;

#define FEM(name_of, more)                                                                         \
  "<FEMMass name='m' template='Vec3d," name_of "' elements='@solid' " more "/>"
#define MATRIX(more) "<MeshMatrixMass name='m' elements='@solid' massDensity='3' " more "/>"
#define CASES(lists, field, name_of, lumped_is_exact)                                              \
  {BOX(lists, field, name_of, FEM(name_of, "")), false, true},                                     \
      {BOX(lists, field, name_of, FEM(name_of, "lumping='1'")), true, lumped_is_exact},            \
      {BOX(lists, field, name_of, MATRIX("")), false, true},                                       \
      {BOX(lists, field, name_of, MATRIX("lumping='1'")), true, lumped_is_exact}, {                \
    BOX(lists, field, name_of, "<MeshMatrixMass name='m' elements='@solid' totalMass='7.2'/>"),    \
        false, true                                                                                \
  }

static const MassCase solids[] = {CASES(HEXAS, "hexahedra20", "Hexahedron20", false),
                                  CASES(HEXAS " centers='1'", "hexahedra27", "Hexahedron27", true),
                                  CASES(TETRAS, "tetrahedra10", "Tetrahedron10", false),
                                  CASES(PRISMS, "prisms15", "Prism15", false),
                                  CASES(PYRAMIDS, "pyramids13", "Pyramid13", false)};

static const SofaMassOps *ops_of(const SofaMass *mass) {
  return sofa_ops(&mass->force_field.object, SOFA_MASS);
}

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

/* 1/2 int rho |a + w x X|^2 dV of the box; the velocity of a point goes to v. */
static const double a[3] = {0.3, -1.1, 0.7}, w[3] = {0.9, 0.4, -1.3};

static void velocity(const double *x, double *v) {
  v[0] = a[0] + w[1] * x[2] - w[2] * x[1];
  v[1] = a[1] + w[2] * x[0] - w[0] * x[2];
  v[2] = a[2] + w[0] * x[1] - w[1] * x[0];
}

/* By Simpson's rule along each axis, exact for squares; `thin`: in the plane z = 0. */
static double exact_energy(bool thin) {
  static const double at[3] = {0, 0.5, 1}, weight[3] = {1. / 6, 4. / 6, 1. / 6};
  const double measure = side[0] * side[1] * (thin ? 1 : side[2]);
  double sum = 0;
  for (int k = 0; k < 27; k++) {
    const int i[3] = {k % 3, k / 3 % 3, k / 9};
    double x[3], v[3];
    for (int c = 0; c < 3; c++) x[c] = corner[c] + side[c] * at[i[c]];
    if (thin) x[2] = 0;
    velocity(x, v);
    sum += weight[i[0]] * weight[i[1]] * weight[i[2]] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  return 0.5 * density * measure * sum;
}

/* Products and forces of a mass. */
static void check_mass(SceneRun *run, const MassCase *c, double total, double energy) {
  SofaMass *mass = (SofaMass *)scene_run_object(run, "/m");
  const SofaMassOps *ops = ops_of(mass);
  const SofaState *state = mass->force_field.state[0];
  const size_t n = sofa_state_size(state);
  const double *x = state->position.data;
  double v[3 * MAX_NODES], mv[3 * MAX_NODES] = {0}, f[3 * MAX_NODES] = {0}, product = 0;
  double *forces[1] = {f}, acceleration[3 * MAX_NODES] = {0}, sum[3] = {0};
  assert_true(n <= MAX_NODES);
  for (size_t i = 0; i < n; i++) velocity(x + 3 * i, v + 3 * i);
  is_near(ops->total_mass(mass), total, 1e-12);
  const double own = ops->kinetic_energy(mass, x, v);
  if (c->inertia) is_near(own, energy, 1e-12 * energy);
  assert_int_equal(ops->add_mdx(mass, x, v, mv, 2), SOFA_OK);
  for (size_t i = 0; i < 3 * n; i++) product += v[i] * mv[i] / 4;
  is_near(product, own, 1e-12 * own);
  assert_int_equal(ops->is_diagonal(mass), c->lumped);
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  const SofaForceFieldOps *force = sofa_ops(&mass->force_field.object, SOFA_FORCE_FIELD);
  const double *const xs[1] = {x}, *const vs[1] = {v};
  const SofaPoint at = {.x = xs, .v = vs};
  assert_int_equal(force->add_force(&mass->force_field, &params, &at, forces), SOFA_OK);
  for (size_t i = 0; i < 3 * n; i++) sum[i % 3] += f[i];
  for (int k = 0; k < 3; k++) is_near(sum[k], total * gravity[k], 1e-12);
  if (!c->lumped) return;
  // all masses are positive, and the body falls as it is
  assert_int_equal(ops->acc_from_f(mass, x, f, acceleration), SOFA_OK);
  for (size_t i = 0; i < 3 * n; i++) {
    if (f[i] == 0) continue; // a point of the grid without an element
    assert_true(f[i] * gravity[i % 3] > 0);
    is_near(acceleration[i], gravity[i % 3], 1e-12);
  }
}

static void masses(const MassCase *cases, size_t n, bool thin) {
  const double measure = side[0] * side[1] * (thin ? 1 : side[2]);
  for (size_t i = 0; i < n; i++) {
    SceneRun run = {.quiet = false};
    scene_run_open(&run, cases[i].scene, NULL);
    check_mass(&run, &cases[i], density * measure, exact_energy(thin));
    scene_run_close(&run);
  }
}

static void masses_of_solids(void **state) {
  (void)state;
  masses(solids, SOFA_COUNT(solids), false);
}

#define SHEET(lists, field, name_of, mass)                                                         \
  ROOT("<QuadraticMesh name='mesh' position='-0.4 0.3 0  1.1 0.3 0  1.1 1.1 0  -0.4 1.1 0' " lists \
       "/><MechanicalObject name='state' position='@mesh.nodes'/>"                                 \
       "<CaribouTopology name='solid' template='" name_of "' indices='@mesh." field "'/>" mass)
#define SHEETS(lists, field, name_of, lumped_is_exact)                                             \
  {SHEET(lists, field, name_of, FEM(name_of, "")), false, true},                                   \
      {SHEET(lists, field, name_of, FEM(name_of, "lumped='1'")), true, lumped_is_exact},           \
      {SHEET(lists, field, name_of, MATRIX("")), false, true}, {                                   \
    SHEET(lists, field, name_of, MATRIX("lumping='1'")), true, lumped_is_exact                     \
  }

static void masses_of_sheets(void **state) {
  static const MassCase sheets[] = {
      SHEETS("triangles='0 1 2  0 2 3'", "triangles6", "Triangle6", false),
      SHEETS("quads='0 1 2 3'", "quads8", "Quad8", false),
      SHEETS("quads='0 1 2 3' centers='1'", "quads9", "Quad9", true)};
  (void)state;
  masses(sheets, SOFA_COUNT(sheets), true);
}

static void refused(const char *scene, const char *why) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, why)) fail_msg("'%s', expected '%s'", run.all, why);
  scene_run_close(&run);
}

static void errors(void **state) {
  (void)state;
  refused(BOX(HEXAS, "hexahedra20", "Hexahedron20", "<FEMMass template='Vec3d,Hexahedron20'/>"),
          "'elements': must be given: a topology has no elements of kind Hexahedron20");
  refused(BOX(HEXAS, "hexahedra20", "Hexahedron20",
              "<FEMMass template='Vec3d,Tetrahedron10' elements='@solid'/>"),
          "has elements of shape Hexahedron20, expected Tetrahedron10");
  refused(BOX(HEXAS, "hexahedra20", "Hexahedron20", MATRIX("vertexMass='1' lumping='1'")),
          "is not supported yet: vertexMass and edgeMass with 'elements'");
  refused(BOX(HEXAS, "hexahedra20", "Hexahedron20",
              "<MeshMatrixMass elements='@solid' massDensity='1 2 3'/>"),
          "3 values for 8 elements");
}

/* Objects with elements of their own do not follow a topology that changes. */
static void changes_are_refused(void **state) {
  static const struct {
    const char *object, *why;
  } rows[] = {
      {FEM("Tetrahedron", ""), "/m: FEMMass cannot update its data after topological changes"},
      {MATRIX(""), "/m: MeshMatrixMass cannot update its data after topological changes"},
      {"<NeoHookeanMaterial name='law'/><TetrahedronHyperelasticityFEMForceField name='m' "
       "material='@law' elements='@solid'/>",
       "/m: TetrahedronHyperelasticityFEMForceField cannot update its data after topological "
       "changes"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1500];
    SceneRun run;
    SofaTopologyEdit edit;
    const uint32_t id = 0;
    snprintf(text, sizeof text,
             ROOT("<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 "
                  "1 1 1' tetrahedra='0 1 2 3 1 2 3 4'/><TetrahedronSetTopologyModifier/>"
                  "<MechanicalObject name='state'/><CaribouTopology name='solid' "
                  "template='Tetrahedron' indices='@mesh.tetrahedra'/>%s"),
             rows[i].object);
    scene_run_open(&run, text, NULL);
    run.quiet = true;
    SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/mesh");
    assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
    assert_int_equal(sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_TETRA, &id, 1, 0),
                     SOFA_ERR_UNSUPPORTED);
    assert_int_equal(sofa_topology_edit_end(&edit, true), SOFA_OK);
    if (!strstr(run.all, rows[i].why)) fail_msg("%s, expected: %s", run.all, rows[i].why);
    assert_non_null(strstr(run.all, "the object in 'elements' keeps its elements"));
    scene_run_close(&run);
  }
}

/* Each request for memory may fail: a clean error. */
static void lack_of_memory(void **state) {
  (void)state;
  scene_runs_without_memory(
      "tetrahedra of 10 nodes with masses and a continuous pressure",
      ROOT("<QuadraticMesh name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
           "tetrahedra='0 1 2 3 1 2 3 4'/><EulerImplicitSolver/><SparseLDLSolver/>"
           "<MechanicalObject name='state' position='@mesh.nodes'/>"
           "<CaribouTopology name='solid' template='Tetrahedron10' indices='@mesh.tetrahedra10'/>"
           "<NeoHookeanMaterial/><HyperelasticForcefield topology='@solid' "
           "dilatation='continuous'/><LinearSmallStrainFEMForceField "
           "template='Vec3d,Tetrahedron10' elements='@solid' dilatation='continuous' "
           "poissonRatio='0.49'/>" MATRIX(
               "") "<FEMMass template='Vec3d,Tetrahedron10' elements='@solid' lumped='1'/>"),
      1, 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(masses_of_solids),
                                     cmocka_unit_test(masses_of_sheets), cmocka_unit_test(errors),
                                     cmocka_unit_test(changes_are_refused),
                                     cmocka_unit_test(lack_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
