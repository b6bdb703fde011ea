/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of VTK files on meshes that are divided among processes: each has the values of its points
 * and cells. */
#include "tests/unit/scene/scene_test.h"
#include "tests/unit/simulation/processes.h"

#include "behavior/loader.h"
#include "behavior/whole_list.h"
#include "components/builtins.h"
#include "object/numbers.h"
#include "simulation/simulation.h"
#include "topology/division.h"

enum { NX = 7, NY = 2, NZ = 2, POINTS = NX * NY * NZ, CELLS = NX - 1, MOST_TEXT = 20000 };

/* The widths of arrays; those of 5, 8 and 9 are one long list of numbers. */
static const int widths[] = {1, 2, 3, 4, 5, 6, 8, 9};

typedef struct Shared {
  char path[64];
  const char *young;
  size_t n_points, n_cells; /* sums over the processes */
  SofaErr err;
  char messages[MOST_PROCESSES][2000];
} Shared;

static double value_at(int width, size_t row, int column) {
  return 1000 * width + 10 * (double)row + column + 0.5;
}

static int put_arrays(char *to, int n_rows) {
  int n = 0;
  for (size_t w = 0; w < SOFA_COUNT(widths); w++) {
    n += sprintf(to + n, "%c%d %d %d double\n", n_rows == POINTS ? 'p' : 'c', widths[w], widths[w],
                 n_rows);
    for (int row = 0; row < n_rows; row++)
      for (int c = 0; c < widths[w]; c++)
        n += sprintf(to + n, "%.1f ", value_at(widths[w], (size_t)row, c));
    n += sprintf(to + n, "\n");
  }
  n += sprintf(to + n, "%c 1 %d int\n", n_rows == POINTS ? 'p' : 'c', n_rows);
  for (int row = 0; row < n_rows; row++) n += sprintf(to + n, "%d ", 3 * row);
  return n + sprintf(to + n, "\n");
}

static int put_hexa(char *to, int x) {
  static const int corners[8] = {0,       1,           NX + 1,           NX,
                                 NX * NY, NX * NY + 1, NX * NY + NX + 1, NX * NY + NX};
  int n = sprintf(to, "8");
  for (int k = 0; k < 8; k++) n += sprintf(to + n, " %d", x + corners[k]);
  return n + sprintf(to + n, "\n");
}

/* A row of hexahedra; mixed: the last cell is a tetrahedron. */
static void write_file(const char *path, bool mixed) {
  static char text[MOST_TEXT];
  int n = sprintf(text,
                  "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d "
                  "double\n",
                  POINTS);
  for (int i = 0; i < POINTS; i++)
    n += sprintf(text + n, "%d %d %d\n", i % NX, i / NX % NY, i / NX / NY);
  n += sprintf(text + n, "CELLS %d %d\n", CELLS, 9 * CELLS - 4 * mixed);
  for (int e = 0; e < CELLS - mixed; e++) n += put_hexa(text + n, e);
  if (mixed) n += sprintf(text + n, "4 5 6 12 19\n");
  n += sprintf(text + n, "CELL_TYPES %d\n", CELLS);
  for (int e = 0; e < CELLS; e++) n += sprintf(text + n, mixed && e == CELLS - 1 ? "10 " : "12 ");
  n += sprintf(text + n, "\nPOINT_DATA %d\nFIELD points %d\n", POINTS, (int)SOFA_COUNT(widths) + 1);
  n += put_arrays(text + n, POINTS);
  n += sprintf(text + n, "CELL_DATA %d\nFIELD cells %d\n", CELLS, (int)SOFA_COUNT(widths) + 1);
  n += put_arrays(text + n, CELLS);
  assert_true(n < MOST_TEXT);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, (size_t)n, out), n);
  fclose(out);
}

/* Rows of the array of this process; whole: all rows. */
static bool has_rows(const SofaMeshLoader *l, int width, SofaElementKind kind, bool whole) {
  char name[10];
  const bool points = kind == SOFA_ELEMENT_POINT;
  const SofaDivision *d = l->division;
  const size_t n = whole ? CELLS : sofa_division_n_local(d, kind);
  snprintf(name, sizeof name, width ? "%c%d" : "%c", points ? 'p' : 'c', width);
  const SofaField *field = sofa_class_field(l->object.klass, name);
  if (!field) return false;
  const void *value = sofa_field_value(&l->object, field);
  const size_t columns = width ? (size_t)width : 1;
  if (sofa_value_length(field, value) * sofa_value_width(field, value) != n * columns) return false;
  for (size_t i = 0; i < n * columns; i++) {
    const size_t row = whole ? i / columns : sofa_division_number(d, kind, i / columns);
    const SofaAnyList *list = value;
    const double expected = value_at(width, row, (int)(i % columns));
    if (width ? ((const double *)list->data)[i] != expected
              : ((const int *)list->data)[i] != 3 * (int)row)
      return false;
  }
  return true;
}

