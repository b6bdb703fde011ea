/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RotationMatrixSystem: an older matrix, and how the points have turned since it was built. */
#include "components/linearsolver/rotation_matrix_system.h"
#include "object/checkpoint.h"
#include "simulation/kept_matrix.h"

#include "behavior/rotation_finder.h"
#include "components/linearsolver/rotations.h"
#include "numerics/krylov/work_vector.h"
#include "simulation/vectors.h"

enum { QUIRK_WARP_IDENTITY = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_WARP_IDENTITY, "warp-identity",
     "RotationMatrixSystem keeps parts of the last rotations when it builds its main system",
     "test_preconditioned.forgotten_rotations"},
    QUIRK_WARP_FROM_REST_ROW,
};

static const SofaLinkRule system_rule = {.interface = SOFA_LINEAR_SYSTEM,
                                         .search = SOFA_SEARCH_NONE};
static const SofaLinkRule finder_rule = {.interface = SOFA_ROTATION_FINDER,
                                         .search = SOFA_SEARCH_LOCAL};

static const SofaField fields[] = {
    SOFA_FIELD(RotationMatrixSystem, rate, "assemblingRate", "1", "1",
               "builds of the main system: at the first build of this one, then at every "
               "assemblingRate-th; in between it is turned",
               .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_CLAMP),
    SOFA_FIELD(RotationMatrixSystem, main_system, "mainSystem", NULL, "",
               "assembled system that is kept and turned; default: that of WarpPreconditioner's "
               "linear solver",
               .link = &system_rule),
    SOFA_FIELD(RotationMatrixSystem, rotation_finder, "rotationFinder", NULL, "",
               "object that knows how the points have turned, such as a corotational force field; "
               "default: the first in the node",
               .link = &finder_rule),
};

static SofaErr init(SofaObject *object) {
  RotationMatrixSystem *s = (RotationMatrixSystem *)object;
  s->serial = 0;
  s->since = 0;
  s->identity = true;
  if (s->main_system.target == object)
    return sofa_field_fail(object, "mainSystem", SOFA_ERR_ARGUMENT,
                           "must be another system than this one");
  if (s->rate > 1 && !s->rotation_finder.target)
    sofa_object_message(object, SOFA_WARNING,
                        "no rotationFinder: the main system is kept without being turned");
  return SOFA_OK;
}

/* The next build is a first one again. */
static SofaErr reset(SofaObject *object) {
  ((RotationMatrixSystem *)object)->serial = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  RotationMatrixSystem *s = (RotationMatrixSystem *)object;
  sofa_list_free(object->ctx, &s->rotations);
  sofa_list_free(object->ctx, &s->built);
  sofa_list_free(object->ctx, &s->side);
}

/* SOFA means to set R to the identity, but takes the count of its reals for a count of bytes: only
 * the first eighth of the last rotations is cleared before the diagonals are set to 1. */
static void forget_rotations(RotationMatrixSystem *s, const SofaMechanics *m) {
  s->identity = true;
  if (s->rotations.n == 0 || s->rotations.n != 9 * (m->n_v_main / 3)) return;
  if (!sofa_quirk(&s->system.object, QUIRK_WARP_IDENTITY)) return;
  sofa_zero(s->rotations.data, s->rotations.n);
  for (size_t i = 0; i < s->rotations.n; i++)
    if (i % 9 % 4 == 0) s->rotations.data[i] = 1;
  s->identity = false;
}

static SofaErr build_main(RotationMatrixSystem *s, SofaLinearSystem *main, SofaMechanics *m,
                          const SofaMechParams *params, const SofaMechPoint *at) {
  bool found = false;
  forget_rotations(s, m);
  s->since = 0;
  SOFA_TRY(sofa_linear_system_build(main, m, params, at));
  s->serial = m->serial;
  return s->rate > 1 ? rotations_find(s->rotation_finder.target, m, &s->built, &found) : SOFA_OK;
}

static SofaErr turn_main(RotationMatrixSystem *s, const SofaMechanics *m) {
  bool found = false;
  SOFA_TRY(rotations_find(s->rotation_finder.target, m, &s->rotations, &found));
  s->identity = !found;
  if (found && !sofa_quirk(&s->system.object, QUIRK_WARP_FROM_REST))
    rotations_since(&s->built, &s->rotations);
  return SOFA_OK;
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                     const SofaMechPoint *at) {
  RotationMatrixSystem *s = (RotationMatrixSystem *)system;
  SofaLinearSystem *main = (SofaLinearSystem *)s->main_system.target;
  if (!main)
    return sofa_field_fail(&system->object, "mainSystem", SOFA_ERR_NOT_FOUND,
                           "not set, and there is no WarpPreconditioner to set it");
  system->matrix_size.v[0] = system->matrix_size.v[1] = (double)m->n_v_main;
  if (main->mechanics != m || s->serial != m->serial || s->since >= s->rate)
    SOFA_TRY(build_main(s, main, m, params, at));
  else SOFA_TRY(turn_main(s, m));
  s->since++;
  return SOFA_OK;
}

/* q = R A R^T p */
static SofaErr apply(SofaLinearSystem *system, double *p, double *q) {
  RotationMatrixSystem *s = (RotationMatrixSystem *)system;
  SofaLinearSystem *main = (SofaLinearSystem *)s->main_system.target;
  const SofaMechanics *m = system->mechanics;
  if (s->identity) return sofa_linear_system_ops(main)->apply(main, p, q);
  SOFA_TRY(work_vector(system->object.ctx, m->n_v, &s->side));
  sofa_vec_copy(sofa_main_v(m), p, s->side.data);
  rotations_turn(&s->rotations, true, p, s->side.data);
  SOFA_TRY(sofa_linear_system_ops(main)->apply(main, s->side.data, q));
  rotations_turn(&s->rotations, false, q, q);
  return SOFA_OK;
}

static const SofaLinearSystemOps ops = {.build = build, .apply = apply};

static const char *const templates[] = {"RotationMatrixd", NULL};

/* ---- checkpoints ---- */

/* The matrix of the main system, while it is not due again. */
static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const RotationMatrixSystem *s = (const RotationMatrixSystem *)object;
  const SofaLinearSystem *main = (const SofaLinearSystem *)s->main_system.target;
  const SofaMechanics *m = main ? sofa_kept_plan(main) : NULL;
  const bool kept = m && s->serial == m->serial;
  sofa_checkpoint_put_uint(to, kept);
  if (kept) sofa_kept_matrix_save(main, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  RotationMatrixSystem *s = (RotationMatrixSystem *)object;
  SofaLinearSystem *main = (SofaLinearSystem *)s->main_system.target;
  SofaMechanics *m = NULL;
  const bool kept = sofa_checkpoint_get_uint(from) != 0;
  s->serial = 0;
  if (kept && !main) sofa_checkpoint_misread(from);
  if (kept && main) SOFA_TRY(sofa_kept_matrix_restore(main, from, &m));
  if (m) s->serial = m->serial;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(RotationMatrixSystem, since),
    SOFA_KEEP(RotationMatrixSystem, identity),
    SOFA_KEEP_LIST(RotationMatrixSystem, rotations),
    SOFA_KEEP_LIST(RotationMatrixSystem, built),
};

SOFA_CLASS(RotationMatrixSystem) = {
    SOFA_NAMED(RotationMatrixSystem),
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSystem",
    .help = "A matrix that is built now and then, and the rotations of the points since, for "
            "WarpPreconditioner.",
    .base = &sofa_linear_system_class,
    SOFA_KEEPS(kept),
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &ops}),
};
