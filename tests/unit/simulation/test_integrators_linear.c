/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every ODE solver on linear systems against the theory of its formula, step by step. */
#include "tests/unit/simulation/integrators.h"

#include "numerics/time/bdf.h"

/* ---- discrete theory of x'' = g - w2 x - d v ---- */

typedef struct Model {
  double w2, d, g, h;
  double r_m, r_k, decay; /* Rayleigh factors (in d too, unless said otherwise), vdamping */
  int order;
  double gamma, beta;
} Model;

/* z[0] = x, z[1] = v; what follows is the memory of the formula, zero at the start. */
typedef void Formula(const Model *p, double *z);

/* z = (1 - s A)^-1 y, A = ((0, 1), (-w2, -d)) */
static void resolvent(const Model *p, double s, const double *y, double *z) {
  const double det = 1 + s * p->d + s * s * p->w2;
  const double x = ((1 + s * p->d) * y[0] + s * y[1]) / det;
  z[1] = (y[1] - s * p->w2 * y[0]) / det;
  z[0] = x;
}

static double acceleration(const Model *p, double x, double v) {
  return p->g - p->w2 * x - p->d * v;
}

static void damp(const Model *p, double *z) {
  z[1] *= exp(-p->decay * p->h);
}

static void backward_euler(const Model *p, double *z) {
  const double y[2] = {z[0], z[1] + p->h * p->g};
  resolvent(p, p->h, y, z);
  damp(p, z);
}

static void trapezoidal(const Model *p, double *z) {
  const double s = p->h / 2;
  const double y[2] = {z[0] + s * z[1], z[1] + s * (acceleration(p, z[0], z[1]) + p->g)};
  resolvent(p, s, y, z);
  damp(p, z);
}

/* x' = g - w2 x, backward Euler */
static void first_order(const Model *p, double *z) {
  z[1] = (p->g - p->w2 * z[0]) / (1 + p->h * p->w2);
  z[0] += p->h * z[1];
}

static void forward_euler(const Model *p, double *z) {
  const double a = acceleration(p, z[0], z[1]);
  z[0] += p->h * z[1];
  z[1] += p->h * a;
}

static void symplectic_euler(const Model *p, double *z) {
  z[1] += p->h * acceleration(p, z[0], z[1]);
  z[0] += p->h * z[1];
  damp(p, z);
}

/* Velocities between the times: (v+ - v-) / h = a - r (v+ + v-) / 2. */
static void leapfrog(const Model *p, double *z) {
  const double r = p->h * p->r_m / 2;
  z[1] = (z[1] * (1 - r) + p->h * acceleration(p, z[0], z[1])) / (1 + r);
  z[0] += p->h * z[1];
}

/* Taylor series of exp(h A) up to the order: what Runge and Kutta give on linear systems. */
static void taylor(const Model *p, double *z) {
  double term[2] = {z[0], z[1]};
  for (int i = 1; i <= p->order; i++) {
    const double x = term[1];
    term[1] = p->h / i * ((i == 1 ? p->g : 0) - p->w2 * term[0] - p->d * term[1]);
    term[0] = p->h / i * x;
    z[0] += term[0];
    z[1] += term[1];
  }
}

/* z[2] is the acceleration, z[3] != 0 once it is known. */
static void newmark(const Model *p, double *z) {
  const double h = p->h;
  if (z[3] == 0) z[2] = acceleration(p, z[0], z[1]);
  const double x = z[0] + h * z[1] + h * h * (0.5 - p->beta) * z[2];
  const double v = z[1] + h * (1 - p->gamma) * z[2];
  z[2] = acceleration(p, x, v) / (1 + h * h * p->beta * p->w2 + h * p->gamma * p->d);
  z[0] = x + h * h * p->beta * z[2];
  z[1] = v + h * p->gamma * z[2];
  z[3] = 1;
  damp(p, z);
}

