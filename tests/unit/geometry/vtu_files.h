/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a mesh as a VTU file with appended data, raw or in base64, for the tests of files that are
 * read in slices. */
#ifndef TESTS_VTU_FILES_H
#define TESTS_VTU_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "topology/topology.h"

/* How the file is written. */
typedef struct VtuWay {
  const char *name;
  bool swap;            /* big-endian */
  unsigned header;      /* bytes of a number of a header */
  unsigned real, whole; /* bytes of coordinates and of numbers */
  unsigned block;       /* bytes of a block, before compression; 0: not compressed */
  int line;             /* type of a cell of three points that comes last; 0: there is none */
  bool arrays;          /* of points and cells; then there is no cell of one point */
  bool base64;          /* else raw */
  unsigned columns;     /* characters of a line of base64; 0: one line */
} VtuWay;

enum { VTU_ARRAYS = 9 }; /* Points, cells, and those of values */

typedef struct VtuBytes {
  unsigned char *data;
  size_t n;
  const VtuWay *way;
} VtuBytes;

static inline void vtu_put(VtuBytes *b, int64_t value, unsigned size) {
  for (unsigned k = 0; k < size; k++)
    b->data[b->n++] =
        (unsigned char)((uint64_t)value >> (8 * (b->way->swap ? size - 1 - k : k)) & 255);
}

static inline void vtu_put_real(VtuBytes *b, double x) {
  const float single = (float)x;
  int64_t bits;
  int32_t half;
  memcpy(&bits, &x, sizeof x);
  memcpy(&half, &single, sizeof half);
  vtu_put(b, b->way->real == 4 ? half : bits, b->way->real);
}

/* Appends n bytes as they are, or in base64. */
static inline void vtu_put_bytes(VtuBytes *to, const unsigned char *bytes, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (!to->way->base64) {
    memcpy(to->data + to->n, bytes, n);
    to->n += n;
    return;
  }
  for (size_t i = 0; i < n; i += 3) {
    unsigned long bits = 0;
    for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < n ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; k++) {
      if (to->way->columns && to->n % to->way->columns == to->way->columns - 1)
        to->data[to->n++] = '\n';
      to->data[to->n++] = (unsigned char)(i + k > n ? '=' : digits[bits >> (18 - 6 * k) & 63]);
    }
  }
}

/* Appends an array with its header; returns its offset. In base64 the header of blocks is encoded
 * by itself, else it is encoded together with the array. */
static inline size_t vtu_append(VtuBytes *to, const VtuBytes *array) {
  const size_t offset = to->n, block = to->way->block;
  const size_t n = block ? (array->n + block - 1) / block : 0;
  VtuBytes head = {malloc(array->n + 8 * n + 100), 0, to->way};
  VtuBytes packed = {malloc(2 * array->n + 100 * n + 100), 0, to->way};
  vtu_put(&head, (int64_t)(block ? n : array->n), to->way->header);
  if (block) {
    vtu_put(&head, (int64_t)block, to->way->header);
    vtu_put(&head, (int64_t)(array->n % block), to->way->header);
  } else {
    memcpy(head.data + head.n, array->data, array->n);
    head.n += array->n;
  }
  for (size_t i = 0; i < n; i++) {
    const size_t size = array->n - i * block < block ? array->n - i * block : block;
    uLongf room = (uLongf)(2 * size + 100);
    compress(packed.data + packed.n, &room, array->data + i * block, size);
    vtu_put(&head, (int64_t)room, to->way->header);
    packed.n += room;
  }
  vtu_put_bytes(to, head.data, head.n);
  vtu_put_bytes(to, packed.data, packed.n);
  free(head.data);
  free(packed.data);
  return offset;
}

/* Cells of all kinds, one of each in turn, and a point. */
static inline size_t vtu_cells(const SofaMesh *mesh, VtuBytes *corners, VtuBytes *ends,
                               VtuBytes *types) {
  static const int type_of[SOFA_N_ELEMENT_KINDS] = {
      [SOFA_ELEMENT_EDGE] = 3,    [SOFA_ELEMENT_TRIANGLE] = 5, [SOFA_ELEMENT_QUAD] = 9,
      [SOFA_ELEMENT_TETRA] = 10,  [SOFA_ELEMENT_HEXA] = 12,    [SOFA_ELEMENT_PRISM] = 13,
      [SOFA_ELEMENT_PYRAMID] = 14};
  const unsigned whole = corners->way->whole;
  size_t n = corners->way->arrays ? 0 : 1, end = n;
  bool more = true;
  if (n) vtu_put(corners, 3, whole), vtu_put(ends, 1, whole), vtu_put(types, 1, 1);
  for (size_t i = 0; more; i++) {
    more = false;
    for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
      const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)k);
      if (i >= list.n) continue;
      more = true;
      for (unsigned c = 0; c < list.width; c++) vtu_put(corners, list.v[i * list.width + c], whole);
      end += list.width;
      vtu_put(ends, (int64_t)end, whole), vtu_put(types, type_of[k], 1);
      n++;
    }
  }
  if (!corners->way->line) return n;
  for (int c = 0; c < 3; c++) vtu_put(corners, c, whole);
  vtu_put(ends, (int64_t)end + 3, whole), vtu_put(types, corners->way->line, 1);
  return n + 1;
}

