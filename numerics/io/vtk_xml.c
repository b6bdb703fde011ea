/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads XML VTK files (.vtu, .vtp, .vti, .vtr, .vts): text, base64 and appended arrays, plain or
 * zlib-compressed. */
#include <zlib.h>
#include "numerics/io/base64.h"
#include "numerics/io/vtk_legacy_impl.h"
#include "numerics/io/vtk_tags_impl.h"

typedef struct Xml {
  SofaVtkBuild *b;
  bool big_endian, compressed;
  unsigned header_size; /* 4 or 8 bytes */
  const char *appended; /* behind the '_' of AppendedData, NULL */
  const char *appended_end;
  bool appended_raw;        /* else base64 */
  int dataset;              /* UNSTRUCTURED ... */
  int section;              /* SECTION_... */
  size_t n_points, n_cells; /* of the piece; cells of an unstructured grid */
  size_t n_verts[4];        /* cells of polygonal data: Verts, Lines, Polys, Strips */
  size_t n_pieces, n_axes;  /* so far */
  bool in_piece;
  SofaVtkImage image;   /* of structured data sets */
  SofaReals axes[3];    /* of a rectilinear grid */
  SofaVtkWords normals; /* name of the array of normals */
} Xml;

enum { UNSTRUCTURED, POLYDATA, IMAGE, RECTILINEAR, GRID, N_DATASETS };
enum {
  NO_SECTION,
  SECTION_POINTS,
  SECTION_AXES,
  SECTION_POINT_DATA,
  SECTION_CELL_DATA,
  SECTION_CELLS,
  SECTION_FACES
};

static SofaErr fail(Xml *x, const char *what) {
  return sofa_mesh_fail(&x->b->text, SOFA_ERR_PARSE, "%s", what);
}

/* n numbers in an attribute; they stay as they are without it. */
static SofaErr numbers_of(Xml *x, const SofaVtkTag *tag, const char *name, int n, double *out) {
  const SofaVtkWords w = sofa_vtk_attribute(tag, name);
  if (!w.at) return SOFA_OK; // the default stays
  const char *at = w.at, *end = w.at + w.n, *stop;
  for (int k = 0; k < n; k++, at = stop) {
    while (at < end && (unsigned char)*at <= ' ') at++;
    if (!sofa_parse_real(at, end, &stop, &out[k]))
      return sofa_mesh_fail(&x->b->text, SOFA_ERR_PARSE, "%s='%.*s': %d numbers are expected", name,
                            (int)(w.n < 60 ? w.n : 60), w.at, n);
  }
  return SOFA_OK;
}

/* ---- base64 ---- */

/* Bytes to come, from base64 or raw. */
typedef struct Source {
  const char *at, *end;
  bool raw;
} Source;

/* Appends n bytes; base64: whole groups of four characters, up to padding at the end. */
static SofaErr take_bytes(Xml *x, Source *s, size_t n, SofaText *to) {
  SofaContext *ctx = x->b->text.ctx;
  const size_t left = (size_t)(s->end - s->at);
  if (n > (s->raw ? left : left / 4 * 3 + 3)) return fail(x, "an array ends too early");
  SOFA_TRY(SOFA_RESERVE(ctx, to, to->n + n + 1));
  if (s->raw) {
    SOFA_TRY(sofa_text_append(ctx, to, s->at, n));
    s->at += n;
    return SOFA_OK;
  }
  while (n > 0) {
    uint32_t bits = 0;
    int n_digits = 0;
    for (int k = 0; k < 4; k++) {
      while (s->at < s->end && (unsigned char)*s->at <= ' ') s->at++;
      if (s->at == s->end) return fail(x, "an array ends too early");
      const int value = sofa_base64_digit(*s->at);
      if (value < 0 && *s->at != '=') return fail(x, "an array is not base64");
      n_digits += value >= 0;
      bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
      s->at++;
    }
    const char bytes[3] = {(char)(bits >> 16), (char)(bits >> 8), (char)bits};
    size_t there = n_digits < 2 ? 0 : (size_t)n_digits - 1;
    if (there < 3 && there < n) return fail(x, "an array ends too early");
    if (there > n) there = n;
    SOFA_TRY(sofa_text_append(ctx, to, bytes, there));
    n -= there;
  }
  return SOFA_OK;
}

