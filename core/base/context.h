/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context: allocator, message sink, factory, search paths, options, timers, scratch memory.
 * There are no mutable globals: two contexts in one process are independent. Only one thread at a
 * time uses a context and the objects made from it (kernels spread work inside a call). */
#ifndef SOFA_BASE_CONTEXT_H
#define SOFA_BASE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"
#include "base/error.h"
#include "base/message.h"

SOFA_BEGIN_DECLS

struct SofaFactory;
struct SofaProfiler;
struct SofaKernels;
struct SofaConvergence;
struct SofaObject;
struct SofaProcesses;

/* Works like realloc: size 0 frees and returns NULL; NULL with size > 0 is a failure. */
typedef void *(*SofaAllocate)(void *user, void *block, size_t size);

typedef struct SofaContextOptions {
  SofaAllocate allocate; /* NULL: the C library */
  void *allocate_user;
  SofaMessageSink sink; /* NULL: plain text on stderr (errors) and stdout */
  void *sink_user;
  int threads;           /* 0: 1 */
  bool quirks;           /* all quirks on: as SOFA, even where it contradicts its documentation */
  bool trust_scene;      /* scenes may name plugins by path, and folders of plugins */
  bool sandbox;          /* scenes write below the output folder alone; trust_scene has no effect */
  bool keep_going;       /* leave out objects that cannot be created, and continue */
  bool strict;           /* a linear or Newton solution that does not converge is an error */
  bool assembles_always; /* matrices are assembled and factorised in every step, also those that are
                            known to be as they were: for comparisons, the bits are the same */
  bool discard_outputs;  /* files are not made: what is written to them is dropped */
  bool provenance;       /* outputs say where they come from (base/provenance.h) */
  const char *output_folder; /* of relative paths of outputs; copied; NULL: the current one */
  const char *isa;           /* "auto" (NULL), "baseline", "avx2", "avx512" */
  const char *quirk_words;   /* these quirks on: "a,b"; copied; NULL: none by name */
} SofaContextOptions;

/* Slots of handles of objects (object/handle.h). */
typedef struct SofaHandleSlot {
  struct SofaObject *object; /* NULL: free */
  uint32_t uses;             /* that have ended */
  size_t next_free;          /* slot + 1; 0: none */
} SofaHandleSlot;
typedef struct SofaHandleTable {
  SofaHandleSlot *data;
  size_t n, capacity;
  size_t first_free; /* slot + 1; 0: none */
} SofaHandleTable;

/* A value given in place of that of a scene (scene/settings.h); owned texts. */
typedef struct SofaSetting {
  char *path, *field, *value;
  bool used; /* by an object of the scene that was loaded last */
} SofaSetting;
typedef struct SofaSettings {
  SofaSetting *data;
  size_t n, capacity;
} SofaSettings;

/* A file that a scene was made of, and the checksum of its bytes. */
typedef struct SofaInput {
  char *path; /* owned */
  uint64_t sum;
} SofaInput;
typedef struct SofaInputs {
  SofaInput *data;
  size_t n, capacity;
} SofaInputs;

/* What the outputs say of their run (base/provenance.h); owned texts. */
typedef struct SofaProvenance {
  bool wanted;       /* by the program */
  bool open;         /* files that are read count */
  char *scene;       /* name without its folder */
  char *words;       /* that stand in the line, too */
  char *line;        /* NULL: not yet */
  SofaInputs inputs; /* the scene, then the others in the order of reading */
} SofaProvenance;

