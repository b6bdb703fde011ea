/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PreconditionedMatrixFreeSystem: the operator of a preconditioned iterative solver, which also
 * builds the matrix of the preconditioner, now and then. */
#include "components/linearsystem/matrix_free_system.h"
#include "components/linearsystem/matrix_linear_system.h"
#include "object/checkpoint.h"
#include "simulation/kept_matrix.h"

static const SofaLinkRule system_rule = {.interface = SOFA_LINEAR_SYSTEM,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(PreconditionedMatrixFreeSystem, rate, "assemblingRate", "1", "1",
               "builds of the preconditioner's system: at the first build of this one, then at "
               "every assemblingRate-th",
               .aliases = "update_step", .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_CLAMP),
    SOFA_FIELD(PreconditionedMatrixFreeSystem, preconditioner_system, "preconditionerSystem", NULL,
               "",
               "system of the preconditioner; default: that of PCGLinearSolver's preconditioner",
               .link = &system_rule),
};

static SofaErr init(SofaObject *object) {
  PreconditionedMatrixFreeSystem *s = (PreconditionedMatrixFreeSystem *)object;
  s->serial = 0;
  s->since = 0;
  if (s->preconditioner_system.target == object)
    return sofa_field_fail(object, "preconditionerSystem", SOFA_ERR_ARGUMENT,
                           "must be another system than this one");
  return SOFA_OK;
}

/* The next build is a first one again. */
static SofaErr reset(SofaObject *object) {
  ((PreconditionedMatrixFreeSystem *)object)->serial = 0;
  return SOFA_OK;
}

/* The plan may be another one than last time, even at the same address. */
static bool due(const PreconditionedMatrixFreeSystem *s, const SofaLinearSystem *preconditioner,
                const SofaMechanics *m) {
  return preconditioner->mechanics != m || s->serial != m->serial || s->since >= s->rate;
}

/* Where the operator is assembled, the preconditioner's matrix is the same but for constraints. */
static SofaErr build_preconditioner(const MatrixFreeSystem *operator, SofaLinearSystem * system,
                                    SofaMechanics *m, const SofaMechParams *params,
                                    const SofaMechPoint *at) {
  if (!operator->assembled || !sofa_class_is_a(system->object.klass,
                                               &sofa_MatrixLinearSystem_class))
    return sofa_linear_system_build(system, m, params, at);
  MatrixLinearSystem *matrix = (MatrixLinearSystem *)system;
  matrix->like = operator->assembly;
  const SofaErr err = sofa_linear_system_build(system, m, params, at);
  matrix->like = NULL;
  return err;
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                     const SofaMechPoint *at) {
  PreconditionedMatrixFreeSystem *s = (PreconditionedMatrixFreeSystem *)system;
  SofaLinearSystem *preconditioner = (SofaLinearSystem *)s->preconditioner_system.target;
  SOFA_TRY(matrix_free_build(system, m, params, at));
  if (!preconditioner) return SOFA_OK;
  if (due(s, preconditioner, m)) {
    SOFA_TRY(build_preconditioner(&s->base, preconditioner, m, params, at));
    s->serial = m->serial;
    s->since = 0;
  }
  s->since++;
  return SOFA_OK;
}

static const SofaLinearSystemOps ops = {.build = build, .apply = matrix_free_apply};

static const char *const templates[] = {SOFA_MATRIX_FREE_TEMPLATE, NULL};

/* ---- checkpoints ---- */

/* The matrix of the preconditioner, while it is not due again. */
static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const PreconditionedMatrixFreeSystem *s = (const PreconditionedMatrixFreeSystem *)object;
  const SofaLinearSystem *of = (const SofaLinearSystem *)s->preconditioner_system.target;
  const SofaMechanics *m = of ? sofa_kept_plan(of) : NULL;
  const bool kept = m && s->serial == m->serial && s->since < s->rate;
  sofa_checkpoint_put_uint(to, kept);
  sofa_checkpoint_put_uint(to, s->since);
  if (kept) sofa_kept_matrix_save(of, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  PreconditionedMatrixFreeSystem *s = (PreconditionedMatrixFreeSystem *)object;
  SofaLinearSystem *of = (SofaLinearSystem *)s->preconditioner_system.target;
  SofaMechanics *m = NULL;
  const bool kept = sofa_checkpoint_get_uint(from) != 0;
  s->since = (uint32_t)sofa_checkpoint_get_uint(from);
  s->serial = 0;
  if (kept && !of) sofa_checkpoint_misread(from);
  if (kept && of) SOFA_TRY(sofa_kept_matrix_restore(of, from, &m));
  if (m) s->serial = m->serial;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PreconditionedMatrixFreeSystem, serial),
};

SOFA_CLASS(PreconditionedMatrixFreeSystem) = {
    SOFA_NAMED(PreconditionedMatrixFreeSystem),
    .module = "Sofa.Component.LinearSolver.Iterative",
    .category = "LinearSystem",
    .help = "The operator P (m M + b B + k K) as products, for PCGLinearSolver. Builds the system "
            "of the preconditioner at every assemblingRate-th build.",
    .equations = "A = P (m M + b B + k K), K = sum_c J_c^T K_c J_c\n"
                 "\"M, B, K: mass, df/dv and df/dx; K_c: of component c, J_c: Jacobian of the "
                 "mappings of its state, M and B likewise; m, b, k: factors of the ODE solver; P: "
                 "projection of the constraints\"",
    .base = &sofa_MatrixFreeSystem_class,
    .divided = SOFA_DIVIDED_NOT,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reset = reset,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &ops}),
};
