/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a variational integrator keeps: momenta, the energy over long times, the direction of time;
 * and the file of energies. */
#include "tests/unit/simulation/integrators.h"

#include <unistd.h>

/* A free elastic body: 27 points, mass 0.5 kg each, that turns and stretches. */
static const char body_scene[] =
    "<Node name='root' dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>" VARIATIONAL
    "<RegularGridTopology name='grid' n='3 3 3' min='-1 -1 -1' max='1 1 1'/>"
    "<MechanicalObject name='state'/><UniformMass vertexMass='0.5'/>%s</Node></Node>";
enum { POINTS = 27 };
static const double mass = 0.5;

static const char *const elastic[] = {
    "<MeshSpringForceField stiffness='200' damping='0'/>",
    "<MeshTopology name='t' position='@grid.position' tetrahedra='0 1 4 13 0 3 4 13 13 14 17 26 9 "
    "10 13 22 3 4 7 16 4 5 8 17 10 11 14 23 12 13 16 25'/>"
    "<TetrahedronHyperelasticityFEMForceField topology='@t' materialName='NeoHookean' "
    "ParameterSet='60 90'/>",
};

typedef struct Body {
  SceneRun run;
  const SofaState *state;
  double
      p[3 * POINTS]; /* momenta: M v = p + h/2 f and p_new = M v + h/2 f give p_new = 2 M v - p */
} Body;

static void open_body(Body *b, double h, const char *forces) {
  char text[3000];
  snprintf(text, sizeof text, body_scene, h, forces);
  scene_run_open(&b->run, text, NULL);
  b->state = scene_run_state(&b->run, "/body/state");
  assert_int_equal(b->state->position.n, POINTS);
}

/* A turn about an oblique axis, a flight and a stretch. */
static void push(Body *b) {
  static const double omega[3] = {0.3, 0.8, -0.5}, flight[3] = {0.2, -0.1, 0.4};
  for (int i = 0; i < POINTS; i++) {
    const double *x = b->state->position.data + 3 * i;
    for (int k = 0; k < 3; k++) {
      const int l = (k + 1) % 3, n = (k + 2) % 3;
      const double v = omega[l] * x[n] - omega[n] * x[l] + flight[k] + 0.3 * (k + 1) * x[k] * x[l];
      b->state->velocity.data[3 * i + k] = v;
      b->p[3 * i + k] = mass * v;
    }
  }
}

static void body_step(Body *b) {
  scene_run_steps(&b->run, 1);
  for (int k = 0; k < 3 * POINTS; k++) b->p[k] = 2 * mass * b->state->velocity.data[k] - b->p[k];
}

/* out: sum of p, then sum of x x p */
static void momenta(const Body *b, double *out) {
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < POINTS; i++) {
    const double *x = b->state->position.data + 3 * i, *p = b->p + 3 * i;
    for (int k = 0; k < 3; k++) {
      const int l = (k + 1) % 3, n = (k + 2) % 3;
      out[k] += p[k];
      out[3 + k] += x[l] * p[n] - x[n] * p[l];
    }
  }
}

static void momenta_are_conserved(void **state) {
  (void)state;
  for (size_t e = 0; e < sizeof elastic / sizeof *elastic; e++) {
    Body b = {0};
    double start[6], now[6], moved = 0;
    open_body(&b, 0.02, elastic[e]);
    push(&b);
    momenta(&b, start);
    assert_true(hypot(start[3], start[4]) > 1);
    const double v0 = b.state->velocity.data[0];
    for (int n = 1; n <= 400; n++) {
      body_step(&b);
      momenta(&b, now);
      moved = fmax(moved, fabs(b.state->velocity.data[0] - v0));
      for (int k = 0; k < 6; k++)
        if (fabs(now[k] - start[k]) > 1e-10)
          fail_msg("body %zu, step %d: momentum %d changed by %g", e, n, k, now[k] - start[k]);
    }
    assert_true(moved > 0.1);
    scene_run_close(&b.run);
  }
}

/* As many steps with the momenta turned round lead back to the start. */
static void time_can_be_reversed(void **state) {
  (void)state;
  enum { STEPS = 150 };
  for (size_t e = 0; e < sizeof elastic / sizeof *elastic; e++) {
    Body there = {0}, back = {0};
    double start[3 * POINTS], velocity[3 * POINTS];
    open_body(&there, 0.02, elastic[e]);
    push(&there);
    memcpy(start, there.state->position.data, sizeof start);
    memcpy(velocity, there.state->velocity.data, sizeof velocity);
    for (int n = 0; n < STEPS; n++) body_step(&there);

    open_body(&back, 0.02, elastic[e]);
    memcpy(back.state->position.data, there.state->position.data, sizeof start);
    for (int k = 0; k < 3 * POINTS; k++) {
      back.p[k] = -there.p[k];
      back.state->velocity.data[k] = back.p[k] / mass;
    }
    for (int n = 0; n < STEPS; n++) body_step(&back);
    for (int k = 0; k < 3 * POINTS; k++)
      if (fabs(back.state->position.data[k] - start[k]) > 1e-9 ||
          fabs(back.p[k] + mass * velocity[k]) > 1e-8)
        fail_msg("body %zu: %g and %g from the start", e, back.state->position.data[k] - start[k],
                 back.p[k] + mass * velocity[k]);
    scene_run_close(&there.run);
    scene_run_close(&back.run);
  }
}

