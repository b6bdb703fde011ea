/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the models of Lagrangian constraints share: violations in both orders, rows along axes, and
 * quirks of several classes. */
#ifndef COMPONENTS_CONSTRAINT_LAGRANGIAN_MODEL_H
#define COMPONENTS_CONSTRAINT_LAGRANGIAN_MODEL_H

#include "behavior/lagrangian.h"
#include "change/topology_change.h"
#include "numerics/constraint/laws.h"

/* Of the rows that `build` added last; x and v: arrays of the constraint's states. */
typedef struct ModelRows {
  size_t (*gap)(const SofaLagrangian *c, const double *const x[2], double *d); /* number of rows */
  void (*add_rate)(const SofaLagrangian *c, const double *const v[2], double *d); /* d += J v */
  bool velocities; /* SOFA has their form for velocities, too */
} ModelRows;

/* d of the free motion. Positions: their gap. Velocities: their rate plus gap / dt of the start of
 * the step, so that x + dt v closes the gap. With the quirk the gap in both orders. */
void model_violation(const SofaLagrangian *c, const ModelRows *rows,
                     const SofaConstraintProblem *problem, double *d);

enum { QUIRK_VELOCITY_ORDER = 1 << 24 };
#define QUIRK_VELOCITY_ORDER_ROW                                                                   \
  {                                                                                                \
    QUIRK_VELOCITY_ORDER, "joints-without-velocities",                                             \
        "where velocities are constrained, some constraints still give the violations of "         \
        "positions",                                                                               \
        "test_constraint_quirks.velocity_order"                                                    \
  }
/* Is d the gap of positions? */
bool model_is_position(const SofaLagrangian *c, const ModelRows *rows,
                       const SofaConstraintProblem *problem);

/* A bilateral block of three rows. */
enum { QUIRK_JOINT_GUARD = 1 << 25 };
#define QUIRK_JOINT_GUARD_ROW                                                                      \
  {                                                                                                \
    QUIRK_JOINT_GUARD, "joint-guard",                                                              \
        "a joint of three rows does nothing where the determinant of its compliance is below "     \
        "2.2e-16, whatever the unit",                                                              \
        "test_constraint_quirks.joint_guard"                                                       \
  }
const SofaConstraintLaw *model_three_rows(const SofaLagrangian *c);

/* A bilateral block: n rows that start from `memory`, which may be NULL. */
SofaErr model_bilateral(SofaConstraintProblem *problem, const SofaConstraintLaw *law, uint32_t n,
                        double *memory, uint32_t *first);
/* The entry `value` of a row at component k of a point's deriv. */
SofaErr model_axis(SofaConstraintProblem *problem, const SofaState *state, uint32_t row,
                   size_t point, unsigned k, double value);

/* Reports an index that is not a point of a state. */
SofaErr model_check_point(const SofaObject *object, const char *field, unsigned index,
                          const SofaState *state);

/* The functions of a class whose contacts are made by collision responses. */
extern const SofaLagrangianOps model_without_rows;

#endif
