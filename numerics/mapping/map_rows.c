/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of mappings: making them, and keeping them with points and elements. */
#include "numerics/mapping/map_rows.h"

void sofa_map_rows_free(SofaContext *ctx, SofaMapRows *rows) {
  sofa_list_free(ctx, &rows->element);
  sofa_list_free(ctx, &rows->input);
  sofa_list_free(ctx, &rows->point);
  sofa_list_free(ctx, &rows->coming);
}

/* ---- making ---- */

SofaErr sofa_map_rows_append(SofaContext *ctx, SofaMapRows *rows, uint32_t input, uint32_t point) {
  SOFA_TRY(SOFA_APPEND(ctx, &rows->input, &input));
  return SOFA_APPEND(ctx, &rows->point, &point);
}

static SofaElements elements_of(const SofaMapRows *rows) {
  SofaTopology *t = rows->topology;
  if (rows->kind == SOFA_ELEMENT_EDGE) (void)sofa_topology_edges(t);
  if (rows->kind == SOFA_ELEMENT_TRIANGLE) (void)sofa_topology_triangles(t);
  if (rows->kind == SOFA_ELEMENT_QUAD) (void)sofa_topology_quads(t);
  return sofa_mesh_elements(&t->mesh, rows->kind);
}

/* Where point v of the topology is; false when nowhere. */
static bool find_point(const SofaMapRows *rows, const SofaMapping *map, uint32_t v, uint32_t *input,
                       uint32_t *point) {
  const SofaIndices *pairs = rows->pairs;
  if (pairs && 2 * (size_t)v + 1 >= pairs->n) return false;
  *input = pairs ? pairs->data[2 * (size_t)v] : 0;
  *point = pairs ? pairs->data[2 * (size_t)v + 1] : v;
  return *input < map->n_inputs && *point < map->inputs[*input]->position.n;
}

/* The points of row r are the vertices of its element. */
static SofaErr fill_row(SofaMapRows *rows, const SofaMapping *map, const SofaElements *e,
                        size_t r) {
  const uint32_t id = rows->element.data[r];
  const SofaTopology *t = rows->topology;
  for (size_t k = 0; k < rows->width; k++) {
    const uint32_t v = id < e->n ? e->v[id * (size_t)e->width + k] : SOFA_NO_ELEMENT;
    const size_t at = r * rows->width + k;
    if (!find_point(rows, map, v, &rows->input.data[at], &rows->point.data[at]))
      return sofa_field_fail(
          &map->object, rows->pairs ? "indexPairs" : "topology", SOFA_ERR_RANGE,
          "%s %u of %s '%s' has the point %u: %s", sofa_element_kind_info(rows->kind)->name, id,
          t->object.klass->name, t->object.name, v,
          rows->pairs ? "there is no such pair, or its input or point does not exist"
                      : "the input has fewer points");
  }
  return SOFA_OK;
}

SofaErr sofa_map_rows_of_elements(SofaMapRows *rows, const SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  const SofaTopology *t = rows->topology;
  const SofaElementKindInfo *info = sofa_element_kind_info(rows->kind);
  const SofaElements e = elements_of(rows);
  SOFA_TRY(t->failure);
  if (!e.n)
    sofa_object_message(&map->object, SOFA_WARNING, "%s '%s' has no %s: nothing is mapped",
                        t->object.klass->name, t->object.name, info->field);
  rows->width = info->width;
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->element, e.n));
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->input, e.n * e.width));
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->point, e.n * e.width));
  for (uint32_t r = 0; r < e.n; r++) {
    rows->element.data[r] = r;
    SOFA_TRY(fill_row(rows, map, &e, r));
  }
  return SOFA_OK;
}

/* ---- changes ---- */

/* Does row r lose its element or one of its points? */
static bool loses(const SofaMapRows *rows, size_t r, const SofaTopologyChange *change,
                  bool elements, size_t input) {
  if (elements) return sofa_change_renamed(change, rows->element.data[r]) == SOFA_NO_ELEMENT;
  for (size_t i = r * rows->width; i < (r + 1) * rows->width; i++)
    if (rows->input.data[i] == input && rows->point.data[i] < change->n_before &&
        sofa_change_renamed(change, rows->point.data[i]) == SOFA_NO_ELEMENT)
      return true;
  return false;
}

/* Sources of rows are removed: a change of the output removes the rows. */
static SofaErr remove_sources(SofaMapRows *rows, const SofaMapping *map,
                              const SofaTopologyChange *change, bool elements, size_t input) {
  SofaContext *ctx = map->object.ctx;
  SofaIndices gone = {0};
  SofaErr err = SOFA_OK;
  for (uint32_t r = (uint32_t)sofa_map_rows_n(rows); r-- > 0 && err == SOFA_OK;)
    if (loses(rows, r, change, elements, input)) err = SOFA_APPEND(ctx, &gone, &r);
  if (err == SOFA_OK) err = sofa_state_remove_points(change->edit, map->out, gone.data, gone.n);
  sofa_list_free(ctx, &gone);
  // the indices of the others
  for (size_t r = 0; elements && r < rows->element.n && err == SOFA_OK; r++)
    rows->element.data[r] = sofa_change_renamed(change, rows->element.data[r]);
  for (size_t i = 0; !elements && i < rows->point.n && err == SOFA_OK; i++)
    if (rows->input.data[i] == input && rows->point.data[i] < change->n_before)
      rows->point.data[i] = sofa_change_renamed(change, rows->point.data[i]);
  return err;
}