/* Aitken's and Neville's scheme on the columns 1, 1/2, ..., 1/most of backward Euler. */
static void extrapolated_euler(const Model *p, int most, double *z) {
  double table[SOFA_BDF_MAX_ORDER][2];
  for (int n = 1; n <= most; n++) {
    Model part = *p;
    part.h = p->h / n;
    table[n - 1][0] = z[0], table[n - 1][1] = z[1];
    for (int i = 0; i < n; i++) backward_euler(&part, table[n - 1]);
  }
  for (int level = 1; level < most; level++)
    for (int j = most - 1; j >= level; j--)
      for (int k = 0; k < 2; k++)
        table[j][k] += (table[j][k] - table[j - 1][k]) * (j + 1 - level) / level;
  memcpy(z, table[most - 1], sizeof table[0]);
}

/* z[2] counts the steps, z[4 + 2 j] and z[5 + 2 j] are the states of earlier times, last first. */
static void bdf(const Model *p, double *z) {
  static const double a[7][7] = {{0},
                                 {1, -1},
                                 {3 / 2., -2, 1 / 2.},
                                 {11 / 6., -3, 3 / 2., -1 / 3.},
                                 {25 / 12., -4, 3, -4 / 3., 1 / 4.},
                                 {137 / 60., -5, 5, -10 / 3., 5 / 4., -1 / 5.},
                                 {147 / 60., -6, 15 / 2., -20 / 3., 15 / 4., -6 / 5., 1 / 6.}};
  const int k = p->order;
  memmove(z + 6, z + 4, 10 * sizeof *z);
  z[4] = z[0], z[5] = z[1];
  z[2] += 1;
  if (z[2] < k) {
    extrapolated_euler(p, k - 1, z);
    return;
  }
  double y[2] = {0, p->h * p->g / a[k][0]};
  for (int j = 1; j <= k; j++)
    for (int i = 0; i < 2; i++) y[i] -= a[k][j] / a[k][0] * z[2 + 2 * j + i];
  resolvent(p, p->h / a[k][0], y, z);
}

/* Midpoint in q and p / m (z[2]); the velocity is (q1 - q0) / h, which all damping acts on. */
static void variational(const Model *p, double *z) {
  const double h = p->h, rest = p->g - p->w2 * z[0];
  if (z[3] == 0) z[2] = z[1];
  z[3] = 1;
  const double v = (z[2] + h / 2 * rest) / (1 + h / 2 * p->d + h * h / 4 * p->w2);
  z[2] = v + h / 2 * acceleration(p, z[0] + h / 2 * v, v);
  z[0] += h * v;
  z[1] = v;
}

static void variational_explicit(const Model *p, double *z) {
  z[1] += p->h * (acceleration(p, z[0], z[1]) - p->r_m * z[1]);
  z[0] += p->h * z[1];
}

/* ---- cases ---- */

/* OWN: Rayleigh factors of the mass and the spring. */
enum { DAMPER = 1, RAYLEIGH = 2, DECAY = 4, OWN = 8, ALL = 16, MEMORY = 20, STEPS = 60 };
static const double own_mass = 0.5, own_stiffness = 0.006;

typedef struct Case {
  const char *name, *attributes, *more; /* the tag, its attributes, other components */
  Formula *formula;
  int damping; /* what it knows of DAMPER, RAYLEIGH, DECAY, OWN */
  bool no_d;   /* Rayleigh is not part of the model's d */
  int order;
  double gamma, beta;
} Case;

