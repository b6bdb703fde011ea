/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contacts by Lagrangian constraints: rows, violations, doubles, order, quirks. The scenes make no
 * steps: the tests give the detections, and build the rows, themselves. */
#include "tests/unit/collision/response_test.h"
#include "tests/unit/constraint/rows_test.h"

#define CONTACTS(response, a, b)                                                                   \
  "<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"                \
  "<CollisionResponse name='r' response='" response "'/>"                                          \
  "<Node name='a'>" a "</Node><Node name='b'>" b "</Node></Node>"
#define POINTS(name, x)                                                                            \
  "<MechanicalObject name='s' position='" x "'/><PointCollisionModel name='" name "'/>"
#define SPHERES(name, kind, x)                                                                     \
  "<MechanicalObject name='s' template='" kind "' position='" x "'/>"                              \
  "<SphereCollisionModel name='" name "' radius='0.5'/>"
#define LINES(name, x)                                                                             \
  "<MeshTopology edges='0 1'/><MechanicalObject name='s' position='" x "'/>"                       \
  "<LineCollisionModel name='" name "'/>"
#define TRIANGLES(name, x)                                                                         \
  "<MeshTopology triangles='0 1 2'/><MechanicalObject name='s' position='" x "'/>"                 \
  "<TriangleCollisionModel name='" name "'/>"

typedef struct Touch {
  Rows rows;
  SofaCollisionModel *model[4];
  SofaIntersection method;
} Touch;

static void open_touch(Touch *t, const char *scene, const char *quirks) {
  SofaContextOptions options = {.quirk_words = quirks};
  int n = 0;
  memset(t, 0, sizeof *t);
  scene_run_open(&t->rows.run, scene, &options);
  SofaNode *root = t->rows.run.simulation->root;
  for (size_t i = 0; i < root->children.n; i++)
    for (size_t k = 0; k < root->children.data[i]->objects.n; k++) {
      SofaObject *object = root->children.data[i]->objects.data[k];
      if (sofa_implements(object, SOFA_COLLISION_MODEL) && n < 4)
        t->model[n++] = (SofaCollisionModel *)object;
    }
  t->method = (SofaIntersection){.alarm_distance = 1, .contact_distance = 0.1};
}

static void find(Touch *t, SofaDetection *found, size_t n) {
  SofaModelContact pair = {.model = {t->model[0], t->model[1]},
                           .detections = {.data = found, .n = n}};
  contact_respond(t->rows.run.simulation->root, &t->method, &pair, n > 0);
}

static SofaState *state_of(Touch *t, int end) {
  return t->model[end]->state;
}

/* Free positions of the first points. */
static void set_free(SofaState *s, double x, double y, double z) {
  sofa_vec3_set(s->free_position.data, x, y, z);
}

/* ---- violations ---- */

typedef struct ViolationCase {
  double p, free[3], d[3];
} ViolationCase;

/* Q = Qf = 0, n = z, t = x, s = y, D = 0.1. */
static void violations(void **state) {
  (void)state;
  static const ViolationCase cases[] = {
      {0.3, {0.2, 0.1, -0.1}, {-0.2, 0.1, 0.05}}, {0.05, {0.2, 0.1, -0.1}, {-0.2, 0.2, 0.1}},
      {0.3, {0.2, 0.1, 0.2}, {0.1, 0, 0}},        {0.3, {0.2, 0.1, 0.29999}, {0.19999, 0.2, 0.1}},
      {0.1, {0.2, 0.1, 0.1}, {0, 0.2, 0.1}},
  };
  for (int mu = 0; mu < 2; mu++) {
    Touch t;
    open_touch(
        &t,
        mu ? CONTACTS("FrictionContactConstraint", POINTS("p", "0 0 0"), POINTS("q", "0 0 1"))
           : CONTACTS("FrictionContactConstraint?mu=0", POINTS("p", "0 0 0"), POINTS("q", "0 0 1")),
        NULL);
    for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
      double *x = state_of(&t, 1)->position.data;
      const double origin[3] = {0, 0, 0};
      x[2] = cases[i].p;
      SofaDetection found = contact_detection(0, 0, origin, x, 0.1);
      find(&t, &found, 1);
      rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
      set_free(state_of(&t, 1), cases[i].free[0], cases[i].free[1], cases[i].free[2]);
      rows_violations(&t.rows, t.rows.problem.violation.data);
      rows_expect(&t.rows, cases[i].d, mu ? 3 : 1, 1e-14);
      const SofaConstraintBlock *b = &t.rows.problem.blocks.data[0];
      assert_true(b->law == (mu ? &sofa_law_friction : &sofa_law_unilateral));
      assert_true(b->friction == (mu ? 0.8 : 0));
    }
    rows_close(&t.rows);
  }
}

