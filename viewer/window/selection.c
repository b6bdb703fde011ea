/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is below the mouse, and the selected point and element with their numbers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "behavior/draw_state.h"
#include "math/vec.h"
#include "object/numbers.h"
#include "viewer/window/app.h"
#include "behavior/mass.h"

static const double color[3] = {1, 0.3, 0.9};

/* ---- finding ---- */

/* Distance of a place along the view direction. */
static double depth_of(const App *app, const double *place) {
  double x, y, depth = 0;
  sofa_camera_project(scene_view_camera(app->view), app_viewport(app), place, &x, &y, &depth);
  return depth;
}

/* The nearest point of a body where the mouse met no surface; before a surface one of another body
 * counts that is close to the mouse. */
static void find_point(App *app, double x, double y, Picked *out) {
  ScenePick pick;
  const double radius = out->seen.state ? 8 : 30;
  scene_view_pick(app->view, app_viewport(app), x, y, radius, &pick);
  if (!pick.state) return;
  if (out->seen.state && (pick.state == out->anchor.state || !(pick.depth < 0.999 * out->depth)))
    return;
  out->seen.state = out->body.state = NULL;
  out->anchor = pick_anchor_point(pick.state, (uint32_t)pick.point);
  out->depth = pick.depth;
}

void picked_find(App *app, double x, double y, Picked *out) {
  const SofaViewport viewport = app_viewport(app);
  PickHit visual;
  *out = (Picked){.depth = 0};
  scene_view_pick_surface(app->view, viewport, x, y, PICK_VISUALS, &visual);
  scene_view_pick_surface(app->view, viewport, x, y, PICK_BODIES, &out->body);
  if (visual.state) pick_anchor(&visual, &out->anchor);
  out->seen = visual;
  // a surface that is seen hides its own body, but not one in front of it
  const bool same = out->anchor.state && out->anchor.state == out->body.state;
  if (out->body.state && !same && (!visual.state || out->body.distance <= visual.distance)) {
    out->seen = out->body;
    pick_anchor(&out->body, &out->anchor);
  } else if (!same) {
    out->body.state = NULL;
  }
  if (out->seen.state) out->depth = depth_of(app, out->seen.position);
  find_point(app, x, y, out);
}

/* ---- selecting ---- */

static void path_of(const App *app, const SofaObject *object, char *path, size_t size) {
  path[0] = '\0';
  for (size_t i = 0; i < app->tree.n; i++)
    if (app->tree.data[i].object == object) snprintf(path, size, "%s", app->tree.data[i].path);
}

void selection_take(App *app, const Picked *picked) {
  Selection *s = &app->selection;
  const PickHit *body = &picked->body;
  const SofaState *state = body->state ? body->state : picked->anchor.state;
  // the first one shows where its numbers are
  if (state && !s->active)
    snprintf(app->panels.tab_wanted, sizeof app->panels.tab_wanted, "Selection");
  *s = (Selection){.active = state != NULL};
  app->picture_stale = true;
  if (!state) return;
  path_of(app, &state->object, s->path, sizeof s->path);
  s->point = body->state ? pick_point(body) : picked->anchor.points[0];
  if (body->topology) {
    path_of(app, &body->topology->object, s->topology, sizeof s->topology);
    s->kind = body->kind;
    s->element = body->element;
  }
  selection_refresh(app);
}

static const SofaState *state_of(const App *app) {
  const TreeRow *row = app->selection.active ? tree_find(app, app->selection.path) : NULL;
  const bool is = row && sofa_implements(row->object, SOFA_STATE);
  const SofaState *state = is ? (const SofaState *)row->object : NULL;
  return state && app->selection.point < state->position.n ? state : NULL;
}

/* Points of the selected element; NULL: there is none. */
static const uint32_t *element_of(const App *app, const SofaState *state, unsigned *width) {
  const Selection *s = &app->selection;
  const TreeRow *row = s->topology[0] ? tree_find(app, s->topology) : NULL;
  if (!row || !sofa_implements(row->object, SOFA_TOPOLOGY)) return NULL;
  const SofaElements e = sofa_mesh_elements(&((const SofaTopology *)row->object)->mesh, s->kind);
  if (s->element >= e.n) return NULL;
  const uint32_t *v = e.v + s->element * e.width;
  for (unsigned k = 0; k < e.width; k++)
    if (v[k] >= state->position.n) return NULL;
  *width = e.width;
  return v;
}

/* ---- numbers ---- */

typedef struct Writer {
  App *app;
  SofaText text;
} Writer;

