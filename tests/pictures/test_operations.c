/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of what the mouse does beside pulling: fixing, joining, removing, cutting, on bodies made
 * by hand and picked by rays from above. */
#include "../support/scene_run.h"

#include <math.h>

#include "math/vec.h"
#include "tests/unit/base/failing_allocator.h"
#include "viewer/operations.h"
#include "viewer/pull.h"

#define HEAD                                                                                       \
  "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
#define IMPLICIT                                                                                   \
  "<EulerImplicitSolver rayleighMass='0.5'/>"                                                      \
  "<CGLinearSolver iterations='300' tolerance='1e-14' threshold='1e-30'/>"
#define SQUARES                                                                                    \
  "position='0 0 0 1 0 0 2 0 0 3 0 0 0 1 0 1 1 0 2 1 0 3 1 0 0 2 0 1 2 0 2 2 0 3 2 0' "
#define SHEET                                                                                      \
  "<TriangleSetTopologyContainer name='mesh' " SQUARES                                             \
  "triangles='0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 4 5 9 4 9 8 5 6 10 5 10 9 6 7 11 6 11 10'/>"     \
  "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='state'/>"                 \
  "<DiagonalMass massDensity='1'/>"                                                                \
  "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"

static void scene_open(SceneRun *run, const char *text) {
  scene_run_open(run, text, NULL);
}

static PickHit pick_at(SceneRun *run, double x, double y) {
  const PickRay ray = {.origin = {x, y, 10}, .direction = {0, 0, -1}, .what = PICK_BODIES};
  PickHit hit;
  assert_int_equal(pick_ray(run->simulation->root, &ray, &hit), SOFA_OK);
  return hit;
}

static PickAnchor anchor_at(SceneRun *run, double x, double y) {
  const PickHit hit = pick_at(run, x, y);
  PickAnchor anchor;
  assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
  return anchor;
}

static const double *point(SceneRun *run, const char *path, size_t i) {
  const SofaState *s = scene_run_state(run, path);
  return s->position.data + i * s->position.width;
}

/* ---- springs that stay ---- */

/* m g = k d, where it was; the scene's own stiffness; 10 kN/m otherwise. */
static void fixes(void **state) {
  (void)state;
  static const struct {
    const char *setting;
    double stiffness, expected;
  } rows[] = {{"", 300, 300},
              {"", 0, 10000},
              {"<FixPickedParticleButtonSetting stiffness='500'/>", 0, 500},
              {"<FixPickedParticleButtonSetting stiffness='500'/>", 200, 200},
              {"", NAN, 10000}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    SceneRun run;
    Operations o;
    char text[2000];
    snprintf(text, sizeof text,
             HEAD "%s<Node name='a'>" IMPLICIT "<MechanicalObject name='state' position='1 2 3'/>"
                  "<UniformMass totalMass='2'/></Node></Node>",
             rows[i].setting);
    scene_open(&run, text);
    sofa_vec3_set(run.simulation->root->gravity.v, 0, -10, 0);
    operations_init(&o);
    o.fix_stiffness = rows[i].stiffness;
    const PickAnchor anchor = pick_anchor_point(scene_run_state(&run, "/a/state"), 0);
    assert_int_equal(operations_fix(&o, run.simulation, &anchor), SOFA_OK);
    assert_int_equal(operations_held(&o), 1);
    scene_run_steps(&run, 2500);
    const double *x = point(&run, "/a/state", 0);
    assert_true(fabs(x[1] - (2 - 20 / rows[i].expected)) < 1e-6);
    assert_true(fabs(x[0] - 1) < 1e-12 && fabs(x[2] - 3) < 1e-12);
    // let go, it falls
    operations_release(&o, run.ctx);
    assert_int_equal(operations_held(&o), 0);
    scene_run_steps(&run, 50);
    assert_true(point(&run, "/a/state", 0)[1] < 1.8);
    scene_run_close(&run);
  }
}

