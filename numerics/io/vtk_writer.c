/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VTK files: XML with zlib blocks in base64 or ASCII arrays, and the legacy ASCII format. */
#include "numerics/io/vtk_writer.h"

#include <string.h>
#include <zlib.h>

#include "base/text.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_NAME "LittleEndian"
#else
#define BYTE_ORDER_NAME "BigEndian"
#endif

enum { BLOCK_SIZE = 1 << 16, COMPRESSION_LEVEL = 1 };

void sofa_vtk_buffers_free(SofaContext *ctx, SofaVtkBuffers *b) {
  sofa_list_free(ctx, &b->text);
  sofa_list_free(ctx, &b->bytes);
  sofa_list_free(ctx, &b->packed);
  sofa_list_free(ctx, &b->header);
}

static SofaErr append(SofaContext *ctx, SofaText *text, const char *words) {
  return sofa_text_append(ctx, text, words, strlen(words));
}

SofaErr sofa_vtk_append_escaped(SofaContext *ctx, SofaText *text, const char *words) {
  for (const char *c = words; *c; c++) {
    const char *entity = *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : *c == '"' ? "&quot;" : NULL;
    SOFA_TRY(entity ? append(ctx, text, entity) : sofa_text_append(ctx, text, c, 1));
  }
  return SOFA_OK;
}

/* ---- base64 ---- */

static SofaErr append_base64(SofaContext *ctx, SofaText *text, const void *data, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint8_t *in = data;
  char quad[4];
  SOFA_TRY(SOFA_RESERVE(ctx, text, text->n + (n + 2) / 3 * 4 + 1));
  for (size_t i = 0; i < n; i += 3) {
    const size_t left = n - i;
    const uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                          (left > 2 ? in[i + 2] : 0);
    for (int k = 0; k < 4; k++) quad[k] = digits[bits >> (18 - 6 * k) & 63];
    if (left < 3) quad[3] = '=';
    if (left < 2) quad[2] = '=';
    SOFA_TRY(sofa_text_append(ctx, text, quad, 4));
  }
  return SOFA_OK;
}

/* ---- arrays ---- */

/* Compresses buffers->bytes block by block. VTK's header: number of blocks, size of a block, size
 * of the last one when it is smaller (else 0), then the compressed size of each. */
static SofaErr pack(SofaContext *ctx, SofaVtkBuffers *b) {
  const size_t n = b->bytes.n, n_blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  const uint64_t start[3] = {n_blocks, BLOCK_SIZE, n % BLOCK_SIZE};
  b->packed.n = b->header.n = 0;
  SOFA_TRY(sofa_text_append(ctx, &b->header, (const char *)start, sizeof start));
  for (size_t i = 0; i < n_blocks; i++) {
    const size_t left = n - i * BLOCK_SIZE, size = left < BLOCK_SIZE ? left : BLOCK_SIZE;
    uLongf room = compressBound(size);
    SOFA_TRY(SOFA_RESERVE(ctx, &b->packed, b->packed.n + room + 1));
    if (compress2((Bytef *)b->packed.data + b->packed.n, &room,
                  (const Bytef *)b->bytes.data + i * BLOCK_SIZE, size, COMPRESSION_LEVEL) != Z_OK)
      return sofa_fail(ctx, SOFA_ERR_IO, NULL, "compressing an array failed");
    b->packed.n += room;
    const uint64_t packed_size = room;
    SOFA_TRY(sofa_text_append(ctx, &b->header, (const char *)&packed_size, sizeof packed_size));
  }
  return SOFA_OK;
}

static SofaErr begin_array(SofaContext *ctx, SofaVtkBuffers *b, const char *type, const char *name,
                           unsigned width, bool ascii) {
  b->bytes.n = 0;
  SOFA_TRY(sofa_text_printf(ctx, &b->text, "        <DataArray type=\"%s\" Name=\"", type));
  SOFA_TRY(sofa_vtk_append_escaped(ctx, &b->text, name));
  return sofa_text_printf(ctx, &b->text, "\" NumberOfComponents=\"%u\" format=\"%s\">\n", width,
                          ascii ? "ascii" : "binary");
}

