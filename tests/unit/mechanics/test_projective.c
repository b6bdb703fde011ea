/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projective constraints: every class projects idempotently, does in assembled systems what it does
 * in matrix-free ones, and puts points where it promises. */
#include <math.h>

#include "components/builtins.h"
#include "math/quaternion.h"
#include "tests/support/scene_run.h"

enum {
  MATRIX = 1 << 0,       /* assembled and matrix-free runs agree */
  NO_PROJECTOR = 1 << 1, /* positions are changed step by step: projecting twice moves on */
  SUMS = 1 << 2          /* the response of two-way frames adds up instead of projecting */
};

typedef struct Case {
  const char *klass, *what, *constraint;
  const char *state; /* NULL: eight points with springs */
  unsigned flags;
} Case;

#define RIGIDS                                                                                     \
  "<MechanicalObject name='state' template='Rigid3d' position='0 0 0 0 0 0 1 1 2 3 0 0.6 0 0.8' "  \
  "velocity='0.1 0 0 1 0 0.5 0 0.2 0 0 1 0'/>"                                                     \
  "<UniformMass vertexMass='2 1  0.3 0 0 0 0.2 0 0 0 0.1'/>"
#define POINTS                                                                                     \
  "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"                                       \
  "<MechanicalObject name='state'/><UniformMass totalMass='4'/>"                                   \
  "<MeshSpringForceField stiffness='200' damping='1'/>"

/* Other kinds; a load of its own moves each component. */
#define NUMBERS                                                                                    \
  "<MechanicalObject name='state' template='Vec1d' position='0 1 3 4'/><UniformMass "              \
  "totalMass='4'/><MeshTopology lines='0 1 1 2 2 3'/><MeshSpringForceField "                       \
  "linesStiffness='200'/><ConstantForceField forces='0.5'/>"
#define FLAT                                                                                       \
  "<MechanicalObject name='state' template='Vec2d' position='0 0 1 0 0 1 1 1'/><UniformMass "      \
  "totalMass='4'/><MeshTopology lines='0 1 1 3 3 2 2 0 0 3'/><MeshSpringForceField "               \
  "linesStiffness='200'/><ConstantForceField forces='0.5 -1'/>"
#define SIX                                                                                        \
  "<MechanicalObject name='state' template='Vec6d' position='0 0 0 1 2 3 1 0 0 4 5 6 2 1 0 7 8 "   \
  "9'/><UniformMass totalMass='3'/><ConstantForceField forces='1 2 3 -1 -2 -3'/>"
#define FLAT_RIGIDS                                                                                \
  "<MechanicalObject name='state' template='Rigid2d' position='0 0 0.3 1 2 -0.5' "                 \
  "velocity='0.1 0 1 0 0.5 -1'/><UniformMass vertexMass='2 1 0.3'/>"                               \
  "<ConstantForceField forces='1 -2 0.5'/>"

/* A root that turns by a right angle about z in 2 s, and its child, 1 m away, that moves out. */
#define SKELETON                                                                                   \
  "[Parent -1 Channels 2 0 0 0 0 0 0 1  0 0 0 0 0 0.70710678118654752 0.70710678118654752 "        \
  "Times 2 0 2 PreviousMotion 0 0 0 0 0 0 1 NextMotion 0 0 0 0 0 0 1 LocalRigid 0 0 0 0 0 0 1, "   \
  "Parent 0 Channels 1 3 0 0 0 0 0 1 Times 1 2 PreviousMotion 1 0 0 0 0 0 1 "                      \
  "NextMotion 1 0 0 0 0 0 1 LocalRigid 1 0 0 0 0 0 1]"

