/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window: shows a scene, runs it, and lets the user inspect it and pull at it. */
#ifndef VIEWER_WINDOW_WINDOW_H
#define VIEWER_WINDOW_WINDOW_H

#include "viewer/view_request.h"

typedef struct WindowOptions {
  const char *scene; /* file; NULL: an empty window */
  bool start;        /* runs at once, also when the scene does not say so */
  bool no_check;     /* do not look over the scene after loading */
  bool no_recent;    /* the scene is not put among the recent files */
  bool widgets;      /* panels of Dear ImGui, where it was built in; else keys and text */
  uint64_t modes;    /* shows this many modes of vibration instead of a motion; 0: the motion */
  bool buckling;     /* those of buckling */
  uint64_t n_steps;  /* the window closes after that many; 0: never */
  int width, height; /* 0: what the window had last time */
  int msaa;          /* samples per pixel, 0: 4 */
  ViewRequest view;  /* of the scene that is opened first */
} WindowOptions;

/* Is there a display that a window could be on? */
bool window_has_display(void);
/* The scene that was shown last, of those that are remembered; owned, NULL: none. */
char *window_recent_file(SofaContext *ctx);
/* Was the program built with Dear ImGui? */
bool window_has_widgets(void);

/* Opens the window and returns when it is closed. SOFA_ERR_UNSUPPORTED: no window could be opened
 * (no display, no OpenGL 3.3), the reason was reported. The context's sink is used as before; the
 * window keeps the messages, too. A scene that cannot be read is shown as an error in the window.
 * With CSOFA_UI_SCRIPT=FILE in the environment the window does what the file says (see README.md)
 * and the result tells whether all that it expects was so. */
SofaErr window_run(SofaContext *ctx, const WindowOptions *options);

#endif
