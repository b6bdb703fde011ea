/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panels with files of their own: the tabs below the picture, and the list of files to open. */
#ifndef VIEWER_WINDOW_PANEL_TABS_H
#define VIEWER_WINDOW_PANEL_TABS_H

#include "viewer/window/app.h"

void panel_tabs_draw(App *app);
void panel_mouse_draw(App *app);                       /* a tab */
void panel_open_draw(App *app, int width, int height); /* when it is wanted */

#endif