static const Case cases[] = {
    {"FixedProjectiveConstraint", "indices", "<FixedProjectiveConstraint indices='0 3'/>", NULL,
     MATRIX},
    {"FixedProjectiveConstraint", "all",
     "<FixedProjectiveConstraint fixAll='1' activate_projectVelocity='1'/>", RIGIDS, MATRIX},
    {"PartialFixedProjectiveConstraint", "x and z",
     "<PartialFixedProjectiveConstraint indices='0 1 2' fixedDirections='1 0 1' "
     "projectVelocity='1'/>",
     NULL, MATRIX},
    {"PartialFixedProjectiveConstraint", "rotations of frames",
     "<PartialFixedProjectiveConstraint fixAll='1' fixedDirections='0 0 0 1 1 1'/>", RIGIDS,
     MATRIX},
    {"FixedPlaneProjectiveConstraint", "axis",
     "<FixedPlaneProjectiveConstraint direction='0 2 0' dmin='-0.1' dmax='0.1'/>", NULL, MATRIX},
    {"FixedPlaneProjectiveConstraint", "any direction",
     "<FixedPlaneProjectiveConstraint direction='1 2 0' indices='0 5'/>", NULL, MATRIX},
    {"FixedTranslationProjectiveConstraint", "frames",
     "<FixedTranslationProjectiveConstraint indices='1'/>", RIGIDS, MATRIX},
    {"FixedRotationProjectiveConstraint", "x and z",
     "<FixedRotationProjectiveConstraint FixedXRotation='1' FixedZRotation='1'/>", RIGIDS,
     NO_PROJECTOR},
    {"LinearMovementProjectiveConstraint", "relative",
     "<LinearMovementProjectiveConstraint indices='0 3' keyTimes='0 0.1 1' "
     "movements='0 0 0 0.1 0 0 0.1 0.4 0'/>",
     NULL, MATRIX},
    {"LinearMovementProjectiveConstraint", "frames",
     "<LinearMovementProjectiveConstraint indices='1' keyTimes='0 1' "
     "movements='0 0 0 0 0 0 1 2 3 0.5 0.6 0.7'/>",
     RIGIDS, MATRIX},
    {"LinearMovementProjectiveConstraint", "ended",
     "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 0.05' "
     "movements='0 0 0 0.1 0 0'/>",
     NULL, MATRIX},
    {"PartialLinearMovementProjectiveConstraint", "y",
     "<PartialLinearMovementProjectiveConstraint indices='0 3' keyTimes='0 1' "
     "movements='0 0 0 0.1 0.4 0' movedDirections='0 1 0'/>",
     NULL, MATRIX},
    {"LinearVelocityProjectiveConstraint", "points",
     "<LinearVelocityProjectiveConstraint indices='0 3' keyTimes='0 0.1 1' "
     "velocities='0 0 0 1 0 0 0 1 0'/>",
     NULL, MATRIX},
    {"LinearVelocityProjectiveConstraint", "one component",
     "<LinearVelocityProjectiveConstraint indices='0 3' keyTimes='0 1' velocities='0 0 0 1 1 0' "
     "coordinates='1'/>",
     NULL, MATRIX},
    {"LineProjectiveConstraint", "axis",
     "<LineProjectiveConstraint indices='0 7' origin='0 1 0' direction='2 0 0'/>", NULL, MATRIX},
    {"LineProjectiveConstraint", "any direction",
     "<LineProjectiveConstraint indices='0 7' origin='0 1 0' direction='1 2 3'/>", NULL, MATRIX},
    {"PlaneProjectiveConstraint", "axis",
     "<PlaneProjectiveConstraint indices='0 7 7 2' origin='0 0 0.5' normal='0 0 -3'/>", NULL,
     MATRIX},
    {"PlaneProjectiveConstraint", "any normal",
     "<PlaneProjectiveConstraint indices='0 7' origin='0 1 0' normal='1 2 3'/>", NULL, MATRIX},
    {"DirectionProjectiveConstraint", "axis",
     "<DirectionProjectiveConstraint indices='0 7' direction='0 1 0'/>", NULL, MATRIX},
    {"DirectionProjectiveConstraint", "any direction",
     "<DirectionProjectiveConstraint indices='0 7' direction='1 1 0'/>", NULL, MATRIX},
    {"PointProjectiveConstraint", "indices",
     "<PointProjectiveConstraint indices='0 7' point='0.5 0.4 0.3'/>", NULL, MATRIX},
    {"OscillatorProjectiveConstraint", "points",
     "<OscillatorProjectiveConstraint oscillators='0  0 0 0  0 0.1 0  20 0.5  7 1 1 1 0 0 0.1 9 0'"
     "/>",
     NULL, MATRIX},
    {"OscillatorProjectiveConstraint", "frames",
     "<OscillatorProjectiveConstraint oscillators='1  0 1 0 0 0 0 1  0 0.1 0 0 0 0.5  20 0.5'/>",
     RIGIDS, MATRIX},
    {"ParabolicProjectiveConstraint", "points",
     "<ParabolicProjectiveConstraint indices='0 3' P1='0 0 0' P2='0.5 0.5 0' P3='1 0 0' "
     "BeginTime='0.05' EndTime='0.3'/>",
     NULL, MATRIX},
    {"HermiteSplineProjectiveConstraint", "points",
     "<HermiteSplineProjectiveConstraint indices='0 3' X0='0 0 0' dX0='0 1 0' X1='1 0 0' "
     "dX1='0 -1 0' SX0='0 0' SX1='0 0' BeginTime='0' EndTime='0.3'/>",
     NULL, MATRIX},
    {"AffineMovementProjectiveConstraint", "points",
     "<AffineMovementProjectiveConstraint indices='0 1 2 3' beginConstraintTime='0' "
     "endConstraintTime='0.1' rotation='0 -1 0 1 0 0 0 0 1' translation='0.1 0 0'/>",
     NULL, MATRIX},
    {"AffineMovementProjectiveConstraint", "frames",
     "<AffineMovementProjectiveConstraint indices='1' endConstraintTime='0.1' "
     "quaternion='0 0 0.6 0.8' translation='0.1 0 0'/>",
     RIGIDS, MATRIX},
    {"PatchTestMovementProjectiveConstraint", "corners given",
     "<PatchTestMovementProjectiveConstraint indices='0 1 2 3' endConstraintTime='0.1' "
     "cornerPoints='0 0 0 1 0 0 1 1 0 0 1 0' cornerMovements='0 0 0 0.1 0 0 0.2 0.1 0 0 0.1 0'/>",
     NULL, MATRIX},
    {"PatchTestMovementProjectiveConstraint", "corners found",
     "<PatchTestMovementProjectiveConstraint indices='0 1 2 3 4 5 6 7' endConstraintTime='0.1' "
     "constrainedPoints='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1' "
     "cornerMovements='0 0 0 0.1 0 0 0.2 0.1 0 0 0.1 0 0 0 0 0 0 0.1 0 0 0 0 0 0'/>",
     NULL, MATRIX},
    {"PatchTestMovementProjectiveConstraint", "frames",
     "<PatchTestMovementProjectiveConstraint indices='1' endConstraintTime='0.1' "
     "cornerPoints='0 0 0 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 0 1 0 1 0 0 0 0 1' "
     "cornerMovements='0 0 0 0 0 0 0.1 0 0 0 0 1 0.2 0.1 0 0 0 1 0 0.1 0 0 0 0'/>",
     RIGIDS, MATRIX},
    {"PositionBasedDynamicsProjectiveConstraint", "frames",
     "<PositionBasedDynamicsProjectiveConstraint stiffness='0.5' "
     "position='0 1 0 0 0 0 1 1 2 3 0 0 0 1'/>",
     RIGIDS, MATRIX | NO_PROJECTOR},
    {"SkeletalMotionProjectiveConstraint", "two joints",
     "<SkeletalMotionProjectiveConstraint joints='" SKELETON "' bones='[0, 1]'/>", RIGIDS, MATRIX},
    {"AttachProjectiveConstraint", "one state",
     "<AttachProjectiveConstraint indices1='0 1' indices2='2 3'/>", NULL, MATRIX},
    {"AttachProjectiveConstraint", "two-way",
     "<AttachProjectiveConstraint indices1='0 1' indices2='2 3' twoWay='1'/>", NULL, 0},
    {"AttachProjectiveConstraint", "frames",
     "<AttachProjectiveConstraint indices1='0' indices2='1'/>", RIGIDS, MATRIX},
    {"AttachProjectiveConstraint", "free rotations",
     "<AttachProjectiveConstraint indices1='0' indices2='1' freeRotations='1'/>", RIGIDS, MATRIX},
    {"AttachProjectiveConstraint", "free last rotation",
     "<AttachProjectiveConstraint indices1='0' indices2='1' lastFreeRotation='1'/>", RIGIDS,
     MATRIX},
    {"AttachProjectiveConstraint", "frames, two-way",
     "<AttachProjectiveConstraint indices1='0' indices2='1' twoWay='1'/>", RIGIDS, SUMS},
    /* ---- other kinds ---- */
    {"FixedProjectiveConstraint", "frames in a plane", "<FixedProjectiveConstraint indices='1'/>",
     FLAT_RIGIDS, MATRIX},
    {"FixedProjectiveConstraint", "six numbers", "<FixedProjectiveConstraint indices='0 2'/>", SIX,
     MATRIX},
    {"FixedProjectiveConstraint", "numbers", "<FixedProjectiveConstraint indices='0 2'/>", NUMBERS,
     MATRIX},
    {"PartialFixedProjectiveConstraint", "frames in a plane",
     "<PartialFixedProjectiveConstraint indices='0 1' fixedDirections='0 1 1' "
     "projectVelocity='1'/>",
     FLAT_RIGIDS, MATRIX},
    {"PartialFixedProjectiveConstraint", "numbers",
     "<PartialFixedProjectiveConstraint indices='0 2' fixedDirections='1'/>", NUMBERS, MATRIX},
    {"PartialFixedProjectiveConstraint", "six numbers",
     "<PartialFixedProjectiveConstraint indices='0 2' fixedDirections='1 0 0 1 0 1'/>", SIX,
     MATRIX},
    {"FixedTranslationProjectiveConstraint", "frames in a plane",
     "<FixedTranslationProjectiveConstraint indices='1'/>", FLAT_RIGIDS, MATRIX},
    {"FixedTranslationProjectiveConstraint", "six numbers",
     "<FixedTranslationProjectiveConstraint indices='0 2'/>", SIX, MATRIX},
    {"FixedPlaneProjectiveConstraint", "six numbers",
     "<FixedPlaneProjectiveConstraint direction='0 0 0 1 0 0' indices='0 2'/>", SIX, MATRIX},
    {"LinearVelocityProjectiveConstraint", "numbers",
     "<LinearVelocityProjectiveConstraint indices='0 3' keyTimes='0 0.1 1' velocities='0 1 2'/>",
     NUMBERS, MATRIX},
    {"LinearVelocityProjectiveConstraint", "in a plane",
     "<LinearVelocityProjectiveConstraint indices='0 3' keyTimes='0 0.1 1' velocities='0 0 1 2 0 "
     "1'/>",
     FLAT, MATRIX},
    {"LinearVelocityProjectiveConstraint", "six numbers",
     "<LinearVelocityProjectiveConstraint indices='0' keyTimes='0 1' velocities='0 0 0 0 0 0 1 2 3 "
     "4 5 6' coordinates='4'/>",
     SIX, MATRIX},
    {"LinearMovementProjectiveConstraint", "numbers",
     "<LinearMovementProjectiveConstraint indices='0 3' keyTimes='0 0.1 1' movements='0 1 2'/>",
     NUMBERS, MATRIX},
    {"LinearMovementProjectiveConstraint", "in a plane",
     "<LinearMovementProjectiveConstraint indices='0 3' keyTimes='0 0.1 1' movements='0 0 1 2 0 "
     "1'/>",
     FLAT, MATRIX},
    {"LinearMovementProjectiveConstraint", "six numbers",
     "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 1' movements='0 0 0 0 0 0 1 2 3 "
     "4 5 6'/>",
     SIX, MATRIX},
    {"PointProjectiveConstraint", "numbers",
     "<PointProjectiveConstraint indices='0 3' point='0.5'/>", NUMBERS, MATRIX},
    {"PointProjectiveConstraint", "in a plane",
     "<PointProjectiveConstraint indices='0 3' point='0.5 0.25'/>", FLAT, MATRIX},
    {"PointProjectiveConstraint", "six numbers",
     "<PointProjectiveConstraint indices='0 1' point='1 2 3 4 5 6'/>", SIX, MATRIX},
    {"AttachProjectiveConstraint", "numbers",
     "<AttachProjectiveConstraint indices1='0' indices2='3'/>", NUMBERS, MATRIX},
    {"AttachProjectiveConstraint", "in a plane",
     "<AttachProjectiveConstraint indices1='0' indices2='3'/>", FLAT, MATRIX},
    {"AttachProjectiveConstraint", "frames in a plane",
     "<AttachProjectiveConstraint indices1='0' indices2='1'/>", FLAT_RIGIDS, MATRIX},
    {"HermiteSplineProjectiveConstraint", "frames",
     "<HermiteSplineProjectiveConstraint indices='1' X0='0 0 0' dX0='0 1 0' X1='1 0 0' dX1='0 -1 "
     "0' SX0='0 0' SX1='0 0' BeginTime='0' EndTime='0.3'/>",
     RIGIDS, MATRIX},
    {"ParabolicProjectiveConstraint", "frames",
     "<ParabolicProjectiveConstraint indices='1' P1='0 0 0' P2='0.5 0.5 0' P3='1 0 0' "
     "BeginTime='0.05' EndTime='0.3'/>",
     RIGIDS, MATRIX},
    {"PositionBasedDynamicsProjectiveConstraint", "in a plane",
     "<PositionBasedDynamicsProjectiveConstraint stiffness='0.5' position='0 1 2 0 0 2 1 1'/>",
     FLAT, MATRIX | NO_PROJECTOR},
    {"PositionBasedDynamicsProjectiveConstraint", "points",
     "<PositionBasedDynamicsProjectiveConstraint stiffness='0.25' position='0 1 2 0 0 2 1 1 0 1 0 "
     "1 1 1 1 0 2 0 0 0 3 1 2 2'/>",
     NULL, MATRIX | NO_PROJECTOR},
};

