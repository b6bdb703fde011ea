/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the way of a cut over a surface, and carrying it out. */
#include "incision.h"

#include <math.h>
#include <string.h>

#include "change/topological_mapping.h"
#include "cut_mesh.h"
#include "math/vec.h"
#include "set_container.h"

enum { MOST = 4 };                  /* steps of a way per triangle there is */
static const double LEAST = 1e-6;   /* part of an edge: what is nearer is at the vertex */
static const double PLANAR = 1e-10; /* sine of the angle between path and normal */

/* ---- the way ---- */

typedef struct Way {
  CutMesh mesh;
  const SofaIncision *incision;
  SofaIndices visited; /* per point: 1 + the number of the leg that came there last */
} Way;

static SofaErr mark_visited(Way *way, uint32_t point, uint32_t leg) {
  if (way->visited.n < way->mesh.x.n)
    SOFA_TRY(SOFA_RESIZE(way->mesh.ctx, &way->visited, way->mesh.x.n));
  way->visited.data[point] = leg + 1;
  return SOFA_OK;
}

static bool was_visited(const Way *way, uint32_t point, uint32_t leg) {
  return point < way->visited.n && way->visited.data[point] == leg + 1;
}

/* The part of an old triangle that a place is in now, and the weights there. */
static uint32_t find_part(const CutMesh *m, const SofaSurfacePlace *place, double w[3]) {
  const uint32_t *v = m->triangles.data[place->triangle].v;
  double p[3] = {0, 0, 0}, best = INFINITY;
  uint32_t found = place->triangle;
  for (int k = 0; k < 3; k++) sofa_vec3_axpy(place->weights[k], m->x.data[v[k]].v, p);
  memcpy(w, place->weights, 3 * sizeof *w);
  for (uint32_t t = 0; t < m->triangles.n && m->gone.data[place->triangle]; t++) {
    double here[3];
    if (m->gone.data[t] || m->origin.data[t] != place->triangle) continue;
    const uint32_t *c = m->triangles.data[t].v;
    const double d =
        sofa_triangle_nearest(m->x.data[c[0]].v, m->x.data[c[1]].v, m->x.data[c[2]].v, p, here);
    if (!(d < best)) continue;
    best = d;
    found = t;
    memcpy(w, here, sizeof here);
  }
  return found;
}

/* The vertex at a place, made if nothing is near. */
static SofaErr put_vertex(Way *way, const SofaSurfacePlace *place, uint32_t *point) {
  CutMesh *m = &way->mesh;
  const double snap = fmax(way->incision->snap_end, LEAST);
  double w[3];
  const uint32_t triangle = find_part(m, place, w);
  const uint32_t *v = m->triangles.data[triangle].v;
  int least = 0, most = 0;
  for (int k = 1; k < 3; k++) {
    if (w[k] < w[least]) least = k;
    if (w[k] >= w[most]) most = k;
  }
  *point = v[most];
  if (w[most] > 1 - snap) return SOFA_OK;
  if (w[least] >= snap) return cut_mesh_split_triangle(m, triangle, w, point);
  const uint32_t a = v[(least + 1) % 3], b = v[(least + 2) % 3];
  const double wa = w[(least + 1) % 3], wb = w[(least + 2) % 3], t = wb / (wa + wb);
  if (t > snap && t < 1 - snap) return cut_mesh_split_edge(m, a, b, t, point);
  return SOFA_OK;
}

/* Sum of the normals of the triangles around a point, weighted by area. */
static void add_normal(const CutMesh *m, uint32_t point, double n[3]) {
  double sum[3] = {0, 0, 0};
  for (uint32_t c = cut_mesh_first(m, point); c != SOFA_NO_ELEMENT; c = cut_mesh_next(m, c)) {
    uint32_t p, q;
    double u[3], w[3], normal[3];
    cut_mesh_others(m, c, &p, &q);
    sofa_vec3_sub(m->x.data[p].v, m->x.data[point].v, u);
    sofa_vec3_sub(m->x.data[q].v, m->x.data[point].v, w);
    sofa_vec3_cross(u, w, normal);
    sofa_vec3_add(sum, normal, sum);
  }
  sofa_vec3_normalize(sum);
  sofa_vec3_add(n, sum, n);
}

