/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What mechanical loads share: kinds, points and ranges of points. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_LOAD_H
#define SOFA_COMPONENTS_MECHANICALLOAD_LOAD_H

#include "behavior/checks.h"
#include "behavior/draw_state.h"
#include "behavior/force_field.h"
#include "change/topology_change.h"

static inline const SofaStateKindInfo *load_kind(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->state[0]->object.kind);
}
/* Has a force that does not change a potential? The torque on a frame has none. */
static inline bool load_is_conservative(const SofaForceField *ff) {
  return !load_kind(ff)->rigid;
}
static inline size_t load_n_points(const SofaForceField *ff) {
  return sofa_state_size(ff->state[0]);
}
/* Reals of a point's place that loads in space look at: all of a vector, the centre of a frame. */
static inline unsigned load_dims(const SofaForceField *ff) {
  const SofaStateKindInfo *info = load_kind(ff);
  return info->rigid ? info->space : info->coord;
}

/* The points [*first, *end) that localRange = a b selects: from a and to b where not negative. */
void load_range(const SofaInts *range, size_t n, size_t *first, size_t *end);

/* Arrows of forces: each has `scale` (m/N) times the length of its force; 0: a tenth of the scene
 * for the largest one. */
typedef struct LoadArrows {
  void (*force)(const SofaForceField *ff, size_t point, double *f); /* a deriv: at most 6 reals */
  size_t n;                                                         /* of points */
  double scale;
  SofaRgba color;
} LoadArrows;
/* Draws them at the points where the flags show force fields. */
void load_draw_arrows(const SofaForceField *ff, const SofaDrawArgs *args, const LoadArrows *arrows);

#endif
