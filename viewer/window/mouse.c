/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mouse does to the scene with Shift: which button does what, and clicks that have come to
 * their turn. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "viewer/window/app.h"

static const char *const buttons[N_MOUSE_BUTTONS] = {
    [MOUSE_LEFT] = "left", [MOUSE_RIGHT] = "right", [MOUSE_MIDDLE] = "middle"};

const char *mouse_button_word(int button) {
  return buttons[button];
}

void mouse_of_scene(App *app) {
  Operation scene[N_MOUSE_BUTTONS];
  operations_of_scene(app->simulation, scene);
  for (int i = 0; i < N_MOUSE_BUTTONS; i++)
    if (!app->button_chosen[i]) app->buttons[i] = scene[i];
}

void mouse_choose(App *app, const char *button, const char *word) {
  const Operation operation = operation_of_word(word);
  for (int i = 0; i < N_MOUSE_BUTTONS; i++) {
    if (strcmp(buttons[i], button) != 0 || operation == N_OPERATIONS) continue;
    app->buttons[i] = operation;
    app->button_chosen[i] = true;
    operations_stop(&app->operations);
    return;
  }
  app_say(app, SOFA_ERROR,
          "expected: mouse left|middle|right none|attach|fix|remove|incise|suture, not '%s %s'",
          button, word);
}

/* A click on nothing ends an operation that was begun. */
static bool ends_path(App *app, Operation operation, const Picked *found) {
  const Operations *o = &app->operations;
  const bool begun = operation == OPERATION_INCISE ? o->cut != NULL : o->sutured != NULL;
  if ((operation != OPERATION_INCISE && operation != OPERATION_SUTURE) || !begun) return false;
  if (operation == OPERATION_INCISE ? found->body.state != NULL : found->anchor.state != NULL)
    return false;
  operations_stop(&app->operations);
  app_say(app, SOFA_INFO, "the %s is ended", operation == OPERATION_INCISE ? "path" : "suture");
  return true;
}

static void incise(App *app, const PickHit *hit) {
  size_t doubled = 0;
  const bool begun = app->operations.cut == hit->topology;
  if (operations_incise(&app->operations, app->simulation, hit, &doubled) != SOFA_OK) return;
  if (begun) app_say(app, SOFA_INFO, "cut: %zu points are doubled", doubled);
  else
    app_say(app, SOFA_INFO,
            "a cut begins here: click its next point, or outside of the body to end it");
}

static void operate(App *app, Operation operation, const Picked *found) {
  SofaSimulation *simulation = app->simulation;
  Operations *o = &app->operations;
  SofaErr err = SOFA_OK;
  switch (operation) {
  case OPERATION_FIX:
    err = operations_fix(o, simulation, &found->anchor);
    if (err == SOFA_OK) app_say(app, SOFA_INFO, "fixed by a spring");
    break;
  case OPERATION_SUTURE:
    err = operations_suture(o, simulation, &found->anchor);
    if (err == SOFA_OK)
      app_say(app, SOFA_INFO,
              o->sutured ? "a suture begins here: click its next point" : "joined by a spring");
    break;
  case OPERATION_REMOVE:
    err = operations_remove(simulation, &found->body);
    if (err == SOFA_OK) app_say(app, SOFA_INFO, "removed");
    break;
  default:
    incise(app, &found->body);
  }
}

void mouse_operate(App *app, Operation operation, const char *x_text, const char *y_text,
                   bool over) {
  double x = 0, y = 0;
  Picked found;
  if (!app->simulation || !sofa_read_real(&x_text, &x) || !sofa_read_real(&y_text, &y)) return;
  if (app->simulation->failure != SOFA_OK) {
    app_say(app, SOFA_WARNING, "the last step failed: reset or reload before going on");
    return;
  }
  picked_find(app, x, y, &found);
  if (over && !found.body.topology) return;
  if (!ends_path(app, operation, &found)) operate(app, operation, &found);
  if (app->simulation->failure != SOFA_OK) {
    app->animate = false;
    app_say(app, SOFA_ERROR, "the change could not be completed: reload the scene");
  }
  app->tree_stale = true;
  scene_view_update(app->view);
}

void mouse_stiffness(App *app, const char *what, const char *text) {
  double value = 0;
  const bool good = sofa_read_real(&text, &value) && value > 0;
  if (strcmp(what, "fix") == 0) app->operations.fix_stiffness = good ? value : 0;
  if (strcmp(what, "suture") == 0) app->operations.suture_stiffness = good ? value : 0;
}

void mouse_snap(App *app, const char *path, const char *end) {
  double a = 0, b = 0;
  if (sofa_read_real(&path, &a) && sofa_read_real(&end, &b) && a >= 0 && a <= 0.5 && b >= 0 &&
      b <= 0.5) {
    app->operations.snap_path = a;
    app->operations.snap_end = b;
    return;
  }
  app_say(app, SOFA_ERROR, "expected: snap and two numbers in [0, 0.5]");
}
