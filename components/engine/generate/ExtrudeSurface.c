/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ExtrudeSurface: the closed surface of a layer on chosen triangles. */
#include <stdlib.h>

#include "components/engine/engine.h"
#include "numerics/spatial/face_normals.h"

typedef struct ExtrudeSurface {
  SofaObject object;
  bool visible;
  double height;
  SofaTriangles triangles, made;
  SofaVec3s vertices, surface;
  SofaIndices chosen;
} ExtrudeSurface;

typedef ExtrudeSurface SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(visible, "isVisible", "1", "draw it"),
    SOFA_ROW_INPUT(height, "heightFactor", "1", "m", "height of the layer along the normals"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles of the surface"),
    SOFA_ROW_OUTPUT(vertices, "extrusionVertices", "m",
                    "points in pairs, on the surface and above, as the triangles meet them"),
    SOFA_ROW_INPUT(surface, "surfaceVertices", NULL, "m", "points of the surface"),
    SOFA_ROW_OUTPUT(made, "extrusionTriangles", "",
                    "bottom (turned over) and top of each triangle, then the sides"),
    SOFA_ROW_INPUT(chosen, "surfaceTriangles", NULL, "", "triangles to extrude"),
};

/* An edge of a chosen triangle in the direction it was first met, and how often it was met. */
typedef struct Side {
  uint32_t a, b, n;
} Side;

static int by_ends(const void *a, const void *b) {
  const Side *x = a, *y = b;
  const uint32_t p[2] = {x->a, x->b}, q[2] = {y->a, y->b};
  const int i = p[0] == q[0];
  return (p[i] > q[i]) - (p[i] < q[i]);
}

static size_t meet(Side *sides, size_t n, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < n; i++)
    if ((sides[i].a == a && sides[i].b == b) || (sides[i].a == b && sides[i].b == a)) {
      sides[i].n++;
      return n;
    }
  sides[n] = (Side){a, b, 1};
  return n + 1;
}

static SofaErr add(ExtrudeSurface *e, uint32_t a, uint32_t b, uint32_t c) {
  const SofaTriangle t = {{a, b, c}};
  return SOFA_APPEND(e->object.ctx, &e->made, &t);
}

/* New number of a point; its two copies are made when it is met first. */
static SofaErr number(ExtrudeSurface *e, uint32_t *numbers, const SofaVec3 *normals,
                      uint32_t point) {
  if (numbers[point] != UINT32_MAX) return SOFA_OK;
  SofaVec3 p = e->surface.data[point];
  numbers[point] = (uint32_t)e->vertices.n;
  SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->vertices, &p));
  sofa_vec3_axpy(e->height, normals[point].v, p.v);
  return SOFA_APPEND(e->object.ctx, &e->vertices, &p);
}

static SofaErr extrude(ExtrudeSurface *e, SofaVec3 *normals, uint32_t *numbers, Side *sides) {
  size_t n_sides = 0;
  sofa_zero(normals, e->surface.n * sizeof *normals);
  sofa_fill(numbers, 0xff, e->surface.n * sizeof *numbers);
  for (size_t i = 0; i < e->chosen.n; i++)
    face_normals_add(e->surface.data, e->triangles.data[e->chosen.data[i]].v, 3, normals);
  face_normals_finish(normals, e->surface.n);
  for (size_t i = 0; i < e->chosen.n; i++) {
    const uint32_t *v = e->triangles.data[e->chosen.data[i]].v;
    uint32_t t[3];
    for (int k = 0; k < 3; k++) {
      SOFA_TRY(number(e, numbers, normals, v[k]));
      t[k] = numbers[v[k]];
    }
    n_sides = meet(sides, n_sides, t[0], t[1]);
    n_sides = meet(sides, n_sides, t[0], t[2]);
    n_sides = meet(sides, n_sides, t[1], t[2]);
    SOFA_TRY(add(e, t[0], t[2], t[1]));
    SOFA_TRY(add(e, t[0] + 1, t[1] + 1, t[2] + 1));
  }
  sofa_sort(sides, n_sides, sizeof *sides, by_ends);
  for (size_t i = 0; i < n_sides; i++) {
    const Side *s = &sides[i];
    if (s->n != 1) continue;
    SOFA_TRY(add(e, s->a, s->b, s->a + 1));
    SOFA_TRY(add(e, s->b + 1, s->a + 1, s->b));
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ExtrudeSurface *e = (ExtrudeSurface *)object;
  SofaContext *ctx = object->ctx;
  e->vertices.n = e->made.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, e->surface.n));
  SOFA_TRY(engine_check(object, "surfaceTriangles", (SofaElements){e->chosen.data, e->chosen.n, 1},
                        e->triangles.n, "triangles"));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaVec3 *normals = SOFA_SCRATCH(ctx, SofaVec3, e->surface.n);
  uint32_t *numbers = SOFA_SCRATCH(ctx, uint32_t, e->surface.n);
  Side *sides = SOFA_SCRATCH(ctx, Side, 3 * e->chosen.n);
  const SofaErr err =
      normals && numbers && sides ? extrude(e, normals, numbers, sides) : SOFA_ERR_MEMORY;
  sofa_scratch_release(ctx, mark);
  return err;
}

ENGINE_CLASS(ExtrudeSurface, "Generate", "Makes the closed surface of a layer on triangles.",
             .templates = engine_vec3_templates, .init = engine_init, );