static inline void vtu_array(FILE *file, const char *type, unsigned size, const char *name,
                             size_t offset) {
  fprintf(file,
          "<DataArray type=\"%s%u\" Name=\"%s\" NumberOfComponents=\"%d\" "
          "format=\"appended\" offset=\"%zu\"/>\n",
          type, 8 * size, name, strchr("Pd", name[0]) ? 3 : 1, offset);
}

/* What the array k of values has at point or cell i, component c. */
static inline double vtu_value(int k, size_t i, int c) {
  return k == 5 ? (double)(i * i % 1013) - 70 : 0.25 * (double)i + 100 * k + 0.5 * c;
}

static inline void vtu_arrays(FILE *file, const VtuWay *way, const size_t *offsets, bool cells) {
  fprintf(file, cells ? "<CellData>\n" : "<PointData Scalars=\"heat\">\n");
  if (way->arrays && !cells) {
    vtu_array(file, "Float", way->real, "heat", offsets[4]);
    vtu_array(file, "Int", 4, "number", offsets[5]);
    vtu_array(file, "Float", way->real, "direction", offsets[6]);
  } else if (way->arrays) {
    vtu_array(file, "Float", way->real, "E", offsets[7]);
    vtu_array(file, "UInt", 1, "short", offsets[8]);
  }
  fprintf(file, cells ? "</CellData>\n" : "</PointData>\n");
}

static inline void vtu_values(VtuBytes *arrays, size_t n_points, size_t n_cells) {
  for (int k = 4; k < VTU_ARRAYS; k++)
    for (size_t i = 0; i < (k < 7 ? n_points : n_cells); i++)
      for (int c = 0; c < (k == 6 ? 3 : 1); c++)
        if (k == 5) vtu_put(&arrays[k], (int64_t)vtu_value(k, i, c), 4);
        else if (k < 8) vtu_put_real(&arrays[k], vtu_value(k, i, c));
  vtu_put(&arrays[8], 17, 1); /* less than one per cell */
}

static inline void vtu_head(FILE *file, const VtuWay *way, size_t n_points, size_t n_cells,
                            const size_t *offsets) {
  fprintf(file,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"%s\" header_type=\"UInt%u\"%s>\n<UnstructuredGrid>\n"
          "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
          way->swap ? "BigEndian" : "LittleEndian", 8 * way->header,
          way->block ? " compressor=\"vtkZLibDataCompressor\"" : "", n_points, n_cells);
  vtu_arrays(file, way, offsets, false);
  vtu_arrays(file, way, offsets, true);
  fprintf(file, "<Points>\n");
  vtu_array(file, "Float", way->real, "Points", offsets[0]);
  fprintf(file, "</Points>\n<Cells>\n");
  vtu_array(file, "Int", way->whole, "connectivity", offsets[1]);
  vtu_array(file, "Int", way->whole, "offsets", offsets[2]);
  vtu_array(file, "UInt", 1, "types", offsets[3]);
  fprintf(file, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"%s\">\n_",
          way->base64 ? "base64" : "raw");
}

static inline bool write_vtu(const char *path, const VtuWay *way, const SofaMesh *mesh) {
  enum { MOST = 1 << 18 };
  FILE *file = fopen(path, "wb");
  const int n_arrays = way->arrays ? VTU_ARRAYS : 4;
  VtuBytes arrays[VTU_ARRAYS], all = {malloc(16 * MOST), 0, way};
  size_t offsets[VTU_ARRAYS];
  if (!file) return false;
  for (int k = 0; k < VTU_ARRAYS; k++) arrays[k] = (VtuBytes){malloc(MOST), 0, way};
  for (size_t i = 0; i < mesh->position.n; i++)
    for (int k = 0; k < 3; k++) vtu_put_real(&arrays[0], mesh->position.data[i].v[k]);
  const size_t n_cells = vtu_cells(mesh, &arrays[1], &arrays[2], &arrays[3]);
  vtu_values(arrays, mesh->position.n, n_cells);
  for (int k = 0; k < n_arrays; k++) offsets[k] = vtu_append(&all, &arrays[k]);
  vtu_head(file, way, mesh->position.n, n_cells, offsets);
  fwrite(all.data, 1, all.n, file);
  fprintf(file, "\n</AppendedData>\n</VTKFile>\n");
  for (int k = 0; k < VTU_ARRAYS; k++) free(arrays[k].data);
  free(all.data);
  return fclose(file) == 0;
}

/* Where a file that is not compressed has its numbers. */
typedef struct VtuPlaces {
  char *points, *connectivity, *offsets;
  size_t n_cells;
} VtuPlaces;

static inline void find_vtu(char *bytes, size_t n, const VtuWay *way, VtuPlaces *out) {
  char *data = (char *)memmem(bytes, n, "raw\">\n_", 7) + 7;
  uint32_t size[3];
  out->points = data + way->header;
  memcpy(&size[0], data, 4);
  out->connectivity = out->points + size[0] + way->header;
  memcpy(&size[1], out->connectivity - way->header, 4);
  out->offsets = out->connectivity + size[1] + way->header;
  memcpy(&size[2], out->offsets - way->header, 4);
  out->n_cells = size[2] / way->whole;
}

#endif
