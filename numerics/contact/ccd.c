/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All parameters of boxes are multiples of 2^-50 in [0, 1]: t and 1 - t are exact.
 * Rounding: with E_j the largest magnitude of the difference e_j at both times, and one unit
 * h = 2^-53: e_j(t) = (1 - t) e_j(0) + t e_j(1) is off by 3 h E_j, its products with u or v by 4 h
 * E_j, and the sums add 4 h (E_0 + E_1 + E_2): at most 8 h (E_0 + E_1 + E_2). The component along a
 * direction is a dot product of 3 terms, which adds 3 h times the sum of its terms' magnitudes. 16
 * h covers both, and the rounding of the bound itself. */
#include "numerics/contact/ccd.h"

#include <float.h>
#include <math.h>

#include "math/vec.h"
#include "numerics/contact/closest.h"

#define ROUNDING (16 * 0x1p-53)
#define SAFETY (1 + 16 * 0x1p-53) /* of a bound computed with a few roundings */
#define GRID 0x1p50
#define FINEST 0x1p-46 /* boxes of this size are not halved */

enum { LANES = 4 }; /* x, y, z, and along a direction */

/* F = e0 + u e1 + v e2, each linear in t */
typedef struct Motion {
  double e[3][2][LANES]; /* at t = 0 and 1 */
  double error[LANES];   /* bound of the rounding errors of F */
  double reach[LANES];   /* |F| up to which a component may be a collision */
  double near2, inside2; /* squares: hulls farther than the first are free, within the second hit */
  double speed[3];       /* largest derivative of a coordinate of F by t, u, v */
  double separation, tolerance;
  bool triangle; /* u + v <= 1 */
} Motion;

/* fmin and fmax are calls where NaN must be kept out */
static inline double smaller(double a, double b) {
  return a < b ? a : b;
}
static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* ---- the motion ---- */

static void differences(const SofaCcdQuery *q, Motion *m) {
  /* first and second point of e0, e1, e2 */
  static const uint8_t points[2][3][2] = {{{0, 1}, {1, 2}, {1, 3}}, {{0, 2}, {1, 0}, {2, 3}}};
  for (int j = 0; j < 3; j++) {
    const uint8_t *p = points[q->kind][j];
    for (int k = 0; k < 3; k++) {
      m->e[j][0][k] = q->start[p[0]][k] - q->start[p[1]][k];
      m->e[j][1][k] = q->end[p[0]][k] - q->end[p[1]][k];
    }
  }
  m->triangle = q->kind == SOFA_CCD_POINT_TRIANGLE;
}

/* Largest magnitudes per lane, added; the lane of the direction n from those of the coordinates. */
static void bound_errors(Motion *m, const double *n) {
  double along = 0;
  for (int k = 0; k < 3; k++) {
    double size = 0;
    for (int j = 0; j < 3; j++) size += larger(fabs(m->e[j][0][k]), fabs(m->e[j][1][k]));
    m->error[k] = ROUNDING * size + DBL_MIN;
    along += fabs(n[k]) * size;
  }
  m->error[3] = ROUNDING * along + DBL_MIN;
}

static void add_direction(Motion *m, const double *n) {
  for (int j = 0; j < 3; j++) {
    for (int end = 0; end < 2; end++) m->e[j][end][3] = sofa_vec3_dot(n, m->e[j][end]);
  }
}

static void bound_speeds(Motion *m) {
  double rate[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    double d[3];
    for (int j = 0; j < 3; j++) {
      d[j] = m->e[j][1][k] - m->e[j][0][k];
      if (j) rate[j] = larger(rate[j], larger(fabs(m->e[j][0][k]), fabs(m->e[j][1][k])));
    }
    const double both = m->triangle ? 0 : d[1] + d[2];
    const double up = larger(larger(0, both), larger(d[1], d[2]));
    const double down = smaller(smaller(0, both), smaller(d[1], d[2]));
    rate[0] = larger(rate[0], larger(fabs(d[0] + up), fabs(d[0] + down)));
  }
  for (int j = 0; j < 3; j++) m->speed[j] = rate[j];
}

static void motion_set(Motion *m, const SofaCcdQuery *q, const SofaCcdOptions *o, const double *n) {
  differences(q, m);
  add_direction(m, n);
  bound_errors(m, n);
  bound_speeds(m);
  const double length = sofa_vec3_norm(n);
  double error = 0;
  for (int k = 0; k < LANES; k++) {
    m->reach[k] = (o->separation * (k < 3 ? 1 : length) + m->error[k]) * SAFETY;
    if (k < 3) error = larger(error, m->error[k]);
  }
  m->near2 = o->separation * o->separation * SAFETY;
  m->inside2 = (o->separation + error) * (o->separation + error);
  m->separation = o->separation;
  m->tolerance = o->tolerance;
}

