/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncrementalPotentialContact: energy, forces and tangents by finite differences, the range of the
 * barrier, friction on an inclined plane, momentum, equal bits, errors. */
#include "tests/unit/collision/ipc_scenes.h"

#include "behavior/force_field.h"
#include "tests/support/topology_edits.h"

/* ---- derivatives ---- */

/* A tetrahedron's corner near a triangle, and two edges near each other, nearly parallel. */
#define NEAR(attributes)                                                                           \
  "<Node name='root' dt='0.01' gravity='0 0 0'>"                                                   \
  "<RequiredPlugin pluginName='IncrementalPotentialContact'/><DefaultAnimationLoop/>"              \
  "<DefaultVisualManagerLoop/><Node name='all'><BDFOdeSolver/><NewtonRaphsonSolver "               \
  "warnWhenDiverge='0'/><SparseLDLSolver/><IncrementalPotentialContact name='contact' dhat='0.1' " \
  "stiffness='1e7' " attributes "/>"                                                               \
  "<Node name='a'><MeshTopology position='0 0 0  1 0 0  0 1 0.01' triangles='0 1 2'/>"             \
  "<MechanicalObject name='state'/><UniformMass "                                                  \
  "vertexMass='100'/><TriangleCollisionModel/></Node>"                                             \
  "<Node name='b'><MeshTopology position='0.3 0.3 0.08  1.2 0.9 1.2  -0.4 0.8 1.1  0.01 -0.03 "    \
  "0.07 "                                                                                          \
  "1 -0.02 0.06' triangles='0 1 2' edges='3 4'/>"                                                  \
  "<MechanicalObject name='state'/><UniformMass vertexMass='100'/><TriangleCollisionModel/>"       \
  "<LineCollisionModel/></Node></Node></Node>"

enum { N_A = 3, N_B = 5, N_REALS = 3 * (N_A + N_B) };

typedef struct Field {
  SceneRun run;
  SofaForceField *ff;
  double x[N_REALS], zero[N_REALS]; /* of both states */
  SofaMechParams params;
} Field;

static SofaPoint field_point(const Field *f, const double *x, const double *out[4]) {
  out[0] = x, out[1] = x + 3 * N_A;
  out[2] = f->zero, out[3] = f->zero + 3 * N_A;
  return (SofaPoint){.x = out, .v = out + 2, .n = 2};
}

