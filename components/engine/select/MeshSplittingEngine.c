/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshSplittingEngine: divides the points of a mesh among parts given by points or elements. */
#include "components/engine/engine.h"

typedef struct MeshSplittingEngine {
  SofaObject object;
  SofaCoords position;
  SofaEdges edges;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaTetras tetrahedra;
  SofaHexas hexahedra;
  uint32_t n_inputs;
  SofaIndices pairs;
} MeshSplittingEngine;

#define ROW_ELEMENTS(member, xml) SOFA_ROW_INPUT(member, xml, NULL, "", xml " of the mesh")

typedef MeshSplittingEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points of the mesh"),
    ROW_ELEMENTS(edges, "edges"),
    ROW_ELEMENTS(triangles, "triangles"),
    ROW_ELEMENTS(quads, "quads"),
    ROW_ELEMENTS(tetrahedra, "tetrahedra"),
    ROW_ELEMENTS(hexahedra, "hexahedra"),
    SOFA_ROW(n_inputs, "nbInputs", "0", "",
             "number of parts that are described; the rest is one more"),
    SOFA_ROW_OUTPUT(pairs, "indexPairs", "", "for each point its part and its place there"),
};

enum { POINTS, EDGES, TRIANGLES, QUADS, TETRAHEDRA, HEXAHEDRA, POSITIONS, N_FAMILIES };

static const SofaFieldFamily families[] = {
    [POINTS] = ENGINE_INPUTS(indices, "indices", "nbInputs", "", "points of a part"),
    [EDGES] = ENGINE_INPUTS(indices, "edgeIndices", "nbInputs", "", "edges of a part"),
    [TRIANGLES] = ENGINE_INPUTS(indices, "triangleIndices", "nbInputs", "", "triangles of a part"),
    [QUADS] = ENGINE_INPUTS(indices, "quadIndices", "nbInputs", "", "quads of a part"),
    [TETRAHEDRA] =
        ENGINE_INPUTS(indices, "tetrahedronIndices", "nbInputs", "", "tetrahedra of a part"),
    [HEXAHEDRA] =
        ENGINE_INPUTS(indices, "hexahedronIndices", "nbInputs", "", "hexahedra of a part"),
    [POSITIONS] = {.row = {.name = "position",
                           .type = &sofa_type_coords,
                           .unit = "m",
                           .help = "points of a part, in the order of the mesh",
                           .flags = SOFA_FIELD_OUTPUT},
                   .count = "nbInputs",
                   .extra = 1},
};

/* Gives the points that the list names, directly or through elements, to the part. */
static SofaErr claim(MeshSplittingEngine *s, uint32_t part, int family, const void *elements,
                     unsigned width) {
  const SofaIndices *list = sofa_family_value(&s->object, (size_t)family, part);
  const size_t n = elements ? engine_list_n(elements) : s->position.n;
  SOFA_TRY(engine_check(&s->object, families[family].row.name,
                        (SofaElements){list->data, list->n, 1}, n,
                        elements ? "elements" : "points"));
  for (size_t i = 0; i < list->n; i++) {
    const uint32_t *v = &list->data[i];
    if (elements) v = ((const SofaIndices *)elements)->data + (size_t)width * *v;
    for (unsigned k = 0; k < width; k++) s->pairs.data[2 * v[k]] = part;
  }
  return SOFA_OK;
}

/* The first part that names a point has it. */
static SofaErr assign(MeshSplittingEngine *s, uint32_t n_parts) {
  const struct {
    int family;
    const void *list;
    unsigned width;
  } kinds[] = {
      {POINTS, NULL, 1},     {EDGES, &s->edges, 2},           {TRIANGLES, &s->triangles, 3},
      {QUADS, &s->quads, 4}, {TETRAHEDRA, &s->tetrahedra, 4}, {HEXAHEDRA, &s->hexahedra, 8}};
  for (size_t i = 0; i < s->position.n; i++) s->pairs.data[2 * i] = n_parts;
  for (uint32_t part = n_parts; part-- > 0;)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      SOFA_TRY(claim(s, part, kinds[k].family, kinds[k].list, kinds[k].width));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MeshSplittingEngine *s = (MeshSplittingEngine *)object;
  const uint32_t n_parts = (uint32_t)sofa_family_n(object, POINTS);
  for (uint32_t part = 0; part <= n_parts; part++)
    ((SofaCoords *)sofa_family_value(object, POSITIONS, part))->n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "edges", &s->edges, s->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &s->triangles, s->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "quads", &s->quads, s->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "tetrahedra", &s->tetrahedra, s->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "hexahedra", &s->hexahedra, s->position.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->pairs, 2 * s->position.n));
  SOFA_TRY(assign(s, n_parts));
  for (size_t i = 0; i < s->position.n; i++) {
    SofaCoords *part = sofa_family_value(object, POSITIONS, s->pairs.data[2 * i]);
    s->pairs.data[2 * i + 1] = (uint32_t)part->n;
    SOFA_TRY(engine_append_coord(object->ctx, part, &s->position, i));
  }
  return SOFA_OK;
}

ENGINE_CLASS(MeshSplittingEngine, "Select",
             "Divides the points of a mesh among parts given by points or elements.",
             ENGINE_FAMILIES, .templates = engine_vec3_templates, .init = engine_init, );
