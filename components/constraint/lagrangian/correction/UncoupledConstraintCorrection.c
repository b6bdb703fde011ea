/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UncoupledConstraintCorrection: the points of a state move as if nothing joined them. */
#include <float.h>
#include <string.h>

#include "behavior/checks.h"
#include "behavior/constrained_state.h"
#include "change/topology_change.h"
#include "components/constraint/lagrangian/correction/compliance.h"
#include "components/constraint/lagrangian/correction/correction.h"
#include "components/constraint/lagrangian/correction/point_rows.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

enum {
  QUIRK_BODY_COMPLIANCE = 1 << 0,
  QUIRK_UNBUILT_FACTOR = 1 << 1,
  QUIRK_UNBUILT_START = 1 << 2
};
static const SofaQuirk quirks[] = {
    {QUIRK_BODY_COMPLIANCE, "body-compliance",
     "UncoupledConstraintCorrection gives all bodies the compliance of the first one at the start, "
     "in world axes; with defaultCompliance they turn without regard to their inertia",
     "test_corrections.body_compliance_quirk"},
    {QUIRK_UNBUILT_FACTOR, "unbuilt-factor",
     "UncoupledConstraintCorrection leaves the factor of the ODE solver out of the compliance that "
     "solvers without W get",
     "test_correction_factors.unbuilt_quirks"},
    {QUIRK_UNBUILT_START, "unbuilt-start",
     "the first multipliers of solvers without W move a point of UncoupledConstraintCorrection "
     "only after its force has changed",
     "test_correction_factors.unbuilt_quirks"},
};

typedef struct UncoupledConstraintCorrection {
  StateCorrection base;
  SofaReals compliance; /* the scene's */
  double default_compliance, velocity_factor, position_factor;
  bool use_ode_factors, verbose;
  SofaLink topology;
  SofaReals points;             /* compliance of each point that has its own; not of bodies */
  double body[BODY_COMPLIANCE]; /* of all bodies, with the quirk */
  SofaReals masses;             /* bodies: mass and inertia, see body_masses */
  SofaReals world;              /* bodies: compliance of each in world axes */
  bool given, default_given;    /* by the scene */
  PointRows rows;               /* of the step */
  double factor;                /* of the compliance in W */
  SofaReals force, moved;       /* derivs, while a solver without W runs */
  SofaIndices place;            /* rows of the problem; see unbuilt_places */
  double unbuilt_factor;        /* of the compliance there */
} UncoupledConstraintCorrection;
typedef UncoupledConstraintCorrection Uncoupled;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(Uncoupled, compliance, "compliance", NULL, "",
               "compliance of each point, or one for all; bodies: of translations, then of "
               "rotations in the axes of the body, xx xy xz yy yz zz, for each or once for all",
               .range = SOFA_FINITE),
    SOFA_FIELD(Uncoupled, default_compliance, "defaultCompliance", "1e-5", "",
               "compliance of points without another one; bodies: of translations, while rotations "
               "have that of a body of the same inertia per unit mass. Bodies without any of the "
               "two fields have the compliance of their mass",
               .range = SOFA_FINITE_ABOVE(0)),
    SOFA_FIELD(Uncoupled, verbose, "verbose", "0", "", "no effect on the result",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(Uncoupled, velocity_factor, "correctionVelocityFactor", "1", "1",
               "factor of the correction of velocities, with useOdeSolverIntegrationFactors off",
               .range = SOFA_FINITE),
    SOFA_FIELD(Uncoupled, position_factor, "correctionPositionFactor", "1", "1",
               "factor of the correction of positions, with useOdeSolverIntegrationFactors off",
               .range = SOFA_FINITE),
    SOFA_FIELD(Uncoupled, use_ode_factors, "useOdeSolverIntegrationFactors", "1", "",
               "multiply compliances by the integration factors of the ODE solver"),
    SOFA_FIELD(Uncoupled, topology, "topology", NULL, "",
               "topology whose changes the list of compliances follows", .link = &topology_rule),
};

/* A new point has the default compliance. */
static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(Uncoupled, points,
                 SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_NOTHING)),
};

