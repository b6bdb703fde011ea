/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times force, product with the derivative, both in turn, and assembly of force fields.
 *
 * usage: csofa_force_fields --classes   names of all classes of force fields
 *        csofa_force_fields ISA THREADS SCENE [CLASS]
 *
 * The latter prints a JSON object with seconds per call of the force field that is named
 * "measured", or of the first one of a class after a step. */
#include <sofa.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "components/builtins.h"

/* A force field, arguments to call it with, and a matrix to assemble into. */
typedef struct Bench {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaForceField *ff;
  double *x[2], *dx[2], *f[2]; /* [1] NULL unless it is between two states */
  SofaBlockMatrix *matrix;     /* of the points of both states */
  SofaTangentPair pairs[4];
  SofaTangent tangent;
  SofaMechParams params;
} Bench;

/* ---- one call of each ---- */

/* One point for all calls: the derivatives are timed with what the force kept. */
static SofaPoint point_of(const Bench *b) {
  return (SofaPoint){.x = (const double *const *)b->x,
                     .v = (const double *const *)b->dx,
                     .n = b->ff->n_states,
                     .id = 1};
}

static double call_force(void *user) {
  Bench *b = user;
  const SofaPoint at = point_of(b);
  sofa_force_field_add_force(b->ff, &b->params, &at, b->f);
  return b->f[0][0];
}

static double call_product(void *user) {
  Bench *b = user;
  const SofaPoint at = point_of(b);
  sofa_force_field_add_dforce(b->ff, &b->params, &at, (const double *const *)b->dx, b->f);
  return b->f[0][0];
}

/* A force and the first product with its derivative, which may make more than later ones. */
static double call_both(void *user) {
  call_force(user);
  return call_product(user);
}

static double call_assembly(void *user) {
  Bench *b = user;
  sofa_block_matrix_begin(b->matrix);
  const SofaPoint at = point_of(b);
  sofa_force_field_add_k(b->ff, &b->params, &at, &b->tangent);
  return sofa_block_matrix_end(b->matrix) == SOFA_OK ? 0 : 1;
}

/* ---- setup ---- */

static SofaObject *find_measured(const SofaNode *node) {
  SofaObject *found = NULL;
  for (size_t i = 0; i < node->objects.n && !found; i++)
    if (strcmp(node->objects.data[i]->name, "measured") == 0) found = node->objects.data[i];
  for (size_t i = 0; i < node->children.n && !found; i++)
    found = find_measured(node->children.data[i]);
  return found;
}

/* The first object of a class: contacts have no names of their own. */
static SofaObject *find_of_class(const SofaNode *node, const char *klass) {
  SofaObject *found = NULL;
  for (size_t i = 0; i < node->objects.n && !found; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0) found = node->objects.data[i];
  for (size_t i = 0; i < node->children.n && !found; i++)
    found = find_of_class(node->children.data[i], klass);
  return found;
}

/* A smooth deformation of a hundredth of the size, so that no element stands at rest. Orientations
 * of frames stay. */
static void deform(const SofaState *state, double *x, double *dx) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const unsigned moved = kind->rigid ? 3 : kind->coord;
  const size_t n = sofa_state_size(state);
  memcpy(x, state->position.data, n * kind->coord * sizeof *x);
  for (size_t i = 0; i < n; i++)
    for (unsigned a = 0; a < moved; a++) {
      const double other = state->position.data[i * kind->coord + (a + 1) % moved];
      x[i * kind->coord + a] += 0.01 * sin(2 * other + a);
    }
  for (size_t k = 0; k < n * kind->deriv; k++) dx[k] = 1e-3 * (double)((7 * k) % 13);
}

static SofaErr make_vectors(Bench *b, int s) {
  const SofaState *state = b->ff->state[s];
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const size_t n = sofa_state_size(state);
  // one real more: products may read it
  b->x[s] = sofa_alloc(b->ctx, n * kind->coord + 1, sizeof(double));
  b->dx[s] = sofa_alloc(b->ctx, n * kind->deriv + 1, sizeof(double));
  b->f[s] = sofa_alloc(b->ctx, n * kind->deriv + 1, sizeof(double));
  if (!b->x[s] || !b->dx[s] || !b->f[s]) return SOFA_ERR_MEMORY;
  deform(state, b->x[s], b->dx[s]);
  return SOFA_OK;
}

