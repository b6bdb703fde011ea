/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scene graph as the window shows it. */
#include <string.h>

#include "viewer/window/app.h"

/* ---- rows ---- */

void tree_free(App *app) {
  for (size_t i = 0; i < app->tree.n; i++) {
    sofa_free(app->ui, app->tree.data[i].name);
    sofa_free(app->ui, app->tree.data[i].path);
  }
  sofa_list_free(app->ui, &app->tree);
}

static void add_row(App *app, SofaObject *object, const char *parent, int level) {
  const bool node = object->klass == &sofa_node_class;
  TreeRow row = {.object = object,
                 .class_name = object->klass->name,
                 .category = object->klass->category,
                 .level = level,
                 .node = node,
                 .activated = node ? ((const SofaNode *)object)->activated : sofa_valid(object),
                 .severity = -1};
  row.name = sofa_strdup(app->ui, object->name ? object->name : "");
  row.path = !parent ? sofa_strdup(app->ui, "/")
                     : sofa_format(app->ui, "%s%s%s", parent, parent[1] ? "/" : "", row.name);
  if (!row.name || !row.path || SOFA_APPEND(app->ui, &app->tree, &row) != SOFA_OK) {
    sofa_free(app->ui, row.name);
    sofa_free(app->ui, row.path);
  }
}

/* A node with several parents stands below the first one only. */
static void add_node(App *app, SofaNode *node, const char *parent, int level) {
  const size_t at = app->tree.n;
  add_row(app, &node->object, parent, level);
  if (app->tree.n == at) return;
  const char *path = app->tree.data[at].path;
  for (size_t i = 0; i < node->objects.n; i++) add_row(app, node->objects.data[i], path, level + 1);
  for (size_t i = 0; i < node->children.n; i++)
    if (sofa_node_parent(node->children.data[i]) == node)
      add_node(app, node->children.data[i], app->tree.data[at].path, level + 1);
}

/* Marks what messages are about; nodes get the worst of what is below them. */
static void mark_messages(App *app) {
  const LogEntries *list = log_lock(&app->log);
  for (size_t i = 0; i < list->n; i++) {
    const LogEntry *e = &list->data[i];
    if (e->number < app->load_number) continue;
    TreeRow *row =
        e->path && e->path[0] == '/' ? (TreeRow *)(uintptr_t)tree_find(app, e->path) : NULL;
    if (row && (int)e->severity > row->severity) row->severity = (int)e->severity;
  }
  log_unlock(&app->log);
}

void tree_refresh(App *app) {
  const uint64_t version = log_version(&app->log);
  const uint64_t graph = app->simulation ? app->simulation->graph_version : 0;
  if (!app->tree_stale && graph == app->tree_graph && version == app->tree_log) return;
  for (size_t i = 0; i < app->tree.n; i++) {
    sofa_free(app->ui, app->tree.data[i].name);
    sofa_free(app->ui, app->tree.data[i].path);
  }
  app->tree.n = 0;
  if (app->simulation) add_node(app, app->simulation->root, NULL, 0);
  mark_messages(app);
  app->tree_graph = graph;
  app->tree_log = version;
  app->tree_stale = false;
  app->frame_stale = true;
}

/* Paths of messages begin with the name of the root where it has one. */
const TreeRow *tree_find(const App *app, const char *path) {
  for (size_t i = 0; i < app->tree.n; i++)
    if (strcmp(app->tree.data[i].path, path) == 0) return &app->tree.data[i];
  return NULL;
}
