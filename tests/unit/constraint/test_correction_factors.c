/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constraint corrections: factors of the scene, several states, regularisation, the kept compliance
 * of PrecomputedConstraintCorrection, and quirks. */
#include "tests/support/corrections.h"

#include "math/quaternion.h"

/* ---- factors of the scene, quirks ---- */

/* W = C J J^T, and factors of positions and velocities that the scene gives. */
static void own_factors(void **state) {
  (void)state;
  for (int order = 0; order < 2; order++) {
    Setup s;
    double w[ROWS][ROWS];
    open_setup(&s, PLAIN_EULER FREE_POINTS,
               "<UncoupledConstraintCorrection name='c' compliance='1 2 3 4' "
               "useOdeSolverIntegrationFactors='0' correctionVelocityFactor='0.5' "
               "correctionPositionFactor='0.25'/>",
               NULL);
    find_w(&s, (SofaConstraintOrder)order, w);
    for (size_t r = 0; r < ROWS; r++)
      for (size_t k = 0; k < ROWS; k++) {
        double expected = 0;
        for (size_t i = 0; i < s.n; i++) expected += (1 + (double)(i / 3)) * s.j[r][i] * s.j[k][i];
        near("C J J^T", w[r][k], expected, largest(w));
      }
    const SofaConstrainedState *moved = set_force(&s);
    assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
    near("position", moved->position, 0.25, 1);
    near("velocity", moved->velocity, order == SOFA_CONSTRAIN_VELOCITIES ? 0.5 : 0.5 / DT, 1);
    close_setup(&s);
  }
  /* bodies have h^2 / m then */
  Setup s;
  double w[ROWS][ROWS], plain[ROWS][ROWS];
  open_setup(&s, PLAIN_EULER BODIES,
             "<UncoupledConstraintCorrection name='c' useOdeSolverIntegrationFactors='0'/>", NULL);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
  close_setup(&s);
  open_setup(&s, PLAIN_EULER BODIES, "<UncoupledConstraintCorrection name='c'/>", NULL);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, plain);
  close_setup(&s);
  for (size_t k = 0; k < ROWS * ROWS; k++) plain[k / ROWS][k % ROWS] *= DT;
  same_matrix("h^2 / m", w, plain);
}

static void unbuilt_quirks(void **state) {
  (void)state;
  static const char xml[] = "<UncoupledConstraintCorrection name='c' defaultCompliance='2'/>";
  static const double now[ROWS] = {0.1, 0, 0, 0.2, 0, 0.4, -0.3}, change[3] = {0.5, -1, 2};
  Setup s;
  Unbuilt u;
  double w[ROWS][ROWS], later[ROWS];
  open_setup(&s, PLAIN_EULER FREE_POINTS, xml, "unbuilt-factor");
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
  for (size_t k = 0; k < ROWS * ROWS; k++) w[k / ROWS][k % ROWS] /= DT;
  start_unbuilt(&s, now, &u);
  near("block", u.block[0][0], w[0][0], largest(w));
  check_displacement("unbuilt-factor", &s, w, now);
  close_setup(&s);

  open_setup(&s, PLAIN_EULER FREE_POINTS, xml, "unbuilt-start");
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
  start_unbuilt(&s, now, &u);
  find_displacement(&s, &u);
  for (size_t r = 0; r < ROWS; r++) assert_true(fabs(u.d[r]) <= 0);
  memcpy(later, now, sizeof later);
  for (size_t b = 0; b < 3; b++) {
    const SofaConstraintBlock *block = &s.problem.blocks.data[b];
    s.c->ops->add_force(s.c, &s.problem, block, change);
    for (uint32_t r = 0; r < block->n; r++) later[block->first + r] += change[r];
  }
  check_displacement("unbuilt-start", &s, w, later);
  close_setup(&s);
}

static void generic_velocity_factor(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++)
    for (int order = 0; order < 2; order++) {
      Setup s;
      double w[ROWS][ROWS], plain[ROWS][ROWS];
      open_setup(&s, EULER TETRAS, "<GenericConstraintCorrection name='c'/>", NULL);
      find_w(&s, (SofaConstraintOrder)order, plain);
      close_setup(&s);
      open_setup(&s, EULER TETRAS, "<GenericConstraintCorrection name='c' complianceFactor='3'/>",
                 quirk ? "generic-velocity-factor" : NULL);
      find_w(&s, (SofaConstraintOrder)order, w);
      for (size_t k = 0; k < ROWS * ROWS; k++) plain[k / ROWS][k % ROWS] *= 3;
      same_matrix("complianceFactor", w, plain);
      const SofaConstrainedState *moved = set_force(&s);
      assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
      const double factor = quirk && order == SOFA_CONSTRAIN_VELOCITIES ? 1 : 3;
      near("position", moved->position, factor * DT, 1);
      near("velocity", moved->velocity, factor, 1);
      close_setup(&s);
    }
}

