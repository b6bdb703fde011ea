/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbering tables of the elements, and the plain functions on a mesh. */
#include "topology/topology.h"

#include <string.h>

const uint8_t sofa_tetra_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const uint8_t sofa_tetra_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
const uint8_t sofa_hexa_edges[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                        {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
const uint8_t sofa_hexa_quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                       {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
const uint8_t sofa_hexa_tetras[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                        {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
const uint8_t sofa_hexa_tetras_mirrored[6][4] = {{0, 5, 6, 1}, {0, 1, 6, 3}, {1, 3, 2, 6},
                                                 {6, 3, 7, 0}, {6, 7, 5, 0}, {7, 5, 0, 4}};

bool sofa_hexa_swapped(const SofaHexa *hexa, size_t i, size_t nx, size_t ny, uint32_t out[8]) {
  // vertex pairs that a mirror along each axis exchanges
  static const uint8_t pairs[3][4][2] = {{{0, 1}, {4, 5}, {3, 2}, {7, 6}},
                                         {{4, 7}, {5, 6}, {1, 2}, {0, 3}},
                                         {{4, 0}, {5, 1}, {6, 2}, {7, 3}}};
  if (nx == 0) nx = 1;
  if (ny == 0) ny = 1;
  const bool mirror[3] = {i % nx % 2 == 0, i / nx % ny % 2 != 0, i / (nx * ny) % 2 != 0};
  bool odd = false;
  memcpy(out, hexa->v, sizeof hexa->v);
  for (int axis = 0; axis < 3; axis++) {
    if (!mirror[axis]) continue;
    odd = !odd;
    for (int k = 0; k < 4; k++) {
      const uint8_t *pair = pairs[axis][k];
      const uint32_t t = out[pair[0]];
      out[pair[0]] = out[pair[1]];
      out[pair[1]] = t;
    }
  }
  return odd;
}

const SofaElementKindInfo *sofa_element_kind_info(SofaElementKind kind) {
  static const SofaElementKindInfo infos[SOFA_N_ELEMENT_KINDS] = {
      [SOFA_ELEMENT_POINT] = {"point", "position", 1},
      [SOFA_ELEMENT_EDGE] = {"edge", "edges", 2},
      [SOFA_ELEMENT_TRIANGLE] = {"triangle", "triangles", 3},
      [SOFA_ELEMENT_QUAD] = {"quad", "quads", 4},
      [SOFA_ELEMENT_TETRA] = {"tetrahedron", "tetrahedra", 4},
      [SOFA_ELEMENT_PYRAMID] = {"pyramid", "pyramids", 5},
      [SOFA_ELEMENT_PRISM] = {"prism", "prisms", 6},
      [SOFA_ELEMENT_HEXA] = {"hexahedron", "hexahedra", 8}};
  return &infos[kind];
}

void *sofa_mesh_list(SofaMesh *mesh, SofaElementKind kind) {
  switch (kind) {
  case SOFA_ELEMENT_EDGE:
    return &mesh->edges;
  case SOFA_ELEMENT_TRIANGLE:
    return &mesh->triangles;
  case SOFA_ELEMENT_QUAD:
    return &mesh->quads;
  case SOFA_ELEMENT_TETRA:
    return &mesh->tetrahedra;
  case SOFA_ELEMENT_PYRAMID:
    return &mesh->pyramids;
  case SOFA_ELEMENT_PRISM:
    return &mesh->prisms;
  case SOFA_ELEMENT_HEXA:
    return &mesh->hexahedra;
  default:
    return NULL;
  }
}

#define ELEMENTS_OF(list, count) ((SofaElements){(list).n ? (list).data->v : NULL, (list).n, count})
SofaElements sofa_mesh_elements(const SofaMesh *mesh, SofaElementKind kind) {
  switch (kind) {
  case SOFA_ELEMENT_EDGE:
    return ELEMENTS_OF(mesh->edges, 2);
  case SOFA_ELEMENT_TRIANGLE:
    return ELEMENTS_OF(mesh->triangles, 3);
  case SOFA_ELEMENT_QUAD:
    return ELEMENTS_OF(mesh->quads, 4);
  case SOFA_ELEMENT_TETRA:
    return ELEMENTS_OF(mesh->tetrahedra, 4);
  case SOFA_ELEMENT_PYRAMID:
    return ELEMENTS_OF(mesh->pyramids, 5);
  case SOFA_ELEMENT_PRISM:
    return ELEMENTS_OF(mesh->prisms, 6);
  case SOFA_ELEMENT_HEXA:
    return ELEMENTS_OF(mesh->hexahedra, 8);
  default:
    return (SofaElements){NULL, 0, 1};
  }
}

size_t sofa_mesh_vertex_count(const SofaMesh *mesh) {
  size_t count = 0;
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)kind);
    for (size_t i = 0; i < list.n * list.width; i++)
      if (list.v[i] >= count) count = (size_t)list.v[i] + 1;
  }
  return count;
}

bool sofa_mesh_check(const SofaMesh *mesh, size_t n_points, SofaElementKind *kind,
                     size_t *element) {
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)k);
    for (size_t i = 0; i < list.n * list.width; i++) {
      if (list.v[i] < n_points) continue;
      *kind = (SofaElementKind)k;
      *element = i / list.width;
      return false;
    }
  }
  return true;
}

SofaErr sofa_mesh_trim(SofaContext *ctx, SofaMesh *mesh) {
  SOFA_TRY(sofa_list_trim(ctx, &mesh->position, sizeof *mesh->position.data));
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const size_t width = sofa_element_kind_info((SofaElementKind)kind)->width;
    void *list = sofa_mesh_list(mesh, (SofaElementKind)kind);
    SOFA_TRY(sofa_list_trim(ctx, list, width * sizeof(uint32_t)));
  }
  return SOFA_OK;
}

void sofa_mesh_free(SofaContext *ctx, SofaMesh *mesh) {
  sofa_list_free(ctx, &mesh->position);
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++)
    sofa_list_free(ctx, sofa_mesh_list(mesh, (SofaElementKind)kind));
}
