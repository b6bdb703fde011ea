/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ...SetGeometryAlgorithms classes: they draw a container; what they compute for others is
 * asked for by components that cut or refine, of which there are none yet. */
#include <math.h>
#include <stdio.h>

#include "behavior/draw_state.h"
#include "math/vec.h"
#include "set_container.h"
#include "triangle_orientation.h"

enum { QUIRK_TRIANGLE_ORIENTATION = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_TRIANGLE_ORIENTATION, "triangle-orientation",
     "recomputeTrianglesOrientation turns triangles by the normal of the first one",
     "test_topology_utilities.triangles_agree"},
};

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

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef SofaGeometryAlgorithms SofaSelf; /* of SOFA_ROW */

static const SofaField point_fields[] = {
    SOFA_ROW_DISPLAY(indices_scale, "showIndicesScale", "1", "Size of the numbers drawn."),
    SOFA_ROW_DISPLAY(show_points, "showPointIndices", "0", "Draws the numbers of the points."),
    SOFA_ROW_DISPLAY(tag_mechanics, "tagMechanics", "",
                     "Tag of the mechanical state that is drawn."),
    SOFA_ROW(topology, "topology", NULL, "", "The topology; the node's when none is given.",
             .link = &topology_rule),
};
static const SofaField edge_fields[] = {
    SOFA_ROW_DISPLAY(show_edges, "showEdgeIndices", "0", "Draws the numbers of the edges."),
    SOFA_ROW_DISPLAY(draw_edges, "drawEdges", "0", "Draws the edges."),
    SOFA_ROW_DISPLAY(edge_color, "drawColorEdges", "0.4 1 0.3 1", "Colour of the edges."),
};
static const SofaField triangle_fields[] = {
    SOFA_ROW_DISPLAY(show_triangles, "showTriangleIndices", "0",
                     "Draws the numbers of the triangles."),
    SOFA_ROW_DISPLAY(draw_triangles, "drawTriangles", "0", "Draws the triangles."),
    SOFA_ROW_DISPLAY(triangle_color, "drawColorTriangles", "0.3 0.5 0.8 1",
                     "Colour of the triangles."),
    SOFA_ROW_DISPLAY(draw_normals, "drawNormals", "0", "Draws the normals."),
    SOFA_ROW_DISPLAY(normal_length, "drawNormalLength", "10", "Length of the normals, in percent."),
    SOFA_ROW(recompute_orientation, "recomputeTrianglesOrientation", "0", "",
             "At init turns triangles so that all agree with the first one of their connected "
             "part.",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(flip_normals, "flipNormals", "0", "",
             "recomputeTrianglesOrientation makes them agree with the first one turned."),
};
static const SofaField quad_fields[] = {
    SOFA_ROW_DISPLAY(show_quads, "showQuadIndices", "0", "Draws the numbers of the quads."),
    SOFA_ROW_DISPLAY(draw_quads, "drawQuads", "0", "Draws the quads."),
    SOFA_ROW_DISPLAY(quad_color, "drawColorQuads", "0 0.4 0.4 1", "Colour of the quads."),
};
static const SofaField tetra_fields[] = {
    SOFA_ROW_DISPLAY(show_tetras, "showTetrahedraIndices", "0",
                     "Draws the numbers of the tetrahedra."),
    SOFA_ROW_DISPLAY(draw_tetras, "drawTetrahedra", "0", "Draws the tetrahedra."),
    SOFA_ROW_DISPLAY(tetra_scale, "drawScaleTetrahedra", "1", "Size of the tetrahedra drawn."),
    SOFA_ROW_DISPLAY(tetra_color, "drawColorTetrahedra", "1 1 0 1", "Colour of the tetrahedra."),
};
static const SofaField hexa_fields[] = {
    SOFA_ROW_DISPLAY(show_hexas, "showHexaIndices", "0", "Draws the numbers of the hexahedra."),
    SOFA_ROW_DISPLAY(draw_hexas, "drawHexahedra", "0", "Draws the hexahedra."),
    SOFA_ROW_DISPLAY(hexa_scale, "drawScaleHexahedra", "1", "Size of the hexahedra drawn."),
    SOFA_ROW_DISPLAY(hexa_color, "drawColorHexahedra", "1 0.5 0 1", "Colour of the hexahedra."),
};

/* ---- orientation ---- */

static SofaErr orient(SofaObject *object) {
  const SofaGeometryAlgorithms *g = (const SofaGeometryAlgorithms *)object;
  SofaTopology *t = (SofaTopology *)g->topology.target;
  if (!t) t = sofa_node_topology(object->node);
  if (!g->recompute_orientation) return SOFA_OK;
  if (!t) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "there is no topology in context");
  if (sofa_quirk(object, QUIRK_TRIANGLE_ORIENTATION))
    return sofa_orient_triangles_by_normals(object, t, sofa_node_state(object->node),
                                            g->flip_normals);
  return sofa_orient_triangles(object, t, g->flip_normals);
}

