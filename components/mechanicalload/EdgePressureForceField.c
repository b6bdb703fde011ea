/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EdgePressureForceField: a force per length on edges. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/faces.h"

enum { QUIRK_EDGE_PRESSURE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_EDGE_PRESSURE, "edge-pressure",
     "EdgePressureForceField uses other edges' lengths and the directions of the call before",
     "test_quirks_motion.loads"},
};

typedef struct LoadedEdge {
  SofaEdge edge;
  double length; /* at rest, m */
  uint32_t apex; /* third point of the triangle at the edge, or UINT32_MAX */
} LoadedEdge;
SOFA_LIST(LoadedEdge, LoadedEdges);

typedef struct EdgePressureForceField {
  SofaForceField force_field;
  SofaReals map; /* not used */
  SofaVec3 pressure, normal, binormal;
  SofaIndices indices;
  SofaEdges edges;
  SofaReals intensity;
  double dmin, dmax, arrow_size;
  bool show_forces;
  SofaLink topology;
  LoadedEdges loaded;
  SofaVec3s forces; /* of intensities, on each end of the loaded edges; with a quirk those of the
                     * call before */
  SofaIndices ends; /* points of the loaded edges, each once */
  SofaReals share;  /* half the length of the loaded edges at each of them, m */
} EdgePressureForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef EdgePressureForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(map, "edgePressureMap", NULL, "", "computed, never read",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(pressure, "pressure", "0 0 0", "N/m",
             "force per length at rest, a vector; not 0: intensities are not looked at"),
    SOFA_ROW(indices, "edgeIndices", NULL, "", "loaded edges of the topology; read at the start",
             SOFA_INDICES_OF(SOFA_ELEMENT_EDGE, .by_object = true)),
    SOFA_ROW(edges, "edges", NULL, "", "loaded edges, 2 points each; read at the start"),
    SOFA_ROW(normal, "normal", "0 0 0", "1", "normal of the planes that select further edges"),
    SOFA_ROW(dmin, "dmin", "0", "m",
             "edges with dmin < x.normal < dmax at both points at rest are loaded too"),
    SOFA_ROW(dmax, "dmax", "0", "m", "see dmin; equal: no selection"),
    SOFA_ROW(arrow_size, "arrowSizeCoef", "0", "1", "length of drawn arrows",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(intensity, "p_intensity", NULL, "N/m",
             "force per length of each loaded edge, or one for all, normal to the edge",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(binormal, "binormal", "0 0 0", "1",
             "the force points along binormal x edge; 0: in the xy plane, towards the triangle"),
    SOFA_ROW(show_forces, "showForces", "0", "", "draw the forces", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(topology, "topology", NULL, "", "topology of the edges", .link = &topology_rule),
};

/* ---- selection ---- */

static SofaErr add_edge(EdgePressureForceField *p, SofaEdge edge) {
  const SofaForceField *ff = &p->force_field;
  const double *rest = load_rest(ff);
  for (int k = 0; k < 2; k++)
    if (edge.v[k] >= load_n_points(ff))
      return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                              "edge %u %u: the state has %zu points only", edge.v[0], edge.v[1],
                              load_n_points(ff));
  const LoadedEdge loaded = {
      .edge = edge,
      .length = sofa_vec3_distance(rest + 3 * (size_t)edge.v[0], rest + 3 * (size_t)edge.v[1]),
      .apex = UINT32_MAX};
  return SOFA_APPEND(ff->object.ctx, &p->loaded, &loaded);
}

static SofaErr select_edges(EdgePressureForceField *p, const SofaEdges *all) {
  SofaObject *object = &p->force_field.object;
  SofaIndices between = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done,
          face_select(&p->force_field, p->normal.v, p->dmin, p->dmax, FACES(all), &between));
  for (size_t k = 0; k < between.n; k++)
    SOFA_GO(err, done, add_edge(p, all->data[between.data[k]]));
  for (size_t k = 0; k < p->indices.n; k++)
    SOFA_GO(err, done, add_edge(p, all->data[p->indices.data[k]]));
  for (size_t k = 0; k < p->edges.n; k++) SOFA_GO(err, done, add_edge(p, p->edges.data[k]));
done:
  sofa_list_free(object->ctx, &between);
  return err;
}

/* SOFA takes the length of the topology's edge of the same rank instead of the selected edge's. */
static void take_lengths_by_rank(EdgePressureForceField *p, const SofaEdges *all) {
  const double *rest = load_rest(&p->force_field);
  const size_t n = load_n_points(&p->force_field);
  for (size_t k = 0; k < p->loaded.n && k < all->n; k++) {
    const uint32_t *v = all->data[k].v;
    if (v[0] < n && v[1] < n)
      p->loaded.data[k].length =
          sofa_vec3_distance(rest + 3 * (size_t)v[0], rest + 3 * (size_t)v[1]);
  }
}

/* The triangle at each loaded edge tells where inside is. */
static SofaErr find_triangles(EdgePressureForceField *p, SofaTopology *topology) {
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  const SofaAround *around =
      sofa_topology_around(topology, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT);
  for (size_t k = 0; k < p->loaded.n; k++) {
    LoadedEdge *loaded = &p->loaded.data[k];
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(around, loaded->edge.v[0], &ids);
    for (size_t t = 0; t < n && loaded->apex == UINT32_MAX; t++) {
      const uint32_t *v = triangles->data[ids[t]].v;
      for (int c = 0; c < 3; c++) {
        const uint32_t a = v[c], b = v[(c + 1) % 3];
        if ((a == loaded->edge.v[0] && b == loaded->edge.v[1]) ||
            (b == loaded->edge.v[0] && a == loaded->edge.v[1]))
          loaded->apex = v[(c + 2) % 3];
      }
    }
    if (loaded->apex == UINT32_MAX)
      return sofa_object_fail(&p->force_field.object, SOFA_ERR_ARGUMENT,
                              "edge %u %u belongs to no triangle: without binormal, which side is "
                              "inside is not known",
                              loaded->edge.v[0], loaded->edge.v[1]);
  }
  return SOFA_OK;
}

/* ---- forces ---- */

static bool by_pressure(const EdgePressureForceField *p) {
  return sofa_vec3_norm2(p->pressure.v) > 0;
}

/* Unit vector normal to the edge: binormal x edge, or in the xy plane towards the triangle. */
static void direction(const EdgePressureForceField *p, const LoadedEdge *loaded, const double *x,
                      double *n) {
  const double *a = x + 3 * (size_t)loaded->edge.v[0], *b = x + 3 * (size_t)loaded->edge.v[1];
  const double up[3] = {0, 0, 1};
  double along[3];
  sofa_vec3_sub(b, a, along);
  sofa_vec3_normalize(along);
  if (loaded->apex == UINT32_MAX) {
    sofa_vec3_cross(p->binormal.v, along, n);
    sofa_vec3_normalize(n);
    return;
  }
  double inside[3];
  sofa_vec3_cross(up, along, n);
  sofa_vec3_sub(x + 3 * (size_t)loaded->apex, a, inside);
  if (sofa_vec3_dot(n, inside) < 0) sofa_vec3_scale(-1, n, n);
}

/* The force of an intensity on each end of the edges, at x. */
static void compute(EdgePressureForceField *p, const double *x) {
  for (size_t k = 0; p->intensity.n && k < p->loaded.n; k++) {
    const LoadedEdge *loaded = &p->loaded.data[k];
    const double intensity = p->intensity.data[k < p->intensity.n ? k : 0];
    double *force = p->forces.data[k].v;
    direction(p, loaded, x, force);
    sofa_vec3_scale(0.5 * intensity * loaded->length, force, force);
  }
}

static void add_pressure(const EdgePressureForceField *p, double *f) {
  for (size_t i = 0; i < p->ends.n; i++)
    sofa_vec3_axpy(p->share.data[i], p->pressure.v, f + 3 * (size_t)p->ends.data[i]);
}

static SofaErr edge_add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *const *f) {
  (void)params;
  EdgePressureForceField *p = (EdgePressureForceField *)ff;
  const bool late = sofa_quirk(&ff->object, QUIRK_EDGE_PRESSURE);
  if (by_pressure(p)) {
    add_pressure(p, f[0]);
    return SOFA_OK;
  }
  if (!late) compute(p, at->x[0]);
  for (size_t k = 0; k < p->loaded.n; k++)
    for (int end = 0; end < 2; end++)
      sofa_vec3_axpy(1, p->forces.data[k].v, f[0] + 3 * (size_t)p->loaded.data[k].edge.v[end]);
  if (late) compute(p, ff->state[0]->position.data);
  return SOFA_OK;
}

