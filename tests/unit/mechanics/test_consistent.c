/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corotational elements with the exact derivative of their rotation, `consistent`: no torque,
 * energy over long times, Newton's convergence; and polar factors of the deformation, not of edges.
 * The suite of force fields compares force, tangent and energy by differences. */
#include "tests/support/force_at.h"
#include "tests/support/quirk_cases.h"

#include "math/vec.h"
#include "simulation/convergence.h"

#define HEXAS "<RegularGridTopology name='grid' n='%d 3 3' min='0 0 0' max='%g 0.8 1.2'/>"
#define MATERIAL " name='ff' youngModulus='5000' poissonRatio='0.3' "

#define MAPPED_TETRAS                                                                              \
  "<Node name='tetras'><TetrahedronSetTopologyContainer name='t'/>"                                \
  "<TetrahedronSetTopologyModifier/>"                                                              \
  "<Hexa2TetraTopologicalMapping input='@../grid' output='@t'/>"

/* How each class is written, with what makes it consistent; tetrahedra are six per cell. */
static const struct {
  const char *before, *klass, *after, *how;
} classes[] = {
    {"", "TetrahedronFEMForceField", "", "method='polar'"},
    {"", "TetrahedronFEMForceField", "", "method='svd'"},
    {"", "ParallelTetrahedronFEMForceField", "", "method='polar'"},
    {MAPPED_TETRAS, "TetrahedralCorotationalFEMForceField", "</Node>", "method='polar'"},
    {MAPPED_TETRAS, "FastTetrahedralCorotationalForceField", "</Node>", "method='polar'"},
    {"", "HexahedronFEMForceField", "", "method='polar'"},
    {"", "ParallelHexahedronFEMForceField", "", "method='polar'"},
    {"", "HexahedronFEMForceFieldAndMass", "", "method='polar'"},
    {"", "HexahedralFEMForceField", "", "method='polar'"},
    {"", "HexahedralFEMForceFieldAndMass", "", "method='polar'"},
    {"", "CorotationalFEMForceField", "", "template='Vec3d,Hexahedron'"},
    {MAPPED_TETRAS, "CorotationalFEMForceField", "</Node>", "template='Vec3d,Tetrahedron'"},
};

static double noise(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* ---- torque ---- */

/* |sum x times f| over sum |x| |f| at random displacements of about 10 % strain. */
static double torque_of(size_t c, const char *how) {
  char text[2000];
  SceneRun run;
  double total[3] = {0}, size = 0;
  snprintf(text, sizeof text,
           "<Node gravity='0 0 0'><DefaultAnimationLoop/>" HEXAS
           "<MechanicalObject name='state'/>%s<%s" MATERIAL "%s/>%s</Node>",
           5, 2., classes[c].before, classes[c].klass, how, classes[c].after);
  scene_run_open(&run, text, NULL);
  SofaForceField *ff =
      (SofaForceField *)scene_run_object(&run, *classes[c].before ? "/tetras/ff" : "/ff");
  const SofaState *state = ff->state[0];
  const size_t n = 3 * sofa_state_size(state);
  double *x = calloc(n, sizeof *x), *v = calloc(n, sizeof *v), *f = calloc(n, sizeof *f);
  uint32_t seed = 1;
  for (size_t i = 0; i < n; i++) x[i] = state->position.data[i] + 0.05 * noise(&seed);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
  for (size_t i = 0; i < n; i += 3) {
    double of[3];
    sofa_vec3_cross(x + i, f + i, of);
    sofa_vec3_add(total, of, total);
    size += sofa_vec3_norm(x + i) * sofa_vec3_norm(f + i);
  }
  free(x);
  free(v);
  free(f);
  scene_run_close(&run);
  return sofa_vec3_norm(total) / size;
}

static void there_is_no_torque(void **state) {
  (void)state;
  char how[100];
  for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
    snprintf(how, sizeof how, "%s consistent='1'", classes[c].how);
    const double torque = torque_of(c, how);
    if (!(torque < 1e-14)) fail_msg("%s %s: torque %g", classes[c].klass, how, torque);
  }
  /* others have one: of tetrahedra those with frames of edges */
  assert_true(torque_of(0, "method='large'") > 1e-4);
  assert_true(torque_of(5, "method='large'") > 1e-4);
  assert_true(torque_of(5, "method='polar'") > 1e-4);
}

/* ---- energy ---- */