/* Two bodies, one of two kinds each: under one solver or two, points or frames. */
static void joins_two_bodies(void **state) {
  (void)state;
  static const char *const point_body =
      "<MechanicalObject name='state' position='%g 0 0'/><UniformMass totalMass='2'/>";
  static const char *const frame_body =
      "<MechanicalObject name='state' template='Rigid3d' position='%g 0 0 0 0 0 1'/>"
      "<UniformMass vertexMass='2 1 [1 0 0 0 1 0 0 0 1]'/>";
  for (int i = 0; i < 12; i++) {
    SceneRun run;
    Operations o;
    const bool one = i % 2, direct = i / 8;
    const char *solver =
        direct ? "<EulerImplicitSolver rayleighMass='0.5'/><SparseLDLSolver/>" : IMPLICIT;
    const char *a_text = i / 2 % 2 ? frame_body : point_body;
    const char *b_text = i / 4 % 2 ? frame_body : point_body;
    char a[600], b[600], text[3000];
    snprintf(a, sizeof a, a_text, 0.);
    snprintf(b, sizeof b, b_text, 3.);
    snprintf(text, sizeof text,
             HEAD "<Node name='all'>%s<Node name='a'>%s%s</Node><Node name='b'>%s%s</Node></Node>"
                  "</Node>",
             one ? solver : "", one ? "" : solver, a, one ? "" : solver, b);
    scene_open(&run, text);
    operations_init(&o);
    o.suture_stiffness = 100;
    PickAnchor first = pick_anchor_point(scene_run_state(&run, "/all/a/state"), 0);
    PickAnchor second = pick_anchor_point(scene_run_state(&run, "/all/b/state"), 0);
    // at the tip of an arm the place is joined, not the frame
    if (i / 2 % 2) first.arm[1] = 0.5;
    assert_int_equal(operations_suture(&o, run.simulation, &first), SOFA_OK);
    assert_int_equal(operations_held(&o), 0);
    scene_run_steps(&run, 5);
    assert_true(fabs(point(&run, "/all/a/state", 0)[0]) < 1e-12); // nothing acts yet
    assert_int_equal(operations_suture(&o, run.simulation, &second), SOFA_OK);
    assert_int_equal(operations_held(&o), 1);
    scene_run_steps(&run, 3000);
    double pa[3], pb[3];
    assert_true(pick_anchor_place(&first, pa) && pick_anchor_place(&second, pb));
    if (!(sofa_vec3_distance(pa, pb) < 5e-3))
      fail_msg("case %d: %g m apart", i, sofa_vec3_distance(pa, pb));
    // no force from outside: the middle stays
    const double *xa = point(&run, "/all/a/state", 0), *xb = point(&run, "/all/b/state", 0);
    if (!(fabs(xa[0] + xb[0] - 3) < 1e-6)) fail_msg("case %d: %.9g %.9g", i, xa[0], xb[0]);
    operations_release(&o, run.ctx);
    scene_run_close(&run);
  }
}

/* Between solvers a spring acts explicitly: it is made weak enough, also before the first step. */
static void joins_stably(void **state) {
  (void)state;
  static const char body[] = IMPLICIT "<UniformMass vertexMass='0.01'/>";
  for (int mapped = 0; mapped < 2; mapped++) {
    SceneRun run;
    Operations o;
    char text[3000];
    snprintf(text, sizeof text,
             HEAD "<Node name='a'><MechanicalObject name='state' position='0 0 0 0 1 0'/>%s"
                  "<Node name='copy'><MechanicalObject name='state'/><IdentityMapping/></Node>"
                  "</Node><Node name='b'><MechanicalObject name='state' position='3 0 0'/>%s"
                  "</Node></Node>",
             body, body);
    scene_open(&run, text);
    run.quiet = true;
    operations_init(&o);
    SofaState *first = scene_run_state(&run, mapped ? "/a/copy/state" : "/a/state");
    const PickAnchor a = pick_anchor_point(first, 0);
    const PickAnchor b = pick_anchor_point(scene_run_state(&run, "/b/state"), 0);
    assert_int_equal(operations_suture(&o, run.simulation, &a), SOFA_OK);
    assert_int_equal(operations_suture(&o, run.simulation, &b), SOFA_OK);
    // k dt^2 (1/m + 1/m) = 1/4
    assert_non_null(strstr(run.last, "12.5 N/m instead of 1e+04"));
    for (int i = 0; i < 600; i++) {
      scene_run_steps(&run, 1);
      assert_true(fabs(point(&run, "/b/state", 0)[0]) < 3.01);
    }
    assert_true(fabs(point(&run, "/a/state", 0)[0] - point(&run, "/b/state", 0)[0]) < 2);
    operations_release(&o, run.ctx);
    scene_run_close(&run);
  }
}