/* ---- arrays of bytes ---- */

static uint64_t header_number(const Xml *x, const char *at) {
  const SofaVtkType *type =
      x->header_size == 8 ? sofa_vtk_type("UInt64", 6) : sofa_vtk_type("UInt32", 6);
  return (uint64_t)sofa_vtk_int(type, at, x->big_endian);
}

/* Header: number of blocks, size of a block, size of the last one when it is smaller (else 0), size
 * of each compressed; then the compressed blocks. In base64 header and blocks are encoded apart. */
static SofaErr unpack(Xml *x, Source *s) {
  SofaVtkBuild *b = x->b;
  SofaContext *ctx = b->text.ctx;
  Source header = *s;
  const size_t word = x->header_size;
  b->packed.n = b->unpacked.n = b->sizes.n = 0;
  SOFA_TRY(take_bytes(x, &header, 3 * word, &b->packed));
  const uint64_t n = header_number(x, b->packed.data);
  const uint64_t size = header_number(x, b->packed.data + word);
  const uint64_t last = header_number(x, b->packed.data + 2 * word);
  // a block of zlib is at most about 1032 times as large as compressed
  if (n > (size_t)(s->end - s->at) / word || last > size ||
      (n && size > (uint64_t)(s->end - s->at) * 1100 / n + 1100))
    return fail(x, "the header of a compressed array is broken");
  b->packed.n = 0;
  SOFA_TRY(take_bytes(x, s, (3 + (size_t)n) * word, &b->packed));
  for (size_t i = 0; i < n; i++) {
    const uint64_t packed = header_number(x, b->packed.data + (3 + i) * word);
    if (packed > (uint64_t)(s->end - s->at)) return fail(x, "a compressed block ends too early");
    const uint32_t size32 = (uint32_t)packed;
    SOFA_TRY(SOFA_APPEND(ctx, &b->sizes, &size32));
  }
  b->packed.n = 0;
  size_t total = 0, at = 0;
  for (size_t i = 0; i < n; i++) total += b->sizes.data[i];
  SOFA_TRY(take_bytes(x, s, total, &b->packed));
  for (size_t i = 0; i < n; at += b->sizes.data[i++]) {
    uLongf room = (uLongf)(i + 1 == n && last ? last : size);
    SOFA_TRY(SOFA_RESERVE(ctx, &b->unpacked, b->unpacked.n + room + 1));
    if (uncompress((Bytef *)b->unpacked.data + b->unpacked.n, &room,
                   (const Bytef *)b->packed.data + at, b->sizes.data[i]) != Z_OK)
      return fail(x, "a compressed block is broken");
    b->unpacked.n += room;
  }
  return SOFA_OK;
}

/* The bytes of an array, into b->unpacked. */
static SofaErr take_array(Xml *x, Source *s) {
  SofaVtkBuild *b = x->b;
  if (x->compressed) return unpack(x, s);
  Source header = *s;
  b->unpacked.n = 0;
  SOFA_TRY(take_bytes(x, &header, x->header_size, &b->unpacked));
  const uint64_t n = header_number(x, b->unpacked.data);
  if (n > (uint64_t)(s->end - s->at)) return fail(x, "an array ends too early");
  // in base64 the header is encoded together with what follows
  b->unpacked.n = 0;
  SOFA_TRY(take_bytes(x, s, x->header_size + (size_t)n, &b->unpacked));
  sofa_move(b->unpacked.data, b->unpacked.data + x->header_size, (size_t)n);
  b->unpacked.n = (size_t)n;
  return SOFA_OK;
}

