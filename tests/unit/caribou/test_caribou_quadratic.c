/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of second order in scenes: patch tests, masses and loads of one element, quadrature of
 * the plugin, errors of QuadraticMesh. */
#include "tests/support/force_at.h"
#include "tests/support/scene_memory.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>
#include "behavior/mass.h"
#include "numerics/check/check.h"
#include "object/numbers.h"
#include "topology/topology.h"

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

#define ROOT(content)                                                                              \
  "<Node name='root' gravity='0 0 -1'><RequiredPlugin name='SofaCaribou'/>"                        \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>" content "</Node>"

/* ---- patch tests ---- */

/* A cube of 3 x 3 x 3 points, the inner one moved, so that no element is a box; faces are fixed to
 * an affine motion, and the inside must follow it. */
#define PATCH(lists, name, field)                                                                  \
  ROOT("<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='2 2 2'/>"                      \
       "<QuadraticMesh name='mesh' position='%s' " lists "/>"                                      \
       "<StaticODESolver newton_iterations='20' residual_tolerance_threshold='1e-13' "             \
       "correction_tolerance_threshold='1e-14'/><LDLTSolver/>"                                     \
       "<MechanicalObject name='state' rest_position='@mesh.nodes' position='%s'/>"                \
       "<CaribouTopology name='solid' template='" name "' indices='@mesh." field "'/>"             \
       "<%sMaterial young_modulus='100' poisson_ratio='0.3'/>"                                     \
       "<HyperelasticForcefield name='ff' topology='@solid'/>"                                     \
       "<FixedProjectiveConstraint name='fixed' indices='%s'/>")

typedef struct PatchCase {
  const char *scene;
  size_t n_inside; /* nodes that are free */
} PatchCase;

#define HEXAS "hexahedra='@grid.hexahedra'"
/* a prism is half a hexahedron, a pyramid a sixth */
#define PRISMS                                                                                     \
  "prisms='0 1 4 9 10 13 0 4 3 9 13 12 1 2 5 10 11 14 1 5 4 10 14 13 3 4 7 12 13 16 3 7 6 12 16 "  \
  "15 4 5 8 13 14 17 4 8 7 13 17 16 9 10 13 18 19 22 9 13 12 18 22 21 10 11 14 19 20 23 10 14 13 " \
  "19 23 22 12 13 16 21 22 25 12 16 15 21 25 24 13 14 17 22 23 26 13 17 16 22 26 25'"
/* six pyramids with the bases of the cube's faces, over the middle */
#define PYRAMIDS                                                                                   \
  "pyramids='0 2 8 6 13 18 24 26 20 13 0 18 20 2 13 6 8 26 24 13 0 6 24 18 13 2 20 26 8 13'"
#define TETRAS                                                                                     \
  "tetrahedra='0 2 8 13 0 8 6 13 18 26 20 13 18 24 26 13 0 20 2 13 0 18 20 13 6 8 26 13 6 26 24 "  \
  "13 0 6 24 13 0 24 18 13 2 20 26 13 2 26 8 13'"

static const PatchCase patches[] = {
    {PATCH(HEXAS, "Hexahedron20", "hexahedra20"), 7},
    {PATCH(HEXAS " centers='1'", "Hexahedron27", "hexahedra27"), 27},
    {PATCH(PRISMS, "Prism15", "prisms15"), 11},
    {PATCH(PYRAMIDS, "Pyramid13", "pyramids13"), 9},
    {PATCH(TETRAS, "Tetrahedron10", "tetrahedra10"), 9},
};

/* x = A X + b */
static void affine(const double *from, double *to) {
  static const double a[9] = {1.1, 0.05, -0.02, 0.03, 0.95, 0.1, -0.04, 0.06, 1.2};
  for (int i = 0; i < 3; i++)
    to[i] = 0.3 * i + a[3 * i] * from[0] + a[3 * i + 1] * from[1] + a[3 * i + 2] * from[2];
}

