/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frame of panels: menu with the run's buttons, scene graph and inspector on the left, tabs
 * below. All that is shown here was copied from the scene while it was free. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/app.h"
#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

enum { GREY = 0x9a9fa6, RED = 0xff6a5a, ORANGE = 0xffb347, WHITE = 0xe8eaed };

/* ---- places ---- */

static float bottom_height(int height) {
  const float wanted = 0.3f * (float)height;
  return wanted < 150 ? 150 : wanted > 320 ? 320 : wanted;
}

void panels_layout(App *app, int width, int height) {
  PanelState *p = &app->panels;
  if (p->left < 100) p->left = 380;
  if (p->top < 10) p->top = 24;
  const int left = (int)fminf(p->left, 0.6f * (float)width), top = (int)p->top;
  app->view_x = left;
  app->view_y = top;
  app->view_width = width - left;
  app->view_height = height - top - (int)bottom_height(height);
}

/* ---- menu ---- */

static void item(App *app, const char *label, const char *shortcut, const char *command,
                 bool enabled) {
  if (ui_menu_item(label, shortcut, false, enabled)) app_command(app, "%s", command);
}

static void draw_file_menu(App *app) {
  PanelState *p = &app->panels;
  if (!ui_menu("File")) return;
  ui_text("Open (or drop a file on the window):");
  if (ui_input("##open", "path of a scene", p->open, sizeof p->open) && p->open[0])
    app_command(app, "open %s", p->open);
  item(app, "Reload", "Ctrl+R", "reload", app->file != NULL);
  if (ui_menu("Recent")) {
    for (int i = 0; i < RECENT_FILES && app->settings.recent[i]; i++)
      if (ui_menu_item(app->settings.recent[i], NULL, false, true))
        app_command(app, "open %s", app->settings.recent[i]);
    ui_menu_end();
  }
  ui_separator();
  item(app, "Picture", "P", "screenshot", true);
  item(app, app->video ? "End the video" : "Video", "V", "video", app->tree.n > 0);
  ui_separator();
  item(app, "Quit", "Escape", "quit", true);
  ui_menu_end();
}

static void draw_view_menu(App *app) {
  static const struct {
    const char *label, *key, *command;
  } rows[] = {{"See all", "F", "view-all"},
              {"First view", "Home", "view-reset"},
              {"Right (+x)", "X", "axis +x"},
              {"Left (-x)", "Shift+X", "axis -x"},
              {"Top (+y)", "Y", "axis +y"},
              {"Bottom (-y)", "Shift+Y", "axis -y"},
              {"Front (+z)", "Z", "axis +z"},
              {"Back (-z)", "Shift+Z", "axis -z"},
              {"Parallel or perspective", "O", "projection"},
              {"Wireframe", "W", "flag Wireframe toggle"},
              {"Background", "B", "background"},
              {"Axes", "Ctrl+A", "axes"},
              {"Bounding box", "", "box"},
              {"Fill the screen", "F11", "fullscreen"},
              {"Hide panels", "Tab", "panels"},
              {"Keys", "H", "help"}};
  if (!ui_menu("View")) return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    item(app, rows[i].label, rows[i].key, rows[i].command, true);
  ui_menu_end();
}

static void draw_menu(App *app) {
  PanelState *p = &app->panels;
  char text[160];
  if (!ui_main_menu(&p->top)) return;
  draw_file_menu(app);
  draw_view_menu(app);
  if (ui_button(app->animate ? " Pause " : " Play ")) app_command(app, "toggle");
  ui_tooltip("Space");
  if (ui_button("Step")) app_command(app, "step");
  ui_tooltip("N: one step");
  if (ui_button("Reset")) app_command(app, "reset");
  ui_tooltip("R: back to the state after loading");
  if (ui_button("Reload")) app_command(app, "reload");
  ui_tooltip("Ctrl+R: read the file again, keep the camera");
  snprintf(text, sizeof text, "  step %llu   time %.4g s   %.3g ms/step%s%s",
           (unsigned long long)app->step_shown, app->time_shown, app->step_ms,
           app->loading ? "   loading ..." : "", app->video ? "   recording" : "");
  ui_text(text);
  ui_main_menu_end();
}

/* ---- scene graph ---- */

