/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AsyncSparseLDLSolver: L D L^T of an earlier matrix, while a thread of its own factorises the next
 * one. A factor comes into use a fixed number of matrices after the one it is of, whenever the
 * thread was done with it. */
#include "numerics/krylov/assembled.h"
#include "object/checkpoint.h"
#include "components/linearsolver/SparseLDLSolver.h"
#include "numerics/direct/background_impl.h"
#include "simulation/kept_matrix.h"
#include "simulation/mechanics.h"
#include "simulation/vectors.h"

enum { QUIRK_ASYNC_FACTOR = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_ASYNC_FACTOR, "async-factor",
     "AsyncSparseLDLSolver takes over a factor after 20 solves, within a step if it comes so",
     "test_direct_solvers.late_factors"},
};

/* Solves that SOFA makes while its other thread factorises, by decision; on the machine of the
 * recorded trajectories it was between 9 and 21. */
enum { LAG = 20 };

typedef struct AsyncSparseLDLSolver {
  SparseLDLSolver base;
  bool enable_assembly;
  int hand_over;
  SofaCholmodSolver *late[2];     /* owned; the factor to solve with and the one in the making */
  SofaBackground *background;     /* owned; makes it */
  int latest, used;               /* of late: the last that was begun; to solve with */
  int left;                       /* matrices (quirk: solves) until the last one is taken over */
  bool made;                      /* the last one was made before, see restore */
  bool asked;                     /* for a matrix, since the last solve */
  const SofaMechanics *mechanics; /* plan of the factors; only compared; NULL: there is none */
  uint64_t serial, value_version; /* of the plan; of the matrix of the last solve */
} AsyncSparseLDLSolver;

static const SofaField fields[] = {
    SOFA_FIELD(AsyncSparseLDLSolver, hand_over, "handOver", "2", "",
               "matrices that pass until the factor of one is taken over; those between are not "
               "built. 0: each solve waits for the factor of its own matrix",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_CLAMP),
    SOFA_FIELD(AsyncSparseLDLSolver, enable_assembly, "enableAssembly", "1", "",
               "no effect: see handOver", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr construct(SofaObject *object) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)object;
  for (int i = 0; i < 2; i++)
    SOFA_TRY(sofa_cholmod_solver_create(object->ctx, SPARSE_LDL_KIND, &s->late[i]));
  return sofa_background_create(object->ctx, &s->background);
}

static SofaErr init(SofaObject *object) {
  return sofa_cholmod_refuse_single(object);
}

static void destroy(SofaObject *object) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)object;
  sofa_background_destroy(object->ctx, &s->background);
  for (int i = 0; i < 2; i++) sofa_cholmod_solver_destroy(&s->late[i]);
}

static SofaErr reset(SofaObject *object) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)object;
  sofa_background_wait(s->background);
  s->mechanics = NULL;
  return SOFA_OK;
}

static bool by_solves(const AsyncSparseLDLSolver *s) {
  return sofa_quirk(&s->base.base.solver.object, QUIRK_ASYNC_FACTOR);
}

static bool is_late(const AsyncSparseLDLSolver *s) {
  return by_solves(s) || s->hand_over > 0;
}

/* Functions of the base work on its factor: a late one takes its place meanwhile. */
static SofaCholmodSolver *exchange(AsyncSparseLDLSolver *s, SofaCholmodSolver *with) {
  SofaCholmodSolver *own = s->base.base.cholmod;
  s->base.base.cholmod = with;
  return own;
}

/* ---- factors ---- */

static void run(void *solver) {
  sofa_cholmod_solver_run(solver);
}

/* Begins a factor; `now` waits for it. */
static SofaErr begin(AsyncSparseLDLSolver *s, bool now) {
  const int next = 1 - s->used;
  bool needed = false;
  SofaCholmodSolver *own = exchange(s, s->late[next]);
  SofaErr err = now ? sofa_cholmod_solver_update(&s->base.base)
                    : sofa_cholmod_solver_begin(&s->base.base, &needed);
  exchange(s, own);
  if (err != SOFA_OK) return err;
  if (needed) sofa_background_begin(s->background, run, s->late[next]);
  s->latest = next;
  s->made = now;
  if (now) s->used = next;
  return SOFA_OK;
}

