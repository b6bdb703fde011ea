/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solid elements of SofaCaribou on several threads: the bits of one thread, of meshes that are
 * large enough for threads, and of elements of all shapes whose number fills no register. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>

#define SCENE(template, indices, material)                                                         \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<RegularGridTopology name='grid' n='6 6 8' min='0 0 0' max='1 1 2'/>"                           \
  "<TetrahedronSetTopologyContainer name='t'/><TetrahedronSetTopologyModifier/>"                   \
  "<Hexa2TetraTopologicalMapping input='@grid' output='@t'/>"                                      \
  "<QuadraticMesh name='mesh' position='@grid.position' hexahedra='@grid.hexahedra' "              \
  "tetrahedra='@t.tetrahedra'/>"                                                                   \
  "<Node name='body'><MechanicalObject name='state' position='@../mesh.nodes'/>"                   \
  "<CaribouTopology name='solid' template='" template "' indices='@../" indices "'/>" material     \
                                                      "</Node></Node>"
#define NEO_HOOKEAN                                                                                \
  "<NeoHookeanMaterial young_modulus='300' poisson_ratio='0.4'/><HyperelasticForcefield "          \
  "name='ff'/>"
#define SAINT_VENANT                                                                               \
  "<SaintVenantKirchhoffMaterial young_modulus='300' poisson_ratio='0.4'/>"                        \
  "<HyperelasticForcefield name='ff'/>"
#define MEAN                                                                                       \
  "<NeoHookeanMaterial young_modulus='300' poisson_ratio='0.4'/>"                                  \
  "<HyperelasticForcefield name='ff' dilatation='mean'/>"

static const char *const scenes[] = {
    SCENE("Hexahedron", "grid.hexahedra", NEO_HOOKEAN),
    SCENE("Hexahedron", "grid.hexahedra", SAINT_VENANT),
    SCENE("Hexahedron", "grid.hexahedra", MEAN),
    SCENE("Tetrahedron", "t.tetrahedra", NEO_HOOKEAN),
    SCENE("Tetrahedron", "t.tetrahedra", SAINT_VENANT),
    SCENE("Hexahedron20", "mesh.hexahedra20", NEO_HOOKEAN),
    SCENE("Hexahedron20", "mesh.hexahedra20", SAINT_VENANT),
    SCENE("Tetrahedron10", "mesh.tetrahedra10", NEO_HOOKEAN),
    SCENE("Tetrahedron10", "mesh.tetrahedra10", SAINT_VENANT),
};

/* Force, and product with its derivative, at a deformed state. */
typedef struct Result {
  size_t n; /* reals of a vector */
  double *force, *product;
} Result;

static double *vector(size_t n) {
  double *v = calloc(n + 1, sizeof *v);
  assert_non_null(v);
  return v;
}

static Result compute(const char *scene, int threads) {
  const SofaContextOptions options = {.threads = threads};
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  SceneRun run = {.quiet = true};
  scene_run_open(&run, scene, &options);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/body/ff");
  const SofaState *state = ff->state[0];
  const size_t n = 3 * sofa_state_size(state);
  const Result r = {n, vector(n), vector(n)};
  double *x = vector(n), *dx = vector(n);
  for (size_t k = 0; k < n; k++) {
    const double other = state->position.data[k - k % 3 + (k + 1) % 3];
    x[k] = state->position.data[k] + 0.05 * sin(2 * other + (double)(k % 3));
    dx[k] = sin(1.7 * (double)k);
  }
  assert_int_equal(ff_force(ff, &params, x, NULL, r.force), SOFA_OK);
  assert_int_equal(ff_dforce(ff, &params, x, dx, r.product), SOFA_OK);
  free(x);
  free(dx);
  scene_run_close(&run);
  return r;
}

static void release(Result *r) {
  free(r->force);
  free(r->product);
}

static void same_bits(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    Result one = compute(scenes[k], 1);
    for (size_t i = 0; i < one.n; i++) assert_true(isfinite(one.force[i] + one.product[i]));
    for (int threads = 2; threads < 5; threads++) {
      Result several = compute(scenes[k], threads);
      assert_int_equal(one.n, several.n);
      assert_memory_equal(one.force, several.force, one.n * sizeof *one.force);
      assert_memory_equal(one.product, several.product, one.n * sizeof *one.product);
      release(&several);
    }
    release(&one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
