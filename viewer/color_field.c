/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields as colours: which numbers, of what, and their range. */
#include "viewer/color_field.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "behavior/force_field.h"
#include "object/data_graph.h"
#include "object/numbers.h"
#include "topology/element_source.h"

/* ---- the elements of an object ---- */

static SofaState *state_of(const SofaObject *object) {
  if (sofa_implements(object, SOFA_STATE)) return (SofaState *)(uintptr_t)object;
  if (sofa_implements(object, SOFA_FORCE_FIELD)) return ((const SofaForceField *)object)->state[0];
  return sofa_node_state(object->node);
}

/* The topology that has the elements between the points of a state, or NULL. */
static SofaTopology *topology_of(const SofaObject *object, const SofaState *state) {
  const SofaField *field = sofa_class_field(object->klass, "topology");
  const bool is_link = field && field->type == &sofa_type_link;
  SofaObject *target = is_link ? ((const SofaLink *)sofa_field_value(object, field))->target : NULL;
  SofaTopology *t = target && sofa_implements(target, SOFA_TOPOLOGY)
                        ? (SofaTopology *)target
                        : sofa_node_topology(object->node);
  if (!t || !sofa_valid(&t->object)) return NULL;
  const size_t n = sofa_mesh_vertex_count(&t->mesh);
  return n <= state->position.n && (n > 0 || t->n_points == state->position.n) ? t : NULL;
}

static SofaElements list_of(SofaTopology *t, SofaElementKind kind) {
  if (kind == SOFA_ELEMENT_EDGE) sofa_topology_edges(t);
  if (kind == SOFA_ELEMENT_TRIANGLE) sofa_topology_triangles(t);
  if (kind == SOFA_ELEMENT_QUAD) sofa_topology_quads(t);
  return sofa_mesh_elements(&t->mesh, kind);
}

static void add_list(ColorField *c, SofaElements list, SofaElementKind kind) {
  if (!list.n || c->n_lists == COLOR_FIELD_LISTS) return;
  c->lists[c->n_lists] = list;
  c->kinds[c->n_lists++] = kind;
}

/* Elements that are not those of a topology: the object's own, else of one beside the state. */
static void add_source(ColorField *c, const SofaObject *object, bool beside) {
  const SofaObjects *objects = &c->state->object.node->objects;
  for (size_t i = 0; i < (beside ? objects->n : 1) && !c->n_lists; i++) {
    const SofaObject *o = beside ? objects->data[i] : object;
    const SofaElementSourceOps *ops = sofa_ops(o, SOFA_ELEMENT_SOURCE);
    SofaElementKind kind = SOFA_ELEMENT_POINT;
    if (ops && sofa_valid(o)) {
      const SofaElements list = ops->elements(o, &kind);
      add_list(c, list, kind);
    }
  }
}

/* What is drawn of numbers of points: solids, else faces, else edges; without them the points. */
static void choose_for_points(ColorField *c, const SofaObject *object) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_PYRAMID,
                                          SOFA_ELEMENT_PRISM, SOFA_ELEMENT_HEXA};
  SofaTopology *t = topology_of(object, c->state);
  add_source(c, object, false);
  if (c->n_lists) return;
  for (size_t i = 0; t && i < SOFA_COUNT(kinds); i++) add_list(c, list_of(t, kinds[i]), kinds[i]);
  if (c->n_lists) return;
  if (t) {
    add_list(c, list_of(t, SOFA_ELEMENT_TRIANGLE), SOFA_ELEMENT_TRIANGLE);
    add_list(c, list_of(t, SOFA_ELEMENT_QUAD), SOFA_ELEMENT_QUAD);
  }
  if (!c->n_lists) add_source(c, object, true);
  if (!c->n_lists && t) add_list(c, list_of(t, SOFA_ELEMENT_EDGE), SOFA_ELEMENT_EDGE);
}

/* The kind of element there are n of: that of the row first. false: none. */
static bool choose_for_elements(ColorField *c, const SofaObject *object, const SofaField *field,
                                size_t n) {
  static const SofaElementKind kinds[] = {
      SOFA_ELEMENT_TETRA,    SOFA_ELEMENT_HEXA, SOFA_ELEMENT_PRISM, SOFA_ELEMENT_PYRAMID,
      SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD, SOFA_ELEMENT_EDGE};
  const SofaBelongs *row = field->belongs;
  SofaTopology *t = topology_of(object, c->state);
  add_source(c, object, false);
  if (!c->n_lists && !t) add_source(c, object, true);
  if (c->n_lists) return c->lists[0].n == n;
  if (t && row && row->role == SOFA_ROLE_PER && !row->kind_at && row->kind != SOFA_ELEMENT_POINT)
    add_list(c, list_of(t, row->kind), row->kind);
  for (size_t i = 0; t && !c->n_lists && i < SOFA_COUNT(kinds); i++) {
    const SofaElements list = list_of(t, kinds[i]);
    if (list.n == n) add_list(c, list, kinds[i]);
  }
  return c->n_lists && c->lists[0].n == n;
}

