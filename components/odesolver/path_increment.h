/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One increment on a path of equilibria f(x, lambda) = 0, found by Newton's method: with a load
 * factor that is given, or with one more equation that holds the way along the path. */
#ifndef COMPONENTS_ODESOLVER_PATH_INCREMENT_H
#define COMPONENTS_ODESOLVER_PATH_INCREMENT_H

#include "components/odesolver/implicit_solver.h"
#include "simulation/newton.h"

/* What the size `radius` of an increment measures. Dx, Dl: changes of positions and of the load
 * factor; b: weight of the latter; X(id, word). */
#define PATH_METHODS(X)                                                                            \
  X(PATH_LOAD, "load")                 /* the load factor is given */                              \
  X(PATH_DISPLACEMENT, "displacement") /* c.Dx = radius for one component or direction c */        \
  X(PATH_CYLINDRICAL, "cylindrical")   /* |Dx| = radius */                                         \
  X(PATH_SPHERICAL, "spherical")       /* |Dx|^2 + b Dl^2 = radius^2 */                            \
  X(PATH_NORMAL_PLANE, "normalPlane")  /* corrections are normal to (Dx, b Dl) */

typedef enum PathMethod {
#define PATH_METHOD_ENUM(id, word) id,
  PATH_METHODS(PATH_METHOD_ENUM)
#undef PATH_METHOD_ENUM
} PathMethod;

typedef struct PathIncrement {
  PathMethod method;
  SofaNewtonCriteria criteria;
  SofaNewtonReport report; /* of the last run; owned */
  double load;             /* the load factor, of the guess */
  double weight;           /* b, m^2 */
  size_t dof;              /* controlled displacement: its first entry, and the direction */
  unsigned n_direction;
  double direction[6];
  /* the last increment that converged, whose direction the next predictor keeps */
  double *way;     /* Dx, m, deriv */
  double way_load; /* Dl; 0: there was none */
  /* private: of the current run, vectors of the plan */
  ImplicitSolver *base;
  SofaMechanics *m;
  double begin, h;           /* its time, s: what moves by time is at its end */
  SofaMechPoint at;          /* of the guess */
  double radius, load_start; /* of the load at the start */
  double moved_load, d_load; /* Dl; its correction */
  double scale;              /* of the residual at least, N */
  bool lost;                 /* it has no solution from here */
  double *start;             /* coord */
  double *moved;             /* Dx, deriv */
  double *dx, *dx_load, *loads, *residual;
} PathIncrement;

/* Takes the vectors of the plan. */
SofaErr path_increment_prepare(PathIncrement *p, ImplicitSolver *base, SofaMechanics *m);
/* Solves K dx = P F for the loads F of the present state, for the size of a first increment:
 * *rate = |dx|; of a controlled displacement c.dx. */
SofaErr path_increment_rate(PathIncrement *p, double *rate);
/* Builds the linear system at the present state. */
SofaErr path_increment_assemble(PathIncrement *p);
/* From the present state (solver->x) to the next equilibrium; what moves by time goes from `begin`
 * to begin + h. size: the change of the load factor, or the radius, signed by the change of the
 * load factor in the first increment; later ones go on along the path. *converged false: the state
 * and the load factor are those of the start. */
SofaErr path_increment_run(PathIncrement *p, double size, bool *converged);

#endif