/* ---- several states ---- */

/* One row that pulls the two states apart: a spring between masses m1, m2 has the matrix
 * M + h^2 k, whose inverse is known. */
static void generic_couples_states(void **state) {
  (void)state;
  Setup s;
  double w = 0;
  uint32_t first;
  const double minus[3] = {-1, 0, 0}, plus[3] = {1, 0, 0};
  const SofaConstraintBlock block = {.n = 1};
  open_pair(&s, "<GenericConstraintCorrection name='c'/>");
  SofaConstraintProblem *p = &s.problem;
  SofaState *states[] = {scene_run_state(&s.run, "/body/first/state"),
                         scene_run_state(&s.run, "/body/second/state")};
  s.c = (SofaConstraintCorrection *)scene_run_object(&s.run, "/body/c");
  for (int i = 0; i < 2; i++)
    assert_int_equal(sofa_constraint_problem_add_state(p, states[i]), SOFA_OK);
  assert_int_equal(sofa_constraint_block(p, &block, &first), SOFA_OK);
  assert_int_equal(sofa_constraint_entry(p, states[0], 0, 1, minus), SOFA_OK);
  assert_int_equal(sofa_constraint_entry(p, states[1], 0, 0, plus), SOFA_OK);
  for (int i = 0; i < 2; i++)
    assert_int_equal(sofa_constrained_state_close(p, sofa_constrained_state(p, states[i])),
                     SOFA_OK);
  assert_int_equal(s.c->ops->begin(s.c, p), SOFA_OK);
  assert_int_equal(s.c->ops->add_compliance(s.c, p, &w), SOFA_OK);
  const double reduced = 1 / (1 + 1 / 2.0); /* m1 m2 / (m1 + m2) */
  near("pair", w, DT / (reduced + DT * DT * 50), 1);
  for (int i = 0; i < 2; i++) {
    SofaConstrainedState *c = sofa_constrained_state(p, states[i]);
    assert_int_equal(SOFA_RESIZE(s.run.ctx, &c->force, 3 * states[i]->position.n), SOFA_OK);
    c->force.data[i ? 0 : 3] = i ? 1 : -1;
  }
  assert_int_equal(s.c->ops->find_motion(s.c, p), SOFA_OK);
  const double apart = sofa_constrained_state(p, states[1])->motion.data[0] -
                       sofa_constrained_state(p, states[0])->motion.data[3];
  near("motion", DT * apart, w, 1);
  close_setup(&s);
}

/* The solver of the body is below another one, which acts. */
static void idle_solver(void **state) {
  (void)state;
  static const char *const corrections[] = {
      "<UncoupledConstraintCorrection name='c' compliance='2'/>",
      "<LinearSolverConstraintCorrection name='c' linearSolver='@above/ldl'/>",
      "<PrecomputedConstraintCorrection name='c'/>",
      "<GenericConstraintCorrection name='c' linearSolver='@above/ldl'/>"};
  for (int i = 0; i < 8; i++)
    for (int order = 0; order < 2; order++) {
      char text[2000];
      Setup s;
      double w[ROWS][ROWS], expected[ROWS][ROWS];
      memset(&s, 0, sizeof s);
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/><Node name='above'>" PLAIN_EULER
               "<Node name='body'><EulerExplicitSolver/>" FREE_POINTS "%s</Node></Node></Node>",
               corrections[i % 4]);
      const SofaContextOptions options = {.quirk_words = i < 4 ? NULL : "idle-solver-factors"};
      scene_run_open(&s.run, text, &options);
      s.state = scene_run_state(&s.run, "/above/body/state");
      s.solver = (SofaOdeSolver *)scene_run_object(&s.run, "/above/s");
      s.c = (SofaConstraintCorrection *)scene_run_object(&s.run, "/above/body/c");
      s.n = 12;
      s.problem = (SofaConstraintProblem){.ctx = s.run.ctx, .dt = DT};
      fill_rows(&s);
      free_motion(&s);
      add_rows(&s);
      find_w(&s, (SofaConstraintOrder)order, w);
      reference(&s, PLAIN_EULER FREE_POINTS, (SofaConstraintOrder)order, expected);
      /* EulerExplicitSolver has h^2 and h instead of h and 1 */
      for (size_t k = 0; k < ROWS * ROWS && i >= 4; k++) expected[k / ROWS][k % ROWS] *= DT;
      same_matrix(corrections[i % 4], w, expected);
      close_setup(&s);
    }
}

