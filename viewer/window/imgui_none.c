/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window without Dear ImGui: it has keys and text. */
#include "viewer/window/app.h"
#include "viewer/window/imgui_shim.h"

bool ui_available(void) {
  return false;
}
bool ui_create(struct GLFWwindow *window, const char *layout) {
  (void)window;
  (void)layout;
  return false;
}
void ui_destroy(void) {}
void ui_begin(double x, double y, const bool down[3]) {
  (void)x, (void)y, (void)down;
}
void ui_end(void) {}
bool ui_close_popups(void) {
  return false;
}
bool ui_wants_mouse(void) {
  return false;
}
bool ui_wants_keys(void) {
  return false;
}
bool ui_wants_text(void) {
  return false;
}
void ui_on_key(struct GLFWwindow *window, int key, int scancode, int action, int mods) {
  (void)window;
  (void)key;
  (void)scancode;
  (void)action;
  (void)mods;
}
void ui_on_char(struct GLFWwindow *window, unsigned code) {
  (void)window;
  (void)code;
}
void ui_on_scroll(struct GLFWwindow *window, double dx, double dy) {
  (void)window;
  (void)dx;
  (void)dy;
}
void ui_on_focus(struct GLFWwindow *window, int focused) {
  (void)window;
  (void)focused;
}
void ui_on_enter(struct GLFWwindow *window, int entered) {
  (void)window;
  (void)entered;
}
void panels_layout(App *app, int width, int height) {
  (void)app;
  (void)width;
  (void)height;
}
void panels_draw(App *app, int width, int height) {
  (void)app;
  (void)width;
  (void)height;
}