static void open_field(Field *f, const char *text) {
  memset(f, 0, sizeof *f);
  scene_run_context(&f->run, NULL);
  assert_int_equal(sofa_simulation_load_text(f->run.ctx, text, &f->run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(f->run.simulation), SOFA_OK);
  scene_run_steps(&f->run, 1);
  f->ff = (SofaForceField *)scene_run_object(&f->run, "/all/contact");
  assert_int_equal(f->ff->n_states, 2);
  memcpy(f->x, f->ff->state[0]->position.data, 3 * N_A * sizeof(double));
  memcpy(f->x + 3 * N_A, f->ff->state[1]->position.data, 3 * N_B * sizeof(double));
  f->params = sofa_mech_params(0.01, 0, 0, 0, 1);
}

static double energy_at(const Field *f, const double *x) {
  const double *list[4];
  const SofaPoint at = field_point(f, x, list);
  double out = 0;
  assert_int_equal(sofa_force_field_potential_energy(f->ff, &f->params, &at, &out), SOFA_OK);
  return out;
}

static void force_at(const Field *f, const double *x, double *out) {
  const double *list[4];
  const SofaPoint at = field_point(f, x, list);
  double *const to[2] = {out, out + 3 * N_A};
  memset(out, 0, N_REALS * sizeof *out);
  assert_int_equal(sofa_force_field_add_force(f->ff, &f->params, &at, to), SOFA_OK);
}

static void product_at(const Field *f, const double *x, const double *dx, double *out) {
  const double *list[4];
  const SofaPoint at = field_point(f, x, list);
  const double *const from[2] = {dx, dx + 3 * N_A};
  double *const to[2] = {out, out + 3 * N_A};
  memset(out, 0, N_REALS * sizeof *out);
  assert_int_equal(sofa_force_field_add_dforce(f->ff, &f->params, &at, from, to), SOFA_OK);
}

/* The assembled matrix times dx. */
static void matrix_product_at(const Field *f, const double *x, const double *dx, double *out) {
  const double *list[4];
  const SofaPoint at = field_point(f, x, list);
  const uint8_t blocks[N_A + N_B] = {3, 3, 3, 3, 3, 3, 3, 3};
  double padded[N_REALS + 1] = {0};
  SofaBlockMatrix *matrix = NULL;
  SofaTangentPair pairs[4];
  assert_int_equal(
      sofa_block_matrix_create(f->run.ctx, N_A + N_B, blocks, N_A + N_B, blocks, &matrix), SOFA_OK);
  for (uint32_t k = 0; k < 4; k++)
    pairs[k] = (SofaTangentPair){matrix, k / 2 ? N_A : 0, k % 2 ? N_A : 0};
  const SofaTangent tangent = {.pairs = pairs, .n = 2, .factor = 1};
  sofa_block_matrix_begin(matrix);
  assert_int_equal(sofa_force_field_add_k(f->ff, &f->params, &at, &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  memcpy(padded, dx, N_REALS * sizeof *dx);
  sofa_block_matrix_multiply(matrix, padded, out, 1);
  sofa_block_matrix_destroy(&matrix);
}

static double largest(const double *x) {
  double most = 0;
  for (int i = 0; i < N_REALS; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Forces are minus the gradient, products the derivatives of forces, the matrix the products. */
static void check_derivatives(const char *text) {
  Field f;
  double x[N_REALS], force[N_REALS], other[N_REALS], low[N_REALS], high[N_REALS], dx[N_REALS];
  open_field(&f, text);
  memcpy(x, f.x, sizeof x);
  for (int i = 0; i < N_REALS; i++) x[i] += 1e-3 * sin(7.0 * i); /* friction has moved */
  force_at(&f, x, force);
  assert_true(largest(force) > 1e-3);
  for (int i = 0; i < N_REALS; i++) {
    const double h = 1e-6, was = x[i];
    x[i] = was + h;
    const double up = energy_at(&f, x);
    x[i] = was - h;
    const double down = energy_at(&f, x);
    x[i] = was;
    if (!(fabs((down - up) / (2 * h) - force[i]) <= 1e-6 * largest(force)))
      fail_msg("force %d: %.12g, by the energy %.12g", i, force[i], (down - up) / (2 * h));
  }
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < N_REALS; i++) dx[i] = sin(1.3 * i + k);
    product_at(&f, x, dx, other);
    for (int i = 0; i < N_REALS; i++) x[i] += 1e-7 * dx[i];
    force_at(&f, x, high);
    for (int i = 0; i < N_REALS; i++) x[i] -= 2e-7 * dx[i];
    force_at(&f, x, low);
    for (int i = 0; i < N_REALS; i++) x[i] += 1e-7 * dx[i];
    for (int i = 0; i < N_REALS; i++)
      if (!(fabs((high[i] - low[i]) / 2e-7 - other[i]) <= 1e-5 * largest(other)))
        fail_msg("product %d: %.12g, by forces %.12g", i, other[i], (high[i] - low[i]) / 2e-7);
    matrix_product_at(&f, x, dx, high);
    for (int i = 0; i < N_REALS; i++)
      assert_true(fabs(high[i] - other[i]) <= 1e-9 * largest(other));
  }
  scene_run_close(&f.run);
}

static void derivatives(void **state) {
  (void)state;
  check_derivatives(NEAR("projectTangent='0'"));
  check_derivatives(NEAR("projectTangent='0' friction='0.4'"));
  check_derivatives(NEAR("projectTangent='0' friction='0.4' epsV='10'"));
}

/* The projected tangent of the negative energy: no direction leads uphill. */
static void definite_tangents(void **state) {
  Field f;
  double dx[N_REALS], other[N_REALS];
  (void)state;
  open_field(&f, NEAR("friction='0.4'"));
  for (int k = 0; k < 200; k++) {
    double work = 0;
    for (int i = 0; i < N_REALS; i++) dx[i] = sin(0.37 * (k + 1) * (i + 1) + k);
    product_at(&f, f.x, dx, other);
    for (int i = 0; i < N_REALS; i++) work += dx[i] * other[i];
    assert_true(work <= 1e-9 * largest(other));
  }
  scene_run_close(&f.run);
}

/* Nothing acts at dhat and beyond; just below it, something does. */
static void range_of_the_barrier(void **state) {
  Field f;
  double force[N_REALS];
  (void)state;
  open_field(&f, NEAR(""));
  for (int far = 0; far < 2; far++) {
    double x[N_REALS];
    memcpy(x, f.x, sizeof x);
    for (int i = 0; i < N_A; i++) x[3 * i] = i == 1, x[3 * i + 1] = i == 2, x[3 * i + 2] = 0;
    for (int i = 0; i < N_B; i++) x[3 * (N_A + i) + 2] = 5;
    x[3 * N_A] = x[3 * N_A + 1] = 0.3;
    x[3 * N_A + 2] = far ? 0.1 + 1e-12 : 0.1 - 1e-6;
    force_at(&f, x, force);
    assert_true(far ? energy_at(&f, x) == 0 && largest(force) == 0
                    : energy_at(&f, x) > 0 && force[3 * N_A + 2] > 0 && largest(force) > 0);
  }
  scene_run_close(&f.run);
}

/* ---- friction ---- */

/* A block of 1 kg on a plane, gravity tilted by the slope; its velocity along x after n steps. */
static double slide(double slope, double mu, const double times[2], double speed[2]) {
  IpcText text;
  SceneRun run;
  char attributes[100], gravity[100];
  const double norm = sqrt(1 + slope * slope), dt = 0.01;
  snprintf(attributes, sizeof attributes, "dhat='0.01' friction='%g' epsV='1e-4'", mu);
  snprintf(gravity, sizeof gravity, "%.17g 0 %.17g", 10 * slope / norm, -10 / norm);
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = dt,
                                  .gravity = gravity,
                                  .accuracy = 1e-7,
                                  .iterations = 200,
                                  .contact = attributes});
  ipc_block(text.file, "body", (const int[]){2, 2, 2}, (const double[]){0, 0, 0.006},
            (const double[]){0.2, 0.2, 0.206},
            "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='1e5' "
            "poissonRatio='0.3' method='small'/>");
  const IpcSheet plane = {2, 2, {-1, -1, 0}, {{9, 0, 0}, {0, 3, 0}}};
  ipc_sheet(text.file, "plane", &plane,
            "<UniformMass totalMass='1'/><FixedProjectiveConstraint fixAll='1'/>");
  fputs("</Node></Node>", text.file);
  fclose(text.file);
  memset(&run, 0, sizeof run);
  for (int k = 0, done = 0; k < 2; k++) {
    const int until = (int)(times[k] / dt + 0.5);
    if (k == 0) ipc_run(&run, &text, &(IpcRunRule){.steps = until});
    else scene_run_steps(&run, until - done);
    done = until;
    const SofaState *s = scene_run_state(&run, "/all/body/state");
    speed[k] = 0;
    for (size_t i = 0; i < 8; i++) speed[k] += s->velocity.data[3 * i] / 8;
  }
  assert_int_equal(ipc_count_meetings(&run), 0);
  ipc_close(&run, &text);
  return 10 / norm * (slope - mu);
}

static void sticks_and_slides(void **state) {
  const double times[2] = {0.4, 0.8};
  double speed[2];
  (void)state;
  slide(0.3, 0.5, times, speed); /* a friction of 0.3 m g cos holds it: slower than epsV */
  if (!(fabs(speed[1]) < 1e-4)) fail_msg("it slides at %g m/s", speed[1]);
  const double acceleration = slide(0.8, 0.5, times, speed);
  const double found = (speed[1] - speed[0]) / (times[1] - times[0]);
  if (!(fabs(found - acceleration) < 0.01 * acceleration))
    fail_msg("acceleration %g, not %g", found, acceleration);
}

/* ---- momentum ---- */

/* Two free blocks meet; with friction, off centre. */
static void momentum(void **state) {
  IpcText text;
  SceneRun run;
  double sum[3] = {0, 0, 0};
  (void)state;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.02,
                                  .gravity = "0 0 0",
                                  .accuracy = 1e-10,
                                  .iterations = 300,
                                  .contact = "dhat='0.01' friction='0.3'"});
  for (int k = 0; k < 2; k++) {
    const double low[3] = {k ? 0.53 : 0, k ? 0.1 : 0, k ? 0.07 : 0};
    const double high[3] = {low[0] + 0.5, low[1] + 0.5, low[2] + 0.5};
    ipc_block(text.file, k ? "b" : "a", (const int[]){3, 3, 3}, low, high,
              k ? "<UniformMass totalMass='2'/><HexahedronFEMForceField youngModulus='1e4' "
                  "poissonRatio='0.3'/>"
                : "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='1e4' "
                  "poissonRatio='0.3'/>");
  }
  fputs("</Node></Node>", text.file);
  fclose(text.file);
  ipc_run(&run, &text, &(IpcRunRule){0});
  SofaState *a = scene_run_state(&run, "/all/a/state"), *b = scene_run_state(&run, "/all/b/state");
  for (size_t i = 0; i < 27; i++) a->velocity.data[3 * i] = 2, a->velocity.data[3 * i + 1] = 0.3;
  double least = INFINITY;
  for (int i = 0; i < 15; i++) {
    assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    assert_int_equal(ipc_count_meetings(&run), 0);
    least = fmin(least, ipc_number(&run, "smallestDistance"));
  }
  assert_true(least < 0.01);
  for (size_t i = 0; i < 81; i++)
    sum[i % 3] += (a->velocity.data[i] * 1 + b->velocity.data[i] * 2) / 27;
  const double wanted[3] = {2, 0.3, 0};
  for (int k = 0; k < 3; k++)
    if (!(fabs(sum[k] - wanted[k]) < 1e-8))
      fail_msg("momentum %d: %.12g, not %g", k, sum[k], wanted[k]);
  double mean = 0;
  for (size_t i = 0; i < 27; i++) mean += b->velocity.data[3 * i] / 27;
  assert_true(mean > 0.3); /* it was pushed */
  ipc_close(&run, &text);
}

