/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the mesh of a VTK file from points and cells. */
#include "numerics/io/vtk_build_impl.h"
#include "numerics/io/quadratic_nodes.h"

#include <math.h>

/* ---- numbers ---- */

const SofaVtkType *sofa_vtk_type(const char *name, size_t length) {
  static const SofaVtkType types[] = {{"float", "Float32", 4, true, true},
                                      {"double", "Float64", 8, true, true},
                                      {"char", "Int8", 1, false, true},
                                      {"unsigned_char", "UInt8", 1, false, false},
                                      {"short", "Int16", 2, false, true},
                                      {"unsigned_short", "UInt16", 2, false, false},
                                      {"int", "Int32", 4, false, true},
                                      {"unsigned_int", "UInt32", 4, false, false},
                                      {"long", "Int64", 8, false, true},
                                      {"unsigned_long", "UInt64", 8, false, false},
                                      {"vtktypeint64", "Int64", 8, false, true},
                                      {"vtktypeint32", "Int32", 4, false, true},
                                      {"vtktypeuint64", "UInt64", 8, false, false},
                                      {"vtktypeuint32", "UInt32", 4, false, false},
                                      {"vtkIdType", "Int64", 8, false, true}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const char *names[2] = {types[i].legacy, types[i].xml};
    for (int k = 0; k < 2; k++)
      if (strlen(names[k]) == length && sofa_compare(names[k], name, length) == 0) return &types[i];
  }
  return NULL;
}

static uint64_t take(const char *bytes, unsigned size, bool big_endian) {
  uint64_t value = 0;
  for (unsigned k = 0; k < size; k++)
    value |= (uint64_t)(unsigned char)bytes[big_endian ? size - 1 - k : k] << (8 * k);
  return value;
}

int64_t sofa_vtk_int(const SofaVtkType *type, const char *bytes, bool big_endian) {
  if (type->real) {
    const double value = sofa_vtk_real(type, bytes, big_endian);
    return fabs(value) < 9e15 ? (int64_t)value : -1;
  }
  const uint64_t bits = take(bytes, type->size, big_endian);
  if (!type->is_signed || type->size == 8) return (int64_t)bits;
  const uint64_t sign = (uint64_t)1 << (8 * type->size - 1);
  return (int64_t)((bits ^ sign) - sign);
}

double sofa_vtk_real(const SofaVtkType *type, const char *bytes, bool big_endian) {
  const uint64_t bits = take(bytes, type->size, big_endian);
  if (!type->real && !type->is_signed) return (double)bits; // half of them are beyond int64_t
  if (!type->real) return (double)sofa_vtk_int(type, bytes, big_endian);
  if (type->size == 8) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  const uint32_t half = (uint32_t)bits;
  float value;
  memcpy(&value, &half, sizeof value);
  return (double)value;
}

SofaErr sofa_vtk_add_point(SofaVtkBuild *b, const SofaVtkType *type, const double x[3]) {
  SofaVec3 p;
  const bool single = type->real && type->size == 4;
  for (int k = 0; k < 3; k++) {
    p.v[k] = single ? (double)(float)x[k] : x[k];
    if (!isfinite(p.v[k]))
      return sofa_mesh_fail(&b->text, SOFA_ERR_NOT_FINITE,
                            "point %zu has a coordinate that is not a number",
                            b->first_number + b->out->mesh.position.n - b->first_point);
  }
  if (b->out->mesh.position.n >= INT32_MAX)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "more than 2^31 points");
  return SOFA_APPEND(b->text.ctx, &b->out->mesh.position, &p);
}

/* ---- cells ---- */

/* Types with a fixed number of corners: kind, order of the corners, number of points, and the edges
 * of the further points whose records SOFA makes. */
typedef struct VtkCellType {
  SofaElementKind kind;
  unsigned corners, points, mid_edges;
  uint8_t order[8];
  uint8_t pairs[6][2];
} VtkCellType;