/* Largest change of the energy, relative to what is exchanged, of a free body that swings. */
static double drift_of(size_t c, double h) {
  char text[2500];
  SceneRun run;
  double first = 0, change = 0, least = INFINITY;
  snprintf(text, sizeof text,
           "<Node dt='%g' gravity='0 0 0'><DefaultAnimationLoop/>"
           "<VariationalSymplecticSolver name='solver' explicitIntegration='1' "
           "computeHamiltonian='1' useIncrementalPotentialEnergy='0'/>" HEXAS
           "<MechanicalObject name='state'/><UniformMass vertexMass='1'/>%s<%s" MATERIAL
           "%s consistent='1'/>%s</Node>",
           h, 4, 1.8, classes[c].before, classes[c].klass, classes[c].how, classes[c].after);
  scene_run_open(&run, text, NULL);
  const SofaState *state = scene_run_state(&run, "/state");
  SofaForceField *ff =
      (SofaForceField *)scene_run_object(&run, *classes[c].before ? "/tetras/ff" : "/ff");
  const SofaMechParams p = sofa_mech_params(h, 0, 0, 0, 1);
  const size_t n = 3 * sofa_state_size(state);
  for (size_t i = 0; i < n; i += 3) {
    // a bend and a turn
    const double *x = state->position.data + i;
    state->velocity.data[i] = -2 * x[1];
    state->velocity.data[i + 1] = 2 * x[0] + 6 * (x[0] - 0.9) * (x[0] - 0.9) * (1 + x[2]);
  }
  for (int k = 0; k < (int)(2 / h); k++) {
    double potential = 0;
    scene_run_steps(&run, 1);
    // the plan of the first step has moved the vectors
    const double *at[] = {state->position.data}, *v[] = {state->velocity.data};
    SofaPoint point = {.x = at, .v = v, .n = 1, .id = sofa_point_id(run.ctx)};
    assert_int_equal(sofa_force_field_potential_energy(ff, &p, &point, &potential), SOFA_OK);
    const double energy = quirk_number(scene_run_object(&run, "/solver"), "hamiltonianEnergy", 0);
    if (k == 0) first = energy;
    change = fmax(change, fabs(energy - first));
    least = fmin(least, first - potential);
  }
  scene_run_close(&run);
  return change / (first - least);
}

/* The scheme keeps the energy of a conservative force up to a term that falls with the step. */
static void energy_is_kept(void **state) {
  (void)state;
  static const size_t of[] = {0, 3, 5, 8};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const double coarse = drift_of(of[i], 0.004), fine = drift_of(of[i], 0.002);
    // of first order in the step, and nothing is left at a step of 0
    if (!(fine < 0.05 && coarse / fine > 1.8 && fabs(2 * fine - coarse) < 0.1 * fine))
      fail_msg("%s: %g and %g", classes[of[i]].klass, coarse, fine);
  }
}

/* ---- Newton ---- */

typedef struct Norms {
  double residual[40];
  size_t n;
} Norms;

static void note(void *user, const SofaConvergenceRow *row) {
  Norms *norms = user;
  if (row->kind == SOFA_CONVERGENCE_NEWTON && norms->n < 40)
    norms->residual[norms->n++] = row->residual;
}

/* Residuals of a cantilever of 8 m bent by a load at its end through more than a radian. */
static void bend(size_t c, const char *how, Norms *norms) {
  char text[2500];
  SceneRun run;
  const SofaConvergence observer = {.row = note, .user = norms};
  snprintf(text, sizeof text,
           "<Node gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver/><NewtonRaphsonSolver "
           "maxNbIterationsNewton='30' absoluteResidualStoppingThreshold='1e-9' "
           "relativeInitialStoppingThreshold='0' relativeSuccessiveStoppingThreshold='0'/>"
           "<SparseLDLSolver/>" HEXAS "<MechanicalObject name='state'/>%s<%s" MATERIAL
           "%s/>%s<BoxROI name='wall' box='-1 -1 -1 0.1 2 2'/><BoxROI name='tip' "
           "box='7.9 -1 -1 9 2 2'/><FixedProjectiveConstraint indices='@wall.indices'/>"
           "<ConstantForceField indices='@tip.indices' totalForce='0 0 3'/></Node>",
           17, 8., classes[c].before, classes[c].klass, how, classes[c].after);
  norms->n = 0;
  scene_run_open(&run, text, NULL);
  run.quiet = true;
  for (int k = 0; k < 2; k++) {
    // the second step begins near the end of the first, moved a little
    if (k) {
      SofaState *s = scene_run_state(&run, "/state");
      uint32_t seed = 2;
      for (size_t i = 0; i < 3 * sofa_state_size(s); i++)
        if (s->rest_position.data[i - i % 3] > 0.1) s->position.data[i] += 0.01 * noise(&seed);
      sofa_convergence_observe(run.ctx, &observer);
    }
    scene_run_steps(&run, 1);
  }
  scene_run_close(&run);
}

static void newton_is_quadratic(void **state) {
  (void)state;
  char how[100];
  for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
    Norms norms;
    snprintf(how, sizeof how, "%s consistent='1'", classes[c].how);
    bend(c, how, &norms);
    const double *r = norms.residual;
    const size_t last = norms.n - 1;
    if (!(norms.n <= 9 && r[last] < 1e-9 && r[last - 1] / r[last - 2] < 1e-2))
      fail_msg("%s %s: %zu iterations, %g %g %g", classes[c].klass, how, last, r[last - 2],
               r[last - 1], r[last]);
  }
  Norms without;
  bend(5, "method='polar'", &without);
  assert_true(without.n > 9);
}

/* ---- refusals ---- */

