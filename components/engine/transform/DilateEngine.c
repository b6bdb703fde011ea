/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DilateEngine: moves the points of a surface along their normals. */

#include "components/engine/engine.h"
#include "numerics/spatial/triangle_ray.h"

typedef struct DilateEngine {
  SofaObject object;
  SofaVec3s input, output, normals;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaReals thickness;
  double distance, least;
} DilateEngine;

typedef DilateEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "input_position", NULL, "m", "points of the surface",
                   .aliases = "position"),
    SOFA_ROW_OUTPUT(output, "output_position", "m", "moved points"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles of the surface"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "", "quads of the surface"),
    SOFA_ROW_OUTPUT(normals, "normal", "", "normal of each point, weighted by areas"),
    SOFA_ROW_OUTPUT(
        thickness, "thickness", "m",
        "with minThickness: distance of the other side of the body, against the normal"),
    SOFA_ROW_INPUT(distance, "distance", "0", "m", "distance along the normals; negative: inwards"),
    SOFA_ROW_INPUT(least, "minThickness", "0", "m",
                   "thinner parts are widened to this, half of it on either side",
                   .range = SOFA_AT_LEAST(0)),
};

/* Adds the cross product of the sides at each corner of a face. */
static void add_normals(DilateEngine *e, const uint32_t *v, unsigned n) {
  const SofaVec3 *x = e->input.data;
  for (unsigned k = 0; k < n; k++) {
    double a[3], b[3], c[3];
    sofa_vec3_sub(x[v[(k + 1) % n]].v, x[v[k]].v, a);
    sofa_vec3_sub(x[v[(k + n - 1) % n]].v, x[v[k]].v, b);
    sofa_vec3_cross(a, b, c);
    sofa_vec3_add(e->normals.data[v[k]].v, c, e->normals.data[v[k]].v);
  }
}

static void probe(const DilateEngine *e, size_t i, uint32_t a, uint32_t b, uint32_t c,
                  double *least) {
  const SofaVec3 *x = e->input.data;
  double d[3], t, along;
  if (a == i || b == i || c == i) return;
  sofa_vec3_scale(-1, e->normals.data[i].v, d);
  const double *const corners[3] = {x[a].v, x[b].v, x[c].v};
  if (!triangle_ray(corners, (SofaRay){x[i].v, d}, 0, &t, &along)) return;
  if (t > 0 && (*least < 0 || t < *least)) *least = t;
}

/* 0 when nothing is met. */
static double thickness(const DilateEngine *e, size_t i) {
  double least = -1;
  for (size_t k = 0; k < e->triangles.n; k++) {
    const uint32_t *v = e->triangles.data[k].v;
    probe(e, i, v[0], v[1], v[2], &least);
  }
  for (size_t k = 0; k < e->quads.n; k++) {
    const uint32_t *v = e->quads.data[k].v;
    probe(e, i, v[0], v[1], v[2], &least);
    probe(e, i, v[0], v[2], v[3], &least);
  }
  return least < 0 ? 0 : least;
}

static SofaErr update(SofaObject *object) {
  DilateEngine *e = (DilateEngine *)object;
  const size_t n = e->input.n;
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, n));
  SOFA_TRY(ENGINE_CHECK(object, "quads", &e->quads, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->normals, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->output, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->thickness, e->least > 0 ? n : 0));
  if (n) sofa_zero(e->normals.data, n * sizeof *e->normals.data);
  for (size_t i = 0; i < e->triangles.n; i++) add_normals(e, e->triangles.data[i].v, 3);
  for (size_t i = 0; i < e->quads.n; i++) add_normals(e, e->quads.data[i].v, 4);
  for (size_t i = 0; i < n; i++) {
    const double norm = sofa_vec3_norm(e->normals.data[i].v);
    if (norm > 0) sofa_vec3_scale(1 / norm, e->normals.data[i].v, e->normals.data[i].v);
  }
  for (size_t i = 0; i < n; i++) {
    double d = e->distance;
    if (e->least > 0) {
      e->thickness.data[i] = thickness(e, i);
      if (e->thickness.data[i] < e->least) d += 0.5 * (e->least - e->thickness.data[i]);
    }
    e->output.data[i] = e->input.data[i];
    sofa_vec3_axpy(d, e->normals.data[i].v, e->output.data[i].v);
  }
  return SOFA_OK;
}

ENGINE_CLASS(DilateEngine, "Transform", "Moves the points of a surface along their normals.",
             .equations = "x' = x + (d + 1/2 max(0, t_0 - t)) n\n"
                          "\"n: unit normal, d: distance, t_0: minThickness, t: thickness\"",
             .templates = engine_vec3_templates, .init = engine_init, );