static const char cg[] = "<CGLinearSolver iterations='2000' tolerance='1e-14' threshold='1e-40'/>";
static const char ldl[] = "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>";

static void open_case_with(SceneRun *run, const Case *c, const char *solver,
                           const SofaContextOptions *options) {
  char text[4000];
  snprintf(text, sizeof text,
           "<Node name='root' gravity='0 -3 1' dt='0.01'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver "
           "rayleighStiffness='0.01'/>%s%s%s</Node></Node>",
           solver, c->state ? c->state : POINTS, c->constraint);
  scene_run_open(run, text, options);
}

static void open_case(SceneRun *run, const Case *c, const char *solver) {
  open_case_with(run, c, solver, NULL);
}

static SofaProjective *constraint_of(SceneRun *run, const Case *c) {
  SofaNode *body = (SofaNode *)scene_run_object(run, "/body");
  for (size_t i = 0; i < body->objects.n; i++)
    if (strcmp(body->objects.data[i]->klass->name, c->klass) == 0)
      return (SofaProjective *)body->objects.data[i];
  fail_msg("no %s in its scene", c->klass);
  return NULL;
}

static void apply(SofaProjective *c, SofaProjection which, double time, double *values) {
  SofaMechParams p = sofa_mech_params(0.01, time, 0, 0, 0);
  p.until = time;
  assert_int_equal(sofa_projective_apply(c, which, &p, values, values), SOFA_OK);
}

static void require(const Case *c, const char *check, double value, double limit) {
  if (!(value <= limit))
    fail_msg("%s, %s: %s: %.3e, at most %.3e", c->klass, c->what, check, value, limit);
}

