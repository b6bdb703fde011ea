/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements of SofaCaribou: forces and stiffness of one hexahedron, loads, topologies,
 * errors.
 */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/draw_state.h"
#include "behavior/mass.h"
#include "numerics/fem/finite_element.h"

#define PLUGIN "<RequiredPlugin name='SofaCaribou'/>"
#define ROOT(content)                                                                              \
  "<Node name='root' gravity='0 0 0'>" PLUGIN                                                      \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>" content "</Node>"

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

/* ---- one hexahedron ---- */

#define CUBE(content)                                                                              \
  ROOT("<MechanicalObject name='state' position='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 "  \
       "1 1 1 -1 1 1'/>" content)
#define HEXA "<CaribouTopology template='Hexahedron' indices='0 1 2 3 4 5 6 7'/>"

/* x = A X of the corners of the cube, then corner 6 moved */
static void deformed_cube(const SofaState *state, double *x) {
  static const double a[9] = {1.1, 0.05, 0, 0, 0.9, 0.1, 0.2, 0, 1.05}, move[3] = {0.1, -0.2, 0.3};
  for (size_t n = 0; n < 8; n++) {
    const double *rest = state->rest_position.data + 3 * n;
    for (size_t i = 0; i < 3; i++)
      x[3 * n + i] = a[3 * i] * rest[0] + a[3 * i + 1] * rest[1] + a[3 * i + 2] * rest[2];
  }
  for (size_t i = 0; i < 3; i++) x[18 + i] += move[i];
}

static SofaErr force_at(SofaForceField *ff, const double *x, double *f) {
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  memset(f, 0, 3 * sofa_state_size(ff->state[0]) * sizeof *f);
  return ff_force(ff, &params, x, NULL, f);
}

static void product(SofaForceField *ff, const double *x, const double *dx, double *df) {
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  memset(df, 0, 3 * sofa_state_size(ff->state[0]) * sizeof *df);
  assert_int_equal(ff_dforce(ff, &params, x, dx, df), SOFA_OK);
}

typedef struct CubeCase {
  const char *scene;
  double energy, force[24], k_0_0, k_18_18, k_20_1, trace;
} CubeCase;

static const CubeCase saint_venant = {
    CUBE("<SaintVenantKirchhoffMaterial/>" HEXA "<HyperelasticForcefield name='ff'/>"),
    325.877704327,
    {316.000934829,  63.4294871795,  328.128338675,  -46.5400195869, 18.4953703704,  79.1967147436,
     -109.538817664, 24.5917913105,  38.1543803419,  325.102608618,  65.9873575499,  313.168402778,
     108.040642806,  -26.7316595442, 51.2293002137,  -281.077279202, -88.276798433,  -260.579594017,
     -415.846688034, -39.6915064103, -499.829059829, 103.858618234,  -17.8040420228, -49.468482906},
    700.547542735,
    796.901709402,
    -105.435363248,
    13989.957265};

static const CubeCase neo_hookean = {
    CUBE("<NeoHookeanMaterial/>" HEXA "<HyperelasticForcefield name='ff'/>"),
    242.673016539,
    {181.595399668,  2.39821019203,  192.911690192,  -15.7979147634, -31.4831031893,
     31.8252849356,  -53.5873420763, 81.6761031186,  -10.6390851148, 186.083585455,
     100.321954269,  150.265289852,  31.3191654289,  -89.8948577355, 63.4879349697,
     -160.637314743, -153.507423496, -116.209881942, -209.941081936, 50.7433396049,
     -277.883048653, 40.9655029663,  39.7457772366,  -33.7581842396},
    389.191893055,
    380.211415318,
    -72.573378376,
    11162.87588};

