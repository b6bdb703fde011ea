/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lagrangian constraints: forces that are unknowns of a step.
 *
 *   constraint  ->  rows of J and their violations d, in blocks with a law
 *   correction  ->  compliance W of the rows: d(lambda) = d_free + W lambda
 *   solver      ->  lambda that satisfies the laws of all blocks
 *   correction  ->  motion of the states under J^T lambda
 *
 * Sign: J^T lambda is added to the right-hand side b of the step's linear system (see
 * SofaOdeFactors); a constraint between two states has -direction on the first and +direction on
 * the second, so that d grows with their distance along it, and a contact asks for d >= 0,
 * lambda >= 0. Unit of d: m when positions are constrained, m/s when velocities are. Rows are
 * those of the positions at the start of the step; violations are those of the free motion. */
#ifndef SOFA_BEHAVIOR_LAGRANGIAN_H
#define SOFA_BEHAVIOR_LAGRANGIAN_H

#include "behavior/linear_solver.h"
#include "behavior/state.h"
#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_lagrangian_interface, sofa_constraint_correction_interface,
    sofa_constraint_solver_interface;
#define SOFA_LAGRANGIAN (&sofa_lagrangian_interface)
#define SOFA_CONSTRAINT_CORRECTION (&sofa_constraint_correction_interface)
#define SOFA_CONSTRAINT_SOLVER (&sofa_constraint_solver_interface)

typedef enum SofaConstraintOrder {
  SOFA_CONSTRAIN_POSITIONS, /* then velocities follow */
  SOFA_CONSTRAIN_VELOCITIES /* x = x(t) + dt v afterwards */
} SofaConstraintOrder;

/* ---- laws ---- */

struct SofaLagrangian;

/* Rows that are solved together, and the numbers of their law; those a law does not know are 0. */
typedef struct SofaConstraintBlock {
  const struct SofaConstraintLaw *law;
  uint32_t first, n;        /* rows; `first` is set by sofa_constraint_block */
  double friction;          /* coefficient */
  double rolling, spinning; /* coefficients of six rows, see sofa_law_friction_exact */
  double least;             /* contacts: the smallest normal multiplier; 0 but in an expansion */
  double expansion;         /* contacts: Poisson's coefficient of restitution; 0: none */
  double tolerance;         /* of the block's error; 0: the solver's */
  double relaxation;        /* bilateral: factor of each correction of lambda */
  double epsilon;           /* augmented Lagrangian: of the unit lambda / d */
  double low, high;         /* stopper: bounds of d */
  double *memory;           /* n multipliers of the last solve, from which this one starts; the
                               solver writes them; owned by the constraint; NULL: starts from 0 */
  int64_t id;               /* of a contact: the same contact has the same id in the next step */
  struct SofaLagrangian *owner; /* set by sofa_constraint_block */
} SofaConstraintBlock;
SOFA_LIST(SofaConstraintBlock, SofaConstraintBlocks);

/* r(lambda, d), of the unit of lambda, which is 0 exactly where the law holds; a set of admissible
 * forces K has r = lambda - P_K(lambda - rho d). The derivatives are n x n, row major. */
typedef struct SofaNaturalMap {
  double rho; /* > 0, of the unit lambda / d */
  const double *d, *lambda;
  double *r;
  double *by_lambda, *by_d; /* generalized derivatives of r; both NULL: not wanted */
} SofaNaturalMap;

/* How one visit of a Gauss-Seidel sweep changes the multipliers of a block. A plugin can define
 * more laws. w: the block's own part of W, n x n, row major. */
typedef struct SofaConstraintLaw {
  const char *name;
  /* optional: reals of `work` for blocks of n rows; NULL: 0 */
  size_t (*work_size)(size_t n);
  /* optional: once per solve, fills `work` (factors of w) */
  void (*begin)(const SofaConstraintBlock *b, const double *w, double *work);
  /* required: d: violations of the rows under the current multipliers (may be changed);
   * lambda: the block's multipliers, corrected in place */
  void (*resolve)(const SofaConstraintBlock *b, const double *w, const double *work, double *d,
                  double *lambda);
  /* optional: the natural map, see SofaNaturalMap. Without it the residual of a block is what a
   * visit changes, and Newton solvers leave the problem to Gauss-Seidel sweeps. */
  void (*natural)(const SofaConstraintBlock *b, const SofaNaturalMap *map);
} SofaConstraintLaw;

/* numerics/constraint/laws.h has the laws of this library. */

/* ---- the problem of a step ---- */

