/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What StaticODESolver, BackwardEulerODESolver and LegacyStaticODESolver have in common: one
 * Newton-Raphson solution per step. The first two are based on the class below (the plugin's
 * abstract NewtonRaphsonSolver, which is not SOFA's component of that name). */
#ifndef CARIBOU_ODE_NEWTON_SOLVER_H
#define CARIBOU_ODE_NEWTON_SOLVER_H

#include "behavior/ode_solver.h"
#include "simulation/mechanics.h"
#include "simulation/newton.h"

/* Quirks of the classes that list their rows. */
enum {
  QUIRK_CARIBOU_NEWTON = 1 << 20,
  QUIRK_CARIBOU_CG = 1 << 21,
  QUIRK_CARIBOU_STATIC_LATE = 1 << 22
};
#define QUIRK_CARIBOU_STATIC_LATE_ROW                                                              \
  {                                                                                                \
    QUIRK_CARIBOU_STATIC_LATE, "caribou-static-late-motion",                                       \
        "Caribou's static solvers balance the loads and the places of moved points of the start "  \
        "of "                                                                                      \
        "a step",                                                                                  \
        "test_reactions.static_steps_end_in_equilibrium"                                           \
  }
#define QUIRK_CARIBOU_NEWTON_ROW                                                                   \
  {QUIRK_CARIBOU_NEWTON, "caribou-newton",                                                         \
   "Caribou's Newton solvers measure residuals by that after the first iteration",                 \
   "test_caribou_beams.history_of_bending"},                                                       \
  {                                                                                                \
    QUIRK_CARIBOU_CG, "caribou-cg",                                                                \
        "Caribou's Newton solvers end silently when conjugate gradients give up",                  \
        "test_caribou_newton.conjugate_gradients_that_give_up"                                     \
  }

typedef enum CaribouStrategy {                     /* when the pattern of the matrix is analysed */
                               CARIBOU_NEVER,      /* on the first use only */
                               CARIBOU_SIMULATION, /* once after init or reset */
                               CARIBOU_TIME_STEP,
                               CARIBOU_ALWAYS /* in every iteration */
} CaribouStrategy;

typedef struct CaribouNewton CaribouNewton;

/* The equations F = 0, solved by A dx = -F. */
typedef struct CaribouEquations {
  SofaErr (*rhs)(CaribouNewton *s);                   /* s->rhs = -F at the guess, projected */
  SofaMechParams (*factors)(const CaribouNewton *s);  /* A = m M + b B + k K */
  SofaErr (*advance)(CaribouNewton *s, double alpha); /* guess += alpha s->dx */
  /* with step limiters: a function of the guess with the derivative slope F, and the slope; a
   * line search lowers it; NULL: there is none */
  SofaErr (*potential)(CaribouNewton *s, double *value);
  double (*slope)(const CaribouNewton *s);
} CaribouEquations;

struct CaribouNewton {
  SofaOdeSolver solver;
  /* attributes; a tolerance <= 0 is off */
  uint32_t iterations;
  double correction_tolerance, residual_tolerance, absolute_tolerance;
  SofaOption strategy; /* CaribouStrategy */
  SofaLink linear_link;
  /* outputs: of the last step */
  bool converged;
  SofaReals iteration_times;   /* ns */
  SofaReals squared_residuals; /* after each iteration */
  double squared_initial_residual;

  SofaLinearSolver *linear; /* NULL: none was found */
  bool analysed;            /* the pattern, since what the strategy says */
  bool gave_up;             /* the linear solver, in this step */
  bool keep_guess;          /* dx of an iteration is the initial guess of the next */
  SofaNewtonReport report;
  /* of the current step; vectors belong to the plan */
  const CaribouEquations *equations;
  SofaMechanics *m;
  double h;
  double time;              /* of loads, s */
  SofaMechPoint at;         /* of the guess; the equations make it when the guess changed */
  bool descends;            /* the tangent, see SofaMechParams */
  double *rhs, *dx, *total; /* -F; increment; sum of the increments */
};

/* Fields and life of the first two. */
extern const SofaClass caribou_newton_class; /* abstract */

/* For those that are not based on the class. */
void caribou_newton_destroy(SofaObject *object);
SofaErr caribou_newton_prepare(SofaOdeSolver *solver, SofaMechanics *m);
extern const SofaLinkRule caribou_linear_solver_rule;

/* One step: the criteria of the attributes, with what the caller adds to them in *criteria. */
void caribou_newton_criteria(const CaribouNewton *s, SofaNewtonCriteria *criteria);
SofaErr caribou_newton_run(CaribouNewton *s, const CaribouEquations *equations, SofaMechanics *m,
                           double h, const SofaNewtonCriteria *criteria);

/* A step until its first matrix is built. */
SofaErr caribou_newton_assemble(CaribouNewton *s, const CaribouEquations *equations,
                                SofaMechanics *m, double h);

/* The guess in m->x, m->v changed: its point, and the mapped parts. */
SofaErr caribou_newton_propagate(CaribouNewton *s);

/* Static equilibrium P (f(x)) = 0. */
extern const CaribouEquations caribou_static_equations;
/* A step, and its start. */
SofaErr caribou_static_run(CaribouNewton *s, SofaMechanics *m, double h,
                           const SofaNewtonCriteria *criteria);
SofaErr caribou_static_assemble(SofaOdeSolver *solver, SofaMechanics *m, double h);
SofaErr caribou_static_factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out);

#define CARIBOU_NEWTON_OUTPUTS(T, member)                                                          \
  SOFA_FIELD(T, member converged, "converged", "0", "",                                            \
             "did the last step meet one of the criteria?", .flags = SOFA_FIELD_OUTPUT),           \
      SOFA_FIELD(T, member iteration_times, "iteration_times", NULL, "ns",                         \
                 "how long each iteration of the last step took", .flags = SOFA_FIELD_OUTPUT),     \
      SOFA_FIELD(T, member squared_residuals, "squared_residuals", NULL, "N^2",                    \
                 "squared norm of the residual after each iteration of the last step",             \
                 .flags = SOFA_FIELD_OUTPUT),                                                      \
      SOFA_FIELD(T, member squared_initial_residual, "squared_initial_residual", "0", "N^2",       \
                 "squared norm of the residual before the first iteration of the last step",       \
                 .flags = SOFA_FIELD_OUTPUT)

/* SofaOdeSolverOps.equations of the static solvers. */
extern const SofaStepEquations caribou_static_step;
/* r = P F - (I - P) s, with P F in s->rhs; s: `move`, P s: `projected` */
void caribou_newton_residual(const CaribouNewton *s, const SofaMechanics *m, const double *move,
                             const double *projected, double *r);

/* SofaOdeSolverOps.traits of the static solvers. */
unsigned caribou_static_traits(const SofaOdeSolver *solver);

#endif
