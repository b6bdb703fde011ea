/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge2QuadTopologicalMapping: tubes of quads around the edges between frames. */
#include <float.h>
#include <math.h>
#include "behavior/state.h"
#include "element_mapping.h"
#include "math/quaternion.h"
#include "set_container.h"
#include "topology_modifier.h"

typedef struct Edge2QuadTopologicalMapping {
  SofaTopologicalMapping mapping;
  uint32_t n_around;
  double radius, radius_focal;
  SofaVec3 focal_axis;
  SofaIndices edges;
  bool flip_normals;
  bool some; /* only the edges of edgeList have quads */
  SofaLink container, modifier;
} Edge2QuadTopologicalMapping;

static const SofaLinkRule container_rule = {.klass = &sofa_QuadSetTopologyContainer_class};
static const SofaLinkRule modifier_rule = {.klass = &sofa_QuadSetTopologyModifier_class};

typedef Edge2QuadTopologicalMapping SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(n_around, "nbPointsOnEachCircle", "0", "1", "Points around each frame, at least 1.",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_WITHIN(0, 100000)),
    SOFA_ROW(radius, "radius", "1", "m", "Radius of the circles, in the yz planes of the frames.",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(radius_focal, "radiusFocal", "0", "m",
             "Radius along the focal axis; 0: circles instead of ellipses.", ),
    SOFA_ROW(focal_axis, "focalAxis", "0 0 1", "1",
             "Second axis of the ellipses, in the frames.", ),
    SOFA_ROW(edges, "edgeList", "", "", "Edges that get quads; default: all.", ),
    SOFA_ROW(flip_normals, "flipNormals", "0", "",
             "Reverses the quads, so that their normals point inwards.", ),
    SOFA_ROW(container, "toQuadContainer", NULL, "", "no effect: the output is the container",
             .link = &container_rule, .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(modifier, "toQuadModifier", NULL, "", "no effect: the output's own modifier is used",
             .link = &modifier_rule, .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaState *state_beside(const SofaTopology *t) {
  return (SofaState *)sofa_node_find(t->object.node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
}

static SofaErr check_radius(const Edge2QuadTopologicalMapping *m) {
  const SofaObject *object = &m->mapping.object;
  if (!sofa_field_is_set(object, "radius") && !sofa_field_is_set(object, "radiusFocal"))
    return sofa_field_fail(object, "radius", SOFA_ERR_ARGUMENT,
                           "must be given, or radiusFocal must be");
  if (m->radius_focal > 0 && !(sofa_vec3_norm(m->focal_axis.v) > 0))
    return sofa_field_fail(object, "focalAxis", SOFA_ERR_RANGE, "is not a direction");
  return SOFA_OK;
}

static SofaErr check(const SofaTopologicalMapping *mapping) {
  const Edge2QuadTopologicalMapping *m = (const Edge2QuadTopologicalMapping *)mapping;
  const SofaObject *object = &mapping->object;
  SOFA_TRY(sofa_mapping_needs(mapping, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_QUAD,
                              &sofa_QuadSetTopologyModifier_class));
  SOFA_TRY(check_radius(m));
  if (m->n_around < 1 || (double)m->n_around * (double)mapping->from->n_points > INT32_MAX)
    return sofa_field_fail(object, "nbPointsOnEachCircle", SOFA_ERR_RANGE,
                           "is %u, expected 1 or more and not more than an index can hold",
                           m->n_around);
  const SofaState *in = state_beside(mapping->from), *out = state_beside(mapping->to);
  if (out && out->object.kind != SOFA_VEC3)
    return sofa_object_fail(object, SOFA_ERR_TYPE, "the state in the node of '%s' is not of Vec3d",
                            mapping->to->object.name);
  if (out && (!in || in->object.kind != SOFA_RIGID3))
    return sofa_object_fail(object, SOFA_ERR_TYPE,
                            "there is no state of Rigid3d in the node of '%s'",
                            mapping->from->object.name);
  if (out && in->position.n < mapping->from->n_points)
    return sofa_object_fail(object, SOFA_ERR_RANGE, "'%s' has %zu points, '%s' %zu frames",
                            mapping->from->object.name, mapping->from->n_points, in->object.name,
                            in->position.n);
  return SOFA_OK;
}

/* Points around the frames of the input's state, from frame `first` on. */
static SofaErr place_points(const Edge2QuadTopologicalMapping *m, size_t first) {
  const SofaState *in = state_beside(m->mapping.from);
  SofaState *out = state_beside(m->mapping.to);
  const bool ellipse = m->radius_focal >= DBL_MIN;
  double y0[3] = {0, 1, 0}, z0[3] = {0, 0, 1};
  const size_t n = m->mapping.from->n_points * m->n_around;
  if (!out || in->position.n < m->mapping.from->n_points) return SOFA_OK;
  if (out->position.n != n) SOFA_TRY(sofa_state_resize(out, n));
  if (ellipse) {
    const double x0[3] = {1, 0, 0};
    sofa_vec3_copy(m->focal_axis.v, z0);
    sofa_vec3_normalize(z0);
    sofa_vec3_cross(z0, x0, y0);
  }
  for (size_t i = first; i < m->mapping.from->n_points; i++) {
    const double *frame = in->position.data + 7 * i;
    for (size_t j = 0; j < m->n_around; j++) {
      const double angle = 2 * M_PI * (double)j / m->n_around;
      double p[3];
      for (int k = 0; k < 3; k++)
        p[k] = y0[k] * cos(angle) * m->radius +
               z0[k] * sin(angle) * (ellipse ? m->radius_focal : m->radius);
      sofa_rigid3_to_world(frame, p, out->position.data + 3 * (i * m->n_around + j));
    }
  }
  sofa_state_touch(out);
  return SOFA_OK;
}

/* Appends the quads around an edge. */
static SofaErr add_tube(const Edge2QuadTopologicalMapping *m, const SofaEdge *edge,
                        SofaQuads *out) {
  const uint32_t n = m->n_around;
  for (uint32_t j = 0; j < n; j++) {
    const uint32_t next = (j + 1) % n;
    const uint32_t q[4] = {edge->v[0] * n + j, edge->v[1] * n + j, edge->v[1] * n + next,
                           edge->v[0] * n + next};
    SofaQuad quad;
    // reversed; of chosen edges with the same first corner
    for (int k = 0; k < 4; k++) quad.v[k] = q[!m->flip_normals ? k : m->some ? (4 - k) % 4 : 3 - k];
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, out, &quad));
  }
  return SOFA_OK;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  Edge2QuadTopologicalMapping *m = (Edge2QuadTopologicalMapping *)mapping;
  m->some = m->edges.n > 0;
  const SofaEdges *edges = sofa_topology_edges(mapping->from);
  if (mapping->from->failure != SOFA_OK) return mapping->from->failure;
  mapping->to->n_points = mapping->from->n_points * m->n_around;
  SOFA_TRY(place_points(m, 0));
  const size_t n = m->edges.n ? m->edges.n : edges->n;
  for (size_t i = 0; i < n; i++) {
    const size_t e = m->edges.n ? m->edges.data[i] : i;
    if (e >= edges->n)
      return sofa_field_fail(&mapping->object, "edgeList", SOFA_ERR_RANGE,
                             "edge %zu: the input has %zu edges", e, edges->n);
    SOFA_TRY(add_tube(m, &edges->data[e], &mapping->to->mesh.quads));
  }
  return SOFA_OK;
}

/* ---- changes: the quads of the edge listed as i are n i ... n i + n - 1, the points of frame i
 * likewise ---- */

static SofaErr frames_change(Edge2QuadTopologicalMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices ids = {0};
  SofaErr err = SOFA_OK;
  if (change->kind == SOFA_CHANGE_ADD) {
    SOFA_TRY(sofa_topological_mapping_add_points(&m->mapping, change->edit, change->n * m->n_around,
                                                 NULL));
    return place_points(m, change->n_before);
  }
  for (size_t i = 0; i < change->n; i++)
    for (uint32_t k = m->n_around; k-- > 0 && err == SOFA_OK;) {
      const uint32_t id = change->ids[i] * m->n_around + k;
      err = SOFA_APPEND(ctx, &ids, &id);
    }
  if (err == SOFA_OK)
    err = sofa_topological_mapping_remove_points(&m->mapping, change->edit, ids.data, ids.n);
  sofa_list_free(ctx, &ids);
  return err;
}

static SofaErr edges_come(Edge2QuadTopologicalMapping *m, const SofaTopologyChange *change) {
  const SofaEdges *edges = &m->mapping.from->mesh.edges;
  SofaQuads made = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++) {
    if (m->some) err = SOFA_APPEND(m->mapping.object.ctx, &m->edges, &change->ids[i]);
    if (err == SOFA_OK) err = add_tube(m, &edges->data[change->ids[i]], &made);
  }
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, m->mapping.to, SOFA_ELEMENT_QUAD,
                            made.n ? made.data->v : NULL, made.n);
  sofa_list_free(m->mapping.object.ctx, &made);
  return err;
}

