/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rays against the faces of bodies and visual models. */
#include "viewer/pick.h"

#include <math.h>

#include "behavior/collision_model.h"
#include "behavior/draw_state.h"
#include "behavior/mapping.h"
#include "behavior/visual_model.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/data_graph.h"

enum { NONE = PICK_NO_CORNER };

typedef struct FaceTable {
  SofaElementKind kind;
  unsigned n;
  uint8_t faces[6][4];
} FaceTable;

static const FaceTable tables[] = {
    {SOFA_ELEMENT_HEXA,
     6,
     {{0, 1, 2, 3}, {4, 7, 6, 5}, {1, 0, 4, 5}, {1, 5, 6, 2}, {2, 6, 7, 3}, {0, 3, 7, 4}}},
    {SOFA_ELEMENT_PRISM,
     5,
     {{0, 2, 1, NONE}, {3, 4, 5, NONE}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    {SOFA_ELEMENT_PYRAMID,
     5,
     {{0, 3, 2, 1}, {0, 1, 4, NONE}, {1, 2, 4, NONE}, {2, 3, 4, NONE}, {3, 0, 4, NONE}}},
    {SOFA_ELEMENT_TETRA, 4, {{1, 2, 3, NONE}, {0, 3, 2, NONE}, {0, 1, 3, NONE}, {0, 2, 1, NONE}}},
    {SOFA_ELEMENT_QUAD, 1, {{0, 1, 2, 3}}},
    {SOFA_ELEMENT_TRIANGLE, 1, {{0, 1, 2, NONE}}},
};

/* ---- one face ---- */

static bool wants(const PickRay *ray, const SofaObject *state) {
  return sofa_valid(state) && (!ray->wants || ray->wants(ray->user, state));
}

/* What is being looked at. */
typedef struct Target {
  const PickRay *ray;
  double direction[3]; /* unit */
  SofaState *state;
  SofaTopology *topology;
  const double *position; /* `stride` reals per point */
  size_t n_points, stride;
  PickHit *best;
} Target;

/* Moeller and Trumbore 1997, with barycentric coordinates; borders belong to both neighbours. */
static bool meets(const double *const corners[3], const double *p, const double *d, double *t,
                  double weights[3]) {
  const double *a = corners[0], *b = corners[1], *c = corners[2];
  double ab[3], ac[3], ap[3], dc[3], pb[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(c, a, ac);
  sofa_vec3_cross(d, ac, dc);
  const double det = sofa_vec3_dot(ab, dc);
  if (!(det * det > 1e-24 * sofa_vec3_norm2(ab) * sofa_vec3_norm2(ac))) return false;
  sofa_vec3_sub(p, a, ap);
  weights[1] = sofa_vec3_dot(ap, dc) / det;
  sofa_vec3_cross(ap, ab, pb);
  weights[2] = sofa_vec3_dot(d, pb) / det;
  weights[0] = 1 - weights[1] - weights[2];
  *t = sofa_vec3_dot(ac, pb) / det;
  return weights[0] >= -1e-12 && weights[1] >= -1e-12 && weights[2] >= -1e-12;
}

static void try_triangle(const Target *target, SofaElementKind kind, size_t element, uint32_t a,
                         uint32_t b, uint32_t c) {
  PickHit *best = target->best;
  double t, w[3];
  if (a >= target->n_points || b >= target->n_points || c >= target->n_points) return;
  const double *pa = target->position + a * target->stride;
  const double *pb = target->position + b * target->stride;
  const double *pc = target->position + c * target->stride;
  const double *const corners[3] = {pa, pb, pc};
  if (!meets(corners, target->ray->origin, target->direction, &t, w)) return;
  // coinciding faces: the first one counts
  if (!(t >= target->ray->least) || (best->state && t >= best->distance * (1 - 1e-9))) return;
  *best = (PickHit){.state = target->state,
                    .topology = target->topology,
                    .kind = kind,
                    .element = element,
                    .points = {a, b, c},
                    .distance = t};
  double ab[3], ac[3];
  for (int k = 0; k < 3; k++) {
    best->weights[k] = fmax(0, w[k]);
    best->position[k] = target->ray->origin[k] + t * target->direction[k];
    ab[k] = pb[k] - pa[k];
    ac[k] = pc[k] - pa[k];
  }
  sofa_vec3_cross(ab, ac, best->normal);
  sofa_vec3_normalize(best->normal);
  if (sofa_vec3_dot(best->normal, target->direction) > 0)
    sofa_vec3_scale(-1, best->normal, best->normal);
}

static void try_elements(const Target *target, const FaceTable *table, const uint32_t *v, size_t n,
                         unsigned width) {
  for (size_t i = 0; i < n; i++, v += width)
    for (unsigned f = 0; f < table->n; f++) {
      const uint8_t *face = table->faces[f];
      try_triangle(target, table->kind, i, v[face[0]], v[face[1]], v[face[2]]);
      if (face[3] != NONE) try_triangle(target, table->kind, i, v[face[0]], v[face[2]], v[face[3]]);
    }
}

/* ---- bodies ---- */

static bool has_volumes(const SofaTopology *t) {
  return t->mesh.tetrahedra.n || t->mesh.hexahedra.n || t->mesh.prisms.n || t->mesh.pyramids.n;
}

static void try_topology(Target *target, SofaTopology *topology) {
  target->topology = topology;
  // faces of surfaces may still have to be listed
  if (!has_volumes(topology)) {
    sofa_topology_quads(topology);
    sofa_topology_triangles(topology);
  }
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const SofaElements e = sofa_mesh_elements(&topology->mesh, tables[i].kind);
    try_elements(target, &tables[i], e.v, e.n, e.width);
  }
}

/* Its own topologies, else the one it inherits; whose points are others is left out. */
static void try_body(Target *target, const SofaNode *node) {
  SofaState *state = target->state;
  bool own = false;
  target->position = state->position.data;
  target->n_points = state->position.n;
  target->stride = state->position.width;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_TOPOLOGY) || !sofa_valid(object)) continue;
    own = true;
    try_topology(target, (SofaTopology *)object);
  }
  SofaTopology *above = own ? NULL : (SofaTopology *)sofa_node_slot_up(node, SOFA_TOPOLOGY);
  if (above && above->n_points == state->position.n) try_topology(target, above);
}

