/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NormalsFromPoints: normals of the points of a surface. */
#include <math.h>

#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct NormalsFromPoints {
  SofaObject object;
  SofaVec3s position, normals;
  SofaTriangles triangles;
  SofaQuads quads;
  bool invert, angles;
} NormalsFromPoints;

typedef NormalsFromPoints SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points of the surface"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles of the surface"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "", "quads of the surface"),
    SOFA_ROW_OUTPUT(normals, "normals", "",
                    "mean of the normals of the faces at each point; 0 where there are none"),
    SOFA_ROW_INPUT(invert, "invertNormals", "0", "", "turn them over"),
    SOFA_ROW_INPUT(angles, "useAngles", "0", "", "weigh faces by their angles at the point"),
};

/* Adds the unit normal at each corner, times the angle there if it is asked for. */
static void add_face(NormalsFromPoints *e, const uint32_t *v, unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    const double *x = e->position.data[v[k]].v;
    double a[3], b[3], c[3];
    sofa_vec3_sub(e->position.data[v[(k + 1) % n]].v, x, a);
    sofa_vec3_sub(e->position.data[v[(k + n - 1) % n]].v, x, b);
    sofa_vec3_cross(a, b, c);
    const double norm = sofa_vec3_norm(c);
    if (!(norm > 0)) continue;
    const double weight = e->angles ? atan2(norm, sofa_vec3_dot(a, b)) : 1;
    sofa_vec3_axpy(weight / norm, c, e->normals.data[v[k]].v);
  }
}

static SofaErr update(SofaObject *object) {
  NormalsFromPoints *e = (NormalsFromPoints *)object;
  const size_t n = e->position.n;
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, n));
  SOFA_TRY(ENGINE_CHECK(object, "quads", &e->quads, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->normals, n));
  if (n) sofa_zero(e->normals.data, n * sizeof *e->normals.data);
  for (size_t i = 0; i < e->triangles.n; i++) add_face(e, e->triangles.data[i].v, 3);
  for (size_t i = 0; i < e->quads.n; i++) add_face(e, e->quads.data[i].v, 4);
  for (size_t i = 0; i < n; i++) {
    double *normal = e->normals.data[i].v;
    const double norm = sofa_vec3_norm(normal);
    if (norm > 0) sofa_vec3_scale((e->invert ? -1 : 1) / norm, normal, normal);
  }
  return SOFA_OK;
}

ENGINE_CLASS(NormalsFromPoints, "Generate", "Computes the normals of the points of a surface.",
             .equations = "s = sum_f w_f n_f, n = s/l, l = |s|\n"
                          "\"n_f: unit normals of the faces at the point, w_f: 1, with useAngles "
                          "the angle of the face there\"",
             .templates = engine_vec3_templates, .init = engine_init, );
