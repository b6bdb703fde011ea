/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereROI: points and elements inside spheres. */
#include "components/engine/select/roi.h"
#include "math/vec.h"

enum { QUIRK_SPHERE_ROI_NORMAL = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_SPHERE_ROI_NORMAL, "sphere-roi-normal",
     "SphereROI compares the reversed normals of triangles", "test_quirks_sets.engines"},
};

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
    SOFA_FIELD(SphereROI, radii, "radii", NULL, "m", "radii: one per sphere, or one for all",
               .flags = SOFA_FIELD_INPUT, .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(SphereROI, direction, "direction", "0 0 0", "",
               "direction of the edges to select, with edgeAngle", .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(SphereROI, normal, "normal", "0 0 0", "",
               "normal of the triangles to select, with triAngle", .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(SphereROI, edge_angle, "edgeAngle", "0", "deg",
               "largest angle of a selected edge with direction; 0: any",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(SphereROI, triangle_angle, "triAngle", "0", "deg",
               "largest angle of a selected triangle's normal with normal; 0: any",
               .flags = SOFA_FIELD_INPUT, .aliases = "angle"),
};

static SofaErr sphere_prepare(Roi *roi) {
  const SphereROI *s = (const SphereROI *)roi;
  if (!s->centers.n)
    return sofa_field_fail(&roi->object, "centers", SOFA_ERR_ARGUMENT, "no center is given");
  if (s->radii.n != 1 && s->radii.n != s->centers.n)
    return sofa_field_fail(&roi->object, "radii", SOFA_ERR_RANGE,
                           "%zu radii for %zu centers; it must be one, or one per center",
                           s->radii.n, s->centers.n);
  if (s->edge_angle > 0 && !(sofa_vec3_norm(s->direction.v) > 0))
    return sofa_field_fail(&roi->object, "direction", SOFA_ERR_RANGE,
                           "it is zero; edgeAngle needs a direction");
  if (s->triangle_angle > 0 && !(sofa_vec3_norm(s->normal.v) > 0))
    return sofa_field_fail(&roi->object, "normal", SOFA_ERR_RANGE,
                           "it is zero; triAngle needs a direction");
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

static void sphere_draw(const Roi *roi, SofaDrawList *list, SofaRgba color) {
  const SphereROI *s = (const SphereROI *)roi;
  for (size_t i = 0; i < s->centers.n && s->radii.n; i++) {
    const double r = s->radii.data[s->radii.n == 1 ? 0 : i];
    for (int axis = 0; axis < 3; axis++)
      sofa_draw_circle(list, s->centers.data[i].v, (double[3]){axis == 0, axis == 1, axis == 2}, r,
                       1, color);
  }
}

/* Cosine of the angle between two directions; -1 when one is zero. */
static double cosine(const double *a, const double *b) {
  const double norms = sofa_vec3_norm(a) * sofa_vec3_norm(b);
  return norms > 0 ? sofa_vec3_dot(a, b) / norms : -1;
}

/* Edges along the direction or against it, triangles whose normal is near the given one. */
static bool sphere_accepts(const Roi *roi, unsigned n, const double (*x)[3]) {
  const SphereROI *s = (const SphereROI *)roi;
  const double degree = acos(-1.0) / 180;
  double a[3], b[3], normal[3];
  sofa_vec3_sub(x[1], x[0], a);
  if (n == 2 && s->edge_angle > 0)
    return fabs(cosine(a, s->direction.v)) >= fabs(cos(s->edge_angle * degree));
  if (n != 3 || !(s->triangle_angle > 0)) return true;
  sofa_vec3_sub(x[2], x[0], b);
  sofa_vec3_cross(a, b, normal);
  // SOFA takes the normal of the other side
  if (sofa_quirk(&roi->object, QUIRK_SPHERE_ROI_NORMAL)) sofa_vec3_scale(-1, normal, normal);
  return cosine(normal, s->normal.v) >= cos(s->triangle_angle * degree);
}

static bool sphere_accepts_all(const Roi *roi) {
  const SphereROI *s = (const SphereROI *)roi;
  return !(s->edge_angle > 0) && !(s->triangle_angle > 0);
}

static const RoiOps ops = {.prepare = sphere_prepare,
                           .contains = sphere_contains,
                           .accepts = sphere_accepts,
                           .accepts_all = sphere_accepts_all,
                           .draw = sphere_draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(SphereROI) = {
    SOFA_NAMED(SphereROI),
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements inside spheres; surfaces belong to them.",
    .base = &roi_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .update = roi_update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, &ops}),
};
