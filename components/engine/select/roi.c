/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selecting points and elements inside a region: inputs, evaluation, outputs. */
#include "components/engine/select/roi.h"

#include <string.h>

#include "components/engine/engine.h"
#include "object/checkpoint.h"
#include "object/element.h"

typedef Roi SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(
        position, "position", NULL, "m",
        "points to select from; default: rest positions of the node's state, else positions of "
        "its loader, else rest positions of the nearest state above"),
    SOFA_ROW_INPUT(edges, "edges", NULL, "",
                   "edges to select from; default: those of the node's topology"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles to select from"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "", "quads to select from", .aliases = "quad"),
    SOFA_ROW_INPUT(tetrahedra, "tetrahedra", NULL, "", "tetrahedra to select from"),
    SOFA_ROW_INPUT(hexahedra, "hexahedra", NULL, "", "hexahedra to select from"),
    SOFA_ROW_INPUT(compute_edges, "computeEdges", "1", "", "select edges"),
    SOFA_ROW_INPUT(compute_triangles, "computeTriangles", "1", "", "select triangles"),
    SOFA_ROW_INPUT(compute_quads, "computeQuads", "1", "", "select quads",
                   .aliases = "computeQuad"),
    SOFA_ROW_INPUT(compute_tetrahedra, "computeTetrahedra", "1", "", "select tetrahedra"),
    SOFA_ROW_INPUT(compute_hexahedra, "computeHexahedra", "1", "", "select hexahedra"),
    SOFA_ROW_INPUT(strict, "strict", "1", "",
                   "an element is inside when all its points are; otherwise: when its centroid is"),
    SOFA_ROW_INPUT(do_update, "doUpdate", "1", "", "evaluate again when an input changes"),
    SOFA_ROW(indices, "indices", "0 0", "", "points inside, ascending", .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW_OUTPUT(edge_indices, "edgeIndices", "", "edges inside"),
    SOFA_ROW_OUTPUT(triangle_indices, "triangleIndices", "", "triangles inside"),
    SOFA_ROW_OUTPUT(quad_indices, "quadIndices", "", "quads inside"),
    SOFA_ROW_OUTPUT(tetrahedron_indices, "tetrahedronIndices", "", "tetrahedra inside"),
    SOFA_ROW_OUTPUT(hexahedron_indices, "hexahedronIndices", "", "hexahedra inside"),
    SOFA_ROW_OUTPUT(points_in, "pointsInROI", "", "positions of the points inside"),
    SOFA_ROW_OUTPUT(edges_in, "edgesInROI", "", "vertices of the edges inside"),
    SOFA_ROW_OUTPUT(triangles_in, "trianglesInROI", "", "vertices of the triangles inside"),
    SOFA_ROW_OUTPUT(quads_in, "quadsInROI", "", "vertices of the quads inside",
                    .aliases = "quadInROI"),
    SOFA_ROW_OUTPUT(tetrahedra_in, "tetrahedraInROI", "", "vertices of the tetrahedra inside"),
    SOFA_ROW_OUTPUT(hexahedra_in, "hexahedraInROI", "", "vertices of the hexahedra inside"),
    SOFA_ROW_OUTPUT(n_indices, "nbIndices", "", "number of points inside"),
    SOFA_ROW_OUTPUT(indices_out, "indicesOut", "", "points outside"),
    SOFA_ROW_OUTPUT(edge_out_indices, "edgeOutIndices", "", "edges outside"),
    SOFA_ROW_OUTPUT(triangle_out_indices, "triangleOutIndices", "", "triangles outside"),
    SOFA_ROW_OUTPUT(tetrahedron_out_indices, "tetrahedronOutIndices", "", "tetrahedra outside"),
    SOFA_ROW_OUTPUT(points_out, "pointsOutROI", "", "positions of the points outside"),
    SOFA_ROW_OUTPUT(edges_out, "edgesOutROI", "", "vertices of the edges outside"),
    SOFA_ROW_OUTPUT(triangles_out, "trianglesOutROI", "", "vertices of the triangles outside"),
    SOFA_ROW_OUTPUT(tetrahedra_out, "tetrahedraOutROI", "", "vertices of the tetrahedra outside"),
    SOFA_ROW_DISPLAY(draw_roi, "drawROI", "0", "draw the region",
                     .aliases = "drawBoxes drawSphere isVisible"),
    SOFA_ROW_DISPLAY(draw_points, "drawPoints", "0", "draw the points inside"),
    SOFA_ROW_DISPLAY(draw_edges, "drawEdges", "0", "draw the edges inside"),
    SOFA_ROW_DISPLAY(draw_triangles, "drawTriangles", "0", "draw the triangles inside"),
    SOFA_ROW_DISPLAY(draw_quads, "drawQuads", "0", "draw the quads inside"),
    SOFA_ROW_DISPLAY(draw_tetrahedra, "drawTetrahedra", "0", "draw the tetrahedra inside"),
    SOFA_ROW_DISPLAY(draw_hexahedra, "drawHexahedra", "0", "draw the hexahedra inside"),
    SOFA_ROW_DISPLAY(draw_size, "drawSize", "1", "width of lines, size of points"),
};

/* Without a template in the scene, the kind is that of the state in context. */
static bool roi_can_create(SofaNode *node, const struct SofaElement *element,
                           const char *template_name, SofaText *why) {
  const SofaState *state = sofa_node_state(node);
  if (!state || (element && sofa_element_attribute(element, "template"))) return true;
  if (state->object.kind == sofa_state_kind_from_name(template_name)) return true;
  (void)sofa_text_printf(node->object.ctx, why, "the state in context is of kind %s",
                         sofa_state_kind_info(state->object.kind)->name);
  return false;
}

/* ---- inputs that the scene left open ---- */

static SofaErr link_elements(Roi *roi) {
  const struct {
    bool wanted;
    const char *names[2];
  } lists[] = {
      {roi->compute_edges, {"edges"}},         {roi->compute_triangles, {"triangles"}},
      {roi->compute_quads, {"quads"}},         {roi->compute_tetrahedra, {"tetrahedra"}},
      {roi->compute_hexahedra, {"hexahedra"}},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i].wanted) SOFA_TRY(engine_link_elements(&roi->object, lists[i].names, false));
  return SOFA_OK;
}

