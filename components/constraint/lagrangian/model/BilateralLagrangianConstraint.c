/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BilateralLagrangianConstraint: pairs of points, or of frames, that stay together.
 *
 * Points: d = x2 - x1 - r, with the rest vector r. Frames: the same of the centres, and the
 * rotation vector of q2 q1^-1 (world axes) minus that of r, as two blocks of three rows. */
#include <string.h>

#include "behavior/checks.h"
#include "object/checkpoint.h"
#include "behavior/draw_state.h"
#include "components/constraint/lagrangian/model/model.h"
#include "math/quaternion.h"
#include "object/event.h"

enum {
  QUIRK_REST_VELOCITY = 1,
  QUIRK_JOINT_LOAD = 2,
  QUIRK_ALWAYS_ACTIVE = 4,
};
static const SofaQuirk quirks[] = {
    {QUIRK_REST_VELOCITY, "joint-rest-velocity",
     "where velocities are constrained, BilateralLagrangianConstraint adds its rest vectors "
     "instead of subtracting them",
     "test_constraint_quirks.rest_velocity"},
    {QUIRK_JOINT_LOAD, "joint-load",
     "`load` of BilateralLagrangianConstraint slows the constraint solver down",
     "test_constraint_quirks.load"},
    {QUIRK_ALWAYS_ACTIVE, "joint-always-active",
     "`activate` of BilateralLagrangianConstraint has no effect on frames",
     "test_constraint_quirks.always_active"},
    QUIRK_VELOCITY_ORDER_ROW,
    QUIRK_JOINT_GUARD_ROW,
};

typedef struct PairOffset {
  double centre[3], turn[4]; /* of the second frame: m, world axes; in the first frame */
} PairOffset;
SOFA_LIST(PairOffset, PairOffsets);

typedef struct BilateralLagrangianConstraint {
  SofaLagrangian lagrangian;
  SofaIndices first, second;
  SofaCoords rest; /* derivs */
  bool activate, keep_orientation;
  double load;
  SofaLink topology1, topology2;
  SofaVec3s memory;    /* points: multipliers of each pair in the last solve */
  PairOffsets offsets; /* of each pair, with keep_orientation */
} BilateralLagrangianConstraint;

typedef BilateralLagrangianConstraint SofaSelf; /* of SOFA_ROW */

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_ROW(first, "first_point", NULL, "", "points of object1", .flags = SOFA_FIELD_REINIT,
             SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST), .keep_order = true)),
    SOFA_ROW(second, "second_point", NULL, "", "points of object2, as many",
             .flags = SOFA_FIELD_REINIT,
             SOFA_TABLE(SOFA_ENDS(SOFA_STATE_SECOND), .keep_order = true)),
    SOFA_ROW(rest, "rest_vector", NULL, "m",
             "of each pair: x2 - x1 where they are together; frames: and the rotation vector; "
             "missing ones are 0",
             .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV, SOFA_TABLE_VALUE),
    SOFA_ROW(activate, "activate", "1", "",
             "0: the constraint does nothing; the key A of the viewer changes it"),
    SOFA_ROW(keep_orientation, "keepOrientationDifference", "0", "",
             "frames: their differences at the beginning are kept instead of rest_vector",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(load, "load", "1", "1",
             "no effect; with the quirk joint-load the share of each correction of the forces",
             .range = SOFA_WITHIN(0, 1), .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(topology1, "topology1", NULL, "",
             "topology of the points of object1; not needed: pairs always follow the removal of "
             "points",
             .link = &topology_rule, .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology2, "topology2", NULL, "", "the same of object2", .link = &topology_rule,
             .flags = SOFA_FIELD_NO_EFFECT),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(BilateralLagrangianConstraint, memory, SOFA_TABLE_VALUE),
    SOFA_PRIVATE(BilateralLagrangianConstraint, offsets, SOFA_TABLE_VALUE),
};

/* ---- what the scene says ---- */

static bool is_rigid(const BilateralLagrangianConstraint *b) {
  return b->lagrangian.object.kind == SOFA_RIGID3;
}

/* Lists of one length each; rest vectors that are missing are 0. */
static SofaErr check_lengths(BilateralLagrangianConstraint *b) {
  SofaObject *object = &b->lagrangian.object;
  SofaErr err = SOFA_OK;
  if (b->first.n != b->second.n)
    err = sofa_field_fail(object, "second_point", SOFA_ERR_ARGUMENT,
                          "has %zu points, first_point has %zu", b->second.n, b->first.n);
  SOFA_TRY(sofa_keep_going(object, err));
  if (b->first.n > b->second.n) b->first.n = b->second.n;
  b->second.n = b->first.n;
  if (b->rest.n > b->first.n)
    err = sofa_field_fail(object, "rest_vector", SOFA_ERR_ARGUMENT, "has %zu vectors for %zu pairs",
                          b->rest.n, b->first.n);
  SOFA_TRY(sofa_keep_going(object, err));
  return b->rest.n ? sofa_coords_resize(object->ctx, &b->rest, b->first.n) : SOFA_OK;
}

static SofaErr keep_offsets(BilateralLagrangianConstraint *b) {
  SofaObject *object = &b->lagrangian.object;
  SofaState *const *state = b->lagrangian.state;
  b->offsets.n = 0;
  if (!b->keep_orientation || !is_rigid(b) || !state[0] || !state[1]) return SOFA_OK;
  if (b->rest.n)
    sofa_object_message(object, SOFA_WARNING,
                        "keepOrientationDifference replaces the rest_vector, which is not used");
  b->rest.n = 0;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &b->offsets, b->first.n));
  for (size_t p = 0; p < b->offsets.n; p++) {
    const double *x1 = SOFA_POSE(state[0]->position.data, b->first.data[p]);
    const double *x2 = SOFA_POSE(state[1]->position.data, b->second.data[p]);
    PairOffset *o = &b->offsets.data[p];
    sofa_vec3_sub(x2, x1, o->centre);
    sofa_quat_inverse(x1 + 3, o->turn);
    sofa_quat_multiply(o->turn, x2 + 3, o->turn);
    sofa_quat_normalize(o->turn);
  }
  return SOFA_OK;
}

