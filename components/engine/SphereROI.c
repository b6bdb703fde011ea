/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereROI: points and elements inside spheres. */
#include "components/engine/roi.h"

typedef struct SphereROI {
  Roi roi;
  SofaVec3s centers;
  SofaReals radii;
  SofaVec3 direction, normal;
  double edge_angle, triangle_angle;
} SphereROI;

static const SofaField fields[] = {
    SOFA_FIELD(SphereROI, centers, "centers", NULL, "m", "centers of the spheres, at least one",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(SphereROI, radii, "radii", NULL, "m",
               "radii, not negative: one per sphere, or one for all", .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(SphereROI, direction, "direction", "0 0 0", "",
               "direction of the edges to select, with edgeAngle", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(SphereROI, normal, "normal", "0 0 0", "",
               "normal of the triangles to select, with triAngle", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(SphereROI, edge_angle, "edgeAngle", "0", "deg",
               "largest angle of a selected edge with direction", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(SphereROI, triangle_angle, "triAngle", "0", "deg",
               "largest angle of a selected triangle's normal with normal",
               .flags = SOFA_FIELD_UNSUPPORTED, .aliases = "angle"),
};

static SofaErr sphere_prepare(Roi *roi) {
  const SphereROI *s = (const SphereROI *)roi;
  if (!s->centers.n)
    return sofa_field_fail(&roi->object, "centers", SOFA_ERR_ARGUMENT, "no center is given");
  if (s->radii.n != 1 && s->radii.n != s->centers.n)
    return sofa_field_fail(&roi->object, "radii", SOFA_ERR_RANGE,
                           "%zu radii for %zu centers; it must be one, or one per center",
                           s->radii.n, s->centers.n);
  for (size_t i = 0; i < s->radii.n; i++)
    if (!(s->radii.data[i] >= 0))
      return sofa_field_fail(&roi->object, "radii", SOFA_ERR_RANGE,
                             "radius %zu is %g; it must not be negative", i, s->radii.data[i]);
  return SOFA_OK;
}

static bool sphere_contains(const Roi *roi, const double p[3]) {
  const SphereROI *s = (const SphereROI *)roi;
  for (size_t i = 0; i < s->centers.n; i++) {
    const double *c = s->centers.data[i].v, r = s->radii.data[s->radii.n == 1 ? 0 : i];
    const double d[3] = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= r * r) return true;
  }
  return false;
}

static const RoiOps ops = {.prepare = sphere_prepare, .contains = sphere_contains};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

extern const SofaClass sofa_SphereROI_class;
const SofaClass sofa_SphereROI_class = {
    .name = "SphereROI",
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements inside spheres; surfaces belong to them.",
    .base = &roi_class,
    .size = sizeof(SphereROI),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .update = roi_update,
    .ops = {[SOFA_ENGINE] = &ops},
};