static SofaErr find_source(Xml *x, const SofaVtkTag *tag, Source *s) {
  SofaMeshText *t = &x->b->text;
  if (sofa_vtk_is(sofa_vtk_attribute(tag, "format"), "appended")) {
    size_t offset;
    SOFA_TRY(sofa_vtk_count(&x->b->text, tag, "offset", &offset));
    if (!x->appended || offset >= (size_t)(x->appended_end - x->appended))
      return sofa_mesh_fail(t, SOFA_ERR_RANGE, "there is no appended data at offset %zu", offset);
    *s = (Source){x->appended + offset, x->appended_end, x->appended_raw};
    return SOFA_OK;
  }
  const char *stop = memchr(t->at, '<', (size_t)(t->end - t->at));
  *s = (Source){t->at, stop ? stop : t->end, false};
  return SOFA_OK;
}

/* ---- arrays of numbers ---- */

static SofaErr type_of(Xml *x, const SofaVtkTag *tag, const SofaVtkType **type) {
  const SofaVtkWords w = sofa_vtk_attribute(tag, "type");
  *type = w.at ? sofa_vtk_type(w.at, w.n) : NULL;
  return *type ? SOFA_OK : fail(x, "a DataArray has no type of numbers");
}

/* The numbers of a text array follow in *text, whose end is that of the array. */
static SofaMeshText text_of(Xml *x) {
  SofaMeshText text = x->b->text;
  const char *stop = memchr(text.at, '<', (size_t)(text.end - text.at));
  if (stop) text.end = stop;
  return text;
}

static SofaErr read_ints(Xml *x, const SofaVtkTag *tag, SofaVtkInts *list) {
  SofaContext *ctx = x->b->text.ctx;
  const SofaVtkType *type;
  SOFA_TRY(type_of(x, tag, &type));
  list->n = 0;
  if (sofa_vtk_is(sofa_vtk_attribute(tag, "format"), "ascii")) {
    SofaMeshText text = text_of(x);
    for (sofa_mesh_skip(&text); text.at < text.end; sofa_mesh_skip(&text)) {
      int64_t value;
      SOFA_TRY(sofa_mesh_read_int(&text, "an integer", &value));
      SOFA_TRY(SOFA_APPEND(ctx, list, &value));
    }
    return SOFA_OK;
  }
  Source s;
  SOFA_TRY(find_source(x, tag, &s));
  SOFA_TRY(take_array(x, &s));
  const size_t n = x->b->unpacked.n / type->size;
  SOFA_TRY(SOFA_RESERVE(ctx, list, n));
  for (size_t i = 0; i < n; i++)
    list->data[i] = sofa_vtk_int(type, x->b->unpacked.data + i * type->size, x->big_endian);
  list->n = n;
  return SOFA_OK;
}

static SofaErr read_reals(Xml *x, const SofaVtkTag *tag, SofaReals *list) {
  SofaContext *ctx = x->b->text.ctx;
  const SofaVtkType *type;
  SOFA_TRY(type_of(x, tag, &type));
  if (sofa_vtk_is(sofa_vtk_attribute(tag, "format"), "ascii")) {
    SofaMeshText text = text_of(x);
    for (sofa_mesh_skip(&text); text.at < text.end; sofa_mesh_skip(&text))
      SOFA_TRY(sofa_vtk_legacy_reals(&text, false, 1, type, "a number", list));
    return SOFA_OK;
  }
  Source s;
  SOFA_TRY(find_source(x, tag, &s));
  SOFA_TRY(take_array(x, &s));
  const size_t n = x->b->unpacked.n / type->size;
  SOFA_TRY(SOFA_RESERVE(ctx, list, list->n + n));
  for (size_t i = 0; i < n; i++) {
    const double value = sofa_vtk_real(type, x->b->unpacked.data + i * type->size, x->big_endian);
    SOFA_TRY(SOFA_APPEND(ctx, list, &value));
  }
  return SOFA_OK;
}