#define MORE EXACT_NEWTON LDL
static const Case cases[] = {
    {"EulerImplicitSolver", "", MORE, backward_euler, 15, false, 0, 0, 0},
    {"EulerImplicitSolver", "trapezoidalScheme='1'", MORE, trapezoidal, 15, false, 0, 0, 0},
    {"EulerImplicitSolver", "firstOrder='1'", MORE, first_order, 0, false, 0, 0, 0},
    {"EulerExplicitSolver", "", "", symplectic_euler, DAMPER | OWN, false, 0, 0, 0},
    {"EulerExplicitSolver", "symplectic='0'", "", forward_euler, DAMPER | OWN, false, 0, 0, 0},
    {"EulerExplicitSolver", "", "<DampVelocitySolver rate='1.5'/>", symplectic_euler, DAMPER | OWN,
     false, 0, 0, 0},
    {"DampVelocitySolver", "rate='1.5'", "<EulerExplicitSolver/>", NULL, 0, false, 0, 0, 0},
    {"CentralDifferenceSolver", "", "", leapfrog, DAMPER | OWN, false, 0, 0, 0},
    {"CentralDifferenceSolver", "rayleighMass='2'", "", leapfrog, DAMPER | OWN, true, 0, 0, 0},
    {"RungeKutta2Solver", "", "", taylor, DAMPER | OWN, false, 2, 0, 0},
    {"RungeKutta4Solver", "", "", taylor, DAMPER | OWN, false, 4, 0, 0},
    {"NewmarkImplicitSolver", "", MORE, newmark, 15, false, 0, 0.5, 0.25},
    {"NewmarkImplicitSolver", "gamma='0.6' beta='0.3'", MORE, newmark, 15, false, 0, 0.6, 0.3},
    {"NewmarkImplicitSolver", "gamma='0.5' beta='0.5'", MORE, newmark, 15, false, 0, 0.5, 0.5},
    {"NewmarkImplicitSolver", "gamma='0.5' beta='0'", MORE, newmark, 15, false, 0, 0.5, 0},
    {"BDFOdeSolver", "order='1'", MORE, bdf, 11, false, 1, 0, 0},
    {"BDFOdeSolver", "order='2'", MORE, bdf, 11, false, 2, 0, 0},
    {"BDFOdeSolver", "order='3'", MORE, bdf, 11, false, 3, 0, 0},
    {"BDFOdeSolver", "order='4'", MORE, bdf, 11, false, 4, 0, 0},
    {"BDFOdeSolver", "order='5'", MORE, bdf, 11, false, 5, 0, 0},
    {"BDFOdeSolver", "order='6'", MORE, bdf, 11, false, 6, 0, 0},
    {"BDFIntegrationScheme", "", LDL, bdf, 11, false, 2, 0, 0},
    {"BDFIntegrationScheme", "order='3'", LDL, bdf, 11, false, 3, 0, 0},
    {"BackwardEulerODESolver", CARIBOU, LDLT, backward_euler, 11, false, 0, 0, 0},
    {"BackwardEulerODESolver", CARIBOU,
     "<ConjugateGradientSolver maximum_number_of_iterations='200' "
     "residual_tolerance_threshold='1e-14'/>",
     backward_euler, 11, false, 0, 0, 0},
    {"VariationalSymplecticSolver", "newtonError='1e-15' steps='20'", MORE, variational, 11, false,
     0, 0, 0},
    {"VariationalSymplecticSolver", "explicitIntegration='1'", MORE, variational_explicit, 11, true,
     0, 0, 0},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static bool has_case(const char *name) {
  for (int i = 0; i < N_CASES; i++)
    if (strcmp(cases[i].name, name) == 0) return true;
  return false;
}

static void every_solver_has_a_case(void **state) {
  (void)state;
  assert_all_solvers_have_cases(has_case);
}

/* The tag of a case with the Rayleigh factors and vdamping of the model. */
static void solver_text(const Case *c, const Model *p, char *text, size_t size) {
  const bool caribou = strstr(c->attributes, "newton_iterations");
  int n = snprintf(text, size, "<%s %s", c->name, c->attributes);
  if (p->r_m != 0 && !strstr(c->attributes, "rayleighMass"))
    n += snprintf(text + n, size - (size_t)n, " %s='%.17g'",
                  caribou ? "rayleigh_mass" : "rayleighMass", p->r_m);
  if (p->r_k != 0)
    n += snprintf(text + n, size - (size_t)n, " %s='%.17g'",
                  caribou ? "rayleigh_stiffness" : "rayleighStiffness", p->r_k);
  if (p->decay != 0 && (c->damping & DECAY))
    n += snprintf(text + n, size - (size_t)n, " vdamping='%.17g'", p->decay);
  snprintf(text + n, size - (size_t)n, "/>%s", c->more);
}

static Model model_of(const Case *c, double w2, double h, int damping) {
  Model p = {.w2 = w2, .h = h, .order = c->order, .gamma = c->gamma, .beta = c->beta};
  if (damping & DAMPER) p.d += 1.3;
  if (damping & RAYLEIGH) {
    p.r_m = 0.7;
    p.r_k = c->formula == variational_explicit ? 0 : 0.01;
  }
  if (!c->no_d) p.d += p.r_m + p.r_k * w2;
  if (damping & OWN) p.d += own_mass + own_stiffness * w2;
  if (damping & DECAY) p.decay = 0.4;
  if (strstr(c->attributes, "rayleighMass")) p.r_m = 2;
  if (strstr(c->more, "DampVelocity")) p.decay = 1.5;
  return p;
}

/* ---- systems ---- */

/* One mass on a spring, x = 1 at rest; k = 100 N/m, m = 2 kg. */
static const char oscillator[] =
    "<Node name='root' dt='%.17g' gravity='%.17g 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>"
    "<MechanicalObject name='state' position='0 0 0 %.17g 0 0' rest_position='0 0 0 1 0 0' "
    "velocity='0 0 0 %.17g 0 0'/><UniformMass vertexMass='2' rayleighMass='%.17g'/>"
    "<MeshSpringForceField stiffness='100' damping='0' rayleighStiffness='%.17g'/>"
    "<DiagonalVelocityDampingForceField dampingCoefficient='%.17g 0 0'/>"
    "<FixedProjectiveConstraint indices='0'/></Node></Node>";

static void compare(const Case *c, const Model *p, SceneRun *run, double *z) {
  const SofaState *s = scene_run_state(run, "/body/state");
  for (int i = 1; i <= STEPS; i++) {
    scene_run_steps(run, 1);
    c->formula(p, z);
    const double x = s->position.data[3] - 1, v = s->velocity.data[3];
    if (fabs(x - z[0]) < 1e-12 && fabs(v - z[1]) < 1e-12 * sqrt(p->w2)) continue;
    fail_msg(
        "%s %s, rM %g rK %g vdamping %g d %g, step %d: x %.15g, expected %.15g; v %.15g, %.15g",
        c->name, c->attributes, p->r_m, p->r_k, p->decay, p->d, i, x, z[0], v, z[1]);
  }
}

static void run_oscillator(const Case *c, int damping, double gravity, double x, double v) {
  char text[3000], solver[1000];
  SceneRun run;
  Model p = model_of(c, 50, 0.02, damping);
  p.g = gravity;
  solver_text(c, &p, solver, sizeof solver);
  snprintf(text, sizeof text, oscillator, p.h, gravity, solver, 1 + x, v,
           damping & OWN ? own_mass : 0, damping & OWN ? own_stiffness : 0,
           damping & DAMPER ? 2.6 : 0.);
  scene_run_open(&run, text, NULL);
  double z[MEMORY] = {x, v};
  compare(c, &p, &run, z);
  scene_run_close(&run);
}

/* Two starts span the amplification matrix; gravity adds the constant term. */
static void oscillators(void **state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].formula) continue;
    for (int damping = 0; damping < ALL; damping++) {
      if (damping & ~cases[i].damping) continue;
      run_oscillator(&cases[i], damping, 0, 0.1, 0);
      run_oscillator(&cases[i], damping, 0, 0, 0.7);
      run_oscillator(&cases[i], damping, -2, 0.1, 0.7);
    }
  }
}

