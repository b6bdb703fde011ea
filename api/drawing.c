/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shapes that the application draws into pictures. */
#include "api/api_impl.h"
#include "math/quaternion.h"

static SofaRgba color_of(const double *rgba) {
  return rgba ? SOFA_RGBA(rgba[0], rgba[1], rgba[2], rgba[3]) : SOFA_RGB(1, 1, 1);
}

void csofa_draw_points(CsofaDrawing *to, size_t n, const double *x, double pixels,
                       const double *rgba) {
  to->list->layer = SOFA_LAYER_SCENE;
  for (size_t i = 0; i < n; i++) sofa_draw_point(to->list, x + 3 * i, pixels, color_of(rgba));
}

void csofa_draw_lines(CsofaDrawing *to, size_t n, const double *x, double pixels,
                      const double *rgba) {
  to->list->layer = SOFA_LAYER_SCENE;
  for (size_t i = 0; i < n; i++)
    sofa_draw_line(to->list, x + 6 * i, x + 6 * i + 3, pixels, color_of(rgba));
}

void csofa_draw_triangles(CsofaDrawing *to, size_t n, const double *x, const double *rgba) {
  to->list->layer = SOFA_LAYER_SCENE;
  for (size_t i = 0; i < n; i++)
    sofa_draw_triangle(to->list, x + 9 * i, x + 9 * i + 3, x + 9 * i + 6, color_of(rgba));
}

void csofa_draw_spheres(CsofaDrawing *to, size_t n, const double *x, double radius,
                        const double *rgba) {
  to->list->layer = SOFA_LAYER_SCENE;
  for (size_t i = 0; i < n; i++) sofa_draw_sphere(to->list, x + 3 * i, radius, color_of(rgba));
}

static void draw_frame(SofaDrawList *list, const double *frame, const double *size) {
  for (int axis = 0; axis < 3; axis++) {
    double tip[3] = {0, 0, 0};
    tip[axis] = size[axis];
    sofa_quat_rotate(frame + 3, tip, tip);
    sofa_vec3_add(frame, tip, tip);
    sofa_draw_arrow(list, frame, tip, 0.04 * size[axis], SOFA_RGB(axis == 0, axis == 1, axis == 2));
  }
}

void csofa_draw_frames(CsofaDrawing *to, size_t n, const double *frames, const double *size) {
  to->list->layer = SOFA_LAYER_SCENE;
  for (size_t i = 0; i < n; i++) draw_frame(to->list, frames + 7 * i, size);
}

void csofa_draw_text(CsofaDrawing *to, const double *p, double height, const char *text,
                     const double *rgba) {
  to->list->layer = SOFA_LAYER_SCENE;
  sofa_draw_text(to->list, p, height, color_of(rgba), text);
}

/* As OglLabel: the base line is one size of the letters below, a line is 1.25 of it high. */
void csofa_draw_overlay_text(CsofaDrawing *to, const double *xy, double pixels, const char *text,
                             const double *rgba) {
  const double p[3] = {xy[0], xy[1] + pixels, 0};
  to->list->layer = SOFA_LAYER_SCREEN;
  sofa_draw_label(to->list, p, 1.25 * pixels, color_of(rgba), text);
  to->list->layer = SOFA_LAYER_SCENE;
}
