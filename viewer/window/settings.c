/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is remembered from one run to the next: files, size of the window. One line per item in
 * <config>/csofa/viewer.conf: a word and its value. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/output.h"
#include "base/text.h"
#include "viewer/window/app.h"

/* $XDG_CONFIG_HOME/csofa, else ~/.config/csofa; made when it is not there. NULL: nowhere. */
static char *config_folder(SofaContext *ctx) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  char *base = config && *config ? sofa_strdup(ctx, config)
               : home && *home   ? sofa_path_join(ctx, home, ".config")
                                 : NULL;
  if (!base) return NULL;
  char *folder = sofa_path_join(ctx, base, "csofa");
  mkdir(base, 0777);
  sofa_free(ctx, base);
  if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST) {
    sofa_free(ctx, folder);
    return NULL;
  }
  return folder;
}

static void take_line(App *app, const char *word, const char *value) {
  Settings *s = &app->settings;
  int64_t number = 0;
  const char *text = value;
  if (strcmp(word, "recent") == 0) {
    for (int i = 0; i < RECENT_FILES; i++)
      if (!s->recent[i]) {
        s->recent[i] = sofa_strdup(app->ui, value);
        return;
      }
    return;
  }
  if (!sofa_read_int(&text, &number) || number < -16384 || number > 16384) return;
  if (strcmp(word, "x") == 0) s->x = (int)number;
  if (strcmp(word, "y") == 0) s->y = (int)number;
  if (strcmp(word, "y") == 0) s->has_place = true;
  if (number < 0) return;
  if (strcmp(word, "maximised") == 0) s->maximised = number != 0;
  if (strcmp(word, "width") == 0) s->width = (int)number;
  if (strcmp(word, "height") == 0) s->height = (int)number;
  if (strcmp(word, "panels") == 0) s->panels = number != 0;
  if (strcmp(word, "left") == 0) s->left = (double)number;
  if (strcmp(word, "bottom") == 0) s->bottom = (double)number;
  if (strcmp(word, "tree") == 0) s->tree = (double)number;
}

void settings_read(App *app) {
  Settings *s = &app->settings;
  char line[4200];
  s->panels = true;
  s->folder = config_folder(app->ui);
  char *path = s->folder ? sofa_path_join(app->ui, s->folder, "viewer.conf") : NULL;
  FILE *in = path ? fopen(path, "r") : NULL;
  while (in && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = '\0';
    const size_t n = strcspn(line, " ");
    if (!line[n]) continue;
    line[n] = '\0';
    take_line(app, line, line + n + 1);
  }
  if (in) fclose(in);
  sofa_free(app->ui, path);
}

char *window_recent_file(SofaContext *ctx) {
  char line[4200], *found = NULL;
  char *folder = config_folder(ctx);
  char *path = folder ? sofa_path_join(ctx, folder, "viewer.conf") : NULL;
  FILE *in = path ? fopen(path, "r") : NULL;
  while (in && !found && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "recent ", 7) == 0) found = sofa_strdup(ctx, line + 7);
  }
  if (in) fclose(in);
  sofa_free(ctx, path);
  sofa_free(ctx, folder);
  return found;
}

void settings_write(App *app) {
  const Settings *s = &app->settings;
  char *path = s->folder ? sofa_path_join(app->ui, s->folder, "viewer.conf") : NULL;
  const SofaOutputSpec spec = {
      .path = path, .what = "the settings", .provenance = SOFA_REMARK_NONE};
  SofaOutput *file = NULL;
  if (path && sofa_output_open(app->ui, &spec, &file) == SOFA_OK) {
    FILE *out = sofa_output_stream(file);
    fprintf(out, "width %d\nheight %d\npanels %d\n", s->width, s->height, s->panels);
    if (s->has_place) fprintf(out, "x %d\ny %d\n", s->x, s->y);
    fprintf(out, "maximised %d\n", s->maximised);
    fprintf(out, "left %.0f\nbottom %.0f\ntree %.0f\n", s->left, s->bottom, s->tree);
    for (int i = 0; i < RECENT_FILES && s->recent[i]; i++)
      fprintf(out, "recent %s\n", s->recent[i]);
    sofa_output_close(&file);
  }
  sofa_free(app->ui, path);
}

void settings_recent(App *app, const char *path) {
  char **list = app->settings.recent;
  char full[PATH_MAX];
  char *kept = sofa_strdup(app->ui, realpath(path, full) ? full : path);
  if (!kept || strchr(kept, '\n')) {
    sofa_free(app->ui, kept);
    return;
  }
  for (int i = 0; i < RECENT_FILES; i++) {
    // moves the others down, as far as where the file stood
    char *other = list[i];
    list[i] = kept;
    kept = other;
    if (!other || strcmp(other, list[0]) == 0) break;
  }
  sofa_free(app->ui, kept);
}

void settings_free(App *app) {
  for (int i = 0; i < RECENT_FILES; i++) sofa_free(app->ui, app->settings.recent[i]);
  sofa_free(app->ui, app->settings.folder);
}