static bool on_surface(const double *p) {
  for (int i = 0; i < 3; i++)
    if (fabs(p[i]) < 1e-9 || fabs(p[i] - 2) < 1e-9) return true;
  return false;
}

static void print(char **at, const double *p) {
  *at += sprintf(*at, "%.17g %.17g %.17g ", p[0], p[1], p[2]);
}

/* The points of the grid with a middle that is not in the middle. */
static void grid_points(char *text) {
  for (int i = 0; i < 27; i++) {
    double p[3] = {i % 3, i / 3 % 3, i / 9};
    if (i == 13) p[0] = 1.13, p[1] = 0.9, p[2] = 1.08;
    print(&text, p);
  }
}

/* Nodes of the mesh: those of the surface where the affine motion takes them, the others near
 * there; the numbers of those of the surface. Returns how many are free. */
static size_t places(const SofaVec3s *nodes, char *text, char *fixed) {
  size_t n = 0;
  for (size_t i = 0; i < nodes->n; i++) {
    double x[3];
    const double *p = nodes->data[i].v;
    affine(p, x);
    const bool held = on_surface(p);
    if (held) fixed += sprintf(fixed, "%zu ", i);
    else n++;
    for (int k = 0; k < 3; k++) x[k] += held ? 0 : 0.03 * sin(3.0 * (double)i + k);
    print(&text, x);
  }
  return n;
}

static bool is_node_of(const SofaIndices *list, uint32_t i) {
  for (size_t k = 0; k < list->n; k++)
    if (list->data[k] == i) return true;
  return false;
}

static void patch(const PatchCase *c, const char *material) {
  static char points[3000], moved[40000], fixed[4000], scene[60000];
  SceneRun run;
  grid_points(points);
  // the nodes first, to find those of the surface
  snprintf(scene, sizeof scene, c->scene, points, "", material, "");
  run.quiet = true;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  SofaObject *mesh = scene_run_object(&run, "/mesh");
  const SofaVec3s *nodes = sofa_field_value(mesh, sofa_class_field(mesh->klass, "nodes"));
  const size_t n_free = places(nodes, moved, fixed);
  scene_run_close(&run);

  snprintf(scene, sizeof scene, c->scene, points, moved, material, fixed);
  run = (SceneRun){.quiet = false};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  scene_run_steps(&run, 1);
  const SofaState *state = scene_run_state(&run, "/state");
  SofaObject *solid = scene_run_object(&run, "/solid");
  const SofaIndices *list = sofa_field_value(solid, sofa_class_field(solid->klass, "indices"));
  size_t n_inside = 0;
  for (uint32_t i = 0; i < state->position.n; i++) {
    double x[3];
    if (!is_node_of(list, i)) continue;
    n_inside += !on_surface(state->rest_position.data + 3 * i);
    affine(state->rest_position.data + 3 * i, x);
    for (int k = 0; k < 3; k++) is_near(state->position.data[3 * i + (uint32_t)k], x[k], 1e-12);
  }
  assert_int_equal(n_inside, c->n_inside);
  assert_true(n_free >= n_inside);
  scene_run_close(&run);
}

static void patch_tests(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(patches); i++) {
    patch(&patches[i], "SaintVenantKirchhoff");
    patch(&patches[i], "NeoHookean");
  }
}

/* ---- one element ---- */

/* The cube [0, 2]^3 or a corner of it as one element, with a mass or a load. */
#define ONE(list, name, field, content)                                                            \
  ROOT("<QuadraticMesh name='mesh' position='0 0 0 2 0 0 2 2 0 0 2 0 0 0 2 2 0 2 2 2 2 0 2 "       \
       "2' " list "/><MechanicalObject name='state' position='@mesh.nodes'/>"                      \
       "<CaribouTopology name='t' template='" name "' indices='@mesh." field "'/>" content)
#define MASS "<CaribouMass name='c' density='3' lumped='%d'/>"
#define CUBE20 ONE("hexahedra='0 1 2 3 4 5 6 7'", "Hexahedron20", "hexahedra20", MASS)
#define TETRA10 ONE("tetrahedra='0 1 3 4'", "Tetrahedron10", "tetrahedra10", MASS)