/* A point that falls, from 1 m at 0.7 m/s; and which formulas follow the parabola exactly. */
static void free_fall(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='0.02' gravity='-2 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='body'>%s<MechanicalObject name='state' "
      "position='0 0 0 1 0 0' velocity='0 0 0 0.7 0 0'/><UniformMass "
      "vertexMass='2'/></Node></Node>";
  for (int i = 0; i < N_CASES; i++) {
    const Case *c = &cases[i];
    char text[3000], solver[1000];
    SceneRun run;
    if (!c->formula || c->formula == first_order) continue;
    Model p = model_of(c, 0, 0.02, 0);
    p.g = -2;
    solver_text(c, &p, solver, sizeof solver);
    snprintf(text, sizeof text, scene, solver);
    scene_run_open(&run, text, NULL);
    double z[MEMORY] = {0, 0.7};
    const SofaState *s = scene_run_state(&run, "/body/state");
    for (int n = 1; n <= STEPS; n++) {
      scene_run_steps(&run, 1);
      c->formula(&p, z);
      const double x = s->position.data[3] - 1, v = s->velocity.data[3];
      if (fabs(x - z[0]) > 1e-12 || fabs(v - z[1]) > 1e-12)
        fail_msg("%s %s, step %d: x %.15g, expected %.15g", c->name, c->attributes, n, x, z[0]);
      const double t = n * p.h;
      const bool exact = c->formula == trapezoidal || c->formula == newmark ||
                         c->formula == taylor || (c->formula == bdf && c->order > 2) ||
                         (c->formula == variational && p.r_m == 0);
      if (exact && fabs(x - (0.7 * t - t * t)) > 1e-12)
        fail_msg("%s %s leaves the parabola: %g", c->name, c->attributes, x - (0.7 * t - t * t));
    }
    scene_run_close(&run);
  }
}

