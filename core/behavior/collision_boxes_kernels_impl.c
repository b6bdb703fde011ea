/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes of elements, compiled once per instruction set with KERNELS_ISA naming it. */
#include "behavior/collision_boxes_kernels_impl.h"

#include "math/point_register_impl.h"

/* Where the points of an element are: now and, unless it is NULL, at the end. */
typedef struct Places {
  const double *x, *x_end;
  const uint32_t *corners; /* NULL: element i is point i */
  size_t width;
} Places;

#define GROW(p)                                                                                    \
  do {                                                                                             \
    const Quad at = POINT(p);                                                                      \
    low = LEAST(at, low);                                                                          \
    high = GREATEST(at, high);                                                                     \
  } while (0)

/* n: corners of an element, a constant of the caller where it is often used. */
ALWAYS void box_of(const Places *s, size_t n, size_t i, double margin, double *box) {
  const uint32_t *corner = s->corners ? s->corners + n * i : NULL;
  const size_t first = (corner ? corner[0] : i) * s->width;
  Quad low = POINT(s->x + first), high = low;
  if (s->x_end) GROW(s->x_end + first);
  for (size_t k = 1; k < n; k++) {
    const size_t p = corner[k] * s->width;
    GROW(s->x + p);
    if (s->x_end) GROW(s->x_end + p);
  }
  const Quad skin = {margin, margin, margin, margin};
  low = low - skin;
  high = high + skin;
  PUT(low, box);
  PUT(high, box + 3);
}

ALWAYS void boxes_of(const SofaCollisionModel *m, const Places *s, size_t n, size_t begin,
                     size_t end, double *boxes) {
  const double distance = m->contact_distance;
  for (size_t i = begin; i < end; i++)
    box_of(s, n, i, m->radius ? distance + m->radius[i] : distance, boxes + 6 * i);
}

SofaCollisionBoxes CAT(sofa_collision_boxes_, KERNELS_ISA);
void CAT(sofa_collision_boxes_, KERNELS_ISA)(const SofaCollisionModel *m, const double *x_end,
                                             size_t begin, size_t end, double *boxes) {
  const SofaCoords *x = &m->state->position;
  const Places s = {x->data, x_end, m->corners, x->width};
  switch (m->kind->corners) {
  case 1:
    boxes_of(m, &s, 1, begin, end, boxes);
    return;
  case 2:
    boxes_of(m, &s, 2, begin, end, boxes);
    return;
  case 3:
    boxes_of(m, &s, 3, begin, end, boxes);
    return;
  default:
    boxes_of(m, &s, m->kind->corners, begin, end, boxes);
    return;
  }
}
