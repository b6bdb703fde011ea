/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VolumeFromTriangles: the volume inside a closed surface. */
#include <math.h>

#include "components/engine/generate/volume.h"

typedef struct VolumeFromTriangles {
  VolumeEngine engine;
  SofaTriangles triangles;
  SofaQuads quads;
} VolumeFromTriangles;

typedef VolumeFromTriangles SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "",
                   "triangles of the surface; default: those of the topology"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "",
                   "quads of the surface; default: those of the topology"),
};

/* Tetrahedra from point 0 to each triangle: of a closed surface the point does not matter. */
static SofaErr update(SofaObject *object) {
  VolumeFromTriangles *e = (VolumeFromTriangles *)object;
  const SofaCoords *x = &e->engine.position;
  double sum = 0;
  if (!volume_engine_wanted(&e->engine)) return SOFA_OK;
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, x->n));
  SOFA_TRY(ENGINE_CHECK(object, "quads", &e->quads, x->n));
  for (size_t i = 0; i < e->triangles.n; i++) {
    const uint32_t *v = e->triangles.data[i].v;
    sum += six_volumes(x, 0, v[0], v[1], v[2]);
  }
  for (size_t i = 0; i < e->quads.n; i++) {
    const uint32_t *v = e->quads.data[i].v;
    sum += six_volumes(x, 0, v[0], v[1], v[2]);
    sum += six_volumes(x, 0, v[0], v[2], v[3]);
  }
  e->engine.volume = fabs(sum) / 6;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  static const char *const names[] = {"triangles", "quads"}, *const sources[] = {"triangles",
                                                                                 "quads"};
  return volume_engine_init((VolumeEngine *)object, names, sources);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

static const char equations[] =
    "V = 1/6 |sum_t (x_a - x_0).((x_b - x_0) times (x_c - x_0))|\n"
    "\"t: triangles, quads as two, with the corners a, b, c; x_0: the first point\"";

ENGINE_CLASS_OF(VolumeFromTriangles, &volume_engine_class, "Generate",
                "Measures the volume inside a closed surface.", .equations = equations,
                .templates = templates, .init = init, );
