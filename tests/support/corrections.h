/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes with a constraint correction, rows on their state, and the reference: free motions with an
 * external force, which know nothing of constraints. */
#ifndef TESTS_SUPPORT_CORRECTIONS_H
#define TESTS_SUPPORT_CORRECTIONS_H

#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/lagrangian.h"
#include "behavior/ode_solver.h"
#include "components/constraint/lagrangian/correction/system_correction.h"
#include "math/vec.h"
#include "object/factory.h"
#include "simulation/mechanics.h"

#define DT 0.02
#define LDL "<SparseLDLSolver name='ldl'/>"
#define EULER "<EulerImplicitSolver name='s' rayleighStiffness='0.02' rayleighMass='0.3'/>" LDL
#define PLAIN_EULER "<EulerImplicitSolver name='s'/>" LDL
#define EXPLICIT "<EulerExplicitSolver name='s'/>" LDL

/* Five tetrahedra, one corner fixed. */
#define TETRAS                                                                                     \
  "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' "                      \
  "tetrahedra='0 1 2 5 0 2 3 7 0 5 7 4 2 7 5 6 0 2 7 5'/>"                                         \
  "<MechanicalObject name='state'/><UniformMass totalMass='3'/>"                                   \
  "<FixedProjectiveConstraint indices='0'/>"                                                       \
  "<TetrahedronFEMForceField youngModulus='300' poissonRatio='0.3'/>"
#define SPRINGS                                                                                    \
  "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0.1 0 3 0 0.2'/>"                        \
  "<UniformMass totalMass='2'/>"                                                                   \
  "<RestShapeSpringsForceField points='0 1 2 3' stiffness='40'/>"
#define FREE_POINTS                                                                                \
  "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0.1 0 3 0 0.2'/>"                        \
  "<UniformMass vertexMass='0.5'/>"
#define FREE_LINE                                                                                  \
  "<MechanicalObject template='Vec1d' name='state' position='0 1 2 3'/><UniformMass "              \
  "vertexMass='0.5'/>"
#define BODIES                                                                                     \
  "<MechanicalObject template='Rigid3d' name='state' position='0 0 0 0.5 0.5 0.5 0.5  1 0 0 0.6 "  \
  "0 "                                                                                             \
  "0 0.8' velocity='0 0 0 0 0 0  0 1 0 0 0 0'/>"                                                   \
  "<UniformMass vertexMass='2 1 1 0.1 0 0.1 2 0 0 0 3'/>"

enum { ROWS = 7, MOST = 24 };

/* Counts the calls; the blocks are fenced. */
typedef struct Counter {
  FenceAllocator fences;
  size_t calls;
} Counter;
static inline void *count(void *user, void *block, size_t size) {
  Counter *c = user;
  c->calls++;
  return fence_allocate(&c->fences, block, size);
}

typedef struct Setup {
  Counter counter;
  SceneRun run;
  SofaState *state;
  SofaOdeSolver *solver;
  SofaMechanics *m;
  SofaConstraintCorrection *c;
  SofaConstraintProblem problem;
  SofaOdeFactors factors;
  size_t n;
  double j[ROWS][MOST];
} Setup;

/* ---- scenes ---- */

static inline void load(Setup *s, const char *body, const char *quirk) {
  char text[3000];
  memset(s, 0, sizeof *s);
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'>%s</Node></Node>",
           body);
  const SofaContextOptions options = {
      .quirk_words = quirk, .allocate = count, .allocate_user = &s->counter};
  scene_run_open(&s->run, text, &options);
  s->state = scene_run_state(&s->run, "/body/state");
  s->solver = (SofaOdeSolver *)scene_run_object(&s->run, "/body/s");
  s->n = s->state->position.n * sofa_state_kind_info(s->state->object.kind)->deriv;
  assert_true(s->n <= MOST);
}

static inline void close_setup(Setup *s) {
  sofa_constraint_problem_free(&s->problem);
  scene_run_close(&s->run);
}

static inline void free_motion(Setup *s) {
  assert_int_equal(sofa_ode_solver_prepare(s->solver, &s->m), SOFA_OK);
  assert_int_equal(sofa_ode_solver_free_motion(s->solver, s->m, DT), SOFA_OK);
  assert_int_equal(sofa_ode_solver_factors(s->solver, DT, &s->factors), SOFA_OK);
}

/* Rows that act on two points each; blocks of 3, 1 and 3 rows. */
static inline void fill_rows(Setup *s) {
  const size_t width = sofa_state_kind_info(s->state->object.kind)->deriv;
  const size_t points = s->state->position.n;
  for (size_t r = 0; r < ROWS; r++)
    for (size_t side = 0; side < 2; side++)
      for (size_t k = 0; k < width; k++) {
        const size_t point = (1 + r / 3 + 2 * side * (r % 2)) % points;
        s->j[r][point * width + k] += sin(1.0 + 3.0 * (double)r + 5.0 * (double)k + (double)side);
      }
}

