/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Force fields: f(x, v) and its derivatives. The simplest example is plugins/. */
#ifndef SOFA_BEHAVIOR_FORCE_FIELD_H
#define SOFA_BEHAVIOR_FORCE_FIELD_H

#include "behavior/params.h"
#include "behavior/state.h"
#include "math/block_matrix.h"

extern const SofaInterface sofa_force_field_interface, sofa_interaction_interface;
#define SOFA_FORCE_FIELD (&sofa_force_field_interface)
#define SOFA_INTERACTION (&sofa_interaction_interface)

/* Base struct: one state (`mstate`), or two for interactions (`object1`, `object2`). */
typedef struct SofaForceField {
  SofaObject object;
  double rayleigh_stiffness;
  SofaLink mstate;           /* single-state force fields */
  SofaLink object1, object2; /* interactions */
  SofaState *state[2];       /* resolved at creation or init; [1] NULL for single-state ones */
  bool partial_tangent;      /* set at init: this object's matrix is not its add_dforce (or a
                                mass's not its add_mdx) after all */
} SofaForceField;

extern const SofaClass sofa_force_field_class;             /* abstract: links mstate */
extern const SofaClass sofa_interaction_force_field_class; /* abstract: links object1, object2 */

/* Arguments of the operations: flat arrays of the field's state(s), in the state's layout
 * (n * coord reals for x, n * deriv for the others). Index 1 only for interactions. They need not
 * be the state's own vectors: solvers evaluate at trial states. */
typedef struct SofaForceArgs {
  const double *x[2], *v[2];
  double *f[2];
} SofaForceArgs;
typedef struct SofaDForceArgs {
  const double *x[2], *dx[2];
  double *df[2];
} SofaDForceArgs;

/* Receiver of the matrix of one force field: see sofa_tangent_add below. */
typedef struct SofaTangent {
  SofaBlockMatrix *matrix[2][2];    /* of the pair (row state, column state); NULL: drop */
  uint32_t row[2][2], column[2][2]; /* first block row and column of the pair */
  double factor;                    /* multiplies every block */
} SofaTangent;

/* Adds factor * block at point i of state a (rows), point j of state b (columns).
 * block: deriv(a) x deriv(b) reals, row major. Call in the same order at every assembly: slots are
 * recorded at the first one and replayed without a search. */
static inline void sofa_tangent_add(const SofaTangent *t, int a, uint32_t i, int b, uint32_t j,
                                    const double *block) {
  if (t->matrix[a][b])
    sofa_block_matrix_add(t->matrix[a][b], t->row[a][b] + i, t->column[a][b] + j, block, t->factor);
}

typedef struct SofaForceFieldOps {
  /* required: f += F(x, v). Keeps what the derivatives need (rotations, ...). */
  SofaErr (*add_force)(SofaForceField *ff, const SofaMechParams *params, const SofaForceArgs *args);
  /* optional (default: no stiffness): df += kf dF/dx dx + bf dF/dv dx with kf = sofa_kfactor(ff,
   * params) and bf = params->b, at the state of the last add_force. */
  SofaErr (*add_dforce)(SofaForceField *ff, const SofaMechParams *params,
                        const SofaDForceArgs *args);
  /* optional: adds dF/dx (the tangent's factor holds kf). */
  SofaErr (*add_k)(SofaForceField *ff, const SofaMechParams *params, const SofaTangent *tangent);
  /* optional: adds dF/dv. */
  SofaErr (*add_b)(SofaForceField *ff, const SofaMechParams *params, const SofaTangent *tangent);
  /* optional: potential energy [J] at x; sets *energy. */
  SofaErr (*potential_energy)(SofaForceField *ff, const SofaMechParams *params,
                              const SofaForceArgs *args, double *energy);
  /* add_k + add_b give the very operator of add_dforce: a solver may then assemble once and apply
   * the matrix instead of calling add_dforce in every iteration. */
  bool tangent_is_dforce;
} SofaForceFieldOps;

static inline const SofaForceFieldOps *sofa_force_field_ops(const SofaForceField *ff) {
  return (const SofaForceFieldOps *)sofa_ops(&ff->object, SOFA_FORCE_FIELD);
}
/* k + r * rayleighStiffness of the component: what multiplies its dF/dx. */
static inline double sofa_kfactor(const SofaForceField *ff, const SofaMechParams *params) {
  return params->k + params->r * ff->rayleigh_stiffness;
}
/* can_create for force fields and masses: needs a state of the template's kind in context. */
bool sofa_force_field_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why);
/* The same for interactions: states of the template's kind at object1 and at object2. */
bool sofa_interaction_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why);

#endif
