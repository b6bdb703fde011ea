/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collision models: the elements of a body that can touch others.
 *
 * A model has elements of one kind. The corners of an element are points of the model's state
 * (frames: their origins), so that it moves with the state. `update` brings elements, radii and
 * normals up to date, once per detection. Everything else reads the arrays below. */
#ifndef SOFA_BEHAVIOR_COLLISION_MODEL_H
#define SOFA_BEHAVIOR_COLLISION_MODEL_H

#include "behavior/state.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_collision_model_interface;
#define SOFA_COLLISION_MODEL (&sofa_collision_model_interface)

/* A kind of element. Kinds are compared by address; a plugin may define more. */
typedef struct SofaCollisionKind {
  const char *name, *plural; /* "triangle", "triangles" */
  unsigned corners;          /* points of an element; 0: there are no elements */
} SofaCollisionKind;

extern const SofaCollisionKind sofa_collision_point, sofa_collision_line, sofa_collision_triangle,
    sofa_collision_sphere,       /* a point of a state of Vec3 with a radius */
    sofa_collision_rigid_sphere, /* the origin of a frame with a radius */
    sofa_collision_tetra, sofa_collision_cylinder, sofa_collision_ray;

/* The corners and edges of a triangle whose contacts it has: SofaCollisionModel.owned. One of the
 * triangles around a corner or an edge has it.
 * Corner k: bit k; the edge opposite corner k: bit 3 + k. */
#define SOFA_OWNS_CORNER(k) (1u << (k))
#define SOFA_OWNS_EDGE(k) (8u << (k))

typedef struct SofaCollisionModel {
  SofaObject object;
  const struct SofaCollisionModelOps *ops; /* of the class */
  bool active, moving, simulated, self_collision;
  bool both_side;          /* of classes that have the field; LocalMinDistance reads it */
  double contact_distance; /* m: skin, added to the distances of the intersection method */
  double stiffness;        /* N/m: factor of the penalty stiffness */
  double friction, restitution;
  char *response; /* of contacts of this model; "": the manager's */
  SofaColor color;
  SofaInts group;
  unsigned n_contacts; /* output: models it is in contact with */
  SofaLink activer, topology_link, previous, next;

  /* set by init and update; arrays are the class's */
  const SofaCollisionKind *kind;
  SofaState *state;        /* Vec3 or Rigid3; NULL: the model is not valid */
  SofaTopology *topology;  /* or NULL */
  size_t n;                /* elements */
  const uint32_t *corners; /* n * kind->corners points of the state; NULL: element i is point i */
  const double *radius;    /* n, m; NULL: 0; of rays the length */
  const double *normal;    /* 3 n unit normals of triangles that do not move, 3 per point of point
                              models, unit directions of rays; or NULL */
  const uint8_t *owned;    /* n, triangles: bits SOFA_OWNS_...; or NULL */
  size_t n_triangles;      /* triangles: those of the topology's list; halves of quads follow */
  uint64_t revision;       /* grows when the number or the corners of elements change */
} SofaCollisionModel;

extern const SofaClass sofa_collision_model_class; /* abstract */
enum { SOFA_QUIRK_SELF_GROUPS = 1 << 29 };         /* of all collision models */

/* A point of an element as a function of the state: of Vec3 x = sum weight[k] x[index[k]], of
 * Rigid3 the origin of frame index[0] plus its rotation times `arm`. */
typedef struct SofaContactPoint {
  uint32_t index[4];
  double weight[4];
  unsigned n;    /* of index and weight */
  double arm[3]; /* m, in the frame; zero for Vec3 */
  double radius; /* m: of the body around the point, which a response adds to its distance */
} SofaContactPoint;

typedef struct SofaCollisionModelOps {
  /* required: elements, radii and normals of the state's positions as they are now. Called before
   * each detection unless the model does not move and its elements did not change. */
  SofaErr (*update)(SofaCollisionModel *model);
  /* required: have the elements changed since the last update? (a model with moving="0" asks) */
  bool (*changed)(const SofaCollisionModel *model);
  /* optional: boxes of the elements, 6 reals each (low, high); x_end: positions of the points at
   * the end of a continuous detection, else NULL. Default: of the corners, made larger by
   * contact_distance and the radius. */
  void (*boxes)(const SofaCollisionModel *model, const double *x_end, double *boxes);
  /* optional: may element i touch element j of a model of the same node? Default: yes */
  bool (*may_touch)(const SofaCollisionModel *model, uint32_t i, const SofaCollisionModel *other,
                    uint32_t j);
  /* required: the contact point of element i at the place p in space (3 reals) */
  void (*contact_point)(const SofaCollisionModel *model, uint32_t i, const double p[3],
                        SofaContactPoint *out);
} SofaCollisionModelOps;

/* Corner k of element i: 3 reals in space. */
static inline const double *sofa_collision_corner(const SofaCollisionModel *m, uint32_t i,
                                                  unsigned k) {
  const uint32_t p = m->corners ? m->corners[(size_t)i * m->kind->corners + k] : i;
  return m->state->position.data + (size_t)p * m->state->position.width;
}
static inline double sofa_collision_radius(const SofaCollisionModel *m, uint32_t i) {
  return m->radius ? m->radius[i] : 0;
}
/* The unit normal of a triangle: few detections ask for it, hence it is kept where the model does
 * not move alone. */
void sofa_collision_triangle_normal(const SofaCollisionModel *m, uint32_t i, double normal[3]);
/* Are both in one node? Then selfCollision and may_touch decide. */
static inline bool sofa_collision_same_node(const SofaCollisionModel *a,
                                            const SofaCollisionModel *b) {
  return a->object.node == b->object.node;
}
/* May elements of the two models touch? Models of one node both need selfCollision. Different
 * models that share a group may not; with the quirk this is not asked in one node. */
bool sofa_collision_may_meet(const SofaCollisionModel *a, const SofaCollisionModel *b);
/* Threads for loops over the elements: 1 when there are few. */
int sofa_collision_threads(const SofaCollisionModel *model);
/* Boxes of all elements, by the class or by default. */
void sofa_collision_boxes(const SofaCollisionModel *model, const double *x_end, double *boxes);
/* may_touch both ways, where it applies. */
bool sofa_collision_elements_may_touch(const SofaCollisionModel *a, uint32_t i,
                                       const SofaCollisionModel *b, uint32_t j);

SOFA_END_DECLS

#endif