static const VtkCellType *cell_type(int64_t type) {
  static const VtkCellType types[] = {
      [3] = {SOFA_ELEMENT_EDGE, 2, 2, 0, {0, 1}, {{0}}},
      [5] = {SOFA_ELEMENT_TRIANGLE, 3, 3, 0, {0, 1, 2}, {{0}}},
      [8] = {SOFA_ELEMENT_QUAD, 4, 4, 0, {0, 1, 3, 2}, {{0}}},
      [9] = {SOFA_ELEMENT_QUAD, 4, 4, 0, {0, 1, 2, 3}, {{0}}},
      [10] = {SOFA_ELEMENT_TETRA, 4, 4, 0, {0, 1, 2, 3}, {{0}}},
      [11] = {SOFA_ELEMENT_HEXA, 8, 8, 0, {0, 1, 3, 2, 4, 5, 7, 6}, {{0}}},
      [12] = {SOFA_ELEMENT_HEXA, 8, 8, 0, {0, 1, 2, 3, 4, 5, 6, 7}, {{0}}},
      [13] = {SOFA_ELEMENT_PRISM, 6, 6, 0, {0, 1, 2, 3, 4, 5}, {{0}}},
      [14] = {SOFA_ELEMENT_PYRAMID, 5, 5, 0, {0, 1, 2, 3, 4}, {{0}}},
      [21] = {SOFA_ELEMENT_EDGE, 2, 3, 1, {0, 1}, {{0, 1}}},
      [22] = {SOFA_ELEMENT_TRIANGLE, 3, 6, 3, {0, 1, 2}, {{0, 1}, {1, 2}, {2, 0}}},
      [23] = {SOFA_ELEMENT_QUAD, 4, 8, 0, {0, 1, 2, 3}, {{0}}},
      [24] = {SOFA_ELEMENT_TETRA,
              4,
              10,
              6,
              {0, 1, 2, 3},
              {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}},
      [25] = {SOFA_ELEMENT_HEXA, 8, 20, 0, {0, 1, 2, 3, 4, 5, 6, 7}, {{0}}},
      [26] = {SOFA_ELEMENT_PRISM, 6, 15, 0, {0, 1, 2, 3, 4, 5}, {{0}}},
      [27] = {SOFA_ELEMENT_PYRAMID, 5, 13, 0, {0, 1, 2, 3, 4}, {{0}}},
      [28] = {SOFA_ELEMENT_QUAD, 4, 9, 0, {0, 1, 2, 3}, {{0}}},
      [29] = {SOFA_ELEMENT_HEXA, 8, 27, 0, {0, 1, 2, 3, 4, 5, 6, 7}, {{0}}}};
  if (type < 0 || type >= (int64_t)SOFA_COUNT(types) || types[type].corners == 0) return NULL;
  return &types[type];
}

/* Tells once per type that its cells are not used. */
static void leave_out(SofaVtkBuild *b, int64_t type) {
  const uint64_t bit = (uint64_t)1 << (type & 63);
  if ((type >= 0 && type <= SOFA_VTK_POLY_VERTEX) || b->left_out & bit) return;
  b->left_out |= bit;
  sofa_mesh_warn(&b->text, "cells of VTK type %lld are left out", (long long)type);
}

static SofaErr add_fixed(SofaVtkBuild *b, const VtkCellType *type, SofaShape quadratic,
                         const uint32_t *v) {
  SofaContext *ctx = b->text.ctx;
  if (quadratic < SOFA_N_SHAPES) SOFA_TRY(sofa_add_vtk_nodes(ctx, b->out, quadratic, v));
  uint32_t corners[8];
  for (unsigned k = 0; k < type->corners; k++) corners[k] = v[type->order[k]];
  if (type->kind == SOFA_ELEMENT_TRIANGLE || type->kind == SOFA_ELEMENT_QUAD) {
    const SofaFaceOptions faces = {.flip_normals = b->faces->flip_normals};
    SOFA_TRY(sofa_mesh_add_face(ctx, &faces, corners, type->corners, &b->out->mesh));
  } else {
    SOFA_TRY(sofa_list_append(ctx, sofa_mesh_list(&b->out->mesh, type->kind),
                              type->corners * sizeof *corners, corners));
  }
  for (unsigned j = 0; j < type->mid_edges; j++) {
    const uint32_t edge[3] = {v[type->pairs[j][0]], v[type->pairs[j][1]], v[type->corners + j]};
    SOFA_TRY(sofa_mesh_add_mid_edge(b->text.ctx, edge, type->kind == SOFA_ELEMENT_EDGE,
                                    &b->mid_edges, b->out));
  }
  return SOFA_OK;
}

/* Triangle j of a strip is (j, j+1, j+2), every second one turned. */
static SofaErr add_strip(SofaVtkBuild *b, const uint32_t *v, size_t n) {
  const bool other = b->faces->turn_strips;
  for (size_t j = 0; j + 2 < n; j++) {
    const bool turned = (j % 2 == 1) != other;
    const uint32_t triangle[3] = {v[j], v[j + (turned ? 2 : 1)], v[j + (turned ? 1 : 2)]};
    SOFA_TRY(sofa_mesh_add_face(b->text.ctx, b->faces, triangle, 3, &b->out->mesh));
  }
  return SOFA_OK;
}

static SofaErr add_polyline(SofaVtkBuild *b, const uint32_t *v, size_t n) {
  SofaContext *ctx = b->text.ctx;
  if (!b->extras) return SOFA_OK;
  SofaIndexRows *lines = &b->extras->polylines;
  for (size_t k = 0; k < n; k++) {
    const int id = (int)v[k];
    SOFA_TRY(SOFA_APPEND(ctx, &lines->ids, &id));
  }
  const uint32_t end = (uint32_t)lines->ids.n;
  return SOFA_APPEND(ctx, &lines->end, &end);
}