/* Weights of points: of gravity, from the integrals of the shape functions; of the lumped mass,
 * from its diagonal (Hinton, Rock, Zienkiewicz 1976). */
static void masses(void **test_state) {
  static const struct {
    const char *scene;
    size_t corners, nodes;
    double volume, weight[2], share[2]; /* corner, edge */
  } cases[] = {{CUBE20, 8, 20, 8, {-1. / 8, 1. / 6}, {0, 0}},
               {TETRA10, 4, 10, 8. / 6, {-1. / 20, 1. / 5}, {1. / 36, 4. / 27}}};
  (void)test_state;
  for (size_t i = 0; i < 2; i++)
    for (int lumped = 0; lumped < 2; lumped++) {
      char scene[2000];
      double f[60] = {0}, a[60], r[60] = {0}, sum = 0;
      SceneRun run;
      snprintf(scene, sizeof scene, cases[i].scene, lumped);
      run.quiet = true;
      scene_run_context(&run, NULL);
      assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      SofaMass *mass = (SofaMass *)scene_run_object(&run, "/c");
      const SofaIndices *list =
          sofa_field_value(scene_run_object(&run, "/t"),
                           sofa_class_field(scene_run_object(&run, "/t")->klass, "indices"));
      const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
      const double all = 3 * cases[i].volume;
      is_near(sofa_mass_ops(mass)->total_mass(mass), all, 1e-12 * all);
      const size_t n = sofa_state_size(mass->force_field.state[0]);
      assert_in_range(n, 1, 20);
      assert_int_equal(
          ff_force(&mass->force_field, &params, mass->force_field.state[0]->position.data, NULL, f),
          SOFA_OK);
      for (size_t k = 0; k < cases[i].nodes; k++)
        is_near(f[3 * list->data[k] + 2], -all * cases[i].weight[k >= cases[i].corners], 1e-12);
      for (size_t k = 0; k < 60; k++) a[k] = 1;
      assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), a, r, 1), SOFA_OK);
      for (size_t k = 0; k < n; k++) sum += r[3 * k];
      is_near(sum, all, 1e-12 * all);
      for (size_t k = 0; lumped && k < n; k++) assert_true(r[3 * k] >= 0);
      if (lumped && i == 1)
        for (size_t k = 0; k < 10; k++)
          is_near(r[3 * list->data[k]], all * cases[i].share[k >= 4], 1e-12);
      scene_run_close(&run);
    }
}

#define LOADED(list, name, field)                                                                  \
  ONE(list, name, field, "<TractionForcefield name='c' traction='0 0 6'/>")

/* Shares of a load on a square of 4 m^2, a triangle of 2 m^2: corners, edges, middle. */
static void tractions(void **test_state) {
  static const struct {
    const char *scene;
    size_t corners, nodes;
    double area, share[3];
  } cases[] = {{LOADED("quads='0 1 2 3'", "Quad8", "quads8"), 4, 8, 4, {-1. / 12, 1. / 3, 0}},
               {LOADED("quads='0 1 2 3' centers='1'", "Quad9", "quads9"),
                4,
                9,
                4,
                {1. / 36, 1. / 9, 4. / 9}},
               {LOADED("triangles='0 1 3'", "Triangle6", "triangles6"), 3, 6, 2, {0, 1. / 3, 0}}};
  (void)test_state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    SceneRun run;
    scene_run_open(&run, cases[i].scene, NULL);
    SofaForceField *load = (SofaForceField *)scene_run_object(&run, "/c");
    SofaObject *t = scene_run_object(&run, "/t");
    const SofaIndices *list = sofa_field_value(t, sofa_class_field(t->klass, "indices"));
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
    double f[60] = {0};
    assert_int_equal(ff_force(load, &params, load->state[0]->position.data, NULL, f), SOFA_OK);
    for (size_t k = 0; k < cases[i].nodes; k++) {
      const int part = k < cases[i].corners ? 0 : k < 2 * cases[i].corners ? 1 : 2;
      is_near(f[3 * list->data[k] + 2], 6 * cases[i].area * cases[i].share[part], 1e-12);
    }
    scene_run_close(&run);
  }
}