/* ---- projectors ---- */

enum { MOST = 100 };

static void some_values(double *values, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; i++) values[i] = sin(1.7 * (double)i + seed) + 0.1;
}

static double distance(const double *a, const double *b, size_t n) {
  double d = 0;
  for (size_t i = 0; i < n; i++) d = fmax(d, fabs(a[i] - b[i]));
  return d;
}

/* P P r = P r and r.P s = s.P r */
static void check_response(const Case *c, SofaProjective *p, double time) {
  double r[MOST] = {0}, s[MOST] = {0}, pr[MOST], ps[MOST], twice[MOST], left = 0, right = 0;
  const size_t n = sofa_state_size(p->state) * p->state->velocity.width;
  assert_true(n <= MOST);
  some_values(r, n, 1);
  some_values(s, n, 2);
  memcpy(pr, r, sizeof r);
  memcpy(ps, s, sizeof s);
  apply(p, SOFA_PROJECT_RESPONSE, time, pr);
  apply(p, SOFA_PROJECT_RESPONSE, time, ps);
  memcpy(twice, pr, sizeof pr);
  apply(p, SOFA_PROJECT_RESPONSE, time, twice);
  for (size_t i = 0; i < n; i++) {
    left += r[i] * ps[i];
    right += s[i] * pr[i];
  }
  if (c->flags & SUMS) return;
  require(c, "response twice", distance(pr, twice, n), 1e-15);
  require(c, "response is symmetric", fabs(left - right), 1e-14);
}

static void check_coords(const Case *c, SofaProjective *p, double time) {
  double x[MOST], twice[MOST], v[MOST];
  const size_t n = sofa_state_size(p->state) * p->state->position.width;
  const size_t n_v = sofa_state_size(p->state) * p->state->velocity.width;
  memcpy(x, p->state->position.data, n * sizeof *x);
  apply(p, SOFA_PROJECT_POSITION, time, x);
  memcpy(twice, x, sizeof x);
  apply(p, SOFA_PROJECT_POSITION, time, twice);
  if (!(c->flags & NO_PROJECTOR)) require(c, "position twice", distance(x, twice, n), 1e-15);
  some_values(v, n_v, 3);
  apply(p, SOFA_PROJECT_VELOCITY, time, v);
  memcpy(twice, v, sizeof v);
  apply(p, SOFA_PROJECT_VELOCITY, time, twice);
  require(c, "velocity twice", distance(v, twice, n_v), 1e-15);
}

/* r := P r for every projection, derivs being `width` reals apart. */
static void project_points(const SofaBlockProjections *projections, size_t width, double *r) {
  for (size_t k = 0; k < projections->n; k++) {
    const SofaBlockProjection *one = projections->data + k;
    double from[6], *to = r + one->row * width;
    memcpy(from, to, one->size * sizeof *to);
    for (size_t a = 0; a < one->size; a++) {
      to[a] = 0;
      for (size_t b = 0; b < one->size; b++) to[a] += one->p[a * one->size + b] * from[b];
    }
  }
}

/* Masked dofs are those the response makes zero; others it leaves alone. */
static void check_mask(const Case *c, SofaProjective *p, double time) {
  uint8_t mask[MOST] = {0};
  double r[MOST] = {0}, pr[MOST];
  const SofaProjectiveOps *ops = sofa_projective_ops(p);
  SofaMechParams params = sofa_mech_params(0.01, time, 0, 0, 0);
  params.until = time;
  const size_t n = sofa_state_size(p->state) * p->state->velocity.width;
  SofaBlockProjections projections = {0};
  SofaDiscard discard = {mask, n, &projections, 0};
  if (!(c->flags & MATRIX)) return;
  if (ops->pair) assert_int_equal(ops->pair->discard(p, &params, &discard, &discard), SOFA_OK);
  else if (ops->discard) assert_int_equal(ops->discard(p, &params, &discard), SOFA_OK);
  some_values(r, n, 4);
  memcpy(pr, r, sizeof r);
  apply(p, SOFA_PROJECT_RESPONSE, time, pr);
  project_points(&projections, p->state->velocity.width, r);
  for (size_t i = 0; i < n; i++)
    require(c, "matrix and response", fabs(pr[i] - (mask[i] ? 0 : r[i])),
            projections.n ? 1e-15 : 0);
  sofa_list_free(p->object.ctx, &projections);
}

static void projects(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SceneRun run;
    open_case(&run, &cases[k], cg);
    SofaProjective *p = constraint_of(&run, &cases[k]);
    for (double time = 0; time < 0.4; time += 0.075) {
      check_response(&cases[k], p, time);
      check_coords(&cases[k], p, time);
      check_mask(&cases[k], p, time);
    }
    assert_int_equal(run.n_problems, 0);
    scene_run_close(&run);
  }
}

/* Nothing happens from endTime on, and no step takes memory. */
static void ends_and_takes_no_memory(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SceneRun run;
    double r[MOST] = {0}, same[MOST];
    open_case(&run, &cases[k], cg);
    SofaProjective *p = constraint_of(&run, &cases[k]);
    scene_run_steps(&run, 2);
    const uint64_t before = run.ctx->n_allocations;
    memcpy(r, p->state->position.data, p->state->position.n * p->state->position.width * sizeof *r);
    for (int which = 0; which < 3; which++) apply(p, (SofaProjection)which, 0.1, r);
    assert_int_equal(run.ctx->n_allocations - before, 0);
    p->end_time = 0.2;
    some_values(r, MOST, 5);
    memcpy(same, r, sizeof r);
    for (int which = 0; which < 3; which++) apply(p, (SofaProjection)which, 0.2, r);
    require(&cases[k], "after endTime", distance(r, same, MOST), 0);
    scene_run_close(&run);
  }
}

static void assembled_as_matrix_free(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SceneRun free_run, assembled;
    if (!(cases[k].flags & MATRIX)) continue;
    open_case(&free_run, &cases[k], cg);
    open_case(&assembled, &cases[k], ldl);
    scene_run_steps(&free_run, 20);
    scene_run_steps(&assembled, 20);
    const SofaState *a = scene_run_state(&free_run, "/body/state");
    const SofaState *b = scene_run_state(&assembled, "/body/state");
    require(&cases[k], "assembled against matrix-free",
            distance(a->position.data, b->position.data, a->position.n * a->position.width), 1e-9);
    scene_run_close(&free_run);
    scene_run_close(&assembled);
  }
}