/* ---- life ---- */

/* Half the length of each loaded edge for each of its ends, in the order in which points come. */
static SofaErr share_out(EdgePressureForceField *p) {
  SofaContext *ctx = p->force_field.object.ctx;
  SofaIndices place = {0}; /* of each point in `ends`, from 1 on */
  SofaErr err = SOFA_RESIZE(ctx, &place, load_n_points(&p->force_field));
  p->ends.n = p->share.n = 0;
  for (size_t i = 0; err == SOFA_OK && i < 2 * p->loaded.n; i++) {
    const LoadedEdge *loaded = &p->loaded.data[i / 2];
    const uint32_t point = loaded->edge.v[i % 2];
    const double none = 0;
    if (!place.data[point]) {
      SOFA_GO(err, done, SOFA_APPEND(ctx, &p->ends, &point));
      SOFA_GO(err, done, SOFA_APPEND(ctx, &p->share, &none));
      place.data[point] = (uint32_t)p->ends.n;
    }
    p->share.data[place.data[point] - 1] += 0.5 * loaded->length;
  }
done:
  sofa_list_free(ctx, &place);
  return err;
}

/* What is kept of the loaded edges, where the state is now. */
static SofaErr keep(EdgePressureForceField *p) {
  SOFA_TRY(SOFA_RESIZE(p->force_field.object.ctx, &p->forces, p->loaded.n));
  SOFA_TRY(share_out(p));
  compute(p, p->force_field.state[0]->position.data);
  return SOFA_OK;
}

