/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modifications of a topology: the sub-elements and points removed and inserted with elements, and
 * the indices afterwards. */
#include "change/topology_edit.h"

#include <stdlib.h>

#include "change/change_log.h"
#include "topology/tuple_map.h"

static const SofaTopologyModifier *modifier_of(const SofaTopology *topology) {
  return (const SofaTopologyModifier *)sofa_node_find(topology->object.node, SOFA_TOPOLOGY_MODIFIER,
                                                      SOFA_SEARCH_LOCAL);
}

SofaState *sofa_topology_state(const SofaTopology *topology) {
  const SofaTopologyModifier *modifier = modifier_of(topology);
  if (!modifier || !modifier->propagate_to_dof) return NULL;
  return (SofaState *)sofa_node_find(topology->object.node, SOFA_MECHANICAL_STATE,
                                     SOFA_SEARCH_LOCAL);
}

/* Cuts the data link of the kind's list and touches its field. */
static void mark(SofaTopology *topology, SofaElementKind kind) {
  topology->changed = true;
  sofa_topology_cut_link(topology, kind);
  sofa_topology_touch(topology, 1u << kind);
}

/* The same when neighbourhoods have to be made again. */
static void touch(SofaTopology *topology, SofaElementKind kind) {
  mark(topology, kind);
  sofa_topology_changed(topology);
}

/* ---- indices ---- */

static int descending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x < y) - (x > y);
}

static void sort(SofaIndices *ids) {
  if (ids->n) sofa_sort(ids->data, ids->n, sizeof *ids->data, descending);
}

/* New indices of the last n elements, when the last one takes the place of each removed one; ids
 * descend. */
static SofaErr rename_tail(SofaContext *ctx, const uint32_t *ids, size_t n, size_t n_before,
                           SofaIndices *tail) {
  SofaIndices at = {0}; /* the element at each of the last places */
  const size_t base = n_before - n;
  SofaErr err = SOFA_RESIZE(ctx, &at, n);
  if (err == SOFA_OK) err = SOFA_RESIZE(ctx, tail, n);
  for (uint32_t i = 0; i < n && err == SOFA_OK; i++) at.data[i] = i;
  for (size_t k = 0; k < n && err == SOFA_OK; k++) {
    const uint32_t last = at.data[n - 1 - k];
    if (ids[k] >= base) at.data[ids[k] - base] = last;
    tail->data[last] = ids[k];
  }
  for (size_t k = 0; k < n && err == SOFA_OK; k++)
    if (ids[k] >= base) tail->data[ids[k] - base] = SOFA_NO_ELEMENT;
  sofa_list_free(ctx, &at);
  return err;
}

/* ---- removal ---- */

/* Reports the removal to the listeners, then removes the elements. ids descend. */
static SofaErr remove_kind(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                           const SofaIndices *ids, SofaState *state) {
  SofaContext *ctx = topology->object.ctx;
  SofaMesh *mesh = &topology->mesh;
  SofaIndices tail = {0};
  const bool points = kind == SOFA_ELEMENT_POINT;
  const size_t before = points ? topology->n_points : sofa_mesh_elements(mesh, kind).n;
  SofaErr err = SOFA_OK;
  if (!ids->n) return SOFA_OK;
  SOFA_GO(err, done, rename_tail(ctx, ids->data, ids->n, before, &tail));
  const SofaTopologyChange change = {.kind = SOFA_CHANGE_REMOVE,
                                     .element = kind,
                                     .topology = topology,
                                     .state = points ? state : NULL,
                                     .ids = ids->data,
                                     .n = ids->n,
                                     .n_before = before,
                                     .tail = tail.data,
                                     .edit = edit};
  SOFA_GO(err, done, sofa_change_report(&change));
  if (points) {
    SOFA_GO(err, done, sofa_topology_take_points(topology, ids->data, ids->n));
    for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
      if (sofa_mesh_elements(mesh, (SofaElementKind)k).n) mark(topology, (SofaElementKind)k);
  } else {
    sofa_topology_take_elements(topology, kind, ids->data, ids->n);
  }
  mark(topology, kind);
done:
  sofa_list_free(ctx, &tail);
  return err;
}

/* Is the id in the list, which descends? */
static bool listed(const SofaIndices *ids, uint32_t id) {
  return ids->n && sofa_search(&id, ids->data, ids->n, sizeof id, descending);
}