/* The pressure on a closed surface has no resultant, and on one face that of its area. */
static void pressures(void **test_state) {
  static const char *const lists[2] = {"quads='0 1 2 3' centers='1'",
                                       "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'"};
  (void)test_state;
  for (int closed = 0; closed < 2; closed++) {
    char scene[2000];
    SceneRun run;
    snprintf(scene, sizeof scene,
             ONE("%s", "Quad%d", "quads%d", "<TractionForcefield name='c' pressure='6'/>"),
             lists[closed], closed ? 8 : 9, closed ? 8 : 9);
    scene_run_open(&run, scene, NULL);
    SofaForceField *load = (SofaForceField *)scene_run_object(&run, "/c");
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
    double f[90] = {0}, sum[3] = {0};
    assert_int_equal(ff_force(load, &params, load->state[0]->position.data, NULL, f), SOFA_OK);
    for (size_t k = 0; k < 90; k++) sum[k % 3] += f[k];
    is_near(sum[0], 0, 1e-12);
    is_near(sum[1], 0, 1e-12);
    is_near(sum[2], closed ? 0 : -24, 1e-12);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    assert_int_equal(ff_force(load, &params, load->state[0]->position.data, NULL, f), SOFA_OK);
    for (size_t k = 0; k < 90; k++) sum[k % 3] -= f[k] / 2;
    for (int k = 0; k < 3; k++) is_near(sum[k], 0, 1e-12);
    scene_run_close(&run);
  }
}

/* ---- files ---- */

/* Elements that VTKExporter writes are those that MeshVTKLoader reads. */
static void exported_elements(void **test_state) {
  static const char *const kinds[][3] = {
      {"Hexahedron20", "hexahedra20", "hexahedra='0 1 2 3 4 5 6 7'"},
      {"Hexahedron27", "hexahedra27", "hexahedra='0 1 2 3 4 5 6 7' centers='1'"},
      {"Tetrahedron10", "tetrahedra10", "tetrahedra='0 1 3 4 2 3 1 6'"},
      {"Prism15", "prisms15", "prisms='0 1 2 4 5 6'"},
      {"Pyramid13", "pyramids13", "pyramids='0 1 2 3 6'"},
      {"Triangle6", "triangles6", "triangles='0 1 2'"},
      {"Quad8", "quads8", "quads='0 1 2 3'"},
      {"Quad9", "quads9", "quads='0 1 2 3' centers='1'"},
      {"Segment3", "edges3", "edges='0 1'"}};
  char folder[] = "/tmp/quadratic_XXXXXX", scene[3000], path[200];
  (void)test_state;
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < 2 * SOFA_COUNT(kinds); i++) {
    const char *const *kind = kinds[i / 2], *extension = i % 2 ? "vtk" : "vtu";
    SceneRun run;
    snprintf(path, sizeof path, "%s/mesh.%s", folder, extension);
    snprintf(scene, sizeof scene,
             ONE("%s", "%s", "%s",
                 "<VTKExporter filename='%s/mesh' elements='@t' edges='0' overwrite='1' "
                 "XMLformat='%d' exportAtBegin='1'/>"),
             kind[2], kind[0], kind[1], folder, i % 2 == 0);
    scene_run_open(&run, scene, NULL);
    SofaObject *made = scene_run_object(&run, "/mesh");
    const SofaIndices *expected = sofa_field_value(made, sofa_class_field(made->klass, kind[1]));
    SceneRun other;
    snprintf(scene, sizeof scene,
             "<Node><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<MeshVTKLoader name='l' filename='%s'/></Node>",
             path);
    scene_run_open(&other, scene, NULL);
    SofaObject *loader = scene_run_object(&other, "/l");
    const SofaIndices *found = sofa_field_value(loader, sofa_class_field(loader->klass, kind[1]));
    assert_int_equal(found->n, expected->n);
    assert_true(expected->n > 0);
    assert_memory_equal(found->data, expected->data, found->n * sizeof *found->data);
    scene_run_close(&other);
    scene_run_close(&run);
    assert_int_equal(unlink(path), 0);
  }
  snprintf(path, sizeof path, "%s/mesh.pvd", folder);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
}

