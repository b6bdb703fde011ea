/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locating points in elements: weights, ties, and that the fast searches choose what scans of all
 * elements would. */
#include "tests/support/scene_run.h"

#include <float.h>
#include <math.h>

#include "components/mapping/barycentric.h"
#include "tests/unit/math/random.h"

/* A mesh for tests: random points, elements over them. */
typedef struct Mesh {
  SofaContext *ctx;
  double *x;
  uint32_t *v;
  size_t n_x, n;
  SofaElementKind kind;
} Mesh;

static SofaContext *new_context(int threads) {
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.threads = threads};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  return ctx;
}

/* Cubes of a lattice with n cells per axis, cut into 5 to 6 tetrahedra or left as they are (hexas),
 * or their lower faces (quads, triangles); the points are moved by up to `noise`. */
static const uint8_t cube_tetras[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                          {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
static const uint8_t whole[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
static const uint8_t face[1][4] = {{0, 1, 2, 3}}, halves[2][3] = {{0, 1, 2}, {0, 2, 3}};

static Mesh make_mesh(SofaContext *ctx, SofaElementKind kind, uint32_t n, double noise,
                      uint64_t seed) {
  const unsigned width = sofa_element_kind_info(kind)->width, m = n + 1;
  const size_t pieces = kind == SOFA_ELEMENT_TETRA ? 6 : kind == SOFA_ELEMENT_TRIANGLE ? 2 : 1;
  const uint8_t *pattern = kind == SOFA_ELEMENT_TETRA      ? cube_tetras[0]
                           : kind == SOFA_ELEMENT_HEXA     ? whole[0]
                           : kind == SOFA_ELEMENT_TRIANGLE ? halves[0]
                                                           : face[0];
  Random random = {seed};
  Mesh mesh = {.ctx = ctx, .n_x = (size_t)m * m * m, .kind = kind};
  mesh.x = sofa_alloc(ctx, 3 * mesh.n_x, sizeof *mesh.x);
  mesh.v = sofa_alloc(ctx, (size_t)n * n * n * pieces * width, sizeof *mesh.v);
  assert_true(mesh.x && mesh.v);
  for (size_t i = 0; i < mesh.n_x; i++) {
    const double at[3] = {(double)(i % m), (double)(i / m % m), (double)(i / m / m)};
    for (size_t c = 0; c < 3; c++) mesh.x[3 * i + c] = (at[c] + noise * random_real(&random)) / n;
  }
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t j = 0; j < n; j++)
      for (uint32_t i = 0; i < n; i++) {
        const uint32_t o = i + m * (j + m * k),
                       c[8] = {o,         o + 1,         o + 1 + m,         o + m,
                               o + m * m, o + 1 + m * m, o + 1 + m + m * m, o + m + m * m};
        for (size_t e = 0; e < pieces * width; e++) mesh.v[mesh.n * width + e] = c[pattern[e]];
        mesh.n += pieces;
      }
  return mesh;
}

static void free_mesh(Mesh *mesh) {
  sofa_free(mesh->ctx, mesh->x);
  sofa_free(mesh->ctx, mesh->v);
}

static SofaLocator locator_of(const Mesh *mesh) {
  SofaLocator l = {.ctx = mesh->ctx, .x = mesh->x, .n_x = mesh->n_x};
  size_t bad;
  const SofaElements list = {mesh->v, mesh->n, sofa_element_kind_info(mesh->kind)->width};
  sofa_locator_add(&l, mesh->kind, list);
  assert_int_equal(sofa_locator_prepare(&l, &bad), SOFA_OK);
  return l;
}

static const SofaElementKind kinds[4] = {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA,
                                         SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};

/* ---- weights ---- */

/* The weights sum to 1 and give back the point: everywhere in tetrahedra, in the plane of a
 * triangle, in parallelepipeds and parallelograms. */
static void weights_reproduce_linear_fields(void **state) {
  (void)state;
  SofaContext *ctx = new_context(1);
  Random random = {77};
  for (int k = 0; k < 4; k++) {
    const bool surface = k >= 2;
    // an affine image of the lattice keeps its cells parallelepipeds
    Mesh mesh = make_mesh(ctx, kinds[k], 3, 0, 5);
    double map[9];
    random_reals(&random, 9, map);
    for (int d = 0; d < 3; d++) map[4 * d] += 2;
    for (size_t i = 0; i < mesh.n_x; i++) {
      const double q[3] = {mesh.x[3 * i], mesh.x[3 * i + 1], mesh.x[3 * i + 2]};
      for (size_t c = 0; c < 3; c++)
        mesh.x[3 * i + c] = map[3 * c] * q[0] + map[3 * c + 1] * q[1] + map[3 * c + 2] * q[2] + 1;
    }
    SofaLocator l = locator_of(&mesh);
    for (int trial = 0; trial < 200; trial++) {
      double b[9], v[3], p[3], w[8], sum = 0, r[3] = {0, 0, 0};
      const size_t e = (size_t)trial % l.n;
      random_reals(&random, 3, v);
      if (surface) v[2] = 0;
      sofa_locator_base(&l, e, b);
      for (int c = 0; c < 3; c++)
        p[c] = l.element[e].origin[c] + b[3 * c] * v[0] + b[3 * c + 1] * v[1] + b[3 * c + 2] * v[2];
      SofaLocation at = {.element = SOFA_NOWHERE, .measure = DBL_MAX};
      sofa_locator_try(&l, e, p, false, &at);
      for (int c = 0; c < 3; c++) assert_true(fabs(at.v[c] - v[c]) < 1e-11);
      unsigned width;
      const uint32_t *vertex = sofa_locator_vertices(&l, e, &width);
      assert_int_equal(sofa_element_weights(kinds[k], at.v, w), width);
      for (unsigned j = 0; j < width; j++) {
        sum += w[j];
        for (int c = 0; c < 3; c++) r[c] += w[j] * mesh.x[3 * vertex[j] + (unsigned)c];
      }
      assert_true(fabs(sum - 1) < 1e-12);
      for (int c = 0; c < 3; c++) assert_true(fabs(r[c] - p[c]) < 1e-11);
    }
    sofa_locator_free(&l);
    free_mesh(&mesh);
  }
  sofa_context_destroy(&ctx);
}

/* The measure at chosen local coordinates, by hand. */
static void distances_are_those_of_the_definition(void **state) {
  (void)state;
  const double middle[3] = {0.25, 0.25, 0.25}, corner[3] = {0.5, 0.75, 0.005},
               off[3] = {0.25, 0.25, -0.02}, out[3] = {-0.5, 1.25, 0};
  assert_true(sofa_element_distance(SOFA_ELEMENT_TETRA, middle) == -0.25);
  assert_true(sofa_element_distance(SOFA_ELEMENT_TETRA, corner) == 0.5 + 0.75 + 0.005 - 1);
  assert_true(sofa_element_distance(SOFA_ELEMENT_HEXA, middle) == -0.25);
  assert_true(sofa_element_distance(SOFA_ELEMENT_HEXA, corner) == -0.005);
  assert_true(sofa_element_distance(SOFA_ELEMENT_HEXA, out) == 0.5);
  assert_true(sofa_element_distance(SOFA_ELEMENT_TRIANGLE, corner) == 0.25);
  assert_true(sofa_element_distance(SOFA_ELEMENT_TRIANGLE, off) == 0.02 - 0.01);
  assert_true(sofa_element_distance(SOFA_ELEMENT_QUAD, corner) == 0.005 - 0.01);
  assert_true(sofa_element_distance(SOFA_ELEMENT_QUAD, out) == 0.5);
}

/* ---- searches ---- */

static SofaLocation scan(const SofaLocator *l, const double p[3], double limit) {
  SofaLocation best = {.element = SOFA_NOWHERE, .measure = limit};
  for (size_t e = 0; e < l->n; e++) sofa_locator_try(l, e, p, false, &best);
  return best;
}

static void assert_same(const SofaLocation *a, const SofaLocation *b) {
  assert_true(a->element == b->element);
  assert_true(a->measure == b->measure);
  assert_memory_equal(a->v, b->v, sizeof a->v);
}

/* Points in and around the unit cube; every fourth one is a vertex or lies between two. */
static void random_points(const Mesh *mesh, Random *random, size_t n, double reach, double *p) {
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 3; c++) p[3 * i + c] = 0.5 + reach * random_real(random);
    if (i % 4) continue;
    const size_t a = i % mesh->n_x, b = i % 8 ? a : 7 * i % mesh->n_x;
    for (size_t c = 0; c < 3; c++) p[3 * i + c] = (mesh->x[3 * a + c] + mesh->x[3 * b + c]) / 2;
  }
}