/* The body is below a node without a solver, and then below the one whose solver moves it; its own
 * solver does not act. */
static void solver_of_another_parent(void **state) {
  (void)state;
  static const char text[] =
      "<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='above'>" PLAIN_EULER "</Node><Node name='plain'>"
      "<Node name='body'><EulerExplicitSolver name='idle'/>" FREE_POINTS
      "<UncoupledConstraintCorrection name='c' compliance='2'/></Node></Node></Node>";
  Setup s;
  double w[ROWS][ROWS], expected[ROWS][ROWS];
  memset(&s, 0, sizeof s);
  scene_run_context(&s.run, NULL);
  assert_int_equal(sofa_simulation_load_text(s.run.ctx, text, &s.run.simulation), SOFA_OK);
  s.state = scene_run_state(&s.run, "/plain/body/state");
  s.solver = (SofaOdeSolver *)scene_run_object(&s.run, "/above/s");
  assert_int_equal(sofa_node_add_parent(s.state->object.node, s.solver->object.node), SOFA_OK);
  assert_int_equal(sofa_simulation_init(s.run.simulation), SOFA_OK);
  s.c = (SofaConstraintCorrection *)scene_run_object(&s.run, "/plain/body/c");
  s.n = 12;
  s.problem = (SofaConstraintProblem){.ctx = s.run.ctx, .dt = DT};
  fill_rows(&s);
  free_motion(&s);
  assert_true(s.state->mechanics == s.solver->mechanics && s.solver->mechanics);
  assert_null(((SofaOdeSolver *)scene_run_object(&s.run, "/plain/body/idle"))->mechanics);
  add_rows(&s);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
  for (size_t r = 0; r < ROWS; r++)
    for (size_t k = 0; k < ROWS; k++) expected[r][k] = 2 * DT * dot(s.n, s.j[r], s.j[k]);
  same_matrix("another parent", w, expected);
  close_setup(&s);
}

/* ---- regularisation ---- */

static void check_regularization(const char *name, const char *body, const char *quirk,
                                 double per_row) {
  char text[200];
  Setup s;
  double w[ROWS][ROWS], plain[ROWS][ROWS];
  snprintf(text, sizeof text, "<%s name='c'/>", name);
  open_setup(&s, body, text, NULL);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, plain);
  close_setup(&s);
  snprintf(text, sizeof text, "<%s name='c' regularizationTerm='0.5'/>", name);
  open_setup(&s, body, text, quirk);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
  for (size_t r = 0; r < ROWS; r++) plain[r][r] += 0.5 * (r % 2 ? per_row : 1);
  same_matrix(name, w, plain);
  close_setup(&s);
}

static void regularization(void **state) {
  (void)state;
  check_regularization("LinearSolverConstraintCorrection", EULER TETRAS, NULL, 1);
  check_regularization("GenericConstraintCorrection", EULER TETRAS, NULL, 1);
  check_regularization("LinearSolverConstraintCorrection", EXPLICIT SPRINGS, NULL, 1);
}

/* Odd rows act on two points. */
static void precomputed_regularization(void **state) {
  (void)state;
  check_regularization("PrecomputedConstraintCorrection", EULER TETRAS, NULL, 1);
  check_regularization("PrecomputedConstraintCorrection", EULER TETRAS,
                       "precomputed-regularization", 2);
}

/* ---- the kept compliance ---- */

/* That of the first step, although the body moves. */
static void compliance_is_kept(void **state) {
  (void)state;
  Setup s;
  double first[ROWS][ROWS], later[ROWS][ROWS];
  open_setup(&s, EULER TETRAS, "<PrecomputedConstraintCorrection name='c'/>", NULL);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, first);
  for (size_t k = 0; k < s.n; k++) s.state->position.data[k] *= 1 + 0.1 * sin((double)k);
  free_motion(&s);
  find_w(&s, SOFA_CONSTRAIN_POSITIONS, later);
  assert_memory_equal(first, later, sizeof first);
  close_setup(&s);
}

