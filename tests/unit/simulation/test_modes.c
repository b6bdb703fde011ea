/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes and buckling: chains with closed forms, a dense solution by LAPACK, what modes satisfy by
 * definition, the same bits on two threads, columns of Euler, and what is refused. */
#include "tests/support/scene_memory.h"

#include <math.h>
#include <unistd.h>

#include "numerics/assembly/assembly.h"
#include "numerics/modes/modes.h"

extern void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a,
                   const int *lda, double *b, const int *ldb, double *w, double *work,
                   const int *lwork, int *info, size_t jobz_length, size_t uplo_length);

#define HEAD "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
#define SOLVER "<EulerImplicitSolver name='ode'/><SparseLDLSolver/>"

/* Eleven masses in a row, the ends held; twice 9 masses of a chain move along x. */
#define CHAIN                                                                                      \
  "<MechanicalObject name='state' template='Vec1d' position='0 1 2 3 4 5 6 7 8 9 10'/>"            \
  "<MeshTopology lines='0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10'/>"                               \
  "<MeshSpringForceField linesStiffness='100' linesDamping='0'/>"
#define MASS "<UniformMass vertexMass='2'/>"
#define HELD "<FixedProjectiveConstraint indices='0 10'/>"

/* A block of hexahedra with a mass that is not diagonal. */
#define BLOCK                                                                                      \
  "<RegularGridTopology name='grid' n='3 2 4' min='0 0 0' max='0.3 0.2 1'/>"                       \
  "<MechanicalObject name='state'/><MeshMatrixMass massDensity='1000'/>"                           \
  "<HexahedronFEMForceField youngModulus='1e6' poissonRatio='0.3'/>"

static SofaErr ask(SceneRun *run, const char *text, SofaModesKind kind, size_t n, SofaModes **out) {
  scene_run_open(run, text, NULL);
  run->quiet = true;
  return sofa_modes_create(run->simulation, &(SofaModesRequest){kind, n}, out);
}

static void a_chain_has_its_frequencies(void **state) {
  (void)state;
  SceneRun run = {0};
  SofaModes *modes = NULL;
  double mass = 0;
  assert_int_equal(
      ask(&run, HEAD SOLVER CHAIN MASS HELD "</Node>", SOFA_MODES_VIBRATION, 9, &modes), SOFA_OK);
  assert_int_equal(modes->n, 9);
  for (int k = 0; k < 9; k++) {
    const double exact = 2 * sqrt(100. / 2) * sin((k + 1) * M_PI / 20) / (2 * M_PI);
    assert_true(fabs(modes->mode[k].frequency - exact) < 1e-12 * exact);
    assert_true(!modes->mode[k].rigid && modes->mode[k].residual < 1e-12);
    mass += modes->mode[k].mass[0];
  }
  // all modes together have the mass of the points that move
  assert_true(fabs(mass - 18) < 1e-10 && fabs(modes->total_mass[0] - 22) < 1e-12);
  assert_int_equal(modes->n_lower, 0);
  sofa_modes_destroy(&modes);
  scene_run_close(&run);
}

/* ---- the definition ---- */

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Dense m M + k K, column major; freed by the caller. */
static double *dense(const SofaModes *modes, double m, double k) {
  SofaMechanics *plan = modes->mechanics;
  const size_t n = plan->n_v_main;
  const SofaAssemblyParts parts = {true, true, false, true, true, true, NULL};
  const SofaMechParams p = sofa_mech_params(0.01, 0, m, 0, -k);
  const SofaMechPoint at = sofa_mech_point(plan, plan->x, plan->v, 0);
  SofaAssembly *assembly = NULL;
  double *out = calloc(n * n, sizeof *out);
  assert_int_equal(sofa_assembly_create(&modes->solver->object, &assembly), SOFA_OK);
  assert_int_equal(sofa_assembly_build(assembly, plan, &p, &at, &parts), SOFA_OK);
  for (size_t i = 0; i < n * n; i++)
    out[i] = sofa_block_matrix_entry(sofa_assembly_matrix(assembly), i % n, i / n);
  sofa_assembly_destroy(&assembly);
  return out;
}