enum { POINTS = 600 };

static void the_tree_finds_what_a_scan_finds(void **state) {
  (void)state;
  SofaContext *ctx = new_context(1);
  Random random = {31};
  double p[3 * POINTS];
  SofaLocation found[POINTS];
  for (int k = 0; k < 8; k++) {
    // noise 0: many ties; much noise: inverted elements
    Mesh mesh = make_mesh(ctx, kinds[k % 4], 5, k < 4 ? 0.6 : 0, 9);
    SofaLocator l = locator_of(&mesh);
    random_points(&mesh, &random, POINTS, k % 2 ? 3 : 0.6, p);
    assert_int_equal(sofa_locate_all(&l, POINTS, p, 3, found), SOFA_OK);
    for (size_t i = 0; i < POINTS; i++) {
      const SofaLocation expected = scan(&l, p + 3 * i, 1e10);
      assert_same(&found[i], &expected);
    }
    sofa_locator_free(&l);
    free_mesh(&mesh);
  }
  sofa_context_destroy(&ctx);
}

/* The rule of set containers, written down without any table: an element is in a cell when the
 * cell's indices lie between those of the corners of its bounding box. */
static bool in_cell(const SofaLocator *l, size_t e, double h, const double cell[3]) {
  unsigned n;
  const uint32_t *v = sofa_locator_vertices(l, e, &n);
  for (size_t c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (unsigned k = 0; k < n; k++) {
      low = fmin(low, l->x[3 * v[k] + c]);
      high = fmax(high, l->x[3 * v[k] + c]);
    }
    if (cell[c] < floor(low * (1 / h)) || cell[c] > floor(high * (1 / h))) return false;
  }
  return true;
}

