/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of beams, compiled once per instruction set with KERNELS_ISA naming it. The formulas
 * are those of beam_element.c. */
#include "numerics/fem/beam_tangent_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* ---- points ---- */

/* Gives the first `count` lanes of f, 6 reals for each of two points, beam by beam; `first`: the
 * number of the first of them. */
ALWAYS void give_twists(const uint32_t (*v)[SOFA_LANES], size_t first, const Lanes *f, size_t count,
                        SofaVectorsTo give) {
  const size_t s = first % SOFA_LANES;
  double reals[LANES][2 * TWIST_ROW];
  twist_rows(2, f, reals[0]);
  if (give.parts) {
    for (size_t k = 0; k < 2 * count; k++)
      memcpy(give.parts + 12 * first + 6 * k, reals[k / 2] + TWIST_ROW * (k % 2),
             6 * sizeof(double));
    return;
  }
  for (size_t l = 0; l < count; l++)
    for (size_t n = 0; n < 2; n++)
      add_twist(reals[l] + TWIST_ROW * n, give.f + 6 * (size_t)v[n][s + l]);
}

/* ---- rotations ---- */

/* atan(u) / u from z = u^2 <= 0.04, to rounding */
ALWAYS Lanes atan_ratio(Lanes z) {
  static const double c[12] = {1,       -1. / 3,  1. / 5,  -1. / 7,  1. / 9,  -1. / 11,
                               1. / 13, -1. / 15, 1. / 17, -1. / 19, 1. / 21, -1. / 23};
  Lanes sum = lanes_set(c[11]);
  for (int k = 10; k >= 0; k--) sum = lanes_madd(z, sum, lanes_set(c[k]));
  return sum;
}

/* Rotation vector theta of a unit quaternion with q[3] >= 0, and p, r, e of its length t. With v
 * the first three of q, theta is a factor times v: |v| = sin(t/2), tan(t/4) = |v| / (1 + q[3]), and
 * the angle is halved twice more. */
typedef struct Turning {
  Lanes theta[3], p, r, e;
} Turning;

ALWAYS void turning_of(const Lanes *q, Turning *out) {
  const Lanes one = lanes_set(1), half = lanes_set(0.5), s2 = lanes_dot3(q, q);
  const Lanes h = one / (one + q[3]), t2 = s2 * h * h;
  const Lanes i1 = one / (one + lanes_sqrt(one + t2)), u2 = t2 * i1 * i1;
  const Lanes i2 = one / (one + lanes_sqrt(one + u2)), z = u2 * i2 * i2;
  const Lanes factor = lanes_set(16) * h * i1 * i2 * atan_ratio(z);
  const Lanes angle2 = factor * factor * s2;
  const LaneBits small = lanes_less(angle2, lanes_set(0.25));
  Lanes sum = lanes_set(beam_series_r[5]);
  for (int k = 4; k >= 0; k--) sum = lanes_madd(angle2, sum, lanes_set(beam_series_r[k]));
  out->p = half * factor;
  out->e = half * h / factor;
  out->r = lanes_select(small, sum, (one - out->p) / lanes_select(small, one, angle2));
  for (int k = 0; k < 3; k++) out->theta[k] = factor * q[k];
}

/* ---- beams ---- */

/* Force at b in the frame and its torque about a. */
ALWAYS void chord_stress(const Law *law, const Pose *p, Lanes *force, Lanes *c) {
  const Lanes *n = p->direction, normal = law->axial * (p->length - law->length);
  Lanes s[3];
  shear_of(law, n, s);
  const Lanes along = lanes_madd(s[1], n[1], s[2] * n[2]), inverse = lanes_set(1) / p->length;
  for (int i = 0; i < 3; i++) force[i] = lanes_madd(normal, n[i], (s[i] - n[i] * along) * inverse);
  lanes_cross(s, n, c);
}
ALWAYS void exact_stress(const Law *law, const Pose *p, Lanes *force, Lanes *c) {
  for (int i = 0; i < 3; i++) {
    const Lanes rest = lanes_set(i == 0) * law->length;
    force[i] = law->stretch[i] * (p->length * p->direction[i] - rest);
  }
  lanes_cross(force, p->direction, c);
  for (int i = 0; i < 3; i++) c[i] = p->length * c[i];
}