/* ---- balls of collision models ---- */

/* The nearer of the two places where the ray passes through the ball. */
static void try_ball(const Target *target, const double *centre, double radius, size_t element) {
  PickHit *best = target->best;
  double to[3];
  sofa_vec3_sub(centre, target->ray->origin, to);
  const double along = sofa_vec3_dot(to, target->direction);
  const double half2 = radius * radius - (sofa_vec3_norm2(to) - along * along);
  const double t = along - sqrt(fmax(0, half2));
  if (!(half2 >= 0) || !(t >= target->ray->least) || (best->state && t >= best->distance)) return;
  const uint32_t point = (uint32_t)element;
  *best = (PickHit){.state = target->state,
                    .kind = SOFA_ELEMENT_POINT,
                    .element = element,
                    .points = {point, point, point},
                    .weights = {1, 0, 0},
                    .distance = t};
  sofa_vec3_copy(target->ray->origin, best->position);
  sofa_vec3_axpy(t, target->direction, best->position);
  sofa_vec3_sub(best->position, centre, best->normal);
  sofa_vec3_normalize(best->normal);
}

static void try_balls(Target *target, const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_COLLISION_MODEL) || !sofa_valid(object)) continue;
    const SofaCollisionModel *m = (const SofaCollisionModel *)object;
    if (m->kind != &sofa_collision_sphere && m->kind != &sofa_collision_rigid_sphere) continue;
    if (!m->radius || !m->state || !wants(target->ray, &m->state->object)) continue;
    target->state = m->state;
    for (uint32_t k = 0; k < m->n && k < sofa_state_size(m->state); k++)
      try_ball(target, sofa_collision_corner(m, k, 0), m->radius[k], k);
  }
}

/* ---- visual models ---- */

static SofaErr try_visual(Target *target) {
  SofaSurface s = {.enabled = false};
  SOFA_TRY(sofa_data_pull(&target->state->object, NULL));
  SOFA_TRY(sofa_visual_model_ops(target->state)->surface(target->state, &s));
  if (!s.enabled || s.points_only) return SOFA_OK;
  target->topology = NULL;
  target->position = s.position;
  target->n_points = s.n_points;
  target->stride = 3;
  for (size_t i = 0; s.quads && i < s.quads->n; i++) {
    const uint32_t *v = s.quads->data[i].v;
    try_triangle(target, SOFA_ELEMENT_QUAD, i, v[0], v[1], v[2]);
    try_triangle(target, SOFA_ELEMENT_QUAD, i, v[0], v[2], v[3]);
  }
  for (size_t i = 0; s.triangles && i < s.triangles->n; i++) {
    const uint32_t *v = s.triangles->data[i].v;
    try_triangle(target, SOFA_ELEMENT_TRIANGLE, i, v[0], v[1], v[2]);
  }
  return SOFA_OK;
}

