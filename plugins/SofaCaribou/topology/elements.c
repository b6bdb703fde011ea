/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements by name, and the search for them in a node. */
#include "topology/elements.h"

#include <string.h>
#include <strings.h>
#include "object/element.h"

static const CaribouElement elements[] = {
    {"Segment", SOFA_SHAPE_EDGE},     {"Triangle", SOFA_SHAPE_TRIANGLE},
    {"Quad", SOFA_SHAPE_QUAD},        {"Tetrahedron", SOFA_SHAPE_TETRA},
    {"Hexahedron", SOFA_SHAPE_HEXA},  {"Segment3", SOFA_N_SHAPES},
    {"Triangle_2D", SOFA_N_SHAPES},   {"Triangle6", SOFA_N_SHAPES},
    {"Triangle6_2D", SOFA_N_SHAPES},  {"Quad_2D", SOFA_N_SHAPES},
    {"Quad8", SOFA_N_SHAPES},         {"Quad8_2D", SOFA_N_SHAPES},
    {"Tetrahedron10", SOFA_N_SHAPES}, {"Hexahedron20", SOFA_N_SHAPES},
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
  return kind->shape < SOFA_N_SHAPES && strcmp(object->klass->name, container_of(kind->shape)) == 0;
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

bool caribou_refuse_template(SofaNode *node, const char *name, SofaText *why) {
  const CaribouElement *kind = caribou_element(name);
  if (!kind || kind->shape != SOFA_N_SHAPES) return false;
  refuse(node, why,
         "template '%s' is not supported yet: elements of second order or in two dimensions", name);
  return true;
}

bool caribou_can_create(SofaNode *node, const struct SofaElement *element,
                        const char *template_name, SofaText *why) {
  const CaribouElement *kind = caribou_element(template_name);
  const char *wanted = element ? sofa_element_attribute(element, "template") : NULL;
  const char *path = element ? sofa_element_attribute(element, "topology") : NULL;
  if (!element || !kind) return true;
  if (wanted && caribou_refuse_template(node, wanted, why)) return false;
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
  return refuse(node, why, "no topology of this node has elements of kind %s", template_name);
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

SofaErr caribou_elements(const SofaForceField *ff, const SofaLink *link, SofaElementMesh *mesh) {
  const SofaObject *object = &ff->object;
  const SofaState *state = ff->state[0];
  const CaribouElement *kind = caribou_element(object->template_name);
  SofaObject *from = link->target;
  if (!from) SOFA_TRY(search(object, kind, &from));
  if (!accepts(from, NULL))
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                           "%s is neither a CaribouTopology nor a topology", from->name);
  if (!is_caribou(from)) {
    SOFA_TRY(sofa_element_mesh(object, (SofaTopology *)from, kind->shape, state, mesh));
    use_start(object, state, mesh);
    return SOFA_OK;
  }
  *mesh = ((const CaribouTopology *)from)->mesh;
  if (!mesh->n)
    return sofa_field_fail(object, "topology", SOFA_ERR_SCENE, "%s has no elements", from->name);
  if (mesh->shape != kind->shape)
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                           "%s has elements of kind %s, the template is %s", from->name,
                           from->template_name, kind->name);
  const size_t n = sofa_state_size(state), n_nodes = sofa_shape_info(mesh->shape)->n_nodes;
  for (size_t k = 0; k < mesh->n * n_nodes; k++) {
    if (mesh->vertices[k] >= n)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "element %zu of %s has node %u, but the state has %zu points",
                              k / n_nodes, from->name, mesh->vertices[k], n);
  }
  mesh->n_points = n;
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

const char *const caribou_solid_templates[] = {"Hexahedron", "Tetrahedron", NULL};

const SofaTopologyListenerOps caribou_solid_listener = {.done = sofa_listen_reinit,
                                                        .can_listen = caribou_can_listen};

/* ---- drawing ---- */

SofaElements caribou_source(SofaShape shape, const uint32_t *vertices, size_t n,
                            SofaElementKind *kind) {
  switch (shape) {
  case SOFA_SHAPE_TRIANGLE:
    *kind = SOFA_ELEMENT_TRIANGLE;
    break;
  case SOFA_SHAPE_QUAD:
    *kind = SOFA_ELEMENT_QUAD;
    break;
  case SOFA_SHAPE_TETRA:
    *kind = SOFA_ELEMENT_TETRA;
    break;
  case SOFA_SHAPE_HEXA:
    *kind = SOFA_ELEMENT_HEXA;
    break;
  default:
    *kind = SOFA_ELEMENT_EDGE;
  }
  return (SofaElements){.v = vertices, .n = n, .width = sofa_element_kind_info(*kind)->width};
}

void caribou_draw_elements(const SofaDrawArgs *args, const CaribouDrawing *d) {
  SofaDrawElements how = {.x = d->state->position.data,
                          .n_points = d->state->position.n,
                          .stride = d->state->position.width,
                          .shrink = d->scale,
                          .wireframe = sofa_display_shows(args->flags, SOFA_DISPLAY_WIREFRAME)};
  const unsigned n_nodes = sofa_shape_info(d->shape)->n_nodes;
  const bool quads = d->shape == SOFA_SHAPE_QUAD;
  for (int i = 0; i < 4; i++) how.color[i] = sofa_draw_face_colors[i];
  if (!d->colors) sofa_draw_elements(args->list, &how, d->vertices, d->n, n_nodes, quads);
  for (size_t e = 0; d->colors && e < d->n; e++) {
    how.element_color = &d->colors[e];
    sofa_draw_elements(args->list, &how, d->vertices + n_nodes * e, 1, n_nodes, quads);
  }
}
