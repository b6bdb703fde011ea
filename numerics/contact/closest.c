/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common cases have few branches and no scaling; where a determinant vanishes, underflows or
 * overflows, the pair is moved to the origin, scaled by a power of two, and its parts are tried. */
#include "numerics/contact/closest.h"

#include "math/vec.h"
#include "numerics/contact/exact.h"

#define LEAST 1e-280 /* squares and determinants outside of these bounds take the careful way */
#define MOST 1e280
#define SLIVER 1e-8 /* square of the sine of an angle below which a normal is not accurate */

static inline bool usual(double x) {
  return x > LEAST && x < MOST;
}

/* ---- results ---- */

/* q of a point p and its r */
static inline void finish_point(const double *p, SofaClosest *c) {
  sofa_vec3_copy(p, c->p);
  sofa_vec3_add(p, c->r, c->q);
  c->d2 = sofa_vec3_norm2(c->r);
}
static inline void set_weights(SofaClosest *c, double w0, double w1, double w2, double w3) {
  c->w[0] = w0;
  c->w[1] = w1;
  c->w[2] = w2;
  c->w[3] = w3;
}

void sofa_closest_points(const double *p, const double *q, SofaClosest *out) {
  set_weights(out, 1, 1, 0, 0);
  sofa_vec3_sub(q, p, out->r);
  finish_point(p, out);
  sofa_vec3_copy(q, out->q);
  out->region = 3;
}

/* ---- point and segment ---- */