ALWAYS void load_of(bool exact, const Law *law, const Turning *t, Pose *p) {
  const Lanes half = lanes_set(0.5);
  Lanes force[3], c[3], m[3], about[3];
  if (exact) exact_stress(law, p, force, c);
  else chord_stress(law, p, force, c);
  for (int i = 0; i < 3; i++) m[i] = law->turn[i] * t->theta[i];
  lanes_cross(c, t->theta, about);
  const Lanes along = t->r * lanes_dot3(t->theta, m);
  for (int i = 0; i < 3; i++) {
    const Lanes bend = lanes_madd(t->p, m[i], lanes_madd(along, t->theta[i], -(t->e * about[i])));
    p->load[i] = -force[i];
    p->load[3 + i] = lanes_madd(half, c[i], -bend);
    p->load[6 + i] = force[i];
    p->load[9 + i] = lanes_madd(half, c[i], bend);
  }
}

/* Length and direction of the chord from a to b; ends at one point have the direction at rest. */
ALWAYS void chord_of(const Law *law, const Lanes *a, const Lanes *b, const Lanes *m, Pose *p) {
  const Lanes one = lanes_set(1), zero = lanes_set(0);
  Lanes d[3], local[3];
  for (int i = 0; i < 3; i++) d[i] = b[i] - a[i];
  const Lanes length = lanes_sqrt(lanes_dot3(d, d));
  const LaneBits some = lanes_less(zero, length);
  const Lanes inverse = one / lanes_select(some, length, one);
  for (int i = 0; i < 3; i++) d[i] = d[i] * inverse;
  lanes_apply_t(m, d, local);
  for (int i = 0; i < 3; i++) p->direction[i] = lanes_select(some, local[i], lanes_set(i == 0));
  p->length = lanes_select(some, length, lanes_set(1e-12) * law->length);
}

/* Ends of lanes; then pose and force, and what the tangent reads of the angle. */
typedef struct Posed {
  Lanes a[7], b[7], turning[2], force[12];
  Pose pose;
} Posed;

ALWAYS void beam_force(bool exact, const Law *law, Posed *lanes) {
  const Lanes *a = lanes->a, *b = lanes->b;
  Lanes *f = lanes->force;
  Pose *p = &lanes->pose;
  Lanes qa[4], qb[4], inverse[4], relative[4], m[9];
  Turning t;
  quat_multiply(a + 3, law->rest_a, qa);
  quat_multiply(b + 3, law->rest_b, qb);
  quat_unit(qa);
  quat_unit(qb);
  for (int i = 0; i < 4; i++) inverse[i] = i < 3 ? -qa[i] : qa[i];
  quat_multiply(inverse, qb, relative);
  const LaneBits behind = lanes_less(relative[3], lanes_set(0));
  for (int i = 0; i < 4; i++) relative[i] = lanes_select(behind, -relative[i], relative[i]);
  turning_of(relative, &t);
  lanes->turning[0] = t.p;
  lanes->turning[1] = relative[3];
  relative[3] = relative[3] + lanes_set(1); // half the turn, but for the length
  quat_unit(relative);
  quat_multiply(qa, relative, p->frame);
  quat_matrix(p->frame, m);
  chord_of(law, a, b, m, p);
  for (int i = 0; i < 3; i++) p->theta[i] = t.theta[i];
  load_of(exact, law, &t, p);
  for (int k = 0; k < 12; k += 3) {
    lanes_apply(m, p->load + k, f + k);
    for (int i = 0; i < 3; i++) f[k + i] = -f[k + i];
  }
}

ALWAYS size_t lanes_left(size_t count, size_t s) {
  if (count <= s) return 0;
  return count - s < LANES ? count - s : (size_t)LANES;
}

