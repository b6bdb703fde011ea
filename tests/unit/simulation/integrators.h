/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For the tests of time integration: every ODE solver of csofa and of the plugin SofaCaribou needs
 * a case. */
#ifndef TESTS_UNIT_SIMULATION_INTEGRATORS_H
#define TESTS_UNIT_SIMULATION_INTEGRATORS_H

#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/ode_solver.h"
#include "object/factory.h"

#define EXACT_NEWTON                                                                               \
  "<NewtonRaphsonSolver maxNbIterationsNewton='30' relativeSuccessiveStoppingThreshold='0' "       \
  "relativeInitialStoppingThreshold='0' absoluteResidualStoppingThreshold='1e-13'/>"
#define LDL "<SparseLDLSolver/>"
#define BDF(k) "<BDFOdeSolver order='" #k "'/>" EXACT_NEWTON LDL
#define VARIATIONAL "<VariationalSymplecticSolver newtonError='1e-15' steps='30'/>" LDL

#define CARIBOU                                                                                    \
  "newton_iterations='30' correction_tolerance_threshold='-1' residual_tolerance_threshold='-1' "  \
  "absolute_residual_tolerance_threshold='1e-13'"
#define LDLT "<LDLTSolver/>"
/* of the scenes, so that they can have solvers of the plugin */
#define PLUGIN "<RequiredPlugin name='SofaCaribou'/>"

/* Those without time: each has a row in test_ode_solvers.c. */
static const char *const static_solvers[] = {"StaticSolver",
                                             "StaticODESolver",
                                             "LegacyStaticODESolver",
                                             "PathFollowingSolver",
                                             "StaticEquilibriumIntegrationScheme",
                                             NULL};
static inline bool is_static_solver(const char *name) {
  for (int i = 0; static_solvers[i]; i++)
    if (strcmp(static_solvers[i], name) == 0) return true;
  return false;
}

/* Fails for every class of ODE solvers with time that has_case does not know. */
static inline void assert_all_solvers_have_cases(bool (*has_case)(const char *name)) {
  SceneRun run = {0};
  const SofaOrigin origin = {.emitter = "test"};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_plugin_load(run.ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  size_t found = 0, missing = 0;
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    if (!sofa_class_ops(klass, SOFA_ODE_SOLVER) || klass->abstract || is_static_solver(klass->name))
      continue;
    found++;
    if (has_case(klass->name)) continue;
    missing++;
    fprintf(stderr, "the solver %s has no case in this test\n", klass->name);
  }
  scene_run_close(&run);
  assert_true(found >= 10);
  assert_int_equal(missing, 0);
}

/* Is `name` the first tag of the XML text? */
static inline bool starts_with_tag(const char *xml, const char *name) {
  const size_t n = strlen(name);
  return xml[0] == '<' && strncmp(xml + 1, name, n) == 0 &&
         (xml[n + 1] == ' ' || xml[n + 1] == '/');
}

#endif
