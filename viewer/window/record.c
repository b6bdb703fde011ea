/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures and videos of what the window shows. */
#include <epoxy/gl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "viewer/window/app.h"

char *record_name(App *app, const char *extension) {
  const char *name = app->file ? sofa_path_name(app->file) : "picture";
  const char *dot = strrchr(name, '.');
  for (; app->n_screenshots < 10000; app->n_screenshots++) {
    char *path = sofa_format(app->ui, "%.*s_%04d.%s", dot ? (int)(dot - name) : (int)strlen(name),
                             name, app->n_screenshots, extension);
    if (!path || access(path, F_OK) != 0) return path;
    sofa_free(app->ui, path);
  }
  return NULL;
}

void record_screenshot(App *app, const char *path) {
  const uint8_t *rgb = NULL;
  char *own = path ? NULL : record_name(app, "png");
  if (!path) path = own;
  if (path && app->picture.width && picture_read(&app->picture, app->ui, &rgb) == SOFA_OK &&
      png_write(app->ui, path, rgb, app->picture.width, app->picture.height) == SOFA_OK)
    app_say(app, SOFA_INFO, "wrote %s", path);
  sofa_free(app->ui, own);
}

static void stop(App *app) {
  if (video_close(&app->video) == SOFA_OK) app_say(app, SOFA_INFO, "wrote %s", app->video_path);
  sofa_free(app->ui, app->video_path);
  app->video_path = NULL;
}

/* Starts one, or ends the one that is being made. It runs in the time of the scene, with at most 60
 * pictures a second. */
void record_video(App *app, const char *path) {
  if (app->video) {
    stop(app);
    return;
  }
  if (!app->simulation || !app->picture.width) return;
  double dt = app->simulation->root->dt;
  if (!(dt > 0)) dt = 1. / 60;
  app->video_step = dt * fmax(1, round(1 / (60 * dt)));
  app->video_next = app->simulation->root->time;
  app->video_path = path ? sofa_strdup(app->ui, path) : record_name(app, "mp4");
  if (!app->video_path) return;
  const double fps = fmin(60, fmax(1, 1 / app->video_step));
  if (video_open(app->ui, app->video_path, app->picture.width, app->picture.height, fps,
                 &app->video) == SOFA_OK) {
    app->video_width = app->picture.width;
    app->video_height = app->picture.height;
    app_say(app, SOFA_INFO, "recording %s", app->video_path);
    return;
  }
  sofa_free(app->ui, app->video_path);
  app->video_path = NULL;
}

void record_frame(App *app) {
  const uint8_t *rgb = NULL;
  if (!app->video || !app->simulation) return;
  if (app->picture.width != app->video_width || app->picture.height != app->video_height) {
    app_say(app, SOFA_WARNING, "the video ends here: the window changed its size");
    stop(app);
    return;
  }
  if (app->simulation->root->time < app->video_next - 1e-3 * app->video_step) return;
  app->video_next += app->video_step;
  if (picture_read(&app->picture, app->ui, &rgb) != SOFA_OK ||
      video_write(app->video, rgb) != SOFA_OK)
    stop(app);
}
