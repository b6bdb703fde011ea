/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FreeMotionAnimationLoop: a step with Lagrangian constraints.
 *
 * All states move freely, collisions are detected at the positions of the start of the step, and
 * the constraint solver finds the forces under which the end of the step keeps the constraints. */
#include "behavior/animation_loop.h"
#include "object/factory.h"
#include "simulation/constraint_step.h"

enum {
  QUIRK_FREE_MOTION_CLOCK = 1,
  QUIRK_FREE_POSITION = 2,
  QUIRK_CORRECTED_ONLY = 4,
  QUIRK_FORCE_COUNT = 8,
  QUIRK_FREE_MEMORY = 16
};
static const SofaQuirk quirks[] = {
    {QUIRK_FREE_MOTION_CLOCK, "free-motion-clock",
     "FreeMotionAnimationLoop projects the end of a step with the time of its start",
     "test_free_motion.projections_see_the_end"},
    {QUIRK_FREE_POSITION, "free-position",
     "FreeMotionAnimationLoop moves free positions by dt v_free, whatever the rule of the solver",
     "test_free_motion.solvers_keep_their_rule"},
    {QUIRK_CORRECTED_ONLY, "corrected-only",
     "states without a constraint correction do not move in a FreeMotionAnimationLoop",
     "test_free_motion.moves_without_correction"},
    {QUIRK_FREE_MEMORY, "free-memory",
     "accelerations and momenta that ODE solvers keep for the next step are those of the free "
     "motion",
     "test_free_motion.solvers_remember_the_motion"},
    {QUIRK_FORCE_COUNT, "constraint-force-count",
     "constraint forces on a state with several constraints count several times in the geometric "
     "stiffness of mappings",
     "test_free_motion.forces_count_once"},
};

typedef struct FreeMotionAnimationLoop {
  SofaAnimationLoop loop;
  bool velocities_first, thread_safe_visitor, parallel_collision, parallel_ode_solving;
  bool compute_bounding_box;
  int n_threads, stabilise;
  char *scheduler;
  SofaLink constraint_solver, target_node;
} FreeMotionAnimationLoop;

typedef FreeMotionAnimationLoop SofaSelf; /* of SOFA_ROW */

static const SofaLinkRule solver_rule = {.interface = &sofa_constraint_solver_interface,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_ROW(velocities_first, "solveVelocityConstraintFirst", "0", "",
             "constrain velocities; positions follow by x + dt v"),
    SOFA_ROW(thread_safe_visitor, "threadSafeVisitor", "0", "",
             "no effect: operations do not depend on visitors", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(parallel_collision, "parallelCollisionDetectionAndFreeMotion", "0", "",
             "no effect on results: detection follows the free motion",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(parallel_ode_solving, "parallelODESolving", "0", "",
             "no effect on results: solvers run one after the other",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(n_threads, "nbThreads", "0", "", "no effect: --threads sets them",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(scheduler, "taskSchedulerType", "_default", "", "no effect",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(compute_bounding_box, "computeBoundingBox", "1", "",
             "keep the bounding boxes up to date for views", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(stabilise, "postStabilisation", "0", "1",
             "how often positions are moved at the end of a step to close the gaps of joints and "
             "penetrations, without a change of velocities; the forces of the step then act on the "
             "motion alone. 0: the forces close gaps within the step, and velocities follow. 1 "
             "leaves gaps of the fourth order in the step, 2 of rounding size (addition of csofa)",
             .range = SOFA_WITHIN(0, 100)),
    SOFA_ROW(constraint_solver, "constraintSolver", NULL, "",
             "solver of the constraints; default: the first in this node or below",
             .link = &solver_rule),
    SOFA_ROW(target_node, "targetNode", NULL, "",
             "node to animate, with the nodes below; default: the root",
             .link = &sofa_target_node_rule),
};

/* ---- the solver ---- */

typedef struct SolverSearch {
  SofaObject *found;
} SolverSearch;

static SofaVisit find_solver(SofaNode *node, void *user) {
  SolverSearch *search = user;
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_CONSTRAINT_SOLVER)) {
      search->found = node->objects.data[i];
      return SOFA_STOP;
    }
  return SOFA_CONTINUE;
}

static SofaErr add_default_solver(FreeMotionAnimationLoop *loop) {
  static const char name[] = "BlockGaussSeidelConstraintSolver";
  SofaObject *object = &loop->loop.object;
  const SofaClass *klass = sofa_factory_find(object->ctx, name, NULL);
  if (!klass)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no constraint solver in this node or below");
  sofa_object_message(object, SOFA_WARNING,
                      "there is no constraint solver in this node or below: a %s is added", name);
  return sofa_object_create_for(object, klass, name, NULL, &loop->constraint_solver.target);
}

static SofaErr init(SofaObject *object) {
  FreeMotionAnimationLoop *loop = (FreeMotionAnimationLoop *)object;
  SolverSearch search = {NULL};
  const SofaVisitor visitor = {.down = find_solver, .user = &search};
  if (loop->constraint_solver.target) return SOFA_OK;
  SOFA_TRY(sofa_visit(object->node, &visitor));
  loop->constraint_solver.target = search.found;
  return search.found ? SOFA_OK : add_default_solver(loop);
}

/* ---- a step ---- */

static SofaErr step(SofaAnimationLoop *base, SofaNode *root, double dt) {
  FreeMotionAnimationLoop *loop = (FreeMotionAnimationLoop *)base;
  SofaNode *node = sofa_animation_loop_target(&loop->target_node, root);
  SofaConstraintSolver *solver = (SofaConstraintSolver *)loop->constraint_solver.target;
  const SofaConstrainedStep one = {
      .dt = dt,
      .order = loop->velocities_first ? SOFA_CONSTRAIN_VELOCITIES : SOFA_CONSTRAIN_POSITIONS,
      .by_velocity = sofa_quirk(&base->object, QUIRK_FREE_POSITION),
      .stabilise = loop->stabilise,
      .start_clock = sofa_quirk(&base->object, QUIRK_FREE_MOTION_CLOCK),
      .corrected_only = sofa_quirk(&base->object, QUIRK_CORRECTED_ONLY),
      .forgets = sofa_quirk(&base->object, QUIRK_FREE_MEMORY),
      .counts_again = sofa_quirk(&base->object, QUIRK_FORCE_COUNT)};
  SOFA_TRY(sofa_schedule_renew(&base->schedule, node));
  SOFA_TRY(sofa_schedule_send(base->schedule, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(base->schedule));
  SOFA_TRY(sofa_schedule_free_motion(base->schedule, &one));
  SOFA_TRY(sofa_schedule_collide(&base->schedule, node, dt));
  SOFA_TRY(sofa_schedule_constrain(base->schedule, solver, &one));
  SOFA_TRY(sofa_schedule_stabilise(base->schedule, solver, &one));
  SOFA_TRY(sofa_schedule_end_constrained(base->schedule, &one));
  sofa_animation_loop_set_time(node, node->time + dt);
  SOFA_TRY(sofa_schedule_update_context(base->schedule));
  return sofa_schedule_finish(base->schedule, dt);
}

static const SofaAnimationLoopOps ops = {.step = step, .constrains = true};

SOFA_CLASS(FreeMotionAnimationLoop) = {
    SOFA_NAMED(FreeMotionAnimationLoop),
    .module = "Sofa.Component.AnimationLoop",
    .category = "AnimationLoop",
    .help = "One step with Lagrangian constraints: free motion, collisions, constraint forces, "
            "projections, mappings, time.",
    .base = &sofa_animation_loop_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
