/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plugin starts once for a process and ends with it, such as MPI; and processes that run a
 * scene together. A class of the plugin implements the interface; there is no object of it. */
#ifndef SOFA_OBJECT_PROCESS_H
#define SOFA_OBJECT_PROCESS_H

#include "object/object.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_process_interface;
#define SOFA_PROCESS (&sofa_process_interface)

/* A process among those that run a scene together: rank of n. */
typedef struct SofaPlace {
  int rank, n;
} SofaPlace;

/* Messages to and from some processes, this one perhaps among them: with neighbours[k] n_send[k]
 * bytes out of send + sum of the n_send before, and n_receive[k] bytes likewise. Both sides name
 * each other. */
typedef struct SofaExchange {
  size_t n_neighbours;
  const uint32_t *neighbours; /* ranks, ascending */
  const size_t *n_send, *n_receive;
  const void *send;
  void *receive;
} SofaExchange;

/* What one process has of a graph: the vertices first .. first + n - 1 of n_whole; those beside
 * vertex first + i are to[start[i]] .. to[start[i + 1] - 1], ascending. Both of an edge name it. */
typedef struct SofaGraph {
  size_t first, n, n_whole;
  const uint32_t *start, *to; /* numbers among all vertices */
} SofaGraph;

/* collect to exchange pass data between the processes of join. All processes call the same of them
 * in the same order; each returns when this process has its data. Results do not depend on the time
 * at which messages arrive. Required where join is that of several processes. */
typedef struct SofaProcessOps {
  /* required: starts for all processes that were started together, before any object uses it */
  SofaErr (*join)(SofaContext *ctx, SofaPlace *place);
  /* required: ends what was started, if it was; nothing of it is in use. With a status that is not
   * 0 the other processes of join are ended, too, whatever they do. */
  void (*end)(int status);
  /* all = the n bytes of every process, in the order of the ranks */
  SofaErr (*collect)(SofaContext *ctx, size_t n, const void *mine, void *all);
  /* the same of n[r] bytes of process r; on process `root` alone, elsewhere `all` may be NULL */
  SofaErr (*gather)(SofaContext *ctx, int root, const size_t *n, const void *mine, void *all);
  /* the n bytes of `root` for all */
  SofaErr (*spread)(SofaContext *ctx, int root, size_t n, void *data);
  SofaErr (*exchange)(SofaContext *ctx, const SofaExchange *exchange);
  /* optional: part[i] < number of processes of each own vertex. The parts are of similar size and
   * have few edges between them; they are the same in every run. */
  SofaErr (*partition)(SofaContext *ctx, const SofaGraph *graph, uint32_t *part);
} SofaProcessOps;

/* Joins by the first class with the interface: ctx->processes from then on, when there are several.
 */
SofaErr sofa_process_join(SofaContext *ctx, SofaPlace *place);

/* How meshes are divided (topology/partition.h). */
typedef enum SofaPartition {
  SOFA_PARTITION_DEFAULT, /* by their graph where the processes can, else by bisection */
  SOFA_PARTITION_BISECTION,
  SOFA_PARTITION_GRAPH
} SofaPartition;

/* The processes of a context; ctx->processes, NULL: this one runs the scene alone. */
typedef struct SofaProcesses {
  SofaPlace place;
  const SofaProcessOps *ops;
  void *user; /* of the ops, borrowed */
  SofaPartition partition;
  uint64_t n_bytes; /* sent by this process so far */
  bool loads;       /* a scene with keep_going: before data are passed, the processes meet */
  bool
      apart; /* they have met, and have not left out the same objects: nothing is passed any more */
  bool undivided; /* an object was refused for the division, which keep_going does not leave out */
  uint64_t n_mended; /* lists with values that keep_going has replaced here; the first one: */
  char mended[256];
  const struct SofaTies *ties; /* while a mesh is divided: topology/ties.h, borrowed; NULL: none */
} SofaProcesses;

/* What join does with the place and the functions it found; `user` for functions that need more. */
SofaErr sofa_process_set(SofaContext *ctx, const SofaPlace *place, const SofaProcessOps *ops,
                         void *user);

/* Called by all processes; on one alone they do nothing, or copy. A failure is reported. */
SofaErr sofa_process_collect(SofaContext *ctx, size_t n, const void *mine, void *all);
SofaErr sofa_process_gather(SofaContext *ctx, int root, const size_t *n, const void *mine,
                            void *all);
SofaErr sofa_process_spread(SofaContext *ctx, int root, size_t n, void *data);
SofaErr sofa_process_exchange(SofaContext *ctx, const SofaExchange *exchange);
/* With keep_going each process would leave out its own objects, and wait for what another one does
 * not send. While a scene is loaded and initialised, the functions above and below count the errors
 * of all processes first; different numbers are an error on all of them, then and ever after. For
 * what passes data in another way, before it does. */
SofaErr sofa_process_meet(SofaContext *ctx);
/* The scene is ready: the last of these meetings. */
SofaErr sofa_process_end_loading(SofaContext *ctx);
bool sofa_process_can_partition(const SofaContext *ctx);
/* An error where the processes cannot. */
SofaErr sofa_process_partition(SofaContext *ctx, const SofaGraph *graph, uint32_t *part);
/* values[i] = the sum over the processes, added in the order of the ranks: the same bits on all. */
SofaErr sofa_process_sum(SofaContext *ctx, size_t n, double *values);
SofaErr sofa_process_max(SofaContext *ctx, size_t n, double *values); /* NaN if any is */
SofaErr sofa_process_sum_counts(SofaContext *ctx, size_t n, uint64_t *counts);
/* Have all processes the same n bytes? */
SofaErr sofa_process_same(SofaContext *ctx, size_t n, const void *data, bool *same);
static inline int sofa_process_rank(const SofaContext *ctx) {
  return ctx->processes ? ctx->processes->place.rank : 0;
}
static inline int sofa_process_count(const SofaContext *ctx) {
  return ctx->processes ? ctx->processes->place.n : 1;
}

/* sofa_object_unsupported of what one process could do, or of what needs the whole mesh: ends the
 * loading of the scene with keep_going, too. */
static inline void sofa_process_refuse(const SofaContext *ctx) {
  if (ctx->processes) ctx->processes->undivided = true;
}
#define sofa_object_undivided(object, ...)                                                         \
  (sofa_process_refuse((object)->ctx), sofa_object_unsupported((object), __VA_ARGS__))
/* Values of a list have been replaced, of which other processes may have other entries. */
void sofa_process_note_mended(const SofaObject *object, const char *field, const char *why);
/* Called by all processes: the first one tells of those of the others, where it has none. */
SofaErr sofa_process_tell_mended(SofaContext *ctx);

/* For programs that end without the usual handlers: ends what all plugins of the context started.
 */
void sofa_process_end(SofaContext *ctx, int status);

SOFA_END_DECLS

#endif