/* --check-mesh knows elements of second order: in order, and with two corners exchanged. */
static void checked_meshes(void **test_state) {
  (void)test_state;
  for (int wrong = 0; wrong < 2; wrong++) {
    char scene[3000];
    SceneRun run;
    SofaCheckReport report = {.check = NULL};
    size_t n_wrong = 0, n_ok = 0;
    snprintf(scene, sizeof scene,
             ONE("hexahedra='%s 2 3 4 5 6 7'", "Hexahedron20", "hexahedra20", ""),
             wrong ? "1 0" : "0 1");
    scene_run_open(&run, scene, NULL);
    report.ctx = run.ctx;
    assert_int_equal(sofa_check_mesh(run.simulation, &report), SOFA_OK);
    for (size_t i = 0; i < report.findings.n; i++) {
      n_wrong += report.findings.data[i].verdict == SOFA_CHECK_WRONG;
      n_ok += report.findings.data[i].verdict == SOFA_CHECK_OK;
    }
    assert_int_equal(n_wrong, wrong);
    assert_int_equal(n_ok, !wrong);
    sofa_check_report_free(&report);
    scene_run_close(&run);
  }
}

/* ---- quadrature of the plugin, errors ---- */

#define SOLID20                                                                                    \
  ONE("hexahedra='0 1 2 3 4 5 6 7'", "Hexahedron20", "hexahedra20",                                \
      "<SaintVenantKirchhoffMaterial/><HyperelasticForcefield name='ff'/>")

/* A motion that the 8 points of the plugin do not see, and the 27 do: u = (x (y^2 - z^2), ...) of
 * the cube's centre, zero strain at all points x, y, z = +-1/sqrt 3. */
static void reduced(void **test_state) {
  (void)test_state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    scene_run_open(&run, SOLID20, &(SofaContextOptions){.quirks = quirks});
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
    double u[60], df[60] = {0}, size = 0;
    for (size_t i = 0; i < 20; i++) {
      const double *x = ff->state[0]->position.data + 3 * i;
      const double p[3] = {x[0] - 1, x[1] - 1, x[2] - 1};
      u[3 * i] = p[0] * (p[1] * p[1] - p[2] * p[2]);
      u[3 * i + 1] = p[1] * (p[2] * p[2] - p[0] * p[0]);
      u[3 * i + 2] = p[2] * (p[0] * p[0] - p[1] * p[1]);
    }
    assert_int_equal(ff_dforce(ff, &params, ff->state[0]->position.data, u, df), SOFA_OK);
    for (size_t k = 0; k < 60; k++) size = fmax(size, fabs(df[k]));
    if (quirks) is_near(size, 0, 1e-10);
    else assert_true(size > 1);
    scene_run_close(&run);
  }
}

/* The message of a scene that is refused. */
static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("'%s' is not in: %s", words, run.last);
  scene_run_close(&run);
}

static void wrong_dilatations(void **test_state) {
  (void)test_state;
  refused(ONE("hexahedra='0 1 2 3 4 5 6 7'", "Hexahedron20", "hexahedra20",
              "<SaintVenantKirchhoffMaterial/><HyperelasticForcefield dilatation='mean'/>"),
          "'dilatation': 'mean' needs a material whose energy has a part of the volume alone; "
          "SaintVenantKirchhoffMaterial has none");
  refused(ONE("hexahedra='0 1 2 3 4 5 6 7'", "Hexahedron20", "hexahedra20",
              "<NeoHookeanMaterial/><HyperelasticForcefield dilatation='linear'/>"),
          "'linear' is stable in elements of kind Hexahedron27 only, these are Hexahedron20");
}