static void destroy(SofaObject *object) {
  Uncoupled *u = (Uncoupled *)object;
  SofaReals *reals[] = {&u->masses, &u->world, &u->force, &u->moved};
  for (size_t i = 0; i < SOFA_COUNT(reals); i++) sofa_list_free(object->ctx, reals[i]);
  sofa_list_free(object->ctx, &u->place);
  point_rows_free(object->ctx, &u->rows);
}

static SofaObject *object_of(Uncoupled *u) {
  return &u->base.correction.object;
}
static bool of_bodies(const Uncoupled *u) {
  return u->base.state->object.kind == SOFA_RIGID3;
}
static size_t n_points(const Uncoupled *u) {
  return u->base.state->position.n;
}

/* ---- what the scene says ---- */

/* SOFA refuses zeros alone. */
static SofaErr check_sign(const Uncoupled *u, size_t i) {
  const SofaObject *object = &u->base.correction.object;
  const double c = u->compliance.data[i];
  if (c > 0) return SOFA_OK;
  const SofaErr err =
      sofa_field_fail(object, "compliance", SOFA_ERR_RANGE,
                      "number %zu is %g: a compliance must be greater than 0", i, c);
  return c < 0 ? sofa_keep_going(object, err) : err;
}

static SofaErr take_body_values(Uncoupled *u) {
  const size_t n = u->compliance.n;
  if (n != BODY_COMPLIANCE && n != BODY_COMPLIANCE * n_points(u))
    return sofa_field_fail(object_of(u), "compliance", SOFA_ERR_ARGUMENT,
                           "%zu numbers: bodies need 7, of translations and then of rotations xx "
                           "xy xz yy yz zz, once for all or for each of the %zu bodies",
                           n, n_points(u));
  for (size_t i = 0; i < n; i++) {
    const size_t k = i % BODY_COMPLIANCE; // 1, 4 and 6 are on the diagonal
    if (k == 0 || k == 1 || k == 4 || k == 6) SOFA_TRY(check_sign(u, i));
  }
  return SOFA_OK;
}

/* One value stands for all points, unless the default is given, too; other numbers of values than
 * points are wrong. */
static SofaErr take_point_values(Uncoupled *u) {
  SofaObject *object = object_of(u);
  const size_t n = u->compliance.n;
  for (size_t i = 0; i < n; i++) SOFA_TRY(check_sign(u, i));
  if (n == n_points(u))
    return sofa_list_copy(object->ctx, &u->points, &u->compliance, sizeof(double));
  if (n != 1)
    SOFA_TRY(sofa_keep_going(
        object, sofa_field_fail(object, "compliance", SOFA_ERR_ARGUMENT,
                                "%zu numbers for %zu points: give one for each or one for all", n,
                                n_points(u))));
  if (!u->default_given) u->default_compliance = u->compliance.data[0];
  else if (u->compliance.data[0] < u->default_compliance ||
           u->compliance.data[0] > u->default_compliance)
    sofa_object_message(object, SOFA_WARNING,
                        "compliance and defaultCompliance both give a value for all points: "
                        "defaultCompliance, %g, counts",
                        u->default_compliance);
  return SOFA_OK;
}

static SofaErr need_mass(Uncoupled *u) {
  if (sofa_node_find(u->base.state->object.node, SOFA_MASS, SOFA_SEARCH_LOCAL)) return SOFA_OK;
  return sofa_object_fail(object_of(u), SOFA_ERR_NOT_FOUND,
                          "there is no mass in the node of the bodies to take the compliance from: "
                          "add for instance <UniformMass/>, or give compliance or "
                          "defaultCompliance");
}

static SofaErr take_values(Uncoupled *u) {
  u->points.n = 0;
  u->default_given = sofa_field_is_set(object_of(u), "defaultCompliance");
  u->given = u->compliance.n > 0;
  if (u->given) return of_bodies(u) ? take_body_values(u) : take_point_values(u);
  if (u->default_given) return SOFA_OK;
  if (of_bodies(u)) return need_mass(u);
  sofa_object_message(object_of(u), SOFA_WARNING,
                      "neither compliance nor defaultCompliance is given: all points have %g",
                      u->default_compliance);
  return SOFA_OK;
}