/* A real of J. */
typedef struct SofaConstraintEntry {
  uint32_t row, column; /* column: scalar deriv of the state */
  double value;
} SofaConstraintEntry;
SOFA_LIST(SofaConstraintEntry, SofaConstraintEntries);

/* A mechanical state in the problem. */
typedef struct SofaConstrainedState {
  SofaState *state;
  SofaConstraintEntries entries; /* as they were added, then those of mapped states below */
  SofaSparseRows j;              /* independent states: the rows with entries, ascending, columns
                                    ascending and each once; number: rows of the problem */
  SofaIndices start, column, number; /* memory of j */
  SofaReals value;
  SofaReals force;           /* J^T lambda, derivs of the state; set before motions are found */
  SofaReals motion;          /* c, derivs: set by the correction that moves the state */
  double position, velocity; /* x = x_free + position c, v = v_free + velocity c; set likewise */
  const SofaObject *mover;   /* that correction; NULL: none */
} SofaConstrainedState;
SOFA_LIST(SofaConstrainedState, SofaConstrainedStates);

/* What a solve is for. */
typedef enum SofaConstraintPass {
  SOFA_PASS_MOTION,    /* the forces of the step */
  SOFA_PASS_EXPANSION, /* the same rows again, from the forces found: an impact's second phase */
  SOFA_PASS_POSITIONS  /* positions alone: the states do not move, d is the gap */
} SofaConstraintPass;

/* Arrays keep their memory from step to step. */
typedef struct SofaConstraintProblem {
  SofaContext *ctx;
  SofaConstraintOrder order;
  SofaConstraintPass pass;
  bool stabilised;              /* the drift of positions is left to SOFA_PASS_POSITIONS */
  double dt, time;              /* of the step: its length and its start */
  uint32_t n;                   /* rows */
  SofaConstraintBlocks blocks;  /* in the order of their rows */
  SofaConstrainedStates states; /* in visiting order */
  SofaIndices slots;            /* hash of states; see sofa_constrained_state */
  SofaReals violation;          /* n: d_free */
  SofaReals lambda;             /* n: the solution; 0 before a solve */
  SofaReals w;                  /* n x n, column major; empty for solvers without it */
  struct SofaLagrangian *owner; /* whose rows are being added */
  struct SofaConstraintCorrection **corrections; /* borrowed; valid and active ones, in order */
  size_t n_corrections;
  uint64_t graph_version;              /* of the graph that states and corrections are of */
  SofaBlockProjections projections[2]; /* memory of the projective constraints that rows meet */
  bool told_uncorrected, told_static;  /* reported in this run: rows whose forces move nothing */
} SofaConstraintProblem;

void sofa_constraint_problem_free(SofaConstraintProblem *problem);
/* Empties the problem: no rows, no states. */
void sofa_constraint_problem_clear(SofaConstraintProblem *problem);
SofaErr sofa_constraint_problem_add_state(SofaConstraintProblem *problem, SofaState *state);
/* The state's place, or NULL. */
SofaConstrainedState *sofa_constrained_state(const SofaConstraintProblem *problem,
                                             const SofaState *state);
/* For `build`: a block of block->n new rows; *first: the number of the first. */
SofaErr sofa_constraint_block(SofaConstraintProblem *problem, const SofaConstraintBlock *block,
                              uint32_t *first);
/* For `build`: adds `value` (the derivs of one point: 3 reals for Vec3, 6 for Rigid3) to the row
 * at a point of the state. The state may be mapped. */
SofaErr sofa_constraint_entry(SofaConstraintProblem *problem, const SofaState *state, uint32_t row,
                              size_t point, const double *value);
/* Makes j of the state from its entries; mapped states' entries have been handed up before. */
SofaErr sofa_constrained_state_close(SofaConstraintProblem *problem, SofaConstrainedState *s);

/* ---- constraints ---- */

typedef struct SofaLagrangian {
  SofaObject object;
  const struct SofaLagrangianOps *ops; /* of the class */
  SofaLink mstate, object1, object2;   /* of the classes that have these fields */
  SofaState *state[2];                 /* known from creation; NULL: none, or init failed */
  double end_time;                     /* without effect, as in SOFA */
  int group;                           /* likewise */
  unsigned constraint_index;           /* output: its first row in the last problem */
  uint32_t n_rows;                     /* in the last problem */
  SofaReals forces;                    /* output: of its rows in the last problem */
} SofaLagrangian;

extern const SofaClass sofa_lagrangian_class; /* abstract: endTime, group, constraintIndex, forces
                                               */
extern const SofaClass sofa_state_lagrangian_class; /* abstract: one state, mstate */
extern const SofaClass sofa_pair_lagrangian_class;  /* abstract: object1 and object2 */