static void one_hexahedron(void **test_state) {
  const CubeCase *c = *test_state;
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  SceneRun run;
  scene_run_open(&run, c->scene, NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  double x[24], f[24], dx[24] = {0}, k[24][24], energy = 0, trace = 0;
  deformed_cube(ff->state[0], x);
  assert_int_equal(force_at(ff, x, f), SOFA_OK);
  for (int i = 0; i < 24; i++) is_near(f[i], c->force[i], 1e-11 * 500);
  for (int i = 0; i < 24; i++) {
    dx[i] = -1;
    product(ff, x, dx, k[i]);
    dx[i] = 0;
    trace += k[i][i];
  }
  is_near(k[0][0], c->k_0_0, 1e-8);
  is_near(k[18][18], c->k_18_18, 1e-8);
  is_near(k[1][20], c->k_20_1, 1e-8);
  is_near(k[20][1], c->k_20_1, 1e-8);
  is_near(trace, c->trace, 1e-5);
  assert_int_equal(ff_energy(ff, &params, x, &energy), SOFA_OK);
  is_near(energy, c->energy, 1e-8);
  scene_run_close(&run);
}

/* J <= 0 somewhere: the Neo-Hookean material says which element, Saint Venant-Kirchhoff goes on. */
static void inverted_hexahedron(void **test_state) {
  (void)test_state;
  const char *const scenes[2] = {saint_venant.scene, neo_hookean.scene};
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k], NULL);
    run.quiet = true;
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    double x[24], f[24];
    for (size_t i = 0; i < 24; i++)
      x[i] = ff->state[0]->rest_position.data[i] * (i % 3 == 0 ? -1 : 1);
    assert_int_equal(force_at(ff, x, f), k ? SOFA_ERR_GEOMETRY : SOFA_OK);
    if (k)
      assert_non_null(strstr(run.last, "element 0 is flat or inverted: its volume is -1 times"));
    scene_run_close(&run);
  }
}

/* ---- a beam ---- */

#define BEAM(material)                                                                             \
  ROOT("<RegularGridTopology name='grid' n='7 7 41' min='-5 -5 -30' max='5 5 30'/>"                \
       "<MechanicalObject name='state'/>" material                                                 \
       "<CaribouTopology name='hexas' template='Hexahedron' indices='@grid.hexahedra'/>"           \
       "<HyperelasticForcefield name='ff'/>")

