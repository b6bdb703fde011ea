/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the runs of one of several processes out of an XML VTK file: one piece of an unstructured
 * grid, its points and cells in appended arrays. */
#include "numerics/io/vtk_reader.h"

#include "numerics/io/base64.h"
#include "numerics/io/vtk_part_impl.h"
#include "numerics/io/vtk_tags_impl.h"
#include "topology/slice_finish.h"

enum { POINTS, CONNECTIVITY, OFFSETS, TYPES, N_PARTS };
enum { MOST_HEAD = 1 << 16, CHUNK = 1 << 15 };

/* An array of values of points or cells, as the head names it. */
typedef struct ValueArray {
  SofaVtkArrayHead head; /* its name in the head */
  size_t offset;
} ValueArray;
SOFA_LIST(ValueArray, ValueArrays);

typedef struct Reader {
  SofaContext *ctx;
  const SofaPartFile *file;
  const SofaFaceOptions *faces;
  SofaVtkLayout layout;
  size_t n_points, n_cells;
  bool normals; /* the file has those of its points */
  struct {
    const SofaVtkType *type;
    size_t offset;
    bool found;
  } arrays[N_PARTS];
  SofaVtkPart parts[N_PARTS];
  ValueArrays values;
  char *head; /* of the file, up to its data */
  SofaText bytes;
} Reader;

/* ---- the head ---- */

static size_t count_words(const char *bytes, size_t n, const char *word) {
  size_t count = 0;
  for (const char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), word, strlen(word)));
       at++)
    count++;
  return count;
}

/* Where the tag of the data begins; NULL: it is not near the beginning. */
static const char *find_data(const char *bytes, size_t n) {
  static const char word[] = "<AppendedData";
  return memmem(bytes, n, word, sizeof word - 1);
}

/* How the data behind the head are written. */
typedef enum Encoding { NO_ENCODING, RAW, BASE64 } Encoding;

/* Base64 that has white space cannot be read from its middle: where it has, its first characters
 * show it. *begin: behind the mark of the data. */
static Encoding find_encoding(const char *data, size_t n, const char **begin) {
  enum { TAG = 64, LOOK = 512 };
  const size_t n_tag = n < TAG ? n : TAG;
  const bool raw = count_words(data, n_tag, "\"raw\"") == 1;
  const char *mark = memchr(data, '_', n);
  if (!mark || (!raw && count_words(data, n_tag, "\"base64\"") != 1)) return NO_ENCODING;
  *begin = mark + 1;
  const char *end = data + n < *begin + LOOK ? data + n : *begin + LOOK, *at = *begin;
  while (!raw && at < end && (sofa_base64_digit(*at) >= 0 || *at == '=')) at++;
  const bool whole = at == end; /* as far as it was looked at */
  while (!whole && at < end && (unsigned char)*at <= ' ') at++;
  if (!raw && !whole && (at == end || *at != '<')) return NO_ENCODING;
  return raw ? RAW : BASE64;
}

bool sofa_vtk_has_slices(const char *bytes, size_t n) {
  const char *data = find_data(bytes, n), *begin;
  if (!data) return false;
  const size_t head = (size_t)(data - bytes);
  const char *piece = memmem(bytes, head, "<Piece", 6);
  if (!piece) return false;
  const size_t n_piece = (size_t)(data - piece),
               n_arrays = count_words(piece, n_piece, "<DataArray");
  return count_words(bytes, head, "\"UnstructuredGrid\"") == 1 &&
         count_words(bytes, head, "<Piece") == 1 && n_arrays >= N_PARTS &&
         count_words(piece, n_piece, "\"appended\"") == n_arrays &&
         find_encoding(data, n - head, &begin) != NO_ENCODING;
}

typedef enum Section {
  NO_SECTION,
  SECTION_POINTS,
  SECTION_CELLS,
  SECTION_POINT_DATA,
  SECTION_CELL_DATA,
  N_SECTIONS
} Section;

static Section section_of(const SofaVtkTag *tag) {
  static const char *const names[N_SECTIONS] = {"", "Points", "Cells", "PointData", "CellData"};
  int k = N_SECTIONS - 1;
  while (k && !sofa_vtk_is(tag->name, names[k])) k--;
  return (Section)k;
}

