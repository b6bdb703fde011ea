/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mathematics of cameras: where the eye is, what it sees, how it is moved. */
#ifndef SOFA_VISUAL_CAMERA_MATH_H
#define SOFA_VISUAL_CAMERA_MATH_H

#include "object/type.h"

SOFA_BEGIN_DECLS

/* The camera looks along its -z axis, y is up. Invariant of the functions below:
 * look_at = position - distance * z axis. */
typedef struct SofaCamera {
  double position[3], orientation[4]; /* m; quaternion x y z w from camera to world axes */
  double look_at[3], distance;        /* m */
  double field_of_view;               /* vertical, degrees */
  double z_near, z_far;               /* m, > 0 */
  bool orthographic;
} SofaCamera;

/* A camera at (0 0 5) that looks at the origin, 45 degrees. */
void sofa_camera_init(SofaCamera *camera);
/* Stands at `position` and looks at `look_at`; up: direction that is upwards in the picture. */
void sofa_camera_place(SofaCamera *camera, const double *position, const double *look_at,
                       const double *up);
/* The default view of a box: up is opposite to gravity (y without gravity), seen along a
 * horizontal axis from three times the distance centre to corner. */
void sofa_camera_default(SofaCamera *camera, const SofaBox *box, const double *gravity);
/* The same from three quarters above, 35 degrees to the side and 25 degrees up, from where the box
 * nearly fills the picture. */
void sofa_camera_three_quarters(SofaCamera *camera, const SofaBox *box, const double *gravity);
/* Looks at the middle of the box in the same direction, from where it fills the picture. aspect =
 * width / height. */
void sofa_camera_fit(SofaCamera *camera, const SofaBox *box, double aspect);
/* near and far from the box: what is in it is not cut (but what is nearer than far / 2000). */
void sofa_camera_clip(SofaCamera *camera, const SofaBox *box);

/* The size of the picture in pixels. */
typedef struct SofaViewport {
  int width, height;
} SofaViewport;

/* ---- moving it, with the mouse: pixels of the picture ---- */

/* Turns around `pivot` as a trackball does when the mouse goes from one pixel to another. */
void sofa_camera_orbit(SofaCamera *camera, SofaViewport viewport, const double *pivot,
                       const double from[2], const double to[2]);
/* Moves so that what is at the distance of `look_at` follows the mouse. */
void sofa_camera_pan(SofaCamera *camera, SofaViewport viewport, double dx, double dy);
/* factor < 1: closer to look_at. Never reaches it. */
void sofa_camera_zoom(SofaCamera *camera, double factor);
/* Looks along `direction` (world axes) at the same point from the same distance. */
void sofa_camera_align(SofaCamera *camera, const double *direction, const double *up);

/* ---- from and to the picture: x right, y down, from the upper left corner ---- */

/* Column-major, as OpenGL takes them. */
void sofa_camera_matrices(const SofaCamera *camera, double aspect, double view[16],
                          double projection[16]);
/* The ray through a pixel: unit direction. */
void sofa_camera_ray(const SofaCamera *camera, SofaViewport viewport, double x, double y,
                     double origin[3], double direction[3]);
/* Pixel of a point; *depth: distance along the view direction. false: behind the eye. */
bool sofa_camera_project(const SofaCamera *camera, SofaViewport viewport, const double *p,
                         double *x, double *y, double *depth);

SOFA_END_DECLS

#endif