/* ---- bodies ---- */

/* Of a body in world axes; m: mass and inertia as of body_masses. `scale` takes the place of the
 * factor of the ODE solver. */
static void compliance_of_mass(const Uncoupled *u, const double *m, double scale, double *c) {
  double inverse[9] = {0};
  const double factor = u->default_given ? u->default_compliance * m[0] : scale;
  memset(c, 0, BODY_COMPLIANCE * sizeof *c);
  if (u->default_given) c[0] = u->default_compliance;
  else if (m[0] > 0) c[0] = scale / m[0];
  if (!(m[0] > 0)) sofa_mat3_diagonal(1, 1, 1, inverse); // a body of unit inertia
  else if (!sofa_mat3_inverse(m + 1, inverse, NULL)) return;
  const double turned = m[0] > 0 ? factor : c[0];
  const double rotation[6] = {inverse[0], inverse[1], inverse[2],
                              inverse[4], inverse[5], inverse[8]};
  for (int k = 0; k < 6; k++) c[1 + k] = turned * rotation[k];
}

/* Without useOdeSolverIntegrationFactors compliances are those of positions. */
static double mass_scale(const Uncoupled *u, double dt) {
  return u->use_ode_factors ? 1 : dt * dt;
}

static SofaErr bodies_now(Uncoupled *u, double dt) {
  const SofaState *state = u->base.state;
  const SofaMechanics *m = state->mechanics;
  const size_t n = n_points(u);
  if (!u->given)
    SOFA_TRY(body_masses(state, m->masses, m->n_masses, state->position.data, &u->masses));
  SOFA_TRY(SOFA_RESIZE(state->object.ctx, &u->world, BODY_COMPLIANCE * n));
  for (size_t i = 0; i < n; i++) {
    double *c = u->world.data + BODY_COMPLIANCE * i;
    const size_t own = u->compliance.n == BODY_COMPLIANCE ? 0 : BODY_COMPLIANCE * i;
    if (!u->given) compliance_of_mass(u, u->masses.data + 10 * i, mass_scale(u, dt), c);
    else if (own + BODY_COMPLIANCE <= u->compliance.n)
      body_compliance_turn(u->compliance.data + own, SOFA_POSE_QUAT(state->position.data, i), c);
    else memset(c, 0, BODY_COMPLIANCE * sizeof *c);
  }
  return SOFA_OK;
}

/* The mass of the first body that has one, in the axes of the body. A small determinant leaves the
 * identity in SOFA. */
static SofaErr first_body(Uncoupled *u, double dt, double *c) {
  const SofaState *state = u->base.state;
  double inverse[9];
  SofaMass *mass = (SofaMass *)sofa_node_find(state->object.node, SOFA_MASS, SOFA_SEARCH_LOCAL);
  const double scale = mass_scale(u, dt);
  SOFA_TRY(body_masses(state, &mass, 1, NULL, &u->masses));
  size_t i = 0;
  while (i + 1 < n_points(u) && !(u->masses.data[10 * i] > 0)) i++;
  const double *m = u->masses.data + 10 * i;
  if (fabs(sofa_mat3_det(m + 1)) <= DBL_EPSILON || !sofa_mat3_inverse(m + 1, inverse, NULL))
    sofa_mat3_diagonal(1, 1, 1, inverse);
  const double values[BODY_COMPLIANCE] = {1 / m[0],   inverse[0], inverse[1], inverse[2],
                                          inverse[4], inverse[5], inverse[8]};
  for (int k = 0; k < BODY_COMPLIANCE; k++) c[k] = scale * values[k];
  return SOFA_OK;
}

static SofaErr bodies_as_in_sofa(Uncoupled *u) {
  const double dt = object_of(u)->node->dt, s = mass_scale(u, dt);
  double c[BODY_COMPLIANCE] = {u->default_compliance, s, 0, 0, s, 0, s};
  if (u->given) memcpy(c, u->compliance.data, sizeof c);
  else if (!u->default_given && n_points(u)) SOFA_TRY(first_body(u, dt, c));
  memcpy(u->body, c, sizeof c);
  return SOFA_OK;
}

