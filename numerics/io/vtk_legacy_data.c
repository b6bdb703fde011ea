/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the values of points and cells in legacy VTK files.
 * Source: VTK User's Guide, "VTK File Formats", dataset attributes. */
#include <math.h>
#include <strings.h>

#include "numerics/io/vtk_legacy_impl.h"

typedef struct Data {
  SofaVtkBuild *b;
  bool binary;
  bool cells; /* else points */
  size_t n;   /* of them */
} Data;

/* ---- numbers ---- */

SofaErr sofa_vtk_read_type(SofaMeshText *t, const SofaVtkType **type) {
  sofa_mesh_skip(t);
  *type = sofa_vtk_type(t->at, sofa_mesh_word(t));
  if (!*type) return sofa_mesh_expected(t, "a type of numbers");
  t->at += sofa_mesh_word(t);
  return SOFA_OK;
}

SofaErr sofa_vtk_begin_numbers(SofaMeshText *t, bool binary, size_t n, const SofaVtkType *type,
                               const char *what) {
  if (!binary) return SOFA_OK;
  sofa_mesh_next_line(t);
  if (n > (size_t)(t->end - t->at) / type->size)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "the file ends within %s", what);
  return SOFA_OK;
}

/* A number of a text; values may be missing ("nan") or without bound, coordinates may not. */
static SofaErr read_text(SofaMeshText *t, const char *what, double *value) {
  static const struct {
    const char *word;
    double value;
  } words[] = {{"nan", NAN}, {"-nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  if (sofa_mesh_real(t, value)) return SOFA_OK;
  const size_t n = sofa_mesh_word(t);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i].word) != n || strncasecmp(t->at, words[i].word, n) != 0) continue;
    *value = words[i].value;
    t->at += n;
    return SOFA_OK;
  }
  return sofa_mesh_expected(t, what);
}

SofaErr sofa_vtk_legacy_reals(SofaMeshText *t, bool binary, size_t n, const SofaVtkType *type,
                              const char *what, SofaReals *values) {
  SOFA_TRY(sofa_vtk_begin_numbers(t, binary, n, type, what));
  if (values) SOFA_TRY(SOFA_RESERVE(t->ctx, values, values->n + (binary ? n : 0)));
  for (size_t i = 0; i < n; i++) {
    double value = 0;
    if (binary) {
      value = sofa_vtk_real(type, t->at, true);
      t->at += type->size;
    } else if (values) {
      SOFA_TRY(read_text(t, what, &value));
    } else {
      sofa_mesh_skip(t);
      if (!sofa_mesh_word(t)) return sofa_mesh_expected(t, what);
      t->at += sofa_mesh_word(t);
    }
    if (values) SOFA_TRY(SOFA_APPEND(t->ctx, values, &value));
  }
  return SOFA_OK;
}

/* ---- names ---- */

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A name, where %20 stands for a blank, goes into b->unpacked. */
static SofaErr read_name(SofaVtkBuild *b) {
  SofaMeshText *t = &b->text;
  sofa_mesh_skip(t);
  const char *at = t->at, *end = at + sofa_mesh_word(t);
  if (at == end) return sofa_mesh_expected(t, "a name");
  b->unpacked.n = 0;
  while (at < end) {
    const bool coded = end - at >= 3 && *at == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0;
    const char c = coded ? (char)(16 * hex(at[1]) + hex(at[2])) : *at;
    at += coded ? 3 : 1;
    if (c) SOFA_TRY(sofa_text_append(t->ctx, &b->unpacked, &c, 1));
  }
  t->at = end;
  return SOFA_OK;
}

/* ---- sections ---- */

/* The numbers of an array whose name is in b->unpacked. */
static SofaErr read_numbers(Data *d, size_t width, const SofaVtkType *type) {
  SofaVtkBuild *b = d->b;
  SofaReals *values;
  const size_t left = (size_t)(b->text.end - b->text.at);
  if (width == 0 || width > 1000 || d->n > left / width)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE,
                          "array '%.40s' of %zu components does not fit the rest of the file",
                          b->unpacked.data, width);
  const SofaVtkArrayHead head = {b->unpacked.data, b->unpacked.n, d->cells, width, type};
  SOFA_TRY(sofa_vtk_array(b, &head, &values));
  return sofa_vtk_legacy_reals(&b->text, d->binary, width * d->n, type, "a number", values);
}

/* "name type [components]", then "LOOKUP_TABLE name". */
static SofaErr read_scalars(Data *d) {
  SofaMeshText *t = &d->b->text;
  const SofaVtkType *type;
  int64_t width = 1;
  SOFA_TRY(read_name(d->b));
  SOFA_TRY(sofa_vtk_read_type(t, &type));
  if (sofa_mesh_skip_blank(t)) SOFA_TRY(sofa_mesh_read_int(t, "a number of components", &width));
  sofa_mesh_skip(t);
  if (sofa_mesh_word_is(t, "LOOKUP_TABLE")) {
    t->at += strlen("LOOKUP_TABLE");
    sofa_mesh_skip_blank(t);
    t->at += sofa_mesh_word(t);
  } else if (d->binary) {
    return sofa_mesh_expected(t, "LOOKUP_TABLE");
  }
  return read_numbers(d, width < 0 ? 0 : (size_t)width, type);
}

/* "name components": reals from 0 to 1, as bytes in binary files. */
static SofaErr read_colors(Data *d) {
  size_t width;
  SOFA_TRY(read_name(d->b));
  SOFA_TRY(sofa_mesh_read_count(&d->b->text, "the number of components", 1, &width));
  return read_numbers(d, width, sofa_vtk_type(d->binary ? "UInt8" : "Float32", d->binary ? 5 : 7));
}

