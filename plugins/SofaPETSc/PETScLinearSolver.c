/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PETScLinearSolver: Krylov methods and preconditioners of PETSc on the assembled matrix. */
#include <petscksp.h>

#include <math.h>
#include <string.h>

#include "behavior/checks.h"
#include "numerics/krylov/iterative.h"
#include "petsc_calls.h"
#include "petsc_matrix.h"
#include "petsc_modes.h"
#include "petsc_partition.h"
#include "petsc_process.h"
#include "petsc_refine.h"
#include "petsc_symmetry.h"
#include "simulation/divided_plan.h"
#include "simulation/vectors.h"
#include "object/checkpoint.h"
#include "base/checksum.h"

#define REMEDY_ITERATIONS "increase 'iterations' or choose another 'pc'"
#define REMEDY_NORM "the method stops by another norm of the residual: choose a smaller 'tolerance'"
#define REMEDY_METHOD "the method broke down: choose another 'ksp' or 'pc'"

typedef struct PETScLinearSolver {
  SofaLinearSolver solver;
  char *ksp_name, *pc_name, *options_text;
  double tolerance;
  uint32_t iterations;
  bool symmetric, reproducible;
  SofaOption storage, modes;
  char *reason;
  double residual, bytes_sent;
  uint32_t iterations_done, patterns, setups;
  SofaIterativeChecks checks;
  bool told_residual, told_order, options_seen;
  PetscOptions options; /* owned */
  KSP ksp;              /* owned; of the pattern of `matrix`; NULL: there is none */
  Vec b, x, r;          /* owned; b and x view the vectors of a solve; on a divided plan whose own
                           rows are not beside each other they are copies of these */
  PetscMatrix matrix;
  PetscRefine refine;
  bool refines;            /* direct solutions on several processes */
  double limit;            /* relative residual that the options leave as the tolerance */
  double norm;             /* |b| of the solve that runs */
  uint32_t last_iteration; /* whose residual was not recorded yet */
  double last_residual;
} PETScLinearSolver;

/* ---- fields ---- */

enum { AUTO, AIJ, BAIJ, SBAIJ };
static const char *const storages[] = {"auto", "aij", "baij", "sbaij", NULL};
static const char *const modes[] = {"none", "rest", "position", NULL}; /* as PetscModes */

