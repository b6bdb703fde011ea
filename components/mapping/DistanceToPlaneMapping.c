/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DistanceToPlaneMapping: the signed distance of each point to a plane, n . (x - p). */
#include <math.h>
#include "change/topology_change.h"
#include "numerics/mapping/constant_map.h"

typedef struct DistanceToPlaneMapping {
  SofaConstantMap map;
  SofaReals normal, point; /* as many reals as the places have */
  SofaReals offset;        /* - n . p for each output */
} DistanceToPlaneMapping;

static const SofaField plane_fields[] = {
    SOFA_FIELD(DistanceToPlaneMapping, normal, "planeNormal", "", "1",
               "normal of the plane, not zero; distances are positive on its side",
               .flags = SOFA_FIELD_REQUIRED),
    SOFA_FIELD(DistanceToPlaneMapping, point, "planePoint", "", "m",
               "a point of the plane; default: the origin"),
};

static SofaErr check_fields(const DistanceToPlaneMapping *m, size_t space) {
  const SofaObject *object = &m->map.multi.mapping.object;
  if (m->normal.n != space)
    return sofa_field_fail(object, "planeNormal", SOFA_ERR_RANGE,
                           "%zu numbers: points of the input have %zu", m->normal.n, space);
  if (m->point.n && m->point.n != space)
    return sofa_field_fail(object, "planePoint", SOFA_ERR_RANGE,
                           "%zu numbers: points of the input have %zu", m->point.n, space);
  return SOFA_OK;
}

/* Rows n^T, and the distance of the plane to the origin. */
static SofaErr fill(DistanceToPlaneMapping *m, const SofaStateKindInfo *in, size_t space) {
  SofaConstantMap *map = &m->map;
  double norm = 0, distance = 0;
  for (size_t c = 0; c < space; c++) norm += m->normal.data[c] * m->normal.data[c];
  norm = sqrt(norm);
  if (!(norm > 0) || !isfinite(norm))
    return sofa_field_fail(&map->multi.mapping.object, "planeNormal", SOFA_ERR_RANGE,
                           "its length is %g: it must be positive", norm);
  for (size_t c = 0; c < m->point.n; c++) distance += m->point.data[c] * m->normal.data[c] / norm;
  for (size_t i = 0; i < map->n_out; i++) {
    m->offset.data[i] = -distance;
    sofa_map_matrix_row(&map->part[0]);
    for (size_t c = 0; c < space; c++)
      sofa_map_matrix_entry(&map->part[0], in->deriv * i + c, m->normal.data[c] / norm);
  }
  sofa_constant_map_close(map, 0);
  return SOFA_OK;
}

static SofaErr plane_setup(SofaMapping *mapping) {
  DistanceToPlaneMapping *m = (DistanceToPlaneMapping *)mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(mapping->inputs[0]->object.kind);
  const size_t space = in->rigid ? in->space : in->coord, n = mapping->inputs[0]->position.n;
  SOFA_TRY(check_fields(m, space));
  SOFA_TRY(sofa_constant_map_begin(&m->map, n));
  SOFA_TRY(sofa_constant_map_open(&m->map, 0, n * space));
  SOFA_TRY(SOFA_RESIZE(mapping->object.ctx, &m->offset, n));
  mapping->constant = m->offset.data;
  return fill(m, in, space);
}

static void plane_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((DistanceToPlaneMapping *)object)->offset);
  sofa_constant_map_destroy(object);
}

static const SofaMappingOps plane_ops = {
    .setup = plane_setup,
    .jacobian = sofa_constant_map_jacobian,
    .linear = true,
};

static const char *const plane_templates[] = {"Vec3d",   "Vec2d",   "Vec6d",
                                              "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(DistanceToPlaneMapping) = {
    SOFA_NAMED(DistanceToPlaneMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Maps points (or origins of frames) to their signed distances to a plane.",
    .equations = "y = n.(x - p)\n"
                 "\"n: normal, p: point of the plane\"",
    .base = &sofa_mapping_class,
    SOFA_FIELDS(plane_fields),
    .templates = plane_templates,
    .destroy = plane_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &plane_ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_per_point}),
};
