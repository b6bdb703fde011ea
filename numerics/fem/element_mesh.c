/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rest state of a topology's elements of one shape. */
#include "behavior/checks.h"
#include "behavior/whole_list.h"
#include "numerics/fem/element_mesh.h"

#include <string.h>
#include "change/topology_change.h"
#include "object/object.h"
#include "topology/element_source.h"

static const SofaElementKind kinds[SOFA_SHAPE_HEXA + 1] = {
    [SOFA_SHAPE_EDGE] = SOFA_ELEMENT_EDGE,       [SOFA_SHAPE_TRIANGLE] = SOFA_ELEMENT_TRIANGLE,
    [SOFA_SHAPE_QUAD] = SOFA_ELEMENT_QUAD,       [SOFA_SHAPE_TETRA] = SOFA_ELEMENT_TETRA,
    [SOFA_SHAPE_PYRAMID] = SOFA_ELEMENT_PYRAMID, [SOFA_SHAPE_PRISM] = SOFA_ELEMENT_PRISM,
    [SOFA_SHAPE_HEXA] = SOFA_ELEMENT_HEXA,
};

SofaElementKind sofa_shape_kind(SofaShape shape) {
  return kinds[sofa_shape_info(shape)->corners];
}

SofaShape sofa_shape_of_kind(SofaElementKind kind, unsigned width) {
  SofaShape s = SOFA_SHAPE_EDGE;
  while (s < SOFA_N_SHAPES && (sofa_shape_kind(s) != kind || sofa_shape_info(s)->n_nodes != width))
    s++;
  return s;
}

SofaErr sofa_element_mesh(const SofaObject *object, SofaTopology *topology, SofaShape shape,
                          const SofaState *state, SofaElementMesh *mesh) {
  const SofaElementKindInfo *info = sofa_element_kind_info(kinds[shape]);
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  // lists that are made when first asked for
  if (shape == SOFA_SHAPE_EDGE) sofa_topology_edges(topology);
  if (shape == SOFA_SHAPE_TRIANGLE) sofa_topology_triangles(topology);
  if (shape == SOFA_SHAPE_QUAD) sofa_topology_quads(topology);
  if (topology->failure != SOFA_OK) return topology->failure;
  const SofaElements elements = sofa_mesh_elements(&topology->mesh, kinds[shape]);
  if (!elements.n && !sofa_topology_n_whole(topology, kinds[shape]) &&
      !sofa_topology_may_be_empty(topology))
    return sofa_object_fail(object, SOFA_ERR_SCENE, "the topology has no %s", info->field);
  SOFA_TRY(sofa_check_elements(object, kinds[shape], elements, rest->n));
  *mesh = (SofaElementMesh){.shape = shape,
                            .dim = sofa_state_kind_info(state->object.kind)->space,
                            .vertices = elements.v,
                            .n = elements.n,
                            .rest = rest->data,
                            .n_points = rest->n};
  return SOFA_OK;
}

SofaErr sofa_element_source_mesh(const SofaObject *object, const SofaObject *source,
                                 SofaShape shape, const SofaState *state, SofaElementMesh *mesh) {
  const SofaElementSourceOps *ops = sofa_ops(source, SOFA_ELEMENT_SOURCE);
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  SofaElementKind kind;
  SofaElements list = ops->elements(source, &kind);
  if (ops->nodes) list = ops->nodes(source);
  const SofaShape found = sofa_shape_of_kind(kind, list.width);
  if (!list.n && !sofa_object_division(source, NULL))
    return sofa_object_fail(object, SOFA_ERR_SCENE,
                            "%s has no elements: it must stand before this object", source->name);
  if (found == SOFA_N_SHAPES || (shape != SOFA_N_SHAPES && found != shape))
    return sofa_object_fail(object, SOFA_ERR_TYPE, "%s has elements of shape %s, expected %s",
                            source->name,
                            found < SOFA_N_SHAPES ? sofa_shape_info(found)->name : "without a name",
                            shape < SOFA_N_SHAPES ? sofa_shape_info(shape)->name : "a known one");
  for (size_t k = 0; k < list.n * list.width; k++)
    if (list.v[k] >= rest->n)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "element %zu of %s has node %u, but the state has %zu points",
                              k / list.width, source->name, list.v[k], rest->n);
  *mesh = (SofaElementMesh){.shape = found,
                            .dim = sofa_state_kind_info(state->object.kind)->space,
                            .vertices = list.v,
                            .n = list.n,
                            .rest = rest->data,
                            .n_points = rest->n};
  return SOFA_OK;
}

SofaShape sofa_element_shape(const SofaObject *object) {
  const char *comma = strchr(object->template_name, ',');
  return comma ? sofa_shape_from_name(comma + 1) : SOFA_N_SHAPES;
}
