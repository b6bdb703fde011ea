/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings in scenes: which states they find, what they refuse and how they say it, flags, rest
 * positions, topologies in context, exhausted memory. */
#include "components/builtins.h"
#include "tests/support/scene_run.h"

#include <math.h>

#include "tests/unit/base/failing_allocator.h"

#define ROOT "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
#define PARENT ROOT "<Node name='body'>"
#define END "</Node></Node></Node>"
#define TETRA "<MeshTopology name='mesh' tetrahedra='0 1 2 3'/>"
#define CORNERS "<MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0 0 1'/>"

/* ---- what is refused ---- */

/* Loads (with keep_going, so that each error has its say) and initialises; `expected` must be part
 * of one of the messages. */
typedef struct Collected {
  char text[8000];
} Collected;

static void collect(void *user, const SofaMessage *m) {
  Collected *c = user;
  const size_t n = strlen(c->text);
  if (m->severity >= SOFA_WARNING) snprintf(c->text + n, sizeof c->text - n, "%s\n", m->text);
}

static void run_collecting(const char *scene, bool keep_going, Collected *c) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  const SofaContextOptions options = {.sink = collect, .sink_user = c, .keep_going = keep_going};
  c->text[0] = '\0';
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  SofaErr err = sofa_simulation_load_text(ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(simulation, 0.01);
  if (keep_going) assert_int_equal(err, SOFA_OK);
  else assert_int_not_equal(err, SOFA_OK);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

static void assert_refused(const char *scene, const char *expected) {
  Collected c;
  run_collecting(scene, false, &c);
  if (!strstr(c.text, expected)) fail_msg("expected '%s' in:\n%s", expected, c.text);
  // who wants to go on can
  run_collecting(scene, true, &c);
  assert_non_null(strstr(c.text, expected));
}

static void missing_states_are_named(void **state) {
  (void)state;
  assert_refused(ROOT "<MechanicalObject/><IdentityMapping/></Node>",
                 "'input' names no state (its default): \"@../\", and this is the root node");
  assert_refused(PARENT CORNERS "<Node name='child'><MechanicalObject/>"
                                "<IdentityMapping input='@nothing'/>" END,
                 "'input' names no state: \"@nothing\"");
  assert_refused(PARENT CORNERS "<Node name='child'><MechanicalObject/>"
                                "<IdentityMapping output='@../../x'/>" END,
                 "'output' names no state: \"@../../x\"");
  assert_refused(PARENT CORNERS "<Node name='child'><IdentityMapping/>" END,
                 "'input' and 'output' are the same state 'dofs'");
  assert_refused(PARENT CORNERS "<Node name='child'><MechanicalObject/><OglModel/>"
                                "<IdentityMapping/>" END,
                 "'output' means a node with several states, name one of them (its default)");
}

static void kinds_without_a_template_are_named(void **state) {
  (void)state;
  assert_refused(PARENT "<MechanicalObject template='Vec1d'/><Node name='child'>"
                        "<MechanicalObject/><BarycentricMapping/>" END,
                 "Vec3d,Vec3d | Vec3d,Rigid3d: the states are of kinds Vec1d,Vec3d");
}

/* The template that is written counts only if it fits; the user is told. */
static void a_wrong_template_is_replaced(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  const char *scene = PARENT CORNERS "<Node name='child'><MechanicalObject/>"
                                     "<IdentityMapping name='m' template='Rigid3d,Vec3d'/>" END;
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(run.n_problems, 1);
  assert_non_null(strstr(run.last, "Rigid3d,Vec3d"));
  assert_string_equal(scene_run_object(&run, "/body/child/m")->template_name, "Vec3d,Vec3d");
  scene_run_close(&run);
}

static void topologies_that_do_not_fit_are_refused(void **state) {
  (void)state;
  const char *child = "<Node name='child'><MechanicalObject position='0 0 0 1 1 1'/>"
                      "<BarycentricMapping/>" END;
  const struct {
    const char *parent, *expected;
  } cases[] = {
      {PARENT CORNERS, "the input 'dofs' has no topology: there is none in its node or above"},
      {PARENT "<RegularGridTopology name='g' n='2 2 1' min='0 0 0' max='1 1 0'/>"
              "<MechanicalObject/>",
       "RegularGridTopology 'g' is flat"},
      {PARENT "<RegularGridTopology name='g' n='2 2 2' min='0 0 0' max='1 1 0'/>"
              "<MechanicalObject/>",
       "RegularGridTopology 'g' has cells without volume"},
      {PARENT "<RegularGridTopology name='g' n='2 2 2' min='0 0 0' max='1 1 1'/>" CORNERS,
       "RegularGridTopology 'g' has more points than the input state"},
      {PARENT "<MeshTopology name='mesh' tetrahedra='0 1 2 3 1 2 3 4'/>" CORNERS,
       "tetrahedron 1 of MeshTopology 'mesh' has a point that the input state (4 points)"},
      {PARENT "<MeshTopology name='mesh' tetrahedra='0 1 2 3 0 2 1 3' "
              "hexahedra='0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 9'/>" CORNERS,
       "hexahedron 1 of MeshTopology 'mesh' has a point that the input state (4 points)"},
      {PARENT "<RegularGridTopology name='g' n='1 2 2' min='0 0 0' max='0 1 1'/>"
              "<MechanicalObject/>",
       "RegularGridTopology 'g' is flat"},
      {PARENT "<RegularGridTopology name='g' n='2 1 2' min='0 0 0' max='1 0 1'/>"
              "<MechanicalObject/>",
       "RegularGridTopology 'g' is flat"},
      {PARENT "<RegularGridTopology name='g' n='2 2 2' min='0 0 0' max='0 1 1'/>"
              "<MechanicalObject/>",
       "RegularGridTopology 'g' has cells without volume"},
      {PARENT "<MeshTopology name='mesh' edges='0 9'/>" CORNERS,
       "MeshTopology 'mesh' has edges to points that the input state does not have"},
      {PARENT "<MeshTopology name='mesh' position='0 0 0'/>" CORNERS,
       "MeshTopology 'mesh' has no elements to map points with"},
      {PARENT "<MeshTopology name='mesh' tetrahedra='0 1 2 2'/>" CORNERS,
       "point 0 of the output belongs to no element of the input"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", cases[i].parent, child);
    assert_refused(text, cases[i].expected);
  }
}

static void what_is_not_built_is_refused(void **state) {
  (void)state;
  assert_refused(PARENT TETRA CORNERS "<Node name='child'><MechanicalObject/>"
                                      "<BarycentricMapping mapper='@../mesh'/>" END,
                 "mapper");
}

#define SKINNED(rows)                                                                              \
  ROOT "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0.6 0.8'/>"         \
       "<Node name='child'><MechanicalObject name='skin' position='1 2 3 4 5 6'/>"                 \
       "<SkinningMapping " rows "/></Node></Node>"

/* Weights of frames: those given, when they have a row per point. */
static void given_weights_of_frames(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run, SKINNED("indices='[ 0 , 1 ] [ 1 ]' weight='[ 0.25 , 0.5 ] [ 1 ]'"), NULL);
  const double *x = scene_run_state(&run, "/child/skin")->position.data;
  // weights are not made to sum up to one
  for (int k = 0; k < 3; k++) assert_true(fabs(x[k] - 0.75 * (1 + k)) < 1e-12);
  for (int k = 0; k < 3; k++) assert_true(fabs(x[3 + k] - (4 + k)) < 1e-12);
  scene_run_close(&run);
  assert_refused(SKINNED("indices='[ 0 , 1 ] [ 1 ]' weight='[ 0.25 ] [ 1 ]'"), "row 0");
  assert_refused(SKINNED("indices='[ 0 ] [ 2 ]' weight='[ 1 ] [ 1 ]'"), "point 1 has frame 2");
  assert_refused(SKINNED("indices='[ 0 ] [ 1 , 1 ]' weight='[ 1 ] [ 1 , 1 ]'"), "each frame once");
  assert_refused(SKINNED("indices='[ 0 ] [ 1 ]' weight='[ 1 ] [ x ]'"), "row 1");
}

/* Without numbers of frames there are four, as by default; also where they were taken away. */
static void numbers_of_frames(void **state) {
  (void)state;
  static const char *const how[] = {"", "nbRef='4'", "nbRef='3'", "nbRef='5'"};
  size_t n[4];
  for (int k = 0; k < 4; k++) {
    char scene[2000];
    SceneRun run;
    SofaJacobian j;
    SofaPoint at;
    snprintf(scene, sizeof scene,
             PARENT "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 "
                    "2 0 0 0 0 0 1 3 0 0 0 0 0 1 4 0 0 0 0 0 1 5 0 0 0 0 0 1'/><Node name='a'>"
                    "<MechanicalObject position='0.3 0.4 0.5'/><SkinningMapping name='m' %s/>" END,
             how[k]);
    memset(&run, 0, sizeof run);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    SofaMapping *m = (SofaMapping *)scene_run_object(&run, "/body/a/m");
    if (k == 2) assert_int_equal(sofa_field_set_text(&m->object, "nbRef", "", 0), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    assert_int_equal(sofa_mapping_point(m, &at), SOFA_OK);
    assert_int_equal(sofa_mapping_jacobian(m, &at, 0, &j), SOFA_OK);
    n[k] = j.start[1];
    scene_run_close(&run);
  }
  assert_true(n[0] == n[1] && n[0] == n[2] && n[0] < n[3]);
}

/* A state that comes later in the scene is not complete when the mapping reads it. */
static void order_matters(void **state) {
  (void)state;
  assert_refused(ROOT "<Node name='early'><MechanicalObject/>"
                      "<BarycentricMapping input='@../late/dofs' input_topology='@../late/mesh'/>"
                      "</Node><Node name='late'>" TETRA CORNERS "</Node></Node>",
                 "'input' names no state");
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  const char *scene = ROOT "<Node name='late'>" TETRA CORNERS "<Node name='child'>"
                           "<MechanicalObject name='copy'/><IdentityMapping name='map'/>" END;
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  // a state that changes its size behind the mapping's back is noticed, not read beyond its end
  SofaState *dofs = scene_run_state(&run, "/late/dofs");
  assert_int_equal(sofa_state_resize(dofs, 2), SOFA_OK);
  assert_int_not_equal(sofa_simulation_step(run.simulation, 0.01), SOFA_OK);
  scene_run_close(&run);
}

/* ---- what they do at init ---- */

static const SofaMapping *mapping_at(SceneRun *run, const char *path) {
  return (const SofaMapping *)scene_run_object(run, path);
}

static void flags(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT CORNERS
                 "<Node name='a'><MechanicalObject/><IdentityMapping name='m'/></Node>"
                 "<Node name='b'><MechanicalObject/>"
                 "<IdentityMapping name='m' isMechanical='0'/></Node>"
                 "<Node name='c'><OglModel/><IdentityMapping name='m'/></Node>"
                 "<Node name='d'><MechanicalObject/>"
                 "<IdentityMapping name='m' mapForces='0'/>" END,
                 NULL);
  const SofaMapping *a = mapping_at(&run, "/body/a/m"), *b = mapping_at(&run, "/body/b/m"),
                    *c = mapping_at(&run, "/body/c/m"), *d = mapping_at(&run, "/body/d/m");
  assert_true(a->mechanical && a->map_forces && a->map_constraints && a->map_masses);
  assert_true(b->mechanical && !b->map_forces && !b->map_constraints && !b->map_masses);
  assert_true(!c->mechanical && !c->map_forces && !c->map_constraints && !c->map_masses);
  assert_true(d->mechanical && !d->map_forces && d->map_constraints && d->map_masses);
  assert_string_equal(a->object.template_name, "Vec3d,Vec3d");
  scene_run_close(&run);
}

/* Resizing fills rest positions with zeros; applyRestPosition maps them. */
static void rest_positions(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT "<MechanicalObject name='dofs' position='1 2 3 4 5 6' "
                        "rest_position='1 1 1 2 2 2'/>"
                        "<Node name='a'><MechanicalObject name='s'/><IdentityMapping/></Node>"
                        "<Node name='b'><MechanicalObject name='s'/>"
                        "<IdentityMapping applyRestPosition='1'/>" END,
                 NULL);
  const SofaState *a = scene_run_state(&run, "/body/a/s"), *b = scene_run_state(&run, "/body/b/s");
  assert_int_equal(a->position.n, 2);
  assert_true(a->position.data[5] == 6);
  assert_int_equal(a->rest_position.n, 2);
  assert_true(a->rest_position.data[5] == 0);
  assert_true(b->rest_position.data[0] == 1 && b->rest_position.data[5] == 2);
  scene_run_close(&run);
}

