/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DataDisplay: a surface coloured by numbers of its points or faces. */
#include <math.h>

#include "topology/topology.h"
#include "behavior/visual_model.h"
#include "components/visual/DataDisplay.h"
#include "math/vec.h"
#include "numerics/spatial/vertex_normals.h"

SOFA_LIST(uint8_t, Bytes);

typedef struct DataDisplay {
  SofaState state;
  bool enable, maximal_range;
  SofaVec3s rest_position, normal;
  SofaReals points, triangles, quads, point_triangles, point_quads; /* the numbers */
  SofaColor nan_color;
  SofaVec2 user_range;
  double min, max, shininess, transparency;
  SofaLink color_map, topology;
  SofaColorRange shared; /* of all pictures of a series */
  bool ranged;           /* min, max have been numbers of a picture */
  unsigned n_ranges;     /* that pictures had */
  Bytes colors;
  SofaMaterial material; /* no name */
  uint64_t version;
} DataDisplay;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const SofaLinkRule map_rule = {.klass = &sofa_OglColorMap_class, .search = SOFA_SEARCH_UP};

typedef DataDisplay SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(enable, "enable", "1", "draw it"),
    SOFA_ROW_DISPLAY(rest_position, "restPosition", NULL, "positions at rest"),
    SOFA_ROW_DISPLAY(normal, "normal", NULL, "computed: unit normals of the points"),
    SOFA_ROW_DISPLAY(maximal_range, "maximalRange", "1",
                     "the range of colours only grows; else it is that of the picture"),
    SOFA_ROW_DISPLAY(points, "pointData", NULL, "a number per point"),
    SOFA_ROW_DISPLAY(triangles, "triangleData", NULL, "a number per triangle"),
    SOFA_ROW_DISPLAY(quads, "quadData", NULL, "a number per quad"),
    SOFA_ROW_DISPLAY(point_triangles, "pointTriangleData", NULL, "three numbers per triangle"),
    SOFA_ROW_DISPLAY(point_quads, "pointQuadData", NULL, "four numbers per quad"),
    SOFA_ROW_DISPLAY(nan_color, "colorNaN", "0 0 0 1", "colour of values that are not numbers"),
    SOFA_ROW_DISPLAY(user_range, "userRange", "1 -1",
                     "range of the colours; the first larger: from the data"),
    SOFA_ROW(min, "currentMin", "0", "", "smallest number of the range",
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_OUTPUT),
    SOFA_ROW(max, "currentMax", "0", "", "largest number of the range",
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_OUTPUT),
    SOFA_ROW_DISPLAY(shininess, "shininess", "-1",
                     "of the surface, 0..128; negative: no highlight"),
    SOFA_ROW_DISPLAY(transparency, "transparency", "1", "opacity, 0..1"),
    SOFA_ROW_DISPLAY(color_map, "colorMap", NULL,
                     "map of the colours; default: the nearest, else viridis", .link = &map_rule),
    SOFA_ROW_DISPLAY(topology, "topology", NULL, "faces to draw; default: those of the node",
                     .link = &topology_rule),
};

static SofaErr construct(SofaObject *object) {
  ((DataDisplay *)object)->shared.low = 1;
  return sofa_visual_state_construct(object);
}

/* Without positions: those of the topology. */
static SofaErr init(SofaObject *object) {
  DataDisplay *d = (DataDisplay *)object;
  SofaTopology *t = (SofaTopology *)d->topology.target;
  if (!t)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "there is no topology in context to draw");
  if (d->state.position.n) return SOFA_OK;
  SOFA_TRY(sofa_state_resize(&d->state, t->n_points));
  for (size_t i = 0; i < t->n_points; i++)
    sofa_topology_point(t, i, d->state.position.data + 3 * i);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((DataDisplay *)object)->colors);
}

/* ---- colours ---- */

static void widen(const SofaReals *numbers, double *low, double *high) {
  for (size_t i = 0; i < numbers->n; i++) {
    const double v = numbers->data[i];
    if (!isfinite(v)) continue;
    if (v < *low) *low = v;
    if (v > *high) *high = v;
  }
}

/* The range of the colours: the user's, else the data's. */
static void update_range(DataDisplay *d) {
  double low = d->maximal_range && d->ranged ? d->min : 1e300;
  double high = d->maximal_range && d->ranged ? d->max : -1e300;
  if (d->user_range.v[0] < d->user_range.v[1]) {
    low = d->user_range.v[0];
    high = d->user_range.v[1];
  } else if (d->shared.low <= d->shared.high) {
    low = d->shared.low;
    high = d->shared.high;
  } else {
    const SofaReals *all[] = {&d->points, &d->triangles, &d->quads, &d->point_triangles,
                              &d->point_quads};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) widen(all[i], &low, &high);
  }
  if (low > high) low = high = 0;
  d->ranged = true;
  if (low == d->min && high == d->max) return;
  d->min = low;
  d->max = high;
  d->n_ranges++;
  sofa_field_touch_name(&d->state.object, "currentMin");
  sofa_field_touch_name(&d->state.object, "currentMax");
}

