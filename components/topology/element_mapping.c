/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Demands of topological mappings on their topologies; the border of a set of elements, kept when
 * elements go or come. */
#include "element_mapping.h"

#include <stdlib.h>

#include "behavior/state_division.h"
#include "set_container.h"
#include "topology/shared_sides.h"

/* Largest kind of element a topology has: what a container is for, else what is listed. */
static SofaElementKind top_kind(const SofaTopology *topology) {
  if (topology->container == SOFA_CONTAINER_SET) return ((const SofaSetContainer *)topology)->top;
  for (int kind = SOFA_ELEMENT_HEXA; kind > SOFA_ELEMENT_POINT; kind--)
    if (sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind).n) return (SofaElementKind)kind;
  return SOFA_ELEMENT_POINT;
}

SofaErr sofa_mapping_needs(const SofaTopologicalMapping *mapping, SofaElementKind from,
                           SofaElementKind to, const SofaClass *modifier) {
  const SofaObject *object = &mapping->object;
  const SofaElementKind has = top_kind(mapping->from);
  if (from != SOFA_ELEMENT_POINT && has != from)
    return sofa_field_fail(object, "input", SOFA_ERR_ARGUMENT,
                           "'%s' must be a topology of %s, its largest elements are %s",
                           mapping->from->object.name, sofa_element_kind_info(from)->field,
                           sofa_element_kind_info(has)->field);
  if (mapping->to->container != SOFA_CONTAINER_SET || top_kind(mapping->to) != to)
    return sofa_field_fail(object, "output", SOFA_ERR_ARGUMENT,
                           "'%s' (%s) must be a set container of %s", mapping->to->object.name,
                           mapping->to->object.klass->name, sofa_element_kind_info(to)->field);
  if (!sofa_node_find_class(mapping->to->object.node, modifier, SOFA_SEARCH_UP))
    return sofa_field_fail(object, "output", SOFA_ERR_NOT_FOUND,
                           "'%s' has no %s in its node or above", mapping->to->object.name,
                           modifier->name);
  return SOFA_OK;
}

/* Makes the lists of the input that are derived on demand. */
static void derive(SofaTopology *topology, SofaElementKind kind) {
  if (kind == SOFA_ELEMENT_EDGE) (void)sofa_topology_edges(topology);
  if (kind == SOFA_ELEMENT_TRIANGLE) (void)sofa_topology_triangles(topology);
  if (kind == SOFA_ELEMENT_QUAD) (void)sofa_topology_quads(topology);
}

/* ---- the border ---- */

static SofaErr set_local(SofaBorderMapping *m, uint32_t global, uint32_t local) {
  const uint32_t none = SOFA_NO_ELEMENT;
  while (m->local.n <= global) SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->local, &none));
  m->local.data[global] = local;
  return SOFA_OK;
}

static uint32_t local_of(const SofaBorderMapping *m, uint32_t global) {
  return global < m->local.n ? m->local.data[global] : SOFA_NO_ELEMENT;
}

/* The next element of the output is this one of the input. */
static SofaErr link_next(SofaBorderMapping *m, uint32_t global) {
  SOFA_TRY(set_local(m, global, (uint32_t)m->global.n));
  return SOFA_APPEND(m->mapping.object.ctx, &m->global, &global);
}

/* A triangle keeps its first vertex, a quad does not. */
static void turn(const uint32_t *v, unsigned width, uint32_t *out) {
  for (unsigned k = 0; k < width; k++) out[k] = v[width == 3 ? (3 - k) % 3 : width - 1 - k];
}

/* ---- the border of a mesh that is divided among processes ---- */

typedef struct BorderKeys {
  uint32_t *lowest; /* other process with a volume at each border element of the input */
  uint64_t *key;    /* of each element of the output; NULL: the input is not divided */
  size_t n;
} BorderKeys;

