/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States: resizing, look-up, integration of coordinates by velocities. */
#include "behavior/state.h"

#include "math/quaternion.h"
#include "behavior/rotation_finder.h"

const SofaInterface sofa_state_interface = {.name = "state", .slot = true};
const SofaInterface sofa_mechanical_state_interface = {
    .name = "mechanical state", .slot = true, .keeps_topology = true};
const SofaInterface sofa_rotation_finder_interface = {
    .name = "rotation finder",
    SOFA_REQUIRES(offsetof(SofaRotationFinderOps, state),
                  offsetof(SofaRotationFinderOps, rotations))};

enum { CONSTRAINT_FORCE = 5 }; /* its row */
static const SofaField state_fields[] = {
    SOFA_FIELD(SofaState, position, "position", NULL, "m",
               "positions: one coordinate of the state's kind per point"),
    SOFA_FIELD(SofaState, velocity, "velocity", NULL, "m/s", "velocities, one per point",
               .flags = SOFA_FIELD_DERIV),
    SOFA_FIELD(SofaState, force, "force", NULL, "N",
               "forces at the current positions and velocities, without reactions",
               .flags = SOFA_FIELD_DERIV | SOFA_FIELD_LAZY),
    SOFA_FIELD(SofaState, rest_position, "rest_position", NULL, "m",
               "rest positions; default: the initial positions"),
    SOFA_FIELD(SofaState, external_force, "externalForce", NULL, "N",
               "forces added to every evaluation of a step, cleared at its end",
               .flags = SOFA_FIELD_DERIV),
    [CONSTRAINT_FORCE] = SOFA_FIELD(
        SofaState, constraint_force, "constraintForce", NULL, "N",
        "forces of Lagrangian constraints in the last step; empty: none (addition of csofa)",
        .flags = SOFA_FIELD_DERIV | SOFA_FIELD_OUTPUT),
};

static const SofaQuirk quirks[] = {
    {SOFA_QUIRK_LATE_FORCES, "late-forces",
     "forces of states are those of the solver's last evaluation, before the end of its step",
     "test_reactions.forces_of_the_recorded_state"},
};

void sofa_state_touch_constraint_force(SofaState *state) {
  sofa_field_touch(&state->object, &state_fields[CONSTRAINT_FORCE]);
}

SofaErr sofa_state_find_force(SofaState *state) {
  if (!state->mechanics || sofa_quirk(&state->object, SOFA_QUIRK_LATE_FORCES)) return SOFA_OK;
  SOFA_TRY(state->find_force(state));
  sofa_field_touch(&state->object, &state_fields[2]);
  return SOFA_OK;
}

static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  return field == &state_fields[2] ? sofa_state_find_force((SofaState *)object) : SOFA_OK;
}

const SofaClass sofa_state_class = {
    .name = "State",
    .module = "csofa",
    .category = "State",
    .help = "Positions of points or frames.",
    .base = &sofa_object_class,
    .size = sizeof(SofaState),
    SOFA_FIELDS(state_fields),
    SOFA_QUIRKS(quirks),
    .compute_output = compute_output,
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_STATE, SOFA_NO_OPS}),
};

static SofaErr resize_if(SofaCoords *list, SofaContext *ctx, bool exists, size_t n) {
  return exists ? sofa_coords_resize(ctx, list, n) : SOFA_OK;
}

SofaErr sofa_state_resize(SofaState *state, size_t n) {
  SofaContext *ctx = state->object.ctx;
  if (state->position.n != n) sofa_graph_changed(state->object.node);
  SOFA_TRY(sofa_coords_resize(ctx, &state->position, n));
  SOFA_TRY(sofa_coords_resize(ctx, &state->velocity, n));
  SOFA_TRY(sofa_coords_resize(ctx, &state->force, n));
  SOFA_TRY(resize_if(&state->external_force, ctx, state->external_force.n > 0, n));
  SOFA_TRY(resize_if(&state->constraint_force, ctx, state->constraint_force.n > 0, n));
  SOFA_TRY(resize_if(&state->free_position, ctx, state->free_position.n > 0, n));
  SOFA_TRY(resize_if(&state->free_velocity, ctx, state->free_velocity.n > 0, n));
  const bool rest =
      state->rest_position.n > 0 || sofa_field_is_set(&state->object, "rest_position");
  SOFA_TRY(resize_if(&state->rest_position, ctx, rest, n));
  sofa_state_touch(state);
  return SOFA_OK;
}

void sofa_state_touch(SofaState *state) {
  /* the first rows of the state's table, see state_fields */
  sofa_field_touch(&state->object, &state_fields[0]);
  sofa_field_touch(&state->object, &state_fields[1]);
}

SofaState *sofa_node_state(const SofaNode *node) {
  return (SofaState *)sofa_node_slot_up(node, SOFA_MECHANICAL_STATE);
}

/* x += h v, several at once: the vectors are apart. */
static void add_scaled(size_t n, double h, const double *restrict v, double *restrict x) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = i; k < i + 4; k++) x[k] += h * v[k];
  for (; i < n; i++) x[i] += h * v[i];
}

void sofa_state_integrate(SofaStateKind kind, size_t n, double h, const double *v, double *x) {
  if (kind != SOFA_RIGID3) {
    add_scaled(n * sofa_state_kind_info(kind)->coord, h, v, x);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    double step[6];
    for (int k = 0; k < 6; k++) step[k] = h * SOFA_TWIST(v, i)[k];
    sofa_rigid3_integrate(SOFA_POSE(x, i), step);
  }
}