/* How many rows the constraint takes out of the matrix of an assembled system, and projections. */
static size_t n_taken(const Case *c, const SofaContextOptions *options) {
  SceneRun run;
  uint8_t mask[MOST] = {0};
  SofaBlockProjections projections = {0};
  open_case_with(&run, c, cg, options);
  SofaProjective *p = constraint_of(&run, c);
  const SofaProjectiveOps *ops = sofa_class_ops(p->object.klass, SOFA_PROJECTIVE);
  SofaMechParams params = sofa_mech_params(0.01, 0.05, 0, 0, 0);
  params.until = 0.05;
  SofaDiscard discard = {mask, sofa_state_size(p->state) * p->state->velocity.width, &projections,
                         0};
  if (ops->discard) assert_int_equal(ops->discard(p, &params, &discard), SOFA_OK);
  size_t n = projections.n;
  for (size_t i = 0; i < MOST; i++) n += mask[i];
  sofa_list_free(run.ctx, &projections);
  scene_run_close(&run);
  return n;
}

/* In SOFA these leave the matrix as it is: PointProjectiveConstraint where all points are fixed,
 * and FixedPlaneProjectiveConstraint only the projections of a normal that is no axis. */
static void matrices_that_are_left(void **state) {
  static const char *const classes[] = {
      "AffineMovementProjectiveConstraint",    "FixedTranslationProjectiveConstraint",
      "HermiteSplineProjectiveConstraint",     "LineProjectiveConstraint",
      "OscillatorProjectiveConstraint",        "ParabolicProjectiveConstraint",
      "PatchTestMovementProjectiveConstraint", "PlaneProjectiveConstraint",
      "SkeletalMotionProjectiveConstraint"};
  static const Case all = {"PointProjectiveConstraint", "all",
                           "<PointProjectiveConstraint fixAll='1' point='1 2 3'/>", NULL, 0};
  const SofaContextOptions left = {.quirk_words = "unprojected-matrix"};
  size_t found = 0;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(classes); i++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      if (strcmp(cases[k].klass, classes[i]) != 0 || !(cases[k].flags & MATRIX)) continue;
      if (n_taken(&cases[k], NULL) == 0) fail_msg("%s %s", classes[i], cases[k].what);
      if (n_taken(&cases[k], &left) != 0) fail_msg("%s %s: left", classes[i], cases[k].what);
      found |= 1u << i;
    }
  assert_int_equal(found, (1u << SOFA_COUNT(classes)) - 1);
  assert_int_equal(n_taken(&all, NULL), 24);
  assert_int_equal(n_taken(&all, &left), 3); // of point 0, which is the default of indices
}

static void every_class_has_a_case(void **state) {
  (void)state;
  SofaContext *ctx;
  int missing = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    bool found = false;
    if (klass->abstract || !sofa_class_ops(klass, SOFA_PROJECTIVE)) continue;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      found |= strcmp(cases[k].klass, klass->name) == 0;
    if (!found) print_error("no case for %s\n", klass->name);
    missing += !found;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}

/* ---- prescribed motions ---- */

typedef struct Place {
  const char *constraint;
  int index;
  double time, x[3], v[3];
} Place;

/* point 7 of (1, 1, 1) goes to (0, 1, 1), and to (2, 2, 2) */
#define AFFINE_FROM_1_TO_3                                                                         \
  "<AffineMovementProjectiveConstraint name='c' indices='7' beginConstraintTime='1' "              \
  "endConstraintTime='3' rotation='0 -1 0 1 0 0 0 0 1' translation='1 0 0'/>"
#define PATCH_FROM_1_TO_3                                                                          \
  "<PatchTestMovementProjectiveConstraint name='c' indices='7' beginConstraintTime='1' "           \
  "endConstraintTime='3' cornerPoints='0 0 0 2 0 0 2 2 0 0 2 0' "                                  \
  "cornerMovements='0 0 0 4 0 0 0 4 0 0 0 4'/>"

