/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes of a scene: its one solver, participation of the modes, mapped shapes. */
#include "numerics/modes/modes.h"

#include "behavior/lagrangian.h"
#include "numerics/modes/modes_impl.h"
#include "simulation/mapped_inertia.h"
#include "simulation/vectors.h"

static const SofaOrigin origin = {.emitter = "modes"};

/* ---- the solver ---- */

typedef struct Found {
  SofaOdeSolver *solver;
  size_t n_solvers, n_lagrangian;
} Found;

static void look_at(SofaObject *object, Found *found) {
  if (!sofa_valid(object)) return;
  if (sofa_implements(object, SOFA_LAGRANGIAN)) found->n_lagrangian++;
  if (!sofa_implements(object, SOFA_ODE_SOLVER)) return;
  SofaOdeSolver *solver = (SofaOdeSolver *)object;
  if (sofa_ode_solver_traits(solver) & SOFA_ODE_ADDS) return;
  found->n_solvers++;
  found->solver = solver;
}

/* n_lagrangian may be NULL. */
static SofaErr find_solver(SofaNode *root, SofaOdeSolver **out, size_t *n_lagrangian) {
  SofaContext *ctx = root->object.ctx;
  SofaNodes nodes = {0};
  Found found = {0};
  const SofaErr err = sofa_node_order(root, &nodes);
  for (size_t i = 0; err == SOFA_OK && i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++)
      look_at(nodes.data[i]->objects.data[k], &found);
  sofa_list_free(ctx, &nodes);
  if (err != SOFA_OK) return err;
  *out = found.solver;
  if (found.n_solvers == 0)
    return sofa_fail(ctx, SOFA_ERR_NOT_FOUND, &origin,
                     "the scene has no ODE solver: it says which states move together");
  if (found.n_solvers > 1)
    return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, &origin,
                     "modes of several ODE solvers are not supported yet: the scene has %zu",
                     found.n_solvers);
  if (n_lagrangian) *n_lagrangian = found.n_lagrangian;
  return SOFA_OK;
}

SofaErr sofa_modes_find_solver(SofaNode *root, SofaOdeSolver **out) {
  return find_solver(root, out, NULL);
}

void modes_warn_asymmetry(const SofaModes *modes, double asymmetry) {
  if (asymmetry < 1e-8) return;
  sofa_object_message(&modes->solver->object, SOFA_WARNING,
                      "the stiffness is not symmetric (by %.2g of its largest entry): modes are "
                      "those of its symmetric part",
                      asymmetry);
}

/* ---- participation ---- */

/* A unit displacement along an axis. */
static void unit_motion(const SofaMechanics *m, unsigned axis, double *r) {
  sofa_vec_zero(sofa_all_v(m), r);
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    if (axis >= kind->space) continue;
    for (size_t k = 0; k < s->position.n; k++) r[s->v_offset + k * kind->deriv + axis] = 1;
  }
}

static SofaErr participate(SofaModes *modes, ModesPoint *point) {
  SofaMechanics *m = modes->mechanics;
  double *r = point->f, *mr = point->v;
  for (unsigned axis = 0; axis < 3; axis++) {
    unit_motion(m, axis, r);
    SOFA_TRY(sofa_mech_propagate_dx(m, &point->at, r));
    sofa_vec_zero(sofa_all_v(m), mr);
    SOFA_TRY(sofa_mech_add_mdx(m, &point->at, r, 1, mr));
    modes->total_mass[axis] = sofa_vec_dot(sofa_main_v(m), r, mr);
    for (size_t i = 0; i < modes->n; i++) {
      SofaMode *mode = &modes->mode[i];
      mode->participation[axis] = sofa_vec_dot(sofa_main_v(m), sofa_modes_shape(modes, i), mr);
      mode->mass[axis] = mode->participation[axis] * mode->participation[axis];
    }
  }
  return SOFA_OK;
}