static unsigned color_of(const TreeRow *row) {
  static const struct {
    const char *word;
    unsigned rgb;
  } rows[] = {{"State", 0x8dd3c7},
              {"Projective", 0xfdb462},
              {"Constraint", 0xf98912},
              {"Interaction", 0xfb8072},
              {"Force", 0xbebada},
              {"Solver", 0xb3de69},
              {"MechanicalMapping", 0x4ba3fa},
              {"Mapping", 0x80b1d3},
              {"Mass", 0xffffb3},
              {"Topolog", 0xffed6f},
              {"Visual", 0xeefdea},
              {"Loader", 0x00daff},
              {"Setting", 0xaaaaaa},
              {"Collision", 0xfccde5}};
  if (row->severity >= SOFA_ERROR || (!row->node && !row->activated)) return RED;
  if (row->severity >= SOFA_WARNING) return ORANGE;
  if (row->node) return row->activated ? 0xffffff : GREY;
  for (size_t i = 0; row->category && i < sizeof rows / sizeof *rows; i++)
    if (strstr(row->category, rows[i].word)) return rows[i].rgb;
  return 0xdedede;
}

static bool contains(const char *text, const char *part) {
  const size_t n = strlen(part);
  for (; *text; text++) {
    size_t i = 0;
    while (i < n && text[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
      i++;
    if (i == n) return true;
  }
  return n == 0;
}

static bool is_closed(const App *app, const char *path, size_t *at) {
  for (*at = 0; *at < app->panels.closed.n; (*at)++)
    if (strcmp(app->panels.closed.data[*at], path) == 0) return true;
  return false;
}

static void set_open(App *app, const char *path, bool open) {
  SofaStrings *closed = &app->panels.closed;
  size_t at;
  const bool was = is_closed(app, path, &at);
  if (!open && !was) sofa_strings_append(app->ui, closed, path, strlen(path));
  if (!open || !was) return;
  sofa_free(app->ui, closed->data[at]);
  closed->data[at] = closed->data[--closed->n];
}

static void draw_tree_row(App *app, const TreeRow *row, int level, bool leaf, bool *open) {
  char label[200];
  const char *mark = row->severity >= SOFA_ERROR     ? "(!) "
                     : row->severity >= SOFA_WARNING ? "! "
                                                     : "";
  const bool is_selected = app->selected && strcmp(app->selected, row->path) == 0;
  if (row->node) snprintf(label, sizeof label, "%s%s", mark, row->name);
  else if (strcmp(row->name, row->class_name) == 0)
    snprintf(label, sizeof label, "%s%s", mark, row->name);
  else snprintf(label, sizeof label, "%s%s  %s", mark, row->class_name, row->name);
  if (ui_tree_line(label, color_of(row), level, leaf, is_selected, open))
    app_command(app, "select %s", row->path);
}

static void draw_tree(App *app, float height) {
  PanelState *p = &app->panels;
  ui_input("##search", "search name or class", p->search, sizeof p->search);
  ui_child("tree", height, true);
  int hidden = INT32_MAX; // rows deeper than that are below a closed node
  for (size_t i = 0; i < app->tree.n; i++) {
    const TreeRow *row = &app->tree.data[i];
    size_t at;
    if (row->level > hidden && !p->search[0]) continue;
    hidden = INT32_MAX;
    if (p->search[0] && !contains(row->name, p->search) && !contains(row->class_name, p->search))
      continue;
    const bool was = !is_closed(app, row->path, &at);
    bool open = was;
    ui_push_id((int)i);
    draw_tree_row(app, row, p->search[0] ? 0 : row->level, !row->node || p->search[0], &open);
    ui_pop_id();
    if (row->node && open != was && !p->search[0]) set_open(app, row->path, open);
    if (row->node && !open) hidden = row->level;
  }
  ui_child_end();
}

/* ---- inspector ---- */

static void describe(const FieldRow *row) {
  char text[700];
  const SofaField *f = row->field;
  snprintf(text, sizeof text, "%s\n%s%s%stype: %s%s%s\n%s", f->help ? f->help : "",
           f->unit && f->unit[0] ? "unit: " : "", f->unit ? f->unit : "",
           f->unit && f->unit[0] ? "\n" : "", f->type->name, f->def ? "\ndefault: " : "",
           f->def ? f->def : "",
           row->editable                         ? "Return sets it."
           : (f->flags & SOFA_FIELD_OUTPUT)      ? "It is computed."
           : (f->flags & SOFA_FIELD_UNSUPPORTED) ? "It is not supported yet."
                                                 : "It cannot be changed while the scene is open.");
  ui_tooltip(text);
}

static int option_index(const SofaField *field, const char *value, int *n) {
  int found = -1;
  for (*n = 0; field->options[*n]; (*n)++)
    if (strcmp(field->options[*n], value) == 0) found = *n;
  return found;
}

static void draw_value(App *app, const FieldRow *row) {
  const SofaField *f = row->field;
  char buffer[2048];
  int n = 0;
  if (!row->editable) {
    snprintf(buffer, sizeof buffer, "%.300s%s", row->value, strlen(row->value) > 300 ? " ..." : "");
    ui_text_color(buffer, GREY);
    return;
  }
  if (f->type == &sofa_type_bool) {
    bool value = row->value[0] == '1' || row->value[0] == 't';
    if (ui_checkbox("##v", &value))
      app_command(app, "set \"%s\" %s %d", app->selected, f->name, value ? 1 : 0);
    return;
  }
  int current =
      f->options && f->type->scalar != SOFA_SCALAR_REAL ? option_index(f, row->value, &n) : -1;
  if (current >= 0) {
    if (ui_combo("##v", f->options, n, &current))
      app_command(app, "set \"%s\" %s %s", app->selected, f->name, f->options[current]);
    return;
  }
  snprintf(buffer, sizeof buffer, "%s", row->value);
  if (ui_input("##v", "", buffer, sizeof buffer))
    app_command(app, "set \"%s\" %s %s", app->selected, f->name, buffer);
}

static void draw_field(App *app, const FieldRow *row, int id) {
  const SofaScalar scalar = row->field->type->scalar;
  const bool refused = strcmp(row->field->name, app->refusal_field) == 0 && app->refusal[0];
  char label[128];
  ui_push_id(id);
  ui_table_row();
  snprintf(
      label, sizeof label, "%s%s%s%s", row->field->name,
      row->field->unit && row->field->unit[0] && strcmp(row->field->unit, "1") != 0 ? " [" : "",
      row->field->unit && strcmp(row->field->unit, "1") != 0 ? row->field->unit : "",
      row->field->unit && row->field->unit[0] && strcmp(row->field->unit, "1") != 0 ? "]" : "");
  ui_text_color(label, refused ? RED : row->is_set ? WHITE : GREY);
  describe(row);
  if (scalar == SOFA_SCALAR_REAL || scalar == SOFA_SCALAR_INT || scalar == SOFA_SCALAR_UINT) {
    ui_same_line();
    if (ui_small_button("~"))
      app_command(app, "watch \"%s\" %s 0", app->selected, row->field->name);
    ui_tooltip("Plot its first number");
  }
  ui_table_next();
  draw_value(app, row);
  ui_pop_id();
}

static void draw_object_messages(App *app, const TreeRow *row) {
  const LogEntries *list = log_lock(&app->log);
  int shown = 0;
  for (size_t i = list->n; i-- > 0 && shown < 3;) {
    const LogEntry *e = &list->data[i];
    if (!e->path || strcmp(e->path, row->path) != 0 || e->severity < SOFA_WARNING) continue;
    ui_text_wrapped(e->text, e->severity >= SOFA_ERROR ? RED : ORANGE);
    shown++;
  }
  log_unlock(&app->log);
}

static void draw_inspector(App *app) {
  const TreeRow *row = app->selected ? tree_find(app, app->selected) : NULL;
  char text[400];
  if (!row) {
    ui_text_color("Select an object to see its fields.", GREY);
    return;
  }
  snprintf(text, sizeof text, "%s  %s", row->class_name, row->path);
  ui_text_color(text, color_of(row));
  if (row->node) {
    bool activated = row->activated;
    if (ui_checkbox("activated", &activated))
      app_command(app, "activate \"%s\" %d", row->path, activated ? 1 : 0);
  }
  draw_object_messages(app, row);
  if (app->refusal[0]) {
    snprintf(text, sizeof text, "%.80s was refused: %.280s", app->refusal_field, app->refusal);
    ui_text_wrapped(text, RED);
  }
  if (!ui_table("fields", 2, ui_height())) return;
  ui_table_column("field", 0.45f);
  ui_table_column("value", 0.55f);
  ui_table_headers();
  for (size_t i = 0; i < app->fields.n; i++) draw_field(app, &app->fields.data[i], (int)i);
  ui_table_end();
}

/* ---- all ---- */

void panels_draw(App *app, int width, int height) {
  PanelState *p = &app->panels;
  const float left = p->left;
  draw_menu(app);
  const float below = bottom_height(height), tall = (float)height - p->top;
  ui_panel("Scene", 0, p->top, left, tall, 'w', &p->left);
  draw_tree(app, 0.42f * tall);
  draw_inspector(app);
  ui_panel_end();
  ui_panel("Tabs", left, (float)height - below, (float)width - left, below, 0, NULL);
  panel_tabs_draw(app);
  ui_panel_end();
  if (p->left != left) app->frame_stale = true;
}
