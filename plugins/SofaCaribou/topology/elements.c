/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements by name, and the search for them in a node. */
#include "topology/elements.h"

#include <string.h>
#include <strings.h>
#include "behavior/whole_list.h"
#include "object/element.h"

static const CaribouElement elements[] = {
    {"Segment", SOFA_SHAPE_EDGE, 3},
    {"Segment3", SOFA_SHAPE_EDGE3, 3},
    {"Triangle", SOFA_SHAPE_TRIANGLE, 3},
    {"Triangle6", SOFA_SHAPE_TRIANGLE6, 3},
    {"Quad", SOFA_SHAPE_QUAD, 3},
    {"Quad8", SOFA_SHAPE_QUAD8, 3},
    {"Quad9", SOFA_SHAPE_QUAD9, 3},
    {"Tetrahedron", SOFA_SHAPE_TETRA, 3},
    {"Tetrahedron10", SOFA_SHAPE_TETRA10, 3},
    {"Hexahedron", SOFA_SHAPE_HEXA, 3},
    {"Hexahedron20", SOFA_SHAPE_HEXA20, 3},
    {"Hexahedron27", SOFA_SHAPE_HEXA27, 3},
    {"Prism", SOFA_SHAPE_PRISM, 3},
    {"Prism15", SOFA_SHAPE_PRISM15, 3},
    {"Pyramid", SOFA_SHAPE_PYRAMID, 3},
    {"Pyramid13", SOFA_SHAPE_PYRAMID13, 3},
    {"Triangle_2D", SOFA_SHAPE_TRIANGLE, 2},
    {"Triangle6_2D", SOFA_SHAPE_TRIANGLE6, 2},
    {"Quad_2D", SOFA_SHAPE_QUAD, 2},
    {"Quad8_2D", SOFA_SHAPE_QUAD8, 2},
};

const CaribouElement *caribou_element(const char *name) {
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    if (strcasecmp(elements[i].name, name) == 0) return &elements[i];
  }
  return NULL;
}

/* ---- indices ---- */

static SofaErr indices_parse(const SofaType *type, const SofaParse *parse, const char *text,
                             void *value) {
  (void)type;
  return sofa_type_parse(&sofa_type_indices, parse, text, value);
}

static SofaErr indices_print(const SofaType *type, SofaContext *ctx, const SofaField *field,
                             const void *value, SofaText *out) {
  (void)type;
  return sofa_type_print(&sofa_type_indices, ctx, field, value, out);
}

static SofaErr indices_copy(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  (void)type;
  return sofa_type_copy(&sofa_type_indices, ctx, from, to);
}

static void indices_free(SofaContext *ctx, void *value) {
  sofa_type_free(&sofa_type_indices, ctx, value);
}

/* Values of other types come as text, which has all numbers of an element. */
const SofaType caribou_type_indices = {.name = "node indices of elements",
                                       .size = sizeof(CaribouIndices),
                                       .scalar = SOFA_SCALAR_STRING,
                                       .width = 1,
                                       .parse = indices_parse,
                                       .print = indices_print,
                                       .copy = indices_copy,
                                       .free = indices_free};

/* ---- what has elements of a kind ---- */

/* The container of a kind of elements, which a search finds. */
static const char *container_of(SofaShape shape) {
  switch (shape) {
  case SOFA_SHAPE_TRIANGLE:
    return "TriangleSetTopologyContainer";
  case SOFA_SHAPE_QUAD:
    return "QuadSetTopologyContainer";
  case SOFA_SHAPE_TETRA:
    return "TetrahedronSetTopologyContainer";
  case SOFA_SHAPE_HEXA:
    return "HexahedronSetTopologyContainer";
  default:
    return "";
  }
}

static bool is_caribou(const SofaObject *object) {
  return sofa_class_is_a(object->klass, &sofa_CaribouTopology_class);
}

/* Would a search without a link take the object? Containers of other elements that have these as
 * faces or edges are not meant. */
static bool offers(const SofaObject *object, const CaribouElement *kind) {
  if (is_caribou(object)) return caribou_element(object->template_name) == kind;
  return kind->dim == 3 && strcmp(object->klass->name, container_of(kind->shape)) == 0;
}

/* The kind of elements of a linked object; NULL when its class does not tell. */
static const CaribouElement *kind_of(const SofaObject *object) {
  if (is_caribou(object)) return caribou_element(object->template_name);
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    if (offers(object, &elements[i])) return &elements[i];
  }
  return NULL;
}