static inline void add_rows(Setup *s) {
  static const uint32_t sizes[] = {3, 1, 3};
  SofaConstraintProblem *p = &s->problem;
  const size_t width = sofa_state_kind_info(s->state->object.kind)->deriv;
  uint32_t first = 0;
  sofa_constraint_problem_clear(p);
  assert_int_equal(sofa_constraint_problem_add_state(p, s->state), SOFA_OK);
  for (size_t b = 0; b < 3; b++) {
    const SofaConstraintBlock block = {.n = sizes[b]};
    assert_int_equal(sofa_constraint_block(p, &block, &first), SOFA_OK);
  }
  for (uint32_t r = 0; r < ROWS; r++)
    for (size_t i = 0; i < s->state->position.n; i++)
      assert_int_equal(sofa_constraint_entry(p, s->state, r, i, s->j[r] + width * i), SOFA_OK);
  assert_int_equal(sofa_constrained_state_close(p, sofa_constrained_state(p, s->state)), SOFA_OK);
}

/* A scene after its free motion, with the rows in the problem. */
static inline void open_setup(Setup *s, const char *body, const char *correction,
                              const char *quirk) {
  char text[2500];
  snprintf(text, sizeof text, "%s%s", body, correction);
  load(s, text, quirk);
  s->c = (SofaConstraintCorrection *)scene_run_object(&s->run, "/body/c");
  s->problem = (SofaConstraintProblem){.ctx = s->run.ctx, .dt = DT};
  fill_rows(s);
  free_motion(s);
  add_rows(s);
}

static inline void find_w(Setup *s, SofaConstraintOrder order, double w[ROWS][ROWS]) {
  s->problem.order = order;
  memset(w, 0, ROWS * sizeof *w);
  if (s->c->ops->begin) assert_int_equal(s->c->ops->begin(s->c, &s->problem), SOFA_OK);
  assert_int_equal(s->c->ops->add_compliance(s->c, &s->problem, w[0]), SOFA_OK);
}

/* ---- the reference: what a force F through the step does to free velocities ---- */

/* A force F through the step adds h F / velocity to the right side of the linear system: h F where
 * velocities are its unknowns, F where accelerations are. */
static inline double unit_of(const Setup *s) {
  return s->factors.velocity / DT;
}

/* dv of the force that J^T lambda stands for */
static inline void pushed(const char *body, const double *j, double *dv) {
  Setup a, b;
  load(&a, body, NULL);
  load(&b, body, NULL);
  free_motion(&a);
  assert_int_equal(sofa_coords_resize(b.run.ctx, &b.state->external_force, b.state->position.n),
                   SOFA_OK);
  for (size_t k = 0; k < b.n; k++) b.state->external_force.data[k] = j[k] * unit_of(&a);
  free_motion(&b);
  for (size_t k = 0; k < a.n; k++)
    dv[k] = b.state->free_velocity.data[k] - a.state->free_velocity.data[k];
  close_setup(&a);
  close_setup(&b);
}

static inline double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static inline void near(const char *what, double value, double expected, double scale) {
  if (!(fabs(value - expected) <= 1e-10 * scale))
    fail_msg("%s: %.17g instead of %.17g", what, value, expected);
}

/* Velocities: J dv; positions: what the ODE solver makes of it. */
static inline void reference(const Setup *s, const char *body, SofaConstraintOrder order,
                             double w[ROWS][ROWS]) {
  const double ratio =
      order == SOFA_CONSTRAIN_POSITIONS ? s->factors.position / s->factors.velocity : 1;
  for (size_t k = 0; k < ROWS; k++) {
    double dv[MOST];
    pushed(body, s->j[k], dv);
    for (size_t i = 0; i < ROWS; i++) w[k][i] = ratio * dot(s->n, s->j[i], dv);
  }
}

static inline double largest(double w[ROWS][ROWS]) {
  double most = 0;
  for (size_t i = 0; i < ROWS * ROWS; i++) most = fmax(most, fabs(w[i / ROWS][i % ROWS]));
  assert_true(most > 0);
  return most;
}

static inline void same_matrix(const char *what, double a[ROWS][ROWS], double b[ROWS][ROWS]) {
  const double scale = largest(b);
  for (size_t k = 0; k < ROWS * ROWS; k++)
    near(what, a[k / ROWS][k % ROWS], b[k / ROWS][k % ROWS], scale);
}

typedef struct Case {
  const char *body, *correction;
} Case;

