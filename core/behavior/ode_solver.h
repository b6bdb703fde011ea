/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ODE solvers: one step of the states below the solver's node. */
#ifndef SOFA_BEHAVIOR_ODE_SOLVER_H
#define SOFA_BEHAVIOR_ODE_SOLVER_H

#include "behavior/linear_solver.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_ode_solver_interface;
#define SOFA_ODE_SOLVER (&sofa_ode_solver_interface)

/* A step in parts, for Lagrangian constraints: the free motion, then a correction of it.
 *
 * A step ends with a linear system A d = b. Constraint forces add J^T lambda to b, with lambda in
 * the unit of b (an impulse or a force, see the classes), so that d changes by c = A^-1 J^T lambda,
 * and the end of the step to x = x_free + position c, v = v_free + velocity c. Hence the compliance
 * of constraints on positions is W = position J A^-1 J^T, on velocities velocity J A^-1 J^T. */
typedef struct SofaOdeFactors {
  double position, velocity;
  SofaLinearSolver *linear_solver; /* of A, its system is built; NULL: A is the diagonal mass */
} SofaOdeFactors;

/* What the scene is like at the first step, with all states: the largest coordinates of points and
 * the largest velocity. */
typedef struct SofaOdeScale {
  double flat, space, speed; /* of states of Vec1; of all others */
  bool known;
} SofaOdeScale;

typedef struct SofaOdeSolver {
  SofaObject object;
  const struct SofaOdeSolverOps *ops; /* of the class */
  SofaMechanics
      *mechanics; /* plan the solver's vectors belong to; borrowed, NULL before the first step */
  uint64_t plan_version; /* serial of that plan */
  double *x, *v; /* vectors of the plan that a step moves: the states' own, or the free ones */
  const double *v_forces; /* velocities of the forces at the start of a step: v but for a quirk */
  double runaway_factor;
  SofaOdeScale scale;
  SofaSolveCount solves; /* its own Newton iterations, see sofa_newton_tell */
} SofaOdeSolver;

enum {
  SOFA_QUIRK_RUNAWAY_STATES = 1 << 29,
  SOFA_QUIRK_WEIGHTLESS = 1 << 28,
  SOFA_QUIRK_ODE_FACTORS = 1 << 27,
  SOFA_QUIRK_FREE_FORCES = 1 << 26,
  SOFA_QUIRK_MAPPED_INERTIA = 1 << 25
}; /* of all ODE solvers */

extern const SofaClass sofa_ode_solver_class; /* abstract */

/* What a step of a solver is; the checks after initialisation look at it, too. */
enum {
  SOFA_ODE_DIVIDES_BY_MASS = 1 << 0, /* points without mass do not accelerate */
  SOFA_ODE_IS_STATIC = 1 << 1,       /* a free body has no equilibrium */
  SOFA_ODE_ADDS = 1 << 2,            /* acts in addition to another solver of its node */
  /* forces do not hold the components' own Rayleigh damping, (r_K K - r_M M) v at their point */
  SOFA_ODE_LEAVES_OUT_DAMPING = 1 << 3,
  SOFA_ODE_LIMITS_STEPS = 1 << 4, /* moves states as far as step limiters allow */
  /* a step is a free motion that the constraint solver in its node or below corrects, for the
   * constraints there, whatever the animation loop */
  SOFA_ODE_CONSTRAINS = 1 << 5
};

/* The equations of a step as functions, for derivatives of its end by loads, parameters and the
 * start: r(x, v, s) = 0 gives s, and x, v, s the end. x, v: solver->x, solver->v at the start, the
 * mapped parts propagated; s, r: deriv vectors of which the independent states count. P: the
 * projective constraints. */
typedef struct SofaStepEquations {
  int order;   /* of s: 0 a displacement, 1 a change of velocities, 2 accelerations */
  bool linear; /* r in s */
  /* optional: why this solver has no equations of one step; NULL: it has */
  const char *(*refusal)(const SofaOdeSolver *solver);
  /* r = P (b - A P s) - (I - P) s of a step that solves A s = b. Else r = P F - (I - P) s, with
   * the forces F that a Newton iteration brings to zero at the end for P s; of an equilibrium near
   * x: F = f(x + P s). May change solver->x and solver->v. */
  SofaErr (*residual)(SofaOdeSolver *solver, SofaMechanics *m, double dt, const double *s,
                      double *r);
  /* Moves solver->x and solver->v to the end of the step, before projections. */
  void (*end)(SofaOdeSolver *solver, SofaMechanics *m, double dt, const double *s);
  /* b of the last step */
  const double *(*rhs)(const SofaOdeSolver *solver);
  /* s of the last step; NULL: zero, the equations are those of x at the end */
  const double *(*solution)(const SofaOdeSolver *solver);
} SofaStepEquations;