static bool accepts(const SofaObject *object, const void *user) {
  (void)user;
  return is_caribou(object) || sofa_implements(object, SOFA_TOPOLOGY);
}

const SofaLinkRule caribou_topology_rule = {.search = SOFA_SEARCH_NONE};

/* ---- creation ---- */

static bool refuse(SofaNode *node, SofaText *why, const char *text, const char *name) {
  // a reason that cannot be written is a memory error, which the next allocation reports
  (void)sofa_text_printf(node->object.ctx, why, text, name);
  return false;
}

bool caribou_can_create(SofaNode *node, const struct SofaElement *element,
                        const char *template_name, SofaText *why) {
  const CaribouElement *kind = caribou_element(template_name);
  const char *wanted = element ? sofa_element_attribute(element, "template") : NULL;
  const char *path = element ? sofa_element_attribute(element, "topology") : NULL;
  if (!element || !kind) return true;
  if (wanted && *wanted)
    return caribou_element(wanted) == kind ||
           refuse(node, why, "template '%s' names other elements, or none", wanted);
  if (path && *path) {
    const SofaObject *found =
        sofa_resolve_path(node, path + (*path == '@'), &(SofaPathRule){.accept = accepts});
    const CaribouElement *own = found ? kind_of(found) : NULL;
    if (!own)
      return refuse(node, why, "\"%s\" does not define the template: it must be given", path);
    return own == kind || refuse(node, why, "the topology has elements of kind %s", own->name);
  }
  for (size_t i = 0; i < node->objects.n; i++) {
    if (offers(node->objects.data[i], kind)) return true;
  }
  return refuse(node, why, "no topology of this node has elements of this kind", "");
}

/* ---- elements ---- */

/* The one object of the node that offers elements of a kind. */
static SofaErr search(const SofaObject *object, const CaribouElement *kind, SofaObject **out) {
  *out = NULL;
  for (size_t i = 0; i < object->node->objects.n; i++) {
    SofaObject *other = object->node->objects.data[i];
    if (!offers(other, kind)) continue;
    if (*out)
      return sofa_field_fail(object, "topology", SOFA_ERR_SCENE,
                             "must be given: this node has more than one topology of kind %s, %s "
                             "and %s",
                             kind->name, (*out)->name, other->name);
    *out = other;
  }
  if (*out) return SOFA_OK;
  return sofa_field_fail(object, "topology", SOFA_ERR_NOT_FOUND,
                         "must be given: this node has no CaribouTopology%s%s with elements of "
                         "kind %s",
                         *container_of(kind->shape) ? " or " : "", container_of(kind->shape),
                         kind->name);
}

/* The plugin takes the positions of the start for those at rest. */
static void use_start(const SofaObject *object, const SofaState *state, SofaElementMesh *mesh) {
  const SofaCoords *start = &state->position;
  const size_t size = start->n * start->width * sizeof *start->data;
  if (!start->n || start->n != mesh->n_points || sofa_compare(start->data, mesh->rest, size) == 0)
    return;
  if (sofa_quirk(object, QUIRK_CARIBOU_REST)) mesh->rest = start->data;
}

SofaErr caribou_check_state(const SofaObject *object, const SofaState *state, unsigned dim) {
  const SofaStateKind kind = dim == 2 ? SOFA_VEC2 : SOFA_VEC3;
  if (state->object.kind == kind) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_TYPE, "the state is of kind %s, not %s",
                          sofa_state_kind_info(state->object.kind)->name,
                          sofa_state_kind_info(kind)->name);
}

/* The mesh of a CaribouTopology that was found. */
static SofaErr own_mesh(const SofaForceField *ff, const SofaObject *from, SofaElementMesh *mesh) {
  const SofaObject *object = &ff->object;
  const CaribouElement *kind = caribou_element(object->template_name);
  *mesh = ((const CaribouTopology *)from)->mesh;
  if (!mesh->n && !sofa_object_division(from, NULL))
    return sofa_field_fail(object, "topology", SOFA_ERR_SCENE, "%s has no elements", from->name);
  if (mesh->shape != kind->shape || mesh->dim != kind->dim)
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                           "%s has elements of kind %s, the template is %s", from->name,
                           from->template_name, kind->name);
  const size_t n = sofa_state_size(ff->state[0]), n_nodes = sofa_shape_info(mesh->shape)->n_nodes;
  for (size_t k = 0; k < mesh->n * n_nodes; k++) {
    if (mesh->vertices[k] >= n)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "element %zu of %s has node %u, but the state has %zu points",
                              k / n_nodes, from->name, mesh->vertices[k], n);
  }
  mesh->n_points = n;
  return SOFA_OK;
}