static const Case cases[] = {
    {EULER TETRAS, "<LinearSolverConstraintCorrection name='c'/>"},
    {EULER TETRAS, "<GenericConstraintCorrection name='c'/>"},
    {EULER TETRAS, "<PrecomputedConstraintCorrection name='c'/>"},
    {EULER SPRINGS, "<LinearSolverConstraintCorrection name='c' linearSolver='@ldl'/>"},
    {"<EulerImplicitSolver name='s' trapezoidalScheme='1'/>" LDL SPRINGS,
     "<LinearSolverConstraintCorrection name='c' ODESolver='@s'/>"},
    {"<EulerImplicitSolver name='s'/><CGLinearSolver iterations='100' tolerance='1e-3' "
     "threshold='1e-3'/>" SPRINGS,
     "<PrecomputedConstraintCorrection name='c'/>"},
    {"<EulerImplicitSolver name='s'/><CGLinearSolver template='CompressedRowSparseMatrixd' "
     "iterations='100' tolerance='1e-14' threshold='1e-30'/>" SPRINGS,
     "<LinearSolverConstraintCorrection name='c'/>"},
    {PLAIN_EULER FREE_POINTS, "<UncoupledConstraintCorrection name='c' compliance='2'/>"},
    {PLAIN_EULER FREE_POINTS, "<UncoupledConstraintCorrection name='c' compliance='2 2 2 2'/>"},
    {PLAIN_EULER FREE_POINTS, "<UncoupledConstraintCorrection name='c' defaultCompliance='2'/>"},
    {PLAIN_EULER FREE_LINE, "<UncoupledConstraintCorrection name='c' defaultCompliance='2'/>"},
    {PLAIN_EULER BODIES, "<UncoupledConstraintCorrection name='c'/>"},
    {PLAIN_EULER BODIES, "<UncoupledConstraintCorrection name='c' defaultCompliance='0.5'/>"},
    {PLAIN_EULER BODIES,
     "<UncoupledConstraintCorrection name='c' compliance='0.5 0.50251256281407042 "
     "-0.025125628140703519 0 0.25125628140703521 0 0.16666666666666666'/>"},
    {PLAIN_EULER BODIES, "<LinearSolverConstraintCorrection name='c'/>"},
    {PLAIN_EULER BODIES, "<PrecomputedConstraintCorrection name='c'/>"},
    {EXPLICIT FREE_POINTS, "<UncoupledConstraintCorrection name='c' compliance='2'/>"},
    {EXPLICIT SPRINGS, "<LinearSolverConstraintCorrection name='c'/>"},
    {EXPLICIT SPRINGS, "<GenericConstraintCorrection name='c'/>"},
    {EXPLICIT SPRINGS, "<PrecomputedConstraintCorrection name='c'/>"},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* ---- motion ---- */

static const double lambda[ROWS] = {0.3, -0.2, 0.5, 1, -0.7, 0.1, 0.4};

static inline SofaConstrainedState *set_force(Setup *s) {
  SofaConstrainedState *state = sofa_constrained_state(&s->problem, s->state);
  assert_int_equal(SOFA_RESIZE(s->run.ctx, &state->force, s->n), SOFA_OK);
  for (size_t k = 0; k < s->n; k++) {
    state->force.data[k] = 0;
    for (size_t r = 0; r < ROWS; r++) state->force.data[k] += s->j[r][k] * lambda[r];
  }
  return state;
}

/* ---- without W ---- */

typedef struct Unbuilt {
  double block[3][9], d[ROWS];
} Unbuilt;

static inline void start_unbuilt(Setup *s, const double *first, Unbuilt *u) {
  double *blocks[3] = {u->block[0], u->block[1], u->block[2]};
  memset(u, 0, sizeof *u);
  assert_int_equal(s->c->ops->start(s->c, &s->problem, blocks, first), SOFA_OK);
}

static inline void find_displacement(Setup *s, Unbuilt *u) {
  memset(u->d, 0, sizeof u->d);
  for (size_t b = 0; b < 3; b++) {
    const SofaConstraintBlock *block = &s->problem.blocks.data[b];
    assert_true(s->c->ops->knows(s->c, &s->problem, block));
    s->c->ops->add_displacement(s->c, &s->problem, block, u->d + block->first);
  }
}

static inline void check_displacement(const char *what, Setup *s, double w[ROWS][ROWS],
                                      const double *multipliers) {
  Unbuilt u;
  find_displacement(s, &u);
  for (size_t r = 0; r < ROWS; r++) {
    double d = 0;
    for (size_t k = 0; k < ROWS; k++) d += w[k][r] * multipliers[k];
    near(what, u.d[r], d, largest(w));
  }
}

/* ---- two states below one solver ---- */

#define TWO_STATES                                                                                 \
  PLAIN_EULER                                                                                      \
  "<Node name='first'><MechanicalObject name='state' position='0 0 0 1 0 0'/>"                     \
  "<UniformMass vertexMass='1'/></Node><Node name='second'><MechanicalObject name='state' "        \
  "position='2 0 0'/><UniformMass vertexMass='2'/></Node>"                                         \
  "<SpringForceField object1='@first/state' object2='@second/state' "                              \
  "spring='1 0 50 0 1'/>"

static inline void open_pair(Setup *s, const char *correction) {
  char text[2500];
  memset(s, 0, sizeof *s);
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'>" TWO_STATES "%s</Node></Node>",
           correction);
  scene_run_open(&s->run, text, NULL);
  s->solver = (SofaOdeSolver *)scene_run_object(&s->run, "/body/s");
  s->problem = (SofaConstraintProblem){.ctx = s->run.ctx, .dt = DT};
  free_motion(s);
}

#endif