/* Weights come from the initial positions, or from the rest positions of both states. */
static void rest_positions_for_weights(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT TETRA "<MechanicalObject name='dofs' position='0 0 0 2 0 0 0 2 0 0 0 2' "
                              "rest_position='0 0 0 1 0 0 0 1 0 0 0 1'/>"
                              "<Node name='a'><MechanicalObject name='s' position='0.5 0.5 0.5'/>"
                              "<BarycentricMapping/></Node>"
                              "<Node name='b'><MechanicalObject name='s' position='0.5 0.5 0.5' "
                              "rest_position='0.25 0.25 0.5'/>"
                              "<BarycentricMapping useRestPosition='1'/>" END,
                 NULL);
  const SofaState *a = scene_run_state(&run, "/body/a/s"), *b = scene_run_state(&run, "/body/b/s");
  for (int c = 0; c < 3; c++) assert_true(fabs(a->position.data[c] - 0.5) < 1e-15);
  assert_true(fabs(b->position.data[0] - 0.5) < 1e-15 && fabs(b->position.data[2] - 1) < 1e-15);
  scene_run_close(&run);
}

/* The first topology of the input's node counts, not the one added last; input_topology overrides.
 * Both ways the point stays at its place, but it hangs on other vertices. */
static void topology_in_context(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT "<MeshTopology name='first' edges='0 1'/>"
                        "<MeshTopology name='last' edges='2 3'/>" CORNERS
                        "<Node name='a'><MechanicalObject name='s' position='0.25 0 0'/>"
                        "<BarycentricMapping name='m'/></Node>"
                        "<Node name='b'><MechanicalObject name='s' position='0 1 0'/>"
                        "<BarycentricMapping name='m' input_topology='@../last'/>" END,
                 NULL);
  for (int k = 0; k < 2; k++) {
    SofaMapping *m = (SofaMapping *)scene_run_object(&run, k ? "/body/b/m" : "/body/a/m");
    SofaJacobian j;
    SofaPoint at;
    assert_int_equal(sofa_mapping_point(m, &at), SOFA_OK);
    assert_int_equal(sofa_mapping_jacobian(m, &at, 0, &j), SOFA_OK);
    assert_int_equal(j.column[0], k ? 6 : 0);
    assert_int_equal(j.column[1], k ? 9 : 3);
  }
  scene_run_close(&run);
}