/* Ends an array whose raw bytes were collected. */
static SofaErr end_array(SofaContext *ctx, SofaVtkBuffers *b, bool ascii) {
  if (!ascii) {
    SOFA_TRY(pack(ctx, b));
    SOFA_TRY(append_base64(ctx, &b->text, b->header.data, b->header.n));
    SOFA_TRY(append_base64(ctx, &b->text, b->packed.data, b->packed.n));
  }
  return append(ctx, &b->text, "\n        </DataArray>\n");
}

static SofaErr add_integer(SofaContext *ctx, SofaVtkBuffers *b, int64_t value, bool ascii) {
  if (!ascii) return sofa_text_append(ctx, &b->bytes, (const char *)&value, sizeof value);
  return sofa_text_printf(ctx, &b->text, "%lld ", (long long)value);
}

static SofaErr add_reals(SofaContext *ctx, SofaVtkBuffers *b, const double *values, size_t n,
                         unsigned width, bool ascii) {
  if (!ascii) return n ? sofa_text_append(ctx, &b->bytes, (const char *)values, n * 8) : SOFA_OK;
  for (size_t i = 0; i < n; i++) {
    SOFA_TRY(sofa_text_real(ctx, &b->text, values[i], 17));
    SOFA_TRY(append(ctx, &b->text, (i + 1) % width ? " " : "\n"));
  }
  return SOFA_OK;
}

static SofaErr real_array(SofaContext *ctx, SofaVtkBuffers *b, const SofaVtkField *field, size_t n,
                          bool ascii) {
  SOFA_TRY(begin_array(ctx, b, "Float64", field->name, field->width, ascii));
  SOFA_TRY(add_reals(ctx, b, field->values, n * field->width, field->width, ascii));
  return end_array(ctx, b, ascii);
}

static size_t count_cells(const VtkGrid *grid) {
  size_t n = 0;
  for (size_t i = 0; i < grid->n_cells; i++) n += grid->cells[i].n;
  return n;
}

static SofaErr connectivity(SofaContext *ctx, SofaVtkBuffers *b, const VtkGrid *grid, bool ascii) {
  SOFA_TRY(begin_array(ctx, b, "Int64", "connectivity", 1, ascii));
  for (size_t i = 0; i < grid->n_cells; i++) {
    const VtkCells *cells = &grid->cells[i];
    for (size_t k = 0; k < cells->n * cells->n_vertices; k++)
      SOFA_TRY(add_integer(ctx, b, cells->vertices ? cells->vertices[k] : (int64_t)k, ascii));
  }
  SOFA_TRY(end_array(ctx, b, ascii));
  SOFA_TRY(begin_array(ctx, b, "Int64", "offsets", 1, ascii));
  int64_t offset = 0;
  for (size_t i = 0; i < grid->n_cells; i++)
    for (size_t k = 0; k < grid->cells[i].n; k++)
      SOFA_TRY(add_integer(ctx, b, offset += grid->cells[i].n_vertices, ascii));
  return end_array(ctx, b, ascii);
}

static SofaErr cell_types(SofaContext *ctx, SofaVtkBuffers *b, const VtkGrid *grid, bool ascii) {
  SOFA_TRY(begin_array(ctx, b, "UInt8", "types", 1, ascii));
  for (size_t i = 0; i < grid->n_cells; i++)
    for (size_t k = 0; k < grid->cells[i].n; k++) {
      const char type = (char)grid->cells[i].type;
      if (ascii) SOFA_TRY(sofa_text_printf(ctx, &b->text, "%d ", type));
      else SOFA_TRY(sofa_text_append(ctx, &b->bytes, &type, 1));
    }
  return end_array(ctx, b, ascii);
}