/* Without a type of numbers, or a name, it is left out. */
static SofaErr read_values_tag(Reader *r, SofaMeshText *t, const SofaVtkTag *tag, bool cells) {
  const SofaVtkWords name = sofa_vtk_attribute(tag, "Name"), type = sofa_vtk_attribute(tag, "type");
  ValueArray array = {.head = {.name = name.at, .length = name.n, .cells = cells}};
  array.head.type = type.at ? sofa_vtk_type(type.at, type.n) : NULL;
  if (!array.head.type || !name.n) return SOFA_OK;
  SOFA_TRY(sofa_vtk_count(t, tag, "NumberOfComponents", &array.head.width));
  if (array.head.width > 1000)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "an array has more than 1000 components");
  if (!array.head.width) array.head.width = 1;
  SOFA_TRY(sofa_vtk_count(t, tag, "offset", &array.offset));
  return SOFA_APPEND(r->ctx, &r->values, &array);
}

static SofaErr read_array(Reader *r, SofaMeshText *t, const SofaVtkTag *tag, Section section) {
  static const char *const names[N_PARTS] = {"", "connectivity", "offsets", "types"};
  const SofaVtkWords name = sofa_vtk_attribute(tag, "Name"), type = sofa_vtk_attribute(tag, "type");
  int k = POINTS;
  if (section == SECTION_POINT_DATA || section == SECTION_CELL_DATA)
    return read_values_tag(r, t, tag, section == SECTION_CELL_DATA);
  if (section == SECTION_CELLS)
    for (k = CONNECTIVITY; k < N_PARTS && !sofa_vtk_is(name, names[k]);) k++;
  if (k == N_PARTS || section == NO_SECTION) return SOFA_OK;
  r->arrays[k].type = type.at ? sofa_vtk_type(type.at, type.n) : NULL;
  if (!r->arrays[k].type)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "a DataArray has no type of numbers");
  r->arrays[k].found = true;
  return sofa_vtk_count(t, tag, "offset", &r->arrays[k].offset);
}

static SofaErr read_file_tag(Reader *r, SofaMeshText *t, const SofaVtkTag *tag) {
  const SofaVtkWords compressor = sofa_vtk_attribute(tag, "compressor");
  r->layout.compressed = compressor.n > 0;
  if (r->layout.compressed && !sofa_vtk_is(compressor, "vtkZLibDataCompressor"))
    return sofa_mesh_fail(t, SOFA_ERR_UNSUPPORTED,
                          "compressor '%.*s' is not supported yet: only vtkZLibDataCompressor is",
                          (int)(compressor.n < 40 ? compressor.n : 40), compressor.at);
  r->layout.big_endian = sofa_vtk_is(sofa_vtk_attribute(tag, "byte_order"), "BigEndian");
  r->layout.header_size = sofa_vtk_is(sofa_vtk_attribute(tag, "header_type"), "UInt64") ? 8 : 4;
  return SOFA_OK;
}

static SofaErr read_tags(Reader *r, SofaMeshText *t) {
  bool found = true;
  Section section = NO_SECTION;
  SofaVtkTag tag;
  for (;;) {
    SOFA_TRY(sofa_vtk_next_tag(t, &tag, &found));
    if (!found) return SOFA_OK;
    if (sofa_vtk_is(tag.name, "VTKFile") && !tag.closing) SOFA_TRY(read_file_tag(r, t, &tag));
    if (section_of(&tag)) section = tag.closing || tag.empty ? NO_SECTION : section_of(&tag);
    if (section_of(&tag) == SECTION_POINT_DATA)
      r->normals = r->normals || sofa_vtk_attribute(&tag, "Normals").n;
    if (sofa_vtk_is(tag.name, "DataArray") && !tag.closing)
      SOFA_TRY(read_array(r, t, &tag, section));
    if (!sofa_vtk_is(tag.name, "Piece") || tag.closing) continue;
    SOFA_TRY(sofa_vtk_count(t, &tag, "NumberOfPoints", &r->n_points));
    SOFA_TRY(sofa_vtk_count(t, &tag, "NumberOfCells", &r->n_cells));
  }
}

/* *found: the file has what is read in slices. */
static SofaErr read_head(Reader *r, bool *found) {
  const size_t n = r->file->size < MOST_HEAD ? (size_t)r->file->size : MOST_HEAD;
  *found = false;
  r->head = sofa_alloc(r->ctx, n, 1);
  if (!r->head) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_part_read(r->file, 0, n, r->head));
  if (!sofa_vtk_has_slices(r->head, n)) return SOFA_OK;
  const char *data = find_data(r->head, n), *begin;
  r->layout.base64 = find_encoding(data, n - (size_t)(data - r->head), &begin) == BASE64;
  r->layout.appended = (uint64_t)(begin - r->head);
  SofaMeshText text =
      sofa_mesh_text(r->ctx, &(SofaFileBytes){&r->file->origin, r->head, (size_t)(data - r->head)});
  SOFA_TRY(read_tags(r, &text));
  *found = true;
  for (int k = 0; k < N_PARTS; k++) *found = *found && r->arrays[k].found;
  // without a tag that says how the data are kept the reader of whole files tells what is wrong
  *found = *found && !r->normals && r->layout.header_size;
  return SOFA_OK;
}