void sofa_color_map_forget(SofaObject *color_map) {
  OglColorMap *map = (OglColorMap *)color_map;
  map->low = map->shared.low;
  map->high = map->shared.high;
}

void sofa_data_display_measure(SofaObject *display) {
  DataDisplay *d = (DataDisplay *)display;
  OglColorMap *map = (OglColorMap *)d->color_map.target;
  update_range(d);
  if (!map || !d->enable) return;
  const bool first = map->low > map->high;
  map->low = first ? d->min : fmin(map->low, d->min);
  map->high = first ? d->max : fmax(map->high, d->max);
}

void sofa_data_display_rescale(SofaObject *display) {
  ((DataDisplay *)display)->ranged = false;
}

/* ---- one range for a series of pictures ---- */

bool sofa_has_colors(const SofaObject *object) {
  return object->klass == &sofa_DataDisplay_class || object->klass == &sofa_OglColorMap_class;
}

void sofa_color_range_widen(const SofaObject *object, SofaColorRange *range) {
  const DataDisplay *d = (const DataDisplay *)object;
  const OglColorMap *map = (const OglColorMap *)object;
  SofaColorRange own = {1, 0};
  if (object->klass == &sofa_OglColorMap_class) own = (SofaColorRange){map->low, map->high};
  else if (d->ranged) own = (SofaColorRange){d->min, d->max};
  if (own.low > own.high) return;
  const bool first = range->low > range->high;
  range->low = first ? own.low : fmin(range->low, own.low);
  range->high = first ? own.high : fmax(range->high, own.high);
}

void sofa_color_range_share(SofaObject *object, const SofaColorRange *range) {
  if (object->klass == &sofa_OglColorMap_class) ((OglColorMap *)object)->shared = *range;
  else ((DataDisplay *)object)->shared = *range;
}

bool sofa_data_display_is_free(const SofaObject *display) {
  const DataDisplay *d = (const DataDisplay *)display;
  const OglColorMap *map = (const OglColorMap *)d->color_map.target;
  return !(d->user_range.v[0] < d->user_range.v[1]) && !(map && map->max > map->min);
}

void sofa_data_display_report(const SofaObject *display) {
  const DataDisplay *d = (const DataDisplay *)display;
  const SofaOrigin origin = {.file = display->file, .line = display->line};
  if (d->n_ranges < 2 || !sofa_data_display_is_free(display)) return;
  sofa_message(display->ctx, SOFA_INFO, &origin,
               "%s: the range of the colours changed from picture to picture, at last to %g .. %g; "
               "userRange=\"%g %g\" gives all pictures the same",
               display->name, d->min, d->max, d->min, d->max);
}

static SofaRgba color_of(const DataDisplay *d, double v) {
  const OglColorMap *map = (const OglColorMap *)d->color_map.target;
  double low = d->min, high = d->max;
  double map_low, map_high;
  if (map && sofa_color_map_range(map, &map_low, &map_high)) {
    low = map_low;
    high = map_high;
  }
  SofaRgba c = sofa_rgba(&d->nan_color);
  const double t = high > low ? (v - low) / (high - low) : 0.5;
  if (isfinite(v)) c = sofa_color_scheme_at(map ? map->scheme.index : 0, t);
  c.v[3] = (float)d->transparency;
  return c;
}

static bool is_shown(const DataDisplay *d) {
  return d->enable && d->topology.target;
}

/* ---- numbers of points: a smooth surface ---- */

static SofaErr compute_normals(DataDisplay *d, const SofaMesh *mesh) {
  SofaContext *ctx = d->state.object.ctx;
  const SofaElements triangles = sofa_mesh_elements(mesh, SOFA_ELEMENT_TRIANGLE),
                     quads = sofa_mesh_elements(mesh, SOFA_ELEMENT_QUAD);
  const SofaFaces faces = {.x = d->state.position.data,
                           .n_points = d->state.position.n,
                           .triangles = triangles.v,
                           .n_triangles = triangles.n,
                           .quads = quads.v,
                           .n_quads = quads.n};
  SOFA_TRY(SOFA_RESIZE(ctx, &d->normal, faces.n_points));
  if (!d->normal.n) return SOFA_OK;
  sofa_vertex_areas(ctx, &faces, d->normal.data->v);
  sofa_normalize_all(ctx, d->normal.data->v, d->normal.n);
  return SOFA_OK;
}

