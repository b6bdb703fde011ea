/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projective constraints: the four projections of spec/solvers, section 11. */
#ifndef SOFA_BEHAVIOR_PROJECTIVE_H
#define SOFA_BEHAVIOR_PROJECTIVE_H

#include "behavior/params.h"
#include "behavior/state.h"
#include "math/block_matrix.h"

typedef struct SofaProjective {
  SofaObject object;
  SofaLink mstate;
  double end_time;  /* < 0: never ends; the caller of response, velocity, position looks at it */
  int group;        /* no effect, as in SOFA */
  SofaState *state; /* known from creation; NULL only when init failed */
} SofaProjective;

extern const SofaClass sofa_projective_class; /* abstract */

/* Marks scalar dofs that an assembled system discards (row and column zero, diagonal 1). */
typedef struct SofaDiscard {
  uint8_t *mask; /* one per scalar dof of the state */
  size_t n;
} SofaDiscard;

/* Each may be NULL: nothing to do. Arrays in the state's layout. */
typedef struct SofaProjectiveOps {
  SofaErr (*response)(SofaProjective *c, const SofaMechParams *params, double *dx);
  SofaErr (*velocity)(SofaProjective *c, const SofaMechParams *params, double *v);
  SofaErr (*position)(SofaProjective *c, const SofaMechParams *params, double *x);
  SofaErr (*discard)(SofaProjective *c, const SofaMechParams *params, SofaDiscard *discard);
} SofaProjectiveOps;

static inline const SofaProjectiveOps *sofa_projective_ops(const SofaProjective *c) {
  return (const SofaProjectiveOps *)sofa_ops(&c->object, SOFA_PROJECTIVE);
}
/* Takes the entries of *indices that are no point of the state away (the last entry moves to the
 * place of one taken, as SOFA does): an error, or with keep_going a warning, names the first. */
SofaErr sofa_projective_check_indices(SofaProjective *c, const char *field, SofaIndices *indices);
/* can_create: needs a state of the template's kind, named by mstate or in context. */
bool sofa_projective_can_create(SofaNode *node, const struct SofaElement *element,
                                const char *template_name, SofaText *why);

#endif
