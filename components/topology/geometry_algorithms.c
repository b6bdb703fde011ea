/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ...SetGeometryAlgorithms classes: they draw a container; what they compute for others is
 * asked for by components that cut or refine, of which there are none yet. */
#include "behavior/topology.h"

typedef struct SofaGeometryAlgorithms {
  SofaObject object;
  SofaLink topology;
  double indices_scale, normal_length, tetra_scale, hexa_scale;
  bool show_points, show_edges, show_triangles, show_quads, show_tetras, show_hexas;
  bool draw_edges, draw_triangles, draw_normals, draw_quads, draw_tetras, draw_hexas;
  SofaColor edge_color, triangle_color, quad_color, tetra_color, hexa_color;
  bool recompute_orientation, flip_normals;
  char *tag_mechanics;
} SofaGeometryAlgorithms;

#define DRAW(member, xml, def_text, help_text)                                                     \
  SOFA_FIELD(SofaGeometryAlgorithms, member, xml, def_text, "", help_text,                         \
             .flags = SOFA_FIELD_DISPLAY)

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField point_fields[] = {
    DRAW(indices_scale, "showIndicesScale", "1", "Size of the numbers drawn."),
    DRAW(show_points, "showPointIndices", "0", "Draws the numbers of the points."),
    DRAW(tag_mechanics, "tagMechanics", "", "Tag of the mechanical state that is drawn."),
    SOFA_FIELD(SofaGeometryAlgorithms, topology, "topology", NULL, "",
               "The topology; the node's when none is given.", .link = &topology_rule),
};
static const SofaField edge_fields[] = {
    DRAW(show_edges, "showEdgeIndices", "0", "Draws the numbers of the edges."),
    DRAW(draw_edges, "drawEdges", "0", "Draws the edges."),
    DRAW(edge_color, "drawColorEdges", "0.4 1 0.3 1", "Colour of the edges."),
};
static const SofaField triangle_fields[] = {
    DRAW(show_triangles, "showTriangleIndices", "0", "Draws the numbers of the triangles."),
    DRAW(draw_triangles, "drawTriangles", "0", "Draws the triangles."),
    DRAW(triangle_color, "drawColorTriangles", "0.3 0.5 0.8 1", "Colour of the triangles."),
    DRAW(draw_normals, "drawNormals", "0", "Draws the normals."),
    DRAW(normal_length, "drawNormalLength", "10", "Length of the normals, in percent."),
    SOFA_FIELD(SofaGeometryAlgorithms, recompute_orientation, "recomputeTrianglesOrientation", "0",
               "", "Turns triangles so that neighbours agree.", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(SofaGeometryAlgorithms, flip_normals, "flipNormals", "0", "",
               "Turns all triangles after recomputeTrianglesOrientation.",
               .flags = SOFA_FIELD_UNSUPPORTED),
};
static const SofaField quad_fields[] = {
    DRAW(show_quads, "showQuadIndices", "0", "Draws the numbers of the quads."),
    DRAW(draw_quads, "drawQuads", "0", "Draws the quads."),
    DRAW(quad_color, "drawColorQuads", "0 0.4 0.4 1", "Colour of the quads."),
};
static const SofaField tetra_fields[] = {
    DRAW(show_tetras, "showTetrahedraIndices", "0", "Draws the numbers of the tetrahedra."),
    DRAW(draw_tetras, "drawTetrahedra", "0", "Draws the tetrahedra."),
    DRAW(tetra_scale, "drawScaleTetrahedra", "1", "Size of the tetrahedra drawn."),
    DRAW(tetra_color, "drawColorTetrahedra", "1 1 0 1", "Colour of the tetrahedra."),
};
static const SofaField hexa_fields[] = {
    DRAW(show_hexas, "showHexaIndices", "0", "Draws the numbers of the hexahedra."),
    DRAW(draw_hexas, "drawHexahedra", "0", "Draws the hexahedra."),
    DRAW(hexa_scale, "drawScaleHexahedra", "1", "Size of the hexahedra drawn."),
    DRAW(hexa_color, "drawColorHexahedra", "1 0.5 0 1", "Colour of the hexahedra."),
};

static const char *const point_templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};
static const char *const edge_templates[] = {"Vec3d", "Rigid2d", "Rigid3d", "Vec1d", "Vec2d", NULL};
static const char *const surface_templates[] = {"Vec3d", "Vec2d", NULL};

#define ALGORITHMS(kind, base_class, table, names)                                                 \
  extern const SofaClass sofa_##kind##SetGeometryAlgorithms_class;                                 \
  const SofaClass sofa_##kind##SetGeometryAlgorithms_class = {                                     \
      .name = #kind "SetGeometryAlgorithms",                                                       \
      .module = "Sofa.Component.Topology.Container.Dynamic",                                       \
      .category = "TopologyObject",                                                                \
      .help = "Draws the elements of a " #kind "SetTopologyContainer.",                            \
      .base = (base_class),                                                                        \
      .size = sizeof(SofaGeometryAlgorithms),                                                      \
      .fields = (table),                                                                           \
      .n_fields = sizeof(table) / sizeof *(table),                                                 \
      .templates = (names)}

ALGORITHMS(Point, &sofa_object_class, point_fields, point_templates);
ALGORITHMS(Edge, &sofa_PointSetGeometryAlgorithms_class, edge_fields, edge_templates);
ALGORITHMS(Triangle, &sofa_EdgeSetGeometryAlgorithms_class, triangle_fields, surface_templates);
ALGORITHMS(Quad, &sofa_EdgeSetGeometryAlgorithms_class, quad_fields, surface_templates);
ALGORITHMS(Tetrahedron, &sofa_TriangleSetGeometryAlgorithms_class, tetra_fields, surface_templates);
ALGORITHMS(Hexahedron, &sofa_QuadSetGeometryAlgorithms_class, hexa_fields, surface_templates);
