/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys and mouse. */
#include <math.h>

#include "viewer/window/app.h"
#include "viewer/window/imgui_shim.h"

/* ---- keys ---- */

typedef struct KeyBinding {
  int key, mods;
  const char *command;
  bool repeats;
} KeyBinding;

static const KeyBinding bindings[] = {
    {GLFW_KEY_SPACE, 0, "toggle", false},
    {GLFW_KEY_N, 0, "step", true},
    {GLFW_KEY_RIGHT, 0, "step", true},
    {GLFW_KEY_LEFT, 0, "go-to -1", true},
    {GLFW_KEY_Z, GLFW_MOD_CONTROL, "undo", false},
    {GLFW_KEY_P, GLFW_MOD_CONTROL, "palette", false},
    {GLFW_KEY_G, GLFW_MOD_CONTROL, "keep-going 1", false},
    {GLFW_KEY_R, 0, "reset", false},
    {GLFW_KEY_R, GLFW_MOD_CONTROL, "reload", false},
    {GLFW_KEY_F5, 0, "reload", false},
    {GLFW_KEY_F, 0, "view-all", false},
    {GLFW_KEY_HOME, 0, "view-reset", false},
    {GLFW_KEY_C, 0, "view-all", false},
    {GLFW_KEY_K, 0, "rescale", false},
    {GLFW_KEY_S, GLFW_MOD_CONTROL, "view-save", false},
    {GLFW_KEY_L, GLFW_MOD_CONTROL, "view-load", false},
    {GLFW_KEY_O, GLFW_MOD_CONTROL, "open-menu", false},
    {GLFW_KEY_X, 0, "axis +x", false},
    {GLFW_KEY_X, GLFW_MOD_SHIFT, "axis -x", false},
    {GLFW_KEY_Y, 0, "axis +y", false},
    {GLFW_KEY_Y, GLFW_MOD_SHIFT, "axis -y", false},
    {GLFW_KEY_Z, 0, "axis +z", false},
    {GLFW_KEY_Z, GLFW_MOD_SHIFT, "axis -z", false},
    {GLFW_KEY_O, 0, "projection", false},
    {GLFW_KEY_T, 0, "projection", false},
    {GLFW_KEY_W, 0, "flag Wireframe toggle", false},
    {GLFW_KEY_B, 0, "background", false},
    {GLFW_KEY_B, GLFW_MOD_CONTROL, "background", false},
    {GLFW_KEY_A, GLFW_MOD_CONTROL, "axes", false},
    {GLFW_KEY_P, 0, "screenshot", false},
    {GLFW_KEY_S, 0, "screenshot", false},
    {GLFW_KEY_F12, 0, "screenshot", false},
    {GLFW_KEY_V, 0, "video", false},
    {GLFW_KEY_F11, 0, "fullscreen", false},
    {GLFW_KEY_F, GLFW_MOD_CONTROL, "fullscreen", false},
    {GLFW_KEY_TAB, 0, "panels", false},
    {GLFW_KEY_H, 0, "help", false},
    {GLFW_KEY_F1, 0, "help", false},
    {GLFW_KEY_ESCAPE, 0, "quit", false},
};

/* Ctrl+Shift and a key is for the scene; SOFA numbers the arrows from 18. */
static void send_key(App *app, int key, bool pressed) {
  if (key >= GLFW_KEY_RIGHT && key <= GLFW_KEY_UP) {
    static const int arrows[] = {20, 18, 21, 19}; /* right, left, down, up */
    key = arrows[key - GLFW_KEY_RIGHT];
  }
  if (key > 255) return;
  app_command(app, "key-event %d %d", key, pressed ? 1 : 0);
}

void input_key(App *app, int key, int action, int mods) {
  mods &= GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT;
  app->frame_stale = true;
  if (mods == (GLFW_MOD_SHIFT | GLFW_MOD_CONTROL)) {
    if (action != GLFW_REPEAT) send_key(app, key, action == GLFW_PRESS);
    return;
  }
  if (action == GLFW_RELEASE) return;
  for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
    const KeyBinding *b = &bindings[i];
    if (b->key != key || b->mods != mods || (action == GLFW_REPEAT && !b->repeats)) continue;
    app_command(app, "%s", b->command);
    return;
  }
}

/* ---- mouse: window units from the upper left corner of the window ---- */

/* Pixel of the picture. */
static void to_picture(const App *app, double x, double y, double *px, double *py) {
  int w = 1, h = 1, fw = 1, fh = 1;
  glfwGetWindowSize(app->window, &w, &h);
  glfwGetFramebufferSize(app->window, &fw, &fh);
  *px = x * fw / (w > 0 ? w : 1) - app->view_x;
  *py = y * fh / (h > 0 ? h : 1) - app->view_y;
}

static bool is_inside(const App *app, double x, double y) {
  double px, py;
  to_picture(app, x, y, &px, &py);
  return px >= 0 && py >= 0 && px < app->view_width && py < app->view_height;
}

