/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states of constraints, projective and Lagrangian: links, kinds, creation. */
#ifndef SOFA_BEHAVIOR_CONSTRAINED_STATE_H
#define SOFA_BEHAVIOR_CONSTRAINED_STATE_H

#include "behavior/state.h"

SOFA_BEGIN_DECLS

/* A link to a mechanical state, by path alone. */
extern const SofaLinkRule sofa_constrained_state_rule;

/* Reports a state that is missing, or of another kind than the constraint's, which becomes NULL. */
SofaErr sofa_constrained_state_check(const SofaObject *object, SofaState **state);

/* SofaClass.can_create: needs a state of the template's kind, named by mstate or in context. */
bool sofa_constraint_can_create(SofaNode *node, const struct SofaElement *element,
                                const char *template_name, SofaText *why);
/* The same for pairs: states of the template's kind at object1 and at object2. */
bool sofa_pair_constraint_can_create(SofaNode *node, const struct SofaElement *element,
                                     const char *template_name, SofaText *why);

SOFA_END_DECLS

#endif
