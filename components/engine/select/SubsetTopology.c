/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetTopology: cuts a mesh into the part inside regions and the part outside. */
#include <string.h>

#include "components/engine/engine.h"
#include "behavior/loader.h"

typedef struct SubsetTopology {
  SofaObject object;
  SofaBoxes boxes;
  SofaVec3s centers;
  SofaReals radii;
  SofaVec3 direction, normal;
  double edge_angle, triangle_angle;
  SofaCoords position, points_in, points_out;
  SofaEdges edges, edges_in, edges_out;
  SofaTriangles triangles, triangles_in, triangles_out;
  SofaQuads quads, quads_in, quads_out;
  SofaTetras tetrahedra, tetrahedra_in, tetrahedra_out;
  SofaHexas hexahedra, hexahedra_in, hexahedra_out;
  SofaIndices tetrahedra_input, indices, edge_indices, triangle_indices, quad_indices,
      tetrahedron_indices, hexahedron_indices;
  uint32_t n_border;
  bool local, draw_roi, draw_points, draw_edges, draw_triangles, draw_tetrahedra;
  double draw_size;
} SubsetTopology;

typedef SubsetTopology SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(boxes, "box", "0 0 0 1 1 1", "m", "boxes: xmin ymin zmin xmax ymax zmax each"),
    SOFA_ROW_INPUT(centers, "centers", NULL, "m",
                   "centers of spheres; given: they are the regions instead of the boxes"),
    SOFA_ROW_INPUT(radii, "radii", NULL, "m", "radii, one per center", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_NO_EFFECT(direction, "direction", "0 0 0",
                       "direction of edges; SOFA does not use it here"),
    SOFA_ROW_NO_EFFECT(normal, "normal", "0 0 0", "normal of triangles; SOFA does not use it here"),
    SOFA_ROW_NO_EFFECT(edge_angle, "edgeAngle", "0", "angle of edges; SOFA does not use it here"),
    SOFA_ROW_NO_EFFECT(triangle_angle, "triAngle", "0",
                       "angle of triangles; SOFA does not use it here"),
    SOFA_ROW_INPUT(
        position, "rest_position", NULL, "m",
        "points of the mesh; default: positions of the nearest state, else of the loader"),
    SOFA_ROW_INPUT(edges, "edges", NULL, "", "edges; default: those of the topology"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles; default: those of the topology"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "", "quads"),
    SOFA_ROW_INPUT(tetrahedra, "tetrahedra", NULL, "",
                   "tetrahedra; default: those of the topology"),
    SOFA_ROW_INPUT(hexahedra, "hexahedra", NULL, "", "hexahedra"),
    SOFA_ROW_INPUT(tetrahedra_input, "tetrahedraInput", NULL, "",
                   "tetrahedra to keep, instead of those inside a region"),
    SOFA_ROW_OUTPUT(indices, "indices", "",
                    "points inside; with localIndices points on the border come first"),
    SOFA_ROW_OUTPUT(edge_indices, "edgeIndices", "", "edges inside"),
    SOFA_ROW_OUTPUT(triangle_indices, "triangleIndices", "", "triangles inside"),
    SOFA_ROW_OUTPUT(quad_indices, "quadIndices", "", "quads inside"),
    SOFA_ROW_OUTPUT(tetrahedron_indices, "tetrahedronIndices", "", "tetrahedra inside"),
    SOFA_ROW_OUTPUT(hexahedron_indices, "hexahedronIndices", "", "hexahedra inside"),
    SOFA_ROW_OUTPUT(points_in, "pointsInROI", "", "positions of the points inside"),
    SOFA_ROW_OUTPUT(
        points_out, "pointsOutROI", "",
        "positions of the points outside; with localIndices points on the border come first"),
    SOFA_ROW_OUTPUT(edges_in, "edgesInROI", "", "edges with all vertices in one region"),
    SOFA_ROW_OUTPUT(edges_out, "edgesOutROI", "", "the other edges"),
    SOFA_ROW_OUTPUT(triangles_in, "trianglesInROI", "",
                    "triangles with all vertices in one region"),
    SOFA_ROW_OUTPUT(triangles_out, "trianglesOutROI", "", "the other triangles"),
    SOFA_ROW_OUTPUT(quads_in, "quadsInROI", "", "quads with all vertices in one region"),
    SOFA_ROW_OUTPUT(quads_out, "quadsOutROI", "", "the other quads"),
    SOFA_ROW_OUTPUT(tetrahedra_in, "tetrahedraInROI", "",
                    "tetrahedra with all vertices in one region"),
    SOFA_ROW_OUTPUT(tetrahedra_out, "tetrahedraOutROI", "", "the other tetrahedra"),
    SOFA_ROW_OUTPUT(hexahedra_in, "hexahedraInROI", "",
                    "hexahedra with all vertices in one region"),
    SOFA_ROW_OUTPUT(hexahedra_out, "hexahedraOutROI", "", "the other hexahedra"),
    SOFA_ROW_OUTPUT(n_border, "nbrborder", "", "with localIndices: number of points on the border"),
    SOFA_ROW_INPUT(local, "localIndices", "0", "",
                   "number the vertices of elements by their place in pointsInROI, pointsOutROI"),
    SOFA_ROW_DISPLAY(draw_roi, "drawROI", "0", "draw the regions"),
    SOFA_ROW_DISPLAY(draw_points, "drawPoints", "0", "draw the points"),
    SOFA_ROW_DISPLAY(draw_edges, "drawEdges", "0", "draw the edges"),
    SOFA_ROW_DISPLAY(draw_triangles, "drawTriangle", "0", "draw the triangles"),
    SOFA_ROW_DISPLAY(draw_tetrahedra, "drawTetrahedra", "0", "draw the tetrahedra"),
    SOFA_ROW_DISPLAY(draw_size, "drawSize", "1", "width of lines"),
};

/* ---- regions ---- */

static size_t n_regions(const SubsetTopology *s) {
  return s->centers.n ? s->centers.n : s->boxes.n;
}

static bool contains(const SubsetTopology *s, size_t region, uint32_t point) {
  const double *p = s->position.data + point * s->position.width;
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    if (s->centers.n) {
      const double d = p[k] - s->centers.data[region].v[k];
      sum += d * d;
      continue;
    }
    const double a = s->boxes.data[region].min[k], b = s->boxes.data[region].max[k];
    if (!((a < b ? a : b) <= p[k] && p[k] <= (a < b ? b : a))) return false;
  }
  return !s->centers.n || sum <= s->radii.data[region] * s->radii.data[region];
}

