/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times every linear solver on four matrices, one thread; dense ones on the smallest.
 *
 * usage: csofa_solvers [MATRIX [SOLVER]]      one JSON object on stdout; substrings select
 *
 * A solver is measured in its scene, after each of some steps of it: `build` assembles (or prepares
 * products), `factor` is the first solution with the new matrix less `solve`, the second one.
 * `first` is the first solution of all, symbolic analysis included. The right-hand side is the same
 * for all solvers; `residual` is |P (b - A x)| / |b| by products of the components, not by the
 * matrix. */
#include <sofa.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "behavior/linear_solver.h"
#include "components/builtins.h"
#include "simulation/mechanics.h"

enum { STEPS = 3 };
static const double dt = 0.01;

/* ---- what is measured ---- */

typedef struct Matrix {
  const char *name, *what, *body;
} Matrix;

static const Matrix matrices[] = {
    {"cloth", "springs along and across a level sheet of 64 x 64 points, fixed along one side",
     "<RegularGridTopology name='grid' n='64 1 64' min='0 0 0' max='1 0 1'/><MechanicalObject/>"
     "<UniformMass totalMass='10'/><MeshSpringForceField linesStiffness='10' linesDamping='0.1'/>"
     "<QuadBendingSprings stiffness='1' damping='0.01'/>"
     "<BoxROI name='box' box='-1 -1 -1 0.001 1 2'/>"
     "<FixedProjectiveConstraint indices='@box.indices'/>"},
    {"beam", "10 368 corotational tetrahedra, E = 5 MPa, nu = 0.3, fixed at one end",
     "<RegularGridTopology name='grid' n='9 9 28' min='0 0 0' max='0.8 0.8 2.7'/>"
     "<MechanicalObject/><UniformMass totalMass='1728'/>"
     "<TetrahedronFEMForceField name='fem' method='large' youngModulus='5e6' poissonRatio='0.3'/>"
     "<BoxROI name='box' box='-1 -1 -1 2 2 0.001'/>"
     "<FixedProjectiveConstraint indices='@box.indices'/>"},
    {"large", "99 144 corotational tetrahedra, E = 5 MPa, nu = 0.3, fixed at one end",
     "<RegularGridTopology name='grid' n='18 18 51' min='0 0 0' max='1.7 1.7 5'/>"
     "<MechanicalObject/><UniformMass totalMass='14450'/>"
     "<TetrahedronFEMForceField name='fem' method='large' youngModulus='5e6' poissonRatio='0.3'/>"
     "<BoxROI name='box' box='-1 -1 -1 2 2 0.001'/>"
     "<FixedProjectiveConstraint indices='@box.indices'/>"},
    {"rope", "springs along 200 points, fixed at one end: block tridiagonal",
     "<RegularGridTopology n='200 1 1' min='0 0 0' max='2 0 0'/><MechanicalObject/>"
     "<UniformMass totalMass='1'/><MeshSpringForceField linesStiffness='500' linesDamping='0.1'/>"
     "<FixedProjectiveConstraint indices='0'/>"},
    {"stiff", "1 728 corotational hexahedra, E = 500 MPa, nu = 0.499, fixed at one end",
     "<RegularGridTopology name='grid' n='9 9 28' min='0 0 0' max='0.8 0.8 2.7'/>"
     "<MechanicalObject/><UniformMass totalMass='1728'/>"
     "<HexahedronFEMForceField name='fem' method='large' youngModulus='5e8' "
     "poissonRatio='0.499'/>"
     "<BoxROI name='box' box='-1 -1 -1 2 2 0.001'/>"
     "<FixedProjectiveConstraint indices='@box.indices'/>"},
};