/* In descending order, each once. */
static void sort_once(SofaIndices *ids) {
  size_t n = 0;
  sort(ids);
  for (size_t k = 0; k < ids->n; k++)
    if (!n || ids->data[n - 1] != ids->data[k]) ids->data[n++] = ids->data[k];
  ids->n = n;
}

/* The sub-elements (points: vertices) of removed elements that no other element of the kind has. */
static SofaErr isolated(SofaTopology *topology, SofaElementKind sub, SofaElementKind kind,
                        const SofaIndices *ids, SofaIndices *out) {
  SofaContext *ctx = topology->object.ctx;
  const SofaElements list = sofa_mesh_elements(&topology->mesh, kind);
  unsigned per = list.width;
  const uint32_t *subs = list.v;
  if (sub != SOFA_ELEMENT_POINT) subs = sofa_topology_sub(topology, sub, kind, &per);
  const SofaAround *around = sofa_topology_around(topology, kind, sub);
  SOFA_TRY(topology->failure);
  for (size_t k = 0; k < ids->n * per && subs; k++) {
    const uint32_t id = subs[ids->data[k / per] * (size_t)per + k % per], *users = NULL;
    if (id >= around->n_rows) continue;
    const size_t n = sofa_around_row(around, id, &users);
    bool alone = true;
    for (size_t i = 0; i < n && alone; i++) alone = listed(ids, users[i]);
    if (alone) SOFA_TRY(SOFA_APPEND(ctx, out, &id));
  }
  sort_once(out);
  return SOFA_OK;
}

/* Sub-elements that may be removed with elements of a kind. */
static bool is_sub(SofaElementKind sub, SofaElementKind kind) {
  if (sub == SOFA_ELEMENT_EDGE) return kind > SOFA_ELEMENT_EDGE;
  return (sub == SOFA_ELEMENT_TRIANGLE && kind == SOFA_ELEMENT_TETRA) ||
         (sub == SOFA_ELEMENT_QUAD && kind == SOFA_ELEMENT_HEXA);
}

typedef struct Removal {
  SofaIndices ids[SOFA_N_ELEMENT_KINDS]; /* of each kind, descending */
} Removal;

static void removal_free(SofaContext *ctx, Removal *r) {
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++) sofa_list_free(ctx, &r->ids[kind]);
}

/* Elements with a removed point are removed, too: a container may list edges that no larger element
 * has. */
static SofaErr plan_touching(SofaTopology *topology, Removal *r) {
  SofaContext *ctx = topology->object.ctx;
  const SofaIndices *points = &r->ids[SOFA_ELEMENT_POINT];
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS && points->n; k++) {
    const SofaElementKind kind = (SofaElementKind)k;
    if (!sofa_mesh_elements(&topology->mesh, kind).n) continue;
    const SofaAround *around = sofa_topology_around(topology, kind, SOFA_ELEMENT_POINT);
    SOFA_TRY(topology->failure);
    for (size_t p = 0; p < points->n; p++) {
      const uint32_t *users = NULL;
      const size_t n = sofa_around_row(around, points->data[p], &users);
      for (size_t i = 0; i < n; i++) SOFA_TRY(SOFA_APPEND(ctx, &r->ids[k], &users[i]));
    }
    sort_once(&r->ids[k]);
  }
  return SOFA_OK;
}

/* Finds all elements and points to remove with the elements of the kind in *r, by their current
 * indices. */
static SofaErr plan_removal(SofaTopology *topology, SofaElementKind kind, unsigned flags,
                            bool nested, Removal *r) {
  const SofaIndices *ids = &r->ids[kind];
  if (kind == SOFA_ELEMENT_POINT) return nested ? plan_touching(topology, r) : SOFA_OK;
  for (int sub = SOFA_ELEMENT_EDGE; sub < SOFA_N_ELEMENT_KINDS && flags & SOFA_REMOVE_SUBS; sub++)
    if (is_sub((SofaElementKind)sub, kind))
      SOFA_TRY(isolated(topology, (SofaElementKind)sub, kind, ids, &r->ids[sub]));
  if (!(flags & SOFA_REMOVE_POINTS)) return SOFA_OK;
  SOFA_TRY(isolated(topology, SOFA_ELEMENT_POINT, kind, ids, &r->ids[SOFA_ELEMENT_POINT]));
  return plan_touching(topology, r);
}

/* A removed point must not be a vertex of a remaining element. Topology and state must have the
 * same points. */
