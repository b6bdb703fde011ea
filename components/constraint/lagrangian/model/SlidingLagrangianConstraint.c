/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SlidingLagrangianConstraint: a point P of object1 that slides between two points A, B of object2.
 *
 * With a along A to B, and d1, d2 across it, all of the start of the step, P has two bilateral rows
 * along d1 and d2 against the place b B + (1 - b) A, and two unilateral ones: P beyond A along a,
 * and before B. Where A = B, P is held at A. */
#include <float.h>
#include <math.h>

#include "behavior/draw_state.h"
#include "components/constraint/lagrangian/model/model.h"
#include "math/vec.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {QUIRK_VELOCITY_ORDER_ROW};

enum { SLIDING_P, SLIDING_A, SLIDING_B };

/* d = direction . (sum of weight[k] times point k) */
typedef struct SlidingRow {
  double direction[3], weight[3];
} SlidingRow;

typedef struct SlidingLagrangianConstraint {
  SofaLagrangian lagrangian;
  unsigned point[3]; /* P, A, B */
  SofaVec3 force;    /* output: on P, N */
  SlidingRow row[4]; /* of this step */
  unsigned n_rows;   /* 4; 3 where A = B */
} SlidingLagrangianConstraint;

typedef SlidingLagrangianConstraint SofaSelf; /* of SOFA_ROW */

enum { FORCE = 3 }; /* its row */
static const SofaField fields[] = {
    SOFA_ROW(point[SLIDING_P], "sliding_point", "0", "", "the point P of object1",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(point[SLIDING_A], "axis_1", "0", "", "the point A of object2",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(point[SLIDING_B], "axis_2", "0", "", "the point B of object2",
             .flags = SOFA_FIELD_REINIT),
    [FORCE] =
        SOFA_ROW_OUTPUT(force, "force", "N s", "multipliers times directions of the last solve"),
};

static const SofaState *state_of(const SofaLagrangian *c, unsigned k) {
  return c->state[k == SLIDING_P ? 0 : 1];
}

static SofaErr check(SofaObject *object) {
  const SlidingLagrangianConstraint *s = (const SlidingLagrangianConstraint *)object;
  const char *const names[] = {"sliding_point", "axis_1", "axis_2"};
  for (unsigned k = 0; k < 3; k++)
    SOFA_TRY(model_check_point(object, names[k], s->point[k], state_of(&s->lagrangian, k)));
  return SOFA_OK;
}

/* ---- rows ---- */

static void set_row(SlidingRow *row, const double direction[3], double p, double a, double b) {
  sofa_vec3_copy(direction, row->direction);
  row->weight[SLIDING_P] = p;
  row->weight[SLIDING_A] = a;
  row->weight[SLIDING_B] = b;
}

/* Two unit directions across the unit axis a, the first one towards `offset` unless that is 0. */
static void across(const double a[3], const double offset[3], double d1[3], double d2[3]) {
  const double x[3] = {1, 0, 0}, xy[3] = {1, 1, 0};
  sofa_vec3_copy(offset, d1);
  if (sofa_vec3_norm(d1) < DBL_EPSILON) sofa_vec3_cross(x, a, d1);
  if (sofa_vec3_norm(d1) < DBL_EPSILON) sofa_vec3_cross(xy, a, d1);
  sofa_vec3_normalize(d1);
  sofa_vec3_cross(d1, a, d2);
  sofa_vec3_normalize(d2);
}

/* The rows at the positions x of P, A and B. */
static void find_rows(SlidingLagrangianConstraint *s, const double *const x[3]) {
  double a[3], ap[3], d1[3], d2[3], minus[3];
  sofa_vec3_sub(x[SLIDING_B], x[SLIDING_A], a);
  sofa_vec3_sub(x[SLIDING_P], x[SLIDING_A], ap);
  const double length = sofa_vec3_norm(a);
  s->n_rows = length < DBL_EPSILON ? 3 : 4;
  if (s->n_rows == 3) {
    for (int k = 0; k < 3; k++)
      set_row(&s->row[k], (const double[]){k == 0, k == 1, k == 2}, 1, -1, 0);
    return;
  }
  sofa_vec3_scale(1 / length, a, a);
  const double r = sofa_vec3_dot(ap, a), b = fmax(0, fmin(1, r / length));
  sofa_vec3_axpy(-r, a, ap);
  across(a, ap, d1, d2);
  sofa_vec3_scale(-1, a, minus);
  set_row(&s->row[0], d1, 1, b - 1, -b);
  set_row(&s->row[1], d2, 1, b - 1, -b);
  set_row(&s->row[2], a, 1, -1, 0);
  set_row(&s->row[3], minus, 1, 0, -1);
}

static SofaErr add_row(const SlidingLagrangianConstraint *s, SofaConstraintProblem *problem,
                       unsigned i) {
  const SlidingRow *row = &s->row[i];
  const SofaConstraintBlock block = {
      .law = i < s->n_rows - 2 || s->n_rows == 3 ? &sofa_law_bilateral : &sofa_law_unilateral,
      .n = 1,
      .relaxation = 1};
  uint32_t first;
  double value[6] = {0};
  SOFA_TRY(sofa_constraint_block(problem, &block, &first));
  for (unsigned k = 0; k < 3; k++) {
    sofa_vec3_scale(row->weight[k], row->direction, value);
    SOFA_TRY(
        sofa_constraint_entry(problem, state_of(&s->lagrangian, k), first, s->point[k], value));
  }
  return SOFA_OK;
}

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  SlidingLagrangianConstraint *s = (SlidingLagrangianConstraint *)c;
  const double *x[3];
  for (unsigned k = 0; k < 3; k++) {
    const SofaCoords *all = &state_of(c, k)->position;
    x[k] = all->data + all->width * s->point[k];
  }
  find_rows(s, x);
  for (unsigned i = 0; i < s->n_rows; i++) SOFA_TRY(add_row(s, problem, i));
  return SOFA_OK;
}

/* ---- violations ---- */

/* d += the rows times the places or velocities of the three points; `width` reals per point. */
static void add_products(const SofaLagrangian *c, const double *const v[2], size_t width,
                         double *d) {
  const SlidingLagrangianConstraint *s = (const SlidingLagrangianConstraint *)c;
  double sum[3];
  for (unsigned i = 0; i < s->n_rows; i++) {
    sofa_vec3_set(sum, 0, 0, 0);
    for (unsigned k = 0; k < 3; k++)
      sofa_vec3_axpy(s->row[i].weight[k], v[k == SLIDING_P ? 0 : 1] + width * s->point[k], sum);
    d[i] += sofa_vec3_dot(sum, s->row[i].direction);
  }
}

static void add_rate(const SofaLagrangian *c, const double *const v[2], double *d) {
  add_products(c, v, sofa_state_kind_info(c->object.kind)->deriv, d);
}

static size_t gap(const SofaLagrangian *c, const double *const x[2], double *d) {
  const unsigned n = ((const SlidingLagrangianConstraint *)c)->n_rows;
  for (unsigned i = 0; i < n; i++) d[i] = 0;
  add_products(c, x, sofa_state_kind_info(c->object.kind)->coord, d);
  return n;
}

static const ModelRows rows = {.gap = gap, .add_rate = add_rate};

static SofaErr violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  model_violation(c, &rows, problem, d);
  return SOFA_OK;
}