/* ---- an elastic bar ----
 *
 * 8 hexahedra of 0.5 m x 1 m x 1 m in a row, E = 1000 Pa, nu = 0, 0.5 kg per point, both ends
 * fixed. Sections that move along the bar are coupled by k = E A / l, each of mass 4 x 0.5 kg: the
 * mode j is sin(j pi i / 8) with w^2 = 4 k / m sin^2(j pi / 16). */
enum { SECTIONS = 9 };

static const char bar[] =
    "<Node name='root' dt='%.17g' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<RegularGridTopology name='grid' n='9 2 2' min='0 0 0' max='4 1 1'/>"
    "<MechanicalObject name='state'/><UniformMass vertexMass='0.5' rayleighMass='%.17g'/>"
    "<HexahedronFEMForceField method='small' youngModulus='1000' poissonRatio='0' "
    "rayleighStiffness='%.17g'/>"
    "<BoxROI name='ends' box='-0.1 -1 -1 0.1 2 2 3.9 -1 -1 4.1 2 2'/>"
    "<FixedProjectiveConstraint indices='@ends.indices'/></Node></Node>";

static double shape(int mode, size_t section) {
  return sin(mode * 3.14159265358979323846 * (double)section / (SECTIONS - 1));
}

static void run_bar(const Case *c, int mode, int damping) {
  char text[3000], solver[1000];
  SceneRun run;
  const double k = 1000 * 1 / 0.5, m = 4 * 0.5, s = sin(mode * 3.14159265358979323846 / 16);
  const Model p = model_of(c, 4 * k / m * s * s, 0.005, damping);
  solver_text(c, &p, solver, sizeof solver);
  snprintf(text, sizeof text, bar, p.h, solver, damping & OWN ? own_mass : 0,
           damping & OWN ? own_stiffness : 0);
  scene_run_open(&run, text, NULL);
  SofaState *state = scene_run_state(&run, "/body/state");
  double *x = state->position.data;
  double z[MEMORY] = {0.01, 0.2};
  for (size_t i = 0; i < state->position.n; i++) {
    x[3 * i] += z[0] * shape(mode, i % SECTIONS);
    state->velocity.data[3 * i] = z[1] * shape(mode, i % SECTIONS);
  }
  for (int n = 1; n <= STEPS; n++) {
    scene_run_steps(&run, 1);
    c->formula(&p, z);
    x = state->position.data;
    for (size_t i = 0; i < state->position.n; i++) {
      const double u = x[3 * i] - 0.5 * (double)(i % SECTIONS);
      if (fabs(u - z[0] * shape(mode, i % SECTIONS)) > 1e-12)
        fail_msg("%s %s, mode %d, step %d, point %zu: u %.15g, expected %.15g", c->name,
                 c->attributes, mode, n, i, u, z[0] * shape(mode, i % SECTIONS));
    }
  }
  scene_run_close(&run);
}

static void modes_of_a_bar(void **state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].formula || cases[i].formula == first_order) continue;
    const bool unstable = cases[i].formula == forward_euler;
    for (int mode = 1; mode <= (unstable ? 1 : 3); mode += 2)
      for (int damping = 0; damping < ALL; damping += RAYLEIGH)
        if (!(damping & ~cases[i].damping)) run_bar(&cases[i], mode, damping);
  }
}

