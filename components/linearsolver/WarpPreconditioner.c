/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WarpPreconditioner: solves with an older matrix, turned with the body (Courtecuisse, Allard,
 * Duriez and Cotin, Asynchronous preconditioners for efficient solving of non-linear
 * deformations, VRIPHYS 2010). */
#include <string.h>

#include "components/linearsolver/rotation_matrix_system.h"
#include "components/linearsolver/rotations.h"
#include "numerics/krylov/work_vector.h"
#include "simulation/vectors.h"
#include "object/checkpoint.h"

typedef struct WarpPreconditioner {
  SofaLinearSolver solver;
  SofaLink linear_solver;
  SofaReals side, solution; /* in the frames of the old matrix */
} WarpPreconditioner;

static const SofaLinkRule solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(WarpPreconditioner, linear_solver, "linearSolver", NULL, "",
               "solver of the old matrix; default: the first one of the node with an assembled "
               "system",
               .link = &solver_rule),
};

/* The first other linear solver of the node that is assembled and no warp itself. */
static SofaObject *find_solver(const SofaObject *object) {
  const SofaNode *node = object->node;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *other = node->objects.data[i];
    if (!sofa_implements(other, SOFA_LINEAR_SOLVER) || !sofa_valid(other)) continue;
    if (other->klass == object->klass) continue;
    if (strcmp(other->template_name, SOFA_MATRIX_FREE_TEMPLATE) != 0) return other;
  }
  return NULL;
}

/* The other solver has found its system by now. */
static SofaErr bwd_init(SofaObject *object) {
  WarpPreconditioner *s = (WarpPreconditioner *)object;
  if (!s->linear_solver.target) s->linear_solver.target = find_solver(object);
  const SofaLinearSolver *inner = (SofaLinearSolver *)s->linear_solver.target;
  if (!inner || inner == &s->solver || !inner->linear_system.target)
    return sofa_field_fail(object, "linearSolver", SOFA_ERR_NOT_FOUND,
                           "there is no linear solver with an assembled system");
  if (!s->solver.system || s->solver.system->object.klass != &sofa_RotationMatrixSystem_class)
    return sofa_field_fail(object, "linearSystem", SOFA_ERR_TYPE, "must be a RotationMatrixSystem");
  RotationMatrixSystem *system = (RotationMatrixSystem *)s->solver.system;
  if (!system->main_system.target) system->main_system.target = inner->linear_system.target;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  WarpPreconditioner *s = (WarpPreconditioner *)object;
  sofa_list_free(object->ctx, &s->side);
  sofa_list_free(object->ctx, &s->solution);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  WarpPreconditioner *s = (WarpPreconditioner *)solver;
  const RotationMatrixSystem *system = (RotationMatrixSystem *)solver->system;
  const SofaMechanics *m = solver->system->mechanics;
  SofaLinearSolver *inner = (SofaLinearSolver *)s->linear_solver.target;
  if (!inner || !inner->system || inner->system->mechanics != m)
    return sofa_field_fail(&solver->object, "linearSolver", SOFA_ERR_ARGUMENT,
                           "its system is not the mainSystem of '%s'", system->system.object.name);
  if (system->identity) return sofa_linear_solver_solve(inner, b, x);

  /* z = R A^-1 R^T r */
  SOFA_TRY(work_vector(solver->object.ctx, m->n_v, &s->side));
  SOFA_TRY(work_vector(solver->object.ctx, m->n_v, &s->solution));
  sofa_vec_copy(sofa_main_v(m), b, s->side.data);
  rotations_turn(&system->rotations, true, b, s->side.data);
  SOFA_TRY(sofa_linear_solver_solve(inner, s->side.data, s->solution.data));
  sofa_vec_copy(sofa_main_v(m), s->solution.data, x);
  rotations_turn(&system->rotations, false, s->solution.data, x);
  return SOFA_OK;
}

static const SofaLinearSolverOps ops = {.solve = solve, .system_class = "RotationMatrixSystem"};

static const char *const templates[] = {"RotationMatrixd", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(WarpPreconditioner, side),
    SOFA_REMADE(WarpPreconditioner, solution),
};

SOFA_CLASS(WarpPreconditioner) = {
    SOFA_NAMED(WarpPreconditioner),
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver: z = R A^-1 R^T r with an older matrix A and the "
            "rotations R of the points since (RotationMatrixSystem).",
    .equations = "z = R A^-1 R^T r",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