static SofaErr edge_init(SofaObject *object) {
  EdgePressureForceField *p = (EdgePressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  const SofaEdges *all = sofa_topology_edges(topology);
  p->loaded.n = p->forces.n = p->ends.n = 0;
  SofaErr err = select_edges(p, all);
  if (err == SOFA_OK && p->intensity.n > 1 && p->intensity.n < p->loaded.n)
    err = sofa_field_fail(object, "p_intensity", SOFA_ERR_ARGUMENT,
                          "has %zu numbers, expected 1 or one for each of the %zu edges",
                          p->intensity.n, p->loaded.n);
  if (err == SOFA_OK && !by_pressure(p)) {
    if (sofa_quirk(object, QUIRK_EDGE_PRESSURE)) take_lengths_by_rank(p, all);
    if (p->intensity.n && !(sofa_vec3_norm2(p->binormal.v) > 0)) err = find_triangles(p, topology);
  }
  if (err == SOFA_OK) err = keep(p);
  if (err != SOFA_OK) p->loaded.n = 0;
  return err;
}

static void edge_destroy(SofaObject *object) {
  EdgePressureForceField *p = (EdgePressureForceField *)object;
  sofa_list_free(object->ctx, &p->loaded);
  sofa_list_free(object->ctx, &p->forces);
  sofa_list_free(object->ctx, &p->ends);
  sofa_list_free(object->ctx, &p->share);
}

/* ---- topological changes: the loaded edges are those of the start that are still there ---- */

static void unload(EdgePressureForceField *p, size_t k) {
  const size_t last = --p->loaded.n;
  p->loaded.data[k] = p->loaded.data[last];
  if (p->intensity.n > last && p->intensity.n > 1) p->intensity.data[k] = p->intensity.data[last];
}

static bool is_edge(const LoadedEdge *loaded, const uint32_t *v) {
  const uint32_t *own = loaded->edge.v;
  return (own[0] == v[0] && own[1] == v[1]) || (own[0] == v[1] && own[1] == v[0]);
}

static void edges_go(EdgePressureForceField *p, const SofaTopologyChange *change) {
  for (size_t i = 0; i < change->n; i++) {
    const uint32_t *v = change->topology->mesh.edges.data[change->ids[i]].v;
    for (size_t k = p->loaded.n; k-- > 0;)
      if (is_edge(&p->loaded.data[k], v)) unload(p, k);
  }
}

static void points_go(EdgePressureForceField *p, const SofaTopologyChange *change) {
  for (size_t k = p->loaded.n; k-- > 0;) {
    LoadedEdge *loaded = &p->loaded.data[k];
    uint32_t *points[3] = {&loaded->edge.v[0], &loaded->edge.v[1], &loaded->apex};
    for (int c = 0; c < 3; c++)
      if (*points[c] < change->n_before) *points[c] = sofa_change_renamed(change, *points[c]);
    if (loaded->edge.v[0] == SOFA_NO_ELEMENT || loaded->edge.v[1] == SOFA_NO_ELEMENT) unload(p, k);
  }
}

/* What the fields select, for the next time they are read: the loaded edges. */
static SofaErr tell_fields(EdgePressureForceField *p) {
  static const char *const names[] = {"edges", "edgeIndices", "dmax", "p_intensity"};
  for (size_t i = 0; i < SOFA_COUNT(names); i++)
    sofa_field_touch_name(&p->force_field.object, names[i]);
  SOFA_TRY(SOFA_RESIZE(p->force_field.object.ctx, &p->edges, p->loaded.n));
  for (size_t k = 0; k < p->loaded.n; k++) p->edges.data[k] = p->loaded.data[k].edge;
  p->indices.n = 0;
  p->dmax = p->dmin;
  return SOFA_OK;
}

static SofaErr edge_listen(SofaObject *object, const SofaTopologyChange *change) {
  EdgePressureForceField *p = (EdgePressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (change->kind == SOFA_CHANGE_REMOVE) {
    if (sofa_change_of(change, topology, SOFA_ELEMENT_EDGE)) edges_go(p, change);
    if (sofa_change_moves(change, p->force_field.state[0])) points_go(p, change);
  }
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  SOFA_TRY(tell_fields(p));
  // the triangle at an edge may be another one
  if (!by_pressure(p) && p->intensity.n && !(sofa_vec3_norm2(p->binormal.v) > 0)) {
    for (size_t k = 0; k < p->loaded.n; k++) p->loaded.data[k].apex = UINT32_MAX;
    SOFA_TRY(find_triangles(p, topology));
  }
  return keep(p);
}

static const SofaTopologyListenerOps listener = {.listen = edge_listen};

/* A force per length at rest is a dead load: -f (x_a + x_b) on each edge. */
static SofaErr edge_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           double *energy) {
  (void)params;
  const EdgePressureForceField *p = (const EdgePressureForceField *)ff;
  const double *x = at->x[0];
  *energy = 0;
  for (size_t i = 0; by_pressure(p) && i < p->ends.n; i++)
    *energy -= p->share.data[i] * sofa_vec3_dot(p->pressure.v, x + 3 * (size_t)p->ends.data[i]);
  return SOFA_OK;
}

/* An intensity follows the normals of moving edges: it has no potential. */
static bool is_dead(const SofaForceField *ff) {
  const EdgePressureForceField *p = (const EdgePressureForceField *)ff;
  return by_pressure(p) || p->intensity.n == 0;
}

static const SofaApproximation left_out = {
    "an intensity follows the edges, and there is no tangent of that", true};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  return is_dead(ff) ? NULL : &left_out;
}