/* ---- order with damping ----
 *
 * Damping of the solver, by a damper, and of the components, against
 * x = exp(-d t / 2) (x0 cos w t + ...). */
static double damped_error(const Case *c, int damping, int n) {
  char text[3000], solver[1000];
  SceneRun run;
  Model p = model_of(c, 50, 0.4 / n, damping);
  double d = p.d;
  if (c->no_d) d += p.r_m;
  const double w = sqrt(p.w2 - d * d / 4);
  solver_text(c, &p, solver, sizeof solver);
  snprintf(text, sizeof text, oscillator, p.h, 0., solver, 1.1, 0.7, damping & OWN ? own_mass : 0,
           damping & OWN ? own_stiffness : 0, damping & DAMPER ? 2.6 : 0.);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const double x = scene_run_state(&run, "/body/state")->position.data[3] - 1;
  scene_run_close(&run);
  return fabs(x - exp(-d * 0.2) * (0.1 * cos(w * 0.4) + (0.7 + 0.05 * d) / w * sin(w * 0.4)));
}

static int order_of(const Case *c) {
  const bool second = c->formula == trapezoidal || c->formula == variational ||
                      (c->formula == newmark && c->gamma < 0.51);
  return c->formula == bdf || c->formula == taylor ? c->order : second ? 2 : 1;
}

static void orders_with_damping(void **state) {
  (void)state;
  static const int kinds[] = {DAMPER, RAYLEIGH, OWN};
  for (int i = 0; i < N_CASES; i++) {
    const Case *c = &cases[i];
    const int expected = order_of(c), n = expected > 3 ? 40 : 80;
    for (int k = 0; k < 3; k++) {
      if (!c->formula || !(c->damping & kinds[k]) || strstr(c->more, "DampVelocity")) continue;
      const double order = log2(damped_error(c, kinds[k], n) / damped_error(c, kinds[k], 2 * n));
      if (fabs(order - expected) > 0.4)
        fail_msg("%s %s, damping %d: order %g, expected %d", c->name, c->attributes, kinds[k],
                 order, expected);
    }
  }
}

/* ---- large damping ----
 *
 * h d = 60: implicit solvers stay bounded, whichever way the damping is given. */
static void stiff_damping(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='0.02' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='body'>%s<MechanicalObject name='state' "
      "position='0 0 0 1 0 0' velocity='0 0 0 1 0 0'/><UniformMass vertexMass='2'%s/>"
      "%s<FixedProjectiveConstraint indices='0'/></Node></Node>";
  static const struct {
    const char *mass, *force;
    bool iterates; /* solvers that iterate alone have its derivative */
  } dampers[] = {
      {" rayleighMass='3000'", "", false},
      {"", "<DiagonalVelocityDampingForceField dampingCoefficient='6000 0 0'/>", false},
      {"", "<SpringForceField spring='0 1 10 6000 1'/>", false},
      {"", "<UniformVelocityDampingForceField dampingCoefficient='6000'/>", true},
  };
  for (int i = 0; i < N_CASES; i++) {
    const Case *c = &cases[i];
    const bool implicit = strstr(c->more, "Solver") && c->formula && c->formula != first_order &&
                          c->formula != variational_explicit && !strstr(c->more, "DampVelocity") &&
                          (c->formula != newmark || c->beta > 0.2) &&
                          (c->formula != bdf || c->order < 3);
    const bool iterates = c->formula == bdf || c->formula == variational ||
                          strcmp(c->name, "BackwardEulerODESolver") == 0;
    for (int k = 0; implicit && k < 4; k++) {
      if (dampers[k].iterates && !iterates) continue;
      char text[3000], solver[1000];
      SceneRun run;
      const Model p = model_of(c, 5, 0.02, 0);
      solver_text(c, &p, solver, sizeof solver);
      snprintf(text, sizeof text, scene, solver, dampers[k].mass, dampers[k].force);
      scene_run_open(&run, text, NULL);
      scene_run_steps(&run, 100);
      const SofaState *s = scene_run_state(&run, "/body/state");
      const double x = s->position.data[3] - 1, v = s->velocity.data[3];
      if (fabs(x) > 1 || fabs(v) > 1.1)
        fail_msg("%s %s, damper %d: x %g, v %g", c->name, c->attributes, k, x, v);
      scene_run_close(&run);
    }
  }
}

