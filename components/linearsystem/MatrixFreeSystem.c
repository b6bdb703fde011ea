/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MatrixFreeSystem: the operator P A as a product, for iterative solvers. Where the force fields
 * and masses can give their operator as a matrix, it is assembled once per build and applied,
 * unless the last solution took so few iterations that products by the components cost less; else
 * every product asks the components. The two agree to rounding, and which one it is follows from
 * counts, never from time: results do not depend on the machine. */
#include "components/linearsystem/matrix_free_system.h"

#include "simulation/divided_plan.h"
#include "simulation/vectors.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    SOFA_QUIRK_ASSEMBLY_ROW,
};

/* An assembly of tetrahedra costs as much as this many products by their elements, less those with
 * the matrix: bench/README.md. */
enum { BREAK_EVEN = 8 };

/* A matrix that does not change is assembled once for all. */
static bool pays(const SofaLinearSystem *system, const SofaMechanics *m) {
  return system->last_iterations < 0 || system->last_iterations >= BREAK_EVEN ||
         sofa_assembly_is_constant(m);
}

static SofaErr construct(SofaObject *object) {
  return sofa_assembly_create(object, &((MatrixFreeSystem *)object)->assembly);
}

static void destroy(SofaObject *object) {
  sofa_assembly_destroy(&((MatrixFreeSystem *)object)->assembly);
}

SofaErr matrix_free_build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                          const SofaMechPoint *at) {
  static const SofaAssemblyParts everything = {.stiffness = true,
                                               .mass = true,
                                               .damping = true,
                                               .geometric_stiffness = true,
                                               .mapped = true};
  MatrixFreeSystem *s = (MatrixFreeSystem *)system;
  system->matrix_size.v[0] = system->matrix_size.v[1] = (double)m->n_v_main;
  /* matrices of children that all processes have are no sums over the processes */
  s->assembled = !(m->divided && m->has_mapped_forces) && sofa_assembly_is_operator(m, params) &&
                 pays(system, m);
  return s->assembled ? sofa_assembly_build(s->assembly, m, params, at, &everything) : SOFA_OK;
}

SofaErr matrix_free_apply(SofaLinearSystem *system, double *p, double *q) {
  MatrixFreeSystem *s = (MatrixFreeSystem *)system;
  SofaMechanics *m = system->mechanics;
  if (s->assembled) {
    SOFA_TRY(sofa_assembly_apply(s->assembly, p, q));
    SOFA_TRY(sofa_divided_sum(m, q));
  } else {
    sofa_vec_zero(sofa_main_v(m), q);
    SOFA_TRY(sofa_mech_propagate_dx(m, &system->at, p));
    SOFA_TRY(sofa_mech_add_mbk(m, &system->params, &system->at, p, q));
  }
  return sofa_mech_project_response(m, &system->params, q);
}

static const SofaLinearSystemOps ops = {.build = matrix_free_build, .apply = matrix_free_apply};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(MatrixFreeSystem, assembled),
    SOFA_REMADE(MatrixFreeSystem, assembly),
};

SOFA_CLASS(MatrixFreeSystem) = {
    SOFA_NAMED(MatrixFreeSystem),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSystem",
    .help = "The operator P (m M + b B + k K), P the projection of the constraints, of which only "
            "products with vectors are asked.",
    .equations = "A = P (m M + b B + k K), K = sum_c J_c^T K_c J_c\n"
                 "\"M, B, K: mass, df/dv and df/dx; K_c: of component c, J_c: Jacobian of the "
                 "mappings of its state, M and B likewise; m, b, k: factors of the ODE solver; P: "
                 "projection of the constraints\"",
    .base = &sofa_linear_system_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .templates = templates,
    .construct = construct,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &ops}),
};