static SofaErr refuse(const Way *way, size_t leg, uint32_t at, const char *what) {
  const double *x = way->mesh.x.data[at].v;
  return sofa_object_fail(way->incision->caller, SOFA_ERR_RANGE,
                          "the path of the incision from point %zu to point %zu %s at (%g %g %g)",
                          leg, leg + 1, what, x[0], x[1], x[2]);
}

/* Where a step may go. */
typedef struct Step {
  uint32_t a, b; /* the edge ahead; a == b: a vertex */
  double t;      /* the crossing: (1 - t) a + t b */
  double along;  /* cosine of the angle to the way */
} Step;

/* Where a step begins and what it heads for. */
typedef struct Heading {
  uint32_t from, leg;
  double d[3], plane[3]; /* to the target; normal of the plane that the way is in */
} Heading;

/* The edge opposite of a corner, when the plane crosses it in the direction of the heading. */
static void look_ahead(const Way *way, uint32_t corner, const Heading *heading, Step *best) {
  const double *plane = heading->plane, *d = heading->d;
  const CutMesh *m = &way->mesh;
  const double snap = fmax(way->incision->snap_path, LEAST);
  uint32_t p, q;
  double u[3], w[3], c[3];
  cut_mesh_others(m, corner, &p, &q);
  sofa_vec3_sub(m->x.data[p].v, m->x.data[heading->from].v, u);
  sofa_vec3_sub(m->x.data[q].v, m->x.data[heading->from].v, w);
  const double sp = sofa_vec3_dot(plane, u), sq = sofa_vec3_dot(plane, w);
  if ((sp > 0 && sq > 0) || (sp < 0 && sq < 0) || sp == sq) return;
  Step step = {.a = p, .b = q, .t = sp / (sp - sq)};
  const uint32_t near = step.t < 0.5 ? p : q;
  const double off = fmin(step.t, 1 - step.t);
  sofa_vec3_copy(u, c);
  sofa_vec3_scale(1 - step.t, c, c);
  sofa_vec3_axpy(step.t, w, c);
  step.along = sofa_vec3_dot(c, d) / (sofa_vec3_norm(c) * sofa_vec3_norm(d));
  if (!(step.along > 0) || !(step.along > best->along)) return;
  // a vertex that it has visited is not visited again
  if (off < snap && !was_visited(way, near, heading->leg)) step.a = step.b = near;
  else if (off < LEAST) return;
  *best = step;
}

/* Goes from a vertex one step nearer to the target. */
static SofaErr go_ahead(Way *way, uint32_t from, uint32_t to, const double normal[3], uint32_t leg,
                        uint32_t *next) {
  CutMesh *m = &way->mesh;
  Step best = {.a = SOFA_NO_ELEMENT, .along = 0};
  Heading heading = {.from = from, .leg = leg};
  bool border = false;
  sofa_vec3_sub(m->x.data[to].v, m->x.data[from].v, heading.d);
  sofa_vec3_cross(heading.d, normal, heading.plane);
  if (!(sofa_vec3_norm(heading.plane) >
        PLANAR * sofa_vec3_norm(heading.d) * sofa_vec3_norm(normal)))
    return refuse(way, leg, from, "goes along the normal of the surface");
  for (uint32_t c = cut_mesh_first(m, from); c != SOFA_NO_ELEMENT; c = cut_mesh_next(m, c)) {
    uint32_t p, q;
    cut_mesh_others(m, c, &p, &q);
    border = border || cut_mesh_on_border(m, from, p) || cut_mesh_on_border(m, from, q);
    *next = to;
    if (p == to || q == to) return SOFA_OK;
    look_ahead(way, c, &heading, &best);
  }
  if (best.a == SOFA_NO_ELEMENT)
    return refuse(way, leg, from,
                  border ? "leaves the surface over a border or a former cut" : "finds no way on");
  *next = best.a;
  return best.a == best.b ? SOFA_OK : cut_mesh_split_edge(m, best.a, best.b, best.t, next);
}