static SofaErr look(const SofaSimulation *s, Shared *shared, bool mixed) {
  const SofaMeshLoader *l = (SofaMeshLoader *)sofa_resolve_path(s->root, "/body/l", NULL);
  bool good = l && l->division;
  for (size_t w = 0; good && w < SOFA_COUNT(widths); w++)
    good = has_rows(l, widths[w], SOFA_ELEMENT_POINT, false) &&
           has_rows(l, widths[w], SOFA_ELEMENT_HEXA, mixed);
  good =
      good && has_rows(l, 0, SOFA_ELEMENT_POINT, false) && has_rows(l, 0, SOFA_ELEMENT_HEXA, mixed);
  if (!good) return SOFA_ERR_RANGE;
  __atomic_fetch_add(&shared->n_points, sofa_division_n_local(l->division, SOFA_ELEMENT_POINT),
                     __ATOMIC_RELAXED);
  __atomic_fetch_add(&shared->n_cells, sofa_division_n_local(l->division, SOFA_ELEMENT_HEXA),
                     __ATOMIC_RELAXED);
  return SOFA_OK;
}

static SofaErr run_scene(SofaContext *ctx, Shared *shared) {
  char text[2000];
  SofaSimulation *s = NULL;
  snprintf(text, sizeof text,
           "<Node gravity='0 -9.81 0' dt='0.02'><RequiredPlugin pluginName='Sofa.Component'/>"
           "<DefaultAnimationLoop/><Node name='body'><EulerImplicitSolver/>"
           "<CGLinearSolver iterations='100' tolerance='1e-9' threshold='1e-9'/>"
           "<MeshVTKLoader name='l' filename='%s'/><MeshTopology name='mesh' src='@l'/>"
           "<MechanicalObject name='dofs' src='@l'/><HexahedronFEMForceField poissonRatio='0.3' "
           "youngModulus='%s'/><UniformMass totalMass='2'/></Node></Node>",
           shared->path, shared->young);
  SofaErr err = sofa_simulation_load_text(ctx, text, &s);
  if (err == SOFA_OK) err = sofa_simulation_init(s);
  if (err == SOFA_OK) err = look(s, shared, strstr(shared->path, "mixed") != NULL);
  sofa_simulation_destroy(&s);
  return err;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Shared *shared = user;
  Bench *b = calloc(1, sizeof *b);
  bench_open(b, false);
  SofaErr err = sofa_register_builtins(b->ctx);
  if (err == SOFA_OK) err = thread_join(process, b->ctx);
  if (err == SOFA_OK) err = run_scene(b->ctx, shared);
  snprintf(shared->messages[process->rank], sizeof *shared->messages, "%.1900s", b->messages);
  bench_close(b);
  free(b);
  return err;
}

static void run(Shared *shared, int n, bool mixed, const char *young) {
  memset(shared, 0, sizeof *shared);
  snprintf(shared->path, sizeof shared->path, "/tmp/csofa-%s-%ld.vtk", mixed ? "mixed" : "cells",
           (long)getpid());
  shared->young = young;
  write_file(shared->path, mixed);
  shared->err = threads_run(n, run_process, shared);
  unlink(shared->path);
}

static void values_are_divided(void **state) {
  static Shared shared;
  (void)state;
  for (int n = 2; n <= 4; n++) {
    run(&shared, n, false, "1000");
    if (shared.err != SOFA_OK)
      fail_msg("%d: %s\n%s", n, sofa_err_text(shared.err), shared.messages[0]);
    assert_true(shared.n_points > POINTS && shared.n_cells >= CELLS);
  }
}

/* With cells of two kinds it is not known which of them a row is of: an error where it is used. */
static void cells_of_two_kinds(void **state) {
  static Shared shared;
  (void)state;
  run(&shared, 2, true, "1000");
  if (shared.err != SOFA_OK) fail_msg("%s\n%s", sofa_err_text(shared.err), shared.messages[0]);
  run(&shared, 2, true, "@l.c1");
  assert_int_equal(shared.err, SOFA_ERR_UNSUPPORTED);
  if (!strstr(shared.messages[0],
              "field 'c1' is not supported yet on a mesh that is divided among processes: the file "
              "has cells of several kinds"))
    fail_msg("%s", shared.messages[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_divided),
                                     cmocka_unit_test(cells_of_two_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
