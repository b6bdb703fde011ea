/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What mechanical loads share: ranges of points. */
#include "components/mechanicalload/load.h"

#include <math.h>

void load_range(const SofaInts *range, size_t n, size_t *first, size_t *end) {
  *first = 0;
  *end = n;
  if (range->n > 0 && range->data[0] >= 0) *first = (size_t)range->data[0];
  if (range->n > 1 && range->data[1] >= 0 && (size_t)range->data[1] + 1 < n)
    *end = (size_t)range->data[1] + 1;
  if (*first > *end) *first = *end;
}

/* ---- arrows ---- */

static double scale_of(const SofaForceField *ff, const SofaDrawArgs *args,
                       const LoadArrows *arrows) {
  double f[6], largest = 0, size = 0;
  if (arrows->scale > 0) return arrows->scale;
  for (int k = 0; k < 3; k++) size = fmax(size, args->box->max[k] - args->box->min[k]);
  for (size_t i = 0; i < arrows->n; i++) {
    arrows->force(ff, i, f);
    for (unsigned k = 0; k < load_kind(ff)->deriv; k++) largest = fmax(largest, fabs(f[k]));
  }
  return largest > 0 ? 0.1 * size / largest : 0;
}

static void draw_arrow(const SofaForceField *ff, const SofaDrawArgs *args, size_t point,
                       const double *f, SofaRgba color) {
  const unsigned space = load_kind(ff)->space < 3 ? load_kind(ff)->space : 3;
  double from[3], tip[3], length = 0;
  sofa_state_point(ff->state[0], point, from);
  sofa_state_point(ff->state[0], point, tip);
  for (unsigned k = 0; k < space; k++) {
    tip[k] += f[k];
    length += f[k] * f[k];
  }
  if (length > 0) sofa_draw_arrow(args->list, from, tip, 0.03 * sqrt(length), color);
}

void load_draw_arrows(const SofaForceField *ff, const SofaDrawArgs *args,
                      const LoadArrows *arrows) {
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS)) return;
  const double scale = scale_of(ff, args, arrows);
  for (size_t i = 0; i < arrows->n && i < ff->state[0]->position.n; i++) {
    double f[6];
    arrows->force(ff, i, f);
    for (unsigned k = 0; k < load_kind(ff)->deriv; k++) f[k] *= scale;
    draw_arrow(ff, args, i, f, arrows->color);
  }
}