/* Sides of all volumes of this process. */
static SofaErr list_sides(const SofaBorderMapping *m, SofaIndices *out) {
  const SofaElements volumes = sofa_mesh_elements(&m->mapping.from->mesh, m->volume);
  const bool quads = m->border == SOFA_ELEMENT_QUAD;
  const unsigned width = sofa_element_kind_info(m->border)->width, per = quads ? 6 : 4;
  SOFA_TRY(SOFA_RESIZE(m->mapping.object.ctx, out, volumes.n * per * width));
  uint32_t *to = out->data;
  for (size_t i = 0; i < volumes.n * per; i++) {
    const uint32_t *v = volumes.v + i / per * volumes.width;
    for (unsigned k = 0; k < width; k++)
      *to++ = v[quads ? sofa_hexa_quads[i % per][k] : sofa_tetra_faces[i % per][k]];
  }
  return SOFA_OK;
}

static SofaErr open_keys(const SofaBorderMapping *m, SofaElements elements, BorderKeys *keys) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaDivision *division = sofa_topology_list_division(m->mapping.from, m->volume);
  SofaIndices sides = {0};
  *keys = (BorderKeys){0};
  if (!sofa_topology_division(m->mapping.from)) return SOFA_OK;
  if (!division || m->border == SOFA_ELEMENT_EDGE)
    return sofa_object_undivided(
        &m->mapping.object, "the border of elements that are made of others, on a mesh which is "
                            "divided among processes");
  keys->lowest = sofa_alloc(ctx, elements.n, sizeof *keys->lowest);
  keys->key = sofa_alloc(ctx, elements.n, sizeof *keys->key);
  SofaErr err = keys->lowest && keys->key ? list_sides(m, &sides) : SOFA_ERR_MEMORY;
  const SofaElements own = {sides.data, sides.n / elements.width, elements.width};
  if (err == SOFA_OK) err = sofa_find_shared_sides(ctx, division, own, elements, keys->lowest);
  sofa_list_free(ctx, &sides);
  return err;
}

/* Border element i of the input, of one volume: its number in the whole list, or its rank among the
 * sides of all volumes. */
static uint64_t key_of(const SofaBorderMapping *m, uint32_t i, uint32_t volume) {
  SofaTopology *from = m->mapping.from;
  const SofaDivision *listed = sofa_topology_list_division(from, m->border);
  const SofaDivision *volumes = sofa_topology_list_division(from, m->volume);
  unsigned per = 1, j = 0;
  if (listed) return listed->elements[m->border].data[i];
  const uint32_t *subs = sofa_topology_sub(from, m->border, m->volume, &per);
  while (subs && j + 1 < per && subs[volume * (size_t)per + j] != i) j++;
  return volumes->elements[m->volume].data[volume] * (uint64_t)per + j;
}

static SofaErr close_keys(SofaBorderMapping *m, BorderKeys *keys, SofaErr err) {
  if (keys->key && err == SOFA_OK)
    err = sofa_topological_mapping_divide(&m->mapping, m->border, keys->n, keys->key);
  sofa_free(m->mapping.object.ctx, keys->lowest);
  sofa_free(m->mapping.object.ctx, keys->key);
  return err;
}

/* A triangle that the input has derived begins with the point of the smallest number. */
static void begin_with_smallest(const SofaBorderMapping *m, const uint32_t *v, unsigned width,
                                uint32_t *out) {
  const SofaDivision *d = sofa_topology_division(m->mapping.from);
  unsigned first = 0;
  if (d && !sofa_topology_list_division(m->mapping.from, m->border))
    for (unsigned k = 1; k < width; k++)
      if (d->number.data[v[k]] < d->number.data[v[first]]) first = k;
  for (unsigned k = 0; k < width; k++) out[k] = v[(first + k) % width];
}

/* ---- the border ---- */

static SofaErr take_border(SofaBorderMapping *m, SofaElements elements, BorderKeys *keys) {
  SofaTopology *from = m->mapping.from;
  void *out = sofa_mesh_list(&m->mapping.to->mesh, m->border);
  const SofaAround *around = sofa_topology_around(from, m->volume, m->border);
  if (from->failure != SOFA_OK) return from->failure;
  for (uint32_t i = 0; i < elements.n; i++) {
    const uint32_t *ids, *v = elements.v + i * (size_t)elements.width;
    uint32_t turned[4], begun[4];
    if (sofa_around_row(around, i, &ids) != 1) continue;
    if (keys->lowest && keys->lowest[i] != SOFA_NO_ELEMENT) continue;
    begin_with_smallest(m, v, elements.width, begun);
    turn(begun, elements.width, turned);
    SOFA_TRY(sofa_list_append(from->object.ctx, out, elements.width * sizeof *v,
                              m->flip ? turned : begun));
    if (keys->key) keys->key[keys->n++] = key_of(m, i, ids[0]);
    SOFA_TRY(link_next(m, i));
  }
  return SOFA_OK;
}

