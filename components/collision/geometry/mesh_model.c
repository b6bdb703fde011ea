/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/geometry/mesh_model.h"

#include <math.h>
#include "math/vec.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(SofaCollisionModel, topology_link, "topology", NULL, "",
               "topology with the elements; default: the node's, else the nearest ancestor's",
               .link = &topology_rule),
};

bool mesh_model_can_create(SofaNode *node, const struct SofaElement *element,
                           const char *template_name, SofaText *why) {
  (void)element;
  (void)template_name;
  const SofaState *state = sofa_node_state(node);
  if (state && state->object.kind == SOFA_VEC3) return true;
  (void)sofa_text_printf(
      node->object.ctx, why, "%s",
      state ? "the state of this node, or of the nearest one above, is not of Vec3d"
            : "no mechanical state of Vec3d stands before it in this node or above");
  return false;
}

static SofaErr init(SofaObject *object) {
  MeshModel *m = (MeshModel *)object;
  m->model.state = sofa_node_state(object->node);
  if (!m->model.topology) m->model.topology = sofa_node_topology(object->node);
  if (!m->model.state)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no mechanical state in this node or above");
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((MeshModel *)object)->corners);
}

const SofaClass mesh_collision_model_class = {
    .name = "MeshCollisionModel",
    .module = "csofa",
    .category = "CollisionModel",
    .help = "Collision models of the elements of a topology.",
    .base = &sofa_collision_model_class,
    .size = sizeof(MeshModel),
    SOFA_FIELDS(fields),
    .init = init,
    .destroy = destroy,
    .abstract = true,
};

/* ---- elements ---- */

bool mesh_model_changed(const SofaCollisionModel *model) {
  const MeshModel *m = (const MeshModel *)model;
  return !m->is_known || m->n_points != sofa_state_size(model->state) ||
         (model->topology && m->topology_revision != model->topology->revision);
}

void mesh_model_begin(MeshModel *m, bool *stale) {
  *stale = mesh_model_changed(&m->model);
  if (!*stale) return;
  m->is_known = true;
  m->n_points = sofa_state_size(m->model.state);
  if (m->model.topology) m->topology_revision = m->model.topology->revision;
  m->model.revision++;
}

/* Points that an element may have: those of the state, and, as long as the topology is that of the
 * scene, those with a position there. */
static size_t known_points(const MeshModel *m) {
  const SofaTopology *t = m->model.topology;
  const size_t n = t && !t->changed ? t->mesh.position.n : 0;
  return n > 0 && n < m->n_points ? n : m->n_points;
}

SofaErr mesh_model_set(MeshModel *m, size_t n) {
  SofaCollisionModel *model = &m->model;
  const size_t n_points = known_points(m);
  for (size_t i = 0; i < m->corners.n; i++)
    if (m->corners.data[i] >= n_points) {
      const size_t bad = i / model->kind->corners;
      model->n = 0;
      return sofa_object_fail(&model->object, SOFA_ERR_RANGE,
                              "%s %zu of the topology has point %u, but there are %zu points",
                              model->kind->name, bad, m->corners.data[i], n_points);
    }
  model->corners = m->corners.data;
  model->n = n;
  return SOFA_OK;
}

/* ---- places of contacts ---- */

void line_weights(const double *a, const double *b, const double p[3], double w[2]) {
  double ab[3], ap[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(p, a, ap);
  const double length2 = sofa_vec3_dot(ab, ab);
  w[1] = length2 > 2.220446049250313e-16 ? sofa_vec3_dot(ap, ab) / length2 : 0;
  w[0] = 1 - w[1];
}

static void set_weights(double w[3], double u, double v) {
  w[0] = 1 - u - v;
  w[1] = u;
  w[2] = v;
}

/* With A11 = AB^2, A22 = AC^2, A12 = AB AC and b = (AP AB, AP AC). A triangle without area has the
 * weights of its longer side. */
void triangle_weights(const double *a, const double *b, const double *c, const double p[3],
                      double w[3]) {
  double ab[3], ac[3], ap[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(c, a, ac);
  sofa_vec3_sub(p, a, ap);
  const double a11 = sofa_vec3_dot(ab, ab), a22 = sofa_vec3_dot(ac, ac),
               a12 = sofa_vec3_dot(ab, ac);
  const double b1 = sofa_vec3_dot(ap, ab), b2 = sofa_vec3_dot(ap, ac), det = a11 * a22 - a12 * a12;
  double u = (b1 * a22 - b2 * a12) / det, v = (b2 * a11 - b1 * a12) / det;
  if (!(det > 0)) {
    u = a11 > 0 && a11 >= a22 ? fmin(fmax(b1 / a11, 0), 1) : 0;
    v = a22 > a11 ? fmin(fmax(b2 / a22, 0), 1) : 0;
  } else if (u < 0 || v < 0 || u + v > 1) {
    const double on_ab = b1 / a11, on_ac = b2 / a22;
    const double on_bc = (b2 - b1 + a11 - a12) / (a11 + a22 - 2 * a12);
    if (on_ab < 0 && on_ac < 0) u = v = 0;
    else if (on_ab < 1 && v < 0) u = on_ab, v = 0;
    else if (on_ac < 1 && u < 0) u = 0, v = on_ac;
    else v = fmin(fmax(on_bc, 0), 1), u = 1 - v;
  }
  set_weights(w, u, v);
}
