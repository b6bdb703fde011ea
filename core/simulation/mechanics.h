/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mechanics below an ODE solver: the objects in traversal order, flattened, the layout
 * of the flat vectors, and the mechanical operations a solver is written with.
 *
 * Vectors. A coord vector has n_x reals, a deriv vector n_v reals. The independent states come
 * first (n_x_main, n_v_main reals), the mapped ones behind them; solver algebra (dot, axpy, solve)
 * runs over the main part only. x, v, f are the states' own vectors. */
#ifndef SOFA_SIMULATION_MECHANICS_H
#define SOFA_SIMULATION_MECHANICS_H

#include "behavior/force_field.h"
#include "behavior/mapping.h"
#include "behavior/mass.h"
#include "behavior/projective.h"

SOFA_BEGIN_DECLS

typedef struct SofaMechanics {
  SofaContext *ctx;
  SofaNode *node;         /* the ODE solver's node */
  uint64_t graph_version; /* of the graph it was built from */
  SofaState **states;     /* independent first, each part in visiting order */
  size_t n_states, n_main;
  SofaMapping **mappings; /* parents before children; force-less ones included */
  size_t n_mappings;
  SofaForceField **force_fields; /* masses included, at their place in visiting order */
  size_t n_force_fields;
  SofaMass **masses;
  size_t n_masses;
  SofaProjective **constraints; /* in visiting order */
  size_t n_constraints;
  SofaObject **limiters; /* of steps, in visiting order: simulation/step_limits.h */
  size_t n_limiters;
  double *x_taken; /* owned; the positions that limiters allowed last; NULL without limiters */
  size_t n_x, n_v, n_x_main, n_v_main;
  double *x, *v, *f;              /* owned; the states' position, velocity, force are views */
  double *x_good, *v_good;        /* owned; copies of x, v at the start of the step */
  double *v_before;               /* quirk: v_free of the step before; or NULL */
  double *x_free, *v_free;        /* the free motion, which the states view; NULL: not asked for */
  double *outside, *outside_zero; /* owned; receives forces on, stands for changes of, states that
                                     belong to another solver; outside_size reals */
  size_t outside_size;
  double begin, h;                      /* of the last step, s; h 0: none was made */
  bool statics;                         /* by a solver of equilibria */
  double **in, **in2;                   /* owned; argument lists of mappings */
  const double **at_x, **at_v, **at_dx; /* owned; arguments of force fields, points */
  double **at_f;
  double *point_f;        /* owned; forces of a point that has none, NULL without mappings that
                             need them */
  uint64_t point_f_id;    /* the point they belong to; 0: none */
  double *total_f;        /* of mapped states with constraint forces: work space; or NULL */
  bool has_mapped_forces; /* some mapping carries forces */
  bool mapped_masses;     /* masses of mapped states have momentum; and their Jacobians move: */
  bool moving_masses;     /* simulation/mapped_inertia.h; set by each solver before its step */
  bool own_damping;       /* forces hold the components' own Rayleigh damping; set by each solver
                             before its step */
  double load_factor;     /* multiplies the loads (sofa_force_field_is_load, external forces of
                             states), their matrices and energies; 1 unless a solver changes it */
  struct SofaDividedPlan *divided; /* owned; NULL: no state is divided, or one process runs it */
  uint64_t serial;                 /* differs from that of every earlier plan of the node */
  struct SofaMechVector *vectors;  /* further vectors handed out, owned; the last one first */
  struct SofaMechVector *restored; /* of a checkpoint: values of the vectors that will be handed
                                      out, in this order; owned */
} SofaMechanics;

/* Builds the plan of everything below `node` and moves the states into flat vectors. */
SofaErr sofa_mechanics_create(SofaNode *node, SofaMechanics **out);
/* Gives the states their own vectors back. */
void sofa_mechanics_destroy(SofaMechanics **mechanics);
/* The plan of the solver's node, (re)built when the graph changed since. Not inside a step's loop.
 */
SofaErr sofa_node_mechanics(SofaNode *node, SofaMechanics **out);

void sofa_node_drop_mechanics(SofaNode *node);
/* Makes the vectors that were handed out (below) zero. */
void sofa_mechanics_clear_vectors(SofaMechanics *m);

/* A zeroed deriv (n_v) or coord (n_x) vector that lives as long as the plan. */
SofaErr sofa_mechanics_deriv(SofaMechanics *m, double **out);
SofaErr sofa_mechanics_coord(SofaMechanics *m, double **out);
/* A deriv vector for the plan itself. */
SofaErr sofa_mechanics_work(SofaMechanics *m, double **out);
/* The vectors that deriv and coord have handed out, in the order of their creation: their number,
 * and one. */
size_t sofa_mechanics_n_vectors(const SofaMechanics *m);
const double *sofa_mechanics_vector(const SofaMechanics *m, size_t i, size_t *n);
/* The i-th vector, of n reals, begins with these values: now or when it is handed out. Call it for
 * all vectors in their order. */
SofaErr sofa_mechanics_restore_vector(SofaMechanics *m, size_t i, size_t n, const double *values);

/* x_free and v_free, and the free positions and velocities of all states as views of them. */
SofaErr sofa_mechanics_want_free(SofaMechanics *m);

/* The point with a new identity. Make it when the main parts of x and v have their values; the
 * mapped parts may be propagated afterwards. */
SofaMechPoint sofa_mech_point(SofaMechanics *m, const double *x, const double *v, double time);

/* ---- operations; x, v, ... are whole vectors of this plan (mapped parts included) ---- */

/* f = 0; f += external forces, force fields (gravity), with own_damping (r_K K - r_M M) v of each
 * component with Rayleigh factors, then mappings bottom-up f_in += J^T f_out.
 * The mapped part of f must stay as long as the point is used: at->f is f from then on. */