/* The removed edges by their places in edgeList, which is kept. */
static SofaErr listed_go(Edge2QuadTopologicalMapping *m, const SofaTopologyChange *change) {
  SofaTopologyChange places = *change;
  for (uint32_t k = (uint32_t)m->edges.n; k-- > 0;) {
    uint32_t *edge = &m->edges.data[k];
    *edge = sofa_change_renamed(change, *edge);
    if (*edge != SOFA_NO_ELEMENT) continue;
    *edge = m->edges.data[--m->edges.n];
    places.ids = &k;
    places.n = 1;
    SOFA_TRY(sofa_mapping_blocks_go(&m->mapping, &places, SOFA_ELEMENT_QUAD, m->n_around));
  }
  sofa_field_touch_name(&m->mapping.object, "edgeList");
  return SOFA_OK;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  Edge2QuadTopologicalMapping *m = (Edge2QuadTopologicalMapping *)object;
  if (sofa_change_of(change, m->mapping.from, SOFA_ELEMENT_POINT)) return frames_change(m, change);
  if (!sofa_change_of(change, m->mapping.from, SOFA_ELEMENT_EDGE)) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_ADD) return edges_come(m, change);
  if (m->some) return listed_go(m, change);
  return sofa_mapping_blocks_go(&m->mapping, change, SOFA_ELEMENT_QUAD, m->n_around);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

SOFA_CLASS(Edge2QuadTopologicalMapping) = {
    SOFA_NAMED(Edge2QuadTopologicalMapping),
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Makes tubes of quads around the edges between frames: a circle or an ellipse of "
            "points around each frame.",
    .base = &sofa_topological_mapping_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
