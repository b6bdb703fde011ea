/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NewtonRaphsonSolver: the stopping rules and the report of a Newton iteration, as a component that
 * ODE solvers share. */
#ifndef COMPONENTS_ODESOLVER_NEWTONRAPHSONSOLVER_H
#define COMPONENTS_ODESOLVER_NEWTONRAPHSONSOLVER_H

#include "object/node.h"
#include "simulation/newton.h"

typedef struct NewtonRaphsonSolver {
  SofaObject object;
  SofaNewtonCriteria criteria;
  bool absolute_given;     /* the scene gives the absolute threshold, in N */
  SofaNewtonReport report; /* of the last run */
  bool update_when_diverged, warn_line_search, warn_diverged;
  SofaSolveCount solves;    /* of this run, with warn_diverged */
  bool search_warned;       /* of this run: only the first failure of a line search is a warning */
  SofaOption status;        /* SofaNewtonStatus */
  SofaReals residual_graph; /* squared residual norms of the last run */
} NewtonRaphsonSolver;

extern const SofaClass sofa_NewtonRaphsonSolver_class;

/* The one an ODE solver's link gives, else the first in its node or below; NULL: none. */
NewtonRaphsonSolver *newton_raphson_find(const SofaNode *node, const SofaLink *link);
SofaErr newton_raphson_run(NewtonRaphsonSolver *solver, const SofaNewtonProblem *problem);

#endif