/* ---- arrays ---- */

static SofaErr announced(const Reader *r, size_t n, const char *what, uint64_t given) {
  if (n == given) return SOFA_OK;
  return sofa_fail(r->ctx, SOFA_ERR_PARSE, &r->file->origin, "%zu %s announced, %llu given", n,
                   what, (unsigned long long)given);
}

static SofaErr open_arrays(Reader *r) {
  for (int k = 0; k < N_PARTS; k++)
    SOFA_TRY(sofa_vtk_part_open(r->file, &r->layout, r->arrays[k].type, r->arrays[k].offset,
                                &r->parts[k]));
  SOFA_TRY(announced(r, r->n_points, "points", r->parts[POINTS].n / 3));
  SOFA_TRY(announced(r, r->n_cells, "cells", r->parts[OFFSETS].n));
  SOFA_TRY(announced(r, r->n_cells, "types of cells", r->parts[TYPES].n));
  if (r->n_points <= INT32_MAX && r->n_cells <= INT32_MAX) return SOFA_OK;
  return sofa_fail(r->ctx, SOFA_ERR_RANGE, &r->file->origin, "more than 2^31 points or cells");
}

static SofaErr read_ints(Reader *r, int array, uint64_t first, uint64_t n, SofaVtkInts *out) {
  const SofaVtkPart *p = &r->parts[array];
  SOFA_TRY(sofa_vtk_part_read(p, first, n, &r->bytes));
  SOFA_TRY(SOFA_RESIZE(r->ctx, out, (size_t)n));
  for (size_t i = 0; i < out->n; i++)
    out->data[i] = sofa_vtk_int(p->type, r->bytes.data + i * p->type->size, r->layout.big_endian);
  return SOFA_OK;
}

static SofaErr read_points(Reader *r, SofaMeshSlice *out) {
  const SofaVtkPart *p = &r->parts[POINTS];
  const int rank = sofa_process_rank(r->ctx), n = sofa_process_count(r->ctx);
  const size_t first = sofa_slice_begin(r->n_points, rank, n);
  const size_t end = sofa_slice_begin(r->n_points, rank + 1, n);
  SofaMeshData data = {0};
  SofaVtkBuild b = {.out = &data, .first_number = first};
  SofaErr err = SOFA_OK;
  b.text = sofa_mesh_text(r->ctx, &(SofaFileBytes){&r->file->origin, r->head, 0});
  for (size_t i = first; i < end && err == SOFA_OK; i += CHUNK) {
    const size_t count = end - i < CHUNK ? end - i : CHUNK;
    err = sofa_vtk_part_read(p, 3 * i, 3 * count, &r->bytes);
    for (size_t k = 0; k < count && err == SOFA_OK; k++) {
      const char *at = r->bytes.data + 3 * k * p->type->size;
      double x[3];
      for (size_t c = 0; c < 3; c++)
        x[c] = sofa_vtk_real(p->type, at + c * p->type->size, r->layout.big_endian);
      err = sofa_vtk_add_point(&b, p->type, x);
    }
  }
  out->mesh.position = data.mesh.position;
  out->n_whole[SOFA_ELEMENT_POINT] = r->n_points;
  out->first[SOFA_ELEMENT_POINT] = first;
  return err;
}

/* ---- arrays of values ---- */

static bool same_name(const SofaVtkArrayHead *a, const SofaVtkArrayHead *b) {
  return a->cells == b->cells && a->length == b->length &&
         sofa_compare(a->name, b->name, a->length) == 0;
}

/* An array that does not have a tuple per point or cell is left out, as by sofa_vtk_check_arrays.
 */
static SofaErr look_at_values(Reader *r, const ValueArray *array, SofaVtkBuild *b) {
  const size_t n = array->head.cells ? r->n_cells : r->n_points;
  SofaVtkPart part;
  SofaReals *values;
  SOFA_TRY(sofa_vtk_part_open(r->file, &r->layout, array->head.type, array->offset, &part));
  const uint64_t given = part.n;
  sofa_vtk_part_close(&part);
  if (given == (uint64_t)n * array->head.width) return sofa_vtk_array(b, &array->head, &values);
  sofa_mesh_warn(&b->text, "array '%.*s' is left out: it has %llu values for %zu %s",
                 (int)array->head.length, array->head.name,
                 (unsigned long long)(given / array->head.width), n,
                 array->head.cells ? "cells" : "points");
  return SOFA_OK;
}

