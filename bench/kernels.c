/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times forces, derivatives and matrix products of the library on a small beam, on one thread. */
#include <sofa.h>
#include <stdio.h>
#include <string.h>

#include "bench/machine.h"
#include "components/builtins.h"
#include "math/kernels.h"
#include "math/symmetric_operator.h"

/* A force field with a state to evaluate it at. */
typedef struct Bench {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaForceField *ff;
  size_t n_points;
  double *x, *dx, *f; /* 3 reals a point; x differs from the rest positions */
  SofaBlockMatrix *matrix;
  SofaSymmetricOperator *symmetric;
  SofaMechParams params;
} Bench;

static const char scene[] = "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>"
                            "<RegularGridTopology n='%d %d %d' min='0 0 0' max='%g %g %g'/>"
                            "<MechanicalObject/>"
                            "<%s method='%s' youngModulus='5e6' poissonRatio='0.3'/></Node>";

/* ---- one call of each ---- */

static double call_force(void *user) {
  const Bench *b = user;
  double *const f[] = {b->f};
  const double *const x[] = {b->x}, *const v[] = {b->dx};
  const SofaPoint at = {.x = x, .v = v, .n = 1, .id = 1};
  sofa_force_field_add_force(b->ff, &b->params, &at, f);
  return b->f[0];
}

static double call_dforce(void *user) {
  const Bench *b = user;
  const double *const dx[] = {b->dx};
  double *const f[] = {b->f};
  const double *const x[] = {b->x}, *const v[] = {b->dx};
  const SofaPoint at = {.x = x, .v = v, .n = 1, .id = 1};
  sofa_force_field_add_dforce(b->ff, &b->params, &at, dx, f);
  return b->f[0];
}

static double call_tangent(void *user) {
  const Bench *b = user;
  const SofaTangentPair pair = {.matrix = b->matrix};
  const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = -1};
  const double *const x[] = {b->x}, *const v[] = {b->dx};
  const SofaPoint at = {.x = x, .v = v, .n = 1, .id = 1};
  sofa_block_matrix_begin(b->matrix);
  sofa_force_field_add_k(b->ff, &b->params, &at, &tangent);
  return sofa_block_matrix_end(b->matrix) == SOFA_OK ? 0 : 1;
}

static double call_spmv(void *user) {
  const Bench *b = user;
  sofa_block_matrix_multiply(b->matrix, b->dx, b->f, 1);
  return b->f[0];
}

static double call_symmetric(void *user) {
  const Bench *b = user;
  sofa_symmetric_operator_apply(b->symmetric, b->dx, b->f);
  return b->f[0];
}

/* ---- setup ---- */

static SofaForceField *find_force_field(const SofaNode *node) {
  SofaForceField *found = NULL;
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_FORCE_FIELD))
      found = (SofaForceField *)node->objects.data[i];
  return found;
}

/* A smooth deformation, so that no element stands at rest or turns over. */
static void deform(const Bench *b) {
  const SofaCoords *position = &b->ff->state[0]->position;
  for (size_t i = 0; i < b->n_points; i++) {
    const double *at = position->data + 3 * i, z = at[2];
    b->x[3 * i] = at[0] + 0.02 * z * z;
    b->x[3 * i + 1] = at[1] - 0.01 * z * at[0];
    b->x[3 * i + 2] = 1.01 * z;
    for (size_t k = 0; k < 3; k++) b->dx[3 * i + k] = 1e-3 * (double)((7 * i + 3 * k) % 13);
  }
}

static SofaErr make_matrix(Bench *b) {
  uint8_t *sizes = sofa_alloc(b->ctx, b->n_points, 1);
  if (!sizes) return SOFA_ERR_MEMORY;
  memset(sizes, 3, b->n_points);
  const SofaErr err =
      sofa_block_matrix_create(b->ctx, b->n_points, sizes, b->n_points, sizes, &b->matrix);
  sofa_free(b->ctx, sizes);
  return err;
}

