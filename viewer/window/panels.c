/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frame of panels: menu with the run's buttons, scene graph and inspector on the left, tabs
 * below. All that is shown here was copied from the scene while it was free. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/edit.h"
#include "viewer/window/app.h"
#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

enum { GREY = 0x9a9fa6, RED = 0xff6a5a, ORANGE = 0xffb347, WHITE = 0xe8eaed };

/* ---- places ---- */

enum { BAR = 4 }; /* thickness of what the mouse drags */

static float within(double wanted, double usual, double least, double most) {
  const double size = wanted > 0 ? wanted : usual;
  return (float)fmax(fmin(fmax(size, least), most), 0);
}

/* What is remembered, as far as the window has room for it: the picture keeps a third. */
void panels_layout(App *app, int width, int height) {
  PanelState *p = &app->panels;
  const Settings *s = &app->settings;
  if (p->top < 10) p->top = 24;
  const double tall = fmax(height - (double)p->top, 0);
  p->left = within(s->left, 380, 120, 0.66 * width);
  p->bottom = within(s->bottom, fmin(fmax(0.3 * height, 150), 320), 60, 0.66 * tall);
  p->tree = within(s->tree, 0.42 * tall, 40, tall - 140);
  app->view_x = (int)p->left + BAR;
  app->view_y = (int)p->top;
  app->view_width = width - app->view_x;
  app->view_height = height - app->view_y - (int)p->bottom - BAR;
}

static void draw_splitters(App *app, int width, int height) {
  PanelState *p = &app->panels;
  const float left = (float)(int)p->left, edge = (float)(height - (int)p->bottom - BAR);
  const float dx = ui_splitter("|left", left, p->top, BAR, (float)height - p->top);
  const float dy = ui_splitter("|bottom", left + BAR, edge, (float)width - left - BAR, BAR);
  if (dx != 0) app_command(app, "layout left %.0f", (double)(p->left + dx));
  if (dy != 0) app_command(app, "layout bottom %.0f", (double)(p->bottom - dy));
}

/* ---- menu ---- */

static void item(App *app, const char *label, const char *shortcut, const char *command,
                 bool enabled) {
  if (ui_menu_item(label, shortcut, false, enabled)) app_command(app, "%s", command);
}

