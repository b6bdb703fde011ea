/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of shadows, clip planes, moved nodes, second views and shaders of a scene: colours of
 * single places of the picture. Without OpenGL they are skipped. */
#include "view_support.h"

#define HEAD                                                                                       \
  "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"                            \
  "<BackgroundSetting color='0 0 0 1'/><VisualStyle displayFlags='showVisualModels'/>"             \
  "<InteractiveCamera position='0 0 10' lookAt='0 0 0'/>"
/* A square of side 2 around (x y z), towards the eye. */
#define SQUARE(name, x, y, z, rest)                                                                \
  "<OglModel name='" name "' position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3' "           \
  "translation='" x " " y " " z "' color='1 1 1 1' " rest "/>"

/* Red of the pixel where a point is seen. */
static int red_at(const View *v, double x, double y, double z, int channel) {
  const double p[3] = {x, y, z};
  double px, py, depth;
  assert_true(sofa_camera_project(scene_view_camera(v->view), (SofaViewport){WIDTH, HEIGHT}, p, &px,
                                  &py, &depth));
  assert_true(px >= 0 && px < WIDTH && py >= 0 && py < HEIGHT);
  return v->pixels[3 * ((int)py * WIDTH + (int)px) + channel];
}

/* ---- shadows ---- */

/* A wall, and a small plate in front of its upper left; light from the right and above makes its
 * shadow fall further to the left and down. */
static const char lit[] =
    HEAD "<LightManager name='manager' ambient='0 0 0 1' shadows='%s' softShadows='%s'/>%s"
         "<OglModel name='wall' position='-4 -3 0  4 -3 0  4 3 0  -4 3 0' quads='0 1 2 3' "
         "color='1 1 1 1'/>"
         "<OglModel name='plate' position='-0.5 0.5 1  0.5 0.5 1  0.5 1.5 1  -0.5 1.5 1' "
         "quads='0 1 2 3' color='1 1 1 1' castshadow='%s'/></Node>";

static void open_lit(View *v, const char *shadows, const char *soft, const char *light,
                     const char *casts) {
  char text[3000];
  snprintf(text, sizeof text, lit, shadows, soft, light, casts);
  view_open(v, text);
  view_draw(v);
}

static const char *const lights[] = {
    "<DirectionalLight name='l' direction='-1 -1 -1'/>",
    "<SpotLight name='l' position='4 5 5' direction='-1 0 0' lookat='1' cutoff='40' exponent='0'/>",
    "<PositionalLight name='l' position='4 5 5'/>",
};

/* Where the shadow of the middle of the plate falls on the wall. */
static void shadow_at(int light, double *x, double *y) {
  const double t = 5. / 4; // from (4 5 5) through (0 1 1) to z = 0
  *x = light == 0 ? -1 : 4 - 4 * t;
  *y = light == 0 ? 0 : 5 - 4 * t;
}

static void casts_shadows(void **state) {
  (void)state;
  View v;
  for (int light = 0; light < 3; light++)
    for (int soft = 0; soft < 2; soft++) {
      double x, y;
      shadow_at(light, &x, &y);
      open_lit(&v, "0", "0", lights[light], "1");
      const int full = red_at(&v, x, y, 0, 0), aside = red_at(&v, 2.5, -2, 0, 0);
      assert_true(full > 60 && aside > 60);
      view_close(&v);
      open_lit(&v, "1", soft ? "1" : "0", lights[light], "1");
      assert_true(red_at(&v, x, y, 0, 0) < full / 6);
      // what is not in it is as before, and no surface shadows itself
      assert_in_range(red_at(&v, 2.5, -2, 0, 0), aside - 3, aside + 3);
      for (int i = 0; i < 20; i++) assert_true(red_at(&v, -3.6 + 0.2 * i, -2.5, 0, 0) > 30);
      view_close(&v);
      open_lit(&v, "1", soft ? "1" : "0", lights[light], "0");
      assert_in_range(red_at(&v, x, y, 0, 0), full - 3, full + 3);
      view_close(&v);
    }
}

/* shadowsEnabled of a light, its darkness, and a map of few pixels; nothing is asked for in a warm
 * frame. */
static void obeys_fields_of_lights(void **state) {
  (void)state;
  View v;
  open_lit(&v, "0", "0", lights[0], "1");
  const int full = red_at(&v, -1, 0, 0, 0);
  view_close(&v);
  open_lit(&v, "1", "0", "<DirectionalLight direction='-1 -1 -1' shadowsEnabled='0'/>", "1");
  assert_in_range(red_at(&v, -1, 0, 0, 0), full - 3, full + 3);
  view_close(&v);
  open_lit(&v, "1", "0", "<DirectionalLight direction='-1 -1 -1' shadowFactor='0.5'/>", "1");
  assert_in_range(red_at(&v, -1, 0, 0, 0), full / 2 - 3, full / 2 + 3);
  view_close(&v);
  open_lit(&v, "1", "0",
           "<DirectionalLight direction='-1 -1 -1' softShadows='1' "
           "shadowTextureSize='128' VSMLightBleeding='0.2'/>",
           "1");
  assert_true(red_at(&v, -1, 0, 0, 0) < full / 2);
  SofaState *plate = scene_run_state(&v.run, "/plate");
  const uint64_t requests = v.run.ctx->n_allocations;
  for (size_t i = 0; i < 4; i++) plate->position.data[3 * i] += 6;
  sofa_state_touch(plate);
  view_draw(&v);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  assert_true(red_at(&v, -1, 0, 0, 0) > full / 2); // it went with the plate
  view_close(&v);
}

