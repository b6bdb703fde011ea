/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ProximityROI: the N points inside spheres that are nearest to the centers. */
#include <stdlib.h>

#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct ProximityROI {
  SofaObject object;
  SofaVec3s centers, position, points;
  SofaReals radii, distances;
  uint32_t most;
  SofaIndices indices, outside;
  bool draw_sphere, draw_points;
  double draw_size;
} ProximityROI;

typedef ProximityROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(centers, "centers", NULL, "m", "centers of the spheres"),
    SOFA_ROW_INPUT(radii, "radii", NULL, "m",
                   "radii, at least one; the last one holds for the centers that follow"),
    SOFA_ROW_INPUT(most, "N", "0", "", "largest number of points, at least 1",
                   .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points to select from; default: as for BoxROI",
                   .aliases = "rest_position"),
    SOFA_ROW_OUTPUT(indices, "indices", "", "points selected, the nearest last",
                    .aliases = "pointIndices"),
    SOFA_ROW_OUTPUT(points, "pointsInROI", "m", "their positions"),
    SOFA_ROW_OUTPUT(distances, "distance", "m", "their distances from a center"),
    SOFA_ROW_OUTPUT(outside, "indicesOut", "", "the other points, ascending"),
    SOFA_ROW_DISPLAY(draw_sphere, "drawSphere", "0", "draw the spheres", .aliases = "isVisible"),
    SOFA_ROW_DISPLAY(draw_points, "drawPoints", "0", "draw the points"),
    SOFA_ROW_DISPLAY(draw_size, "drawSize", "1", "size of points"),
};

typedef struct Candidate {
  double distance;
  uint32_t point;
} Candidate;

/* Distance to the nearest center whose sphere holds the point; negative: none does. */
static double nearest(const ProximityROI *r, const double *p) {
  double least = -1;
  for (size_t j = 0; j < r->centers.n; j++) {
    double d[3];
    sofa_vec3_sub(r->centers.data[j].v, p, d);
    const double distance = sofa_vec3_norm(d);
    const double radius = r->radii.data[j < r->radii.n ? j : r->radii.n - 1];
    if (distance < radius && (least < 0 || distance < least)) least = distance;
  }
  return least;
}

/* Nearest first; of equal ones the later point, which displaces the earlier ones. */
static int by_distance(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->distance < y->distance || x->distance > y->distance)
    return x->distance < y->distance ? -1 : 1;
  return x->point > y->point ? -1 : 1;
}

static SofaErr check(const ProximityROI *r) {
  if (!r->radii.n)
    return sofa_field_fail(&r->object, "radii", SOFA_ERR_ARGUMENT, "no radius is given");
  if (r->radii.n > r->centers.n)
    return sofa_field_fail(&r->object, "radii", SOFA_ERR_RANGE,
                           "%zu radii for %zu centers; there must not be more", r->radii.n,
                           r->centers.n);
  if (!r->most)
    return sofa_field_fail(&r->object, "N", SOFA_ERR_RANGE, "it is 0; it must be at least 1");
  return SOFA_OK;
}

static SofaErr list(ProximityROI *r, Candidate *found, uint8_t *chosen) {
  SofaContext *ctx = r->object.ctx;
  size_t n = 0;
  for (size_t i = 0; i < r->position.n; i++) {
    const double d = nearest(r, r->position.data[i].v);
    chosen[i] = 0;
    if (d >= 0) found[n++] = (Candidate){d, (uint32_t)i};
  }
  sofa_sort(found, n, sizeof *found, by_distance);
  // the farthest first: the nearest one closes the list
  for (size_t i = n < r->most ? n : r->most; i-- > 0;) {
    chosen[found[i].point] = 1;
    SOFA_TRY(engine_append(ctx, &r->indices, found[i].point));
    SOFA_TRY(SOFA_APPEND(ctx, &r->points, &r->position.data[found[i].point]));
    SOFA_TRY(SOFA_APPEND(ctx, &r->distances, &found[i].distance));
  }
  for (size_t i = 0; i < r->position.n; i++)
    if (!chosen[i]) SOFA_TRY(engine_append(ctx, &r->outside, i));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ProximityROI *r = (ProximityROI *)object;
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_ERR_MEMORY;
  r->indices.n = r->outside.n = r->points.n = r->distances.n = 0;
  if (!r->centers.n) return SOFA_OK;
  SOFA_TRY(check(r));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Candidate *found = SOFA_SCRATCH(ctx, Candidate, r->position.n);
  uint8_t *chosen = SOFA_SCRATCH(ctx, uint8_t, r->position.n);
  if (found && chosen) err = list(r, found, chosen);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr init(SofaObject *object) {
  SOFA_TRY(engine_link_points(object, "position"));
  return engine_init(object);
}

ENGINE_CLASS(ProximityROI, "Select",
             "Selects the points inside spheres, at most N: those nearest to the centers.",
             .templates = engine_vec3_templates, .init = init, );