/* ---- energy over long times ---- */

/* A mass that swings far between two springs, k = 40 N/m and 80 N/m, both 1 m long at rest. */
static const char swing_scene[] =
    "<Node name='root' dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MechanicalObject name='state' position='0 0 0 1.2 0.8 0 2 0 0' velocity='0 0 0 1 2 0 0 0 0'/>"
    "<UniformMass vertexMass='2'/><SpringForceField spring='0 1 40 0 1 1 2 80 0 1'/>"
    "<FixedProjectiveConstraint indices='0 2'/></Node></Node>";

static double swing_energy(const double *x, const double *p) {
  const double a = hypot(x[0], x[1]) - 1, b = hypot(2 - x[0], x[1]) - 1;
  return 20 * a * a + 40 * b * b + (p[0] * p[0] + p[1] * p[1]) / (2 * 2.);
}

/* Largest |H - H0| in each tenth of n steps. */
static double swing(const char *solver, bool variational, int n, double *largest) {
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, swing_scene, solver);
  scene_run_open(&run, text, NULL);
  const SofaState *s = scene_run_state(&run, "/body/state");
  double p[2] = {2 * s->velocity.data[3], 2 * s->velocity.data[4]};
  const double start = swing_energy(s->position.data + 3, p);
  memset(largest, 0, 10 * sizeof *largest);
  for (int i = 0; i < n; i++) {
    scene_run_steps(&run, 1);
    const double *x = s->position.data + 3, *v = s->velocity.data + 3;
    for (int k = 0; k < 2; k++) p[k] = variational ? 4 * v[k] - p[k] : 2 * v[k];
    double *slot = &largest[(long)i * 10 / n];
    *slot = fmax(*slot, fabs(swing_energy(x, p) - start));
  }
  scene_run_close(&run);
  return start;
}

static void energy_is_bounded(void **state) {
  (void)state;
  double most[10];
  const double start = swing(VARIATIONAL, true, 100000, most);
  for (int i = 0; i < 10; i++)
    if (most[i] > 1e-3 * start || most[i] > 1.1 * most[0])
      fail_msg("tenth %d: the energy is off by %g of %g, at first by %g", i, most[i], start,
               most[0]);
  swing("<EulerImplicitSolver/>" LDL, false, 5000, most);
  assert_true(most[9] > 0.9 * start);
}

/* ---- the file of energies ---- */

static void read_row(FILE *in, double *row) {
  assert_int_equal(fscanf(in, "%lf,%lf,%lf,%lf\n", row, row + 1, row + 2, row + 3), 4);
}

static void file_of_energies(void **state) {
  (void)state;
  char name[] = "/tmp/csofa-energies-XXXXXX", text[3000], header[100];
  const int handle = mkstemp(name);
  assert_true(handle >= 0);
  close(handle);
  SceneRun run;
  /* k = 100 N/m, m = 2 kg, 0.1 m stretched, 0.3 m/s */
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'><VariationalSymplecticSolver name='ode' "
           "newtonError='1e-15' steps='20' saveEnergyInFile='1' file='%s'/>" LDL
           "<MechanicalObject name='state' position='0 0 0 1.1 0 0' velocity='0 0 0 0.3 0 0'/>"
           "<UniformMass vertexMass='2'/><SpringForceField spring='0 1 100 0 1'/>"
           "<FixedProjectiveConstraint indices='0'/></Node></Node>",
           name);
  scene_run_open(&run, text, NULL);
  const SofaState *s = scene_run_state(&run, "/body/state");
  double kinetic[50], potential[50], p = 2 * 0.3;
  for (int n = 0; n < 50; n++) {
    scene_run_steps(&run, 1);
    const double x = s->position.data[3] - 1;
    p = 4 * s->velocity.data[3] - p;
    kinetic[n] = p * p / 4;
    potential[n] = 50 * x * x;
  }
  scene_run_close(&run);

  FILE *in = fopen(name, "r");
  assert_non_null(in);
  assert_non_null(fgets(header, sizeof header, in));
  assert_string_equal(header, "time,kinetic energy,potential energy, hamiltonian energy\n");
  for (int n = 0; n < 50; n++) {
    double row[4];
    read_row(in, row);
    assert_true(fabs(row[0] - 0.02 * n) < 1e-12); /* of the start of the step, as in SOFA */
    assert_true(fabs(row[1] - kinetic[n]) < 2e-6);
    assert_true(fabs(row[2] - potential[n]) < 2e-6);
    assert_true(fabs(row[3] - (0.5 + 0.09)) < 2e-6); /* of a linear system: conserved */
  }
  assert_int_equal(fgetc(in), EOF);
  fclose(in);
  unlink(name);
}

