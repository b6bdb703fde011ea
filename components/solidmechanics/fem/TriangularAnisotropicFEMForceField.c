/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularAnisotropicFEMForceField: TriangularFEMForceField with fibres. */
#include <math.h>
#include "base/quirks.h"
#include "components/solidmechanics/fem/TriangularFEMForceField.h"
#include "math/vec.h"

typedef struct TriangularAnisotropicFEMForceField {
  TriangularFEMForceField triangular;
  SofaReals transverse_young;
  double fiber_angle; /* degrees */
  SofaVec3s fiber_center, local_fiber_direction;
  bool show_fiber;
} TriangularAnisotropicFEMForceField;

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(TriangularAnisotropicFEMForceField, member, xml, def, unit, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(transverse_young, "transverseYoungModulus", "1000", "Pa",
        "Young modulus across the fibres, positive; one value, or one per triangle",
        .flags = SOFA_FIELD_REQUIRED),
    ROW(fiber_angle, "fiberAngle", "0", "degree",
        "angle of the fibres from the world's x axis towards y, before they are laid into the "
        "triangles' planes", ),
    ROW(fiber_center, "fiberCenter", NULL, "m",
        "at most one point: the fibres run around the parallel to z through it; replaces "
        "fiberAngle", ),
    ROW(show_fiber, "showFiber", "1", "", "draw the fibres", .flags = SOFA_FIELD_DISPLAY),
    ROW(local_fiber_direction, "localFiberDirection", NULL, "1",
        "direction of the fibres in the axes of each triangle", .flags = SOFA_FIELD_OUTPUT),
};

/* ---- laws ---- */

/* Plane stress with fibres along (c, s): C = T Q T^T (Jones: Mechanics of Composite Materials,
 * 1999, 2.6), q11 and q22 along and across the fibres. */
static void turned_law(double q11, double q12, double q22, double q66, double c, double s,
                       double *law) {
  const double c2 = c * c, s2 = s * s, cs = c * s, mixed = q12 + 2 * q66;
  law[0] = c2 * c2 * q11 + 2 * c2 * s2 * mixed + s2 * s2 * q22;
  law[1] = c2 * s2 * (q11 + q22 - 4 * q66) + (c2 * c2 + s2 * s2) * q12;
  law[2] = cs * (c2 * (q11 - mixed) + s2 * (mixed - q22));
  law[3] = s2 * s2 * q11 + 2 * c2 * s2 * mixed + c2 * c2 * q22;
  law[4] = cs * (s2 * (q11 - mixed) + c2 * (mixed - q22));
  law[5] = c2 * s2 * (q11 + q22 - 2 * q12 - 2 * q66) + (c2 * c2 + s2 * s2) * q66;
}

/* Direction of the fibres of an element in its axes; false: they stand across it. */
static bool fiber_direction(const TriangularAnisotropicFEMForceField *t,
                            const SofaTriangleElement *element, double *d) {
  double world[3] = {0, 0, 0};
  if (t->fiber_center.n) {
    size_t n_points;
    const double *x = sofa_linear_fem_rest(&t->triangular.triangle.fem, &n_points);
    const double *center = t->fiber_center.data[0].v;
    double arm[2] = {-center[0], -center[1]};
    for (unsigned k = 0; k < 6; k++) arm[k % 2] += x[3 * element->v[k / 2] + k % 2] / 3;
    world[0] = -arm[1];
    world[1] = arm[0];
  } else {
    const double angle = t->fiber_angle * 3.14159265358979323846 / 180;
    world[0] = cos(angle);
    world[1] = sin(angle);
  }
  const double length = sofa_vec3_norm(world);
  d[0] = sofa_vec3_dot(element->axes, world);
  d[1] = sofa_vec3_dot(element->axes + 3, world);
  d[2] = 0;
  const double in_plane = hypot(d[0], d[1]);
  if (!(in_plane > 1e-12 * length)) return false;
  d[0] /= in_plane;
  d[1] /= in_plane;
  return true;
}

