/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command palette: what it lists. */
#include "viewer/window/palette.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/app.h"

const WindowAction window_actions[] = {
    {"View", "See all", "F", "view-all"},
    {"View", "First view", "Home", "view-reset"},
    {"View", "Rescale the colours", "K", "rescale"},
    {"View", "No colours", "", "colour"},
    {"View", "Save the camera", "Ctrl+S", "view-save"},
    {"View", "Restore the camera", "Ctrl+L", "view-load"},
    {"View", "Right (+x)", "X", "axis +x"},
    {"View", "Left (-x)", "Shift+X", "axis -x"},
    {"View", "Top (+y)", "Y", "axis +y"},
    {"View", "Bottom (-y)", "Shift+Y", "axis -y"},
    {"View", "Front (+z)", "Z", "axis +z"},
    {"View", "Back (-z)", "Shift+Z", "axis -z"},
    {"View", "Parallel or perspective", "O", "projection"},
    {"View", "Wireframe", "W", "flag Wireframe toggle"},
    {"View", "Background", "B", "background"},
    {"View", "Axes", "Ctrl+A", "axes"},
    {"View", "Bounding box", "", "box"},
    {"View", "Fill the screen", "F11", "fullscreen"},
    {"View", "Hide panels", "Tab", "panels"},
    {"View", "Usual sizes of panels", "", "layout reset"},
    {"View", "Keys", "H", "help"},
    {"Run", "Play or pause", "Space", "toggle"},
    {"Run", "One step", "N", "step"},
    {"Run", "One state back", "Left", "go-to -1"},
    {"Run", "Reset", "R", "reset"},
    {"Run", "As fast as possible", "", "pace max"},
    {"Run", "In real time", "", "pace 1"},
    {"Run", "Slow motion, 1/2", "", "pace 0.5"},
    {"Run", "Slow motion, 1/10", "", "pace 0.1"},
    {"Run", "Slow motion, 1/100", "", "pace 0.01"},
    {"Run", "Undo the last edit", "Ctrl+Z", "undo"},
    {"Run", "Save the state", "", "save-state"},
    {"Run", "Run without the components that have errors", "Ctrl+G", "keep-going 1"},
    {"Run", "Run with all components", "", "keep-going 0"},
    {"File", "Open ...", "Ctrl+O", "open-menu"},
    {"File", "Reload", "Ctrl+R", "reload"},
    {"File", "Picture", "P", "screenshot"},
    {"File", "Begin or end a video", "V", "video"},
    {"File", "Save what was plotted as CSV", "", "save-plots"},
    {"File", "Save the convergence as CSV", "", "save-convergence"},
    {"File", "Save the log", "", "save-log csofa.log"},
    {"File", "Quit", "Escape", "quit"},
    {"Tab", "Log", "", "tab Log"},
    {"Tab", "Plots", "", "tab Plots"},
    {"Tab", "Time", "", "tab Time"},
    {"Tab", "Convergence", "", "tab Convergence"},
    {"Tab", "Performance", "", "tab Performance"},
};
const size_t n_window_actions = sizeof window_actions / sizeof *window_actions;

enum { MOST_ITEMS = 80 };

/* ---- matching ---- */

static bool has_word(const char *text, const char *word, size_t n) {
  for (; *text; text++) {
    size_t i = 0;
    while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i])) i++;
    if (i == n) return true;
  }
  return false;
}

/* Does one of the texts of an item have each word? */
static bool matches(const char *query, const char *const *texts) {
  for (query += strspn(query, " "); *query; query += strspn(query, " ")) {
    const size_t n = strcspn(query, " ");
    bool found = false;
    for (int i = 0; texts[i] && !found; i++) found = has_word(texts[i], query, n);
    if (!found) return false;
    query += n;
  }
  return true;
}

static void add(App *app, const PaletteItem *item) {
  if (app->palette.n < MOST_ITEMS) (void)SOFA_APPEND(app->ui, &app->palette, item);
}

/* ---- what is searched ---- */

static void add_actions(App *app, const char *query) {
  for (size_t i = 0; i < n_window_actions; i++) {
    const WindowAction *a = &window_actions[i];
    PaletteItem item;
    snprintf(item.label, sizeof item.label, "%s: %s", a->menu, a->label);
    if (!matches(query, (const char *const[]){item.label, NULL})) continue;
    snprintf(item.beside, sizeof item.beside, "%s", a->key);
    snprintf(item.command, sizeof item.command, "%s", a->command);
    add(app, &item);
  }
}

static void add_components(App *app, const char *query) {
  for (size_t i = 0; i < app->tree.n; i++) {
    const TreeRow *row = &app->tree.data[i];
    PaletteItem item;
    if (!matches(query, (const char *const[]){row->name, row->class_name, NULL})) continue;
    snprintf(item.label, sizeof item.label, "%.40s %.50s", row->node ? "node" : row->class_name,
             row->name);
    snprintf(item.beside, sizeof item.beside, "%s", row->path);
    if ((size_t)snprintf(item.command, sizeof item.command, "select %s", row->path) <
        sizeof item.command)
      add(app, &item);
  }
}

static void add_fields(App *app, const char *query) {
  for (size_t i = 0; i < app->tree.n && app->palette.n < MOST_ITEMS; i++) {
    const TreeRow *row = &app->tree.data[i];
    const SofaClass *klass = row->object->klass;
    const size_t common = sofa_class_n_fields(&sofa_object_class);
    for (size_t k = common; k < sofa_class_n_fields(klass); k++) {
      const SofaField *field = row->object->field_states[k].field;
      const char *const texts[] = {field->name, row->name, row->class_name, NULL};
      PaletteItem item;
      if (!has_word(field->name, query, strcspn(query, " ")) &&
          !(strchr(query, ' ') && matches(strchr(query, ' '), texts)))
        continue;
      if (!matches(query, texts)) continue;
      snprintf(item.label, sizeof item.label, "field %.80s", field->name);
      snprintf(item.beside, sizeof item.beside, "%s", row->path);
      if ((size_t)snprintf(item.command, sizeof item.command, "inspect \"%s\" %s", row->path,
                           field->name) < sizeof item.command)
        add(app, &item);
    }
  }
}

void palette_search(App *app, const char *text) {
  app->palette.n = 0;
  add_actions(app, text);
  if (!*text) return;
  add_components(app, text);
  add_fields(app, text);
  app->panels.palette_at = 0;
}

void palette_run(App *app, size_t i) {
  if (i >= app->palette.n) return;
  app->panels.palette = false;
  app_command(app, "%s", app->palette.data[i].command);
}

void palette_open(App *app) {
  PanelState *p = &app->panels;
  p->palette = !p->palette;
  p->palette_focus = true;
  p->palette_text[0] = '\0';
  p->palette_at = 0;
  palette_search(app, "");
}

void palette_free(App *app) {
  sofa_list_free(app->ui, &app->palette);
}