/* Corners of a block and of a quarter of a tube; angles that are multiples of 90 are exact. */
static void mapped_blocks(void **test_state) {
  static const char *const corners[3] = {
      "corners='0 0 0 4 0 0 4 2 0 0 2 0 0 0 1 4 0 1 6 2 1 0 2 1'",
      "coordinates='cylindrical' corners='1 0 0 2 0 0 2 90 0 1 90 0 1 0 3 2 0 3 2 90 3 1 90 3'",
      "coordinates='spherical' corners='1 0 0 2 0 0 2 90 0 1 90 0 1 0 90 2 0 90 2 90 90 1 90 90'"};
  static const double last[3][3] = {{6, 2, 1}, {0, 2, 3}, {0, 0, 2}};
  static const double middle[3][3] = {{2.25, 1, 0.5},
                                      {1.0606601717798212, 1.0606601717798212, 1.5},
                                      {0.75, 0.75, 1.0606601717798212}};
  (void)test_state;
  for (int k = 0; k < 3; k++) {
    char scene[2000];
    SceneRun run;
    snprintf(scene, sizeof scene,
             ROOT("<RegularGridTopology name='grid' n='3 3 3' min='-1 0 0' max='1 4 2'/>"
                  "<BlockMap name='map' position='@grid.position' %s/>"),
             corners[k]);
    scene_run_open(&run, scene, NULL);
    SofaObject *map = scene_run_object(&run, "/map");
    const SofaVec3s *points = sofa_field_value(map, sofa_class_field(map->klass, "points"));
    assert_int_equal(points->n, 27);
    for (int i = 0; i < 3; i++) {
      assert_true(points->data[26].v[i] == last[k][i]);
      is_near(points->data[13].v[i], middle[k][i], 1e-15);
    }
    scene_run_close(&run);
  }
  refused(ROOT("<BlockMap position='0 0 0 1 1 1' corners='0 0 0'/>"),
          "'corners': 1 points, expected 8");
}

/* Cook's membrane in plane strain, nu = 0.4999, under a load so small that strains are linear. */
#define COOK(second, name, list, face, faces, dilatation)                                          \
  ROOT("<RegularGridTopology name='grid' n='%d %d 2' min='0 0 0' max='1 1 1'/>"                    \
       "<BoxROI name='side' box='0.999 -1 -1 1.1 2 2' position='@grid.position' "                  \
       "quad='@grid.quads' drawBoxes='0'/>" second "<BlockMap name='map' corners='0 0 0 48 44 0 "  \
       "48 60 0 0 44 0 0 0 1 48 44 1 48 60 1 0 44 1' position='@%s'/>"                             \
       "<StaticODESolver newton_iterations='5' residual_tolerance_threshold='1e-4'/><LDLTSolver/>" \
       "<MechanicalObject name='state' position='@map.points'/>"                                   \
       "<CaribouTopology name='solid' template='" name "' indices='" list "'/>"                    \
       "<NeoHookeanMaterial young_modulus='250' poisson_ratio='0.4999'/>"                          \
       "<HyperelasticForcefield topology='@solid' dilatation='" dilatation "'/>"                   \
       "<BoxROI name='wall' box='-0.1 -1 -1 0.1 100 2' drawBoxes='0'/>"                            \
       "<FixedProjectiveConstraint indices='@wall.indices'/>"                                      \
       "<PartialFixedProjectiveConstraint fixAll='1' fixedDirections='0 0 1'/>"                    \
       "<CaribouTopology name='end' template='" face "' indices='" faces "'/>"                     \
       "<TractionForcefield topology='@end' traction='0 6.25e-4 0'/>")
#define COOK_FIRST(dilatation)                                                                     \
  COOK("", "Hexahedron", "@grid.hexahedra", "Quad", "@side.quadInROI", dilatation)
