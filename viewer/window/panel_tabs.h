/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panels with files of their own: the tabs below the picture, and the list of files to open. */
#ifndef VIEWER_WINDOW_PANEL_TABS_H
#define VIEWER_WINDOW_PANEL_TABS_H

#include "viewer/window/app.h"

void panel_tabs_draw(App *app);
void panel_plots_draw(App *app);
void panel_convergence_draw(App *app);
/* A number of every step over the time of the scene; id tells it apart. */
void panel_plot(App *app, const char *name, const double *first, int id, float width, float height);
void panel_time_draw(App *app);
/* In front of the others. */
void panel_faults_draw(App *app, int width, int height);
void panel_palette_draw(App *app, int width, int height);
void panel_faults_badge(App *app);                     /* in the menu */
void panel_mouse_draw(App *app);                       /* a tab */
void panel_open_draw(App *app, int width, int height); /* when it is wanted */

#endif
