/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is written as a VTK file is read again: XML as text and compressed, and legacy; with arrays
 * that fill blocks exactly, and those around. */
#include "tests/unit/geometry/reader_forms.h"

#include "numerics/io/vtk_writer.h"

enum { MOST_POINTS = 8193, MOST_CELLS = 2 * MOST_POINTS };

typedef struct Grid {
  double points[3 * MOST_POINTS], pressure[MOST_POINTS], force[3 * MOST_POINTS];
  double quality[2 * MOST_CELLS];
  uint32_t edges[2 * MOST_POINTS];
  VtkCells cells[2];
  SofaVtkField of_points[2], of_cells[1];
  VtkGrid grid;
} Grid;

/* Values of any size, which no few digits write. */
static double value(size_t i) {
  return (i % 2 ? 1.0 : -1.0) / (double)(3 + i) * (i % 7 ? 1 : 1e20);
}

/* n points, an edge behind each but the last, and a cell of one point at each when `vertices`. */
static void fill(Grid *g, size_t n, bool vertices) {
  const size_t n_edges = n ? n - 1 : 0;
  for (size_t i = 0; i < 3 * n; i++) g->points[i] = value(i), g->force[i] = value(2 * i + 1);
  for (size_t i = 0; i < n; i++) g->pressure[i] = value(5 * i);
  for (size_t i = 0; i < 2 * (n_edges + n); i++) g->quality[i] = value(3 * i + 2);
  for (size_t i = 0; i < n_edges; i++) {
    g->edges[2 * i] = (uint32_t)i;
    g->edges[2 * i + 1] = (uint32_t)(i + 1);
  }
  g->cells[0] = (VtkCells){3, 2, n_edges, g->edges};
  g->cells[1] = (VtkCells){1, 1, n, NULL};
  g->of_points[0] = (SofaVtkField){"p", 1, g->pressure};
  g->of_points[1] = (SofaVtkField){"f", 3, g->force};
  g->of_cells[0] = (SofaVtkField){"q", 2, g->quality};
  g->grid = (VtkGrid){.points = g->points,
                      .n_points = n,
                      .cells = g->cells,
                      .n_cells = vertices ? 2 : 1,
                      .point_fields = g->of_points,
                      .cell_fields = g->of_cells,
                      .n_point_fields = 2,
                      .n_cell_fields = 1};
}

static void same(const double *a, const double *b, size_t n) {
  for (size_t i = 0; i < n; i++) assert_true(a[i] == b[i]);
}

static void is_read_back(Forms *f, const Grid *g, SofaVtkBuffers *b) {
  const size_t n = g->grid.n_points, n_edges = n ? n - 1 : 0;
  const size_t n_cells = n_edges + (g->grid.n_cells > 1 ? n : 0);
  const SofaErr err = forms_read(f, VTK, b->text.data, b->text.n);
  if (err != SOFA_OK) fail_msg("%zu points: %s", n, f->dump);
  assert_int_equal(f->data.mesh.position.n, n);
  assert_int_equal(f->data.mesh.edges.n, n_edges);
  if (n_edges) assert_memory_equal(f->data.mesh.edges.data, g->edges, 8 * n_edges);
  if (n) same(f->data.mesh.position.data[0].v, g->points, 3 * n);
  assert_int_equal(f->extras.arrays.n, 3);
  const SofaVtkArray *a = f->extras.arrays.data;
  assert_string_equal(a[0].name, "p");
  assert_string_equal(a[1].name, "f");
  assert_string_equal(a[2].name, "q");
  assert_true(!a[0].cells && !a[1].cells && a[2].cells);
  assert_true(a[0].width == 1 && a[1].width == 3 && a[2].width == 2);
  assert_true(a[0].values.n == n && a[1].values.n == 3 * n && a[2].values.n == 2 * n_cells);
  same(a[0].values.data, g->pressure, n);
  same(a[1].values.data, g->force, 3 * n);
  same(a[2].values.data, g->quality, 2 * n_cells);
}

/* 8192 points of 24 bytes are three blocks; 8192 reals one, 4096 cells of two reals one. */
static void sizes_around_blocks(void **state) {
  static const size_t sizes[] = {0, 1, 2, 3, 4, 2730, 2731, 4096, 4097, 8191, 8192, 8193};
  static Forms f;
  static Grid g;
  SofaVtkBuffers b = {0};
  (void)state;
  forms_open(&f);
  for (size_t i = 0; i < SOFA_COUNT(sizes); i++)
    for (int k = 0; k < 6; k++) {
      // texts of many numbers are all the same
      if (k % 3 && sizes[i] > 5000) continue;
      fill(&g, sizes[i], k >= 3);
      assert_int_equal(k % 3 == 2 ? sofa_vtk_write_legacy(f.ctx, &g.grid, "title", &b)
                                  : sofa_vtk_write_xml(f.ctx, &g.grid, k % 3 == 1, &b),
                       SOFA_OK);
      is_read_back(&f, &g, &b);
    }
  sofa_vtk_buffers_free(f.ctx, &b);
  forms_close(&f);
}

/* The legacy file, byte for byte. */
static void legacy_text(void **state) {
  static const double points[6] = {0, 0.5, 1, -2, 1e300, 3}, values[4] = {1, 2, 3, 4};
  static const uint32_t edge[2] = {1, 0};
  const VtkCells cells[2] = {{3, 2, 1, edge}, {1, 1, 2, NULL}};
  const SofaVtkField at_points = {"a b", 2, values}, at_cells = {"c", 1, values};
  const VtkGrid grid = {points, 2, cells, 2, &at_points, &at_cells, 1, 1};
  static Forms f;
  SofaVtkBuffers b = {0};
  SofaText words = {0};
  (void)state;
  forms_open(&f);
  assert_int_equal(sofa_vtk_write_legacy(f.ctx, &grid, "t", &b), SOFA_OK);
  assert_string_equal(b.text.data,
                      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n\n"
                      "POINTS 2 double\n0 0.5 1\n-2 1.0000000000000001e+300 3\n\n"
                      "CELLS 3 7\n2 1 0\n1 0\n1 1\n\nCELL_TYPES 3\n3\n1\n1\n\n"
                      "POINT_DATA 2\nFIELD FieldData 1\na_b 2 2 double\n1 2\n3 4\n\n"
                      "CELL_DATA 3\nFIELD FieldData 1\nc 1 3 double\n1\n2\n3\n");
  assert_int_equal(sofa_vtk_append_escaped(f.ctx, &words, "a<b&c\"d>"), SOFA_OK);
  assert_string_equal(words.data, "a&lt;b&amp;c&quot;d>");
  sofa_list_free(f.ctx, &words);
  sofa_vtk_buffers_free(f.ctx, &b);
  forms_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_around_blocks),
      cmocka_unit_test(legacy_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