/* d = (v + gap / dt) . n, v . t, v . s */
static void velocities(void **state) {
  (void)state;
  static const double d[] = {4 + (0.3 - 0.1) / 0.5, 2, 3};
  Touch t;
  open_touch(&t,
             CONTACTS("FrictionContactConstraint", POINTS("p", "0 0 0"), POINTS("q", "0 0 0.3")),
             NULL);
  SofaDetection found =
      contact_detection(0, 0, state_of(&t, 0)->position.data, state_of(&t, 1)->position.data, 0.1);
  find(&t, &found, 1);
  rows_build(&t.rows, SOFA_CONSTRAIN_VELOCITIES, 0.5);
  sofa_vec3_set(state_of(&t, 1)->free_velocity.data, 2, 3, 4);
  rows_violations(&t.rows, t.rows.problem.violation.data);
  rows_expect(&t.rows, d, 3, 1e-14);
  rows_close(&t.rows);
}

/* ---- rows ---- */

/* On every kind of element. */
static void jacobians(void **state) {
  (void)state;
  static const char *const scenes[] = {
#define ALL(response)                                                                              \
  CONTACTS(response, POINTS("p", "0 0 0 1 0 0"), POINTS("q", "0.1 0.2 0.05 1 0.2 0.1")),           \
      CONTACTS(response, TRIANGLES("p", "0 0 0 2 0 0.1 0 2 0.2"), POINTS("q", "0.5 0.4 0.05")),    \
      CONTACTS(response, LINES("p", "0 0 0 2 0 0.1"), LINES("q", "0.5 -1 0.05 0.7 1 0.08")),       \
      CONTACTS(response, TRIANGLES("p", "0 0 0 2 0 0.1 0 2 0.2"),                                  \
               SPHERES("q", "Rigid3d", "0.5 0.4 0.3 0.6 0 0 0.8")),                                \
      CONTACTS(response, SPHERES("p", "Rigid3d", "0 0 0 0 0 0 1 1 2 1 0 0.8 0 0.6"),               \
               SPHERES("q", "Rigid3d", "0.5 0.4 0.3 0.6 0 0 0.8")),                                \
      CONTACTS(response, SPHERES("p", "Vec3d", "0 0 0 0.6 0 0"), POINTS("q", "0.5 0.4 0.05"))
      ALL("FrictionContactConstraint"), ALL("AugmentedLagrangianResponseConstraint?mu=0.3"),
      ALL("StickContactConstraint")};
  for (size_t i = 0; i < SOFA_COUNT(scenes); i++)
    for (int order = 0; order < 2; order++) {
      Touch t;
      open_touch(&t, scenes[i], NULL);
      contact_touch_all(&t.rows.run);
      rows_build(&t.rows, order ? SOFA_CONSTRAIN_VELOCITIES : SOFA_CONSTRAIN_POSITIONS, 0.1);
      rows_check_jacobian(&t.rows, scenes[i]);
      rows_close(&t.rows);
    }
}

/* A sphere that turns by 90 degrees about x in the free motion; the place is its lowest point. */
static void arms(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.05};
    open_touch(&t,
               CONTACTS("FrictionContactConstraint", POINTS("p", "0 0 0"),
                        SPHERES("q", "Rigid3d", "0 0 0.55 0 0 0 1")),
               quirk ? "contact-free-arms" : NULL);
    SofaDetection found = contact_detection(0, 0, p, q, 0.1);
    find(&t, &found, 1);
    assert_int_equal(sofa_state_want_free(state_of(&t, 1)), SOFA_OK);
    double *turn = state_of(&t, 1)->free_position.data + 3;
    turn[0] = turn[3] = sqrt(0.5);
    rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
    const SofaConstrainedState *s = sofa_constrained_state(&t.rows.problem, state_of(&t, 1));
    const double arm = -0.5 - 0.0; /* along z now, along y in the free motion: R(0, 0, -a) */
    const double torque_x = rows_entry(s, 0, 3);
    if (quirk) assert_true(fabs(torque_x - -arm) <= 0.1);
    else assert_true(fabs(torque_x - 0) <= 1e-15);
    rows_close(&t.rows);
  }
}