static SofaErr read_points(Xml *x, const SofaVtkTag *tag) {
  SofaVtkBuild *b = x->b;
  const SofaVtkType *type;
  double p[3];
  size_t i = 0;
  SOFA_TRY(type_of(x, tag, &type));
  if (sofa_vtk_is(sofa_vtk_attribute(tag, "format"), "ascii")) {
    SofaMeshText text = text_of(x);
    for (sofa_mesh_skip(&text); text.at < text.end; sofa_mesh_skip(&text), i++) {
      SOFA_TRY(sofa_mesh_read_reals(&text, "a coordinate", 3, p));
      SOFA_TRY(sofa_vtk_add_point(b, type, p));
    }
  } else {
    Source s;
    SOFA_TRY(find_source(x, tag, &s));
    SOFA_TRY(take_array(x, &s));
    const size_t n = b->unpacked.n / type->size / 3;
    SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, b->first_point + n));
    for (; i < n; i++) {
      for (size_t k = 0; k < 3; k++)
        p[k] = sofa_vtk_real(type, b->unpacked.data + (3 * i + k) * type->size, x->big_endian);
      SOFA_TRY(sofa_vtk_add_point(b, type, p));
    }
  }
  if (i == x->n_points) return SOFA_OK;
  return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu points announced, %zu given", x->n_points,
                        i);
}

/* An array of the points or cells. SofaVtkWords and the like have no type of numbers: left out. */
static SofaErr read_values(Xml *x, const SofaVtkTag *tag) {
  SofaVtkBuild *b = x->b;
  const SofaVtkWords name = sofa_vtk_attribute(tag, "Name"), word = sofa_vtk_attribute(tag, "type");
  const SofaVtkType *type = word.at ? sofa_vtk_type(word.at, word.n) : NULL;
  SofaReals *values;
  size_t width;
  if (!type || !name.at || !b->extras) return SOFA_OK;
  SOFA_TRY(sofa_vtk_count(&x->b->text, tag, "NumberOfComponents", &width));
  if (width > 1000) return fail(x, "an array has more than 1000 components");
  const SofaVtkArrayHead head = {name.at, name.n, x->section == SECTION_CELL_DATA,
                                 width ? width : 1, type};
  SOFA_TRY(sofa_vtk_array(b, &head, &values));
  return values ? read_reals(x, tag, values) : SOFA_OK;
}

static SofaErr read_array(Xml *x, const SofaVtkTag *tag) {
  SofaVtkBuild *b = x->b;
  const SofaVtkWords name = sofa_vtk_attribute(tag, "Name");
  if (x->section == SECTION_POINTS) return read_points(x, tag);
  if (x->section == SECTION_AXES) {
    if (x->n_axes == 3) return fail(x, "there are more than three lists of coordinates");
    return read_reals(x, tag, &x->axes[x->n_axes++]);
  }
  if (x->section == SECTION_POINT_DATA || x->section == SECTION_CELL_DATA)
    return read_values(x, tag);
  if (x->section < SECTION_CELLS) return SOFA_OK;
  if (sofa_vtk_is(name, "connectivity")) return read_ints(x, tag, &b->connectivity);
  if (sofa_vtk_is(name, "offsets")) return read_ints(x, tag, &b->offsets);
  if (sofa_vtk_is(name, "types")) return read_ints(x, tag, &b->types);
  return SOFA_OK;
}

/* ---- the file ---- */

static const char *const face_sections[4] = {"Verts", "Lines", "Polys", "Strips"};

/* End of a section: its cells are complete. */
static SofaErr close_section(Xml *x, const SofaVtkTag *tag) {
  static const int types[4] = {SOFA_VTK_POLY_VERTEX, SOFA_VTK_POLY_LINE, SOFA_VTK_FACE,
                               SOFA_VTK_STRIP};
  SofaVtkBuild *b = x->b;
  size_t announced = x->n_cells;
  int type = 0;
  if (x->section < SECTION_CELLS) return SOFA_OK;
  for (int k = 0; k < 4; k++)
    if (sofa_vtk_is(tag->name, face_sections[k])) type = types[k], announced = x->n_verts[k];
  if (b->offsets.n != announced)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu cells announced, %zu given", announced,
                          b->offsets.n);
  if (x->section == SECTION_CELLS && b->types.n != announced)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu cells have %zu types", announced,
                          b->types.n);
  return sofa_vtk_add_cells(b, type);
}