static SofaErr open_bench(Bench *b, const int *cells, const char *klass, const char *method,
                          const char *isa) {
  char text[1000];
  snprintf(text, sizeof text, scene, cells[0] + 1, cells[1] + 1, cells[2] + 1, 0.1 * cells[0],
           0.1 * cells[1], 0.1 * cells[2], klass, method);
  const SofaContextOptions options = {.threads = 1, .isa = isa};
  SOFA_TRY(sofa_context_create(&options, &b->ctx));
  SOFA_TRY(sofa_register_builtins(b->ctx));
  SOFA_TRY(sofa_simulation_load_text(b->ctx, text, &b->simulation));
  SOFA_TRY(sofa_simulation_init(b->simulation));
  b->ff = find_force_field(b->simulation->root);
  if (!b->ff) return SOFA_ERR_NOT_FOUND;
  b->n_points = b->ff->state[0]->position.n;
  // one real more: products may read it
  b->x = sofa_alloc(b->ctx, 3 * b->n_points + 1, sizeof *b->x);
  b->dx = sofa_alloc(b->ctx, 3 * b->n_points + 1, sizeof *b->dx);
  b->f = sofa_alloc(b->ctx, 3 * b->n_points + 1, sizeof *b->f);
  if (!b->x || !b->dx || !b->f) return SOFA_ERR_MEMORY;
  deform(b);
  SOFA_TRY(make_matrix(b));
  b->params = sofa_mech_params(0.01, 0, 1, 0, -1e-4);
  return SOFA_OK;
}

static void close_bench(Bench *b) {
  if (!b->ctx) return;
  sofa_symmetric_operator_destroy(&b->symmetric);
  sofa_block_matrix_destroy(&b->matrix);
  sofa_free(b->ctx, b->x);
  sofa_free(b->ctx, b->dx);
  sofa_free(b->ctx, b->f);
  sofa_simulation_destroy(&b->simulation);
  sofa_context_destroy(&b->ctx);
}

/* ---- measurements ---- */

static void report_element(const char *klass, const char *method, const char *what, double seconds,
                           double n_elements) {
  char name[100];
  snprintf(name, sizeof name, "%s %s %s", klass, method, what);
  report(name, 1e9 * seconds / n_elements, "ns/element");
}

/* n_elements: what the times are divided by. */
static int measure_element(const int *cells, double n_elements, const char *klass,
                           const char *method, const char *isa) {
  Bench b = {0};
  const SofaErr err = open_bench(&b, cells, klass, method, isa);
  if (err == SOFA_OK) {
    call_force(&b);
    report_element(klass, method, "add_force", best_seconds(call_force, &b), n_elements);
    report_element(klass, method, "add_dforce", best_seconds(call_dforce, &b), n_elements);
    report_element(klass, method, "tangent", best_seconds(call_tangent, &b), n_elements);
  }
  close_bench(&b);
  return err != SOFA_OK;
}

/* Reports time and rate of a product with the matrix; read: bytes of matrix it goes through. */
static void report_product(Bench *b, const char *name, Work product, double n_blocks,
                           double stored) {
  char line[60];
  const double seconds = best_seconds(product, b);
  snprintf(line, sizeof line, "%s time", name);
  report(line, 1e6 * seconds, "us");
  snprintf(line, sizeof line, "%s rate", name);
  report(line, 18e-9 * n_blocks / seconds, "GF/s");
  snprintf(line, sizeof line, "%s matrix traffic", name);
  report(line, 76e-9 * stored / seconds, "GB/s");
}

/* Products with the beam's stiffness matrix: all blocks, and the upper triangle only. */
static int measure_products(const int *cells, const char *size, const char *isa) {
  Bench b = {0};
  char name[40];
  bool usable = false;
  SofaBlockRows rows;
  SofaErr err = open_bench(&b, cells, "TetrahedronFEMForceField", "large", isa);
  if (err == SOFA_OK) {
    call_force(&b);
    call_tangent(&b);
    err = sofa_symmetric_operator_create(b.ctx, &b.symmetric);
  }
  if (err == SOFA_OK) err = sofa_symmetric_operator_update(b.symmetric, b.matrix, &usable);
  if (err == SOFA_OK) {
    sofa_block_matrix_rows(b.matrix, &rows);
    const double n_blocks = rows.start[rows.n_rows], n_rows = (double)rows.n_rows;
    snprintf(name, sizeof name, "spmv %s", size);
    report_product(&b, name, call_spmv, n_blocks, n_blocks);
    snprintf(name, sizeof name, "symmetric spmv %s", size);
    if (usable) report_product(&b, name, call_symmetric, n_blocks, (n_blocks + n_rows) / 2);
  }
  close_bench(&b);
  return err != SOFA_OK;
}

int measure_kernels(int nx, int ny, int nz, const char *isa) {
  const int small[3] = {nx, ny, nz}, large[3] = {4 * nx, 4 * ny, 2 * nz};
  const double hexas = (double)nx * ny * nz;
  return measure_element(small, 6 * hexas, "TetrahedronFEMForceField", "large", isa) ||
         measure_element(small, 6 * hexas, "TetrahedronFEMForceField", "polar", isa) ||
         measure_element(small, hexas, "HexahedronFEMForceField", "large", isa) ||
         measure_element(small, hexas, "HexahedronFEMForceField", "polar", isa) ||
         measure_products(small, "small", isa) || measure_products(large, "large", isa);
}
