/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The three values of geometricStiffness for mappings of one output: None leaves the derivative of
 * J^T f out, Exact is its difference quotient, Stabilized is Exact for forces that pull (f < 0) and
 * nothing for those that push; products and matrices alike. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/mapping.h"
#include "math/block_matrix.h"

enum { MOST = 12 };

typedef struct Case {
  const char *kind, *points, *mesh, *mapping;
  bool stabilizes; /* there is Stabilized */
} Case;

#define TRIANGLE_POINTS "0 0 0 1 0.2 0 0.3 0.9 0.4"
#define TETRA_POINTS "0 0 0 1 0.2 0 0.3 0.9 0.4 0.1 0.2 1.1"
static const Case cases[] = {
    {"Vec3d", "0 0 0 1 0.5 0.3", "edges='0 1'", "DistanceMapping topology='@../mesh'", true},
    {"Vec3d", "0 0 0 1 0.5 0.3", "edges='0 1'", "SquareDistanceMapping topology='@../mesh'", true},
    {"Vec3d", "1 0.5 0.3", "", "DistanceFromTargetMapping indices='0' targetPositions='0 2 0'",
     true},
    {"Vec3d", TRIANGLE_POINTS, "triangles='0 1 2'", "AreaMapping topology='@../mesh'", true},
    {"Vec3d", TETRA_POINTS, "tetrahedra='0 1 2 3'", "VolumeMapping topology='@../mesh'", true},
    {"Vec1d", "0.7", "", "SquareMapping", false},
};

typedef struct Mapped {
  SceneRun run;
  SofaMapping *map;
  size_t n;
  const double *v[1];
} Mapped;

static const double zeros[MOST];

static void open_mapping(Mapped *m, const Case *c, const char *option) {
  char text[1500];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<MeshTopology name='mesh' position='%s' %s/>"
           "<MechanicalObject name='state' template='%s' position='%s'/><Node name='m'>"
           "<MechanicalObject name='out' template='Vec1d'/>"
           "<%s name='map' geometricStiffness='%s'/></Node></Node>",
           *c->mesh ? c->points : "", c->mesh, c->kind, c->points, c->mapping, option);
  scene_run_open(&m->run, text, NULL);
  m->map = (SofaMapping *)scene_run_object(&m->run, "/m/map");
  const SofaState *in = m->map->inputs[0];
  m->n = in->position.n * in->position.width;
  m->v[0] = zeros;
  assert_true(m->n <= MOST);
}

/* df = J(x)^T f */
static void pulled(Mapped *m, const double *x, double f, double *df) {
  const double *at_x[] = {x};
  const SofaPoint at = {.x = at_x, .v = m->v, .n = 1, .id = sofa_point_id(m->run.ctx)};
  double *to[] = {df};
  memset(df, 0, MOST * sizeof *df);
  assert_int_equal(sofa_mapping_apply_jt(m->map, &at, &f, to), SOFA_OK);
}

/* The product with dx, and that of the assembled matrix. */
static void derivative(Mapped *m, const double *x, double f, const double *dx, double *product,
                       double *assembled) {
  const SofaState *in = m->map->inputs[0];
  const double *at_x[] = {x}, *from[] = {dx};
  const SofaPoint at = {.x = at_x, .v = m->v, .n = 1, .id = sofa_point_id(m->run.ctx)};
  double *to[] = {product};
  uint8_t blocks[MOST];
  SofaBlockMatrix *matrix = NULL;
  memset(product, 0, MOST * sizeof *product);
  memset(assembled, 0, MOST * sizeof *assembled);
  assert_int_equal(sofa_mapping_apply_djt(m->map, &at, 1, &f, from, to), SOFA_OK);
  memset(blocks, (int)in->position.width, sizeof blocks);
  assert_int_equal(
      sofa_block_matrix_create(m->run.ctx, in->position.n, blocks, in->position.n, blocks, &matrix),
      SOFA_OK);
  const SofaTangentPair pair = {.matrix = matrix};
  const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = 1};
  sofa_block_matrix_begin(matrix);
  assert_int_equal(sofa_mapping_add_djt(m->map, &at, 0, 0, &f, &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  sofa_block_matrix_multiply(matrix, dx, assembled, 1);
  sofa_block_matrix_destroy(&matrix);
}

static void check(const Case *c, const char *option, double f) {
  static const double dx[MOST] = {0.3, -0.7, 0.2, 0.5, 0.9, -0.4, -0.8, 0.1, 0.6, -0.2, 0.4, 0.7};
  const double h = 1e-5;
  double x[MOST], plus[MOST], minus[MOST], product[MOST], assembled[MOST], size = 0;
  const bool counts = strcmp(option, "Exact") == 0 || (strcmp(option, "Stabilized") == 0 && f < 0);
  Mapped m;
  open_mapping(&m, c, option);
  for (int side = -1; side < 2; side += 2) {
    for (size_t i = 0; i < m.n; i++) x[i] = m.map->inputs[0]->position.data[i] + side * h * dx[i];
    pulled(&m, x, f, side < 0 ? minus : plus);
  }
  for (size_t i = 0; i < m.n; i++) x[i] = m.map->inputs[0]->position.data[i];
  derivative(&m, x, f, dx, product, assembled);
  for (size_t i = 0; i < m.n; i++) {
    const double slope = (plus[i] - minus[i]) / (2 * h), expected = counts ? slope : 0;
    size = fmax(size, fabs(slope));
    if (!(fabs(product[i] - expected) < 1e-8 && fabs(assembled[i] - expected) < 1e-8))
      fail_msg("%s, %s, f = %g, real %zu: %g and %g, expected %g", c->mapping, option, f, i,
               product[i], assembled[i], expected);
  }
  assert_true(size > 0.1);
  scene_run_close(&m.run);
}

static void options_and_signs(void **state) {
  static const char *const options[] = {"None", "Exact", "Stabilized"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (size_t k = 0; k < (cases[i].stabilizes ? 3 : 2); k++)
      for (int sign = -1; sign < 2; sign += 2) check(&cases[i], options[k], 2.5 * sign);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_and_signs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
