/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RayTraceNarrowPhase: how far the corners of a closed surface are inside another one, by rays
 * against the normals of the corners. */
#include <math.h>

#include "components/collision/detection/pair_map.h"
#include "components/collision/geometry/triangle_model.h"
#include "numerics/spatial/bounding_tree.h"
#include "numerics/spatial/triangle_ray.h"
#include "object/checkpoint.h"

typedef struct RayTraceNarrowPhase {
  SofaObject object;
  SofaModelContacts contacts; /* owned; n_used of them belong to the last detection */
  size_t n_used;
  SofaVec3s normals; /* of the points of the first surface */
} RayTraceNarrowPhase;

/* ---- rays ---- */

typedef struct Hit {
  const SofaCollisionModel *model;
  SofaRay ray;
  double t; /* of the nearest triangle so far */
  uint32_t element;
} Hit;

enum {
  NEAR = -12
}; /* a ray does not meet the triangle that it starts on: t > 2^NEAR of its size */

static void try_element(void *user, uint32_t i) {
  Hit *hit = user;
  double t, along;
  const double *const corners[3] = {sofa_collision_corner(hit->model, i, 0),
                                    sofa_collision_corner(hit->model, i, 1),
                                    sofa_collision_corner(hit->model, i, 2)};
  const double start = ldexp(sofa_vec3_distance(corners[0], corners[1]), NEAR);
  if (triangle_ray(corners, hit->ray, 1e-12, &t, &along) && t > start && t < hit->t) {
    hit->t = t;
    hit->element = i;
  }
}

static Hit cast(const SofaCollisionBody *body, SofaRay ray) {
  Hit hit = {.model = body->model, .ray = ray, .t = INFINITY};
  sofa_bounding_tree_ray(body->tree, ray.p, ray.d, try_element, &hit);
  return hit;
}

/* ---- corners ---- */

static SofaErr find_normals(RayTraceNarrowPhase *r, const SofaCollisionModel *m) {
  const size_t n = sofa_state_size(m->state);
  SOFA_TRY(SOFA_RESIZE(r->object.ctx, &r->normals, n));
  if (n) sofa_zero(r->normals.data, n * sizeof *r->normals.data);
  for (size_t i = 0; i < 3 * m->n; i++) {
    double *normal = r->normals.data[m->corners[i]].v, own[3];
    sofa_collision_triangle_normal(m, (uint32_t)(i / 3), own);
    sofa_vec3_add(normal, own, normal);
  }
  for (size_t i = 0; i < n; i++) sofa_vec3_normalize(r->normals.data[i].v);
  return SOFA_OK;
}

/* The triangle's normal along a direction. */
static double facing(const SofaCollisionBody *body, const Hit *hit, const double *direction) {
  double normal[3];
  sofa_collision_triangle_normal(body->model, hit->element, normal);
  return sofa_vec3_dot(normal, direction);
}

static bool is_inside_box(const SofaBoundingTree *tree, const double *p) {
  const double box[6] = {p[0], p[1], p[2], p[0], p[1], p[2]};
  return sofa_bounding_tree_is_built(tree) && sofa_boxes_are_close(box, tree->cells[0].box, 0);
}

/* From a corner along -normal: the other surface must come before the far side of its own. */
static bool corner_is_inside(const SofaCollisionBody *own, const SofaCollisionBody *other,
                             const double *p, const double *normal, Hit *out) {
  const double down[3] = {-normal[0], -normal[1], -normal[2]};
  const SofaRay ray = {p, down};
  if (!is_inside_box(other->tree, p)) return false;
  *out = cast(other, ray);
  if (!isfinite(out->t) || facing(other, out, normal) > 0) return false;
  const Hit far = cast(own, ray);
  return isfinite(far.t) && far.t >= out->t && facing(own, &far, normal) <= 0;
}

static SofaDetection detection_of(const double *p, const double *normal, const Hit *hit) {
  SofaDetection d = {.value = -hit->t};
  for (int k = 0; k < 3; k++) {
    d.point[0][k] = p[k];
    d.point[1][k] = p[k] - hit->t * normal[k];
    d.normal[k] = normal[k];
  }
  return d;
}