/* Turns all positions about z, x to y; nothing moves. */
static void turn_body(Setup *s) {
  for (size_t i = 0; i < s->state->position.n; i++) {
    double *x = s->state->position.data + 3 * i;
    sofa_vec3_set(x, -x[1], x[0], x[2]);
  }
}

/* The matrix of a body that has turned as a whole is the first one, turned. */
static void compliance_turns(void **state) {
  (void)state;
  static const char body[] = PLAIN_EULER TETRAS;
  static const char *const corrections[] = {
      "<LinearSolverConstraintCorrection name='c'/>",
      "<PrecomputedConstraintCorrection name='c' rotations='1'/>",
      "<PrecomputedConstraintCorrection name='c' rotations='1'/>"};
  double w[3][ROWS][ROWS], first[3][ROWS][ROWS];
  for (int i = 0; i < 3; i++) {
    Setup s;
    open_setup(&s, body, corrections[i], i == 2 ? "precomputed-rotations" : NULL);
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, first[i]);
    turn_body(&s);
    free_motion(&s);
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, w[i]);
    const SofaConstrainedState *moved = set_force(&s);
    assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
    for (size_t r = 0; r < ROWS && i < 2; r++) {
      double d = 0;
      for (size_t k = 0; k < ROWS; k++) d += w[i][k][r] * lambda[k];
      near("motion", moved->position * dot(s.n, s.j[r], moved->motion.data), d, largest(w[i]));
    }
    close_setup(&s);
  }
  same_matrix("turned", w[1], w[0]);
  same_matrix("not turned", w[2], first[0]);
  double apart = 0;
  for (size_t k = 0; k < ROWS; k++) apart = fmax(apart, fabs(w[1][k][k] - w[2][k][k]));
  assert_true(apart > 1e-3 * largest(w[0]));
}

static void write_file(const char *path, size_t n, double value) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (size_t i = 0; i < n * n; i++) {
    const double number = i % (n + 1) ? 0 : value;
    assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
  }
  assert_int_equal(fclose(file), 0);
}

/* A diagonal matrix 3 from a file: given by name, or found by that of node, dofs and time step. */
static void compliance_of_a_file(void **state) {
  (void)state;
  static const char folder[] = "/tmp/csofa-corrections-XXXXXX";
  char path[200], text[400], temp[sizeof folder];
  memcpy(temp, folder, sizeof temp);
  assert_non_null(mkdtemp(temp));
  for (int named = 0; named < 2; named++) {
    Setup s;
    double w[ROWS][ROWS];
    snprintf(path, sizeof path, "%s/%s", temp, named ? "mine.bin" : "body-12-0.02.comp");
    write_file(path, 12, 3);
    snprintf(text, sizeof text, "<PrecomputedConstraintCorrection name='c' fileDir='%s' %s/>", temp,
             named ? "fileCompliance='mine.bin'" : "");
    open_setup(&s, PLAIN_EULER SPRINGS, text, NULL);
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
    near("file", w[0][1], 3 * dot(s.n, s.j[0], s.j[1]), 10);
    near("file", w[0][0], 3 * dot(s.n, s.j[0], s.j[0]), 10);
    close_setup(&s);
    assert_int_equal(remove(path), 0);
  }
  assert_int_equal(remove(temp), 0);
}

/* The compliance of frames: the same numbers for forces and torques along the axes of a frame. */
static void write_frame_file(const char *path, size_t n) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (size_t i = 0; i < n * n; i++) {
    const double number = i % (n + 1) ? 0 : 1 + (double)(i / n % 3);
    assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
  }
  assert_int_equal(fclose(file), 0);
}

/* J R C R^T J^T for R of the frames, or of the frames since rest. */
static void frame_compliance(const Setup *s, bool since_rest, double w[ROWS][ROWS]) {
  double turned[ROWS][12];
  for (size_t r = 0; r < ROWS; r++)
    for (size_t i = 0; i < 4; i++) {
      double q[4], rest[4];
      memcpy(q, SOFA_POSE_QUAT(s->state->position.data, i / 2), sizeof q);
      sofa_quat_inverse(SOFA_POSE_QUAT(s->state->rest_position.data, i / 2), rest);
      if (since_rest) sofa_quat_multiply(q, rest, q);
      sofa_quat_rotate_inverse(q, s->j[r] + 3 * i, turned[r] + 3 * i);
    }
  for (size_t r = 0; r < ROWS; r++)
    for (size_t k = 0; k < ROWS; k++) {
      w[r][k] = 0;
      for (size_t i = 0; i < 12; i++)
        w[r][k] += (1 + (double)(i % 3)) * turned[r][i] * turned[k][i];
    }
}