/* The number of the n vertices inside a region. */
static unsigned n_inside(const SubsetTopology *s, size_t region, const uint32_t *v, unsigned n) {
  unsigned count = 0;
  for (unsigned k = 0; k < n; k++) count += contains(s, region, v[k]);
  return count;
}

static bool in_one_region(const SubsetTopology *s, const uint32_t *v, unsigned n) {
  for (size_t r = 0; r < n_regions(s); r++)
    if (n_inside(s, r, v, n) == n) return true;
  return false;
}

/* ---- elements ---- */

typedef struct Kind {
  const char *field;
  unsigned width;
  const void *list;
  SofaIndices *indices;
  void *in, *out;
} Kind;

static bool in_list(const SofaIndices *list, size_t entry) {
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i] == entry) return true;
  return false;
}

/* Do the tetrahedra of tetrahedraInput tell which points are inside? */
static bool by_tetrahedra(const SubsetTopology *s) {
  return s->tetrahedra_input.n > 0;
}

static bool all_ranked(const uint32_t *v, unsigned n, const uint32_t *rank) {
  for (unsigned k = 0; k < n; k++)
    if (rank[v[k]] == UINT32_MAX) return false;
  return true;
}

/* Is element e to be kept? Ranks of points inside: NULL while they are not known. */
static bool kept(const SubsetTopology *s, const Kind *kind, size_t e, const uint32_t *v,
                 const uint32_t *in) {
  if (by_tetrahedra(s) && kind->list == &s->tetrahedra) return in_list(&s->tetrahedra_input, e);
  if (by_tetrahedra(s) && s->local) return all_ranked(v, kind->width, in);
  return in_one_region(s, v, kind->width);
}

/* ---- points ---- */

enum { OUTSIDE, INSIDE, BORDER };

/* As SOFA: the first region cuts through tetrahedra, of a mesh without any through triangles. */
static void mark_first_region(const SubsetTopology *s, uint8_t *place) {
  const bool volume = s->tetrahedra.n > 0;
  const uint32_t *v = (const uint32_t *)(volume ? (const void *)s->tetrahedra.data
                                                : (const void *)s->triangles.data);
  const unsigned width = volume ? 4 : 3;
  const size_t n = volume ? s->tetrahedra.n : s->triangles.n;
  for (size_t e = 0; e < n; e++, v += width) {
    const unsigned count = n_inside(s, 0, v, width);
    for (unsigned k = 0; k < width && count && count < width; k++)
      if (contains(s, 0, v[k])) place[v[k]] = BORDER;
  }
}

