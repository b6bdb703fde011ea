/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Start and end of PETSc, its errors, its options. */
#include "petsc_calls.h"

#include <stdlib.h>
#include <string.h>

#include "behavior/checks.h"

/* ---- start and end ---- */

void petsc_end(int status) {
  PetscBool started = PETSC_FALSE, ended = PETSC_TRUE;
  int together = MPI_UNEQUAL;
  if (PetscInitialized(&started) != 0 || !started) return;
  if (PetscFinalized(&ended) != 0 || ended) return;
  MPI_Comm_compare(PETSC_COMM_WORLD, MPI_COMM_SELF, &together);
  if (status != 0 && together != MPI_IDENT) MPI_Abort(PETSC_COMM_WORLD, status);
  PetscFinalize();
  MPI_Finalize();
}

/* A program that started MPI or PETSc itself ends it, too. */
static void end_at_exit(int status, void *user) {
  (void)user;
  petsc_end(status);
}

/* Its options are those of the scene: PETSC_OPTIONS is read while PETSc starts, and nowhere else.
 * Threads of PT-Scotch would make its parts differ from run to run; it reads how many when it
 * starts to work. */
static PetscErrorCode start_alone(SofaContext *ctx) {
  const char *given = getenv("PETSC_OPTIONS");
  char *kept = given ? sofa_strdup(ctx, given) : NULL;
  if (given && !kept) return PETSC_ERR_MEM;
  if (given) unsetenv("PETSC_OPTIONS");
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
  PetscErrorCode code = PetscOptionsSetValue(NULL, "-skip_petscrc", "1");
  if (!code) code = PetscOptionsSetValue(NULL, "-no_signal_handler", "1");
  if (!code) code = PetscInitializeNoArguments();
  if (!code) code = PetscOptionsClear(NULL);
  if (kept) setenv("PETSC_OPTIONS", kept, 1);
  sofa_free(ctx, kept);
  return code;
}

/* PETSc takes the communicator that it finds in its variable. */
static SofaErr start(SofaContext *ctx, bool together) {
  int mpi = 0, level = 0;
  MPI_Initialized(&mpi);
  if (!mpi && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return sofa_fail(ctx, SOFA_ERR_IO, NULL, "MPI does not start");
  PETSC_COMM_WORLD = together ? MPI_COMM_WORLD : MPI_COMM_SELF;
  const PetscErrorCode code = start_alone(ctx);
  if (code)
    return sofa_fail(ctx, code == PETSC_ERR_MEM ? SOFA_ERR_MEMORY : SOFA_ERR_IO, NULL,
                     "PETSc does not start (error %d)", (int)code);
  if (!mpi) on_exit(end_at_exit, NULL);
  return SOFA_OK;
}

static SofaErr start_once(SofaContext *ctx, bool together) {
  PetscBool started = PETSC_FALSE, ended = PETSC_FALSE;
  int mpi_ended = 0;
  PetscInitialized(&started);
  PetscFinalized(&ended);
  MPI_Finalized(&mpi_ended);
  if (ended || mpi_ended)
    return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, NULL,
                     "PETSc or MPI was ended in this process: it cannot start again");
  return started ? SOFA_OK : start(ctx, together);
}

SofaErr petsc_start(SofaContext *ctx) {
  return start_once(ctx, false);
}

SofaErr petsc_join(SofaContext *ctx, SofaPlace *place) {
  SOFA_TRY(start_once(ctx, true));
  MPI_Comm_set_errhandler(PETSC_COMM_WORLD, MPI_ERRORS_RETURN); /* they are reported */
  MPI_Comm_rank(PETSC_COMM_WORLD, &place->rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &place->n);
  return SOFA_OK;
}

/* ---- sections ---- */

static void keep_text(char *to, size_t size, const char *text) {
  const size_t n = strnlen(text, size - 1);
  sofa_copy(to, text, n);
  to[n] = '\0';
}

/* the parameters are PETSc's */
#define ERROR_HANDLER_PARAMETERS                                                                   \
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,            \
      PetscErrorType type, const char *message, void *user

/* A function on the way back reports the error again: the first report has the reason. */
static PetscErrorCode keep_error(ERROR_HANDLER_PARAMETERS) {
  PetscCalls *calls = user;
  (void)comm, (void)line, (void)file;
  if (type != PETSC_ERROR_INITIAL || calls->function[0]) return code;
  keep_text(calls->function, sizeof calls->function, function ? function : "?");
  keep_text(calls->message, sizeof calls->message, message ? message : "");
  for (char *c = calls->message; *c; c++)
    if (*c == '\n') *c = ' ';
  return code;
}

PetscErrorCode petsc_calls_begin(PetscCalls *calls, PetscOptions options) {
  *calls = (PetscCalls){.blas = sofa_blas_threads_begin(1)};
  PetscCall(PetscPushErrorHandler(keep_error, calls));
  calls->handled = true;
  if (options) PetscCall(PetscOptionsPush(options));
  calls->offered = options != NULL;
  return 0;
}