SofaErr sofa_vtk_slice_arrays(SofaContext *ctx, const SofaPartFile *file, SofaVtkExtras *extras,
                              bool *found) {
  Reader r = {.ctx = ctx, .file = file};
  SofaErr err = read_head(&r, found);
  SofaVtkBuild b = {.extras = extras,
                    .text = sofa_mesh_text(ctx, &(SofaFileBytes){&file->origin, r.head, 0})};
  for (size_t i = r.values.n; i-- > 0 && *found;) /* two of one name are one that is too long */
    for (size_t k = 0; k < i; k++)
      *found = *found && !same_name(&r.values.data[i].head, &r.values.data[k].head);
  for (size_t i = 0; i < r.values.n && err == SOFA_OK && *found; i++)
    err = look_at_values(&r, &r.values.data[i], &b);
  sofa_vtk_sort_arrays(&extras->arrays);
  sofa_list_free(ctx, &r.values);
  sofa_free(ctx, r.head);
  if (err != SOFA_OK || !*found) sofa_vtk_extras_free(ctx, extras);
  return err;
}

/* The run of this process. */
static SofaErr read_values(Reader *r, const ValueArray *array, SofaReals *out) {
  const size_t n_whole = array->head.cells ? r->n_cells : r->n_points, width = array->head.width;
  const int rank = sofa_process_rank(r->ctx), n = sofa_process_count(r->ctx);
  const size_t first = sofa_slice_begin(n_whole, rank, n) * width;
  const size_t end = sofa_slice_begin(n_whole, rank + 1, n) * width;
  const SofaVtkType *type = array->head.type;
  SofaVtkPart part;
  SOFA_TRY(sofa_vtk_part_open(r->file, &r->layout, type, array->offset, &part));
  SofaErr err = SOFA_RESIZE(r->ctx, out, end - first);
  for (size_t i = first; i < end && err == SOFA_OK; i += CHUNK) {
    const size_t count = end - i < CHUNK ? end - i : CHUNK;
    err = sofa_vtk_part_read(&part, i, count, &r->bytes);
    for (size_t k = 0; k < count && err == SOFA_OK; k++)
      out->data[i - first + k] =
          sofa_vtk_real(type, r->bytes.data + k * type->size, r->layout.big_endian);
  }
  sofa_vtk_part_close(&part);
  return err;
}

/* Those that sofa_vtk_slice_arrays has found. */
static SofaErr read_all_values(Reader *r, SofaVtkExtras *extras) {
  extras->n_cells = r->n_cells;
  for (size_t i = 0; i < extras->arrays.n; i++) {
    SofaVtkArray *array = &extras->arrays.data[i];
    const SofaVtkArrayHead head = {
        .name = array->name, .length = strlen(array->name), .cells = array->cells};
    const ValueArray *values = NULL;
    for (size_t k = 0; k < r->values.n; k++)
      if (same_name(&r->values.data[k].head, &head)) values = &r->values.data[k];
    if (!values || values->head.width != array->width)
      return sofa_fail(r->ctx, SOFA_ERR_IO, &r->file->origin, "the file has changed");
    SOFA_TRY(read_values(r, values, &array->values));
  }
  return SOFA_OK;
}

/* ---- cells ---- */

/* Is it one of first order? Points are left out, lines of many points have no part. */
static bool is_simple(int64_t type) {
  return type >= 0 && type <= 14;
}

/* Are all cells of the run simple? */
static SofaErr look_at_types(Reader *r, size_t first, size_t end, bool *simple) {
  SofaVtkInts types = {0};
  SofaErr err = SOFA_OK;
  *simple = true;
  for (size_t i = first; i < end && err == SOFA_OK; i += CHUNK) {
    err = read_ints(r, TYPES, i, end - i < CHUNK ? end - i : CHUNK, &types);
    for (size_t k = 0; k < types.n; k++) *simple = *simple && is_simple(types.data[k]);
  }
  sofa_list_free(r->ctx, &types);
  return err;
}

/* Cell i ends between two places of the connectivity. */
static SofaErr check_end(const Reader *r, size_t i, int64_t own, int64_t begin, int64_t end) {
  const uint64_t n = r->parts[CONNECTIVITY].n;
  if (own >= begin && own <= end && own >= 0 && (uint64_t)own <= n) return SOFA_OK;
  return sofa_fail(r->ctx, SOFA_ERR_RANGE, &r->file->origin,
                   "cell %zu ends at %lld of a connectivity of %llu numbers", i, (long long)own,
                   (unsigned long long)n);
}