struct SofaContext {
  SofaAllocate allocate;
  void *allocate_user;
  SofaMessageSink sink;
  void *sink_user;
  int threads;
  bool quirks, keep_going, trust_scene, strict, sandbox, discard_outputs, assembles_always;
  char *quirk_words;                      /* owned, NULL: none */
  char *output_folder;                    /* owned, NULL: the current one */
  uint64_t n_allocations;                 /* calls that asked for memory since creation */
  uint64_t n_messages[SOFA_N_SEVERITIES]; /* sent so far */
  uint64_t n_lost_outputs;                /* files that could not be written, or not to their end */
  uint64_t n_objects;                     /* objects and nodes made so far */
  uint64_t n_matrices;                    /* block matrices made so far */
  uint64_t n_points;                      /* identities of evaluation points given out so far */
  struct SofaFactory *factory;            /* owned; NULL: none is attached */
  void (*destroy_factory)(SofaContext *ctx, struct SofaFactory **factory); /* set with it */
  struct SofaProfiler *profiler;                                           /* owned */
  struct SofaTeam *team;             /* base/team.h; owned; NULL: not needed yet */
  const struct SofaKernels *kernels; /* numeric kernels of the chosen instruction set; static.
                                        NULL in a bare context */
  char **data_paths;                 /* owned, searched in order */
  size_t n_data_paths;
  char **plugin_paths; /* owned: folders that scenes name, searched first */
  size_t n_plugin_paths;
  SofaSettings settings;            /* owned */
  SofaHandleTable handles;          /* owned */
  SofaProvenance provenance;        /* owned */
  SofaMessageTap *taps;             /* further readers of messages, borrowed */
  int silences;                     /* requests to hide infos and warnings */
  struct SofaScratchChunk *scratch; /* owned */
  const char **quirks_announced;    /* words, each announced once; the list is owned */
  size_t n_quirks_announced;

  struct SofaProcesses *processes; /* object/process.h; owned; NULL: one runs the scene alone */
  uint64_t step;                   /* being made, from 1; 0 between steps */
  uint64_t n_changes;              /* grows with every change of an object of the context */
  unsigned n_solving; /* linear solves that run; a second one is that of a preconditioner */
  const struct SofaConvergence *convergence; /* observer of the solvers, borrowed; NULL: none */
};

/* Creates a context without kernels and factory. On failure *out is NULL. Programs call
 * sofa_context_create (object/factory.h), which attaches both. */
SofaErr sofa_context_create_bare(const SofaContextOptions *options, SofaContext **out);
void sofa_context_destroy(SofaContext **ctx); /* NULL-safe; *ctx becomes NULL */

/* Allocation. sofa_alloc zeroes. A failure reports one error and returns NULL. n * size is checked.
 * n * size == 0 gives a block that is not NULL (never frees): NULL always means failure. */
void *sofa_alloc(SofaContext *ctx, size_t n, size_t size);
void *sofa_realloc(SofaContext *ctx, void *block, size_t n, size_t size);
void sofa_free(SofaContext *ctx, void *block);
char *sofa_strdup(SofaContext *ctx, const char *text); /* NULL stays NULL */
char *sofa_strndup(SofaContext *ctx, const char *text, size_t n);
char *sofa_format(SofaContext *ctx, const char *format, ...) /* caller frees with sofa_free */
    __attribute__((format(printf, 2, 3)));
/* Messages and formatted text are made in the C locale. */

/* Scratch memory for the inside of a step: stack-like, 64-byte aligned, not zeroed, never moves.
 * Releasing a mark gives back all memory taken after it. The arena grows until warm,
 * then no call allocates. Returns NULL when memory is exhausted (reported). */
typedef struct SofaScratchMark {
  struct SofaScratchChunk *chunk;
  size_t used;
} SofaScratchMark;
SofaScratchMark sofa_scratch_mark(SofaContext *ctx);
void *sofa_scratch_bytes(SofaContext *ctx, size_t n, size_t size);
void sofa_scratch_release(SofaContext *ctx, SofaScratchMark mark);
#define SOFA_SCRATCH(ctx, T, n) ((T *)sofa_scratch_bytes((ctx), (n), sizeof(T)))

/* Appends a folder to the search path of files or plugins; removes the last one of that name.
 */
typedef enum SofaPaths { SOFA_PATHS_DATA, SOFA_PATHS_PLUGINS } SofaPaths;
SofaErr sofa_context_add_path(SofaContext *ctx, SofaPaths which, const char *folder);
void sofa_context_remove_path(SofaContext *ctx, SofaPaths which, const char *folder);
/* Appends a search path (colon-separated list allowed). */
SofaErr sofa_context_add_data_paths(SofaContext *ctx, const char *paths);
SofaErr sofa_context_add_plugin_paths(SofaContext *ctx, const char *paths);

SOFA_END_DECLS

#endif
