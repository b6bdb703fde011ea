/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of an initialised scene: the elements and points that force fields work on. */
#include "behavior/list_owner.h"
#include "behavior/mapping.h"
#include "behavior/mass.h"
#include "behavior/projective.h"
#include "change/topology_listeners_impl.h"
#include "scene/ready_impl.h"
#include "topology/element_shape_impl.h"
#include "topology/element_source.h"
#include "topology/tuple_map.h"

/* The topology whose elements a force field works on, and its state. NULL: none. */
typedef struct Body {
  const SofaTopology *topology;
  const SofaState *state;
  unsigned kinds; /* bit per SofaElementKind; 0: not looked at */
  uint32_t next;  /* in the list of bodies: one with the same topology and state; 0: none */
} Body;

static Body body_of(const SofaObject *object) {
  if (!sofa_implements(object, SOFA_FORCE_FIELD)) return (Body){0};
  const SofaObject *topology = sofa_link_target(object, "topology");
  const SofaState *state = ((const SofaForceField *)object)->state[0];
  if (!state || !sofa_implements(topology, SOFA_TOPOLOGY)) return (Body){0};
  // the state of a diffusion is not a place
  if (sofa_state_kind_info(state->object.kind)->space < 2) return (Body){0};
  return (Body){.topology = (const SofaTopology *)topology, .state = state};
}

/* A pair of objects as a key of a map. Nothing depends on the order of keys. */
static SofaTuple key_of(const void *a, const void *b) {
  const uint64_t x = (uintptr_t)a, y = (uintptr_t)b;
  return (SofaTuple){{(uint32_t)x, (uint32_t)(x >> 32), (uint32_t)y, (uint32_t)(y >> 32)}};
}

typedef struct Bodies {
  Body *data;
  size_t n, capacity;
  SofaTupleMap first; /* of each topology and state, an index */
} Bodies;

static void bodies_free(SofaContext *ctx, Bodies *list) {
  sofa_list_free(ctx, list);
  sofa_tuple_map_free(ctx, &list->first);
}

/* Appends a body that is not in the list; *added: it was not. */
static SofaErr add_body(SofaContext *ctx, Bodies *list, Body body, bool *added) {
  const SofaTuple key = key_of(body.topology, body.state);
  const uint32_t own = (uint32_t)list->n;
  uint32_t first;
  *added = false;
  SOFA_TRY(sofa_tuple_map_add(ctx, &list->first, &key, own, &first));
  for (uint32_t i = first; first != own; i = list->data[i].next) {
    if ((body.kinds & ~list->data[i].kinds) == 0) return SOFA_OK;
    if (list->data[i].next) continue;
    list->data[i].next = own;
    break;
  }
  *added = true;
  return SOFA_APPEND(ctx, list, &body);
}

/* ---- elements ---- */

typedef struct Shapes {
  SofaIndices inverted, flat;
} Shapes;

/* The place of a point at rest. */
static void place(const SofaState *state, uint32_t i, double p[3]) {
  const SofaCoords *x =
      state->rest_position.n == state->position.n ? &state->rest_position : &state->position;
  const unsigned space = sofa_state_kind_info(state->object.kind)->space;
  for (unsigned k = 0; k < 3; k++) p[k] = k < space ? x->data[i * x->width + k] : 0;
}

static SofaErr look_at(SofaContext *ctx, Body body, SofaElementKind kind, Shapes *out) {
  const SofaElements list = sofa_mesh_elements(&body.topology->mesh, kind);
  const bool planar = sofa_state_kind_info(body.state->object.kind)->space == 2;
  for (uint32_t e = 0; e < list.n; e++) {
    double x[8][3];
    const uint32_t *v = &list.v[e * list.width];
    bool known = true;
    for (unsigned k = 0; known && k < list.width; k++) {
      known = v[k] < body.state->position.n;
      if (known) place(body.state, v[k], x[k]);
    }
    if (!known) continue;
    const double shape = sofa_element_quality(kind, x, planar);
    if (shape > SOFA_FLAT_ELEMENT) continue;
    SOFA_TRY(SOFA_APPEND(ctx, shape < -SOFA_FLAT_ELEMENT ? &out->inverted : &out->flat, &e));
  }
  return SOFA_OK;
}