#define COOK_SECOND(dilatation)                                                                    \
  COOK("<QuadraticMesh name='mesh' centers='1' position='@grid.position' "                         \
       "hexahedra='@grid.hexahedra' quads='@side.quadInROI'/>",                                    \
       "Hexahedron27", "@mesh.hexahedra27", "Quad9", "@mesh.quads9", dilatation)

/* The move of the upper corner per 100 N. */
static double cook(const char *format, const char *points, int n) {
  char scene[4000];
  SceneRun run;
  snprintf(scene, sizeof scene, format, n + 1, n + 1, points);
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  const SofaState *state = scene_run_state(&run, "/state");
  const double moved = state->position.data[3 * ((n + 1) * (n + 1) - 1) + 1] - 60;
  scene_run_close(&run);
  return 1e4 * moved;
}

/* Two pairs of displacement and pressure, and F-bar, agree within two percent; the plain hexahedra
 * lock. */
static void cooks_membrane(void **test_state) {
  (void)test_state;
  const double second = cook(COOK_SECOND("linear"), "mesh.nodes", 16);
  const double first = cook(COOK_FIRST("mean"), "grid.position", 32);
  const double bar = cook(COOK_FIRST("bar"), "grid.position", 32);
  const double locked = cook(COOK_FIRST("full"), "grid.position", 32);
  is_near(first, second, 0.02 * second);
  is_near(bar, second, 0.02 * second);
  assert_true(locked < 0.5 * second);
}

/* Each request for memory may fail: a clean error. */
static void lack_of_memory(void **test_state) {
  (void)test_state;
  scene_runs_without_memory(
      "elements of second order",
      ROOT("<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/>"
           "<QuadraticMesh name='mesh' centers='1' position='@grid.position' "
           "hexahedra='@grid.hexahedra' quads='4 5 7 6'/>"
           "<BlockMap name='map' position='@mesh.nodes'/>"
           "<StaticODESolver newton_iterations='2'/><LDLTSolver/>"
           "<MechanicalObject name='state' position='@map.points'/>"
           "<CaribouTopology name='solid' template='Hexahedron27' indices='@mesh.hexahedra27'/>"
           "<NeoHookeanMaterial/><HyperelasticForcefield topology='@solid' dilatation='linear'/>"
           "<CaribouMass topology='@solid'/><FixedProjectiveConstraint indices='0 1 2 3'/>"
           "<CaribouTopology name='end' template='Quad9' indices='@mesh.quads9'/>"
           "<TractionForcefield topology='@end' pressure='1'/>"),
      1, 40);
}

/* ---- mapped points ---- */

/* A motion that elements of second order with straight edges can have. */
static void quadratic(const double *x, double *y) {
  y[0] = x[0] + 0.1 * x[0] * x[1] - 0.05 * x[2] * x[2];
  y[1] = 1.2 * x[1] + 0.07 * x[0] * x[0] - 0.02 * x[1] * x[2];
  y[2] = x[2] - 0.3 * x[0] + 0.04 * x[1] * x[1];
}

#define MAPPED(lists, name, field, points)                                                         \
  ROOT("<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='2 1.5 1'/>"                    \
       "<TetrahedronSetTopologyContainer name='tetras'/><TetrahedronSetTopologyModifier/>"         \
       "<Hexa2TetraTopologicalMapping input='@grid' output='@tetras'/>"                            \
       "<QuadraticMesh name='mesh' position='@grid.position' " lists "/>"                          \
       "<Node name='body'><MechanicalObject name='state' position='@../mesh.nodes'/>"              \
       "<CaribouTopology name='solid' template='" name "' indices='@../mesh." field "'/>"          \
       "<Node name='points'><MechanicalObject name='points' position='" points "'/>"               \
       "<CaribouBarycentricMapping/></Node></Node>")
#define PLACES "0.3 0.2 0.1  2 1.5 1  1 0.7 0.4  0 0 0  1.999 1.499 0.001  1 0.75 0.5"