/* ---- boxes ---- */

/* hull of F over u and v at one time */
typedef struct Hull {
  double low[LANES], high[LANES];
} Hull;

static inline Hull hull_at(const Motion *m, const SofaCcdBox *b, double t) {
  const double u = b->low[1], v = b->low[2], du = b->high[1] - u, dv = b->high[2] - v;
  const double s = 1 - t;
  double base[LANES], a[LANES], c[LANES];
  Hull h;
  for (int k = 0; k < LANES; k++) {
    const double e1 = s * m->e[1][0][k] + t * m->e[1][1][k];
    const double e2 = s * m->e[2][0][k] + t * m->e[2][1][k];
    base[k] = s * m->e[0][0][k] + t * m->e[0][1][k] + u * e1 + v * e2;
    a[k] = du * e1;
    c[k] = dv * e2;
  }
  if (m->triangle && u + b->high[2] >= 1 && v + b->high[1] >= 1) { /* three corners */
    for (int k = 0; k < LANES; k++) {
      h.low[k] = base[k] + smaller(smaller(a[k], c[k]), 0);
      h.high[k] = base[k] + larger(larger(a[k], c[k]), 0);
    }
  } else {
    for (int k = 0; k < LANES; k++) {
      h.low[k] = base[k] + (smaller(a[k], 0) + smaller(c[k], 0));
      h.high[k] = base[k] + (larger(a[k], 0) + larger(c[k], 0));
    }
  }
  return h;
}

/* largest multiple of the grid that is not above t >= 0 */
static double grid_down(double t) {
  return (double)(int64_t)(t * GRID) / GRID;
}
/* least and largest value of a component on a side of a box */
typedef struct Range {
  double low, high;
} Range;

/* The share of the way from one range to another in which values stay beyond reach: 0 when the
 * first is within reach, 2 when all are beyond it on the same side. */
static inline double free_share(Range from, Range to, double reach) {
  const double above = from.low - reach, below = -from.high - reach;
  const double gap = above > 0 ? above : below;
  if (!(gap > 0)) return 0;
  const double change = above > 0 ? from.low - to.low : to.high - from.high;
  return change < gap ? 2 : gap / change * (1 - 8 * 0x1p-53);
}

/* The largest share of all components. */
static double share_of_hulls(const Motion *m, const Hull *from, const Hull *to) {
  double share = 0;
  for (int k = 0; k < LANES; k++) {
    const Range a = {from->low[k], from->high[k]}, b = {to->low[k], to->high[k]};
    share = larger(share, free_share(a, b, m->reach[k]));
  }
  return share;
}

/* Removes shares at both ends of a parameter. */
static bool cut(SofaCcdBox *b, int side, double first, double last) {
  if (first > 1) return false;
  const double width = b->high[side] - b->low[side];
  b->low[side] += grid_down(first * width);
  b->high[side] -= grid_down(last * width);
  return b->low[side] <= b->high[side];
}

/* Removes the times at both ends at which a component is beyond reach. False: all of them are. */
static bool shorten(const Motion *m, SofaCcdBox *b, const Hull *h) {
  const double first = share_of_hulls(m, &h[0], &h[1]);
  return cut(b, 0, first, first > 1 ? 0 : share_of_hulls(m, &h[1], &h[0]));
}

/* Squares of the least and the largest distance from the origin to the hull of both times. */
static bool far_or_inside(const Motion *m, const Hull *h, SofaCcdBox *b) {
  double near2 = 0, far2 = 0, side = 0;
  for (int k = 0; k < 3; k++) {
    const double low = smaller(h[0].low[k], h[1].low[k]), high = larger(h[0].high[k], h[1].high[k]);
    const double gap = larger(0, larger(low, -high) - m->error[k]), most = larger(-low, high);
    near2 += gap * gap;
    far2 += most * most;
    side = larger(side, high - low);
  }
  b->accepted = side <= m->tolerance || far2 <= m->inside2;
  return m->near2 > 0 && near2 > m->near2;
}

