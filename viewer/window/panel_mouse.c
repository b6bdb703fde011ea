/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tab of the mouse: which button does what with Shift, and with which numbers. */
#include <stdio.h>

#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

static const char *const labels[N_OPERATIONS] = {[OPERATION_NONE] = "move the camera",
                                                 [OPERATION_ATTACH] = "pull at a body",
                                                 [OPERATION_FIX] = "fix a place",
                                                 [OPERATION_REMOVE] = "remove elements",
                                                 [OPERATION_INCISE] = "cut a surface of triangles",
                                                 [OPERATION_SUTURE] = "join two places"};

static void draw_buttons(App *app) {
  static const struct {
    int button;
    const char *label;
  } rows[] = {{MOUSE_LEFT, "Shift + left"},
              {MOUSE_MIDDLE, "Shift + middle"},
              {MOUSE_RIGHT, "Shift + right"}};
  if (!ui_table("buttons", 3, 52)) return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) ui_table_column("", 1);
  ui_table_row();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int current = (int)app->buttons[rows[i].button];
    if (i) ui_table_next();
    ui_text(rows[i].label);
    ui_push_id((int)i);
    if (ui_combo("##operation", labels, N_OPERATIONS, &current))
      app_command(app, "mouse %s %s", mouse_button_word(rows[i].button),
                  operation_word((Operation)current));
    ui_pop_id();
  }
  ui_table_end();
}

static void draw_stiffness(App *app, const char *label, double value, double none,
                           const char *command) {
  float number = value > 0 ? (float)value : (float)none;
  if (ui_slider_log(label, &number, 0.1f, 1e7f)) app_command(app, "%s %g", command, (double)number);
}

static void draw_snap(App *app, const char *label, double value, bool end) {
  const Operations *o = &app->operations;
  float number = (float)(value > 1e-3 ? value : 1e-3);
  if (!ui_slider_log(label, &number, 1e-3f, 0.5f)) return;
  app_command(app, "snap %g %g", end ? o->snap_path : (double)number,
              end ? (double)number : o->snap_end);
}

void panel_mouse_draw(App *app) {
  const Operations *o = &app->operations;
  char text[80];
  ui_child("mouse", ui_height(), false);
  draw_buttons(app);
  draw_stiffness(app, "pulling, N/m", app->pull_stiffness, 1000, "pull-stiffness");
  draw_stiffness(app, "fixing, N/m", o->fix_stiffness, 10000, "hold-stiffness fix");
  draw_stiffness(app, "joining, N/m", o->suture_stiffness, 10000, "hold-stiffness suture");
  draw_snap(app, "cuts pass through vertices nearer than (part of an edge)", o->snap_path, false);
  draw_snap(app, "clicks of cuts move to vertices and edges nearer than", o->snap_end, true);
  snprintf(text, sizeof text, "%zu places are held", app->held_shown);
  ui_text(text);
  ui_same_line();
  if (ui_small_button("release all")) app_command(app, "let-go");
  ui_child_end();
}
