/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of cameras, colour maps and draw lists: all that can be said of a picture without one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "draw/draw.h"
#include "components/visual/camera_math.h"
#include "components/visual/color_map.h"
#include "math/quaternion.h"
#include "object/factory.h"

enum { WIDTH = 800, HEIGHT = 600 };
static const SofaViewport viewport = {WIDTH, HEIGHT};

static void is_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g", a, b);
}

static void are_near(const double *a, const double *b, double tolerance) {
  for (int k = 0; k < 3; k++) is_near(a[k], b[k], tolerance);
}

static SofaCamera some_camera(bool orthographic) {
  SofaCamera camera;
  sofa_camera_init(&camera);
  sofa_camera_place(&camera, (double[]){3, 2, 5}, (double[]){0.5, 0.25, -1}, (double[]){0, 1, 0});
  camera.orthographic = orthographic;
  return camera;
}

/* look_at = position - distance * z axis */
static void holds_invariant(const SofaCamera *camera) {
  double back[3] = {0, 0, 1}, at[3];
  sofa_quat_rotate(camera->orientation, back, back);
  sofa_vec3_copy(camera->position, at);
  sofa_vec3_axpy(-camera->distance, back, at);
  are_near(at, camera->look_at, 1e-12);
}

static void places(void **state) {
  (void)state;
  const SofaCamera camera = some_camera(false);
  double x, y, depth;
  holds_invariant(&camera);
  assert_true(sofa_camera_project(&camera, viewport, camera.look_at, &x, &y, &depth));
  is_near(x, 400, 1e-9);
  is_near(y, 300, 1e-9);
  is_near(depth, camera.distance, 1e-12);
  // up is up in the picture, where y goes down
  assert_true(sofa_camera_project(&camera, viewport, (double[]){0.5, 1, -1}, &x, &y, &depth));
  is_near(x, 400, 1e-9);
  assert_true(y < 300);
  // behind the eye
  assert_false(sofa_camera_project(&camera, viewport, (double[]){6, 4, 12}, &x, &y, &depth));
}

/* The ray through the pixel of a point goes through the point. */
static void casts_rays(void **state) {
  (void)state;
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    const SofaCamera camera = some_camera(orthographic);
    const double p[3] = {0.1, -0.4, 0.3};
    double x, y, depth, origin[3], direction[3], to[3], off[3];
    assert_true(sofa_camera_project(&camera, viewport, p, &x, &y, &depth));
    sofa_camera_ray(&camera, viewport, x, y, origin, direction);
    is_near(sofa_vec3_norm(direction), 1, 1e-12);
    sofa_vec3_sub(p, origin, to);
    sofa_vec3_cross(to, direction, off);
    is_near(sofa_vec3_norm(off), 0, 1e-12);
  }
}

/* Matrices put a point where sofa_camera_project says, and the planes at -1 and 1. */
static void makes_matrices(void **state) {
  (void)state;
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    const SofaCamera camera = some_camera(orthographic);
    const double p[4] = {0.1, -0.4, 0.3, 1};
    double view[16], projection[16], e[4] = {0}, c[4] = {0}, x, y, depth;
    sofa_camera_matrices(&camera, (double)WIDTH / HEIGHT, view, projection);
    for (int i = 0; i < 16; i++) e[i % 4] += view[i] * p[i / 4];
    for (int i = 0; i < 16; i++) c[i % 4] += projection[i] * e[i / 4];
    assert_true(sofa_camera_project(&camera, viewport, p, &x, &y, &depth));
    is_near(0.5 * WIDTH * (1 + c[0] / c[3]), x, 1e-9);
    is_near(0.5 * HEIGHT * (1 - c[1] / c[3]), y, 1e-9);
    is_near(-e[2], depth, 1e-12);
    for (int far = 0; far < 2; far++) {
      const double z = far ? -camera.z_far : -camera.z_near;
      const double clip = projection[10] * z + projection[14];
      is_near(clip / (projection[11] * z + projection[15]), far ? 1 : -1, 1e-9);
    }
  }
}