static SofaErr take_over(AsyncSparseLDLSolver *s) {
  sofa_background_wait(s->background);
  s->used = s->latest;
  if (s->made) return SOFA_OK;
  SofaCholmodSolver *own = exchange(s, s->late[s->used]);
  const SofaErr err = sofa_cholmod_solver_end(&s->base.base);
  exchange(s, own);
  s->made = true;
  return err;
}

/* The first factor is used at once. A later one is taken over when `left` says so; matrices that
 * are built meanwhile are passed over. */
static SofaErr advance(AsyncSparseLDLSolver *s, const SofaMechanics *m) {
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&s->base.base.solver, &matrix, &rows));
  const bool first = s->mechanics != m || s->serial != m->serial;
  const bool built = first || s->value_version != rows.value_version;
  const bool counts = built || s->asked || by_solves(s);
  s->asked = false;
  s->value_version = rows.value_version;
  if (first) {
    sofa_background_wait(s->background);
    s->left = 0;
    SOFA_TRY(begin(s, true));
  } else if (counts) {
    if (s->left > 0 && --s->left == 0) SOFA_TRY(take_over(s));
    if (!built || s->left > 0) return SOFA_OK;
    SOFA_TRY(begin(s, false));
    s->left = by_solves(s) ? LAG : s->hand_over;
  }
  s->mechanics = m;
  s->serial = m->serial;
  return SOFA_OK;
}

/* A matrix is built for the solve that begins a factor alone. */
static bool keeps(const SofaLinearSolver *solver, const SofaMechanics *m) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)(uintptr_t)solver;
  s->asked = true;
  return is_late(s) && s->mechanics == m && s->serial == m->serial && s->left > 1;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)solver;
  if (!is_late(s)) return sofa_sparse_ldl_solve(solver, n, b, x);
  SofaErr err = advance(s, solver->system->mechanics);
  if (err != SOFA_OK) s->mechanics = NULL;
  if (err != SOFA_OK) return err;
  SofaCholmodSolver *own = exchange(s, s->late[s->used]);
  err = sofa_cholmod_solver_apply(&s->base.base, n, b, x);
  exchange(s, own);
  const int entries = sofa_cholmod_solver_entries(s->late[s->used]); /* 0: restored */
  if (entries) s->base.l_entries = entries;
  return err;
}

static SofaErr add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j, double factor,
                           size_t ld, double *w) {
  if (is_late((AsyncSparseLDLSolver *)solver))
    return sofa_linear_solver_add_by_solving(solver, j, factor, ld, w);
  return sofa_sparse_ldl_add_jainvjt(solver, j, factor, ld, w);
}

static SofaErr factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                           SofaFactoredRows *out) {
  if (is_late((AsyncSparseLDLSolver *)solver)) return SOFA_OK;
  return sofa_sparse_ldl_factor_rows(solver, j, out);
}

static void forget_pattern(SofaLinearSolver *solver) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)solver;
  sofa_background_wait(s->background);
  s->mechanics = NULL;
  for (int i = 0; i < 2; i++) sofa_cholmod_solver_forget(s->late[i]);
  sofa_cholmod_forget_pattern(solver);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .keeps = keeps,
                                        .add_jainvjt = add_jainvjt,
                                        .factor_rows = factor_rows,
                                        .forget_pattern = forget_pattern};

/* ---- checkpoints: the matrix, and both factors, of which the second one is made first ---- */

static void put_factor(const SofaCholmodSolver *solver, SofaCheckpointWriter *to) {
  SofaText bytes = {0};
  if (to->err == SOFA_OK) to->err = sofa_cholmod_solver_save(solver, &bytes);
  sofa_checkpoint_put_list(to, &bytes, 1);
  sofa_list_free(to->ctx, &bytes);
}

