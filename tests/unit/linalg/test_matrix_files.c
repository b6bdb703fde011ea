/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GlobalSystemMatrixExporter and GlobalSystemMatrixImage: what is in their files is the matrix. */
#include <unistd.h>
#include <zlib.h>

#include "behavior/linear_system.h"
#include "dense.h"
#include "tests/support/scene_run.h"
#include "tests/support/gpl_parts.h"

#define BODY                                                                                       \
  "<RegularGridTopology n='3 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"                    \
  "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='100' poissonRatio='0.3'/>"   \
  "<FixedProjectiveConstraint indices='0 3'/>"
static const char scene[] =
    "<Node name='root' dt='0.02'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
    "<Node name='body'><EulerImplicitSolver/>%s%s" BODY "</Node></Node>";

static char folder[] = "/tmp/csofa-matrix-XXXXXX";

static void open_scene(SceneRun *run, const char *solver, const char *writers) {
  char text[2000];
  snprintf(text, sizeof text, scene, solver, writers);
  scene_run_open(run, text, NULL);
}

static char *read_all(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  if (!file) fail_msg("there is no %s", name);
  char *bytes = calloc(1 << 20, 1);
  *size = fread(bytes, 1, (1 << 20) - 1, file);
  fclose(file);
  return bytes;
}

static Dense matrix_of(SceneRun *run) {
  SofaLinearSystem *system = (SofaLinearSystem *)scene_run_object(run, "/body/a");
  return dense_of(sofa_linear_system_matrix(system));
}

#define SOLVER                                                                                     \
  "<MatrixLinearSystem name='a' template='CompressedRowSparseMatrixd'/>"                           \
  "<SparseLDLSolver/>"
#define WRITER(format)                                                                             \
  "<GlobalSystemMatrixExporter exportEveryNumberOfSteps='2' precision='17' filename='" format      \
  "' format='" format "'/>"

/* Rows with commas, or in brackets. */
static void dense_rows(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, SOLVER, WRITER("csv") WRITER("txt"));
  scene_run_steps(&run, 2);
  const Dense d = matrix_of(&run);
  static const char *const names[] = {"csv00002.csv", "txt00002.txt"};
  for (int k = 0; k < 2; k++) {
    size_t size = 0;
    char *text = read_all(names[k], &size), *at = text;
    for (size_t i = 0; i < d.rows * d.columns; i++) {
      at += strspn(at, "[], \n");
      assert_true(strtod(at, &at) == d.a[i]);
    }
    assert_int_equal(strspn(at, "] \n"), strlen(at));
    assert_int_equal(k == 0 ? text[0] != '[' : text[0] == '[', 1);
    free(text);
  }
  free(d.a);
  scene_run_close(&run);
}

static void matrix_market(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, SOLVER, WRITER("mtx"));
  scene_run_steps(&run, 5);
  const Dense d = matrix_of(&run);
  size_t size = 0, rows = 0, columns = 0, entries = 0, n = 0;
  char *text = read_all("mtx00004.mtx", &size), *at = strchr(text, '\n');
  assert_int_equal(strncmp(text, "%%MatrixMarket matrix coordinate real general", 45), 0);
  rows = strtoul(at, &at, 10), columns = strtoul(at, &at, 10), entries = strtoul(at, &at, 10);
  assert_true(rows == d.rows && columns == d.columns);
  Dense found = dense_new(rows, columns);
  for (size_t k = 0; k < entries; k++) {
    const size_t i = strtoul(at, &at, 10), j = strtoul(at, &at, 10);
    *dense_at(&found, i - 1, j - 1) = strtod(at, &at);
  }
  for (size_t i = 0; i < rows * columns; i++) n += d.a[i] != 0;
  assert_int_equal(n, entries);
  /* the matrix is the one of the last step, the file that of the one before */
  assert_true(dense_difference(&d, &found) < 1e-3 && dense_difference(&d, &found) > 0);
  free(d.a), free(found.a), free(text);
  scene_run_close(&run);
}

