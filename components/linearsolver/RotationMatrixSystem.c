/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RotationMatrixSystem: an older matrix, and how the points have turned since it was built. */
#include "components/linearsolver/rotation_matrix_system.h"

#include <string.h>

#include "behavior/rotation_finder.h"
#include "simulation/mechanics.h"

static const SofaLinkRule system_rule = {.interface = SOFA_LINEAR_SYSTEM,
                                         .search = SOFA_SEARCH_NONE};
static const SofaLinkRule finder_rule = {.interface = SOFA_ROTATION_FINDER,
                                         .search = SOFA_SEARCH_LOCAL};

static const SofaField fields[] = {
    SOFA_FIELD(RotationMatrixSystem, rate, "assemblingRate", "1", "1",
               "builds of the main system: at the first build of this one, then at every "
               "assemblingRate-th; in between it is turned; > 0"),
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
  if (s->rate > 0) return SOFA_OK;
  s->rate = 1;
  const SofaErr err =
      sofa_field_fail(object, "assemblingRate", SOFA_ERR_RANGE, "0 builds, must be at least 1");
  return object->ctx->keep_going ? SOFA_OK : err;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((RotationMatrixSystem *)object)->rotations);
}

/* R of every three rows: that of the finder for the points of its state, else the identity. */
static SofaErr find_rotations(RotationMatrixSystem *s, const SofaMechanics *m) {
  SofaObject *finder = s->rotation_finder.target;
  SofaState *state = finder ? sofa_rotation_finder_ops(finder)->state(finder) : NULL;
  if (!state || state->mechanics != m || state->mapped || state->v_offset % 3 != 0 ||
      sofa_state_kind_info(state->object.kind)->deriv != 3)
    return SOFA_OK;
  const size_t n = m->n_v_main / 3;
  SOFA_TRY(SOFA_RESIZE(s->system.object.ctx, &s->rotations, 9 * n));
  memset(s->rotations.data, 0, 9 * n * sizeof *s->rotations.data);
  for (size_t i = 0; i < 9 * n; i++) s->rotations.data[i] = i % 9 % 4 == 0 ? 1 : 0;
  s->identity = false;
  return sofa_rotation_finder_ops(finder)->rotations(finder,
                                                     s->rotations.data + 3 * state->v_offset);
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params) {
  RotationMatrixSystem *s = (RotationMatrixSystem *)system;
  SofaLinearSystem *main = (SofaLinearSystem *)s->main_system.target;
  if (!main)
    return sofa_field_fail(&system->object, "mainSystem", SOFA_ERR_NOT_FOUND,
                           "none, and no WarpPreconditioner gave one");
  system->matrix_size.v[0] = system->matrix_size.v[1] = (double)m->n_v_main;
  s->identity = true;
  if (main->mechanics != m || s->serial != m->serial || s->since >= s->rate) {
    SOFA_TRY(sofa_linear_system_build(main, m, params));
    s->serial = m->serial;
    s->since = 0;
  } else {
    SOFA_TRY(find_rotations(s, m));
  }
  s->since++;
  return SOFA_OK;
}

static SofaErr apply(SofaLinearSystem *system, double *p, double *q) {
  (void)p, (void)q;
  return sofa_object_unsupported(&system->object, "products with vectors: it is for "
                                                  "WarpPreconditioner");
}

static const SofaLinearSystemOps ops = {.build = build, .apply = apply};

static const char *const templates[] = {"RotationMatrixd", NULL};

const SofaClass sofa_RotationMatrixSystem_class = {
    .name = "RotationMatrixSystem",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSystem",
    .help = "A matrix that is built now and then, and the rotations of the points since, for "
            "WarpPreconditioner.",
    .base = &sofa_linear_system_class,
    .size = sizeof(RotationMatrixSystem),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = init,
    .destroy = destroy,
    .ops = {[SOFA_LINEAR_SYSTEM] = &ops},
};