static SofaErr check_points(SofaTopology *topology, const SofaIndices *points,
                            const SofaState *state, bool elements) {
  if (state && sofa_state_size(state) != topology->n_points)
    return sofa_object_fail(&topology->object, SOFA_ERR_ARGUMENT,
                            "points cannot be removed: it has %zu points, the state '%s' has %zu",
                            topology->n_points, state->object.name, sofa_state_size(state));
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS && elements; kind++) {
    const SofaAround *around =
        sofa_topology_around(topology, (SofaElementKind)kind, SOFA_ELEMENT_POINT);
    for (size_t k = 0; k < points->n; k++) {
      const uint32_t *users = NULL;
      if (sofa_around_row(around, points->data[k], &users))
        return sofa_object_fail(&topology->object, SOFA_ERR_ARGUMENT,
                                "point %u cannot be removed: %s %u has it", points->data[k],
                                sofa_element_kind_info((SofaElementKind)kind)->name, users[0]);
    }
  }
  return topology->failure;
}

static SofaErr check_ids(const SofaTopology *topology, SofaElementKind kind,
                         const SofaIndices *ids) {
  const size_t n =
      kind == SOFA_ELEMENT_POINT ? topology->n_points : sofa_mesh_elements(&topology->mesh, kind).n;
  const char *name = sofa_element_kind_info(kind)->name;
  if (ids->n && ids->data[0] >= n)
    return sofa_object_fail(&topology->object, SOFA_ERR_RANGE,
                            "%s %u cannot be removed: there are %zu of them", name, ids->data[0],
                            n);
  for (size_t k = 1; k < ids->n; k++)
    if (ids->data[k] == ids->data[k - 1])
      return sofa_object_fail(&topology->object, SOFA_ERR_ARGUMENT, "%s %u cannot be removed twice",
                              name, ids->data[k]);
  return SOFA_OK;
}

static SofaErr check_removal(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                             const Removal *r, const SofaState *state) {
  const SofaIndices *points = &r->ids[SOFA_ELEMENT_POINT];
  if (points->n) SOFA_TRY(check_points(topology, points, state, kind == SOFA_ELEMENT_POINT));
  return sofa_change_check(edit, topology, points->n > 0);
}

/* The elements asked for. */
typedef struct Request {
  SofaElementKind kind;
  const uint32_t *ids;
  size_t n;
  unsigned flags;
} Request;

static SofaErr remove_with(SofaTopologyEdit *edit, SofaTopology *topology, SofaState *state,
                           const Request *q) {
  const SofaElementKind kind = q->kind;
  Removal r = {.ids = {{0}}};
  SofaErr err = SOFA_OK;
  if (!q->n) return SOFA_OK;
  SOFA_GO(err, done, SOFA_RESIZE(topology->object.ctx, &r.ids[kind], q->n));
  sofa_copy(r.ids[kind].data, q->ids, q->n * sizeof *q->ids);
  sort(&r.ids[kind]);
  SOFA_GO(err, done, check_ids(topology, kind, &r.ids[kind]));
  SOFA_GO(err, done, plan_removal(topology, kind, q->flags, edit->depth > 0, &r));
  if (!edit->depth) SOFA_GO(err, done, check_removal(edit, topology, kind, &r, state));
  // the elements asked for, then larger ones before smaller ones, at last the points
  if (kind != SOFA_ELEMENT_POINT) {
    SOFA_GO(err, done, remove_kind(edit, topology, kind, &r.ids[kind], state));
    r.ids[kind].n = 0;
  }
  for (int other = SOFA_N_ELEMENT_KINDS - 1; other >= SOFA_ELEMENT_POINT; other--)
    SOFA_GO(err, done, remove_kind(edit, topology, (SofaElementKind)other, &r.ids[other], state));
done:
  removal_free(topology->object.ctx, &r);
  return err;
}

SofaErr sofa_topology_remove(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                             const uint32_t *ids, size_t n, unsigned flags) {
  // the change that is answered removes the points of the state
  SofaState *state = edit->depth ? NULL : sofa_topology_state(topology);
  const SofaAskedChange asked = {
      .topology = topology, .kind = kind, .flags = flags, .values = ids, .n = n, .n_values = n};
  if (n) SOFA_TRY(sofa_changes_note(edit, SOFA_ASKED_REMOVE, &asked));
  return sofa_changes_noted(edit,
                            remove_with(edit, topology, state, &(Request){kind, ids, n, flags}));
}