/* The energy is computed where it is asked for: for the field or for a file, of which there is none
 * without a name. */
static void energies_that_nobody_wants(void **state) {
  (void)state;
  for (int wanted = 0; wanted < 2; wanted++) {
    SceneRun run = {.quiet = true};
    char text[600];
    snprintf(text, sizeof text,
             "<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><VariationalSymplecticSolver "
             "name='ode' computeHamiltonian='%d' saveEnergyInFile='1'/>" LDL
             "<MechanicalObject position='0 0 0' velocity='1 0 0'/>"
             "<UniformMass vertexMass='4'/></Node>",
             wanted);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    assert_non_null(strstr(run.all, "nothing is written"));
    scene_run_steps(&run, 2);
    SofaObject *ode = scene_run_object(&run, "/ode");
    const SofaField *field = sofa_class_field(ode->klass, "hamiltonianEnergy");
    const double *energy = sofa_field_value(ode, field);
    assert_int_equal(sofa_field_compute(ode, field), SOFA_OK);
    assert_true(fabs(*energy - 2 * wanted) < 1e-12);
    scene_run_close(&run);
  }
}

/* ---- the energy waits for its reader ---- */

static const SofaField *hamiltonian_field(const SofaObject *ode) {
  return sofa_class_field(ode->klass, "hamiltonianEnergy");
}

static double hamiltonian_kept(const SofaObject *ode) {
  return *(const double *)sofa_field_value(ode, hamiltonian_field(ode));
}

static double hamiltonian_read(SofaObject *ode) {
  assert_int_equal(sofa_field_refresh(ode, hamiltonian_field(ode)), SOFA_OK);
  return hamiltonian_kept(ode);
}

/* A block of hexahedra that falls and turns about a corner. */
static SofaObject *open_block(SceneRun *run, bool explicit_form, const char *file) {
  char text[1500];
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.001' gravity='0 -10 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><VariationalSymplecticSolver name='ode' newtonError='1e-10' "
           "explicitIntegration='%d' saveEnergyInFile='%d' file='%s'/>" LDL
           "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject "
           "name='state'/><UniformMass totalMass='1'/><HexahedronFEMForceField "
           "youngModulus='1000' poissonRatio='0.3' method='large'/>"
           "<FixedProjectiveConstraint indices='0'/></Node>",
           explicit_form, file != NULL, file ? file : "");
  *run = (SceneRun){.quiet = true};
  scene_run_open(run, text, NULL);
  return scene_run_object(run, "/ode");
}

/* Read after each step, at the end alone, or computed in each step for a file: the same bits. */
static void energy_waits_for_its_reader(void **state) {
  (void)state;
  enum { STEPS = 6 };
  for (int form = 0; form < 2; form++) {
    char name[] = "/tmp/csofa-energies-XXXXXX";
    const int handle = mkstemp(name);
    double often = 0;
    SceneRun run;
    close(handle);
    SofaObject *ode = open_block(&run, form, NULL);
    for (int n = 0; n < STEPS; n++) {
      scene_run_steps(&run, 1);
      often = hamiltonian_read(ode);
    }
    scene_run_close(&run);
    ode = open_block(&run, form, NULL);
    scene_run_steps(&run, STEPS);
    assert_true(hamiltonian_kept(ode) == 0);
    assert_true(hamiltonian_read(ode) == often && often > 0);
    scene_run_close(&run);
    ode = open_block(&run, form, name);
    scene_run_steps(&run, STEPS);
    assert_true(hamiltonian_kept(ode) == often);
    scene_run_close(&run);
    unlink(name);
  }
}

/* A graph that changed before the energy was read: the energy of what is there now. */
static void energy_after_a_change(void **state) {
  (void)state;
  double kinetic = 0, potential = 0;
  SceneRun run;
  SofaObject *ode = open_block(&run, true, NULL);
  scene_run_steps(&run, 6);
  sofa_graph_changed(ode->node);
  const double h = hamiltonian_read(ode);
  assert_int_equal(sofa_simulation_energies(run.simulation, &kinetic, &potential), SOFA_OK);
  assert_true(fabs(h - (kinetic + potential)) < 1e-12 && kinetic > 0);
  scene_run_steps(&run, 1);
  hamiltonian_read(ode);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  assert_true(hamiltonian_read(ode) == 0);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momenta_are_conserved),      cmocka_unit_test(time_can_be_reversed),
      cmocka_unit_test(energy_is_bounded),          cmocka_unit_test(file_of_energies),
      cmocka_unit_test(energies_that_nobody_wants), cmocka_unit_test(energy_waits_for_its_reader),
      cmocka_unit_test(energy_after_a_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