static void stiffness_of_positions(void **test_state) {
  (void)test_state;
  SceneRun run;
  scene_run_open(
      &run, BEAM("<SaintVenantKirchhoffMaterial young_modulus='3000' poisson_ratio='0'/>"), NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  const size_t n = 3 * sofa_state_size(ff->state[0]);
  double *x = calloc(n, sizeof *x), *f = calloc(n, sizeof *f), *dx = calloc(n, sizeof *dx), *df[4];
  assert_true(x && f && dx);
  const double *rest = ff->state[0]->rest_position.data;
  for (size_t i = 0; i < n; i++) dx[i] = (double)(i * 7919 % 101) / 50 - 1;
  for (int k = 0; k < 4; k++) {
    df[k] = calloc(n, sizeof **df);
    assert_non_null(df[k]);
    const double scale = k == 2 ? 10 : 1;
    for (size_t i = 0; i < n; i++) x[i] = scale * rest[i];
    if (k) assert_int_equal(force_at(ff, x, f), SOFA_OK);
    product(ff, x, dx, df[k]);
  }
  // at the start, again, elsewhere, back
  assert_memory_equal(df[0], df[1], n * sizeof *x);
  assert_memory_equal(df[0], df[3], n * sizeof *x);
  assert_memory_not_equal(df[0], df[2], n * sizeof *x);
  for (int k = 0; k < 4; k++) free(df[k]);
  free(x);
  free(f);
  free(dx);
  scene_run_close(&run);
}

/* ---- tractions ---- */

#define PLATE(topology, attributes)                                                                \
  ROOT("<MechanicalObject name='state' position='-1 0 1  1 0 1  -1 0 -1  1 0 -1  0 0 1  0 0 -1  "  \
       "-1 0 0  1 0 0  0 0 0'/>" topology "<TractionForcefield name='load' " attributes "/>")
#define TRIANGLES                                                                                  \
  "<CaribouTopology template='Triangle' indices='7 5 8 8 2 6 4 6 0 1 8 4 7 3 5 8 5 2 4 8 6 1 7 "   \
  "8'/>"
#define QUADS "<CaribouTopology template='Quad' indices='8 7 3 5 6 8 5 2 0 4 8 6 4 1 7 8'/>"

static double real_field(SofaObject *object, const char *name) {
  return *(const double *)sofa_field_value(object, sofa_class_field(object->klass, name));
}

static void tractions(void **test_state) {
  const char *scene = *test_state;
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  SofaObject *load = scene_run_object(&run, "/load");
  for (int round = 0; round < 2; round++) {
    is_near(real_field(load, "total_load"), 0, 0);
    for (int k = 1; k <= 7; k++) {
      scene_run_steps(&run, 1);
      const double expected = 4.0 * (k < 5 ? k : 5);
      is_near(real_field(load, "total_load"), expected, 4 * 4e-16 * expected);
    }
    // back to the start
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  scene_run_close(&run);
}

static void waiting_tractions(void **test_state) {
  static const double expected[] = {12, 12, 20, 20};
  (void)test_state;
  SceneRun run;
  scene_run_open(&run,
                 PLATE(QUADS, "traction='0 5 0' slope='0.6' "
                              "number_of_steps_before_increment='2'"),
                 NULL);
  SofaObject *load = scene_run_object(&run, "/load");
  for (int k = 0; k < 4; k++) {
    scene_run_steps(&run, 1);
    is_near(real_field(load, "total_load"), expected[k], 1e-14);
    const SofaVec3s *forces = sofa_field_value(load, sofa_class_field(load->klass, "nodal_forces"));
    double sum = 0;
    for (size_t i = 0; i < forces->n; i++) sum += forces->data[i].v[1];
    is_near(sum, expected[k], 1e-14);
  }
  scene_run_close(&run);
}

/* All at once; a quarter of each quad for its corners. */
static void constant_traction(void **test_state) {
  (void)test_state;
  SceneRun run;
  scene_run_open(&run, PLATE(QUADS, "traction='0 5 1'"), NULL);
  SofaForceField *load = (SofaForceField *)scene_run_object(&run, "/load");
  double f[27];
  for (int round = 0; round < 2; round++) {
    assert_int_equal(force_at(load, load->state[0]->position.data, f), SOFA_OK);
    is_near(f[3 * 8 + 1], 5, 1e-14);
    is_near(f[3 * 8 + 2], 1, 1e-14);
    is_near(f[1], 1.25, 1e-14);
    is_near(f[3 * 4 + 1], 2.5, 1e-14);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  scene_run_close(&run);
}

/* ---- positions at rest ---- */

#define STARTS_DEFORMED(topology)                                                                  \
  ROOT("<MechanicalObject name='state' rest_position='0 0 0 1 0 0 0 1 0 0 0 1' "                   \
       "position='0 0 0 2 0 0 0 1 0 0 0 1'/><SaintVenantKirchhoffMaterial/>" topology              \
       "<HyperelasticForcefield name='ff'/>")

/* Containers are at rest at the rest positions; with quirks, where the scene starts. */
static void rest_of_containers(void **test_state) {
  (void)test_state;
  static const char *const scenes[2] = {
      STARTS_DEFORMED("<CaribouTopology template='Tetrahedron' indices='0 1 2 3'/>"),
      STARTS_DEFORMED("<TetrahedronSetTopologyContainer tetrahedra='0 1 2 3' position='0 0 0 1 0 0 "
                      "0 1 0 0 0 1'/>")};
  for (int k = 0; k < 4; k++) {
    const SofaContextOptions options = {.quirks = k % 2};
    SceneRun run;
    scene_run_open(&run, scenes[k / 2], &options);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    double f[12], size = 0;
    assert_int_equal(force_at(ff, ff->state[0]->position.data, f), SOFA_OK);
    for (int i = 0; i < 12; i++) size = fmax(size, fabs(f[i]));
    if (k == 3) is_near(size, 0, 1e-12);
    else assert_true(size > 100);
    scene_run_close(&run);
  }
}

/* ---- masses ---- */

#define MASSIVE(content)                                                                           \
  "<Node name='root' gravity='1 -9.81 2'>" PLUGIN                                                  \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>" content "</Node>"
#define MASS_BEAM(content)                                                                         \
  MASSIVE("<Node name='beam'>"                                                                     \
          "<RegularGridTopology name='grid' n='3 3 9' min='-7.5 -7.5 0' max='7.5 7.5 80'/>"        \
          "<MechanicalObject name='state'/>" content "</Node>")
#define MASS_HEXAS(attributes)                                                                     \
  MASS_BEAM("<CaribouTopology template='Hexahedron' indices='@grid.hexahedra'/>"                   \
            "<CaribouMass name='mass' density='2' " attributes "/>")
#define MASS_TETRAS(attributes)                                                                    \
  MASS_BEAM("<TetrahedronSetTopologyContainer name='tetras'/><TetrahedronSetTopologyModifier/>"    \
            "<Hexa2TetraTopologicalMapping input='@grid' output='@tetras' swapping='1'/>"          \
            "<CaribouMass name='mass' density='2' topology='@tetras' " attributes "/>")

/* r = M a */
static void mass_product(SofaMass *mass, const double *a, double *r) {
  memset(r, 0, 3 * sofa_state_size(mass->force_field.state[0]) * sizeof *r);
  assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), a, r, 1), SOFA_OK);
}

