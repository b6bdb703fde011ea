/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances: how far the points of a body of hexahedra are from target points, through the body. */
#include <math.h>
#include <string.h>

#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct Distances {
  SofaObject object;
  unsigned map_index;
  bool show_map, show_goal_map, show_gradients, init_target;
  double text_scale, gradient_scale, harmonic_max;
  SofaVec3 offset;
  char *type, *zones, *target_path, *container_path;
  SofaFileName filename;
  int target_step;
  SofaReals distances; /* targets x points */
} Distances;

static const SofaField fields[] = {
    ENGINE_DISPLAY(Distances, map_index, "showMapIndex", "0", "target whose distances are drawn"),
    ENGINE_DISPLAY(Distances, show_map, "showDistancesMap", "0", "draw the distances"),
    ENGINE_DISPLAY(Distances, show_goal_map, "showGoalDistancesMap", "0",
                   "draw the distances of goals"),
    ENGINE_DISPLAY(Distances, text_scale, "showTextScaleFactor", "0.001", "size of numbers"),
    ENGINE_DISPLAY(Distances, show_gradients, "showGradients", "0", "draw gradients"),
    ENGINE_DISPLAY(Distances, gradient_scale, "showGradientsScaleFactor", "0.1",
                   "length of gradients"),
    ENGINE_DISPLAY(Distances, offset, "offset", "0 0 0", "where to draw, m"),
    SOFA_FIELD(Distances, type, "d_distanceType", "Geodesic", "",
               "what is measured: Geodesic, the length of the shortest way between corners of the "
               "hexahedra"),
    SOFA_FIELD(Distances, init_target, "initTarget", "0", "",
               "make the target points from the grid", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(Distances, target_step, "initTargetStep", "1", "", "used with initTarget only",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(Distances, zones, "zonesFramePair", NULL, "", "targets of zones of voxels",
               .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(Distances, harmonic_max, "harmonicMaxValue", "100", "",
               "used by harmonic distances only", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(Distances, filename, "filename", NULL, "", "file of distances computed before",
               .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(
        Distances, target_path, "targetPath", NULL, "",
        "path, without @, of the state with the target points; default: the state in context",
        .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(Distances, container_path, "hexaContainerPath", NULL, "",
               "path, without @, of the topology of hexahedra; default: the one in context",
               .flags = SOFA_FIELD_INPUT),
    ENGINE_OUTPUT(Distances, distances, "distances", "m",
                  "for each target the distance of every point of the topology from it; inf for a "
                  "point that no way leads to"),
};

/* ---- shortest ways: Dijkstra 1959 with a binary heap ---- */

typedef struct Entry {
  double distance;
  uint32_t point;
} Entry;
SOFA_LIST(Entry, Entries);

static SofaErr push(SofaContext *ctx, Entries *heap, Entry entry) {
  SOFA_TRY(SOFA_APPEND(ctx, heap, &entry));
  for (size_t i = heap->n - 1; i && heap->data[(i - 1) / 2].distance > entry.distance;) {
    heap->data[i] = heap->data[(i - 1) / 2];
    i = (i - 1) / 2;
    heap->data[i] = entry;
  }
  return SOFA_OK;
}

static Entry pop(Entries *heap) {
  const Entry first = heap->data[0], last = heap->data[--heap->n];
  size_t i = 0;
  for (size_t child = 1; child < heap->n; child = 2 * i + 1) {
    if (child + 1 < heap->n && heap->data[child + 1].distance < heap->data[child].distance) child++;
    if (heap->data[child].distance >= last.distance) break;
    heap->data[i] = heap->data[child];
    i = child;
  }
  if (heap->n) heap->data[i] = last;
  return first;
}

static double between(const double *x, size_t a, size_t b) {
  double d[3];
  sofa_vec3_sub(x + 3 * a, x + 3 * b, d);
  return sofa_vec3_norm(d);
}

/* Spreads from the points of the heap: a way leads straight between the corners of a hexahedron. */
static SofaErr spread(SofaContext *ctx, const SofaHexas *hexas, const SofaAround *around,
                      const double *x, Entries *heap, double *distance) {
  while (heap->n) {
    const Entry at = pop(heap);
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(around, at.point, &ids);
    if (at.distance > distance[at.point]) continue;
    for (size_t k = 0; k < 8 * n; k++) {
      const uint32_t next = hexas->data[ids[k / 8]].v[k % 8];
      const Entry way = {at.distance + between(x, at.point, next), next};
      if (!(way.distance < distance[next])) continue;
      distance[next] = way.distance;
      SOFA_TRY(push(ctx, heap, way));
    }
  }
  return SOFA_OK;
}

/* A target enters the body at the point next to it. */
static Entry enter(const double *target, const double *x, size_t n) {
  Entry best = {INFINITY, 0};
  for (size_t i = 0; i < n; i++) {
    double d[3];
    sofa_vec3_sub(x + 3 * i, target, d);
    const double distance = sofa_vec3_norm(d);
    if (distance < best.distance) best = (Entry){distance, (uint32_t)i};
  }
  return best;
}

/* ---- the engine ---- */

static bool is_topology(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_TOPOLOGY);
}

static bool is_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_MECHANICAL_STATE);
}

/* What the path names, or what is in context; *out NULL after an error was reported. */
static SofaErr named(const SofaObject *object, const char *field, const char *path,
                     SofaAccept accept, SofaObject *in_context, SofaObject **out) {
  *out = path && *path ? sofa_resolve_path(object->node, NULL, path, accept, NULL, false, false)
                       : in_context;
  if (*out) return SOFA_OK;
  return sofa_field_fail(object, field, SOFA_ERR_NOT_FOUND, "'%s' names no such object",
                         path ? path : "");
}

/* Positions of the points of a topology, 3 reals each. */
static SofaErr copy_points(SofaContext *ctx, const SofaTopology *t, SofaReals *x) {
  SOFA_TRY(SOFA_RESIZE(ctx, x, 3 * t->n_points));
  for (size_t i = 0; i < t->n_points; i++) sofa_topology_point(t, i, x->data + 3 * i);
  return SOFA_OK;
}

static SofaErr measure(Distances *d, SofaTopology *t, const SofaState *targets) {
  SofaContext *ctx = d->object.ctx;
  const SofaHexas *hexas = sofa_topology_hexahedra(t);
  const SofaAround *around = sofa_topology_around(t, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_POINT);
  const size_t n = t->n_points;
  SofaReals x = {0};
  Entries heap = {0};
  SofaErr err = copy_points(ctx, t, &x);
  if (err == SOFA_OK) err = SOFA_RESIZE(ctx, &d->distances, n * sofa_state_size(targets));
  for (size_t k = 0; err == SOFA_OK && k < sofa_state_size(targets); k++) {
    double *distance = d->distances.data + n * k;
    for (size_t i = 0; i < n; i++) distance[i] = INFINITY;
    const Entry first = enter(targets->position.data + targets->position.width * k, x.data, n);
    heap.n = 0;
    distance[first.point] = first.distance;
    err = push(ctx, &heap, first);
    if (err == SOFA_OK) err = spread(ctx, hexas, around, x.data, &heap, distance);
  }
  sofa_list_free(ctx, &heap);
  sofa_list_free(ctx, &x);
  return err;
}

static SofaErr update(SofaObject *object) {
  Distances *d = (Distances *)object;
  SofaObject *topology = NULL, *state = NULL;
  if (d->type && strcmp(d->type, "Geodesic") != 0)
    return sofa_object_unsupported(object, "d_distanceType \"%s\": only Geodesic is", d->type);
  SOFA_TRY(named(object, "hexaContainerPath", d->container_path, is_topology,
                 (SofaObject *)sofa_node_topology(object->node), &topology));
  SOFA_TRY(named(object, "targetPath", d->target_path, is_state,
                 sofa_node_find(object->node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_UP), &state));
  SofaTopology *t = (SofaTopology *)topology;
  const SofaHexas *hexas = sofa_topology_hexahedra(t);
  if (!hexas || !hexas->n || !t->n_points)
    return sofa_field_fail(object, "hexaContainerPath", SOFA_ERR_ARGUMENT, "'%s' has no hexahedra",
                           topology->name);
  if (sofa_state_kind_info(state->kind)->space != 3)
    return sofa_field_fail(object, "targetPath", SOFA_ERR_ARGUMENT,
                           "the points of '%s' are not in space", state->name);
  return measure(d, t, (SofaState *)state);
}

/* After the nodes below, where the body may be. */
ENGINE_CLASS(Distances, "Analyze",
             "Measures for target points how far the points of a body of hexahedra are from them, "
             "through the body.",
             .templates = engine_vec3_templates, .bwd_init = engine_init, );