/* Frames that have turned since rest: with `restDeformations` the compliance of the file turns by
 * that, else with the frames; as in SOFA not at all. The motion is that of the rows. */
static void frames_turn_compliance(void **state) {
  (void)state;
  char path[] = "/tmp/csofa-frames-XXXXXX", text[300];
  assert_true(mkstemp(path) >= 0);
  write_frame_file(path, 12);
  for (int i = 0; i < 3; i++) {
    Setup s;
    double w[ROWS][ROWS], expected[ROWS][ROWS], turn[4] = {0, 0, 0.6, 0.8};
    snprintf(text, sizeof text,
             "<PrecomputedConstraintCorrection name='c' fileCompliance='%s' rotations='1' "
             "restDeformations='%d'/>",
             path, i > 0);
    open_setup(&s, PLAIN_EULER BODIES, text, i == 2 ? "precomputed-rotations" : NULL);
    for (size_t k = 0; k < 2; k++) {
      double *q = SOFA_POSE_QUAT(s.state->position.data, k);
      sofa_quat_multiply(turn, q, q);
    }
    free_motion(&s);
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
    frame_compliance(&s, i > 0, expected);
    if (i < 2) same_matrix("frames", w, expected);
    else assert_true(fabs(w[0][0] - expected[0][0]) > 1e-3 * largest(w));
    const SofaConstrainedState *moved = set_force(&s);
    assert_int_equal(s.c->ops->find_motion(s.c, &s.problem), SOFA_OK);
    for (size_t r = 0; r < ROWS; r++) {
      double d = 0;
      for (size_t k = 0; k < ROWS; k++) d += w[k][r] * lambda[k];
      near("motion", moved->position * dot(s.n, s.j[r], moved->motion.data), d, largest(w));
    }
    close_setup(&s);
  }
  assert_int_equal(remove(path), 0);
  Setup line; /* points on a line do not turn */
  open_setup(&line, PLAIN_EULER FREE_LINE,
             "<PrecomputedConstraintCorrection name='c' rotations='1'/>", NULL);
  close_setup(&line);
}

/* Solvers without W: SOFA regularizes the blocks, not the displacements. */
static void precomputed_blocks(void **state) {
  (void)state;
  static const double now[ROWS] = {0.1, 0, 0, 0.2, 0, 0.4, -0.3};
  for (int quirk = 0; quirk < 2; quirk++) {
    Setup s;
    Unbuilt u;
    double w[ROWS][ROWS];
    open_setup(&s, PLAIN_EULER SPRINGS,
               "<PrecomputedConstraintCorrection name='c' regularizationTerm='3'/>",
               quirk ? "precomputed-regularization" : NULL);
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, w);
    start_unbuilt(&s, now, &u);
    if (quirk) {
      double plain[ROWS][ROWS];
      Setup other;
      open_setup(&other, PLAIN_EULER SPRINGS, "<PrecomputedConstraintCorrection name='c'/>", NULL);
      find_w(&other, SOFA_CONSTRAIN_POSITIONS, plain);
      memcpy(w, plain, sizeof w);
      close_setup(&other);
    }
    check_displacement("displacement", &s, w, now);
    near("block", u.block[0][0], w[0][0] + (quirk ? 3 : 0), largest(w));
    close_setup(&s);
  }
}

/* The links name solvers; the columns are exact, whatever the solver's own rule stops at. */
static void precomputed_solvers(void **state) {
  (void)state;
  static const char *const solvers[] = {
      "<SparseLDLSolver name='A'/>",
      "<CGLinearSolver name='A' iterations='1' tolerance='0.5' threshold='1'/>",
      "<PCGLinearSolver name='A' iterations='1' tolerance='0.5'/>",
      "<MinResLinearSolver name='A' iterations='1' tolerance='0.5'/>"};
  double exact[ROWS][ROWS];
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    Setup s;
    double w[ROWS][ROWS];
    char text[600];
    snprintf(text, sizeof text, "<EulerImplicitSolver name='s' linearSolver='@A'/>%s" SPRINGS,
             solvers[k]);
    open_setup(&s, text,
               "<PrecomputedConstraintCorrection name='c' ODESolver='@s' linearSolver='@A'/>",
               NULL);
    find_w(&s, SOFA_CONSTRAIN_POSITIONS, k ? w : exact);
    if (k) same_matrix(solvers[k], w, exact);
    close_setup(&s);
  }
}

