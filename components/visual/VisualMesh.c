/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualMesh: all elements of a topology, with gaps, coloured by values. */
#include "behavior/checks.h"
#include "components/visual/visual.h"
#include "topology/topology.h"
#include "components/visual/color_map.h"

typedef struct VisualMesh {
  SofaVisual visual;
  SofaVec3s position;
  double element_space;
  bool lighting;
  SofaReals values;
  char *map_text;
  SofaLink topology;
  SofaColorMap map;
} VisualMesh;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef VisualMesh SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(position, "position", NULL, "points, m"),
    SOFA_ROW_DISPLAY(element_space, "elementSpace", "0.15",
                     "gap between elements, in shares of their size"),
    SOFA_ROW_DISPLAY(lighting, "lighting", "1", "shade the faces"),
    SOFA_ROW_DISPLAY(values, "vertexValues", NULL, "a number per point, for the colours"),
    SOFA_ROW_DISPLAY(map_text, "colorMap", "",
                     "colour map of the numbers: a name (viridis, magma, Grey, ...) or colours; "
                     "default viridis"),
    SOFA_ROW_DISPLAY(topology, "topology", NULL, "the elements", .link = &topology_rule),
};

static SofaErr init(SofaObject *object) {
  VisualMesh *m = (VisualMesh *)object;
  return sofa_keep_going(object, sofa_color_map_read(object, "colorMap", m->map_text, &m->map));
}

static void destroy(SofaObject *object) {
  sofa_color_map_free(object->ctx, &((VisualMesh *)object)->map);
}

/* Smallest and largest number. */
typedef struct Range {
  double low, high;
} Range;

/* false: there is not one number per point. */
static bool range_of(const VisualMesh *m, Range *range) {
  if (m->values.n != m->position.n || !m->values.n) return false;
  range->low = range->high = m->values.data[0];
  for (size_t i = 1; i < m->values.n; i++) {
    if (m->values.data[i] < range->low) range->low = m->values.data[i];
    if (m->values.data[i] > range->high) range->high = m->values.data[i];
  }
  return true;
}

/* Elements one by one, each in the colour of the mean of its points. */
static void draw_colored(const VisualMesh *m, const SofaDrawArgs *args, SofaDrawElements *how,
                         const SofaElements *e, const Range *range, bool quads) {
  const double low = range->low, high = range->high;
  for (size_t i = 0; i < e->n; i++) {
    const uint32_t *v = e->v + i * e->width;
    double sum = 0;
    bool good = true;
    for (unsigned j = 0; j < e->width; j++) {
      good = good && v[j] < m->values.n;
      if (good) sum += m->values.data[v[j]];
    }
    if (!good) continue;
    const double t = high > low ? (sum / e->width - low) / (high - low) : 0.5;
    const SofaRgba c = sofa_color_map_at(&m->map, t);
    how->element_color = &c;
    sofa_draw_elements(args->list, how, v, 1, e->width, quads);
  }
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  static const SofaElementKind volumes[] = {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA,
                                            SOFA_ELEMENT_PYRAMID, SOFA_ELEMENT_PRISM},
                               faces[] = {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD},
                               lines[] = {SOFA_ELEMENT_EDGE};
  const VisualMesh *m = (const VisualMesh *)object;
  SofaTopology *t = (SofaTopology *)m->topology.target;
  if (!m->visual.enable || !t || !m->position.n) return;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_VISUAL_MODELS)) return;
  const SofaMesh *mesh = &t->mesh;
  const bool solid = mesh->tetrahedra.n || mesh->hexahedra.n || mesh->pyramids.n || mesh->prisms.n;
  const bool flat = mesh->triangles.n || mesh->quads.n;
  const SofaElementKind *kinds = solid ? volumes : flat ? faces : lines;
  const int n = solid ? 4 : flat ? 2 : 1;
  Range range = {0};
  const bool colored = range_of(m, &range);
  SofaDrawElements how = {
      .x = m->position.data->v,
      .n_points = m->position.n,
      .stride = 3,
      .shrink = 1 - m->element_space,
      .wireframe = sofa_display_shows(args->flags, SOFA_DISPLAY_WIREFRAME),
      .color = {{{0, 0, 1, 1}}, {{0, 0.5f, 1, 1}}, {{0, 1, 1, 1}}, {{0.5f, 1, 1, 1}}}};
  for (int i = 0; i < n; i++) {
    const SofaElements e = sofa_mesh_elements(mesh, kinds[i]);
    const bool quads = kinds[i] == SOFA_ELEMENT_QUAD;
    if (colored) draw_colored(m, args, &how, &e, &range, quads);
    else sofa_draw_elements(args->list, &how, e.v, e.n, e.width, quads);
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(VisualMesh) = {
    SOFA_NAMED(VisualMesh),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help =
        "Draws all elements of a topology with gaps between them, coloured by a number per point.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
