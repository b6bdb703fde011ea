/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Force fields of surfaces, lines, springs and solids on several threads: the bits of one thread,
 * of meshes that are large enough for threads. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "change/topology_change.h"
#include "components/solidmechanics/fem/BeamFEMForceField.h"
#include "components/solidmechanics/fem/HexahedronFEMForceField.h"
#include "components/solidmechanics/fem/TetrahedronFEMForceField.h"
#include "components/solidmechanics/fem/shell_fem.h"
#include "components/solidmechanics/fem/triangle_fem.h"
#include "components/solidmechanics/hyperelastic/hyperelastic.h"
#include "components/solidmechanics/spring/SpringForceField.h"
#include "components/solidmechanics/spring/bending_springs.h"
#include "components/solidmechanics/spring/triangular_springs.h"
#include "math/kernels.h"
#include "tests/unit/base/failing_allocator.h"

#define HEAD                                                                                       \
  "<Node name='root' dt='0.01' gravity='0 -9.81 1'><DefaultAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/><EulerImplicitSolver rayleighStiffness='0.02'/>"                     \
  "<CGLinearSolver iterations='3' tolerance='1e-9' threshold='1e-30'/>"
#define SHEET(kind)                                                                                \
  "<RegularGridTopology name='grid' n='65 65 1' min='0 0 0' max='1 1 0'/>"                         \
  "<MechanicalObject name='state' template='" kind "'/><UniformMass totalMass='1'/>"               \
  "<FixedProjectiveConstraint indices='0 64'/>"
#define TRIANGLES(force_field)                                                                     \
  "<Node name='t'><TriangleSetTopologyContainer name='t'/><TriangleSetTopologyModifier/>"          \
  "<Quad2TriangleTopologicalMapping input='@../grid' output='@t'/>" force_field "</Node>"
#define TAIL "</Node>"
/* more than a register has */
#define SPRINGS(of)                                                                                \
  SPRING("0 1 ", of)                                                                               \
  SPRING("1 2 ", of)                                                                               \
  SPRING("2 3 ", of)                                                                               \
  SPRING("5 4 ", of)                                                                               \
  SPRING("4 1 ", of)                                                                               \
  SPRING("6 7 ", of) SPRING("7 8 ", of) SPRING("8 9 ", of) SPRING("9 6 ", of) SPRING("1 2 ", of)
#define SPRING(ends, of) "BEGIN_SPRING " ends of " END_SPRING "
#define GEARS                                                                                      \
  SPRINGS("1 3 AXIS 0 2 KS_T 1 KS_R 0.2 0.5 KD 0.1 RATIO 2")                                       \
  SPRINGS("3 3 AXIS 1 0 KS_T 1 KS_R 0.2 0.5 KD 0.1 RATIO -0.5")

typedef struct Case {
  const char *scene, *path; /* of the force field */
  size_t sums_at;           /* in the force field; 0: its struct is not public */
} Case;

