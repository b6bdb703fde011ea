/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does drawing change a run? Each scene runs without pictures, then with a picture of everything in
 * it after every step: the states must have the same bits.
 *
 * usage: draw_scenes SCENE...; after each scene "scene PATH: RESULT"; status 1 when one differs, 77
 * without OpenGL. */
#include "../checkpoint/trial.h"

#include "viewer/offscreen/offscreen.h"
#include "viewer/scene_view.h"

enum { STEPS = 3, WIDTH = 64, HEIGHT = 48 };

typedef struct Pictures {
  SofaContext *ctx;
  Offscreen *offscreen;
  SceneView *view;
  bool wireframe;
} Pictures;

/* Every flag is on, whatever the scene says; edges alone, where they are wanted. */
static void show_everything(const Pictures *p) {
  SofaDisplayFlags *flags = &scene_view_options(p->view)->flags;
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++) flags->value[i] = 1;
  flags->value[SOFA_DISPLAY_WIREFRAME] = p->wireframe ? 1 : -1;
}

static SofaErr draw(const Pictures *p) {
  const uint8_t *pixels;
  SOFA_TRY(offscreen_bind(p->offscreen, WIDTH, HEIGHT));
  SOFA_TRY(scene_view_update(p->view));
  SOFA_TRY(scene_view_draw(p->view, WIDTH, HEIGHT));
  return offscreen_read(p->offscreen, &pixels);
}

static SofaErr run_and_draw(const Pictures *p, SofaSimulation *simulation, Record *record) {
  SOFA_TRY(offscreen_bind(p->offscreen, WIDTH, HEIGHT));
  SOFA_TRY(scene_view_open(p->view, simulation, false));
  show_everything(p);
  SOFA_TRY(draw(p));
  record->sums[0] = sum_of(simulation);
  while (record->n < STEPS) {
    record->end = sofa_simulation_step(simulation, 0);
    if (record->end != SOFA_OK) return SOFA_OK;
    record->sums[++record->n] = sum_of(simulation);
    SOFA_TRY(draw(p));
  }
  return SOFA_OK;
}

static const char *compare(const Record *plain, const Record *drawn) {
  for (int i = 0; i <= plain->n && i <= drawn->n; i++)
    if (plain->sums[i] != drawn->sums[i]) return "differs";
  return plain->n == drawn->n && plain->end == drawn->end ? "same" : "ends otherwise";
}

static const char *try_scene(const Pictures *p, const char *scene) {
  Trial trial = {.scene = scene};
  Record plain = {.n = 0}, drawn = {.n = 0};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  const char *result = "not run";
  if (begin(&trial, &ctx, &simulation) == SOFA_OK) {
    run(simulation, 0, STEPS, &plain);
    end(&ctx, &simulation);
    if (begin(&trial, &ctx, &simulation) == SOFA_OK) {
      const SofaErr err = run_and_draw(p, simulation, &drawn);
      result = err == SOFA_OK ? compare(&plain, &drawn) : "not drawn";
      (void)scene_view_open(p->view, NULL, false);
    }
  }
  end(&ctx, &simulation);
  if (strcmp(result, "same") != 0) printf("%s\n", trial.refusal);
  return result;
}

int main(int argc, char **argv) {
  Pictures p = {0};
  int others = 0, status = 77;
  if (argc < 2) {
    fprintf(stderr, "usage: draw_scenes SCENE...\n");
    return 2;
  }
  if (sofa_context_create(NULL, &p.ctx) != SOFA_OK) return 2;
  if (offscreen_create(p.ctx, &p.offscreen) != SOFA_OK) goto done;
  if (scene_view_create(p.ctx, &p.view) != SOFA_OK) goto done;
  for (int i = 1; i < argc; i++) {
    p.wireframe = i % 2 == 0;
    const char *result = try_scene(&p, argv[i]);
    printf("scene %s: %s\n", argv[i], result);
    fflush(stdout);
    others += strcmp(result, "same") != 0;
  }
  status = others > 0;
done:
  scene_view_destroy(&p.view);
  offscreen_destroy(&p.offscreen);
  sofa_context_destroy(&p.ctx);
  return status;
}
