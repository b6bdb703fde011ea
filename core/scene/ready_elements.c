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

/* The topology whose elements a force field works on, and its state. NULL: none. */
typedef struct Body {
  const SofaTopology *topology;
  const SofaState *state;
  unsigned kinds; /* bit per SofaElementKind; 0: not looked at */
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

SOFA_LIST(Body, Bodies);

/* Appends a body that is not in the list; *added: it was not. */
static SofaErr add_body(SofaContext *ctx, Bodies *list, Body body, bool *added) {
  *added = false;
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i].topology == body.topology && list->data[i].state == body.state &&
        (body.kinds & ~list->data[i].kinds) == 0)
      return SOFA_OK;
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
  sofa_list_free(ready->ctx, &seen);
  return err;
}

/* ---- points ---- */

typedef struct Points {
  const SofaState *state;
  SofaBools used;
} Points;

static void use(Points *points, uint32_t i) {
  if (i < points->used.n) points->used.data[i] = true;
}

static void use_elements(Points *points, const SofaTopology *topology) {
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind);
    for (size_t k = 0; k < list.n * list.width; k++) use(points, list.v[k]);
  }
}

/* Those of an object that has elements from elsewhere. */
static void use_source(Points *points, const SofaObject *object) {
  const SofaElementSourceOps *ops = sofa_ops(object, SOFA_ELEMENT_SOURCE);
  SofaElementKind kind;
  const SofaElements list = ops->nodes ? ops->nodes(object) : ops->elements(object, &kind);
  for (size_t k = 0; k < list.n * list.width; k++) use(points, list.v[k]);
}

/* Indices of points in the lists of an object: of constraints, springs, loads. */
static SofaErr use_rows(Points *points, SofaObject *object) {
  SofaListenerRows rows = {0};
  const SofaErr err = sofa_listener_rows_find(object, &rows);
  for (size_t i = 0; err == SOFA_OK && i < rows.n; i++) {
    const SofaListenerRow *row = &rows.data[i];
    const SofaBelongs *b = row->belongs;
    const SofaAnyList *list = row->list;
    if (row->coords) continue;
    const char *at = list->data;
    if (b->role == SOFA_ROLE_INDICES && b->kind == SOFA_ELEMENT_POINT &&
        row->state == points->state)
      for (size_t k = 0; k < list->n; k++) use(points, ((const uint32_t *)list->data)[k]);
    for (size_t k = 0; b->role == SOFA_ROLE_TABLE && k < list->n; k++)
      for (unsigned e = 0; e < b->n_ends; e++)
        if (row->ends[e] == points->state)
          use(points, ((const uint32_t *)(const void *)(at + k * row->size))[e]);
  }
  sofa_list_free(object->ctx, &rows);
  return err;
}

/* Points that a mechanical mapping reads. */
static SofaErr use_mapping(Points *points, SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  for (size_t k = 0; map->mechanical && k < map->n_inputs; k++) {
    SofaPoint at;
    SofaJacobian j;
    if (map->inputs[k] != points->state) continue;
    SOFA_GO(err, done, sofa_mapping_point(map, &at));
    SOFA_GO(err, done, sofa_mapping_jacobian(map, &at, k, &j));
    const unsigned width = sofa_state_kind_info(points->state->object.kind)->deriv;
    for (size_t i = 0; i < j.start[j.n_rows]; i++) use(points, j.column[i] / width);
  }
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

static bool acts_on(const SofaObject *object, const SofaState *state) {
  const SofaForceField *ff = (const SofaForceField *)object;
  if (!sofa_implements(object, SOFA_FORCE_FIELD)) return false;
  for (size_t k = 0; k < ff->n_states; k++)
    if (ff->state[k] == state) return true;
  return false;
}

static SofaErr use_object(Points *points, SofaObject *object) {
  const SofaObject *topology = sofa_link_target(object, "topology");
  if (acts_on(object, points->state) && sofa_implements(topology, SOFA_TOPOLOGY))
    use_elements(points, (const SofaTopology *)topology);
  if (acts_on(object, points->state) && sofa_implements(topology, SOFA_ELEMENT_SOURCE))
    use_source(points, topology);
  const SofaObject *source = sofa_link_target(object, "elements");
  if (acts_on(object, points->state) && sofa_implements(source, SOFA_ELEMENT_SOURCE))
    use_source(points, source);
  if (sofa_implements(object, SOFA_TOPOLOGY) && sofa_node_state(object->node) == points->state)
    use_elements(points, (const SofaTopology *)object);
  // a mass holds nothing
  if ((sofa_implements(object, SOFA_FORCE_FIELD) && !sofa_implements(object, SOFA_MASS)) ||
      sofa_implements(object, SOFA_PROJECTIVE))
    return use_rows(points, object);
  return SOFA_OK;
}

static bool all_used(const Points *points) {
  for (size_t i = 0; i < points->used.n; i++)
    if (!points->used.data[i]) return false;
  return true;
}

/* The Jacobians of mappings are looked at when something is left. */
static SofaErr use_all(const SofaReady *ready, Points *points) {
  for (size_t i = 0; i < ready->objects.n; i++)
    SOFA_TRY(use_object(points, ready->objects.data[i]));
  for (size_t i = 0; i < ready->objects.n && !all_used(points); i++)
    if (sofa_implements(ready->objects.data[i], SOFA_MAPPING))
      SOFA_TRY(use_mapping(points, (SofaMapping *)ready->objects.data[i]));
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

static SofaErr check_points(const SofaReady *ready, const SofaState *state) {
  Points points = {.state = state};
  SofaErr err = SOFA_RESIZE(ready->ctx, &points.used, state->position.n);
  if (err == SOFA_OK) err = use_all(ready, &points);
  if (err == SOFA_OK) err = report_points(&state->object, &points);
  sofa_list_free(ready->ctx, &points.used);
  return err;
}

SofaErr sofa_ready_check_points(SofaReady *ready) {
  Bodies seen = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; err == SOFA_OK && i < ready->objects.n; i++) {
    const Body body = body_of(ready->objects.data[i]);
    bool added = false;
    if (has_elements(body)) err = add_body(ready->ctx, &seen, (Body){.state = body.state}, &added);
    if (err == SOFA_OK && added && sofa_ready_is_independent(ready, body.state))
      err = check_points(ready, body.state);
  }
  sofa_list_free(ready->ctx, &seen);
  return err;
}
