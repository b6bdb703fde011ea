/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of views, picking and pulling, without a display. Without OpenGL they are skipped. */
#include "view_support.h"

#include "components/visual/OglColorMap.h"
#include "viewer/pull.h"
#include "viewer/render/program.h"

static const char body[] =
    "<Node name='root' dt='0.01' gravity='0 0 0'>"
    "<DefaultAnimationLoop/><BackgroundSetting color='0 0 0 1'/>"
    "<InteractiveCamera position='0.5 0 4' lookAt='0.5 0 0'/>"
    "<Node name='a'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' "
    "threshold='1e-20'/>"
    "<MechanicalObject name='state' position='0 0 0  1 0 0'/><UniformMass totalMass='2'/>"
    "<MeshTopology edges='0 1'/><MeshSpringForceField name='spring' stiffness='100'/>"
    "<FixedProjectiveConstraint indices='0'/></Node>"
    "<OglModel name='look' position='0 -0.3 0  0.4 -0.3 0  0.4 0.3 0  0 0.3 0' quads='0 1 2 3' "
    "color='1 1 1 1' %s/></Node>";

static void open_model(View *v, const char *model) {
  char text[2000];
  snprintf(text, sizeof text, body, model);
  view_open(v, text);
}

static int n_bright(const View *v) {
  int n = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) n += v->pixels[3 * i] + v->pixels[3 * i + 1] > 60;
  return n;
}

static void shows_and_hides(void **state) {
  (void)state;
  View v;
  open_model(&v, "");
  view_draw(&v);
  // the square is 0.4 x 0.6 at a distance of 4: 14.5 x 21.7 pixels of 160 x 120 at 45 degrees
  assert_in_range(n_bright(&v), 250, 380);
  scene_view_options(v.view)->flags.value[SOFA_DISPLAY_VISUAL_MODELS] = -1;
  view_draw(&v);
  assert_int_equal(n_bright(&v), 0);
  scene_view_options(v.view)->flags.value[SOFA_DISPLAY_BEHAVIOR_MODELS] = 1;
  view_draw(&v);
  assert_in_range(n_bright(&v), 40, 120); // the disc of the fixed point
  scene_view_options(v.view)->background = SCENE_BACKGROUND_WHITE;
  view_draw(&v);
  assert_int_equal(n_bright(&v), WIDTH * HEIGHT);
  view_close(&v);
}

/* The first row of the file is the upper one. */
static void knows_what_is_up(void **state) {
  (void)state;
  View v;
  open_model(&v, "dy='0.6'");
  view_draw(&v);
  int upper = 0;
  for (int i = 0; i < WIDTH * HEIGHT / 2; i++) upper += v.pixels[3 * i] > 60;
  assert_true(upper > 100 && upper >= n_bright(&v) - 20);
  view_close(&v);
}

/* Two displays share a map without limits: it has the range of both. It grows, until it is
 * rescaled. */
static void shares_a_range(void **state) {
  (void)state;
  View v;
  double low = 0, high = 0;
  view_open(&v, "<Node name='root'><DefaultAnimationLoop/><OglColorMap name='map' showLegend='1'/>"
                "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                "<DataDisplay name='one' pointData='1 2 3'/>"
                "<DataDisplay name='two' pointData='-4 0 1'/></Node>");
  const OglColorMap *map = (const OglColorMap *)scene_run_object(&v.run, "/map");
  SofaObject *one = scene_run_object(&v.run, "/one");
  assert_false(sofa_color_map_range(map, &low, &high));
  view_draw(&v);
  assert_true(sofa_color_map_range(map, &low, &high));
  assert_true(low == -4 && high == 3);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(sofa_field_set_text(one, "pointData", i ? "1 2 3" : "1 2 30", 0), SOFA_OK);
    view_draw(&v);
    assert_true(sofa_color_map_range(map, &low, &high));
    assert_true(low == -4 && high == 30);
  }
  scene_view_rescale(v.view);
  view_draw(&v);
  assert_true(sofa_color_map_range(map, &low, &high));
  assert_true(low == -4 && high == 3);
  view_close(&v);
}

