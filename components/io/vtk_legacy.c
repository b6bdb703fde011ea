/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads legacy VTK files, text and binary (big-endian), to version 5.1. */
#include "vtk_build.h"

typedef struct Legacy {
  SofaVtkBuild *b;
  double version;
  bool binary;
} Legacy;

/* Numbers of a section follow: in a binary file behind the line's end. */
static SofaErr begin_numbers(Legacy *l, size_t n, const SofaVtkType *type, const char *what) {
  SofaMeshText *t = &l->b->text;
  if (!l->binary) return SOFA_OK;
  sofa_mesh_next_line(t);
  if (n > (size_t)(t->end - t->at) / type->size)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "the file ends within %s", what);
  return SOFA_OK;
}

/* n integers; NULL: they are skipped. Text files may hold anything in what is skipped. */
static SofaErr read_ints(Legacy *l, size_t n, const SofaVtkType *type, const char *what,
                         SofaVtkInts *list) {
  SofaMeshText *t = &l->b->text;
  SOFA_TRY(begin_numbers(l, n, type, what));
  if (list) {
    list->n = 0;
    SOFA_TRY(SOFA_RESERVE(t->ctx, list, n));
  }
  for (size_t i = 0; i < n; i++) {
    int64_t value = 0;
    if (l->binary) {
      value = sofa_vtk_int(type, t->at, true);
      t->at += type->size;
    } else if (!list) {
      sofa_mesh_skip(t);
      if (!sofa_mesh_word(t)) return sofa_mesh_expected(t, what);
      t->at += sofa_mesh_word(t);
    } else {
      SOFA_TRY(sofa_mesh_read_int(t, what, &value));
    }
    if (list) SOFA_TRY(SOFA_APPEND(t->ctx, list, &value));
  }
  return SOFA_OK;
}

static SofaErr read_type(Legacy *l, const SofaVtkType **type) {
  SofaMeshText *t = &l->b->text;
  sofa_mesh_skip(t);
  *type = sofa_vtk_type(t->at, sofa_mesh_word(t));
  if (!*type) return sofa_mesh_expected(t, "a type of numbers");
  t->at += sofa_mesh_word(t);
  return SOFA_OK;
}

static SofaErr read_points(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  const SofaVtkType *type;
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(t, "the number of points", 3, &n));
  SOFA_TRY(read_type(l, &type));
  if (l->b->out->mesh.position.n) return sofa_mesh_fail(t, SOFA_ERR_PARSE, "POINTS stands twice");
  SOFA_TRY(begin_numbers(l, 3 * n, type, "the points"));
  SOFA_TRY(SOFA_RESERVE(t->ctx, &l->b->out->mesh.position, n));
  for (size_t i = 0; i < n; i++) {
    double x[3];
    if (!l->binary) SOFA_TRY(sofa_mesh_read_reals(t, "a coordinate", 3, x));
    for (int k = 0; l->binary && k < 3; k++, t->at += type->size)
      x[k] = sofa_vtk_real(type, t->at, true);
    SOFA_TRY(sofa_vtk_add_point(l->b, type, x));
  }
  return SOFA_OK;
}

static SofaErr expect_word(Legacy *l, const char *word) {
  SofaMeshText *t = &l->b->text;
  sofa_mesh_skip(t);
  if (!sofa_mesh_word_is(t, word)) return sofa_mesh_expected(t, word);
  t->at += strlen(word);
  return SOFA_OK;
}

/* Version 5: all offsets, from 0 on, then all corners. */
static SofaErr read_cells5(Legacy *l, size_t n, size_t size) {
  SofaVtkBuild *b = l->b;
  const SofaVtkType *type;
  SOFA_TRY(expect_word(l, "OFFSETS"));
  SOFA_TRY(read_type(l, &type));
  SOFA_TRY(read_ints(l, n, type, "an offset", &b->offsets));
  if (n) memmove(b->offsets.data, b->offsets.data + 1, (n - 1) * sizeof *b->offsets.data);
  if (n) b->offsets.n--;
  SOFA_TRY(expect_word(l, "CONNECTIVITY"));
  SOFA_TRY(read_type(l, &type));
  return read_ints(l, size, type, "a corner", &b->connectivity);
}

/* Before: each cell begins with the number of its corners, `size` numbers in all. */
static SofaErr read_cells3(Legacy *l, size_t n, size_t size) {
  SofaVtkBuild *b = l->b;
  SofaMeshText *t = &b->text;
  const SofaVtkType *type = sofa_vtk_type("int", 3);
  SOFA_TRY(read_ints(l, size, type, "a corner", &b->connectivity));
  int64_t *c = b->connectivity.data;
  size_t from = 0, to = 0;
  b->offsets.n = 0;
  for (size_t i = 0; i < n; i++) {
    if (from >= size || c[from] < 0 || (uint64_t)c[from] > size - from - 1)
      return sofa_mesh_fail(t, SOFA_ERR_PARSE, "cell %zu of %zu does not fit %zu numbers", i, n,
                            size);
    const size_t width = (size_t)c[from++];
    for (size_t k = 0; k < width; k++) c[to++] = c[from++];
    const int64_t end = (int64_t)to;
    SOFA_TRY(SOFA_APPEND(t->ctx, &b->offsets, &end));
  }
  if (from != size)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "%zu cells have %zu numbers, %zu are announced", n,
                          from, size);
  b->connectivity.n = to;
  return SOFA_OK;
}

