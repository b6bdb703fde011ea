/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuadraticMesh: elements of second order from a mesh of first order. */
#include "numerics/fem/raise_order.h"
#include "topology/elements.h"

typedef struct QuadraticMesh {
  SofaObject object;
  SofaVec3s position; /* m */
  SofaEdges edges;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaTetras tetrahedra;
  SofaHexas hexahedra;
  SofaPrisms prisms;
  SofaPyramids pyramids;
  bool centers;
  SofaVec3s nodes; /* m */
  SofaIndices edges3, triangles6, quads8, quads9, tetrahedra10, hexahedra20, hexahedra27, prisms15,
      pyramids13;
} QuadraticMesh;

typedef QuadraticMesh SofaSelf; /* of SOFA_ROW */

#define LIST(member, nodes)                                                                        \
  SOFA_ROW_OUTPUT(member, #member, "1", "nodes of the elements, " nodes " each, in VTK's order")

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points of the mesh of first order"),
    SOFA_ROW_INPUT(edges, "edges", NULL, "1", "edges, 2 points each"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "1", "triangles, 3 points each"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "1", "quads, 4 points each"),
    SOFA_ROW_INPUT(tetrahedra, "tetrahedra", NULL, "1", "tetrahedra, 4 points each"),
    SOFA_ROW_INPUT(hexahedra, "hexahedra", NULL, "1", "hexahedra, 8 points each"),
    SOFA_ROW_INPUT(prisms, "prisms", NULL, "1", "prisms, 6 points each"),
    SOFA_ROW_INPUT(pyramids, "pyramids", NULL, "1", "pyramids, 5 points each"),
    SOFA_ROW_INPUT(centers, "centers", "0", "",
                   "quads and hexahedra have nodes in the middle of faces and cells, too: quads9 "
                   "and hexahedra27 are made instead of quads8 and hexahedra20"),
    SOFA_ROW_OUTPUT(nodes, "nodes", "m", "the points, then the nodes in the middle of them"),
    LIST(edges3, "3"),
    LIST(triangles6, "6"),
    LIST(quads8, "8"),
    LIST(quads9, "9"),
    LIST(tetrahedra10, "10"),
    LIST(hexahedra20, "20"),
    LIST(hexahedra27, "27"),
    LIST(prisms15, "15"),
    LIST(pyramids13, "13"),
};

/* A list of first order, and where its elements of second order go. */
typedef struct Raise {
  const char *field;
  SofaShape shape;
  const void *from; /* SofaEdges, SofaTriangles, ... */
  SofaIndices *to;
} Raise;

/* Lists of elements begin as lists of indices. */
static SofaElements list_of(const Raise *raise) {
  const SofaShape corners = sofa_shape_info(raise->shape)->corners;
  const SofaTetras *list = raise->from;
  return (SofaElements){(const uint32_t *)(const void *)list->data, list->n,
                        sofa_shape_info(corners)->n_nodes};
}

static SofaErr check(const SofaObject *object, const char *field, SofaElements list, size_t n) {
  for (size_t k = 0; k < list.n * list.width; k++)
    if (list.v[k] >= n)
      return sofa_field_fail(object, field, SOFA_ERR_RANGE,
                             "element %zu has point %u, expected less than %zu, the number of "
                             "positions",
                             k / list.width, list.v[k], n);
  return SOFA_OK;
}

static SofaErr raise_all(QuadraticMesh *m, const Raise *all, size_t n, SofaRaisedMesh *mesh) {
  SofaObject *object = &m->object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &mesh->nodes, m->position.n));
  sofa_copy(mesh->nodes.data, m->position.data, m->position.n * sizeof *m->position.data);
  for (size_t k = 0; k < n; k++) {
    const SofaElements list = list_of(&all[k]);
    all[k].to->n = 0;
    SOFA_TRY(check(object, all[k].field, list, m->position.n));
    SOFA_TRY(sofa_raise_order(object->ctx, mesh, all[k].shape, list.v, list.n, all[k].to));
  }
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->nodes, mesh->nodes.n));
  sofa_copy(m->nodes.data, mesh->nodes.data, mesh->nodes.n * sizeof *m->nodes.data);
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  QuadraticMesh *m = (QuadraticMesh *)object;
  const Raise all[] = {
      {"edges", SOFA_SHAPE_EDGE3, &m->edges, &m->edges3},
      {"triangles", SOFA_SHAPE_TRIANGLE6, &m->triangles, &m->triangles6},
      {"quads", m->centers ? SOFA_SHAPE_QUAD9 : SOFA_SHAPE_QUAD8, &m->quads,
       m->centers ? &m->quads9 : &m->quads8},
      {"tetrahedra", SOFA_SHAPE_TETRA10, &m->tetrahedra, &m->tetrahedra10},
      {"hexahedra", m->centers ? SOFA_SHAPE_HEXA27 : SOFA_SHAPE_HEXA20, &m->hexahedra,
       m->centers ? &m->hexahedra27 : &m->hexahedra20},
      {"prisms", SOFA_SHAPE_PRISM15, &m->prisms, &m->prisms15},
      {"pyramids", SOFA_SHAPE_PYRAMID13, &m->pyramids, &m->pyramids13},
  };
  SofaRaisedMesh mesh = {.nodes = {0}};
  m->quads8.n = m->quads9.n = m->hexahedra20.n = m->hexahedra27.n = 0;
  const SofaErr err = raise_all(m, all, SOFA_COUNT(all), &mesh);
  sofa_raised_mesh_free(object->ctx, &mesh);
  return err;
}

SOFA_CLASS(QuadraticMesh) = {
    .name = "QuadraticMesh",
    .module = "SofaCaribou",
    .category = "Engine",
    .help =
        "Makes elements of second order from those of first order: adds a node in the middle of "
        "each edge. Elements that share an edge share its node.",
    .base = &sofa_object_class,
    .size = sizeof(QuadraticMesh),
    SOFA_FIELDS(fields),
    .init = sofa_data_update,
    .update = update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