/* Triangles around the first corner, also of four corners. */
static SofaErr add_fan(SofaVtkBuild *b, const uint32_t *v, size_t n) {
  const SofaFaceOptions faces = {.flip_normals = b->faces->flip_normals, .triangulate = true};
  return n < 3 ? SOFA_OK : sofa_mesh_add_face(b->text.ctx, &faces, v, n, &b->out->mesh);
}

static SofaErr add_cell(SofaVtkBuild *b, int64_t type, const uint32_t *v, size_t n) {
  const VtkCellType *fixed = cell_type(type);
  if (fixed && n != fixed->points)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE,
                          "a cell of VTK type %lld has %zu points, not %u", (long long)type, n,
                          fixed->points);
  if (fixed) return add_fixed(b, fixed, sofa_vtk_quadratic(type), v);
  switch (type) {
  case SOFA_VTK_POLY_LINE:
    return add_polyline(b, v, n);
  case SOFA_VTK_STRIP:
    return add_strip(b, v, n);
  case SOFA_VTK_POLYGON:
    return add_fan(b, v, n);
  case SOFA_VTK_FACE:
    return n < 3 ? SOFA_OK : sofa_mesh_add_face(b->text.ctx, b->faces, v, n, &b->out->mesh);
  default:
    leave_out(b, type);
    return SOFA_OK;
  }
}

/* The corners of cell i, whose points must exist. */
static SofaErr take_corners(SofaVtkBuild *b, size_t i, int64_t begin, int64_t end) {
  const size_t n = b->out->mesh.position.n - b->first_point;
  if (end < begin || (uint64_t)end > b->connectivity.n)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE,
                          "cell %zu ends at %lld of a connectivity of %zu numbers",
                          b->first_number + i, (long long)end, b->connectivity.n);
  SOFA_TRY(SOFA_RESIZE(b->text.ctx, &b->cell, (size_t)(end - begin)));
  for (size_t k = 0; k < b->cell.n; k++) {
    const int64_t v = b->connectivity.data[(size_t)begin + k];
    if (v < 0 || (uint64_t)v >= n)
      return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE,
                            "cell %zu names point %lld, there are %zu points", b->first_number + i,
                            (long long)v, n);
    b->cell.data[k] = (uint32_t)(b->first_point + (size_t)v);
  }
  return SOFA_OK;
}

SofaErr sofa_vtk_add_cells(SofaVtkBuild *b, int type) {
  int64_t begin = 0;
  if (b->types.n && b->types.n != b->offsets.n)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu cells have %zu types", b->offsets.n,
                          b->types.n);
  for (size_t i = 0; i < b->offsets.n; i++) {
    SOFA_TRY(take_corners(b, i, begin, b->offsets.data[i]));
    SOFA_TRY(add_cell(b, b->types.n ? b->types.data[i] : type, b->cell.data, b->cell.n));
    begin = b->offsets.data[i];
  }
  b->n_cells += b->offsets.n;
  b->offsets.n = b->connectivity.n = b->types.n = 0;
  return SOFA_OK;
}

/* ---- the file ---- */

void sofa_vtk_build_free(SofaVtkBuild *b) {
  SofaContext *ctx = b->text.ctx;
  sofa_tuple_map_free(ctx, &b->mid_edges);
  sofa_list_free(ctx, &b->offsets);
  sofa_list_free(ctx, &b->connectivity);
  sofa_list_free(ctx, &b->types);
  sofa_list_free(ctx, &b->cell);
  sofa_list_free(ctx, &b->packed);
  sofa_list_free(ctx, &b->unpacked);
  sofa_list_free(ctx, &b->sizes);
}

SofaErr sofa_vtk_read(SofaContext *ctx, const SofaFileBytes *file, const SofaFaceOptions *faces,
                      SofaMeshData *out, SofaVtkExtras *extras) {
  SofaVtkBuild b = {
      .text = sofa_mesh_text(ctx, file), .faces = faces, .out = out, .extras = extras};
  static const char legacy[] = "# vtk DataFile Version ";
  SofaErr err;
  if (file->size >= sizeof legacy - 1 && memcmp(file->bytes, legacy, sizeof legacy - 1) == 0) {
    b.text.at += sizeof legacy - 1;
    err = sofa_vtk_legacy(&b);
  } else {
    sofa_mesh_skip(&b.text);
    err = b.text.at < b.text.end && *b.text.at == '<'
              ? sofa_vtk_xml(&b)
              : sofa_mesh_expected(&b.text, "'# vtk DataFile Version' or <VTKFile> at the start");
  }
  if (err == SOFA_OK) sofa_vtk_check_arrays(&b);
  sofa_vtk_build_free(&b);
  if (err != SOFA_OK) {
    sofa_mesh_data_free(ctx, out);
    if (extras) sofa_vtk_extras_free(ctx, extras);
  }
  return err;
}
