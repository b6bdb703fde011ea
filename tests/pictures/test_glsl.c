/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the translation of old shading language, on texts. */
#include "../support/scene_run.h"

#include "viewer/render/glsl.h"

typedef struct Translated {
  SceneRun run;
  SofaText text;
} Translated;

/* Translates one text as a stage of a program that has nothing else. */
static const char *translate(Translated *t, GlslStage stage, const char *text) {
  GlslProgram program = {.geometry_in = -1, .geometry_out = -1, .geometry_most = -1};
  scene_run_context(&t->run, NULL);
  glsl_scan(&program, text);
  t->text = (SofaText){0};
  assert_int_equal(glsl_translate(t->run.ctx, &program, stage, text, &t->text), SOFA_OK);
  return t->text.data;
}

static void done(Translated *t) {
  sofa_list_free(t->run.ctx, &t->text);
  sofa_context_destroy(&t->run.ctx);
}

/* What stands behind the prologue, as the compiler counts it: line 1. */
static const char *body_of(const char *text) {
  const char *body = strstr(text, "#line 1 1\n");
  assert_non_null(body);
  return body + 10;
}

static void expect_body(GlslStage stage, const char *text, const char *wanted) {
  Translated t = {0};
  assert_string_equal(body_of(translate(&t, stage, text)), wanted);
  done(&t);
}

static void renames_words(void **state) {
  (void)state;
  expect_body(GLSL_VERTEX, "attribute vec3 a;\nvarying vec4 b;\n", "in vec3 a;\nout vec4 b;\n");
  expect_body(GLSL_FRAGMENT, "varying vec4 b;\n", "in vec4 b;\n");
  expect_body(GLSL_VERTEX, "gl_Position = ftransform(); gl_FrontColor = gl_Color;",
              "gl_Position = csofa_ftransform(); csofa_Color = csofa_VertexColor;");
  expect_body(GLSL_FRAGMENT, "gl_FragColor = gl_Color * texture2D(t, gl_TexCoord[0].st);",
              "csofa_FragColor = csofa_Color * texture(t, csofa_TexCoord[0].st);");
  expect_body(GLSL_VERTEX, "mat4 m = gl_ModelViewMatrixInverse;",
              "mat4 m = inverse(csofa_ModelViewMatrix);");
  expect_body(GLSL_GEOMETRY, "varying in vec3 n[gl_VerticesIn]; p = gl_PositionIn[i[0]] + q[1];",
              " in vec3 n[3]; p = gl_in[i[0]].gl_Position + q[1];");
}

/* Words in words, in comments and of no old language stay. */
static void leaves_the_rest(void **state) {
  (void)state;
  const char *text = "/* varying\n attribute */ vec3 my_varying, gl_Vertexes; // gl_Vertex\nx2D;";
  expect_body(GLSL_FRAGMENT, text, text);
  expect_body(GLSL_FRAGMENT, "/* no end varying", "/* no end varying");
  expect_body(GLSL_FRAGMENT, "", "");
}

/* Directives that must come first are moved; lines stay. */
static void keeps_lines(void **state) {
  (void)state;
  Translated t = {0};
  const char *text = translate(&t, GLSL_FRAGMENT,
                               "// a\n  #version 120\n#extension GL_EXT_gpu_shader4 : enable\n"
                               "# extension GL_NV_mine : require\nfloat x;\n");
  assert_string_equal(body_of(text), "// a\n  \n\n\nfloat x;\n");
  assert_int_equal(
      strncmp(text, "#version 330 core\n# extension GL_NV_mine : require\n#define", 57), 0);
  done(&t);
  text = translate(&t, GLSL_FRAGMENT, "#version 420 compatibility\n");
  assert_int_equal(strncmp(text, "#version 420 core\n", 18), 0);
  done(&t);
}

static void reads_messages(void **state) {
  (void)state;
  static const struct {
    const char *log;
    int line;
    const char *message;
  } cases[] = {
      {"1:12(5): error: `x' undeclared", 12, "`x' undeclared"},
      {"0(7) : error C0000: syntax", 7, "C0000: syntax"},
      {"ERROR: 0:3: 'x' : undeclared", 3, "'x' : undeclared"},
      {"something broke", 0, "something broke"},
      {"", 0, ""},
      {"4", 0, "4"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *message = NULL;
    assert_int_equal(glsl_error_line(cases[i].log, &message), cases[i].line);
    assert_string_equal(message, cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(renames_words),
      cmocka_unit_test(leaves_the_rest),
      cmocka_unit_test(keeps_lines),
      cmocka_unit_test(reads_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