/* Cells i .. i + n - 1; begin: end of the one before in the connectivity, then of the last one. */
static SofaErr read_cells(Reader *r, SofaVtkBuild *b, size_t i, size_t n, int64_t *begin) {
  SOFA_TRY(read_ints(r, TYPES, i, n, &b->types));
  SOFA_TRY(read_ints(r, OFFSETS, i, n, &b->offsets));
  const int64_t end = b->offsets.data[n - 1];
  for (size_t k = 0; k < n; k++) {
    const int64_t own = b->offsets.data[k];
    SOFA_TRY(check_end(r, i + k, own, *begin, end));
    b->offsets.data[k] -= *begin;
  }
  SOFA_TRY(
      read_ints(r, CONNECTIVITY, (uint64_t)*begin, (uint64_t)(end - *begin), &b->connectivity));
  *begin = end;
  b->first_number = i;
  return sofa_vtk_add_cells(b, 0);
}

static SofaErr read_run(Reader *r, SofaVtkBuild *b, size_t first, size_t end) {
  int64_t begin = 0;
  if (first) {
    SofaVtkInts before = {0};
    const SofaErr err = read_ints(r, OFFSETS, first - 1, 1, &before);
    if (err == SOFA_OK) begin = before.data[0];
    sofa_list_free(r->ctx, &before);
    SOFA_TRY(err);
    SOFA_TRY(check_end(r, first - 1, begin, 0, begin));
  }
  for (size_t i = first; i < end; i += CHUNK)
    SOFA_TRY(read_cells(r, b, i, end - i < CHUNK ? end - i : CHUNK, &begin));
  return SOFA_OK;
}

/* The elements of all runs become those of the slices. */
static SofaErr join_runs(Reader *r, SofaMesh *run, SofaMeshSlice *out) {
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const size_t width = sofa_element_kind_info((SofaElementKind)k)->width;
    SofaAnyList *list = sofa_mesh_list(run, (SofaElementKind)k);
    const size_t n = list->n * width;
    SofaIndices table = {list->data, n, n};
    *list = (SofaAnyList){0};
    SOFA_TRY(
        sofa_mesh_slice_append(r->ctx, out, (SofaElementKind)k, &(SofaFoundElements){1, &table}));
  }
  return SOFA_OK;
}

static SofaErr read_elements(Reader *r, SofaMeshSlice *out, bool *found) {
  const int rank = sofa_process_rank(r->ctx), n = sofa_process_count(r->ctx);
  const size_t first = sofa_slice_begin(r->n_cells, rank, n);
  const size_t end = sofa_slice_begin(r->n_cells, rank + 1, n);
  SofaMeshData data = {.mesh.position.n = r->n_points}; /* their number alone is looked at */
  SofaVtkBuild b = {.out = &data, .faces = r->faces};
  uint64_t n_others;
  SofaErr err;
  b.text = sofa_mesh_text(r->ctx, &(SofaFileBytes){&r->file->origin, r->head, 0});
  SOFA_GO(err, done, look_at_types(r, first, end, found));
  n_others = !*found;
  SOFA_GO(err, done, sofa_process_sum_counts(r->ctx, 1, &n_others));
  *found = n_others == 0;
  if (!*found) goto done;
  SOFA_GO(err, done, read_run(r, &b, first, end));
  err = join_runs(r, &data.mesh, out);
done:
  data.mesh.position.n = 0;
  sofa_mesh_data_free(r->ctx, &data);
  sofa_vtk_build_free(&b);
  return err;
}

SofaErr sofa_vtk_read_slice(SofaContext *ctx, const SofaPartFile *file,
                            const SofaFaceOptions *faces, SofaMeshSlice *out, SofaVtkExtras *extras,
                            bool *found) {
  Reader r = {.ctx = ctx, .file = file, .faces = faces};
  SofaErr err = read_head(&r, found);
  if (err == SOFA_OK && *found) err = open_arrays(&r);
  if (err == SOFA_OK && *found) err = read_elements(&r, out, found);
  if (err == SOFA_OK && *found) err = read_points(&r, out);
  if (err == SOFA_OK && *found && extras) err = read_all_values(&r, extras);
  sofa_list_free(ctx, &r.values);
  for (int k = 0; k < N_PARTS; k++) sofa_vtk_part_close(&r.parts[k]);
  sofa_list_free(ctx, &r.bytes);
  sofa_free(ctx, r.head);
  if (err != SOFA_OK || !*found) sofa_mesh_slice_free(ctx, out);
  return err;
}