/* States of nodes below have their size only now. */
static SofaErr bwd_init(SofaObject *object) {
  BilateralLagrangianConstraint *b = (BilateralLagrangianConstraint *)object;
  b->memory.n = 0;
  SOFA_TRY(check_lengths(b));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &b->memory, is_rigid(b) ? 0 : b->first.n));
  return keep_offsets(b);
}

static SofaErr reset(SofaObject *object) {
  BilateralLagrangianConstraint *b = (BilateralLagrangianConstraint *)object;
  if (b->memory.n) sofa_zero(b->memory.data, b->memory.n * sizeof *b->memory.data);
  return SOFA_OK;
}

static SofaErr construct(SofaObject *object) {
  object->listening = true;
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  BilateralLagrangianConstraint *b = (BilateralLagrangianConstraint *)object;
  if (event->type != SOFA_EVENT_KEY_PRESSED || (event->key != 'A' && event->key != 'a'))
    return SOFA_OK;
  b->activate = !b->activate;
  sofa_field_touch_name(object, "activate");
  return SOFA_OK;
}

/* ---- violations ---- */

/* Pairs that act. */
static size_t n_pairs(const BilateralLagrangianConstraint *b) {
  const bool always = is_rigid(b) && sofa_quirk(&b->lagrangian.object, QUIRK_ALWAYS_ACTIVE);
  return b->activate || always ? b->first.n : 0;
}

static unsigned n_rows_of_pair(const BilateralLagrangianConstraint *b) {
  return is_rigid(b) ? 6 : 3;
}

/* The first frame of a pair, where the second one should be. */
static void first_frame(const BilateralLagrangianConstraint *b, size_t p, const double *x,
                        double out[7]) {
  memcpy(out, SOFA_POSE(x, b->first.data[p]), 7 * sizeof *out);
  if (!b->offsets.n) return;
  sofa_vec3_add(out, b->offsets.data[p].centre, out);
  sofa_quat_multiply(out + 3, b->offsets.data[p].turn, out + 3);
}

static size_t gap(const SofaLagrangian *c, const double *const x[2], double *d) {
  const BilateralLagrangianConstraint *b = (const BilateralLagrangianConstraint *)c;
  const unsigned n = n_rows_of_pair(b);
  double from[7];
  for (size_t p = 0; p < n_pairs(b); p++, d += n) {
    if (is_rigid(b)) {
      first_frame(b, p, x[0], from);
      sofa_rigid3_difference(SOFA_POSE(x[1], b->second.data[p]), from, d);
    } else {
      sofa_vec3_sub(x[1] + 3 * (size_t)b->second.data[p], x[0] + 3 * (size_t)b->first.data[p], d);
    }
    for (unsigned k = 0; k < n && b->rest.n; k++) d[k] -= b->rest.data[p * n + k];
  }
  return n * n_pairs(b);
}