#define PCG "<PCGLinearSolver name='ls' iterations='5000' tolerance='1e-18' preconditioner='@p'/>"
static const struct {
  const char *name, *kind, *xml;
  const char *where; /* names of the matrices it is for; NULL: all */
} solvers[] = {
    {"SparseLDLSolver", "direct", "<SparseLDLSolver name='ls'/>", NULL},
    {"SparseLDLSolver, AMD", "direct", "<AMDOrderingMethod/><SparseLDLSolver name='ls'/>", NULL},
    {"SparseLDLSolver, METIS", "direct", "<MetisOrderingMethod/><SparseLDLSolver name='ls'/>",
     NULL},
    {"SparseLDLSolver, single", "direct", "<SparseLDLSolver name='ls' precision='single'/>", NULL},
    {"CholmodSupernodalLLT", "direct", "<CholmodSupernodalLLT name='ls'/>", NULL},
    {"EigenSimplicialLLT", "direct", "<EigenSimplicialLLT name='ls'/>", NULL},
    {"EigenSimplicialLDLT", "direct", "<EigenSimplicialLDLT name='ls'/>", NULL},
    {"EigenSparseLU", "direct", "<EigenSparseLU name='ls'/>", NULL},
    {"EigenSparseQR", "direct", "<EigenSparseQR name='ls'/>", NULL},
    {"CGLinearSolver", "iterative",
     "<CGLinearSolver name='ls' iterations='5000' tolerance='1e-9' threshold='0'/>", NULL},
    {"MinResLinearSolver", "iterative",
     "<MinResLinearSolver name='ls' iterations='5000' tolerance='1e-12'/>", NULL},
    {"PCG + Jacobi", "preconditioned", PCG "<JacobiPreconditioner name='p'/>", NULL},
    {"PCG + BlockJacobi", "preconditioned", PCG "<BlockJacobiPreconditioner name='p'/>", NULL},
    {"PCG + SSOR", "preconditioned", PCG "<SSORPreconditioner name='p'/>", NULL},
    {"PCG + IncompleteCholesky", "preconditioned",
     PCG "<IncompleteCholeskyPreconditioner name='p'/>", NULL},
    {"PCG + AggregationMultigrid", "preconditioned",
     PCG "<AggregationMultigridPreconditioner name='p'/>", NULL},
    {"PCG + PrecomputedWarp", "preconditioned",
     PCG "<PrecomputedWarpPreconditioner name='p' use_file='0' use_rotations='0'/>", NULL},
    {"PCG + SparseLDL every 10", "preconditioned",
     "<PreconditionedMatrixFreeSystem assemblingRate='10'/>" PCG "<SparseLDLSolver name='p'/>",
     NULL},
    {"AsyncSparseLDLSolver", "direct", "<AsyncSparseLDLSolver name='ls'/>", NULL},
    {"PCG + Warp every 10", "preconditioned",
     "<RotationMatrixSystem assemblingRate='10' rotationFinder='@fem'/>" PCG
     "<SparseLDLSolver name='factor'/><WarpPreconditioner name='p' linearSolver='@factor'/>",
     "beam stiff"},
    {"CholeskySolver", "dense", "<CholeskySolver name='ls'/>", "rope"},
    {"SVDLinearSolver", "dense", "<SVDLinearSolver name='ls' minSingularValue='1e-12'/>", "rope"},
    {"PrecomputedLinearSolver", "dense", "<PrecomputedLinearSolver name='ls' use_file='0'/>",
     "rope"},
    {"BTDLinearSolver", "block tridiagonal", "<BTDLinearSolver name='ls'/>", "rope"},
};

typedef struct Run {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaLinearSolver *solver;
  SofaMechanics *m;
  SofaMechParams params;
  double *b, *x, *r, *f; /* n_v + 1; f: of the mechanics */
  char said[400];        /* last error */
  SofaMechPoint at;      /* the state of the plan */
} Run;

static void sink(void *user, const SofaMessage *m) {
  Run *run = user;
  if (m->severity < SOFA_ERROR || run->said[0]) return;
  snprintf(run->said, sizeof run->said, "%s", m->text);
}

/* ms of this processor: other programs do not count */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- a scene with its solver ---- */

