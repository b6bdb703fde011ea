/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements that are removed and inserted one by one: masses and force fields that change their own
 * data compute what they do when all data are made again. */
#include <math.h>
#include <unistd.h>

#include "change/topology_change.h"
#include "object/factory.h"
#include "object/plugin.h"
#include "components/solidmechanics/hyperelastic/hyperelastic.h"
#include "tests/support/scene_run.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char head[] =
    "<Node name='root' dt='0.01'><DefaultAnimationLoop/><Node name='body'>"
    "<EulerImplicitSolver/><CGLinearSolver iterations='500' tolerance='1e-15' threshold='1e-40'/>"
    "<TetrahedronSetTopologyContainer name='mesh' position='";
static const char middle[] = "'/><TetrahedronSetTopologyModifier/><MechanicalObject name='state'/>"
                             "<FixedProjectiveConstraint indices='0 1 2 3'/>";

#define MATRIX "<MeshMatrixMass name='mass' computeMassOnRest='1' massDensity='"
#define NEO                                                                                        \
  "<TetrahedronHyperelasticityFEMForceField name='force' materialName='NeoHookean' "               \
  "ParameterSet='400 900'/>"

/* A block of 3 x 3 x 3 cells of six tetrahedra each. */
enum { CELLS = 3, SIDE = CELLS + 1, N_TETRAS = 6 * CELLS * CELLS * CELLS };

