/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Second derivatives of the energy of beams in lanes; the formulas are those of beam_element.c.
 *
 * In the frame, moves of end a are minus those of end b, so that nine columns are made: of a move
 * of b along each axis (V), of turns of a (A) and of b (B). Rows likewise. */
#ifndef SOFA_NUMERICS_FEM_BEAM_TANGENT_H
#define SOFA_NUMERICS_FEM_BEAM_TANGENT_H

#include "numerics/fem/beam_lanes_impl.h"

/* p, r, e of the angle t, and the derivatives of each by t, divided by t. */
typedef struct Slopes {
  Lanes p, r, e, dp, dr, de;
} Slopes;

/* Value at z and twice the derivative there. */
ALWAYS Lanes series_at(const double *c, Lanes z, Lanes *twice_slope) {
  Lanes value = lanes_set(0), slope = lanes_set(0);
  for (int k = SOFA_BEAM_SERIES - 1; k >= 0; k--) {
    slope = lanes_madd(slope, z, value);
    value = lanes_madd(value, z, lanes_set(c[k]));
  }
  *twice_slope = slope + slope;
  return value;
}

/* With p and c = cos(t/2): sin(t/2) = t / (2 p), tan(t/4) = sin(t/2) / (1 + c). */
ALWAYS void slopes_of(const Lanes *theta, Lanes p, Lanes c, Slopes *f) {
  const Lanes one = lanes_set(1), quarter = lanes_set(0.25), t2 = lanes_dot3(theta, theta);
  const LaneBits small = lanes_less(t2, quarter);
  const Lanes inverse = one / lanes_select(small, one, t2), half = quarter / (one + c);
  Lanes dp, dr, de;
  (void)series_at(beam_series_p, t2, &dp);
  const Lanes r = series_at(beam_series_r, t2, &dr);
  (void)series_at(beam_series_e, t2, &de);
  f->p = p;
  f->e = half / p;
  f->r = lanes_select(small, r, (one - p) * inverse);
  f->dp = lanes_select(small, dp, (p - p * p * c) * inverse);
  f->dr = lanes_select(small, dr, -(f->dp + (f->r + f->r)) * inverse);
  f->de = lanes_select(small, de, (half - f->e) * inverse);
}

/* What the columns share: s and s . n of a chord, c, m = turn theta, c x theta, theta . m. */
typedef struct Shared {
  Lanes normal, s[3], along, inverse, c[3], m[3], about[3], bent;
  Slopes f;
} Shared;

ALWAYS void share(bool exact, const Law *law, const Pose *p, const Lanes *turning, Shared *out) {
  out->inverse = lanes_set(1) / p->length;
  if (exact) {
    lanes_cross(p->load + 6, p->direction, out->c);
    for (int i = 0; i < 3; i++) out->c[i] = p->length * out->c[i];
  } else {
    out->normal = law->axial * (p->length - law->length);
    shear_of(law, p->direction, out->s);
    out->along = lanes_dot3(out->s, p->direction);
    lanes_cross(out->s, p->direction, out->c);
  }
  for (int i = 0; i < 3; i++) out->m[i] = law->turn[i] * p->theta[i];
  lanes_cross(out->c, p->theta, out->about);
  out->bent = lanes_dot3(p->theta, out->m);
  slopes_of(p->theta, turning[0], turning[1], &out->f);
}

/* Velocities of the deformation and of the frame. */
typedef struct Motion {
  bool turns; /* of an end; else of a move, which changes neither theta nor the frame */
  Lanes length, direction[3], theta[3], spin[3];
} Motion;

ALWAYS void move_of(const Pose *p, const Shared *s, int axis, Motion *d) {
  const Lanes *n = p->direction;
  d->turns = false;
  d->length = n[axis];
  for (int i = 0; i < 3; i++)
    d->direction[i] = (lanes_set(i == axis) - n[i] * n[axis]) * s->inverse;
}

/* r = e_axis x v */
ALWAYS void axis_cross(int axis, const Lanes *v, Lanes *r) {
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  r[axis] = lanes_set(0);
  r[next] = -v[last];
  r[last] = v[next];
}

