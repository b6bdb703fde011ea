/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panel that asks for a scene: folders and scenes to click on, or a path to type. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

static bool is_folder(const char *folder, const char *name) {
  char path[PATH_MAX];
  struct stat info;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_scene(const char *name) {
  const char *extension = sofa_path_extension(name);
  return strcmp(extension, "scn") == 0 || strcmp(extension, "xml") == 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Folders end with '/'; they come first because of the order of the two passes. */
static void list_folder(App *app, const char *folder, bool folders, SofaStrings *out) {
  DIR *dir = opendir(folder);
  const size_t first = out->n;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char name[NAME_MAX + 2];
    if (entry->d_name[0] == '.' && strcmp(entry->d_name, "..") != 0) continue;
    if (is_folder(folder, entry->d_name) != folders) continue;
    if (!folders && !is_scene(entry->d_name)) continue;
    const int n = snprintf(name, sizeof name, "%s%s", entry->d_name, folders ? "/" : "");
    sofa_strings_append(app->ui, out, name, (size_t)n);
  }
  if (dir) closedir(dir);
  if (out->n > first) sofa_sort(out->data + first, out->n - first, sizeof *out->data, by_name);
}

static void go_to(App *app, const char *folder) {
  PanelState *p = &app->panels;
  char full[PATH_MAX];
  snprintf(p->folder, sizeof p->folder, "%s", realpath(folder, full) ? full : folder);
  sofa_strings_free(app->ui, &p->files);
  list_folder(app, p->folder, true, &p->files);
  list_folder(app, p->folder, false, &p->files);
}

static void choose(App *app, const char *name) {
  PanelState *p = &app->panels;
  char *path = sofa_path_join(app->ui, p->folder, name);
  if (!path) return;
  if (is_folder(p->folder, name)) {
    go_to(app, path);
  } else {
    app_command(app, "open %s", path);
    p->opening = false;
  }
  sofa_free(app->ui, path);
}

void panel_open_draw(App *app, int width, int height) {
  PanelState *p = &app->panels;
  if (!p->opening) return;
  if (!p->folder[0]) {
    char *own = app->file ? sofa_path_folder(app->ui, app->file) : NULL;
    go_to(app, own ? own : ".");
    sofa_free(app->ui, own);
  }
  char chosen[NAME_MAX + 2] = "";
  const float w = width > 660 ? 600 : (float)width - 20,
              h = height > 560 ? 500 : (float)height - 40;
  ui_dialog("Open a scene", ((float)width - w) / 2, ((float)height - h) / 2, w, h, &p->opening);
  ui_text("Path (Return opens it; a file dropped on the window is opened, too):");
  if (ui_input("##path", "/path/of/a/scene.scn", p->open, sizeof p->open) && p->open[0]) {
    app_command(app, "open %s", p->open);
    p->opening = false;
  }
  ui_text(p->folder);
  ui_child("files", ui_height(), true);
  for (size_t i = 0; i < p->files.n; i++)
    if (ui_selectable(p->files.data[i])) snprintf(chosen, sizeof chosen, "%s", p->files.data[i]);
  ui_child_end();
  ui_panel_end();
  if (chosen[0]) choose(app, chosen);
  if (!p->opening) p->folder[0] = '\0'; // read again next time
}
