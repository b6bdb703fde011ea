/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LineSetSkinningMapping: points blended from the motions of the lines of frames near them. */
#include "topology/topology.h"
#include "numerics/mapping/frame_sums.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

enum { QUIRK_LINE_NEIGHBOURS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_LINE_NEIGHBOURS, "line-neighbours",
     "LineSetSkinningMapping does not take lines that end in the same frame for neighbours",
     "test_quirks_elements.mappings"},
};

typedef struct LineSetSkinningMapping {
  SofaFrameSums sums;
  uint32_t level, n_influences;
  int coefficient;
} LineSetSkinningMapping;

static const SofaField line_fields[] = {
    SOFA_FIELD(LineSetSkinningMapping, level, "neighborhoodLevel", "3", "1",
               "lines that move a point are at most so many lines away from the nearest",
               .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(LineSetSkinningMapping, n_influences, "numberInfluencedLines", "4", "1",
               "largest number of lines that move a point", .range = SOFA_WITHIN(1, 64)),
    SOFA_FIELD(LineSetSkinningMapping, coefficient, "weightCoef", "4", "1",
               "power of the distance in the weight of a line"),
};

/* Setup: what all points share, and the row of the point at hand. */
typedef struct Lines {
  const SofaEdges *edges;
  const double *x;         /* frames */
  double *weight;          /* of each line */
  uint32_t *order;         /* lines by descending weight */
  bool *near;              /* lines that may move the point */
  SofaIndices start, next; /* adjacent lines of each line */
} Lines;

/* Integral of |p - q|^-c over the points q of a line, by the sum over 1001 of them. */
static double influence(const double *a, const double *b, const double *p, int c) {
  enum { STEPS = 1000 };
  double line[3], sum = 0;
  sofa_vec3_sub(b, a, line);
  for (int i = 0; i <= STEPS; i++) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = line[k] * i / STEPS + a[k] - p[k];
    sum += pow(1 / sofa_vec3_norm(d), c);
  }
  return sum * (sofa_vec3_norm(line) / STEPS);
}

/* Do lines share a frame? SOFA does not see a frame that both end in. */
static bool adjacent(const SofaEdge *a, const SofaEdge *b, bool quirk) {
  return a->v[0] == b->v[0] || a->v[0] == b->v[1] || a->v[1] == b->v[0] ||
         (a->v[1] == b->v[1] && (!quirk || a == b));
}

static SofaErr find_adjacent(const SofaObject *object, Lines *l) {
  SofaContext *ctx = object->ctx;
  const bool quirk = sofa_quirk(object, QUIRK_LINE_NEIGHBOURS);
  for (size_t i = 0; i <= l->edges->n; i++) {
    const uint32_t at = (uint32_t)l->next.n;
    SOFA_TRY(SOFA_APPEND(ctx, &l->start, &at));
    for (uint32_t k = 0; i < l->edges->n && k < l->edges->n; k++)
      if (adjacent(&l->edges->data[i], &l->edges->data[k], quirk))
        SOFA_TRY(SOFA_APPEND(ctx, &l->next, &k));
  }
  return SOFA_OK;
}

/* Marks the lines at most `level` steps away from a line: 1, 2, ... are the steps taken. */
static void mark_near(Lines *l, uint32_t line, uint32_t level) {
  sofa_zero(l->near, l->edges->n * sizeof *l->near);
  l->near[line] = true;
  for (uint32_t step = 0; step < level && step < l->edges->n; step++) {
    // lines found in this step wait behind those of the last one: scan a copy held in order
    size_t n = 0;
    for (uint32_t i = 0; i < l->edges->n; i++)
      if (l->near[i]) l->order[n++] = i;
    for (size_t i = 0; i < n; i++)
      for (uint32_t e = l->start.data[l->order[i]]; e < l->start.data[l->order[i] + 1]; e++)
        l->near[l->next.data[e]] = true;
  }
}

/* Lines by descending weight, of equal ones the later first. */
static void sort_lines(Lines *l) {
  for (uint32_t i = 0; i < l->edges->n; i++) {
    size_t at = i;
    for (; at > 0 && l->weight[l->order[at - 1]] <= l->weight[i]; at--)
      l->order[at] = l->order[at - 1];
    l->order[at] = i;
  }
}

/* The row of a point: each line moves with the frame at its start. */
static SofaErr add_row(LineSetSkinningMapping *m, const Lines *l, const double *p,
                       const uint32_t *chosen, size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += l->weight[chosen[k]];
  for (size_t k = 0; k < n; k++) {
    const uint32_t frame = l->edges->data[chosen[k]].v[0];
    double w = 0, local[3];
    bool again = false;
    for (size_t i = 0; i < n; i++) {
      if (l->edges->data[chosen[i]].v[0] != frame) continue;
      w += l->weight[chosen[i]] / sum;
      again |= i < k;
    }
    if (again) continue;
    sofa_rigid3_to_local(SOFA_POSE(l->x, frame), p, local);
    sofa_vec3_scale(w, local, local);
    SOFA_TRY(sofa_frame_sums_entry(&m->sums, frame, w, local));
  }
  return sofa_frame_sums_next(&m->sums);
}