/* The mass may come after the correction. */
static SofaErr bwd_init(SofaObject *object) {
  Uncoupled *u = (Uncoupled *)object;
  if (!u->base.ode && u->use_ode_factors) {
    SOFA_TRY(sofa_keep_going(object, correction_no_ode_solver(object)));
    u->use_ode_factors = false;
  }
  SOFA_TRY(take_values(u));
  return of_bodies(u) && sofa_quirk(object, QUIRK_BODY_COMPLIANCE) ? bodies_as_in_sofa(u) : SOFA_OK;
}

/* ---- the compliance of a point ---- */

/* y = C r at a point, derivs of it */
static void apply(const Uncoupled *u, size_t point, const double *r, double *y) {
  if (of_bodies(u)) {
    const bool one = sofa_quirk(&u->base.correction.object, QUIRK_BODY_COMPLIANCE);
    body_compliance_apply(one ? u->body : u->world.data + BODY_COMPLIANCE * point, r, y);
    return;
  }
  const unsigned width = sofa_state_kind_info(u->base.state->object.kind)->deriv;
  const double c = point < u->points.n ? u->points.data[point] : u->default_compliance;
  for (unsigned k = 0; k < width; k++) y[k] = c * r[k];
}

static void apply_to_row(const void *user, size_t point, const double *r, double *y) {
  apply(user, point, r, y);
}

/* ---- with W ---- */

static SofaErr begin(SofaConstraintCorrection *c, const SofaConstraintProblem *problem) {
  Uncoupled *u = (Uncoupled *)c;
  SOFA_TRY(correction_begin(&u->base, problem));
  u->factor = u->use_ode_factors ? correction_factor(problem, &u->base.factors) : 1;
  u->unbuilt_factor = sofa_quirk(&c->object, QUIRK_UNBUILT_FACTOR) ? 1 : u->factor;
  if (of_bodies(u) && !sofa_quirk(&c->object, QUIRK_BODY_COMPLIANCE))
    SOFA_TRY(bodies_now(u, problem->dt));
  return point_rows_make(&u->rows, u->base.state, correction_rows(&u->base, problem),
                         &(PointCompliance){apply_to_row, u});
}

static SofaErr add_compliance(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                              double *w) {
  const Uncoupled *u = (const Uncoupled *)c;
  point_rows_add(&u->rows, u->factor, problem->n, w);
  return SOFA_OK;
}

static CorrectionMove move_of(const Uncoupled *u, const SofaConstraintProblem *problem) {
  const SofaOdeFactors *f = &u->base.factors;
  const SofaObject *mover = &u->base.correction.object;
  if (u->use_ode_factors) return (CorrectionMove){mover, f->position, f->velocity};
  const bool by_velocity = problem->order == SOFA_CONSTRAIN_VELOCITIES;
  return (CorrectionMove){mover, u->position_factor,
                          by_velocity ? u->velocity_factor : u->velocity_factor / problem->dt};
}

static SofaErr find_motion(SofaConstraintCorrection *c, SofaConstraintProblem *problem) {
  const Uncoupled *u = (const Uncoupled *)c;
  const unsigned width = sofa_state_kind_info(u->base.state->object.kind)->deriv;
  const CorrectionMove move = move_of(u, problem);
  SofaConstrainedState *s = NULL;
  SOFA_TRY(correction_move(problem, u->base.state, &move, &s));
  for (size_t i = 0; s && s->force.n == s->motion.n && i < n_points(u); i++)
    apply(u, i, s->force.data + width * i, s->motion.data + width * i);
  return SOFA_OK;
}

/* ---- without W ---- */

/* What the force on a point moves it by. */
static void move_point(Uncoupled *u, size_t point) {
  const unsigned width = u->rows.width;
  double *y = u->moved.data + width * point;
  apply(u, point, u->force.data + width * point, y);
  for (unsigned k = 0; k < width; k++) y[k] *= u->unbuilt_factor;
}