ALWAYS void turn_of(const Pose *p, const Shared *s, double sign, int axis, Motion *d) {
  const Lanes ahead = lanes_set(sign), e = ahead * s->f.e, r = ahead * s->f.r * p->theta[axis];
  Lanes about[3];
  axis_cross(axis, p->theta, about);
  d->turns = true;
  d->length = lanes_set(0);
  for (int i = 0; i < 3; i++) {
    d->theta[i] = r * p->theta[i];
    d->spin[i] = lanes_madd(e, about[i], lanes_set(i == axis ? 0.5 : 0));
  }
  d->theta[axis] = lanes_madd(ahead, s->f.p, d->theta[axis]);
  lanes_cross(p->direction, d->spin, d->direction);
}

/* Changes of the force at b in the frame and of c. */
ALWAYS void chord_change(const Law *law, const Pose *p, const Shared *s, const Motion *d,
                         Lanes *force, Lanes *dc) {
  const Lanes *n = p->direction, grown = law->axial * d->length;
  Lanes ds[3], about[3];
  shear_of(law, d->direction, ds);
  const Lanes along = lanes_dot3(d->direction, s->s) + lanes_dot3(n, ds);
  for (int i = 0; i < 3; i++) {
    const Lanes across = (s->s[i] - n[i] * s->along) * s->inverse;
    const Lanes turned = ds[i] - d->direction[i] * s->along - n[i] * along - across * d->length;
    force[i] = lanes_madd(turned, s->inverse, lanes_madd(s->normal, d->direction[i], grown * n[i]));
  }
  lanes_cross(ds, n, dc);
  lanes_cross(s->s, d->direction, about);
  for (int i = 0; i < 3; i++) dc[i] = dc[i] + about[i];
}

ALWAYS void exact_change(const Law *law, const Pose *p, const Motion *d, Lanes *force, Lanes *dc) {
  Lanes arm[3], about[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = lanes_madd(p->length, d->direction[i], d->length * p->direction[i]);
    force[i] = law->stretch[i] * arm[i];
  }
  lanes_cross(force, p->direction, dc);
  lanes_cross(p->load + 6, arm, about);
  for (int i = 0; i < 3; i++) dc[i] = lanes_madd(p->length, dc[i], about[i]);
}

/* Change of A m - e c x theta. */
ALWAYS void bend_change(const Law *law, const Pose *p, const Shared *s, const Motion *d,
                        const Lanes *dc, Lanes *bend) {
  const Slopes *f = &s->f;
  Lanes about[3], turned[3], dm[3];
  lanes_cross(dc, p->theta, about);
  for (int i = 0; i < 3; i++) bend[i] = -(f->e * about[i]);
  if (!d->turns) return;
  for (int i = 0; i < 3; i++) dm[i] = law->turn[i] * d->theta[i];
  lanes_cross(s->c, d->theta, turned);
  const Lanes grown = lanes_dot3(p->theta, d->theta);
  const Lanes across = lanes_dot3(d->theta, s->m) + lanes_dot3(p->theta, dm);
  const Lanes of_theta = lanes_madd(f->dr * grown, s->bent, f->r * across);
  for (int i = 0; i < 3; i++) {
    bend[i] = lanes_madd(f->p, dm[i], bend[i]) - f->e * turned[i];
    bend[i] = lanes_madd(f->dp * grown, s->m[i], bend[i]) - f->de * grown * s->about[i];
    bend[i] = lanes_madd(of_theta, p->theta[i], lanes_madd(f->r * s->bent, d->theta[i], bend[i]));
  }
}

ALWAYS void add_spin(const Lanes *spin, const Lanes *load, Lanes *to) {
  Lanes about[3];
  lanes_cross(spin, load, about);
  for (int i = 0; i < 3; i++) to[i] = to[i] + about[i];
}

