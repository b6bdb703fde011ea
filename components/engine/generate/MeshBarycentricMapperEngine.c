/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshBarycentricMapperEngine: in which element of a mesh points lie, and where there. */
#include "components/engine/engine.h"
#include "numerics/spatial/locator.h"

typedef struct MeshBarycentricMapperEngine {
  SofaObject object;
  SofaLink topology;
  SofaVec3s input, mapped, barycentric;
  SofaIndices elements;
  bool interpolate;
  SofaIndexLists indices;
  SofaRealLists values;
} MeshBarycentricMapperEngine;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef MeshBarycentricMapperEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(topology, "topology", NULL, "",
             "the mesh, of tetrahedra or triangles; default: the node's topology",
             .flags = SOFA_FIELD_NO_AUTOLINK, .link = &topology_rule),
    SOFA_ROW_INPUT(input, "inputPositions", NULL, "m", "points of the mesh"),
    SOFA_ROW_INPUT(mapped, "mappedPointPositions", NULL, "m", "points to locate"),
    SOFA_ROW_OUTPUT(barycentric, "barycentricPositions", "",
                    "coordinates of each point in its element"),
    SOFA_ROW_OUTPUT(elements, "tableElements", "", "element of each point"),
    SOFA_ROW_INPUT(interpolate, "computeLinearInterpolation", "0", "",
                   "give also the vertices and their weights"),
    SOFA_ROW_OUTPUT(indices, "linearInterpolationIndices", "",
                    "vertices of the element of each point"),
    SOFA_ROW_OUTPUT(values, "linearInterpolationValues", "", "their weights"),
};

static SofaErr add_weights(MeshBarycentricMapperEngine *e, const SofaLocator *l, size_t i,
                           const SofaLocation *where) {
  unsigned n = 0;
  double w[8];
  const uint32_t *v = sofa_locator_vertices(l, where->element, &n);
  n = sofa_element_weights(l->element[where->element].kind, where->v, w);
  for (unsigned k = 0; k < n; k++) {
    SOFA_TRY(engine_append(e->object.ctx, &e->indices.data[i], v[k]));
    SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->values.data[i], &w[k]));
  }
  return SOFA_OK;
}

static SofaErr store(MeshBarycentricMapperEngine *e, const SofaLocator *l,
                     const SofaLocation *where) {
  SofaContext *ctx = e->object.ctx;
  const size_t n = e->mapped.n;
  SOFA_TRY(SOFA_RESIZE(ctx, &e->barycentric, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &e->elements, n));
  SOFA_TRY(sofa_index_lists_resize(ctx, &e->indices, e->interpolate ? n : 0));
  SOFA_TRY(sofa_real_lists_resize(ctx, &e->values, e->interpolate ? n : 0));
  for (size_t i = 0; i < n; i++) {
    if (where[i].element == SOFA_NOWHERE)
      return sofa_field_fail(&e->object, "mappedPointPositions", SOFA_ERR_GEOMETRY,
                             "no element was found for point %zu", i);
    const bool flat = l->element[where[i].element].kind == SOFA_ELEMENT_TRIANGLE;
    e->elements.data[i] = (uint32_t)where[i].element;
    for (int c = 0; c < 3; c++) e->barycentric.data[i].v[c] = flat && c == 2 ? 0 : where[i].v[c];
    if (e->interpolate) SOFA_TRY(add_weights(e, l, i, &where[i]));
  }
  return SOFA_OK;
}

static SofaErr locate(MeshBarycentricMapperEngine *e, SofaLocator *l) {
  SofaContext *ctx = e->object.ctx;
  size_t bad = 0;
  const SofaErr err = sofa_locator_prepare(l, &bad);
  if (err == SOFA_ERR_RANGE)
    return sofa_field_fail(&e->object, "inputPositions", err,
                           "element %zu of the topology names more than the %zu points", bad,
                           e->input.n);
  if (err) return err;
  SofaLocation *where = SOFA_SCRATCH(ctx, SofaLocation, e->mapped.n);
  if (!where) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_locate_all(l, e->mapped.n, e->mapped.n ? e->mapped.data->v : NULL, 3, where));
  return store(e, l, where);
}

static SofaErr update(SofaObject *object) {
  MeshBarycentricMapperEngine *e = (MeshBarycentricMapperEngine *)object;
  SofaTopology *t = (SofaTopology *)e->topology.target;
  if (!t) return sofa_field_fail(object, "topology", SOFA_ERR_NOT_FOUND, "there is no topology");
  const SofaTriangles *triangles = sofa_topology_triangles(t);
  if (t->mesh.hexahedra.n || (!t->mesh.tetrahedra.n && sofa_topology_quads(t)->n))
    return sofa_object_unsupported(object, "a mesh with hexahedra or quads");
  SofaLocator l = {
      .ctx = object->ctx, .x = e->input.n ? e->input.data->v : NULL, .n_x = e->input.n};
  if (t->mesh.tetrahedra.n)
    sofa_locator_add(&l, SOFA_ELEMENT_TETRA, sofa_mesh_elements(&t->mesh, SOFA_ELEMENT_TETRA));
  else
    sofa_locator_add(
        &l, SOFA_ELEMENT_TRIANGLE,
        (SofaElements){(const uint32_t *)(const void *)triangles->data, triangles->n, 3});
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  const SofaErr err = locate(e, &l);
  sofa_scratch_release(object->ctx, mark);
  sofa_locator_free(&l);
  return err;
}

ENGINE_CLASS(MeshBarycentricMapperEngine, "Generate",
             "Finds in which elements of a mesh points lie, and where there.",
             .templates = engine_vec3_templates, .init = engine_init, );
