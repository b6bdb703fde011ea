/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "simulation/kept_matrix.h"

#include "base/bytes.h"
#include "behavior/linear_solver.h"
#include "math/block_values.h"
#include "object/outside_plans.h"
#include "simulation/mechanics.h"

/* Without the gaps of the struct. */
static void put_params(const SofaMechParams *p, SofaCheckpointWriter *to) {
  const double values[] = {p->dt, p->time, p->from, p->until, p->m, p->b, p->k, p->r};
  sofa_checkpoint_put(to, values, sizeof values);
  sofa_checkpoint_put_uint(to, (p->iterates ? 1u : 0u) + (p->descends ? 2u : 0u));
}

static SofaMechParams get_params(SofaCheckpointReader *from) {
  double v[8];
  sofa_checkpoint_get(from, v, sizeof v);
  const uint64_t flags = sofa_checkpoint_get_uint(from);
  return (SofaMechParams){.dt = v[0],
                          .time = v[1],
                          .from = v[2],
                          .until = v[3],
                          .m = v[4],
                          .b = v[5],
                          .k = v[6],
                          .r = v[7],
                          .iterates = (flags & 1) != 0,
                          .descends = (flags & 2) != 0};
}

/* The plan of a node, unless the next step makes another one. */
static SofaMechanics *plan_of(const SofaNode *node) {
  SofaMechanics *m = node->mechanics;
  return m && sofa_graph_same_plans(m->graph_version, *node->graph_version) ? m : NULL;
}

SofaMechanics *sofa_kept_plan(const SofaLinearSystem *system) {
  const SofaNode *node = system->object.node;
  while (node && system->mechanics && plan_of(node) != system->mechanics)
    node = sofa_node_parent(node);
  return node && system->mechanics ? plan_of(node) : NULL;
}

static SofaBlockMatrix *matrix_of(const SofaLinearSystem *system) {
  return sofa_linear_system_matrix((SofaLinearSystem *)(uintptr_t)system);
}

void sofa_kept_matrix_save(const SofaLinearSystem *system, SofaCheckpointWriter *to) {
  const SofaMechanics *m = sofa_kept_plan(system);
  const SofaBlockMatrix *matrix = m ? matrix_of(system) : NULL;
  size_t n = 0;
  sofa_checkpoint_put_object(to, m ? &m->node->object : NULL);
  if (!m) return;
  put_params(&system->params, to);
  sofa_checkpoint_put_uint(to, matrix != NULL);
  if (!matrix) return;
  const double *values = sofa_block_matrix_values(matrix, &n);
  sofa_checkpoint_put_uint(to, sofa_block_matrix_pattern_sum(matrix));
  sofa_checkpoint_put_uint(to, n);
  sofa_checkpoint_put(to, values, n * sizeof *values);
}

/* Another object that keeps the same matrix has restored it: it stays what it is, since others know
 * its version. */
static bool holds(const SofaLinearSystem *system, const SofaMechanics *m, uint64_t sum,
                  const SofaReals *values) {
  size_t n = 0;
  const SofaBlockMatrix *matrix = system->mechanics == m ? matrix_of(system) : NULL;
  const double *own = matrix ? sofa_block_matrix_values(matrix, &n) : NULL;
  return own && n == values->n && sofa_block_matrix_pattern_sum(matrix) == sum &&
         sofa_compare(own, values->data, n * sizeof *own) == 0;
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params) {
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, m->node->time);
  const bool assembly = system->enable_assembly;
  system->enable_assembly = true;
  const SofaErr err = sofa_linear_system_build(system, m, params, &at);
  system->enable_assembly = assembly;
  return err;
}

/* The matrix at the point of the states, for its pattern, with the values of the file. */
static SofaErr restore_values(SofaLinearSystem *system, SofaMechanics *m,
                              const SofaMechParams *params, SofaCheckpointReader *from) {
  SofaReals values = {0};
  size_t n = 0;
  const uint64_t sum = sofa_checkpoint_get_uint(from);
  SofaErr err = sofa_checkpoint_get_list(from, &values, sizeof *values.data);
  if (err != SOFA_OK || sofa_checkpoint_is_bad(from) || holds(system, m, sum, &values)) goto done;
  SOFA_GO(err, done, build(system, m, params));
  SofaBlockMatrix *matrix = matrix_of(system);
  if (matrix) (void)sofa_block_matrix_values(matrix, &n);
  if (!matrix || values.n != n || sofa_block_matrix_pattern_sum(matrix) != sum)
    sofa_checkpoint_misread(from);
  else sofa_block_matrix_set_values(matrix, values.data);
done:
  sofa_list_free(from->ctx, &values);
  return err;
}

SofaErr sofa_kept_matrix_restore(SofaLinearSystem *system, SofaCheckpointReader *from,
                                 SofaMechanics **m) {
  SofaObject *object = sofa_checkpoint_get_object(from);
  *m = NULL;
  if (!object) return SOFA_OK;
  const SofaMechParams params = get_params(from);
  const bool has_matrix = sofa_checkpoint_get_uint(from) != 0;
  SofaMechanics *plan =
      object->klass == &sofa_node_class ? plan_of((const SofaNode *)object) : NULL;
  if (!plan) sofa_checkpoint_misread(from);
  if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
  if (has_matrix) SOFA_TRY(restore_values(system, plan, &params, from));
  system->mechanics = plan;
  system->params = params;
  *m = plan;
  return SOFA_OK;
}