static const SofaForceFieldOps ops = {.add_force = edge_add_force,
                                      .potential_energy = edge_energy,
                                      .conservative = is_dead,
                                      .approximation = approximation,
                                      .is_load = true};

/* The loaded edges; with a size of arrows, the force on each end. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const EdgePressureForceField *p = (const EdgePressureForceField *)object;
  const SofaState *state = p->force_field.state[0];
  if (!p->show_forces) return;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)p->force_field.state)) return;
  for (size_t k = 0; k < p->loaded.n; k++) {
    const uint32_t *v = p->loaded.data[k].edge.v;
    double force[3];
    if (by_pressure(p)) sofa_vec3_scale(0.5 * p->loaded.data[k].length, p->pressure.v, force);
    else sofa_vec3_copy(p->forces.data[k].v, force);
    sofa_draw_link(args->list, (SofaStatePoint){state, v[0]}, (SofaStatePoint){state, v[1]}, 3,
                   SOFA_RGB(0, 1, 0));
    for (int end = 0; end < 2 && p->arrow_size > 0; end++)
      sofa_draw_force(args->list, (SofaStatePoint){state, v[end]}, force, 3, p->arrow_size,
                      SOFA_RGB(1, 0.4, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(EdgePressureForceField) = {
    SOFA_NAMED(EdgePressureForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "A force per length at rest on edges, half of it on each end: a constant vector, or "
            "an intensity normal to the moving edge.",
    .equations = "f_a = f_b = 1/2 l_0 p",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = edge_init,
    .reinit = edge_init,
    .destroy = edge_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
