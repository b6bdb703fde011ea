/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of an initialised scene: what will run, but hardly as it was meant. They change nothing.
 */
#include <string.h>

#include "behavior/mapping.h"
#include "behavior/mass.h"
#include "behavior/projective.h"
#include "object/list_check_impl.h"
#include "object/process.h"
#include "scene/ready_impl.h"
#include "simulation/schedule.h"

bool sofa_ready_is_independent(const SofaReady *ready, const SofaState *state) {
  for (size_t i = 0; i < ready->objects.n; i++) {
    const SofaObject *object = ready->objects.data[i];
    if (sofa_implements(object, SOFA_MAPPING) && ((const SofaMapping *)object)->out == state)
      return false;
  }
  return true;
}

SofaErr sofa_ready_print_indices(SofaContext *ctx, const uint32_t *list, size_t n, SofaText *out) {
  for (size_t i = 0; i < n && i < 5; i++)
    SOFA_TRY(sofa_text_printf(ctx, out, "%s%u", i ? ", " : "", list[i]));
  return n > 5 ? sofa_text_printf(ctx, out, ", ...") : SOFA_OK;
}

static SofaErr collect(SofaReady *ready) {
  SofaNodes nodes = {0};
  SofaErr err;
  SOFA_GO(err, done, sofa_node_order(ready->simulation->root, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      SofaObject *object = nodes.data[i]->objects.data[k];
      if (sofa_valid(object)) SOFA_GO(err, done, SOFA_APPEND(ready->ctx, &ready->objects, &object));
    }
done:
  sofa_list_free(ready->ctx, &nodes);
  return err;
}

/* ---- two of a kind in a node ---- */

/* Does an object of the node act on a state that the scene does not name? */
static bool has_unnamed_state(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_FORCE_FIELD) && !sofa_implements(object, SOFA_PROJECTIVE))
      continue;
    if (sofa_class_field(object->klass, "mstate") && !sofa_field_is_set(object, "mstate"))
      return true;
  }
  return false;
}

static bool is_alone_of_its_kind(const SofaObject *object, const SofaInterface *interface) {
  if (!sofa_implements(object, interface)) return false;
  if (interface == SOFA_MECHANICAL_STATE) return has_unnamed_state(object->node);
  return interface != SOFA_ODE_SOLVER ||
         !(sofa_ode_solver_traits((const SofaOdeSolver *)object) & SOFA_ODE_ADDS);
}

static void check_twice(const SofaObject *object) {
  static const struct {
    const SofaInterface *interface;
    const char *text;
  } kinds[] = {
      {SOFA_ODE_SOLVER, "each of them makes a whole step of the states: keep one"},
      {SOFA_MASS, "both add to the state: keep one, unless the sum is meant"},
      {SOFA_MECHANICAL_STATE, "components without the link mstate act on one of them: give each "
                              "state a node of its own"},
  };
  const SofaObjects *all = &object->node->objects;
  for (size_t k = 0; k < SOFA_COUNT(kinds); k++) {
    if (!is_alone_of_its_kind(object, kinds[k].interface)) continue;
    for (size_t i = 0; i < all->n && all->data[i] != object; i++) {
      if (!sofa_valid(all->data[i]) || !is_alone_of_its_kind(all->data[i], kinds[k].interface))
        continue;
      sofa_object_message(object, SOFA_WARNING, "the node has another %s, '%s': %s",
                          kinds[k].interface->name, all->data[i]->name, kinds[k].text);
      break;
    }
  }
}

/* ---- linear solvers that nobody uses ---- */

static bool links_to(const SofaObject *object, const SofaObject *target) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = object->field_states[i].field;
    const void *value = sofa_field_value(object, field);
    if (field->type == &sofa_type_link && ((const SofaLink *)value)->target == target) return true;
    if (field->type != &sofa_type_links) continue;
    const SofaLinks *links = value;
    for (size_t k = 0; k < links->n; k++)
      if (links->data[k].target == target) return true;
  }
  return false;
}

/* ODE solvers without a link use the first linear solver of their node. */
static void check_linear_solver(const SofaReady *ready, const SofaObject *object) {
  if (!sofa_implements(object, SOFA_LINEAR_SOLVER)) return;
  const SofaObject *first = sofa_node_find(object->node, SOFA_LINEAR_SOLVER, SOFA_SEARCH_LOCAL);
  const SofaObject *ode = sofa_node_find(object->node, SOFA_ODE_SOLVER, SOFA_SEARCH_LOCAL);
  if (first == object || !ode || !sofa_class_field(ode->klass, "linearSolver")) return;
  for (size_t i = 0; i < ready->objects.n; i++)
    if (links_to(ready->objects.data[i], object)) return;
  sofa_object_message(
      object, SOFA_WARNING,
      "this linear solver is not used: '%s' comes first in the node; remove one, or "
      "give the ODE solver linearSolver=\"@%s\"",
      first->name, object->name);
}

/* ---- solvers below others ---- */

const SofaObject *sofa_ready_solver_above(const SofaObject *solver) {
  const SofaObject *above = NULL;
  for (const SofaNode *node = sofa_node_parent(solver->node); node && !above;
       node = sofa_node_parent(node))
    above = sofa_node_ode_solver(node);
  return above;
}