SofaErr sofa_topology_remove_points_of(SofaTopologyEdit *edit, SofaTopology *topology,
                                       SofaState *state, const uint32_t *ids, size_t n) {
  return remove_with(edit, topology, state, &(Request){SOFA_ELEMENT_POINT, ids, n, 0});
}

/* ---- insertion ---- */

/* Ids of edges, triangles and quads by their vertices. */
typedef struct Adder {
  SofaContext *ctx;
  SofaMesh *mesh;
  SofaTupleMap edges, faces;
} Adder;

static SofaTuple key_of(const uint32_t *v, unsigned width) {
  if (width == 2) return sofa_tuple2(v[0], v[1]);
  return width == 3 ? sofa_tuple3(v[0], v[1], v[2]) : sofa_tuple4(v[0], v[1], v[2], v[3]);
}

static SofaErr fill_map(SofaContext *ctx, SofaElements list, SofaTupleMap *map) {
  uint32_t found;
  for (size_t i = 0; i < list.n; i++) {
    const SofaTuple key = key_of(list.v + i * list.width, list.width);
    SOFA_TRY(sofa_tuple_map_add(ctx, map, &key, (uint32_t)i, &found));
  }
  return SOFA_OK;
}

/* Appends an element of a map's kind unless the mesh lists it; *added: it was appended. */
static SofaErr add_new(Adder *a, SofaTupleMap *map, SofaElementKind kind, const uint32_t *v,
                       bool *added) {
  const SofaElements list = sofa_mesh_elements(&a->mesh[0], kind);
  const SofaTuple key = key_of(v, list.width);
  *added = sofa_tuple_map_find(map, &key) == SOFA_NO_ELEMENT;
  if (!*added) return SOFA_OK;
  uint32_t found;
  SOFA_TRY(sofa_tuple_map_add(a->ctx, map, &key, (uint32_t)list.n, &found));
  return sofa_list_append(a->ctx, sofa_mesh_list(a->mesh, kind), list.width * sizeof *v, v);
}

static SofaErr add_edge(Adder *a, uint32_t p, uint32_t q) {
  const uint32_t v[2] = {p, q};
  bool added;
  return add_new(a, &a->edges, SOFA_ELEMENT_EDGE, v, &added);
}

/* The edges of a triangle or quad: (v[j + 1], v[j + 2]). */
static SofaErr add_face_edges(Adder *a, const uint32_t *v, unsigned width) {
  for (unsigned j = 0; j < width; j++)
    SOFA_TRY(add_edge(a, v[(j + 1) % width], v[(j + 2) % width]));
  return SOFA_OK;
}

/* Appends the edges of a face, then the face, unless the mesh lists it. */
static SofaErr add_face(Adder *a, SofaElementKind kind, const uint32_t *v) {
  bool added;
  const unsigned width = sofa_element_kind_info(kind)->width;
  const SofaTuple key = key_of(v, width);
  if (sofa_tuple_map_find(&a->faces, &key) != SOFA_NO_ELEMENT) return SOFA_OK;
  SOFA_TRY(add_face_edges(a, v, width));
  return add_new(a, &a->faces, kind, v, &added);
}

static SofaErr add_subs(Adder *a, SofaElementKind kind, const uint32_t *v) {
  uint32_t f[4];
  if (kind == SOFA_ELEMENT_TRIANGLE || kind == SOFA_ELEMENT_QUAD)
    return add_face_edges(a, v, sofa_element_kind_info(kind)->width);
  if (kind == SOFA_ELEMENT_TETRA) {
    for (int j = 0; j < 4; j++) {
      for (int c = 0; c < 3; c++) f[c] = v[sofa_tetra_faces[j][c]];
      SOFA_TRY(add_face(a, SOFA_ELEMENT_TRIANGLE, f));
    }
    for (int j = 0; j < 6; j++)
      SOFA_TRY(add_edge(a, v[sofa_tetra_edges[j][0]], v[sofa_tetra_edges[j][1]]));
  }
  if (kind == SOFA_ELEMENT_HEXA) {
    for (int j = 0; j < 6; j++) {
      for (int c = 0; c < 4; c++) f[c] = v[sofa_hexa_quads[j][c]];
      SOFA_TRY(add_face(a, SOFA_ELEMENT_QUAD, f));
    }
    for (int j = 0; j < 12; j++)
      SOFA_TRY(add_edge(a, v[sofa_hexa_edges[j][0]], v[sofa_hexa_edges[j][1]]));
  }
  return SOFA_OK;
}