/* Unit vectors that are a frame, for every normal. SOFA's are not for (1, 1, 1). */
static void tangents(void **state) {
  (void)state;
  static const double normals[][3] = {{0, 0, 1},    {0, 1, 0},  {1, 0, 0},      {1, 1, 1},
                                      {-1, -1, -1}, {1, 2, -3}, {0.3, 0.3, 0.1}};
  for (size_t i = 0; i < SOFA_COUNT(normals); i++)
    for (int quirk = 0; quirk < 2; quirk++) {
      Touch t;
      double n[3], j[3][3];
      const double origin[3] = {0, 0, 0};
      open_touch(&t,
                 CONTACTS("FrictionContactConstraint", POINTS("p", "0 0 0"), POINTS("q", "0 0 1")),
                 quirk ? "contact-tangents" : NULL);
      sofa_vec3_copy(normals[i], n);
      SofaDetection found = contact_detection(0, 0, origin, n, 0.1);
      find(&t, &found, 1);
      rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
      const SofaConstrainedState *s = sofa_constrained_state(&t.rows.problem, state_of(&t, 1));
      for (uint32_t r = 0; r < 3; r++)
        for (uint32_t k = 0; k < 3; k++) j[r][k] = rows_entry(s, r, k);
      const bool bad = quirk && n[0] == n[1] && n[1] == n[2];
      if (bad != isnan(j[1][0])) fail_msg("normal %zu, quirk %d: %g", i, quirk, j[1][0]);
      for (int a = 0; a < 3 && !bad; a++)
        for (int b = 0; b < 3; b++)
          assert_true(fabs(sofa_vec3_dot(j[a], j[b]) - (a == b)) <= 1e-14);
      if (i == 0) assert_true(j[1][0] == 1 && j[2][1] == 1);
      if (i == 1 && quirk) assert_true(j[1][2] == 1 && j[2][0] == 1);
      rows_close(&t.rows);
    }
}

/* ---- detections ---- */

#define TWO_POINTS(response) CONTACTS(response, POINTS("p", "0 0 0"), POINTS("q", "0 0 0.3"))

/* Detections at the same places are one contact, the first; those that are 1e-4 apart are two. */
static void doubles(void **state) {
  (void)state;
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.3}, q1[3] = {5e-5, 0, 0.3}, q2[3] = {2e-4, 0, 0.3};
  Touch t;
  open_touch(&t, TWO_POINTS("FrictionContactConstraint?mu=0"), NULL);
  SofaDetection found[] = {contact_detection(0, 0, p, q, 0.1), contact_detection(0, 0, p, q1, 0.1),
                           contact_detection(0, 0, p, q2, 0.1)};
  find(&t, found, 3);
  rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
  assert_int_equal(t.rows.problem.n, 2);
  find(&t, NULL, 0);
  rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
  assert_int_equal(t.rows.problem.n, 0);
  rows_close(&t.rows);
}

static void without_stiffness(void **state) {
  (void)state;
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.3};
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    open_touch(&t, TWO_POINTS("FrictionContactConstraint"),
               quirk ? "contact-without-stiffness" : NULL);
    t.model[0]->stiffness = 0;
    t.rows.run.quiet = true;
    SofaDetection found = contact_detection(0, 0, p, q, 0.1);
    find(&t, &found, 1);
    rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
    assert_int_equal(t.rows.problem.n, quirk ? 0 : 3);
    assert_true(!quirk || strstr(t.rows.run.last, "contactStiffness 0"));
    rows_close(&t.rows);
  }
}

static int64_t next_id(Touch *t, int64_t id) {
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.3};
  SofaDetection found = contact_detection(0, 0, p, q, 0.1);
  found.id = id;
  find(t, &found, id >= 0);
  rows_build(&t->rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
  return t->rows.problem.n ? t->rows.problem.blocks.data[0].id : 0;
}

