/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command palette: a search over actions, components and fields. */
#ifndef VIEWER_WINDOW_PALETTE_H
#define VIEWER_WINDOW_PALETTE_H

#include <stdbool.h>
#include <stddef.h>

/* What the user can do without an argument, for menus, too. */
typedef struct WindowAction {
  const char *menu, *label, *key, *command;
} WindowAction;
extern const WindowAction window_actions[];
extern const size_t n_window_actions;

typedef struct PaletteItem {
  char label[96], beside[200], command[420];
} PaletteItem;

struct App;
/* Scene free: fills the list with what has all words of the text, actions first. */
void palette_search(struct App *app, const char *text);
/* Runs item i of the list, and closes the palette. */
void palette_run(struct App *app, size_t i);
void palette_open(struct App *app);
void palette_free(struct App *app);

#endif