/* The sums of M, lumped or not, and the same weight of each point. */
static void masses(void **test_state) {
  static const char *const scenes[4] = {MASS_HEXAS(""), MASS_HEXAS("lumped='1'"), MASS_TETRAS(""),
                                        MASS_TETRAS("lumped='1'")};
  (void)test_state;
  for (int k = 0; k < 8; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k / 2], &(SofaContextOptions){.quirks = k % 2});
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/beam/mass");
    double ones[3 * 81], r[3 * 81], f[3 * 81], sum = 0, weight = 0;
    for (int i = 0; i < 3 * 81; i++) ones[i] = 1;
    mass_product(mass, ones, r);
    for (int i = 0; i < 3 * 81; i++) sum += r[i];
    is_near(sum, 108000, 1e-9 * 108000);
    is_near(sofa_mass_ops(mass)->total_mass(mass), 36000, 1e-9 * 36000);
    assert_int_equal(sofa_mass_ops(mass)->is_diagonal(mass), k / 2 % 2);
    assert_int_equal(force_at(&mass->force_field, ones, f), SOFA_OK);
    for (int i = 0; i < 81; i++) {
      is_near(f[3 * i + 1], -9.81 * r[3 * i], 1e-9 * 9.81 * r[3 * i]);
      weight += f[3 * i + 2];
    }
    is_near(weight, 2 * 36000, 1e-9 * 72000);
    scene_run_close(&run);
  }
}

/* Entries of one element: of a box, and of a tetrahedron with and without quirks. */
static void entries_of_masses(void **test_state) {
  static const char *const scenes[2] = {
      MASSIVE("<MechanicalObject position='0 0 0 7.5 0 0 7.5 7.5 0 0 7.5 0 0 0 10 7.5 0 10 7.5 7.5 "
              "10 0 7.5 10'/>" HEXA "<CaribouMass name='mass' density='2'/>"),
      MASSIVE(
          "<MechanicalObject position='0 0 0 6 0 0 0 1 0 0 0 1'/><CaribouTopology "
          "template='Tetrahedron' indices='0 1 2 3'/><CaribouMass name='mass' density='240'/>")};
  static const double expected[4][8] = {
      {41.6666666667, 20.8333333333, 10.4166666667, 20.8333333333, 20.8333333333, 10.4166666667,
       5.20833333333, 10.4166666667},
      {41.6666666667, 20.8333333333, 10.4166666667, 20.8333333333, 20.8333333333, 10.4166666667,
       5.20833333333, 10.4166666667},
      {24, 12, 12, 12},
      {15, 15, 15, 15}};
  (void)test_state;
  for (int k = 0; k < 4; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k / 2], &(SofaContextOptions){.quirks = k % 2});
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
    double a[24] = {1}, r[24];
    mass_product(mass, a, r);
    for (int i = 0; i < (k < 2 ? 8 : 4); i++) is_near(r[3 * i], expected[k][i], 1e-9);
    scene_run_close(&run);
  }
}

/* ---- errors ---- */

/* The scene must fail with a message that contains the words. */
static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (!strstr(run.last, words)) fail_msg("'%s' is not in: %s", words, run.last);
  assert_true(err != SOFA_OK || run.n_problems > 0);
  scene_run_close(&run);
}

#define SOLID(material, attributes)                                                                \
  CUBE(material HEXA "<HyperelasticForcefield name='ff' " attributes "/>")

static void wrong_materials(void **test_state) {
  (void)test_state;
  refused(SOLID("<SaintVenantKirchhoffMaterial poisson_ratio='0.5'/>", ""),
          "'poisson_ratio': 0.5, expected in (-1, 0.5)");
  refused(SOLID("<NeoHookeanMaterial young_modulus='-3'/>", ""),
          "'young_modulus': -3, expected > 0");
  refused(SOLID("", ""), "'material': must be given: this node has no material");
  refused(SOLID("<NeoHookeanMaterial name='a'/><NeoHookeanMaterial name='b'/>", ""),
          "'material': must be given: this node has more than one material, a and b");
}

