/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors that ODE solvers keep in their plans from step to step. */
#include "behavior/ode_solver.h"
#include "object/outside_plans.h"
#include "scene/checkpoint_impl.h"
#include "simulation/mechanics.h"

static SofaNode *node_of(SofaObject *object) {
  return object->klass == &sofa_node_class ? (SofaNode *)object : NULL;
}

/* The plan of a node, or NULL when the next step makes it anew. */
static SofaMechanics *plan_of(const SofaNode *node) {
  SofaMechanics *m = node->mechanics;
  return m && sofa_graph_same_plans(m->graph_version, *node->graph_version) ? m : NULL;
}

static SofaOdeSolver *solver_of(SofaObject *object) {
  return sofa_implements(object, SOFA_ODE_SOLVER) ? (SofaOdeSolver *)object : NULL;
}

/* Has the solver taken its vectors from the plan of its node? */
static bool is_prepared(const SofaOdeSolver *solver) {
  const SofaMechanics *m = plan_of(solver->object.node);
  return m && solver->mechanics == m && solver->plan_version == m->serial;
}

/* A vector of the whole mesh: state after state. */
static SofaErr put_whole(SofaCheckpointWriter *to, SofaSections *sections, const SofaMechanics *m,
                         const double *vector, bool coord) {
  for (size_t i = 0; i < m->n_states; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    SOFA_TRY(sofa_checkpoint_put_points(to, sections, s, coord ? kind->coord : kind->deriv,
                                        vector + (coord ? s->x_offset : s->v_offset)));
  }
  return SOFA_OK;
}

static SofaErr put_plan(SofaCheckpointWriter *to, const SofaMechanics *m, SofaSections *sections) {
  const bool whole = sections != NULL;
  const size_t n = sofa_mechanics_n_vectors(m);
  const double times[2] = {m->begin, m->h};
  if (whole && m->x_taken)
    return sofa_object_unsupported(&m->node->object,
                                   "a saved state: limits of steps on a divided mesh");
  sofa_checkpoint_put(to, times, sizeof times);
  sofa_checkpoint_put_uint(to, m->statics);
  sofa_checkpoint_put_uint(to, m->x_taken ? m->n_x : 0);
  sofa_checkpoint_put(to, m->x_taken, m->x_taken ? m->n_x * sizeof *m->x_taken : 0);
  sofa_checkpoint_put_uint(to, n);
  for (size_t i = 0; i < n; i++) {
    size_t length;
    const double *vector = sofa_mechanics_vector(m, i, &length);
    sofa_checkpoint_put_uint(to, whole ? length == m->n_x : length);
    if (whole) SOFA_TRY(put_whole(to, sections, m, vector, length == m->n_x));
    else sofa_checkpoint_put(to, vector, length * sizeof *vector);
  }
  return to->err;
}

SofaErr sofa_checkpoint_put_plans(SofaCheckpointWriter *to, SofaSections *sections) {
  const SofaObjects *objects = to->objects;
  for (size_t i = 0; i < objects->n; i++) {
    const SofaOdeSolver *solver = solver_of(objects->data[i]);
    if (solver) sofa_checkpoint_put_uint(to, is_prepared(solver));
  }
  for (size_t i = 0; i < objects->n; i++) {
    const SofaNode *node = node_of(objects->data[i]);
    if (!node) continue;
    const SofaMechanics *m = plan_of(node);
    const size_t part = sofa_checkpoint_begin(to);
    if (m) SOFA_TRY(put_plan(to, m, sections));
    sofa_checkpoint_end(to, part);
  }
  return to->err;
}

/* ---- restoring ---- */

/* The vector is read before the plan copies it: its length was checked. */
static SofaErr get_vector(SofaCheckpointReader *from, SofaMechanics *m, size_t i) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  double *values = NULL;
  if (n > (size_t)(from->end - from->at) / sizeof *values || (n != m->n_x && n != m->n_v)) {
    from->bad = true;
    return SOFA_OK;
  }
  values = sofa_alloc(from->ctx, n, sizeof *values);
  if (!values) return SOFA_ERR_MEMORY;
  sofa_checkpoint_get(from, values, n * sizeof *values);
  SofaErr err = sofa_mechanics_restore_vector(m, i, n, values);
  if (err == SOFA_ERR_RANGE) {
    from->bad = true;
    err = SOFA_OK;
  }
  sofa_free(from->ctx, values);
  return err;
}

/* The same out of a vector of the whole mesh. */
static SofaErr get_whole(SofaCheckpointReader *from, SofaSections *sections, SofaMechanics *m,
                         size_t i) {
  const bool coord = sofa_checkpoint_get_uint(from) != 0;
  const size_t n = coord ? m->n_x : m->n_v;
  double *values = sofa_alloc(from->ctx, n, sizeof *values);
  SofaErr err = values ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n_states && err == SOFA_OK; k++) {
    const SofaState *s = m->states[k];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    err = sofa_checkpoint_get_points(from, sections, s, coord ? kind->coord : kind->deriv,
                                     values + (coord ? s->x_offset : s->v_offset));
  }
  if (err == SOFA_OK && !from->bad) err = sofa_mechanics_restore_vector(m, i, n, values);
  if (err == SOFA_ERR_RANGE) {
    from->bad = true;
    err = SOFA_OK;
  }
  sofa_free(from->ctx, values);
  return err;
}

static SofaErr get_plan(SofaCheckpointReader *from, SofaNode *node, SofaSections *sections) {
  SofaMechanics *m = NULL;
  double times[2];
  SOFA_TRY(sofa_node_mechanics(node, &m));
  sofa_checkpoint_get(from, times, sizeof times);
  m->begin = times[0];
  m->h = times[1];
  m->statics = sofa_checkpoint_get_uint(from) != 0;
  const uint64_t n_taken = sofa_checkpoint_get_uint(from);
  if (n_taken != (m->x_taken ? m->n_x : 0)) from->bad = true;
  else sofa_checkpoint_get(from, m->x_taken, n_taken * sizeof *m->x_taken);
  const uint64_t n = sofa_checkpoint_get_uint(from);
  for (size_t i = 0; i < n && !from->bad; i++)
    SOFA_TRY(sections ? get_whole(from, sections, m, i) : get_vector(from, m, i));
  return SOFA_OK;
}

SofaErr sofa_checkpoint_get_plans(SofaCheckpointReader *from, const SofaObjects *objects,
                                  SofaSections *sections) {
  for (size_t i = 0; i < objects->n; i++) {
    SofaOdeSolver *solver = solver_of(objects->data[i]);
    SofaMechanics *m = NULL;
    if (solver && sofa_checkpoint_get_uint(from)) SOFA_TRY(sofa_ode_solver_prepare(solver, &m));
  }
  for (size_t i = 0; i < objects->n; i++) {
    SofaNode *node = node_of(objects->data[i]);
    if (!node) continue;
    SofaCheckpointReader part = sofa_checkpoint_part(from);
    if (!part.bad && part.at != part.end) SOFA_TRY(get_plan(&part, node, sections));
    if (part.bad) from->bad = true;
  }
  return SOFA_OK;
}