/* What nobody moves holds, by a spring that the other's solver knows. */
static void joins_to_what_stands(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    Operations o;
    scene_open(&run, HEAD "<Node name='a'>" IMPLICIT "<MechanicalObject name='state' position='0 0 "
                          "0'/><UniformMass vertexMass='0.01'/></Node><Node name='b'>"
                          "<MechanicalObject name='state' position='3 0 0'/></Node></Node>");
    operations_init(&o);
    const PickAnchor a = pick_anchor_point(scene_run_state(&run, "/a/state"), 0);
    const PickAnchor b = pick_anchor_point(scene_run_state(&run, "/b/state"), 0);
    assert_int_equal(operations_suture(&o, run.simulation, i ? &a : &b), SOFA_OK);
    assert_int_equal(operations_suture(&o, run.simulation, i ? &b : &a), SOFA_OK);
    scene_run_steps(&run, 300);
    assert_true(fabs(point(&run, "/a/state", 0)[0] - 3) < 1e-9);
    assert_true(fabs(point(&run, "/b/state", 0)[0] - 3) < 1e-15);
    operations_release(&o, run.ctx);
    scene_run_close(&run);
  }
}

/* The lips of a cut, or two places of one body: assembled and matrix-free agree. */
static void joins_places_of_a_body(void **state) {
  (void)state;
  double x[2][36];
  for (int direct = 0; direct < 2; direct++) {
    SceneRun run;
    Operations o;
    char text[3000];
    snprintf(text, sizeof text, HEAD "<Node name='a'>%s" SHEET "</Node></Node>",
             direct ? "<EulerImplicitSolver rayleighMass='0.5'/><SparseLDLSolver/>" : IMPLICIT);
    scene_open(&run, text);
    operations_init(&o);
    o.suture_stiffness = 20;
    const PickAnchor first = anchor_at(&run, 0.3, 0.6), second = anchor_at(&run, 2.6, 1.7);
    assert_int_equal(operations_suture(&o, run.simulation, &first), SOFA_OK);
    assert_int_equal(operations_suture(&o, run.simulation, &second), SOFA_OK);
    scene_run_steps(&run, 60);
    memcpy(x[direct], point(&run, "/a/state", 0), sizeof x[0]);
    double pa[3], pb[3];
    assert_true(pick_anchor_place(&first, pa) && pick_anchor_place(&second, pb));
    assert_true(sofa_vec3_distance(pa, pb) < 2.4);
    operations_release(&o, run.ctx);
    scene_run_close(&run);
  }
  for (int k = 0; k < 36; k++) assert_true(fabs(x[0][k] - x[1][k]) < 1e-9);
}

/* ---- removing ---- */

typedef struct Removal {
  const char *body;
  double x, y;
  const char *path; /* of the topology that loses an element */
  SofaElementKind kind;
  size_t before;
} Removal;

#define CUBE "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2' "
#define MASS "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"