/* ---- drawing: independent of display flags ---- */

/* Numbers of elements at their centres. */
static void draw_numbers(const SofaGeometryAlgorithms *g, const SofaDrawArgs *args,
                         const SofaState *state, SofaTopology *t, SofaElementKind kind) {
  const SofaElements e = sofa_mesh_elements(&t->mesh, kind);
  double size = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, args->box->max[k] - args->box->min[k]);
  for (size_t i = 0; i < (kind == SOFA_ELEMENT_POINT ? state->position.n : e.n); i++) {
    double center[3] = {0, 0, 0}, p[3];
    bool good = true;
    for (unsigned j = 0; kind != SOFA_ELEMENT_POINT && j < e.width; j++) {
      const uint32_t v = e.v[i * e.width + j];
      good = good && v < state->position.n;
      if (good) sofa_state_point(state, v, p);
      for (int k = 0; good && k < 3; k++) center[k] += p[k] / e.width;
    }
    if (kind == SOFA_ELEMENT_POINT) sofa_state_point(state, i, center);
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", i);
    if (good)
      sofa_draw_text(args->list, center, 0.02 * size * g->indices_scale, SOFA_RGB(1, 1, 1), digits);
  }
}

/* A line along the normal of each triangle; normal_length percent of the scene's size. */
static void draw_triangle_normals(const SofaGeometryAlgorithms *g, const SofaDrawArgs *args,
                                  const SofaState *state, SofaTopology *t) {
  const SofaTriangles *list = sofa_topology_triangles(t);
  double size = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, args->box->max[k] - args->box->min[k]);
  for (size_t i = 0; i < list->n; i++) {
    double p[3][3], u[3], w[3], n[3], center[3];
    const uint32_t *v = list->data[i].v;
    if (v[0] >= state->position.n || v[1] >= state->position.n || v[2] >= state->position.n)
      continue;
    for (int j = 0; j < 3; j++) sofa_state_point(state, v[j], p[j]);
    sofa_vec3_sub(p[1], p[0], u);
    sofa_vec3_sub(p[2], p[0], w);
    sofa_vec3_cross(u, w, n);
    sofa_vec3_normalize(n);
    for (int k = 0; k < 3; k++) center[k] = (p[0][k] + p[1][k] + p[2][k]) / 3;
    for (int k = 0; k < 3; k++) n[k] = center[k] + n[k] * 0.01 * g->normal_length * size;
    sofa_draw_line(args->list, center, n, 1, SOFA_RGB(1, 1, 1));
  }
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaGeometryAlgorithms *g = (const SofaGeometryAlgorithms *)object;
  const SofaState *state = sofa_node_state(object->node);
  SofaTopology *t = (SofaTopology *)g->topology.target;
  if (!t) t = sofa_node_topology(object->node);
  if (!t || !state) return;
  const struct {
    bool shown, numbers;
    SofaElementKind kind;
    double scale;
    const SofaColor *color;
  } rows[] = {
      {false, g->show_points, SOFA_ELEMENT_POINT, 1, NULL},
      {g->draw_edges, g->show_edges, SOFA_ELEMENT_EDGE, 1, &g->edge_color},
      {g->draw_triangles, g->show_triangles, SOFA_ELEMENT_TRIANGLE, 1, &g->triangle_color},
      {g->draw_quads, g->show_quads, SOFA_ELEMENT_QUAD, 1, &g->quad_color},
      {g->draw_tetras, g->show_tetras, SOFA_ELEMENT_TETRA, g->tetra_scale, &g->tetra_color},
      {g->draw_hexas, g->show_hexas, SOFA_ELEMENT_HEXA, g->hexa_scale, &g->hexa_color},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].shown) {
      const SofaRgba c = sofa_rgba(rows[i].color), colors[4] = {c, c, c, c};
      sofa_draw_state_elements(args, state, t, rows[i].kind, rows[i].scale, colors);
    }
    if (rows[i].numbers) draw_numbers(g, args, state, t, rows[i].kind);
  }
  if (g->draw_normals) draw_triangle_normals(g, args, state, t);
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const point_templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};
static const char *const edge_templates[] = {"Vec3d", "Rigid2d", "Rigid3d", "Vec1d", "Vec2d", NULL};
static const char *const surface_templates[] = {"Vec3d", "Vec2d", NULL};

