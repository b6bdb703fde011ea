/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of every type in VTK files, legacy and XML, in both orders of bytes: coordinates, corners
 * and values, with the least and the greatest of the type. */
#include "tests/unit/geometry/reader_test.h"

#include <math.h>
#include "numerics/io/vtk_reader.h"

typedef struct Type {
  const char *legacy, *xml;
  unsigned size;
  bool real, is_signed;
} Type;

static const Type types[] = {
    {"char", "Int8", 1, false, true},          {"unsigned_char", "UInt8", 1, false, false},
    {"short", "Int16", 2, false, true},        {"unsigned_short", "UInt16", 2, false, false},
    {"int", "Int32", 4, false, true},          {"unsigned_int", "UInt32", 4, false, false},
    {"long", "Int64", 8, false, true},         {"unsigned_long", "UInt64", 8, false, false},
    {"vtktypeint32", "Int32", 4, false, true}, {"vtktypeuint32", "UInt32", 4, false, false},
    {"vtktypeint64", "Int64", 8, false, true}, {"vtktypeuint64", "UInt64", 8, false, false},
    {"vtkIdType", "Int64", 8, false, true},    {"float", "Float32", 4, true, true},
    {"double", "Float64", 8, true, true},
};

typedef struct Bytes {
  char data[2000];
  size_t n;
  bool big;
} Bytes;

static void put(Bytes *b, const char *text) {
  const size_t n = strlen(text);
  assert_true(b->n + n < sizeof b->data);
  memcpy(b->data + b->n, text, n);
  b->n += n;
}

static void put_bits(Bytes *b, uint64_t bits, unsigned size) {
  assert_true(b->n + size < sizeof b->data);
  for (unsigned k = 0; k < size; k++)
    b->data[b->n++] = (char)(bits >> 8 * (b->big ? size - 1 - k : k));
}

enum { N_NUMBERS = 9 };

/* Numbers of a type, as they are written and as they are read. */
static void numbers_of(const Type *t, uint64_t bits[N_NUMBERS], double values[N_NUMBERS]) {
  static const double reals[N_NUMBERS] = {0, 1, 2, -1.5, 0.25, 1e30, -3e-30, 16777216, -7};
  const unsigned width = 8 * t->size;
  const uint64_t all = UINT64_MAX >> (64 - width), top = (uint64_t)1 << (width - 1);
  const uint64_t of[N_NUMBERS] = {0, 1, 2, all, all - 6, top, top - 1, top + 1, 100};
  for (int i = 0; i < N_NUMBERS; i++) {
    const float half = (float)reals[i];
    uint32_t word = 0;
    memcpy(&word, &half, 4);
    memcpy(&bits[i], &reals[i], 8);
    values[i] = reals[i];
    if (t->real && t->size == 4) bits[i] = word, values[i] = (double)half;
    if (t->real) continue;
    bits[i] = of[i];
    values[i] = (double)of[i];
    if (t->is_signed && of[i] >= top) values[i] = -(double)(all - of[i]) - 1;
  }
}

/* A whole number as the type has it. */
static void put_whole(Bytes *b, const Type *t, unsigned whole) {
  const double value = whole;
  const float half = (float)whole;
  uint64_t bits = whole;
  uint32_t word = 0;
  memcpy(&word, &half, 4);
  if (t->real && t->size == 8) memcpy(&bits, &value, 8);
  if (t->real && t->size == 4) bits = word;
  put_bits(b, bits, t->size);
}

/* A triangle and a line of three points, and a value for each point. */
static void write_legacy(Bytes *b, const Type *t, const uint64_t *bits) {
  static const unsigned offsets[] = {0, 3, 5}, corners[] = {0, 1, 2, 2, 0};
  char text[200];
  *b = (Bytes){.big = true};
  snprintf(text, sizeof text,
           "# vtk DataFile Version 5.1\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 %s\n",
           t->legacy);
  put(b, text);
  for (int i = 0; i < N_NUMBERS; i++) put_bits(b, bits[i], t->size);
  snprintf(text, sizeof text, "\nCELLS 3 5\nOFFSETS %s\n", t->legacy);
  put(b, text);
  for (int i = 0; i < 3; i++) put_whole(b, t, offsets[i]);
  snprintf(text, sizeof text, "\nCONNECTIVITY %s\n", t->legacy);
  put(b, text);
  for (int i = 0; i < 5; i++) put_whole(b, t, corners[i]);
  put(b, "\nCELL_TYPES 2\n");
  put_bits(b, 5, 4), put_bits(b, 3, 4);
  snprintf(text, sizeof text, "\nPOINT_DATA 3\nVECTORS v %s\n", t->legacy);
  put(b, text);
  for (int i = 0; i < N_NUMBERS; i++) put_bits(b, bits[i], t->size);
  put(b, "\n");
}