/* ---- the numbers ---- */

static bool says_element(const char *name) {
  char text[64] = "";
  for (size_t i = 0; name[i] && i + 1 < sizeof text; i++)
    text[i] = (char)tolower((unsigned char)name[i]);
  return strstr(text, "element") != NULL;
}

/* A state of temperatures or the like has no places: those of the body above with as many points.
 */
static const SofaState *places_of(const SofaState *state) {
  if (sofa_state_kind_info(state->object.kind)->space >= 2) return state;
  for (const SofaNode *node = state->object.node; node; node = sofa_node_parent(node)) {
    const SofaState *other = (const SofaState *)sofa_node_slot(node, SOFA_MECHANICAL_STATE);
    if (other && other->object.kind != SOFA_NO_KIND &&
        sofa_state_kind_info(other->object.kind)->space >= 2)
      return other->position.n == state->position.n ? other : state;
  }
  return state;
}

/* Finds of what the n numbers are. false: they fit nothing. */
static bool match(ColorField *c, const SofaObject *object, const SofaField *field, size_t n) {
  c->n_lists = 0;
  c->state = state_of(object);
  if (!c->state || c->state->object.kind == SOFA_NO_KIND || n == 0) return false;
  c->places = places_of(c->state);
  const SofaBelongs *row = field->belongs;
  const bool of_elements =
      (row && row->role == SOFA_ROLE_PER && !row->kind_at && row->kind != SOFA_ELEMENT_POINT) ||
      says_element(field->name);
  c->nodal = n == c->state->position.n && !of_elements;
  if (!c->nodal && choose_for_elements(c, object, field, n)) return true;
  c->n_lists = 0;
  c->nodal = n == c->state->position.n;
  if (c->nodal) choose_for_points(c, object);
  return c->nodal;
}

/* Numbers of an entry whose length counts: of a frame those of its place. */
static size_t counted(const SofaObject *object, size_t width) {
  if (!sofa_implements(object, SOFA_STATE) || object->kind == SOFA_NO_KIND) return width;
  const size_t space = sofa_state_kind_info(object->kind)->space;
  return width < space ? width : space;
}

static double value_of(const SofaQuantity *q, const SofaObject *object, const SofaField *field,
                       size_t first, size_t n) {
  double value = NAN, sum = 0;
  if (q->one_number || n == 1) {
    sofa_field_number(object, field, first + (q->one_number ? q->number : 0), &value);
    return value;
  }
  for (size_t k = 0; k < n; k++) {
    sofa_field_number(object, field, first + k, &value);
    sum += value * value;
  }
  return sqrt(sum);
}

static void widen(ColorField *c) {
  for (size_t i = 0; i < c->values.n; i++) {
    const double v = c->values.data[i];
    if (!isfinite(v)) continue;
    const bool first = c->used.low > c->used.high;
    c->used.low = first ? v : fmin(c->used.low, v);
    c->used.high = first ? v : fmax(c->used.high, v);
  }
}

static SofaErr take_values(SofaContext *ctx, ColorField *c, const SofaObject *object,
                           const SofaField *field) {
  const void *value = sofa_field_value(object, field);
  const size_t n = sofa_value_length(field, value), width = sofa_value_width(field, value);
  const size_t most = counted(object, width);
  double low = 0, high = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &c->values, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &c->colors, n));
  for (size_t i = 0; i < n; i++)
    c->values.data[i] = value_of(&c->quantity, object, field, i * width, most);
  widen(c);
  color_field_range(c, &low, &high);
  for (size_t i = 0; i < n; i++) {
    const double v = c->values.data[i];
    c->colors.data[i] = sofa_color_scheme_at(0, high > low    ? (v - low) / (high - low)
                                                : isfinite(v) ? 0.5
                                                              : NAN);
  }
  return SOFA_OK;
}

/* Makes the list of faces again where the elements are others. */
static SofaErr take_faces(SofaSimulation *simulation, ColorField *c) {
  uint64_t key = 1469598103934665603u ^ simulation->graph_version;
  for (size_t i = 0; i < c->n_lists; i++)
    key = (key ^ (uint64_t)(uintptr_t)c->lists[i].v ^ c->lists[i].n << 20) * 1099511628211u;
  const SofaTopology *t = sofa_node_topology(c->state->object.node);
  key = (key ^ (t ? t->revision : 0) ^ c->state->position.n << 8) * 1099511628211u;
  if (key == c->faces_key) return SOFA_OK;
  c->faces_key = 0;
  SOFA_TRY(boundary_find(simulation->ctx, c->lists, c->kinds, c->n_lists, c->state->position.n,
                         &c->faces));
  c->faces_key = key;
  return SOFA_OK;
}

