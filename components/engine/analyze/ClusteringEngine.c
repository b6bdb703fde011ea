/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ClusteringEngine: groups points in overlapping clusters around chosen ones. */
#include <stdio.h>

#include "base/files.h"
#include "base/text.h"
#include "components/engine/engine.h"
#include "numerics/spatial/neighbours.h"
#include "numerics/spatial/sampling.h"
#include "numerics/io/output_file.h"
#include "math/vec.h"

typedef struct ClusteringEngine {
  SofaObject object;
  bool use_topology;
  double radius, fixed_radius;
  int number;
  SofaVec3s fixed, position;
  SofaIndexLists clusters;
  SofaFileName in_file, out_file;
} ClusteringEngine;

typedef ClusteringEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(use_topology, "useTopo", "1", "",
                   "measure along the edges of the topology, if there is one"),
    SOFA_ROW_INPUT(radius, "radius", "1", "m",
                   "points this near to the middle belong to a cluster"),
    SOFA_ROW_INPUT(fixed_radius, "fixedRadius", "1", "m", "the same for fixed points"),
    SOFA_ROW_INPUT(number, "number", "-1", "", "number of clusters; -1: one around each point"),
    SOFA_ROW_INPUT(fixed, "fixedPosition", NULL, "m",
                   "fixed points, numbered after the others; only with straight distances"),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points to group"),
    SOFA_ROW_OUTPUT(clusters, "cluster", "", "points of each cluster, its middle first"),
    SOFA_ROW_INPUT(in_file, "inFile", NULL, "", "file to read the clusters from instead"),
    SOFA_ROW_INPUT(out_file, "outFile", NULL, "", "file to write the clusters to"),
};

/* ---- clusters of samples ---- */

static double distance(const SofaVec3 *a, const SofaVec3 *b) {
  double d[3];
  sofa_vec3_sub(a->v, b->v, d);
  return sofa_vec3_norm(d);
}

static bool holds(const SofaIndices *list, uint32_t point) {
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i] == point) return true;
  return false;
}

/* Ring by ring: neighbours of points of the own region, or within the radius. */
static SofaErr grow(ClusteringEngine *c, const Sampling *s, uint32_t j) {
  SofaIndices *list = &c->clusters.data[j];
  const SofaVec3 *middle = &c->position.data[list->data[0]];
  for (size_t at = 0; at < list->n; at++) {
    const uint32_t *near = NULL, point = list->data[at];
    const size_t n = sofa_around_row(s->around, point, &near);
    for (size_t k = 0; k < n; k++) {
      const bool in =
          s->region[point] == j || distance(middle, &c->position.data[near[k]]) < c->radius;
      if (in && !holds(list, near[k])) SOFA_TRY(engine_append(c->object.ctx, list, near[k]));
    }
  }
  return SOFA_OK;
}

/* The clusters within whose radius the point lies; none: the nearest one. */
static SofaErr add_point(ClusteringEngine *c, const Sampling *s, size_t i) {
  size_t nearest = s->samples.n;
  double least = INFINITY;
  bool found = false;
  for (size_t j = 0; j < s->samples.n; j++) {
    if (s->samples.data[j] == i) continue;
    const double d = distance(&c->position.data[i], &c->position.data[s->samples.data[j]]);
    if (d < least) {
      least = d;
      nearest = j;
    }
    if (!(d < c->radius)) continue;
    SOFA_TRY(engine_append(c->object.ctx, &c->clusters.data[j], i));
    found = true;
  }
  if (found || nearest == s->samples.n) return SOFA_OK;
  return engine_append(c->object.ctx, &c->clusters.data[nearest], i);
}

static SofaErr add_fixed(ClusteringEngine *c, const Sampling *s, size_t i) {
  for (size_t j = 0; j < s->samples.n; j++)
    if (distance(&c->fixed.data[i], &c->position.data[s->samples.data[j]]) < c->fixed_radius)
      SOFA_TRY(engine_append(c->object.ctx, &c->clusters.data[j], c->position.n + i));
  return SOFA_OK;
}

static SofaErr choose(ClusteringEngine *c, Sampling *s) {
  if (c->number >= 0) return sofa_sampling_farthest(s, (size_t)c->number, false);
  for (uint32_t i = 0; i < c->position.n; i++) {
    SOFA_TRY(SOFA_APPEND(s->ctx, &s->samples, &i));
    s->region[i] = i;
  }
  return SOFA_OK;
}

static SofaErr fill(ClusteringEngine *c, Sampling *s) {
  SOFA_TRY(choose(c, s));
  SOFA_TRY(sofa_index_lists_resize(c->object.ctx, &c->clusters, s->samples.n));
  for (uint32_t j = 0; j < s->samples.n; j++) {
    SOFA_TRY(engine_append(c->object.ctx, &c->clusters.data[j], s->samples.data[j]));
    if (s->around) SOFA_TRY(grow(c, s, j));
  }
  if (s->around) return SOFA_OK;
  for (size_t i = 0; i < c->position.n; i++) SOFA_TRY(add_point(c, s, i));
  for (size_t i = 0; i < c->fixed.n; i++) SOFA_TRY(add_fixed(c, s, i));
  return SOFA_OK;
}

