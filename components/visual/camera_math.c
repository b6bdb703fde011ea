/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mathematics of cameras. */
#include "components/visual/camera_math.h"

#include <math.h>

#include "math/quaternion.h"

static const double radian = 3.14159265358979323846 / 180;

/* Axis i of the camera in the world. */
static void axis_of(const SofaCamera *camera, int i, double *axis) {
  const double unit[3] = {i == 0, i == 1, i == 2};
  sofa_quat_rotate(camera->orientation, unit, axis);
}

static void stand_off(SofaCamera *camera) {
  double back[3];
  axis_of(camera, 2, back);
  sofa_vec3_copy(camera->look_at, camera->position);
  sofa_vec3_axpy(camera->distance, back, camera->position);
}

/* Orientation from the direction backwards (unit) and a hint what is up. */
static void orient(SofaCamera *camera, const double *back, const double *up) {
  double m[9], x[3], y[3];
  sofa_vec3_cross(up, back, x);
  if (!(sofa_vec3_norm(x) > 1e-9 * sofa_vec3_norm(up))) {
    // seen along the upward direction: any other one will do
    const double other[3] = {fabs(back[2]) < 0.9 ? 0 : 1, 0, fabs(back[2]) < 0.9 ? 1 : 0};
    sofa_vec3_cross(other, back, x);
  }
  sofa_vec3_normalize(x);
  sofa_vec3_cross(back, x, y);
  for (int i = 0; i < 3; i++) {
    m[3 * i] = x[i];
    m[3 * i + 1] = y[i];
    m[3 * i + 2] = back[i];
  }
  sofa_quat_from_matrix(m, camera->orientation);
}

void sofa_camera_init(SofaCamera *camera) {
  *camera = (SofaCamera){.position = {0, 0, 5},
                         .orientation = {0, 0, 0, 1},
                         .distance = 5,
                         .field_of_view = 45,
                         .z_near = 0.01,
                         .z_far = 100};
}

void sofa_camera_place(SofaCamera *camera, const double *position, const double *look_at,
                       const double *up) {
  double back[3];
  sofa_vec3_sub(position, look_at, back);
  sofa_vec3_copy(look_at, camera->look_at);
  camera->distance = sofa_vec3_normalize(back);
  if (!(camera->distance > 0)) {
    camera->distance = 1;
    sofa_vec3_set(back, 0, 0, 1);
  }
  orient(camera, back, up);
  stand_off(camera);
}

/* Centre and half diagonal; a box without points is the unit one. */
static double center_of(const SofaBox *box, double *center) {
  double half[3];
  const bool valid = box->min[0] <= box->max[0];
  for (int k = 0; k < 3; k++) {
    center[k] = valid ? 0.5 * (box->min[k] + box->max[k]) : 0;
    half[k] = valid ? 0.5 * (box->max[k] - box->min[k]) : 0.5;
  }
  const double r = sofa_vec3_norm(half);
  return r > 0 && isfinite(r) ? r : 1;
}

void sofa_camera_default(SofaCamera *camera, const SofaBox *box, const double *gravity) {
  double center[3], up[3] = {-gravity[0], -gravity[1], -gravity[2]}, x[3] = {1, 0, 0}, back[3];
  const double r = center_of(box, center);
  if (!(sofa_vec3_normalize(up) > 0)) sofa_vec3_set(up, 0, 1, 0);
  if (fabs(sofa_vec3_dot(x, up)) > 0.999) sofa_vec3_set(x, 0, 1, 0);
  sofa_vec3_cross(x, up, back);
  sofa_vec3_normalize(back);
  sofa_vec3_copy(center, camera->look_at);
  camera->distance = 3 * r;
  orient(camera, back, up);
  stand_off(camera);
}

void sofa_camera_three_quarters(SofaCamera *camera, const SofaBox *box, const double *gravity) {
  double front[3], up[3], side[3], back[3], center[3];
  sofa_camera_default(camera, box, gravity);
  center_of(box, center);
  sofa_vec3_sub(camera->position, center, front);
  sofa_vec3_normalize(front);
  sofa_vec3_set(up, -gravity[0], -gravity[1], -gravity[2]);
  if (!(sofa_vec3_normalize(up) > 0)) sofa_vec3_set(up, 0, 1, 0);
  sofa_vec3_cross(up, front, side);
  // 35 degrees to the side, 25 degrees up
  const double turn = 35 * radian, rise = 25 * radian;
  for (int k = 0; k < 3; k++)
    back[k] = cos(rise) * (cos(turn) * front[k] + sin(turn) * side[k]) + sin(rise) * up[k];
  orient(camera, back, up);
  sofa_camera_fit(camera, box, 1);
  camera->distance *= 1.15; // bodies move
  stand_off(camera);
}

void sofa_camera_fit(SofaCamera *camera, const SofaBox *box, double aspect) {
  double center[3];
  const double r = center_of(box, center);
  const double half = 0.5 * camera->field_of_view * radian;
  const double across = atan(tan(half) * (aspect < 1 ? aspect : 1));
  sofa_vec3_copy(center, camera->look_at);
  camera->distance = r / sin(across);
  stand_off(camera);
}

void sofa_camera_clip(SofaCamera *camera, const SofaBox *box) {
  double center[3];
  const double r = center_of(box, center);
  const double d = sofa_vec3_distance(camera->position, center);
  camera->z_far = 1.1 * (d + r);
  camera->z_near = fmax(0.9 * (d - r), camera->z_far / 2000);
}

/* ---- moving it ---- */