/* In set containers a point looks at elements in cells around its own only where the measure found
 * is more than half the mean length h of edges. Here h = (2 + sqrt 2) / 3 and cells are as wide: of
 * two triangles above each other, the lower one is in the cell of the points, with z^2 as measure;
 * the other one is nearer to both. */
static void cells_are_as_wide_as_edges(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT "<TriangleSetTopologyContainer name='set' position='0 0 0 1 0 0 0 1 0 0 0 "
                        "1.2 1 0 1.2 0 1 1.2' triangles='0 1 2 3 4 5'/>"
                        "<MechanicalObject name='s'/><Node name='a'><MechanicalObject name='s' "
                        "position='0.333333333 0.333333333 0.72 0.333333333 0.333333333 0.78'/>"
                        "<BarycentricMapping name='m'/>" END,
                 NULL);
  SofaMapping *m = (SofaMapping *)scene_run_object(&run, "/body/a/m");
  SofaJacobian j;
  SofaPoint at;
  assert_int_equal(sofa_mapping_point(m, &at), SOFA_OK);
  assert_int_equal(sofa_mapping_jacobian(m, &at, 0, &j), SOFA_OK);
  assert_int_equal(j.column[j.start[0]], 0);
  assert_int_equal(j.column[j.start[3]], 9);
  scene_run_close(&run);
}