/* Points follow the motion of the solid at their own place, also on faces, edges and corners. */
static void mapped_points(void **test_state) {
  static const char *const scenes[] = {
      MAPPED("hexahedra='@grid.hexahedra'", "Hexahedron20", "hexahedra20", PLACES),
      MAPPED("centers='1' hexahedra='@grid.hexahedra'", "Hexahedron27", "hexahedra27", PLACES),
      MAPPED("tetrahedra='@tetras.tetrahedra'", "Tetrahedron10", "tetrahedra10", PLACES)};
  (void)test_state;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    SceneRun run;
    scene_run_open(&run, scenes[k], NULL);
    SofaState *state = scene_run_state(&run, "/body/state");
    const SofaState *points = scene_run_state(&run, "/body/points/points");
    double rest[18];
    memcpy(rest, points->position.data, sizeof rest);
    for (size_t i = 0; i < state->position.n; i++) {
      double y[3];
      quadratic(state->position.data + 3 * i, y);
      memcpy(state->position.data + 3 * i, y, sizeof y);
    }
    scene_run_steps(&run, 1);
    for (size_t i = 0; i < 6; i++) {
      double y[3];
      quadratic(rest + 3 * i, y);
      for (size_t c = 0; c < 3; c++) is_near(points->position.data[3 * i + c], y[c], 1e-11);
    }
    scene_run_close(&run);
  }
  refused(MAPPED("hexahedra='@grid.hexahedra'", "Hexahedron20", "hexahedra20", "0 0 0  3 0 0"),
          "1 points of the output 'points' are in no element of the input at rest, the first of "
          "them is 1");
}

static void wrong_meshes(void **test_state) {
  (void)test_state;
  refused(ROOT("<QuadraticMesh position='0 0 0 1 0 0 0 1 0' tetrahedra='0 1 2 3'/>"),
          "'tetrahedra': element 0 has point 3, expected less than 3");
}

/* ---- energies with a projected dilatation ---- */

static double sum_of(SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  double sum = 0, value;
  assert_int_equal(sofa_field_refresh(object, field), SOFA_OK);
  for (size_t i = 0; sofa_field_number(object, field, i, &value); i++) sum += value;
  return sum;
}

/* The energies of the elements add up to that of the field, which differs from the full one. */
static void projected_energies(void **state) {
  (void)state;
  static const char *const kinds[] = {"full", "mean"};
  double energy[2], kinetic;
  for (int k = 0; k < 2; k++) {
    char text[2000];
    SceneRun run = {0};
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"
             "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='2 2 2'/>"
             "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='state'/>"
             "<UniformMass totalMass='1'/>"
             "<NeoHookeanMaterial young_modulus='900' poisson_ratio='0.49'/>"
             "<CaribouTopology template='Hexahedron' indices='@grid.hexahedra'/>"
             "<HyperelasticForcefield name='ff' dilatation='%s'/></Node>",
             kinds[k]);
    scene_run_open(&run, text, NULL);
    double *x = scene_run_state(&run, "/state")->position.data;
    for (size_t i = 0; i < 81; i++) x[i] += 0.1 * sin(2.3 * (double)i);
    assert_int_equal(sofa_simulation_energies(run.simulation, &kinetic, &energy[k]), SOFA_OK);
    is_near(sum_of(scene_run_object(&run, "/ff"), "energyPerElement"), energy[k],
            1e-12 * energy[k]);
    scene_run_close(&run);
  }
  assert_true(energy[1] < 0.9 * energy[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patch_tests),        cmocka_unit_test(masses),
      cmocka_unit_test(tractions),          cmocka_unit_test(pressures),
      cmocka_unit_test(exported_elements),  cmocka_unit_test(checked_meshes),
      cmocka_unit_test(lack_of_memory),     cmocka_unit_test(reduced),
      cmocka_unit_test(wrong_meshes),       cmocka_unit_test(wrong_dilatations),
      cmocka_unit_test(mapped_blocks),      cmocka_unit_test(cooks_membrane),
      cmocka_unit_test(projected_energies), cmocka_unit_test(mapped_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
