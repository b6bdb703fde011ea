/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One row per shape: its types in files, and where Gmsh has the nodes that VTK counts. */
#include "numerics/io/quadratic_nodes.h"

#include "base/bytes.h"

enum { MAX = SOFA_SHAPE_MAX_NODES };

typedef struct Row {
  uint8_t vtk, gmsh;  /* types; 0: none */
  uint8_t order[MAX]; /* node k is node order[k] of Gmsh; all 0: the same order */
} Row;

static const Row rows[SOFA_N_SHAPES] = {
    [SOFA_SHAPE_EDGE] = {3, 1, {0}},
    [SOFA_SHAPE_TRIANGLE] = {5, 2, {0}},
    [SOFA_SHAPE_QUAD] = {9, 3, {0}},
    [SOFA_SHAPE_TETRA] = {10, 4, {0}},
    [SOFA_SHAPE_PYRAMID] = {14, 7, {0}},
    [SOFA_SHAPE_PRISM] = {13, 6, {0}},
    [SOFA_SHAPE_HEXA] = {12, 5, {0}},
    [SOFA_SHAPE_EDGE3] = {21, 8, {0}},
    [SOFA_SHAPE_TRIANGLE6] = {22, 9, {0}},
    [SOFA_SHAPE_QUAD8] = {23, 16, {0}},
    [SOFA_SHAPE_QUAD9] = {28, 10, {0}},
    [SOFA_SHAPE_TETRA10] = {24, 11, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    [SOFA_SHAPE_PYRAMID13] = {27, 19, {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12}},
    [SOFA_SHAPE_PRISM15] = {26, 18, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}},
    [SOFA_SHAPE_HEXA20] = {25, 17, {0,  1, 2,  3,  4,  5,  6,  7,  8,  11,
                                    13, 9, 16, 18, 19, 17, 10, 12, 14, 15}},
    [SOFA_SHAPE_HEXA27] = {29, 12, {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                    19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26}},
};

static SofaShape find(int64_t type, bool gmsh) {
  for (SofaShape s = SOFA_SHAPE_EDGE3; s < SOFA_N_SHAPES; s++)
    if ((gmsh ? rows[s].gmsh : rows[s].vtk) == type) return s;
  return SOFA_N_SHAPES;
}

SofaShape sofa_gmsh_quadratic(int64_t type) {
  return find(type, true);
}

SofaShape sofa_vtk_quadratic(int64_t type) {
  return find(type, false);
}

uint8_t sofa_vtk_cell_type(SofaShape shape) {
  return rows[shape].vtk;
}

SofaShape sofa_shape_of_vtk(uint8_t type) {
  SofaShape s = SOFA_SHAPE_EDGE;
  while (s < SOFA_N_SHAPES && rows[s].vtk != type) s++;
  return s;
}

uint8_t sofa_gmsh_cell_type(SofaShape shape) {
  return rows[shape].gmsh;
}

void sofa_gmsh_order(SofaShape shape, const uint32_t *vtk, uint32_t *gmsh) {
  const uint8_t *order = rows[shape].order;
  for (unsigned k = 0; k < sofa_shape_info(shape)->n_nodes; k++)
    gmsh[order[1] ? order[k] : k] = vtk[k];
}

/* The lists of the data are in the order of the shapes. */
static SofaErr add(SofaContext *ctx, SofaMeshData *data, SofaShape shape, const uint32_t *v) {
  _Static_assert(SOFA_N_SHAPES - SOFA_SHAPE_EDGE3 == SOFA_N_QUADRATIC_LISTS &&
                     SOFA_SHAPE_TETRA10 - SOFA_SHAPE_EDGE3 == SOFA_TETRAHEDRA10 &&
                     SOFA_SHAPE_HEXA27 - SOFA_SHAPE_EDGE3 == SOFA_HEXAHEDRA27,
                 "one list per shape");
  SofaIndices *list = &data->quadratic[shape - SOFA_SHAPE_EDGE3];
  const size_t n = list->n, width = sofa_shape_info(shape)->n_nodes;
  SOFA_TRY(SOFA_RESIZE(ctx, list, n + width));
  sofa_copy(list->data + n, v, width * sizeof *v);
  return SOFA_OK;
}

SofaErr sofa_add_vtk_nodes(SofaContext *ctx, SofaMeshData *data, SofaShape shape,
                           const uint32_t *v) {
  return add(ctx, data, shape, v);
}

SofaErr sofa_add_gmsh_nodes(SofaContext *ctx, SofaMeshData *data, SofaShape shape,
                            const uint32_t *v) {
  const uint8_t *order = rows[shape].order;
  uint32_t turned[MAX];
  if (!order[1]) return add(ctx, data, shape, v);
  for (unsigned k = 0; k < sofa_shape_info(shape)->n_nodes; k++) turned[k] = v[order[k]];
  return add(ctx, data, shape, turned);
}