static void moves(void **state) {
  (void)state;
  SofaCamera camera = some_camera(false);
  const double pivot[3] = {0, 0, 0};
  double x, y, depth;
  const double before = sofa_vec3_norm(camera.position);
  sofa_camera_orbit(&camera, viewport, pivot, (double[]){300, 200}, (double[]){420, 350});
  holds_invariant(&camera);
  is_near(sofa_vec3_norm(camera.position), before, 1e-12);

  // what is dragged in the plane of look_at stays below the mouse
  camera = some_camera(false);
  const double p[3] = {camera.look_at[0], camera.look_at[1], camera.look_at[2]};
  sofa_camera_pan(&camera, viewport, 30, -20);
  holds_invariant(&camera);
  assert_true(sofa_camera_project(&camera, viewport, p, &x, &y, &depth));
  is_near(x, 430, 1e-9);
  is_near(y, 280, 1e-9);

  sofa_camera_zoom(&camera, 0.5);
  holds_invariant(&camera);
  is_near(camera.distance, 0.5 * some_camera(false).distance, 1e-12);
  sofa_camera_zoom(&camera, -1);
  is_near(camera.distance, 0.5 * some_camera(false).distance, 1e-12);
  sofa_camera_align(&camera, (double[]){0, -1, 0}, (double[]){0, 1, 0});
  holds_invariant(&camera);
}

/* The default view of the spec: against gravity, from three half diagonals. */
static void fits(void **state) {
  (void)state;
  const SofaBox box = {{-1, 0, 2}, {3, 2, 4}};
  const SofaBox nothing = {{1, 1, 1}, {-1, -1, -1}};
  const double r = sqrt(4 + 1 + 1);
  SofaCamera camera;
  sofa_camera_init(&camera);
  sofa_camera_default(&camera, &box, (double[]){0, -9.81, 0});
  are_near(camera.look_at, (double[]){1, 1, 3}, 1e-12);
  are_near(camera.position, (double[]){1, 1, 3 + 3 * r}, 1e-12);
  holds_invariant(&camera);
  sofa_camera_default(&camera, &box, (double[]){0, 0, -1});
  are_near(camera.position, (double[]){1, 1 - 3 * r, 3}, 1e-12);
  sofa_camera_default(&camera, &box, (double[]){-1, 0, 0});
  holds_invariant(&camera);
  sofa_camera_clip(&camera, &box);
  assert_true(camera.z_near > 0 && camera.z_near < 2 * r && camera.z_far > 4 * r);

  // three quarters: above, to the right of the default, every corner in the picture
  for (int up = 0; up < 3; up++) {
    double g[3] = {0, 0, 0};
    SofaCamera front = camera;
    g[up] = -9.81;
    sofa_camera_default(&front, &box, g);
    sofa_camera_three_quarters(&camera, &box, g);
    holds_invariant(&camera);
    assert_true(camera.position[up] > box.max[up]);
    double arm[3], straight[3];
    sofa_vec3_sub(camera.position, camera.look_at, arm);
    sofa_vec3_sub(front.position, front.look_at, straight);
    const double cosine =
        sofa_vec3_dot(arm, straight) / sofa_vec3_norm(arm) / sofa_vec3_norm(straight);
    assert_true(fabs(cosine - cos(25 * M_PI / 180) * cos(35 * M_PI / 180)) < 1e-12);
    for (int i = 0; i < 8; i++) {
      double x, y, depth, p[3];
      for (int k = 0; k < 3; k++) p[k] = i >> k & 1 ? box.max[k] : box.min[k];
      assert_true(sofa_camera_project(&camera, viewport, p, &x, &y, &depth));
      assert_true(x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT);
    }
  }

  // every corner is in the picture
  sofa_camera_fit(&camera, &box, (double)WIDTH / HEIGHT);
  for (int i = 0; i < 8; i++) {
    double x, y, depth, p[3];
    for (int k = 0; k < 3; k++) p[k] = i >> k & 1 ? box.max[k] : box.min[k];
    assert_true(sofa_camera_project(&camera, viewport, p, &x, &y, &depth));
    assert_true(x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT);
  }
  sofa_camera_fit(&camera, &nothing, 1);
  assert_true(isfinite(camera.distance) && camera.distance > 0);
}

/* ---- colours ---- */

static double brightness(SofaRgba c) {
  return 0.2126 * c.v[0] + 0.7152 * c.v[1] + 0.0722 * c.v[2];
}