/* Is there a collision in the box? It shrinks to where one may be. */
static bool examine(const Motion *m, SofaCcdBox *b) {
  if (m->triangle) {
    if (b->low[1] + b->low[2] > 1) return false;
    b->high[1] = smaller(b->high[1], 1 - b->low[2]);
    b->high[2] = smaller(b->high[2], 1 - b->low[1]);
  }
  const Hull h[2] = {hull_at(m, b, b->low[0]), hull_at(m, b, b->high[0])};
  return !far_or_inside(m, h, b) && shorten(m, b, h);
}

/* Directions along which F changes with one parameter only, to first order in the middle of the
 * box: cross products of its derivatives, the rows of the inverse of the Jacobian up to a factor.
 */
static void directions(const Motion *m, const SofaCcdBox *b, double n[3][3]) {
  double middle[3], d[3][3];
  for (int j = 0; j < 3; j++) middle[j] = 0.5 * (b->low[j] + b->high[j]);
  const double t = middle[0], s = 1 - t;
  for (int k = 0; k < 3; k++) {
    d[0][k] = m->e[0][1][k] - m->e[0][0][k];
    for (int j = 1; j < 3; j++) {
      d[0][k] += middle[j] * (m->e[j][1][k] - m->e[j][0][k]);
      d[j][k] = s * m->e[j][0][k] + t * m->e[j][1][k];
    }
  }
  for (int j = 0; j < 3; j++) sofa_vec3_cross(d[(j + 1) % 3], d[(j + 2) % 3], n[j]);
}

/* Ranges of n . F on both sides of the box in a parameter, as the hull of the corners. */
static void ranges_along(const Motion *m, const SofaCcdBox *b, const double *n, int side,
                         Range range[2]) {
  double g[3][2];
  for (int j = 0; j < 3; j++) {
    for (int end = 0; end < 2; end++) g[j][end] = sofa_vec3_dot(n, m->e[j][end]);
  }
  for (int end = 0; end < 2; end++) range[end] = (Range){INFINITY, -INFINITY};
  for (int corner = 0; corner < 8; corner++) {
    const double t = corner & 1 ? b->high[0] : b->low[0], s = 1 - t;
    const double u = corner & 2 ? b->high[1] : b->low[1], v = corner & 4 ? b->high[2] : b->low[2];
    const double f = (s * g[0][0] + t * g[0][1]) + u * (s * g[1][0] + t * g[1][1]) +
                     v * (s * g[2][0] + t * g[2][1]);
    Range *r = &range[corner >> side & 1];
    r->low = smaller(r->low, f);
    r->high = larger(r->high, f);
  }
}

/* Shortens all sides of the box by the components of F that depend on one of them most: a step of
 * interval Newton. False: there is no collision in it. */
static bool contract(const Motion *m, SofaCcdBox *b) {
  const SofaCcdBox whole = *b;
  double n[3][3];
  directions(m, &whole, n);
  for (int side = 0; side < 3; side++) {
    Range r[2];
    double error = DBL_MIN;
    for (int k = 0; k < 3; k++) error += fabs(n[side][k]) * m->error[k];
    const double separation = m->separation > 0 ? m->separation * sofa_vec3_norm(n[side]) : 0;
    const double reach = (separation + error) * SAFETY;
    ranges_along(m, &whole, n[side], side, r);
    if (!cut(b, side, free_share(r[0], r[1], reach), free_share(r[1], r[0], reach))) return false;
  }
  return true;
}

static double volume(const SofaCcdBox *b) {
  double v = 1;
  for (int j = 0; j < 3; j++) v *= larger(b->high[j] - b->low[j], FINEST);
  return v;
}

/* The parameter along which F changes most in the box; -1: all sides are at their finest. */
static int side_to_halve(const Motion *m, const SofaCcdBox *b) {
  int side = -1;
  double most = -1;
  for (int j = 0; j < 3; j++) {
    const double width = b->high[j] - b->low[j];
    if (width <= FINEST || m->speed[j] * width <= most) continue;
    most = m->speed[j] * width;
    side = j;
  }
  return side;
}

/* ---- the queue: a heap by the earliest time; of equal ones, the box that was halved most ---- */

static bool before(const SofaCcdBox *a, const SofaCcdBox *b) {
  if (a->low[0] != b->low[0]) return a->low[0] < b->low[0];
  return a->halvings > b->halvings;
}

