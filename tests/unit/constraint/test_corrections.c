/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constraint corrections: W and the motion against the reference; what solvers without W get
 * against W; memory; messages. */
#include "tests/support/corrections.h"
#include "tests/support/gpl_parts.h"

/* Every class has a case. */
static void every_class(void **state) {
  (void)state;
  SceneRun run = {0};
  size_t n = 0;
  scene_run_context(&run, NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    bool found = false;
    if (!sofa_class_ops(klass, SOFA_CONSTRAINT_CORRECTION) || klass->abstract) continue;
    for (size_t k = 0; k < N_CASES && !found; k++)
      found = strstr(cases[k].correction, klass->name) != NULL;
    if (!found) fail_msg("%s has no case in this test", klass->name);
    n++;
  }
  assert_int_equal(n, 4);
  scene_run_close(&run);
}

static void compliance_is_that_of_motions(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++)
    for (int order = 0; order < 2; order++) {
      Setup s;
      double w[ROWS][ROWS], expected[ROWS][ROWS];
      open_setup(&s, cases[i].body, cases[i].correction, NULL);
      find_w(&s, (SofaConstraintOrder)order, w);
      reference(&s, cases[i].body, (SofaConstraintOrder)order, expected);
      same_matrix(cases[i].correction, w, expected);
      close_setup(&s);
    }
}

static void motion_is_w_lambda(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++)
    for (int order = 0; order < 2; order++) {
      Setup s;
      double w[ROWS][ROWS];
      open_setup(&s, cases[i].body, cases[i].correction, NULL);
      find_w(&s, (SofaConstraintOrder)order, w);
      SofaConstrainedState *moved = set_force(&s);
      assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
      assert_ptr_equal(moved->mover, &s.c->object);
      assert_int_equal(moved->motion.n, s.n);
      const double factor = order == SOFA_CONSTRAIN_POSITIONS ? moved->position : moved->velocity;
      for (size_t r = 0; r < ROWS; r++) {
        double d = 0;
        for (size_t k = 0; k < ROWS; k++) d += w[k][r] * lambda[k];
        near(cases[i].correction, factor * dot(s.n, s.j[r], moved->motion.data), d, largest(w));
      }
      close_setup(&s);
    }
}

/* Without rows the motion is 0. */
static void no_rows_no_motion(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++) {
    Setup s;
    open_setup(&s, cases[i].body, cases[i].correction, NULL);
    sofa_constraint_problem_clear(&s.problem);
    assert_int_equal(sofa_constraint_problem_add_state(&s.problem, s.state), SOFA_OK);
    SofaConstrainedState *moved = sofa_constrained_state(&s.problem, s.state);
    assert_int_equal(sofa_constrained_state_close(&s.problem, moved), SOFA_OK);
    assert_int_equal(s.c->ops->begin(s.c, &s.problem), SOFA_OK);
    assert_int_equal(s.c->ops->add_compliance(s.c, &s.problem, NULL), SOFA_OK);
    assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
    assert_int_equal(moved->motion.n, s.n);
    for (size_t k = 0; k < s.n; k++) assert_true(fabs(moved->motion.data[k]) <= 0);
    close_setup(&s);
  }
}

static void unbuilt_is_built(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++)
    for (int order = 0; order < 2; order++) {
      Setup s;
      Unbuilt u;
      double w[ROWS][ROWS], now[ROWS] = {0.1, 0, 0, 0.2, 0, 0.4, -0.3}, change[3] = {0.5, -1, 2};
      open_setup(&s, cases[i].body, cases[i].correction, NULL);
      find_w(&s, (SofaConstraintOrder)order, w);
      start_unbuilt(&s, now, &u);
      for (size_t b = 0; b < 3; b++) {
        const SofaConstraintBlock *block = &s.problem.blocks.data[b];
        for (uint32_t r = 0; r < block->n; r++)
          for (uint32_t k = 0; k < block->n; k++)
            near(cases[i].correction, u.block[b][r * block->n + k],
                 w[block->first + k][block->first + r], largest(w));
      }
      check_displacement(cases[i].correction, &s, w, now);
      for (size_t b = 0; b < 3; b++) {
        const SofaConstraintBlock *block = &s.problem.blocks.data[b];
        s.c->ops->add_force(s.c, &s.problem, block, change);
        for (uint32_t r = 0; r < block->n; r++) now[block->first + r] += change[r];
        check_displacement(cases[i].correction, &s, w, now);
      }
      close_setup(&s);
    }
}

