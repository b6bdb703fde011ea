/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract linear system. */
#include "behavior/linear_system.h"
#include "object/checkpoint.h"

const SofaInterface sofa_linear_system_interface = {
    .name = "linear system",
    SOFA_REQUIRES(offsetof(SofaLinearSystemOps, build), offsetof(SofaLinearSystemOps, apply)),
    .ops_member = offsetof(SofaLinearSystem, ops)};

static const SofaField fields[] = {
    SOFA_FIELD(SofaLinearSystem, matrix_size, "matrixSize", "0 0", "1",
               "rows and columns of the system, in scalars", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(SofaLinearSystem, enable_assembly, "enableAssembly", "1", "",
               "build the system at every step; off: the one built last is kept"),
    SOFA_FIELD(SofaLinearSystem, factorization_invalidation, "factorizationInvalidation", "0", "",
               "no effect: solvers factorise again when the values of the matrix changed",
               .flags = SOFA_FIELD_NO_EFFECT),
};

/* A run after a reset is as the first one. */
static SofaErr forget_iterations(SofaObject *object) {
  ((SofaLinearSystem *)object)->last_iterations = -1;
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(SofaLinearSystem, last_iterations),
};

static const char *refuses(const SofaObject *object) {
  return ((const SofaLinearSystem *)object)->enable_assembly
             ? NULL
             : "with enableAssembly=\"0\" it keeps the matrix of an earlier step";
}

static const SofaCheckpointOps checkpoint = {.refuses = refuses};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaLinearSystem, at),
    SOFA_REMADE(SofaLinearSystem, fresh),
    SOFA_REMADE(SofaLinearSystem, mechanics),
    SOFA_REMADE(SofaLinearSystem, params),
};

const SofaClass sofa_linear_system_class = {
    .name = "LinearSystem",
    .module = "csofa",
    .category = "LinearSystem",
    .help = "The operator A = m M + b B + k K of an ODE solver, constraints applied.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    .construct = forget_iterations,
    .reset = forget_iterations,
    .size = sizeof(SofaLinearSystem),
    SOFA_FIELDS(fields),
    .abstract = true,
};

SofaErr sofa_linear_system_build(SofaLinearSystem *system, SofaMechanics *m,
                                 const SofaMechParams *params, const SofaMechPoint *at) {
  if (!system->enable_assembly) {
    if (system->mechanics == m) {
      system->at = *at; /* products without a matrix are those of the new point */
      return SOFA_OK;
    }
    return sofa_field_fail(&system->object, "enableAssembly", SOFA_ERR_UNSUPPORTED,
                           "off, but there is no system yet to keep");
  }
  if (system->object.in_update)
    return sofa_object_fail(&system->object, SOFA_ERR_CYCLE,
                            "needs itself: links of linear systems and solvers lead back to it");
  system->mechanics = NULL;
  system->params = *params;
  system->at = *at;
  system->object.in_update = true;
  const SofaErr err = sofa_linear_system_ops(system)->build(system, m, params, at);
  system->object.in_update = false;
  if (err != SOFA_OK) return err;
  system->mechanics = m;
  system->fresh = true;
  return SOFA_OK;
}

/* Corrections solve in the first step alone, and initialisation in the first run: they do not
 * count, so that a run after a reset is as the first one. */
void sofa_linear_system_solved(SofaLinearSystem *system, int iterations) {
  if (!system->fresh || system->object.ctx->step == 0) return;
  system->last_iterations = iterations;
  system->fresh = false;
}

SofaBlockMatrix *sofa_linear_system_matrix(SofaLinearSystem *system) {
  const SofaLinearSystemOps *ops = sofa_linear_system_ops(system);
  return ops->matrix ? ops->matrix(system) : NULL;
}