/* Extent of the piece of a structured data set: first and last index along x, y, z. */
static SofaErr read_extent(Xml *x, const SofaVtkTag *tag) {
  double extent[6] = {0};
  if (x->n_pieces++ > 0)
    return sofa_mesh_fail(&x->b->text, SOFA_ERR_UNSUPPORTED,
                          "a structured data set of several pieces is not supported yet: only one "
                          "piece is");
  if (!sofa_vtk_attribute(tag, "Extent").at) return fail(x, "a piece has no Extent");
  SOFA_TRY(numbers_of(x, tag, "Extent", 6, extent));
  for (int k = 0; k < 3; k++) {
    const double n = extent[2 * k + 1] - extent[2 * k] + 1;
    if (!(n >= 0 && n < 2e9 && extent[2 * k] > -2e9 && extent[2 * k] < 2e9))
      return fail(x, "the Extent of a piece is broken");
    x->image.first[k] = (int64_t)extent[2 * k];
    x->image.dims[k] = (int64_t)n;
  }
  return sofa_vtk_grid_size(x->b, x->image.dims, &x->n_points);
}

static SofaErr open_piece(Xml *x, const SofaVtkTag *tag) {
  static const char *const counts[4] = {"NumberOfVerts", "NumberOfLines", "NumberOfPolys",
                                        "NumberOfStrips"};
  x->b->first_point = x->b->out->mesh.position.n;
  if (x->dataset >= IMAGE) return read_extent(x, tag);
  SOFA_TRY(sofa_vtk_count(&x->b->text, tag, "NumberOfPoints", &x->n_points));
  SOFA_TRY(sofa_vtk_count(&x->b->text, tag, "NumberOfCells", &x->n_cells));
  for (int k = 0; k < 4; k++) SOFA_TRY(sofa_vtk_count(&x->b->text, tag, counts[k], &x->n_verts[k]));
  return SOFA_OK;
}

/* The points of a structured data set whose file gives measures, and its cells. */
static SofaErr close_piece(Xml *x) {
  SofaVtkBuild *b = x->b;
  if (!x->in_piece)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "a piece ends that did not begin");
  x->in_piece = false;
  if (x->dataset < IMAGE) return SOFA_OK;
  if (x->dataset == IMAGE) SOFA_TRY(sofa_vtk_add_image(b, &x->image));
  if (x->dataset == RECTILINEAR) SOFA_TRY(sofa_vtk_add_rectilinear(b, x->axes, x->image.dims));
  if (b->out->mesh.position.n != x->n_points)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu points announced, %zu given", x->n_points,
                          b->out->mesh.position.n);
  return sofa_vtk_add_grid_cells(b, x->image.dims);
}

static int section_of(const SofaVtkTag *tag) {
  if (sofa_vtk_is(tag->name, "Points")) return SECTION_POINTS;
  if (sofa_vtk_is(tag->name, "Coordinates")) return SECTION_AXES;
  if (sofa_vtk_is(tag->name, "PointData")) return SECTION_POINT_DATA;
  if (sofa_vtk_is(tag->name, "CellData")) return SECTION_CELL_DATA;
  if (sofa_vtk_is(tag->name, "Cells")) return SECTION_CELLS;
  for (int k = 0; k < 4; k++)
    if (sofa_vtk_is(tag->name, face_sections[k])) return SECTION_FACES;
  return NO_SECTION;
}

static SofaErr read_tag(Xml *x, const SofaVtkTag *tag) {
  const int section = section_of(tag);
  if (sofa_vtk_is(tag->name, "Piece")) {
    if (!tag->closing) SOFA_TRY(open_piece(x, tag));
    x->in_piece = x->in_piece || !tag->closing;
    return tag->closing || tag->empty ? close_piece(x) : SOFA_OK;
  }
  if (sofa_vtk_is(tag->name, "ImageData") && !tag->closing) {
    SOFA_TRY(numbers_of(x, tag, "Origin", 3, x->image.origin));
    SOFA_TRY(numbers_of(x, tag, "Spacing", 3, x->image.spacing));
    return numbers_of(x, tag, "Direction", 9, x->image.direction);
  }
  if (sofa_vtk_is(tag->name, "DataArray") && !tag->closing) return read_array(x, tag);
  if (section != NO_SECTION && (tag->closing || tag->empty)) {
    if (tag->closing) SOFA_TRY(close_section(x, tag));
    x->section = NO_SECTION;
  } else if (section != NO_SECTION) {
    x->section = section;
    if (section == SECTION_POINT_DATA) x->normals = sofa_vtk_attribute(tag, "Normals");
  }
  return SOFA_OK;
}