static const SofaField fields[] = {
    SOFA_FIELD(PETScLinearSolver, ksp_name, "ksp", "cg", "",
               "Krylov method, by PETSc's name: cg, minres, gmres, bcgs, ...; preonly: the "
               "preconditioner alone, as a direct solver with pc=\"lu\" or pc=\"cholesky\"",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, pc_name, "pc", "gamg", "",
               "preconditioner, by PETSc's name: gamg (smoothed aggregation), hypre (BoomerAMG), "
               "ml, icc, ilu, bjacobi, pbjacobi, jacobi, sor, cholesky, lu, none, ...",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, tolerance, "tolerance", "1e-9", "1",
               "stop when |b - A x| <= tolerance |b|; methods that do not have this residual stop "
               "by the preconditioned one, and are not converged when this one is larger",
               .range = SOFA_AT_LEAST(0), .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, iterations, "iterations", "1000", "1",
               "most iterations of a solve", .range = SOFA_AT_LEAST(1), .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, symmetric, "symmetric", "1", "",
               "the matrix is symmetric: this is checked, and told to PETSc",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, storage, "matrix", "auto", "",
               "storage of the matrix: aij (scalar rows), baij (blocks), sbaij (blocks of the "
               "upper half); auto: baij where all blocks have one size and the preconditioner is "
               "known to take it, else aij",
               .options = storages, .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, modes, "nearNullSpace", "rest", "",
               "rigid-body motions that multigrid keeps on its coarse levels: about the points at "
               "rest, about their positions, or none; for states of Vec2 or Vec3",
               .options = modes, .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, reproducible, "reproducible", "1", "",
               "direct methods on several processes: correct each solution until it has the same "
               "bits in every run, by three or four solutions with the same factor",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(
        PETScLinearSolver, options_text, "options", "", "",
        "further options of PETSc, as on its command line: \"-mg_levels_pc_type sor\"; those "
        "that write files, print or run other code need --trust-scene",
        .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(PETScLinearSolver, reason, "reason", NULL, "",
               "why the last solve ended, by PETSc's name", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(PETScLinearSolver, residual, "residual", "0", "1",
               "|b - A x| / |b| of the last solve", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(PETScLinearSolver, iterations_done, "iterationsDone", "0", "1",
               "iterations of the last solve", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(
        PETScLinearSolver, bytes_sent, "bytesSent", "0", "1",
        "bytes that this process has sent to others until the end of the last solve, those of "
        "the division of meshes and those that PETSc sends itself included; not those inside "
        "hypre, MUMPS and other libraries that PETSc calls",
        .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(PETScLinearSolver, patterns, "analyses", "0", "1", "patterns of the matrix so far",
               .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(PETScLinearSolver, setups, "setups", "0", "1",
               "matrices so far: a preconditioner was made of each", .flags = SOFA_FIELD_OUTPUT),
};

/* ---- life ---- */

/* Frees what belongs to PETSc. */
static void forget(PETScLinearSolver *s) {
  PetscBool ended = PETSC_FALSE;
  PetscFinalized(&ended);
  if (!ended) {
    KSPDestroy(&s->ksp);
    VecDestroy(&s->b);
    VecDestroy(&s->x);
    VecDestroy(&s->r);
    PetscOptionsDestroy(&s->options);
    petsc_matrix_free(s->solver.object.ctx, &s->matrix);
    petsc_refine_free(s->solver.object.ctx, &s->refine);
  }
  s->options_seen = false;
}

static SofaErr check_words(SofaObject *object) {
  const PETScLinearSolver *s = (const PETScLinearSolver *)object;
  const char *ksp = s->ksp_name ? s->ksp_name : "", *pc = s->pc_name ? s->pc_name : "";
  if (!*ksp || strpbrk(ksp, " \t\n"))
    return sofa_field_fail(object, "ksp", SOFA_ERR_PARSE, "'%s' is not one word", ksp);
  if (!*pc || strpbrk(pc, " \t\n"))
    return sofa_field_fail(object, "pc", SOFA_ERR_PARSE, "'%s' is not one word", pc);
  SOFA_TRY(petsc_options_check(object, "ksp", ksp));
  SOFA_TRY(petsc_options_check(object, "pc", pc));
  return petsc_options_check(object, "options", s->options_text ? s->options_text : "");
}

static void destroy(SofaObject *object) {
  PETScLinearSolver *s = (PETScLinearSolver *)object;
  forget(s);
  sofa_iterative_checks_free(object->ctx, &s->checks);
}

/* ---- the method ---- */

/* Methods that can stop by |b - A x|, and the side of the preconditioner for it. */
static const struct {
  const char *name;
  PCSide side;
} true_norm[] = {{KSPCG, PC_LEFT},         {KSPPIPECG, PC_LEFT},     {KSPGROPPCG, PC_LEFT},
                 {KSPRICHARDSON, PC_LEFT}, {KSPCHEBYSHEV, PC_LEFT},  {KSPGMRES, PC_RIGHT},
                 {KSPFGMRES, PC_RIGHT},    {KSPLGMRES, PC_RIGHT},    {KSPDGMRES, PC_RIGHT},
                 {KSPBCGS, PC_RIGHT},      {KSPFBCGS, PC_RIGHT},     {KSPBCGSL, PC_RIGHT},
                 {KSPIBCGS, PC_RIGHT},     {KSPTFQMR, PC_RIGHT},     {KSPCGS, PC_RIGHT},
                 {KSPGCR, PC_RIGHT},       {KSPPIPEFGMRES, PC_RIGHT}};

/* Unless the options say how. */
static PetscErrorCode choose_norm(const PETScLinearSolver *s) {
  const char *type = NULL;
  PetscBool by_norm = PETSC_FALSE, by_side = PETSC_FALSE;
  PetscCall(PetscOptionsHasName(s->options, NULL, "-ksp_norm_type", &by_norm));
  PetscCall(PetscOptionsHasName(s->options, NULL, "-ksp_pc_side", &by_side));
  PetscCall(KSPGetType(s->ksp, &type));
  for (size_t i = 0; !by_norm && !by_side && i < sizeof true_norm / sizeof *true_norm; i++) {
    if (strcmp(type, true_norm[i].name) != 0) continue;
    PetscCall(KSPSetPCSide(s->ksp, true_norm[i].side));
    PetscCall(KSPSetNormType(s->ksp, KSP_NORM_UNPRECONDITIONED));
  }
  return 0;
}

/* A row is recorded when the next one is known: that of the end has the residual of the result. */
static PetscErrorCode observe(KSP ksp, PetscInt iteration, PetscReal residual, void *user) {
  PETScLinearSolver *s = user;
  (void)ksp;
  if (iteration > 0)
    sofa_linear_solver_iteration(&s->solver, s->last_iteration, s->last_residual, s->norm);
  s->last_iteration = (uint32_t)iteration;
  s->last_residual = residual;
  return 0;
}

/* What follows from the fields, then what the options change. */
static PetscErrorCode make_method(PETScLinearSolver *s) {
  PC pc = NULL;
  KSPType type = NULL;
  PetscBool direct = PETSC_FALSE;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(KSPSetType(s->ksp, s->ksp_name));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, s->pc_name));
  PetscCall(KSPSetTolerances(s->ksp, s->tolerance, 0, PETSC_DEFAULT, (PetscInt)s->iterations));
  /* results follow from the matrix alone, not from those before it */
  PetscCall(PCGAMGSetReuseInterpolation(pc, PETSC_FALSE));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(choose_norm(s));
  PetscCall(KSPGetTolerances(s->ksp, &s->limit, NULL, NULL, NULL));
  PetscCall(KSPMonitorSet(s->ksp, observe, s, NULL));
  PetscCall(KSPGetType(s->ksp, &type));
  PetscCall(PetscStrcmp(type, KSPPREONLY, &direct));
  return KSPSetInitialGuessNonzero(s->ksp, direct ? PETSC_FALSE : PETSC_TRUE);
}

/* Preconditioners that take blocks; the others take scalar rows in all cases. */
static bool takes_blocks(const PETScLinearSolver *s) {
  static const char *const known[] = {PCNONE, PCJACOBI, PCPBJACOBI, PCBJACOBI, PCILU, PCSOR};
  PC pc = NULL;
  PCType type = NULL;
  if (KSPGetPC(s->ksp, &pc) != 0 || PCGetType(pc, &type) != 0 || !type) return false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(type, known[i]) == 0) return true;
  return false;
}

static int n_processes(void) {
  int n = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &n);
  return n;
}

static SofaErr choose_storage(const PETScLinearSolver *s, const SofaBlockRows *rows,
                              PetscStorage *out) {
  const SofaObject *object = &s->solver.object;
  const bool blocks = rows->uniform > 1 && rows->diagonal, alone = n_processes() == 1;
  const bool divided = s->solver.system->mechanics->divided != NULL;
  *out = PETSC_STORAGE_ROWS;
  if (s->storage.index == AIJ || (s->storage.index == AUTO && (!blocks || !alone))) return SOFA_OK;
  if (!alone && !divided)
    return sofa_field_fail(object, "matrix", SOFA_ERR_UNSUPPORTED,
                           "'%s' is not supported yet on several processes that divide no mesh: "
                           "'aij' is",
                           storages[s->storage.index]);
  if (!blocks)
    return sofa_field_fail(
        object, "matrix", SOFA_ERR_UNSUPPORTED,
        "'%s' needs blocks of one size larger than 1: this matrix has not, 'aij' "
        "takes it",
        storages[s->storage.index]);
  if (s->storage.index == SBAIJ && !s->symmetric)
    return sofa_field_fail(object, "matrix", SOFA_ERR_UNSUPPORTED,
                           "'sbaij' stores one half: it needs symmetric=\"1\"");
  if (s->storage.index == SBAIJ) *out = PETSC_STORAGE_UPPER;
  else if (s->storage.index == BAIJ || takes_blocks(s)) *out = PETSC_STORAGE_BLOCKS;
  return SOFA_OK;
}

/* ---- the matrix ---- */

static PetscErrorCode set_modes(PETScLinearSolver *s) {
  const SofaLinearSystem *system = s->solver.system;
  if (s->modes.index == PETSC_MODES_NONE || !petsc_modes_known(system->mechanics)) return 0;
  return petsc_modes_set(system->mechanics, &system->at, (PetscModes)s->modes.index, &s->matrix);
}

static bool is_direct(const PETScLinearSolver *s) {
  KSPType type = NULL;
  return KSPGetType(s->ksp, &type) == 0 && strcmp(type, KSPPREONLY) == 0;
}

/* A factor that several processes make adds in the order in which messages arrive. */
static PetscErrorCode set_refinement(PETScLinearSolver *s) {
  PC pc = NULL;
  PetscBool factors = PETSC_FALSE, rows = PETSC_FALSE;
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)s->matrix.mat, MATMPIAIJ, &rows));
  const bool varies = factors && s->matrix.n_processes > 1 && s->reproducible;
  s->refines = varies && is_direct(s) && rows;
  if (s->refines) return petsc_refine_shape(s->solver.object.ctx, &s->refine, s->matrix.mat);
  if (varies && !s->told_order)
    sofa_object_message(&s->solver.object, SOFA_WARNING,
                        "last digits of the solutions differ from run to run: the same bits need "
                        "ksp=\"preonly\" and matrix=\"aij\"; reproducible=\"0\" does without");
  s->told_order = s->told_order || varies;
  return 0;
}

