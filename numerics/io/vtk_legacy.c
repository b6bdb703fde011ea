/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads legacy VTK files, text and binary (big-endian), to version 5.1. */
#include "numerics/io/vtk_legacy_impl.h"

enum { POLYDATA, UNSTRUCTURED, POINTS, GRID, RECTILINEAR, N_DATASETS };

typedef struct Legacy {
  SofaVtkBuild *b;
  double version;
  bool binary;
  int dataset;
  SofaVtkImage image; /* of structured data sets */
  SofaReals axes[3];  /* of a rectilinear grid */
} Legacy;

/* n integers. */
static SofaErr read_ints(Legacy *l, size_t n, const SofaVtkType *type, const char *what,
                         SofaVtkInts *list) {
  SofaMeshText *t = &l->b->text;
  SOFA_TRY(sofa_vtk_begin_numbers(t, l->binary, n, type, what));
  list->n = 0;
  SOFA_TRY(SOFA_RESERVE(t->ctx, list, n));
  for (size_t i = 0; i < n; i++) {
    int64_t value = 0;
    if (l->binary) {
      value = sofa_vtk_int(type, t->at, true);
      t->at += type->size;
    } else {
      SOFA_TRY(sofa_mesh_read_int(t, what, &value));
    }
    SOFA_TRY(SOFA_APPEND(t->ctx, list, &value));
  }
  return SOFA_OK;
}

static SofaErr read_points(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  const SofaVtkType *type;
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(t, "the number of points", 3, &n));
  SOFA_TRY(sofa_vtk_read_type(t, &type));
  if (l->b->out->mesh.position.n) return sofa_mesh_fail(t, SOFA_ERR_PARSE, "POINTS is given twice");
  SOFA_TRY(sofa_vtk_begin_numbers(t, l->binary, 3 * n, type, "the points"));
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
  SofaMeshText *t = &b->text;
  const SofaVtkType *type;
  SOFA_TRY(expect_word(l, "OFFSETS"));
  SOFA_TRY(sofa_vtk_read_type(t, &type));
  SOFA_TRY(read_ints(l, n, type, "an offset", &b->offsets));
  if (n) sofa_move(b->offsets.data, b->offsets.data + 1, (n - 1) * sizeof *b->offsets.data);
  if (n) b->offsets.n--;
  SOFA_TRY(expect_word(l, "CONNECTIVITY"));
  SOFA_TRY(sofa_vtk_read_type(t, &type));
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

/* The dimensions of a structured data set. */
static SofaErr read_dimensions(Legacy *l) {
  SofaMeshText *t = &l->b->text;
  size_t n;
  for (int k = 0; k < 3; k++) SOFA_TRY(sofa_mesh_read_int(t, "a dimension", &l->image.dims[k]));
  return sofa_vtk_grid_size(l->b, l->image.dims, &n);
}

static SofaErr read_axis(Legacy *l, int k) {
  SofaMeshText *t = &l->b->text;
  const SofaVtkType *type;
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(t, "the number of coordinates", 1, &n));
  SOFA_TRY(sofa_vtk_read_type(t, &type));
  l->axes[k].n = 0;
  return sofa_vtk_legacy_reals(t, l->binary, n, type, "a coordinate", &l->axes[k]);
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

static SofaErr read_general(Legacy *l, bool *found) {
  static const char *const words[] = {"POINTS", "CELLS", "CELL_TYPES", "FIELD", "METADATA"};
  SofaMeshText *t = &l->b->text;
  for (int k = 0; k < 5; k++) {
    if (!sofa_mesh_word_is(t, words[k])) continue;
    *found = true;
    t->at += strlen(words[k]);
    if (k == 0) return read_points(l);
    if (k == 1) return read_cells(l);
    if (k == 2) return read_cell_types(l);
    if (k == 3) return sofa_vtk_legacy_field(l->b, l->binary, 0, NULL);
    skip_metadata(l);
    return SOFA_OK;
  }
  return SOFA_OK;
}

static SofaErr read_structured(Legacy *l, bool *found) {
  static const char *const words[] = {"DIMENSIONS",   "ORIGIN",        "SPACING",
                                      "ASPECT_RATIO", "X_COORDINATES", "Y_COORDINATES",
                                      "Z_COORDINATES"};
  SofaMeshText *t = &l->b->text;
  for (int k = 0; k < 7; k++) {
    if (!sofa_mesh_word_is(t, words[k])) continue;
    *found = true;
    t->at += strlen(words[k]);
    if (k == 0) return read_dimensions(l);
    if (k >= 4) return read_axis(l, k - 4);
    return sofa_mesh_read_reals(t, k == 1 ? "the origin" : "the spacing", 3,
                                k == 1 ? l->image.origin : l->image.spacing);
  }
  return SOFA_OK;
}