static SofaErr roi_init(SofaObject *object) {
  Roi *roi = (Roi *)object;
  SOFA_TRY(engine_link_points(object, "position"));
  SOFA_TRY(link_elements(roi));
  SOFA_TRY(sofa_data_pull(object, NULL));
  /* the first evaluation happens here, whatever doUpdate says */
  const bool do_update = roi->do_update;
  roi->started = roi->do_update = true;
  const SofaErr err = roi_update(object);
  roi->do_update = do_update;
  return err;
}

/* ---- evaluation ---- */

/* One kind of element: list in, lists out. All element structs are plain arrays of uint32_t. */
typedef struct ElementLists {
  bool wanted;
  unsigned n_vertices;
  const void *list;      /* any list of elements */
  SofaIndices *in, *out; /* out may be NULL */
  void *vertices_in, *vertices_out;
} ElementLists;

static unsigned space_of(const Roi *roi) {
  const unsigned space = sofa_state_kind_info(roi->object.kind)->space;
  return space < 3 ? space : 3;
}

static void point_of(const Roi *roi, unsigned space, size_t i, double p[3]) {
  const double *x = roi->position.data + i * roi->position.width;
  for (unsigned c = 0; c < 3; c++) p[c] = c < space ? x[c] : 0;
}

static bool all_inside(const uint8_t *inside, const uint32_t *v, unsigned n) {
  bool all = true;
  for (unsigned k = 0; k < n; k++) all = all && inside[v[k]];
  return all;
}

/* Where the points alone do not decide. */
static bool element_accepted(const Roi *roi, const RoiOps *ops, bool all, const uint32_t *v,
                             unsigned n) {
  const unsigned space = space_of(roi);
  double x[8][3], centroid[3] = {0, 0, 0};
  for (unsigned k = 0; k < n; k++) {
    point_of(roi, space, v[k], x[k]);
    for (int c = 0; c < 3; c++) centroid[c] += x[k][c] / n;
  }
  const bool is_in =
      roi->strict ? all : (ops->vertices_suffice && all) || ops->contains(roi, centroid);
  if (!is_in) return false;
  return !ops->accepts || ops->accepts(roi, n, (const double(*)[3])x);
}

static bool element_inside(const Roi *roi, const RoiOps *ops, const uint8_t *inside,
                           const uint32_t *v, unsigned n) {
  const bool all = all_inside(inside, v, n);
  return roi->by_points || (roi->strict && !all) ? all : element_accepted(roi, ops, all, v, n);
}

static SofaErr append_element(SofaContext *ctx, uint32_t e, const void *element, size_t size,
                              SofaIndices *indices, void *elements) {
  if (!indices) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(ctx, indices, &e));
  return sofa_list_append(ctx, elements, size, element);
}

