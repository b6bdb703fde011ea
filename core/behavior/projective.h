/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projective constraints: the projections of responses, velocities, positions and matrices. */
#ifndef SOFA_BEHAVIOR_PROJECTIVE_H
#define SOFA_BEHAVIOR_PROJECTIVE_H

#include "behavior/params.h"
#include "behavior/state.h"
#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_projective_interface;
#define SOFA_PROJECTIVE (&sofa_projective_interface)

typedef struct SofaProjective {
  SofaObject object;
  const struct SofaProjectiveOps *ops; /* of the class */
  SofaLink mstate;
  double end_time;  /* < 0: never ends; the callers of response, velocity, position check it */
  int group;        /* no effect, as in SOFA */
  SofaState *state; /* known from creation; NULL only when init failed */
  SofaLink object1, object2;              /* constraints between two states */
  SofaState *second;                      /* the other state of these; NULL for others */
  SofaCoords reactions, second_reactions; /* per point; computed when they are read */
  /* finds both for the current state; set by the plan, NULL before */
  SofaErr (*find_reactions)(struct SofaProjective *c);
} SofaProjective;

extern const SofaClass sofa_projective_class;      /* abstract: one state */
extern const SofaClass sofa_pair_projective_class; /* abstract: object1 and object2 */

/* Dofs that an assembled system leaves out: scalar dofs (row and column zero, diagonal 1), and the
 * parts of points that projections remove. */
typedef struct SofaDiscard {
  uint8_t *mask; /* one per scalar dof of the state */
  size_t n;
  SofaBlockProjections *projections; /* to append to; NULL: the state has no rows of its own */
  uint32_t first_row;                /* block row of the state's point 0 */
} SofaDiscard;

/* The same between two states; the arrays are those of `state` and `second`. */
typedef struct SofaPairProjectiveOps {
  SofaErr (*response)(SofaProjective *c, const SofaMechParams *params, double *dx, double *dx2);
  SofaErr (*velocity)(SofaProjective *c, const SofaMechParams *params, double *v, double *v2);
  SofaErr (*position)(SofaProjective *c, const SofaMechParams *params, double *x, double *x2);
  SofaErr (*discard)(SofaProjective *c, const SofaMechParams *params, SofaDiscard *discard,
                     SofaDiscard *discard2);
} SofaPairProjectiveOps;

/* Each may be NULL: nothing to do. Arrays in the state's layout. */
typedef struct SofaProjectiveOps {
  SofaErr (*response)(SofaProjective *c, const SofaMechParams *params, double *dx);
  SofaErr (*velocity)(SofaProjective *c, const SofaMechParams *params, double *v);
  SofaErr (*position)(SofaProjective *c, const SofaMechParams *params, double *x);
  SofaErr (*discard)(SofaProjective *c, const SofaMechParams *params, SofaDiscard *discard);
  const SofaPairProjectiveOps *pair; /* of constraints between two states, instead of the above */
} SofaProjectiveOps;

static inline const SofaProjectiveOps *sofa_projective_ops(const SofaProjective *c) {
  return c->ops;
}
static inline bool sofa_projective_has_discard(const SofaProjective *c) {
  const SofaProjectiveOps *ops = sofa_projective_ops(c);
  return ops->pair ? ops->pair->discard != NULL : ops->discard != NULL;
}
/* Applies one projection to the values of the constraint's state(s); second is for pairs only.
 * Nothing happens from endTime on. */
typedef enum SofaProjection {
  SOFA_PROJECT_RESPONSE,
  SOFA_PROJECT_VELOCITY,
  SOFA_PROJECT_POSITION
} SofaProjection;
SofaErr sofa_projective_apply(SofaProjective *c, SofaProjection which, const SofaMechParams *params,
                              double *first, double *second);

SOFA_END_DECLS

#endif
