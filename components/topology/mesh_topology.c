/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of the topologies that hold a whole mesh, and the lists these derive on demand. */
#include "behavior/draw_state.h"
#include "behavior/state_division.h"
#include "change/topology_change.h"
#include "mesh_topology.h"

enum { DRAW = SOFA_FIELD_DISPLAY };

static const SofaField mesh_topology_fields[] = {
    SOFA_FIELD(SofaMeshTopology, topology.filename, "filename", "", "",
               "Mesh file the topology is read from: .obj or .msh.", .aliases = "fileTopology"),
    SOFA_ROW_EDGES(SofaMeshTopology),
    SOFA_ROW_TRIANGLES(SofaMeshTopology),
    SOFA_ROW_QUADS(SofaMeshTopology),
    SOFA_ROW_TETRAHEDRA(SofaMeshTopology),
    SOFA_ROW_HEXAHEDRA(SofaMeshTopology),
    SOFA_ROW_PRISMS(SofaMeshTopology),
    SOFA_ROW_PYRAMIDS(SofaMeshTopology),
    SOFA_FIELD(SofaMeshTopology, uv, "uv", NULL, "1", "Texture coordinate of each point.",
               .aliases = "texcoords"),
    SOFA_FIELD(SofaMeshTopology, compute_all_buffers, "computeAllBuffers", "0", "",
               "Derives edges, triangles and quads at init instead of on demand.", ),
    SOFA_FIELD(SofaMeshTopology, draw_edges, "drawEdges", "0", "", "Draws the edges.",
               .flags = DRAW),
    SOFA_FIELD(SofaMeshTopology, draw_triangles, "drawTriangles", "0", "", "Draws the triangles.",
               .flags = DRAW),
    SOFA_FIELD(SofaMeshTopology, draw_quads, "drawQuads", "0", "", "Draws the quads.",
               .flags = DRAW),
    SOFA_FIELD(SofaMeshTopology, draw_tetrahedra, "drawTetrahedra", "0", "",
               "Draws the tetrahedra.", .flags = DRAW),
    SOFA_FIELD(SofaMeshTopology, draw_hexahedra, "drawHexahedra", "0", "", "Draws the hexahedra.",
               .flags = DRAW),
};

/* Elements at the positions of the state in context. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaMeshTopology *m = (const SofaMeshTopology *)object;
  const struct {
    bool shown;
    SofaElementKind kind;
    SofaRgba color;
  } rows[] = {
      {m->draw_edges, SOFA_ELEMENT_EDGE, SOFA_RGB(0.4, 1, 0.3)},
      {m->draw_triangles, SOFA_ELEMENT_TRIANGLE, SOFA_RGB(0.3, 0.5, 0.8)},
      {m->draw_quads, SOFA_ELEMENT_QUAD, SOFA_RGB(0, 0.4, 0.4)},
      {m->draw_tetrahedra, SOFA_ELEMENT_TETRA, SOFA_RGB(1, 1, 0)},
      {m->draw_hexahedra, SOFA_ELEMENT_HEXA, SOFA_RGB(1, 0.5, 0)},
  };
  const SofaState *state = sofa_node_state(object->node);
  for (size_t i = 0; state && i < sizeof rows / sizeof *rows; i++) {
    const SofaRgba c = rows[i].color, colors[4] = {c, c, c, c};
    if (rows[i].shown)
      sofa_draw_state_elements(args, state, (SofaTopology *)object, rows[i].kind, 1, colors);
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

const SofaClass sofa_mesh_topology_base_class = {
    .name = "MeshTopologyBase",
    .module = "Sofa.Component.Topology.Container.Constant",
    .category = "Topology",
    .help = "A topology with all kinds of elements.",
    .base = &sofa_changing_topology_class,
    .size = sizeof(SofaMeshTopology),
    SOFA_FIELDS(mesh_topology_fields),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};

SofaErr sofa_mesh_topology_derive(SofaTopology *topology, SofaElementKind kind) {
  SofaContext *ctx = topology->object.ctx;
  SofaMesh *mesh = &topology->mesh;
  if (kind == SOFA_ELEMENT_QUAD) return sofa_derive_quads(ctx, &mesh->hexahedra, &mesh->quads);
  if (kind == SOFA_ELEMENT_TRIANGLE)
    return sofa_derive_triangles(ctx, &mesh->tetrahedra, &mesh->triangles);
  if (kind != SOFA_ELEMENT_EDGE) return SOFA_OK;
  if (mesh->tetrahedra.n || mesh->hexahedra.n || mesh->prisms.n || mesh->pyramids.n)
    return sofa_derive_volume_edges(ctx, mesh, &mesh->edges);
  return sofa_derive_surface_edges(ctx, mesh, &mesh->edges);
}

/* Has the list elements on some process? */
static bool listed(const SofaTopology *topology, SofaElementKind kind) {
  const SofaField *field =
      sofa_class_field(topology->object.klass, sofa_element_kind_info(kind)->field);
  const SofaDivision *division = field ? sofa_field_division(&topology->object, field) : NULL;
  return sofa_mesh_elements(&topology->mesh, kind).n ||
         (division && division->n_whole_elements[kind]);
}

SofaErr sofa_mesh_topology_mark(SofaMeshTopology *mesh_topology) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_QUAD, SOFA_ELEMENT_TRIANGLE,
                                          SOFA_ELEMENT_EDGE};
  SofaTopology *topology = &mesh_topology->topology;
  topology->lazy = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (listed(topology, kinds[i])) continue;
    topology->lazy |= 1u << kinds[i];
    sofa_topology_cut_link(topology, kinds[i]);
  }
  if (!mesh_topology->compute_all_buffers) return SOFA_OK;
  sofa_topology_quads(topology);
  sofa_topology_triangles(topology);
  sofa_topology_edges(topology);
  return topology->failure;
}
