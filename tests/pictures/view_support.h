/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A view of a scene without a display, that counts the memory it holds. */
#ifndef TESTS_PICTURES_VIEW_SUPPORT_H
#define TESTS_PICTURES_VIEW_SUPPORT_H

#include "../support/scene_run.h"
#include "../support/skipped.h"

#include <epoxy/gl.h>
#include <math.h>

#include "viewer/offscreen/image_file.h"
#include "viewer/offscreen/offscreen.h"
#include "viewer/scene_view.h"

enum { WIDTH = 160, HEIGHT = 120 };

typedef struct View {
  SceneRun run;
  long blocks; /* of memory, alive: drivers leak, we do not */
  long left;   /* requests that are granted; < 0: all */
  Offscreen *offscreen;
  SceneView *view;
  const uint8_t *pixels;
} View;

static inline void *counting(void *user, void *block, size_t size) {
  View *v = user;
  if (size == 0) {
    v->blocks -= block != NULL;
    free(block);
    return NULL;
  }
  if (v->left == 0) return NULL;
  if (v->left > 0) v->left--;
  void *result = realloc(block, size);
  v->blocks += result && !block;
  return result;
}

/* Loads a scene and makes the offscreen context, but no view. Skips the test without OpenGL. */
static inline void view_prepare(View *v, const char *text) {
  memset(v, 0, sizeof *v);
  v->left = -1;
  scene_run_context(&v->run, &(SofaContextOptions){.allocate = counting, .allocate_user = v});
  v->run.quiet = true;
  if (offscreen_create(v->run.ctx, &v->offscreen) != SOFA_OK) {
    NOTE_SKIPPED("%s\n", v->run.last);
    sofa_context_destroy(&v->run.ctx);
    skip();
  }
  assert_int_equal(sofa_simulation_load_text(v->run.ctx, text, &v->run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(v->run.simulation), SOFA_OK);
}

static inline void view_open(View *v, const char *text) {
  view_prepare(v, text);
  assert_int_equal(offscreen_bind(v->offscreen, WIDTH, HEIGHT), SOFA_OK);
  assert_int_equal(scene_view_create(v->run.ctx, &v->view), SOFA_OK);
  assert_int_equal(scene_view_open(v->view, v->run.simulation, false), SOFA_OK);
}

static inline void view_draw(View *v) {
  assert_int_equal(offscreen_bind(v->offscreen, WIDTH, HEIGHT), SOFA_OK);
  assert_int_equal(scene_view_update(v->view), SOFA_OK);
  assert_int_equal(scene_view_draw(v->view, WIDTH, HEIGHT), SOFA_OK);
  assert_int_equal(glGetError(), GL_NO_ERROR);
  assert_int_equal(offscreen_read(v->offscreen, &v->pixels), SOFA_OK);
}

static inline void view_close(View *v) {
  scene_view_destroy(&v->view);
  offscreen_destroy(&v->offscreen);
  scene_run_close(&v->run);
  assert_int_equal(v->blocks, 0);
}

#endif
