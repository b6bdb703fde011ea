/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshSampler: chooses points that are spread evenly over a mesh. */

#include "components/engine/engine.h"
#include "numerics/spatial/neighbours.h"
#include "numerics/spatial/sampling.h"
#include "math/vec.h"

typedef struct MeshSampler {
  SofaObject object;
  uint32_t number, iterations;
  SofaVec3s position, points;
  SofaEdges edges;
  SofaIndices indices;
} MeshSampler;

typedef MeshSampler SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(number, "number", "1", "", "number of points to choose",
                   .range = SOFA_AT_LEAST(1)),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points to choose from"),
    SOFA_ROW_INPUT(edges, "edges", NULL, "",
                   "edges along which distances are measured; empty: straight distances"),
    SOFA_ROW_INPUT(iterations, "maxIter", "100", "",
                   "largest number of iterations that move the choice to the middle of its region",
                   .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_OUTPUT(indices, "outputIndices", "", "points chosen"),
    SOFA_ROW_OUTPUT(points, "outputPosition", "m", "their positions"),
};

static double squared_distance(const double *a, const double *b) {
  double d[3];
  sofa_vec3_sub(a, b, d);
  return sofa_vec3_dot(d, d);
}

/* One step of Lloyd's method (1982): each sample moves to the point of its region nearest to the
 * region's mean. */
static SofaErr improve(Sampling *s, SofaVec3 *mean, uint32_t *count, double *least, bool *changed) {
  const SofaVec3 *x = s->points->data;
  sofa_zero(mean, s->samples.n * sizeof *mean);
  sofa_zero(count, s->samples.n * sizeof *count);
  for (size_t i = 0; i < s->points->n; i++) {
    sofa_vec3_add(mean[s->region[i]].v, x[i].v, mean[s->region[i]].v);
    count[s->region[i]]++;
  }
  for (size_t j = 0; j < s->samples.n; j++) {
    for (int c = 0; c < 3; c++) mean[j].v[c] /= count[j];
    least[j] = squared_distance(x[s->samples.data[j]].v, mean[j].v);
  }
  *changed = false;
  for (size_t i = 0; i < s->points->n; i++) {
    const uint32_t j = s->region[i];
    const double d = squared_distance(x[i].v, mean[j].v);
    if (!(d < least[j])) continue;
    least[j] = d;
    s->samples.data[j] = (uint32_t)i;
    *changed = true;
  }
  sofa_sampling_reset(s);
  return sofa_sampling_spread(s);
}

static SofaErr sample(MeshSampler *m, Sampling *s) {
  SofaContext *ctx = m->object.ctx;
  SOFA_TRY(sofa_sampling_farthest(s, m->number, true));
  const size_t n = s->samples.n;
  SofaVec3 *mean = SOFA_SCRATCH(ctx, SofaVec3, n);
  uint32_t *count = SOFA_SCRATCH(ctx, uint32_t, n);
  double *least = SOFA_SCRATCH(ctx, double, n);
  if (!mean || !count || !least) return SOFA_ERR_MEMORY;
  bool changed = true;
  for (uint32_t k = 0; changed && k < m->iterations; k++)
    SOFA_TRY(improve(s, mean, count, least, &changed));
  for (size_t j = 0; j < n; j++) {
    SOFA_TRY(engine_append(ctx, &m->indices, s->samples.data[j]));
    SOFA_TRY(SOFA_APPEND(ctx, &m->points, &m->position.data[s->samples.data[j]]));
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MeshSampler *m = (MeshSampler *)object;
  SofaContext *ctx = object->ctx;
  SofaAround around = {0};
  Sampling s = {.ctx = ctx};
  m->indices.n = m->points.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "edges", &m->edges, m->position.n));
  if (!m->position.n) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = sofa_neighbours_make(ctx, &m->edges, m->position.n, &around);
  if (!err) err = sofa_sampling_start(&s, ctx, &m->position, m->edges.n ? &around : NULL);
  if (!err) err = sample(m, &s);
  sofa_sampling_free(&s);
  sofa_around_free(ctx, &around);
  sofa_scratch_release(ctx, mark);
  return err;
}

ENGINE_CLASS(MeshSampler, "Select", "Chooses points that are spread evenly over a mesh.",
             .templates = engine_vec3_templates, .init = engine_init, );