static const Place places[] = {
    {"<LinearMovementProjectiveConstraint name='c' indices='7' keyTimes='0 1 3' "
     "movements='0 0 0 1 0 0 1 4 0'/>",
     7,
     2,
     {2, 3, 1},
     {0, 2, 0}},
    {"<LinearMovementProjectiveConstraint name='c' indices='7' keyTimes='0 2' "
     "movements='1 0 0 3 0 0' relativeMovements='0'/>",
     7,
     1,
     {2, 0, 0},
     {1, 0, 0}},
    {"<PartialLinearMovementProjectiveConstraint name='c' indices='7' keyTimes='0 2' "
     "movements='0 0 0 4 4 4' movedDirections='1 0 1'/>",
     7,
     1,
     {3, 1, 3},
     {2, 0, 2}},
    /* point 7 is at (1, 1, 1): a quarter along x, half along y and all along z of the box */
    {"<PartialLinearMovementProjectiveConstraint name='c' indices='7' keyTimes='0 2' "
     "movements='0 0 0 4 4 4' movedDirections='1 0 1' linearMovementBetweenNodesInIndices='1' "
     "X0='4' Y0='2' Z0='1' imposedDisplacmentOnMacroNodes='9 1 2 9 9 3 5 9'/>",
     7,
     1,
     {1 + 2 * (0.75 * (1 + 3) / 2 + 0.25 * (2 + 5) / 2.0), 1,
      1 + 2 * (0.75 * (1 + 3) / 2 + 0.25 * (2 + 5) / 2.0)},
     {2 * (0.75 * (1 + 3) / 2 + 0.25 * (2 + 5) / 2.0), 0,
      2 * (0.75 * (1 + 3) / 2 + 0.25 * (2 + 5) / 2.0)}},
    {"<PartialLinearMovementProjectiveConstraint name='c' indices='7' keyTimes='0 2' "
     "movements='0 0 0 4 4 4' linearMovementBetweenNodesInIndices='1' "
     "X0='4' Y0='2' imposedDisplacmentOnMacroNodes='1 2 5 3'/>",
     7,
     1,
     {1 + 2 * 2.375, 1 + 2 * 2.375, 1 + 2 * 2.375},
     {2 * 2.375, 2 * 2.375, 2 * 2.375}},
    {"<OscillatorProjectiveConstraint name='c' oscillators='7 1 2 3 0.5 0 0 2 0'/>",
     7,
     0.78539816339744831,
     {1.5, 2, 3},
     {0, 0, 0}},
    {"<ParabolicProjectiveConstraint name='c' indices='3 7' P1='0 0 0' P2='0.5 2 0' P3='1 0 0' "
     "BeginTime='0' EndTime='2'/>",
     7,
     0.5,
     {0.25, 1.5, 0},
     {0.5, 1.98, 0}},
    {"<HermiteSplineProjectiveConstraint name='c' indices='7' X0='0 0 0' dX0='1 0 0' X1='1 1 0' "
     "dX1='1 0 0' SX0='1 1' SX1='1 1' BeginTime='0' EndTime='2'/>",
     7,
     1,
     {0.5, 0.5, 0},
     {0.5, 0.75, 0}},
    {"<AffineMovementProjectiveConstraint name='c' indices='7' endConstraintTime='2' "
     "rotation='0 -1 0 1 0 0 0 0 1' translation='1 0 0'/>",
     7,
     1,
     {0.5, 1, 1},
     {-0.5, 0, 0}},
    {"<AffineMovementProjectiveConstraint name='c' indices='7' endConstraintTime='2' "
     "rotation='0 -1 0 1 0 0 0 0 1' translation='1 0 0'/>",
     7,
     3,
     {0, 1, 1},
     {0, 0, 0}},
    /* before, at and between the ends of a movement: velocities are those of what is ahead */
    {AFFINE_FROM_1_TO_3, 7, 0.5, {1, 1, 1}, {0, 0, 0}},
    {AFFINE_FROM_1_TO_3, 7, 1, {1, 1, 1}, {-0.5, 0, 0}},
    {AFFINE_FROM_1_TO_3, 7, 1.5, {0.75, 1, 1}, {-0.5, 0, 0}},
    {AFFINE_FROM_1_TO_3, 7, 3, {0, 1, 1}, {0, 0, 0}},
    {PATCH_FROM_1_TO_3, 7, 0.5, {1, 1, 1}, {0, 0, 0}},
    {PATCH_FROM_1_TO_3, 7, 1, {1, 1, 1}, {0.5, 0.5, 0.5}},
    {PATCH_FROM_1_TO_3, 7, 2.5, {1.75, 1.75, 1.75}, {0.5, 0.5, 0.5}},
    {PATCH_FROM_1_TO_3, 7, 3, {2, 2, 2}, {0, 0, 0}},
    {"<PatchTestMovementProjectiveConstraint name='c' indices='7' endConstraintTime='1' "
     "cornerPoints='0 0 0 2 0 0 2 2 0 0 2 0' cornerMovements='0 0 0 4 0 0 0 4 0 0 0 4'/>",
     7,
     2,
     {2, 2, 2},
     {0, 0, 0}},
    /* point 7 follows point 0 at the origin, all of the way or a quarter at the initialisation and
     * another one here; it is sqrt 3 from it */
    {"<AttachProjectiveConstraint name='c' indices1='0' indices2='7' minDistance='1.8'/>",
     7,
     1,
     {0, 0, 0},
     {0, 0, 0}},
    {"<AttachProjectiveConstraint name='c' indices1='0' indices2='7' minDistance='1.7'/>",
     7,
     1,
     {1, 1, 1},
     {0, 0, 0}},
    {"<AttachProjectiveConstraint name='c' indices1='0' indices2='7' minDistance='0'/>",
     7,
     1,
     {1, 1, 1},
     {0, 0, 0}},
    {"<AttachProjectiveConstraint name='c' indices1='0' indices2='7' positionFactor='0.5' "
     "constraintFactor='0.5'/>",
     7,
     1,
     {0.5625, 0.5625, 0.5625},
     {0, 0, 0}},
    /* at 1/4, 1/2 and 1/5 of a box */
    {"<PatchTestMovementProjectiveConstraint name='c' indices='7' endConstraintTime='1' "
     "cornerPoints='0 0 0 4 0 0 4 2 0 0 2 0 0 0 5 4 0 5 4 2 5 0 2 5' "
     "cornerMovements='8 0 0 0 0 0 0 8 0 0 0 0 0 0 0 0 0 8 0 0 0 8 8 0'/>",
     7,
     2,
     {1 + 8 * (0.3 + 0.075), 1 + 8 * (0.1 + 0.075), 1 + 8 * 0.025},
     {0, 0, 0}},
    {"<PointProjectiveConstraint name='c' indices='7' point='4 5 6'/>", 7, 1, {4, 5, 6}, {0, 0, 0}},
    {"<LineProjectiveConstraint name='c' indices='7' origin='0 1 0' direction='1 1 0'/>",
     7,
     0,
     {0.5, 1.5, 0},
     {0, 0, 0}},
    {"<PlaneProjectiveConstraint name='c' indices='7' origin='0 0 0' normal='1 1 0'/>",
     7,
     0,
     {0, 0, 1},
     {0, 0, 0}},
};

static void motions_are_exact(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    const Place *place = &places[k];
    const Case c = {"", place->constraint, place->constraint, NULL, 0};
    SceneRun run;
    double x[MOST], v[MOST] = {0};
    open_case(&run, &c, cg);
    SofaProjective *p = (SofaProjective *)scene_run_object(&run, "/body/c");
    memcpy(x, p->state->position.data, p->state->position.n * 3 * sizeof *x);
    apply(p, SOFA_PROJECT_POSITION, place->time, x);
    apply(p, SOFA_PROJECT_VELOCITY, place->time, v);
    require(&c, "place", distance(x + 3 * place->index, place->x, 3), 1e-14);
    require(&c, "velocity", distance(v + 3 * place->index, place->v, 3), 1e-12);
    scene_run_close(&run);
  }
}

/* x = x0 + dt sum of v(t_k), t_k the times at the start of the steps. */
static void velocities_add_up(void **state) {
  (void)state;
  const Case c = {"", "",
                  "<LinearVelocityProjectiveConstraint indices='7' keyTimes='0 0.1 0.2' "
                  "velocities='0 0 0 1 0 0 1 0 0' continueAfterEnd='1'/>",
                  NULL, 0};
  SceneRun run;
  open_case(&run, &c, cg);
  const SofaState *s = scene_run_state(&run, "/body/state");
  assert_true(s->position.data[21] == 1);
  double sum = 0;
  for (int k = 0; k < 30; k++) {
    scene_run_steps(&run, 1);
    sum += fmin(1, 0.1 * k);
    require(&c, "place", fabs(s->position.data[21] - (1 + 0.01 * sum)), 1e-13);
  }
  scene_run_close(&run);
}

#define LINE_OF_FRAMES                                                                             \
  "<MechanicalObject name='state' template='Rigid3d' "                                             \
  "position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 0 0 1  5 5 5 0 0 0 1  5 6 5 0 0 0 1  5 7 5 0 "  \
  "0 0 1'/>"                                                                                       \
  "<UniformMass vertexMass='1 1  1 0 0 0 1 0 0 0 1'/>"