/* ---- equal bits ---- */

static void record(SceneRun *run, int steps, double *out) {
  for (int i = 0; i < steps; i++)
    assert_int_equal(sofa_simulation_step(run->simulation, 0), SOFA_OK);
  const SofaState *s = scene_run_state(run, "/all/body/state");
  memcpy(out, s->position.data, 3 * 27 * sizeof *out);
}

/* After a reset, and with several threads. */
static void equal_bits(void **state) {
  double first[81], again[81];
  IpcText text;
  (void)state;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.02,
                                  .gravity = "0.5 0 -10",
                                  .accuracy = 1e-4,
                                  .iterations = 60,
                                  .contact = "dhat='0.01' friction='0.3'"});
  ipc_block(text.file, "body", (const int[]){3, 3, 3}, (const double[]){0, 0, 0.02},
            (const double[]){0.5, 0.5, 0.52},
            "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='1e4' "
            "poissonRatio='0.3'/>");
  const IpcSheet plane = {2, 2, {-1, -1, 0}, {{9, 0, 0}, {0, 3, 0}}};
  ipc_sheet(text.file, "plane", &plane,
            "<UniformMass totalMass='1'/><FixedProjectiveConstraint fixAll='1'/>");
  fputs("</Node></Node>", text.file);
  fclose(text.file);
  for (int threads = 1; threads <= 3; threads += 2) {
    SceneRun run;
    scene_run_open(&run, text.data, &(SofaContextOptions){.threads = threads});
    record(&run, 12, threads == 1 ? first : again);
    assert_true(ipc_number(&run, "smallestDistance") < 0.01);
    if (threads > 1) assert_memory_equal(first, again, sizeof first);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    record(&run, 12, again);
    assert_memory_equal(first, again, sizeof first);
    scene_run_close(&run);
  }
  free(text.data);
}