static void refuse(const char *force_field, const char *expected) {
  char text[2000];
  SceneRun run = {.quiet = true};
  snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/>" HEXAS "<MechanicalObject/>%s</Node>",
           3, 1., force_field);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_true(sofa_simulation_init(run.simulation) != SOFA_OK);
  if (!strstr(run.all, expected)) fail_msg("%s: %s", force_field, run.all);
  scene_run_close(&run);
}

static void frames_of_edges_are_refused(void **state) {
  (void)state;
  const char *const edges = "needs a frame from the deformation gradient";
  char text[300];
  static const char *const wrong[] = {"large", "qr", "polar2"};
  for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
    const bool fast = strncmp(classes[c].klass, "Fast", 4) == 0;
    if (strncmp(classes[c].klass, "Coro", 4) == 0) continue;
    for (size_t i = fast ? 1 : 0; i < (fast ? 3 : 1); i++) {
      snprintf(text, sizeof text, "%s<%s" MATERIAL "method='%s' consistent='1'/>%s",
               classes[c].before, classes[c].klass, wrong[i], classes[c].after);
      refuse(text, edges);
    }
  }
  refuse("<TetrahedronFEMForceField" MATERIAL "consistent='1'/>", edges);
  refuse("<CorotationalFEMForceField template='Vec3d,Hexahedron'" MATERIAL
         "rotationMethod='hexahedron' consistent='1'/>",
         edges);
  refuse("<CorotationalFEMForceField template='Vec3d,Edge'" MATERIAL "consistent='1'/>",
         "two or three dimensions in space");
  refuse("<HexahedronFEMForceField" MATERIAL
         "method='polar' consistent='1' updateStiffnessMatrix='1'/>",
         "no elastic energy with updateStiffnessMatrix");
  refuse("<TetrahedronFEMForceField" MATERIAL
         "method='polar' consistent='1' updateStiffnessMatrix='1'/>",
         "no elastic energy with updateStiffnessMatrix");
  refuse("<TetrahedronFEMForceField" MATERIAL
         "method='svd' consistent='1' plasticMaxThreshold='1'/>",
         "no elastic energy with plasticity");
}

/* ---- polar factors ---- */

/* Velocity of node 1 after a step of an element of unequal edges in a symmetric deformation: its
 * frame does not turn, and the force is that of small strains. */
#define STRETCHED_HEXA                                                                             \
  "<MeshTopology name='t' hexahedra='0 1 2 3 4 5 6 7' position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 1 "    \
  "2 0 1 2 1 1 0 1 1'/><MechanicalObject name='state' rest_position='@t.position' "                \
  "position='0 0 0 2 0.6 0 2.3 1.6 0 0.3 1 0 0 0 1 2 0.6 1 2.3 1.6 1 0.3 1 1'/>"
#define STRETCHED_TETRA                                                                            \
  "<MeshTopology name='t' tetrahedra='0 1 2 3' position='0 0 0 2 0 0 0 1 0 0 0 1'/>"               \
  "<MechanicalObject name='state' rest_position='@t.position' position='0 0 0 2 0.6 0 0.3 1 0 "    \
  "0 0 1'/>"

static double first_velocity(const char *body, const char *klass, const char *method,
                             const char *words) {
  char text[1500];
  const QuirkCase c = {.word = "polar-edges",
                       .scene = text,
                       .steps = 1,
                       .object = "/state",
                       .field = "velocity",
                       .index = 3};
  snprintf(text, sizeof text,
           QUIRK_SCENE("0", "<EulerExplicitSolver/>%s<UniformMass vertexMass='1'/>"
                            "<%s youngModulus='100' poissonRatio='0' method='%s'/>"),
           body, klass, method);
  return quirk_run(&c, words);
}

static void polar_factor_of_the_deformation(void **state) {
  (void)state;
  static const struct {
    const char *body, *klass, *method, *small;
  } of[] = {
      {STRETCHED_TETRA, "TetrahedronFEMForceField", "polar", "TetrahedronFEMForceField"},
      {STRETCHED_TETRA, "TetrahedronFEMForceField", "svd", "TetrahedronFEMForceField"},
      {STRETCHED_TETRA, "TetrahedralCorotationalFEMForceField", "polar",
       "TetrahedronFEMForceField"},
      {STRETCHED_HEXA, "HexahedronFEMForceField", "polar", "HexahedronFEMForceField"},
      {STRETCHED_HEXA, "HexahedralFEMForceField", "polar", "HexahedronFEMForceField"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const double small = first_velocity(of[i].body, of[i].small, "small", NULL);
    const double without = first_velocity(of[i].body, of[i].klass, of[i].method, NULL);
    const double with = first_velocity(of[i].body, of[i].klass, of[i].method, "polar-edges");
    if (!(fabs(without - small) < 1e-12 && fabs(with - small) > 1e-3))
      fail_msg("%s %s: %g, %g without, %g with the quirk", of[i].klass, of[i].method, small,
               without, with);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_is_no_torque),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(newton_is_quadratic),
      cmocka_unit_test(frames_of_edges_are_refused),
      cmocka_unit_test(polar_factor_of_the_deformation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
