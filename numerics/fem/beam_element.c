/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The energy of a beam and its derivatives.
 *
 * In the mean frame, with the relative velocity v of the ends and their angular velocities w_a,
 * w_b, D = w_b - w_a and t = |theta|, the deformation and the frame move with theta' = A D,  A = p
 * I + r theta theta^T,  p = (t/2) / sin(t/2),  r = (1 - p) / t^2, w = (w_a + w_b) / 2 - e theta x
 * D,  e = tan(t/4) / (2 t), l' = n . v,  n' = (v - n l') / l + n x w. */
#include "numerics/fem/beam_element.h"

#include <math.h>
#include <string.h>
#include "math/quaternion.h"
#include "math/vec.h"
#include "numerics/fem/beam_series_impl.h"

/* ---- rest ---- */

/* To rounding: sofa_quat_normalize leaves out what is smaller than 1e-10. */
static void make_unit(double *q) {
  double n2 = 0;
  for (int i = 0; i < 4; i++) n2 += q[i] * q[i];
  const double inverse = n2 > 0 ? 1 / sqrt(n2) : 1;
  for (int i = 0; i < 4; i++) q[i] *= inverse;
}

/* The shortest turn from x to a direction. */
static void turn_from_x(const double *direction, double *q) {
  const double x[3] = {1, 0, 0};
  double axis[3];
  sofa_vec3_cross(x, direction, axis);
  const double sine = sofa_vec3_norm(axis);
  sofa_quat_identity(q);
  if (sine < 1e-12) {
    if (direction[0] > 0) return;
    // backwards: half a turn about y
    q[1] = 1;
    q[3] = 0;
    return;
  }
  sofa_quat_from_axis_angle(axis, atan2(sine, direction[0]), q);
}

bool sofa_beam_make(const SofaBeamSection *section, const double *a, const double *b,
                    SofaBeam *out) {
  const double e = section->young, g = section->shear, l = sofa_vec3_distance(a, b);
  double direction[3], frame[4], inverse[4];
  if (!(l > 0) || !(l < INFINITY)) return false;
  const double phi_y =
      section->shear_y > 0 && g > 0 ? 12 * e * section->iz / (g * section->shear_y * l * l) : 0;
  const double phi_z =
      section->shear_z > 0 && g > 0 ? 12 * e * section->iy / (g * section->shear_z * l * l) : 0;
  *out = (SofaBeam){.length = l,
                    .axial = e * section->area / l,
                    .shear = {0, 12 * e * section->iz / (l * (1 + phi_y)),
                              12 * e * section->iy / (l * (1 + phi_z))},
                    .turn = {g * section->j / l, e * section->iy / l, e * section->iz / l}};
  sofa_vec3_sub(b, a, direction);
  sofa_vec3_scale(1 / l, direction, direction);
  sofa_quat_rotate_inverse(a + 3, direction, direction);
  turn_from_x(direction, out->rest_a);
  sofa_quat_multiply(a + 3, out->rest_a, frame);
  sofa_quat_inverse(b + 3, inverse);
  sofa_quat_multiply(inverse, frame, out->rest_b);
  make_unit(out->rest_b);
  return true;
}

bool sofa_beam_make_exact(const SofaBeamSection *section, const double *a, const double *b,
                          SofaBeam *out) {
  if (!sofa_beam_make(section, a, b, out)) return false;
  out->exact = true;
  out->stretch[0] = out->axial;
  out->stretch[1] = section->shear * section->shear_y / out->length;
  out->stretch[2] = section->shear * section->shear_z / out->length;
  return true;
}

void sofa_beam_product(const SofaBeam *beam, const double *u, double *f) {
  const double l = beam->length;
  f[0] = beam->axial * (u[0] - u[6]);
  f[3] = beam->turn[0] * (u[3] - u[9]);
  f[6] = -f[0];
  f[9] = -f[3];
  for (int y = 1; y < 3; y++) {
    // bending in the plane of x and this axis turns about the other one
    const int z = 3 - y;
    const double sign = y == 1 ? 1 : -1, mean = sign * (u[3 + z] + u[9 + z]) / 2;
    const double slope = beam->shear[y] * ((u[6 + y] - u[y]) / l - mean);
    const double bend = beam->turn[z] * (u[9 + z] - u[3 + z]);
    f[y] = -slope / l;
    f[6 + y] = slope / l;
    f[3 + z] = -sign * slope / 2 - bend;
    f[9 + z] = -sign * slope / 2 + bend;
  }
}

/* ---- functions of the angle ---- */

/* p, r, e, and the derivatives of each by t, divided by t. */
typedef struct Turning {
  double p, r, e, dp, dr, de;
} Turning;

/* Value at z and twice the derivative there. */
static double polynomial(const double *c, double z, double *twice_slope) {
  double value = 0, slope = 0;
  for (int k = SOFA_BEAM_SERIES - 1; k >= 0; k--) {
    slope = slope * z + value;
    value = value * z + c[k];
  }
  *twice_slope = 2 * slope;
  return value;
}

static void turning_of_small(double t2, Turning *f) {
  f->p = polynomial(beam_series_p, t2, &f->dp);
  f->r = polynomial(beam_series_r, t2, &f->dr);
  f->e = polynomial(beam_series_e, t2, &f->de);
}

static void turning(const double *theta, Turning *f) {
  const double t2 = sofa_vec3_dot(theta, theta), t = sqrt(t2);
  if (t < 0.5) {
    turning_of_small(t2, f);
    return;
  }
  const double s = sin(t / 2), c = cos(t / 2), tangent = tan(t / 4);
  f->p = t / (2 * s);
  f->r = (1 - f->p) / t2;
  f->e = tangent / (2 * t);
  f->dp = (s - t / 2 * c) / (2 * s * s * t);
  f->dr = -(f->dp + 2 * f->r) / t2;
  f->de = ((1 + tangent * tangent) / 8 - f->e) / t2;
}

/* y = A x */
static void apply_a(const Turning *f, const double *theta, const double *x, double *y) {
  const double along = f->r * sofa_vec3_dot(theta, x);
  for (int i = 0; i < 3; i++) y[i] = f->p * x[i] + along * theta[i];
}

/* ---- pose ---- */

/* What the derivatives of W share: N, s and s . n, the force at b, its torque c = s x n about a, m,
 * c x theta. */
typedef struct Stress {
  double normal, s[3], along, force[3], c[3], m[3], about[3];
} Stress;

/* Force N n + (s - n (n . s)) / l */
static void chord_stress(const SofaBeam *beam, const SofaBeamPose *p, Stress *out) {
  out->normal = beam->axial * (p->length - beam->length);
  for (int i = 0; i < 3; i++) out->s[i] = beam->shear[i] * p->direction[i];
  out->along = sofa_vec3_dot(out->s, p->direction);
  for (int i = 0; i < 3; i++) {
    const double across = (out->s[i] - p->direction[i] * out->along) / p->length;
    out->force[i] = out->normal * p->direction[i] + across;
  }
  sofa_vec3_cross(out->s, p->direction, out->c);
}

/* Force (EA Gamma_x, G A_y Gamma_y, G A_z Gamma_z), with the torque of the arm l n */
static void exact_stress(const SofaBeam *beam, const SofaBeamPose *p, Stress *out) {
  for (int i = 0; i < 3; i++) {
    const double rest = i == 0 ? beam->length : 0;
    out->force[i] = beam->stretch[i] * (p->length * p->direction[i] - rest);
  }
  sofa_vec3_cross(out->force, p->direction, out->c);
  sofa_vec3_scale(p->length, out->c, out->c);
}

static void stress_of(const SofaBeam *beam, const SofaBeamPose *p, Stress *out) {
  if (beam->exact) exact_stress(beam, p, out);
  else chord_stress(beam, p, out);
  for (int i = 0; i < 3; i++) out->m[i] = beam->turn[i] * p->theta[i];
  sofa_vec3_cross(out->c, p->theta, out->about);
}

/* Torque c / 2 + A m - e c x theta at b, at a c / 2 minus that. */
static void load_of(const SofaBeam *beam, SofaBeamPose *p) {
  Stress s;
  Turning f;
  double am[3];
  stress_of(beam, p, &s);
  turning(p->theta, &f);
  apply_a(&f, p->theta, s.m, am);
  for (int i = 0; i < 3; i++) {
    const double bend = am[i] - f.e * s.about[i];
    p->load[i] = -s.force[i];
    p->load[3 + i] = s.c[i] / 2 - bend;
    p->load[6 + i] = s.force[i];
    p->load[9 + i] = s.c[i] / 2 + bend;
  }
}

/* Orientation of a frame turned by a constant. */
static void end_frame(const double *pose, const double *rest, double *q) {
  sofa_quat_multiply(pose + 3, rest, q);
  make_unit(q);
}

void sofa_beam_pose(const SofaBeam *beam, const double *a, const double *b, SofaBeamPose *out) {
  double qa[4], qb[4], inverse[4], relative[4];
  end_frame(a, beam->rest_a, qa);
  end_frame(b, beam->rest_b, qb);
  sofa_quat_inverse(qa, inverse);
  sofa_quat_multiply(inverse, qb, relative);
  for (int i = 0; i < 4 && relative[3] < 0; i++) relative[i] = -relative[i];
  sofa_quat_to_rotation_vector(relative, out->theta);
  relative[3] += 1; // half the turn, but for the length
  make_unit(relative);
  sofa_quat_multiply(qa, relative, out->frame);
  sofa_vec3_sub(b, a, out->direction);
  out->length = sofa_vec3_norm(out->direction);
  if (out->length > 0) sofa_vec3_scale(1 / out->length, out->direction, out->direction);
  sofa_quat_rotate_inverse(out->frame, out->direction, out->direction);
  if (!(out->length > 0)) { // ends at one point have no direction: that at rest
    sofa_vec3_set(out->direction, 1, 0, 0);
    out->length = 1e-12 * beam->length;
  }
  load_of(beam, out);
}

static double exact_energy(const SofaBeam *beam, const SofaBeamPose *pose) {
  double energy = 0;
  for (int i = 0; i < 3; i++) {
    const double strain = pose->length * pose->direction[i] - (i == 0 ? beam->length : 0);
    energy += beam->stretch[i] * strain * strain + beam->turn[i] * pose->theta[i] * pose->theta[i];
  }
  return energy / 2;
}

double sofa_beam_energy(const SofaBeam *beam, const SofaBeamPose *pose) {
  if (beam->exact) return exact_energy(beam, pose);
  const double stretch = pose->length - beam->length;
  double energy = beam->axial * stretch * stretch;
  for (int i = 0; i < 3; i++)
    energy += beam->shear[i] * pose->direction[i] * pose->direction[i] +
              beam->turn[i] * pose->theta[i] * pose->theta[i];
  return energy / 2;
}

void sofa_beam_gradient(const SofaBeamPose *pose, double *g) {
  for (int k = 0; k < 12; k += 3) sofa_quat_rotate(pose->frame, pose->load + k, g + k);
}

/* ---- tangent ---- */

/* Velocities of the deformation and of the frame for those of the ends, u, all in the frame. */
typedef struct Motion {
  double length, direction[3], theta[3], spin[3];
} Motion;

static void motion_of(const SofaBeamPose *p, const Turning *f, const double *u, Motion *out) {
  double v[3], d[3], about[3];
  sofa_vec3_sub(u + 6, u, v);
  sofa_vec3_sub(u + 9, u + 3, d);
  apply_a(f, p->theta, d, out->theta);
  sofa_vec3_cross(p->theta, d, about);
  for (int i = 0; i < 3; i++) out->spin[i] = (u[3 + i] + u[9 + i]) / 2 - f->e * about[i];
  out->length = sofa_vec3_dot(p->direction, v);
  sofa_vec3_cross(p->direction, out->spin, out->direction);
  for (int i = 0; i < 3; i++)
    out->direction[i] += (v[i] - p->direction[i] * out->length) / p->length;
}

/* Changes of the force at b in the frame and of c. */
static void chord_change(const SofaBeam *beam, const SofaBeamPose *p, const Stress *s,
                         const Motion *d, double *both) {
  const double *n = p->direction, l = p->length;
  double ds[3], about[3], *force = both, *dc = both + 3;
  for (int i = 0; i < 3; i++) ds[i] = beam->shear[i] * d->direction[i];
  const double along = sofa_vec3_dot(d->direction, s->s) + sofa_vec3_dot(n, ds);
  for (int i = 0; i < 3; i++) {
    force[i] = beam->axial * d->length * n[i] + s->normal * d->direction[i];
    force[i] += (ds[i] - d->direction[i] * s->along - n[i] * along) / l;
    force[i] -= (s->s[i] - n[i] * s->along) * d->length / (l * l);
  }
  sofa_vec3_cross(ds, n, dc);
  sofa_vec3_cross(s->s, d->direction, about);
  sofa_vec3_add(dc, about, dc);
}

static void exact_change(const SofaBeam *beam, const SofaBeamPose *p, const Stress *s,
                         const Motion *d, double *both) {
  double arm[3], about[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = d->length * p->direction[i] + p->length * d->direction[i];
    both[i] = beam->stretch[i] * arm[i];
  }
  sofa_vec3_cross(both, p->direction, both + 3);
  sofa_vec3_scale(p->length, both + 3, both + 3);
  sofa_vec3_cross(s->force, arm, about);
  sofa_vec3_add(both + 3, about, both + 3);
}

/* Behind the changes of force and c: that of A m - e c x theta. */
static void torque_change(const SofaBeam *beam, const SofaBeamPose *p, const Stress *s,
                          const Turning *f, const Motion *d, double *change) {
  const double *dc = change + 3;
  double dm[3], adm[3], about[2][3];
  for (int i = 0; i < 3; i++) dm[i] = beam->turn[i] * d->theta[i];
  apply_a(f, p->theta, dm, adm);
  sofa_vec3_cross(dc, p->theta, about[0]);
  sofa_vec3_cross(s->c, d->theta, about[1]);
  const double grown = sofa_vec3_dot(p->theta, d->theta), along = sofa_vec3_dot(p->theta, s->m);
  const double across = sofa_vec3_dot(d->theta, s->m);
  for (int i = 0; i < 3; i++)
    change[6 + i] = adm[i] + f->dp * grown * s->m[i] + f->dr * grown * along * p->theta[i] +
                    f->r * (along * d->theta[i] + across * p->theta[i]) -
                    f->de * grown * s->about[i] - f->e * (about[0][i] + about[1][i]);
}

/* Second derivative in the direction u, in the frame: the change of the load in the world, without
 * the part of the torques that depends on the order of two turns, w x torque / 2. */
static void load_change(const SofaBeam *beam, const SofaBeamPose *p, const double *u, double *out) {
  Stress s;
  Turning f;
  Motion d;
  double both[9], about[3];
  stress_of(beam, p, &s);
  turning(p->theta, &f);
  motion_of(p, &f, u, &d);
  if (beam->exact) exact_change(beam, p, &s, &d, both);
  else chord_change(beam, p, &s, &d, both);
  torque_change(beam, p, &s, &f, &d, both);
  for (int i = 0; i < 3; i++) {
    out[i] = -both[i];
    out[3 + i] = both[3 + i] / 2 - both[6 + i];
    out[6 + i] = both[i];
    out[9 + i] = both[3 + i] / 2 + both[6 + i];
  }
  for (int k = 0; k < 12; k += 3) {
    sofa_vec3_cross(d.spin, p->load + k, about);
    sofa_vec3_add(out + k, about, out + k);
  }
  for (int k = 3; k < 12; k += 6) {
    sofa_vec3_cross(u + k, p->load + k, about);
    sofa_vec3_axpy(-0.5, about, out + k);
  }
}

void sofa_beam_hessian(const SofaBeam *beam, const SofaBeamPose *pose, double *k) {
  double r[9];
  sofa_quat_to_matrix(pose->frame, r);
  for (size_t j = 0; j < 12; j++) {
    // along a world axis
    double u[12] = {0}, f[12];
    for (size_t i = 0; i < 3; i++) u[j / 3 * 3 + i] = r[3 * (j % 3) + i];
    load_change(beam, pose, u, f);
    for (size_t n = 0; n < 4; n++) {
      sofa_mat3_apply(r, f + 3 * n, f + 3 * n);
      for (size_t i = 0; i < 3; i++) k[12 * (3 * n + i) + j] = f[3 * n + i];
    }
  }
  // symmetric to the bit
  for (size_t i = 0; i < 12; i++) {
    for (size_t j = 0; j < i; j++)
      k[12 * i + j] = k[12 * j + i] = (k[12 * i + j] + k[12 * j + i]) / 2;
  }
}