static SofaErr report_shapes(const SofaObject *object, SofaElementKind kind, size_t n,
                             const SofaIndices *list, const char *what) {
  const SofaElementKindInfo *info = sofa_element_kind_info(kind);
  SofaText text = {0};
  if (!list->n) return SOFA_OK;
  const SofaErr err = sofa_ready_print_indices(object->ctx, list->data, list->n, &text);
  if (err == SOFA_OK)
    sofa_object_message(object, SOFA_WARNING, "%zu of %zu %s of '%s' are %s (number %s)", list->n,
                        n, info->field, body_of(object).topology->object.name, what, text.data);
  sofa_list_free(object->ctx, &text);
  return err;
}

static SofaErr check_kind(const SofaObject *object, SofaElementKind kind) {
  static const char inverted[] = "inverted at rest: reverse the order of their points";
  static const char flat[] = "flat at rest: they have no size; remove them or merge their points";
  SofaContext *ctx = object->ctx;
  const Body body = body_of(object);
  const size_t n = sofa_mesh_elements(&body.topology->mesh, kind).n;
  Shapes shapes = {0};
  SofaErr err;
  SOFA_GO(err, done, look_at(ctx, body, kind, &shapes));
  SOFA_GO(err, done, report_shapes(object, kind, n, &shapes.inverted, inverted));
  SOFA_GO(err, done, report_shapes(object, kind, n, &shapes.flat, flat));
done:
  sofa_list_free(ctx, &shapes.inverted);
  sofa_list_free(ctx, &shapes.flat);
  return err;
}

/* The kinds of element, as bits, that the rows of an object's lists belong to. */
typedef struct Kinds {
  unsigned values; /* materials, strains */
  unsigned others; /* indices, tables; also of points */
} Kinds;

static void add_kind(const SofaObject *object, const SofaBelongs *b, Kinds *kinds) {
  if (!b) return;
  const void *own = (const char *)object + b->kind_at;
  const unsigned bit = 1U << (b->kind_at ? *(const SofaElementKind *)own : b->kind);
  if (b->role != SOFA_ROLE_PER) kinds->others |= bit;
  else kinds->values |= bit & ~(1U << SOFA_ELEMENT_POINT);
}

/* The solids of a topology, else its faces. */
static unsigned kinds_in(const SofaMesh *mesh) {
  unsigned kinds = 0;
  for (int kind = SOFA_ELEMENT_TETRA; kind < SOFA_N_ELEMENT_KINDS; kind++)
    if (sofa_mesh_elements(mesh, (SofaElementKind)kind).n) kinds |= 1U << kind;
  return kinds ? kinds : 1U << SOFA_ELEMENT_TRIANGLE | 1U << SOFA_ELEMENT_QUAD;
}

/* The kinds of element that an object computes with: those it has values of; without any list, what
 * resists to a deformation has all of its topology. */
static unsigned kinds_of(const SofaObject *object) {
  const SofaForceField *ff = (const SofaForceField *)object;
  const Body body = body_of(object);
  Kinds kinds = {0};
  if (!body.topology) return 0;
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k)) {
    for (size_t i = 0; i < k->n_fields; i++) add_kind(object, k->fields[i].belongs, &kinds);
    for (size_t i = 0; i < k->n_lists; i++) add_kind(object, k->lists[i].belongs, &kinds);
  }
  if (kinds.values || kinds.others || !sofa_force_field_ops(ff)->add_dforce) return kinds.values;
  return kinds_in(&body.topology->mesh);
}

/* Edges of frames are beams; other edges may be of any length. */
static SofaErr check_body(const SofaObject *object) {
  const unsigned kinds = kinds_of(object);
  const bool frames = sofa_state_kind_info(body_of(object).state->object.kind)->rigid;
  for (int kind = frames ? SOFA_ELEMENT_EDGE : SOFA_ELEMENT_TRIANGLE; kind < SOFA_N_ELEMENT_KINDS;
       kind++)
    if (kinds & 1U << kind) SOFA_TRY(check_kind(object, (SofaElementKind)kind));
  return SOFA_OK;
}

/* A mass has the elements of a force field, which is checked instead. */
static SofaErr check_objects(SofaReady *ready, Bodies *seen, bool masses) {
  for (size_t i = 0; i < ready->objects.n; i++) {
    const SofaObject *object = ready->objects.data[i];
    Body body = body_of(object);
    bool added = false;
    body.kinds = kinds_of(object);
    if (!body.kinds || sofa_implements(object, SOFA_MASS) != masses) continue;
    SOFA_TRY(add_body(ready->ctx, seen, body, &added));
    if (added) SOFA_TRY(check_body(object));
  }
  return SOFA_OK;
}