static const Removal removals[] = {
    {SHEET, 0.7, 0.2, "/a/mesh", SOFA_ELEMENT_TRIANGLE, 12},
    {"<QuadSetTopologyContainer name='mesh' " SQUARES "quads='0 1 5 4 1 2 6 5 2 3 7 6'/>"
     "<QuadSetTopologyModifier/>" MASS,
     2.3, 0.4, "/a/mesh", SOFA_ELEMENT_QUAD, 3},
    {"<QuadSetTopologyContainer name='mesh' " SQUARES "quads='0 1 5 4 1 2 6 5 2 3 7 6'/>"
     "<QuadSetTopologyModifier/>" MASS "<Node name='skin'><TriangleSetTopologyContainer "
     "name='skin'/><TriangleSetTopologyModifier/><Quad2TriangleTopologicalMapping "
     "input='@../mesh' output='@skin'/><MechanicalObject name='copy'/><IdentityMapping/></Node>",
     2.3, 0.4, "/a/mesh", SOFA_ELEMENT_QUAD, 3},
    {"<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
     "tetrahedra='0 1 2 3 1 4 2 3'/><TetrahedronSetTopologyModifier/>" MASS,
     0.2, 0.2, "/a/mesh", SOFA_ELEMENT_TETRA, 2},
    {"<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
     "tetrahedra='0 1 2 3 1 4 2 3'/><TetrahedronSetTopologyModifier/>" MASS
     "<Node name='skin'><TriangleSetTopologyContainer name='skin'/><TriangleSetTopologyModifier/>"
     "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@skin'/>"
     "<MechanicalObject name='copy'/><IdentityMapping/></Node>",
     0.2, 0.2, "/a/mesh", SOFA_ELEMENT_TETRA, 2},
    {"<HexahedronSetTopologyContainer name='mesh' " CUBE "hexahedra='0 1 2 3 4 5 6 7 4 5 6 7 8 9 "
     "10 11'/><HexahedronSetTopologyModifier/>" MASS
     "<Node name='skin'><QuadSetTopologyContainer name='skin'/><QuadSetTopologyModifier/>"
     "<Hexa2QuadTopologicalMapping input='@../mesh' output='@skin'/>"
     "<Node name='triangles'><TriangleSetTopologyContainer name='skin'/>"
     "<TriangleSetTopologyModifier/><Quad2TriangleTopologicalMapping input='@../skin' "
     "output='@skin'/></Node></Node>",
     0.3, 0.4, "/a/mesh", SOFA_ELEMENT_HEXA, 2},
};

static void open_body(SceneRun *run, const char *body) {
  char text[4000];
  snprintf(text, sizeof text, HEAD "<Node name='a'>" IMPLICIT "%s</Node></Node>", body);
  scene_open(run, text);
}

static void removes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof removals / sizeof *removals; i++) {
    const Removal *r = &removals[i];
    SceneRun run;
    open_body(&run, r->body);
    const SofaTopology *t = (SofaTopology *)scene_run_object(&run, r->path);
    assert_int_equal(sofa_mesh_elements(&t->mesh, r->kind).n, r->before);
    // one after the other goes, until nothing is below the mouse
    size_t left = r->before;
    for (PickHit hit = pick_at(&run, r->x, r->y); hit.state && left > 0;
         hit = pick_at(&run, r->x, r->y)) {
      if (operations_remove(run.simulation, &hit) != SOFA_OK) fail_msg("case %zu: %s", i, run.last);
      left--;
      assert_int_equal(sofa_mesh_elements(&t->mesh, r->kind).n, left);
      scene_run_steps(&run, 1);
    }
    assert_true(left < r->before);
    scene_run_close(&run);
  }
}

/* From the skin, as where only that can be met. */
static void removes_below_the_skin(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run, removals[5].body);
  SofaTopology *skin = (SofaTopology *)scene_run_object(&run, "/a/skin/triangles/skin");
  const SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/a/mesh");
  assert_int_equal(skin->mesh.triangles.n, 20);
  PickHit hit = {.state = scene_run_state(&run, "/a/state"),
                 .topology = skin,
                 .kind = SOFA_ELEMENT_TRIANGLE,
                 .element = 0};
  const SofaTriangle first = skin->mesh.triangles.data[0];
  assert_int_equal(operations_remove(run.simulation, &hit), SOFA_OK);
  assert_int_equal(mesh->mesh.hexahedra.n, 1);
  assert_int_equal(skin->mesh.triangles.n, 12);
  (void)first;
  scene_run_steps(&run, 2);
  scene_run_close(&run);
}

/* ---- cutting ---- */