static SofaErr set_law(TriangularAnisotropicFEMForceField *t, size_t e, bool unscaled) {
  const SofaObject *object = &t->triangular.triangle.fem.force_field.object;
  SofaTriangleElement *element = &t->triangular.triangle.batch.elements[e];
  double *d = t->local_fiber_direction.data[e].v;
  const double young = sofa_linear_fem_young(&t->triangular.triangle.fem, e);
  const double nu = sofa_linear_fem_poisson(&t->triangular.triangle.fem, e);
  const double across = t->transverse_young.data[e < t->transverse_young.n ? e : 0];
  double law[SOFA_TRIANGLE_LAW];
  if (!fiber_direction(t, element, d))
    return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                            "the fibres have no direction in the plane of triangle %zu", e);
  const double ratio = young > 0 ? nu * across / young : 0, scale = 1 - nu * ratio;
  if (!(scale > 0))
    return sofa_field_fail(object, "transverseYoungModulus", SOFA_ERR_RANGE,
                           "is %g for triangle %zu: with Young modulus %g and Poisson ratio %g the "
                           "material is unstable, expected less than %g",
                           across, e, young, nu, young / (nu * nu));
  turned_law(young / scale, ratio * young / scale, across / scale, young / (2 * (1 + nu)), d[0],
             d[1], law);
  sofa_triangle_set_law(element, unscaled ? 1 / element->area : 1, law);
  return SOFA_OK;
}

/* The base has made the elements. */
static SofaErr anisotropic_init(SofaObject *object) {
  TriangularAnisotropicFEMForceField *t = (TriangularAnisotropicFEMForceField *)object;
  const size_t n = t->triangular.triangle.batch.n;
  const bool unscaled = sofa_quirk(object->ctx, SOFA_QUIRK_ANISOTROPIC_AREA);
  for (size_t i = 0; i < t->transverse_young.n; i++) {
    const double across = t->transverse_young.data[i];
    if (!(across > 0) || !(across < INFINITY))
      return sofa_field_fail(object, "transverseYoungModulus", SOFA_ERR_RANGE,
                             "value %zu is %g, expected a positive number", i, across);
  }
  if (!t->transverse_young.n)
    return sofa_field_fail(object, "transverseYoungModulus", SOFA_ERR_ARGUMENT, "is empty");
  if (t->fiber_center.n > 1)
    return sofa_field_fail(object, "fiberCenter", SOFA_ERR_RANGE, "has %zu points, expected one",
                           t->fiber_center.n);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->local_fiber_direction, n));
  for (size_t e = 0; e < n; e++) SOFA_TRY(set_law(t, e, unscaled));
  sofa_field_touch_name(object, "localFiberDirection");
  return SOFA_OK;
}

static SofaErr anisotropic_reinit(SofaObject *object) {
  SOFA_TRY(sofa_triangular_fem_build((TriangularFEMForceField *)object));
  return anisotropic_init(object);
}

static SofaErr anisotropic_add_force(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaForceArgs *args) {
  const SofaTriangleFem *t = (SofaTriangleFem *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(anisotropic_reinit(&ff->object));
  return sofa_triangle_fem_add_force(ff, params, args);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = anisotropic_add_force,
    .add_dforce = sofa_triangle_fem_add_dforce,
    .add_k = sofa_triangular_fem_add_k,
    .potential_energy = sofa_triangle_fem_potential_energy,
    .tangent_is_dforce = true,
};

static const char *const templates[] = {"Vec3d", NULL};

extern const SofaClass sofa_TriangularAnisotropicFEMForceField_class;
const SofaClass sofa_TriangularAnisotropicFEMForceField_class = {
    .name = "TriangularAnisotropicFEMForceField",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic triangles of thickness 1 with another Young modulus across their "
            "fibres, corotational.",
    .base = &sofa_TriangularFEMForceField_class,
    .size = sizeof(TriangularAnisotropicFEMForceField),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = anisotropic_init,
    .reinit = anisotropic_reinit,
    .ops = {[SOFA_FORCE_FIELD] = &force_field_ops},
};
