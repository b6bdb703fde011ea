/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Picking: what a ray meets. Surfaces are those of bodies (triangles and quads of the topology of a
 * mechanical state, and the faces of its volumes; balls of collision models) and of visual models.
 * Works without OpenGL.
 *
 * A pick looks at every face once, 10 to 20 ns each. Points move between two clicks, so any tree
 * over them would have to be made or fitted again for the one ray, which costs more than asking
 * all; and nothing is kept, so that nothing is paid for while nobody picks. */
#ifndef VIEWER_PICK_H
#define VIEWER_PICK_H

#include "behavior/state.h"
#include "topology/topology.h"

enum { PICK_BODIES = 1, PICK_VISUALS = 2, PICK_ALL = 3, PICK_WEIGHTS = 32 };

/* Where a ray met a surface. Borrows from the scene: only to be followed until that changes. */
typedef struct PickHit {
  SofaState *state;       /* whose points the face has; a visual model is one. NULL: nothing met */
  SofaTopology *topology; /* that lists the element; NULL: a face of a visual model, or, of kind
                             SOFA_ELEMENT_POINT, a ball of a collision model */
  SofaElementKind kind;
  size_t element;                /* rank in the list of its kind */
  uint32_t points[3];            /* of the triangle that was met; a quad face is cut in two */
  double weights[3];             /* barycentric coordinates in it, sum 1 */
  double position[3], normal[3]; /* m; normal: unit, towards the eye */
  double distance;               /* along the ray, m */
} PickHit;

/* What is asked of a ray. */
typedef struct PickRay {
  double origin[3], direction[3];                     /* m; any length > 0 */
  double least;                                       /* what is nearer is not met, m, >= 0 */
  unsigned what;                                      /* PICK_BODIES, PICK_VISUALS or PICK_ALL */
  bool (*wants)(void *user, const SofaObject *state); /* false: passes through; NULL: all wanted */
  void *user;
} PickRay;

/* The first surface along the ray in active nodes below root; of coinciding ones that of a volume,
 * then that of a body. hit->state NULL: none. */
SofaErr pick_ray(SofaNode *root, const PickRay *ray, PickHit *hit);

/* Faces of a kind of element: 4 corners each, PICK_NO_CORNER for the fourth of a triangle. 0: the
 * kind has none. */
enum { PICK_NO_CORNER = 255 };
unsigned pick_faces(SofaElementKind kind, const uint8_t (**faces)[4]);

/* The point of the face that is nearest to where it was met. */
uint32_t pick_point(const PickHit *hit);

/* A place that moves with a mechanical state: weights of points, or a place in a rigid frame. */
typedef struct PickAnchor {
  SofaState *state; /* NULL: none */
  unsigned n;
  uint32_t points[PICK_WEIGHTS];
  double weights[PICK_WEIGHTS]; /* sum 1 */
  double arm[3]; /* kind Rigid3: from the frame, in its axes, m; there n is 1. Else 0 */
} PickAnchor;

/* The place of the hit in the mechanical state that moves it: its own, or, for visual models, that
 * which their mapping takes them from (with the weights of its J). anchor->state NULL: nothing
 * mechanical moves it. */
SofaErr pick_anchor(const PickHit *hit, PickAnchor *anchor);
/* A single point of a state as an anchor. */
PickAnchor pick_anchor_point(SofaState *state, uint32_t point);
/* Where it is now; false: the state has no such points any more. */
bool pick_anchor_place(const PickAnchor *anchor, double place[3]);

#endif