static int n_pieces(const SofaTopology *t) {
  uint32_t up[200];
  int n = 0;
  assert_true(t->n_points <= 200);
  for (uint32_t i = 0; i < t->n_points; i++) up[i] = i;
  for (size_t i = 0; i < 2 * t->mesh.triangles.n; i++) {
    const uint32_t *v = t->mesh.triangles.data[i / 2].v;
    uint32_t a = v[i % 2], b = v[i % 2 + 1];
    while (up[a] != a) a = up[a];
    while (up[b] != b) b = up[b];
    up[a] = b;
  }
  for (uint32_t i = 0; i < t->n_points; i++) n += up[i] == i;
  return n;
}

static void cuts_from_click_to_click(void **state) {
  (void)state;
  SceneRun run;
  Operations o;
  size_t doubled = 7;
  open_body(&run, SHEET);
  operations_init(&o);
  const SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/a/mesh");
  PickHit hit = pick_at(&run, 1.5, 0.02);
  assert_int_equal(operations_incise(&o, run.simulation, &hit, &doubled), SOFA_OK);
  assert_int_equal(doubled, 0);
  assert_int_equal(mesh->mesh.triangles.n, 12);
  scene_run_steps(&run, 3);
  hit = pick_at(&run, 1.4, 1.3);
  assert_int_equal(operations_incise(&o, run.simulation, &hit, &doubled), SOFA_OK);
  assert_true(doubled >= 2 && mesh->mesh.triangles.n > 12);
  const size_t before = scene_run_state(&run, "/a/state")->position.n;
  scene_run_steps(&run, 3);
  // to the other side: two pieces that move apart
  hit = pick_at(&run, 1.5, 1.99);
  assert_int_equal(operations_incise(&o, run.simulation, &hit, &doubled), SOFA_OK);
  assert_true(doubled >= 1);
  assert_true(scene_run_state(&run, "/a/state")->position.n > before);
  assert_int_equal(n_pieces(mesh), 2);
  scene_run_steps(&run, 3);
  // a click beside it ends the path
  run.quiet = true;
  hit = pick_at(&run, 9, 9);
  assert_int_not_equal(operations_incise(&o, run.simulation, &hit, &doubled), SOFA_OK);
  assert_null(o.cut);
  operations_release(&o, run.ctx);
  scene_run_close(&run);
}

/* ---- springs and changes ---- */

/* A spring keeps its place when points get other numbers, and lets go when they go. */
static void springs_follow(void **state) {
  (void)state;
  SceneRun run;
  Operations o;
  Pull pull = {0};
  open_body(&run, SHEET);
  operations_init(&o);
  const PickAnchor far_end = anchor_at(&run, 2.9, 1.95), near_end = anchor_at(&run, 0.02, 0.01);
  assert_int_equal(operations_fix(&o, run.simulation, &far_end), SOFA_OK);
  assert_int_equal(operations_fix(&o, run.simulation, &near_end), SOFA_OK);
  assert_int_equal(pull_begin(&pull, run.simulation, &far_end, 1, 50), SOFA_OK);
  assert_int_equal(operations_suture(&o, run.simulation, &far_end), SOFA_OK);
  assert_int_equal(operations_held(&o), 2);
  // the last point takes the number of the first one
  PickHit hit = pick_at(&run, 0.1, 0.4);
  assert_int_equal(operations_remove(run.simulation, &hit), SOFA_OK);
  hit = pick_at(&run, 0.4, 0.1);
  assert_int_equal(operations_remove(run.simulation, &hit), SOFA_OK);
  assert_int_equal(scene_run_state(&run, "/a/state")->position.n, 11);
  assert_int_equal(operations_held(&o), 1);
  // at rest: had the springs other points now, these would be drawn to the corner
  scene_run_steps(&run, 30);
  const SofaState *s = scene_run_state(&run, "/a/state");
  for (size_t i = 0; i < 33; i++)
    assert_true(fabs(s->position.data[i] - s->rest_position.data[i]) < 1e-9);
  const PickAnchor middle = anchor_at(&run, 1.5, 1.5);
  assert_int_equal(operations_suture(&o, run.simulation, &middle), SOFA_OK);
  assert_int_equal(operations_held(&o), 2);
  scene_run_steps(&run, 3);
  pull_end(&pull);
  operations_release(&o, run.ctx);
  scene_run_steps(&run, 3);
  scene_run_close(&run);
}