/* Two bodies of other masses in nodes of one name: SOFA takes the first one's matrix for both. */
static void precomputed_names(void **state) {
  (void)state;
  static const char text[] =
      "<Node name='root' dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='a'><Node name='body'>" PLAIN_EULER
      "<MechanicalObject name='state' position='0 0 0'/><UniformMass totalMass='1'/>"
      "<PrecomputedConstraintCorrection name='c'/></Node></Node><Node name='b'><Node "
      "name='body'>" PLAIN_EULER
      "<MechanicalObject name='state' position='0 0 0'/><UniformMass totalMass='4'/>"
      "<PrecomputedConstraintCorrection name='c'/></Node></Node></Node>";
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run = {0};
    double w[2] = {0};
    const SofaContextOptions options = {.quirk_words = quirk ? "precomputed-names" : NULL};
    scene_run_open(&run, text, &options);
    for (int i = 0; i < 2; i++) {
      Setup s = {.problem = {.ctx = run.ctx, .dt = DT}};
      uint32_t first;
      const double along[3] = {1, 0, 0};
      const SofaConstraintBlock block = {.n = 1};
      s.state = scene_run_state(&run, i ? "/b/body/state" : "/a/body/state");
      s.solver = (SofaOdeSolver *)scene_run_object(&run, i ? "/b/body/s" : "/a/body/s");
      s.c = (SofaConstraintCorrection *)scene_run_object(&run, i ? "/b/body/c" : "/a/body/c");
      free_motion(&s);
      SofaConstraintProblem *p = &s.problem;
      assert_int_equal(sofa_constraint_problem_add_state(p, s.state), SOFA_OK);
      assert_int_equal(sofa_constraint_block(p, &block, &first), SOFA_OK);
      assert_int_equal(sofa_constraint_entry(p, s.state, 0, 0, along), SOFA_OK);
      assert_int_equal(sofa_constrained_state_close(p, sofa_constrained_state(p, s.state)),
                       SOFA_OK);
      assert_int_equal(s.c->ops->begin(s.c, p), SOFA_OK);
      assert_int_equal(s.c->ops->add_compliance(s.c, p, &w[i]), SOFA_OK);
      sofa_constraint_problem_free(p);
    }
    near("first", w[0], DT, 1);
    near("second", w[1], quirk ? DT : DT / 4, 1);
    scene_run_close(&run);
  }
}

/* The free motion of the first step has no weight in SOFA, unless the compliance is known. */
static void precomputed_weight(void **state) {
  (void)state;
  char temp[] = "/tmp/csofa-corrections-XXXXXX", path[100], text[300];
  assert_non_null(mkdtemp(temp));
  snprintf(path, sizeof path, "%s/mine.bin", temp);
  write_file(path, 12, 3);
  for (int i = 0; i < 3; i++) {
    Setup s;
    snprintf(text, sizeof text, "<PrecomputedConstraintCorrection name='c' fileDir='%s' %s/>", temp,
             i == 2 ? "fileCompliance='mine.bin'" : "");
    open_setup(&s, PLAIN_EULER FREE_POINTS, text, i ? "precomputed-weight" : NULL);
    near("velocity", s.state->free_velocity.data[1], i == 1 ? 0 : -9.81 * DT, 1);
    close_setup(&s);
  }
  assert_int_equal(remove(path), 0);
  assert_int_equal(remove(temp), 0);
}
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_factors),
      cmocka_unit_test(unbuilt_quirks),
      cmocka_unit_test(generic_velocity_factor),
      cmocka_unit_test(generic_couples_states),
      cmocka_unit_test(idle_solver),
      cmocka_unit_test(solver_of_another_parent),
      cmocka_unit_test(regularization),
      cmocka_unit_test(precomputed_regularization),
      cmocka_unit_test(compliance_is_kept),
      cmocka_unit_test(compliance_turns),
      cmocka_unit_test(compliance_of_a_file),
      cmocka_unit_test(frames_turn_compliance),
      cmocka_unit_test(precomputed_blocks),
      cmocka_unit_test(precomputed_solvers),
      cmocka_unit_test(precomputed_names),
      cmocka_unit_test(precomputed_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