static const Case cases[] = {
    {HEAD SHEET("Vec3d") "<MeshSpringForceField name='ff' linesStiffness='100' linesDamping='0.1' "
                         "quadsStiffness='50'/>" TAIL,
     "/ff", offsetof(SpringForceField, sums)},
    {HEAD SHEET("Vec3d")
         TRIANGLES("<TriangularBendingSprings name='ff' stiffness='100' damping='0.1'/>") TAIL,
     "/t/ff", offsetof(BendingSprings, sums)},
    {HEAD SHEET("Vec3d") "<VectorSpringForceField name='ff' stiffness='100' useTopology='1'/>" TAIL,
     "/ff", 0},
    {HEAD SHEET("Vec3d") TRIANGLES("<FastTriangularBendingSprings name='ff' "
                                   "bendingStiffness='0.1'/>") TAIL,
     "/t/ff", 0},
    {HEAD SHEET("Vec3d") TRIANGLES("<TriangularFEMForceField name='ff' youngModulus='200' "
                                   "poissonRatio='0.3'/>") TAIL,
     "/t/ff", offsetof(SofaTriangleFem, batch.sums)},
    {HEAD SHEET("Vec3d") TRIANGLES("<TriangularFEMForceFieldOptim name='ff' youngModulus='200' "
                                   "poissonRatio='0.3'/>") TAIL,
     "/t/ff", offsetof(SofaTriangleFem, batch.sums)},
    {HEAD SHEET("Vec3d") TRIANGLES("<TriangularBiquadraticSpringsForceField name='ff' "
                                   "youngModulus='200' poissonRatio='0.3'/>") TAIL,
     "/t/ff", offsetof(SofaTriangularSprings, sums)},
    {HEAD SHEET("Vec3d") TRIANGLES("<TriangularQuadraticSpringsForceField name='ff' "
                                   "youngModulus='200' poissonRatio='0.3' dampingRatio='0.01'/>")
         TAIL,
     "/t/ff", offsetof(SofaTriangularSprings, sums)},
    {HEAD SHEET("Vec3d") TRIANGLES("<LinearSmallStrainFEMForceField name='ff' "
                                   "template='Vec3d,Triangle' youngModulus='200' "
                                   "poissonRatio='0.3'/>") TAIL,
     "/t/ff", 0},
    {HEAD SHEET("Vec3d") TRIANGLES("<SurfacePressureForceField name='ff' pressure='7'/>") TAIL,
     "/t/ff", 0},
    {HEAD SHEET("Rigid3d") TRIANGLES("<ShellTriangleFEMForceField name='ff' youngModulus='1e4' "
                                     "poissonRatio='0.3' thickness='0.01'/>") TAIL,
     "/t/ff", offsetof(SofaShellFem, sums)},
    {HEAD SHEET("Rigid3d") "<ShellQuadFEMForceField name='ff' youngModulus='1e4' "
                           "poissonRatio='0.3' thickness='0.01'/>" TAIL,
     "/ff", offsetof(SofaShellFem, sums)},
    {HEAD SHEET("Rigid3d") "<BeamFEMForceField name='ff' youngModulus='1e4' poissonRatio='0.3' "
                           "radius='0.01'/>" TAIL,
     "/ff", offsetof(BeamFEMForceField, sums)},
    {HEAD SHEET("Rigid3d") "<GeometricallyExactBeamForceField name='ff' youngModulus='1e4' "
                           "poissonRatio='0.3' radius='0.01'/>" TAIL,
     "/ff", offsetof(BeamFEMForceField, sums)},
    {HEAD SHEET("Rigid3d") "<JointSpringForceField name='ff' spring='" SPRINGS(
         "KS_T 0.03 1 KS_R 0.02 0.5 KD 0.1 R_LIM_X -0.1 0.1") "'/>" TAIL,
     "/ff", 0},
    {HEAD SHEET("Rigid3d") "<FrameSpringForceField name='ff' spring='" SPRINGS(
         "KS_T 1 KS_R 0.5 KD 0.1 VEC1 0.1 0 0 VEC2 -0.1 0 0.2") "'/>" TAIL,
     "/ff", 0},
    {HEAD SHEET("Rigid3d") "<GearSpringForceField name='ff' spring='" GEARS "'/>" TAIL, "/ff", 0},
    {HEAD SHEET("Rigid3d") "<AngularSpringForceField name='ff' angularStiffness='0.2' "
                           "indices='3 1 2 3 4 5 6 7 8 9 10 11'/>" TAIL,
     "/ff", 0},
};

/* Fewer products than the matrix is worth: those of the elements. */
#define BLOCK                                                                                      \
  "<RegularGridTopology name='grid' n='7 7 13' min='0 0 0' max='1 1 2'/>"                          \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"                                   \
  "<FixedProjectiveConstraint indices='0 6 48'/>"

/* Rows of more hexahedra than a register has lanes. */
#define ROWS                                                                                       \
  "<RegularGridTopology name='grid' n='20 6 5' min='0 0 0' max='3 1 1'/>"                          \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"                                   \
  "<FixedProjectiveConstraint indices='0 20 40'/>"

/* The same along another axis; hexahedra of equal stiffness lie side by side. */
#define SPARSE_ROWS                                                                                \
  "<SparseGridTopology n='7 7 21' nbVirtualFinerLevels='1' position='0 0 0 1 0 0 1 1 0 0 1 0 "     \
  "0 0 3 1 0 3 1 1 3 0 1 3' quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/>"             \
  "<MechanicalObject name='state'/><FixedProjectiveConstraint indices='0 20 40'/>"