ALWAYS void force_of(bool exact, const SofaBeamBatch *batch, const double *x, SofaVectorsTo to) {
  for (size_t g = 0; g * SOFA_LANES < batch->n; g++) {
    SofaBeamGroup *group = &batch->groups[g];
    const size_t count = lanes_in_group(batch->n, g);
    for (size_t s = 0; s < SOFA_LANES; s += LANES) {
      Law law;
      Posed lanes;
      load_rows((const double(*)[SOFA_LANES])group->law, s, SOFA_BEAM_LAW, (Lanes *)(void *)&law);
      load_wide(7, group->v[0] + s, x, lanes.a);
      load_wide(7, group->v[1] + s, x, lanes.b);
      beam_force(exact, &law, &lanes);
      store_rows((const Lanes *)(const void *)&lanes.pose, s, SOFA_BEAM_POSE, group->pose);
      store_rows(lanes.turning, s, 2, group->turning);
      give_twists((const uint32_t(*)[SOFA_LANES])group->v, g * SOFA_LANES + s, lanes.force,
                  lanes_left(count, s), to);
    }
  }
}

static void force(const SofaBeamBatch *batch, const double *x, SofaVectorsTo to) {
  if (batch->exact) force_of(true, batch, x, to);
  else force_of(false, batch, x, to);
}

ALWAYS void tangents_of(bool exact, const SofaBeamBatch *batch) {
  for (size_t g = 0; g * SOFA_LANES < batch->n; g++) {
    SofaBeamGroup *group = &batch->groups[g];
    for (size_t s = 0; s < SOFA_LANES; s += LANES) {
      Law law;
      Pose pose;
      Lanes turning[2];
      Columns k;
      load_rows((const double(*)[SOFA_LANES])group->law, s, SOFA_BEAM_LAW, (Lanes *)(void *)&law);
      load_rows((const double(*)[SOFA_LANES])group->pose, s, SOFA_BEAM_POSE,
                (Lanes *)(void *)&pose);
      load_rows((const double(*)[SOFA_LANES])group->turning, s, 2, turning);
      columns_of_beam(exact, &law, &pose, turning, k);
      put_tangent(k, pose.frame, s, group->tangent);
    }
  }
}

static void tangents(const SofaBeamBatch *batch) {
  if (batch->exact) tangents_of(true, batch);
  else tangents_of(false, batch);
}

ALWAYS void tangent_times(const SofaBeamGroup *group, size_t s, const Lanes *d, Lanes *f) {
  const double(*k)[SOFA_LANES] = (const double(*)[SOFA_LANES])group->tangent;
  size_t e = 0;
  for (int i = 0; i < 12; i++) {
    Lanes sum = lanes_set(0);
    for (int j = 0; j < i; j++) {
      const Lanes entry = lanes_load(k[e++] + s);
      sum = lanes_madd(entry, d[j], sum);
      f[j] = lanes_madd(entry, d[i], f[j]);
    }
    f[i] = lanes_madd(lanes_load(k[e++] + s), d[i], sum);
  }
}

static void product(const SofaBeamBatch *batch, double factor, const double *dx, SofaVectorsTo to) {
  for (size_t g = 0; g * SOFA_LANES < batch->n; g++) {
    const SofaBeamGroup *group = &batch->groups[g];
    const size_t count = lanes_in_group(batch->n, g);
    for (size_t s = 0; s < SOFA_LANES; s += LANES) {
      Lanes d[12], f[12];
      load_wide(6, group->v[0] + s, dx, d);
      load_wide(6, group->v[1] + s, dx, d + 6);
      tangent_times(group, s, d, f);
      for (int k = 0; k < 12; k++) f[k] = lanes_set(factor) * f[k];
      give_twists((const uint32_t(*)[SOFA_LANES])group->v, g * SOFA_LANES + s, f,
                  lanes_left(count, s), to);
    }
  }
}

const SofaBeamKernels CAT(sofa_beam_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .force = force, .tangents = tangents, .product = product};
