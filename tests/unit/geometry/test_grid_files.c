/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structured data sets of VTK files, legacy and XML, of any number of points along each axis: every
 * point and every cell. */
#include "tests/unit/geometry/reader_forms.h"

typedef struct Grid {
  int n[3];       /* points along each axis */
  bool irregular; /* axes that are lists of coordinates */
  char text[20000];
  size_t length;
  char expected[MOST_DUMP];
  size_t n_expected;
} Grid;

#define TEXT(g, ...)                                                                               \
  ((g)->length +=                                                                                  \
   (size_t)snprintf((g)->text + (g)->length, sizeof(g)->text - (g)->length, __VA_ARGS__))
#define EXPECT(g, ...)                                                                             \
  ((g)->n_expected += (size_t)snprintf((g)->expected + (g)->n_expected,                            \
                                       sizeof(g)->expected - (g)->n_expected, __VA_ARGS__))

/* Point i of an axis: from -1 on in steps of 0.5, 2 and 3; or irregular. */
static double along(const Grid *g, int axis, int i) {
  static const double step[3] = {0.5, 2, 3};
  return g->irregular ? i * i + axis : -1 + step[axis] * i;
}

static void expect_points(Grid *g) {
  const char *blank = "";
  g->n_expected = 0;
  g->expected[0] = '\0';
  if (!(g->n[0] && g->n[1] && g->n[2])) return;
  EXPECT(g, "points");
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        EXPECT(g, "%s %.9g %.9g %.9g", blank, along(g, 0, i), along(g, 1, j), along(g, 2, k));
}

/* Cells between points that follow along the axes with more than one point. */
static void expect_cells(Grid *g) {
  static const char *const names[4] = {NULL, "edges", "quads", "hexas"};
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int stride[3] = {1, g->n[0], g->n[0] * g->n[1]};
  int axes[3] = {0}, n = 0;
  for (int k = 0; k < 3; k++) {
    if (g->n[k] == 0) return;
    if (g->n[k] > 1) axes[n++] = k;
  }
  if (n == 0) return;
  EXPECT(g, " %s", names[n]);
  const int most[3] = {g->n[axes[0]] - 1, n > 1 ? g->n[axes[1]] - 1 : 1,
                       n > 2 ? g->n[axes[2]] - 1 : 1};
  for (int c = 0; c < most[0] * most[1] * most[2]; c++) {
    const int at[3] = {c % most[0], c / most[0] % most[1], c / most[0] / most[1]};
    for (int v = 0; v < 1 << n; v++) {
      int point = 0;
      for (int k = 0; k < n; k++) point += (at[k] + corner[v][k]) * stride[axes[k]];
      EXPECT(g, " %d", point);
    }
  }
}

static void put_points(Grid *g) {
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        TEXT(g, "%g %g %g\n", along(g, 0, i), along(g, 1, j), along(g, 2, k));
}

static void put_axis(Grid *g, int axis) {
  for (int i = 0; i < g->n[axis]; i++) TEXT(g, "%g ", along(g, axis, i));
}

static void legacy(Grid *g, const char *dataset) {
  TEXT(g, "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET %s\nDIMENSIONS %d %d %d\n", dataset,
       g->n[0], g->n[1], g->n[2]);
  if (strcmp(dataset, "STRUCTURED_POINTS") == 0) {
    TEXT(g, "ORIGIN -1 -1 -1\nSPACING 0.5 2 3\n");
  } else if (strcmp(dataset, "STRUCTURED_GRID") == 0) {
    TEXT(g, "POINTS %d double\n", g->n[0] * g->n[1] * g->n[2]);
    put_points(g);
  } else {
    for (int k = 0; k < 3; k++) {
      TEXT(g, "%c_COORDINATES %d double\n", "XYZ"[k], g -> n[k]);
      put_axis(g, k);
      TEXT(g, "\n");
    }
  }
}

/* The extent of an image may begin anywhere. */
static void xml(Grid *g, const char *dataset) {
  const bool image = strcmp(dataset, "ImageData") == 0;
  const int first[3] = {image ? 2 : 0, image ? -1 : 0, image ? 5 : 0};
  char extent[100];
  snprintf(extent, sizeof extent, "%d %d %d %d %d %d", first[0], first[0] + g->n[0] - 1, first[1],
           first[1] + g->n[1] - 1, first[2], first[2] + g->n[2] - 1);
  TEXT(g, "<?xml version='1.0'?>\n<VTKFile type='%s'><!-- < --><%s WholeExtent='%s'", dataset,
       dataset, extent);
  if (image) TEXT(g, " Origin='-2 1 -16' Spacing='0.5 2 3'");
  TEXT(g, "><Piece Extent='%s'>", extent);
  if (strcmp(dataset, "StructuredGrid") == 0) {
    TEXT(g, "<Points><DataArray type='Float64' format='ascii'>\n");
    put_points(g);
    TEXT(g, "</DataArray></Points>");
  } else if (!image) {
    TEXT(g, "<Coordinates>");
    for (int k = 0; k < 3; k++) {
      TEXT(g, "<DataArray type='Float64' format='ascii'>");
      put_axis(g, k);
      TEXT(g, "</DataArray>");
    }
    TEXT(g, "</Coordinates>");
  }
  TEXT(g, "</Piece></%s></VTKFile>\n", dataset);
}