static SofaErr select_elements(Roi *roi, const RoiOps *ops, const uint8_t *inside,
                               const ElementLists *lists) {
  const struct {
    const uint32_t *data;
    size_t n, capacity;
  } *list = lists->list;
  SofaContext *ctx = roi->object.ctx;
  const size_t size = lists->n_vertices * sizeof(uint32_t);
  if (!lists->wanted) return SOFA_OK;
  for (size_t e = 0; e < list->n; e++) {
    const uint32_t *v = list->data + e * lists->n_vertices;
    for (unsigned k = 0; k < lists->n_vertices; k++)
      if (v[k] >= roi->position.n)
        return sofa_object_fail(&roi->object, SOFA_ERR_RANGE,
                                "element %zu of %u vertices has vertex %u, there are %zu points", e,
                                lists->n_vertices, v[k], roi->position.n);
    if (element_inside(roi, ops, inside, v, lists->n_vertices))
      SOFA_TRY(append_element(ctx, (uint32_t)e, v, size, lists->in, lists->vertices_in));
    else SOFA_TRY(append_element(ctx, (uint32_t)e, v, size, lists->out, lists->vertices_out));
  }
  return SOFA_OK;
}

static void find_points(const Roi *roi, const RoiOps *ops, uint8_t *inside) {
  const unsigned space = space_of(roi);
  for (size_t i = 0; i < roi->position.n; i++) {
    double p[3];
    point_of(roi, space, i, p);
    inside[i] = ops->contains(roi, p);
  }
}

static SofaErr select_points(Roi *roi, const uint8_t *inside) {
  SofaContext *ctx = roi->object.ctx;
  for (size_t i = 0; i < roi->position.n; i++) {
    SofaIndices *indices = inside[i] ? &roi->indices : &roi->indices_out;
    SOFA_TRY(engine_append_coord(ctx, inside[i] ? &roi->points_in : &roi->points_out,
                                 &roi->position, i));
    SOFA_TRY(engine_append(ctx, indices, i));
  }
  roi->n_indices = (uint32_t)roi->indices.n;
  return SOFA_OK;
}

static void clear_outputs(Roi *roi) {
  SofaIndices *indices[] = {&roi->indices,
                            &roi->edge_indices,
                            &roi->triangle_indices,
                            &roi->quad_indices,
                            &roi->tetrahedron_indices,
                            &roi->hexahedron_indices,
                            &roi->indices_out,
                            &roi->edge_out_indices,
                            &roi->triangle_out_indices,
                            &roi->tetrahedron_out_indices};
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) indices[i]->n = 0;
  roi->points_in.n = roi->points_out.n = 0;
  roi->points_in.width = roi->points_out.width = roi->position.width;
  roi->edges_in.n = roi->edges_out.n = 0;
  roi->triangles_in.n = roi->triangles_out.n = roi->quads_in.n = 0;
  roi->tetrahedra_in.n = roi->tetrahedra_out.n = roi->hexahedra_in.n = 0;
  roi->n_indices = 0;
}

static void touch_outputs(Roi *roi) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].flags & SOFA_FIELD_OUTPUT) sofa_field_touch(&roi->object, &fields[i]);
}

static SofaErr evaluate(Roi *roi, const RoiOps *ops, uint8_t *inside) {
  const ElementLists kinds[] = {
      {roi->compute_edges, 2, &roi->edges, &roi->edge_indices, &roi->edge_out_indices,
       &roi->edges_in, &roi->edges_out},
      {roi->compute_triangles, 3, &roi->triangles, &roi->triangle_indices,
       &roi->triangle_out_indices, &roi->triangles_in, &roi->triangles_out},
      {roi->compute_quads, 4, &roi->quads, &roi->quad_indices, NULL, &roi->quads_in, NULL},
      {roi->compute_tetrahedra, 4, &roi->tetrahedra, &roi->tetrahedron_indices,
       &roi->tetrahedron_out_indices, &roi->tetrahedra_in, &roi->tetrahedra_out},
      {roi->compute_hexahedra, 8, &roi->hexahedra, &roi->hexahedron_indices, NULL,
       &roi->hexahedra_in, NULL},
  };
  clear_outputs(roi);
  SOFA_TRY(select_points(roi, inside));
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    SOFA_TRY(select_elements(roi, ops, inside, &kinds[k]));
  return SOFA_OK;
}

/* ---- a selection that did not change ---- */

static bool points_decide(const Roi *roi, const RoiOps *ops) {
  return roi->strict && (!ops->accepts || (ops->accepts_all && ops->accepts_all(roi)));
}

/* Versions only grow: the sum tells whether elements or options changed. */
static uint64_t selection_stamp(const Roi *roi) {
  uint64_t stamp = 0;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].flags & SOFA_FIELD_INPUT && fields[i].offset != offsetof(Roi, position))
      stamp += sofa_field_state(&roi->object, &fields[i])->version;
  return stamp;
}

static bool is_list_of(const SofaIndices *list, const uint8_t *inside, size_t n, uint8_t side) {
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    if (inside[i] != side) continue;
    if (at == list->n || list->data[at] != i) return false;
    at++;
  }
  return at == list->n;
}

/* Are the points inside, hence the elements, those of the outputs? A restored state brings outputs
 * of its own, so that the outputs are compared. */
