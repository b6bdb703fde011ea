/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A step whose contacts are other ones than those of the step before does not allocate once the
 * buffers have grown: for every solver that puts the stiffness of contacts into a matrix. */
#include "tests/support/scene_run.h"
#include "tests/support/gpl_parts.h"

enum { SIDE = 9, PERIOD = 6, WARM = 4 * PERIOD, STEPS = 2 * PERIOD };

typedef struct Case {
  const char *name, *solvers;
} Case;
#define CG "<CGLinearSolver iterations='90' tolerance='1e-9' threshold='1e-20'/>"
#define MATRIX "template='CompressedRowSparseMatrixMat3x3d'"
#define FEW "iterations='90' tolerance='1e-8'"
#define PCG(preconditioner)                                                                        \
  "<EulerImplicitSolver/><PCGLinearSolver " FEW " preconditioner='@p'/>" preconditioner
static const Case cases[] = {
    {"conjugate gradients", "<EulerImplicitSolver/>" CG},
    {"assembled", "<EulerImplicitSolver/><CGLinearSolver " MATRIX " " FEW " threshold='1e-20'/>"},
    {"MINRES", "<EulerImplicitSolver/><MinResLinearSolver " FEW "/>"},
    {"Jacobi", PCG("<JacobiPreconditioner name='p'/>")},
    {"blocks", PCG("<BlockJacobiPreconditioner name='p'/>")},
    {"SSOR", PCG("<SSORPreconditioner name='p'/>")},
    {"LDL", "<EulerImplicitSolver/><SparseLDLSolver/>"},
    {"LLT", "<EulerImplicitSolver/><EigenSimplicialLLT/>"},
    {"supernodes", "<EulerImplicitSolver/><CholmodSupernodalLLT/>"},
    {"incomplete Cholesky", PCG("<IncompleteCholeskyPreconditioner name='p'/>")},
    {"LU", "<EulerImplicitSolver/><EigenSparseLU/>"},
    {"Newmark", "<NewmarkImplicitSolver/>" CG},
    {"BDF", "<BDFOdeSolver order='2'/><NewtonRaphsonSolver/><SparseLDLSolver/>"},
    {"symplectic", "<VariationalSymplecticSolver/>" CG},
    {"static", "<StaticSolver newton_iterations='25'/><SparseLDLSolver/>"},
};

/* Two sheets of springs, one above the other. */
static void add_sheet(char *text, size_t size, const char *name, double y) {
  const size_t n = strlen(text);
  snprintf(text + n, size - n,
           "<Node name='%s'><RegularGridTopology n='%d 1 %d' min='0 %g 0' max='1 %g 1'/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='1'/><MeshSpringForceField "
           "stiffness='200' damping='0.1'/><RestShapeSpringsForceField stiffness='10'/>"
           "<TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/></Node>",
           name, SIDE, SIDE, y, y);
}

static void make_scene(char *text, size_t size, const char *solvers) {
  snprintf(text, size,
           "<Node dt='0.001' gravity='0 -1 0'><DefaultAnimationLoop/><CollisionPipeline/>"
           "<BruteForceBroadPhase/><BVHNarrowPhase/>"
           "<MinProximityIntersection alarmDistance='0.02' contactDistance='0.015'/>"
           "<CollisionResponse response='PenalityContactForceField'/>%s",
           solvers);
  add_sheet(text, size, "low", 0);
  add_sheet(text, size, "high", 0.01);
  strncat(text, "</Node>", size - strlen(text) - 1);
}

/* A wave runs through the upper sheet: other points touch in each step of the period. */
static void place(SofaState *state, int step) {
  for (size_t i = 0; i < state->position.n; i++) {
    const int column = (int)(i % SIDE);
    double *x = state->position.data + 3 * i;
    x[0] = (double)column / (SIDE - 1) + 0.004;
    x[1] = (column + step) % PERIOD < 3 ? 0.01 : 0.05;
    x[2] = (double)(i / SIDE) / (SIDE - 1) + 0.003;
  }
  sofa_zero(state->velocity.data, 3 * state->velocity.n * sizeof(double));
}

static void make_steps(SceneRun *run, int n) {
  SofaState *low = scene_run_state(run, "/low/state"), *high = scene_run_state(run, "/high/state");
  for (int i = 0; i < n; i++) {
    sofa_copy(low->position.data, low->rest_position.data, 3 * low->position.n * sizeof(double));
    sofa_zero(low->velocity.data, 3 * low->velocity.n * sizeof(double));
    place(high, i);
    assert_int_equal(sofa_simulation_step(run->simulation, 0), SOFA_OK);
  }
}

static void warm(const Case *of) {
  char text[4000];
  SceneRun run;
  make_scene(text, sizeof text, of->solvers);
  scene_run_open(&run, text, NULL);
  run.quiet = true; /* solvers may stop early */
  make_steps(&run, WARM);
  const uint64_t before = run.ctx->n_allocations;
  make_steps(&run, STEPS);
  if (run.ctx->n_allocations != before)
    fail_msg("%s: %d allocations", of->name, (int)(run.ctx->n_allocations - before));
  scene_run_close(&run);
}

static void other_contacts(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    if (!lacks_gpl_part(cases[i].solvers)) warm(&cases[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(other_contacts)};
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