static void write_scene(char *at, const char *mass, const char *densities, const char *force) {
  static const int corners[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                    {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  at += sprintf(at, "%s", head);
  for (int i = 0; i < SIDE * SIDE * SIDE; i++)
    at += sprintf(at, "%d %g %d ", i % SIDE, i / SIDE % SIDE + 0.03 * (i % 5), i / SIDE / SIDE);
  at += sprintf(at, "' tetrahedra='");
  for (int cell = 0; cell < CELLS * CELLS * CELLS; cell++)
    for (int k = 0; k < 24; k++) {
      const int c = corners[k / 4][k % 4], x = cell % CELLS, y = cell / CELLS % CELLS,
                z = cell / CELLS / CELLS;
      at += sprintf(at, "%d ", x + (c & 1) + SIDE * (y + (c >> 1 & 1) + SIDE * (z + (c >> 2))));
    }
  at += sprintf(at, "%s%s", middle, mass);
  for (int e = 0; densities && e < N_TETRAS; e++) at += sprintf(at, "%g ", 1 + 0.1 * (e % 7));
  sprintf(at, "%s%s</Node></Node>", densities ? densities : "", force);
}

/* Removes or, with vertices, inserts one tetrahedron. */
static void change_one(SceneRun *run, uint32_t id, const uint32_t *vertices) {
  SofaTopology *mesh = (SofaTopology *)scene_run_object(run, "/body/mesh");
  SofaTopologyEdit edit;
  assert_int_equal(sofa_topology_edit_begin(run->simulation->root, &edit), SOFA_OK);
  if (vertices)
    assert_int_equal(sofa_topology_add(&edit, mesh, SOFA_ELEMENT_TETRA, vertices, 1), SOFA_OK);
  else
    assert_int_equal(sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_TETRA, &id, 1,
                                          SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS),
                     SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
}

/* Removes some, with points that no other element has, and puts one back. */
static void change_some(SceneRun *run) {
  static const uint32_t ids[] = {17, 12, 5, 140, 0, 33, 0, 80, 12, 130, 1, 2};
  const SofaTopology *mesh = (SofaTopology *)scene_run_object(run, "/body/mesh");
  uint32_t vertices[4];
  for (size_t i = 0; i < COUNT(ids); i++) change_one(run, ids[i], NULL);
  memcpy(vertices, mesh->mesh.tetrahedra.data[20].v, sizeof vertices);
  change_one(run, 20, NULL);
  change_one(run, 0, vertices);
  change_one(run, 60, NULL);
}

static void *value_of(SceneRun *run, const char *path, const char *field) {
  SofaObject *object = scene_run_object(run, path);
  return sofa_field_value(object, sofa_class_field(object->klass, field));
}

static void make_again(SceneRun *run, const char *path) {
  SofaObject *object = scene_run_object(run, path);
  assert_int_equal(sofa_object_run(object, SOFA_RUN_REINIT), SOFA_OK);
}

static void compare(SceneRun *a, SceneRun *b, const char *what) {
  const SofaState *x = scene_run_state(a, "/body/state"), *y = scene_run_state(b, "/body/state");
  assert_int_equal(x->position.n, y->position.n);
  assert_true(x->position.n < SIDE * SIDE * SIDE);
  for (size_t i = 0; i < 3 * x->position.n; i++) {
    const double expected = y->position.data[i];
    if (!(fabs(x->position.data[i] - expected) <= 1e-12 * fmax(1, fabs(expected))))
      fail_msg("%s: point %zu is off by %g", what, i / 3, x->position.data[i] - expected);
  }
}

typedef struct Case {
  const char *what, *mass, *densities, *force;
  int threads;
} Case;

static const Case cases[] = {
    {"one density", MATRIX "2'/>", NULL, NEO, 1},
    {"one density, two threads", MATRIX "2'/>", NULL, NEO, 2},
    {"linear, two threads", MATRIX "2'/>", NULL,
     "<TetrahedronFEMForceField name='force' youngModulus='900' poissonRatio='0.3'/>", 2},
    {"densities of elements", MATRIX, "'/>", NEO, 1},
    {"lumped", MATRIX "2' lumping='1'/>", NULL, NEO, 1},
    {"all mass", "<MeshMatrixMass name='mass' computeMassOnRest='1' totalMass='30'/>", NULL,
     "<StandardTetrahedralFEMForceField name='force' materialName='StVenantKirchhoff' "
     "ParameterSet='400 900'/>",
     1},
};

/* A mass with the density that spreads 30 kg over the block. */
static void write_density_of_30(char text[200], const Case *c) {
  static char scene[40000];
  SceneRun run;
  write_scene(scene, MATRIX "1'/>", NULL, c->force);
  scene_run_open(&run, scene, NULL);
  const SofaMass *mass = (SofaMass *)scene_run_object(&run, "/body/mass");
  snprintf(text, 200, MATRIX "%.17g'/>", 30 / sofa_mass_ops(mass)->total_mass(mass));
  scene_run_close(&run);
}

static void check_case(const Case *c) {
  static char text[40000];
  char density[200];
  const SofaContextOptions options = {.threads = c->threads};
  SceneRun changed, made;
  write_scene(text, c->mass, c->densities, c->force);
  scene_run_open(&changed, text, &options);
  // the total mass that a reinit would spread is that of the changed mesh: its density stays
  if (strstr(c->mass, "totalMass")) {
    write_density_of_30(density, c);
    write_scene(text, density, NULL, c->force);
  }
  scene_run_open(&made, text, &options);
  SceneRun *const runs[] = {&changed, &made};
  for (int k = 0; k < 2; k++) {
    scene_run_steps(runs[k], 3);
    change_some(runs[k]);
  }
  make_again(&made, "/body/mass");
  make_again(&made, "/body/force");
  const SofaMass *a = (SofaMass *)scene_run_object(&changed, "/body/mass"),
                 *b = (SofaMass *)scene_run_object(&made, "/body/mass");
  const double expected = sofa_mass_ops(b)->total_mass(b);
  assert_true(fabs(sofa_mass_ops(a)->total_mass(a) - expected) <= 1e-12 * expected);
  const double *field = value_of(&changed, "/body/mass", "totalMass");
  assert_true(fabs(*field - expected) <= 1e-12 * expected);
  for (int k = 0; k < 2; k++) scene_run_steps(runs[k], 5);
  compare(&changed, &made, c->what);
  assert_int_equal(changed.n_problems, 0);
  scene_run_close(&changed);
  scene_run_close(&made);
}

static void changed_is_as_made_again(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) check_case(&cases[i]);
}

/* The elements that remain are not made again by a removal or an insertion: a mark in one of them
 * is still there. Entries that were not measured at rest are so after the first change. */
static void changes_keep_the_others(void **state) {
  static const char *const parts[] = {MATRIX "2'/>",
                                      "<MeshMatrixMass name='mass' massDensity='2'/>",
                                      "<MeshMatrixMass name='mass' totalMass='9' lumping='1'/>"};
  static const uint32_t vertices[4] = {0, 1, 5, 21};
  (void)state;
  for (size_t i = 0; i < COUNT(parts); i++) {
    static char text[40000];
    SceneRun run;
    write_scene(text, parts[i], NULL, NEO);
    scene_run_open(&run, text, NULL);
    change_one(&run, 3, NULL);
    SofaHyperelastic *h = (SofaHyperelastic *)scene_run_object(&run, "/body/force");
    double *masses = ((SofaReals *)value_of(&run, "/body/mass", "vertexMass"))->data;
    const double marked_mass = masses[SIDE * SIDE * SIDE - 1] *= 2;
    double *volume = &h->tetras[50 / SOFA_LANES].volume[50 % SOFA_LANES];
    *volume = 17;
    change_one(&run, 10, NULL);
    change_one(&run, 0, vertices);
    assert_true(h->pattern_stale);
    volume = &h->tetras[50 / SOFA_LANES].volume[50 % SOFA_LANES];
    assert_true(*volume == 17);
    masses = ((SofaReals *)value_of(&run, "/body/mass", "vertexMass"))->data;
    assert_true(masses[SIDE * SIDE * SIDE - 1] == marked_mass);
    assert_int_equal(h->n, N_TETRAS - 1);
    scene_run_close(&run);
  }
}

/* ---- modifications during init ---- */

/* A component whose init begins and ends a modification. */
static SofaErr edit_in_init(SofaObject *object) {
  SofaTopologyEdit edit;
  SOFA_TRY(sofa_topology_edit_begin(sofa_node_root(object->node), &edit));
  return sofa_topology_edit_end(&edit, false);
}

static const SofaClass editor = {.name = "EditorInInit",
                                 .module = "tests",
                                 .category = "_Miscellaneous",
                                 .help = "Begins and ends a modification in its init.",
                                 .base = &sofa_object_class,
                                 .size = sizeof(SofaObject),
                                 .init = edit_in_init};
static const SofaClass *const classes[] = {&editor, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "tests", .version = "1", .classes = classes};

/* Listeners that find their state after that init are listeners of later modifications. */
static void listeners_are_found_after_init(void **state) {
  static const char text[] =
      "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
      "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 2 2 2' "
      "tetrahedra='0 1 2 3 1 2 3 4'/><TetrahedronSetTopologyModifier/>"
      "<MechanicalObject name='state' position='0 0 0 1 0 0 0 1 0 0 0 1 2 2 2'/></Node>"
      "<Node name='other'><MechanicalObject position='0 0 0'/><EditorInInit/>"
      "<FixedProjectiveConstraint name='fixed' mstate='@/body/state' indices='4 1'/>"
      "</Node></Node>";
  SceneRun run = {.ctx = NULL};
  (void)state;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_factory_register(run.ctx, &module), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  change_one(&run, 0, NULL); // with point 0, whose place point 4 takes
  const SofaIndices *fixed = value_of(&run, "/other/fixed", "indices");
  assert_int_equal(fixed->n, 2);
  assert_int_equal(fixed->data[0], 0);
  assert_int_equal(fixed->data[1], 1);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

/* ---- rows ---- */

/* A column of a table keeps its place; that of a removed point stays, without a point. */
static void columns_keep_their_places(void **state) {
  static const char scene[] =
      "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
      "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 2 2 2' "
      "tetrahedra='0 1 2 3 1 2 3 4'/><TetrahedronSetTopologyModifier/>"
      "<MechanicalObject name='state' position='0 0 0 1 0 0 0 1 0 0 0 1 2 2 2'/></Node>"
      "<Node name='other'><MechanicalObject position='0 0 0'/>"
      "<CSVRecorder name='table' mstate='@/body/state' filename='%s' indices='4 0 1'/>"
      "</Node></Node>";
  char text[2000], path[] = "/tmp/csofa-columns-XXXXXX";
  SceneRun run;
  const int file = mkstemp(path);
  (void)state;
  assert_true(file >= 0);
  close(file);
  snprintf(text, sizeof text, scene, path);
  scene_run_open(&run, text, NULL);
  change_one(&run, 0, NULL); // with point 0, whose place point 4 takes
  const SofaIndices *columns = value_of(&run, "/other/table", "indices");
  const uint32_t expected[] = {0, SOFA_NO_ELEMENT, 1};
  assert_int_equal(columns->n, 3);
  assert_memory_equal(columns->data, expected, sizeof expected);
  scene_run_steps(&run, 1);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
  remove(path);
}

/* Elements give no mass to frames, whose masses a scene lists: they come and go without a change,
 * the first ones of an empty mesh, too. */
static void frames_keep_their_masses(void **state) {
  static const struct {
    const char *klass, *elements;
    SofaElementKind kind;
  } meshes[] = {{"Hexahedron", "hexahedra='0 1 3 2 4 5 7 6'", SOFA_ELEMENT_HEXA},
                {"Hexahedron", "", SOFA_ELEMENT_HEXA},
                {"Triangle", "triangles='0 1 2 1 3 2'", SOFA_ELEMENT_TRIANGLE},
                {"Triangle", "", SOFA_ELEMENT_TRIANGLE},
                {"Edge", "edges='0 1 2 3'", SOFA_ELEMENT_EDGE},
                {"Edge", "", SOFA_ELEMENT_EDGE}};
  static const uint32_t first = 0, vertices[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  char points[200] = "", frames[300] = "", masses[400] = "";
  (void)state;
  for (int k = 0; k < 8; k++) {
    char point[20];
    snprintf(point, sizeof point, "%d %d %d ", k & 1, k >> 1 & 1, k >> 2);
    strcat(points, point);
    strcat(strcat(frames, point), "0 0 0 1 ");
    strcat(masses, "2 1 1 0 0 0 1 0 0 0 1 ");
  }
  for (size_t i = 0; i < COUNT(meshes); i++) {
    char text[2000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/>"
             "<%sSetTopologyContainer name='mesh' position='%s' %s/><%sSetTopologyModifier/>"
             "<MechanicalObject template='Rigid3d' position='%s'/><DiagonalMass name='mass' "
             "topology='@mesh' massDensity='3' vertexMass='%s'/></Node>",
             meshes[i].klass, points, meshes[i].elements, meshes[i].klass, frames, masses);
    scene_run_open(&run, text, NULL);
    const SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
    SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/mesh");
    for (int add = !meshes[i].elements[0]; add < 2; add++) {
      SofaTopologyEdit edit;
      assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
      assert_int_equal(add ? sofa_topology_add(&edit, mesh, meshes[i].kind, vertices, 1)
                           : sofa_topology_remove(&edit, mesh, meshes[i].kind, &first, 1, 0),
                       SOFA_OK);
      assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
      assert_true(sofa_mass_ops(mass)->total_mass(mass) == 16);
      scene_run_steps(&run, 1);
    }
    scene_run_close(&run);
  }
}

/* ---- densities ---- */

#define TWO                                                                                        \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"         \
  "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 2 2 2' "         \
  "tetrahedra='0 1 2 3 1 2 3 4'/><TetrahedronSetTopologyModifier/><MechanicalObject "              \
  "name='state'/>"
/* of the elements of TWO */
static const double volumes[2] = {1 / 6., 5 / 6.};

static double mass_now(SceneRun *run) {
  const SofaMass *mass = (SofaMass *)scene_run_object(run, "/body/mass");
  return sofa_mass_ops(mass)->total_mass(mass);
}

/* Elements keep their own densities, and the last one that is left serves those that come. A list
 * that totalMass overrides is not looked at. */
static void elements_keep_their_densities(void **state) {
  static const uint32_t left[4] = {0, 1, 2, 3};
  (void)state;
  for (uint32_t i = 0; i < 12; i++) {
    static const char *const values[] = {"massDensity='2 5'", "massDensity='2 5' totalMass='3'",
                                         ""};
    static const double densities[3][2] = {{2, 5}, {3, 3}, {1, 1}}; // all have the volume 1
    const uint32_t goes = i % 2, stays = 1 - goes;
    const bool lumped = i / 2 % 2;
    const double *d = densities[i / 4];
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             TWO
             "<MeshMatrixMass name='mass' computeMassOnRest='1' lumping='%d' %s/></Node></Node>",
             lumped, values[i / 4]);
    scene_run_open(&run, text, NULL);
    assert_true(fabs(mass_now(&run) - d[0] * volumes[0] - d[1] * volumes[1]) < 1e-14);
    change_one(&run, goes, NULL); // with a point
    assert_true(fabs(mass_now(&run) - d[stays] * volumes[stays]) < 1e-14);
    change_one(&run, 0, left);
    assert_true(fabs(mass_now(&run) - 2 * d[stays] * volumes[stays]) < 1e-14);
    scene_run_close(&run);
  }
}

/* Points that come one by one, as many as no list has room for beforehand, have no mass.
 * Rows of edges have 3/2 of their diagonal. */
static void points_one_by_one(void **state) {
  static const struct {
    const char *kind, *parts;
    double mass;
  } bodies[] = {{"Vec3d", "<DiagonalMass name='mass' vertexMass='1 2'/>", 3},
                {"Vec3d", "<MeshMatrixMass name='mass' lumping='1' vertexMass='1 2'/>", 4.5},
                {"Rigid3d",
                 "<DiagonalMass name='mass' vertexMass='1 1 1 0 0 0 1 0 0 0 1 2 1 1 0 0 0 1 0 0 0 "
                 "3'/>",
                 3}};
  static const uint32_t start[2] = {0, 1}, from[1] = {1};
  static const double one[1] = {1};
  const SofaAncestors a = {.start = {(void *)(uintptr_t)start, 2, 2},
                           .points = {(void *)(uintptr_t)from, 1, 1},
                           .weights = {(void *)(uintptr_t)one, 1, 1}};
  (void)state;
  for (size_t i = 0; i < COUNT(bodies); i++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node "
             "name='body'><EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0' edges='0 "
             "1'/><EdgeSetTopologyModifier/><MechanicalObject template='%s'/>%s</Node></Node>",
             bodies[i].kind, bodies[i].parts);
    scene_run_open(&run, text, NULL);
    SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
    for (int k = 0; k < 40; k++) {
      SofaTopologyEdit edit;
      assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
      assert_int_equal(sofa_topology_add_points(&edit, mesh, 1, &a), SOFA_OK);
      assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
      if (mass_now(&run) != bodies[i].mass) fail_msg("%s: %g kg", bodies[i].parts, mass_now(&run));
    }
    assert_int_equal(run.n_problems, 0);
    scene_run_close(&run);
  }
}

/* Changes of another body do not concern a mass without a topology. */
static void masses_beside_a_change(void **state) {
  static const char *const masses[] = {
      "DiagonalMass name='mass' filename=", "UniformMass name='mass' totalMass='3'",
      "MeshMatrixMass name='mass' topology='@own' totalMass='3'"};
  static const uint32_t left[4] = {0, 1, 2, 3};
  static const char body[] =
      "Xsp 4.0\nnumm 2\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 s 1 0 0 0 0 0 2 0\n";
  char path[] = "/tmp/csofa-masses-XXXXXX.xsp";
  const int file = mkstemps(path, 4);
  (void)state;
  assert_int_equal(write(file, body, sizeof body - 1), sizeof body - 1);
  close(file);
  for (size_t i = 0; i < COUNT(masses); i++) {
    char text[1500], words[200];
    SceneRun run;
    if (i) snprintf(words, sizeof words, "%s", masses[i]);
    else snprintf(words, sizeof words, "%s'%s'", masses[i], path);
    snprintf(text, sizeof text,
             TWO "</Node><Node name='other'>%s<MechanicalObject position='0 0 0 1 0 0'/><%s/>"
                 "</Node></Node>",
             strstr(masses[i], "@own")
                 ? "<MeshTopology name='own' position='0 0 0 1 0 0' edges='0 1'/>"
                 : "",
             words);
    scene_run_open(&run, text, NULL);
    const SofaMass *mass = (SofaMass *)scene_run_object(&run, "/other/mass");
    change_one(&run, 1, NULL);
    change_one(&run, 0, left);
    assert_true(fabs(sofa_mass_ops(mass)->total_mass(mass) - 3) < 1e-14);
    scene_run_steps(&run, 1);
    assert_int_equal(run.n_problems, 0);
    scene_run_close(&run);
  }
  unlink(path);
}

/* Elements whose points the state does not have are refused. */
static void points_of_another_state(void **state) {
  static const char text[] = TWO
      "<Node name='other'><MechanicalObject name='own' position='0 0 0 1 0 0 0 1 0 0 0 1 2 2 2'/>"
      "<MeshMatrixMass name='mass' computeMassOnRest='1' massDensity='2' topology='@../mesh' "
      "geometryState='@own'/></Node></Node></Node>";
  static const uint32_t vertices[4] = {2, 3, 4, 5}, start[2] = {0, 1}, from[1] = {4};
  static const double one[1] = {1};
  SceneRun run;
  SofaTopologyEdit edit;
  (void)state;
  scene_run_open(&run, text, NULL);
  SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  const SofaAncestors a = {.start = {(void *)(uintptr_t)start, 2, 2},
                           .points = {(void *)(uintptr_t)from, 1, 1},
                           .weights = {(void *)(uintptr_t)one, 1, 1}};
  assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
  assert_int_equal(sofa_topology_add_points(&edit, mesh, 1, &a), SOFA_OK);
  run.quiet = true;
  assert_int_equal(sofa_topology_add(&edit, mesh, SOFA_ELEMENT_TETRA, vertices, 1), SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_ERR_RANGE);
  assert_non_null(strstr(run.all, "mass: element 2 of the topology has vertex 5, but the state"));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_keep_their_masses),  cmocka_unit_test(changed_is_as_made_again),
      cmocka_unit_test(changes_keep_the_others),   cmocka_unit_test(listeners_are_found_after_init),
      cmocka_unit_test(columns_keep_their_places), cmocka_unit_test(elements_keep_their_densities),
      cmocka_unit_test(points_of_another_state),   cmocka_unit_test(masses_beside_a_change),
      cmocka_unit_test(points_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