/* Marks the way between two vertices. */
static SofaErr go(Way *way, uint32_t from, uint32_t to, uint32_t leg) {
  CutMesh *m = &way->mesh;
  const size_t most = MOST * m->triangles.n + 64;
  double normal[3] = {0, 0, 0};
  add_normal(m, from, normal);
  add_normal(m, to, normal);
  SOFA_TRY(mark_visited(way, from, leg));
  for (size_t step = 0; from != to; step++) {
    uint32_t next = to;
    if (step == most) return refuse(way, leg, from, "does not end");
    SOFA_TRY(go_ahead(way, from, to, normal, leg, &next));
    SOFA_TRY(mark_visited(way, next, leg));
    SOFA_TRY(cut_mesh_mark(m, from, next));
    from = next;
  }
  return SOFA_OK;
}

/* Do points of the marked edges get doubled? Else there is one edge only, inside. */
static bool opens(const CutMesh *m) {
  if (m->cuts.n != 1) return true;
  const uint32_t *v = m->cuts.data[0].v;
  for (int k = 0; k < 2; k++)
    for (uint32_t c = cut_mesh_first(m, v[k]); c != SOFA_NO_ELEMENT; c = cut_mesh_next(m, c)) {
      uint32_t p, q;
      cut_mesh_others(m, c, &p, &q);
      if (cut_mesh_on_border(m, v[k], p) || cut_mesh_on_border(m, v[k], q)) return true;
    }
  return false;
}

static SofaErr find_way(Way *way, SofaIncisionResult *result) {
  const SofaIncision *in = way->incision;
  CutMesh *m = &way->mesh;
  uint32_t from = SOFA_NO_ELEMENT, to;
  for (size_t i = 0; i < in->n; i++) {
    SOFA_TRY(put_vertex(way, &in->places[i], &to));
    if (i == 0) result->first = to;
    else SOFA_TRY(go(way, from, to, (uint32_t)i - 1));
    from = result->last = to;
  }
  if (m->cuts.n == 0)
    return sofa_object_fail(in->caller, SOFA_ERR_RANGE,
                            "the path of the incision has no length: all its points are at vertex "
                            "%u or too near to it (epsilonSnapBorder %g)",
                            from, in->snap_end);
  if (opens(m)) return SOFA_OK;
  return cut_mesh_split_edge(m, m->cuts.data[0].v[0], m->cuts.data[0].v[1], 0.5, &to);
}

/* ---- carrying out ---- */

static SofaErr apply(SofaTopologyEdit *edit, const SofaIncision *in, const CutMesh *m) {
  SofaContext *ctx = m->ctx;
  SofaIndices gone = {0}, vertices = {0}, origins = {0};
  SofaErr err = SOFA_OK;
  for (uint32_t t = 0; t < m->triangles.n; t++) {
    const bool old = t < m->n_triangles;
    if (old && m->gone.data[t]) SOFA_GO(err, done, SOFA_APPEND(ctx, &gone, &t));
    for (int k = 0; k < 3 && !old && !m->gone.data[t]; k++)
      SOFA_GO(err, done, SOFA_APPEND(ctx, &vertices, &m->triangles.data[t].v[k]));
    if (!old && !m->gone.data[t])
      SOFA_GO(err, done, SOFA_APPEND(ctx, &origins, &m->origin.data[t]));
  }
  // new elements come before old ones go, so that no point is left without any
  SOFA_GO(err, done,
          sofa_topology_add_points(edit, in->topology, m->x.n - m->n_points, &m->ancestors));
  SOFA_GO(err, done,
          sofa_topology_add_parts(edit, in->topology, SOFA_ELEMENT_TRIANGLE, vertices.data,
                                  vertices.n / 3, origins.data));
  err = sofa_topology_remove(edit, in->topology, SOFA_ELEMENT_TRIANGLE, gone.data, gone.n,
                             SOFA_REMOVE_SUBS);
done:
  sofa_list_free(ctx, &gone);
  sofa_list_free(ctx, &vertices);
  sofa_list_free(ctx, &origins);
  return err;
}

const double *sofa_incision_rest(const SofaState *state) {
  const bool rest = state->rest_position.n == state->position.n;
  return rest ? state->rest_position.data : state->position.data;
}

