/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RandomPointDistributionInSurface: random points inside a closed surface. */
#include <math.h>

#include "components/engine/engine.h"
#include "numerics/spatial/random.h"
#include "numerics/spatial/triangle_ray.h"

typedef struct RandomPointDistributionInSurface {
  SofaObject object;
  uint32_t seed, wanted, tests;
  bool visible, draw_out;
  double distance;
  SofaVec3s vertices, inside, outside, directions;
  SofaTriangles triangles;
} RandomPointDistributionInSurface;

typedef RandomPointDistributionInSurface SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(seed, "randomSeed", "0", "",
                   "seed of the generator; 0 (SOFA: the time of day): the generator's own"),
    SOFA_ROW_DISPLAY(visible, "isVisible", "1", "draw the points"),
    SOFA_ROW_DISPLAY(draw_out, "drawOutputPoints", "0", "draw the points outside"),
    SOFA_ROW_INPUT(distance, "minDistanceBetweenPoints", "0.1", "m",
                   "least distance of two points; negative: any"),
    SOFA_ROW_INPUT(wanted, "numberOfInPoints", "10", "", "number of points inside",
                   .range = SOFA_WITHIN(0, 50000)),
    SOFA_ROW_INPUT(
        tests, "numberOfTests", "5", "",
        "number of rays that must all leave the surface; an even number is raised by one",
        .range = SOFA_WITHIN(0, 50000)),
    SOFA_ROW_INPUT(vertices, "vertices", NULL, "m", "points of the surface"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "its triangles, at least 2, looking outwards"),
    SOFA_ROW_OUTPUT(inside, "inPoints", "m", "points inside"),
    SOFA_ROW_OUTPUT(outside, "outPoints", "m", "points that were tried and not taken"),
};

/* Does the first triangle that the ray meets look away? */
static bool leaves(const RandomPointDistributionInSurface *e, const double *p, const double *d) {
  double nearest = INFINITY, direction = -1;
  for (size_t i = 0; i < e->triangles.n; i++) {
    const uint32_t *v = e->triangles.data[i].v;
    const SofaVec3 *x = e->vertices.data;
    const double *const corners[3] = {x[v[0]].v, x[v[1]].v, x[v[2]].v};
    double t, along;
    if (!triangle_ray(corners, (SofaRay){p, d}, 0, &t, &along)) continue;
    if (!(t < nearest)) continue;
    nearest = t;
    direction = along;
  }
  return direction > 0;
}

static bool accepted(const RandomPointDistributionInSurface *e, const double *p) {
  for (size_t k = 0; k < e->directions.n; k++)
    if (!leaves(e, p, e->directions.data[k].v)) return false;
  for (size_t i = 0; e->distance > 0 && i < e->inside.n; i++) {
    double d[3];
    sofa_vec3_sub(p, e->inside.data[i].v, d);
    if (sofa_vec3_dot(d, d) < e->distance * e->distance) return false;
  }
  return true;
}

static SofaErr fill(RandomPointDistributionInSurface *e, EngineRandom *random) {
  double low[3], high[3];
  for (int c = 0; c < 3; c++) {
    low[c] = high[c] = e->vertices.data[0].v[c];
    for (size_t i = 0; i < e->vertices.n; i++) {
      low[c] = fmin(low[c], e->vertices.data[i].v[c]);
      high[c] = fmax(high[c], e->vertices.data[i].v[c]);
    }
  }
  // the number of points that may be tried
  const double most = pow(e->wanted, 4);
  for (double n = 0; e->inside.n < e->wanted && n < most; n++) {
    SofaVec3 p;
    for (int c = 0; c < 3; c++) p.v[c] = engine_random(random, low[c], high[c]);
    SofaVec3s *list = accepted(e, p.v) ? &e->inside : &e->outside;
    SOFA_TRY(SOFA_APPEND(e->object.ctx, list, &p));
  }
  if (e->inside.n == e->wanted) return SOFA_OK;
  return sofa_field_fail(&e->object, "numberOfInPoints", SOFA_ERR_NOT_CONVERGED,
                         "only %zu of %u points found room in %g tries", e->inside.n, e->wanted,
                         most);
}

static SofaErr update(SofaObject *object) {
  RandomPointDistributionInSurface *e = (RandomPointDistributionInSurface *)object;
  EngineRandom random = e->seed ? engine_random_seed(e->seed) : engine_random_start();
  e->inside.n = e->outside.n = e->directions.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, e->vertices.n));
  if (!e->vertices.n) return SOFA_OK;
  if (e->triangles.n < 2)
    return sofa_field_fail(object, "triangles", SOFA_ERR_ARGUMENT,
                           "there are %zu; a closed surface has more", e->triangles.n);
  for (uint32_t k = 0; k < (e->tests | 1); k++) {
    SofaVec3 d;
    for (int c = 0; c < 3; c++) d.v[c] = engine_random(&random, -1, 1);
    SOFA_TRY(SOFA_APPEND(object->ctx, &e->directions, &d));
  }
  return fill(e, &random);
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((RandomPointDistributionInSurface *)object)->directions);
}

ENGINE_CLASS(RandomPointDistributionInSurface, "Generate",
             "Makes random points inside a closed surface.", .templates = engine_vec3_templates,
             .init = engine_init, .destroy = destroy, );
