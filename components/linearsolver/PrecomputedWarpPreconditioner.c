/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PrecomputedWarpPreconditioner: solves with the first matrix of the run, turned with the body. */
#include "behavior/rotation_finder.h"
#include "object/checkpoint.h"
#include "components/linearsolver/precomputed.h"
#include "components/linearsolver/precomputed_matrix_system.h"
#include "components/linearsolver/rotations.h"
#include "numerics/krylov/work_vector.h"
#include "simulation/vectors.h"

static const SofaQuirk quirks[] = {
    QUIRK_WARP_FROM_REST_ROW,
};

typedef struct PrecomputedWarp {
  PrecomputedSolver base;
  bool use_rotations, turned;
  double draw_scale;
  SofaObject *finder;         /* borrowed; NULL: none */
  uint64_t builds;            /* of the system, when the rotations were found */
  uint64_t value_version;     /* of the matrix that `built` belongs to; 0: none */
  bool restored;              /* `built` is of the matrix that the system has */
  SofaReals rotations, built; /* now and at the build of the matrix, from rest */
  SofaReals side;             /* of the system, in the frames of the matrix */
} PrecomputedWarp;

static const SofaLinkRule solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(PrecomputedWarp, use_rotations, "use_rotations", "1", "",
               "turn the matrix with the points; off: it is kept as it is"),
    SOFA_FIELD(PrecomputedWarp, base.share, "share_matrix", "1", "",
               "use the inverse of another such component of the scene that has the same matrix "
               "and the same name of file, instead of one of its own"),
    SOFA_FIELD(PrecomputedWarp, draw_scale, "draw_rotations_scale", "0", "1",
               "length of the frames that are drawn", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(
        PrecomputedWarp, base.linear_solver, "linearSolver", NULL, "",
        "direct solver that the inverse is made as: L L^T or L D L^T, supernodal or not, with "
        "its order; default: L D L^T",
        .link = &solver_rule),
};

/* The force field may come after the preconditioner. */
static SofaErr bwd_init(SofaObject *object) {
  PrecomputedWarp *s = (PrecomputedWarp *)object;
  const SofaLinearSystem *system = s->base.base.solver.system;
  if (system && system->object.klass != &sofa_PrecomputedMatrixSystem_class)
    return sofa_field_fail(object, "linearSystem", SOFA_ERR_TYPE,
                           "must be a PrecomputedMatrixSystem, but is a %s",
                           system->object.klass->name);
  s->finder = sofa_node_find(object->node, SOFA_ROTATION_FINDER, SOFA_SEARCH_LOCAL);
  if (s->use_rotations && !s->finder)
    sofa_object_message(object, SOFA_WARNING,
                        "no object in the node knows how the points turn (a corotational force "
                        "field does): the matrix is kept without being turned");
  s->builds = s->value_version = 0;
  s->turned = false;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  PrecomputedWarp *s = (PrecomputedWarp *)object;
  SofaReals *lists[] = {&s->rotations, &s->built, &s->side};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(object->ctx, lists[i]);
}

/* Once a build of the system: the rotations since its matrix was assembled. */
static SofaErr find_rotations(PrecomputedWarp *s, const PrecomputedMatrixSystem *system) {
  const SofaMechanics *m = system->system.mechanics;
  SofaBlockRows rows;
  bool found = false;
  if (!s->use_rotations || !s->finder || s->builds == system->builds) return SOFA_OK;
  s->builds = system->builds;
  s->turned = false;
  sofa_block_matrix_rows(sofa_linear_system_matrix(s->base.base.solver.system), &rows);
  if (s->restored) s->value_version = rows.value_version;
  s->restored = false;
  if (s->value_version != rows.value_version) {
    s->built.n = 0;
    s->value_version = rows.value_version;
    return rotations_find(s->finder, m, &s->built, &found);
  }
  SOFA_TRY(rotations_find(s->finder, m, &s->rotations, &s->turned));
  if (s->turned && !sofa_quirk(&s->base.base.solver.object, QUIRK_WARP_FROM_REST))
    rotations_since(&s->built, &s->rotations);
  return SOFA_OK;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  PrecomputedWarp *s = (PrecomputedWarp *)solver;
  SOFA_TRY(find_rotations(s, (const PrecomputedMatrixSystem *)solver->system));
  SOFA_TRY(precomputed_update(&s->base));
  if (!s->turned) return sofa_cholmod_solver_apply(&s->base.base, 1, b, x);

  /* z = R A^-1 R^T r */
  const SofaMechanics *m = solver->system->mechanics;
  SOFA_TRY(work_vector(solver->object.ctx, m->n_v, &s->side));
  sofa_vec_copy(sofa_main_v(m), b, s->side.data);
  rotations_turn(&s->rotations, true, b, s->side.data);
  SOFA_TRY(sofa_cholmod_solver_apply(&s->base.base, 1, s->side.data, x));
  rotations_turn(&s->rotations, false, x, x);
  return SOFA_OK;
}

static const SofaLinearSolverOps ops = {.solve = solve, .system_class = "PrecomputedMatrixSystem"};

static const char *const templates[] = {"CompressedRowSparseMatrixd", NULL};

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const PrecomputedWarp *s = (const PrecomputedWarp *)object;
  sofa_checkpoint_put_uint(to, s->restored || s->value_version != 0);
  return SOFA_OK;
}

/* The system restores its matrix before or after this. */
static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  PrecomputedWarp *s = (PrecomputedWarp *)object;
  s->restored = sofa_checkpoint_get_uint(from) != 0;
  s->value_version = 0;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(PrecomputedWarp, turned),
    SOFA_KEEP_LIST(PrecomputedWarp, rotations),
    SOFA_KEEP_LIST(PrecomputedWarp, built),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PrecomputedWarp, builds),
    SOFA_REMADE(PrecomputedWarp, restored),
    SOFA_REMADE(PrecomputedWarp, side),
    SOFA_REMADE(PrecomputedWarp, value_version),
};

SOFA_CLASS(PrecomputedWarpPreconditioner) = {
    .name = "PrecomputedWarpPreconditioner",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSolver",
    .help =
        "Preconditioner of PCGLinearSolver: z = R A^-1 R^T r with the first matrix A of the run "
        "and the rotations R of the points since.",
    .equations = "z = R A^-1 R^T r",
    .base = &precomputed_solver_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    .size = sizeof(PrecomputedWarp),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
