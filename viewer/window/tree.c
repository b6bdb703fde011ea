/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scene graph as the window shows it, and the selected point. */
#include <stdio.h>
#include <string.h>

#include "behavior/topology.h"
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

/* ---- the selected point ---- */

static void list_elements(const SofaTopology *topology, size_t point, SofaText *text,
                          SofaContext *ctx) {
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements e = sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind);
    size_t found = 0;
    for (size_t i = 0; i < e.n; i++) {
      bool has = false;
      for (unsigned k = 0; k < e.width; k++) has |= e.v[i * e.width + k] == point;
      if (!has) continue;
      if (found == 0)
        sofa_text_printf(ctx, text, "\n%s:", sofa_element_kind_info((SofaElementKind)kind)->field);
      if (found < 12) sofa_text_printf(ctx, text, " %zu", i);
      found++;
    }
    if (found > 12) sofa_text_printf(ctx, text, " ... (%zu)", found);
  }
}

void selection_refresh(App *app) {
  Selection *s = &app->selection;
  SofaText text = {0};
  if (!s->state) return;
  const SofaCoords *x = &s->state->position, *v = &s->state->velocity;
  if (s->point >= x->n) {
    s->state = NULL;
    return;
  }
  sofa_text_printf(app->ui, &text, "point %zu of %s\nposition", s->point, s->path);
  for (size_t k = 0; k < x->width; k++)
    sofa_text_printf(app->ui, &text, " %.6g", x->data[s->point * x->width + k]);
  sofa_text_printf(app->ui, &text, "\nvelocity");
  for (size_t k = 0; s->point < v->n && k < v->width; k++)
    sofa_text_printf(app->ui, &text, " %.6g", v->data[s->point * v->width + k]);
  const SofaObject *topology = sofa_node_slot_up(s->state->object.node, SOFA_TOPOLOGY);
  if (topology) list_elements((const SofaTopology *)topology, s->point, &text, app->ui);
  snprintf(s->text, sizeof s->text, "%s", text.data ? text.data : "");
  sofa_list_free(app->ui, &text);
}

void selection_take(App *app, const ScenePick *pick) {
  Selection *s = &app->selection;
  *s = (Selection){.state = pick->state, .point = pick->point};
  app->picture_stale = true;
  if (!pick->state) return;
  for (size_t i = 0; i < app->tree.n; i++)
    if (app->tree.data[i].object == &pick->state->object)
      snprintf(s->path, sizeof s->path, "%s", app->tree.data[i].path);
  selection_refresh(app);
}

void selection_draw(App *app) {
  const Selection *s = &app->selection;
  SofaDrawList *list = scene_view_extra(app->view);
  if (!s->state || s->point >= s->state->position.n) return;
  char label[32];
  const double *p = s->state->position.data + s->point * s->state->position.width;
  snprintf(label, sizeof label, " %zu", s->point);
  list->layer = SOFA_LAYER_FRONT;
  sofa_draw_point(list, p, 9, SOFA_RGB(1, 0.3, 0.9));
  sofa_draw_label(list, p, 18, SOFA_RGB(1, 0.3, 0.9), label);
  list->layer = SOFA_LAYER_SCENE;
}
