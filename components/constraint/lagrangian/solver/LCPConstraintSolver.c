/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LCPConstraintSolver: Gauss-Seidel for contacts, which starts from the forces of the last step. */
#include <math.h>

#include "components/constraint/lagrangian/solver/contact_memory.h"
#include "object/checkpoint.h"
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"
#include "numerics/constraint/laws.h"

typedef struct LCPConstraintSolver {
  LagrangianSolver base;
  bool initial_guess, build;
  double mu, min_w, max_force;
  bool mu_given, told; /* by the scene; of rows that do not fit */
  ContactMemory memory;
  SofaConstraintProblem view; /* the step's problem with the blocks below */
  SofaConstraintBlocks blocks;
  bool show_debug;
  SofaInts group;
  double show_width;
  SofaVec3 show_translation;
} LCPConstraintSolver;

enum { QUIRK_LCP_FRICTION = 1, QUIRK_LCP_HELD_POINTS = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_LCP_FRICTION, "lcp-friction",
     "LCPConstraintSolver takes all rows for contacts, three by three, with its own mu",
     "test_constraint_components.lcp_friction"},
    {QUIRK_LCP_HELD_POINTS, "lcp-held-points",
     "LCPConstraintSolver moves points that projective constraints hold",
     "test_constraint_components.lcp_held_points"},
};