static PetscErrorCode take_matrix(PETScLinearSolver *s, const SofaBlockRows *rows) {
  PetscCall(petsc_matrix_fill(&s->matrix, rows));
  if (s->symmetric) {
    PetscCall(MatSetOption(s->matrix.mat, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(s->matrix.mat, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscCall(set_modes(s));
  const bool copies = s->matrix.is_divided && !s->matrix.divided.all_in_place;
  PetscCall(petsc_matrix_vector(&s->matrix, copies, &s->b));
  PetscCall(petsc_matrix_vector(&s->matrix, copies, &s->x));
  PetscCall(petsc_matrix_vector(&s->matrix, true, &s->r));
  PetscCall(set_refinement(s));
  return KSPSetOperators(s->ksp, s->matrix.mat, s->matrix.mat);
}

/* The method of the fields and options, without a matrix. */
static SofaErr take_method(PETScLinearSolver *s) {
  const SofaObject *object = &s->solver.object;
  const char *text = s->options_text ? s->options_text : "";
  PetscCalls calls;
  forget(s);
  PetscErrorCode code = petsc_calls_begin(&calls, NULL);
  if (!code) code = PetscOptionsCreate(&s->options);
  if (!code) code = petsc_options_fill(s->options, text);
  SOFA_TRY(petsc_calls_end(&calls, code, object, "'options' cannot be read"));
  code = petsc_calls_begin(&calls, s->options);
  if (!code) code = make_method(s);
  return petsc_calls_end(&calls, code, object,
                         "the method of 'ksp', 'pc' and 'options' cannot be "
                         "made");
}

/* A method that PETSc refuses is known before the first step. */
static SofaErr init(SofaObject *object) {
  PETScLinearSolver *s = (PETScLinearSolver *)object;
  forget(s);
  SOFA_TRY(check_words(object));
  SOFA_TRY(petsc_start(object->ctx));
  SOFA_TRY(sofa_process_meet(object->ctx)); /* PETSc passes data */
  const SofaErr err = take_method(s);
  forget(s);
  if (err == SOFA_OK && object->ctx->processes) s->bytes_sent = petsc_send_len + petsc_isend_len;
  return err;
}

/* NULL: every process has the whole system. */
static const SofaDividedPlan *plan_of(const PETScLinearSolver *s) {
  return s->solver.system->mechanics->divided;
}

/* first[i]: number of the first scalar of each block among those of all processes. */
static SofaErr number_scalars(const PETScLinearSolver *s, const SofaBlockRows *rows,
                              uint32_t *first) {
  SofaMechanics *m = s->solver.system->mechanics;
  SofaContext *ctx = s->solver.object.ctx;
  uint32_t next = m->divided->first_scalar.data[sofa_process_rank(ctx)];
  double *numbers = SOFA_SCRATCH(ctx, double, m->n_v_main + 1);
  if (!numbers) return SOFA_ERR_MEMORY;
  sofa_zero(numbers, m->n_v_main * sizeof *numbers);
  for (size_t i = 0; i < rows->n_rows; i++) {
    if (!m->divided->owned.data[i]) continue;
    numbers[rows->row_scalar[i]] = next;
    next += rows->row_scalar[i + 1] - rows->row_scalar[i];
  }
  SOFA_TRY(sofa_divided_copy(m, numbers));
  for (size_t i = 0; i < rows->n_rows; i++) first[i] = (uint32_t)numbers[rows->row_scalar[i]];
  return SOFA_OK;
}

static SofaErr shape_divided(PETScLinearSolver *s, const SofaBlockRows *rows,
                             PetscStorage storage) {
  SofaContext *ctx = s->solver.object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint32_t *first = SOFA_SCRATCH(ctx, uint32_t, rows->n_rows + 1);
  SofaErr err = first ? number_scalars(s, rows, first) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK)
    err =
        petsc_matrix_shape_divided(&s->solver.object, &s->matrix, rows, plan_of(s), first, storage);
  sofa_scratch_release(ctx, mark);
  return err == SOFA_OK ? petsc_divided_fill(ctx, &s->matrix.divided, rows) : err;
}

/* For a new pattern: everything anew. */
static SofaErr renew(PETScLinearSolver *s, const SofaBlockRows *rows) {
  const SofaObject *object = &s->solver.object;
  PetscStorage storage = PETSC_STORAGE_ROWS;
  PetscCalls calls;
  SOFA_TRY(take_method(s));
  SOFA_TRY(choose_storage(s, rows, &storage));
  SOFA_TRY(plan_of(s) ? shape_divided(s, rows, storage)
                      : petsc_matrix_shape(object, &s->matrix, rows, storage));
  PetscErrorCode code = petsc_calls_begin(&calls, s->options);
  if (!code) code = take_matrix(s, rows);
  s->patterns++;
  return petsc_calls_end(&calls, code, object, "the matrix cannot be made");
}

static PetscErrorCode take_values(PETScLinearSolver *s, const SofaBlockRows *rows) {
  PetscCall(petsc_matrix_fill(&s->matrix, rows));
  return s->modes.index == PETSC_MODES_POSITION ? set_modes(s) : 0;
}

static SofaErr update(PETScLinearSolver *s, const SofaBlockRows *rows) {
  PetscCalls calls;
  if (s->ksp && s->matrix.value_version == rows->value_version) return SOFA_OK;
  s->setups++;
  if (plan_of(s) && s->symmetric)
    SOFA_TRY(petsc_symmetry_check(&s->solver, rows, &s->checks.symmetry.told));
  if (!s->ksp || s->matrix.pattern_version != rows->pattern_version) return renew(s, rows);
  if (plan_of(s)) SOFA_TRY(petsc_divided_fill(s->solver.object.ctx, &s->matrix.divided, rows));
  PetscErrorCode code = petsc_calls_begin(&calls, s->options);
  if (!code) code = take_values(s, rows);
  return petsc_calls_end(&calls, code, &s->solver.object, "the matrix cannot be filled");
}

/* ---- the solution ---- */

static PetscErrorCode refine(PETScLinearSolver *s) {
  PetscSolved solved = {.mat = s->matrix.mat, .b = s->b, .x = s->x, .r = s->r};
  bool done = false;
  PetscCall(KSPGetPC(s->ksp, &solved.pc));
  PetscCall(petsc_refine(&s->refine, &solved, &done));
  if (done || s->told_order) return 0;
  s->told_order = true;
  sofa_object_message(&s->solver.object, SOFA_WARNING,
                      "last digits of the solution may differ from run to run: corrections by the "
                      "factor do not converge (is the matrix nearly singular, or not symmetric?), "
                      "time %g",
                      s->solver.object.node->time);
  return 0;
}

/* r = b - A x, from the matrix that PETSc has. */
static PetscErrorCode solve_placed(PETScLinearSolver *s, KSPConvergedReason *reason) {
  PetscInt iterations = 0;
  PetscReal length = 0;
  s->last_iteration = 0;
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(KSPGetConvergedReason(s->ksp, reason));
  if (s->refines && *reason > 0) PetscCall(refine(s));
  PetscCall(KSPGetIterationNumber(s->ksp, &iterations));
  PetscCall(MatMult(s->matrix.mat, s->x, s->r));
  PetscCall(VecAYPX(s->r, -1, s->b));
  PetscCall(VecNorm(s->r, NORM_2, &length));
  s->iterations_done = (uint32_t)iterations;
  s->bytes_sent = petsc_send_len + petsc_isend_len;
  s->residual = length / s->norm;
  return 0;
}

typedef struct SolvedVectors {
  const double *b;
  double *x;
} SolvedVectors;

/* The vectors from scalar `first` on. */
static PetscErrorCode run_in_place(PETScLinearSolver *s, size_t first, const SolvedVectors *v,
                                   KSPConvergedReason *reason) {
  PetscCall(VecPlaceArray(s->b, v->b + first));
  PetscCall(VecPlaceArray(s->x, v->x + first));
  PetscCall(solve_placed(s, reason));
  PetscCall(VecResetArray(s->b));
  return VecResetArray(s->x);
}

/* The own rows; those of other processes follow from a copy of all. */
static PetscErrorCode run_divided(PETScLinearSolver *s, const SofaBlockRows *rows,
                                  const SolvedVectors *v, KSPConvergedReason *reason) {
  const PetscDivided *d = &s->matrix.divided;
  PetscScalar *to = NULL;
  const PetscScalar *from = NULL;
  if (d->in_place) return run_in_place(s, d->begin, v, reason);
  PetscCall(VecGetArrayWrite(s->b, &to));
  petsc_divided_pack(d, rows, v->b, to);
  PetscCall(VecRestoreArrayWrite(s->b, &to));
  PetscCall(VecGetArrayWrite(s->x, &to));
  petsc_divided_pack(d, rows, v->x, to);
  PetscCall(VecRestoreArrayWrite(s->x, &to));
  PetscCall(solve_placed(s, reason));
  PetscCall(VecGetArrayRead(s->x, &from));
  petsc_divided_unpack(d, rows, from, v->x);
  return VecRestoreArrayRead(s->x, &from);
}

static PetscErrorCode run(PETScLinearSolver *s, const SolvedVectors *v,
                          KSPConvergedReason *reason) {
  PetscCall(run_in_place(s, (size_t)s->matrix.first_scalar, v, reason));
  return petsc_matrix_gather(&s->matrix, v->x);
}

static void judge(PETScLinearSolver *s, KSPConvergedReason reason) {
  SofaSolveResult *result = &s->solver.result;
  const double most = 2 * fmax(s->limit, SOFA_ITERATIVE_ROUNDING);
  const bool held = is_direct(s) || reason == KSP_CONVERGED_ATOL || s->residual <= most;
  *result = (SofaSolveResult){.converged = reason > 0 && held,
                              .iterations = is_direct(s) ? 0 : (int)s->iterations_done,
                              .residual = s->residual};
  if (reason > 0) result->remedy = REMEDY_NORM;
  else result->remedy = reason == KSP_DIVERGED_ITS ? REMEDY_ITERATIONS : REMEDY_METHOD;
}

static SofaErr keep_reason(PETScLinearSolver *s, KSPConvergedReason reason) {
  SofaContext *ctx = s->solver.object.ctx;
  const char *text = KSPConvergedReasons[reason];
  if (s->reason && strcmp(s->reason, text) == 0) return SOFA_OK;
  char *copy = sofa_strdup(ctx, text);
  if (!copy) return SOFA_ERR_MEMORY;
  sofa_free(ctx, s->reason);
  s->reason = copy;
  return SOFA_OK;
}

/* Ends that are no solution at all. */
static SofaErr refuse(const PETScLinearSolver *s, const SofaBlockRows *rows,
                      KSPConvergedReason reason, const SolvedVectors *v) {
  const SofaObject *object = &s->solver.object;
  const double time = object->node->time;
  if (reason == KSP_DIVERGED_PC_FAILED)
    return sofa_object_fail(object, SOFA_ERR_SINGULAR,
                            "the preconditioner '%s' cannot be made (PETSc: %s), time %g",
                            s->pc_name, s->reason, time);
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC)
    return sofa_keep_going(
        object,
        sofa_object_fail(object, SOFA_ERR_SINGULAR,
                         "the %s is not positive definite, as method '%s' needs (PETSc: "
                         "%s, |b - A x|/|b| = %g), time %g",
                         reason == KSP_DIVERGED_INDEFINITE_MAT ? "matrix" : "preconditioner",
                         s->ksp_name, s->reason, s->residual, time));
  if (isfinite(s->residual)) return SOFA_OK;
  SOFA_TRY(sofa_assembled_check_finite(&s->solver, rows));
  SOFA_TRY(sofa_linear_solver_check_finite(&s->solver, v->b, v->x));
  return sofa_object_fail(object, SOFA_ERR_NOT_FINITE, "the residual is not finite, time %g", time);
}

/* Of a direct solution. */
static SofaErr check_residual(PETScLinearSolver *s, const SofaBlockRows *rows,
                              const SolvedVectors *v) {
  if (!plan_of(s))
    return sofa_assembled_check_residual(&s->solver, rows, v->b, v->x, &s->told_residual);
  if (!(s->residual > 1e-3)) return SOFA_OK;
  return sofa_keep_going(
      &s->solver.object,
      sofa_object_fail(&s->solver.object, SOFA_ERR_SINGULAR,
                       "the matrix is singular to rounding (is every body held, or has a mass?): "
                       "with the solution |r|/|b| is %g, time %g",
                       s->residual, s->solver.object.node->time));
}

static SofaErr solve_checked(PETScLinearSolver *s, const SofaBlockRows *rows,
                             const SolvedVectors *v) {
  const SofaObject *object = &s->solver.object;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscCalls calls;
  SOFA_TRY(update(s, rows));
  PetscErrorCode code = petsc_calls_begin(&calls, s->options);
  if (!code) code = plan_of(s) ? run_divided(s, rows, v, &reason) : run(s, v, &reason);
  SOFA_TRY(petsc_calls_end(&calls, code, object, "not solved"));
  if (plan_of(s)) SOFA_TRY(sofa_divided_copy(s->solver.system->mechanics, v->x));
  SOFA_TRY(keep_reason(s, reason));
  judge(s, reason);
  sofa_linear_solver_iteration(&s->solver, s->iterations_done, s->residual * s->norm, s->norm);
  if (object->print_log)
    sofa_object_message(object, SOFA_INFO, "%u iterations, |r|/|b| = %g, %s", s->iterations_done,
                        s->residual, s->reason);
  SOFA_TRY(refuse(s, rows, reason, v));
  if (is_direct(s)) SOFA_TRY(check_residual(s, rows, v));
  if (!s->options_seen) SOFA_TRY(petsc_options_check_used(object, "options", s->options));
  s->options_seen = true;
  return SOFA_OK;
}

/* What must be equal on all processes, whatever their parts are. */
static uint64_t sum_of_fields(const PETScLinearSolver *s) {
  const char *const texts[] = {s->ksp_name, s->pc_name, s->options_text ? s->options_text : ""};
  const SofaIndices *first = &plan_of(s)->first_of;
  const uint32_t numbers[] = {s->iterations, s->symmetric, s->reproducible,
                              (uint32_t)s->storage.index, (uint32_t)s->modes.index};
  uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, numbers, sizeof numbers);
  sum = sofa_checksum(sum, &s->tolerance, sizeof s->tolerance);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    sum = sofa_checksum(sum, texts[i], strlen(texts[i]) + 1);
  return sofa_checksum(sum, first->data, first->n * sizeof *first->data);
}

/* A pattern or values that changed on one process are new for all. */
static SofaErr agree_divided(PETScLinearSolver *s, const SofaBlockRows *rows, bool *same) {
  const uint64_t sum = sum_of_fields(s);
  const bool renewed = !s->ksp || s->matrix.pattern_version != rows->pattern_version;
  const uint64_t mine[4] = {sum, ~sum, renewed,
                            renewed || s->matrix.value_version != rows->value_version};
  uint64_t most[4];
  if (MPI_Allreduce(mine, most, 4, MPI_UINT64_T, MPI_MAX, PETSC_COMM_WORLD) != MPI_SUCCESS)
    return sofa_object_fail(&s->solver.object, SOFA_ERR_IO, "MPI: the processes do not answer");
  *same = most[0] == ~most[1];
  if (most[2]) s->matrix.pattern_version = 0;
  if (most[3]) s->matrix.value_version = 0;
  return SOFA_OK;
}

static SofaErr agree_whole(PETScLinearSolver *s, const SofaBlockRows *rows, const double *b,
                           bool *same) {
  PetscCalls calls;
  PetscErrorCode code = petsc_calls_begin(&calls, NULL);
  if (!code) code = petsc_matrix_agree(&s->matrix, rows, b, same);
  return petsc_calls_end(&calls, code, &s->solver.object, "the processes cannot be compared");
}

/* Processes that solve together wait for each other: they must do the same. */
static SofaErr agree(PETScLinearSolver *s, const SofaBlockRows *rows, const double *b) {
  const SofaObject *object = &s->solver.object;
  bool same = true;
  SOFA_TRY(plan_of(s) ? agree_divided(s, rows, &same) : agree_whole(s, rows, b, &same));
  if (same) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                          "the processes have different systems: they read other files, have other "
                          "options, or compute with other bits, time %g",
                          object->node->time);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  PETScLinearSolver *s = (PETScLinearSolver *)solver;
  const SofaSpace space = sofa_main_v(solver->system->mechanics);
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  SOFA_TRY(agree(s, &rows, b));
  if (s->symmetric && !plan_of(s))
    SOFA_TRY(sofa_iterative_begin(solver, s->iterations, &s->checks));
  s->norm = sofa_vec_norm(space, b);
  solver->result.residual = s->residual = 0;
  s->iterations_done = 0;
  if (s->norm == 0) {
    sofa_vec_zero(space, x);
    return SOFA_OK;
  }
  const size_t bad = isfinite(s->norm) ? space.n : sofa_vec_first_bad(space, b);
  if (bad < space.n)
    return sofa_linear_solver_fail_at(solver, SOFA_ERR_NOT_FINITE, bad,
                                      "the right-hand side is not finite");
  if (!isfinite(s->norm))
    return sofa_object_fail(&solver->object, SOFA_ERR_NOT_FINITE,
                            "the right-hand side is not finite on another process, time %g",
                            solver->object.node->time);
  const SofaErr err = solve_checked(s, &rows, &(SolvedVectors){b, x});
  if (err != SOFA_OK) forget(s);
  return err;
}