/* Rows V, A, B of a column. */
ALWAYS void column_of(bool exact, const Law *law, const Pose *p, const Shared *s, const Motion *d,
                      Lanes *column) {
  const Lanes half = lanes_set(0.5);
  Lanes dc[3], bend[3];
  if (exact) exact_change(law, p, d, column, dc);
  else chord_change(law, p, s, d, column, dc);
  bend_change(law, p, s, d, dc, bend);
  for (int i = 0; i < 3; i++) {
    column[3 + i] = lanes_madd(half, dc[i], -bend[i]);
    column[6 + i] = lanes_madd(half, dc[i], bend[i]);
  }
  if (!d->turns) return;
  add_spin(d->spin, p->load + 6, column);
  add_spin(d->spin, p->load + 3, column + 3);
  add_spin(d->spin, p->load + 9, column + 6);
}

/* Columns without what depends on the order of two turns, e x torque / 2: that is antisymmetric,
 * and not in the symmetric part which is taken of them. */
typedef Lanes Columns[9][9];

ALWAYS void columns_of_beam(bool exact, const Law *law, const Pose *p, const Lanes *turning,
                            Columns k) {
  Shared s;
  Motion d;
  share(exact, law, p, turning, &s);
  for (int axis = 0; axis < 3; axis++) {
    move_of(p, &s, axis, &d);
    column_of(exact, law, p, &s, &d, k[axis]);
    turn_of(p, &s, -1, axis, &d);
    column_of(exact, law, p, &s, &d, k[3 + axis]);
    turn_of(p, &s, 1, axis, &d);
    column_of(exact, law, p, &s, &d, k[6 + axis]);
  }
}

/* Block (row, column) of the symmetric part, in the world; r: from the frame to the world. */
ALWAYS void world_block(Columns k, const Lanes *r, int row, int column, Lanes *out) {
  const Lanes half = lanes_set(0.5);
  Lanes block[9], turned[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      block[3 * j + i] = half * (k[3 * column + j][3 * row + i] + k[3 * row + i][3 * column + j]);
  for (int j = 0; j < 3; j++) lanes_apply(r, block + 3 * j, turned + 3 * j); /* R B, by columns */
  for (int i = 0; i < 3; i++) {
    const Lanes of_row[3] = {turned[i], turned[3 + i], turned[6 + i]};
    lanes_apply(r, of_row, out + 3 * i);
  }
}

/* Where a block of 3 x 3, or its transpose, stands in the tangent, and with which sign. */
typedef struct Part {
  int row, column;
  double sign;
  bool transposed;
} Part;

/* Puts it among the packed rows of the lower half. */
ALWAYS void put_part(const Lanes *block, Part part, size_t s, double (*to)[SOFA_LANES]) {
  for (int i = 0; i < 3; i++) {
    const int at = 3 * part.row + i;
    for (int j = 0; j < 3 && 3 * part.column + j <= at; j++)
      lanes_store(to[at * (at + 1) / 2 + 3 * part.column + j] + s,
                  lanes_set(part.sign) * block[part.transposed ? 3 * j + i : 3 * i + j]);
  }
}

/* Minus the second derivative, packed. Blocks of 3 x 3: a, its turn, b, its turn. */
ALWAYS void put_tangent(Columns k, const Lanes *frame, size_t s, double (*to)[SOFA_LANES]) {
  Lanes r[9], block[9];
  quat_matrix(frame, r);
  world_block(k, r, 0, 0, block);
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++) block[3 * i + j] = block[3 * j + i];
  put_part(block, (Part){0, 0, -1, false}, s, to);
  put_part(block, (Part){2, 0, 1, false}, s, to);
  put_part(block, (Part){2, 2, -1, false}, s, to);
  world_block(k, r, 1, 0, block);
  put_part(block, (Part){1, 0, 1, false}, s, to);
  put_part(block, (Part){2, 1, -1, true}, s, to);
  world_block(k, r, 2, 0, block);
  put_part(block, (Part){3, 0, 1, false}, s, to);
  put_part(block, (Part){3, 2, -1, false}, s, to);
  world_block(k, r, 1, 1, block);
  put_part(block, (Part){1, 1, -1, false}, s, to);
  world_block(k, r, 2, 1, block);
  put_part(block, (Part){3, 1, -1, false}, s, to);
  world_block(k, r, 2, 2, block);
  put_part(block, (Part){3, 3, -1, false}, s, to);
}

#endif
