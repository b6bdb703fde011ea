/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panel of the command palette. */
#include <stdio.h>
#include <string.h>

#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

static void draw_items(App *app, bool chosen) {
  PanelState *p = &app->panels;
  const int n = (int)app->palette.n;
  size_t clicked = app->palette.n;
  p->palette_at += ui_arrow_keys();
  if (p->palette_at >= n) p->palette_at = n - 1;
  if (p->palette_at < 0) p->palette_at = 0;
  if (n == 0) ui_text_color("nothing has these words", 0x9a9fa6);
  for (int i = 0; i < n; i++) {
    const PaletteItem *item = &app->palette.data[i];
    char beside[200];
    ui_push_id(i);
    ui_fit(item->beside, 0.5f * ui_width(), beside, sizeof beside);
    if (ui_choice(item->label, i == p->palette_at, beside)) clicked = (size_t)i;
    if (strcmp(beside, item->beside) != 0) ui_tooltip(item->beside);
    ui_pop_id();
  }
  if (chosen) clicked = (size_t)p->palette_at;
  palette_run(app, clicked);
}

void panel_palette_draw(App *app, int width, int height) {
  PanelState *p = &app->panels;
  char before[sizeof p->palette_text];
  if (!p->palette) return;
  const float w = width > 700 ? 640 : (float)width - 20,
              h = height > 480 ? 420 : (float)height - 40;
  ui_dialog("Search actions, components and fields", ((float)width - w) / 2, 40, w, h, &p->palette);
  if (p->palette_focus) ui_focus_next();
  p->palette_focus = false;
  snprintf(before, sizeof before, "%s", p->palette_text);
  const bool chosen = ui_input("##palette", "words, such as: slow, state, young modulus",
                               p->palette_text, sizeof p->palette_text);
  if (strcmp(before, p->palette_text) != 0) app_command(app, "palette-search %s", p->palette_text);
  // a search that is still to be done would give another list
  ui_child("items", ui_height(), false);
  draw_items(app, chosen && app->queue.n == 0);
  ui_child_end();
  ui_panel_end();
}
