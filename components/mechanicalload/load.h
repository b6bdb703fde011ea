/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What mechanical loads share: reading values whose length follows the kind of state, indices. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_LOAD_H
#define SOFA_COMPONENTS_MECHANICALLOAD_LOAD_H

#include "behavior/force_field.h"
#include "change/topology_change.h"

static inline const SofaStateKindInfo *load_kind(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->state[0]->object.kind);
}
static inline size_t load_n_points(const SofaForceField *ff) {
  return sofa_state_size(ff->state[0]);
}
/* Reals of a point's place that loads in space look at: all of a vector, the centre of a frame. */
static inline unsigned load_dims(const SofaForceField *ff) {
  const SofaStateKindInfo *info = load_kind(ff);
  return info->rigid ? info->space : info->coord;
}

/* A value of n reals: what the scene gives must have n numbers (a default is cut or padded with
 * zeros). With keep_going a wrong length is cut or padded too, as SOFA does. */
SofaErr load_take_value(const SofaObject *object, const char *field, SofaReals *value, size_t n);
/* Error naming the first index that is not a point of the state. */
SofaErr load_check_indices(const SofaForceField *ff, const char *field, const SofaIndices *indices);
/* The points [*first, *end) that localRange = a b selects: from a and to b where not negative. */
void load_range(const SofaInts *range, size_t n, size_t *first, size_t *end);

#endif