/* Modes of a free block: six are rigid, the others those of LAPACK. */
static void modes_of_a_block(void **state) {
  (void)state;
  enum { N = 20 };
  SceneRun run = {0};
  SofaModes *modes = NULL;
  assert_int_equal(ask(&run, HEAD SOLVER BLOCK "</Node>", SOFA_MODES_VIBRATION, N, &modes),
                   SOFA_OK);
  const int n = (int)modes->mechanics->n_v_main, itype = 1, room = 40 * n;
  double *k = dense(modes, 0, 1), *m = dense(modes, 1, 0), *mx = calloc((size_t)n, sizeof *mx);
  for (int a = 0; a < N; a++) {
    for (int i = 0; i < n; i++)
      mx[i] = dot((size_t)n, m + (size_t)i * (size_t)n, sofa_modes_shape(modes, (size_t)a));
    for (int b = 0; b < N; b++)
      assert_true(fabs(dot((size_t)n, mx, sofa_modes_shape(modes, (size_t)b)) - (a == b)) < 1e-9);
    assert_true(modes->mode[a].rigid == (a < 6));
    assert_true(modes->mode[a].residual < 1e-8);
  }
  double *w = calloc((size_t)n, sizeof *w), *work = calloc((size_t)room, sizeof *work);
  int info = 0;
  dsygv_(&itype, "N", "U", &n, k, &n, m, &n, w, work, &room, &info, 1, 1);
  assert_int_equal(info, 0);
  for (int a = 6; a < N; a++) assert_true(fabs(modes->mode[a].value / w[a] - 1) < 1e-9);
  double *const blocks[] = {k, m, mx, w, work};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  sofa_modes_destroy(&modes);
  scene_run_close(&run);
}

/* Two equal chains have each frequency twice; twelve have it twelve times, twice the block of the
 * method. */
static void frequencies_that_repeat(void **state) {
  (void)state;
  enum { COPIES = 12 };
  static char text[20000];
  SceneRun run = {0};
  SofaModes *modes = NULL;
  size_t used = (size_t)snprintf(text, sizeof text, HEAD SOLVER);
  for (int i = 0; i < COPIES; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "<Node name='c%d'>%s</Node>", i,
                             CHAIN MASS HELD);
  snprintf(text + used, sizeof text - used, "</Node>");
  assert_int_equal(ask(&run, text, SOFA_MODES_VIBRATION, 2 * COPIES, &modes), SOFA_OK);
  for (int i = 0; i < 2 * COPIES; i++) {
    const double exact = sqrt(200.) * sin((1 + i / COPIES) * M_PI / 20) / (2 * M_PI);
    assert_true(fabs(modes->mode[i].frequency - exact) < 1e-10);
  }
  sofa_modes_destroy(&modes);
  scene_run_close(&run);
}

static void threads_give_the_same_bits(void **state) {
  (void)state;
  double *shapes[2] = {NULL, NULL};
  size_t size = 0;
  for (int i = 0; i < 2; i++) {
    SceneRun run = {0};
    SofaModes *modes = NULL;
    scene_run_open(&run, HEAD SOLVER BLOCK "</Node>", &(SofaContextOptions){.threads = i + 1});
    assert_int_equal(
        sofa_modes_create(run.simulation, &(SofaModesRequest){SOFA_MODES_VIBRATION, 12}, &modes),
        SOFA_OK);
    size = modes->n * modes->n_v * sizeof(double);
    shapes[i] = malloc(size);
    memcpy(shapes[i], modes->shapes, size);
    sofa_modes_destroy(&modes);
    scene_run_close(&run);
  }
  assert_memory_equal(shapes[0], shapes[1], size);
  free(shapes[0]);
  free(shapes[1]);
}

/* ---- buckling ---- */

