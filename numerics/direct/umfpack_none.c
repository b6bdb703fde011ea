/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes the place of umfpack_solver.c in builds without GPL parts: the class with its fields, whose
 * objects are refused. */
#include "numerics/direct/gpl_parts.h"
#include "numerics/direct/umfpack_solver.h"

static const SofaField fields[] = {SOFA_ROW_ORDERING(SofaUmfpackSolver, base.ordering)};

void sofa_umfpack_set_symmetric(SofaUmfpackSolver *solver, bool symmetric) {
  (void)solver;
  (void)symmetric;
}

static SofaErr init(SofaObject *object) {
  return sofa_gpl_part_missing(object, "UMFPACK");
}

/* Of no solver that is initialised. */
static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  (void)n;
  (void)b;
  (void)x;
  return sofa_gpl_part_missing(&solver->object, "UMFPACK");
}

static void forget_pattern(SofaLinearSolver *solver) {
  (void)solver;
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .forget_pattern = forget_pattern};

const SofaClass sofa_umfpack_solver_class = {
    .name = "UmfpackLinearSolver",
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Direct solution by L U; this build has no UMFPACK, and refuses it.",
    .base = &sofa_linear_solver_class,
    .size = sizeof(SofaUmfpackSolver),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