/* Points inside of elements outside: both parts have them, so that each can number its own. */
static void mark_cut(const SubsetTopology *s, const Kind *kind, uint8_t *place) {
  SofaAnyList list;
  memcpy(&list, kind->list, sizeof list);
  const uint32_t *v = list.data;
  for (size_t e = 0; e < list.n; e++, v += kind->width) {
    if (kept(s, kind, e, v, NULL)) continue;
    for (unsigned k = 0; k < kind->width; k++)
      if (place[v[k]] == INSIDE) place[v[k]] = BORDER;
  }
}

/* Marks the points inside, and with localIndices those where a region cuts through. */
static void mark_points(const SubsetTopology *s, const Kind *kinds, size_t n, uint8_t *place) {
  for (uint32_t i = 0; i < s->position.n; i++) place[i] = in_one_region(s, &i, 1);
  if (!s->local || !n_regions(s) || by_tetrahedra(s)) return;
  mark_first_region(s, place);
  for (size_t i = 0; i < n; i++) mark_cut(s, &kinds[i], place);
}

static SofaErr append_point(SubsetTopology *s, size_t i, SofaCoords *list, SofaIndices *indices,
                            uint32_t *rank) {
  rank[i] = (uint32_t)list->n;
  SOFA_TRY(engine_append_coord(s->object.ctx, list, &s->position, i));
  return indices ? engine_append(s->object.ctx, indices, i) : SOFA_OK;
}

/* Appends the points of one place to a list and notes their ranks there. */
static SofaErr append_points(SubsetTopology *s, const uint8_t *place, int which, SofaCoords *list,
                             SofaIndices *indices, uint32_t *rank) {
  for (size_t i = 0; i < s->position.n; i++)
    if (place[i] == which) SOFA_TRY(append_point(s, i, list, indices, rank));
  return SOFA_OK;
}

static SofaErr split_by_place(SubsetTopology *s, const uint8_t *place, uint32_t *in,
                              uint32_t *out) {
  SOFA_TRY(append_points(s, place, BORDER, &s->points_in, &s->indices, in));
  s->n_border = (uint32_t)s->indices.n;
  SOFA_TRY(append_points(s, place, INSIDE, &s->points_in, &s->indices, in));
  SOFA_TRY(append_points(s, place, BORDER, &s->points_out, NULL, out));
  return append_points(s, place, OUTSIDE, &s->points_out, NULL, out);
}

/* Points of kept and of other tetrahedra, in the order in which these first name them. */
static SofaErr split_by_tetrahedra(SubsetTopology *s, uint32_t *in, uint32_t *out) {
  s->n_border = 0;
  for (size_t e = 0; e < s->tetrahedra.n; e++) {
    const bool keep = in_list(&s->tetrahedra_input, e);
    uint32_t *rank = keep ? in : out;
    for (unsigned k = 0; k < 4; k++) {
      const uint32_t i = s->tetrahedra.data[e].v[k];
      if (rank[i] != UINT32_MAX) continue;
      SOFA_TRY(append_point(s, i, keep ? &s->points_in : &s->points_out, keep ? &s->indices : NULL,
                            rank));
      s->n_border += in[i] != UINT32_MAX && out[i] != UINT32_MAX;
    }
  }
  return SOFA_OK;
}

static SofaErr split_points(SubsetTopology *s, const uint8_t *place, uint32_t *in, uint32_t *out) {
  sofa_fill(in, 0xff, s->position.n * sizeof *in);
  sofa_fill(out, 0xff, s->position.n * sizeof *out);
  return by_tetrahedra(s) ? split_by_tetrahedra(s, in, out) : split_by_place(s, place, in, out);
}

/* ---- lists ---- */