static SofaErr read_cells(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  size_t n, size;
  SOFA_TRY(sofa_mesh_read_count(t, "the number of cells", 1, &n));
  SOFA_TRY(sofa_mesh_read_count(t, "the size of the cells", 1, &size));
  return l->version >= 5 ? read_cells5(l, n, size) : read_cells3(l, n, size);
}

static SofaErr read_cell_types(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(t, "the number of types", 1, &n));
  SOFA_TRY(read_ints(l, n, sofa_vtk_type("int", 3), "a type of cells", &l->b->types));
  if (n != l->b->offsets.n)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "%zu types for %zu cells", n, l->b->offsets.n);
  return sofa_vtk_add_cells(l->b, 0);
}

/* "FIELD name n", then n arrays "name components tuples type numbers": not used. */
static SofaErr skip_field(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  size_t n, width, tuples;
  sofa_mesh_skip(t);
  t->at += sofa_mesh_word(t);
  SOFA_TRY(sofa_mesh_read_count(t, "the number of arrays", 1, &n));
  for (size_t i = 0; i < n; i++) {
    const SofaVtkType *type;
    sofa_mesh_skip(t);
    t->at += sofa_mesh_word(t);
    SOFA_TRY(sofa_mesh_read_count(t, "the number of components", 1, &width));
    SOFA_TRY(sofa_mesh_read_count(t, "the number of tuples", 1, &tuples));
    SOFA_TRY(read_type(l, &type));
    if (width && tuples > (size_t)(t->end - t->at) / width)
      return sofa_mesh_fail(t, SOFA_ERR_RANGE, "the file ends within the array");
    SOFA_TRY(read_ints(l, width * tuples, type, "a number", NULL));
  }
  return SOFA_OK;
}

/* Up to a blank line. */
static void skip_metadata(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  do sofa_mesh_next_line(t);
  while (sofa_mesh_skip_blank(t));
}

/* The word and, for cells without types, the type of them all. */
typedef struct Section {
  const char *word;
  int type;
} Section;

static SofaErr read_section(Legacy *l) {
  static const Section faces[] = {{"VERTICES", SOFA_VTK_POLY_VERTEX},
                                  {"LINES", SOFA_VTK_POLY_LINE},
                                  {"POLYGONS", SOFA_VTK_FACE},
                                  {"TRIANGLE_STRIPS", SOFA_VTK_STRIP}};
  SofaMeshText *t = &l->b->text;
  static const char *const words[] = {"POINTS", "CELLS", "CELL_TYPES", "FIELD", "METADATA"};
  for (int k = 0; k < 5; k++) {
    if (!sofa_mesh_word_is(t, words[k])) continue;
    t->at += strlen(words[k]);
    if (k == 0) return read_points(l);
    if (k == 1) return read_cells(l);
    if (k == 2) return read_cell_types(l);
    if (k == 3) return skip_field(l);
    skip_metadata(l);
    return SOFA_OK;
  }
  for (size_t k = 0; k < sizeof faces / sizeof *faces; k++) {
    if (!sofa_mesh_word_is(t, faces[k].word)) continue;
    t->at += strlen(faces[k].word);
    SOFA_TRY(read_cells(l));
    return sofa_vtk_add_cells(l->b, faces[k].type);
  }
  return sofa_mesh_expected(t, "a section of a VTK file");
}

static SofaErr read_dataset(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  SOFA_TRY(expect_word(l, "DATASET"));
  sofa_mesh_skip(t);
  if (!sofa_mesh_word_is(t, "POLYDATA") && !sofa_mesh_word_is(t, "UNSTRUCTURED_GRID"))
    return sofa_mesh_fail(t, SOFA_ERR_UNSUPPORTED,
                          "a dataset '%.*s' is not supported yet: only POLYDATA and "
                          "UNSTRUCTURED_GRID are",
                          (int)(sofa_mesh_word(t) < 40 ? sofa_mesh_word(t) : 40), t->at);
  t->at += sofa_mesh_word(t);
  return SOFA_OK;
}

SofaErr sofa_vtk_legacy(SofaVtkBuild *b) {
  SofaMeshText *t = &b->text;
  Legacy l = {.b = b};
  SOFA_TRY(sofa_mesh_read_reals(t, "the version", 1, &l.version));
  // the second line is a title
  sofa_mesh_next_line(t);
  sofa_mesh_next_line(t);
  sofa_mesh_skip(t);
  l.binary = sofa_mesh_word_is(t, "BINARY");
  if (!l.binary && !sofa_mesh_word_is(t, "ASCII")) return sofa_mesh_expected(t, "ASCII or BINARY");
  t->at += sofa_mesh_word(t);
  t->binary = l.binary;
  SOFA_TRY(read_dataset(&l));
  // what belongs to points and cells comes last and is not used
  for (sofa_mesh_skip(t); t->at < t->end; sofa_mesh_skip(t)) {
    if (sofa_mesh_word_is(t, "POINT_DATA") || sofa_mesh_word_is(t, "CELL_DATA")) break;
    SOFA_TRY(read_section(&l));
  }
  if (b->offsets.n) return sofa_mesh_fail(t, SOFA_ERR_PARSE, "CELL_TYPES is missing");
  return SOFA_OK;
}