static void draw_file_menu(App *app) {
  if (!ui_menu("File")) return;
  item(app, "Open ...", "Ctrl+O", "open-menu", true);
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

/* The actions of a menu. */
static void draw_actions_menu(App *app, const char *menu) {
  if (!ui_menu(menu)) return;
  for (size_t i = 0; i < n_window_actions; i++) {
    const WindowAction *a = &window_actions[i];
    if (strcmp(a->menu, menu) == 0) item(app, a->label, a->key, a->command, true);
  }
  ui_menu_end();
}

static void draw_menu(App *app) {
  PanelState *p = &app->panels;
  char text[200], pace[40] = "";
  if (!ui_main_menu(&p->top)) return;
  draw_file_menu(app);
  draw_actions_menu(app, "View");
  if (ui_button(app->animate ? " Pause " : " Play ")) app_command(app, "toggle");
  ui_tooltip("Space");
  if (ui_button("Step")) app_command(app, "step");
  ui_tooltip("N: one step");
  if (ui_button("Reset")) app_command(app, "reset");
  ui_tooltip("R: back to the state after loading");
  if (ui_button("Reload")) app_command(app, "reload");
  ui_tooltip("Ctrl+R: read the file again, keep the camera");
  draw_actions_menu(app, "Run");
  if (ui_button("Search")) app_command(app, "palette");
  ui_tooltip("Ctrl+P: actions, components and fields");
  if (app->pace.factor > 0)
    snprintf(pace, sizeof pace, "   %.3g of %.3g x real time", app->pace.rate, app->pace.factor);
  snprintf(text, sizeof text, "  step %llu   time %.4g s   %.3g ms/step%s%s%s",
           (unsigned long long)app->step_shown, app->time_shown, app->step_ms, pace,
           app->loading ? "   loading ..." : "", app->video ? "   recording" : "");
  ui_text(text);
  panel_faults_badge(app);
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
  if (!ui_context("##row")) return;
  if (row->node && ui_selectable(row->activated ? "Deactivate" : "Activate"))
    app_command(app, "activate \"%s\" %d", row->path, row->activated ? 0 : 1);
  if (ui_selectable("Copy its path")) ui_copy(row->path);
  ui_popup_end();
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
  char text[1400];
  const SofaField *f = row->field;
  const bool unit = f->unit && f->unit[0];
  char range[SOFA_RANGE_TEXT];
  sofa_range_text(&row->range, range);
  snprintf(
      text, sizeof text, "%s\n%s%s%s%s%s%stype: %s%s%s%s%s%s%.300s\n%s", f->help ? f->help : "",
      unit ? "unit: " : "", unit ? f->unit : "", unit ? "\n" : "", range[0] ? "range: " : "", range,
      range[0] ? "\n" : "", f->type->name, f->def ? "\ndefault: " : "", f->def ? f->def : "",
      row->link ? (row->linked ? "\nlinked to " : "\nfound: ") : "", row->link ? row->link : "",
      row->linked ? "\nvalue: " : "", row->linked ? row->value : "",
      row->editable                         ? "Return sets it; @path.field links it."
      : (f->flags & SOFA_FIELD_OUTPUT)      ? "It is computed."
      : (f->flags & SOFA_FIELD_UNSUPPORTED) ? "It is not supported yet."
      : row->cut                            ? "The ... sets single entries."
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
    ui_text_fit(buffer, GREY, 0);
    return;
  }
  if (f->type == &sofa_type_bool && !row->linked) {
    bool value = row->value[0] == '1' || row->value[0] == 't';
    if (ui_checkbox("##v", &value))
      app_command(app, "set \"%s\" %s %d", app->selected, f->name, value ? 1 : 0);
    return;
  }
  int current = f->options && f->type->scalar != SOFA_SCALAR_REAL && !row->linked
                    ? option_index(f, row->value, &n)
                    : -1;
  if (current >= 0) {
    if (ui_combo("##v", f->options, n, &current))
      app_command(app, "set \"%s\" %s %s", app->selected, f->name, f->options[current]);
    return;
  }
  snprintf(buffer, sizeof buffer, "%s", row->linked ? row->link : row->value);
  if (ui_input("##v", row->link ? row->link : "", buffer, sizeof buffer))
    app_command(app, "set \"%s\" %s %s", app->selected, f->name, buffer);
}

static bool is_number(const SofaField *field) {
  const SofaScalar scalar = field->type->scalar;
  return scalar == SOFA_SCALAR_REAL || scalar == SOFA_SCALAR_INT || scalar == SOFA_SCALAR_UINT;
}

/* The body in the colours of the field: of its numbers, or of the length of its vectors. */
static void draw_color_choice(App *app, const FieldRow *row) {
  static const char *const letters[] = {"x", "y", "z"};
  const bool vectors = row->width > 1;
  ui_text("colours");
  ui_same_line();
  if (ui_small_button(vectors ? "length" : "show them")) {
    app_command(app, "colour %s.%s", app->selected, row->field->name);
    ui_popup_close();
  }
  ui_tooltip("Draws the body in the colours of this field, with a legend");
  for (size_t k = 0; vectors && k < row->width && k < 3; k++) {
    char text[16];
    ui_same_line();
    snprintf(text, sizeof text, "%s##colour", letters[k]);
    if (!ui_small_button(text)) continue;
    app_command(app, "colour %s.%s.%zu", app->selected, row->field->name, k);
    ui_popup_close();
  }
}

/* What can be done with single entries: plots of their numbers, a new value. */
static void draw_entry_panel(App *app, const FieldRow *row) {
  static const char *const letters[] = {"x", "y", "z"};
  PanelState *p = &app->panels;
  const SofaField *f = row->field;
  char text[64];
  if (f->type->list) {
    ui_text("entry");
    ui_same_line();
    ui_input_number("##entry", &p->entry);
    if (row->n && (size_t)p->entry >= row->n) p->entry = (int)row->n - 1;
    if (app->selection.active && app->selection.point < row->n) {
      ui_same_line();
      snprintf(text, sizeof text, "point %zu", app->selection.point);
      if (ui_small_button(text)) p->entry = (int)app->selection.point;
      ui_tooltip("The point that was clicked");
    }
  } else {
    p->entry = 0;
  }
  ui_text("plot");
  for (size_t k = 0; k < row->width && k < 16; k++) {
    ui_same_line();
    if (row->width == 1) snprintf(text, sizeof text, "its value");
    else if (k < 3) snprintf(text, sizeof text, "%s", letters[k]);
    else snprintf(text, sizeof text, "%zu", k);
    if (!ui_small_button(text)) continue;
    app_command(app, "watch \"%s\" %s %d.%zu", app->selected, f->name, p->entry, k);
    snprintf(p->tab_wanted, sizeof p->tab_wanted, "Plots");
    ui_popup_close();
  }
  if (f->type->list) draw_color_choice(app, row);
  if (!f->type->list || sofa_edit_refusal(f)) return;
  ui_text("new value of the entry (Return)");
  if (ui_input("##value", "", p->entry_text, sizeof p->entry_text) && p->entry_text[0])
    app_command(app, "set-entry \"%s\" %s %d %s", app->selected, f->name, p->entry, p->entry_text);
}

static void draw_field(App *app, const FieldRow *row, int id) {
  const SofaField *f = row->field;
  const bool refused = strcmp(f->name, app->refusal_field) == 0 && app->refusal[0];
  const bool unit = f->unit && f->unit[0] && strcmp(f->unit, "1") != 0;
  char label[128];
  ui_push_id(id);
  ui_table_row();
  if (is_number(f) && row->n > 0 && row->width > 0) {
    if (ui_popup("...")) {
      draw_entry_panel(app, row);
      ui_popup_end();
    }
    ui_tooltip("Plot it, or set an entry");
    ui_same_line();
  }
  snprintf(label, sizeof label, "%s%s%s%s", f->name, unit ? " [" : "", unit ? f->unit : "",
           unit ? "]" : "");
  ui_text_fit(label, refused ? RED : row->is_set ? WHITE : GREY, 0);
  describe(row);
  ui_table_next();
  draw_value(app, row);
  ui_pop_id();
}

static void draw_object_messages(App *app, const TreeRow *row) {
  const LogEntries *list = log_lock(&app->log);
  int shown = 0;
  for (size_t i = list->n; i-- > 0 && shown < 3;) {
    const LogEntry *e = &list->data[i];
    if (e->number < app->load_number) break;
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
    ui_text_wrapped("Select an object to see its fields.", GREY);
    return;
  }
  snprintf(text, sizeof text, "%s  %s", row->class_name, row->path);
  ui_text_fit(text, color_of(row), 0);
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
  PanelState *p = &app->panels;
  if (app->fields.n > 12) ui_input("##filter", "fields with", p->filter, sizeof p->filter);
  const bool filtered = app->fields.n > 12 && p->filter[0];
  if (!ui_table("fields", 2, ui_height())) return;
  ui_table_column("field", 0.45f);
  ui_table_column("value", 0.55f);
  ui_table_headers();
  for (size_t i = 0; i < app->fields.n; i++) {
    const FieldRow *field = &app->fields.data[i];
    if (!filtered || contains(field->field->name, p->filter)) draw_field(app, field, (int)i);
  }
  ui_table_end();
}

/* ---- all ---- */

static void draw_left(App *app) {
  PanelState *p = &app->panels;
  draw_tree(app, p->tree);
  const float moved = ui_bar("|tree", BAR);
  if (moved != 0) app_command(app, "layout tree %.0f", (double)(p->tree + moved));
  draw_inspector(app);
}

void panels_draw(App *app, int width, int height) {
  PanelState *p = &app->panels;
  const float left = (float)((int)p->left + BAR), bottom = (float)(int)p->bottom;
  draw_menu(app);
  ui_panel("Scene", 0, p->top, (float)(int)p->left, (float)height - p->top);
  draw_left(app);
  ui_panel_end();
  ui_panel("Tabs", left, (float)height - bottom, (float)width - left, bottom);
  panel_tabs_draw(app);
  ui_panel_end();
  draw_splitters(app, width, height);
  panel_faults_draw(app, width, height);
  panel_open_draw(app, width, height);
  panel_palette_draw(app, width, height);
}