static void heap_push(SofaCcdBox *heap, uint32_t n, const SofaCcdBox *b) {
  uint32_t at = n;
  while (at > 0 && before(b, &heap[(at - 1) / 2])) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = *b;
}
/* Takes the first of n boxes. */
static SofaCcdBox heap_pop(SofaCcdBox *heap, uint32_t n) {
  const SofaCcdBox first = heap[0], last = heap[n - 1];
  uint32_t at = 0;
  for (uint32_t child = 1; child < n - 1; child = 2 * at + 1) {
    if (child + 1 < n - 1 && before(&heap[child + 1], &heap[child])) child++;
    if (!before(&heap[child], &last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}

/* ---- the search ---- */

typedef struct Search {
  const Motion *motion;
  SofaCcdBox *heap;
  uint32_t count;
  double bound; /* earliest time of a box that found no place */
} Search;

static void search_push(Search *s, SofaCcdBox *b) {
  if (!examine(s->motion, b)) return;
  if (s->count < SOFA_CCD_QUEUE) heap_push(s->heap, s->count++, b);
  else s->bound = smaller(s->bound, b->low[0]);
}

/* What is left of a box, or its halves if that is most of it; false: it is too small. */
static bool search_divide(Search *s, SofaCcdBox *b) {
  const double before = volume(b);
  if (!contract(s->motion, b)) return true;
  if (volume(b) <= 0.5 * before) {
    b->halvings++;
    search_push(s, b);
    return true;
  }
  const int side = side_to_halve(s->motion, b);
  if (side < 0) return false;
  SofaCcdBox low = *b, high = *b;
  low.high[side] = high.low[side] = grid_down(0.5 * (b->low[side] + b->high[side]));
  low.halvings = high.halvings = b->halvings + 1;
  search_push(s, &low);
  search_push(s, &high);
  return true;
}

static SofaCcdResult search(Search *s, const SofaCcdOptions *o) {
  SofaCcdResult r = {.complete = true, .time = o->until};
  while (s->count > 0) {
    SofaCcdBox b = heap_pop(s->heap, s->count--);
    if (b.low[0] >= s->bound) break;
    if (b.low[0] >= o->until && o->until < 1) return r;
    if (b.accepted || r.boxes >= o->max_boxes || !search_divide(s, &b)) {
      r.hit = true;
      r.complete = b.accepted || r.boxes < o->max_boxes;
      r.time = b.low[0];
      return r;
    }
    r.boxes++;
  }
  if (s->bound <= 1 && (s->bound < o->until || o->until >= 1)) {
    r.hit = true;
    r.complete = false;
    r.time = s->bound;
  }
  return r;
}

/* ---- queries ---- */

static void closest_of(const SofaCcdQuery *q, SofaClosest *c) {
  const double *const *x = q->start;
  if (q->kind == SOFA_CCD_POINT_TRIANGLE) sofa_closest_point_triangle(x[0], x + 1, c);
  else sofa_closest_segments(x, x + 2, c);
}

static SofaCcdResult run(const SofaCcdQuery *q, const SofaCcdOptions *o, const SofaClosest *c,
                         SofaCcdWork *work) {
  Motion m;
  double n[3];
  sofa_vec3_copy(c->r, n);
  sofa_vec3_normalize(n);
  motion_set(&m, q, o, n);
  Search s = {&m, work->box, 0, INFINITY};
  SofaCcdBox all = {.low = {0, 0, 0}, .high = {1, 1, 1}};
  search_push(&s, &all);
  return search(&s, o);
}

SofaCcdResult sofa_ccd(const SofaCcdQuery *query, const SofaCcdOptions *options,
                       SofaCcdWork *work) {
  SofaClosest c;
  closest_of(query, &c);
  return run(query, options, &c, work);
}

double sofa_ccd_step(const SofaCcdMotion *motion, const SofaCcdPair *pairs, size_t n,
                     const SofaCcdStepRule *rule, SofaCcdWork *work) {
  double step = 1;
  for (size_t i = 0; i < n; i++) {
    SofaCcdQuery q = {.kind = pairs[i].kind};
    for (int k = 0; k < 4; k++) {
      q.start[k] = motion->start + 3 * (size_t)pairs[i].point[k];
      q.end[k] = motion->end + 3 * (size_t)pairs[i].point[k];
    }
    SofaClosest c;
    closest_of(&q, &c);
    const double room = larger(0, sqrt(c.d2) - rule->separation);
    const SofaCcdOptions o = {
        .separation = rule->separation + rule->keep * room,
        .tolerance = smaller(rule->tolerance, 0.25 * (1 - rule->keep) * room),
        .until = step,
        .max_boxes = rule->max_boxes,
    };
    const SofaCcdResult r = run(&q, &o, &c, work);
    if (r.hit) step = smaller(step, r.time);
  }
  return step;
}