static void add_rate(const SofaLagrangian *c, const double *const v[2], double *d) {
  const BilateralLagrangianConstraint *b = (const BilateralLagrangianConstraint *)c;
  const unsigned n = n_rows_of_pair(b);
  for (size_t p = 0; p < n_pairs(b); p++)
    for (unsigned k = 0; k < n; k++)
      d[p * n + k] +=
          v[1][(size_t)b->second.data[p] * n + k] - v[0][(size_t)b->first.data[p] * n + k];
}

static const ModelRows of_points = {.gap = gap, .add_rate = add_rate, .velocities = true};
static const ModelRows of_frames = {.gap = gap, .add_rate = add_rate};

static SofaErr violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  const BilateralLagrangianConstraint *b = (const BilateralLagrangianConstraint *)c;
  const ModelRows *rows = is_rigid(b) ? &of_frames : &of_points;
  model_violation(c, rows, problem, d);
  if (model_is_position(c, rows, problem) || is_rigid(b) ||
      !sofa_quirk(&c->object, QUIRK_REST_VELOCITY))
    return SOFA_OK;
  for (size_t i = 0; b->rest.n && i < 3 * n_pairs(b); i++)
    d[i] += 2 * b->rest.data[i] / problem->dt;
  return SOFA_OK;
}

/* ---- rows ---- */

/* Three rows of a pair, along the components from k of its derivs. */
static SofaErr add_block(BilateralLagrangianConstraint *b, SofaConstraintProblem *problem, size_t p,
                         unsigned k) {
  SofaLagrangian *c = &b->lagrangian;
  SofaConstraintBlock block = {.law = model_three_rows(c), .n = 3, .relaxation = 1};
  uint32_t first;
  if (!is_rigid(b)) {
    block.memory = b->memory.data[p].v;
    if (sofa_quirk(&c->object, QUIRK_JOINT_LOAD)) block.relaxation = b->load;
  }
  SOFA_TRY(sofa_constraint_block(problem, &block, &first));
  for (unsigned r = 0; r < 3; r++) {
    SOFA_TRY(model_axis(problem, c->state[0], first + r, b->first.data[p], k + r, -1));
    SOFA_TRY(model_axis(problem, c->state[1], first + r, b->second.data[p], k + r, 1));
  }
  return SOFA_OK;
}

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  BilateralLagrangianConstraint *b = (BilateralLagrangianConstraint *)c;
  for (size_t p = 0; p < n_pairs(b); p++)
    for (unsigned k = 0; k < n_rows_of_pair(b); k += 3) SOFA_TRY(add_block(b, problem, p, k));
  return SOFA_OK;
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = violation, .solved = sofa_lagrangian_solved};

/* ---- drawing ---- */

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const BilateralLagrangianConstraint *b = (const BilateralLagrangianConstraint *)object;
  SofaState *const *state = b->lagrangian.state;
  const SofaRgba color = n_pairs(b) ? SOFA_RGB(1, 0, 1) : SOFA_RGB(0, 1, 0);
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_INTERACTION_FORCE_FIELDS)) return;
  if (!state[0] || !state[1]) return;
  for (size_t p = 0; p < b->first.n && p < b->second.n; p++)
    sofa_draw_link(args->list, (SofaStatePoint){state[0], b->first.data[p]},
                   (SofaStatePoint){state[1], b->second.data[p]}, 1, color);
  sofa_draw_state_points(args->list, state[0], &b->first, 0, color);
  sofa_draw_state_points(args->list, state[1], &b->second, 0, color);
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(BilateralLagrangianConstraint, memory),
    SOFA_KEEP_LIST(BilateralLagrangianConstraint, offsets),
};

SOFA_CLASS(BilateralLagrangianConstraint) = {
    SOFA_NAMED(BilateralLagrangianConstraint),
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .category = "ConstraintSet",
    .help = "Holds points of object2 at points of object1, or frames at frames, by forces that "
            "the constraint solver finds.",
    .equations = "x_2 - x_1 - d_0 = 0",
    .base = &sofa_pair_lagrangian_class,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .construct = construct,
    .bwd_init = bwd_init,
    .reinit = bwd_init,
    .reset = reset,
    .handle_event = handle_event,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