/* Point of the unit trackball below a pixel (Bell's: a sphere that turns into a hyperbola). */
static void on_ball(SofaViewport v, const double pixel[2], double *p) {
  const double side = v.width < v.height ? v.width : v.height;
  const double x = (2 * pixel[0] - v.width) / side, y = (v.height - 2 * pixel[1]) / side;
  const double d = x * x + y * y;
  sofa_vec3_set(p, x, y, d < 0.5 ? sqrt(1 - d) : 0.5 / sqrt(d));
  sofa_vec3_normalize(p);
}

void sofa_camera_orbit(SofaCamera *camera, SofaViewport viewport, const double *pivot,
                       const double from[2], const double to[2]) {
  double a[3], b[3], axis[3], turn[4], arm[3];
  if (viewport.width <= 0 || viewport.height <= 0) return;
  on_ball(viewport, from, a);
  on_ball(viewport, to, b);
  sofa_vec3_cross(b, a, axis);
  const double sine = sofa_vec3_norm(axis);
  if (!(sine > 0)) return;

  // the scene follows the mouse, so the camera turns the other way, about a world axis
  sofa_quat_rotate(camera->orientation, axis, axis);
  sofa_quat_from_axis_angle(axis, 2 * atan2(sine, sofa_vec3_dot(a, b)), turn);
  sofa_quat_multiply(turn, camera->orientation, camera->orientation);
  const double norm =
      sqrt(sofa_vec3_norm2(camera->orientation) + camera->orientation[3] * camera->orientation[3]);
  for (int k = 0; k < 4; k++) camera->orientation[k] /= norm;
  sofa_vec3_sub(camera->look_at, pivot, arm);
  sofa_quat_rotate(turn, arm, arm);
  sofa_vec3_add(pivot, arm, camera->look_at);
  stand_off(camera);
}

void sofa_camera_pan(SofaCamera *camera, SofaViewport viewport, double dx, double dy) {
  double x[3], y[3];
  if (viewport.width <= 0 || viewport.height <= 0) return;
  const double pixel =
      2 * camera->distance * tan(0.5 * camera->field_of_view * radian) / viewport.height;
  axis_of(camera, 0, x);
  axis_of(camera, 1, y);
  sofa_vec3_axpy(-dx * pixel, x, camera->look_at);
  sofa_vec3_axpy(dy * pixel, y, camera->look_at);
  stand_off(camera);
}

void sofa_camera_zoom(SofaCamera *camera, double factor) {
  if (!(factor > 0)) return;
  camera->distance = fmin(fmax(camera->distance * factor, 1e-9), 1e12);
  stand_off(camera);
}

void sofa_camera_align(SofaCamera *camera, const double *direction, const double *up) {
  double back[3] = {-direction[0], -direction[1], -direction[2]};
  if (!(sofa_vec3_normalize(back) > 0)) return;
  orient(camera, back, up);
  stand_off(camera);
}

/* ---- from and to the picture ---- */

/* Half the height of the picture at distance 1 (orthographic: at the distance of look_at). */
static double half_height(const SofaCamera *camera) {
  const double h = tan(0.5 * camera->field_of_view * radian);
  return camera->orthographic ? h * camera->distance : h;
}

void sofa_camera_matrices(const SofaCamera *camera, double aspect, double view[16],
                          double projection[16]) {
  double m[9], t[3];
  sofa_quat_to_matrix(camera->orientation, m);
  sofa_mat3_apply_t(m, camera->position, t);
  for (int column = 0; column < 3; column++) {
    for (int row = 0; row < 3; row++) view[4 * column + row] = m[3 * column + row];
    view[4 * column + 3] = 0;
    view[12 + column] = -t[column];
  }
  view[15] = 1;

  const double h = half_height(camera), n = camera->z_near, f = camera->z_far;
  for (int i = 0; i < 16; i++) projection[i] = 0;
  projection[0] = 1 / (h * aspect);
  projection[5] = 1 / h;
  if (camera->orthographic) {
    projection[10] = -2 / (f - n);
    projection[14] = -(f + n) / (f - n);
    projection[15] = 1;
  } else {
    projection[10] = -(f + n) / (f - n);
    projection[11] = -1;
    projection[14] = -2 * f * n / (f - n);
  }
}

void sofa_camera_ray(const SofaCamera *camera, SofaViewport viewport, double x, double y,
                     double origin[3], double direction[3]) {
  const int width = viewport.width, height = viewport.height;
  const double h = half_height(camera);
  const double u = (2 * x - width) / height * h, v = (height - 2 * y) / height * h;
  double at[3] = {u, v, 0}, to[3] = {u, v, -1};
  if (camera->orthographic) sofa_vec3_set(to, 0, 0, -1);
  else sofa_vec3_set(at, 0, 0, 0);
  sofa_quat_rotate(camera->orientation, at, at);
  sofa_vec3_add(camera->position, at, origin);
  sofa_quat_rotate(camera->orientation, to, direction);
  sofa_vec3_normalize(direction);
}

bool sofa_camera_project(const SofaCamera *camera, SofaViewport viewport, const double *p,
                         double *x, double *y, double *depth) {
  const int width = viewport.width, height = viewport.height;
  double local[3];
  sofa_vec3_sub(p, camera->position, local);
  sofa_quat_rotate_inverse(camera->orientation, local, local);
  *depth = -local[2];
  if (!camera->orthographic && !(*depth > 0)) return false;
  const double scale = half_height(camera) * (camera->orthographic ? 1 : *depth);
  *x = 0.5 * (width + local[0] / scale * height);
  *y = 0.5 * (height - local[1] / scale * height);
  return true;
}