static SofaErr map_border(SofaTopologicalMapping *mapping) {
  SofaBorderMapping *m = (SofaBorderMapping *)mapping;
  SofaTopology *from = mapping->from;
  BorderKeys keys;
  m->global.n = m->local.n = 0;
  derive(from, m->border);
  derive(from, m->volume);
  if (from->failure != SOFA_OK) return from->failure;
  const SofaElements elements = sofa_mesh_elements(&from->mesh, m->border);
  SofaErr err = open_keys(m, elements, &keys);
  if (err == SOFA_OK && !m->no_initial) err = take_border(m, elements, &keys);
  return close_keys(m, &keys, err);
}

/* ---- changes ---- */

SofaErr sofa_mapping_follow_points(SofaTopologicalMapping *mapping,
                                   const SofaTopologyChange *change) {
  if (change->kind == SOFA_CHANGE_ADD)
    return sofa_topological_mapping_add_points(mapping, change->edit, change->n, change->ancestors);
  return sofa_topological_mapping_remove_points(mapping, change->edit, change->ids, change->n);
}

SofaErr sofa_mapping_blocks_go(SofaTopologicalMapping *mapping, const SofaTopologyChange *change,
                               SofaElementKind kind, uint32_t per) {
  uint32_t *block = sofa_alloc(mapping->object.ctx, per, sizeof *block);
  SofaErr err = block ? SOFA_OK : SOFA_ERR_MEMORY;
  // one after the other, as in SOFA
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++) {
    for (uint32_t k = 0; k < per; k++) block[k] = per * change->ids[i] + k;
    err = sofa_topology_remove(change->edit, mapping->to, kind, block, per, SOFA_REMOVE_SUBS);
  }
  sofa_free(mapping->object.ctx, block);
  return err;
}

SofaErr sofa_mapping_blocks_come(SofaTopologicalMapping *mapping, const SofaTopologyChange *change,
                                 SofaElementKind kind, const uint8_t *pattern, size_t n) {
  SofaContext *ctx = mapping->object.ctx;
  const SofaElements from = sofa_mesh_elements(&mapping->from->mesh, change->element);
  const unsigned width = sofa_element_kind_info(kind)->width;
  SofaIndices made = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < change->n; i++)
    for (size_t k = 0; k < n && err == SOFA_OK; k++)
      err = SOFA_APPEND(ctx, &made, &from.v[change->ids[i] * (size_t)from.width + pattern[k]]);
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, mapping->to, kind, made.data, made.n / width);
  sofa_list_free(ctx, &made);
  return err;
}

SofaErr sofa_mapping_follow_blocks(SofaTopologicalMapping *mapping,
                                   const SofaTopologyChange *change, SofaElementKind from,
                                   SofaElementKind kind, const uint8_t *pattern, size_t n) {
  const uint32_t per = (uint32_t)(n / sofa_element_kind_info(kind)->width);
  if (sofa_change_of(change, mapping->from, SOFA_ELEMENT_POINT))
    return sofa_mapping_follow_points(mapping, change);
  if (!sofa_change_of(change, mapping->from, from)) return SOFA_OK;
  return change->kind == SOFA_CHANGE_ADD
             ? sofa_mapping_blocks_come(mapping, change, kind, pattern, n)
             : sofa_mapping_blocks_go(mapping, change, kind, per);
}

/* The border element j of a volume, turned outwards, as the mapping lists it. */
static void element_of(const SofaBorderMapping *m, const uint32_t *v, unsigned j, uint32_t *out) {
  uint32_t plain[4];
  const unsigned width = sofa_element_kind_info(m->border)->width;
  for (unsigned k = 0; k < width; k++)
    plain[k] = v[m->border == SOFA_ELEMENT_QUAD ? sofa_hexa_quads[j][k] : sofa_tetra_faces[j][k]];
  if (m->flip) turn(plain, width, out);
  else sofa_copy(out, plain, width * sizeof *out);
  if (width != 3) return;
  // the smallest vertex first
  while (out[0] > out[1] || out[0] > out[2]) {
    const uint32_t first = out[0];
    out[0] = out[1], out[1] = out[2], out[2] = first;
  }
}