/* The first id of a contact object is another one than the later ones, unless it is 0 for the first
 * object of the scene; again after the models have parted, and as at the beginning after a reset.
 */
static void late_ids(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    open_touch(&t, TWO_POINTS("FrictionContactConstraint"), quirk ? "contact-late-ids" : NULL);
    const int64_t first = next_id(&t, 5), second = next_id(&t, 5);
    assert_true((first == second) == !quirk);
    assert_true(second == next_id(&t, 5) && second != next_id(&t, 6));
    next_id(&t, -1);
    assert_true((next_id(&t, 0) == next_id(&t, 0)) == !quirk);
    assert_int_equal(sofa_simulation_reset(t.rows.run.simulation), SOFA_OK);
    assert_true(next_id(&t, 0) == next_id(&t, 0));
    rows_close(&t.rows);
  }
}

static void augmented_cone(void **state) {
  (void)state;
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.3};
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    open_touch(&t, TWO_POINTS("AugmentedLagrangianResponseConstraint?mu=0.4&amp;epsilon=5"),
               quirk ? "augmented-cone" : NULL);
    SofaDetection found = contact_detection(0, 0, p, q, 0.1);
    find(&t, &found, 1);
    rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
    const SofaConstraintBlock *b = &t.rows.problem.blocks.data[0];
    assert_true(b->law == (quirk ? &sofa_law_augmented_open : &sofa_law_augmented));
    assert_true(b->epsilon == 5 && b->friction == 0.4);
    rows_close(&t.rows);
  }
}

/* Contacts keep the way between their places; in SOFA each detection makes them again. The last
 * ones stay when the models part. */
static void sticks(void **state) {
  (void)state;
  static const double zero[3], moved[] = {0.2, 0, 0};
  const double p[3] = {0, 0, 0};
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    open_touch(&t, TWO_POINTS("StickContactConstraint"), quirk ? "stick-constraint-remade" : NULL);
    double *x = state_of(&t, 1)->position.data;
    for (int step = 0; step < 2; step++, x[0] += 0.2) {
      SofaDetection found = contact_detection(0, 0, p, x, 0.1);
      find(&t, &found, 1);
      rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
      rows_stay(&t.rows);
      rows_violations(&t.rows, t.rows.problem.violation.data);
      rows_expect(&t.rows, step && !quirk ? moved : zero, 3, 1e-14);
    }
    find(&t, NULL, 0);
    rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
    assert_int_equal(t.rows.problem.n, 3);
    rows_close(&t.rows);
  }
}

/* ---- forces ---- */

static void reports(void **state) {
  (void)state;
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.3}, lambda[] = {2, 3, 4};
  Touch t;
  SofaContactReports out = {0};
  open_touch(&t, TWO_POINTS("FrictionContactConstraint"), NULL);
  SofaDetection found = contact_detection(0, 0, p, q, 0.1);
  find(&t, &found, 1);
  rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
  SofaLagrangian *c = t.rows.constraint[0];
  const SofaContactOps *ops = sofa_ops(&c->object, SOFA_CONTACT);
  assert_int_equal(c->ops->solved(c, &t.rows.problem, lambda), SOFA_OK);
  assert_int_equal(ops->report(&c->object, &out), SOFA_OK);
  assert_int_equal(out.n, 1);
  assert_true(fabs(out.data[0].force[0] - 30) <= 1e-12);
  assert_true(fabs(out.data[0].force[1] - 40) <= 1e-12);
  assert_true(fabs(out.data[0].force[2] - 20) <= 1e-12);
  assert_true(fabs(out.data[0].gap - 0.2) <= 1e-14);
  sofa_list_free(t.rows.run.ctx, &out);
  rows_close(&t.rows);
}

/* ---- the graph ---- */

#define FOUR                                                                                       \
  "<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"                \
  "<CollisionResponse name='r' response='FrictionContactConstraint'/>"                             \
  "<Node name='a'>" POINTS("m0", "0 0 0") "</Node><Node name='b'>" POINTS(                         \
      "m1", "0 0 1") "</Node><Node name='c'>" POINTS("m2", "0 0 2") "</Node><Node "                \
                                                                    "name='d'>" POINTS(            \
                                                                        "m3",                      \
                                                                        "0 0 3") "</Node></Node>"