/* ---- refusals ---- */

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *body, *removed, *cut; /* what is said */
  } rows[] = {
      {"<MeshTopology name='mesh' " SQUARES "triangles='0 1 5 0 5 4'/>" MASS,
       "MeshTopology 'mesh' cannot change",
       "cannot be cut: expected a TriangleSetTopologyContainer"},
      {"<TriangleSetTopologyContainer name='mesh' " SQUARES "triangles='0 1 5 0 5 4'/>" MASS,
       "cannot change: expected a ...SetTopologyContainer with", "cannot be cut"},
      {"<RegularGridTopology name='mesh' n='3 3 3' min='0 0 0' max='1 1 1'/>" MASS,
       "RegularGridTopology 'mesh' cannot change", "this one is of hexahedra"},
      {SHEET "<Node name='copy'><MechanicalObject/><SubsetMapping indices='0' "
             "handleTopologyChange='0'/></Node>",
       NULL, "SubsetMapping cannot update its data after topological changes"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    SceneRun run;
    Operations o;
    size_t doubled;
    open_body(&run, rows[i].body);
    operations_init(&o);
    run.quiet = true;
    scene_run_steps(&run, 1);
    const size_t n = scene_run_state(&run, "/a/state")->position.n;
    const PickHit hit = pick_at(&run, 0.7, 0.3);
    assert_non_null(hit.state);
    if (rows[i].removed &&
        (operations_remove(run.simulation, &hit) == SOFA_OK || !strstr(run.last, rows[i].removed)))
      fail_msg("expected '%s', found: %s", rows[i].removed, run.last);
    SofaErr err = operations_incise(&o, run.simulation, &hit, &doubled);
    const PickHit second = pick_at(&run, 2.7, 1.4);
    if (err == SOFA_OK) err = operations_incise(&o, run.simulation, &second, &doubled);
    if ((err == SOFA_OK || !strstr(run.last, rows[i].cut)))
      fail_msg("expected '%s', found: %s", rows[i].cut, run.last);
    assert_int_equal(scene_run_state(&run, "/a/state")->position.n, n);
    assert_int_equal(run.simulation->failure, SOFA_OK);
    scene_run_steps(&run, 2);
    operations_release(&o, run.ctx);
    scene_run_close(&run);
  }
}

static void refuses_nothing(void **state) {
  (void)state;
  SceneRun run;
  Operations o;
  size_t doubled;
  open_body(&run, SHEET);
  operations_init(&o);
  run.quiet = true;
  const PickHit none = {.state = NULL};
  const PickHit visual = {.state = scene_run_state(&run, "/a/state")};
  const PickAnchor nowhere = {.state = NULL}, here = anchor_at(&run, 1, 1);
  assert_int_not_equal(operations_remove(run.simulation, &none), SOFA_OK);
  assert_non_null(strstr(run.last, "cannot remove: the mouse is not over the surface of a body"));
  assert_int_not_equal(operations_remove(run.simulation, &visual), SOFA_OK);
  assert_non_null(strstr(run.last, "is not over an element of a topology"));
  assert_int_not_equal(operations_incise(&o, run.simulation, &none, &doubled), SOFA_OK);
  assert_int_not_equal(operations_fix(&o, run.simulation, &nowhere), SOFA_OK);
  assert_non_null(strstr(run.last, "cannot fix: there is nothing below the mouse that moves"));
  assert_int_not_equal(operations_suture(&o, run.simulation, &nowhere), SOFA_OK);
  assert_int_equal(operations_suture(&o, run.simulation, &here), SOFA_OK);
  assert_int_not_equal(operations_suture(&o, run.simulation, &nowhere), SOFA_OK);
  assert_null(o.sutured);
  assert_int_equal(operations_held(&o), 0);
  operations_release(&o, run.ctx);
  operations_release(&o, run.ctx);
  scene_run_close(&run);
}