static SofaErr surface(SofaState *visual, SofaSurface *out) {
  DataDisplay *d = (DataDisplay *)visual;
  SofaTopology *t = (SofaTopology *)d->topology.target;
  const size_t n = d->state.position.n;
  *out = (SofaSurface){.enabled = false};
  update_range(d);
  const bool faces = d->triangles.n || d->quads.n || d->point_triangles.n || d->point_quads.n;
  if (!is_shown(d) || faces || n == 0) return SOFA_OK;
  const SofaTriangles *triangles = sofa_topology_triangles(t);
  const SofaQuads *quads = sofa_topology_quads(t);
  SOFA_TRY(compute_normals(d, &t->mesh));
  SOFA_TRY(sofa_list_resize(d->state.object.ctx, &d->colors, 1, 4 * n));
  for (size_t i = 0; i < n; i++) {
    SofaRgba c = SOFA_RGBA(0.75, 0.75, 0.75, d->transparency);
    if (d->points.n) c = color_of(d, i < d->points.n ? d->points.data[i] : NAN);
    for (int k = 0; k < 4; k++) {
      const float v = c.v[k] < 0 ? 0 : c.v[k] > 1 ? 1 : c.v[k];
      d->colors.data[4 * i + (size_t)k] = (uint8_t)(255 * v + 0.5f);
    }
  }
  d->material =
      (SofaMaterial){.use = {true, true, d->shininess > 0, false, d->shininess > 0},
                     .color = {{1, 1, 1, d->transparency}, {0.2, 0.2, 0.2, 1}, {0.6, 0.6, 0.6, 1}},
                     .shininess = d->shininess};
  *out = (SofaSurface){.position = d->state.position.data,
                       .normal = d->normal.data->v,
                       .n_points = n,
                       .color = d->colors.data,
                       .triangles = triangles,
                       .quads = quads,
                       .material = &d->material,
                       .enabled = true,
                       .points_version = ++d->version,
                       .elements_version = t->revision + triangles->n + quads->n};
  return SOFA_OK;
}

/* ---- numbers of faces ---- */

/* Faces of a kind: a number each, or one per corner. */
static void draw_faces(const DataDisplay *d, SofaDrawList *list, SofaElements e,
                       const SofaReals *per_face, const SofaReals *per_corner) {
  const double *x = d->state.position.data;
  for (size_t i = 0; i < e.n; i++) {
    const uint32_t *v = e.v + i * e.width;
    const double *p[4];
    SofaRgba c[4];
    bool good = true;
    for (unsigned k = 0; k < e.width; k++) {
      good = good && v[k] < d->state.position.n;
      p[k] = x + 3 * (size_t)(good ? v[k] : 0);
      const size_t at = i * e.width + k;
      c[k] = color_of(d, per_corner->n ? (at < per_corner->n ? per_corner->data[at] : NAN)
                                       : (i < per_face->n ? per_face->data[i] : NAN));
    }
    if (!good) continue;
    if (!per_corner->n && e.width == 3) sofa_draw_triangle(list, p[0], p[1], p[2], c[0]);
    else if (!per_corner->n) sofa_draw_quad(list, p[0], p[1], p[2], p[3], c[0]);
    else
      for (unsigned k = 2; k < e.width; k++)
        sofa_draw_triangle_colors(list, (const double *const[]){p[0], p[k - 1], p[k]},
                                  (const SofaRgba[]){c[0], c[k - 1], c[k]});
  }
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const DataDisplay *d = (const DataDisplay *)object;
  SofaTopology *t = (SofaTopology *)d->topology.target;
  if (!is_shown(d) || !sofa_display_shows(args->flags, SOFA_DISPLAY_VISUAL_MODELS)) return;
  if (d->triangles.n || d->point_triangles.n) {
    sofa_topology_triangles(t);
    draw_faces(d, args->list, sofa_mesh_elements(&t->mesh, SOFA_ELEMENT_TRIANGLE), &d->triangles,
               &d->point_triangles);
  }
  if (d->quads.n || d->point_quads.n) {
    sofa_topology_quads(t);
    draw_faces(d, args->list, sofa_mesh_elements(&t->mesh, SOFA_ELEMENT_QUAD), &d->quads,
               &d->point_quads);
  }
}

static const SofaVisualModelOps visual_ops = {.surface = surface};
static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(DataDisplay) = {
    SOFA_NAMED(DataDisplay),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "A surface coloured by numbers of its points or faces: stress, displacement, areas.",
    .base = &sofa_state_class,
    SOFA_FIELDS(fields),
    .construct = construct,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_VISUAL_MODEL, &visual_ops}, {SOFA_DRAW, &draw_ops}),
};
