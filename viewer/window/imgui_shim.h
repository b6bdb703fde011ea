/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dear ImGui as C functions: no more than the panels need. Without ImGui in the build the same
 * functions do nothing (imgui_none.c), and the window has keys and text only. */
#ifndef VIEWER_WINDOW_IMGUI_SHIM_H
#define VIEWER_WINDOW_IMGUI_SHIM_H

#include <stdbool.h>
#include <stddef.h>

struct GLFWwindow;

#ifdef __cplusplus
extern "C" {
#endif

bool ui_available(void);
/* layout: file where places of panels are kept, NULL: nowhere; must live as long. */
bool ui_create(struct GLFWwindow *window, const char *layout);
void ui_destroy(void); /* harmless when it was not created */
/* A frame with the mouse at a place (window units) and these buttons down. */
void ui_begin(double x, double y, const bool down[3]);
void ui_end(void); /* [GL] draws */

/* Is the input for the panels? */
bool ui_wants_mouse(void);
bool ui_wants_keys(void);
bool ui_wants_text(void);
void ui_on_key(struct GLFWwindow *window, int key, int scancode, int action, int mods);
void ui_on_char(struct GLFWwindow *window, unsigned code);
void ui_on_scroll(struct GLFWwindow *window, double dx, double dy);
void ui_on_focus(struct GLFWwindow *window, int focused);
void ui_on_enter(struct GLFWwindow *window, int entered);

/* Closes small panels and menus that are open; false: there are none. */
bool ui_close_popups(void);

/* A panel at a place. Every begin has its end. */
void ui_panel(const char *name, float x, float y, float width, float height);
void ui_panel_end(void);
/* A panel in front of the others, with a title; *open is set to false by its cross. */
void ui_dialog(const char *title, float x, float y, float width, float height, bool *open);
/* A bar between panels: how far the mouse drags it since the last frame, pixels. */
float ui_splitter(const char *id, float x, float y, float width, float height);
float ui_bar(const char *id, float height); /* the same, between two items of a panel */

bool ui_main_menu(float *height);
void ui_main_menu_end(void);
bool ui_menu(const char *label);
void ui_menu_end(void);
bool ui_menu_item(const char *label, const char *shortcut, bool checked, bool enabled);

bool ui_tabs(const char *id);
void ui_tabs_end(void);
bool ui_tab(const char *label, bool choose); /* choose: shows it now */
void ui_tab_end(void);

bool ui_button(const char *label);
bool ui_small_button(const char *label);
bool ui_checkbox(const char *label, bool *value);
/* true: Return was pressed. */
bool ui_input(const char *id, const char *hint, char *buffer, size_t size);
bool ui_combo(const char *id, const char *const *items, int n, int *current);
/* shown: the text in the slider, without '%'. */
bool ui_slider_int(const char *id, int *value, int min, int max, const char *shown);
bool ui_checkbox_fit(const char *label, unsigned rgb, float width, bool *value);
bool ui_slider_log(const char *id, float *value, float min, float max);

void ui_text(const char *text);
void ui_text_color(const char *text, unsigned rgb); /* 0xrrggbb */
/* The text, or its beginning and "..." where it is wider than `width` (0: the room that is left);
 * then the whole text is a tip. */
void ui_text_fit(const char *text, unsigned rgb, float width);
bool ui_fit(const char *text, float width, char *out, size_t size); /* true: it was cut */
void ui_text_wrapped(const char *text, unsigned rgb);
void ui_tooltip(const char *text); /* of the item before */
void ui_same_line(void);
void ui_separator(void);
void ui_push_id(int id);
void ui_pop_id(void);

/* A line of a tree at a level; leaf: nothing below. *open is changed by the arrow. true: clicked.
 */
bool ui_tree_line(const char *label, unsigned rgb, int level, bool leaf, bool selected, bool *open);

bool ui_child(const char *id, float height, bool border);
bool ui_column(const char *id, float width, float height); /* the same, of a width, no border */
void ui_child_end(void);
void ui_scroll_to_end(void);

bool ui_table(const char *id, int columns, float height);
void ui_table_column(const char *label, float weight);
void ui_table_headers(void);
void ui_table_row(void);
void ui_table_next(void);
void ui_table_end(void);

/* A button that opens a small panel next to it: true while that is open, then ui_popup_end. */
bool ui_popup(const char *label);
/* The same with the right button on the item before. */
bool ui_context(const char *id);
void ui_popup_end(void);
void ui_popup_close(void);
bool ui_selectable(const char *label);
bool ui_input_number(const char *id, int *value); /* >= 0 */
void ui_copy(const char *text);                   /* to the clipboard */
void ui_focus_next(void);                         /* keys go to the next item */
int ui_arrow_keys(void);                          /* 1 down, -1 up, 0 none was pressed */
/* A line that can be chosen, with a grey text at its right end; a marked one is in sight. */
bool ui_choice(const char *label, bool marked, const char *beside);
void ui_disable(bool disabled); /* what follows, until ui_enable */
void ui_enable(void);

/* Curves of the values in a ring, with common axes: n values of each, `stride` bytes apart, the
 * first one at `offset`. One curve has its name and last value above it. */
typedef struct UiCurve {
  const char *name;
  const double *y;
  unsigned rgb; /* 0xrrggbb */
} UiCurve;
typedef struct UiPlot {
  const char *label; /* tells it apart in its panel */
  const double *x;   /* NULL: 1, 2, ... */
  const UiCurve *curves;
  int n_curves;
  const char *x_label;
  int n, offset, stride;
  double *zoom; /* part of them that is shown, the last ones, (0, 1]: the wheel changes it */
} UiPlot;
void ui_plot(const UiPlot *plot, float width, float height);
float ui_width(void); /* left in the panel */
float ui_height(void);

#ifdef __cplusplus
}
#endif

#endif