static void put(Writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Writer *w, const char *format, ...) {
  char line[400];
  va_list args;
  va_start(args, format);
  const int n = sofa_vprint(line, sizeof line, format, args);
  va_end(args);
  if (n > 0) sofa_text_printf(w->app->ui, &w->text, "%s", line);
}

static void put_coords(Writer *w, const SofaCoords *list, size_t i) {
  for (size_t k = 0; i < list->n && k < list->width; k++)
    put(w, " %.6g", list->data[i * list->width + k]);
}

/* Elements that have the point. */
static void put_around(Writer *w, const SofaTopology *topology, size_t point) {
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements e = sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind);
    size_t found = 0;
    for (size_t i = 0; i < e.n; i++) {
      bool has = false;
      for (unsigned k = 0; k < e.width; k++) has |= e.v[i * e.width + k] == point;
      if (!has) continue;
      if (found == 0) put(w, "\n%s:", sofa_element_kind_info((SofaElementKind)kind)->field);
      if (found < 12) put(w, " %zu", i);
      found++;
    }
    if (found > 12) put(w, " ... (%zu)", found);
  }
}

/* Area, or volume: the sum of the tetrahedra between a corner and the faces. */
static double measure(SofaElementKind kind, const uint32_t *v, const SofaCoords *x) {
  const uint8_t(*faces)[4];
  const unsigned n = pick_faces(kind, &faces);
  double sum = 0;
  const double *origin = x->data + v[0] * x->width;
  for (unsigned f = 0; f < n; f++)
    for (unsigned half = 0; half < (faces[f][3] == PICK_NO_CORNER ? 1U : 2U); half++) {
      const double *a = x->data + v[faces[f][0]] * x->width;
      const double *b = x->data + v[faces[f][1 + half]] * x->width;
      const double *c = x->data + v[faces[f][2 + half]] * x->width;
      double ab[3], ac[3], area[3], at[3];
      sofa_vec3_sub(b, a, ab);
      sofa_vec3_sub(c, a, ac);
      sofa_vec3_cross(ab, ac, area);
      sofa_vec3_sub(a, origin, at);
      sum += n == 1 ? sofa_vec3_norm(area) / 2 : sofa_vec3_dot(at, area) / 6;
    }
  return fabs(sum);
}

static void put_measure(Writer *w, SofaElementKind kind, const uint32_t *v,
                        const SofaState *state) {
  const bool surface = kind == SOFA_ELEMENT_TRIANGLE || kind == SOFA_ELEMENT_QUAD;
  const double now = measure(kind, v, &state->position);
  put(w, "\n%s %.6g %s", surface ? "area" : "volume", now, surface ? "m2" : "m3");
  if (state->rest_position.n != state->position.n) return;
  const double rest = measure(kind, v, &state->rest_position);
  if (rest > 0) put(w, ", %.4g of that at rest", now / rest);
}

/* Entries of an object's lists of numbers that belong to the element or the point. */
static void put_object(Writer *w, const SofaObject *object, size_t n_elements, size_t n_points) {
  const Selection *s = &w->app->selection;
  for (size_t i = sofa_class_n_fields(object->klass); i-- > 0;) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    const SofaAnyList *list = sofa_field_value(object, field);
    if (!field->type->list || field->type->scalar != SOFA_SCALAR_REAL || list->n < 2) continue;
    const bool of_element = s->topology[0] && list->n == n_elements;
    if (!of_element && list->n != n_points) continue;
    const size_t width =
        field->type->width ? field->type->width : ((const SofaCoords *)(const void *)list)->width;
    put(w, "\n%s.%s", object->name, field->name);
    for (size_t k = 0; k < width && k < 9; k++) {
      double value;
      const size_t at = (of_element ? s->element : s->point) * width + k;
      if (sofa_field_number(object, field, at, &value)) put(w, " %.5g", value);
    }
    put(w, "%s%s%s", field->unit && field->unit[0] ? " " : "", field->unit ? field->unit : "",
        of_element ? "" : " (point)");
  }
}

/* What acts on the state: force fields and masses in its node. */
static void put_numbers(Writer *w, const SofaState *state, const SofaTopology *topology) {
  const SofaNode *node = state->object.node;
  const size_t n = topology ? sofa_mesh_elements(&topology->mesh, w->app->selection.kind).n : 0;
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (sofa_implements(object, SOFA_FORCE_FIELD) || sofa_implements(object, SOFA_MASS))
      put_object(w, object, n, state->position.n);
    double wanted = 1;
    const SofaField *stress = sofa_class_field(object->klass, "computeVonMisesStress");
    if (stress && sofa_field_number(object, stress, 0, &wanted) && wanted == 0)
      put(w, "\n(set %s.computeVonMisesStress to 1 to see stress)", object->name);
  }
}

