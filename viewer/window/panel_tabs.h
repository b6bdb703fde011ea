/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tabs below the picture: log, plots, convergence, performance, view. */
#ifndef VIEWER_WINDOW_PANEL_TABS_H
#define VIEWER_WINDOW_PANEL_TABS_H

#include "viewer/window/app.h"

void panel_tabs_draw(App *app);
void panel_mouse_draw(App *app);                       /* a tab */
void panel_open_draw(App *app, int width, int height); /* when it is wanted */

#endif
