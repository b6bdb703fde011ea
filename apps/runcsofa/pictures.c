/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures and videos of a batch run, drawn without a display. */
#include "pictures.h"

#include <math.h>
#include <string.h>

#include "base/files.h"

#ifdef CSOFA_HAVE_RENDER

#include "components/visual/DataDisplay.h"
#include "viewer/offscreen/image_file.h"
#include "viewer/offscreen/offscreen.h"
#include "viewer/scene_view.h"
#include "viewer/view_file.h"
#include "viewer/view_request.h"

struct Pictures {
  SofaContext *ctx;
  const RunOptions *options;
  PictureRanges *ranges;
  Offscreen *offscreen;
  SceneView *view;
  VideoFile *video;
  uint64_t video_every; /* steps */
  bool written;         /* a picture was drawn for step `drawn` */
  uint64_t drawn;
  const uint8_t *pixels;
};

static bool has_free_colors(const SofaNode *node) {
  bool found = false;
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    found |= object->klass == &sofa_DataDisplay_class && sofa_data_display_is_free(object);
  }
  for (size_t i = 0; i < node->children.n; i++) found |= has_free_colors(node->children.data[i]);
  return found;
}

bool pictures_need_ranges(const SofaSimulation *simulation, const RunOptions *options) {
  const bool series = options->video || (options->screenshot && options->screenshot_every);
  const bool own = options->colour && options->colour_range[0] > options->colour_range[1];
  return series && !options->infinite && (own || has_free_colors(simulation->root));
}

/* The video runs in the time of the scene, with at most 60 pictures a second. The first run only
 * needs to know its pictures. */
static SofaErr open_video(Pictures *p, const SofaSimulation *simulation) {
  const RunOptions *o = p->options;
  double dt = simulation->root->dt;
  if (!o->video) return SOFA_OK;
  if (!(dt > 0)) dt = 1. / 60;
  p->video_every = dt < 1. / 60 ? (uint64_t)fmin(1e9, round(1 / (60 * dt))) : 1;
  if (p->ranges->measure) return SOFA_OK;
  const double fps = fmin(60, fmax(1, 1 / (dt * (double)p->video_every)));
  return video_open(p->ctx, o->video, o->width, o->height, fps, &p->video);
}

static SofaErr open_series(Pictures *p, SofaSimulation *simulation) {
  const RunOptions *o = p->options;
  const ViewRequest wanted = {.show = o->show,
                              .camera = o->camera,
                              .look_at = o->look_at,
                              .color = o->colour,
                              .range = {o->colour_range[0], o->colour_range[1]}};
  if (simulation->file) view_file_of_scene(p->ctx, simulation->file, scene_view_camera(p->view));
  const SofaErr err = view_request_apply(p->view, simulation, &wanted);
  if (err != SOFA_OK) return err == SOFA_ERR_MEMORY ? err : SOFA_ERR_ARGUMENT;
  scene_view_share_ranges(p->view, &p->ranges->list);
  return open_video(p, simulation);
}

SofaErr pictures_open(SofaSimulation *simulation, const RunOptions *options, PictureRanges *ranges,
                      Pictures **out) {
  *out = NULL;
  if (!options->screenshot && !options->video) return SOFA_OK;
  SofaErr err = SOFA_OK;
  Pictures *p = sofa_alloc(simulation->ctx, 1, sizeof *p);
  if (!p) return SOFA_ERR_MEMORY;
  p->ctx = simulation->ctx;
  p->options = options;
  p->ranges = ranges;
  SOFA_GO(err, failed, offscreen_create(p->ctx, &p->offscreen));
  SOFA_GO(err, failed, offscreen_bind(p->offscreen, options->width, options->height));
  SOFA_GO(err, failed, scene_view_create(p->ctx, &p->view));
  SOFA_GO(err, failed, scene_view_open(p->view, simulation, false));
  SOFA_GO(err, failed, open_series(p, simulation));
  *out = p;
  return SOFA_OK;
failed:
  pictures_close(&p);
  return err;
}

static SofaErr draw(Pictures *p, uint64_t step) {
  if (p->written && p->drawn == step) return SOFA_OK;
  p->written = false;
  if (p->ranges->measure)
    return scene_view_measure_ranges(p->view, p->ranges->ctx, &p->ranges->list);
  SOFA_TRY(offscreen_bind(p->offscreen, p->options->width, p->options->height));
  SOFA_TRY(scene_view_update(p->view));
  SOFA_TRY(scene_view_draw(p->view, p->options->width, p->options->height));
  SOFA_TRY(offscreen_read(p->offscreen, &p->pixels));
  p->written = true;
  p->drawn = step;
  return SOFA_OK;
}

/* FILE_<step>.png of FILE.png */
static SofaErr write_numbered(Pictures *p, uint64_t step) {
  const char *file = p->options->screenshot, *dot = strrchr(sofa_path_name(file), '.');
  const int n = dot ? (int)(dot - file) : (int)strlen(file);
  char *path =
      sofa_format(p->ctx, "%.*s_%06llu%s", n, file, (unsigned long long)step, dot ? dot : ".png");
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = png_write(p->ctx, path, p->pixels, p->options->width, p->options->height);
  sofa_free(p->ctx, path);
  return err;
}

SofaErr pictures_write(Pictures *p, uint64_t step, bool last) {
  if (!p) return SOFA_OK;
  const RunOptions *o = p->options;
  const bool numbered = o->screenshot_every && step % o->screenshot_every == 0 && !last;
  const bool one = o->screenshot && !o->screenshot_every && last;
  const bool frame = o->video && step % p->video_every == 0 && !last;
  if (p->ranges->measure) return numbered || frame ? draw(p, step) : SOFA_OK;
  if (numbered || one || frame) SOFA_TRY(draw(p, step));
  if (numbered) SOFA_TRY(write_numbered(p, step));
  if (last && (o->screenshot_every || p->video)) scene_view_report_ranges(p->view);
  if (one) SOFA_TRY(png_write(p->ctx, o->screenshot, p->pixels, o->width, o->height));
  return frame ? video_write(p->video, p->pixels) : SOFA_OK;
}

SofaErr pictures_close(Pictures **pictures) {
  Pictures *p = *pictures;
  if (!p) return SOFA_OK;
  const SofaErr err = video_close(&p->video);
  scene_view_destroy(&p->view);
  offscreen_destroy(&p->offscreen);
  sofa_free(p->ctx, p);
  *pictures = NULL;
  return err;
}

#else

bool pictures_need_ranges(const SofaSimulation *simulation, const RunOptions *options) {
  (void)simulation;
  (void)options;
  return false;
}

SofaErr pictures_open(SofaSimulation *simulation, const RunOptions *options, PictureRanges *ranges,
                      Pictures **out) {
  (void)ranges;
  *out = NULL;
  if (!options->screenshot && !options->video) return SOFA_OK;
  return sofa_fail(simulation->ctx, SOFA_ERR_UNSUPPORTED, &(SofaOrigin){.emitter = "runcsofa"},
                   "no pictures can be made: the program was built without libepoxy, libegl, "
                   "libpng or libstb");
}

SofaErr pictures_write(Pictures *pictures, uint64_t step, bool last) {
  (void)pictures;
  (void)step;
  (void)last;
  return SOFA_OK;
}

SofaErr pictures_close(Pictures **pictures) {
  *pictures = NULL;
  return SOFA_OK;
}

#endif