static SofaErr load(Run *run, const Matrix *matrix, const char *solver) {
  char text[3000];
  const SofaContextOptions options = {.threads = 1, .sink = sink, .sink_user = run};
  snprintf(text, sizeof text,
           "<Node name='root' dt='%g' gravity='0 -9.81 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver/>%s%s</Node></Node>",
           dt, solver, matrix->body);
  SOFA_TRY(sofa_context_create(&options, &run->ctx));
  SOFA_TRY(sofa_register_builtins(run->ctx));
  SOFA_TRY(sofa_simulation_load_text(run->ctx, text, &run->simulation));
  SOFA_TRY(sofa_simulation_init(run->simulation));
  run->solver = (SofaLinearSolver *)sofa_resolve_path(run->simulation->root, "/body/ls",
                                                      &(SofaPathRule){.strict = true});
  return run->solver ? SOFA_OK : SOFA_ERR_NOT_FOUND;
}

/* A force on every free point, rough enough to have a part of every frequency. */
static SofaErr make_side(Run *run) {
  SofaMechanics *m = run->m;
  uint64_t seed = 88172645463325252u;
  run->b = sofa_alloc(run->ctx, m->n_v + 1, sizeof *run->b);
  run->x = sofa_alloc(run->ctx, m->n_v + 1, sizeof *run->x);
  run->r = sofa_alloc(run->ctx, m->n_v + 1, sizeof *run->r);
  if (!run->b || !run->x || !run->r) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < m->n_v_main; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; /* xorshift */
    run->b[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.25;
  }
  return sofa_mech_project_response(m, &run->params, run->b);
}

static SofaErr open_run(Run *run, const Matrix *matrix, const char *solver) {
  SOFA_TRY(load(run, matrix, solver));
  SOFA_TRY(sofa_node_mechanics(run->solver->object.node, &run->m));
  run->params = sofa_mech_params(dt, 0, 1, -dt, -dt * dt);
  SOFA_TRY(sofa_mechanics_deriv(run->m, &run->f));
  run->at = sofa_mech_point(run->m, run->m->x, run->m->v, 0);
  return make_side(run);
}

static void close_run(Run *run) {
  if (!run->ctx) return;
  sofa_free(run->ctx, run->b);
  sofa_free(run->ctx, run->x);
  sofa_free(run->ctx, run->r);
  sofa_simulation_destroy(&run->simulation);
  sofa_context_destroy(&run->ctx);
}

/* ---- measurement ---- */

typedef struct Times {
  double first, build, factor, solve, residual; /* ms; 1 */
  int iterations;
  int samples;
} Times;

/* |P (b - A x)| / |b| */
static SofaErr find_residual(Run *run, double *residual) {
  double rr = 0, bb = 0;
  SofaMechanics *m = run->m;
  memset(run->r, 0, m->n_v * sizeof *run->r);
  SOFA_TRY(sofa_mech_propagate_dx(m, &run->at, run->x));
  SOFA_TRY(sofa_mech_add_mbk(m, &run->params, &run->at, run->x, run->r));
  for (size_t i = 0; i < m->n_v_main; i++) run->r[i] = run->b[i] - run->r[i];
  SOFA_TRY(sofa_mech_project_response(m, &run->params, run->r));
  for (size_t i = 0; i < m->n_v_main; i++) rr += run->r[i] * run->r[i], bb += run->b[i] * run->b[i];
  *residual = sqrt(rr / bb);
  return SOFA_OK;
}

static SofaErr timed_solve(Run *run, double *ms) {
  memset(run->x, 0, (run->m->n_v + 1) * sizeof *run->x);
  const double start = now();
  SOFA_TRY(sofa_linear_solver_solve(run->solver, run->b, run->x));
  *ms = now() - start;
  return SOFA_OK;
}

/* The forces of this state first, as a solver does: the tangents find what they keep. */
static SofaErr sample(Run *run, double *build, double *one, double *two) {
  SofaMechanics *m = run->m;
  run->at = sofa_mech_point(m, m->x, m->v, run->simulation->root->time);
  SOFA_TRY(sofa_mech_compute_force(m, &run->params, &run->at, run->f));
  const double start = now();
  SOFA_TRY(sofa_linear_solver_build(run->solver, run->m, &run->params, &run->at));
  *build = now() - start;
  SOFA_TRY(timed_solve(run, one));
  return timed_solve(run, two);
}

static double least(double a, double b) {
  return a < b ? a : b;
}