/* SOFA's way: the whole Rayleigh damping of the step in its first half, and there the forces of the
 * old velocity, which d holds. */
static void variational_quirk(const Model *p, double *z) {
  const double h = p->h, d = p->r_m + p->r_k * p->w2;
  if (z[3] == 0) z[2] = z[1];
  z[3] = 1;
  const double rest = -p->w2 * z[0] - p->d * z[1];
  const double v = (z[2] + h / 2 * rest) / (1 + h * d + h * h / 4 * p->w2);
  z[2] = v - h / 2 * (p->w2 * (z[0] + h / 2 * v) + p->d * v);
  z[0] += h * v;
  z[1] = v;
}

static void run_quirks(const Case *c, int damping) {
  const SofaContextOptions options = {.quirks = true};
  Model p = model_of(c, 50, 0.02, damping & ~OWN);
  char text[3000], solver[1000];
  SceneRun run;
  double z[MEMORY] = {0.1, 0.7};
  solver_text(c, &p, solver, sizeof solver);
  snprintf(text, sizeof text, oscillator, p.h, 0., solver, 1.1, 0.7, damping & OWN ? own_mass : 0,
           damping & OWN ? own_stiffness : 0, damping & DAMPER ? 2.6 : 0.);
  if (damping & OWN) p.r_m = own_mass, p.r_k = own_stiffness;
  scene_run_open(&run, text, &options);
  compare(c, &p, &run, z);
  scene_run_close(&run);
}

static void quirk_of_the_variational_solver(void **state) {
  (void)state;
  const Case c = {.name = "VariationalSymplecticSolver",
                  .attributes = "newtonError='1e-15' steps='20'",
                  .more = LDL,
                  .formula = variational_quirk,
                  .no_d = true};
  run_quirks(&c, RAYLEIGH);
  run_quirks(&c, RAYLEIGH | DAMPER);
}

/* With the components' own factors on the left-hand side only. */
static void left_hand_side_euler(const Model *p, double *z) {
  const double h = p->h, d = p->r_m + p->r_k * p->w2;
  z[1] += h * (-p->w2 * (z[0] + h * z[1])) / (1 + h * d + h * h * p->w2);
  z[0] += h * z[1];
}

/* Explicit solvers leave them out. */
static void without_own(const Model *p, double *z) {
  Model free = *p;
  free.r_m = free.r_k = 0;
  symplectic_euler(&free, z);
}
static void taylor_without_own(const Model *p, double *z) {
  Model free = *p;
  free.r_m = free.r_k = 0;
  taylor(&free, z);
}

static void quirk_of_component_rayleigh(void **state) {
  (void)state;
  static const Case quirk_cases[] = {
      {"EulerImplicitSolver", "", LDL, left_hand_side_euler, 0, true, 0, 0, 0},
      {"EulerExplicitSolver", "", "", without_own, 0, true, 0, 0, 0},
      {"CentralDifferenceSolver", "", "", without_own, 0, true, 0, 0, 0},
      {"RungeKutta2Solver", "", "", taylor_without_own, 0, true, 2, 0, 0},
      {"RungeKutta4Solver", "", "", taylor_without_own, 0, true, 4, 0, 0},
      {"VariationalSymplecticSolver", "explicitIntegration='1'", LDL, without_own, 0, true, 0, 0,
       0},
  };
  for (size_t i = 0; i < SOFA_COUNT(quirk_cases); i++) run_quirks(&quirk_cases[i], OWN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(oscillators),
      cmocka_unit_test(free_fall),
      cmocka_unit_test(modes_of_a_bar),
      cmocka_unit_test(orders_with_damping),
      cmocka_unit_test(stiff_damping),
      cmocka_unit_test(quirk_of_the_variational_solver),
      cmocka_unit_test(quirk_of_component_rayleigh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