/* One matrix for the points of both states, the second's behind the first's. */
static SofaErr make_matrix(Bench *b) {
  const SofaState *const *state = (const SofaState *const *)b->ff->state;
  const size_t n0 = sofa_state_size(state[0]), n = n0 + (state[1] ? sofa_state_size(state[1]) : 0);
  uint8_t *sizes = sofa_alloc(b->ctx, n, 1);
  if (!sizes) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    sizes[i] = (uint8_t)sofa_state_kind_info(state[i >= n0]->object.kind)->deriv;
  const SofaErr err = sofa_block_matrix_create(b->ctx, n, sizes, n, sizes, &b->matrix);
  sofa_free(b->ctx, sizes);
  b->tangent = (SofaTangent){.pairs = b->pairs, .n = b->ff->n_states, .factor = -1};
  for (size_t r = 0; r < b->ff->n_states; r++)
    for (size_t c = 0; c < b->ff->n_states; c++)
      b->pairs[r * b->ff->n_states + c] =
          (SofaTangentPair){b->matrix, r ? (uint32_t)n0 : 0, c ? (uint32_t)n0 : 0};
  return err;
}

static SofaErr open_bench(Bench *b, const SofaContextOptions *options, const char *scene,
                          const char *klass) {
  SOFA_TRY(sofa_context_create(options, &b->ctx));
  SOFA_TRY(sofa_register_builtins(b->ctx));
  SOFA_TRY(sofa_simulation_load(b->ctx, scene, &b->simulation));
  SOFA_TRY(sofa_simulation_init(b->simulation));
  // contacts are there after a step
  if (klass) SOFA_TRY(sofa_simulation_step(b->simulation, 0));
  SofaObject *object =
      klass ? find_of_class(b->simulation->root, klass) : find_measured(b->simulation->root);
  if (!object || !sofa_implements(object, SOFA_FORCE_FIELD)) {
    fprintf(stderr, "%s: no force field is named \"measured\"\n", scene);
    return SOFA_ERR_NOT_FOUND;
  }
  b->ff = (SofaForceField *)object;
  for (int s = 0; s < 2; s++)
    if (b->ff->state[s]) SOFA_TRY(make_vectors(b, s));
  SOFA_TRY(make_matrix(b));
  b->params = sofa_mech_params(0.01, 0, 1, 0, -1e-4);
  return SOFA_OK;
}

static void close_bench(Bench *b) {
  if (!b->ctx) return;
  sofa_block_matrix_destroy(&b->matrix);
  for (int s = 0; s < 2; s++) {
    sofa_free(b->ctx, b->x[s]);
    sofa_free(b->ctx, b->dx[s]);
    sofa_free(b->ctx, b->f[s]);
  }
  sofa_simulation_destroy(&b->simulation);
  sofa_context_destroy(&b->ctx);
}

/* ---- measurements ---- */

static int measure(const SofaContextOptions *options, const char *scene, const char *klass) {
  Bench b = {0};
  const SofaErr err = open_bench(&b, options, scene, klass);
  if (err == SOFA_OK) {
    const SofaForceFieldOps *ops = sofa_force_field_ops(b.ff);
    call_force(&b);
    printf("{\"class\": \"%s\", \"force\": %.6g", b.ff->object.klass->name,
           best_seconds(call_force, &b));
    if (ops->add_dforce) {
      printf(", \"product\": %.6g", best_seconds(call_product, &b));
      printf(", \"both\": %.6g", best_seconds(call_both, &b));
    }
    // the first ones find the pattern
    for (int i = 0; ops->add_k && i < 2; i++) call_assembly(&b);
    if (ops->add_k) printf(", \"assembly\": %.6g", best_seconds(call_assembly, &b));
    printf("}\n");
    fflush(stdout);
  }
  close_bench(&b);
  return err != SOFA_OK;
}

static int print_classes(void) {
  SofaContext *ctx = NULL;
  SofaErr err = sofa_context_create(NULL, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  for (size_t i = 0; err == SOFA_OK && i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (!klass->abstract && sofa_class_ops(klass, SOFA_FORCE_FIELD)) puts(klass->name);
  }
  sofa_context_destroy(&ctx);
  return err != SOFA_OK;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--classes") == 0) return print_classes();
  const int threads = argc > 2 ? atoi(argv[2]) : 0;
  if ((argc != 4 && argc != 5) || threads < 1) {
    fputs("usage: csofa_force_fields --classes | csofa_force_fields ISA THREADS SCENE [CLASS]\n",
          stderr);
    return 2;
  }
  const SofaContextOptions options = {.threads = threads, .isa = argv[1]};
  return measure(&options, argv[3], argc > 4 ? argv[4] : NULL);
}