/* ---- obstacles, lines, memory ---- */

#define ROOT                                                                                       \
  "<Node name='root' dt='0.02' gravity='0 0 -10'>"                                                 \
  "<RequiredPlugin pluginName='IncrementalPotentialContact'/><DefaultAnimationLoop/>"              \
  "<DefaultVisualManagerLoop/>"
#define NEWTON                                                                                     \
  "<BDFOdeSolver/><NewtonRaphsonSolver maxNbIterationsNewton='100' "                               \
  "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='0' "                  \
  "absoluteResidualStoppingThreshold='0' absoluteEstimateDifferenceThreshold='1e-5'/>"
#define BLOCK                                                                                      \
  "<Node name='body'><RegularGridTopology n='3 3 3' min='0 0 0.02' max='0.5 0.5 0.52'/>"           \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/><HexahedronFEMForceField "          \
  "method='small' youngModulus='1e4' poissonRatio='0.3'/><TriangleCollisionModel name='model'/>"   \
  "</Node>"

static void open_scene(SceneRun *run, const char *text, const SofaContextOptions *options) {
  memset(run, 0, sizeof *run);
  scene_run_context(run, options);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

/* The floor is a state that no solver moves, named by a link; the system is not assembled. */
static void obstacles(void **state) {
  SceneRun run;
  (void)state;
  open_scene(&run,
             ROOT "<Node name='floor'><MeshTopology position='-1 -1 0  9 -1 0  9 9 0  -1 9 0' "
                  "triangles='0 1 2 0 2 3'/><MechanicalObject name='state'/>"
                  "<TriangleCollisionModel name='model'/></Node><Node name='all'>" NEWTON
                  "<CGLinearSolver iterations='300' tolerance='1e-12' threshold='0'/>"
                  "<IncrementalPotentialContact name='contact' dhat='0.01' "
                  "models='@/floor/model @body/model'/>" BLOCK "</Node></Node>",
             NULL);
  scene_run_steps(&run, 60);
  const SofaState *s = scene_run_state(&run, "/all/body/state");
  for (size_t i = 0; i < 9; i++)
    assert_true(s->position.data[3 * i + 2] > 0 && s->position.data[3 * i + 2] < 0.01);
  const double *normal = scene_run_state(&run, "/floor/state")->position.data;
  assert_true(normal[2] == 0);
  assert_int_equal(ipc_count_meetings(&run), 0);
  /* it may be moved, but not through the body */
  SofaState *floor = scene_run_state(&run, "/floor/state");
  for (size_t i = 0; i < 4; i++) floor->position.data[3 * i + 2] = -0.5;
  scene_run_steps(&run, 1);
  for (size_t i = 0; i < 4; i++) floor->position.data[3 * i + 2] = 1;
  run.quiet = true;
  assert_int_not_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
  assert_non_null(strstr(run.all, "surfaces were moved through each other since the last step"));
  scene_run_close(&run);
}

/* The forces of the contact carry the weight, in the fields, too. */
static void outputs(void **state) {
  SceneRun run;
  (void)state;
  open_scene(&run,
             ROOT "<Node name='all'>" NEWTON "<SparseLDLSolver/>"
                  "<IncrementalPotentialContact name='contact' dhat='0.01'/>" BLOCK
                  "<Node name='floor'><MeshTopology position='-1 -1 0  9 -1 0  9 9 0  -1 9 0' "
                  "triangles='0 1 2 0 2 3'/><MechanicalObject name='state'/><UniformMass "
                  "totalMass='1'/><FixedProjectiveConstraint fixAll='1'/><TriangleCollisionModel/>"
                  "</Node></Node></Node>",
             NULL);
  scene_run_steps(&run, 100);
  const SofaObject *contact = scene_run_object(&run, "/all/contact");
  const SofaField *field = sofa_class_field(contact->klass, "contactForces");
  const SofaVec3s *forces = sofa_field_value(contact, field);
  const SofaVec3s *points =
      sofa_field_value(contact, sofa_class_field(contact->klass, "contactPoints"));
  double sum = 0;
  assert_true(forces->n >= 9 && points->n == forces->n);
  for (size_t i = 0; i < forces->n; i++) {
    sum += fabs(forces->data[i].v[2]);
    assert_true(points->data[i].v[2] > 0 && points->data[i].v[2] < 0.01);
  }
  if (!(fabs(sum - 10) < 0.05)) fail_msg("the contact carries %g N of 10 N", sum);
  scene_run_close(&run);
}

/* A rope falls across a line that is held: no triangle is there. */
static void lines(void **state) {
  SceneRun run;
  (void)state;
  open_scene(
      &run,
      ROOT "<Node name='all'>" NEWTON "<SparseLDLSolver/>"
           "<IncrementalPotentialContact name='contact' dhat='0.01'/>"
           "<Node name='rope'><MeshTopology position='-0.5 0.01 0.1  -0.2 0 0.1  0.1 0 0.1  "
           "0.3 0 0.1  0.5 0.01 0.1' edges='0 1 1 2 2 3 3 4'/><MechanicalObject name='state'/>"
           "<UniformMass totalMass='1'/><MeshSpringForceField linesStiffness='500'/>"
           "<LineCollisionModel/></Node><Node name='bar'><MeshTopology position='0.02 -1 0  0 1 0' "
           "edges='0 1'/><MechanicalObject name='state'/><UniformMass totalMass='1'/>"
           "<FixedProjectiveConstraint fixAll='1'/><LineCollisionModel/></Node></Node></Node>",
      NULL);
  for (int i = 0; i < 20; i++) {
    scene_run_steps(&run, 1);
    /* the place of the rope over the bar, between points 1 and 2 */
    const double *x = scene_run_state(&run, "/all/rope/state")->position.data;
    const double t = (0.01 - x[3]) / (x[6] - x[3]);
    assert_true(t > -0.5 && t < 1.5 && x[5] + t * (x[8] - x[5]) > 0);
  }
  assert_true(scene_run_state(&run, "/all/rope/state")->position.data[2] < -0.1);
  scene_run_close(&run);
}

/* At rest no step asks for memory. */
static void warm_steps_do_not_allocate(void **state) {
  FailingAllocator allocator = {0};
  SceneRun run;
  (void)state;
  open_scene(&run,
             ROOT "<Node name='all'>" NEWTON "<SparseLDLSolver/>"
                  "<IncrementalPotentialContact name='contact' dhat='0.01' friction='0.2'/>" BLOCK
                  "<Node name='floor'><MeshTopology position='-1 -1 0  9 -1 0  9 9 0  -1 9 0' "
                  "triangles='0 1 2 0 2 3'/><MechanicalObject name='state'/><UniformMass "
                  "totalMass='1'/><FixedProjectiveConstraint fixAll='1'/><TriangleCollisionModel/>"
                  "</Node></Node></Node>",
             &(SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
  scene_run_steps(&run, 60);
  assert_true(ipc_number(&run, "smallestDistance") < 0.01);
  const uint64_t before = allocator.calls;
  scene_run_steps(&run, 5);
  assert_int_equal(allocator.calls, before);
  scene_run_close(&run);
}

/* A sheet over an edge loses a triangle in every second step, and in the end points, too. */
static void removed_triangles(void **state) {
  SceneRun run;
  (void)state;
  open_scene(&run,
             ROOT
             "<Node name='all'>" NEWTON "<SparseLDLSolver/>"
             "<IncrementalPotentialContact name='contact' dhat='0.01' friction='0.2'/>"
             "<Node name='sheet'><TriangleSetTopologyContainer name='mesh' position='0 0 0.02  "
             "0.5 0 0.02  1 0 0.02  0 0.5 0.02  0.5 0.5 0.02  1 0.5 0.02  0 1 0.02  "
             "0.5 1 0.02  1 1 0.02' triangles='0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 "
             "7'/><TriangleSetTopologyModifier/><MechanicalObject name='state'/>"
             "<UniformMass vertexMass='0.1'/><TriangularBiquadraticSpringsForceField "
             "youngModulus='500' poissonRatio='0.3'/><TriangleCollisionModel/></Node>"
             "<Node name='block'><RegularGridTopology n='2 2 2' min='0.2 0.2 -0.5' "
             "max='0.71 0.72 0'/><MechanicalObject name='state'/><UniformMass "
             "totalMass='1'/><FixedProjectiveConstraint fixAll='1'/><TriangleCollisionModel/>"
             "</Node></Node></Node>",
             NULL);
  for (int i = 0; i < 10; i++) {
    const Edit edits[MOST_EDITS] = {
        {.topology = "/all/sheet/mesh", .kind = SOFA_ELEMENT_TRIANGLE, .n = 1, .numbers = {0}}};
    scene_run_steps(&run, 1);
    assert_int_equal(ipc_count_meetings(&run), 0);
    if (i % 2 && i > 2) carry_out(&run, "removal", edits);
  }
  assert_true(ipc_number(&run, "smallestDistance") < 0.01);
  scene_run_close(&run);
}

/* ---- errors ---- */

static void expect_error(const char *content, const char *attributes, const char *message) {
  IpcText text;
  SceneRun run = {.quiet = true};
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.01,
                                  .gravity = "0 0 0",
                                  .accuracy = 1e-6,
                                  .iterations = 20,
                                  .contact = attributes});
  fprintf(text.file, "%s</Node></Node>", content);
  fclose(text.file);
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, text.data, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  for (int i = 0; i < 2 && err == SOFA_OK; i++) err = sofa_simulation_step(run.simulation, 0);
  if (err == SOFA_OK) fail_msg("%s: no error", attributes);
  if (!strstr(run.all, message)) fail_msg("the message is '%s'", run.all);
  ipc_close(&run, &text);
}

#define FACE(name, points, model)                                                                  \
  "<Node name='" name "'><MeshTopology position='" points "' triangles='0 1 2'/>"                  \
  "<MechanicalObject name='state'/><UniformMass vertexMass='1'/>" model "</Node>"
#define FLAT FACE("a", "0 0 0  1 0 0  0 1 0", "<TriangleCollisionModel/>")

static void errors(void **state) {
  (void)state;
  expect_error(FLAT FACE("b", "0.2 0.2 -0.5  0.2 0.2 0.5  3 3 0", "<TriangleCollisionModel/>"), "",
               "the surfaces meet at the start: edge 1 2 of '/all/a/TriangleCollisionModel1' "
               "passes through triangle 0 1 2 of '/all/b/TriangleCollisionModel1'");
  expect_error(FACE("a", "0 0 0  1 0 0  0 1 0", ""), "", "there is no collision model");
  expect_error(FACE("a", "0 0 0  1 0 0  0 1 0", "<SphereCollisionModel radius='1'/>"), "",
               "has spheres: only triangles, lines and points");
  expect_error("<Node name='a'><MeshTopology position='0 0 0  1 0 0  0.5 -1 0  0.5 1 0' "
               "edges='0 1 2 3'/><MechanicalObject name='state'/><UniformMass vertexMass='1'/>"
               "<LineCollisionModel/></Node>",
               "", "the surfaces touch at the start: points 0, 1, 2 and 3");
  expect_error(FLAT
               "</Node><Node name='more'><BDFOdeSolver/><NewtonRaphsonSolver/>"
               "<SparseLDLSolver/>" FACE("b", "0 0 1  1 0 1  0 1 1", "<TriangleCollisionModel/>"),
               "models='@a/TriangleCollisionModel1 @/more/b/TriangleCollisionModel1'",
               "'/more/b/state' is moved by another ODE solver than the states before");
  expect_error(FLAT, "dhat='1e-9'", "is too small for surfaces of a size of");
  expect_error(FLAT, "models='@a/TriangleCollisionModel1 @a/TriangleCollisionModel1'",
               "'TriangleCollisionModel1' is listed twice");
  expect_error(FLAT, "models='@a/nothing'", "models");
}

/* Each number outside of its range names its field. */
static void ranges(void **state) {
  static const struct {
    const char *field, *values[4];
  } cases[] = {{"dhat", {"-1", "inf", "nan", "x"}},
               {"stiffness", {"-1", "inf", "nan", "x"}},
               {"friction", {"-0.1", "inf", "nan", "x"}},
               {"epsV", {"0", "-1", "inf", "nan"}}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (int k = 0; k < 4; k++) {
      char attributes[80];
      snprintf(attributes, sizeof attributes, "%s='%s'", cases[i].field, cases[i].values[k]);
      expect_error(FLAT, attributes, cases[i].field);
    }
}

/* Two sheets of one state, one above the other, fall together where nothing keeps them apart. */
static double least_gap(const char *model) {
  IpcText text;
  SceneRun run;
  double least = INFINITY;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.02,
                                  .gravity = "0 0 0",
                                  .accuracy = 1e-6,
                                  .iterations = 100,
                                  .contact = "dhat='0.01'"});
  fprintf(text.file,
          "<Node name='body'><MeshTopology name='mesh' position='0 0 0  1 0 0  0 1 0  0.1 0.1 0.1 "
          "0.9 0.1 0.1  0.1 0.9 0.1' triangles='0 1 2 3 4 5'/><MechanicalObject name='state' "
          "position='@mesh.position' velocity='0 0 0  0 0 0  0 0 0  0 0 -1  0 0 -1  0 0 -1'/>"
          "<UniformMass vertexMass='1'/>%s</Node></Node></Node>",
          model);
  fclose(text.file);
  ipc_run(&run, &text, &(IpcRunRule){0});
  for (int i = 0; i < 10; i++) {
    scene_run_steps(&run, 1);
    const double *x = scene_run_state(&run, "/all/body/state")->position.data;
    least = fmin(least, x[11] - x[2]);
  }
  ipc_close(&run, &text);
  return least;
}