/* A direct solver gives a factor of W instead of W; a LU solver does not. */
static void a_factor_instead_of_w(void **state) {
  (void)state;
  for (int lu = 0; lu < 2 && !(lu && lacks_gpl_part("EigenSparseLU")); lu++) {
    const double none[ROWS] = {0};
    Setup s;
    Unbuilt u;
    open_setup(&s,
               lu ? "<EulerImplicitSolver name='s'/><EigenSparseLU name='ldl'/>" SPRINGS
                  : EULER SPRINGS,
               "<LinearSolverConstraintCorrection name='c'/>", NULL);
    double w[ROWS][ROWS];
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
    start_unbuilt(&s, none, &u);
    const SystemCorrection *c = (const SystemCorrection *)s.c;
    assert_true((c->unbuilt.w.n > 0) == (lu == 1) && (c->unbuilt.y.n_columns > 0) == (lu == 0));
    close_setup(&s);
  }
}

/* wire_optimization: blocks along the points of the state. */
static void wire_order(void **state) {
  (void)state;
  for (int on = 0; on < 2; on++) {
    char text[200];
    Setup s;
    Unbuilt u;
    uint32_t first, order[] = {0, 1, 2, 3};
    const double along[3] = {1, 0, 0}, none[4] = {0};
    static const size_t points[] = {3, 1, 2};
    snprintf(text, sizeof text,
             "<LinearSolverConstraintCorrection name='c' wire_optimization='%d'/>", on);
    open_setup(&s, EULER SPRINGS, text, NULL);
    SofaConstraintProblem *p = &s.problem;
    sofa_constraint_problem_clear(p);
    assert_int_equal(sofa_constraint_problem_add_state(p, s.state), SOFA_OK);
    for (size_t b = 0; b < 4; b++) {
      const SofaConstraintBlock one = {.n = 1};
      assert_int_equal(sofa_constraint_block(p, &one, &first), SOFA_OK);
      if (b != 1) /* of another state */
        assert_int_equal(sofa_constraint_entry(p, s.state, first, points[b > 1 ? b - 1 : 0], along),
                         SOFA_OK);
    }
    assert_int_equal(sofa_constrained_state_close(p, sofa_constrained_state(p, s.state)), SOFA_OK);
    assert_int_equal(s.c->ops->begin(s.c, p), SOFA_OK);
    double *blocks[4] = {u.d, u.d + 1, u.d + 2, u.d + 3};
    memset(&u, 0, sizeof u);
    assert_int_equal(s.c->ops->start(s.c, p, blocks, none), SOFA_OK);
    assert_false(s.c->ops->knows(s.c, p, &p->blocks.data[1]));
    assert_int_equal(s.c->ops->reorder(s.c, p, order), SOFA_OK);
    static const uint32_t expected[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 0}};
    assert_memory_equal(order, expected[on], sizeof order);
    close_setup(&s);
  }
}

/* ---- bodies ---- */

/* Three rows that hold a point at (1, 1.25, 1) from the centre of a body of 0.1 kg, m^2 of unit
 * inertia: W = h 10 ((1 + |r|^2) I - r r^T). */