/* "name size", then colors, which nothing shows: skipped. */
static SofaErr skip_table(Data *d) {
  SofaMeshText *t = &d->b->text;
  size_t n;
  SOFA_TRY(read_name(d->b));
  SOFA_TRY(sofa_mesh_read_count(t, "the size of a table of colors", 4, &n));
  return sofa_vtk_legacy_reals(t, d->binary, 4 * n,
                               sofa_vtk_type(d->binary ? "UInt8" : "Float32", d->binary ? 5 : 7),
                               "a color", NULL);
}

/* "name [components] type". */
static SofaErr read_tuples(Data *d, size_t width, bool normals) {
  SofaVtkBuild *b = d->b;
  const SofaVtkType *type;
  SOFA_TRY(read_name(b));
  if (!width) SOFA_TRY(sofa_mesh_read_count(&b->text, "the number of components", 1, &width));
  SOFA_TRY(sofa_vtk_read_type(&b->text, &type));
  SOFA_TRY(read_numbers(d, width, type));
  if (!normals || d->cells) return SOFA_OK;
  return sofa_vtk_use_normals(b, b->unpacked.data, b->unpacked.n);
}

SofaErr sofa_vtk_legacy_field(SofaVtkBuild *b, bool binary, size_t tuples, const bool *cells) {
  SofaMeshText *t = &b->text;
  size_t n, width;
  sofa_mesh_skip(t);
  t->at += sofa_mesh_word(t);
  SOFA_TRY(sofa_mesh_read_count(t, "the number of arrays", 1, &n));
  for (size_t i = 0; i < n; i++) {
    Data d = {b, binary, cells && *cells, 0};
    const SofaVtkType *type;
    SOFA_TRY(read_name(b));
    SOFA_TRY(sofa_mesh_read_count(t, "the number of components", 1, &width));
    SOFA_TRY(sofa_mesh_read_count(t, "the number of tuples", 1, &d.n));
    SOFA_TRY(sofa_vtk_read_type(t, &type));
    if (width && d.n > (size_t)(t->end - t->at) / width)
      return sofa_mesh_fail(t, SOFA_ERR_RANGE, "the file ends within the array");
    if (cells && width && d.n == tuples) SOFA_TRY(read_numbers(&d, width, type));
    else SOFA_TRY(sofa_vtk_legacy_reals(t, binary, width * d.n, type, "a number", NULL));
    // information about the components may follow, up to a blank line
    sofa_mesh_skip(t);
    if (!sofa_mesh_word_is(t, "METADATA")) continue;
    do sofa_mesh_next_line(t);
    while (sofa_mesh_skip_blank(t));
  }
  return SOFA_OK;
}

typedef struct Section {
  const char *word;
  size_t width; /* of tuples; 0: it follows the name */
} Section;

static SofaErr read_section(Data *d, bool *known) {
  static const Section tuples[] = {
      {"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},    {"TENSORS6", 6},
      {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}, {"TEXTURE_COORDINATES", 0}};
  SofaMeshText *t = &d->b->text;
  const char *word = t->at;
  const size_t n = sofa_mesh_word(t);
  for (size_t k = 0; k < sizeof tuples / sizeof *tuples; k++) {
    if (!sofa_mesh_word_is(t, tuples[k].word)) continue;
    t->at += n;
    return read_tuples(d, tuples[k].width, k == 1);
  }
  t->at += n;
  if (n == 7 && sofa_compare(word, "SCALARS", n) == 0) return read_scalars(d);
  if (n == 13 && sofa_compare(word, "COLOR_SCALARS", n) == 0) return read_colors(d);
  if (n == 12 && sofa_compare(word, "LOOKUP_TABLE", n) == 0) return skip_table(d);
  if (n == 5 && sofa_compare(word, "FIELD", n) == 0)
    return sofa_vtk_legacy_field(d->b, d->binary, d->n, &d->cells);
  if (n == 8 && sofa_compare(word, "METADATA", n) == 0) {
    do sofa_mesh_next_line(t);
    while (sofa_mesh_skip_blank(t));
    return SOFA_OK;
  }
  t->at = word;
  *known = false;
  return SOFA_OK;
}

SofaErr sofa_vtk_legacy_data(SofaVtkBuild *b, bool binary) {
  SofaMeshText *t = &b->text;
  Data d = {.b = b, .binary = binary};
  bool known = true;
  for (sofa_mesh_skip(t); known && t->at < t->end; sofa_mesh_skip(t)) {
    const bool points = sofa_mesh_word_is(t, "POINT_DATA");
    if (points || sofa_mesh_word_is(t, "CELL_DATA")) {
      const char *what = points ? "the number of points" : "the number of cells";
      int64_t n;
      t->at += sofa_mesh_word(t);
      SOFA_TRY(sofa_mesh_read_int(t, what, &n));
      if (n < 0) return sofa_mesh_fail(t, SOFA_ERR_RANGE, "%s is %lld", what, (long long)n);
      d.cells = !points;
      d.n = (size_t)n;
    } else {
      SOFA_TRY(read_section(&d, &known));
    }
  }
  if (!known)
    sofa_mesh_warn(t, "the values of points and cells from '%.*s' on are left out",
                   (int)(sofa_mesh_word(t) < 40 ? sofa_mesh_word(t) : 40), t->at);
  return SOFA_OK;
}