static SofaErr trace(RayTraceNarrowPhase *r, const SofaCollisionBody *first,
                     const SofaCollisionBody *second, SofaModelContact *to) {
  const SofaCollisionModel *m = first->model;
  SOFA_TRY(find_normals(r, m));
  for (uint32_t i = 0; i < m->n; i++) {
    int64_t t = 0;
    for (unsigned k = 0; k < 3; k++) {
      const double *p = sofa_collision_corner(m, i, k);
      const double *normal = r->normals.data[m->corners[3 * (size_t)i + k]].v;
      Hit hit;
      if (!(m->owned[i] & SOFA_OWNS_CORNER(k))) continue;
      if (corner_is_inside(first, second, p, normal, &hit)) {
        SofaDetection d = detection_of(p, normal, &hit);
        d.element[0] = i;
        d.element[1] = hit.element;
        d.id = 3 * (int64_t)i + t;
        SOFA_TRY(SOFA_APPEND(r->object.ctx, &to->detections, &d));
      }
      t++;
    }
  }
  return SOFA_OK;
}

/* ---- phase ---- */

static SofaErr next_contact(RayTraceNarrowPhase *r, SofaCollisionModel *first,
                            SofaCollisionModel *second, SofaModelContact **out) {
  SofaContext *ctx = r->object.ctx;
  if (r->n_used == r->contacts.n) {
    SofaModelContact *fresh = sofa_alloc(ctx, 1, sizeof *fresh);
    if (!fresh) return SOFA_ERR_MEMORY;
    const SofaErr err = SOFA_APPEND(ctx, &r->contacts, &fresh);
    if (err != SOFA_OK) {
      sofa_free(ctx, fresh);
      return err;
    }
  }
  *out = r->contacts.data[r->n_used++];
  (*out)->model[0] = first;
  (*out)->model[1] = second;
  (*out)->detections.n = 0;
  return SOFA_OK;
}

static bool is_octree(const SofaCollisionModel *m) {
  return sofa_class_is_a(m->object.klass, &sofa_TriangleOctreeCollisionModel_class);
}

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                    SofaModelContacts *out) {
  RayTraceNarrowPhase *r = (RayTraceNarrowPhase *)phase;
  r->n_used = 0;
  for (size_t i = 0; i < pairs->n; i++) {
    const SofaCollisionBody *a = &scene->bodies[pairs->data[i].first];
    const SofaCollisionBody *b = &scene->bodies[pairs->data[i].second];
    if (a == b || !is_octree(a->model) || !is_octree(b->model)) continue;
    for (int way = 0; way < 2; way++) {
      const SofaCollisionBody *first = way ? b : a, *second = way ? a : b;
      SofaModelContact *contact;
      SOFA_TRY(next_contact(r, first->model, second->model, &contact));
      SOFA_TRY(trace(r, first, second, contact));
      if (contact->detections.n == 0) r->n_used--;
      else SOFA_TRY(SOFA_APPEND(r->object.ctx, out, &contact));
    }
  }
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  RayTraceNarrowPhase *r = (RayTraceNarrowPhase *)object;
  for (size_t i = 0; i < r->contacts.n; i++) {
    sofa_list_free(object->ctx, &r->contacts.data[i]->detections);
    sofa_free(object->ctx, r->contacts.data[i]);
  }
  sofa_list_free(object->ctx, &r->contacts);
  sofa_list_free(object->ctx, &r->normals);
}

static const SofaNarrowPhaseOps ops = {.find = find, .deep_trees = true, .own_tests = true};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(RayTraceNarrowPhase, contacts),
    SOFA_REMADE(RayTraceNarrowPhase, normals),
};

SOFA_CLASS(RayTraceNarrowPhase) = {
    SOFA_NAMED(RayTraceNarrowPhase),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Finds the corners of closed surfaces (TriangleOctreeCollisionModel) that are inside "
            "another one, by rays against the normals of the corners.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_NARROW_PHASE, &ops}),
};