SofaErr color_field_refresh(SofaSimulation *simulation, ColorField *c) {
  if (!color_field_is_open(c)) return SOFA_OK;
  c->state = NULL;
  SofaObject *object = sofa_handle_object(simulation->ctx, c->quantity.object);
  const SofaField *field = object ? sofa_class_field(object->klass, c->quantity.field) : NULL;
  if (!field || !sofa_valid(object)) return SOFA_OK;
  SOFA_TRY(sofa_field_refresh(object, field));
  const size_t n = sofa_value_length(field, sofa_field_value(object, field));
  if (!match(c, object, field, n)) {
    c->state = NULL;
    return SOFA_OK;
  }
  SOFA_TRY(take_values(simulation->ctx, c, object, field));
  return take_faces(simulation, c);
}

bool color_field_range(const ColorField *c, double *low, double *high) {
  const SofaColorRange *all[] = {&c->given, &c->shared, &c->used};
  for (size_t i = 0; i < SOFA_COUNT(all); i++) {
    if (all[i]->low > all[i]->high) continue;
    *low = all[i]->low;
    *high = all[i]->high;
    return true;
  }
  return false;
}

/* ---- opening ---- */

static SofaErr refuse(SofaContext *ctx, const char *text, const char *why) {
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.emitter = "colour"}, "'%s': %s", text,
                   why);
}

/* "state.velocity [m/s]"; of vectors without a component "|state.velocity| [m/s]" */
static SofaErr make_title(SofaContext *ctx, ColorField *c) {
  const SofaQuantity *q = &c->quantity;
  const char *slash = strrchr(q->text, '/'), *name = slash ? slash + 1 : q->text;
  const char *bar = q->width > 1 && !q->one_number ? "|" : "";
  const bool unit = q->unit[0] && strcmp(q->unit, "1") != 0;
  c->title = sofa_format(ctx, "%s%s%s%s%s%s", bar, name, bar, unit ? " [" : "", unit ? q->unit : "",
                         unit ? "]" : "");
  return c->title ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* What there is a number for, when the field has none that fit. */
static SofaErr refuse_length(SofaSimulation *simulation, ColorField *c) {
  SofaObject *object = sofa_handle_object(simulation->ctx, c->quantity.object);
  const SofaField *field = sofa_class_field(object->klass, c->quantity.field);
  const size_t n = sofa_value_length(field, sofa_field_value(object, field));
  const SofaState *state = state_of(object);
  SofaText counts = {0};
  SofaErr err = SOFA_OK;
  if (!state) return refuse(simulation->ctx, c->quantity.text, "there is no body in its node");
  SOFA_GO(err, done, sofa_text_printf(simulation->ctx, &counts, "%zu points", state->position.n));
  SofaTopology *t = topology_of(object, state);
  for (int k = SOFA_ELEMENT_EDGE; t && k < SOFA_N_ELEMENT_KINDS; k++) {
    const size_t m = sofa_mesh_elements(&t->mesh, (SofaElementKind)k).n;
    const char *name = sofa_element_kind_info((SofaElementKind)k)->field;
    if (m) SOFA_GO(err, done, sofa_text_printf(simulation->ctx, &counts, ", %zu %s", m, name));
  }
  err =
      sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                       "colours of '%s': the field has %zu entr%s, expected one for each point or "
                       "element (%s)",
                       c->quantity.text, n, n == 1 ? "y" : "ies", counts.data);
done:
  sofa_list_free(simulation->ctx, &counts);
  return err;
}

SofaErr color_field_open(SofaSimulation *simulation, const char *text, SofaColorRange range,
                         ColorField *out) {
  SofaContext *ctx = simulation->ctx;
  SofaErr err = SOFA_OK;
  *out = (ColorField){.given = range, .shared = {1, 0}, .used = {1, 0}};
  SOFA_GO(err, done, sofa_quantity_open(simulation->root, text, &out->quantity));
  const SofaQuantity *q = &out->quantity;
  if (!q->field || q->op != SOFA_QUANTITY_ALL || q->one_entry) {
    err = refuse(ctx, text,
                 "colours need a number for each point or element: expected PATH.FIELD "
                 "or PATH.FIELD.NUMBER, such as /body/state.velocity.y");
    goto done;
  }
  SOFA_GO(err, done, make_title(ctx, out));
  SOFA_GO(err, done, color_field_refresh(simulation, out));
  if (!out->state) err = refuse_length(simulation, out);
done:
  if (err != SOFA_OK) color_field_close(ctx, out);
  return err;
}

void color_field_close(SofaContext *ctx, ColorField *c) {
  sofa_quantity_close(ctx, &c->quantity);
  sofa_free(ctx, c->title);
  sofa_list_free(ctx, &c->values);
  sofa_list_free(ctx, &c->colors);
  sofa_list_free(ctx, &c->faces);
  *c = (ColorField){.state = NULL};
}