/* Hexahedra use affine coordinates: a point of a warped cell jumps at the first mapping. */
static void warped_cells_move_points(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT "<MeshTopology hexahedra='0 1 2 3 4 5 6 7'/>"
                        "<MechanicalObject name='dofs' position='0 0 0 1 0 0 2 2 0 0 1 0 "
                        "0 0 1 1 0 1 2 2 1 0 1 1'/>"
                        "<Node name='a'><MechanicalObject name='s' position='0.5 0.5 0.5'/>"
                        "<BarycentricMapping/>" END,
                 NULL);
  const double *x = scene_run_state(&run, "/body/a/s")->position.data;
  // a = b = c = 1/2: the mean of the vertices
  assert_true(fabs(x[0] - 0.75) < 1e-15 && fabs(x[1] - 0.75) < 1e-15 && fabs(x[2] - 0.5) < 1e-15);
  scene_run_close(&run);
}

/* The grid's own points count, also when the state was moved away from them. */
static void grids_ignore_the_transform_of_the_state(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"
                        "<MechanicalObject name='dofs' translation='10 0 0'/>"
                        "<Node name='a'><MechanicalObject name='s' position='0.5 0.25 0.5'/>"
                        "<BarycentricMapping/>" END,
                 NULL);
  const double *x = scene_run_state(&run, "/body/a/s")->position.data;
  assert_true(fabs(x[0] - 10.5) < 1e-14 && fabs(x[1] - 0.25) < 1e-15 && fabs(x[2] - 0.5) < 1e-15);
  scene_run_close(&run);
}

