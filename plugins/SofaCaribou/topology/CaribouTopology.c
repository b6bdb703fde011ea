/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CaribouTopology: elements of one kind, with their positions at rest. */

#include "behavior/whole_list.h"
#include "object/element.h"
#include "topology/elements.h"

static const SofaField fields[] = {
    SOFA_FIELD(CaribouTopology, position, "position", NULL, "m",
               "positions of the nodes at rest; default: the rest positions of the mechanical "
               "state in this node or above"),
    {.name = "indices",
     .type = &caribou_type_indices,
     .offset = offsetof(CaribouTopology, indices),
     .unit = "1",
     .help = "nodes of the elements, one element after the other, as many as the template's kind "
             "of element has",
     .flags = SOFA_FIELD_REQUIRED},
};

/* The template is not deduced. */
static bool can_create(SofaNode *node, const struct SofaElement *element, const char *template_name,
                       SofaText *why) {
  const char *wanted = element ? sofa_element_attribute(element, "template") : template_name;
  if (wanted && caribou_element(wanted) == caribou_element(template_name)) return true;
  // a reason that cannot be written is a memory error, which the next allocation reports
  (void)sofa_text_printf(node->object.ctx, why,
                         "the template must name a kind of element, not "
                         "\"%s\"",
                         wanted ? wanted : "");
  return false;
}

/* Rest positions: given, or those of the state. */
static SofaErr positions(const CaribouTopology *t, unsigned dim, const double **data, size_t *n) {
  const SofaState *state = sofa_node_state(t->object.node);
  if (sofa_field_is_set(&t->object, "position")) {
    if (dim == 2)
      return sofa_object_unsupported(&t->object, "'position' of elements in two dimensions, which "
                                                 "take those of the state");
    *data = (const double *)t->position.data;
    *n = t->position.n;
  } else if (state) {
    const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
    SOFA_TRY(caribou_check_state(&t->object, state, dim));
    *data = rest->data;
    *n = rest->n;
  } else {
    return sofa_field_fail(&t->object, "position", SOFA_ERR_NOT_FOUND,
                           "must be given: there is no mechanical state in this node or above");
  }
  if (*n) return SOFA_OK;
  return sofa_field_fail(&t->object, "position", SOFA_ERR_SCENE, "there are no positions");
}

static SofaErr check_indices(const CaribouTopology *t, unsigned n_nodes, size_t n_points) {
  const SofaIndices *list = &t->indices.list;
  const bool part = sofa_object_division(&t->object, NULL) != NULL; /* others have the rest */
  if ((!list->n && !part) || list->n % n_nodes)
    return sofa_field_fail(&t->object, "indices", SOFA_ERR_RANGE,
                           "%zu numbers, expected %u for each element of kind %s", list->n, n_nodes,
                           t->object.template_name);
  for (size_t k = 0; k < list->n; k++) {
    if (list->data[k] < n_points) continue;
    return sofa_field_fail(&t->object, "indices", SOFA_ERR_RANGE,
                           "element %zu has node %u, expected less than %zu, the number of "
                           "positions",
                           k / n_nodes, list->data[k], n_points);
  }
  return SOFA_OK;
}

/* Takes copies: what changes later has no effect. */
static SofaErr topology_init(SofaObject *object) {
  CaribouTopology *t = (CaribouTopology *)object;
  const CaribouElement *kind = caribou_element(object->template_name);
  const SofaIndices *list = &t->indices.list;
  const double *rest = NULL;
  size_t n_points = 0;
  const unsigned n_nodes = sofa_shape_info(kind->shape)->n_nodes;
  SOFA_TRY(positions(t, kind->dim, &rest, &n_points));
  SOFA_TRY(check_indices(t, n_nodes, n_points));
  t->rest = sofa_alloc(object->ctx, kind->dim * n_points, sizeof *t->rest);
  t->vertices = sofa_alloc(object->ctx, list->n, sizeof *t->vertices);
  if (!t->rest || !t->vertices) return SOFA_ERR_MEMORY;
  sofa_copy(t->rest, rest, kind->dim * n_points * sizeof *rest);
  sofa_copy(t->vertices, list->data, list->n * sizeof *t->vertices);
  t->mesh = (SofaElementMesh){.shape = kind->shape,
                              .dim = kind->dim,
                              .vertices = t->vertices,
                              .n = list->n / n_nodes,
                              .rest = t->rest,
                              .n_points = n_points};
  return caribou_corners(object->ctx, &t->mesh, &t->corners);
}

static void topology_destroy(SofaObject *object) {
  CaribouTopology *t = (CaribouTopology *)object;
  sofa_free(object->ctx, t->rest);
  sofa_free(object->ctx, t->vertices);
  sofa_list_free(object->ctx, &t->corners.list);
}

/* The elements where the state of the node is. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const CaribouTopology *t = (const CaribouTopology *)object;
  const SofaState *state = sofa_node_state(object->node);
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS)) return;
  if (!state || sofa_state_kind_info(state->object.kind)->space != t->mesh.dim) return;
  caribou_draw_elements(args,
                        &(CaribouDrawing){.state = state, .corners = &t->corners, .scale = 1});
}

static SofaElements elements(const SofaObject *object, SofaElementKind *kind) {
  return caribou_source(&((const CaribouTopology *)object)->corners, kind);
}

static SofaElements nodes(const SofaObject *object) {
  const CaribouTopology *t = (const CaribouTopology *)object;
  return (SofaElements){
      .v = t->vertices, .n = t->mesh.n, .width = sofa_shape_info(t->mesh.shape)->n_nodes};
}

static const SofaDrawOps draw_ops = {.draw = draw};
static const SofaElementSourceOps source_ops = {.elements = elements, .nodes = nodes};
static const char *const templates[] = {
    "Segment",      "Triangle", "Quad",      "Tetrahedron", "Hexahedron",    "Prism",
    "Pyramid",      "Segment3", "Triangle6", "Quad8",       "Tetrahedron10", "Hexahedron20",
    "Hexahedron27", "Quad9",    "Prism15",   "Pyramid13",   "Triangle_2D",   "Triangle6_2D",
    "Quad_2D",      "Quad8_2D", NULL};

SOFA_CLASS(CaribouTopology) = {
    .name = "CaribouTopology",
    .module = "SofaCaribou",
    .category = "Topology",
    .help = "Elements of the kind that the template names, for the components of this plugin: "
            "their nodes and the positions of these at rest.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(CaribouTopology),
    SOFA_FIELDS(fields),
    .templates = templates,
    .can_create = can_create,
    .init = topology_init,
    .destroy = topology_destroy,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}, {SOFA_ELEMENT_SOURCE, &source_ops}),
};