/* Attributes of <VTKFile>. */
static SofaErr read_head(Xml *x) {
  static const char *const types[N_DATASETS] = {"UnstructuredGrid", "PolyData", "ImageData",
                                                "RectilinearGrid", "StructuredGrid"};
  SofaVtkTag tag;
  bool found;
  SOFA_TRY(sofa_vtk_next_tag(&x->b->text, &tag, &found));
  if (!found || !sofa_vtk_is(tag.name, "VTKFile")) return fail(x, "expected <VTKFile>");
  const SofaVtkWords type = sofa_vtk_attribute(&tag, "type"),
                     compressor = sofa_vtk_attribute(&tag, "compressor");
  while (x->dataset < N_DATASETS && !sofa_vtk_is(type, types[x->dataset])) x->dataset++;
  if (x->dataset == N_DATASETS)
    return sofa_mesh_fail(&x->b->text, SOFA_ERR_UNSUPPORTED,
                          "VTK files of type '%.*s' are not supported yet: only UnstructuredGrid, "
                          "PolyData, ImageData, RectilinearGrid and StructuredGrid are",
                          (int)(type.n < 40 ? type.n : 40), type.at ? type.at : "");
  x->compressed = compressor.n > 0;
  if (x->compressed && !sofa_vtk_is(compressor, "vtkZLibDataCompressor"))
    return sofa_mesh_fail(&x->b->text, SOFA_ERR_UNSUPPORTED,
                          "compressor '%.*s' is not supported yet: only vtkZLibDataCompressor is",
                          (int)(compressor.n < 40 ? compressor.n : 40), compressor.at);
  x->big_endian = sofa_vtk_is(sofa_vtk_attribute(&tag, "byte_order"), "BigEndian");
  x->header_size = sofa_vtk_is(sofa_vtk_attribute(&tag, "header_type"), "UInt64") ? 8 : 4;
  return SOFA_OK;
}

/* Finds the data behind the last tag, which may hold any bytes; the text then ends there. */
static SofaErr find_appended(Xml *x) {
  SofaMeshText *t = &x->b->text, tail = *t;
  static const char word[] = "<AppendedData";
  const char *open = memmem(t->at, (size_t)(t->end - t->at), word, sizeof word - 1);
  SofaVtkTag tag;
  bool found;
  if (!open) return SOFA_OK;
  sofa_vtk_move(t, open);
  SOFA_TRY(sofa_vtk_next_tag(&x->b->text, &tag, &found));
  const char *mark = memchr(t->at, '_', (size_t)(t->end - t->at));
  if (!found || !mark) return fail(x, "the appended data has no beginning");
  x->appended = mark + 1;
  x->appended_end = t->end;
  x->appended_raw = sofa_vtk_is(sofa_vtk_attribute(&tag, "encoding"), "raw");
  *t = tail;
  t->end = open;
  return SOFA_OK;
}

static SofaErr read_all(Xml *x) {
  SofaVtkTag tag;
  bool found = true;
  SOFA_TRY(read_head(x));
  SOFA_TRY(find_appended(x));
  while (found) {
    SOFA_TRY(sofa_vtk_next_tag(&x->b->text, &tag, &found));
    if (found) SOFA_TRY(read_tag(x, &tag));
  }
  if (x->section != NO_SECTION) return fail(x, "the file ends within a piece");
  return x->normals.n ? sofa_vtk_use_normals(x->b, x->normals.at, x->normals.n) : SOFA_OK;
}

SofaErr sofa_vtk_xml(SofaVtkBuild *b) {
  Xml x = {.b = b, .image = {.spacing = {1, 1, 1}, .direction = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  const SofaErr err = read_all(&x);
  for (int k = 0; k < 3; k++) sofa_list_free(b->text.ctx, &x.axes[k]);
  return err;
}
