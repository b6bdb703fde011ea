/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MergeMeshes: several meshes as one. */
#include "components/engine/engine.h"

typedef struct MergeMeshes {
  SofaObject object;
  uint32_t n_meshes, n_points;
  SofaCoords position;
  SofaEdges edges;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaIndexLists polygons;
  SofaTetras tetrahedra;
  SofaHexas hexahedra;
} MergeMeshes;

typedef MergeMeshes SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(n_meshes, "nbMeshes", "2", "", "number of meshes"),
    SOFA_ROW_OUTPUT(n_points, "npoints", "", "number of points"),
    SOFA_ROW_OUTPUT(position, "position", "", "points of the meshes, one after the other"),
    SOFA_ROW_OUTPUT(edges, "edges", "", "edges"),
    SOFA_ROW_OUTPUT(triangles, "triangles", "", "triangles"),
    SOFA_ROW_OUTPUT(quads, "quads", "", "quads"),
    SOFA_ROW_NO_EFFECT(polygons, "polygons", NULL, "polygons: SOFA leaves them empty"),
    SOFA_ROW_OUTPUT(tetrahedra, "tetrahedra", "", "tetrahedra"),
    SOFA_ROW_OUTPUT(hexahedra, "hexahedra", "", "hexahedra"),
};

enum { POSITION, EDGES, TRIANGLES, QUADS, TETRAHEDRA, HEXAHEDRA, N_FAMILIES };

static const SofaFieldFamily families[N_FAMILIES] = {
    [POSITION] = ENGINE_INPUTS(coords, "position", "nbMeshes", "m", "points of a mesh"),
    [EDGES] = ENGINE_INPUTS(edges, "edges", "nbMeshes", "", "edges of a mesh"),
    [TRIANGLES] = ENGINE_INPUTS(triangles, "triangles", "nbMeshes", "", "triangles of a mesh"),
    [QUADS] = ENGINE_INPUTS(quads, "quads", "nbMeshes", "", "quads of a mesh"),
    [TETRAHEDRA] = ENGINE_INPUTS(tetras, "tetrahedra", "nbMeshes", "", "tetrahedra of a mesh"),
    [HEXAHEDRA] = ENGINE_INPUTS(hexas, "hexahedra", "nbMeshes", "", "hexahedra of a mesh"),
};

/* Appends the elements of mesh j, their vertices `shift` higher. */
static SofaErr append_elements(MergeMeshes *m, int family, size_t j, size_t shift, void *out) {
  const SofaType *type = families[family].row.type;
  const void *in = sofa_family_value(&m->object, (size_t)family, j);
  const SofaCoords *points = sofa_family_value(&m->object, POSITION, j);
  const size_t n = engine_list_n(in);
  if (!n) return SOFA_OK;
  SOFA_TRY(engine_check(&m->object, families[family].row.name,
                        (SofaElements){engine_entry(type, in, 0), n, type->width}, points->n,
                        "points"));
  for (size_t i = 0; i < n; i++) {
    const uint32_t *v = engine_entry(type, in, i);
    uint32_t made[8];
    for (unsigned k = 0; k < type->width; k++) made[k] = v[k] + (uint32_t)shift;
    SOFA_TRY(sofa_list_append(m->object.ctx, out, engine_entry_size(type), made));
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MergeMeshes *m = (MergeMeshes *)object;
  void *lists[N_FAMILIES] = {NULL,      &m->edges,      &m->triangles,
                             &m->quads, &m->tetrahedra, &m->hexahedra};
  m->position.n = m->edges.n = m->triangles.n = m->quads.n = 0;
  m->tetrahedra.n = m->hexahedra.n = 0;
  for (size_t j = 0; j < sofa_family_n(object, POSITION); j++) {
    const SofaCoords *points = sofa_family_value(object, POSITION, j);
    const size_t shift = m->position.n;
    if (shift + points->n > UINT32_MAX)
      return sofa_object_fail(object, SOFA_ERR_RANGE, "there are more points than an index holds");
    for (int f = EDGES; f < N_FAMILIES; f++) SOFA_TRY(append_elements(m, f, j, shift, lists[f]));
    for (size_t i = 0; i < points->n; i++)
      SOFA_TRY(engine_append_coord(object->ctx, &m->position, points, i));
  }
  m->n_points = (uint32_t)m->position.n;
  return SOFA_OK;
}

ENGINE_CLASS(MergeMeshes, "Generate", "Joins meshes to one.", ENGINE_FAMILIES,
             .templates = engine_state_templates, .init = engine_init, );