static void point_on_a_body(void **state) {
  (void)state;
  static const double r[3] = {1, 1.25, 1}, h = 1e-3;
  static const char *const corrections[] = {
      "<UncoupledConstraintCorrection name='c'/>",
      "<UncoupledConstraintCorrection name='c' defaultCompliance='10'/>",
      "<UncoupledConstraintCorrection name='c' compliance='10 10 0 0 10 0 10'/>"};
  for (int i = 0; i < 6; i++) {
    Setup s;
    char text[1000];
    double w[9] = {0};
    snprintf(text, sizeof text,
             PLAIN_EULER "<MechanicalObject template='Rigid3d' name='state'/><UniformMass "
                         "totalMass='0.1'/>%s",
             corrections[i % 3]);
    /* with the quirk, defaultCompliance leaves rotations at 1: not of this body */
    if (i == 4) continue;
    load(&s, text, i < 3 ? NULL : "body-compliance");
    s.c = (SofaConstraintCorrection *)scene_run_object(&s.run, "/body/c");
    s.problem = (SofaConstraintProblem){.ctx = s.run.ctx, .dt = h};
    assert_int_equal(sofa_ode_solver_prepare(s.solver, &s.m), SOFA_OK);
    assert_int_equal(sofa_ode_solver_free_motion(s.solver, s.m, h), SOFA_OK);
    SofaConstraintProblem *p = &s.problem;
    uint32_t first;
    const SofaConstraintBlock block = {.n = 3};
    assert_int_equal(sofa_constraint_problem_add_state(p, s.state), SOFA_OK);
    assert_int_equal(sofa_constraint_block(p, &block, &first), SOFA_OK);
    for (uint32_t k = 0; k < 3; k++) {
      const double e[3] = {k == 0, k == 1, k == 2};
      const double value[6] = {e[0],
                               e[1],
                               e[2],
                               r[1] * e[2] - r[2] * e[1],
                               r[2] * e[0] - r[0] * e[2],
                               r[0] * e[1] - r[1] * e[0]};
      assert_int_equal(sofa_constraint_entry(p, s.state, k, 0, value), SOFA_OK);
    }
    assert_int_equal(sofa_constrained_state_close(p, sofa_constrained_state(p, s.state)), SOFA_OK);
    assert_int_equal(s.c->ops->begin(s.c, p), SOFA_OK);
    assert_int_equal(s.c->ops->add_compliance(s.c, p, w), SOFA_OK);
    static const double expected[9] = {0.035625, -0.0125, -0.01,   -0.0125, 0.03,
                                       -0.0125,  -0.01,   -0.0125, 0.035625};
    for (int k = 0; k < 9; k++) near(corrections[i % 3], w[k], expected[k], 1);
    close_setup(&s);
  }
}

/* The compliance of the rotations of body i, about axis k of the world: W of one row there. */
static double turning(const char *correction, const char *quirk, size_t i, size_t k) {
  Setup s;
  double w = 0, value[6] = {0};
  uint32_t first;
  const SofaConstraintBlock block = {.n = 1};
  open_setup(&s, PLAIN_EULER BODIES, correction, quirk);
  SofaConstraintProblem *p = &s.problem;
  value[k] = 1;
  sofa_constraint_problem_clear(p);
  p->order = SOFA_CONSTRAIN_VELOCITIES;
  assert_int_equal(sofa_constraint_problem_add_state(p, s.state), SOFA_OK);
  assert_int_equal(sofa_constraint_block(p, &block, &first), SOFA_OK);
  assert_int_equal(sofa_constraint_entry(p, s.state, 0, i, value), SOFA_OK);
  assert_int_equal(sofa_constrained_state_close(p, sofa_constrained_state(p, s.state)), SOFA_OK);
  assert_int_equal(s.c->ops->begin(s.c, p), SOFA_OK);
  assert_int_equal(s.c->ops->add_compliance(s.c, p, &w), SOFA_OK);
  close_setup(&s);
  return w;
}

/* Body 0 has turned x to y, y to z, z to x; the inverse of its inertia per mass about its own x is
 * 2 / (1 * 2 - 0.01). */