typedef LCPConstraintSolver SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(base.method.max_iterations, "maxIt", "1000", "1", "most sweeps of a solve",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(base.method.tolerance, "tolerance", "0.001", "m",
             "a solve ends when the sum of the changes of the violations in a sweep falls below "
             "this, times the number of contacts and one with friction or without W",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(base.method.regularization, "regularizationTerm", "0", "",
             "added to the diagonal of the compliance W", .range = SOFA_AT_LEAST(0),
             .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(mu, "mu", "0.6", "1",
             "friction coefficient of all contacts; without a value in the scene contacts have "
             "their own",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(initial_guess, "initial_guess", "1", "", "start from the forces of the last step"),
    SOFA_ROW(build, "build_lcp", "1", "",
             "form the compliance W; off: the corrections give displacements and take forces"),
    SOFA_ROW(min_w, "minW", "0", "",
             "contacts whose normal compliance is at most this have no force; 0: off"),
    SOFA_ROW(max_force, "maxF", "0", "",
             "contacts whose normal force reaches this in a converged solve have none; 0: off"),
    SOFA_ROW(show_debug, "displayDebug", "0", "", "fill graph"),
    SOFA_ROW(base.solve.report.errors, "graph", NULL, "m", "errors of the last solve's sweeps",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW_NO_EFFECT(group, "group", NULL, "no effect"),
    SOFA_ROW_NO_EFFECT(show_width, "showCellWidth", NULL, "no effect"),
    SOFA_ROW_NO_EFFECT(show_translation, "showTranslation", NULL, "no effect"),
};

static SofaErr construct(SofaObject *object) {
  LCPConstraintSolver *s = (LCPConstraintSolver *)object;
  s->base.method.sor = 1;
  s->base.method.norm = SOFA_NORM_BLOCK;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  LCPConstraintSolver *s = (LCPConstraintSolver *)object;
  s->mu_given = sofa_field_is_set(object, "mu");
  s->base.method.without_w = !s->build;
  s->base.method.record = s->show_debug;
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  LCPConstraintSolver *s = (LCPConstraintSolver *)object;
  s->memory.contacts.n = 0;
  s->told = false;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  LCPConstraintSolver *s = (LCPConstraintSolver *)object;
  contact_memory_free(object->ctx, &s->memory);
  sofa_list_free(object->ctx, &s->blocks);
}

/* ---- blocks ---- */

/* The blocks of the problem; contacts with friction have the solver's coefficient, when given. */
static SofaErr copy_blocks(LCPConstraintSolver *s, const SofaConstraintProblem *problem) {
  for (size_t k = 0; k < problem->blocks.n; k++) {
    SofaConstraintBlock b = problem->blocks.data[k];
    const bool rubs = b.law == &sofa_law_friction || b.law == &sofa_law_friction_exact ||
                      (b.law == &sofa_law_augmented && b.n == 3);
    if (rubs && s->mu_given && problem->pass != SOFA_PASS_POSITIONS) b.friction = s->mu;
    SOFA_TRY(SOFA_APPEND(problem->ctx, &s->blocks, &b));
  }
  return SOFA_OK;
}

/* Whatever the rows are: with a coefficient three by three contacts, else unilateral rows. */
static SofaErr count_off(LCPConstraintSolver *s, const SofaConstraintProblem *problem) {
  const uint32_t size = s->mu > 0 ? 3 : 1;
  const SofaConstraintLaw *law = s->mu > 0 ? &sofa_law_friction : &sofa_law_unilateral;
  for (uint32_t first = 0; first < problem->n; first += size) {
    const SofaConstraintBlock b = {.law = law, .first = first, .n = size, .friction = s->mu};
    SOFA_TRY(SOFA_APPEND(problem->ctx, &s->blocks, &b));
  }
  return SOFA_OK;
}

/* Counted rows are contacts of three rows that begin from forces of 0. */
static SofaErr check_counted(const LCPConstraintSolver *s, const SofaConstraintProblem *problem) {
  for (size_t k = 0; k < problem->blocks.n; k++) {
    const SofaConstraintBlock *b = &problem->blocks.data[k];
    if (b->law != &sofa_law_friction_exact && !(b->expansion > 0)) continue;
    return sofa_object_fail(&s->base.solver.object, SOFA_ERR_UNSUPPORTED,
                            "with the quirk lcp-friction it does not know muRolling, muSpinning, "
                            "muSecond and Poisson's law, which '%s' has: leave the quirk out, or "
                            "take another constraint solver",
                            b->owner ? b->owner->object.name : "a contact");
  }
  return SOFA_OK;
}

static SofaErr tell_rows(LCPConstraintSolver *s, uint32_t n) {
  if (!s->told)
    sofa_object_message(&s->base.solver.object, SOFA_WARNING,
                        "%u constraint rows are not those of contacts with friction, three each: "
                        "their forces stay at the initial guess",
                        n);
  s->told = true;
  return SOFA_OK;
}

/* ---- a solve ---- */

/* Contacts without enough compliance: their law gives them no force. */
static void leave_stiff_contacts(LCPConstraintSolver *s) {
  const SofaConstraintSolve *solve = &s->base.solve;
  for (size_t k = 0; k < s->view.blocks.n && s->min_w != 0; k++) {
    double *w = solve->part.data + solve->part_at.data[k];
    if (fabs(w[0]) <= s->min_w) w[0] = 0;
  }
}

static void leave_large_forces(const LCPConstraintSolver *s) {
  if (s->max_force == 0 || !s->base.solve.report.converged) return;
  for (size_t k = 0; k < s->view.blocks.n; k++) {
    const SofaConstraintBlock *b = &s->view.blocks.data[k];
    double *lambda = s->view.lambda.data + b->first;
    if (fabs(lambda[0]) >= s->max_force) sofa_zero(lambda, b->n * sizeof *lambda);
  }
}

static double factor_of_tolerance(const LCPConstraintSolver *s) {
  bool rubs = !s->build;
  for (size_t k = 0; k < s->view.blocks.n; k++) rubs |= s->view.blocks.data[k].n > 1;
  return rubs ? (double)s->view.blocks.n + 1 : 1;
}

static SofaErr solve_view(LCPConstraintSolver *s) {
  SofaConstraintSolve *solve = &s->base.solve;
  s->base.method.cold = !s->initial_guess;
  SOFA_TRY(lagrangian_solver_begin(&s->base, &s->view));
  solve->limit = s->base.method.tolerance * factor_of_tolerance(s);
  leave_stiff_contacts(s);
  SOFA_TRY(s->build ? sofa_constraint_gauss_seidel(solve) : sofa_constraint_unbuilt(solve));
  leave_large_forces(s);
  return lagrangian_solver_end(&s->base);
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  LCPConstraintSolver *s = (LCPConstraintSolver *)solver;
  const bool counts = sofa_quirk(&solver->object, QUIRK_LCP_FRICTION);
  if (problem->n == 0) {
    SOFA_TRY(contact_memory_keep(&s->memory, problem));
    return lagrangian_solver_idle(&s->base);
  }
  const bool remembers = s->initial_guess && problem->pass != SOFA_PASS_POSITIONS;
  if (remembers && problem->pass == SOFA_PASS_MOTION) contact_memory_recall(&s->memory, problem);
  if (counts) SOFA_TRY(check_counted(s, problem));
  if (counts && s->mu > 0 && problem->n % 3 != 0) return tell_rows(s, problem->n);
  s->blocks.n = 0;
  SOFA_TRY(counts ? count_off(s, problem) : copy_blocks(s, problem));
  s->view = *problem;
  s->view.blocks = s->blocks;
  SOFA_TRY(solve_view(s));
  return remembers ? contact_memory_keep(&s->memory, problem) : SOFA_OK;
}

static bool needs_w(const SofaConstraintSolver *solver) {
  return ((const LCPConstraintSolver *)solver)->build;
}

static bool positions_only(const SofaConstraintSolver *solver) {
  (void)solver;
  return true;
}

static bool keeps_held(const SofaConstraintSolver *solver) {
  return sofa_quirk(&solver->object, QUIRK_LCP_HELD_POINTS);
}

static const SofaConstraintSolverOps ops = {
    .solve = solve, .needs_w = needs_w, .positions_only = positions_only, .keeps_held = keeps_held};

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  contact_memory_save(&((const LCPConstraintSolver *)object)->memory, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return contact_memory_restore(object->ctx, &((LCPConstraintSolver *)object)->memory, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(LCPConstraintSolver, told),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(LCPConstraintSolver, blocks),

    SOFA_REMADE(LCPConstraintSolver, view),
};

SOFA_CLASS(LCPConstraintSolver) = {
    SOFA_NAMED(LCPConstraintSolver),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of contacts with friction by Gauss-Seidel sweeps that start from the "
            "forces of the same contacts in the last step. It constrains positions whatever the "
            "order of the animation loop.",
    .equations = "delta = delta_0 + W lambda, W = J A^-1 J^T",
    .base = &lagrangian_solver_class,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .construct = construct,
    .init = init,
    .reinit = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