static SofaErr error_of(PetscErrorCode code) {
  switch (code) {
  case PETSC_ERR_MEM:
    return SOFA_ERR_MEMORY;
  case PETSC_ERR_SUP:
    return SOFA_ERR_UNSUPPORTED;
  case PETSC_ERR_ARG_UNKNOWN_TYPE:
    return SOFA_ERR_NOT_FOUND;
  case PETSC_ERR_ARG_OUTOFRANGE:
    return SOFA_ERR_RANGE;
  case PETSC_ERR_MAT_LU_ZRPVT:
  case PETSC_ERR_MAT_CH_ZRPVT:
    return SOFA_ERR_SINGULAR;
  case PETSC_ERR_FP:
    return SOFA_ERR_NOT_FINITE;
  default:
    return SOFA_ERR_ARGUMENT;
  }
}

/* What the error was, in PETSc's words. */
static void leave(PetscCalls *calls, PetscErrorCode code) {
  const char *text = NULL;
  if (calls->offered) PetscOptionsPop();
  if (calls->handled) PetscPopErrorHandler();
  sofa_blas_threads_end(calls->blas);
  if (!code) return;
  if (!calls->message[0]) PetscErrorMessage(code, &text, NULL);
  if (text) keep_text(calls->message, sizeof calls->message, text);
  if (!calls->function[0]) keep_text(calls->function, sizeof calls->function, "unknown function");
}

SofaErr petsc_calls_end(PetscCalls *calls, PetscErrorCode code, const SofaObject *owner,
                        const char *what) {
  leave(calls, code);
  if (!code) return SOFA_OK;
  return sofa_object_fail(owner, error_of(code), "%s: PETSc: %s (%s), time %g", what,
                          calls->message, calls->function, owner->node->time);
}

SofaErr petsc_calls_end_alone(PetscCalls *calls, PetscErrorCode code, SofaContext *ctx,
                              const char *what) {
  leave(calls, code);
  if (!code) return SOFA_OK;
  return sofa_fail(ctx, error_of(code), NULL, "%s: PETSc: %s (%s)", what, calls->message,
                   calls->function);
}

/* ---- options ---- */

/* Parts of names of options and of values: files, windows, sockets, other programs and libraries.
 */
static const char *const forbidden[] = {
    "view",    "monitor", "python",   "matlab", "julia", "kokkos", "options_",
    "prefix_", "dll",     "socket",   "log",    "help",  "info",   "debug",
    "stop_",   "_file",   "tmpdir",   "saws",   "shell", "yaml",   "write_problem",
    "history", "draw",    "on_error", "malloc", "/",     ":",      NULL};

static const char *forbidden_part(const char *word, size_t n) {
  for (size_t i = 0; forbidden[i]; i++)
    if (memmem(word, n, forbidden[i], strlen(forbidden[i]))) return forbidden[i];
  return NULL;
}

static bool is_name(const char *word, size_t n) {
  return n > 1 && word[0] == '-' && ((word[1] >= 'a' && word[1] <= 'z') || word[1] == '_');
}

SofaErr petsc_options_check(const SofaObject *owner, const char *field, const char *text) {
  static const char space[] = " \t\r\n";
  bool first = true, after_name = false;
  for (const char *word = text + strspn(text, space); *word; first = false) {
    const size_t n = strcspn(word, space);
    const bool name = is_name(word, n);
    const char *part = owner->ctx->trust_scene ? NULL : forbidden_part(word, n);
    if (first && !name && strcmp(field, "options") == 0)
      return sofa_field_fail(owner, field, SOFA_ERR_PARSE,
                             "'%.*s' is not the name of an option: it does not begin with '-'",
                             (int)n, word);
    if (!first && !name && !after_name)
      return sofa_field_fail(owner, field, SOFA_ERR_PARSE, "'%.*s' belongs to no option", (int)n,
                             word);
    if (part)
      return sofa_field_fail(owner, field, SOFA_ERR_UNSUPPORTED,
                             "'%.*s' is refused because of '%s': options that write files, print "
                             "or run other code need --trust-scene",
                             (int)n, word, part);
    after_name = name;
    word += n;
    word += strspn(word, space);
  }
  return SOFA_OK;
}

/* Triple products of coarse matrices: PETSc's default adds rows of others as they arrive; hypre
 * adds them in the order of the ranks, and so does 'allatonce', which takes three times as long. */
#define FIXED_ORDER "matptap_via"
#ifdef PETSC_HAVE_HYPRE
#define PRODUCTS "hypre"
#else
#define PRODUCTS "allatonce"
#endif

PetscErrorCode petsc_options_fill(PetscOptions options, const char *text) {
  int n = 1;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &n));
  if (n > 1) PetscCall(PetscOptionsSetValue(options, "-" FIXED_ORDER, PRODUCTS));
  return PetscOptionsInsertString(options, text);
}

SofaErr petsc_options_check_used(const SofaObject *owner, const char *field, PetscOptions options) {
  PetscInt n = 0;
  char **names = NULL, **values = NULL;
  SofaErr err = SOFA_OK;
  if (!options || PetscOptionsLeftGet(options, &n, &names, &values) != 0) return SOFA_OK;
  for (PetscInt i = 0; i < n && err == SOFA_OK; i++) {
    if (strcmp(names[i], FIXED_ORDER) == 0) continue; /* of multigrid alone */
    err = sofa_keep_going(
        owner,
        sofa_field_fail(owner, field, SOFA_ERR_NOT_FOUND,
                        "PETSc has no option '-%s' for this method, or did not need it", names[i]));
  }
  PetscOptionsLeftRestore(options, &n, &names, &values);
  return err;
}