static uint32_t number(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Unpacks a PNG of one bit a pixel, checking its chunks. bits: 1 white, one byte a pixel. */
static void read_png(const char *name, uint32_t *width, uint32_t *height, uint8_t *pixels) {
  size_t size = 0;
  char *bytes = read_all(name, &size);
  static uint8_t lines[100000];
  uLongf unpacked = sizeof lines;
  assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
  for (size_t at = 8; at < size; at += 12 + number(bytes + at)) {
    const uint32_t n = number(bytes + at);
    const uLong sum = crc32(0, (const Bytef *)bytes + at + 4, n + 4);
    assert_int_equal(sum, number(bytes + at + 8 + n));
    if (!memcmp(bytes + at + 4, "IHDR", 4)) {
      *width = number(bytes + at + 8), *height = number(bytes + at + 12);
      assert_memory_equal(bytes + at + 16, "\1\0\0\0\0", 5);
    }
    if (!memcmp(bytes + at + 4, "IDAT", 4))
      assert_int_equal(uncompress(lines, &unpacked, (const Bytef *)bytes + at + 8, n), Z_OK);
  }
  const size_t stride = 1 + (*width + 7) / 8;
  assert_int_equal(unpacked, stride * *height);
  for (uint32_t y = 0; y < *height; y++)
    for (uint32_t x = 0; x < *width; x++)
      pixels[y * *width + x] = (lines[y * stride + 1 + x / 8] >> (7 - x % 8)) & 1;
  free(bytes);
}

/* The end of a run writes the matrix of its last step, once. */
static void at_the_end(void **state) {
  (void)state;
  SceneRun run;
  size_t size = 0;
  open_scene(&run, SOLVER,
             "<GlobalSystemMatrixExporter exportAtEnd='1' filename='end' format='mtx'/>");
  scene_run_steps(&run, 3);
  assert_int_equal(access("end00003.mtx", F_OK), -1);
  assert_int_equal(sofa_simulation_finish(run.simulation), SOFA_OK);
  free(read_all("end00003.mtx", &size));
  assert_true(size > 0);
  scene_run_close(&run);
}

/* The matrix that the first step builds, before it: where a step builds one matrix alone, the file
 * of the beginning is that of step 1. Nothing else changes. */
static void at_the_beginning(void **state) {
  (void)state;
#define ONE_ITERATION "<NewtonRaphsonSolver maxNbIterationsNewton='1'/>"
  static const struct {
    const char *loop, *solver, *fem;
  } cases[] = {
      {"Default", "<EulerImplicitSolver rayleighStiffness='0.1'/>" SOLVER, "large"},
      {"Default", "<EulerImplicitSolver trapezoidalScheme='1'/>" SOLVER, "large"},
      {"Default", "<NewmarkImplicitSolver/>" SOLVER, "large"},
      {"Default", "<BDFOdeSolver order='1'/>" ONE_ITERATION SOLVER, "large"},
      {"Default", "<StaticSolver/>" ONE_ITERATION SOLVER, "large"},
      {"Default", "<VariationalSymplecticSolver steps='1' computeHamiltonian='0'/>" SOLVER,
       "large"},
      {"Default", "<BackwardEulerODESolver/><LDLTSolver/>", "large"},
      {"Default", "<StaticODESolver/><LLTSolver/>", "large"},
      {"Default", "<LegacyStaticODESolver/><LUSolver/>", "large"},
      {"Default", "<BDFOdeSolver order='3'/>" ONE_ITERATION SOLVER, NULL},
      {"MultiStep", "<EulerImplicitSolver/>" SOLVER, "small"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    if (lacks_gpl_part(cases[k].solver)) continue;
    double x[2][36];
    for (int begin = 0; begin < 2; begin++) {
      char text[3000];
      SceneRun run;
      const char *fem = cases[k].fem ? cases[k].fem : "small";
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.02'><RequiredPlugin name='SofaCaribou'/>"
               "<%sAnimationLoop%s/><DefaultVisualManagerLoop/><Node name='body'>%s"
               "<GlobalSystemMatrixExporter exportAtBegin='%d' exportEveryNumberOfSteps='%d' "
               "precision='17' filename='b' format='mtx'/>"
               "<RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='1 1 1'/>"
               "<MechanicalObject name='state' position='@grid.position' "
               "velocity='%s'/><UniformMass totalMass='1'/>"
               "<HexahedronFEMForceField method='%s' youngModulus='100' poissonRatio='0.3'/>"
               "<FixedProjectiveConstraint indices='0 3 6'/></Node></Node>",
               cases[k].loop, cases[k].loop[0] == 'M' ? " integrationSteps='3'" : "",
               cases[k].solver, begin, begin,
               "0 0 0 1 0 0 0 2 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", fem);
      scene_run_open(&run, text, NULL);
      assert_int_equal(access("b00000.mtx", F_OK), begin - 1);
      scene_run_steps(&run, 2);
      memcpy(x[begin], scene_run_state(&run, "/body/state")->position.data, sizeof x[begin]);
      scene_run_close(&run);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    size_t before = 0, after = 0;
    char *first = read_all("b00000.mtx", &before), *second = read_all("b00001.mtx", &after);
    assert_true(before > 500);
    /* a start of several steps ends with another matrix */
    if (cases[k].fem && (before != after || memcmp(first, second, before) != 0))
      fail_msg("%s: another matrix", cases[k].solver);
    free(first), free(second);
    remove("b00000.mtx"), remove("b00001.mtx"), remove("b00002.mtx");
  }
}

/* At full size, and reduced to fewer pixels than rows. */
static void pictures(void **state) {
  (void)state;
  SceneRun run;
  open_scene(
      &run, SOLVER,
      "<GlobalSystemMatrixImage exportEveryNumberOfSteps='1' filename='full'/>"
      "<GlobalSystemMatrixImage exportEveryNumberOfSteps='1' filename='small' pixels='10'/>");
  scene_run_steps(&run, 1);
  Dense d = matrix_of(&run);
  static uint8_t pixels[10000];
  for (uint32_t small = 0; small < 2; small++) {
    uint32_t width = 0, height = 0;
    const uint32_t scale = small ? 4 : 1, sides = small ? 9 : 36;
    read_png(small ? "small00001.png" : "full00001.png", &width, &height, pixels);
    assert_true(width == sides && height == sides);
    for (uint32_t y = 0; y < height; y++) {
      for (uint32_t x = 0; x < width; x++) {
        bool any = false;
        for (uint32_t r = 0; r < scale; r++)
          for (uint32_t c = 0; c < scale; c++)
            any |= *dense_at(&d, scale * y + r, scale * x + c) != 0;
        assert_int_equal(pixels[y * width + x], !any);
      }
    }
  }
  free(d.a);
  scene_run_close(&run);
}

/* Initialises a body whose matrix shall be written at the beginning: no file comes. */
static void expect_nothing(const char *solver, const char *linear, const char *body) {
  char text[2000];
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.02'><RequiredPlugin name='SofaCaribou'/>"
           "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'><%s/>"
           "<NewtonRaphsonSolver/>%s"
           "<GlobalSystemMatrixExporter exportAtBegin='1' linearSystem='@a' filename='n'/>%s"
           "</Node></Node>",
           solver, linear, body);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  const SofaErr err = sofa_simulation_init(run.simulation);
  if (err != SOFA_OK || !strstr(run.all, "has no matrix")) fail_msg("%s: %s", solver, run.all);
  scene_run_close(&run);
  assert_int_equal(access("n00000.txt", F_OK), -1);
}

/* Without a linear solver there is nothing to write at the beginning; the step tells. An explicit
 * step divides by diagonal masses and needs no matrix, with a linear solver neither. */
static void nothing_at_the_beginning(void **state) {
  (void)state;
  static const char *const solvers[] = {"EulerImplicitSolver",
                                        "NewmarkImplicitSolver",
                                        "BDFOdeSolver",
                                        "StaticSolver",
                                        "VariationalSymplecticSolver",
                                        "EulerExplicitSolver",
                                        "RungeKutta4Solver",
                                        "StaticODESolver",
                                        "BackwardEulerODESolver",
                                        "LegacyStaticODESolver"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
    expect_nothing(solvers[k], "<MatrixLinearSystem name='a'/>", BODY);
  expect_nothing("EulerExplicitSolver", SOLVER, BODY);
}

/* The matrix of an explicit step is the mass, of which each direction has the total. */
static void mass_of_an_explicit_step(void **state) {
  (void)state;
  SceneRun run;
  char text[2000];
  size_t size = 0;
  double total = 0;
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.02'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'><EulerExplicitSolver/>" SOLVER
           "<GlobalSystemMatrixExporter exportAtBegin='1' precision='17' filename='m' "
           "format='mtx'/>%s</Node></Node>",
           "<RegularGridTopology n='3 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
           "<MeshMatrixMass totalMass='1.5'/>");
  scene_run_open(&run, text, NULL);
  char *file = read_all("m00000.mtx", &size), *at = strchr(file, '\n');
  const size_t rows = strtoul(at, &at, 10);
  assert_int_equal(strtoul(at, &at, 10), rows);
  for (size_t k = strtoul(at, &at, 10); k > 0; k--) {
    strtoul(strchr(at, ' ') + 1, &at, 10);
    total += strtod(at, &at);
  }
  assert_int_equal(rows, 36);
  if (!(total > 4.5 - 1e-12 && total < 4.5 + 1e-12)) fail_msg("the sum is %.17g", total);
  free(file);
  remove("m00000.mtx");
  scene_run_close(&run);
}

static void expect_problem(const char *solver, const char *writer, bool fails, const char *said) {
  SceneRun run = {.quiet = true};
  char text[2000];
  scene_run_context(&run, NULL);
  snprintf(text, sizeof text, scene, solver, writer);
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
  assert_int_equal(err != SOFA_OK, fails);
  if (!strstr(run.all, said)) fail_msg("'%s' is not in '%s'", said, run.all);
  scene_run_close(&run);
}

static void problems(void **state) {
  (void)state;
  expect_problem("<CGLinearSolver/>", "<GlobalSystemMatrixExporter exportEveryNumberOfSteps='1'/>",
                 false, "no assembled linear system");
  expect_problem("<MatrixFreeSystem name='f'/><CGLinearSolver/>",
                 "<GlobalSystemMatrixImage linearSystem='@f' exportEveryNumberOfSteps='1'/>", false,
                 "has no matrix");
  expect_problem(SOLVER, "<GlobalSystemMatrixExporter format='jpg'/>", true, "format");
  expect_problem(SOLVER, "<GlobalSystemMatrixExporter precision='18'/>", true,
                 "expected in [1, 17]");
  expect_problem(SOLVER, "<GlobalSystemMatrixImage pixels='0'/>", true, "expected >= 1");
  expect_problem("<MatrixFreeSystem name='f'/><CGLinearSolver/>",
                 "<GlobalSystemMatrixImage linearSystem='@f' exportAtBegin='1'/>", false,
                 "has no matrix");
  expect_problem(SOLVER, "<GlobalSystemMatrixImage filename='no/such/m' exportAtBegin='1'/>", true,
                 "there is no folder 'no/such'");
  expect_problem(SOLVER,
                 "<GlobalSystemMatrixImage filename='no/such/m' exportEveryNumberOfSteps='1'/>",
                 true, "there is no folder 'no/such'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_rows),
      cmocka_unit_test(matrix_market),
      cmocka_unit_test(at_the_end),
      cmocka_unit_test(at_the_beginning),
      cmocka_unit_test(nothing_at_the_beginning),
      cmocka_unit_test(mass_of_an_explicit_step),
      cmocka_unit_test(pictures),
      cmocka_unit_test(problems),
  };
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  static const char *const files[] = {"csv00002.csv", "txt00002.txt",  "mtx00002.mtx",
                                      "mtx00004.mtx", "full00001.png", "small00001.png",
                                      "end00003.mtx"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(files[i]);
  return with_skipped(chdir("/") != 0 || rmdir(folder) != 0 || failed);
}