/* Moved positions are drawn; once warm, a frame asks for no memory. */
static void follows_without_memory(void **state) {
  (void)state;
  View v;
  open_model(&v, "");
  SofaState *look = scene_run_state(&v.run, "/look");
  for (int i = 0; i < 3; i++) view_draw(&v);
  const uint64_t requests = v.run.ctx->n_allocations;
  const int before = n_bright(&v);
  for (size_t i = 0; i < 4; i++) look->position.data[3 * i] *= 2;
  sofa_state_touch(look);
  view_draw(&v);
  assert_in_range(n_bright(&v), 3 * before / 2, 5 * before / 2);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  assert_true(scene_view_stats(v.view).uploaded_bytes > 0);
  view_close(&v);
}

static void picks(void **state) {
  (void)state;
  View v;
  ScenePick pick;
  double x, y, depth;
  open_model(&v, "");
  const SofaCamera *camera = scene_view_camera(v.view);
  assert_true(sofa_camera_project(camera, (SofaViewport){WIDTH, HEIGHT}, (double[]){1, 0, 0}, &x,
                                  &y, &depth));
  scene_view_pick(v.view, (SofaViewport){WIDTH, HEIGHT}, x + 3, y - 2, 10, &pick);
  assert_ptr_equal(pick.state, scene_run_state(&v.run, "/a/state"));
  assert_int_equal(pick.point, 1);
  assert_true(fabs(pick.depth - 4) < 1e-9);
  scene_view_pick(v.view, (SofaViewport){WIDTH, HEIGHT}, x, y + 40, 10, &pick);
  assert_null(pick.state);
  view_close(&v);
}

/* The spring reaches the balance of forces: 100 (d - 0) = k (0.5 - d) along the rod. */
static void pulls(void **state) {
  (void)state;
  View v;
  Pull pull = {0};
  double x, y, depth;
  open_model(&v, "");
  SofaState *body_state = scene_run_state(&v.run, "/a/state");
  const PickAnchor anchor = pick_anchor_point(body_state, 1);
  assert_int_equal(pull_begin(&pull, v.run.simulation, &anchor, 4, 300), SOFA_OK);
  const double target[3] = {1.5, 0, 0};
  assert_true(sofa_camera_project(scene_view_camera(v.view), (SofaViewport){WIDTH, HEIGHT}, target,
                                  &x, &y, &depth));
  pull_move(&pull, scene_view_camera(v.view), (SofaViewport){WIDTH, HEIGHT}, x, y);
  for (int k = 0; k < 3; k++) assert_true(fabs(pull.target[k] - target[k]) < 1e-9);
  scene_run_steps(&v.run, 800);
  assert_true(fabs(body_state->position.data[3] - (1 + 0.5 * 300 / 400)) < 1e-3);
  pull_draw(&pull, scene_view_extra(v.view));
  view_draw(&v);
  pull_end(&pull);
  pull_end(&pull);
  scene_run_steps(&v.run, 800);
  assert_true(fabs(body_state->position.data[3] - 1) < 1e-2);
  view_close(&v);
}