static void put_array(Bytes *b, const char *words, const char *type, size_t offset) {
  char text[300];
  snprintf(text, sizeof text, "<DataArray %s type=\"%s\" format=\"appended\" offset=\"%zu\"/>",
           words, type, offset);
  put(b, text);
}

static void write_xml(Bytes *b, const Type *t, const uint64_t *bits, bool big) {
  static const unsigned ends[] = {3, 5}, corners[] = {0, 1, 2, 2, 0}, kinds[] = {5, 3};
  static const Type byte = {"unsigned_char", "UInt8", 1, false, false};
  char text[300];
  const size_t size = t->size, points = 4 + 9 * size, cells = points + 4 + 5 * size;
  *b = (Bytes){.big = big};
  snprintf(text, sizeof text,
           "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"%s\">"
           "<UnstructuredGrid><Piece NumberOfPoints=\"3\" NumberOfCells=\"2\">",
           big ? "BigEndian" : "LittleEndian");
  put(b, text);
  put(b, "<PointData>");
  put_array(b, "Name=\"v\" NumberOfComponents=\"3\"", t->xml, 0);
  put(b, "</PointData><Points>");
  put_array(b, "NumberOfComponents=\"3\"", t->xml, 0);
  put(b, "</Points><Cells>");
  put_array(b, "Name=\"connectivity\"", t->xml, points);
  put_array(b, "Name=\"offsets\"", t->xml, cells);
  put_array(b, "Name=\"types\"", "UInt8", cells + 4 + 2 * size);
  put(b, "</Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_");
  put_bits(b, 9 * size, 4);
  for (int i = 0; i < N_NUMBERS; i++) put_bits(b, bits[i], t->size);
  put_bits(b, 5 * size, 4);
  for (int i = 0; i < 5; i++) put_whole(b, t, corners[i]);
  put_bits(b, 2 * size, 4);
  for (int i = 0; i < 2; i++) put_whole(b, t, ends[i]);
  put_bits(b, 2, 4);
  for (int i = 0; i < 2; i++) put_whole(b, &byte, kinds[i]);
  put(b, "</AppendedData></VTKFile>");
}

static void expect_read(const Bytes *b, const char *what, const double *values) {
  const SofaOrigin origin = {.file = "test.vtk"};
  const SofaFaceOptions faces = {0};
  SofaVtkExtras extras = {0};
  Reader r;
  reader_open(&r);
  if (sofa_vtk_read(r.ctx, &(SofaFileBytes){&origin, b->data, b->n}, &faces, &r.data, &extras) !=
      SOFA_OK)
    fail_msg("%s: %s", what, r.message);
  const SofaMesh *m = &r.data.mesh;
  assert_int_equal(m->position.n, 3);
  assert_int_equal(extras.arrays.n, 1);
  assert_int_equal(extras.arrays.data[0].values.n, N_NUMBERS);
  for (int i = 0; i < N_NUMBERS; i++) {
    const double x = m->position.data[i / 3].v[i % 3], v = extras.arrays.data[0].values.data[i];
    if (x != values[i] || v != values[i])
      fail_msg("%s, number %d: %.17g and %.17g, expected %.17g", what, i, x, v, values[i]);
  }
  assert_int_equal(m->triangles.n, 1);
  assert_memory_equal(m->triangles.data, ((uint32_t[]){0, 1, 2}), 12);
  assert_int_equal(m->edges.n, 1);
  assert_memory_equal(m->edges.data, ((uint32_t[]){2, 0}), 8);
  sofa_vtk_extras_free(r.ctx, &extras);
  reader_close(&r);
}

static void numbers_of_every_type(void **state) {
  (void)state;
  for (const Type *t = types; t < types + SOFA_COUNT(types); t++) {
    uint64_t bits[N_NUMBERS];
    double values[N_NUMBERS];
    Bytes b;
    numbers_of(t, bits, values);
    write_legacy(&b, t, bits);
    expect_read(&b, t->legacy, values);
    for (int big = 0; big < 2; big++) {
      write_xml(&b, t, bits, big);
      expect_read(&b, t->xml, values);
    }
  }
}

/* ---- sections of a legacy file ---- */

static SofaErr read_text(Reader *r, const char *text, SofaVtkExtras *extras) {
  const SofaOrigin origin = {.file = "test.vtk"};
  const SofaFaceOptions faces = {0};
  return sofa_vtk_read(r->ctx, &(SofaFileBytes){&origin, text, strlen(text)}, &faces, &r->data,
                       extras);
}