static bool is_selected(const Roi *roi, const uint8_t *inside, uint64_t stamp) {
  const size_t n = roi->position.n, width = roi->position.width;
  const bool whole = roi->points_in.n == roi->indices.n && roi->points_out.n == roi->indices_out.n;
  const bool as_wide = roi->points_in.width == width && roi->points_out.width == width;
  return stamp == roi->selection_stamp && whole && as_wide && roi->n_indices == roi->indices.n &&
         is_list_of(&roi->indices, inside, n, 1) && is_list_of(&roi->indices_out, inside, n, 0);
}

static void copy_points(const SofaCoords *from, const SofaIndices *indices, SofaCoords *to) {
  for (size_t k = 0; k < indices->n; k++)
    sofa_copy(to->data + k * to->width, from->data + indices->data[k] * from->width,
              from->width * sizeof *to->data);
}

static SofaErr select_all(Roi *roi, const RoiOps *ops, uint8_t *inside) {
  const uint64_t stamp = selection_stamp(roi);
  const bool by_points = points_decide(roi, ops);
  find_points(roi, ops, inside);
  if (by_points && roi->by_points && is_selected(roi, inside, stamp)) {
    copy_points(&roi->position, &roi->indices, &roi->points_in);
    copy_points(&roi->position, &roi->indices_out, &roi->points_out);
    return SOFA_OK;
  }
  roi->by_points = by_points;
  roi->selection_stamp = stamp;
  const SofaErr err = evaluate(roi, ops, inside);
  if (err) roi->by_points = false;
  return err;
}

SofaErr roi_update(SofaObject *object) {
  Roi *roi = (Roi *)object;
  if (!roi->started || !roi->do_update) return SOFA_OK;
  const RoiOps *ops = sofa_ops(object, SOFA_ENGINE);
  SofaErr err = ops->prepare ? ops->prepare(roi) : SOFA_OK;
  if (err || !roi->position.n) clear_outputs(roi);
  if (err) return err;
  if (!roi->position.n) {
    sofa_object_message(object, SOFA_WARNING, "there are no points to select from");
    touch_outputs(roi);
    return SOFA_OK;
  }
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  uint8_t *inside = SOFA_SCRATCH(object->ctx, uint8_t, roi->position.n);
  if (!inside) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, select_all(roi, ops, inside));
done:
  sofa_scratch_release(object->ctx, mark);
  touch_outputs(roi);
  return err;
}

/* ---- drawing ---- */

static void draw_selected(const Roi *roi, const SofaDrawArgs *args, const uint32_t *v, size_t n,
                          unsigned width, bool quads) {
  const SofaRgba color = SOFA_RGB(0.4, 0.4, 1);
  const unsigned space = sofa_state_kind_info(roi->object.kind)->space;
  const SofaDrawElements how = {.x = roi->position.data,
                                .n_points = roi->position.n,
                                .stride = roi->position.width,
                                .space = space > 3 ? 3 : space,
                                .shrink = 1,
                                .wireframe = width > 4,
                                .color = {color, color, color, color}};
  if (n) sofa_draw_elements(args->list, &how, v, n, width, quads);
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const Roi *roi = (const Roi *)object;
  const RoiOps *ops = sofa_ops(object, SOFA_ENGINE);
  const SofaRgba color = SOFA_RGB(0.4, 0.4, 1);
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS)) return;
  if (roi->draw_roi && ops->draw) ops->draw(roi, args->list, color);
  const unsigned space = sofa_state_kind_info(object->kind)->space;
  for (size_t i = 0; roi->draw_points && i < roi->points_in.n; i++) {
    double p[3] = {0, 0, 0};
    for (unsigned k = 0; k < space && k < 3; k++)
      p[k] = roi->points_in.data[i * roi->points_in.width + k];
    sofa_draw_point(args->list, p, roi->draw_size > 1 ? roi->draw_size : 5, color);
  }
#define DRAW_SELECTED(flag, list, width, quads)                                                    \
  if (roi->flag && roi->list.n)                                                                    \
  draw_selected(roi, args, roi->list.data->v, roi->list.n, width, quads)
  DRAW_SELECTED(draw_edges, edges_in, 2, false);
  DRAW_SELECTED(draw_triangles, triangles_in, 3, false);
  DRAW_SELECTED(draw_quads, quads_in, 4, true);
  DRAW_SELECTED(draw_tetrahedra, tetrahedra_in, 4, false);
  DRAW_SELECTED(draw_hexahedra, hexahedra_in, 8, false);
#undef DRAW_SELECTED
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(Roi, selection_stamp),
};

const SofaClass roi_class = {
    .name = "BaseROI",
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements inside a region.",
    .base = &sofa_object_class,
    .size = sizeof(Roi),
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .abstract = true,
    .can_create = roi_can_create,
    .init = roi_init,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