/* Looking at a simulation, picking and drawing it changes nothing. */
static void leaves_alone(void **state) {
  (void)state;
  View v;
  ScenePick pick;
  double x[2][6];
  for (int looked_at = 0; looked_at < 2; looked_at++) {
    open_model(&v, "");
    scene_run_state(&v.run, "/a/state")->velocity.data[4] = 2;
    for (int i = 0; i < 20; i++) {
      scene_run_steps(&v.run, 1);
      if (!looked_at) continue;
      view_draw(&v);
      scene_view_pick(v.view, (SofaViewport){WIDTH, HEIGHT}, 80, 60, 50, &pick);
    }
    memcpy(x[looked_at], scene_run_state(&v.run, "/a/state")->position.data, sizeof x[0]);
    view_close(&v);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void reloads(void **state) {
  (void)state;
  View v;
  char text[2000];
  open_model(&v, "");
  sofa_camera_zoom(scene_view_camera(v.view), 0.7);
  const SofaCamera kept = *scene_view_camera(v.view);
  assert_int_equal(scene_view_open(v.view, NULL, true), SOFA_OK);
  sofa_simulation_destroy(&v.run.simulation);
  view_draw(&v); // nothing to see
  snprintf(text, sizeof text, body, "");
  assert_int_equal(sofa_simulation_load_text(v.run.ctx, text, &v.run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(v.run.simulation), SOFA_OK);
  assert_int_equal(scene_view_open(v.view, v.run.simulation, true), SOFA_OK);
  assert_memory_equal(&kept, scene_view_camera(v.view), sizeof kept.position);
  view_draw(&v);
  assert_int_equal(scene_view_open(v.view, v.run.simulation, false), SOFA_OK);
  assert_true(scene_view_camera(v.view)->distance > kept.distance);
  view_close(&v);
}

/* An image that is not there or no image: a warning, once, and the surface without it. */
static void survives_bad_images(void **state) {
  (void)state;
  View v;
  open_model(&v, "texturename='nowhere.png' texcoords='0 0 1 0 1 1 0 1'");
  assert_non_null(strstr(v.run.all, "nowhere.png"));
  view_draw(&v);
  assert_in_range(n_bright(&v), 250, 380);
  view_close(&v);

  // a text file under the name of an image
  open_model(&v, "texturename='tests/CMakeLists.txt' texcoords='0 0 1 0 1 1 0 1'");
  const int before = v.run.n_problems;
  view_draw(&v);
  view_draw(&v);
  assert_int_equal(v.run.n_problems, before + 1);
  assert_in_range(n_bright(&v), 250, 380);
  view_close(&v);
}

/* Faces with points that do not exist are left out. */
static void survives_bad_faces(void **state) {
  (void)state;
  View v;
  open_model(&v, "triangles='0 1 99'");
  view_draw(&v);
  assert_in_range(n_bright(&v), 250, 380);
  scene_view_options(v.view)->flags.value[SOFA_DISPLAY_WIREFRAME] = 1;
  view_draw(&v);
  assert_in_range(n_bright(&v), 40, 200);
  view_close(&v);
}

/* Whichever request for memory fails: an error or a poorer picture, and nothing is lost. */
static void survives_lack_of_memory(void **state) {
  (void)state;
  View v;
  SofaErr err = SOFA_ERR_MEMORY;
  for (long n = 0; err != SOFA_OK && n < 400; n += 1 + n / 20) {
    char text[2000];
    snprintf(text, sizeof text, body,
             "texturename='scenes/visual/checker.png' texcoords='0 0 1 0 1 1 0 1'");
    view_prepare(&v, text);
    v.left = n;
    err = offscreen_bind(v.offscreen, WIDTH, HEIGHT);
    if (err == SOFA_OK) err = scene_view_create(v.run.ctx, &v.view);
    if (err == SOFA_OK) {
      memset(scene_view_options(v.view)->flags.value, 1, SOFA_N_DISPLAY_FLAGS);
      err = scene_view_open(v.view, v.run.simulation, false);
    }
    if (err == SOFA_OK) err = scene_view_draw(v.view, WIDTH, HEIGHT);
    if (v.left == 0) err = SOFA_ERR_MEMORY; // a poorer picture
    v.left = -1;
    if (v.view) view_draw(&v);
    view_close(&v);
  }
  assert_int_equal(err, SOFA_OK);
}

static void refuses_broken_shaders(void **state) {
  (void)state;
  View v;
  Program program;
  open_model(&v, "");
  const ShaderText broken = {"broken", "#version 330 core\nvoid main() { oops }\n", NULL,
                             "#version 330 core\nvoid main() {}\n"};
  assert_int_equal(program_create(v.run.ctx, &broken, &program), SOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(v.run.last, "broken"));
  assert_int_equal(program.name, 0);
  view_draw(&v);
  view_close(&v);
}

static void refuses_sizes(void **state) {
  (void)state;
  View v;
  open_model(&v, "");
  assert_int_equal(offscreen_bind(v.offscreen, 0, 10), SOFA_ERR_RANGE);
  assert_int_equal(offscreen_bind(v.offscreen, 1 << 28, 10), SOFA_ERR_RANGE);
  assert_int_equal(png_write(v.run.ctx, "/nowhere/x.png", (const uint8_t *)"abc", 1, 1),
                   SOFA_ERR_IO);
  view_draw(&v);
  view_close(&v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shows_and_hides),
      cmocka_unit_test(knows_what_is_up),
      cmocka_unit_test(shares_a_range),
      cmocka_unit_test(follows_without_memory),
      cmocka_unit_test(picks),
      cmocka_unit_test(pulls),
      cmocka_unit_test(leaves_alone),
      cmocka_unit_test(reloads),
      cmocka_unit_test(survives_bad_images),
      cmocka_unit_test(survives_bad_faces),
      cmocka_unit_test(survives_lack_of_memory),
      cmocka_unit_test(refuses_broken_shaders),
      cmocka_unit_test(refuses_sizes),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