/* The best of the samples after the first one: other programs can only make one slower. */
static SofaErr measure(Run *run, Times *t) {
  double build = 0, one = 0, two = 0;
  SOFA_TRY(sample(run, &build, &t->first, &two));
  *t = (Times){.first = t->first, .build = INFINITY, .factor = INFINITY, .solve = INFINITY};
  for (int k = 0; k < STEPS; k++) {
    SOFA_TRY(sofa_simulation_step(run->simulation, 0));
    SOFA_TRY(sample(run, &build, &one, &two));
    t->build = least(t->build, build);
    t->factor = least(t->factor, one > two ? one - two : 0);
    t->solve = least(t->solve, two);
    t->samples++;
    if (t->first > 5000) break;
  }
  t->iterations = run->solver->result.iterations;
  return find_residual(run, &t->residual);
}

/* ---- output ---- */

static void print_text(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text >= ' ') putchar(*text);
  }
  putchar('"');
}

static int measure_solver(const Matrix *matrix, size_t s, bool comma) {
  Run run = {0};
  Times t = {0};
  SofaErr err = open_run(&run, matrix, solvers[s].xml);
  if (err == SOFA_OK) err = measure(&run, &t);
  printf("%s\n    {\"name\": \"%s\", \"kind\": \"%s\", ", comma ? "," : "", solvers[s].name,
         solvers[s].kind);
  if (err == SOFA_OK) {
    printf("\"first_ms\": %.3f, \"build_ms\": %.3f, \"factor_ms\": %.3f, \"solve_ms\": %.3f, "
           "\"iterations\": %d, \"residual\": %.3g, \"samples\": %d}",
           t.first, t.build, t.factor, t.solve, t.iterations, t.residual, t.samples);
  } else {
    printf("\"error\": ");
    print_text(run.said[0] ? run.said : "failed");
    putchar('}');
  }
  fflush(stdout);
  close_run(&run);
  return err != SOFA_OK;
}

/* Rows, points and entries, from the matrix that a direct solver has. */
static int print_matrix(const Matrix *matrix, bool comma) {
  Run run = {0};
  SofaBlockRows rows = {0};
  SofaErr err = open_run(&run, matrix, solvers[0].xml);
  if (err == SOFA_OK) err = sofa_linear_solver_build(run.solver, run.m, &run.params, &run.at);
  if (err == SOFA_OK) sofa_block_matrix_rows(sofa_linear_system_matrix(run.solver->system), &rows);
  size_t entries = 0;
  for (size_t i = 0; i < rows.n_rows; i++)
    for (size_t k = rows.start[i]; k < rows.start[i + 1]; k++)
      entries += (size_t)(rows.row_scalar[i + 1] - rows.row_scalar[i]) *
                 (rows.column_scalar[rows.column[k] + 1] - rows.column_scalar[rows.column[k]]);
  printf("%s\n  {\"name\": \"%s\", \"what\": \"%s\", \"rows\": %zu, \"entries\": %zu, "
         "\"solvers\": [",
         comma ? "," : "", matrix->name, matrix->what, rows.n_scalar_rows, entries);
  if (err != SOFA_OK) fprintf(stderr, "csofa_solvers: %s: %s\n", matrix->name, run.said);
  close_run(&run);
  return err != SOFA_OK;
}

static bool chosen(int argc, char **argv, int which, const char *name) {
  return argc <= which || strstr(name, argv[which]);
}

int main(int argc, char **argv) {
  int failures = 0;
  bool comma = false;
  if (argc > 3) {
    fputs("usage: csofa_solvers [MATRIX [SOLVER]]\n", stderr);
    return 2;
  }
  printf("{\"version\": \"%s\", \"threads\": 1, \"dt\": %g, \"matrices\": [", CSOFA_VERSION, dt);
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    bool next = false;
    if (!chosen(argc, argv, 1, matrices[i].name)) continue;
    failures += print_matrix(&matrices[i], comma);
    comma = true;
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
      if (!chosen(argc, argv, 2, solvers[s].name)) continue;
      if (solvers[s].where && !strstr(solvers[s].where, matrices[i].name)) continue;
      failures += measure_solver(&matrices[i], s, next);
      next = true;
    }
    printf("\n  ]}");
  }
  printf("\n]}\n");
  return failures > 0;
}