static void body_compliance_quirk(void **state) {
  (void)state;
  static const char word[] = "body-compliance";
  static const char by_mass[] = "<UncoupledConstraintCorrection name='c'/>";
  static const char by_default[] =
      "<UncoupledConstraintCorrection name='c' defaultCompliance='0.125'/>";
  static const char given[] =
      "<UncoupledConstraintCorrection name='c' compliance='0.5 1 0 0 2 0 3'/>";
  const double x = 2.0 / 1.99 / 2;
  near("mass", turning(by_mass, NULL, 0, 4), x, 10);
  near("mass, quirk", turning(by_mass, word, 0, 3), x, 10);
  near("mass, quirk", turning(by_mass, word, 1, 3), x, 10);
  near("default", turning(by_default, NULL, 0, 4), x / 4, 10);
  near("default", turning(by_default, NULL, 0, 1), 0.125, 10);
  near("default, quirk", turning(by_default, word, 0, 4), 1, 10);
  near("default, quirk", turning(by_default, word, 0, 1), 0.125, 10);
  near("given", turning(given, NULL, 0, 4), 1, 10);
  near("given", turning(given, NULL, 0, 5), 2, 10);
  near("given", turning(given, NULL, 0, 3), 3, 10);
  near("given, quirk", turning(given, word, 0, 3), 1, 10);
  near("given, quirk", turning(given, word, 0, 5), 3, 10);
}

/* A determinant that SOFA takes for 0 leaves a compliance of 1 there. */
static void small_bodies(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Setup s;
    double w[ROWS][ROWS], scale;
    open_setup(&s,
               PLAIN_EULER "<MechanicalObject template='Rigid3d' name='state'/>"
                           "<UniformMass vertexMass='1e-3 1 1e-3 0 0 0 1e-3 0 0 0 1e-3'/>",
               "<UncoupledConstraintCorrection name='c'/>", quirk ? "body-compliance" : NULL);
    find_w(&s, SOFA_CONSTRAIN_VELOCITIES, w);
    scale = quirk ? 1 : 1e6;
    near("small", w[0][0], 1e3 * dot(3, s.j[0], s.j[0]) + scale * dot(3, s.j[0] + 3, s.j[0] + 3),
         1e6);
    close_setup(&s);
  }
}

/* ---- warm steps ---- */

/* The second step with the same rows allocates nothing. */
static void no_allocation(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++) {
    Setup s;
    Unbuilt u;
    double w[ROWS][ROWS];
    size_t before = 0;
    open_setup(&s, cases[i].body, cases[i].correction, NULL);
    for (int step = 0; step < 3; step++) {
      if (step == 2) before = s.counter.calls;
      find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
      set_force(&s);
      assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
      start_unbuilt(&s, lambda, &u);
    }
    if (s.counter.calls != before) fail_msg("%s allocates in a step", cases[i].correction);
    close_setup(&s);
  }
}

/* ---- messages ---- */

typedef struct Wrong {
  const char *body, *message;
} Wrong;

static const Wrong wrong[] = {
    {FREE_POINTS "<UncoupledConstraintCorrection compliance='1'/>", "there is no ODE solver"},
    {FREE_POINTS LDL "<LinearSolverConstraintCorrection/>", "there is no ODE solver"},
    {FREE_POINTS LDL "<GenericConstraintCorrection/>", "there is no ODE solver"},
    {FREE_POINTS LDL "<PrecomputedConstraintCorrection/>", "there is no ODE solver"},
    {"<EulerExplicitSolver/>" FREE_POINTS "<LinearSolverConstraintCorrection/>",
     "there is no linear solver"},
    {"<EulerExplicitSolver/>" FREE_POINTS "<GenericConstraintCorrection/>",
     "there is no linear solver"},
    {"<EulerImplicitSolver/><CGLinearSolver name='cg' iterations='10' tolerance='1e-5' "
     "threshold='1e-5'/>" FREE_POINTS "<LinearSolverConstraintCorrection/>",
     "'cg' (CGLinearSolver) has no assembled matrix"},
    {"<EulerImplicitSolver/><CGLinearSolver name='cg' iterations='10' tolerance='1e-5' "
     "threshold='1e-5'/>" FREE_POINTS "<GenericConstraintCorrection/>",
     "'cg' (CGLinearSolver) has no assembled matrix"},
    {PLAIN_EULER FREE_POINTS "<UncoupledConstraintCorrection compliance='1 0 1 1'/>",
     "number 1 is 0: a compliance must be greater than 0"},
    {PLAIN_EULER FREE_POINTS "<UncoupledConstraintCorrection compliance='-1'/>",
     "number 0 is -1: a compliance must be greater than 0"},
    {PLAIN_EULER FREE_POINTS "<UncoupledConstraintCorrection compliance='1 2'/>",
     "2 numbers for 4 points"},
    {PLAIN_EULER FREE_POINTS "<UncoupledConstraintCorrection defaultCompliance='0'/>",
     "defaultCompliance"},
    {PLAIN_EULER BODIES "<UncoupledConstraintCorrection compliance='1 1 0 0 1 0'/>",
     "6 numbers: bodies need 7"},
    {PLAIN_EULER BODIES "<UncoupledConstraintCorrection compliance='1 1 0 0 0 0 1'/>",
     "number 4 is 0"},
    {PLAIN_EULER "<MechanicalObject template='Rigid3d'/><UncoupledConstraintCorrection/>",
     "there is no mass"},
    {PLAIN_EULER FREE_POINTS "<PrecomputedConstraintCorrection rotations='1'/>",
     "no object in the node knows how the points turn"},
    {PLAIN_EULER FREE_POINTS "<LinearSolverConstraintCorrection regularizationTerm='-1'/>",
     "regularizationTerm"},
    {PLAIN_EULER FREE_POINTS "<GenericConstraintCorrection complianceFactor='0'/>",
     "complianceFactor"},
};