/* Derives the lists that are derived on demand. */
static SofaErr derive_lists(SofaTopology *topology) {
  (void)sofa_topology_quads(topology);
  (void)sofa_topology_triangles(topology);
  (void)sofa_topology_edges(topology);
  return topology->failure;
}

static SofaErr append_all(Adder *a, SofaElementKind kind, const uint32_t *vertices, size_t n) {
  const unsigned width = sofa_element_kind_info(kind)->width;
  const SofaElementKind face = kind == SOFA_ELEMENT_HEXA    ? SOFA_ELEMENT_QUAD
                               : kind == SOFA_ELEMENT_TETRA ? SOFA_ELEMENT_TRIANGLE
                                                            : SOFA_ELEMENT_POINT;
  SOFA_TRY(fill_map(a->ctx, sofa_mesh_elements(a->mesh, SOFA_ELEMENT_EDGE), &a->edges));
  if (face != SOFA_ELEMENT_POINT)
    SOFA_TRY(fill_map(a->ctx, sofa_mesh_elements(a->mesh, face), &a->faces));
  for (size_t i = 0; i < n; i++) {
    SOFA_TRY(add_subs(a, kind, vertices + i * width));
    SOFA_TRY(sofa_list_append(a->ctx, sofa_mesh_list(a->mesh, kind), width * sizeof *vertices,
                              vertices + i * width));
  }
  return SOFA_OK;
}

/* Reports all elements of the kind behind the first n_before. */
static SofaErr report_added(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                            size_t n_before, const uint32_t *origins) {
  SofaContext *ctx = topology->object.ctx;
  const size_t n = sofa_mesh_elements(&topology->mesh, kind).n;
  SofaIndices ids = {0};
  if (n == n_before) return SOFA_OK;
  touch(topology, kind);
  SofaErr err = SOFA_RESIZE(ctx, &ids, n - n_before);
  for (uint32_t i = 0; i < ids.n; i++) ids.data[i] = (uint32_t)n_before + i;
  const SofaTopologyChange change = {.kind = SOFA_CHANGE_ADD,
                                     .element = kind,
                                     .topology = topology,
                                     .ids = ids.data,
                                     .n = ids.n,
                                     .n_before = n_before,
                                     .origins = origins,
                                     .edit = edit};
  if (err == SOFA_OK) err = sofa_change_report(&change);
  sofa_list_free(ctx, &ids);
  return err;
}

/* Vertices must be points; the vertices of an element must differ. */
static SofaErr check_vertices(const SofaTopology *topology, SofaElementKind kind,
                              const uint32_t *vertices, size_t n) {
  const SofaElementKindInfo *info = sofa_element_kind_info(kind);
  const SofaState *state = sofa_node_state(topology->object.node);
  const size_t n_state = state ? sofa_state_size(state) : 0;
  const size_t n_points = topology->n_points > n_state ? topology->n_points : n_state;
  for (size_t i = 0; i < n * info->width; i++) {
    const size_t first = i - i % info->width;
    if (vertices[i] >= n_points)
      return sofa_object_fail(&topology->object, SOFA_ERR_RANGE,
                              "%s %zu cannot be added: its vertex %u is not one of the %zu points",
                              info->name, i / info->width, vertices[i], n_points);
    for (size_t k = first; k < i; k++)
      if (vertices[k] == vertices[i])
        return sofa_object_fail(&topology->object, SOFA_ERR_ARGUMENT,
                                "%s %zu cannot be added: it has point %u twice", info->name,
                                i / info->width, vertices[i]);
  }
  return SOFA_OK;
}

static SofaErr check_origins(const SofaTopology *topology, SofaElementKind kind,
                             const uint32_t *origins, size_t n) {
  const size_t there = sofa_mesh_elements(&topology->mesh, kind).n;
  for (size_t i = 0; i < n; i++)
    if (origins[i] >= there)
      return sofa_object_fail(&topology->object, SOFA_ERR_ARGUMENT,
                              "%s %zu cannot be added: it is a part of %u, there are %zu",
                              sofa_element_kind_info(kind)->name, i, origins[i], there);
  return SOFA_OK;
}