static void touch_pairs(Touch *t, const int (*pairs)[2], size_t n) {
  SofaModelContact contacts[4];
  SofaDetection found[4];
  for (size_t i = 0; i < n; i++) {
    SofaCollisionModel *m[2] = {t->model[pairs[i][0]], t->model[pairs[i][1]]};
    found[i] = contact_detection(0, 0, m[0]->state->position.data, m[1]->state->position.data, 0.1);
    contacts[i] =
        (SofaModelContact){.model = {m[0], m[1]}, .detections = {.data = &found[i], .n = 1}};
  }
  contact_respond(t->rows.run.simulation->root, &t->method, contacts, n);
}

/* The names of the constraints with rows, in their order. */
static void check_order(Touch *t, const char *expected) {
  char text[200] = "";
  rows_build(&t->rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
  for (size_t i = 0; i < t->rows.n_constraints; i++)
    if (t->rows.constraint[i]->n_rows) {
      strcat(text, t->rows.constraint[i]->object.name);
      strcat(text, " ");
    }
  assert_string_equal(text, expected);
}

/* With the quirk, models have numbers in the order of their comparisons. First: the pair 3-2 alone
 * is compared with nothing; 1-0 gets 0 for m0, 1 for m1, then 3-2 gets 2 and 3. After the reset:
 * m2 0, m3 1, m1 2, m0 3. */
static void order(void **state) {
  (void)state;
  static const int first[][2] = {{3, 2}, {1, 0}, {2, 1}}, second[][2] = {{2, 1}, {3, 2}, {1, 0}};
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    open_touch(&t, FOUR, quirk ? "contact-order,explicit-contacts" : "explicit-contacts");
    touch_pairs(&t, first, 3);
    check_order(&t, "m1-m0 m2-m1 m3-m2 ");
    touch_pairs(&t, first, 1);
    check_order(&t, "m3-m2 ");
    assert_int_equal(sofa_simulation_reset(t.rows.run.simulation), SOFA_OK);
    touch_pairs(&t, second, 3);
    check_order(&t, quirk ? "m2-m1 m3-m2 m1-m0 " : "m1-m0 m2-m1 m3-m2 ");
    rows_close(&t.rows);
  }
}

/* With the quirk, contacts with a body that is not simulated come first in a node. */
static void order_of_groups(void **state) {
  (void)state;
  static const int pairs[][2] = {{0, 2}, {1, 2}};
  for (int quirk = 0; quirk < 2; quirk++) {
    Touch t;
    open_touch(
        &t,
        "<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"
        "<CollisionResponse name='r' response='FrictionContactConstraint'/>" POINTS(
            "m0",
            "0 0 0") "<Node name='b'>" POINTS("m1",
                                              "0 0 1") "</Node><Node name='c'>" POINTS("m2",
                                                                                       "0 0 2") "</"
                                                                                                "No"
                                                                                                "de"
                                                                                                "><"
                                                                                                "/N"
                                                                                                "od"
                                                                                                "e"
                                                                                                ">",
        quirk ? "contact-order,explicit-contacts" : "explicit-contacts");
    t.model[2] = (SofaCollisionModel *)sofa_node_object(t.rows.run.simulation->root, "m0");
    t.model[1]->simulated = false;
    touch_pairs(&t, pairs, 2);
    check_order(&t, quirk ? "m2-m0 m1-m0 " : "m1-m0 m2-m0 ");
    rows_close(&t.rows);
  }
}