/* ---- file ---- */

static SofaErr bad_file(const ClusteringEngine *c) {
  return sofa_field_fail(&c->object, "inFile", SOFA_ERR_PARSE, "'%s' is not a file of clusters",
                         c->in_file.text);
}

/* useTopo radius fixedRadius number-of-clusters number, then for each cluster its size and its
 * points. */
static SofaErr parse(ClusteringEngine *c, const char *text) {
  double head[5];
  int64_t n = 0, point = 0;
  for (int k = 0; k < 5; k++)
    if (!sofa_read_real(&text, &head[k])) return bad_file(c);
  if (!(head[3] >= 0 && head[3] < 1e9)) return bad_file(c);
  for (size_t j = 0; j < (size_t)head[3]; j++) {
    if (!sofa_read_int(&text, &n) || n < 0) return bad_file(c);
    SOFA_TRY(sofa_index_lists_resize(c->object.ctx, &c->clusters, j + 1));
    for (int64_t k = 0; k < n; k++) {
      if (!sofa_read_int(&text, &point) || point < 0 || point >= UINT32_MAX) return bad_file(c);
      SOFA_TRY(engine_append(c->object.ctx, &c->clusters.data[j], (size_t)point));
    }
  }
  return SOFA_OK;
}

static SofaErr load(ClusteringEngine *c) {
  char *text = NULL;
  size_t size = 0;
  if (!c->in_file.path)
    return sofa_field_fail(&c->object, "inFile", SOFA_ERR_NOT_FOUND, "there is no file '%s'",
                           c->in_file.text);
  SOFA_TRY(sofa_read_file(c->object.ctx, c->in_file.path, 0, &text, &size));
  const SofaErr err = parse(c, text);
  sofa_free(c->object.ctx, text);
  return err;
}

static SofaErr print(const ClusteringEngine *c, SofaText *text) {
  SofaContext *ctx = c->object.ctx;
  SOFA_TRY(sofa_text_printf(ctx, text, "%d %.17g %.17g %zu %d \n", c->use_topology, c->radius,
                            c->fixed_radius, c->clusters.n, c->number));
  for (size_t j = 0; j < c->clusters.n; j++) {
    const SofaIndices *list = &c->clusters.data[j];
    SOFA_TRY(sofa_text_printf(ctx, text, "%zu ", list->n));
    for (size_t k = 0; k < list->n; k++)
      SOFA_TRY(sofa_text_printf(ctx, text, "%u ", list->data[k]));
    SOFA_TRY(sofa_text_append(ctx, text, "\n", 1));
  }
  return SOFA_OK;
}

static SofaErr save(const ClusteringEngine *c) {
  SofaText text = {0};
  const char *path = c->out_file.text;
  if (!path || !*path) return SOFA_OK;
  SofaErr err = print(c, &text);
  if (!err) err = sofa_output_file_check(&c->object, "outFile", path);
  if (!err) err = sofa_output_file_replace(&c->object, path, text.data, text.n);
  sofa_list_free(c->object.ctx, &text);
  return err;
}

/* ---- evaluation ---- */

static SofaErr update(SofaObject *object) {
  ClusteringEngine *c = (ClusteringEngine *)object;
  SofaContext *ctx = object->ctx;
  SofaTopology *topology = c->use_topology ? sofa_node_topology(object->node) : NULL;
  static const SofaEdges none = {0};
  const SofaEdges *edges = topology ? sofa_topology_edges(topology) : &none;
  SofaAround around = {0};
  Sampling s = {.ctx = ctx};
  SOFA_TRY(sofa_index_lists_resize(ctx, &c->clusters, 0));
  if (c->in_file.text && *c->in_file.text) return load(c);
  if (c->number < -1 || c->number == 0)
    return sofa_field_fail(object, "number", SOFA_ERR_RANGE, "it is %d; it must be -1 or > 0",
                           c->number);
  if (!c->position.n) return SOFA_OK;
  SOFA_TRY(ENGINE_CHECK(object, "position", edges, c->position.n));
  SofaErr err = sofa_neighbours_make(ctx, edges, c->position.n, &around);
  if (!err) err = sofa_sampling_start(&s, ctx, &c->position, topology ? &around : NULL);
  if (!err) err = fill(c, &s);
  sofa_sampling_free(&s);
  sofa_around_free(ctx, &around);
  return err ? err : save(c);
}

ENGINE_CLASS(ClusteringEngine, "Analyze", "Groups points in overlapping clusters.",
             .templates = engine_vec3_templates, .init = engine_init, );
