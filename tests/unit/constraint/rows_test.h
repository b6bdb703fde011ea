/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of Lagrangian constraints: the problem of a scene without an animation loop, whose
 * constraints are all those of the graph; mapped states keep their own rows. */
#ifndef TESTS_UNIT_CONSTRAINT_ROWS_TEST_H
#define TESTS_UNIT_CONSTRAINT_ROWS_TEST_H

#include <math.h>

#include "numerics/constraint/laws.h"
#include "tests/support/scene_run.h"

typedef struct Rows {
  SceneRun run;
  SofaConstraintProblem problem;
  SofaLagrangian *constraint[8];
  size_t n_constraints;
} Rows;

static inline void rows_collect(Rows *r, SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (sofa_implements(object, SOFA_MECHANICAL_STATE)) {
      assert_int_equal(sofa_constraint_problem_add_state(&r->problem, (SofaState *)object),
                       SOFA_OK);
      assert_int_equal(sofa_state_want_free((SofaState *)object), SOFA_OK);
    }
    if (!sofa_implements(object, SOFA_LAGRANGIAN)) continue;
    assert_true(r->n_constraints < 8);
    r->constraint[r->n_constraints++] = (SofaLagrangian *)object;
  }
  for (size_t i = 0; i < node->children.n; i++) rows_collect(r, node->children.data[i]);
}

/* Free positions and velocities are those of now. */
static inline void rows_stay(Rows *r) {
  for (size_t i = 0; i < r->problem.states.n; i++) {
    SofaState *s = r->problem.states.data[i].state;
    memcpy(s->free_position.data, s->position.data,
           s->position.n * s->position.width * sizeof(double));
    memcpy(s->free_velocity.data, s->velocity.data,
           s->velocity.n * s->velocity.width * sizeof(double));
  }
}

static inline void rows_violations(Rows *r, double *d) {
  for (size_t i = 0; i < r->n_constraints; i++) {
    SofaLagrangian *c = r->constraint[i];
    assert_int_equal(c->ops->violation(c, &r->problem, d + c->constraint_index), SOFA_OK);
  }
}

/* All rows, and d in problem.violation. */
static inline void rows_build(Rows *r, SofaConstraintOrder order, double dt) {
  SofaConstraintProblem *p = &r->problem;
  sofa_constraint_problem_free(p);
  *p = (SofaConstraintProblem){.ctx = r->run.ctx, .order = order, .dt = dt};
  r->n_constraints = 0;
  rows_collect(r, r->run.simulation->root);
  for (size_t i = 0; i < r->n_constraints; i++) {
    SofaLagrangian *c = r->constraint[i];
    p->owner = c;
    c->constraint_index = p->n;
    assert_int_equal(c->ops->build(c, p), SOFA_OK);
    c->n_rows = p->n - c->constraint_index;
  }
  assert_int_equal(SOFA_RESIZE(p->ctx, &p->violation, p->n), SOFA_OK);
  assert_int_equal(SOFA_RESIZE(p->ctx, &p->lambda, p->n), SOFA_OK);
  rows_violations(r, p->violation.data);
}

static inline void rows_open(Rows *r, const char *scene, const char *quirks) {
  const SofaContextOptions options = {.quirk_words = quirks};
  memset(r, 0, sizeof *r);
  scene_run_open(&r->run, scene, &options);
}

static inline void rows_close(Rows *r) {
  sofa_constraint_problem_free(&r->problem);
  scene_run_close(&r->run);
}

static inline void rows_expect(const Rows *r, const double *expected, size_t n, double tolerance) {
  assert_int_equal(r->problem.n, n);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(r->problem.violation.data[i] - expected[i]) <= tolerance))
      fail_msg("row %zu: d = %.15g, expected %.15g", i, r->problem.violation.data[i], expected[i]);
}

/* ---- J by central differences of the violation ---- */

/* J of a state at (row, column). */
static inline double rows_entry(const SofaConstrainedState *s, uint32_t row, uint32_t column) {
  double sum = 0;
  for (size_t i = 0; i < s->entries.n; i++)
    if (s->entries.data[i].row == row && s->entries.data[i].column == column)
      sum += s->entries.data[i].value;
  return sum;
}

/* d with a change of a scalar deriv of the free motion. */
static inline void rows_changed(Rows *r, SofaState *s, uint32_t column, double by, double *d) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  double change[6] = {0}, *x = s->free_position.data + column / kind->deriv * kind->coord;
  rows_stay(r);
  if (r->problem.order == SOFA_CONSTRAIN_VELOCITIES) {
    s->free_velocity.data[column] += by;
  } else {
    change[column % kind->deriv] = by;
    sofa_state_integrate(s->object.kind, 1, 1, change, x);
  }
  rows_violations(r, d);
}

static inline void rows_check_jacobian(Rows *r, const char *what) {
  const double by = 1e-6;
  double more[64], less[64];
  assert_true(r->problem.n > 0 && r->problem.n <= 64);
  for (size_t i = 0; i < r->problem.states.n; i++) {
    const SofaConstrainedState *s = &r->problem.states.data[i];
    const unsigned deriv = sofa_state_kind_info(s->state->object.kind)->deriv;
    for (uint32_t column = 0; column < deriv * sofa_state_size(s->state); column++) {
      rows_changed(r, s->state, column, by, more);
      rows_changed(r, s->state, column, -by, less);
      for (uint32_t row = 0; row < r->problem.n; row++) {
        const double found = (more[row] - less[row]) / (2 * by), j = rows_entry(s, row, column);
        if (!(fabs(found - j) < 1e-7))
          fail_msg("%s: state %zu, row %u, column %u: J is %g, the difference quotient %g", what, i,
                   row, column, j, found);
      }
    }
  }
  rows_stay(r);
}

#endif