SofaErr sofa_mech_compute_force(SofaMechanics *m, const SofaMechParams *p, SofaMechPoint *at,
                                double *f);
/* The same of the loads alone, without their factor: the derivative of the forces by it. */
SofaErr sofa_mech_compute_loads(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                                double *f);
/* What the plan multiplies the force of a field by. */
static inline double sofa_mech_load_factor(const SofaMechanics *m, const SofaForceField *ff) {
  return sofa_force_field_is_load(ff) ? m->load_factor : 1;
}
/* Where velocities v of the plan, or a state of another plan, hold those of a state. Visual models,
 * which mappings may have as inputs, have none and are at rest. */
static inline const double *sofa_mech_velocity_of(const SofaMechanics *m, const SofaState *s,
                                                  const double *v) {
  if (s->mechanics == m) return v + s->v_offset;
  return s->velocity.n == s->position.n ? s->velocity.data : m->outside_zero;
}
/* f_in += J^T f_out of every mapping that carries forces, children before parents. */
SofaErr sofa_mech_pull_back(SofaMechanics *m, const SofaMechPoint *at, double *f);
/* df (main part) += (m M + b B + k K) dx at the point, mapped parts through J^T (..) J. dx's mapped
 * part must be propagated (sofa_mech_propagate_dx); df's mapped part is reset first. */
SofaErr sofa_mech_add_mbk(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                          const double *dx, double *df);
/* The forces at the point, for geometric stiffness: at->f, else computed now. */
SofaErr sofa_mech_forces_at(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                            const double **f);
/* The part of forces f that changes its direction with a mapping: on its output, with the
 * constraint forces of the step before. Valid until the next call for the mapping. */
SofaErr sofa_mech_mapped_force(SofaMechanics *m, const SofaMapping *map, const double *f,
                               const double **out);
/* A force field's part of a point, good until the next call. */
SofaPoint sofa_mech_field_point(SofaMechanics *m, const SofaForceField *ff,
                                const SofaMechPoint *at);
/* The same of a mapping's inputs. */
SofaPoint sofa_mech_mapping_point(SofaMechanics *m, const SofaMapping *map,
                                  const SofaMechPoint *at);
/* Once per accepted step, at its end: the history of components moves to the point. */
SofaErr sofa_mech_accept(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at);
/* Square of a rounding error of the forces: |K d| for changes d of the size of the spacing of the
 * numbers of the positions, of any sign. */
SofaErr sofa_mech_rounding(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                           double *square);
/* P r: every projective constraint's response on the main states. */
SofaErr sofa_mech_project_response(SofaMechanics *m, const SofaMechParams *p, double *r);
/* The same of one constraint of the plan. */
SofaErr sofa_mech_project_one(SofaMechanics *m, SofaProjective *c, const SofaMechParams *p,
                              double *r);
SofaErr sofa_mech_project_position(SofaMechanics *m, const SofaMechParams *p, double *x);
/* Positions by those constraints alone that also hold their points in a solution. */
SofaErr sofa_mech_move_held(SofaMechanics *m, const SofaMechParams *p, double *x);
SofaErr sofa_mech_project_velocity(SofaMechanics *m, const SofaMechParams *p, double *v);
/* Mapped part from the main part, parents before children; x is that of the point, whose mapped
 * part is computed here. */
SofaErr sofa_mech_propagate_x(SofaMechanics *m, const SofaMechPoint *at, double *x);
/* The same of any deriv vector, with J at the point. */
SofaErr sofa_mech_propagate_dx(SofaMechanics *m, const SofaMechPoint *at, double *dx);
/* x += h v on the main states (exponential map for rotations). */
void sofa_mech_integrate_x(SofaMechanics *m, double h, const double *v, double *x);
/* res += factor M dx of the main parts, M at the point, J^T M J of masses below mappings among it.
 */
SofaErr sofa_mech_add_mdx(SofaMechanics *m, const SofaMechPoint *at, const double *dx,
                          double factor, double *res);
/* a = M^-1 f by diagonal masses at the point; 0 where there is none, and of mapped states. */
SofaErr sofa_mech_acc_from_f(SofaMechanics *m, const SofaMechPoint *at, const double *f, double *a);
/* The positions that the mass is taken at: its state's part of the point. */
const double *sofa_mech_mass_x(const SofaMechanics *m, const SofaMass *mass,
                               const SofaMechPoint *at);
bool sofa_mech_masses_diagonal(const SofaMechanics *m); /* and none below a mapping */
SofaErr sofa_mech_energies(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                           double *kinetic, double *potential);
/* Does every force field give its potential energy? */
bool sofa_mech_has_potential(const SofaMechanics *m);
/* v += g dt for masses with separateGravity. */
void sofa_mech_separate_gravity(SofaMechanics *m, double dt, double *v);
/* How far from the origin the points of a plan may be: of states of Vec1, and of all others. */
typedef struct SofaMechLimits {
  double flat, space;
} SofaMechLimits;
/* Are x and v of the main states finite, and all points within the limits? Otherwise reports the
 * first bad state and point. time: at the start of the step. */
SofaErr sofa_mech_check_states(const SofaMechanics *m, const SofaMechLimits *limits, double time);

/* The matrix m M + b B + k K of the non-mapped part is assembled with this: every component adds
 * its blocks; block row of point i of main state s: sofa_mech_block_row(s) + i. */
uint32_t sofa_mech_block_row(const SofaMechanics *m, const SofaState *state);
size_t sofa_mech_n_blocks(const SofaMechanics *m); /* points of all main states */

SOFA_END_DECLS

#endif