/* Ancestors of new points of an input as points of the output. */
static SofaErr translate(const SofaMapRows *rows, const SofaMapping *map, size_t input,
                         const SofaTopologyChange *change, SofaAncestors *out) {
  SofaContext *ctx = map->object.ctx;
  const SofaAncestors *a = change->ancestors;
  SofaIndices row = {0}; /* of each point of the input */
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &row, change->n_before));
  for (size_t p = 0; p < row.n; p++) row.data[p] = SOFA_NO_ELEMENT;
  for (uint32_t r = 0; r < sofa_map_rows_n(rows); r++)
    if (rows->input.data[r] == input && rows->point.data[r] < row.n)
      row.data[rows->point.data[r]] = r;
  for (size_t i = 0; i <= change->n; i++) {
    const uint32_t end = (uint32_t)out->points.n;
    SOFA_GO(err, done, SOFA_APPEND(ctx, &out->start, &end));
    for (size_t k = i < change->n ? a->start.data[i] : 1; i < change->n && k < a->start.data[i + 1];
         k++) {
      const uint32_t r = row.data[a->points.data[k]];
      if (r == SOFA_NO_ELEMENT) continue;
      SOFA_GO(err, done, SOFA_APPEND(ctx, &out->points, &r));
      SOFA_GO(err, done, SOFA_APPEND(ctx, &out->weights, &a->weights.data[k]));
    }
  }
done:
  sofa_list_free(ctx, &row);
  return err;
}

/* Sources are inserted: a change of the output inserts rows. */
static SofaErr insert_sources(SofaMapRows *rows, const SofaMapping *map,
                              const SofaTopologyChange *change, bool elements, size_t input) {
  SofaContext *ctx = map->object.ctx;
  SofaAncestors ancestors = {.start = {0}};
  const bool made = !elements && change->ancestors;
  SOFA_TRY(SOFA_RESIZE(ctx, &rows->coming, change->n));
  sofa_copy(rows->coming.data, change->ids, change->n * sizeof *change->ids);
  rows->coming_input = (uint32_t)input;
  SofaErr err = made ? translate(rows, map, input, change, &ancestors) : SOFA_OK;
  if (err == SOFA_OK)
    err = sofa_state_add_points(change->edit, map->out, change->n, made ? &ancestors : NULL);
  rows->coming.n = 0;
  sofa_list_free(ctx, &ancestors.start);
  sofa_list_free(ctx, &ancestors.points);
  sofa_list_free(ctx, &ancestors.weights);
  return err;
}

static void remove_rows(SofaMapRows *rows, const SofaTopologyChange *change) {
  SofaAnyList list = {.data = rows->input.data, .n = sofa_map_rows_n(rows)};
  const size_t size = rows->width * sizeof(uint32_t);
  sofa_change_remove_entries(change, &rows->element, sizeof(uint32_t));
  sofa_change_remove_entries(change, &list, size);
  list.data = rows->point.data;
  list.n = sofa_map_rows_n(rows);
  sofa_change_remove_entries(change, &list, size);
  rows->input.n = rows->point.n = list.n * rows->width;
}

/* Inserted row i: of its source, or a copy of its first ancestor's. */
static SofaErr insert_row(SofaMapRows *rows, const SofaMapping *map,
                          const SofaTopologyChange *change, size_t i) {
  SofaContext *ctx = map->object.ctx;
  const SofaAncestors *a = change->ancestors;
  const uint32_t none = SOFA_NO_ELEMENT;
  if (rows->coming.n == change->n) {
    const uint32_t source = rows->coming.data[i];
    if (!rows->topology) return sofa_map_rows_append(ctx, rows, rows->coming_input, source);
    SOFA_TRY(SOFA_APPEND(ctx, &rows->element, &source));
    for (unsigned k = 0; k < rows->width; k++) SOFA_TRY(sofa_map_rows_append(ctx, rows, 0, none));
    return SOFA_OK;
  }
  if (!a || a->start.data[i] == a->start.data[i + 1])
    return sofa_object_unsupported(&map->object, "a point inserted into the output '%s' by itself",
                                   map->out->object.name);
  const size_t r = a->points.data[a->start.data[i]];
  if (rows->topology) SOFA_TRY(SOFA_APPEND(ctx, &rows->element, &rows->element.data[r]));
  for (size_t k = r * rows->width; k < (r + 1) * rows->width; k++)
    SOFA_TRY(sofa_map_rows_append(ctx, rows, rows->input.data[k], rows->point.data[k]));
  return SOFA_OK;
}

SofaErr sofa_map_rows_listen(SofaMapRows *rows, const SofaMapping *map,
                             const SofaTopologyChange *change) {
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  if (rows->topology && sofa_change_of(change, rows->topology, rows->kind))
    return goes ? remove_sources(rows, map, change, true, 0)
                : insert_sources(rows, map, change, true, 0);
  for (size_t k = 0; k < map->n_inputs; k++) {
    if (!sofa_change_moves(change, map->inputs[k])) continue;
    if (goes) return remove_sources(rows, map, change, false, k);
    return rows->every ? insert_sources(rows, map, change, false, k) : SOFA_OK;
  }
  if (!sofa_change_moves(change, map->out)) return SOFA_OK;
  if (goes) remove_rows(rows, change);
  for (size_t i = 0; i < change->n && !goes; i++) SOFA_TRY(insert_row(rows, map, change, i));
  return SOFA_OK;
}

SofaErr sofa_map_rows_done(SofaMapRows *rows, const SofaMapping *map) {
  if (!rows->topology) return SOFA_OK;
  const SofaElements e = elements_of(rows);
  SOFA_TRY(rows->topology->failure);
  for (size_t r = 0; r < sofa_map_rows_n(rows); r++)
    if (rows->point.data[r * rows->width] == SOFA_NO_ELEMENT) SOFA_TRY(fill_row(rows, map, &e, r));
  return SOFA_OK;
}