/* Frames 3 to 5 stand along y; attached to frames 0 to 2, which stand along x, with restRotations
 * they are turned by -90 degrees about z, so that the line follows the x axes. The pair of frame 2
 * is behind the plane x = 1.5, and pair 1 is turned by the share of its way to the plane. */
static void attached_frames_keep_their_line(void **state) {
  (void)state;
  const double turn = -2 * atan(1), part = turn * 0.5;
  for (int clamp = 0; clamp < 2; clamp++) {
    const Case c = {"", "",
                    clamp
                        ? "<AttachProjectiveConstraint name='c' indices1='0 1 2' indices2='3 4 5' "
                          "restRotations='1' lastPos='1.5 0 0' lastDir='1 0 0' clamp='1'/>"
                        : "<AttachProjectiveConstraint name='c' indices1='0 1 2' indices2='3 4 5' "
                          "restRotations='1' lastPos='1.5 0 0' lastDir='1 0 0'/>",
                    LINE_OF_FRAMES, 0};
    SceneRun run;
    open_case(&run, &c, cg);
    SofaProjective *p = (SofaProjective *)scene_run_object(&run, "/body/c");
    double *x = p->state->position.data, v[36];
    apply(p, SOFA_PROJECT_POSITION, 0, x);
    const double first[7] = {0, 0, 0, 0, 0, sin(turn / 2), cos(turn / 2)};
    const double second[7] = {1, 0, 0, 0, 0, sin(part / 2), cos(part / 2)};
    const double third[7] = {clamp ? 1.5 : 5, clamp ? 0 : 7, clamp ? 0 : 5, 0, 0, 0, 1};
    require(&c, "first", distance(x + 21, first, 7), 1e-14);
    require(&c, "second", distance(x + 28, second, 7), 1e-14);
    require(&c, "third", distance(x + 35, third, 7), 1e-14);
    some_values(v, 36, 3);
    const double kept = v[30];
    apply(p, SOFA_PROJECT_VELOCITY, 0, v);
    assert_true(v[30] == (clamp ? 0 : kept) && v[24] == v[6]);
    scene_run_close(&run);
  }
}

/* Frame 1 takes the place and the velocity of frame 0, its orientation and its turn where they are
 * not free. */
static void attached_frames_may_turn(void **state) {
  static const struct {
    const char *fields;
    bool is_free;
  } rows[] = {{"", false}, {"freeRotations='1'", true}, {"lastFreeRotation='1'", true}};
  static const double turned[7] = {0, 0, 0, 0, 0.6, 0, 0.8}, same[7] = {0, 0, 0, 0, 0, 0, 1};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char constraint[200];
    snprintf(constraint, sizeof constraint,
             "<AttachProjectiveConstraint name='c' indices1='0' indices2='1' %s/>", rows[i].fields);
    const Case c = {"", rows[i].fields, constraint, RIGIDS, 0};
    SceneRun run;
    double x[14], v[12], r[12], before[12];
    open_case(&run, &c, cg);
    SofaProjective *p = (SofaProjective *)scene_run_object(&run, "/body/c");
    memcpy(x, p->state->position.data, sizeof x);
    some_values(v, 12, 3);
    memcpy(before, v, sizeof v);
    memcpy(r, v, sizeof v);
    apply(p, SOFA_PROJECT_POSITION, 0, x);
    apply(p, SOFA_PROJECT_VELOCITY, 0, v);
    apply(p, SOFA_PROJECT_RESPONSE, 0, r);
    require(&c, "frame", distance(x + 7, rows[i].is_free ? turned : same, 7), 0);
    require(&c, "velocity", distance(v + 6, before, 3), 0);
    require(&c, "turn", distance(v + 9, before + (rows[i].is_free ? 9 : 3), 3), 0);
    for (int k = 6; k < 12; k++) assert_true(r[k] == (rows[i].is_free && k >= 9 ? before[k] : 0));
    scene_run_close(&run);
  }
}

/* A frame's movement turns it by the interpolated Euler angles. */
static void frames_turn(void **state) {
  (void)state;
  const Case c = {"", "",
                  "<LinearMovementProjectiveConstraint name='c' keyTimes='0 2' "
                  "movements='0 0 0 0 0 0 2 0 0 0 0 3'/>",
                  RIGIDS, 0};
  SceneRun run;
  double x[14], half[4];
  const double axis[3] = {0, 0, 1};
  open_case(&run, &c, cg);
  SofaProjective *p = (SofaProjective *)scene_run_object(&run, "/body/c");
  memcpy(x, p->state->position.data, sizeof x);
  apply(p, SOFA_PROJECT_POSITION, 1, x);
  sofa_quat_from_axis_angle(axis, 1.5, half);
  require(&c, "place", fabs(x[0] - 1), 1e-15);
  require(&c, "orientation", distance(x + 3, half, 4), 1e-15);
  scene_run_close(&run);
}

/* Half way through, the root has turned by 45 degrees and the child is 2 m away from it; velocities
 * are those of the motion a step later. */
static void bones_follow_the_skeleton(void **state) {
  (void)state;
  const Case c = {"", "",
                  "<SkeletalMotionProjectiveConstraint name='c' joints='" SKELETON
                  "' bones='0 1' animationSpeed='2'/>",
                  RIGIDS, 0};
  const double angle = atan(1), later = angle * (1 + 2 * 0.01), half = angle / 2;
  SceneRun run;
  open_case(&run, &c, cg);
  SofaProjective *p = (SofaProjective *)scene_run_object(&run, "/body/c");
  double *x = p->state->position.data, v[12];
  apply(p, SOFA_PROJECT_POSITION, 0.5, x);
  apply(p, SOFA_PROJECT_VELOCITY, 0.5, v);
  const double root[7] = {0, 0, 0, 0, 0, sin(half), cos(half)};
  const double child[7] = {2 * cos(angle), 2 * sin(angle), 0, 0, 0, sin(half), cos(half)};
  require(&c, "root", distance(x, root, 7), 1e-14);
  require(&c, "child", distance(x + 7, child, 7), 1e-14);
  const double next[3] = {2.02 * cos(later), 2.02 * sin(later), 0};
  for (size_t a = 0; a < 3; a++)
    require(&c, "velocity", fabs(v[6 + a] - (next[a] - child[a]) / 0.01), 1e-10);
  require(&c, "angular velocity", fabs(v[5] - (later - angle) / 0.01), 1e-10);
  // after the last key everything rests
  apply(p, SOFA_PROJECT_VELOCITY, 3, v);
  for (size_t k = 0; k < 12; k++) require(&c, "rest", fabs(v[k]), 1e-300);
  scene_run_close(&run);
}

