/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a mesh as a binary file of Gmsh, for the tests of files that are read in slices. */
#ifndef TESTS_SLICE_FILES_H
#define TESTS_SLICE_FILES_H

#include <stdio.h>
#include <string.h>

#include "topology/topology.h"

/* How the file is written. */
typedef struct FileWay {
  const char *name;
  int version;   /* 20 or 41 */
  bool swap;     /* big-endian */
  unsigned word; /* 4 or 8: data size */
  int64_t first; /* number of node 0; nodes follow by `step` */
  int64_t step;
  unsigned blocks; /* of the elements of a kind */
  bool extra;      /* there are points and unknown sections, too */
  bool singles;    /* coordinates are single precision */
} FileWay;

typedef struct FileOut {
  FILE *file;
  const FileWay *way;
} FileOut;

static inline void put_number(FileOut *o, int64_t number, unsigned size) {
  for (unsigned k = 0; k < size; k++)
    fputc((int)((uint64_t)number >> (8 * (o->way->swap ? size - 1 - k : k)) & 255), o->file);
}

static inline void put_double(FileOut *o, double x) {
  int64_t bits = 0;
  const float single = (float)x;
  int32_t half;
  memcpy(&bits, &x, sizeof x);
  memcpy(&half, &single, sizeof half);
  put_number(o, o->way->singles ? half : bits, o->way->singles ? 4 : 8);
}

static inline int64_t node_name(const FileWay *way, uint32_t node) {
  return way->first + way->step * node;
}

static inline int gmsh_type_of(SofaElementKind kind) {
  static const int types[SOFA_N_ELEMENT_KINDS] = {
      [SOFA_ELEMENT_EDGE] = 1,   [SOFA_ELEMENT_TRIANGLE] = 2, [SOFA_ELEMENT_QUAD] = 3,
      [SOFA_ELEMENT_TETRA] = 4,  [SOFA_ELEMENT_HEXA] = 5,     [SOFA_ELEMENT_PRISM] = 6,
      [SOFA_ELEMENT_PYRAMID] = 7};
  return types[kind];
}

/* Elements of a block: every third one has another tag in version 2. */
static inline void put_elements(FileOut *o, const SofaElements *list, size_t begin, size_t end) {
  const bool old = o->way->version == 20;
  const unsigned size = old ? 4 : o->way->word;
  for (size_t e = begin; e < end; e++) {
    put_number(o, (int64_t)e + 1, size);
    if (old) put_number(o, 7, 4), put_number(o, e % 3 ? 5 : -2, 4);
    for (unsigned k = 0; k < list->width; k++)
      put_number(o, node_name(o->way, list->v[e * list->width + k]), size);
  }
}

static inline void put_block(FileOut *o, SofaElementKind kind, const SofaElements *list,
                             unsigned part) {
  const size_t begin = list->n * part / o->way->blocks, end = list->n * (part + 1) / o->way->blocks;
  if (begin == end) return;
  if (o->way->version == 20) {
    put_number(o, gmsh_type_of(kind), 4);
    put_number(o, (int64_t)(end - begin), 4);
    put_number(o, 2, 4);
  } else {
    put_number(o, 3, 4);
    put_number(o, 11 + part % 2, 4);
    put_number(o, gmsh_type_of(kind), 4);
    put_number(o, (int64_t)(end - begin), o->way->word);
  }
  put_elements(o, list, begin, end);
}

static inline void put_nodes(FileOut *o, const SofaMesh *mesh) {
  const size_t n = mesh->position.n;
  const unsigned word = o->way->word;
  if (o->way->version == 20) {
    fprintf(o->file, "%zu\n", n);
    for (uint32_t i = 0; i < n; i++) {
      put_number(o, node_name(o->way, i), 4);
      for (int k = 0; k < 3; k++) put_double(o, mesh->position.data[i].v[k]);
    }
    return;
  }
  /* three blocks: one has no node, one has parameters */
  const size_t ends[4] = {0, n / 3, n / 3, n};
  const int64_t header[4] = {3, (int64_t)n, 1, (int64_t)n};
  for (int k = 0; k < 4; k++) put_number(o, header[k], word);
  for (int b = 0; b < 3; b++) {
    put_number(o, 2, 4), put_number(o, 1, 4), put_number(o, b == 2, 4);
    put_number(o, (int64_t)(ends[b + 1] - ends[b]), word);
    for (size_t i = ends[b]; i < ends[b + 1]; i++)
      put_number(o, node_name(o->way, (uint32_t)i), word);
    for (size_t i = ends[b]; i < ends[b + 1]; i++) {
      for (int k = 0; k < 3; k++) put_double(o, mesh->position.data[i].v[k]);
      for (int k = 0; b == 2 && k < 2; k++) put_double(o, 0.5);
    }
  }
}

static inline void put_all_elements(FileOut *o, const SofaMesh *mesh) {
  size_t n = o->way->extra, n_blocks = o->way->extra;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)k);
    n += list.n;
    for (unsigned b = 0; b < o->way->blocks; b++)
      n_blocks += list.n * b / o->way->blocks != list.n * (b + 1) / o->way->blocks;
  }
  const int64_t header[4] = {(int64_t)n_blocks, (int64_t)n, 1, (int64_t)n};
  if (o->way->version == 20) fprintf(o->file, "%zu\n", n);
  for (int k = 0; k < 4 && o->way->version != 20; k++) put_number(o, header[k], o->way->word);
  if (o->way->extra && o->way->version == 20) {
    put_number(o, 15, 4), put_number(o, 1, 4), put_number(o, 0, 4);
    put_number(o, 1, 4), put_number(o, node_name(o->way, 0), 4);
  } else if (o->way->extra) {
    put_number(o, 0, 4), put_number(o, 1, 4), put_number(o, 15, 4), put_number(o, 1, o->way->word);
    put_number(o, 1, o->way->word), put_number(o, node_name(o->way, 0), o->way->word);
  }
  for (unsigned b = 0; b < o->way->blocks; b++)
    for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
      const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)k);
      put_block(o, (SofaElementKind)k, &list, b);
    }
}

static inline bool write_binary_gmsh(const char *path, const FileWay *way, const SofaMesh *mesh) {
  FileOut o = {fopen(path, "wb"), way};
  if (!o.file) return false;
  fprintf(o.file, "$MeshFormat\n%s 1 %u\n", way->version == 20 ? "2.2" : "4.1",
          way->singles ? 4 : way->word);
  put_number(&o, 1, 4);
  fprintf(o.file, "\n$EndMeshFormat\n");
  if (way->extra)
    fprintf(o.file, "$PhysicalNames\n1\n3 1 \"$Nodes of the body\"\n$EndPhysicalNames\n");
  fprintf(o.file, "$Nodes\n");
  put_nodes(&o, mesh);
  fprintf(o.file, "\n$EndNodes\n$Elements\n");
  put_all_elements(&o, mesh);
  fprintf(o.file, "\n$EndElements\n");
  return fclose(o.file) == 0;
}

#endif