SofaErr sofa_ready_check_elements(SofaReady *ready) {
  Bodies seen = {0};
  SofaErr err = check_objects(ready, &seen, false);
  if (err == SOFA_OK) err = check_objects(ready, &seen, true);
  bodies_free(ready->ctx, &seen);
  return err;
}

/* ---- points ---- */

/* A state whose points are looked at. */
typedef struct Points {
  const SofaState *state;
  SofaBools used;
  size_t n_left; /* that are not used */
  bool mapped;   /* the state is the output of a mapping: nothing is said of it */
} Points;

typedef struct PointsTable {
  Points *data;
  size_t n, capacity;
  SofaTupleMap of_state; /* an index */
} PointsTable;

static void table_free(SofaContext *ctx, PointsTable *table) {
  for (size_t i = 0; i < table->n; i++) sofa_list_free(ctx, &table->data[i].used);
  sofa_list_free(ctx, table);
  sofa_tuple_map_free(ctx, &table->of_state);
}

static SofaErr add_state(SofaContext *ctx, PointsTable *table, const SofaState *state) {
  const SofaTuple key = key_of(state, NULL);
  const Points points = {.state = state, .n_left = state->position.n};
  const uint32_t own = (uint32_t)table->n;
  uint32_t found;
  SOFA_TRY(sofa_tuple_map_add(ctx, &table->of_state, &key, own, &found));
  if (found != own) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(ctx, table, &points));
  return SOFA_RESIZE(ctx, &table->data[own].used, state->position.n);
}

/* NULL: the state is not looked at. */
static Points *points_of(const PointsTable *table, const SofaState *state) {
  const SofaTuple key = key_of(state, NULL);
  const uint32_t i = state ? sofa_tuple_map_find(&table->of_state, &key) : UINT32_MAX;
  return i == UINT32_MAX ? NULL : &table->data[i];
}

static void use(Points *points, uint32_t i) {
  if (!points || i >= points->used.n || points->used.data[i]) return;
  points->used.data[i] = true;
  points->n_left--;
}

static void use_list(Points *points, SofaElements list) {
  for (size_t k = 0; points && k < list.n * list.width; k++) use(points, list.v[k]);
}

static void use_elements(Points *points, const SofaTopology *topology) {
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++)
    use_list(points, sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind));
}

/* Those of an object that has elements from elsewhere. */
static void use_source(Points *points, const SofaObject *object) {
  const SofaElementSourceOps *ops = sofa_ops(object, SOFA_ELEMENT_SOURCE);
  SofaElementKind kind;
  use_list(points, ops->nodes ? ops->nodes(object) : ops->elements(object, &kind));
}

/* Indices of points in the lists of an object: of constraints, springs, loads. */
static SofaErr use_rows(const PointsTable *table, SofaObject *object) {
  SofaListenerRows rows = {0};
  const SofaErr err = sofa_listener_rows_find(object, &rows);
  for (size_t i = 0; err == SOFA_OK && i < rows.n; i++) {
    const SofaListenerRow *row = &rows.data[i];
    const SofaBelongs *b = row->belongs;
    const SofaAnyList *list = row->list;
    if (b->role == SOFA_ROLE_INDICES && b->kind == SOFA_ELEMENT_POINT)
      use_list(points_of(table, row->state), (SofaElements){list->data, list->n, 1});
    for (unsigned e = 0; b->role == SOFA_ROLE_TABLE && e < b->n_ends; e++) {
      Points *points = points_of(table, row->ends[e]);
      const char *at = list->data;
      for (size_t k = 0; points && k < list->n; k++)
        use(points, ((const uint32_t *)(const void *)(at + k * row->size))[e]);
    }
  }
  sofa_list_free(object->ctx, &rows);
  return err;
}