/* The shapes get the displacements of mapped states, and a sign: the largest entry is positive. */
static SofaErr finish_shapes(SofaModes *modes, const ModesPoint *point) {
  for (size_t i = 0; i < modes->n; i++) {
    double *x = modes->shapes + i * modes->n_v, most = 0;
    for (size_t k = 0; k < modes->n_rows; k++)
      if (fabs(x[k]) > 1.000001 * fabs(most)) most = x[k];
    if (most < 0) sofa_vec_scale(sofa_main_v(modes->mechanics), -1, x);
    SOFA_TRY(sofa_mech_propagate_dx(modes->mechanics, &point->at, x));
  }
  return SOFA_OK;
}

/* ---- all ---- */

static SofaErr find_modes(SofaModes *modes, const SofaModesRequest *request) {
  SofaMechanics *m = modes->mechanics;
  ModesPoint point = {0};
  const bool buckling = request->kind == SOFA_MODES_BUCKLING;
  const double present = m->load_factor;
  SofaErr err = modes_point_create(m, &point);
  if (err == SOFA_OK)
    err = (buckling ? modes_of_buckling : modes_of_vibration)(modes, &point, request->n);
  m->load_factor = present;
  if (err == SOFA_OK) err = modes_point_set(&point, 0, NULL, present);
  if (err == SOFA_OK) err = finish_shapes(modes, &point);
  if (err == SOFA_OK && !buckling) err = participate(modes, &point);
  modes_point_free(&point);
  return err;
}

static SofaErr make_room(SofaModes *modes, size_t wanted) {
  const SofaMechanics *m = modes->mechanics;
  modes->n_rows = sofa_main_v(m).n;
  if (modes->n_rows == 0)
    return sofa_object_fail(&modes->solver->object, SOFA_ERR_NOT_FOUND,
                            "no state moves below the solver: there are no modes");
  if (wanted > modes->n_rows)
    return sofa_object_fail(&modes->solver->object, SOFA_ERR_RANGE,
                            "%zu modes were asked for, the states have %zu degrees of freedom",
                            wanted, modes->n_rows);
  modes->n_v = m->n_v;
  modes->mode = sofa_alloc(modes->ctx, wanted, sizeof *modes->mode);
  modes->shapes = sofa_alloc(modes->ctx, wanted * m->n_v + 1, sizeof *modes->shapes);
  return modes->mode && modes->shapes ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_modes_create(SofaSimulation *simulation, const SofaModesRequest *request,
                          SofaModes **out) {
  return sofa_modes_create_below(simulation->root, request, out);
}

SofaErr sofa_modes_create_below(SofaNode *root, const SofaModesRequest *request, SofaModes **out) {
  SofaContext *ctx = root->object.ctx;
  SofaOdeSolver *solver = NULL;
  size_t n_lagrangian = 0;
  *out = NULL;
  SOFA_TRY(find_solver(root, &solver, &n_lagrangian));
  if (n_lagrangian)
    sofa_object_message(&solver->object, SOFA_WARNING,
                        "modes are those without the %zu Lagrangian constraints of the scene",
                        n_lagrangian);
  SofaModes *modes = sofa_alloc(ctx, 1, sizeof *modes);
  if (!modes) return SOFA_ERR_MEMORY;
  modes->ctx = ctx;
  modes->kind = request->kind;
  modes->solver = solver;
  SofaErr err = sofa_node_mechanics(solver->object.node, &modes->mechanics);
  if (err == SOFA_OK) err = make_room(modes, request->n);
  if (err == SOFA_OK) {
    const bool counted = modes->mechanics->mapped_masses;
    sofa_mech_take_mapped_masses(modes->mechanics, true);
    err = find_modes(modes, request);
    sofa_mech_take_mapped_masses(modes->mechanics, counted);
  }
  if (err == SOFA_OK) *out = modes;
  else sofa_modes_destroy(&modes);
  return err;
}

void sofa_modes_destroy(SofaModes **modes) {
  SofaModes *m = *modes;
  *modes = NULL;
  if (!m) return;
  sofa_free(m->ctx, m->mode);
  sofa_free(m->ctx, m->shapes);
  sofa_free(m->ctx, m);
}
