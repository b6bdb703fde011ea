/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CaribouBarycentricMapping: points follow the solid elements that they lie in at rest, with the
 * shape functions of the elements as weights. */
#include <math.h>
#include <string.h>

#include "behavior/mapping.h"
#include "change/topology_change.h"
#include "numerics/fem/shape_locate.h"
#include "numerics/mapping/map_matrix.h"
#include "math/vec.h"
#include "numerics/spatial/bounding_tree.h"
#include "object/element.h"
#include "topology/elements.h"

typedef struct CaribouBarycentricMapping {
  SofaMapping mapping;
  SofaLink topology;
  SofaMapMatrix j;
  size_t n_in, n_out;
} CaribouBarycentricMapping;

typedef CaribouBarycentricMapping SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(topology, "topology", NULL, "",
             "CaribouTopology with the solid elements; default: the first one in the node of the "
             "input, else of this node",
             .link = &caribou_topology_rule),
};

/* Reference coordinates beyond an element by less belong to it. */
static const double margin = 1e-8;

/* ---- creation ---- */

/* The template may name the kind of element, as in the plugin; states are of points in space. */
static bool can_create(SofaNode *node, const struct SofaElement *element, const char *template_name,
                       SofaText *why) {
  const char *wanted = element ? sofa_element_attribute(element, "template") : NULL;
  const CaribouElement *kind = wanted ? caribou_element(wanted) : NULL;
  (void)template_name; // the base class looks at it
  if (!kind || kind->dim == 3) return true;
  // a reason that cannot be written is a memory error, which the next allocation reports
  (void)sofa_text_printf(node->object.ctx, why,
                         "template '%s' is not supported yet: points in elements in two dimensions",
                         wanted);
  return false;
}

/* ---- elements ---- */

static bool is_solid(const SofaObject *object) {
  if (!object || !sofa_class_is_a(object->klass, &sofa_CaribouTopology_class)) return false;
  const CaribouElement *kind = caribou_element(object->template_name);
  return kind && sofa_shape_info(kind->shape)->dim == 3;
}

static const SofaObject *first_solid(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (is_solid(node->objects.data[i])) return node->objects.data[i];
  return NULL;
}

static SofaErr find_elements(const CaribouBarycentricMapping *m, const SofaElementMesh **mesh) {
  const SofaObject *object = &m->mapping.object, *found = m->topology.target;
  const SofaState *in = m->mapping.inputs[0];
  if (!found && m->topology.path && *m->topology.path)
    return sofa_field_fail(object, "topology", SOFA_ERR_NOT_FOUND, "there is no object at \"%s\"",
                           m->topology.path);
  if (!found) found = first_solid(in->object.node);
  if (!found) found = first_solid(object->node);
  if (!found)
    return sofa_field_fail(object, "topology", SOFA_ERR_NOT_FOUND,
                           "must be given: no CaribouTopology of solid elements is in the node of "
                           "the input or in this one");
  if (!is_solid(found))
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                           "%s is not a CaribouTopology of solid elements", found->name);
  *mesh = &((const CaribouTopology *)found)->mesh;
  if (!(*mesh)->n)
    return sofa_field_fail(object, "topology", SOFA_ERR_SCENE,
                           "%s has no elements yet: it must stand before the mapping", found->name);
  if ((*mesh)->n_points != in->position.n)
    return sofa_field_fail(object, "topology", SOFA_ERR_RANGE,
                           "%s has %zu points, the input '%s' has %zu", found->name,
                           (*mesh)->n_points, in->object.name, in->position.n);
  return SOFA_OK;
}

/* ---- search ---- */

/* Elements in space, at rest. */
typedef struct Search {
  const SofaElementMesh *mesh;
  unsigned n_nodes;
  SofaBoundingTree tree;
} Search;

static const uint32_t *vertices_of(const Search *s, size_t e) {
  return s->mesh->vertices + s->n_nodes * e;
}

/* The box of the nodes, and a tenth around it: curved elements leave that of their nodes. */
static void box_of(const Search *s, size_t e, double box[6]) {
  for (int i = 0; i < 3; i++) {
    box[i] = INFINITY;
    box[3 + i] = -INFINITY;
    for (unsigned n = 0; n < s->n_nodes; n++) {
      const double x = s->mesh->rest[3 * (size_t)vertices_of(s, e)[n] + (unsigned)i];
      box[i] = fmin(box[i], x);
      box[3 + i] = fmax(box[3 + i], x);
    }
  }
  const double room = 0.1 * sofa_vec3_distance(box, box + 3);
  for (int i = 0; i < 3; i++) {
    box[i] -= room;
    box[3 + i] += room;
  }
}

/* Shape functions n of an element at a point; false: the point is not in it. */
static bool weights_in(const Search *s, size_t e, const double *point, double *n) {
  double p[3 * SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], xi[3];
  for (unsigned k = 0; k < s->n_nodes; k++)
    memcpy(p + 3 * k, s->mesh->rest + 3 * (size_t)vertices_of(s, e)[k], 3 * sizeof *p);
  if (!sofa_shape_locate(s->mesh->shape, p, point, xi)) return false;
  if (!sofa_shape_contains(s->mesh->shape, xi, margin)) return false;
  sofa_shape_functions(s->mesh->shape, xi, n, d);
  return true;
}