static void put_element(Writer *w, const SofaState *state, const uint32_t *v, unsigned width) {
  const Selection *s = &w->app->selection;
  put(w, "%s %zu of %s\npoints", sofa_element_kind_info(s->kind)->name, s->element, s->topology);
  for (unsigned k = 0; k < width; k++) put(w, " %u", v[k]);
  for (unsigned k = 0; k < width; k++) {
    put(w, "\n  %u:", v[k]);
    put_coords(w, &state->position, v[k]);
  }
  put_measure(w, s->kind, v, state);
}

void selection_refresh(App *app) {
  Selection *s = &app->selection;
  Writer w = {.app = app};
  unsigned width = 0;
  if (!s->active || !app->simulation) return;
  const SofaState *state = state_of(app);
  s->active = state != NULL;
  if (!state) return;
  const uint32_t *v = element_of(app, state, &width);
  if (!v) s->topology[0] = '\0';
  const SofaTopology *topology =
      v ? (const SofaTopology *)tree_find(app, s->topology)->object : NULL;
  if (v) put_element(&w, state, v, width);
  put_numbers(&w, state, topology);
  put(&w, "%spoint %zu of %s\nposition", w.text.n ? "\n" : "", s->point, s->path);
  put_coords(&w, &state->position, s->point);
  put(&w, "\nvelocity");
  put_coords(&w, &state->velocity, s->point);
  const SofaObject *any = sofa_node_slot_up(state->object.node, SOFA_TOPOLOGY);
  if (topology || any) put_around(&w, topology ? topology : (const SofaTopology *)any, s->point);
  const char *text = w.text.data ? w.text.data : "";
  snprintf(s->text, sizeof s->text, "%s", text + (text[0] == '\n'));
  sofa_list_free(app->ui, &w.text);
}

/* ---- marks ---- */

/* Is it large enough in the picture for the numbers of its points? */
static bool is_large(const App *app, const SofaState *state, const uint32_t *v, unsigned width) {
  double min[2] = {1e300, 1e300}, max[2] = {-1e300, -1e300};
  for (unsigned i = 0; i < width; i++) {
    double p[3], at[2], depth;
    sofa_state_point(state, v[i], p);
    if (!sofa_camera_project(scene_view_camera(app->view), app_viewport(app), p, &at[0], &at[1],
                             &depth))
      return false;
    for (int k = 0; k < 2; k++) {
      min[k] = fmin(min[k], at[k]);
      max[k] = fmax(max[k], at[k]);
    }
  }
  return hypot(max[0] - min[0], max[1] - min[1]) > 50;
}

static void draw_element(SofaDrawList *list, const SofaState *state, SofaElementKind kind,
                         const uint32_t *v, unsigned width, bool labels) {
  const uint8_t(*faces)[4];
  const unsigned n = pick_faces(kind, &faces);
  const SofaRgba line = SOFA_RGB(color[0], color[1], color[2]);
  for (unsigned f = 0; f < n; f++) {
    const unsigned corners = faces[f][3] == PICK_NO_CORNER ? 3 : 4;
    for (unsigned k = 0; k < corners; k++) {
      double a[3], b[3];
      sofa_state_point(state, v[faces[f][k]], a);
      sofa_state_point(state, v[faces[f][(k + 1) % corners]], b);
      sofa_draw_line(list, a, b, 2, line);
    }
  }
  for (unsigned k = 0; k < width && labels; k++) {
    char label[32];
    double p[3];
    sofa_state_point(state, v[k], p);
    snprintf(label, sizeof label, " %u", v[k]);
    sofa_draw_label(list, p, 14, line, label);
  }
}

void selection_draw(App *app) {
  const SofaState *state = app->simulation ? state_of(app) : NULL;
  SofaDrawList *list = scene_view_extra(app->view);
  unsigned width = 0;
  double p[3];
  char label[32];
  if (!state) return;
  list->layer = SOFA_LAYER_FRONT;
  const uint32_t *v = element_of(app, state, &width);
  const bool labels = v && is_large(app, state, v, width);
  if (v) draw_element(list, state, app->selection.kind, v, width, labels);
  sofa_state_point(state, app->selection.point, p);
  snprintf(label, sizeof label, " %zu", app->selection.point);
  sofa_draw_point(list, p, 9, SOFA_RGB(color[0], color[1], color[2]));
  if (!labels) sofa_draw_label(list, p, 18, SOFA_RGB(color[0], color[1], color[2]), label);
  list->layer = SOFA_LAYER_SCENE;
}