#define COLUMN                                                                                     \
  HEAD "<StaticSolver/><SparseLDLSolver/><RegularGridTopology name='grid' n='%d 1 1' min='0 0 0' " \
       "max='1 0 0'/><MechanicalObject name='state' template='Rigid3d'/><BeamFEMForceField "       \
       "radius='0.1' youngModulus='1e4' poissonRatio='0.3' A='100' Iy='2e-4' Iz='1e-4' J='2e-4'/>" \
       "%s<ConstantForceField indices='%d' forces='%g 0 0 0 0 0'/></Node>"

/* Columns of length 1, E I = 1: (pi / L_e)^2 with the four supports, and convergence of order 2. */
static void columns_of_euler(void **state) {
  static const struct {
    const char *held;
    double factor;
  } cases[] = {
      {"<FixedProjectiveConstraint indices='0'/>", M_PI * M_PI / 4},
      {"<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 1 1 1 1 0'/>"
       "<PartialFixedProjectiveConstraint indices='%d' fixedDirections='0 1 1 1 1 0'/>",
       M_PI * M_PI},
      {"<FixedProjectiveConstraint indices='0'/>"
       "<PartialFixedProjectiveConstraint indices='%d' fixedDirections='0 1 1 1 1 0'/>",
       20.190728556426629},
      {"<FixedProjectiveConstraint indices='0'/>"
       "<PartialFixedProjectiveConstraint indices='%d' fixedDirections='0 1 1 1 1 1'/>",
       4 * M_PI * M_PI},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      const int n = fine ? 32 : 16;
      char held[400], text[2000];
      SceneRun run = {0};
      SofaModes *modes = NULL;
      snprintf(held, sizeof held, cases[i].held, n);
      snprintf(text, sizeof text, COLUMN, n + 1, held, n, -1.);
      assert_int_equal(ask(&run, text, SOFA_MODES_BUCKLING, 1, &modes), SOFA_OK);
      error[fine] = fabs(modes->mode[0].value / cases[i].factor - 1);
      assert_true(modes->mode[0].residual < 1e-6);
      sofa_modes_destroy(&modes);
      scene_run_close(&run);
    }
    assert_true(error[0] < 0.03 && error[1] < 0.3 * error[0]);
  }
}

/* The animation loop of modes tells the same load, and shows the column bent to one side. */
static void a_loop_shows_buckling(void **state) {
  enum { PARTS = 16 };
  char column[2000], text[2200];
  SceneRun run = {0};
  SofaModes *modes = NULL;
  (void)state;
  snprintf(column, sizeof column, COLUMN, PARTS + 1, "<FixedProjectiveConstraint indices='0'/>",
           PARTS, -1.);
  assert_int_equal(ask(&run, column, SOFA_MODES_BUCKLING, 1, &modes), SOFA_OK);
  const double load = modes->mode[0].value;
  sofa_modes_destroy(&modes);
  scene_run_close(&run);
  const char *rest = strstr(column, "<DefaultAnimationLoop/>");
  assert_non_null(rest);
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.25' gravity='0 0 0'><ModesAnimationLoop name='modes' "
           "kind='buckling' modes='1' amplitude='0.1'/>%s",
           rest + strlen("<DefaultAnimationLoop/>"));
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  const SofaObject *loop = scene_run_object(&run, "/modes");
  const SofaReals *values = sofa_field_value(loop, sofa_class_field(loop->klass, "values"));
  assert_int_equal(values->n, 1);
  assert_true(fabs(values->data[0] / load - 1) < 1e-9);
  scene_run_close(&run);
}

/* ---- refusals ---- */