#define MATERIAL "<SaintVenantKirchhoffMaterial/>"
#define FIELD "<HyperelasticForcefield name='ff' "

static void wrong_topologies(void **test_state) {
  (void)test_state;
  refused(CUBE(MATERIAL "<CaribouTopology template='Hexahedron' indices='0 1 2 3'/>"),
          "'indices': 4 numbers, expected 8 for each element of kind Hexahedron");
  refused(CUBE(MATERIAL "<CaribouTopology template='Tetrahedron' indices='0 1 2 8'/>"),
          "'indices': element 0 has node 8, expected less than 8, the number of positions");
  refused(CUBE("<CaribouTopology template='Triangle6_2D' indices='0 1 2 3 4 5'/>"),
          "the state is of kind Vec3d, not Vec2d");
  refused(CUBE("<CaribouTopology template='Tetrahedron10' indices='0 1 2 3'/>"),
          "'indices': 4 numbers, expected 10 for each element of kind Tetrahedron10");
  refused(CUBE("<CaribouTopology template='Blob' indices='0 1 2 3'/>"),
          "must name a kind of element, not \"Blob\"");
  refused(CUBE("<CaribouTopology indices='0 1 2 3'/>"), "must name a kind of element");
  refused(CUBE(MATERIAL HEXA FIELD "template='Hexahedron20'/>"),
          "this node has no CaribouTopology with elements of kind Hexahedron20");
  refused(CUBE(MATERIAL
               "<HexahedronSetTopologyContainer name='t' hexahedra='0 1 2 3 4 5 6 7'/>" FIELD
               "template='Hexahedron20' topology='@t'/>"),
          "'topology': t has no elements of kind Hexahedron20: a CaribouTopology");
  refused(CUBE(MATERIAL HEXA FIELD "template='Tetrahedron'/>"),
          "'topology': must be given: this node has no CaribouTopology or "
          "TetrahedronSetTopologyContainer with elements of kind Tetrahedron");
  refused(CUBE(MATERIAL HEXA HEXA FIELD "/>"), "more than one topology of kind Hexahedron");
  refused(CUBE(MATERIAL FIELD "/>"), "no topology of this node has elements of this kind");
  refused(CUBE(MATERIAL "<CaribouTopology name='t' template='Tetrahedron' indices='0 1 2 3'/>" FIELD
                        "template='Hexahedron' topology='@t'/>"),
          "'topology': t has elements of kind Tetrahedron, the template is Hexahedron");
  refused(CUBE(MATERIAL "<CaribouTopology template='Tetrahedron' indices='0 1 2 3'/>" FIELD "/>"),
          "element 0 is degenerate at rest");
  refused(CUBE(MATERIAL "<CaribouTopology template='Tetrahedron' position='0 0 0 1 0 0 0 1 0 0 0 1 "
                        "4 4 4 5 5 5 6 6 6 0 0 2 0 0 3' indices='0 1 2 8'/>" FIELD "/>"),
          "has node 8, but the state has 8 points");
}

static void wrong_masses(void **test_state) {
  (void)test_state;
  refused(CUBE(HEXA "<CaribouMass density='-1'/>"), "'density': -1, expected >= 0");
  refused(CUBE(HEXA "<CaribouMass template='Hexahedron20'/>"),
          "no CaribouTopology with elements of kind Hexahedron20");
}

static void wrong_loads(void **test_state) {
  (void)test_state;
  refused(PLATE(QUADS, "slope='-1'"), "'slope': -1, expected >= 0");
  refused(PLATE(QUADS, "slope='0.1' number_of_steps_before_increment='0'"),
          "'number_of_steps_before_increment': 0, expected >= 1");
  refused(PLATE("<CaribouTopology template='Triangle' indices='0 1 4'/>", "traction='0 1 0'"),
          "face 0 has no area at rest");
  refused(PLATE(QUADS, "template='Quad8'"), "no CaribouTopology with elements of kind Quad8");
  refused(PLATE(QUADS, "template='Quad8_2D'"), "the state is of kind Vec3d, not Vec2d");
  refused(PLATE(QUADS, "traction='0 5'"), "'traction': 2 numbers, expected 3");
}