static SofaErr add_parts(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                         const uint32_t *vertices, size_t n, const uint32_t *origins) {
  Adder adder = {.ctx = topology->object.ctx, .mesh = &topology->mesh};
  SofaMesh *mesh = &topology->mesh;
  size_t before[SOFA_N_ELEMENT_KINDS];
  if (origins) SOFA_TRY(check_origins(topology, kind, origins, n));
  if (!edit->depth) {
    SOFA_TRY(check_vertices(topology, kind, vertices, n));
    SOFA_TRY(sofa_change_check(edit, topology, false));
  }
  SOFA_TRY(derive_lists(topology));
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++)
    before[k] = sofa_mesh_elements(mesh, (SofaElementKind)k).n;
  SofaErr err = append_all(&adder, kind, vertices, n);
  sofa_tuple_map_free(adder.ctx, &adder.edges);
  sofa_tuple_map_free(adder.ctx, &adder.faces);
  const size_t used = sofa_mesh_vertex_count(mesh);
  if (topology->n_points < used) topology->n_points = used;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS && err == SOFA_OK; k++)
    err = report_added(edit, topology, (SofaElementKind)k, before[k],
                       (SofaElementKind)k == kind ? origins : NULL);
  return err;
}

SofaErr sofa_topology_add_parts(SofaTopologyEdit *edit, SofaTopology *topology,
                                SofaElementKind kind, const uint32_t *vertices, size_t n,
                                const uint32_t *origins) {
  const SofaAskedChange asked = {.topology = topology,
                                 .kind = kind,
                                 .values = vertices,
                                 .n = n,
                                 .n_values = n * sofa_element_kind_info(kind)->width,
                                 .origins = origins};
  if (!n) return SOFA_OK;
  SOFA_TRY(sofa_changes_note(edit, SOFA_ASKED_ADD, &asked));
  return sofa_changes_noted(edit, add_parts(edit, topology, kind, vertices, n, origins));
}

SofaErr sofa_topology_add(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                          const uint32_t *vertices, size_t n) {
  return sofa_topology_add_parts(edit, topology, kind, vertices, n, NULL);
}

/* ---- points ---- */

static SofaErr report_new_points(SofaTopologyEdit *edit, SofaTopology *topology, SofaState *state,
                                 size_t n_before, size_t n, const SofaAncestors *ancestors) {
  SofaContext *ctx = edit->root->object.ctx;
  SofaIndices ids = {0};
  SofaErr err = SOFA_RESIZE(ctx, &ids, n);
  for (uint32_t i = 0; i < ids.n; i++) ids.data[i] = (uint32_t)n_before + i;
  const SofaTopologyChange change = {.kind = SOFA_CHANGE_ADD,
                                     .element = SOFA_ELEMENT_POINT,
                                     .topology = topology,
                                     .state = state,
                                     .ids = ids.data,
                                     .n = n,
                                     .n_before = n_before,
                                     .ancestors = ancestors,
                                     .edit = edit};
  if (err == SOFA_OK) err = sofa_change_report(&change);
  sofa_list_free(ctx, &ids);
  return err;
}

/* Appends positions if the container has positions. */
static SofaErr append_positions(SofaTopology *topology, size_t n, const SofaAncestors *ancestors) {
  SofaVec3s *x = &topology->mesh.position;
  const size_t before = x->n;
  if (!before || before != topology->n_points) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(topology->object.ctx, x, before + n));
  for (size_t i = 0; ancestors && i < n; i++)
    for (uint32_t k = ancestors->start.data[i]; k < ancestors->start.data[i + 1]; k++)
      for (int c = 0; c < 3; c++)
        x->data[before + i].v[c] +=
            ancestors->weights.data[k] * x->data[ancestors->points.data[k]].v[c];
  return SOFA_OK;
}

SofaErr sofa_topology_add_points(SofaTopologyEdit *edit, SofaTopology *topology, size_t n,
                                 const SofaAncestors *ancestors) {
  SofaState *state = edit->depth ? NULL : sofa_topology_state(topology);
  const SofaAskedChange asked = {.topology = topology, .n = n, .ancestors = ancestors};
  if (n) SOFA_TRY(sofa_changes_note(edit, SOFA_ASKED_POINTS, &asked));
  return sofa_changes_noted(edit, sofa_topology_add_points_of(edit, topology, state, n, ancestors));
}

SofaErr sofa_topology_add_points_of(SofaTopologyEdit *edit, SofaTopology *topology,
                                    SofaState *state, size_t n, const SofaAncestors *ancestors) {
  const size_t before = topology->n_points;
  if (!n) return SOFA_OK;
  if (state && sofa_state_size(state) != before)
    return sofa_object_fail(&topology->object, SOFA_ERR_ARGUMENT,
                            "points cannot be inserted: it has %zu points, the state '%s' has %zu",
                            before, state->object.name, sofa_state_size(state));
  if (!edit->depth) SOFA_TRY(sofa_change_check(edit, topology, true));
  SOFA_TRY(append_positions(topology, n, ancestors));
  topology->n_points += n;
  touch(topology, SOFA_ELEMENT_POINT);
  return report_new_points(edit, topology, state, before, n, ancestors);
}

