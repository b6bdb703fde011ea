/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times BarycentricMapping of 100 000 points into 99 144 tetrahedra: finding the elements, and the
 * operations beside the time that their bytes take. Exit status 1 when finding takes too long. */
#include <sofa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "behavior/mapping.h"
#include "bench/machine.h"
#include "components/builtins.h"

enum { POINTS = 100000, LONGEST = 2 /* s of finding the elements */ };

typedef struct Bench {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaMapping *map;
  const double *in;
  SofaPoint at; /* where the input is */
  double *out, *pulled;
} Bench;

/* ---- scene ---- */

static const char head[] =
    "<Node name='root'><DefaultAnimationLoop/><RegularGridTopology name='grid' n='19 19 52' "
    "max='1 1 2.83'/><Node name='body'>%s<Hexa2TetraTopologicalMapping input='@../grid' "
    "output='@mesh'/><MechanicalObject name='state' position='@../grid.position'/>"
    "<Node name='points'><MechanicalObject name='state' position='";
static const char tail[] =
    "'/><BarycentricMapping input_topology='@../mesh'/></Node></Node></Node>";

/* Points in the body: ordered, z slowest, or scattered. */
static char *write_scene(const char *topology, bool scattered) {
  char *text = malloc(sizeof head + sizeof tail + 200 + 40 * (size_t)POINTS), *at = text;
  uint64_t random = 88172645463325252u;
  if (!text) return NULL;
  at += sprintf(at, head, topology);
  for (int i = 0; i < POINTS; i++) {
    double p[3] = {(i % 36) / 36., (i / 36 % 36) / 36., 2.83 * i / POINTS};
    for (int k = 0; scattered && k < 3; k++) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      p[k] = (double)(random >> 11) * 0x1p-53 * (k == 2 ? 2.83 : 1);
    }
    at += sprintf(at, "%.9f %.9f %.9f ", p[0], p[1], p[2]);
  }
  strcpy(at, tail);
  return text;
}

static SofaMapping *find(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_MAPPING))
      return (SofaMapping *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaMapping *found = find(node->children.data[i]);
    if (found) return found;
  }
  return NULL;
}

static SofaErr open_bench(Bench *b, const char *topology, bool scattered) {
  const SofaContextOptions options = {.threads = 1};
  SOFA_TRY(sofa_context_create(&options, &b->ctx));
  SOFA_TRY(sofa_register_builtins(b->ctx));
  char *text = write_scene(topology, scattered);
  if (!text) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_simulation_load_text(b->ctx, text, &b->simulation);
  free(text);
  if (err == SOFA_OK) err = sofa_simulation_init(b->simulation);
  if (err != SOFA_OK) return err;
  b->map = find(b->simulation->root);
  if (!b->map) return SOFA_ERR_NOT_FOUND;
  b->in = b->map->inputs[0]->position.data;
  b->at = (SofaPoint){.x = &b->in, .n = 1, .id = sofa_point_id(b->ctx)};
  b->out = calloc(3 * (size_t)POINTS, sizeof *b->out);
  b->pulled = calloc(3 * b->map->inputs[0]->position.n, sizeof *b->pulled);
  return b->out && b->pulled ? SOFA_OK : SOFA_ERR_MEMORY;
}

static void close_bench(Bench *b) {
  free(b->out);
  free(b->pulled);
  sofa_simulation_destroy(&b->simulation);
  if (b->ctx) sofa_context_destroy(&b->ctx);
}

/* ---- one call of each ---- */

static double call_apply(void *user) {
  const Bench *b = user;
  sofa_mapping_apply(b->map, &b->at, b->out);
  return b->out[7];
}
static double call_apply_jt(void *user) {
  Bench *b = user;
  sofa_mapping_apply_jt(b->map, &b->at, b->out, &b->pulled);
  return b->pulled[7];
}

/* a = b + 3 c in memory, far beyond the caches. */
typedef struct Triad {
  size_t n;
  double *a;
} Triad;

static double call_triad(void *user) {
  const Triad *t = user;
  double *a = t->a;
  const double *b = a + t->n, *c = b + t->n;
  for (size_t i = 0; i < t->n; i++) a[i] = b[i] + 3 * c[i];
  return a[t->n / 2];
}

/* Bytes per second; 0 without memory. */
static double memory_speed(void) {
  Triad t = {.n = (size_t)12 << 20};
  t.a = calloc(3 * t.n, sizeof *t.a);
  if (!t.a) return 0;
  const double seconds = best_seconds(call_triad, &t);
  free(t.a);
  return 24 * (double)t.n / seconds;
}

/* Best of three: it takes long enough. */
static double setup_seconds(const Bench *b) {
  double best = 1e9;
  for (int i = 0; i < 3; i++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    if (sofa_mapping_ops(b->map)->setup(b->map) != SOFA_OK) return 1e9;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    const double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (seconds < best) best = seconds;
  }
  return best;
}

static int measure(const char *name, const char *topology, bool scattered, double speed) {
  Bench b = {0};
  const SofaErr err = open_bench(&b, topology, scattered);
  double setup = 1e9;
  if (err == SOFA_OK) {
    // per point: 4 indices, 4 weights and the result; per input point its position, forth and back
    // the row numbers and weights again, and a position that is read and written
    const double n_in = (double)b.map->inputs[0]->position.n;
    const double forth = POINTS * (4 * 4 + 4 * 8 + 24.) + 24 * n_in;
    const double back = POINTS * (4 * 4 + 4 * 8 + 24.) + 48 * n_in;
    setup = setup_seconds(&b);
    const double apply = best_seconds(call_apply, &b), apply_jt = best_seconds(call_apply_jt, &b);
    printf("%-34s init %7.3f s   apply %6.3f ms (%.1f GB/s, %.2f of triad)   "
           "apply_jt %6.3f ms (%.2f of triad)\n",
           name, setup, 1e3 * apply, 1e-9 * forth / apply, forth / apply / speed, 1e3 * apply_jt,
           back / apply_jt / speed);
  }
  close_bench(&b);
  return setup > LONGEST;
}

int main(void) {
  static const char set[] = "<TetrahedronSetTopologyContainer name='mesh'/>";
  static const char mesh[] = "<MeshTopology name='mesh'/>";
  const double speed = memory_speed();
  printf("BarycentricMapping, %d points into 99144 tetrahedra, one thread; triad in memory %.1f "
         "GB/s\n",
         POINTS, 1e-9 * speed);
  return measure("set container, ordered points", set, false, speed) ||
         measure("set container, scattered points", set, true, speed) ||
         measure("MeshTopology, ordered points", mesh, false, speed) ||
         measure("MeshTopology, scattered points", mesh, true, speed);
}
