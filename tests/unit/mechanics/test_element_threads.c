/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Force fields of surfaces, lines and springs on several threads: the bits of one thread, of meshes
 * that are large enough for threads. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "components/solidmechanics/fem/BeamFEMForceField.h"
#include "components/solidmechanics/fem/shell_fem.h"
#include "components/solidmechanics/fem/triangle_fem.h"
#include "components/solidmechanics/spring/SpringForceField.h"
#include "components/solidmechanics/spring/bending_springs.h"
#include "components/solidmechanics/spring/triangular_springs.h"

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

static void same_bits(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SofaReals one = {0}, several = {0};
    run(&cases[k], 1, &one);
    for (size_t i = 0; i < one.n; i++) assert_true(isfinite(one.data[i]));
    for (int threads = 2; threads < 4; threads++) {
      run(&cases[k], threads, &several);
      assert_int_equal(one.n, several.n);
      assert_memory_equal(one.data, several.data, one.n * sizeof *one.data);
    }
    free(one.data);
    free(several.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
