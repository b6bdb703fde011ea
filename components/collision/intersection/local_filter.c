/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/intersection/local_filter.h"

#include <math.h>
#include "math/vec.h"

extern const SofaClass sofa_LineCollisionModel_class;

void local_filter_begin(LocalFilter *f, const SofaCollisionModel *model, LocalFilterRule rule) {
  SofaTopology *topology = model->topology;
  *f = (LocalFilter){.model = model, .rule = rule};
  if (model->kind == &sofa_collision_triangle) f->passes = model->both_side;
  else if (model->kind == &sofa_collision_point)
    f->passes =
        !sofa_node_find_class(model->object.node, &sofa_LineCollisionModel_class, SOFA_SEARCH_UP);
  else f->passes = model->kind != &sofa_collision_line;
  if (f->passes || !topology) return;
  if (model->kind == &sofa_collision_line)
    f->triangles = sofa_topology_around(topology, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE);
  if (model->kind != &sofa_collision_point) return;
  f->triangles = sofa_topology_around(topology, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT);
  f->edges = sofa_topology_around(topology, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT);
}

static const double *place(const LocalFilter *f, uint32_t point) {
  const SofaCoords *x = &f->model->state->position;
  return x->data + (size_t)point * x->width;
}

/* The topology may be that of a body with more points than the state. */
static bool has_points(const LocalFilter *f, const uint32_t *v, int n) {
  for (int k = 0; k < n; k++)
    if (v[k] >= f->model->state->position.n) return false;
  return true;
}

/* Zero for a triangle with a point that the state does not have. */
static void triangle_normal(const LocalFilter *f, const uint32_t *v, double *normal) {
  double a[3], b[3];
  sofa_vec3_set(normal, 0, 0, 0);
  if (!has_points(f, v, 3)) return;
  const double *p = place(f, v[0]);
  sofa_vec3_sub(place(f, v[1]), p, a);
  sofa_vec3_sub(place(f, v[2]), p, b);
  sofa_vec3_cross(a, b, normal);
}

/* Is v within the half space of t, made larger by the cone? */
static bool in_cone(const LocalFilter *f, const double *mean, const double *t, const double *v) {
  const double turn = sofa_vec3_dot(mean, t) * f->rule.cone_factor;
  const double c = (turn > 0 ? turn : 0) + f->rule.angle_cone;
  return !(sofa_vec3_dot(t, v) < -c * sofa_vec3_norm(v));
}

/* ---- points ---- */

/* Unit vector from the other end of the edge to the point; zero where the state has no such end. */
static void from_other_end(const LocalFilter *f, uint32_t edge, uint32_t point, double *l) {
  const uint32_t *v = f->model->topology->mesh.edges.data[edge].v;
  sofa_vec3_set(l, 0, 0, 0);
  if (!has_points(f, v, 2)) return;
  sofa_vec3_sub(place(f, point), place(f, v[v[0] == point]), l);
  sofa_vec3_normalize(l);
}

/* Sum of the unit normals of the triangles around the point, else of its edges' directions. */
static void mean_of_point(const LocalFilter *f, uint32_t point, double *mean) {
  const uint32_t *ids = NULL;
  double n[3];
  sofa_vec3_set(mean, 0, 0, 0);
  const size_t n_triangles = f->triangles ? sofa_around_row(f->triangles, point, &ids) : 0;
  for (size_t k = 0; k < n_triangles; k++) {
    triangle_normal(f, f->model->topology->mesh.triangles.data[ids[k]].v, n);
    sofa_vec3_normalize(n);
    sofa_vec3_add(mean, n, mean);
  }
  if (n_triangles) return;
  const size_t n_edges = f->edges ? sofa_around_row(f->edges, point, &ids) : 0;
  for (size_t k = 0; k < n_edges; k++) {
    from_other_end(f, ids[k], point, n);
    sofa_vec3_add(mean, n, mean);
  }
}

static bool point_accepts(const LocalFilter *f, uint32_t point, const double *v) {
  const uint32_t *ids = NULL;
  double mean[3], l[3];
  mean_of_point(f, point, mean);
  if (sofa_vec3_norm(mean) > 1e-10) {
    sofa_vec3_normalize(mean);
    if (!f->model->both_side && sofa_vec3_dot(mean, v) < -f->rule.angle_cone * sofa_vec3_norm(v))
      return false;
  }
  const size_t n_edges = f->edges ? sofa_around_row(f->edges, point, &ids) : 0;
  for (size_t k = 0; k < n_edges; k++) {
    from_other_end(f, ids[k], point, l);
    if (!in_cone(f, mean, l, v)) return false;
  }
  return true;
}

/* ---- lines ---- */

static bool has_direction(const uint32_t *triangle, const uint32_t *edge) {
  for (int k = 0; k < 3; k++)
    if (triangle[k] == edge[0] && triangle[(k + 1) % 3] == edge[1]) return true;
  return false;
}

/* The side of the triangle at the edge with direction ab, away from it: its normal, and the unit
 * vector in its plane that points out of it. sign: 1 right of the edge, -1 left. */
static void side(const LocalFilter *f, uint32_t triangle, const double *ab, double sign, double *n,
                 double *t) {
  triangle_normal(f, f->model->topology->mesh.triangles.data[triangle].v, n);
  sofa_vec3_normalize(n);
  sofa_vec3_cross(n, ab, t);
  sofa_vec3_scale(sign, t, t);
  sofa_vec3_normalize(t);
}

static bool between_triangles(const LocalFilter *f, const uint32_t *edge, const uint32_t *ids,
                              const double *v) {
  const bool left_first = has_direction(f->model->topology->mesh.triangles.data[ids[0]].v, edge);
  double ab[3], n1[3], n2[3], t1[3], t2[3], mean[3];
  sofa_vec3_sub(place(f, edge[1]), place(f, edge[0]), ab);
  sofa_vec3_normalize(ab);
  side(f, ids[left_first ? 1 : 0], ab, 1, n1, t1);
  side(f, ids[left_first ? 0 : 1], ab, -1, n2, t2);
  sofa_vec3_add(n1, n2, mean);
  sofa_vec3_normalize(mean);
  if (!f->model->both_side && sofa_vec3_dot(mean, v) < 0) return false;
  return in_cone(f, mean, t1, v) && in_cone(f, mean, t2, v);
}

/* Lines of a surface: by the two triangles. Others: across the line. */
static bool line_accepts(const LocalFilter *f, uint32_t i, const double *v) {
  const uint32_t *edge = f->model->corners + 2 * (size_t)i, *ids = NULL;
  double ab[3];
  if (f->triangles && sofa_around_row(f->triangles, i, &ids) == 2)
    return between_triangles(f, edge, ids, v);
  sofa_vec3_sub(place(f, edge[1]), place(f, edge[0]), ab);
  sofa_vec3_normalize(ab);
  return !(fabs(sofa_vec3_dot(ab, v)) > (f->rule.angle_cone + 1e-4) * sofa_vec3_norm(v));
}

bool local_filter_accepts(const LocalFilter *f, uint32_t i, const double v[3]) {
  if (f->passes) return true;
  if (f->model->kind == &sofa_collision_point) return point_accepts(f, i, v);
  if (f->model->kind == &sofa_collision_line) return line_accepts(f, i, v);
  double n[3];
  triangle_normal(f, f->model->corners + 3 * (size_t)i, n);
  return !(sofa_vec3_dot(n, v) < 0);
}