typedef struct SofaOdeSolverOps {
  /* required: (re)takes the solver's vectors from the plan; called when the plan is new */
  SofaErr (*prepare)(SofaOdeSolver *solver, SofaMechanics *m);
  /* required: advances solver->x, solver->v by dt. They are m->x and m->v, or, in a class with
   * `factors`, copies of them that become the free motion; m->x and m->v then stay. */
  SofaErr (*step)(SofaOdeSolver *solver, SofaMechanics *m, double dt);
  /* optional: what the first step does until its linear system is built, and no more. Without it no
   * linear system is built in a step. The caller puts x, v and f back and drops the plan. */
  SofaErr (*assemble)(SofaOdeSolver *solver, SofaMechanics *m, double dt);
  /* optional: after a step of dt. Without it a class has no free motion. */
  SofaErr (*factors)(SofaOdeSolver *solver, double dt, SofaOdeFactors *out);
  /* optional: the factors of SOFA's class where they are not those of the scheme, for the quirk */
  void (*quirk_factors)(double dt, double *position, double *velocity);
  /* optional: what the solver remembers of the step of dt (accelerations, momenta) follows a
   * correction c, a deriv vector; x and v are corrected by the caller */
  SofaErr (*corrected)(SofaOdeSolver *solver, SofaMechanics *m, double dt, const double *c);
  bool forces_before;     /* its forces are those of v_forces; see the quirk */
  bool separates_gravity; /* its steps add gravity to velocities for masses with separateGravity */
  const SofaStepEquations *equations; /* optional */
  /* optional: bits SOFA_ODE_... of the initialised solver */
  unsigned (*traits)(const SofaOdeSolver *solver);
} SofaOdeSolverOps;

static inline const SofaOdeSolverOps *sofa_ode_solver_ops(const SofaOdeSolver *s) {
  return s->ops;
}

/* Bits SOFA_ODE_... of the initialised solver. */
static inline unsigned sofa_ode_solver_traits(const SofaOdeSolver *s) {
  return s->ops->traits ? s->ops->traits(s) : 0;
}

/* Is there a solver with SOFA_ODE_CONSTRAINS in the node or above? */
bool sofa_node_is_constrained(const SofaNode *node);

/* The plan of the solver's node, with the solver's vectors taken and copies of x and v in it. */
SofaErr sofa_ode_solver_prepare(SofaOdeSolver *solver, SofaMechanics **out);
/* Is the end of a step of dt sound: finite, and no position beyond runawayFactor times the size of
 * the scene and the way of a free flight? Otherwise reports the first point. */
SofaErr sofa_ode_solver_check(const SofaOdeSolver *solver, const SofaMechanics *m, double dt);
/* Are there step limiters in the plan of a solver that does not heed them? An error. */
SofaErr sofa_ode_solver_check_limiters(const SofaOdeSolver *solver, const SofaMechanics *m);
/* One step of m->x, m->v. */
SofaErr sofa_ode_solver_step(SofaOdeSolver *solver, SofaMechanics *m, double dt);

/* ---- in parts, after prepare ---- */

bool sofa_ode_solver_has_parts(const SofaOdeSolver *solver);
/* The end of the step without constraints, into the free position and velocity of the independent
 * states (see sofa_state_want_free); their positions and velocities stay. Projections, mapped
 * states and time are left to the caller, and so is the end of the step: take_over or correct. */
SofaErr sofa_ode_solver_free_motion(SofaOdeSolver *solver, SofaMechanics *m, double dt);
SofaErr sofa_ode_solver_factors(SofaOdeSolver *solver, double dt, SofaOdeFactors *out);
/* The free motion becomes the motion: free_motion and take_over are a step, to the bit. */
void sofa_ode_solver_take_over(SofaMechanics *m);
/* x = x_free + position c, v = v_free + velocity c; c is a deriv vector of which the independent
 * states count. Once per step. */
SofaErr sofa_ode_solver_correct(SofaOdeSolver *solver, SofaMechanics *m, double dt,
                                const double *c);

SOFA_END_DECLS

#endif
