/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PrecomputedMatrixSystem: the matrix of the first build, kept as long as the scene stays the same.
 */
#include "components/linearsolver/precomputed_matrix_system.h"
#include "object/checkpoint.h"
#include "simulation/kept_matrix.h"

static const SofaQuirk quirks[] = {
    SOFA_QUIRK_ASSEMBLY_ROW,
};

static SofaErr construct(SofaObject *object) {
  return sofa_assembly_create(object, &((PrecomputedMatrixSystem *)object)->assembly);
}

static SofaErr init(SofaObject *object) {
  ((PrecomputedMatrixSystem *)object)->serial = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_assembly_destroy(&((PrecomputedMatrixSystem *)object)->assembly);
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                     const SofaMechPoint *at) {
  static const SofaAssemblyParts everything = {.stiffness = true,
                                               .mass = true,
                                               .damping = true,
                                               .geometric_stiffness = true,
                                               .mapped = true,
                                               .constraints = true};
  PrecomputedMatrixSystem *s = (PrecomputedMatrixSystem *)system;
  s->builds++;
  if (s->serial == m->serial) return SOFA_OK;
  system->matrix_size.v[0] = system->matrix_size.v[1] = (double)m->n_v_main;
  s->serial = 0;
  SOFA_TRY(sofa_assembly_build(s->assembly, m, params, at, &everything));
  s->serial = m->serial;
  return SOFA_OK;
}

static SofaErr apply(SofaLinearSystem *system, double *p, double *q) {
  return sofa_assembly_apply(((PrecomputedMatrixSystem *)system)->assembly, p, q);
}

static SofaBlockMatrix *matrix(SofaLinearSystem *system) {
  return sofa_assembly_matrix(((PrecomputedMatrixSystem *)system)->assembly);
}

static const SofaLinearSystemOps ops = {.build = build, .apply = apply, .matrix = matrix};

static const char *const templates[] = {"CompressedRowSparseMatrixd", NULL};

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const PrecomputedMatrixSystem *s = (const PrecomputedMatrixSystem *)object;
  const SofaMechanics *m = sofa_kept_plan(&s->system);
  const bool kept = m && s->serial == m->serial;
  sofa_checkpoint_put_uint(to, kept);
  sofa_checkpoint_put_uint(to, s->builds);
  if (kept) sofa_kept_matrix_save(&s->system, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  PrecomputedMatrixSystem *s = (PrecomputedMatrixSystem *)object;
  SofaMechanics *m = NULL;
  const bool kept = sofa_checkpoint_get_uint(from) != 0;
  const uint64_t builds = sofa_checkpoint_get_uint(from);
  s->serial = 0;
  if (kept) SOFA_TRY(sofa_kept_matrix_restore(&s->system, from, &m));
  s->builds = builds;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PrecomputedMatrixSystem, assembly),
};

SOFA_CLASS(PrecomputedMatrixSystem) = {
    SOFA_NAMED(PrecomputedMatrixSystem),
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSystem",
    .help =
        "The matrix of the first build, for PrecomputedWarpPreconditioner: assembled once, kept "
        "until objects are added or removed.",
    .base = &sofa_linear_system_class,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    .templates = templates,
    .construct = construct,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &ops}),
};