static SofaErr add_point(LineSetSkinningMapping *m, Lines *l, size_t i, const double *p) {
  enum { MOST = 64 };
  uint32_t chosen[MOST];
  size_t n = 1;
  for (size_t e = 0; e < l->edges->n; e++) {
    const uint32_t *v = l->edges->data[e].v;
    l->weight[e] = influence(SOFA_POSE(l->x, v[0]), SOFA_POSE(l->x, v[1]), p, m->coefficient);
    if (!isfinite(l->weight[e]))
      return sofa_object_fail(&m->sums.mapping.object, SOFA_ERR_GEOMETRY,
                              "point %zu lies on line %zu: the line's weight is not finite", i, e);
  }
  sort_lines(l);
  chosen[0] = l->order[0];
  mark_near(l, chosen[0], m->level);
  sort_lines(l);
  for (size_t k = 1; k < l->edges->n && n < m->n_influences && n < MOST; k++)
    if (l->near[l->order[k]]) chosen[n++] = l->order[k];
  return add_row(m, l, p, chosen, n);
}

static SofaErr find_lines(const LineSetSkinningMapping *m, Lines *l) {
  const SofaMapping *map = &m->sums.mapping;
  SofaTopology *t =
      (SofaTopology *)sofa_node_find(map->inputs[0]->object.node, SOFA_TOPOLOGY, SOFA_SEARCH_UP);
  if (!t)
    return sofa_object_fail(&map->object, SOFA_ERR_NOT_FOUND,
                            "the input '%s' has no topology: there is none in its node or above",
                            map->inputs[0]->object.name);
  l->edges = sofa_topology_edges(t);
  if (t->failure != SOFA_OK) return t->failure;
  for (size_t e = 0; e < l->edges->n; e++)
    for (int k = 0; k < 2; k++)
      if (l->edges->data[e].v[k] >= m->sums.n_in)
        return sofa_object_fail(&map->object, SOFA_ERR_RANGE,
                                "edge %zu of %s '%s' has the point %u: the input has %zu frames", e,
                                t->object.klass->name, t->object.name, l->edges->data[e].v[k],
                                m->sums.n_in);
  if (l->edges->n) return SOFA_OK;
  return sofa_object_fail(&map->object, SOFA_ERR_RANGE, "%s '%s' has no edges",
                          t->object.klass->name, t->object.name);
}

/* Weights are distances to all lines: topological changes set the mapping up again. */
static SofaErr line_setup(SofaMapping *mapping) {
  LineSetSkinningMapping *m = (LineSetSkinningMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  Lines l = {.x = mapping->inputs[0]->position.data};
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_frame_sums_begin(&m->sums));
  SOFA_TRY(find_lines(m, &l));
  l.weight = sofa_alloc(ctx, l.edges->n, sizeof *l.weight);
  l.order = sofa_alloc(ctx, l.edges->n, sizeof *l.order);
  l.near = sofa_alloc(ctx, l.edges->n, sizeof *l.near);
  if (!l.weight || !l.order || !l.near) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, find_adjacent(&mapping->object, &l));
  for (size_t i = 0; i < mapping->out->position.n; i++)
    SOFA_GO(err, done, add_point(m, &l, i, mapping->out->position.data + 3 * i));
  err = sofa_frame_sums_finish(&m->sums);
done:
  sofa_free(ctx, l.weight);
  sofa_free(ctx, l.order);
  sofa_free(ctx, l.near);
  sofa_list_free(ctx, &l.start);
  sofa_list_free(ctx, &l.next);
  return err;
}

static const SofaMappingOps line_ops = {
    .setup = line_setup,
    .apply = sofa_frame_sums_apply,
    .apply_j = sofa_frame_sums_apply_j,
    .apply_jt = sofa_frame_sums_apply_jt,
    .jacobian = sofa_frame_sums_jacobian,
    .keeps_point = true,
};

static const char *const line_templates[] = {"Rigid3d,Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(LineSetSkinningMapping, sums.arm),
};

SOFA_CLASS(LineSetSkinningMapping) = {
    SOFA_NAMED(LineSetSkinningMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves points by the lines near them, each line with the frame at its start, weighted "
            "by integrals of powers of distances.",
    .equations = "y = sum_j w_j (c_j + R_j p_j)",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(line_fields),
    .templates = line_templates,
    .destroy = sofa_frame_sums_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &line_ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_setup}),
};