/* ---- stress, drawing, templates ---- */

/* Uniaxial stretch of the cube: sigma = S of the stretch, by hand. */
static void stress_of_a_stretch(void **test_state) {
  (void)test_state;
  SceneRun run;
  scene_run_open(
      &run, SOLID("<SaintVenantKirchhoffMaterial young_modulus='1000' poisson_ratio='0.25'/>", ""),
      NULL);
  SofaObject *ff = scene_run_object(&run, "/ff");
  SofaState *state = scene_run_state(&run, "/state");
  const double stretch = 1.2, mu = 400, lambda = 400, e = 0.5 * (stretch * stretch - 1);
  const double along = stretch * (lambda + 2 * mu) * e, across = lambda * e / stretch;
  for (size_t i = 0; i < 8; i++) state->position.data[3 * i] *= stretch;
  static const char *const names[] = {"vonMisesPerElement", "vonMisesPerNode"};
  for (int k = 0; k < 2; k++) {
    const SofaField *field = sofa_class_field(ff->klass, names[k]);
    assert_int_equal(sofa_field_compute(ff, field), SOFA_OK);
    const SofaReals *list = sofa_field_value(ff, field);
    assert_int_equal(list->n, k ? 8 : 1);
    for (size_t i = 0; i < list->n; i++) is_near(list->data[i], along - across, 1e-10);
  }
  scene_run_close(&run);
}

static size_t n_drawn(SofaObject *object, SofaDrawList *list, SofaDisplayFlag flag) {
  const SofaDrawOps *ops = sofa_ops(object, SOFA_DRAW);
  const SofaBox box = {{-1, -1, -1}, {1, 1, 1}};
  SofaDisplayFlags flags = {{0}};
  const SofaDrawArgs args = {.list = list, .flags = &flags, .box = &box};
  assert_non_null(ops);
  sofa_draw_clear(list);
  ops->draw(object, &args);
  assert_int_equal(list->vertices[SOFA_LAYER_SCENE][SOFA_DRAW_TRIANGLES].n, 0);
  flags.value[flag] = 1;
  ops->draw(object, &args);
  assert_int_equal(list->failure, SOFA_OK);
  return list->vertices[SOFA_LAYER_SCENE][SOFA_DRAW_TRIANGLES].n / 3;
}

/* Six faces of two triangles; by their stress the elements have colours of their own. */
static void drawings(void **test_state) {
  (void)test_state;
  SceneRun run;
  scene_run_open(&run,
                 CUBE("<CaribouTopology name='t' template='Tetrahedron' "
                      "indices='0 1 3 4 6 5 2 7'/><SaintVenantKirchhoffMaterial/>"
                      "<HyperelasticForcefield name='ff'/>"
                      "<CaribouTopology name='top' template='Quad' indices='4 5 6 7'/>"
                      "<TractionForcefield name='load' template='Quad' topology='@top' "
                      "traction='0 0 5'/>"),
                 NULL);
  SofaDrawList list = {.ctx = run.ctx};
  SofaObject *ff = scene_run_object(&run, "/ff");
  const SofaDrawVertices *seen = &list.vertices[SOFA_LAYER_SCENE][SOFA_DRAW_TRIANGLES];
  assert_int_equal(n_drawn(ff, &list, SOFA_DISPLAY_FORCE_FIELDS), 8);
  assert_memory_equal(seen->data[0].rgba, seen->data[12].rgba, 4);
  SofaState *state = scene_run_state(&run, "/state");
  state->position.data[3 * 6] += 0.5;
  assert_int_equal(sofa_field_set_text(ff, "showVonMisesStressPerElement", "1", 0), SOFA_OK);
  assert_int_equal(n_drawn(ff, &list, SOFA_DISPLAY_FORCE_FIELDS), 8);
  assert_memory_equal(seen->data[0].rgba, seen->data[9].rgba, 4);
  assert_memory_not_equal(seen->data[0].rgba, seen->data[12].rgba, 4);
  assert_int_equal(n_drawn(scene_run_object(&run, "/t"), &list, SOFA_DISPLAY_BEHAVIOR_MODELS), 8);
  assert_true(n_drawn(scene_run_object(&run, "/load"), &list, SOFA_DISPLAY_FORCE_FIELDS) > 2);
  sofa_draw_free(&list);
  scene_run_close(&run);
}