static void maps_colors(void **state) {
  (void)state;
  assert_string_equal(sofa_color_map_names[0], "viridis");
  // dark violet, green-blue, yellow: the ends and the middle of the published table
  const double wanted[3][3] = {{0.267, 0.005, 0.329}, {0.128, 0.567, 0.551}, {0.993, 0.906, 0.144}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      is_near((double)sofa_color_scheme_at(0, 0.5 * i).v[k], wanted[i][k], 0.03);
  for (int scheme = 0; scheme < 5; scheme++)
    for (int i = 0; i < 100; i++)
      assert_true(brightness(sofa_color_scheme_at(scheme, (i + 1) / 100.)) >
                  brightness(sofa_color_scheme_at(scheme, i / 100.)) - 0.01);
  for (int scheme = 0; sofa_color_map_names[scheme]; scheme++)
    for (int i = -1; i < 12; i++) {
      const SofaRgba c = sofa_color_scheme_at(scheme, i / 10.);
      for (int k = 0; k < 3; k++) assert_true(c.v[k] > -0.05f && c.v[k] < 1.05f);
    }
  assert_true(brightness(sofa_color_scheme_at(0, (double)NAN)) <= 0);
}

/* ---- lists ---- */

static void fills_lists(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  SofaDrawList list = {.ctx = ctx};
  const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const uint32_t tetras[8] = {0, 1, 2, 3, 0, 1, 2, 9};
  const SofaRgba red = SOFA_RGB(1, 0, 0), clear = SOFA_RGBA(1, 0, 0, 0.5);
  const SofaDrawElements how = {
      .x = x, .n_points = 4, .stride = 3, .shrink = 1, .color = {red, red, red, red}};
  SofaDrawVertices *scene = list.vertices[SOFA_LAYER_SCENE];

  // an element with a point that does not exist is left out
  sofa_draw_elements(&list, &how, tetras, 2, 4, false);
  assert_int_equal(scene[SOFA_DRAW_TRIANGLES].n, 12);
  sofa_draw_triangle(&list, x, x + 3, x + 6, clear);
  assert_int_equal(scene[SOFA_DRAW_TRIANGLES].n, 12);
  assert_int_equal(list.translucent.n, 3);
  assert_int_equal(list.translucent.data[0].rgba[3], 128);
  sofa_draw_box(&list, x, (double[]){1, 1, 1}, 1, red);
  assert_int_equal(scene[SOFA_DRAW_LINES].n, 24);
  sofa_draw_arrow(&list, x, x, 0.1, red); // no direction: nothing
  sofa_draw_indices(&list, x, 4, 3, 1, red);
  assert_int_equal(list.texts.n, 4);

  // the second picture asks for no memory
  const uint64_t requests = ctx->n_allocations;
  sofa_draw_clear(&list);
  assert_int_equal(scene[SOFA_DRAW_TRIANGLES].n, 0);
  sofa_draw_elements(&list, &how, tetras, 2, 4, false);
  sofa_draw_box(&list, x, (double[]){1, 1, 1}, 1, red);
  sofa_draw_indices(&list, x, 4, 3, 1, red);
  assert_int_equal(ctx->n_allocations, requests);
  sofa_draw_free(&list);
  sofa_context_destroy(&ctx);
}

/* Memory that runs out drops items and is remembered. */
static void *no_memory(void *user, void *block, size_t size) {
  const int *left = user;
  if (size == 0) {
    free(block);
    return NULL;
  }
  return *left ? realloc(block, size) : NULL;
}

static void silent(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  int left = 1;
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {
      .allocate = no_memory, .allocate_user = &left, .sink = silent};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  SofaDrawList list = {.ctx = ctx};
  left = 0;
  sofa_draw_line(&list, (double[]){0, 0, 0}, (double[]){1, 0, 0}, 1, SOFA_RGB(1, 1, 1));
  sofa_draw_label(&list, (double[]){0, 0, 0}, 10, SOFA_RGB(1, 1, 1), "text");
  assert_int_equal(list.failure, SOFA_ERR_MEMORY);
  assert_int_equal(list.vertices[SOFA_LAYER_SCENE][SOFA_DRAW_LINES].n, 0);
  left = 1;
  sofa_draw_clear(&list);
  sofa_draw_point(&list, (double[]){0, 0, 0}, 1, SOFA_RGB(1, 1, 1));
  assert_int_equal(list.failure, SOFA_OK);
  assert_int_equal(list.vertices[SOFA_LAYER_SCENE][SOFA_DRAW_POINTS].n, 1);
  sofa_draw_free(&list);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),         cmocka_unit_test(casts_rays),
      cmocka_unit_test(makes_matrices), cmocka_unit_test(moves),
      cmocka_unit_test(fits),           cmocka_unit_test(maps_colors),
      cmocka_unit_test(fills_lists),    cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