static void add_row_force(Uncoupled *u, uint32_t row, double lambda, bool moves) {
  for (uint32_t p = u->rows.start.data[row]; p < u->rows.start.data[row + 1]; p++) {
    const PointRow *part = &u->rows.parts.data[p];
    double *f = u->force.data + (size_t)u->rows.width * part->point;
    for (unsigned k = 0; k < u->rows.width; k++) f[k] += lambda * part->value[k];
    if (moves) move_point(u, part->point);
  }
}

static SofaErr start(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                     double *const *blocks, const double *lambda) {
  Uncoupled *u = (Uncoupled *)c;
  const SofaConstrainedState *s = correction_rows(&u->base, problem);
  const size_t n = u->rows.width * n_points(u);
  const bool moves = !sofa_quirk(&c->object, QUIRK_UNBUILT_START);
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->force, n));
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &u->moved, n));
  if (n) sofa_zero(u->force.data, n * sizeof(double));
  if (n) sofa_zero(u->moved.data, n * sizeof(double));
  SOFA_TRY(unbuilt_places(problem, s ? &s->j : &(SofaSparseRows){0}, &u->place));
  for (uint32_t r = 0; r < problem->n; r++)
    if (u->place.data[r]) add_row_force(u, u->place.data[r] - 1, lambda[r], moves);
  for (size_t b = 0; b < problem->blocks.n; b++) {
    const SofaConstraintBlock *block = &problem->blocks.data[b];
    const uint32_t *place = u->place.data + block->first;
    for (uint32_t i = 0; i < block->n; i++)
      for (uint32_t k = 0; k < block->n; k++)
        if (place[i] && place[k])
          blocks[b][i * block->n + k] +=
              u->unbuilt_factor * point_rows_pair(&u->rows, place[i] - 1, place[k] - 1);
  }
  return SOFA_OK;
}

static bool knows(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                  const SofaConstraintBlock *block) {
  (void)problem;
  const Uncoupled *u = (const Uncoupled *)c;
  for (uint32_t i = 0; i < block->n; i++)
    if (u->place.data[block->first + i]) return true;
  return false;
}

static void add_displacement(const SofaConstraintCorrection *c,
                             const SofaConstraintProblem *problem, const SofaConstraintBlock *block,
                             double *d) {
  (void)problem;
  const Uncoupled *u = (const Uncoupled *)c;
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (place) d[i] += point_rows_times(&u->rows, place - 1, u->moved.data);
  }
}

static void add_force(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                      const SofaConstraintBlock *block, const double *change) {
  (void)problem;
  Uncoupled *u = (Uncoupled *)c;
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = u->place.data[block->first + i];
    if (place) add_row_force(u, place - 1, change[i], true);
  }
}

static const SofaConstraintCorrectionOps ops = {
    .begin = begin,
    .add_compliance = add_compliance,
    .find_motion = find_motion,
    .start = start,
    .knows = knows,
    .add_displacement = add_displacement,
    .add_force = add_force,
};

static const char *const templates[] = {"Vec3d", "Vec2d", "Vec1d", "Rigid3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(UncoupledConstraintCorrection, factor),
    SOFA_REMADE(UncoupledConstraintCorrection, force),
    SOFA_REMADE(UncoupledConstraintCorrection, masses),
    SOFA_REMADE(UncoupledConstraintCorrection, moved),
    SOFA_REMADE(UncoupledConstraintCorrection, place),
    SOFA_REMADE(UncoupledConstraintCorrection, rows),
    SOFA_REMADE(UncoupledConstraintCorrection, unbuilt_factor),
    SOFA_REMADE(UncoupledConstraintCorrection, world),
};

SOFA_CLASS(UncoupledConstraintCorrection) = {
    SOFA_NAMED(UncoupledConstraintCorrection),
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .category = "ConstraintCorrection",
    .help = "Moves each point under constraint forces by its own compliance; right for free points "
            "and bodies, an approximation for bodies that springs or elements hold.",
    .equations = "dx_i = C_i f_i",
    .base = &state_correction_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_CORRECTION, &ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