/* ---- the scene ---- */

static SofaErr try_bodies(Target *target, const SofaNodes *nodes) {
  for (size_t i = 0; i < nodes->n; i++) {
    try_balls(target, nodes->data[i]);
    SofaState *state = (SofaState *)sofa_node_slot(nodes->data[i], SOFA_MECHANICAL_STATE);
    if (!state || state->object.kind == SOFA_NO_KIND || !wants(target->ray, &state->object))
      continue;
    if (sofa_state_kind_info(state->object.kind)->space < 3) continue;
    target->state = state;
    try_body(target, nodes->data[i]);
  }
  return SOFA_OK;
}

static SofaErr try_visuals(Target *target, const SofaNodes *nodes) {
  for (size_t i = 0; i < nodes->n; i++)
    for (size_t j = 0; j < nodes->data[i]->objects.n; j++) {
      SofaObject *object = nodes->data[i]->objects.data[j];
      if (!sofa_implements(object, SOFA_VISUAL_MODEL) || !wants(target->ray, object)) continue;
      target->state = (SofaState *)object;
      SOFA_TRY(try_visual(target));
    }
  return SOFA_OK;
}

SofaErr pick_ray(SofaNode *root, const PickRay *ray, PickHit *hit) {
  SofaNodes order = {0};
  SofaErr err = SOFA_OK;
  Target target = {.ray = ray, .best = hit};
  *hit = (PickHit){.state = NULL};
  sofa_vec3_copy(ray->direction, target.direction);
  if (!(sofa_vec3_normalize(target.direction) > 0)) return SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(root, &order));
  if (ray->what & PICK_BODIES) SOFA_GO(err, done, try_bodies(&target, &order));
  if (ray->what & PICK_VISUALS) SOFA_GO(err, done, try_visuals(&target, &order));
done:
  sofa_list_free(root->object.ctx, &order);
  return err;
}

unsigned pick_faces(SofaElementKind kind, const uint8_t (**faces)[4]) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].kind == kind) {
      *faces = tables[i].faces;
      return tables[i].n;
    }
  *faces = NULL;
  return 0;
}

uint32_t pick_point(const PickHit *hit) {
  unsigned best = 0;
  for (unsigned k = 1; k < 3; k++)
    if (hit->weights[k] > hit->weights[best]) best = k;
  return hit->points[best];
}

/* ---- anchors ---- */

static bool is_mechanical(const SofaState *state) {
  return sofa_implements(&state->object, SOFA_MECHANICAL_STATE);
}

/* The mapping that moves a state. */
static SofaMapping *mapping_to(const SofaState *state) {
  const SofaNode *node = state->object.node;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_MAPPING) || !sofa_valid(object) || !object->initialised)
      continue;
    SofaMapping *mapping = (SofaMapping *)object;
    if (mapping->out == state) return mapping;
  }
  return NULL;
}

/* Keeps the largest weights of a state, given for all its scalars (those of x count), and makes
 * their sum 1. */
static void take_weights(SofaState *state, const double *all, PickAnchor *anchor) {
  const unsigned deriv = sofa_state_kind_info(state->object.kind)->deriv;
  double sum = 0;
  *anchor = (PickAnchor){.state = state};
  for (size_t i = 0; i < state->position.n; i++) {
    const double w = all[i * deriv];
    if (!(fabs(w) > 1e-9)) continue;
    unsigned at = anchor->n < PICK_WEIGHTS ? anchor->n++ : PICK_WEIGHTS - 1;
    if (at == PICK_WEIGHTS - 1 && fabs(w) <= fabs(anchor->weights[at])) continue;
    for (; at > 0 && fabs(anchor->weights[at - 1]) < fabs(w); at--) {
      anchor->weights[at] = anchor->weights[at - 1];
      anchor->points[at] = anchor->points[at - 1];
    }
    anchor->weights[at] = w;
    anchor->points[at] = (uint32_t)i;
  }
  if (sofa_state_kind_info(state->object.kind)->rigid && anchor->n) anchor->n = 1;
  for (unsigned i = 0; i < anchor->n; i++) sum += anchor->weights[i];
  if (!(fabs(sum) > 1e-6)) *anchor = (PickAnchor){.state = NULL};
  for (unsigned i = 0; i < anchor->n; i++) anchor->weights[i] /= sum;
}

