/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VolumeFromVolumetricElements: the volume of tetrahedra and hexahedra. */
#include <math.h>

#include "components/engine/generate/volume.h"

typedef struct VolumeFromVolumetricElements {
  VolumeEngine engine;
  SofaTetras tetras;
  SofaHexas hexas;
} VolumeFromVolumetricElements;

typedef VolumeFromVolumetricElements SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(tetras, "tetras", NULL, "", "tetrahedra; default: those of the topology"),
    SOFA_ROW_INPUT(hexas, "hexas", NULL, "", "hexahedra; default: those of the topology"),
};

/* A hexahedron as its six tetrahedra. */
static SofaErr update(SofaObject *object) {
  VolumeFromVolumetricElements *e = (VolumeFromVolumetricElements *)object;
  const SofaCoords *x = &e->engine.position;
  double sum = 0;
  if (!volume_engine_wanted(&e->engine)) return SOFA_OK;
  SOFA_TRY(ENGINE_CHECK(object, "tetras", &e->tetras, x->n));
  SOFA_TRY(ENGINE_CHECK(object, "hexas", &e->hexas, x->n));
  for (size_t i = 0; i < e->tetras.n; i++) {
    const uint32_t *v = e->tetras.data[i].v;
    sum += fabs(six_volumes(x, v[0], v[1], v[2], v[3]));
  }
  for (size_t i = 0; i < e->hexas.n; i++) {
    const uint32_t *v = e->hexas.data[i].v;
    double one = 0;
    for (int t = 0; t < 6; t++) {
      const uint8_t *c = sofa_hexa_tetras[t];
      one += fabs(six_volumes(x, v[c[0]], v[c[1]], v[c[2]], v[c[3]]));
    }
    sum += one;
  }
  e->engine.volume = fabs(sum) / 6;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  static const char *const names[] = {"tetras", "hexas"}, *const sources[] = {"tetrahedra",
                                                                              "hexahedra"};
  return volume_engine_init((VolumeEngine *)object, names, sources);
}

ENGINE_CLASS_OF(VolumeFromVolumetricElements, &volume_engine_class, "Generate",
                "Measures the volume of tetrahedra and hexahedra.",
                .equations = "V = 1/6 sum_t |(x_b - x_a).((x_c - x_a) times (x_d - x_a))|\n"
                             "\"t: tetrahedra, hexahedra as six, with the corners a, b, c, d\"",
                .templates = engine_vec3_templates, .init = init, );