SofaErr sofa_state_remove_points(SofaTopologyEdit *edit, SofaState *state, const uint32_t *ids,
                                 size_t n) {
  SofaContext *ctx = state->object.ctx;
  SofaIndices tail = {0};
  const size_t before = sofa_state_size(state);
  if (!n) return SOFA_OK;
  SofaErr err = rename_tail(ctx, ids, n, before, &tail);
  const SofaTopologyChange change = {.kind = SOFA_CHANGE_REMOVE,
                                     .element = SOFA_ELEMENT_POINT,
                                     .state = state,
                                     .ids = ids,
                                     .n = n,
                                     .n_before = before,
                                     .tail = tail.data,
                                     .edit = edit};
  if (err == SOFA_OK) err = sofa_change_report(&change);
  sofa_list_free(ctx, &tail);
  return err;
}

SofaErr sofa_state_add_points(SofaTopologyEdit *edit, SofaState *state, size_t n,
                              const SofaAncestors *ancestors) {
  return n ? report_new_points(edit, NULL, state, sofa_state_size(state), n, ancestors) : SOFA_OK;
}

SofaErr sofa_state_follow(const SofaTopologyChange *change, SofaState *state) {
  if (change->kind == SOFA_CHANGE_DONE || sofa_state_size(state) != change->n_before)
    return SOFA_OK;
  if (change->kind == SOFA_CHANGE_REMOVE)
    return sofa_state_remove_points(change->edit, state, change->ids, change->n);
  return sofa_state_add_points(change->edit, state, change->n, change->ancestors);
}

/* ---- setting all elements ---- */

/* The vertices of an element. */
typedef struct Listed {
  const uint32_t *v;
  unsigned width;
} Listed;

static int compare_listed(const void *a, const void *b) {
  const Listed *p = a, *q = b;
  for (unsigned k = 0; k < p->width; k++)
    if (p->v[k] != q->v[k]) return p->v[k] < q->v[k] ? -1 : 1;
  return 0;
}

/* Elements that are not in the other list, in descending order. */
static SofaErr find_missing(SofaContext *ctx, const SofaElements *now, const SofaElements *wanted,
                            SofaIndices *out) {
  Listed *sorted = sofa_alloc(ctx, wanted->n + 1, sizeof *sorted);
  SofaErr err = sorted ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < wanted->n && err == SOFA_OK; i++)
    sorted[i] = (Listed){wanted->v + i * wanted->width, wanted->width};
  if (err == SOFA_OK) sofa_sort(sorted, wanted->n, sizeof *sorted, compare_listed);
  for (uint32_t i = (uint32_t)now->n; i-- > 0 && err == SOFA_OK;) {
    const Listed key = {now->v + i * (size_t)now->width, now->width};
    if (!sofa_search(&key, sorted, wanted->n, sizeof *sorted, compare_listed))
      err = SOFA_APPEND(ctx, out, &i);
  }
  sofa_free(ctx, sorted);
  return err;
}

/* Do the elements without the removed ones, which descend, begin the wanted list? */
static SofaErr leads_to(SofaContext *ctx, const SofaElements *now, const SofaElements *wanted,
                        const SofaIndices *gone, bool *leads) {
  SofaIndices at = {0};
  SofaErr err = SOFA_RESIZE(ctx, &at, now->n);
  *leads = now->n - gone->n <= wanted->n;
  for (uint32_t i = 0; i < at.n && err == SOFA_OK; i++) at.data[i] = i;
  for (size_t k = 0; k < gone->n && err == SOFA_OK; k++)
    at.data[gone->data[k]] = at.data[at.n - 1 - k];
  for (size_t i = 0; i + gone->n < at.n && err == SOFA_OK && *leads; i++)
    *leads = !sofa_compare(now->v + at.data[i] * (size_t)now->width, wanted->v + i * wanted->width,
                           now->width * sizeof *now->v);
  sofa_list_free(ctx, &at);
  return err;
}