static void set_arm(PickAnchor *anchor, const double place[3]) {
  const SofaState *state = anchor->state;
  double rotation[9], d[3];
  if (!state || !sofa_state_kind_info(state->object.kind)->rigid) return;
  const double *x = state->position.data + anchor->points[0] * state->position.width;
  sofa_quat_to_matrix(x + 3, rotation);
  sofa_vec3_sub(place, x, d);
  sofa_mat3_apply_t(rotation, d, anchor->arm);
}

/* Through the rows of J for the x of the face's points: factors of what moves it along x. */
static SofaErr anchor_at_point(SofaMapping *mapping, const SofaPoint *at, const PickHit *hit,
                               PickAnchor *anchor) {
  const size_t deriv = sofa_state_kind_info(hit->state->object.kind)->deriv;
  SofaContext *ctx = mapping->object.ctx;
  for (size_t i = 0; i < mapping->n_inputs && !anchor->state; i++) {
    SofaState *in = mapping->inputs[i];
    SofaJacobian j;
    if (!is_mechanical(in) || sofa_state_kind_info(in->object.kind)->space < 3) continue;
    SOFA_TRY(sofa_mapping_jacobian(mapping, at, i, &j));
    double *sums = sofa_alloc(ctx, j.n_columns, sizeof *sums);
    if (!sums) return SOFA_ERR_MEMORY;
    for (unsigned k = 0; k < 3; k++) {
      const size_t row = hit->points[k] * deriv;
      if (row >= j.n_rows) continue;
      for (uint32_t e = j.start[row]; e < j.start[row + 1]; e++)
        sums[j.column[e]] += hit->weights[k] * j.value[e];
    }
    if (j.n_columns == in->position.n * sofa_state_kind_info(in->object.kind)->deriv)
      take_weights(in, sums, anchor);
    sofa_free(ctx, sums);
  }
  set_arm(anchor, hit->position);
  return SOFA_OK;
}

static SofaErr anchor_of_mapping(SofaMapping *mapping, const PickHit *hit, PickAnchor *anchor) {
  SofaContext *ctx = mapping->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaPoint at;
  SofaErr err = sofa_mapping_point(mapping, &at);
  if (err == SOFA_OK) err = anchor_at_point(mapping, &at, hit, anchor);
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr pick_anchor(const PickHit *hit, PickAnchor *anchor) {
  *anchor = (PickAnchor){.state = NULL};
  if (!hit->state) return SOFA_OK;
  if (is_mechanical(hit->state)) {
    *anchor = (PickAnchor){.state = hit->state, .n = 3};
    for (unsigned k = 0; k < 3; k++) {
      anchor->points[k] = hit->points[k];
      anchor->weights[k] = hit->weights[k];
    }
    if (!sofa_state_kind_info(hit->state->object.kind)->rigid) return SOFA_OK;
    *anchor = pick_anchor_point(hit->state, pick_point(hit));
    set_arm(anchor, hit->position);
    return SOFA_OK;
  }
  SofaMapping *mapping = mapping_to(hit->state);
  return mapping ? anchor_of_mapping(mapping, hit, anchor) : SOFA_OK;
}

PickAnchor pick_anchor_point(SofaState *state, uint32_t point) {
  return (PickAnchor){.state = state, .n = 1, .points = {point}, .weights = {1}};
}

bool pick_anchor_place(const PickAnchor *anchor, double place[3]) {
  const SofaState *state = anchor->state;
  sofa_vec3_set(place, 0, 0, 0);
  if (!state) return false;
  for (unsigned i = 0; i < anchor->n; i++) {
    double p[3];
    if (anchor->points[i] >= state->position.n) return false;
    sofa_state_point(state, anchor->points[i], p);
    sofa_vec3_axpy(anchor->weights[i], p, place);
  }
  if (!sofa_state_kind_info(state->object.kind)->rigid) return true;
  const double *x = state->position.data + anchor->points[0] * state->position.width;
  double rotation[9], arm[3];
  sofa_quat_to_matrix(x + 3, rotation);
  sofa_mat3_apply(rotation, anchor->arm, arm);
  sofa_vec3_add(place, arm, place);
  return true;
}