/* The border element `id` as the volume `other` sees it, whose element it is. */
static void seen_from(SofaBorderMapping *m, uint32_t id, uint32_t other, uint32_t *out) {
  SofaTopology *from = m->mapping.from;
  unsigned per, j = 0;
  const uint32_t *subs = sofa_topology_sub(from, m->border, m->volume, &per);
  const SofaElements volumes = sofa_mesh_elements(&from->mesh, m->volume);
  if (m->border == SOFA_ELEMENT_EDGE) {
    const uint32_t *v = from->mesh.edges.data[id].v;
    out[0] = v[0] < v[1] ? v[0] : v[1];
    out[1] = v[0] < v[1] ? v[1] : v[0];
    return;
  }
  while (j + 1 < per && subs[other * (size_t)per + j] != id) j++;
  element_of(m, volumes.v + other * (size_t)volumes.width, j, out);
}

/* Volumes go: what they share with others comes to the border. What two of them share does so, too,
 * and goes when they are gone. */
static SofaErr volumes_go(SofaBorderMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaTopology *from = m->mapping.from;
  const unsigned width = sofa_element_kind_info(m->border)->width;
  unsigned per;
  const uint32_t *subs = sofa_topology_sub(from, m->border, m->volume, &per);
  const SofaAround *around = sofa_topology_around(from, m->volume, m->border);
  SofaIndices made = {0};
  SofaErr err = from->failure;
  for (size_t k = 0; k < change->n * per && subs && err == SOFA_OK; k++) {
    const uint32_t volume = change->ids[k / per], id = subs[volume * (size_t)per + k % per];
    const uint32_t *users = NULL;
    if (id == SOFA_NO_ELEMENT || sofa_around_row(around, id, &users) != 2) continue;
    const uint32_t other = users[0] == volume ? users[1] : users[0];
    // ids descend: a larger one was before
    const bool met = sofa_change_renamed(change, other) == SOFA_NO_ELEMENT && other > volume;
    if (met) continue;
    uint32_t v[4];
    seen_from(m, id, other, v);
    err = sofa_list_append(ctx, &made, sizeof *v, &v[0]);
    for (unsigned c = 1; c < width && err == SOFA_OK; c++) err = SOFA_APPEND(ctx, &made, &v[c]);
    if (err == SOFA_OK) err = link_next(m, id);
  }
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, m->mapping.to, m->border, made.data, made.n / width);
  sofa_list_free(ctx, &made);
  return err;
}

/* Forgets output elements (descending), as the output's own removal does. */
static SofaErr forget(SofaBorderMapping *m, const uint32_t *locals, size_t n) {
  for (size_t k = 0; k < n; k++) {
    const uint32_t last = m->global.data[--m->global.n];
    const uint32_t gone = locals[k] == m->global.n ? last : m->global.data[locals[k]];
    if (local_of(m, gone) == locals[k]) m->local.data[gone] = SOFA_NO_ELEMENT;
    if (locals[k] == m->global.n) continue;
    m->global.data[locals[k]] = last;
    SOFA_TRY(set_local(m, last, locals[k]));
  }
  return SOFA_OK;
}

static int descending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x < y) - (x > y);
}

/* Takes elements out of the output together, or one after the other; locals are sorted. */
static SofaErr leave_output(SofaBorderMapping *m, SofaTopologyEdit *edit, SofaIndices *locals) {
  if (locals->n) sofa_sort(locals->data, locals->n, sizeof *locals->data, descending);
  SOFA_TRY(forget(m, locals->data, locals->n));
  const unsigned flags = m->border == SOFA_ELEMENT_EDGE ? 0 : SOFA_REMOVE_SUBS;
  return sofa_topology_remove(edit, m->mapping.to, m->border, locals->data, locals->n, flags);
}