static SofaErr check_topology(SofaTopologyEdit *edit, const SofaIncision *in) {
  const SofaTopology *t = in->topology;
  const SofaObject *caller = in->caller;
  if (!sofa_topology_may_change(t) || ((const SofaSetContainer *)t)->top != SOFA_ELEMENT_TRIANGLE)
    return sofa_object_fail(caller, SOFA_ERR_ARGUMENT,
                            "%s '%s' cannot be cut: expected a TriangleSetTopologyContainer with a "
                            "TriangleSetTopologyModifier in the same node",
                            t->object.klass->name, t->object.name);
  for (size_t i = 0; i < edit->objects.n; i++) {
    const SofaObject *object = edit->objects.data[i];
    if (sofa_valid(object) && sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING) &&
        ((const SofaTopologicalMapping *)object)->to == t)
      return sofa_object_fail(caller, SOFA_ERR_ARGUMENT,
                              "'%s' cannot be cut: its triangles are made by the %s '%s'",
                              t->object.name, object->klass->name, object->name);
  }
  return SOFA_OK;
}

static SofaErr check_points(const SofaIncision *in) {
  const SofaTopology *t = in->topology;
  const SofaState *s = in->state;
  if (!s || s->object.kind != SOFA_VEC3)
    return sofa_object_fail(
        in->caller, SOFA_ERR_ARGUMENT,
        "'%s' cannot be cut: there is no mechanical state Vec3d with its points", t->object.name);
  if (sofa_state_size(s) != t->n_points || sofa_mesh_vertex_count(&t->mesh) > t->n_points)
    return sofa_object_fail(in->caller, SOFA_ERR_ARGUMENT,
                            "'%s' cannot be cut: it has %zu points, the state '%s' has %zu",
                            t->object.name, t->n_points, s->object.name, sofa_state_size(s));
  for (size_t i = 0; i < 3 * s->position.n; i++)
    if (!isfinite(s->position.data[i]))
      return sofa_object_fail(in->caller, SOFA_ERR_RANGE,
                              "'%s' cannot be cut: point %zu is at no finite place", t->object.name,
                              i / 3);
  return SOFA_OK;
}

SofaErr sofa_incision_check(SofaTopologyEdit *edit, const SofaIncision *in) {
  SOFA_TRY(check_topology(edit, in));
  SOFA_TRY(check_points(in));
  const size_t n = in->topology->mesh.triangles.n;
  if (in->n < 2)
    return sofa_object_fail(in->caller, SOFA_ERR_RANGE,
                            "the path of an incision needs 2 points at least, it has %zu", in->n);
  for (size_t i = 0; i < in->n; i++) {
    const double *w = in->places[i].weights;
    if (in->places[i].triangle >= n)
      return sofa_object_fail(in->caller, SOFA_ERR_RANGE,
                              "point %zu of the incision is in triangle %u: there are %zu", i,
                              in->places[i].triangle, n);
    if (!(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) < 1e-6))
      return sofa_object_fail(in->caller, SOFA_ERR_RANGE,
                              "point %zu of the incision is outside of its triangle %u", i,
                              in->places[i].triangle);
  }
  return SOFA_OK;
}

SofaErr sofa_incise(SofaTopologyEdit *edit, const SofaIncision *in, SofaIncisionResult *result) {
  Way way = {.incision = in};
  *result = (SofaIncisionResult){0};
  SOFA_TRY(sofa_incision_check(edit, in));
  SofaErr err = cut_mesh_make(in->caller->ctx, in->state->position.data, in->state->position.n,
                              &in->topology->mesh.triangles, &way.mesh);
  if (err == SOFA_OK) err = find_way(&way, result);
  result->edges = way.mesh.cuts.n;
  if (err == SOFA_OK) err = cut_mesh_open(&way.mesh, &result->doubled);
  if (err == SOFA_OK && !result->doubled)
    err = sofa_object_fail(
        in->caller, SOFA_ERR_RANGE,
        "the incision does not open anything: its path follows a border or a former cut");
  if (err == SOFA_OK) err = apply(edit, in, &way.mesh);
  cut_mesh_free(&way.mesh);
  sofa_list_free(in->caller->ctx, &way.visited);
  return err;
}