static SofaErr split_elements(SubsetTopology *s, const Kind *kind, const uint32_t *in,
                              const uint32_t *out) {
  SofaContext *ctx = s->object.ctx;
  SofaAnyList list;
  memcpy(&list, kind->list, sizeof list);
  const uint32_t *v = list.data;
  for (size_t e = 0; e < list.n; e++, v += kind->width) {
    const bool keep = kept(s, kind, e, v, in);
    const uint32_t *rank = keep ? in : out;
    uint32_t made[8];
    for (unsigned k = 0; k < kind->width; k++) {
      made[k] = s->local ? rank[v[k]] : v[k];
      if (made[k] != UINT32_MAX) continue;
      return sofa_field_fail(&s->object, kind->field, SOFA_ERR_GEOMETRY,
                             "element %zu: its point %u is not among the points %s", e, v[k],
                             keep ? "inside" : "outside");
    }
    if (keep) SOFA_TRY(engine_append(ctx, kind->indices, e));
    SOFA_TRY(sofa_list_append(ctx, keep ? kind->in : kind->out, kind->width * sizeof *made, made));
  }
  return SOFA_OK;
}

/* ---- evaluation ---- */

static SofaErr check(const SubsetTopology *s, const Kind *kinds, size_t n) {
  for (size_t i = 0; i < n; i++) {
    SofaAnyList list;
    memcpy(&list, kinds[i].list, sizeof list);
    SOFA_TRY(engine_check(&s->object, kinds[i].field,
                          (SofaElements){list.data, list.n, kinds[i].width}, s->position.n,
                          "points"));
  }
  SOFA_TRY(engine_check(&s->object, "tetrahedraInput",
                        (SofaElements){s->tetrahedra_input.data, s->tetrahedra_input.n, 1},
                        s->tetrahedra.n, "tetrahedra"));
  if (s->centers.n && s->centers.n != s->radii.n)
    return sofa_field_fail(&s->object, "radii", SOFA_ERR_RANGE,
                           "%zu radii for %zu centers; there must be one per center", s->radii.n,
                           s->centers.n);
  return SOFA_OK;
}

static SofaErr split(SubsetTopology *s, const Kind *kinds, size_t n) {
  SofaContext *ctx = s->object.ctx;
  uint8_t *place = SOFA_SCRATCH(ctx, uint8_t, s->position.n);
  uint32_t *in = SOFA_SCRATCH(ctx, uint32_t, s->position.n);
  uint32_t *out = SOFA_SCRATCH(ctx, uint32_t, s->position.n);
  if (!place || !in || !out) return SOFA_ERR_MEMORY;
  mark_points(s, kinds, n, place);
  SOFA_TRY(split_points(s, place, in, out));
  for (size_t i = 0; i < n; i++) SOFA_TRY(split_elements(s, &kinds[i], in, out));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  SubsetTopology *s = (SubsetTopology *)object;
  const Kind kinds[] = {
      {"edges", 2, &s->edges, &s->edge_indices, &s->edges_in, &s->edges_out},
      {"triangles", 3, &s->triangles, &s->triangle_indices, &s->triangles_in, &s->triangles_out},
      {"quads", 4, &s->quads, &s->quad_indices, &s->quads_in, &s->quads_out},
      {"tetrahedra", 4, &s->tetrahedra, &s->tetrahedron_indices, &s->tetrahedra_in,
       &s->tetrahedra_out},
      {"hexahedra", 8, &s->hexahedra, &s->hexahedron_indices, &s->hexahedra_in, &s->hexahedra_out},
  };
  const size_t n = sizeof kinds / sizeof *kinds;
  s->indices.n = s->points_in.n = s->points_out.n = 0;
  s->edges_in.n = s->edges_out.n = s->triangles_in.n = s->triangles_out.n = 0;
  s->quads_in.n = s->quads_out.n = s->tetrahedra_in.n = s->tetrahedra_out.n = 0;
  s->hexahedra_in.n = s->hexahedra_out.n = 0;
  for (size_t i = 0; i < n; i++) kinds[i].indices->n = 0;
  SOFA_TRY(check(s, kinds, n));
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  const SofaErr err = split(s, kinds, n);
  sofa_scratch_release(object->ctx, mark);
  return err;
}

static SofaErr init(SofaObject *object) {
  static const char *const elements[] = {"edges", "triangles", "tetrahedra", NULL};
  SofaState *state = sofa_node_state(object->node);
  SofaObject *points =
      state ? &state->object : sofa_node_find(object->node, SOFA_LOADER, SOFA_SEARCH_UP);
  SOFA_TRY(engine_link(object, "rest_position", points, "position"));
  SOFA_TRY(engine_link_elements(object, elements, true));
  return engine_init(object);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

ENGINE_CLASS(SubsetTopology, "Select",
             "Cuts a mesh into the part inside boxes or spheres and the part outside.",
             .templates = templates, .init = init, );