/* The solvers' plans stay when contacts by constraints come and go. */
static void plans_stay(void **state) {
  (void)state;
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.3};
  Touch t;
  open_touch(&t,
             CONTACTS("FrictionContactConstraint",
                      "<EulerImplicitSolver/><CGLinearSolver iterations='5' tolerance='1e-9' "
                      "threshold='1e-9'/>" POINTS("p", "0 0 0") "<UniformMass totalMass='1'/>",
                      POINTS("q", "0 0 0.3")),
             NULL);
  scene_run_steps(&t.rows.run, 1);
  SofaNode *a = t.model[0]->object.node;
  const uint64_t plans = a->n_plans, version = *a->graph_version;
  SofaDetection found = contact_detection(0, 0, p, q, 0.1);
  find(&t, &found, 1);
  assert_true(*a->graph_version != version);
  scene_run_steps(&t.rows.run, 1);
  assert_true(a->n_plans == plans);
  SofaContactManager *m = (SofaContactManager *)sofa_node_object(t.rows.run.simulation->root, "r");
  m->ops->clear(m);
  assert_non_null(a->mechanics);
  scene_run_steps(&t.rows.run, 1);
  assert_true(a->n_plans == plans);
  rows_close(&t.rows);
}

/* Contacts by forces stay after a reset: the next detection is within a step, in which the plans
 * of the solvers are in use. */
static void reset_in_a_loop(void **state) {
  (void)state;
  SceneRun run;
  double first[3], second[3];
  scene_run_open(
      &run,
      "<Node name='root' dt='0.01'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"
      "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<MinProximityIntersection alarmDistance='0.5' contactDistance='0.3'/>"
      "<CollisionResponse response='PenalityContactForceField'/>"
      "<Node name='a'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' "
      "threshold='1e-9'/>" POINTS("p", "0 0 0") "<UniformMass totalMass='1'/></Node>"
                                                "<Node name='b'>" POINTS(
                                                    "q", "0 0.2 0") "</Node></Node>",
      NULL);
  for (int k = 0; k < 2; k++) {
    scene_run_steps(&run, 3);
    memcpy(k ? second : first, scene_run_state(&run, "/a/s")->position.data, sizeof first);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  assert_memory_equal(first, second, sizeof first);
  scene_run_close(&run);
}

/* A loop that does not solve them is named. */
static void without_loop(void **state) {
  (void)state;
  Hand h;
  hand_open(&h,
            SCENE("<CollisionResponse name='r' response='FrictionContactConstraint'/>", POINT("p"),
                  POINT("q")),
            NULL);
  h.run.quiet = true;
  touch(&h, "01");
  touch(&h, "01");
  assert_int_equal(h.run.n_problems, 1);
  assert_non_null(strstr(h.run.last, "p-q: it has no effect: DefaultAnimationLoop"));
  scene_run_close(&h.run);
}

/* A contact is the one with its id, wherever the next detection lists it. */
static void sticks_by_ids(void **state) {
  (void)state;
  static const double zero[6], moved[] = {0.2, 0, 0, 0.2, 0, 0};
  static const double p[2][3] = {{0, 0, 0}, {1, 0, 0}};
  Touch t;
  open_touch(&t,
             CONTACTS("StickContactConstraint", POINTS("p", "0 0 0 1 0 0"),
                      POINTS("q", "0 0 0.3 1 0 0.3")),
             NULL);
  double *x = state_of(&t, 1)->position.data;
  for (int step = 0; step < 2; step++, x[0] += 0.2, x[3] += 0.2) {
    SofaDetection found[2];
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t i = step ? 1 - k : k;
      found[k] = contact_detection(i, i, p[i], x + 3 * i, 0.1);
      found[k].id = 7 + i;
    }
    find(&t, found, 2);
    rows_build(&t.rows, SOFA_CONSTRAIN_POSITIONS, 0.1);
    rows_stay(&t.rows);
    rows_violations(&t.rows, t.rows.problem.violation.data);
    rows_expect(&t.rows, step ? moved : zero, 6, 1e-14);
  }
  rows_close(&t.rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(violations),      cmocka_unit_test(velocities),
      cmocka_unit_test(jacobians),       cmocka_unit_test(arms),
      cmocka_unit_test(tangents),        cmocka_unit_test(doubles),
      cmocka_unit_test(late_ids),        cmocka_unit_test(without_stiffness),
      cmocka_unit_test(sticks),          cmocka_unit_test(sticks_by_ids),
      cmocka_unit_test(augmented_cone),  cmocka_unit_test(reports),
      cmocka_unit_test(order),           cmocka_unit_test(order_of_groups),
      cmocka_unit_test(plans_stay),      cmocka_unit_test(without_loop),
      cmocka_unit_test(reset_in_a_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