/* The elements to remove before the missing ones can be appended. */
static SofaErr plan_list(SofaTopology *topology, SofaElementKind kind, const SofaElements *wanted,
                         SofaIndices *gone) {
  SofaContext *ctx = topology->object.ctx;
  const SofaElements now = sofa_mesh_elements(&topology->mesh, kind);
  bool leads = false;
  SOFA_TRY(find_missing(ctx, &now, wanted, gone));
  SOFA_TRY(leads_to(ctx, &now, wanted, gone, &leads));
  if (leads) return SOFA_OK;
  uint32_t first = 0;
  while (first < now.n && first < wanted->n &&
         !sofa_compare(now.v + first * (size_t)now.width, wanted->v + first * (size_t)now.width,
                       now.width * sizeof *now.v))
    first++;
  gone->n = 0;
  for (uint32_t i = (uint32_t)now.n; i-- > first;) SOFA_TRY(SOFA_APPEND(ctx, gone, &i));
  return SOFA_OK;
}

/* Appends the missing elements of the wanted lists and reports them. */
static SofaErr append_lists(SofaTopologyEdit *edit, SofaTopology *topology,
                            const SofaElements lists[SOFA_N_ELEMENT_KINDS]) {
  SofaContext *ctx = topology->object.ctx;
  size_t before[SOFA_N_ELEMENT_KINDS];
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElementKind kind = (SofaElementKind)k;
    before[k] = sofa_mesh_elements(&topology->mesh, kind).n;
    for (size_t i = before[k]; lists[k].width && i < lists[k].n; i++)
      SOFA_TRY(sofa_list_append(ctx, sofa_mesh_list(&topology->mesh, kind),
                                lists[k].width * sizeof(uint32_t),
                                lists[k].v + i * lists[k].width));
  }
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
    SOFA_TRY(report_added(edit, topology, (SofaElementKind)k, before[k], NULL));
  return SOFA_OK;
}

static SofaErr check_lists(SofaTopology *topology, const SofaElements lists[SOFA_N_ELEMENT_KINDS]) {
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
    if (lists[k].width)
      SOFA_TRY(check_vertices(topology, (SofaElementKind)k, lists[k].v, lists[k].n));
  return SOFA_OK;
}

static SofaErr set_lists(SofaTopologyEdit *edit, SofaTopology *topology,
                         const SofaElements lists[SOFA_N_ELEMENT_KINDS]) {
  Removal r = {.ids = {{0}}};
  SofaErr err = SOFA_OK;
  size_t n_points = topology->n_points, n_vertices = 0;
  bool same = true;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const size_t n = sofa_mesh_elements(&topology->mesh, (SofaElementKind)k).n;
    if (!lists[k].width) continue;
    n_vertices += lists[k].n * lists[k].width;
    for (size_t i = 0; i < lists[k].n * lists[k].width; i++)
      if (lists[k].v[i] >= n_points) n_points = (size_t)lists[k].v[i] + 1;
    SOFA_GO(err, done, plan_list(topology, (SofaElementKind)k, &lists[k], &r.ids[k]));
    same = same && !r.ids[k].n && n == lists[k].n;
  }
  if (same) goto done;
  if (n_points > topology->n_points + n_vertices)
    SOFA_GO(
        err, done,
        sofa_object_fail(&topology->object, SOFA_ERR_RANGE,
                         "elements name point %zu: there are %zu, and %zu can be inserted with the "
                         "elements",
                         n_points - 1, topology->n_points, n_vertices));
  if (n_points > topology->n_points)
    SOFA_GO(err, done,
            sofa_topology_add_points(edit, topology, n_points - topology->n_points, NULL));
  SOFA_GO(err, done, check_lists(topology, lists));
  SOFA_GO(err, done, sofa_change_check(edit, topology, false));
  for (int k = SOFA_N_ELEMENT_KINDS - 1; k >= SOFA_ELEMENT_EDGE; k--)
    SOFA_GO(err, done, remove_kind(edit, topology, (SofaElementKind)k, &r.ids[k], NULL));
  err = append_lists(edit, topology, lists);
done:
  removal_free(topology->object.ctx, &r);
  return err;
}

SofaErr sofa_topology_set(SofaTopologyEdit *edit, SofaTopology *topology,
                          const SofaElements lists[SOFA_N_ELEMENT_KINDS]) {
  const SofaAskedChange asked = {.topology = topology, .lists = lists};
  const bool noted = edit->noted;
  SOFA_TRY(sofa_changes_note(edit, SOFA_ASKED_SET, &asked));
  edit->noted = true;
  const SofaErr err = set_lists(edit, topology, lists);
  edit->noted = noted;
  return sofa_changes_noted(edit, err);
}
