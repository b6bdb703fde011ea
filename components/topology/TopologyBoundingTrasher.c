/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TopologyBoundingTrasher: removes the elements that have left a box. */
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "object/data_graph.h"
#include "object/event.h"
#include "topology_modifier.h"

typedef struct TopologyBoundingTrasher {
  SofaObject object;
  SofaVec3s position;
  SofaReals box; /* xmin ymin zmin xmax ymax zmax */
  bool draw_box;
  SofaLink topology;
  SofaTopology *mesh;
  SofaElementKind kind; /* of the elements to remove; POINT: there are none */
  unsigned flags;       /* what goes with them */
} TopologyBoundingTrasher;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef TopologyBoundingTrasher SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(position, "position", NULL, "m",
             "positions of the points, linked to those of a state; default: the state in the node "
             "of the topology", ),
    SOFA_ROW(box, "box", "-1000 -1000 -1000 1000 1000 1000", "m",
             "xmin ymin zmin xmax ymax zmax: elements whose centre is outside are removed at the "
             "end of a step",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(draw_box, "drawBox", "0", "", "draw the box", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(
        topology, "topology", NULL, "",
        "topology whose elements are removed; default: the node's, else the nearest ancestor's",
        .link = &topology_rule),
};

static SofaErr check_box(SofaObject *object) {
  const SofaReals *list = &((const TopologyBoundingTrasher *)object)->box;
  const double *box = list->data;
  if (list->n != 6)
    return sofa_field_fail(object, "box", SOFA_ERR_RANGE,
                           "%zu numbers, expected 6: xmin ymin zmin xmax ymax zmax", list->n);
  for (int k = 0; k < 3; k++)
    if (!(box[k] <= box[3 + k]))
      return sofa_field_fail(object, "box", SOFA_ERR_RANGE,
                             "its lower corner has %g m and its upper %g m along axis %d: it holds "
                             "nothing",
                             box[k], box[3 + k], k);
  return SOFA_OK;
}

/* The largest elements that there are at the beginning. */
static SofaElementKind find_kind(SofaTopology *t) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_QUAD,
                                          SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (sofa_mesh_elements(&t->mesh, kinds[i]).n) return kinds[i];
  return SOFA_ELEMENT_POINT;
}

static SofaErr init(SofaObject *object) {
  TopologyBoundingTrasher *b = (TopologyBoundingTrasher *)object;
  b->mesh = (SofaTopology *)b->topology.target;
  SOFA_TRY(check_box(object));
  if (!b->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "there is no topology in context");
  b->kind = find_kind(b->mesh);
  if (b->kind == SOFA_ELEMENT_POINT) return SOFA_OK;
  return sofa_modifier_check(object, b->mesh, b->kind, &b->flags);
}

/* Place of a point, false: it has none. */
static bool place(const TopologyBoundingTrasher *b, const SofaState *state, uint32_t v,
                  double p[3]) {
  if (b->position.n) {
    for (int k = 0; v < b->position.n && k < 3; k++) p[k] = b->position.data[v].v[k];
    return v < b->position.n;
  }
  if (!state || v >= state->position.n) return false;
  sofa_state_point(state, v, p);
  return true;
}

/* Elements with their centre outside; one without a place is an error. */
static SofaErr find_outside(TopologyBoundingTrasher *b, SofaIndices *out) {
  const SofaElements e = sofa_mesh_elements(&b->mesh->mesh, b->kind);
  const SofaState *state = sofa_node_state(b->mesh->object.node);
  for (uint32_t i = 0; i < e.n; i++) {
    double center[3] = {0, 0, 0}, p[3];
    bool outside = false;
    for (unsigned k = 0; k < e.width; k++) {
      const uint32_t v = e.v[i * (size_t)e.width + k];
      if (!place(b, state, v, p))
        return sofa_field_fail(&b->object, "position", SOFA_ERR_RANGE,
                               "%s %u has the point %u: there is no position for it",
                               sofa_element_kind_info(b->kind)->name, i, v);
      for (int c = 0; c < 3; c++) center[c] += p[c];
    }
    for (int c = 0; c < 3; c++) {
      const double x = center[c] / e.width;
      outside = outside || x < b->box.data[c] || x > b->box.data[3 + c];
    }
    if (outside) SOFA_TRY(SOFA_APPEND(b->object.ctx, out, &i));
  }
  return SOFA_OK;
}

static SofaErr remove_elements(TopologyBoundingTrasher *b, const SofaIndices *ids) {
  SofaTopologyEdit edit;
  SOFA_TRY(sofa_topology_edit_begin(sofa_node_root(b->object.node), &edit));
  const SofaErr err = sofa_topology_remove(&edit, b->mesh, b->kind, ids->data, ids->n, b->flags);
  const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err != SOFA_OK ? err : ended;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  TopologyBoundingTrasher *b = (TopologyBoundingTrasher *)object;
  SofaIndices ids = {0};
  bool changed;
  if (event->type != SOFA_EVENT_ANIMATE_END || !b->mesh || b->kind == SOFA_ELEMENT_POINT)
    return SOFA_OK;
  SOFA_TRY(sofa_data_pull(object, &changed));
  SofaErr err = find_outside(b, &ids);
  if (err == SOFA_OK && ids.n) err = remove_elements(b, &ids);
  sofa_list_free(object->ctx, &ids);
  return err;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const TopologyBoundingTrasher *b = (const TopologyBoundingTrasher *)object;
  if (b->draw_box)
    sofa_draw_box(args->list, b->box.data, b->box.data + 3, 1, SOFA_RGB(1, 0.4, 0.4));
}

/* What is drawn is in the picture. */
static SofaErr bounding_box(SofaObject *object, SofaBox *box) {
  const TopologyBoundingTrasher *b = (const TopologyBoundingTrasher *)object;
  for (int k = 0; k < 3 && b->draw_box; k++) {
    if (b->box.data[k] < box->min[k]) box->min[k] = b->box.data[k];
    if (b->box.data[3 + k] > box->max[k]) box->max[k] = b->box.data[3 + k];
  }
  return SOFA_OK;
}

static const SofaDrawOps draw_ops = {.draw = draw};
static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TopologyBoundingTrasher) = {
    SOFA_NAMED(TopologyBoundingTrasher),
    .module = "Sofa.Component.Topology.Utility",
    .category = "_Miscellaneous",
    .help =
        "Removes the elements of a topology whose centres have left a box, at the end of steps.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = init,
    .reinit = check_box,
    .handle_event = handle_event,
    .bounding_box = bounding_box,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_CHANGER, SOFA_NO_OPS}, {SOFA_DRAW, &draw_ops}),
};