/* Writes the nodes of the straight element of a template, and their numbers. */
static void one_element(const char *template_name, char *positions, char *indices) {
  static const char *const segments[2] = {"Segment", "Segment3"};
  const char *plane = strstr(template_name, "_2D");
  char name[40];
  snprintf(name, sizeof name, "%.*s",
           (int)(plane ? (size_t)(plane - template_name) : strlen(template_name)), template_name);
  SofaShape shape = sofa_shape_from_name(name);
  for (int k = 0; k < 2; k++)
    if (strcmp(template_name, segments[k]) == 0) shape = k ? SOFA_SHAPE_EDGE3 : SOFA_SHAPE_EDGE;
  assert_true(shape < SOFA_N_SHAPES);
  const SofaShapeInfo *info = sofa_shape_info(shape);
  for (unsigned n = 0; n < info->n_nodes; n++) {
    double x[3];
    sofa_shape_node(shape, n, x);
    // the reference coordinates of a pyramid are collapsed
    const double left = info->corners == SOFA_SHAPE_PYRAMID ? 0.5 * (1 - x[2]) : 1;
    positions += sprintf(positions, "%g %g ", left * x[0], left * x[1]);
    if (!plane) positions += sprintf(positions, "%g ", x[2]);
    indices += sprintf(indices, "%u ", n);
  }
}

/* Every template that a class lists is accepted. */
static void templates_are_accepted(void **test_state) {
  (void)test_state;
  static const char *const classes[][2] = {{"CaribouTopology", ""},
                                           {"HyperelasticForcefield", ""},
                                           {"CaribouMass", "density='1'"},
                                           {"TractionForcefield", ""}};
  for (size_t i = 0; i < SOFA_COUNT(classes); i++) {
    SceneRun probe;
    char text[4000], head[2000], tail[1000], positions[1000], indices[200];
    scene_run_open(&probe, CUBE(""), NULL);
    const SofaClass *klass = sofa_factory_find(probe.ctx, classes[i][0], NULL);
    assert_non_null(klass);
    for (const char *const *name = klass->templates; *name; name++) {
      one_element(*name, positions, indices);
      snprintf(head, sizeof head,
               "<MechanicalObject template='%s' position='%s'/><CaribouTopology name='%s' "
               "template='%s' indices='%s'/>",
               strstr(*name, "_2D") ? "Vec2d" : "Vec3d", positions, i ? "t" : "c", *name, indices);
      snprintf(tail, sizeof tail, "<SaintVenantKirchhoffMaterial/><%s name='c' template='%s' %s/>",
               klass->name, *name, classes[i][1]);
      snprintf(text, sizeof text, ROOT("%s%s"), head, i ? tail : "");
      SceneRun run;
      scene_run_open(&run, text, NULL);
      assert_string_equal(scene_run_object(&run, "/c")->template_name, *name);
      scene_run_close(&run);
    }
    scene_run_close(&probe);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      {"one_hexahedron, SaintVenantKirchhoff", one_hexahedron, NULL, NULL,
       (void *)(uintptr_t)&saint_venant},
      {"one_hexahedron, NeoHookean", one_hexahedron, NULL, NULL, (void *)(uintptr_t)&neo_hookean},
      cmocka_unit_test(inverted_hexahedron),
      cmocka_unit_test(stiffness_of_positions),
      {"tractions, triangles", tractions, NULL, NULL,
       (void *)(uintptr_t)PLATE(TRIANGLES, "traction='0 5 0' slope='0.200000'")},
      {"tractions, quads", tractions, NULL, NULL,
       (void *)(uintptr_t)PLATE(QUADS, "traction='0 5 0' slope='0.200000'")},
      cmocka_unit_test(waiting_tractions),
      cmocka_unit_test(constant_traction),
      cmocka_unit_test(rest_of_containers),
      cmocka_unit_test(wrong_materials),
      cmocka_unit_test(wrong_topologies),
      cmocka_unit_test(masses),
      cmocka_unit_test(entries_of_masses),
      cmocka_unit_test(wrong_masses),
      cmocka_unit_test(wrong_loads),
      cmocka_unit_test(stress_of_a_stretch),
      cmocka_unit_test(drawings),
      cmocka_unit_test(templates_are_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