/* Colors, a table of colors, remarks, values of points and cells. */
static void sections_of_values(void **state) {
  static const char text[] =
      "# vtk DataFile Version 4.2\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n"
      "0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nCOLOR_SCALARS c 2\n"
      "0 0.5 1 0.25 0.75 1\nLOOKUP_TABLE t 2\n0 0 0 1 1 1 1 1\nVECTORS v double\n"
      "1 2 3 4 5 6 7 8 9\nMETADATA\nINFORMATION 1\nNAME x LOCATION y\n\n"
      "TENSORS s float\n1 2 3 4 5 6 7 8 9  1 2 3 4 5 6 7 8 9  1 2 3 4 5 6 7 8 10\n"
      "CELL_DATA 1\nNORMALS n float\n0 0 1\nSCALARS a int 2\nLOOKUP_TABLE t\n7 8\n";
  static const struct {
    const char *name;
    bool cells;
    unsigned width;
    double last;
  } expected[] = {{"c", false, 2, 1},
                  {"v", false, 3, 9},
                  {"s", false, 9, 10},
                  {"n", true, 3, 1},
                  {"a", true, 2, 8}};
  SofaVtkExtras extras = {0};
  Reader r;
  (void)state;
  reader_open(&r);
  if (read_text(&r, text, &extras) != SOFA_OK) fail_msg("%s", r.message);
  assert_int_equal(r.n_warnings, 0);
  assert_int_equal(extras.arrays.n, SOFA_COUNT(expected));
  for (size_t i = 0; i < SOFA_COUNT(expected); i++) {
    const SofaVtkArray *a = &extras.arrays.data[i];
    assert_string_equal(a->name, expected[i].name);
    assert_int_equal(a->cells, expected[i].cells);
    assert_int_equal(a->width, expected[i].width);
    assert_int_equal(a->values.n, expected[i].width * (a->cells ? 1 : 3));
    assert_true(a->values.data[a->values.n - 1] == expected[i].last);
  }
  assert_int_equal(r.data.normals.n, 0); // those of cells are no normals of points
  assert_int_equal(r.data.mesh.triangles.n, 1);
  sofa_vtk_extras_free(r.ctx, &extras);
  reader_close(&r);
}

/* Files that are refused, with the line. */
static void refused_sections(void **state) {
#define HEAD "# vtk DataFile Version 3.0\nt\nASCII\n"
#define ONE_POINT HEAD "DATASET POLYDATA\nPOINTS 1 float\n0 0 0\n"
  static const struct {
    const char *text, *words;
    int line;
  } files[] = {
      {HEAD "DATASET TABLE\n", "a dataset 'TABLE' is not supported yet", 4},
      {ONE_POINT "POINT_DATA -1\n", "the number of points is -1", 7},
      {ONE_POINT "CELL_DATA -2\n", "the number of cells is -2", 7},
      {ONE_POINT "POINT_DATA 1\nVECTORS v real\n1 2 3\n", "'real'", 8},
      {ONE_POINT "POINT_DATA 1\nVECTORS v float\n1 2\n", "expected", 10},
      {ONE_POINT "POINT_DATA 1\nLOOKUP_TABLE t 2\n0 0 0 1 1 1 1\n", "a color is expected", 10},
      {HEAD "DATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nCELLS 1 4\n3 0 1 2\n"
            "CELL_TYPES 2\n5 5\n",
       "2 types for 1 cells", 10},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(files); i++) {
    SofaVtkExtras extras = {0};
    Reader r;
    reader_open(&r);
    const SofaErr err = read_text(&r, files[i].text, &extras);
    if (err == SOFA_OK || !strstr(r.message, files[i].words) || r.line != files[i].line)
      fail_msg("file %zu: %s in line %d", i, r.message, r.line);
    reader_refused(&r, err, files[i].line, files[i].words);
    reader_close(&r);
  }
}

/* Grids of a single point or a single line. */
static void thin_images(void **state) {
  static const struct {
    const char *size;
    size_t points, edges;
  } images[] = {{"1 1 1", 1, 0}, {"1 1 4", 4, 3}, {"3 1 1", 3, 2}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(images); i++) {
    char text[300];
    SofaVtkExtras extras = {0};
    Reader r;
    reader_open(&r);
    snprintf(text, sizeof text,
             HEAD "DATASET STRUCTURED_POINTS\nDIMENSIONS %s\nORIGIN 1 2 3\nSPACING 0.5 1 2\n",
             images[i].size);
    if (read_text(&r, text, &extras) != SOFA_OK) fail_msg("%s: %s", images[i].size, r.message);
    assert_int_equal(r.data.mesh.position.n, images[i].points);
    assert_int_equal(r.data.mesh.edges.n, images[i].edges);
    assert_true(r.data.mesh.position.data[0].v[2] == 3);
    for (uint32_t k = 0; k < images[i].edges; k++)
      assert_memory_equal(r.data.mesh.edges.data[k].v, ((uint32_t[]){k, k + 1}), 8);
    sofa_vtk_extras_free(r.ctx, &extras);
    reader_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_every_type),
      cmocka_unit_test(sections_of_values),
      cmocka_unit_test(refused_sections),
      cmocka_unit_test(thin_images),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