/* power of two that brings the largest magnitude of n numbers to 1/2 .. 1; 1 when all are 0 */
static double scale_of(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  int exponent = 0;
  if (most > 0) frexp(most, &exponent);
  return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* p - a, of the foot of p on the segment: *num / *den along ab, or beyond an end */
static inline void foot(const double *ap, const double *ab, double *num, double *den) {
  *num = sofa_vec3_dot(ap, ab);
  *den = sofa_vec3_norm2(ab);
  if (usual(*den) && fabs(*num) < MOST) return;
  double unit[3];
  sofa_vec3_scale(scale_of(ab, 3), ab, unit);
  *num = sofa_vec3_dot(ap, unit);
  *den = sofa_vec3_dot(ab, unit);
}
/* weight of b, and the region of the two points */
static inline unsigned weight_along(double num, double den, double *weight) {
  *weight = num > 0 ? (num < den ? num / den : 1) : 0;
  if (!(num > 0 && den > 0)) {
    *weight = 0;
    return 1;
  }
  return num < den ? 3 : 2;
}

void sofa_closest_point_segment(const double *p, const double *a, const double *b,
                                SofaClosest *out) {
  double ap[3], ab[3], num, den, t;
  sofa_vec3_sub(p, a, ap);
  sofa_vec3_sub(b, a, ab);
  foot(ap, ab, &num, &den);
  out->region = 1 | weight_along(num, den, &t) << 1;
  set_weights(out, 1, 1 - t, t, 0);
  for (int k = 0; k < 3; k++) out->r[k] = t < 1 ? t * ab[k] - ap[k] : b[k] - p[k];
  finish_point(p, out);
}

/* ---- point and triangle ---- */

/* the triangle from the point p at the origin: corners minus p, edges from the first corner, normal
 */
typedef struct Fan {
  double a[3], b[3], c[3], ab[3], ac[3], n[3];
  double n2;
} Fan;

static inline void fan_edges(Fan *f) {
  sofa_vec3_sub(f->b, f->a, f->ab);
  sofa_vec3_sub(f->c, f->a, f->ac);
  sofa_vec3_cross(f->ab, f->ac, f->n);
  f->n2 = sofa_vec3_norm2(f->n);
}

static inline double triple_with(const double *n, const double *a, const double *b) {
  double m[3];
  sofa_vec3_cross(a, b, m);
  return sofa_vec3_dot(n, m);
}

/* foot of the origin on the edge i j of corners x */
static void fan_edge(const double *const x[3], int i, int j, double t, SofaClosest *c) {
  set_weights(c, 1, 0, 0, 0);
  c->w[1 + i] = 1 - t;
  c->w[1 + j] = t;
  for (int k = 0; k < 3; k++) c->r[k] = x[i][k] + t * (x[j][k] - x[i][k]);
  c->region = 1 | 2U << i | 2U << j;
}
static void fan_corner(const double *const x[3], int i, SofaClosest *c) {
  set_weights(c, 1, 0, 0, 0);
  c->w[1 + i] = 1;
  sofa_vec3_copy(x[i], c->r);
  c->region = 1 | 2U << i;
}

/* The regions of corners and edges by the signs of dot products and barycentric coordinates (of
 * corners a, b and c, times n2), then the face. */
static void fan_closest(const Fan *f, SofaClosest *c) {
  const double *const x[3] = {f->a, f->b, f->c};
  const double ab_a = -sofa_vec3_dot(f->ab, f->a), ac_a = -sofa_vec3_dot(f->ac, f->a);
  if (ab_a <= 0 && ac_a <= 0) {
    fan_corner(x, 0, c);
    return;
  }
  const double ab_b = -sofa_vec3_dot(f->ab, f->b), ac_b = -sofa_vec3_dot(f->ac, f->b);
  if (ab_b >= 0 && ac_b <= ab_b) {
    fan_corner(x, 1, c);
    return;
  }
  const double ab_c = -sofa_vec3_dot(f->ab, f->c), ac_c = -sofa_vec3_dot(f->ac, f->c);
  if (ac_c >= 0 && ab_c <= ac_c) {
    fan_corner(x, 2, c);
    return;
  }
  const double wc = triple_with(f->n, f->a, f->b);
  if (wc <= 0 && ab_a >= 0 && ab_b <= 0) {
    fan_edge(x, 0, 1, ab_a / (ab_a - ab_b), c);
    return;
  }
  const double wb = triple_with(f->n, f->c, f->a);
  if (wb <= 0 && ac_a >= 0 && ac_c <= 0) {
    fan_edge(x, 0, 2, ac_a / (ac_a - ac_c), c);
    return;
  }
  const double wa = triple_with(f->n, f->b, f->c), from_b = ac_b - ab_b, from_c = ab_c - ac_c;
  if (wa <= 0 && from_b >= 0 && from_c >= 0) {
    fan_edge(x, 1, 2, from_b / (from_b + from_c), c);
    return;
  }
  const double vb = wb / f->n2, vc = wc / f->n2;
  set_weights(c, 1, 1 - vb - vc, vb, vc);
  /* along the normal: no cancellation between the corners */
  sofa_vec3_scale(sofa_vec3_dot(f->n, f->a) / f->n2, f->n, c->r);
  c->region = 15;
}

/* The face of a sliver: along the longer edge from corner a, and across it. The place across is as
 * uncertain as the plane, but a sliver is thin there. */
static bool sliver_face(const Fan *f, SofaClosest *c) {
  const double bb = sofa_vec3_norm2(f->ab), cc = sofa_vec3_norm2(f->ac);
  const double *along = bb >= cc ? f->ab : f->ac, *other = bb >= cc ? f->ac : f->ab;
  const double most = fmax(bb, cc);
  double across[3], rest[3];
  sofa_vec3_copy(other, across);
  for (int k = 0; k < 2; k++) sofa_vec3_axpy(-sofa_vec3_dot(across, along) / most, along, across);
  const double w2 = -sofa_vec3_dot(f->a, across) / sofa_vec3_norm2(across);
  for (int k = 0; k < 3; k++) rest[k] = -f->a[k] - w2 * other[k];
  const double w1 = sofa_vec3_dot(rest, along) / most;
  if (!(w1 > 0 && w2 > 0 && w1 + w2 < 1)) return false;
  set_weights(c, 1, 1 - w1 - w2, bb >= cc ? w1 : w2, bb >= cc ? w2 : w1);
  for (int k = 0; k < 3; k++) c->r[k] = w1 * along[k] - rest[k];
  c->region = 15;
  return true;
}

/* edge i j of corners in the words of the triangle */
static void edge_of_three(const double *const x[3], int i, int j, SofaClosest *c) {
  SofaClosest e;
  sofa_closest_point_segment((double[3]){0, 0, 0}, x[i], x[j], &e);
  *c = e;
  set_weights(c, 1, 0, 0, 0);
  c->w[1 + i] = e.w[1];
  c->w[1 + j] = e.w[2];
  c->region = 1 | (e.region & 2) << i | (e.region & 4) >> 1 << j;
}

/* The closest of the edges, and of the face when there is one. */
static void fan_careful(const Fan *f, SofaClosest *out) {
  const double *const x[3] = {f->a, f->b, f->c};
  SofaClosest c;
  edge_of_three(x, 0, 1, out);
  for (int k = 1; k < 3; k++) {
    edge_of_three(x, k, (k + 1) % 3, &c);
    if (c.d2 < out->d2) *out = c;
  }
  if (f->n2 > LEAST && sliver_face(f, &c) && sofa_vec3_norm2(c.r) < out->d2) *out = c;
}

static inline bool wide(const Fan *f) {
  return usual(f->n2) && f->n2 > SLIVER * sofa_vec3_norm2(f->ab) * sofa_vec3_norm2(f->ac);
}

static void triangle_careful(const double *p, const double *const t[3], SofaClosest *out) {
  double x[9];
  for (int k = 0; k < 9; k++) x[k] = t[k / 3][k % 3] - p[k % 3];
  const double scale = scale_of(x, 9);
  Fan f;
  sofa_vec3_scale(scale, x, f.a);
  sofa_vec3_scale(scale, x + 3, f.b);
  sofa_vec3_scale(scale, x + 6, f.c);
  fan_edges(&f);
  if (wide(&f)) fan_closest(&f, out);
  else fan_careful(&f, out);
  sofa_vec3_scale(1 / scale, out->r, out->r);
  finish_point(p, out);
}

void sofa_closest_point_triangle(const double *p, const double *const t[3], SofaClosest *out) {
  Fan f;
  sofa_vec3_sub(t[0], p, f.a);
  sofa_vec3_sub(t[1], p, f.b);
  sofa_vec3_sub(t[2], p, f.c);
  fan_edges(&f);
  if (wide(&f)) {
    fan_closest(&f, out);
    finish_point(p, out);
    if (out->d2 < MOST) return;
  }
  triangle_careful(p, t, out);
}

/* ---- segments ---- */

/* directions u of a and v of b, from a0 to b0 w; parameters s along a and t along b */
typedef struct Lines {
  double u[3], v[3], w[3];
} Lines;

static inline void lines_result(const Lines *l, double s, double t, SofaClosest *c) {
  set_weights(c, 1 - s, s, 1 - t, t);
  for (int k = 0; k < 3; k++) c->r[k] = l->w[k] + t * l->v[k] - s * l->u[k];
  c->d2 = sofa_vec3_norm2(c->r);
}

/* Nearest parameter of b to the point s of a. */
static inline unsigned along_b(const Lines *l, double s, double *t) {
  double d[3], num, den;
  for (int k = 0; k < 3; k++) d[k] = s * l->u[k] - l->w[k];
  foot(d, l->v, &num, &den);
  return weight_along(num, den, t) << 2;
}
static inline unsigned along_a(const Lines *l, double t, double *s) {
  double d[3], num, den;
  for (int k = 0; k < 3; k++) d[k] = l->w[k] + t * l->v[k];
  foot(d, l->u, &num, &den);
  return weight_along(num, den, s);
}

/* Both feet on the lines are on the segments: s and t. */
static void lines_inside(const Lines *l, const double *n, double n2, double st[2], SofaClosest *c) {
  const bool narrow = !(n2 > SLIVER * sofa_vec3_norm2(l->u) * sofa_vec3_norm2(l->v));
  if (narrow) along_b(l, st[0], &st[1]); /* what rounding moves s along the lines, t follows */
  lines_result(l, st[0], st[1], c);
  c->region = 15;
  if (narrow) return;
  /* a small distance keeps its direction */
  sofa_vec3_scale(sofa_vec3_dot(n, l->w) / n2, n, c->r);
  c->d2 = sofa_vec3_norm2(c->r);
}

/* n = u x v is not 0. When the feet on the lines are not both on the segments, s is brought into
 * its range, then t for this s, then s again: the distance is convex (Ericson). */
static void lines_closest(const Lines *l, const double *n, double n2, SofaClosest *c) {
  const double sn = triple_with(n, l->w, l->v), tn = triple_with(n, l->w, l->u);
  if (sn > 0 && sn < n2 && tn > 0 && tn < n2) {
    lines_inside(l, n, n2, (double[2]){sn / n2, tn / n2}, c);
    return;
  }
  double s, t;
  bool end = true; /* t is at an end, and s belongs to it */
  if (sn <= 0 || sn >= n2) {
    s = sn <= 0 ? 0 : 1;
    c->region = (sn <= 0 ? 1 : 2) | along_b(l, s, &t);
    end = (c->region & 12) != 12;
  } else {
    t = tn <= 0 ? 0 : 1;
  }
  if (end) c->region = (t > 0 ? 8 : 4) | along_a(l, t, &s);
  lines_result(l, s, t, c);
}

/* The overlap of parallel segments that have a length. */
static bool overlap(const Lines *l, SofaClosest *c) {
  const double uu = sofa_vec3_norm2(l->u), vv = sofa_vec3_norm2(l->v);
  if (!(uu > LEAST && vv > LEAST)) return false;
  const double s0 = sofa_vec3_dot(l->w, l->u) / uu, s1 = s0 + sofa_vec3_dot(l->v, l->u) / uu;
  const double low = fmax(0, fmin(s0, s1)), high = fmin(1, fmax(s0, s1));
  if (!(low < high)) return false;
  double t;
  const double s = 0.5 * (low + high);
  along_b(l, s, &t);
  lines_result(l, s, t, c);
  c->region = 15;
  return true;
}

/* Each of the four ends against the other segment. */
static void ends(const Lines *l, SofaClosest *c) {
  for (int k = 0; k < 4; k++) {
    SofaClosest e;
    double s = k & 1, t = k & 1;
    if (k < 2) e.region = (1U << k) | along_b(l, s, &t);
    else e.region = (1U << k) | along_a(l, t, &s);
    lines_result(l, s, t, &e);
    if (k == 0 || e.d2 < c->d2) *c = e;
  }
}

static void segments_careful(Lines l, SofaClosest *out) {
  double n[3], all[9];
  memcpy(all, l.u, sizeof l.u);
  memcpy(all + 3, l.v, sizeof l.v);
  memcpy(all + 6, l.w, sizeof l.w);
  const double scale = scale_of(all, 9);
  sofa_vec3_scale(scale, l.u, l.u);
  sofa_vec3_scale(scale, l.v, l.v);
  sofa_vec3_scale(scale, l.w, l.w);
  sofa_vec3_cross(l.u, l.v, n);
  const double n2 = sofa_vec3_norm2(n);
  if (n2 > LEAST) lines_closest(&l, n, n2, out);
  else if (!overlap(&l, out)) ends(&l, out);
  sofa_vec3_scale(1 / scale, out->r, out->r);
  out->d2 = sofa_vec3_norm2(out->r);
}

void sofa_closest_segments(const double *const a[2], const double *const b[2], SofaClosest *out) {
  Lines l;
  double n[3];
  sofa_vec3_sub(a[1], a[0], l.u);
  sofa_vec3_sub(b[1], b[0], l.v);
  sofa_vec3_sub(b[0], a[0], l.w);
  sofa_vec3_cross(l.u, l.v, n);
  const double n2 = sofa_vec3_norm2(n);
  bool done = usual(n2);
  if (done) {
    lines_closest(&l, n, n2, out);
    done = out->d2 < MOST;
  }
  if (!done) segments_careful(l, out);
  for (int k = 0; k < 3; k++) {
    out->p[k] = a[0][k] + out->w[1] * l.u[k];
    out->q[k] = b[0][k] + out->w[3] * l.v[k];
  }
}

/* ---- radii ---- */

double sofa_closest_gap(SofaClosest *c, const double radius[2], double normal[3]) {
  sofa_vec3_copy(c->r, normal);
  double scale = 1;
  if (!usual(c->d2)) {
    scale = scale_of(normal, 3);
    sofa_vec3_scale(scale, normal, normal);
  }
  const double norm = sofa_vec3_normalize(normal);
  if (norm == 0) sofa_vec3_set(normal, 1, 0, 0);
  sofa_vec3_axpy(radius[0], normal, c->p);
  sofa_vec3_axpy(-radius[1], normal, c->q);
  return norm / scale - radius[0] - radius[1];
}