static const Case rows[] = {
    {HEAD SPARSE_ROWS "<NonUniformHexahedronFEMForceFieldAndMass name='ff' youngModulus='300' "
                      "poissonRatio='0.4' nbVirtualFinerLevels='1'/>" TAIL,
     "/ff", offsetof(HexahedronFEMForceField, batch.sums)},
    {HEAD ROWS "<HexahedronFEMForceField name='ff' method='large' youngModulus='300' "
               "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(HexahedronFEMForceField, batch.sums)},
    {HEAD ROWS "<HexahedronFEMForceField name='ff' method='small' youngModulus='300' "
               "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(HexahedronFEMForceField, batch.sums)},
    {HEAD ROWS "<HexahedronFEMForceField name='ff' method='polar' youngModulus='300' "
               "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(HexahedronFEMForceField, batch.sums)},
};

static const Case solids[] = {
    {HEAD BLOCK "<TetrahedronFEMForceField name='ff' method='large' youngModulus='300' "
                "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(TetrahedronFEMForceField, tetra.batch.sums)},
    {HEAD BLOCK "<TetrahedronFEMForceField name='ff' method='small' youngModulus='300' "
                "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(TetrahedronFEMForceField, tetra.batch.sums)},
    {HEAD BLOCK "<HexahedronFEMForceField name='ff' method='large' youngModulus='300' "
                "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(HexahedronFEMForceField, batch.sums)},
    {HEAD BLOCK "<HexahedronFEMForceField name='ff' method='small' youngModulus='300' "
                "poissonRatio='0.4'/>" TAIL,
     "/ff", offsetof(HexahedronFEMForceField, batch.sums)},
    {HEAD BLOCK "<Node name='t'><TetrahedronSetTopologyContainer name='t'/>"
                "<TetrahedronSetTopologyModifier/>"
                "<Hexa2TetraTopologicalMapping input='@../grid' output='@t'/>"
                "<TetrahedronHyperelasticityFEMForceField name='ff' materialName='NeoHookean' "
                "ParameterSet='100 300'/></Node>" TAIL,
     "/t/ff", offsetof(SofaHyperelastic, sums)},
    {HEAD BLOCK "<Node name='t'><TetrahedronSetTopologyContainer name='t'/>"
                "<TetrahedronSetTopologyModifier/>"
                "<Hexa2TetraTopologicalMapping input='@../grid' output='@t'/>"
                "<TetrahedronHyperelasticityFEMForceField name='ff' materialName='ArrudaBoyce' "
                "ParameterSet='100 300'/></Node>" TAIL,
     "/t/ff", offsetof(SofaHyperelastic, sums)},
};

static void run(const Case *c, int threads, SofaReals *x) {
  const SofaContextOptions options = {.threads = threads};
  SceneRun run = {.quiet = true}; // few iterations do not converge
  scene_run_open(&run, c->scene, &options);
  const char *ff = (const char *)scene_run_object(&run, c->path);
  const SofaElementSums *sums = (const void *)(ff + c->sums_at);
  if (c->sums_at) assert_true((sums->parts != NULL) == (threads > 1));
  scene_run_steps(&run, 2);
  const SofaCoords *p = &scene_run_state(&run, "/state")->position;
  x->n = p->n * p->width;
  x->data = realloc(x->data, x->n * sizeof *x->data);
  assert_non_null(x->data);
  memcpy(x->data, p->data, x->n * sizeof *x->data);
  scene_run_close(&run);
}

static void check_bits(const Case *c) {
  SofaReals one = {0}, several = {0};
  run(c, 1, &one);
  for (size_t i = 0; i < one.n; i++) assert_true(isfinite(one.data[i]));
  for (int threads = 2; threads < 5; threads++) {
    run(c, threads, &several);
    assert_int_equal(one.n, several.n);
    assert_memory_equal(one.data, several.data, one.n * sizeof *one.data);
  }
  free(one.data);
  free(several.data);
}

static void same_bits(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_bits(&cases[k]);
}

static void same_bits_of_solids(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof solids / sizeof *solids; k++) check_bits(&solids[k]);
}

/* Half of the groups are runs. */
static void check_runs(const Case *c) {
  SceneRun run = {.quiet = true};
  size_t n = 0;
  scene_run_open(&run, c->scene, NULL);
  const SofaElementBatch *b =
      &((const HexahedronFEMForceField *)scene_run_object(&run, c->path))->batch;
  for (size_t g = 0; g < b->n_groups; g++) n += b->run[g] > 0;
  assert_true(2 * n >= b->n_groups && n < b->n_groups);
  scene_run_close(&run);
}

/* Lanes of rows have their points one behind the other. */
static void same_bits_of_rows(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    check_runs(&rows[k]);
    check_bits(&rows[k]);
  }
}

/* ---- matrices ---- */

/* The matrix of a force field, as it is replayed, and its product with dx beside the force field's
 * own. */
typedef struct Assembly {
  SceneRun run;
  FailingAllocator allocator; /* that never fails: many scenes are opened, and fences take long */
  SofaForceField *ff;
  SofaBlockMatrix *matrix;
  SofaBlockRows rows;
  size_t n; /* reals of a vector */
  double *dx, *product, *own;
} Assembly;

static void add_matrix(Assembly *a, const SofaMechParams *params, const SofaPoint *at) {
  const SofaTangentPair pairs[4] = {
      {a->matrix, 0, 0}, {a->matrix, 0, 0}, {a->matrix, 0, 0}, {a->matrix, 0, 0}};
  const SofaTangent tangent = {
      .pairs = pairs, .n = a->ff->n_states, .factor = sofa_kfactor(a->ff, params)};
  sofa_block_matrix_begin(a->matrix);
  assert_int_equal(sofa_force_field_add_k(a->ff, params, at, &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(a->matrix), SOFA_OK);
}

static void assemble(Assembly *a) {
  SofaState *state = a->ff->state[0];
  const unsigned deriv = sofa_state_kind_info(state->object.kind)->deriv;
  const size_t n_points = sofa_state_size(state);
  const double *const x[2] = {state->position.data, state->position.data};
  const double *const v[2] = {state->velocity.data, state->velocity.data};
  const SofaPoint at = {.x = x, .v = v, .n = a->ff->n_states, .id = 1};
  const SofaMechParams params = sofa_mech_params(0.01, 0, 1, 0, -1e-4);
  uint8_t *sizes = malloc(n_points);
  assert_non_null(sizes);
  memset(sizes, (int)deriv, n_points);
  assert_int_equal(
      sofa_block_matrix_create(a->run.ctx, n_points, sizes, n_points, sizes, &a->matrix), SOFA_OK);
  free(sizes);
  a->n = deriv * n_points;
  a->dx = calloc(a->n + 1, sizeof *a->dx);
  a->product = calloc(a->n + 1, sizeof *a->product);
  a->own = calloc(a->n + 1, sizeof *a->own);
  assert_true(a->dx && a->product && a->own);
  for (size_t k = 0; k < a->n; k++) a->dx[k] = sin(1.7 * (double)k);
  // the force at this point, of which derivatives keep parts, is not looked at
  double *const f[2] = {a->own, a->own};
  assert_int_equal(sofa_force_field_add_force(a->ff, &params, &at, f), SOFA_OK);
  memset(a->own, 0, a->n * sizeof *a->own);
  for (int k = 0; k < 3; k++) add_matrix(a, &params, &at); // the last one follows the record
  sofa_block_matrix_multiply(a->matrix, a->dx, a->product, 1);
  const double *const dx[2] = {a->dx, a->dx};
  assert_int_equal(sofa_force_field_add_dforce(a->ff, &params, &at, dx, f), SOFA_OK);
  sofa_block_matrix_rows(a->matrix, &a->rows);
}

static void remove_triangles(SceneRun *run) {
  const uint32_t ids[] = {2, 3, 700, 701, 4090};
  SofaTopologyEdit edit;
  SofaTopology *mesh = (SofaTopology *)scene_run_object(run, "/t/t");
  assert_int_equal(sofa_topology_edit_begin(run->simulation->root, &edit), SOFA_OK);
  assert_int_equal(sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_TRIANGLE, ids,
                                        sizeof ids / sizeof *ids, SOFA_REMOVE_SUBS),
                   SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
}

static void open_assembly(const Case *c, SofaContextOptions options, bool removed, Assembly *a) {
  *a = (Assembly){.run = {.quiet = true}};
  options.allocate = failing_allocate;
  options.allocate_user = &a->allocator;
  scene_run_open(&a->run, c->scene, &options);
  a->ff = (SofaForceField *)scene_run_object(&a->run, c->path);
  scene_run_steps(&a->run, 1);
  if (removed) {
    assemble(a); // the lists of before do not stay
    sofa_block_matrix_destroy(&a->matrix);
    free(a->dx);
    free(a->product);
    free(a->own);
    remove_triangles(&a->run);
    scene_run_steps(&a->run, 1);
  }
  assemble(a);
}

static void close_assembly(Assembly *a) {
  sofa_block_matrix_destroy(&a->matrix);
  free(a->dx);
  free(a->product);
  free(a->own);
  scene_run_close(&a->run);
  assert_int_equal(a->allocator.live, 0);
}

static void check_product(const Assembly *a) {
  double most = 0;
  for (size_t k = 0; k < a->n; k++) most = fmax(most, fabs(a->own[k]));
  assert_true(most > 0);
  for (size_t k = 0; k < a->n; k++)
    if (!(fabs(a->product[k] - a->own[k]) <= 1e-13 * most))
      fail_msg("%s, real %zu: %.17g, not %.17g", a->ff->object.klass->name, k, a->product[k],
               a->own[k]);
}

static void same_values(const SofaBlockRows *a, const SofaBlockRows *b) {
  const size_t n = a->n_rows, n_blocks = a->start[n], size = (size_t)a->uniform * a->uniform;
  assert_true(size > 0);
  assert_memory_equal(a->start, b->start, (n + 1) * sizeof *a->start);
  assert_memory_equal(a->column, b->column, n_blocks * sizeof *a->column);
  assert_memory_equal(a->values, b->values, size * n_blocks * sizeof *a->values);
}

static void check_matrices(const Case *c, bool removed) {
  Assembly one, several;
  open_assembly(c, (SofaContextOptions){.threads = 1}, removed, &one);
  check_product(&one);
  for (int threads = 2; threads < 4; threads++) {
    open_assembly(c, (SofaContextOptions){.threads = threads}, removed, &several);
    same_values(&one.rows, &several.rows);
    close_assembly(&several);
  }
  close_assembly(&one);
}

/* The products of the force field; AVX2 and AVX-512 give the same bits. */
static void check_each_isa(const Case *c) {
  static const char *const names[] = {"avx512", "avx2", "baseline"};
  Assembly of[3];
  for (int i = 0; i < 3; i++) {
    if (!sofa_kernels_select(names[i])) continue;
    open_assembly(c, (SofaContextOptions){.isa = names[i]}, true, &of[i]);
    check_product(&of[i]);
    if (i == 1 && sofa_kernels_select(names[0])) same_values(&of[0].rows, &of[1].rows);
  }
  for (int i = 0; i < 3; i++)
    if (sofa_kernels_select(names[i])) close_assembly(&of[i]);
}

/* The same bits on any number of threads, and the products of the force field. Fields of sets of
 * triangles are below. */
static void same_matrices(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (!strstr(cases[k].scene, "TriangleSetTopologyModifier")) check_matrices(&cases[k], false);
}

static void same_matrices_of_rows(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) check_matrices(&rows[k], false);
}

static void same_matrices_after_removal(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (strstr(cases[k].scene, "TriangleSetTopologyModifier")) check_matrices(&cases[k], true);
}

/* The number of triangles is no multiple of the lanes of a register. */
static void matrices_of_each_isa(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (strstr(cases[k].scene, "TriangleSetTopologyModifier")) check_each_isa(&cases[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits),           cmocka_unit_test(same_bits_of_solids),
      cmocka_unit_test(same_bits_of_rows),   cmocka_unit_test(same_matrices_of_rows),
      cmocka_unit_test(same_matrices),       cmocka_unit_test(same_matrices_after_removal),
      cmocka_unit_test(matrices_of_each_isa)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