SofaErr caribou_elements(const SofaForceField *ff, const SofaLink *link, SofaElementMesh *mesh) {
  const SofaObject *object = &ff->object;
  const CaribouElement *kind = caribou_element(object->template_name);
  SofaObject *from = link->target;
  if (!from) SOFA_TRY(search(object, kind, &from));
  if (!accepts(from, NULL))
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                           "%s is neither a CaribouTopology nor a topology", from->name);
  if (is_caribou(from)) return own_mesh(ff, from, mesh);
  if (sofa_shape_info(kind->shape)->order > 1)
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                           "%s has no elements of kind %s: a CaribouTopology with this template "
                           "has",
                           from->name, kind->name);
  SOFA_TRY(sofa_element_mesh(object, (SofaTopology *)from, kind->shape, ff->state[0], mesh));
  use_start(object, ff->state[0], mesh);
  return SOFA_OK;
}

bool caribou_can_listen(const SofaObject *object, const char **why) {
  const CaribouElement *kind = caribou_element(object->template_name);
  const SofaField *field = sofa_class_field(object->klass, "topology");
  const SofaObject *from = ((const SofaLink *)sofa_field_value(object, field))->target;
  for (size_t i = 0; !from && kind && i < object->node->objects.n; i++)
    if (offers(object->node->objects.data[i], kind)) from = object->node->objects.data[i];
  *why = "is about to change, and a CaribouTopology keeps its elements";
  return from && !is_caribou(from);
}

const char *const caribou_solid_templates[] = {
    "Hexahedron", "Tetrahedron", "Hexahedron20", "Hexahedron27", "Tetrahedron10",
    "Prism",      "Prism15",     "Pyramid",      "Pyramid13",    NULL};

const SofaTopologyListenerOps caribou_solid_listener = {.done = sofa_listen_reinit,
                                                        .can_listen = caribou_can_listen};

/* ---- drawing ---- */

SofaErr caribou_corners(SofaContext *ctx, const SofaElementMesh *mesh, CaribouCorners *out) {
  const SofaShapeInfo *info = sofa_shape_info(mesh->shape);
  out->shape = info->corners;
  out->width = sofa_shape_info(info->corners)->n_nodes;
  SOFA_TRY(SOFA_RESIZE(ctx, &out->list, mesh->n * out->width));
  for (size_t e = 0; e < mesh->n; e++)
    for (size_t k = 0; k < out->width; k++)
      out->list.data[out->width * e + k] = mesh->vertices[info->n_nodes * e + k];
  return SOFA_OK;
}

SofaElements caribou_source(const CaribouCorners *corners, SofaElementKind *kind) {
  const size_t width = corners->width ? corners->width : 2;
  *kind = sofa_shape_kind(corners->shape);
  return (SofaElements){
      .v = corners->list.data, .n = corners->list.n / width, .width = (unsigned)width};
}

void caribou_draw_elements(const SofaDrawArgs *args, const CaribouDrawing *d) {
  SofaDrawElements how = {.x = d->state->position.data,
                          .n_points = d->state->position.n,
                          .stride = d->state->position.width,
                          .space = sofa_state_kind_info(d->state->object.kind)->space,
                          .shrink = d->scale,
                          .wireframe = sofa_display_shows(args->flags, SOFA_DISPLAY_WIREFRAME)};
  const CaribouCorners *corners = d->corners;
  const bool quads = corners->shape == SOFA_SHAPE_QUAD;
  const unsigned width = corners->width;
  const size_t n = width ? corners->list.n / width : 0;
  for (int i = 0; i < 4; i++) how.color[i] = sofa_draw_face_colors[i];
  if (!d->colors) sofa_draw_elements(args->list, &how, corners->list.data, n, width, quads);
  for (size_t e = 0; d->colors && e < n; e++) {
    how.element_color = &d->colors[e];
    sofa_draw_elements(args->list, &how, corners->list.data + width * e, 1, width, quads);
  }
}
