/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh files for test_divided.c: bars of cells, cut into elements of second order. */
#ifndef CSOFA_TEST_DIVIDED_MESHES_H
#define CSOFA_TEST_DIVIDED_MESHES_H

#include "numerics/io/quadratic_nodes.h"

/* Corners of cells are four places apart, so that all nodes have a place. */
enum { NODES_X = 4, NODES_Y = 2, NODES_Z = 1, APART = 4 };
enum { PLACES_X = APART * NODES_X + 1, PLACES_Y = APART * NODES_Y + 1 };
enum { N_PLACES = PLACES_X * PLACES_Y * (APART * NODES_Z + 1) };

/* Elements of a cell or of its side at the end of the bar, by places in the cell. */
typedef struct NodeTable {
  SofaShape shape;
  size_t n;
  uint8_t corner[6][8][3];
} NodeTable;

typedef struct NodeFile {
  FILE *out;
  int number[N_PLACES]; /* of the nodes that elements use, from 1; 0: of none */
  int n_nodes, n_elements;
  bool writes;
} NodeFile;

static void add_node_element(NodeFile *f, SofaShape shape, const uint8_t (*corner)[3],
                             const int *cell) {
  const unsigned n = sofa_shape_info(shape)->n_nodes;
  uint32_t vtk[SOFA_SHAPE_MAX_NODES], gmsh[SOFA_SHAPE_MAX_NODES];
  for (unsigned a = 0; a < n; a++) {
    uint8_t in[8];
    const unsigned count = sofa_shape_node_corners(shape, a, in);
    int at[3] = {APART * cell[0], APART * cell[1], APART * cell[2]};
    for (int k = 0; k < 3; k++) {
      int sum = 0;
      for (unsigned c = 0; c < count; c++) sum += corner[in[c]][k];
      at[k] += sum / (int)count;
    }
    vtk[a] = (uint32_t)(at[0] + PLACES_X * (at[1] + PLACES_Y * at[2]));
    if (!f->writes) f->number[vtk[a]] = 1;
  }
  f->n_elements++;
  if (!f->writes) return;
  sofa_gmsh_order(shape, vtk, gmsh);
  fprintf(f->out, "%d %d 2 1 1", f->n_elements, sofa_gmsh_cell_type(shape));
  for (unsigned a = 0; a < n; a++) fprintf(f->out, " %d", f->number[gmsh[a]]);
  fprintf(f->out, "\n");
}

/* The cells, then the sides at the end. */
static void add_node_elements(NodeFile *f, const NodeTable *cells, const NodeTable *sides) {
  f->n_elements = 0;
  for (int c = 0; c < NODES_X * NODES_Y * NODES_Z; c++) {
    const int cell[3] = {c % NODES_X, c / NODES_X % NODES_Y, c / NODES_X / NODES_Y};
    for (size_t i = 0; i < cells->n; i++) add_node_element(f, cells->shape, cells->corner[i], cell);
  }
  for (int c = 0; c < NODES_Y * NODES_Z; c++) {
    const int cell[3] = {NODES_X - 1, c % NODES_Y, c / NODES_Y};
    for (size_t i = 0; i < sides->n; i++) add_node_element(f, sides->shape, sides->corner[i], cell);
  }
}

static void write_nodes(const char *path, const NodeTable *cells, const NodeTable *sides) {
  static NodeFile f;
  memset(&f, 0, sizeof f);
  add_node_elements(&f, cells, sides);
  for (int i = 0; i < N_PLACES; i++)
    if (f.number[i]) f.number[i] = ++f.n_nodes;
  f.out = fopen(path, "w");
  assert_non_null(f.out);
  fprintf(f.out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", f.n_nodes);
  for (int i = 0; i < N_PLACES; i++)
    if (f.number[i])
      fprintf(f.out, "%d %.17g %.17g %.17g\n", f.number[i], 0.05 * (i % PLACES_X),
              0.03 * (i / PLACES_X % PLACES_Y), 0.05 * (i / PLACES_X / PLACES_Y));
  fprintf(f.out, "$EndNodes\n$Elements\n%d\n", f.n_elements);
  f.writes = true;
  add_node_elements(&f, cells, sides);
  fprintf(f.out, "$EndElements\n");
  assert_int_equal(fclose(f.out), 0);
}

#define P000                                                                                       \
  { 0, 0, 0 }
#define P100                                                                                       \
  { 4, 0, 0 }
#define P010                                                                                       \
  { 0, 4, 0 }
#define P110                                                                                       \
  { 4, 4, 0 }
#define P001                                                                                       \
  { 0, 0, 4 }
#define P101                                                                                       \
  { 4, 0, 4 }
#define P011                                                                                       \
  { 0, 4, 4 }
#define P111                                                                                       \
  { 4, 4, 4 }
#define MIDDLE                                                                                     \
  { 2, 2, 2 }
#define CELL                                                                                       \
  { P000, P100, P110, P010, P001, P101, P111, P011 }
#define TWO_TRIANGLES                                                                              \
  {                                                                                                \
    {P100, P110, P111}, {                                                                          \
      P100, P111, P101                                                                             \
    }                                                                                              \
  }

static const struct NodeMesh {
  const char *name;
  NodeTable cells, sides;
} node_meshes[] = {
    {"tetra10.msh",
     {SOFA_SHAPE_TETRA10,
      6,
      {{P000, P100, P110, P111},
       {P000, P110, P010, P111},
       {P000, P010, P011, P111},
       {P000, P011, P001, P111},
       {P000, P001, P101, P111},
       {P000, P101, P100, P111}}},
     {SOFA_SHAPE_TRIANGLE6, 2, TWO_TRIANGLES}},
    {"orders.msh", /* one more tetrahedron of first order in each of the last cells */
     {SOFA_SHAPE_TETRA10, 1, {{P000, P100, P110, P111}}},
     {SOFA_SHAPE_TETRA, 1, {{P000, P110, P010, P111}}}},
    {"hexa20.msh",
     {SOFA_SHAPE_HEXA20, 1, {CELL}},
     {SOFA_SHAPE_QUAD8, 1, {{P100, P110, P111, P101}}}},
    {"hexa27.msh",
     {SOFA_SHAPE_HEXA27, 1, {CELL}},
     {SOFA_SHAPE_QUAD9, 1, {{P100, P110, P111, P101}}}},
    {"prism15.msh",
     {SOFA_SHAPE_PRISM15,
      2,
      {{P000, P100, P110, P001, P101, P111}, {P000, P110, P010, P001, P111, P011}}},
     {SOFA_SHAPE_QUAD8, 1, {{P100, P110, P111, P101}}}},
    {"pyramid13.msh",
     {SOFA_SHAPE_PYRAMID13,
      6,
      {{P000, P100, P110, P010, MIDDLE},
       {P001, P011, P111, P101, MIDDLE},
       {P000, P001, P101, P100, MIDDLE},
       {P010, P110, P111, P011, MIDDLE},
       {P000, P010, P011, P001, MIDDLE},
       {P100, P101, P111, P110, MIDDLE}}},
     {SOFA_SHAPE_QUAD8, 1, {{P100, P110, P111, P101}}}},
};

#endif