static void what_is_refused(void **state) {
  static const struct {
    const char *text, *why;
    SofaModesKind kind;
    size_t n;
  } cases[] = {
      {HEAD SOLVER CHAIN HELD "</Node>", "have no mass", SOFA_MODES_VIBRATION, 2},
      {HEAD SOLVER "<MechanicalObject position='0 0 0'/>" MASS "</Node>", "has a stiffness",
       SOFA_MODES_VIBRATION, 2},
      {HEAD SOLVER CHAIN MASS HELD "</Node>", "10 modes were asked for", SOFA_MODES_VIBRATION, 10},
      {HEAD SOLVER CHAIN MASS HELD "</Node>", "40 modes were asked for", SOFA_MODES_VIBRATION, 40},
      {HEAD "</Node>", "no ODE solver", SOFA_MODES_VIBRATION, 1},
      {HEAD SOLVER "</Node>", "no state moves", SOFA_MODES_VIBRATION, 1},
      {HEAD "<Node name='a'>" SOLVER CHAIN MASS "</Node><Node name='b'>" SOLVER CHAIN MASS
            "</Node></Node>",
       "several ODE solvers", SOFA_MODES_VIBRATION, 1},
      {HEAD SOLVER CHAIN HELD "</Node>", "no loads that move", SOFA_MODES_BUCKLING, 1},
      {HEAD SOLVER CHAIN "<ConstantForceField indices='3' forces='1'/></Node>", "no stiffness",
       SOFA_MODES_BUCKLING, 1},
      {HEAD SOLVER CHAIN HELD "<ConstantForceField indices='3' forces='1'/></Node>",
       "do not buckle it", SOFA_MODES_BUCKLING, 1},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SceneRun run = {.quiet = true};
    SofaModes *modes = NULL;
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, cases[i].text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    assert_true(sofa_modes_create(run.simulation, &(SofaModesRequest){cases[i].kind, cases[i].n},
                                  &modes) != SOFA_OK);
    assert_null(modes);
    if (!strstr(run.last, cases[i].why)) fail_msg("'%s' is not in: %s", cases[i].why, run.last);
    scene_run_close(&run);
  }
}