#define ALGORITHMS_CLASS(name_, kind, base_class, table, names, ...)                               \
  extern const SofaClass sofa_##name_##_class;                                                     \
  const SofaClass sofa_##name_##_class = {.name = #name_,                                          \
                                          .module = "Sofa.Component.Topology.Container.Dynamic",   \
                                          .category = "TopologyObject",                            \
                                          .help = "Draws the elements of a " #kind                 \
                                                  "SetTopologyContainer.",                         \
                                          .base = (base_class),                                    \
                                          .divided = SOFA_DIVIDED_NEUTRAL,                         \
                                          .size = sizeof(SofaGeometryAlgorithms),                  \
                                          SOFA_FIELDS(table),                                      \
                                          .templates = (names),                                    \
                                          __VA_ARGS__,                                             \
                                          SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops})}

ALGORITHMS_CLASS(PointSetGeometryAlgorithms, Point, &sofa_object_class, point_fields,
                 point_templates, .init = NULL);
ALGORITHMS_CLASS(EdgeSetGeometryAlgorithms, Edge, &sofa_PointSetGeometryAlgorithms_class,
                 edge_fields, edge_templates, .init = NULL);
ALGORITHMS_CLASS(TriangleSetGeometryAlgorithms, Triangle, &sofa_EdgeSetGeometryAlgorithms_class,
                 triangle_fields, surface_templates, .init = orient, .reinit = orient,
                 SOFA_QUIRKS(quirks));
ALGORITHMS_CLASS(QuadSetGeometryAlgorithms, Quad, &sofa_EdgeSetGeometryAlgorithms_class,
                 quad_fields, surface_templates, .init = NULL);
ALGORITHMS_CLASS(TetrahedronSetGeometryAlgorithms, Tetrahedron,
                 &sofa_TriangleSetGeometryAlgorithms_class, tetra_fields, surface_templates,
                 .init = NULL);
ALGORITHMS_CLASS(HexahedronSetGeometryAlgorithms, Hexahedron, &sofa_QuadSetGeometryAlgorithms_class,
                 hexa_fields, surface_templates, .init = NULL);

static SofaErr check_dynamic(SofaObject *object) {
  if (sofa_node_find_class(object->node, &sofa_DynamicSparseGridTopologyContainer_class,
                           SOFA_SEARCH_UP))
    return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no DynamicSparseGridTopologyContainer in this node or above");
}

SOFA_CLASS(DynamicSparseGridGeometryAlgorithms) = {
    .name = "DynamicSparseGridGeometryAlgorithms",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "Draws the elements of a DynamicSparseGridTopologyContainer.",
    .base = &sofa_HexahedronSetGeometryAlgorithms_class,
    .size = sizeof(SofaGeometryAlgorithms),
    .templates = surface_templates,
    .init = check_dynamic,
};