/* A command for the place where the mouse is now; it runs when the scene is free. */
static void at_mouse(App *app, const char *command) {
  double x, y;
  to_picture(app, app->mouse.x, app->mouse.y, &x, &y);
  app_command(app, "%s %g %g", command, x, y);
}

/* What the button does is done where the mouse is now, when the scene is free. */
static void click(App *app, int button, const char *how) {
  double x, y;
  to_picture(app, app->mouse.x, app->mouse.y, &x, &y);
  app->removing[button] = app->buttons[button] == OPERATION_REMOVE;
  app_command(app, "%s %g %g%s", operation_word(app->buttons[button]), x, y, how);
}

void input_button(App *app, int button, int action, int mods) {
  Mouse *m = &app->mouse;
  app->frame_stale = true;
  if (button < 0 || button > 2) return;
  if (action == GLFW_RELEASE) {
    if (app->pull_active && app->pull_button == button) at_mouse(app, "pull-end");
    else if (button == 0 && m->down[0] && !m->moved) at_mouse(app, "pick");
    if (app->pull_button == button) app->pull_active = false;
    m->down[button] = app->removing[button] = false;
    return;
  }
  if (!is_inside(app, m->x, m->y)) return;
  m->press_x = m->x;
  m->press_y = m->y;
  m->moved = false;
  if (!(mods & GLFW_MOD_SHIFT) || app->buttons[button] == OPERATION_NONE) m->down[button] = true;
  else if (app->buttons[button] != OPERATION_ATTACH) click(app, button, "");
  else if (!app->pull_active) {
    app->pull_active = true;
    app->pull_button = button;
    at_mouse(app, "pull");
  }
}

static void move_camera(App *app, double x0, double y0, double x, double y) {
  SofaCamera *camera = scene_view_camera(app->view);
  const Mouse *m = &app->mouse;
  double a[2], b[2], center[3];
  const SofaViewport viewport = app_viewport(app);
  to_picture(app, x0, y0, &a[0], &a[1]);
  to_picture(app, x, y, &b[0], &b[1]);
  app_center(app, center);
  if (m->down[0]) sofa_camera_orbit(camera, viewport, center, a, b);
  else if (m->down[2])
    sofa_camera_zoom(camera,
                     exp(2.5 * (b[1] - a[1]) / (viewport.height > 0 ? viewport.height : 1)));
  else if (m->down[1]) sofa_camera_pan(camera, viewport, b[0] - a[0], b[1] - a[1]);
  else return;
  app->picture_stale = true;
}

void input_move(App *app, double x, double y) {
  Mouse *m = &app->mouse;
  const double x0 = m->x, y0 = m->y;
  m->x = x;
  m->y = y;
  app->frame_stale = true;
  if (hypot(x - m->press_x, y - m->press_y) > 3) m->moved = true;
  for (int i = 0; i < N_MOUSE_BUTTONS; i++)
    if (app->removing[i] && m->moved && app->queue.n == 0) click(app, i, " over");
  if (app->pull_active) app->pull_moves = true;
  else if (m->moved && app->view_width > 0) move_camera(app, x0, y0, x, y);
}

void input_scroll(App *app, double dy) {
  if (!is_inside(app, app->mouse.x, app->mouse.y)) return;
  sofa_camera_zoom(scene_view_camera(app->view), exp(-0.12 * dy));
  app->picture_stale = app->frame_stale = true;
}

/* ---- what the mouse does to the scene ---- */

/* The pull follows the mouse. */
void input_scene(App *app) {
  double x, y;
  if (app->pull.grip && app->pull_moves) {
    to_picture(app, app->mouse.x, app->mouse.y, &x, &y);
    pull_move(&app->pull, scene_view_camera(app->view), app_viewport(app), x, y);
    app->picture_stale = true;
  }
  app->pull_moves = false;
}

/* ---- the queue of events ----
 *
 * Whose an event is, the panels' or the picture's, is known when the panels were drawn with all
 * that happened before it: with the mouse at its place, with the field that a click has chosen. So
 * one event is delivered per frame, and none is lost however fast they come. */

static bool has_panels(const App *app) {
  return app->settings.panels && app->options->widgets && ui_available();
}

/* Escape closes what is open in front of the window first. */
static bool close_front(App *app, const InputEvent *e) {
  if (e->code != GLFW_KEY_ESCAPE || e->action != GLFW_PRESS) return false;
  if (ui_wants_text() && !app->panels.palette) return false;
  const bool was_open = app->panels.opening || app->panels.palette || app->panels.offering;
  app->panels.opening = app->panels.palette = app->panels.offering = false;
  app->panels.folder[0] = '\0';
  app->frame_stale = true;
  return ui_close_popups() || was_open;
}