/* Requests for memory fail, one after the other: an error each time, and nothing is lost. */
static void without_memory(void **state) {
  static const struct {
    const char *text;
    SofaModesKind kind;
  } cases[] = {{HEAD SOLVER BLOCK "</Node>", SOFA_MODES_VIBRATION},
               {HEAD SOLVER BLOCK "<FixedProjectiveConstraint indices='0 1 2 3'/>"
                                  "<ConstantForceField indices='23' forces='0 0 -1'/></Node>",
                SOFA_MODES_BUCKLING}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool done = false;
    for (uint64_t fail_at = 1; !done; fail_at++) {
      FailingAllocator allocator = {0};
      SceneRun run = {.quiet = true};
      SofaModes *modes = NULL;
      scene_run_context(
          &run, &(SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
      assert_int_equal(sofa_simulation_load_text(run.ctx, cases[i].text, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      allocator.fail_at = allocator.calls + fail_at;
      const SofaErr err =
          sofa_modes_create(run.simulation, &(SofaModesRequest){cases[i].kind, 2}, &modes);
      done = allocator.calls < allocator.fail_at;
      if (!done && err != SOFA_ERR_MEMORY)
        fail_msg("request %u failed: status %d", (unsigned)fail_at, (int)err);
      assert_true(done == (modes != NULL));
      sofa_modes_destroy(&modes);
      scene_run_close(&run);
      assert_int_equal(allocator.live, 0);
    }
  }
}

/* ---- shapes as files ---- */

/* A line of one number per point, faces of two and a solid of three numbers, each with elements
 * that are not written: faces beside the solid, edges beside the faces. */
#define THREE_BODIES                                                                               \
  "<Node name='line'><MechanicalObject name='s' template='Vec1d' position='0 1 3'/>"               \
  "<MeshTopology edges='0 1 1 2'/>" MASS "<MeshSpringForceField linesStiffness='100'/></Node>"     \
  "<Node name='sheet'><MechanicalObject name='s' template='Vec2d' position='0 0 1 0 0 1 1 1'/>"    \
  "<MeshTopology edges='0 3' triangles='0 1 2' quads='0 1 3 2'/>" MASS                             \
  "<MeshSpringForceField linesStiffness='70' trianglesStiffness='50'/></Node>"                     \
  "<Node name='solid'><MechanicalObject name='s' position='0 0 5 1 0 5 0 1 5 0 0 6'/>"             \
  "<MeshTopology position='0 0 5 1 0 5 0 1 5 0 0 6' triangles='0 1 2' tetrahedra='0 1 2 3'/>" MASS \
  "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node>"
enum { BODIES = 3 };

static void the_field_is(SofaObject *object, const char *name, const char *expected) {
  SofaText text = {0};
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_non_null(field);
  assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
  if (strcmp(text.data, expected) != 0) fail_msg("%s: '%s', not '%s'", name, text.data, expected);
  sofa_list_free(object->ctx, &text);
}

/* The displacements of the file are those of the mode, the largest one 1. */
static void displacements_are(SofaObject *loader, SceneRun *run, const double *shape) {
  static const char *const names[BODIES] = {"/line/s", "/sheet/s", "/solid/s"};
  const SofaVec3s *read = sofa_field_value(loader, sofa_class_field(loader->klass, "mode"));
  double wanted[11][3] = {{0}}, most = 0;
  size_t n = 0;
  for (int b = 0; b < BODIES; b++) {
    const SofaState *s = scene_run_state(run, names[b]);
    const unsigned dims = sofa_state_kind_info(s->object.kind)->deriv;
    for (size_t i = 0; i < s->position.n; i++, n++) {
      for (unsigned c = 0; c < dims; c++) wanted[n][c] = shape[s->v_offset + i * dims + c];
      most = fmax(most, sqrt(wanted[n][0] * wanted[n][0] + wanted[n][1] * wanted[n][1] +
                             wanted[n][2] * wanted[n][2]));
    }
  }
  assert_int_equal(read->n, n);
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) assert_true(fabs(read->data[i].v[c] - wanted[i][c] / most) < 1e-15);
}

static void shapes_are_written(void **state) {
  (void)state;
  SceneRun run = {0}, read = {0};
  SofaModes *modes = NULL;
  SofaVtkBuffers buffers = {0};
  char path[] = "/tmp/csofa-shape-XXXXXX.vtu", text[500];
  const int file = mkstemps(path, 4);
  assert_true(file >= 0);
  close(file);
  snprintf(text, sizeof text,
           "<Node><DefaultAnimationLoop/><MeshVTKLoader name='l' createSubelements='0' "
           "filename='%s'/></Node>",
           path);
  assert_int_equal(ask(&run, HEAD SOLVER THREE_BODIES "</Node>", SOFA_MODES_VIBRATION, 20, &modes),
                   SOFA_OK);
  for (size_t i = 0; i < modes->n; i += modes->n - 1) {
    assert_int_equal(sofa_modes_vtu(modes, i, &buffers), SOFA_OK);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(buffers.text.data, 1, buffers.text.n, out), buffers.text.n);
    fclose(out);
    scene_run_open(&read, text, NULL);
    SofaObject *loader = scene_run_object(&read, "/l");
    the_field_is(loader, "position",
                 "0 0 0 1 0 0 3 0 0 0 0 0 1 0 0 0 1 0 1 1 0 0 0 5 1 0 5 0 1 5 0 0 6");
    the_field_is(loader, "edges", "0 1 1 2");
    the_field_is(loader, "triangles", "3 4 5");
    the_field_is(loader, "quads", "3 4 6 5");
    the_field_is(loader, "tetrahedra", "7 8 9 10");
    displacements_are(loader, &run, sofa_modes_shape(modes, i));
    scene_run_close(&read);
  }
  sofa_vtk_buffers_free(run.ctx, &buffers);
  sofa_modes_destroy(&modes);
  scene_run_close(&run);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_has_its_frequencies),
      cmocka_unit_test(modes_of_a_block),
      cmocka_unit_test(frequencies_that_repeat),
      cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(columns_of_euler),
      cmocka_unit_test(a_loop_shows_buckling),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(shapes_are_written),
      cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
