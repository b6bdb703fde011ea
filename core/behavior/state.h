/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States: positions and velocities of points or frames. */
#ifndef SOFA_BEHAVIOR_STATE_H
#define SOFA_BEHAVIOR_STATE_H

#include "object/node.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_state_interface, sofa_mechanical_state_interface;
#define SOFA_STATE (&sofa_state_interface)
#define SOFA_MECHANICAL_STATE (&sofa_mechanical_state_interface)

/* Base of MechanicalObject and of visual models (then only position is used). object.kind is the
 * kind. When a solver integrates the state, position, velocity and force are views into the
 * solver's flat vectors; they stay valid fields all the time. */
typedef struct SofaState {
  SofaObject object;
  SofaCoords position;         /* x, n coords, [m] (quaternion x y z w for Rigid3), world frame */
  SofaCoords velocity;         /* v, n derivs */
  SofaCoords force;            /* f, n derivs, of the last evaluation; see sofa_state_find_force */
  SofaCoords external_force;   /* added to every force evaluation of a step; n 0: none */
  SofaCoords rest_position;    /* x0 */
  SofaCoords constraint_force; /* of Lagrangian constraints in the last step, J^T lambda / dt, n
                                  derivs; n 0: there were none */
  SofaCoords free_position, free_velocity; /* of the motion without constraints; n 0: not
                                              requested, see sofa_state_want_free */
  /* place in the plan of the solver that integrates it */
  struct SofaMechanics *mechanics;     /* NULL: no solver integrates it */
  size_t x_offset, v_offset;           /* first real in the flat coord and deriv vectors */
  uint32_t block_row;                  /* of point 0 in assembled matrices (main states) */
  const struct SofaDivision *division; /* borrowed, set by what gave the points; else see
                                          behavior/state_division.h */
  bool mapped;                         /* output of a mechanical mapping */
  SofaErr (*find_force)(struct SofaState *state); /* of the plan; see sofa_state_find_force */
} SofaState;

extern const SofaClass sofa_state_class; /* abstract */

/* Makes `force` that of the current positions, velocities and time, by an evaluation of all forces
 * of the plan; between steps. Called when the field is read. With the quirk it stays that of the
 * solver's last evaluation. */
enum { SOFA_QUIRK_LATE_FORCES = 1 << 29 };
SofaErr sofa_state_find_force(SofaState *state);
/* constraint_force has changed. */
void sofa_state_touch_constraint_force(SofaState *state);

/* Tells the data graph that x, v changed (after a step, a projection, a mapping). */
void sofa_state_touch(SofaState *state);

static inline size_t sofa_state_size(const SofaState *state) {
  return state->position.n;
}
/* Makes the free position and velocity, copies of position and velocity at first, unless they
 * exist; of a state in a plan, those of the whole plan. They live as long as the state. */
SofaErr sofa_state_want_free(SofaState *state);
/* Resizes all vectors of the state that exist (new entries neutral). */
SofaErr sofa_state_resize(SofaState *state, size_t n);

/* The mechanical state a component of this node acts on: the node's own, else the nearest
 * ancestor's. NULL when there is none. */
SofaState *sofa_node_state(const SofaNode *node);

/* x += h v for n entries of a kind (exponential quaternion update for Rigid3, see spec). */
void sofa_state_integrate(SofaStateKind kind, size_t n, double h, const double *v, double *x);

SOFA_END_DECLS

#endif