static SofaErr get_factor(SofaCholmodSolver *solver, SofaCheckpointReader *from, size_t rows) {
  SofaText bytes = {0};
  SofaErr err = sofa_checkpoint_get_list(from, &bytes, 1);
  if (err == SOFA_OK && !sofa_checkpoint_is_bad(from))
    err = sofa_cholmod_solver_restore(solver, rows, bytes.data, bytes.n);
  if (err == SOFA_ERR_PARSE) sofa_checkpoint_misread(from);
  sofa_list_free(from->ctx, &bytes);
  return err == SOFA_ERR_PARSE ? SOFA_OK : err;
}

static uint64_t version_of(const SofaLinearSolver *solver) {
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  return sofa_assembled_rows(solver, &matrix, &rows) == SOFA_OK ? rows.value_version : 0;
}

/* The factor in the making is completed; it is taken over when its time has come. */
static SofaErr complete(AsyncSparseLDLSolver *s) {
  const int used = s->used;
  SofaErr err = SOFA_OK;
  if (s->left > 0 && !s->made) err = take_over(s);
  s->used = used;
  return err;
}

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)(uintptr_t)object;
  SofaLinearSolver *solver = &s->base.base.solver;
  const SofaMechanics *m = solver->system ? sofa_kept_plan(solver->system) : NULL;
  const bool kept =
      is_late(s) && m && s->mechanics == m && s->serial == m->serial && sofa_main_v(m).n > 0;
  sofa_checkpoint_put_uint(to, kept);
  if (!kept) return SOFA_OK;
  SOFA_TRY(complete(s));
  sofa_kept_matrix_save(solver->system, to);
  sofa_checkpoint_put_uint(to, sofa_main_v(m).n);
  sofa_checkpoint_put_uint(to, (uint64_t)s->left);
  sofa_checkpoint_put_uint(to, s->asked);
  sofa_checkpoint_put_uint(to, s->value_version == version_of(solver));
  put_factor(s->late[s->used], to);
  if (s->left > 0) put_factor(s->late[s->latest], to);
  return SOFA_OK;
}

static SofaErr restore_factors(AsyncSparseLDLSolver *s, SofaMechanics *m,
                               SofaCheckpointReader *from) {
  const size_t rows = (size_t)sofa_checkpoint_get_uint(from);
  s->left = (int)sofa_checkpoint_get_uint(from);
  s->asked = sofa_checkpoint_get_uint(from) != 0;
  const bool current = sofa_checkpoint_get_uint(from) != 0;
  s->value_version = current ? version_of(&s->base.base.solver) : 0;
  s->used = 0;
  s->latest = s->left > 0 ? 1 : 0;
  s->made = true;
  SOFA_TRY(get_factor(s->late[0], from, rows));
  if (s->left > 0) SOFA_TRY(get_factor(s->late[1], from, rows));
  if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
  s->mechanics = m;
  s->serial = m->serial;
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)object;
  SofaLinearSystem *system = s->base.base.solver.system;
  SofaMechanics *m = NULL;
  SOFA_TRY(reset(object));
  if (!sofa_checkpoint_get_uint(from)) return SOFA_OK;
  if (!system) sofa_checkpoint_misread(from);
  else SOFA_TRY(sofa_kept_matrix_restore(system, from, &m));
  return m && !sofa_checkpoint_is_bad(from) ? restore_factors(s, m, from) : SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(AsyncSparseLDLSolver, background), SOFA_REMADE(AsyncSparseLDLSolver, late),
    SOFA_REMADE(AsyncSparseLDLSolver, latest),     SOFA_REMADE(AsyncSparseLDLSolver, made),
    SOFA_REMADE(AsyncSparseLDLSolver, mechanics),  SOFA_REMADE(AsyncSparseLDLSolver, serial),
    SOFA_REMADE(AsyncSparseLDLSolver, used),       SOFA_REMADE(AsyncSparseLDLSolver, value_version),
};

SOFA_CLASS(AsyncSparseLDLSolver) = {
    SOFA_NAMED(AsyncSparseLDLSolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution by L D L^T of an earlier matrix, while a thread of its own factorises "
            "the next one. Nothing is left to the timing of threads: a factor is taken over after "
            "a fixed number of matrices. The first one is used at once.",
    .equations = "A = P^T L D L^T P",
    .base = &sofa_SparseLDLSolver_class,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = sofa_cholmod_scalar_first,
    .construct = construct,
    .init = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