/* The fields of the points or of the cells, with the tag of their section. */
typedef struct Section {
  const char *tag;
  const SofaVtkField *fields;
  size_t n_fields, n; /* n: points or cells */
} Section;

static SofaErr section(SofaContext *ctx, SofaVtkBuffers *b, const Section *s, bool ascii) {
  if (!s->n_fields) return SOFA_OK;
  SOFA_TRY(sofa_text_printf(ctx, &b->text, "      <%s>\n", s->tag));
  for (size_t i = 0; i < s->n_fields; i++) SOFA_TRY(real_array(ctx, b, &s->fields[i], s->n, ascii));
  return sofa_text_printf(ctx, &b->text, "      </%s>\n", s->tag);
}

SofaErr sofa_vtk_write_xml(SofaContext *ctx, const VtkGrid *grid, bool ascii, SofaVtkBuffers *b) {
  const SofaVtkField points = {"Points", 3, grid->points};
  const size_t n_cells = count_cells(grid);
  const Section of_points = {"PointData", grid->point_fields, grid->n_point_fields, grid->n_points};
  const Section of_cells = {"CellData", grid->cell_fields, grid->n_cell_fields, n_cells};
  b->text.n = 0;
  SOFA_TRY(append(ctx, &b->text,
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"" BYTE_ORDER_NAME "\" header_type=\"UInt64\" "
                  "compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>\n"));
  SOFA_TRY(sofa_text_printf(ctx, &b->text,
                            "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
                            grid->n_points, n_cells));
  SOFA_TRY(section(ctx, b, &of_points, ascii));
  SOFA_TRY(section(ctx, b, &of_cells, ascii));
  SOFA_TRY(append(ctx, &b->text, "      <Points>\n"));
  SOFA_TRY(real_array(ctx, b, &points, grid->n_points, ascii));
  SOFA_TRY(append(ctx, &b->text, "      </Points>\n      <Cells>\n"));
  SOFA_TRY(connectivity(ctx, b, grid, ascii));
  SOFA_TRY(cell_types(ctx, b, grid, ascii));
  return append(ctx, &b->text, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
}

/* ---- pieces ---- */

static SofaErr described(SofaContext *ctx, SofaText *text, const SofaVtkField *field) {
  SOFA_TRY(append(ctx, text, "      <PDataArray type=\"Float64\" Name=\""));
  SOFA_TRY(sofa_vtk_append_escaped(ctx, text, field->name));
  return sofa_text_printf(ctx, text, "\" NumberOfComponents=\"%u\"/>\n", field->width);
}

static SofaErr described_section(SofaContext *ctx, SofaText *text, const Section *s) {
  if (!s->n_fields) return SOFA_OK;
  SOFA_TRY(sofa_text_printf(ctx, text, "    <%s>\n", s->tag));
  for (size_t i = 0; i < s->n_fields; i++) SOFA_TRY(described(ctx, text, &s->fields[i]));
  return sofa_text_printf(ctx, text, "    </%s>\n", s->tag);
}

SofaErr sofa_vtk_write_pieces(SofaContext *ctx, const VtkGrid *grid, const SofaStrings *sources,
                              SofaVtkBuffers *b) {
  const SofaVtkField points = {"Points", 3, NULL};
  const Section sections[] = {{"PPointData", grid->point_fields, grid->n_point_fields, 0},
                              {"PCellData", grid->cell_fields, grid->n_cell_fields, 0},
                              {"PPoints", &points, 1, 0}};
  SofaText *text = &b->text;
  text->n = 0;
  SOFA_TRY(append(ctx, text,
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"" BYTE_ORDER_NAME "\" header_type=\"UInt64\" "
                  "compressor=\"vtkZLibDataCompressor\">\n"
                  "  <PUnstructuredGrid GhostLevel=\"0\">\n"));
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    SOFA_TRY(described_section(ctx, text, &sections[i]));
  for (size_t i = 0; i < sources->n; i++) {
    SOFA_TRY(append(ctx, text, "    <Piece Source=\""));
    SOFA_TRY(sofa_vtk_append_escaped(ctx, text, sources->data[i]));
    SOFA_TRY(append(ctx, text, "\"/>\n"));
  }
  return append(ctx, text, "  </PUnstructuredGrid>\n</VTKFile>\n");
}

/* ---- legacy ---- */

static SofaErr legacy_cells(SofaContext *ctx, SofaVtkBuffers *b, const VtkGrid *grid) {
  size_t size = 0;
  for (size_t i = 0; i < grid->n_cells; i++)
    size += grid->cells[i].n * (grid->cells[i].n_vertices + 1);
  SOFA_TRY(sofa_text_printf(ctx, &b->text, "\nCELLS %zu %zu\n", count_cells(grid), size));
  for (size_t i = 0; i < grid->n_cells; i++) {
    const VtkCells *cells = &grid->cells[i];
    for (size_t e = 0; e < cells->n; e++) {
      SOFA_TRY(sofa_text_printf(ctx, &b->text, "%u", cells->n_vertices));
      for (size_t k = e * cells->n_vertices; k < (e + 1) * cells->n_vertices; k++)
        SOFA_TRY(sofa_text_printf(ctx, &b->text, " %zu",
                                  cells->vertices ? (size_t)cells->vertices[k] : k));
      SOFA_TRY(append(ctx, &b->text, "\n"));
    }
  }
  SOFA_TRY(sofa_text_printf(ctx, &b->text, "\nCELL_TYPES %zu\n", count_cells(grid)));
  for (size_t i = 0; i < grid->n_cells; i++)
    for (size_t e = 0; e < grid->cells[i].n; e++)
      SOFA_TRY(sofa_text_printf(ctx, &b->text, "%d\n", grid->cells[i].type));
  return SOFA_OK;
}

/* Names of the legacy format have no spaces. */
static SofaErr legacy_field(SofaContext *ctx, SofaVtkBuffers *b, const SofaVtkField *field,
                            size_t n) {
  for (const char *c = field->name; *c; c++)
    SOFA_TRY(sofa_text_append(ctx, &b->text, *c == ' ' ? "_" : c, 1));
  SOFA_TRY(sofa_text_printf(ctx, &b->text, " %u %zu double\n", field->width, n));
  return add_reals(ctx, b, field->values, n * field->width, field->width, true);
}

static SofaErr legacy_section(SofaContext *ctx, SofaVtkBuffers *b, const Section *s) {
  if (!s->n_fields) return SOFA_OK;
  SOFA_TRY(sofa_text_printf(ctx, &b->text, "\n%s %zu\nFIELD FieldData %zu\n", s->tag, s->n,
                            s->n_fields));
  for (size_t i = 0; i < s->n_fields; i++) SOFA_TRY(legacy_field(ctx, b, &s->fields[i], s->n));
  return SOFA_OK;
}

SofaErr sofa_vtk_write_legacy(SofaContext *ctx, const VtkGrid *grid, const char *title,
                              SofaVtkBuffers *b) {
  const Section of_points = {"POINT_DATA", grid->point_fields, grid->n_point_fields,
                             grid->n_points};
  const Section of_cells = {"CELL_DATA", grid->cell_fields, grid->n_cell_fields, count_cells(grid)};
  b->text.n = 0;
  SOFA_TRY(sofa_text_printf(ctx, &b->text,
                            "# vtk DataFile Version 3.0\n%.200s\nASCII\n"
                            "DATASET UNSTRUCTURED_GRID\n\nPOINTS %zu double\n",
                            title, grid->n_points));
  SOFA_TRY(add_reals(ctx, b, grid->points, 3 * grid->n_points, 3, true));
  SOFA_TRY(legacy_cells(ctx, b, grid));
  SOFA_TRY(legacy_section(ctx, b, &of_points));
  return legacy_section(ctx, b, &of_cells);
}
