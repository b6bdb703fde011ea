/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of an application that draw into pictures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

#include "components/builtins.h"
#include "draw/draw.h"
#include "simulation/simulation.h"

typedef struct Fixture {
  SofaContext *ctx;
  SofaSimulation *simulation;
  CsofaScene *scene;
  SofaDrawList list;
} Fixture;

static void hear_nothing(void *user, const SofaMessage *message) {
  (void)user, (void)message;
}

static void open_scene(Fixture *f) {
  const SofaContextOptions options = {.sink = hear_nothing};
  *f = (Fixture){0};
  assert_int_equal(sofa_context_create_with_builtins(&options, &f->ctx), SOFA_OK);
  assert_int_equal(
      sofa_simulation_load_text(
          f->ctx, "<Node name='root'><DefaultAnimationLoop name='loop'/></Node>", &f->simulation),
      SOFA_OK);
  assert_int_equal(csofa_adopt(f->simulation, &f->scene), CSOFA_OK);
  f->list.ctx = f->ctx;
}

static void close_scene(Fixture *f) {
  sofa_draw_free(&f->list);
  csofa_release(f->scene);
  sofa_simulation_destroy(&f->simulation);
  sofa_context_destroy(&f->ctx);
}

/* As a picture: all that the objects of the root draw. */
static void make_picture(Fixture *f) {
  const SofaDrawArgs args = {.list = &f->list};
  const SofaNode *root = f->simulation->root;
  sofa_draw_clear(&f->list);
  for (size_t i = 0; i < root->objects.n; i++) {
    const SofaDrawOps *ops = sofa_ops(root->objects.data[i], SOFA_DRAW);
    if (ops) ops->draw(root->objects.data[i], &args);
  }
}

static const SofaDrawVertices *seen(const Fixture *f, SofaDrawKind kind) {
  return &f->list.vertices[SOFA_LAYER_SCENE][kind];
}

typedef struct Drawn {
  int calls, result;
} Drawn;

static int draw_all(void *user, CsofaDrawing *to) {
  Drawn *drawn = user;
  const double x[18] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const double red[4] = {1, 0, 0, 1}, clear[4] = {0, 1, 0, 0.5};
  const double frame[7] = {1, 0, 0, 0, 0, sqrt(0.5), sqrt(0.5)}, size[3] = {1, 2, 3};
  const double corner[2] = {10, 20};
  drawn->calls++;
  csofa_draw_overlay_text(to, corner, 16, "over", NULL);
  csofa_draw_points(to, 6, x, 5, red);
  csofa_draw_lines(to, 3, x, 2, NULL);
  csofa_draw_triangles(to, 2, x, clear);
  csofa_draw_spheres(to, 2, x, 0.25, red);
  csofa_draw_text(to, x, 0.5, "text", red);
  csofa_draw_frames(to, 1, frame, size);
  return drawn->result;
}

static void check_vertex(const SofaDrawVertices *all, size_t i, double x, double size,
                         uint32_t rgba) {
  const SofaDrawVertex *v = &all->data[i];
  assert_true(i < all->n);
  assert_true(fabs((double)v->p[0] - x) < 1e-6);
  assert_true(fabs((double)v->size - size) < 1e-6);
  for (int k = 0; k < 4; k++) assert_int_equal(v->rgba[k], rgba >> (24 - 8 * k) & 255);
}

static void check_shapes(const Fixture *f) {
  assert_int_equal(seen(f, SOFA_DRAW_POINTS)->n, 6);
  check_vertex(seen(f, SOFA_DRAW_POINTS), 5, 16, 5, 0xff0000ff);
  assert_int_equal(seen(f, SOFA_DRAW_LINES)->n, 6);
  check_vertex(seen(f, SOFA_DRAW_LINES), 3, 10, 2, 0xffffffff);
  assert_int_equal(f->list.translucent.n, 6);
  check_vertex(&f->list.translucent, 1, 4, 0, 0x00ff0080);
  assert_int_equal(seen(f, SOFA_DRAW_SPHERES)->n, 2);
  check_vertex(seen(f, SOFA_DRAW_SPHERES), 1, 4, 0.25, 0xff0000ff);
}

static void check_texts(const Fixture *f) {
  const SofaDrawText *text = f->list.texts.data;
  assert_int_equal(f->list.texts.n, 2);
  assert_int_equal(text[0].layer, SOFA_LAYER_SCREEN);
  assert_true(text[0].p[0] == 10.f && text[0].p[1] == 36.f && text[0].height == 20.f);
  assert_memory_equal(f->list.characters.data + text[0].start, "over", 4);
  assert_int_equal(text[1].layer, SOFA_LAYER_SCENE);
  assert_true(text[1].height == 0.5f && !text[1].pixels);
}

/* A quarter turn about z at (1, 0, 0): the arrows end at (1, 1, 0), (-1, 0, 0), (1, 0, 3). */
static void check_frame(const Fixture *f) {
  const SofaDrawVertices *all = seen(f, SOFA_DRAW_TRIANGLES);
  double most[3] = {-9, -9, -9}, least[3] = {9, 9, 9};
  for (size_t i = 0; i < all->n; i++)
    for (int k = 0; k < 3; k++) {
      most[k] = fmax(most[k], (double)all->data[i].p[k]);
      least[k] = fmin(least[k], (double)all->data[i].p[k]);
    }
  assert_true(fabs(most[1] - 1) < 1e-6);
  assert_true(fabs(least[0] + 1) < 1e-6);
  assert_true(fabs(most[2] - 3) < 1e-6);
}

static void draws(void **unused) {
  Fixture f;
  Drawn drawn = {0};
  (void)unused;
  open_scene(&f);
  assert_int_equal(csofa_on_draw(f.scene, draw_all, &drawn), CSOFA_OK);
  make_picture(&f);
  assert_int_equal(drawn.calls, 1);
  assert_int_equal(f.list.failure, SOFA_OK);
  check_shapes(&f);
  check_texts(&f);
  check_frame(&f);
  assert_int_equal(csofa_on_draw(f.scene, NULL, NULL), CSOFA_OK);
  make_picture(&f);
  assert_int_equal(drawn.calls, 1);
  assert_int_equal(seen(&f, SOFA_DRAW_POINTS)->n, 0);
  close_scene(&f);
}

static void fails_once(void **unused) {
  Fixture f;
  CsofaObject made = 0;
  Drawn drawn = {.result = 1};
  (void)unused;
  open_scene(&f);
  const char *const attributes[] = {"name", "pen", "data", "size:real", NULL};
  assert_int_equal(
      csofa_add_object(f.scene, csofa_root(f.scene), "ApplicationController", attributes, &made),
      CSOFA_OK);
  assert_int_equal(csofa_set_draw(f.scene, csofa_find(f.scene, 0, "/loop"), draw_all, &drawn),
                   CSOFA_ERR_TYPE);
  assert_int_equal(csofa_set_draw(f.scene, made, draw_all, &drawn), CSOFA_OK);
  const uint64_t errors = f.ctx->n_messages[SOFA_ERROR];
  make_picture(&f);
  assert_int_equal(seen(&f, SOFA_DRAW_POINTS)->n, 6); // what it drew before
  make_picture(&f);
  assert_int_equal(drawn.calls, 1);
  assert_int_equal(f.ctx->n_messages[SOFA_ERROR], errors + 1);
  close_scene(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(draws), cmocka_unit_test(fails_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