static void deliver_key(App *app, const InputEvent *e) {
  const bool panels = has_panels(app), text = panels && ui_wants_text();
  if (panels && close_front(app, e)) return;
  ui_on_key(app->window, e->code, e->scancode, e->action, e->mods);
  if (!panels || !ui_wants_keys() || (e->code == GLFW_KEY_SPACE && !text) ||
      (e->mods & GLFW_MOD_CONTROL && !text))
    input_key(app, e->code, e->action, e->mods);
}

static void deliver(App *app, const InputEvent *e) {
  const bool for_panels = has_panels(app) && ui_wants_mouse();
  app->frame_stale = true;
  switch (e->kind) {
  case INPUT_KEY:
    deliver_key(app, e);
    return;
  case INPUT_CHAR:
    ui_on_char(app->window, (unsigned)e->code);
    return;
  case INPUT_BUTTON:
    if (e->code >= 0 && e->code < N_MOUSE_BUTTONS) app->ui_down[e->code] = e->action == GLFW_PRESS;
    if (!for_panels || e->action == GLFW_RELEASE) input_button(app, e->code, e->action, e->mods);
    return;
  case INPUT_MOVE:
    input_move(app, e->x, e->y);
    return;
  default:
    ui_on_scroll(app->window, e->x, e->y);
    if (!for_panels) input_scroll(app, e->y);
  }
}

void input_deliver(App *app) {
  InputEvents *list = &app->events;
  size_t n = 0;
  for (; n < list->n; n++) {
    const InputEvent event = list->data[n];
    const bool waits = event.kind != INPUT_MOVE && event.kind != INPUT_CHAR;
    if (waits && app->ui_wait > 0 && has_panels(app)) break;
    deliver(app, &event);
    // a click chooses a field in one frame, which asks for the keys in the next
    const int frames = event.kind == INPUT_BUTTON ? 2 : 1;
    if (app->ui_wait < frames) app->ui_wait = frames;
  }
  list->n -= n;
  if (list->n) {
    sofa_move(list->data, list->data + n, list->n * sizeof *list->data);
    app->frame_stale = true;
  }
}

static void push(GLFWwindow *window, InputEvent event) {
  App *app = glfwGetWindowUserPointer(window);
  InputEvents *list = &app->events;
  app->frame_stale = true;
  // moves one after the other are one move
  if (event.kind == INPUT_MOVE && list->n && list->data[list->n - 1].kind == INPUT_MOVE)
    list->data[list->n - 1] = event;
  else if (SOFA_APPEND(app->ui, list, &event) != SOFA_OK) deliver(app, &event);
}

/* ---- GLFW's callbacks ---- */

static App *app_of(GLFWwindow *window) {
  return glfwGetWindowUserPointer(window);
}

static void on_key(GLFWwindow *window, int key, int scancode, int action, int mods) {
  push(window,
       (InputEvent){
           .kind = INPUT_KEY, .code = key, .scancode = scancode, .action = action, .mods = mods});
}

static void on_char(GLFWwindow *window, unsigned code) {
  push(window, (InputEvent){.kind = INPUT_CHAR, .code = (int)code});
}

static void on_button(GLFWwindow *window, int button, int action, int mods) {
  push(window, (InputEvent){.kind = INPUT_BUTTON, .code = button, .action = action, .mods = mods});
}

static void on_move(GLFWwindow *window, double x, double y) {
  push(window, (InputEvent){.kind = INPUT_MOVE, .x = x, .y = y});
}

static void on_scroll(GLFWwindow *window, double dx, double dy) {
  push(window, (InputEvent){.kind = INPUT_SCROLL, .x = dx, .y = dy});
}

static void on_size(GLFWwindow *window, int width, int height) {
  (void)width;
  (void)height;
  app_of(window)->frame_stale = app_of(window)->picture_stale = true;
}

static void on_refresh(GLFWwindow *window) {
  app_of(window)->frame_stale = true;
}

static void on_drop(GLFWwindow *window, int n, const char **paths) {
  if (n > 0) app_command(app_of(window), "open %s", paths[0]);
}

static void on_focus(GLFWwindow *window, int focused) {
  ui_on_focus(window, focused);
}

static void on_enter(GLFWwindow *window, int entered) {
  ui_on_enter(window, entered);
}

void input_attach(App *app) {
  glfwSetWindowUserPointer(app->window, app);
  glfwSetKeyCallback(app->window, on_key);
  glfwSetCharCallback(app->window, on_char);
  glfwSetMouseButtonCallback(app->window, on_button);
  glfwSetCursorPosCallback(app->window, on_move);
  glfwSetScrollCallback(app->window, on_scroll);
  glfwSetFramebufferSizeCallback(app->window, on_size);
  glfwSetWindowRefreshCallback(app->window, on_refresh);
  glfwSetDropCallback(app->window, on_drop);
  glfwSetWindowFocusCallback(app->window, on_focus);
  glfwSetCursorEnterCallback(app->window, on_enter);
}
