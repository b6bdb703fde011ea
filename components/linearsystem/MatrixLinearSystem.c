/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MatrixLinearSystem: the operator as an assembled matrix, for direct solvers. */
#include "components/linearsystem/matrix_linear_system.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    SOFA_QUIRK_ASSEMBLY_ROW,
};

static const SofaField fields[] = {
    SOFA_FIELD(MatrixLinearSystem, stiffness, "assembleStiffness", "1", "",
               "add the stiffness k K of force fields"),
    SOFA_FIELD(MatrixLinearSystem, mass, "assembleMass", "1", "", "add the masses m M"),
    SOFA_FIELD(MatrixLinearSystem, damping, "assembleDamping", "1", "",
               "add the damping b B of force fields"),
    SOFA_FIELD(MatrixLinearSystem, geometric_stiffness, "assembleGeometricStiffness", "1", "",
               "add the geometric stiffness of mappings"),
    SOFA_FIELD(MatrixLinearSystem, constraints, "applyProjectiveConstraints", "1", "",
               "rows and columns of constrained dofs become those of the identity"),
    SOFA_FIELD(MatrixLinearSystem, mapped, "applyMappedComponents", "1", "",
               "add components at mapped states, through J^T (.) J"),
    SOFA_FIELD(MatrixLinearSystem, check_indices, "checkIndices", "0", "",
               "no effect: indices are always checked", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(MatrixLinearSystem, parallel_assembly, "parallelAssemblyIndependentMatrices", "0",
               "", "no effect on the result", .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr construct(SofaObject *object) {
  return sofa_assembly_create(object, &((MatrixLinearSystem *)object)->assembly);
}

static void destroy(SofaObject *object) {
  sofa_assembly_destroy(&((MatrixLinearSystem *)object)->assembly);
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                     const SofaMechPoint *at) {
  const MatrixLinearSystem *s = (MatrixLinearSystem *)system;
  const bool everything =
      s->stiffness && s->mass && s->damping && s->geometric_stiffness && s->mapped;
  const SofaAssemblyParts parts = {.stiffness = s->stiffness,
                                   .mass = s->mass,
                                   .damping = s->damping,
                                   .geometric_stiffness = s->geometric_stiffness,
                                   .mapped = s->mapped,
                                   .constraints = s->constraints,
                                   .like = everything ? s->like : NULL};
  system->matrix_size.v[0] = system->matrix_size.v[1] = (double)m->n_v_main;
  return sofa_assembly_build(s->assembly, m, params, at, &parts);
}

static SofaErr apply(SofaLinearSystem *system, double *p, double *q) {
  if (system->mechanics && system->mechanics->divided)
    return sofa_object_unsupported(
        &system->object,
        "products with the matrix of a mesh that is divided among processes: leave out the "
        "template of the iterative solver, or use a PETScLinearSolver");
  return sofa_assembly_apply(((MatrixLinearSystem *)system)->assembly, p, q);
}

static SofaBlockMatrix *matrix(SofaLinearSystem *system) {
  return sofa_assembly_matrix(((MatrixLinearSystem *)system)->assembly);
}

static SofaErr symmetric(SofaLinearSystem *system, bool *out) {
  return sofa_assembly_symmetric(((MatrixLinearSystem *)system)->assembly, out);
}

const SofaLinearSystemOps matrix_linear_system_ops = {
    .build = build, .apply = apply, .matrix = matrix, .symmetric = symmetric};

static const char *const templates[] = {
    SOFA_ASSEMBLED_TEMPLATES, "DiagonalMatrix", "BlockDiagonalMatrixMat3x3d",
    "RotationMatrixd",        "BTDMatrix6d",    NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(MatrixLinearSystem, assembly),
};

SOFA_CLASS(MatrixLinearSystem) = {
    SOFA_NAMED(MatrixLinearSystem),
    .module = "Sofa.Component.LinearSystem",
    .category = "LinearSystem",
    .help = "Assembles A = m M + b B + k K, components at mapped states projected with J^T (.) J, "
            "constrained dofs decoupled. The template, a kind of storage in SOFA, has no effect.",
    .equations = "A = m M + b B + k K, K = sum_c J_c^T K_c J_c\n"
                 "\"M, B, K: mass, df/dv and df/dx; K_c: of component c, J_c: Jacobian of the "
                 "mappings of its state, M and B likewise; m, b, k: factors of the ODE solver\"",
    .base = &sofa_linear_system_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &matrix_linear_system_ops}),
};