/* ---- two states ---- */

static void attached_bodies_move_together(void **state) {
  (void)state;
  for (int two_way = 0; two_way < 2; two_way++) {
    SceneRun run;
    char text[2000];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><Node name='both'><EulerImplicitSolver/>%s"
             "<Node name='a'><MechanicalObject name='s' position='0 0 0'/>"
             "<UniformMass vertexMass='1'/><ConstantForceField forces='2 0 0'/></Node>"
             "<Node name='b'><MechanicalObject name='s' position='0 0 0'/>"
             "<UniformMass vertexMass='1'/></Node>"
             "<AttachProjectiveConstraint object1='@a/s' object2='@b/s' indices1='0' indices2='0' "
             "twoWay='%d'/></Node></Node>",
             cg, two_way);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 50);
    const double *a = scene_run_state(&run, "/both/a/s")->position.data;
    const double *b = scene_run_state(&run, "/both/b/s")->position.data;
    assert_true(distance(a, b, 3) < 1e-12);
    /* one-way, a does not feel b; two-way, they share the force */
    const double alone = 0.0001 * 50 * 51 / 2;
    assert_true(fabs(a[0] - (two_way ? 1 : 2) * alone) < 1e-9);
    scene_run_close(&run);
  }
}

/* ---- refused values ---- */

typedef struct Refused {
  const char *constraint, *message;
} Refused;
static const Refused refused[] = {
    {"<FixedProjectiveConstraint indices='0 8'/>", "index 8 is not a point"},
    {"<PartialFixedProjectiveConstraint fixedDirections='1 0'/>", "2 flags, expected 3"},
    {"<LineProjectiveConstraint indices='0'/>", "no direction"},
    {"<PlaneProjectiveConstraint normal='1 0' />", "2 numbers, expected 3"},
    {"<LinearMovementProjectiveConstraint keyTimes='0 1' movements='0 0 0'/>",
     "1 entries for 2 key times"},
    {"<LinearMovementProjectiveConstraint keyTimes='1 0' movements='0 0 0 1 1 1'/>", "before key"},
    {"<LinearVelocityProjectiveConstraint coordinates='3'/>", "not one of the 3 components"},
    {"<PartialLinearMovementProjectiveConstraint linearMovementBetweenNodesInIndices='1'/>", "X0"},
    {"<PartialLinearMovementProjectiveConstraint linearMovementBetweenNodesInIndices='1' X0='1' "
     "Y0='1' Z0='1' imposedDisplacmentOnMacroNodes='1 2 3 4'/>",
     "each of the 8 corners"},
    {"<OscillatorProjectiveConstraint oscillators='0 1 2'/>", "not whole oscillators of 9"},
    {"<OscillatorProjectiveConstraint oscillators='8 0 0 0 1 0 0 1 0'/>", "8 is not a point"},
    {"<ParabolicProjectiveConstraint indices='0' P2='1 0 0' P3='2 0 0'/>", "one line"},
    {"<AffineMovementProjectiveConstraint endConstraintTime='0'/>", "not after"},
    {"<PatchTestMovementProjectiveConstraint indices='0'/>", "0 corners"},
    {"<PositionBasedDynamicsProjectiveConstraint/>", "0 targets"},
    {"<AttachProjectiveConstraint indices1='0' indices2='1 2'/>", "has 2 points"},
    {"<AttachProjectiveConstraint indices1='0' indices2='8'/>", "index 8 is not a point"},
};
static const Refused refused_frames[] = {
    {"<SkeletalMotionProjectiveConstraint joints='Parent 0 Channels 0 Times 0'/>", "do not lead"},
    {"<SkeletalMotionProjectiveConstraint joints='Parent -1 Channels 1 0 0'/>", "joint 0 cannot"},
    {"<SkeletalMotionProjectiveConstraint joints='" SKELETON "' bones='0 2'/>", "2 is not a joint"},
    {"<SkeletalMotionProjectiveConstraint joints='" SKELETON "' bones='0 1 1'/>", "3 bones"},
};

/* An error that ends loading; a warning with keep_going, and the scene runs. */
static void refuses(const Refused *bad, const char *points) {
  for (int keep_going = 0; keep_going < 2; keep_going++) {
    SceneRun run = {.quiet = true};
    char text[4000];
    const SofaContextOptions options = {.keep_going = keep_going};
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node "
             "name='body'><EulerImplicitSolver/>%s%s%s</Node></Node>",
             cg, points, bad->constraint);
    scene_run_context(&run, &options);
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    if (!strstr(run.last, bad->message))
      fail_msg("%s: the message is '%s'", bad->constraint, run.last);
    assert_int_equal(err == SOFA_OK, keep_going);
    if (keep_going) scene_run_steps(&run, 2);
    scene_run_close(&run);
  }
}

static void bad_values_are_errors(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) refuses(&refused[k], POINTS);
  for (size_t k = 0; k < sizeof refused_frames / sizeof *refused_frames; k++)
    refuses(&refused_frames[k], RIGIDS);
}

/* Points that two constraints hold on a line each, and a fixed one, with the dofs of a plane. */
static void projections_of_one_point_follow_each_other(void **state) {
  (void)state;
  const Case c = {"", "",
                  "<PlaneProjectiveConstraint indices='0 7' normal='1 1 0'/>"
                  "<PlaneProjectiveConstraint indices='7 3' normal='1 -1 2'/>"
                  "<FixedProjectiveConstraint indices='3'/>",
                  NULL, 0};
  double x[2][MOST];
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    open_case(&run, &c, k ? ldl : cg);
    scene_run_steps(&run, 10);
    const SofaState *s = scene_run_state(&run, "/body/state");
    memcpy(x[k], s->position.data, 3 * s->position.n * sizeof(double));
    scene_run_close(&run);
  }
  for (size_t i = 0; i < 24; i++) require(&c, "position", fabs(x[0][i] - x[1][i]), 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_that_are_left),
      cmocka_unit_test(every_class_has_a_case),
      cmocka_unit_test(projects),
      cmocka_unit_test(ends_and_takes_no_memory),
      cmocka_unit_test(assembled_as_matrix_free),
      cmocka_unit_test(motions_are_exact),
      cmocka_unit_test(velocities_add_up),
      cmocka_unit_test(attached_frames_may_turn),
      cmocka_unit_test(frames_turn),
      cmocka_unit_test(attached_frames_keep_their_line),
      cmocka_unit_test(bones_follow_the_skeleton),
      cmocka_unit_test(attached_bodies_move_together),
      cmocka_unit_test(bad_values_are_errors),
      cmocka_unit_test(projections_of_one_point_follow_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