static void forget_pattern(SofaLinearSolver *solver) {
  forget((PETScLinearSolver *)solver);
}

static const SofaProcessOps process_ops = {.join = petsc_join,
                                           .end = petsc_end,
                                           .collect = petsc_collect,
                                           .gather = petsc_gather,
                                           .spread = petsc_spread,
                                           .exchange = petsc_exchange,
                                           .partition = PETSC_PARTITION};
static const SofaLinearSolverOps ops = {.solve = solve, .forget_pattern = forget_pattern};
static const char *const templates[] = {SOFA_ASSEMBLED_TEMPLATES, NULL};
static const SofaQuirk quirks[] = {SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PETScLinearSolver, b),
    SOFA_REMADE(PETScLinearSolver, ksp),
    SOFA_REMADE(PETScLinearSolver, last_iteration),
    SOFA_REMADE(PETScLinearSolver, last_residual),
    SOFA_REMADE(PETScLinearSolver, matrix),
    SOFA_REMADE(PETScLinearSolver, norm),
    SOFA_REMADE(PETScLinearSolver, options),
    SOFA_REMADE(PETScLinearSolver, options_seen),
    SOFA_REMADE(PETScLinearSolver, r),
    SOFA_REMADE(PETScLinearSolver, refine),
    SOFA_REMADE(PETScLinearSolver, refines),
    SOFA_REMADE(PETScLinearSolver, x),
};

SOFA_CLASS(PETScLinearSolver) = {
    .name = "PETScLinearSolver",
    .module = "SofaPETSc",
    .category = "LinearSolver",
    .help =
        "Krylov methods, multigrid and direct solvers of PETSc, from the previous solution, until "
        "|b - A x| <= tolerance |b|.",
    .equations = "A x = b, |b - A x| <= tolerance |b|",
    .base = &sofa_linear_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(PETScLinearSolver),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reinit = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}, {SOFA_PROCESS, &process_ops}),
};