static void check_solver_above(const SofaObject *object) {
  if (!sofa_implements(object, SOFA_ODE_SOLVER)) return;
  const SofaObject *above = sofa_ready_solver_above(object);
  if (!above) return;
  sofa_object_message(object, SOFA_WARNING,
                      "this ODE solver is not used: '%s' in a node above moves the states below, "
                      "too; keep one of the two",
                      above->name);
}

/* ---- masses and gravity without a solver ---- */

static void check_mass(const SofaObject *object) {
  if (!sofa_implements(object, SOFA_MASS)) return;
  const SofaState *state = ((const SofaForceField *)object)->state[0];
  const SofaNode *node = state ? state->object.node : object->node;
  if (sofa_node_find(node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP)) return;
  sofa_object_message(object, SOFA_WARNING,
                      "no ODE solver in the node of the state or above: nothing moves this mass; "
                      "add for instance <EulerImplicitSolver/> and <CGLinearSolver/>");
}

static void check_gravity(const SofaReady *ready) {
  const SofaNode *root = ready->simulation->root;
  const double *g = root->gravity.v;
  bool any_state = false;
  if (!sofa_field_is_set(&root->object, "gravity")) return;
  if (!(g[0] != 0 || g[1] != 0 || g[2] != 0)) return;
  for (size_t i = 0; i < ready->objects.n; i++) {
    const SofaObject *object = ready->objects.data[i];
    // a mass has its own warning
    if (sofa_implements(object, SOFA_ODE_SOLVER) || sofa_implements(object, SOFA_MASS)) return;
    any_state |= sofa_implements(object, SOFA_MECHANICAL_STATE) &&
                 sofa_ready_is_independent(ready, (const SofaState *)object);
  }
  if (any_state)
    sofa_object_message(&root->object, SOFA_WARNING,
                        "gravity moves nothing: the scene has no ODE solver and no mass; add them, "
                        "or leave the attribute gravity out");
}

static void check_step(const SofaReady *ready) {
  const SofaNode *root = ready->simulation->root;
  if (!(root->dt > 0))
    sofa_object_message(&root->object, SOFA_WARNING,
                        "dt = %g s: every step fails; the attribute dt of the root must be > 0",
                        root->dt);
}

/* ---- regions that select nothing ---- */

/* On all processes, of which each may have a part of the region. */
static SofaErr is_empty_list(const SofaObject *object, const SofaField *field, bool *empty) {
  uint64_t n = ((const SofaAnyList *)sofa_field_value(object, field))->n;
  SOFA_TRY(sofa_process_sum_counts(object->ctx, 1, &n));
  *empty = n == 0;
  return SOFA_OK;
}

static SofaErr check_regions(const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  if (!sofa_implements(object, SOFA_PROJECTIVE) && !sofa_implements(object, SOFA_FORCE_FIELD))
    return SOFA_OK;
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *fs = &object->field_states[i];
    if (!sofa_implements(fs->source, SOFA_ENGINE)) continue;
    if ((fs->field->flags & SOFA_FIELD_DISPLAY) || !fs->source_field->type->list) continue;
    bool empty;
    SOFA_TRY(is_empty_list(fs->source, fs->source_field, &empty));
    if (!empty) continue;
    char *path = sofa_object_path(fs->source);
    sofa_object_message(object, SOFA_WARNING,
                        "'%s' is empty, because %s '%s' selects nothing ('%s'): compare its region "
                        "with the positions",
                        fs->field->name, fs->source->klass->name, path ? path : fs->source->name,
                        fs->source_field->name);
    sofa_free(object->ctx, path);
  }
  return SOFA_OK;
}

/* ---- values per element or point ---- */

static SofaErr check_lengths(const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaFieldState *fs = &object->field_states[i];
    SofaText why = {0};
    if (!fs->set || (fs->field->flags & (SOFA_FIELD_OUTPUT | SOFA_FIELD_DISPLAY))) continue;
    const SofaErr err = sofa_list_unfit(object, fs->field, &why);
    if (err == SOFA_OK && why.n)
      sofa_object_message(object, SOFA_WARNING, "field '%s': %s", fs->field->name, why.data);
    sofa_list_free(object->ctx, &why);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

/* ---- all ---- */

SofaErr sofa_scene_check_ready(SofaSimulation *simulation) {
  SofaReady ready = {.ctx = simulation->ctx, .simulation = simulation};
  SofaErr err;
  SOFA_GO(err, done, collect(&ready));
  check_step(&ready);
  check_gravity(&ready);
  for (size_t i = 0; i < ready.objects.n; i++) {
    check_twice(ready.objects.data[i]);
    check_solver_above(ready.objects.data[i]);
    check_linear_solver(&ready, ready.objects.data[i]);
    check_mass(ready.objects.data[i]);
    SOFA_GO(err, done, check_regions(ready.objects.data[i]));
    SOFA_GO(err, done, check_lengths(ready.objects.data[i]));
  }
  SOFA_GO(err, done, sofa_ready_check_elements(&ready));
  SOFA_GO(err, done, sofa_ready_check_points(&ready));
  SOFA_GO(err, done, sofa_ready_check_solvers(&ready));
done:
  sofa_list_free(ready.ctx, &ready.objects);
  return err;
}