static void wrong_scenes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[2000];
    SceneRun run = {.quiet = true};
    scene_run_context(&run, NULL);
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.02'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node "
             "name='body'>%s</Node></Node>",
             wrong[i].body);
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    if (err == SOFA_OK || !strstr(run.all, wrong[i].message))
      fail_msg("%s: '%s' instead of '%s'", wrong[i].body, run.all, wrong[i].message);
    scene_run_close(&run);
  }
}

static void fails_in_a_step(Setup *s, SofaConstraintCorrection *c, const char *message) {
  s->run.quiet = true;
  assert_int_not_equal(c->ops->begin(c, &s->problem), SOFA_OK);
  if (!strstr(s->run.all, message)) fail_msg("'%s' instead of '%s'", s->run.all, message);
}

/* What only a step shows. */
static void wrong_steps(void **state) {
  (void)state;
  Setup s;
  open_pair(&s, "<LinearSolverConstraintCorrection name='c' mstate='@first/state'/>");
  fails_in_a_step(&s, (SofaConstraintCorrection *)scene_run_object(&s.run, "/body/c"),
                  "use GenericConstraintCorrection");
  close_setup(&s);
  open_setup(&s, PLAIN_EULER "<SparseLDLSolver name='other'/>" SPRINGS,
             "<LinearSolverConstraintCorrection name='c' linearSolver='@other'/>", NULL);
  fails_in_a_step(&s, s.c, "the linear solver of the ODE solver, 'ldl'");
  close_setup(&s);
  static const char *const mapped[] = {
      "<UncoupledConstraintCorrection name='c' mstate='@below/some' compliance='1'/>",
      "<LinearSolverConstraintCorrection name='c' mstate='@below/some'/>"};
  for (int i = 0; i < 2; i++) {
    open_setup(&s,
               PLAIN_EULER SPRINGS "<Node name='below'><MechanicalObject name='some'/>"
                                   "<SubsetMapping indices='1'/></Node>",
               mapped[i], NULL);
    fails_in_a_step(&s, s.c, "is moved by a mapping");
    close_setup(&s);
  }
}
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_class),
      cmocka_unit_test(compliance_is_that_of_motions),
      cmocka_unit_test(motion_is_w_lambda),
      cmocka_unit_test(no_rows_no_motion),
      cmocka_unit_test(unbuilt_is_built),
      cmocka_unit_test(a_factor_instead_of_w),
      cmocka_unit_test(wire_order),
      cmocka_unit_test(point_on_a_body),
      cmocka_unit_test(body_compliance_quirk),
      cmocka_unit_test(small_bodies),
      cmocka_unit_test(no_allocation),
      cmocka_unit_test(wrong_scenes),
      cmocka_unit_test(wrong_steps),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
