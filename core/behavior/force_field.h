/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Force fields: f(x, v) and its derivatives. The simplest example is plugins/. */
#ifndef SOFA_BEHAVIOR_FORCE_FIELD_H
#define SOFA_BEHAVIOR_FORCE_FIELD_H

#include "behavior/params.h"
#include "behavior/point.h"
#include "behavior/state.h"
#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_force_field_interface, sofa_interaction_interface;
#define SOFA_FORCE_FIELD (&sofa_force_field_interface)
#define SOFA_INTERACTION (&sofa_interaction_interface)

/* Base struct: one state (`mstate`), two for interactions (`object1`, `object2`), or any number
 * (`states`). */
typedef struct SofaForceField {
  SofaObject object;
  const struct SofaForceFieldOps *ops; /* of the class */
  const struct SofaMassOps *mass_ops;  /* NULL: not a mass */
  double rayleigh_stiffness;
  SofaLink mstate;           /* single-state force fields */
  SofaLink object1, object2; /* interactions */
  SofaLinks states;          /* force fields of any number of states */
  SofaState **state;         /* n_states of them, resolved at creation or init, then NULL; there are
                                at least two places: state[1] of a single-state field is NULL */
  size_t n_states;
  SofaState *few_states[3]; /* `state` of up to two */
  uint64_t kept_point;      /* identity of the point that the kept data belongs to; 0: of none */
  bool partial_tangent;     /* set at init: this object's matrix is not the operator of its
                               add_dforce (of a mass: add_mdx) */
  bool dead_load;           /* a load that no load factor multiplies; set by the solver */
} SofaForceField;

extern const SofaClass sofa_force_field_class;             /* abstract: links mstate */
enum { SOFA_QUIRK_INTERACTION_RAYLEIGH = 1 << 29 };        /* of all interactions */
extern const SofaClass sofa_interaction_force_field_class; /* abstract: links object1, object2 */
/* abstract: links `states`, of which there must be n_states, as the class's construct sets it */
extern const SofaClass sofa_multi_force_field_class;

/* For classes with more than two states: room for n states, all NULL. A class that is not based on
 * the last one fills `state` in its init. */
SofaErr sofa_force_field_set_n_states(SofaForceField *ff, size_t n);

/* Where the blocks of a pair (row state, column state) go. */
typedef struct SofaTangentPair {
  SofaBlockMatrix *matrix; /* NULL: drop */
  uint32_t row, column;    /* first block row and column */
} SofaTangentPair;

/* Receiver of the matrix of one force field: see sofa_tangent_add below. */
typedef struct SofaTangent {
  const SofaTangentPair *pairs; /* n * n, row by row */
  size_t n;                     /* number of states */
  double factor;                /* multiplies every block */
  bool by_points;               /* blocks of rows from n_owned on are dropped: those of points that
                                   other processes own */
  size_t n_owned;
} SofaTangent;

static inline const SofaTangentPair *sofa_tangent_pair(const SofaTangent *t, size_t a, size_t b) {
  return &t->pairs[a * t->n + b];
}

/* Adds factor * block at point i of state a (rows), point j of state b (columns).
 * block: deriv(a) x deriv(b) reals, row major. Call in the same order at every assembly: slots are
 * recorded at the first one and replayed without a search. */
static inline void sofa_tangent_add(const SofaTangent *t, int a, uint32_t i, int b, uint32_t j,
                                    const double *block) {
  const SofaTangentPair *pair = sofa_tangent_pair(t, (size_t)a, (size_t)b);
  if (pair->matrix && !(t->by_points && i >= t->n_owned))
    sofa_block_matrix_add(pair->matrix, pair->row + i, pair->column + j, block, t->factor);
}

/* What the derivatives of a class leave out on purpose; static data. */
typedef struct SofaApproximation {
  const char *why; /* a sentence without its period, for reports */
  bool of_energy;  /* the force is not minus the gradient of the energy, for the same reason */
} SofaApproximation;

/* The operations are functions of the point `at`: at->x[k], at->v[k] are those of state k, in the
 * state's layout, and seldom the state's own vectors. f, dx, df: one vector per state, n * deriv
 * reals. Call them through the functions below, which ensure that kept data belongs to the point.
 * Only accept may change the results of later evaluations. */