static SofaErr solved(SofaLagrangian *c, const SofaConstraintProblem *problem,
                      const double *lambda) {
  SlidingLagrangianConstraint *s = (SlidingLagrangianConstraint *)c;
  sofa_vec3_set(s->force.v, 0, 0, 0);
  for (unsigned i = 0; i < s->n_rows; i++)
    sofa_vec3_axpy(lambda[i], s->row[i].direction, s->force.v);
  sofa_field_touch(&c->object, &fields[FORCE]);
  return sofa_lagrangian_solved(c, problem, lambda);
}

static const SofaLagrangianOps ops = {.build = build, .violation = violation, .solved = solved};

/* Points may be removed or get other indices. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SlidingLagrangianConstraint *s = (SlidingLagrangianConstraint *)object;
  for (unsigned k = 0; k < 3; k++) {
    if (change->kind != SOFA_CHANGE_REMOVE ||
        !sofa_change_moves(change, state_of(&s->lagrangian, k)))
      continue;
    s->point[k] = sofa_change_renamed(change, s->point[k]);
    if (s->point[k] == SOFA_NO_ELEMENT)
      return sofa_object_fail(object, SOFA_ERR_RANGE, "one of its points was removed");
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SlidingLagrangianConstraint *s = (const SlidingLagrangianConstraint *)object;
  const SofaLagrangian *c = &s->lagrangian;
  double p[3];
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_INTERACTION_FORCE_FIELDS)) return;
  if (!c->state[0] || !c->state[1]) return;
  sofa_state_point(c->state[0], s->point[SLIDING_P], p);
  sofa_draw_point(args->list, p, 10, SOFA_RGB(1, 1, 0));
  sofa_draw_link(args->list, (SofaStatePoint){c->state[1], s->point[SLIDING_A]},
                 (SofaStatePoint){c->state[1], s->point[SLIDING_B]}, 1, SOFA_RGB(1, 1, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SlidingLagrangianConstraint, n_rows),
    SOFA_REMADE(SlidingLagrangianConstraint, row),
};

SOFA_CLASS(SlidingLagrangianConstraint) = {
    SOFA_NAMED(SlidingLagrangianConstraint),
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .category = "ConstraintSet",
    .help = "A point of object1 slides without friction between two points of object2.",
    .equations = "(x - p).n = 0, (x - p).m = 0, \"n and m across the line\"",
    .base = &sofa_pair_lagrangian_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = check,
    .reinit = check,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