static void visual_models_follow(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PARENT TETRA "<MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0 0 1' "
                              "velocity='1 0 0 1 0 0 1 0 0 1 0 0'/>"
                              "<EulerImplicitSolver/><CGLinearSolver iterations='20' "
                              "tolerance='1e-12' threshold='1e-12'/><UniformMass totalMass='1'/>"
                              "<Node name='skin'><OglModel name='s' position='0.2 0.2 0.2 2 2 2'/>"
                              "<BarycentricMapping/>" END,
                 NULL);
  const SofaState *s = scene_run_state(&run, "/body/skin/s");
  assert_int_equal(sofa_simulation_step(run.simulation, 0.5), SOFA_OK);
  assert_true(fabs(s->position.data[0] - 0.7) < 1e-9 && fabs(s->position.data[3] - 2.5) < 1e-9);
  assert_true(fabs(s->position.data[1] - (0.2 - 9.81 * 0.25)) < 1e-9);
  scene_run_close(&run);
}

/* With keep_going a mapping without a mapper leaves its output alone, which still counts as
 * mapped. */
static void inert_mappings(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.keep_going = true};
  scene_run_context(&run, &options);
  const char *scene = PARENT CORNERS
      "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-12' "
      "threshold='1e-12'/><UniformMass totalMass='1'/>"
      "<Node name='a'><MechanicalObject name='s' position='5 6 7'/><BarycentricMapping/>" END;
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  scene_run_steps(&run, 2);
  const SofaState *s = scene_run_state(&run, "/body/a/s");
  assert_true(s->mapped);
  assert_true(s->position.data[0] == 5 && s->position.data[1] == 6 && s->position.data[2] == 7);
  scene_run_close(&run);
}

/* ---- exhausted memory ---- */

static SofaErr run_once(FailingAllocator *a) {
  static const char scene[] = PARENT TETRA CORNERS
      "<Node name='a'><MechanicalObject position='0.2 0.2 0.2 3 3 3'/><BarycentricMapping/></Node>"
      "<Node name='b'><MechanicalObject template='Rigid3d'/><BarycentricMapping/></Node>"
      "<Node name='c'><MechanicalObject/><IdentityMapping applyRestPosition='1'/></Node></Node>"
      "<Node name='set'><TetrahedronSetTopologyContainer tetrahedra='0 1 2 3'/>" CORNERS
      "<Node name='d'><MechanicalObject position='0.2 0.2 0.2 9 9 9'/><BarycentricMapping/>" END;
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = a, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err != SOFA_OK) return err;
  err = sofa_register_builtins(ctx);
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return err;
}

static void memory_failures_are_clean(void **state) {
  (void)state;
  FailingAllocator a = {0};
  assert_int_equal(run_once(&a), SOFA_OK);
  assert_int_equal(a.live, 0);
  const uint64_t calls = a.calls;
  for (uint64_t n = 1; n <= calls; n += n < calls / 2 ? 7 : 1) {
    a = (FailingAllocator){.fail_at = n};
    assert_int_not_equal(run_once(&a), SOFA_OK);
    assert_int_equal(a.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_states_are_named),
      cmocka_unit_test(kinds_without_a_template_are_named),
      cmocka_unit_test(a_wrong_template_is_replaced),
      cmocka_unit_test(topologies_that_do_not_fit_are_refused),
      cmocka_unit_test(what_is_not_built_is_refused),
      cmocka_unit_test(given_weights_of_frames),
      cmocka_unit_test(numbers_of_frames),
      cmocka_unit_test(order_matters),
      cmocka_unit_test(flags),
      cmocka_unit_test(rest_positions),
      cmocka_unit_test(rest_positions_for_weights),
      cmocka_unit_test(topology_in_context),
      cmocka_unit_test(cells_are_as_wide_as_edges),
      cmocka_unit_test(warped_cells_move_points),
      cmocka_unit_test(grids_ignore_the_transform_of_the_state),
      cmocka_unit_test(visual_models_follow),
      cmocka_unit_test(inert_mappings),
      cmocka_unit_test(memory_failures_are_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
