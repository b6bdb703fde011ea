/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Potential energies: which force fields have one, and the Hamiltonian made of them. That forces
 * are minus the gradients is checked by the suite of force fields. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#include "behavior/force_field.h"
#include "tests/support/gpl_parts.h"

static void every_class_has_an_energy(void **state) {
  (void)state;
  static const struct {
    const char *name, *why;
  } without[] = {
      {"AngularSpringForceField", "limits and the turn from the predecessor depend on the path"},
      {"ConicalForceField", "the laws of its cap and its side do not join"},
      {"EllipsoidForceField", "an estimate of the depth along the exact normal: it has a curl"},
      {"GearSpringForceField", "the angles of both frames are counted along the path"},
      {"InteractionEllipsoidForceField", "contacts push along the gradient at the surface alone"},
      {"JointSpringForceField", "torques turn with frames, angles are limited"},
      {"OscillatingTorsionPressureForceField", "a torque that turns with the surface"},
      {"TorsionForceField", "a torque about an axis has no potential of positions"},
  };
  const size_t n_without = sizeof without / sizeof *without;
  SofaContext *ctx = NULL;
  int wrong = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    const SofaForceFieldOps *ops = sofa_class_ops(klass, SOFA_FORCE_FIELD);
    bool listed = false;
    if (klass->abstract || !ops || sofa_class_ops(klass, SOFA_MASS)) continue;
    for (size_t k = 0; k < n_without; k++) listed |= strcmp(without[k].name, klass->name) == 0;
    if (listed != !ops->potential_energy) print_error("%s\n", klass->name), wrong++;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(wrong, 0);
}

static const char chain[] =
    "<Node name='root' dt='0.05' gravity='0 -10 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/>"
    "<VariationalSymplecticSolver name='solver' newtonError='1e-12' steps='50' %s/>"
    "<EigenSparseLU/><MeshTopology position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/>"
    "<MechanicalObject name='state'/><UniformMass vertexMass='1'/>"
    "<MeshSpringForceField stiffness='2000' damping='0'/>%s"
    "<FixedProjectiveConstraint indices='0'/></Node>";

static double hamiltonian(const char *fields, const char *field, const char *words, SceneRun *run) {
  char text[2000];
  snprintf(text, sizeof text, chain, fields, field);
  memset(run, 0, sizeof *run);
  run->quiet = true;
  scene_run_context(run, &(SofaContextOptions){.quirk_words = words});
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  scene_run_steps(run, 20);
  SofaObject *solver = scene_run_object(run, "/solver");
  const SofaField *h = sofa_class_field(solver->klass, "hamiltonianEnergy");
  assert_int_equal(sofa_field_refresh(solver, h), SOFA_OK);
  return *(const double *)sofa_field_value(solver, h);
}

static void hamiltonian_of_the_true_potential(void **state) {
  (void)state;
  SceneRun run;
  if (lacks_gpl_part(chain)) skip();
  const double h = hamiltonian("", "", NULL, &run);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
  const double asked = hamiltonian("useIncrementalPotentialEnergy='0'", "", NULL, &run);
  scene_run_close(&run);
  const double work = hamiltonian("useIncrementalPotentialEnergy='1'", "", NULL, &run);
  scene_run_close(&run);
  const double quirk = hamiltonian("", "", "variational-work", &run);
  scene_run_close(&run);
  assert_true(h == asked);
  assert_true(work == quirk);
  assert_true(fabs(h - work) > 1e-4); /* the scheme's own error shows in the true one only */
}

