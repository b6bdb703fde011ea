/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The schedule: the objects that the phases of a step visit in the whole graph, flattened in
 * visiting order, so that a step neither searches nor allocates. */
#ifndef SOFA_SIMULATION_SCHEDULE_H
#define SOFA_SIMULATION_SCHEDULE_H

#include "behavior/mapping.h"
#include "behavior/ode_solver.h"
#include "behavior/projective.h"
#include "object/data_graph.h"
#include "object/event.h"

SOFA_BEGIN_DECLS

typedef struct SofaSchedule {
  SofaContext *ctx;
  SofaNode *root;
  uint64_t graph_version;
  SofaNodes nodes;         /* active ones in visiting order */
  SofaObjects objects;     /* of these nodes, in order; also invalid ones (they get no calls) */
  SofaObjects responders;  /* those of `objects` whose class handles events */
  SofaObjects linked;      /* objects with data links or engines */
  SofaObjects states;      /* mechanical states */
  SofaObjects constraints; /* projective ones that act at the end of a step */
  SofaObjects mappings;    /* towards mechanical states, parents before children */
  SofaObjects visual_mappings;
  SofaObjects context_objects;
  SofaObjects pipelines; /* of collisions */
  SofaObjects lagrangians, corrections, constraint_solvers;
  /* solving, in visiting order: an ODE solver's node, or the isolated interactions above solvers */
  SofaObjects solve;           /* SofaOdeSolver or interaction SofaForceField */
  struct SofaSchedule **parts; /* per entry of `solve`: of the node of a solver with
                                  SOFA_ODE_CONSTRAINS, of that solver alone; else NULL. Owned */
} SofaSchedule;

/* The first valid ODE solver of the node, or NULL: it moves all states below, and solvers there do
 * not run. */
const SofaObject *sofa_node_ode_solver(const SofaNode *node);
/* The objects of `solve` below root, appended. */
SofaErr sofa_solve_order(SofaNode *root, SofaObjects *out);

SofaErr sofa_schedule_create(SofaNode *root, SofaSchedule **out);
void sofa_schedule_destroy(SofaSchedule **schedule);
static inline bool sofa_schedule_is_stale(const SofaSchedule *s) {
  return s->graph_version != *s->root->graph_version;
}

/* The schedule of the graph as it is now: *s, made again when the graph changed; *s may be NULL. */
SofaErr sofa_schedule_renew(SofaSchedule **s, SofaNode *root);

/* gravity, dt, time, animate of every node from its first parent, then context objects. */
SofaErr sofa_schedule_update_context(SofaSchedule *s);
/* Brings data links and engines up to date; reinit of objects whose inputs changed. */
SofaErr sofa_schedule_update_data(SofaSchedule *s);
SofaErr sofa_schedule_send(SofaSchedule *s, SofaEventType type, double dt);
/* A collision step of dt: every collision pipeline below root detects and responds, between the two
 * events. Contacts are objects of the graph: *s is made again when some are new. */
SofaErr sofa_schedule_collide(SofaSchedule **s, SofaNode *root, double dt);
/* Runs the ODE solvers and isolated interactions of one step. */
SofaErr sofa_schedule_solve(SofaSchedule *s, double dt);
/* The same up to the free motion of solvers; positions and velocities stay. */
SofaErr sofa_schedule_solve_free(SofaSchedule *s, double dt);
/* Those of them that have a tag. */
SofaErr sofa_schedule_solve_tagged(SofaSchedule *s, double dt, const char *tag);
/* Before the first step: builds the linear systems as a first step of dt would, in their ODE
 * solvers' plans. The data it leaves in solvers and systems is freed with the plans. */
SofaErr sofa_schedule_assemble(SofaSchedule *s, double dt);
void sofa_schedule_drop_plans(SofaSchedule *s);
/* Makes the vectors that the solvers' plans have handed out zero, as after their creation. */
void sofa_schedule_clear_vectors(SofaSchedule *s);
/* Projects x and v of all states to the end of a step of dt, then applies all mechanical mappings.
 */
SofaErr sofa_schedule_project(SofaSchedule *s, double dt);
/* The same at the current time, before a step of dt. */
SofaErr sofa_schedule_project_start(SofaSchedule *s, double dt);
SofaErr sofa_schedule_propagate(SofaSchedule *s);
SofaErr sofa_schedule_update_visuals(SofaSchedule *s);
void sofa_schedule_clear_external_forces(SofaSchedule *s);
/* After projections and mappings at the end of a step: what components remember of the past moves
 * to it. */
SofaErr sofa_schedule_accept(SofaSchedule *s, double dt);
/* Solves by dt, projects with the time step given to constraints, propagates and clears the
 * external forces, between the two events of an integration. */
SofaErr sofa_schedule_integrate(SofaSchedule *s, double dt, double constraint_dt);
/* The same for the objects with a tag (NULL: all). */
SofaErr sofa_schedule_integrate_tagged(SofaSchedule *s, double dt, double constraint_dt,
                                       const char *tag);
/* After the last integration: the visual mappings and the event that follows them. */
SofaErr sofa_schedule_finish(SofaSchedule *s, double dt);

SOFA_END_DECLS

#endif