static void shows_maps(void **state) {
  (void)state;
  View v;
  open_lit(&v, "1", "0", lights[0], "1");
  const int corner = v.pixels[3 * ((HEIGHT - 4) * WIDTH + 4)];
  assert_int_equal(sofa_field_set_text(scene_run_object(&v.run, "/manager"), "debugDraw", "1", 0),
                   SOFA_OK);
  view_draw(&v);
  assert_int_not_equal(v.pixels[3 * ((HEIGHT - 4) * WIDTH + 4)], corner);
  view_close(&v);
}

static void expect_refusal(const char *text, const char *words) {
  View v;
  memset(&v, 0, sizeof v);
  scene_run_context(&v.run, NULL);
  v.run.quiet = true;
  SofaErr err = sofa_simulation_load_text(v.run.ctx, text, &v.run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(v.run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(v.run.all, words)) print_message("%s\n", v.run.all);
  assert_non_null(strstr(v.run.all, words));
  scene_run_close(&v.run);
}

static void refuses_bad_fields(void **state) {
  (void)state;
  expect_refusal(HEAD "<LightManager/><SpotLight VSMLightBleeding='2'/></Node>",
                 "'VSMLightBleeding': 2, expected");
  expect_refusal(HEAD "<LightManager/><SpotLight zNear='3' zFar='2'/></Node>", "'zNear': 3");
  expect_refusal(HEAD "<ClipPlane id='6'/></Node>", "'id': 6, expected in [0, 5]");
  expect_refusal(HEAD "<ClipPlane normal='0 0 0'/></Node>", "'normal'");
  expect_refusal(HEAD "<OglViewport fovy='180'/></Node>", "'fovy'");
  expect_refusal(HEAD "<VisualTransform transform='1 2 3 0 0 0 0'/></Node>", "'transform'");
  expect_refusal(HEAD "<MergeVisualModels nb='2'/></Node>", "'input1': missing");
  expect_refusal(HEAD "<OglFloat4Variable value='1 2 3'/></Node>", "'value'");
  expect_refusal(HEAD "<OglMatrix3Variable value='1 2 3'/></Node>",
                 "'value': 3 numbers, expected a multiple of 9");
  expect_refusal(HEAD "<OglInt3Attribute value='1 2'/></Node>", "'value': 2 numbers");
  expect_refusal(HEAD "<OglShaderDefineMacro id='a b'/></Node>", "'id': 'a b'");
  expect_refusal(HEAD "<OglTexture proceduralTextureWidth='2' proceduralTextureHeight='2' "
                      "proceduralTextureData='1'/></Node>",
                 "'proceduralTextureData': 1 numbers, expected 4");
  expect_refusal(HEAD "<OglTexturePointer/></Node>", "'oglTexture': missing");
  expect_refusal(HEAD "<OglShader indexActiveShader='1'/></Node>", "'indexActiveShader': 1");
}

/* ---- clip planes, transforms, viewports ---- */

static void cuts(void **state) {
  (void)state;
  View v;
  view_open(&v, HEAD "<Node name='a'><ClipPlane name='p' position='0 0 0' normal='1 0 0'/>"
                     "<Node name='b'>" SQUARE("s", "0", "0", "0",
                                              "") "</Node></Node>"
                                                  "<Node name='c'>" SQUARE("s", "-3", "0", "0",
                                                                           "") "</Node></Node>");
  view_draw(&v);
  assert_true(red_at(&v, 0.5, 0, 0, 0) > 60);
  assert_true(red_at(&v, -0.5, 0, 0, 0) < 5);
  assert_true(red_at(&v, -3.5, 0, 0, 0) > 60); // not below the plane
  SofaObject *plane = scene_run_object(&v.run, "/a/p");
  assert_int_equal(sofa_field_set_text(plane, "active", "0", 0), SOFA_OK);
  view_draw(&v);
  assert_true(red_at(&v, -0.5, 0, 0, 0) > 60);
  view_close(&v);
}

/* A transform follows what it is linked to; nodes below only when it says so. */
static void moves(void **state) {
  (void)state;
  View v;
  view_open(&v, HEAD "<Node name='m'><MechanicalObject name='o' template='Rigid3d' "
                     "position='3 0 0 0 0 0 1'/></Node>"
                     "<Node name='a'><VisualTransform name='t' transform='@/m/o.position'/>" SQUARE(
                         "s", "0", "0", "0", "") "<Node name='b'>" SQUARE("s", "0", "-2.5", "0",
                                                                          "") "</Node></Node></"
                                                                              "Node>");
  view_draw(&v);
  assert_true(red_at(&v, 0, 0, 0, 0) < 5 && red_at(&v, 3, 0, 0, 0) > 60);
  assert_true(red_at(&v, 0, -2.5, 0, 0) > 60);
  SofaState *o = scene_run_state(&v.run, "/m/o");
  o->position.data[0] = -3;
  sofa_state_touch(o);
  SofaObject *transform = scene_run_object(&v.run, "/a/t");
  assert_int_equal(sofa_field_set_text(transform, "recursive", "1", 0), SOFA_OK);
  v.run.simulation->graph_version++;
  view_draw(&v);
  assert_true(red_at(&v, 3, 0, 0, 0) < 5 && red_at(&v, -3, 0, 0, 0) > 60);
  assert_true(red_at(&v, 0, -2.5, 0, 0) < 5 && red_at(&v, -3, -2.5, 0, 0) > 60);
  view_close(&v);
}

static void shows_second_views(void **state) {
  (void)state;
  View v;
  view_open(&v, HEAD
            "<OglViewport name='v' screenPosition='-41 1' screenSize='40 30' "
            "cameraPosition='0 0 3' fovy='40' tags='t'/>" SQUARE("s", "0", "0", "0", "tags='t'")
                SQUARE("other", "-3", "0", "0", "") "</Node>");
  view_draw(&v);
  // the square fills the small picture; its corner is the lower right one
  assert_true(v.pixels[3 * ((HEIGHT - 15) * WIDTH + WIDTH - 20)] > 60);
  assert_true(v.pixels[3 * ((HEIGHT - 40) * WIDTH + WIDTH - 20)] < 5);
  assert_true(red_at(&v, -3, 0, 0, 0) > 60);
  SofaObject *viewport = scene_run_object(&v.run, "/v");
  assert_int_equal(sofa_field_set_text(viewport, "swapMainView", "1", 0), SOFA_OK);
  view_draw(&v);
  assert_true(v.pixels[3 * (5 * WIDTH + WIDTH / 2)] > 60); // seen from near
  assert_int_equal(sofa_field_set_text(viewport, "enabled", "0", 0), SOFA_OK);
  view_draw(&v);
  assert_true(v.pixels[3 * ((HEIGHT - 15) * WIDTH + WIDTH - 20)] < 5);
  view_close(&v);
}

static void merges(void **state) {
  (void)state;
  View v;
  view_open(&v, HEAD "<Node name='a'>" SQUARE(
                    "s", "-2", "0", "0",
                    "enable='0'") "</Node>"
                                  "<Node name='b'>" SQUARE(
                                      "s", "2", "0", "0",
                                      "enable='0'") "</Node>"
                                                    "<MergeVisualModels name='all' nb='2' "
                                                    "input1='@/a/s' input2='@/b/s' "
                                                    "color='1 0 0 1'/></Node>");
  view_draw(&v);
  assert_true(red_at(&v, -2, 0, 0, 0) > 60 && red_at(&v, 2, 0, 0, 0) > 60);
  assert_true(red_at(&v, 2, 0, 0, 1) < 20);
  SofaState *b = scene_run_state(&v.run, "/b/s");
  const uint64_t requests = v.run.ctx->n_allocations;
  for (size_t i = 0; i < 4; i++) b->position.data[3 * i + 1] += 2.5;
  sofa_state_touch(b);
  view_draw(&v);
  assert_true(red_at(&v, 2, 0, 0, 0) < 5 && red_at(&v, 2, 2.5, 0, 0) > 60);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  view_close(&v);
}

/* ---- colours ---- */

#define PLATE(name, z, color)                                                                      \
  "<OglModel name='" name "' position='-1 -1 " z "  1 -1 " z "  1 1 " z "  -1 1 " z                \
  "' quads='0 1 2 3' material='m Diffuse 0 0 0 0 0 Ambient 0 0 0 0 0 Emissive 1 " color " 1'/>"
#define GLASS(name, z, color)                                                                      \
  "<OglModel name='" name "' position='-1 -1 " z "  1 -1 " z "  1 1 " z "  -1 1 " z                \
  "' quads='0 1 2 3' color='" color " 0.5'/>"

/* The order of the objects and the sorting do not matter, and what is opaque hides. */
static void sums_translucent_surfaces(void **state) {
  (void)state;
  static const char *const scenes[] = {
      HEAD "<OrderIndependentTransparencyManager depthScale='0'/><LightManager ambient='5 5 5 "
           "1'/>" GLASS("a", "0", "1 0 0") GLASS("b", "0.001", "0 1 0") "</Node>",
      HEAD "<OrderIndependentTransparencyManager depthScale='0'/><LightManager ambient='5 5 5 "
           "1'/>" GLASS("b", "0.001", "0 1 0") GLASS("a", "0", "1 0 0") "</Node>",
      HEAD "<OrderIndependentTransparencyManager depthScale='0'/><LightManager ambient='5 5 5 "
           "1'/>" GLASS("b", "0", "0 1 0") GLASS("a", "0.001", "1 0 0") "</Node>",
  };
  int colors[3][3];
  for (int i = 0; i < 3; i++) {
    View v;
    view_open(&v, scenes[i]);
    view_draw(&v);
    for (int k = 0; k < 3; k++) colors[i][k] = red_at(&v, 0, 0, 0, k);
    assert_int_equal(v.run.n_problems, 0);
    view_close(&v);
  }
  // 1 - 0.5^2 of the mean of both
  assert_in_range(colors[0][0], 85, 107);
  assert_in_range(colors[0][1], 85, 107);
  for (int i = 1; i < 3; i++)
    for (int k = 0; k < 3; k++)
      assert_in_range(colors[i][k] + 5, colors[0][k] + 4, colors[0][k] + 6);
  View v;
  view_open(&v, HEAD "<OrderIndependentTransparencyManager/>" GLASS("a", "0", "1 0 0")
                    PLATE("front", "1", "0 0 1") "</Node>");
  view_draw(&v);
  assert_true(red_at(&v, 0, 0, 1, 0) < 5 && red_at(&v, 0, 0, 1, 2) > 200);
  for (int i = 0; i < 2; i++) view_draw(&v);
  const uint64_t requests = v.run.ctx->n_allocations;
  view_draw(&v);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  view_close(&v);
  expect_refusal(HEAD "<OrderIndependentTransparencyManager depthScale='-1'/></Node>",
                 "'depthScale': -1");
}

/* 0.2 of linear light is 124 of 255 in sRGB. */
static void writes_srgb(void **state) {
  (void)state;
  View v;
  view_open(&v, HEAD "<OglRenderingSRGB name='srgb'/>" PLATE("a", "0", "0.2 0.2 0.2") "</Node>");
  view_draw(&v);
  assert_in_range(red_at(&v, 0, 0, 0, 0), 122, 126);
  assert_int_equal(sofa_field_set_text(scene_run_object(&v.run, "/srgb"), "enable", "0", 0),
                   SOFA_OK);
  view_draw(&v);
  assert_in_range(red_at(&v, 0, 0, 0, 0), 49, 53);
  view_close(&v);
}

/* ---- shaders ---- */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static const char plain_vertex[] = "void main() { gl_Position = ftransform(); }\n";

/* Opens a square below a shader of two files in the working folder, with elements. */
static void open_shaded(View *v, const char *vertex, const char *fragment, const char *elements) {
  char text[3000];
  write_text("test_effects.vert", vertex);
  write_text("test_effects.frag", fragment);
  snprintf(text, sizeof text,
           HEAD
           "<OglShader name='shader' fileVertexShaders='test_effects.vert' "
           "fileFragmentShaders='test_effects.frag'/>%s" SQUARE("s", "0", "0", "0", "") "</Node>",
           elements);
  view_open(v, text);
  view_draw(v);
  remove("test_effects.vert");
  remove("test_effects.frag");
}

static void expect_color(const View *v, int r, int g, int b) {
  const int wanted[3] = {r, g, b};
  for (int k = 0; k < 3; k++)
    assert_in_range(red_at(v, 0, 0, 0, k) + 10, wanted[k] + 8, wanted[k] + 12);
}

/* Every kind of uniform arrives. */
static void gives_uniforms(void **state) {
  (void)state;
  static const struct {
    const char *element, *declaration, *color;
    int r, g, b;
  } cases[] = {
      {"<OglFloatVariable id='u' value='0.5'/>", "float u", "u, 0, 0", 128, 0, 0},
      {"<OglFloat2Variable id='u' value='0.5 1'/>", "vec2 u", "u, 0", 128, 255, 0},
      {"<OglFloat3Variable name='u' value='0.5 1 0.25'/>", "vec3 u", "u", 128, 255, 64},
      {"<OglFloat4Variable id='u' value='0 1 0.25 0.5'/>", "vec4 u", "u.yzw", 255, 64, 128},
      {"<OglIntVariable id='u' value='1'/>", "int u", "float(u), 0, 0", 255, 0, 0},
      {"<OglIntVariable id='u' value='1'/>", "bool u", "u ? 1.0 : 0.0, 0, 0", 255, 0, 0},
      {"<OglIntVariable id='u' value='1'/>", "float u", "u, 0, 0", 255, 0, 0},
      {"<OglInt2Variable id='u' value='1 -1'/>", "ivec2 u", "u.x, -u.y, 0", 255, 255, 0},
      {"<OglInt3Variable id='u' value='0 1 0'/>", "ivec3 u", "vec3(u)", 0, 255, 0},
      {"<OglInt4Variable id='u' value='0 1 0 1'/>", "ivec4 u", "vec3(u.yzw)", 255, 0, 255},
      {"<OglFloatVectorVariable id='u' value='0 0.5'/>", "float u[2]", "u[1], 0, 0", 128, 0, 0},
      {"<OglFloatVector2Variable id='u' value='0 0 1 0.5'/>", "vec2 u[2]", "u[1], 0", 255, 128, 0},
      {"<OglFloatVector3Variable id='u' value='0 0 0 1 0.5 0'/>", "vec3 u[2]", "u[1]", 255, 128, 0},
      {"<OglFloatVector4Variable id='u' value='0 0 0 0 1 0.5 0 0'/>", "vec4 u[2]", "u[1].xyz", 255,
       128, 0},
      {"<OglIntVectorVariable id='u' value='0 1'/>", "int u[2]", "u[1], 0, 0", 255, 0, 0},
      {"<OglIntVector2Variable id='u' value='0 0 1 1'/>", "ivec2 u[2]", "vec2(u[1]), 0", 255, 255,
       0},
      {"<OglIntVector3Variable id='u' value='0 0 0 1 0 1'/>", "ivec3 u[2]", "vec3(u[1])", 255, 0,
       255},
      {"<OglIntVector4Variable id='u' value='0 0 0 0 1 0 1 0'/>", "ivec4 u[2]", "vec3(u[1].xyz)",
       255, 0, 255},
      {"<OglMatrix2Variable id='u' value='0 1 0.5 0'/>", "mat2 u", "u[0], u[1].x", 0, 255, 128},
      {"<OglMatrix3Variable id='u' value='0 1 0.5 0 0 0 0 0 0'/>", "mat3 u", "u[0]", 0, 255, 128},
      {"<OglMatrix3Variable id='u' transpose='1' value='0 0 0 1 0 0 0.5 0 0'/>", "mat3 u", "u[0]",
       0, 255, 128},
      {"<OglMatrix4Variable id='u' value='0 0 0 0  1 0.5 0 0  0 0 0 0  0 0 0 0'/>", "mat4 u",
       "u[1].xyz", 255, 128, 0},
      {"<OglMatrix2x3Variable id='u' value='0 0 0 1 0.5 0'/>", "mat2x3 u", "u[1]", 255, 128, 0},
      {"<OglMatrix3x2Variable id='u' value='0 0 0 0 1 0.5'/>", "mat3x2 u", "u[2], 0", 255, 128, 0},
      {"<OglMatrix2x4Variable id='u' value='0 0 0 0 1 0.5 0 0'/>", "mat2x4 u", "u[1].xyz", 255, 128,
       0},
      {"<OglMatrix4x2Variable id='u' value='0 0 0 0 0 0 1 0.5'/>", "mat4x2 u", "u[3], 0", 255, 128,
       0},
      {"<OglMatrix3x4Variable id='u' value='0 0 0 0 0 0 0 0 1 0.5 0 0'/>", "mat3x4 u", "u[2].xyz",
       255, 128, 0},
      {"<OglMatrix4x3Variable id='u' value='0 0 0 0 0 0 0 0 0 1 0.5 0'/>", "mat4x3 u", "u[3]", 255,
       128, 0},
      {"<OglMatrix4VectorVariable id='u' value='0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0  "
       "1 0.5 0 0 0 0 0 0 0 0 0 0 0 0 0 0'/>",
       "mat4 u[2]", "u[1][0].xyz", 255, 128, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    View v;
    char fragment[300];
    snprintf(fragment, sizeof fragment,
             "uniform %s;\nvoid main() { gl_FragColor = vec4(vec3(%s), 1); }\n",
             cases[i].declaration, cases[i].color);
    open_shaded(&v, plain_vertex, fragment, cases[i].element);
    if (v.run.n_problems) print_message("%s: %s\n", cases[i].element, v.run.all);
    assert_int_equal(v.run.n_problems, 0);
    expect_color(&v, cases[i].r, cases[i].g, cases[i].b);
    view_close(&v);
  }
}

/* Every kind of attribute arrives, as whole or real numbers. */
static void gives_attributes(void **state) {
  (void)state;
  static const char *const kinds[] = {"Float", "Int", "UInt"};
  static const char *const types[3][4] = {{"float", "vec2", "vec3", "vec4"},
                                          {"int", "ivec2", "ivec3", "ivec4"},
                                          {"uint", "uvec2", "uvec3", "uvec4"}};
  static const char *const numbers[] = {"", "2", "3", "4"}, *const last[] = {"", ".y", ".z", ".w"};
  for (int kind = 0; kind < 3; kind++)
    for (int width = 1; width <= 4; width++)
      for (int as_real = kind == 0; as_real < 2; as_real++) {
        View v;
        char element[300], vertex[300];
        int n = snprintf(element, sizeof element, "<Ogl%s%sAttribute id='a' value='", kinds[kind],
                         numbers[width - 1]);
        for (int i = 0; i < 4 * width; i++)
          n += snprintf(element + n, sizeof element - (size_t)n, "%d ", i % width == width - 1);
        snprintf(element + n, sizeof element - (size_t)n, "'/>");
        snprintf(vertex, sizeof vertex,
                 "attribute %s a;\nvarying float x;\n"
                 "void main() { x = float(a%s); gl_Position = ftransform(); }\n",
                 types[as_real ? 0 : kind][width - 1], last[width - 1]);
        open_shaded(&v, vertex,
                    "varying float x;\nvoid main() { gl_FragColor = vec4(x, 0.5 * x, 0, 1); }\n",
                    element);
        if (v.run.n_problems) print_message("%s: %s\n", element, v.run.all);
        assert_int_equal(v.run.n_problems, 0);
        expect_color(&v, 255, 128, 0);
        view_close(&v);
      }
}

static void survives_short_attributes(void **state) {
  (void)state;
  View v;
  open_shaded(&v,
              "attribute float a;\nvarying float x;\nvoid main() { x = a; gl_Position = "
              "ftransform(); }\n",
              "varying float x;\nvoid main() { gl_FragColor = vec4(x, 0.5, 0, 1); }\n",
              "<OglFloatAttribute id='a' value='1 1'/>");
  view_draw(&v);
  assert_int_equal(v.run.n_problems, 1);
  assert_non_null(strstr(v.run.all, "'a' has values for 2 vertices, the surface has 4"));
  expect_color(&v, 0, 128, 0);
  view_close(&v);
}

static void gives_textures(void **state) {
  (void)state;
  static const char vertex[] = "void main() { gl_Position = ftransform(); }\n";
  static const char fragment[] =
      "uniform sampler2D t;\nvoid main() { gl_FragColor = texture2D(t, vec2(0.5)); }\n";
  static const char *const elements[] = {
      "<OglTexture id='t' proceduralTextureWidth='1' proceduralTextureHeight='1' "
      "proceduralTextureNbBits='24' proceduralTextureData='255 128 0'/>",
      "<Node name='n'><OglTexture name='t' proceduralTextureWidth='2' proceduralTextureHeight='1' "
      "proceduralTextureNbBits='32' linearInterpolation='0' "
      "proceduralTextureData='255 128 0 255 255 128 0 255'/></Node>"
      "<OglTexturePointer id='t' oglTexture='@/n/t'/>"};
  for (int i = 0; i < 2; i++) {
    View v;
    open_shaded(&v, vertex, fragment, elements[i]);
    assert_int_equal(v.run.n_problems, 0);
    expect_color(&v, 255, 128, 0);
    view_close(&v);
  }
}

/* Macros, several versions, switching one off; a warm frame asks for no memory. */
static void switches(void **state) {
  (void)state;
  View v;
  open_shaded(&v, plain_vertex, "void main() { gl_FragColor = vec4(TINT, 1); }\n",
              "<OglShaderDefineMacro name='macro' id='TINT' value='1, 0.5, 0'/>"
              "<OglFloatVariable value='0'/>");
  assert_int_equal(v.run.n_problems, 0);
  expect_color(&v, 255, 128, 0);
  for (int i = 0; i < 2; i++) view_draw(&v);
  const uint64_t requests = v.run.ctx->n_allocations;
  view_draw(&v);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  SofaObject *shader = scene_run_object(&v.run, "/shader");
  assert_int_equal(sofa_field_set_text(shader, "turnOn", "0", 0), SOFA_OK);
  view_draw(&v);
  assert_true(red_at(&v, 0, 0, 0, 0) == red_at(&v, 0, 0, 0, 1)); // grey again
  view_close(&v);
}

/* A broken shader is reported once, with file and line, and the square is there. */
static void survives_broken_shaders(void **state) {
  (void)state;
  static const struct {
    const char *vertex, *fragment, *words;
  } cases[] = {
      {"void main() {\n  oops;\n}\n", "void main() { gl_FragColor = vec4(1); }\n",
       "test_effects.vert:2"},
      {"void main() { gl_Position = ftransform(); }\n", "\n\nvoid main() { broken }\n",
       "test_effects.frag:3"},
      {"varying vec2 nobody;\nvoid main() { nobody = vec2(0); gl_Position = ftransform(); }\n",
       "varying vec3 nobody;\nvoid main() { gl_FragColor = vec4(nobody, 1); }\n",
       "do not fit together"},
      {"#version 990\nvoid main() { gl_Position = ftransform(); }\n", "void main() {}\n",
       "needs GLSL 990"},
      {"", "", "test_effects"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    View v;
    open_shaded(&v, cases[i].vertex, cases[i].fragment, "");
    const int problems = v.run.n_problems;
    assert_true(problems >= 1);
    if (!strstr(v.run.all, cases[i].words)) print_message("%s\n", v.run.all);
    assert_non_null(strstr(v.run.all, cases[i].words));
    assert_true(red_at(&v, 0, 0, 0, 0) > 60);
    view_draw(&v);
    assert_int_equal(v.run.n_problems, problems);
    view_close(&v);
  }
}

static void survives_missing_files(void **state) {
  (void)state;
  View v;
  view_open(&v,
            HEAD "<OglShader fileVertexShaders='nowhere.vert' "
                 "fileFragmentShaders='nowhere.frag'/>" SQUARE("s", "0", "0", "0", "") "</Node>");
  assert_non_null(strstr(v.run.all, "no file 'nowhere.vert'"));
  view_draw(&v);
  assert_true(red_at(&v, 0, 0, 0, 0) > 60);
  view_close(&v);
}

static void gives_rest_shapes(void **state) {
  (void)state;
  View v;
  write_text("test_effects.vert",
             "attribute vec3 restPosition, restNormal;\nuniform mat4 modelMatrix;\n"
             "varying vec3 c;\nvoid main() { c = modelMatrix[0][0] * vec3(0.5 * "
             "dot(restPosition.xy, restPosition.xy), restNormal.z, 0); "
             "gl_Position = ftransform(); }\n");
  write_text("test_effects.frag", "varying vec3 c;\nvoid main() { gl_FragColor = vec4(c, 1); }\n");
  view_open(
      &v, HEAD
      "<OglShader fileVertexShaders='test_effects.vert' fileFragmentShaders='test_effects.frag'"
      "/><OglShaderVisualModel name='s' position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' "
      "quads='0 1 2 3'/></Node>");
  view_draw(&v);
  remove("test_effects.vert");
  remove("test_effects.frag");
  assert_int_equal(v.run.n_problems, 0);
  expect_color(&v, 255, 255, 0);
  view_close(&v);
}

/* ---- passes ---- */

static const char screen_vertex[] =
    "void main() { gl_TexCoord[0] = gl_MultiTexCoord0; gl_Position = ftransform(); }\n";

/* A body in a texture, seen through a shader that swaps red and blue; tags choose. */
static void composes_passes(void **state) {
  (void)state;
  View v;
  write_text("test_effects.frag", "uniform sampler2D body, body_Z, hidden;\nuniform int width;\n"
                                  "void main() { vec2 at = gl_TexCoord[0].st; "
                                  "float here = texture2D(body_Z, at).r < 1.0 ? 1.0 : 0.0;"
                                  "gl_FragColor = vec4(texture2D(body, at).b, here * float(width) "
                                  "/ 320.0, texture2D(body, at).r, 1); }\n");
  view_open(&v, HEAD "<VisualStyle displayFlags='showVisualModels showAdvancedRendering'/>"
                     "<CompositingVisualLoop/><VisualManagerPass name='body' tags='A'/>"
                     "<VisualManagerSecondaryPass name='last' input_tags='A' renderToScreen='1' "
                     "fragFilename='test_effects.frag'/>"
                     "<Node name='n'>" PLATE("a", "0", "1 0 0") "</Node></Node>");
  SofaObject *last = scene_run_object(&v.run, "/last");
  assert_int_equal(v.run.n_problems, 0);
  view_draw(&v);
  // nothing has the tag
  assert_true(red_at(&v, 0, 0, 0, 2) < 5 && red_at(&v, 0, 0, 0, 1) < 5);
  assert_int_equal(sofa_field_set_text(scene_run_object(&v.run, "/n/a"), "tags", "A", 0), SOFA_OK);
  view_draw(&v);
  expect_color(&v, 0, 128, 255);
  for (int i = 0; i < 2; i++) view_draw(&v);
  const uint64_t requests = v.run.ctx->n_allocations;
  view_draw(&v);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  assert_int_equal(v.run.n_problems, 0);
  assert_int_equal(sofa_field_set_text(last, "renderToScreen", "0", 0), SOFA_OK);
  view_draw(&v);
  assert_non_null(strstr(v.run.all, "no pass has renderToScreen"));
  remove("test_effects.frag");
  view_close(&v);
  expect_refusal(HEAD "<VisualManagerPass factor='0'/></Node>", "'factor': 0, expected");
  expect_refusal(HEAD "<VisualManagerSecondaryPass/></Node>", "'fragFilename': missing");
}

static void draws_through_a_shader(void **state) {
  (void)state;
  View v;
  write_text("test_effects.vert", screen_vertex);
  write_text("test_effects.frag",
             "uniform sampler2D colorTexture, depthTexture;\nuniform vec2 pixelSize;\n"
             "void main() { vec2 at = gl_TexCoord[0].st; gl_FragColor = vec4("
             "texture2D(depthTexture, at).r < 1.0 ? 1.0 : 0.0, 80.0 * pixelSize.x, "
             "texture2D(colorTexture, at).r, 1); }\n");
  view_open(&v,
            HEAD "<OglShader passive='1' fileVertexShaders='test_effects.vert' "
                 "fileFragmentShaders='test_effects.frag'/><PostProcessManager name='post'/>" PLATE(
                     "a", "0", "0.5 0 0") "</Node>");
  view_draw(&v);
  assert_int_equal(v.run.n_problems, 0);
  expect_color(&v, 255, 128, 128);
  assert_true(red_at(&v, -2, 0, 0, 0) < 5);
  assert_int_equal(sofa_field_set_text(scene_run_object(&v.run, "/post"), "enable", "0", 0),
                   SOFA_OK);
  view_draw(&v);
  expect_color(&v, 128, 0, 0);
  remove("test_effects.vert");
  remove("test_effects.frag");
  view_close(&v);
}

/* A shader of the whole picture that does not compile: told, and the picture is there without it.
 */
static void draws_without_broken_post(void **state) {
  (void)state;
  View v;
  write_text("test_broken.vert", "void main() { gl_Position = ftransform(); }\n");
  write_text("test_broken.frag", "void main() { nonsense }\n");
  view_open(&v, HEAD "<OglShader passive='1' fileVertexShaders='test_broken.vert' "
                     "fileFragmentShaders='test_broken.frag'/><PostProcessManager/>" PLATE(
                         "a", "0", "0.5 0 0") "</Node>");
  v.run.quiet = true;
  view_draw(&v);
  assert_non_null(strstr(v.run.all, "test_broken.frag:1"));
  expect_color(&v, 128, 0, 0);
  remove("test_broken.vert");
  remove("test_broken.frag");
  view_close(&v);
}

/* Whichever request for memory fails: an error or a poorer picture, and nothing is lost. */
static void survives_lack_of_memory(void **state) {
  (void)state;
  View v;
  SofaErr err = SOFA_ERR_MEMORY;
  for (long n = 0; err != SOFA_OK && n < 2000; n += 1 + n / 12) {
    view_prepare(&v, HEAD
                 "<LightManager shadows='1'/><DirectionalLight softShadows='1'/>"
                 "<OglViewport screenSize='30 30' cameraPosition='0 0 5'/>"
                 "<OrderIndependentTransparencyManager/><PostProcessManager/>"
                 "<ClipPlane/><VisualTransform recursive='1'/>"
                 "<OglShader fileVertexShaders='scenes/visual/shaders/stripes.vert' "
                 "fileFragmentShaders='scenes/visual/shaders/stripes.frag'/>"
                 "<OglShaderDefineMacro id='SWELL' value='0'/><OglFloat3Variable id='shift'/>"
                 "<OglFloatAttribute id='height' value='1 1 1 1'/>"
                 "<OglTexture id='pattern' filename='scenes/visual/checker.png'/>" SQUARE(
                     "s", "0", "0", "0", "") "<Node name='n'>" SQUARE("t", "0", "0", "1",
                                                                      "") "<MergeVisualModels "
                                                                          "input1='@/s'/></Node>"
                                                                          "</Node>");
    v.left = n;
    err = offscreen_bind(v.offscreen, WIDTH, HEIGHT);
    if (err == SOFA_OK) err = scene_view_create(v.run.ctx, &v.view);
    if (err == SOFA_OK) err = scene_view_open(v.view, v.run.simulation, false);
    if (err == SOFA_OK) err = scene_view_draw(v.view, WIDTH, HEIGHT);
    if (v.left == 0) err = SOFA_ERR_MEMORY; // a poorer picture
    v.left = -1;
    if (v.view) view_draw(&v);
    view_close(&v);
  }
  assert_int_equal(err, SOFA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(casts_shadows),
      cmocka_unit_test(obeys_fields_of_lights),
      cmocka_unit_test(shows_maps),
      cmocka_unit_test(refuses_bad_fields),
      cmocka_unit_test(cuts),
      cmocka_unit_test(moves),
      cmocka_unit_test(shows_second_views),
      cmocka_unit_test(merges),
      cmocka_unit_test(sums_translucent_surfaces),
      cmocka_unit_test(writes_srgb),
      cmocka_unit_test(gives_uniforms),
      cmocka_unit_test(gives_attributes),
      cmocka_unit_test(survives_short_attributes),
      cmocka_unit_test(gives_textures),
      cmocka_unit_test(switches),
      cmocka_unit_test(survives_broken_shaders),
      cmocka_unit_test(survives_missing_files),
      cmocka_unit_test(gives_rest_shapes),
      cmocka_unit_test(composes_passes),
      cmocka_unit_test(draws_through_a_shader),
      cmocka_unit_test(draws_without_broken_post),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