static void check(Forms *f, Grid *g, int form) {
  static const char *const datasets[6] = {"STRUCTURED_POINTS", "STRUCTURED_GRID",
                                          "RECTILINEAR_GRID",  "ImageData",
                                          "StructuredGrid",    "RectilinearGrid"};
  g->irregular = form % 3 > 0;
  g->length = 0;
  if (form < 3) legacy(g, datasets[form]);
  else xml(g, datasets[form]);
  assert_true(g->length < sizeof g->text);
  expect_points(g);
  expect_cells(g);
  assert_true(g->n_expected < sizeof g->expected);
  forms_give(f, VTK, g->text, g->expected);
}

static void every_size(void **state) {
  static Forms f;
  static Grid g;
  static const int sizes[][3] = {{3, 4, 5}, {2, 2, 2}, {2, 3, 2}, {1, 3, 4}, {4, 1, 3},
                                 {3, 4, 1}, {1, 1, 4}, {1, 4, 1}, {4, 1, 1}, {1, 1, 1},
                                 {0, 2, 2}, {2, 0, 2}, {2, 2, 0}};
  (void)state;
  forms_open(&f);
  for (size_t i = 0; i < SOFA_COUNT(sizes); i++)
    for (int form = 0; form < 6; form++) {
      memcpy(g.n, sizes[i], sizeof g.n);
      check(&f, &g, form);
    }
  forms_close(&f);
}

/* The axes of an image are those of its Direction, row by row. */
static void images_are_turned(void **state) {
  static Forms f;
  (void)state;
  forms_open(&f);
  forms_give(&f, VTK,
             "<VTKFile type='ImageData'><ImageData Origin='1 2 3' Spacing='2 3 5' "
             "Direction='0 -1 0 1 0 0 0 0 1'><Piece Extent='1 2 0 1 0 0'></Piece></ImageData>"
             "</VTKFile>",
             "points 1 4 3 1 6 3 -2 4 3 -2 6 3 quads 0 1 3 2");
  forms_close(&f);
}

/* Extents that no image has, at its least and its greatest. */
static void extents_are_limited(void **state) {
  static const char *const extents[] = {"2e9 2e9 0 0 0 0", "-2e9 -2e9 0 0 0 0", "0 2e9 0 0 0 0",
                                        "0 0 0 -2 0 0", "0 0 0 0 nan 0"};
  static Forms f;
  char text[300];
  (void)state;
  forms_open(&f);
  for (size_t i = 0; i < SOFA_COUNT(extents); i++) {
    snprintf(text, sizeof text, "<VTKFile type='ImageData'><Piece Extent='%s'/></VTKFile>",
             extents[i]);
    forms_give(&f, VTK, text,
               i == 4 ? "!1 Extent='0 0 0 0 nan 0': 6 numbers are expected"
                      : "!1 the Extent of a piece is broken");
  }
  forms_give(&f, VTK,
             "<VTKFile type='ImageData'><Piece Extent='1999999999 1999999999 -1999999999 "
             "-1999999999 0 -1'/></VTKFile>",
             "");
  forms_give(&f, VTK,
             "<VTKFile type='ImageData'><Piece Extent='1999999999 1999999999 -1999999999 "
             "-1999999999 0 0'/></VTKFile>",
             "points 2e+09 -2e+09 0");
  forms_close(&f);
}

/* A grid may have so many points and no more. */
static void sizes_are_limited(void **state) {
  static const char *const refused[] = {"100000001 1 1", "1 100000001 1", "1 1 100000001",
                                        "10000 10001 1", "1000 1000 101", "-1 1 1",
                                        "1 -1 1",        "1 1 -1"};
  static Forms f;
  char text[300];
  (void)state;
  forms_open(&f);
  for (size_t i = 0; i < SOFA_COUNT(refused); i++) {
    snprintf(text, sizeof text,
             "# vtk DataFile Version 3.0\nx\nASCII\nDATASET RECTILINEAR_GRID\nDIMENSIONS %s\n",
             refused[i]);
    assert_int_equal(forms_read(&f, VTK, text, strlen(text)), SOFA_ERR_RANGE);
    assert_non_null(strstr(f.dump, "points; there can be 0 to 100000000 in all"));
    assert_memory_equal(f.dump, "!5 a grid of ", 13);
  }
  // the most of them: the axes are looked for
  static const char *const most[] = {"100000000 1 1", "10000 10000 1", "1000 1000 100"};
  for (size_t i = 0; i < SOFA_COUNT(most); i++) {
    snprintf(text, sizeof text,
             "# vtk DataFile Version 3.0\nx\nASCII\nDATASET RECTILINEAR_GRID\nDIMENSIONS %s\n",
             most[i]);
    assert_int_equal(forms_read(&f, VTK, text, strlen(text)), SOFA_ERR_PARSE);
    assert_non_null(strstr(f.dump, "x coordinates announced, 0 given"));
  }
  forms_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size),
      cmocka_unit_test(images_are_turned),
      cmocka_unit_test(extents_are_limited),
      cmocka_unit_test(sizes_are_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