static void buttons_are_the_scenes(void **state) {
  (void)state;
  SceneRun run;
  Operation b[N_MOUSE_BUTTONS];
  operations_of_scene(NULL, b);
  assert_int_equal(b[MOUSE_LEFT], OPERATION_ATTACH);
  assert_int_equal(b[MOUSE_MIDDLE], OPERATION_INCISE);
  assert_int_equal(b[MOUSE_RIGHT], OPERATION_REMOVE);
  scene_open(&run, HEAD "<AttachBodyButtonSetting button='Right'/>"
                        "<FixPickedParticleButtonSetting button='Middle'/></Node>");
  operations_of_scene(run.simulation, b);
  assert_int_equal(b[MOUSE_RIGHT], OPERATION_ATTACH);
  assert_int_equal(b[MOUSE_MIDDLE], OPERATION_FIX);
  scene_run_close(&run);
  assert_int_equal(operation_of_word("suture"), OPERATION_SUTURE);
  assert_int_equal(operation_of_word("fly"), N_OPERATIONS);
  assert_string_equal(operation_word(OPERATION_INCISE), "incise");
}

/* ---- memory ---- */

static SofaErr try_pick(SceneRun *run, double x, double y, PickHit *hit) {
  const PickRay ray = {.origin = {x, y, 10}, .direction = {0, 0, -1}, .what = PICK_BODIES};
  return pick_ray(run->simulation->root, &ray, hit);
}

/* false: a request for memory failed. */
static bool work(SceneRun *run, const PickAnchor *a, const PickAnchor *b) {
  Operations o;
  PickHit hit;
  size_t doubled;
  operations_init(&o);
  bool good = operations_fix(&o, run->simulation, a) == SOFA_OK;
  good = operations_suture(&o, run->simulation, a) == SOFA_OK && good;
  good = good && operations_suture(&o, run->simulation, b) == SOFA_OK;
  for (int i = 0; i < 2; i++)
    good = good && try_pick(run, 1.5, i ? 1.3 : 0.01, &hit) == SOFA_OK &&
           operations_incise(&o, run->simulation, &hit, &doubled) == SOFA_OK;
  good = good && try_pick(run, 2.8, 0.1, &hit) == SOFA_OK &&
         operations_remove(run->simulation, &hit) == SOFA_OK;
  operations_release(&o, run->ctx);
  return good;
}

static void memory_may_run_out(void **state) {
  (void)state;
  bool done = false;
  char text[4000];
  snprintf(text, sizeof text, HEAD "<Node name='a'>" IMPLICIT "%s</Node></Node>", SHEET);
  for (uint64_t fail_at = 1; !done; fail_at++) {
    FailingAllocator allocator = {0};
    SceneRun run;
    const SofaContextOptions options = {.allocate = failing_allocate, .allocate_user = &allocator};
    scene_run_open(&run, text, &options);
    run.quiet = true;
    const PickAnchor a = anchor_at(&run, 0.3, 0.2), b = anchor_at(&run, 2.3, 1.2);
    allocator.fail_at = allocator.calls + fail_at;
    const bool good = work(&run, &a, &b);
    done = allocator.calls < allocator.fail_at;
    if (done != good) fail_msg("request %u: done %d, good %d", (unsigned)fail_at, done, good);
    scene_run_close(&run);
    assert_int_equal(allocator.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixes),
      cmocka_unit_test(joins_two_bodies),
      cmocka_unit_test(joins_stably),
      cmocka_unit_test(joins_to_what_stands),
      cmocka_unit_test(joins_places_of_a_body),
      cmocka_unit_test(removes),
      cmocka_unit_test(removes_below_the_skin),
      cmocka_unit_test(cuts_from_click_to_click),
      cmocka_unit_test(springs_follow),
      cmocka_unit_test(refuses),
      cmocka_unit_test(refuses_nothing),
      cmocka_unit_test(buttons_are_the_scenes),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