static SofaErr read_section(Legacy *l) {
  static const Section faces[] = {{"VERTICES", SOFA_VTK_POLY_VERTEX},
                                  {"LINES", SOFA_VTK_POLY_LINE},
                                  {"POLYGONS", SOFA_VTK_FACE},
                                  {"TRIANGLE_STRIPS", SOFA_VTK_STRIP}};
  SofaMeshText *t = &l->b->text;
  bool found = false;
  SOFA_TRY(read_general(l, &found));
  if (!found && l->dataset >= POINTS) SOFA_TRY(read_structured(l, &found));
  if (found) return SOFA_OK;
  for (size_t k = 0; k < sizeof faces / sizeof *faces; k++) {
    if (!sofa_mesh_word_is(t, faces[k].word)) continue;
    t->at += strlen(faces[k].word);
    SOFA_TRY(read_cells(l));
    return sofa_vtk_add_cells(l->b, faces[k].type);
  }
  return sofa_mesh_expected(t, "a section of a VTK file");
}

static SofaErr read_dataset(Legacy *l) {
  static const char *const kinds[N_DATASETS] = {
      "POLYDATA", "UNSTRUCTURED_GRID", "STRUCTURED_POINTS", "STRUCTURED_GRID", "RECTILINEAR_GRID"};
  SofaMeshText *t = &l->b->text;
  SOFA_TRY(expect_word(l, "DATASET"));
  sofa_mesh_skip(t);
  while (l->dataset < N_DATASETS && !sofa_mesh_word_is(t, kinds[l->dataset])) l->dataset++;
  if (l->dataset == N_DATASETS)
    return sofa_mesh_fail(t, SOFA_ERR_UNSUPPORTED,
                          "a dataset '%.*s' is not supported yet: only POLYDATA, "
                          "UNSTRUCTURED_GRID, STRUCTURED_POINTS, STRUCTURED_GRID and "
                          "RECTILINEAR_GRID are",
                          (int)(sofa_mesh_word(t) < 40 ? sofa_mesh_word(t) : 40), t->at);
  t->at += sofa_mesh_word(t);
  return SOFA_OK;
}

/* Points and cells of a structured data set, of which the file gives the measures. */
static SofaErr make_structured(Legacy *l) {
  SofaVtkBuild *b = l->b;
  size_t n;
  if (l->dataset < POINTS) return SOFA_OK;
  if (l->dataset == POINTS) SOFA_TRY(sofa_vtk_add_image(b, &l->image));
  if (l->dataset == RECTILINEAR) SOFA_TRY(sofa_vtk_add_rectilinear(b, l->axes, l->image.dims));
  SOFA_TRY(sofa_vtk_grid_size(b, l->image.dims, &n));
  if (b->out->mesh.position.n != n)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu points for dimensions %lld x %lld x %lld",
                          b->out->mesh.position.n, (long long)l->image.dims[0],
                          (long long)l->image.dims[1], (long long)l->image.dims[2]);
  return sofa_vtk_add_grid_cells(b, l->image.dims);
}

static SofaErr read_all(Legacy *l) {
  SofaVtkBuild *b = l->b;
  SofaMeshText *t = &b->text;
  SOFA_TRY(read_dataset(l));
  // what belongs to points and cells comes last
  for (sofa_mesh_skip(t); t->at < t->end; sofa_mesh_skip(t)) {
    if (sofa_mesh_word_is(t, "POINT_DATA") || sofa_mesh_word_is(t, "CELL_DATA")) break;
    SOFA_TRY(read_section(l));
  }
  if (b->offsets.n) return sofa_mesh_fail(t, SOFA_ERR_PARSE, "CELL_TYPES is missing");
  SOFA_TRY(make_structured(l));
  return b->extras ? sofa_vtk_legacy_data(b, l->binary) : SOFA_OK;
}

SofaErr sofa_vtk_legacy(SofaVtkBuild *b) {
  SofaMeshText *t = &b->text;
  Legacy l = {.b = b, .image = {.spacing = {1, 1, 1}, .direction = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  SOFA_TRY(sofa_mesh_read_reals(t, "the version", 1, &l.version));
  // the second line is a title
  sofa_mesh_next_line(t);
  sofa_mesh_next_line(t);
  sofa_mesh_skip(t);
  l.binary = sofa_mesh_word_is(t, "BINARY");
  if (!l.binary && !sofa_mesh_word_is(t, "ASCII")) return sofa_mesh_expected(t, "ASCII or BINARY");
  t->at += sofa_mesh_word(t);
  t->binary = l.binary;
  const SofaErr err = read_all(&l);
  for (int k = 0; k < 3; k++) sofa_list_free(t->ctx, &l.axes[k]);
  return err;
}