static size_t try_cell(const SofaLocator *l, double h, const double cell[3], const double p[3],
                       SofaLocation *best) {
  size_t n = 0;
  for (size_t e = 0; e < l->n; e++) {
    if (!in_cell(l, e, h, cell)) continue;
    n++;
    sofa_locator_try(l, e, p, false, best);
  }
  return n;
}

static SofaLocation locate_by_rule(const SofaLocator *l, double h, const double p[3]) {
  SofaLocation best = {.element = SOFA_NOWHERE, .measure = DBL_MAX};
  double cell[3];
  for (int c = 0; c < 3; c++) cell[c] = floor(p[c] * (1 / h));
  if (!try_cell(l, h, cell, p, &best)) return scan(l, p, DBL_MAX);
  if (!(fabs(best.measure) > h / 2)) return best;
  for (int k = 0; k < 27; k++) {
    const double near[3] = {cell[0] + k / 9 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k % 3 - 1};
    try_cell(l, h, near, p, &best);
  }
  return best;
}

static void hashing_follows_its_rule(void **state) {
  (void)state;
  SofaContext *ctx = new_context(1);
  Random random = {1234};
  double p[3 * POINTS];
  SofaLocation found[POINTS];
  // cells of the size of an edge, larger, and so small that elements cover thousands
  const double sizes[3] = {0.25, 0.9, 0.02};
  for (int k = 0; k < 12; k++) {
    Mesh mesh = make_mesh(ctx, kinds[k % 4], 4, 0.3, 9);
    SofaLocator l = locator_of(&mesh);
    const double h = sizes[k / 4];
    random_points(&mesh, &random, POINTS, k % 2 ? 1.5 : 0.6, p);
    assert_int_equal(sofa_locate_hashed(&l, h, POINTS, p, 3, found), SOFA_OK);
    for (size_t i = 0; i < POINTS; i++) {
      const SofaLocation expected = locate_by_rule(&l, h, p + 3 * i);
      assert_same(&found[i], &expected);
    }
    sofa_locator_free(&l);
    free_mesh(&mesh);
  }
  sofa_context_destroy(&ctx);
}

