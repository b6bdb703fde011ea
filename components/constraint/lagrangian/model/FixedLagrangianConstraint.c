/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixedLagrangianConstraint: points that stay at their rest positions.
 *
 * d = x - x0; frames: of the centres, and the rotation vector of q q0^-1. A row per scalar dof; the
 * rows of a point are one block, those of a frame two. */
#include <math.h>
#include <string.h>

#include "behavior/draw_state.h"
#include "object/checkpoint.h"
#include "components/constraint/lagrangian/model/model.h"
#include "math/quaternion.h"

enum { QUIRK_FIXED_ANGLES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_FIXED_ANGLES, "fixed-angles",
     "FixedLagrangianConstraint measures the rotation of frames by roll, pitch and yaw",
     "test_constraint_quirks.fixed_angles"},
    QUIRK_VELOCITY_ORDER_ROW,
    QUIRK_JOINT_GUARD_ROW,
};

typedef struct FixedLagrangianConstraint {
  SofaLagrangian lagrangian;
  SofaIndices indices;
  bool all;
  SofaReals memory; /* multipliers of the last solve; points in space and frames */
} FixedLagrangianConstraint;

typedef FixedLagrangianConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        indices, "indices", NULL, "", "the fixed points", .flags = SOFA_FIELD_REINIT,
        .on_bad = SOFA_BAD_DROP,
        SOFA_INDICES_OF(SOFA_ELEMENT_POINT, .unused = offsetof(FixedLagrangianConstraint, all))),
    SOFA_ROW(all, "fixAll", "0", "", "fix every point; indices are not used",
             .flags = SOFA_FIELD_REINIT),
};

/* ---- points ---- */

static const SofaStateKindInfo *kind_of(const SofaLagrangian *c) {
  return sofa_state_kind_info(c->state[0]->object.kind);
}
static size_t n_points(const FixedLagrangianConstraint *f) {
  return f->all ? sofa_state_size(f->lagrangian.state[0]) : f->indices.n;
}
static size_t point(const FixedLagrangianConstraint *f, size_t i) {
  return f->all ? i : f->indices.data[i];
}

/* Forgets the multipliers when points come or go. */
static SofaErr keep_memory(FixedLagrangianConstraint *f) {
  const unsigned deriv = kind_of(&f->lagrangian)->deriv;
  const SofaStateKind kind = f->lagrangian.state[0]->object.kind;
  const size_t n = kind == SOFA_VEC3 || kind == SOFA_RIGID3 ? deriv * n_points(f) : 0;
  if (f->memory.n == n) return SOFA_OK;
  f->memory.n = 0;
  return SOFA_RESIZE(f->lagrangian.object.ctx, &f->memory, n);
}

static SofaErr forget(SofaObject *object) {
  ((FixedLagrangianConstraint *)object)->memory.n = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((FixedLagrangianConstraint *)object)->memory);
}

/* ---- violations ---- */

/* Roll, pitch and yaw of q q0^-1. */
static void angles(const double *x, const double *x0, double out[3]) {
  double q[4];
  sofa_quat_inverse(x0 + 3, q);
  sofa_quat_multiply(x + 3, q, q);
  sofa_quat_normalize(q);
  out[0] = atan2(2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] * q[0] + q[1] * q[1]));
  out[1] = asin(fmax(-1, fmin(1, 2 * (q[3] * q[1] - q[2] * q[0]))));
  out[2] = atan2(2 * (q[3] * q[2] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

static size_t gap(const SofaLagrangian *c, const double *const x[2], double *d) {
  const FixedLagrangianConstraint *f = (const FixedLagrangianConstraint *)c;
  const SofaStateKindInfo *kind = kind_of(c);
  const double *rest = c->state[0]->rest_position.data;
  const bool rigid = c->state[0]->object.kind == SOFA_RIGID3;
  for (size_t i = 0; i < n_points(f); i++, d += kind->deriv) {
    const double *at = x[0] + point(f, i) * kind->coord, *at0 = rest + point(f, i) * kind->coord;
    if (rigid) sofa_rigid3_difference(at, at0, d);
    if (rigid && sofa_quirk(&c->object, QUIRK_FIXED_ANGLES)) angles(at, at0, d + 3);
    for (unsigned k = 0; k < kind->coord && !rigid; k++) d[k] = at[k] - at0[k];
  }
  return kind->deriv * n_points(f);
}

static void add_rate(const SofaLagrangian *c, const double *const v[2], double *d) {
  const FixedLagrangianConstraint *f = (const FixedLagrangianConstraint *)c;
  const unsigned deriv = kind_of(c)->deriv;
  for (size_t i = 0; i < n_points(f); i++)
    for (unsigned k = 0; k < deriv; k++) d[i * deriv + k] += v[0][point(f, i) * deriv + k];
}

static const ModelRows rows = {.gap = gap, .add_rate = add_rate};

static SofaErr violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  model_violation(c, &rows, problem, d);
  return SOFA_OK;
}

/* ---- rows ---- */

/* n rows of the i-th point along the components from k of its deriv. */
static SofaErr add_block(FixedLagrangianConstraint *f, SofaConstraintProblem *problem, size_t i,
                         unsigned k, unsigned n) {
  SofaLagrangian *c = &f->lagrangian;
  double *memory = f->memory.n ? f->memory.data + i * kind_of(c)->deriv + k : NULL;
  uint32_t first;
  SOFA_TRY(model_bilateral(problem, model_three_rows(c), n, memory, &first));
  for (unsigned r = 0; r < n; r++)
    SOFA_TRY(model_axis(problem, c->state[0], first + r, point(f, i), k + r, 1));
  return SOFA_OK;
}

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  FixedLagrangianConstraint *f = (FixedLagrangianConstraint *)c;
  const unsigned deriv = kind_of(c)->deriv;
  const unsigned n = c->state[0]->object.kind == SOFA_RIGID3 ? 3 : deriv;
  if (sofa_state_size(c->state[0]) != c->state[0]->rest_position.n)
    return sofa_object_fail(&c->object, SOFA_ERR_NOT_FOUND, "the state has no rest positions");
  SOFA_TRY(keep_memory(f));
  for (size_t i = 0; i < n_points(f); i++)
    for (unsigned k = 0; k < deriv; k += n) SOFA_TRY(add_block(f, problem, i, k, n));
  return SOFA_OK;
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = violation, .solved = sofa_lagrangian_solved};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const FixedLagrangianConstraint *f = (const FixedLagrangianConstraint *)object;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !f->lagrangian.state[0])
    return;
  sofa_draw_state_points(args->list, f->lagrangian.state[0], f->all ? NULL : &f->indices, 0,
                         SOFA_RGB(1, 0.5, 0.5));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(FixedLagrangianConstraint, memory),
};

SOFA_CLASS(FixedLagrangianConstraint) = {
    SOFA_NAMED(FixedLagrangianConstraint),
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .category = "ConstraintSet",
    .help = "Holds points and frames at their rest positions by forces that the constraint solver "
            "finds.",
    .equations = "x - x_0 = 0",
    .base = &sofa_state_lagrangian_class,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = forget,
    .reinit = forget,
    .reset = forget,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