/* Without an energy of all: the work, and the message names the fields. */
static void fields_without_energy_are_named(void **state) {
  (void)state;
  static const char torsion[] =
      "<TorsionForceField name='twist' indices='2' torque='0.1' axis='0 1 0' origin='1 0 0'/>";
  SceneRun run;
  if (lacks_gpl_part(chain)) skip();
  const double work = hamiltonian("useIncrementalPotentialEnergy='1'", torsion, NULL, &run);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
  const double h = hamiltonian("computeHamiltonian='1'", torsion, NULL, &run);
  assert_int_equal(run.n_problems, 1);
  assert_non_null(strstr(run.last, "/twist"));
  assert_null(strstr(run.last, "MeshSpring"));
  assert_true(h == work);
  scene_run_close(&run);
  // nothing is said where nobody asked for it
  hamiltonian("", torsion, NULL, &run);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
  hamiltonian("useIncrementalPotentialEnergy='0'", torsion, NULL, &run);
  assert_int_equal(run.n_problems, 1);
  scene_run_close(&run);
  char path[] = "/tmp/csofa-energies-XXXXXX", written[100];
  close(mkstemp(path));
  unlink(path);
  snprintf(written, sizeof written, "saveEnergyInFile='1' file='%s'", path);
  hamiltonian(written, torsion, NULL, &run);
  assert_int_equal(run.n_problems, 1);
  scene_run_close(&run);
  unlink(path);
}

/* The rim of an open surface has no potential, nor have loads that follow triangles or edges. */
static void open_surfaces_have_none(void **state) {
  (void)state;
  static const struct {
    const char *triangles, *field;
    bool has;
  } rows[] = {
      {"0 2 1 0 1 3 1 2 3 0 3 2", "<SurfacePressureForceField name='f' pressure='7'/>", true},
      {"0 2 1 0 1 3 1 2 3", "<SurfacePressureForceField name='f' pressure='7'/>", false},
      {"0 2 1 0 1 3 1 2 3 0 3 2", "<TaitSurfacePressureForceField name='f' p0='1'/>", true},
      {"0 2 1 0 1 3 1 3 2 0 3 2", "<TaitSurfacePressureForceField name='f' p0='1'/>", false},
      {"0 2 1", "<TrianglePressureForceField name='f' triangleList='0' pressure='1 0 0'/>", true},
      {"0 2 1",
       "<TrianglePressureForceField name='f' triangleList='0' useConstantForce='0' "
       "cauchyStress='1 0 0 0 0 0 0 0 0'/>",
       false},
      {"0 2 1", "<EdgePressureForceField name='f' edgeIndices='0' pressure='1 0 0'/>", true},
      {"0 2 1", "<EdgePressureForceField name='f' edgeIndices='0' p_intensity='2'/>", false},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2' triangles='%s'/>"
             "<MechanicalObject/>%s</Node>",
             rows[k].triangles, rows[k].field);
    scene_run_open(&run, text, NULL);
    const SofaForceField *ff = (const SofaForceField *)scene_run_object(&run, "/f");
    if (sofa_force_field_has_energy(ff) != rows[k].has) fail_msg("%s", rows[k].field);
    scene_run_close(&run);
  }
}

/* Of an open surface: the cone from its edge, in the plane x = 0, to the mean of all points, some
 * of which are in no triangle, counts. */
static void volume_of_an_open_surface(void **state) {
  (void)state;
  for (int n = 5; n < 40; n++) {
    SceneRun run;
    char points[800] = "0 0 0 0 0 0 1 0 0 0 1 0 0 0 1", text[2000];
    double x = 1;
    for (int i = 5; i < n; i++) {
      snprintf(points + strlen(points), 30, " %d %d 0.5", i, -3 * i * i);
      x += i;
    }
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><MeshTopology position='%s' "
             "triangles='1 3 2 1 2 4 2 3 4'/><MechanicalObject position='%s'/>"
             "<TaitSurfacePressureForceField name='f' p0='1'/></Node>",
             points, points);
    scene_run_open(&run, text, NULL);
    const SofaObject *f = scene_run_object(&run, "/f");
    const double *volume = sofa_field_value(f, sofa_class_field(f->klass, "initialVolume"));
    const double expected = (1 - x / n) / 6;
    if (!(fabs(*volume - expected) < 1e-12)) fail_msg("%d points: %.17g", n, *volume);
    if (n == 5) assert_true(fabs(*volume - expected) < 1e-15);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volume_of_an_open_surface),
      cmocka_unit_test(every_class_has_an_energy),
      cmocka_unit_test(hamiltonian_of_the_true_potential),
      cmocka_unit_test(fields_without_energy_are_named),
      cmocka_unit_test(open_surfaces_have_none),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