static void ties_go_to_the_first_element(void **state) {
  (void)state;
  SofaContext *ctx = new_context(1);
  // two tetrahedra that share a face, mirror images; and one twice
  double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
  uint32_t v[16] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 3, 0, 2, 1, 4};
  Mesh mesh = {.ctx = ctx, .x = x, .v = v, .n_x = 5, .n = 4, .kind = SOFA_ELEMENT_TETRA};
  SofaLocator l = locator_of(&mesh);
  // on the common face; inside the second; outside, as far from both
  const double p[9] = {0.25, 0.25, 0, 0.2, 0.2, -0.2, 1, 1, 0};
  const size_t expected[3] = {0, 1, 0};
  SofaLocation found[3];
  assert_int_equal(sofa_locate_all(&l, 3, p, 3, found), SOFA_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(found[i].element, expected[i]);
  assert_int_equal(sofa_locate_hashed(&l, 1, 3, p, 3, found), SOFA_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(found[i].element, expected[i]);
  sofa_locator_free(&l);
  sofa_context_destroy(&ctx);
}

static void degenerate_elements_never_match(void **state) {
  (void)state;
  SofaContext *ctx = new_context(1);
  double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.5, 0};
  uint32_t v[8] = {0, 1, 2, 4, 0, 1, 2, 3};
  Mesh mesh = {.ctx = ctx, .x = x, .v = v, .n_x = 5, .n = 2, .kind = SOFA_ELEMENT_TETRA};
  const double p[3] = {0.3, 0.3, 0};
  SofaLocation found;
  SofaLocator l = locator_of(&mesh);
  assert_int_equal(sofa_locate_all(&l, 1, p, 3, &found), SOFA_OK);
  assert_int_equal(found.element, 1);
  sofa_locator_free(&l);
  // only degenerate ones: nowhere, and said so
  mesh.n = 1;
  l = locator_of(&mesh);
  SofaPointWeights w = {0};
  size_t lost;
  assert_int_equal(sofa_locate_all(&l, 1, p, 3, &found), SOFA_OK);
  assert_true(found.element == SOFA_NOWHERE);
  assert_int_equal(sofa_locate_hashed(&l, 1, 1, p, 3, &found), SOFA_OK);
  assert_true(found.element == SOFA_NOWHERE);
  assert_int_equal(sofa_point_weights_begin(ctx, &w, 5, 1), SOFA_OK);
  assert_int_equal(sofa_barycentric_elements(ctx, &l, 1, &found, &w, &lost), SOFA_ERR_GEOMETRY);
  sofa_point_weights_free(ctx, &w);
  sofa_locator_free(&l);
  sofa_context_destroy(&ctx);
}

static void threads_find_the_same(void **state) {
  (void)state;
  enum { N = 20000 };
  SofaLocation *found[4];
  SofaContext *ctx[2] = {new_context(1), new_context(4)};
  double *p = calloc(3 * N, sizeof *p);
  for (int k = 0; k < 2; k++) {
    Random random = {8};
    Mesh mesh = make_mesh(ctx[k], SOFA_ELEMENT_TETRA, 8, 0.2, 3);
    SofaLocator l = locator_of(&mesh);
    random_points(&mesh, &random, N, 0.7, p);
    for (int rule = 0; rule < 2; rule++) {
      SofaLocation *to = found[2 * rule + k] = calloc(N, sizeof *to);
      assert_int_equal(rule ? sofa_locate_hashed(&l, 0.15, N, p, 3, to)
                            : sofa_locate_all(&l, N, p, 3, to),
                       SOFA_OK);
    }
    sofa_locator_free(&l);
    free_mesh(&mesh);
    sofa_context_destroy(&ctx[k]);
  }
  for (int rule = 0; rule < 2; rule++)
    assert_memory_equal(found[2 * rule], found[2 * rule + 1], N * sizeof *found[0]);
  for (int k = 0; k < 4; k++) free(found[k]);
  free(p);
}

static void vertices_are_checked(void **state) {
  (void)state;
  SofaContext *ctx = new_context(1);
  const double x[9] = {0};
  const uint32_t v[6] = {0, 1, 2, 0, 1, 3};
  size_t bad;
  SofaLocator l = {.ctx = ctx, .x = x, .n_x = 3};
  sofa_locator_add(&l, SOFA_ELEMENT_TRIANGLE, (SofaElements){v, 2, 3});
  assert_int_equal(sofa_locator_prepare(&l, &bad), SOFA_ERR_RANGE);
  assert_int_equal(bad, 1);
  sofa_locator_free(&l);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_reproduce_linear_fields),
      cmocka_unit_test(distances_are_those_of_the_definition),
      cmocka_unit_test(the_tree_finds_what_a_scan_finds),
      cmocka_unit_test(hashing_follows_its_rule),
      cmocka_unit_test(ties_go_to_the_first_element),
      cmocka_unit_test(degenerate_elements_never_match),
      cmocka_unit_test(threads_find_the_same),
      cmocka_unit_test(vertices_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