/* Elements of the border go; the numbers of the input change with them. */
static SofaErr border_goes(SofaBorderMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices locals = {0};
  SofaErr err = SOFA_OK;
  for (size_t k = 0; k < change->n && err == SOFA_OK; k++) {
    const uint32_t local = local_of(m, change->ids[k]);
    if (local == SOFA_NO_ELEMENT) continue;
    err = SOFA_APPEND(ctx, &locals, &local);
    if (err != SOFA_OK || !m->one_by_one) continue;
    err = leave_output(m, change->edit, &locals);
    locals.n = 0;
  }
  if (err == SOFA_OK) err = leave_output(m, change->edit, &locals);
  sofa_list_free(ctx, &locals);
  if (err != SOFA_OK) return err;
  // the input's numbers
  for (size_t i = 0; i < m->global.n; i++)
    m->global.data[i] = sofa_change_renamed(change, m->global.data[i]);
  m->local.n = 0;
  for (uint32_t i = 0; i < m->global.n; i++) SOFA_TRY(set_local(m, m->global.data[i], i));
  return SOFA_OK;
}

/* Volumes came: their border comes, what they cover goes. */
static SofaErr volumes_come(SofaBorderMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaTopology *from = m->mapping.from;
  unsigned per;
  const uint32_t *subs = sofa_topology_sub(from, m->border, m->volume, &per);
  const SofaAround *around = sofa_topology_around(from, m->volume, m->border);
  const SofaElements elements = sofa_mesh_elements(&from->mesh, m->border);
  const unsigned width = elements.width;
  SofaIndices made = {0}, covered = {0};
  SofaErr err = from->failure;
  for (size_t k = 0; k < change->n * per && subs && err == SOFA_OK; k++) {
    const uint32_t id = subs[change->ids[k / per] * (size_t)per + k % per];
    const uint32_t *users = NULL, *v = elements.v + id * (size_t)width;
    uint32_t turned[4];
    if (id == SOFA_NO_ELEMENT) continue;
    const bool border = sofa_around_row(around, id, &users) == 1;
    const uint32_t local = local_of(m, id);
    if (local != SOFA_NO_ELEMENT && !border) err = SOFA_APPEND(ctx, &covered, &id);
    if (local != SOFA_NO_ELEMENT || !border) continue;
    turn(v, width, turned);
    for (unsigned c = 0; c < width && err == SOFA_OK; c++)
      err = SOFA_APPEND(ctx, &made, m->flip ? &turned[c] : &v[c]);
    if (err == SOFA_OK) err = link_next(m, id);
  }
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, m->mapping.to, m->border, made.data, made.n / width);
  // covered elements by their numbers in the output, each once
  size_t n = 0;
  for (size_t k = 0; k < covered.n && err == SOFA_OK; k++) {
    const uint32_t local = local_of(m, covered.data[k]);
    bool again = false;
    for (size_t i = 0; i < n; i++) again = again || covered.data[i] == local;
    if (!again) covered.data[n++] = local;
  }
  covered.n = n;
  if (err == SOFA_OK) err = leave_output(m, change->edit, &covered);
  sofa_list_free(ctx, &made);
  sofa_list_free(ctx, &covered);
  return err;
}

static SofaErr border_listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaBorderMapping *m = (SofaBorderMapping *)object;
  const SofaTopology *from = m->mapping.from;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  if (sofa_change_of(change, from, SOFA_ELEMENT_POINT))
    return sofa_mapping_follow_points(&m->mapping, change);
  if (sofa_change_of(change, from, m->border)) return goes ? border_goes(m, change) : SOFA_OK;
  if (!sofa_change_of(change, from, m->volume) || m->no_new) return SOFA_OK;
  return goes ? volumes_go(m, change) : volumes_come(m, change);
}

static void border_destroy(SofaObject *object) {
  SofaBorderMapping *m = (SofaBorderMapping *)object;
  sofa_list_free(object->ctx, &m->global);
  sofa_list_free(object->ctx, &m->local);
}

static const SofaTopologicalMappingOps border_ops = {.map = map_border};
static const SofaTopologyListenerOps border_listener = {.listen = border_listen};

const SofaClass sofa_border_mapping_class = {
    .name = "BorderMapping",
    .module = "csofa",
    .category = "TopologicalMapping",
    .help = "Takes the elements that only one larger element has.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaBorderMapping),
    .abstract = true,
    .destroy = border_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &border_ops},
                    {SOFA_TOPOLOGY_LISTENER, &border_listener}),
};
