/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that turn with elements: their orientations and angular velocities. */
#include "components/mapping/turning_frames.h"

#include <string.h>
#include "math/polar.h"
#include "math/quaternion.h"

/* The vertices of a hexahedron, those that span its base first. */
static const uint8_t hexa_order[8] = {0, 1, 3, 4, 2, 5, 6, 7};

/* ---- setup ---- */

/* N: the axes of the frame in the base of the element, each of unit length. */
static void set_axes(const double *inverse, const double *frame, double *axes) {
  double r[9], a[9];
  sofa_quat_to_matrix(frame + 3, r);
  sofa_mat3_mul(inverse, r, a);
  for (int c = 0; c < 3; c++) {
    double axis[3] = {a[c], a[3 + c], a[6 + c]};
    sofa_vec3_normalize(axis);
    for (int k = 0; k < 3; k++) axes[3 * k + c] = axis[k];
  }
}

SofaErr sofa_turning_frames_make(SofaContext *ctx, const SofaLocator *locator, size_t n,
                                 const SofaLocation *location, const double *frames,
                                 SofaTurningFrames *out) {
  const bool hexa = locator->kind[0] == SOFA_ELEMENT_HEXA;
  out->width = hexa && out->about_origin ? 8 : 4;
  SOFA_TRY(SOFA_RESIZE(ctx, &out->list, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &out->j, 9 * out->width * n));
  for (size_t i = 0; i < n; i++) {
    unsigned width;
    const uint32_t *v = sofa_locator_vertices(locator, location[i].element, &width);
    SofaTurningFrame *frame = &out->list.data[i];
    for (unsigned k = 0; k < out->width; k++) frame->vertex[k] = v[hexa ? hexa_order[k] : k];
    set_axes(locator->element[location[i].element].inverse, SOFA_POSE(frames, i), frame->axes);
  }
  return SOFA_OK;
}

void sofa_turning_frames_free(SofaContext *ctx, SofaTurningFrames *frames) {
  sofa_list_free(ctx, &frames->list);
  sofa_list_free(ctx, &frames->j);
}

void sofa_turning_frames_remove(SofaTurningFrames *frames, const SofaTopologyChange *change) {
  sofa_change_remove_entries(change, &frames->list, sizeof *frames->list.data);
}

void sofa_turning_frames_copy(const SofaTurningFrames *from, SofaTurningFrames *frames, size_t i) {
  if (i < from->list.n && i < frames->list.n && from->width == frames->width)
    frames->list.data[i] = from->list.data[i];
}

/* ---- orientation ---- */

/* Derivative of the rotation Q of A = Q S: with k = axial(Q^T dA - dA^T Q) the rotation vector is
 * Q (tr(S) I - S)^-1 k. For a velocity along axis a of the vertex at the end of edge m it is
 * k = (row m of N) x (row a of Q). Source: the differential of A = Q S, whose skew part is
 * [w]S + S[w] = [(tr(S) I - S) w]. */
static void set_jacobian(const double *q, const double *s, const double *axes, double *j) {
  double g[9], inverse[9], turn[9], det;
  const double trace = sofa_mat3_trace(s);
  for (int k = 0; k < 9; k++) g[k] = (k % 4 == 0 ? trace : 0) - s[k];
  memset(j, 0, 36 * sizeof *j);
  // an element squeezed to a line turns nothing
  if (!sofa_mat3_inverse(g, inverse, &det)) return;
  sofa_mat3_mul(q, inverse, turn);
  for (int m = 0; m < 3; m++)
    for (int a = 0; a < 3; a++) {
      double k[3], w[3];
      sofa_vec3_cross(axes + 3 * m, q + 3 * a, k);
      sofa_mat3_apply(turn, k, w);
      for (int row = 0; row < 3; row++) {
        j[12 * row + 3 * (m + 1) + a] = w[row];
        j[12 * row + a] -= w[row];
      }
    }
}

/* SOFA's: the sum of x_v cross v_v. */
static void set_about_origin(const SofaTurningFrames *f, size_t i, const double *x, double *j) {
  for (size_t k = 0; k < f->width; k++) {
    double m[9];
    sofa_mat3_cross(x + 3 * (size_t)f->list.data[i].vertex[k], m);
    for (size_t c = 0; c < 9; c++) j[3 * f->width * (c / 3) + 3 * k + c % 3] = m[c];
  }
}

void sofa_turning_frames_apply(SofaTurningFrames *f, const double *x, double *coords) {
  for (size_t i = 0; i < f->list.n; i++) {
    const SofaTurningFrame *frame = &f->list.data[i];
    const uint32_t *v = frame->vertex;
    double b[9], a[9], q[9], s[9], *j = f->j.data + 9 * f->width * i;
    for (int k = 0; k < 9; k++)
      b[k] = x[3 * (size_t)v[k % 3 + 1] + (size_t)k / 3] - x[3 * (size_t)v[0] + (size_t)k / 3];
    sofa_mat3_mul(b, frame->axes, a);
    sofa_polar_stable(a, q, s);
    sofa_quat_from_matrix(q, SOFA_POSE_QUAT(coords, i));
    if (f->about_origin) set_about_origin(f, i, x, j);
    else set_jacobian(q, s, frame->axes, j);
  }
}

/* ---- velocities ---- */

void sofa_turning_frames_apply_j(const SofaTurningFrames *f, const double *v, double *derivs) {
  const size_t columns = 3 * f->width;
  for (size_t i = 0; i < f->list.n; i++)
    for (size_t row = 0; row < 3; row++) {
      const double *j = f->j.data + columns * (3 * i + row);
      double sum = 0;
      for (size_t c = 0; c < columns; c++)
        sum += j[c] * v[3 * (size_t)f->list.data[i].vertex[c / 3] + c % 3];
      SOFA_TWIST_ANGULAR(derivs, i)[row] = sum;
    }
}

void sofa_turning_frames_apply_jt(const SofaTurningFrames *f, const double *derivs, double *v) {
  const size_t columns = 3 * f->width;
  for (size_t i = 0; i < f->list.n; i++)
    for (size_t row = 0; row < 3; row++) {
      const double *j = f->j.data + columns * (3 * i + row),
                   torque = SOFA_TWIST_ANGULAR(derivs, i)[row];
      for (size_t c = 0; c < columns; c++)
        v[3 * (size_t)f->list.data[i].vertex[c / 3] + c % 3] += j[c] * torque;
    }
}

void sofa_turning_frames_row(const SofaTurningFrames *f, size_t i, size_t row, SofaMapMatrix *out) {
  const size_t columns = 3 * f->width;
  const double *j = f->j.data + columns * (3 * i + row);
  for (size_t c = 0; c < columns; c++)
    sofa_map_matrix_entry(out, 3 * (size_t)f->list.data[i].vertex[c / 3] + c % 3, j[c]);
}