typedef struct SofaForceFieldOps {
  /* required: f += F(x, v) */
  SofaErr (*add_force)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                       double *const *f);
  /* optional (default: no stiffness): df += kf dF/dx dx + bf dF/dv dx with kf = sofa_kfactor(ff,
   * params) and bf = params->b */
  SofaErr (*add_dforce)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                        const double *const *dx, double *const *df);
  /* optional: adds dF/dx (the tangent's factor holds kf) */
  SofaErr (*add_k)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                   const SofaTangent *tangent);
  /* optional: adds dF/dv */
  SofaErr (*add_b)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                   const SofaTangent *tangent);
  /* optional: potential energy [J]; sets *energy */
  SofaErr (*potential_energy)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy);
  /* optional: is the force minus the gradient of that energy, as the object is set? Default: yes */
  bool (*conservative)(const SofaForceField *ff);
  /* optional: what add_dforce leaves out of the derivative of the force, as the object is set;
   * NULL, and without it: nothing */
  const SofaApproximation *(*approximation)(const SofaForceField *ff);
  /* optional, with keeps_point: computes what the derivatives keep of a point; without it add_force
   * is run for that and its force is discarded */
  SofaErr (*linearise)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at);
  /* optional: moves the history (an accumulated angle, plastic strain, a broken spring) to the
   * point at the end of a step; called once per accepted step, never at a trial */
  SofaErr (*accept)(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at);
  /* optional, with a history: sets *energy to what accept has dissipated since the start, J; false:
   * the object, as it is, has no history */
  bool (*dissipated)(const SofaForceField *ff, double *energy);
  /* optional (default: no): are dF/dx and dF/dv, as the object is set, the same at every point and
   * for all parameters? They may then change only with sofa_object_changed, and a matrix that was
   * assembled of them is kept until then. */
  bool (*constant_tangent)(const SofaForceField *ff);
  /* add_k + add_b give the exact operator of add_dforce: a solver may then assemble once and apply
   * the matrix instead of calling add_dforce in every iteration. */
  bool tangent_is_dforce;
  /* the derivatives use what add_force, or linearise, kept of its point */
  bool keeps_point;
  /* an external load, which solvers that follow a path of loads multiply by their load factor */
  bool is_load;
  /* of classes that are divided by points: potential_energy is that of the points which this
   * process owns (sofa_state_n_owned) */
  bool own_points;
} SofaForceFieldOps;

static inline const SofaForceFieldOps *sofa_force_field_ops(const SofaForceField *ff) {
  return ff->ops;
}

/* ---- called by mechanics, assembly and tests: missing operations do nothing ---- */

SofaErr sofa_force_field_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *f);
/* The derivatives at any point: data that was kept of another one is computed again first. */
SofaErr sofa_force_field_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *dx,
                                    double *const *df);
SofaErr sofa_force_field_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent);
SofaErr sofa_force_field_add_b(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent);
SofaErr sofa_force_field_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                          const SofaPoint *at, double *energy);
/* Has the force a potential energy? Forces of velocity have one that is zero. */
bool sofa_force_field_has_energy(const SofaForceField *ff);
/* What its derivatives leave out; NULL: nothing. */
const SofaApproximation *sofa_force_field_approximation(const SofaForceField *ff);
SofaErr sofa_force_field_accept(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at);
/* The energy that the force field has dissipated; false: it has no history, and *energy is 0. */
bool sofa_force_field_dissipated(const SofaForceField *ff, double *energy);
/* The point of the states' own vectors; its arrays are in the context's scratch memory, which the
 * caller releases. */
SofaErr sofa_force_field_state_point(const SofaForceField *ff, double time, SofaPoint *out);
/* f[k] += the force at the point of the states' own vectors, for interactions above the solvers:
 * with the component's own Rayleigh damping rayleighStiffness K v. */
SofaErr sofa_interaction_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   double *const *f);
/* Are all n_states there? Reports the first that is missing; a field without any passes. */
SofaErr sofa_force_field_check_states(const SofaForceField *ff);
/* Invalidates the kept data of a point: parameters or the topology changed. */
static inline void sofa_force_field_forget_point(SofaForceField *ff) {
  ff->kept_point = 0;
}

/* k + r * rayleighStiffness of the component: the factor of its dF/dx. */
static inline double sofa_kfactor(const SofaForceField *ff, const SofaMechParams *params) {
  return params->k + params->r * ff->rayleigh_stiffness;
}
/* Does a load factor multiply its force? */
static inline bool sofa_force_field_is_load(const SofaForceField *ff) {
  return ff->ops->is_load && !ff->dead_load;
}
/* can_create for force fields and masses: needs a state of the template's kind in context. */
bool sofa_force_field_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why);
/* The same for interactions: states of the template's kind at object1 and at object2. */
bool sofa_interaction_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why);

SOFA_END_DECLS

#endif