/* The first element with the point in it, and its shape functions; SIZE_MAX: none. */
static size_t find(const Search *s, const double *point, double *n) {
  const double box[6] = {point[0], point[1], point[2], point[0], point[1], point[2]};
  uint32_t stack[128];
  size_t depth = 0, best = SIZE_MAX;
  stack[depth++] = 0;
  while (depth) {
    const SofaBoundingCell *cell = &s->tree.cells[stack[--depth]];
    if (!sofa_boxes_are_close(cell->box, box, 0)) continue;
    if (cell->child) {
      stack[depth++] = cell->child;
      stack[depth++] = cell->child + 1;
      continue;
    }
    for (uint32_t l = cell->first; l < cell->last; l++) {
      double found[SOFA_SHAPE_MAX_NODES];
      const size_t e = s->tree.order[l];
      if (e > best || !sofa_boxes_are_close(s->tree.leaf + 6 * (size_t)l, box, 0)) continue;
      if (!weights_in(s, e, point, found)) continue;
      best = e;
      sofa_copy(n, found, s->n_nodes * sizeof *n);
    }
  }
  return best;
}

static SofaErr make_tree(SofaContext *ctx, Search *s) {
  SOFA_TRY(sofa_bounding_tree_resize(ctx, &s->tree, s->mesh->n));
  for (size_t e = 0; e < s->mesh->n; e++) box_of(s, e, s->tree.boxes + 6 * e);
  return sofa_bounding_tree_build(ctx, &s->tree, 40);
}

/* ---- setup ---- */

/* Places of the outputs at rest. */
static const double *places(const SofaState *out) {
  return out->rest_position.n == out->position.n ? out->rest_position.data : out->position.data;
}

static SofaErr make_rows(CaribouBarycentricMapping *m, const Search *s) {
  const SofaState *out = m->mapping.out;
  size_t lost = 0, first_lost = 0;
  SofaJacobian made;
  SOFA_TRY(sofa_map_matrix_begin(m->mapping.object.ctx, &m->j, 3 * m->n_out, 3 * m->n_in,
                                 3 * s->n_nodes * m->n_out));
  for (size_t i = 0; i < m->n_out; i++) {
    double n[SOFA_SHAPE_MAX_NODES];
    const size_t e = find(s, places(out) + 3 * i, n);
    if (e == SIZE_MAX && !lost++) first_lost = i;
    for (size_t c = 0; c < 3; c++) {
      sofa_map_matrix_row(&m->j);
      for (unsigned k = 0; e != SIZE_MAX && k < s->n_nodes; k++)
        sofa_map_matrix_entry(&m->j, 3 * (size_t)vertices_of(s, e)[k] + c, n[k]);
    }
  }
  sofa_map_matrix_end(&m->j, &made);
  if (!lost) return SOFA_OK;
  return sofa_object_fail(&m->mapping.object, SOFA_ERR_GEOMETRY,
                          "%zu points of the output '%s' are in no element of the input at rest, "
                          "the first of them is %zu",
                          lost, out->object.name, first_lost);
}

static SofaErr setup(SofaMapping *mapping) {
  CaribouBarycentricMapping *m = (CaribouBarycentricMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  Search s = {.n_nodes = 0};
  SofaErr err = SOFA_OK;
  m->n_in = mapping->inputs[0]->position.n;
  m->n_out = mapping->out->position.n;
  SOFA_GO(err, done, find_elements(m, &s.mesh));
  s.n_nodes = sofa_shape_info(s.mesh->shape)->n_nodes;
  SOFA_GO(err, done, make_tree(ctx, &s));
  SOFA_GO(err, done, make_rows(m, &s));
done:
  sofa_bounding_tree_free(ctx, &s.tree);
  return err;
}

static void destroy(SofaObject *object) {
  sofa_map_matrix_free(object->ctx, &((CaribouBarycentricMapping *)object)->j);
}

/* ---- operations ---- */

static SofaErr jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k, SofaJacobian *out) {
  CaribouBarycentricMapping *m = (CaribouBarycentricMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, m->n_out));
  sofa_map_matrix_out(&m->j, out);
  return SOFA_OK;
}

static const SofaMappingOps ops = {.setup = setup, .jacobian = jacobian, .linear = true};

static bool can_listen(const SofaObject *object, const char **why) {
  (void)object;
  *why = "is about to change, and a CaribouTopology keeps its elements";
  return false;
}

static const SofaTopologyListenerOps listener = {.can_listen = can_listen};

static const char *const templates[] = {"Vec3d,Vec3d", NULL};

SOFA_CLASS(CaribouBarycentricMapping) = {
    .name = "CaribouBarycentricMapping",
    .module = "SofaCaribou",
    .category = "Mapping",
    .help = "Points follow the solid elements of a CaribouTopology, of first or second order, in "
            "which they are at rest.",
    .equations = "y_i = sum_n N_n(xi_i) x_n\n"
                 "\"N_n: shape functions of the element of point i; xi_i: the reference "
                 "coordinates of the point in it\"",
    .base = &sofa_mapping_class,
    .size = sizeof(CaribouBarycentricMapping),
    SOFA_FIELDS(fields),
    .templates = templates,
    .can_create = can_create,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