static void which_models_meet(void **state) {
  (void)state;
  assert_true(least_gap("<TriangleCollisionModel/>") > 0);
  assert_true(least_gap("<TriangleCollisionModel selfCollision='1'/>") > 0);
  assert_true(least_gap("<TriangleCollisionModel selfCollision='0'/>") < -0.05);
  assert_true(least_gap("<TriangleCollisionModel active='0'/>") < -0.05);
  assert_true(least_gap("<TriangleCollisionModel simulated='0'/>") < -0.05);
  assert_true(least_gap("<TriangleCollisionModel selfCollision='0'/>"
                        "<LineCollisionModel selfCollision='0'/>") < -0.05);
  assert_true(least_gap("<TriangleCollisionModel selfCollision='0'/>"
                        "<PointCollisionModel selfCollision='1'/>") > 0);
}

/* Larger than an edge: a warning. */
static void large_dhat(void **state) {
  SceneRun run = {.quiet = true};
  (void)state;
  IpcText text;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.01,
                                  .gravity = "0 0 0",
                                  .accuracy = 1e-6,
                                  .iterations = 20,
                                  .contact = "dhat='2'"});
  fputs(FLAT "</Node></Node>", text.file);
  fclose(text.file);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text.data, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  scene_run_steps(&run, 1);
  assert_non_null(strstr(run.all, "dhat = 2 m is larger than the shortest edge of 1 m"));
  ipc_close(&run, &text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives),
      cmocka_unit_test(definite_tangents),
      cmocka_unit_test(range_of_the_barrier),
      cmocka_unit_test(sticks_and_slides),
      cmocka_unit_test(momentum),
      cmocka_unit_test(equal_bits),
      cmocka_unit_test(obstacles),
      cmocka_unit_test(outputs),
      cmocka_unit_test(lines),
      cmocka_unit_test(warm_steps_do_not_allocate),
      cmocka_unit_test(removed_triangles),
      cmocka_unit_test(errors),
      cmocka_unit_test(ranges),
      cmocka_unit_test(which_models_meet),
      cmocka_unit_test(large_dhat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