/* Points that a mechanical mapping reads; its Jacobian is looked at when some are left. */
static SofaErr use_mapping(const PointsTable *table, SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  for (size_t k = 0; map->mechanical && k < map->n_inputs; k++) {
    SofaPoint at;
    SofaJacobian j;
    Points *points = points_of(table, map->inputs[k]);
    if (!points || points->mapped || !points->n_left) continue;
    SOFA_GO(err, done, sofa_mapping_point(map, &at));
    SOFA_GO(err, done, sofa_mapping_jacobian(map, &at, k, &j));
    const unsigned width = sofa_state_kind_info(points->state->object.kind)->deriv;
    for (size_t i = 0; i < j.start[j.n_rows]; i++) use(points, j.column[i] / width);
  }
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* The elements that a force field acts on. */
static void use_body(const PointsTable *table, const SofaObject *object) {
  const SofaForceField *ff = (const SofaForceField *)object;
  const SofaObject *topology = sofa_link_target(object, "topology"),
                   *source = sofa_link_target(object, "elements");
  for (size_t k = 0; k < ff->n_states; k++) {
    Points *points = points_of(table, ff->state[k]);
    if (!points) continue;
    if (sofa_implements(topology, SOFA_TOPOLOGY))
      use_elements(points, (const SofaTopology *)topology);
    if (sofa_implements(topology, SOFA_ELEMENT_SOURCE)) use_source(points, topology);
    if (sofa_implements(source, SOFA_ELEMENT_SOURCE)) use_source(points, source);
  }
}

static SofaErr use_object(const PointsTable *table, SofaObject *object) {
  const bool force_field = sofa_implements(object, SOFA_FORCE_FIELD);
  if (force_field) use_body(table, object);
  if (sofa_implements(object, SOFA_TOPOLOGY)) {
    Points *points = points_of(table, sofa_node_state(object->node));
    if (points) use_elements(points, (const SofaTopology *)object);
  }
  // a mass holds nothing
  if ((force_field && !sofa_implements(object, SOFA_MASS)) ||
      sofa_implements(object, SOFA_PROJECTIVE))
    return use_rows(table, object);
  return SOFA_OK;
}

static SofaErr use_all(const SofaReady *ready, const PointsTable *table) {
  for (size_t i = 0; i < ready->objects.n; i++) {
    SofaObject *object = ready->objects.data[i];
    SOFA_TRY(use_object(table, object));
    if (!sofa_implements(object, SOFA_MAPPING)) continue;
    Points *points = points_of(table, ((const SofaMapping *)object)->out);
    if (points) points->mapped = true;
  }
  for (size_t i = 0; i < ready->objects.n; i++)
    if (sofa_implements(ready->objects.data[i], SOFA_MAPPING))
      SOFA_TRY(use_mapping(table, (SofaMapping *)ready->objects.data[i]));
  return SOFA_OK;
}

static SofaErr report_points(const SofaObject *object, const Points *points) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  SofaIndices loose = {0};
  SofaText text = {0};
  for (uint32_t i = 0; i < points->used.n; i++)
    if (!points->used.data[i]) SOFA_GO(err, done, SOFA_APPEND(ctx, &loose, &i));
  if (!loose.n) goto done;
  SOFA_GO(err, done, sofa_ready_print_indices(ctx, loose.data, loose.n, &text));
  sofa_object_message(object, SOFA_WARNING,
                      "%zu of %zu points belong to no element, constraint or mapping (number %s): "
                      "nothing holds them; remove them from the mesh",
                      loose.n, points->used.n, text.data);
done:
  sofa_list_free(ctx, &loose);
  sofa_list_free(ctx, &text);
  return err;
}

/* Has a body elements, and does a solver move it? */
static bool has_elements(Body body) {
  size_t n = 0;
  if (!body.topology || !sofa_node_find(body.state->object.node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP))
    return false;
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++)
    n += sofa_mesh_elements(&body.topology->mesh, (SofaElementKind)kind).n;
  return n > 0;
}

SofaErr sofa_ready_check_points(SofaReady *ready) {
  PointsTable table = {.n = 0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < ready->objects.n; i++) {
    const Body body = body_of(ready->objects.data[i]);
    if (has_elements(body)) SOFA_GO(err, done, add_state(ready->ctx, &table, body.state));
  }
  if (table.n) SOFA_GO(err, done, use_all(ready, &table));
  for (size_t i = 0; i < table.n; i++)
    if (!table.data[i].mapped)
      SOFA_GO(err, done, report_points(&table.data[i].state->object, &table.data[i]));
done:
  table_free(ready->ctx, &table);
  return err;
}
