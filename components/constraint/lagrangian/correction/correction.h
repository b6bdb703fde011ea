/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What constraint corrections share: their state, their ODE solver, rows without W. */
#ifndef LAGRANGIAN_CORRECTION_CORRECTION_H
#define LAGRANGIAN_CORRECTION_CORRECTION_H

#include "behavior/lagrangian.h"
#include "behavior/ode_solver.h"
#include "math/kernels.h"
#include "simulation/mechanics.h"

/* A correction of one state. */
typedef struct StateCorrection {
  SofaConstraintCorrection correction;
  SofaLink mstate;
  SofaState *state;       /* found at init */
  SofaOdeSolver *ode;     /* found at the end of init; NULL: none */
  SofaOdeFactors factors; /* of the step that runs */
} StateCorrection;
extern const SofaClass state_correction_class; /* abstract */

/* The ODE solver of the link, else the nearest at or above the node; NULL: none. */
SofaOdeSolver *correction_ode_solver(const SofaObject *object, const SofaLink *link);
/* A solver below another one does not act. In SOFA corrections take its factors all the same; this
 * quirk is one of all corrections. */
enum { QUIRK_IDLE_SOLVER_FACTORS = 1 << 27 };
#define QUIRK_IDLE_SOLVER_FACTORS_ROW                                                              \
  {                                                                                                \
    QUIRK_IDLE_SOLVER_FACTORS, "idle-solver-factors",                                              \
        "constraint corrections take the factors of the nearest ODE solver, also of one that "     \
        "does "                                                                                    \
        "not act because it is below another",                                                     \
        "test_correction_factors.idle_solver"                                                      \
  }
/* The plan and the factors of the solver that acts: `nearest` or one above it. */
SofaErr correction_factors(const SofaObject *object, SofaOdeSolver *nearest, double dt,
                           SofaMechanics **m, SofaOdeFactors *out);
/* Reports that there is none. */
SofaErr correction_no_ode_solver(const SofaObject *object);
/* Is it an independent state that a solver moves? Otherwise an error. */
SofaErr correction_check_state(const SofaObject *object, const SofaState *state);
/* Takes the factors of the step; checks that a solver integrates the state. */
SofaErr correction_begin(StateCorrection *c, const SofaConstraintProblem *problem);
/* The rows of its state, or NULL. */
const SofaConstrainedState *correction_rows(const StateCorrection *c,
                                            const SofaConstraintProblem *problem);
/* The factor of A^-1 in the compliance of the constraints. */
static inline double correction_factor(const SofaConstraintProblem *problem,
                                       const SofaOdeFactors *factors) {
  return problem->order == SOFA_CONSTRAIN_VELOCITIES ? factors->velocity : factors->position;
}

/* How a correction moves a state. */
typedef struct CorrectionMove {
  const SofaObject *mover;
  double position, velocity;
} CorrectionMove;
/* Gives the state a motion of zeros; *out: its entry in the problem, NULL: it has none. */
SofaErr correction_move(SofaConstraintProblem *problem, const SofaState *state,
                        const CorrectionMove *move, SofaConstrainedState **out);

/* ---- solvers that do not form W: the part of W between the rows of one correction ---- */

typedef struct UnbuiltRows {
  size_t n;           /* rows of the correction */
  SofaReals w;        /* n x n: its part of W, row major; not used where there is a factor of it: */
  SofaFactoredRows y; /* that part is factor Y Y^T + regularization; without columns: none */
  double factor, regularization;
  bool factored; /* opened with y in this problem */
  SofaReals sum; /* Y^T lambda */
  const SofaKernels *kernels;
  SofaReals lambda;  /* n */
  SofaIndices place; /* of each row of the problem: its row here + 1; 0: it has none */
} UnbuiltRows;

void unbuilt_free(SofaContext *ctx, UnbuiltRows *u);
/* Makes room for the rows j; w is 0, to be filled column major by the caller before unbuilt_close.
 */
SofaErr unbuilt_open(UnbuiltRows *u, const SofaConstraintProblem *problem, const SofaSparseRows *j);
/* The same where y is there already: w is not needed. */
SofaErr unbuilt_open_factored(UnbuiltRows *u, const SofaConstraintProblem *problem,
                              const SofaSparseRows *j);
/* Adds the blocks' own parts of W, and takes the multipliers. */
void unbuilt_close(UnbuiltRows *u, const SofaConstraintProblem *problem, double *const *blocks,
                   const double *lambda);
void unbuilt_close_factored(UnbuiltRows *u, const SofaConstraintProblem *problem,
                            double *const *blocks, const double *lambda);
bool unbuilt_knows(const UnbuiltRows *u, const SofaConstraintBlock *block);
void unbuilt_add_displacement(const UnbuiltRows *u, const SofaConstraintBlock *block, double *d);
void unbuilt_add_force(UnbuiltRows *u, const SofaConstraintBlock *block, const double *change);
/* place[row of the problem] = row of j + 1 */
SofaErr unbuilt_places(const SofaConstraintProblem *problem, const SofaSparseRows *j,
                       SofaIndices *place);

#endif
