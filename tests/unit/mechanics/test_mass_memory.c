/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mass, initialised, made again and changed with its topology, when one request for memory
 * fails: a clean error, no crash, nothing lost. */
#include "tests/support/topology_edits.h"

#include <math.h>

#include "behavior/mass.h"
#include "object/plugin.h"

#define STATE "<MechanicalObject name='points'/>"
#define CARIBOU "<CaribouTopology name='solid' template='Tetrahedron' indices='0 1 2 3'/>"
#define HEXA_MASS(klass, attributes)                                                               \
  "<" klass "ForceFieldAndMass name='mass' youngModulus='1' poissonRatio='0.3' " attributes "/>"

static const struct {
  const char *body;
  Edit edits[MOST_EDITS];
} rows[] = {
    {TETRAS STATE "<UniformMass name='mass' totalMass='2'/>", {TETRA_GOES}},
    {TETRAS STATE "<UniformMass name='mass' totalMass='2' localRange='0 2'/>", {TETRA_GOES}},
    {TETRAS STATE "<DiagonalMass name='mass' massDensity='2'/>", {TETRA_GOES}},
    {TETRAS STATE "<DiagonalMass name='mass' massDensity='2'/>", {TETRA_COMES}},
    {TETRAS STATE "<DiagonalMass name='mass' vertexMass='2'/>", {TETRA_COMES}},
    {LINE "<MechanicalObject name='points' template='Rigid3d'/><DiagonalMass name='mass' "
          "vertexMass='1 1 1 0 0 0 1 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1 "
          "1 1 1 0 0 0 1 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1'/>",
     {EDGE_COMES}},
    {TETRAS STATE "<MeshMatrixMass name='mass' massDensity='2'/>", {TETRA_GOES}},
    {TETRAS STATE "<MeshMatrixMass name='mass' massDensity='2' computeMassOnRest='1'/>",
     {TETRA_COMES}},
    {TETRAS STATE "<MeshMatrixMass name='mass' lumping='1' computeMassOnRest='1'/>", {TETRA_GOES}},
    {CUBES STATE "<MeshMatrixMass name='mass' massDensity='2'/>", {CUBE_COMES}},
    {TETRAS STATE CARIBOU "<MeshMatrixMass name='mass' elements='@solid'/>", {{0}}},
    {TETRAS STATE CARIBOU "<MeshMatrixMass name='mass' elements='@solid' lumping='1'/>", {{0}}},
    {TETRAS STATE
     "<NodalMassDensity property='2'/><FEMMass name='mass' template='Vec3,Tetrahedron'/>",
     {TETRA_GOES}},
    {TETRAS STATE "<NodalMassDensity/><FEMMass name='mass' lumped='1' "
                  "template='Vec3,Tetrahedron'/>",
     {TETRA_COMES}},
    {TETRAS STATE "<CaribouMass name='mass' topology='@mesh' template='Tetrahedron'/>",
     {TETRA_GOES}},
    {CUBES STATE HEXA_MASS("HexahedronFEM", ""), {CUBE_GOES}},
    {CUBES STATE HEXA_MASS("HexahedralFEM", "lumpedMass='1'"), {CUBE_COMES}},
};

/* The energy of the changed mass, asked for before anything else, is that of its product. */
static SofaErr take_energy(SofaMass *mass) {
  enum { MOST = 200 };
  const SofaState *s = mass->force_field.state[0];
  const size_t n = sofa_state_size(s) * sofa_state_kind_info(s->object.kind)->deriv;
  double v[MOST], product[MOST] = {0}, expected = 0;
  assert_true(n <= MOST);
  for (size_t i = 0; i < n; i++) v[i] = sin(1.7 * (double)i);
  const double energy = sofa_mass_ops(mass)->kinetic_energy(mass, sofa_mass_x(mass), v);
  if (isnan(energy)) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), v, product, 0.5));
  for (size_t i = 0; i < n; i++) expected += v[i] * product[i];
  assert_true(fabs(energy - expected) < 1e-12);
  return SOFA_OK;
}

static SofaErr use(SofaSimulation *s, const Edit *edits) {
  SOFA_TRY(sofa_simulation_init(s));
  SofaObject *mass = sofa_resolve_path(s->root, "/body/mass", &(SofaPathRule){.strict = true});
  SOFA_TRY(mass ? sofa_object_run(mass, SOFA_RUN_REINIT) : SOFA_ERR_NOT_FOUND);
  if (edits->topology) SOFA_TRY(try_edits(s, edits));
  return take_energy((SofaMass *)mass);
}

/* Request n after loading fails and no other. *more: are there as many? */
static SofaErr run(size_t row, uint64_t n, bool *more) {
  FailingAllocator allocator = {.once = true};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  const SofaOrigin origin = {.emitter = "test"};
  SofaContext *ctx = NULL;
  SofaSimulation *s = NULL;
  char text[2000];
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node "
           "name='body'>%s</Node></Node>",
           rows[row].body);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_plugin_load(ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, text, &s), SOFA_OK);
  allocator.fail_at = allocator.calls + n;
  const SofaErr err = use(s, rows[row].edits);
  *more = allocator.calls >= allocator.fail_at;
  allocator.fail_at = 0;
  sofa_simulation_destroy(&s);
  sofa_context_destroy(&ctx);
  if (allocator.live)
    fail_msg("row %zu: %ld blocks lost at request %lu", row, (long)allocator.live,
             (unsigned long)n);
  return err;
}

static void every_failure_is_clean(void **state) {
  (void)state;
  for (size_t row = 0; row < SOFA_COUNT(rows); row++) {
    bool more = true;
    for (uint64_t n = 1; more; n++) {
      const SofaErr err = run(row, n, &more);
      if (more && err == SOFA_OK)
        fail_msg("row %zu: the failure of request %lu has no error", row, (unsigned long)n);
      if (!more) assert_int_equal(err, SOFA_OK);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