typedef struct SofaLagrangianOps {
  /* required: adds the blocks and rows of a step, at the states' positions. The state's free
   * motion is known already. */
  SofaErr (*build)(SofaLagrangian *c, SofaConstraintProblem *problem);
  /* required: d of the rows it added last, of the states' free positions or velocities */
  SofaErr (*violation)(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d);
  /* optional: after a solve: the multipliers of its rows */
  SofaErr (*solved)(SofaLagrangian *c, const SofaConstraintProblem *problem, const double *lambda);
} SofaLagrangianOps;

/* SofaLagrangianOps.solved of most classes: `forces` are the multipliers / dt. */
SofaErr sofa_lagrangian_solved(SofaLagrangian *c, const SofaConstraintProblem *problem,
                               const double *lambda);
/* Positions and velocities of a state's free motion; those that it has when no loop moves it. */
static inline const double *sofa_free_position(const SofaState *state) {
  return state->free_position.n ? state->free_position.data : state->position.data;
}
static inline const double *sofa_free_velocity(const SofaState *state) {
  return state->free_velocity.n ? state->free_velocity.data : state->velocity.data;
}

/* ---- corrections ---- */

typedef struct SofaConstraintCorrection {
  SofaObject object;
  const struct SofaConstraintCorrectionOps *ops; /* of the class */
  SofaLinks solvers;                             /* output constraintSolvers: those that use it */
} SofaConstraintCorrection;

extern const SofaClass sofa_constraint_correction_class; /* abstract */

/* All functions find the rows of their states by sofa_constrained_state; a state without rows has
 * j.n_rows 0. */
typedef struct SofaConstraintCorrectionOps {
  /* optional: after the free motion, before the others: finds solver, factors, states */
  SofaErr (*begin)(SofaConstraintCorrection *c, const SofaConstraintProblem *problem);
  /* required: adds its part of W to w, n x n, column major */
  SofaErr (*add_compliance)(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                            double *w);
  /* required: sets motion, position, velocity and mover of its states, also of those without rows,
   * from `force` */
  SofaErr (*find_motion)(SofaConstraintCorrection *c, SofaConstraintProblem *problem);

  /* optional: prepares `start` in a form of fewer reals than W; *found: it has one of at most
   * *most, which becomes less by them */
  SofaErr (*factor)(SofaConstraintCorrection *c, const SofaConstraintProblem *problem, size_t *most,
                    bool *found);

  /* Solvers that do not form W. Optional, together. */
  /* adds its part of the blocks' own parts of W: blocks[k] is n_k x n_k, row major; starts from
   * multipliers lambda. */
  SofaErr (*start)(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                   double *const *blocks, const double *lambda);
  /* does it know rows of the block? */
  bool (*knows)(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                const SofaConstraintBlock *block);
  /* d += its part of W lambda for the rows of the block */
  void (*add_displacement)(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                           const SofaConstraintBlock *block, double *d);
  /* the block's multipliers have changed by `change` */
  void (*add_force)(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                    const SofaConstraintBlock *block, const double *change);
  /* optional: sorts the order in which blocks are visited, a permutation of problem->blocks */
  SofaErr (*reorder)(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                     uint32_t *order);
} SofaConstraintCorrectionOps;

/* ---- solvers ---- */

typedef struct SofaConstraintSolver {
  SofaObject object;
  const struct SofaConstraintSolverOps *ops; /* of the class */
  SofaLinks corrections;         /* output constraintCorrections: those at and below its node */
  SofaConstraintProblem problem; /* of the last step */
} SofaConstraintSolver;

/* w = W of the problem, n x n, by the corrections of its last step: also for solvers that do
 * without it. */
SofaErr sofa_constraint_compliance(SofaConstraintProblem *problem, double *w);

extern const SofaClass sofa_constraint_solver_class; /* abstract: constraintCorrections */

typedef struct SofaConstraintSolverOps {
  /* required: problem->lambda from problem->violation, blocks and W; n > 0. A solve that does
   * not converge is reported, not failed. */
  SofaErr (*solve)(SofaConstraintSolver *solver, SofaConstraintProblem *problem);
  /* optional: does it need problem->w? Default: yes */
  bool (*needs_w)(const SofaConstraintSolver *solver);
  /* optional: does it constrain positions, whatever the loop's order? Default: no */
  bool (*positions_only)(const SofaConstraintSolver *solver);
  /* optional: do points that projective constraints hold keep their entries of J? Default: no */
  bool (*keeps_held)(const SofaConstraintSolver *solver);
} SofaConstraintSolverOps;

SOFA_END_DECLS

#endif
