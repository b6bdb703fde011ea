/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user wants to see: at the start by options, later by commands. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "viewer/window/app.h"

static const SofaColorRange no_range = {1, 0};

/* Keeps what is coloured, so that the scene read again is coloured, too. */
static void keep_color(App *app, const char *text, SofaColorRange range) {
  char *kept = text ? sofa_strdup(app->ui, text) : NULL;
  sofa_free(app->ui, app->color);
  app->color = kept;
  app->color_range = kept ? range : no_range;
}

static SofaErr apply(App *app, const ViewRequest *request) {
  return view_request_apply(app->view, app->simulation, request);
}

/* Each wish on its own: an error is told, and the others are fulfilled. */
static void look_first(App *app) {
  const ViewRequest *all = &app->options->view;
  const ViewRequest parts[] = {
      {.show = all->show}, {.camera = all->camera}, {.look_at = all->look_at}};
  for (size_t i = 0; i < SOFA_COUNT(parts); i++) {
    ViewRequest part = parts[i];
    if (part.look_at) part.camera = all->camera; // a camera that was given stays where it is
    (void)apply(app, &part);
  }
  if (all->color) look_color(app, all->color, all->range);
}

void look_opened(App *app) {
  if (!app->looked) {
    app->looked = true;
    app->color_range = no_range;
    look_first(app);
  } else if (app->color) {
    look_color(app, app->keep_camera ? app->color : NULL, app->color_range);
  }
}

void look_color(App *app, const char *text, SofaColorRange range) {
  if (!app->simulation) return;
  char *copy = text ? sofa_strdup(app->ui, text) : NULL; // it may be the one that is kept
  const SofaErr err = scene_view_color(app->view, copy, range);
  if (err == SOFA_OK) keep_color(app, copy, range);
  sofa_free(app->ui, copy);
}

void look_range(App *app, const char *low, const char *high) {
  SofaColorRange range = no_range;
  const bool given = *low || *high;
  const bool good = sofa_read_real(&low, &range.low) && sofa_read_real(&high, &range.high) &&
                    range.low < range.high;
  if (!app->color) app_say(app, SOFA_WARNING, "nothing is coloured: colour PATH.FIELD");
  else if (given && !good)
    app_say(app, SOFA_ERROR, "expected colour-range A B, two numbers, the second one larger");
  else look_color(app, app->color, given ? range : no_range);
}

void look_at(App *app, const char *what, const char *text) {
  ViewRequest request = {.range = no_range};
  if (!app->simulation) return;
  if (strcmp(what, "camera") == 0) request.camera = text;
  else if (strcmp(what, "show") == 0) request.show = text;
  else request.look_at = text;
  (void)apply(app, &request);
}
