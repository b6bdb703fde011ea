/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularAnisotropicFEMForceField: TriangularFEMForceField with fibres. */
#include <math.h>
#include "components/solidmechanics/fem/TriangularFEMForceField.h"
#include "math/vec.h"

enum { QUIRK_ANISOTROPIC_AREA = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_ANISOTROPIC_AREA, "anisotropic-area",
     "TriangularAnisotropicFEMForceField leaves the area out of its stiffness",
     "test_triangle_fem.quirks_change_forces"},
};

typedef struct TriangularAnisotropicFEMForceField {
  TriangularFEMForceField triangular;
  SofaReals transverse_young;
  double fiber_angle; /* degrees */
  SofaVec3s fiber_center, local_fiber_direction;
  bool show_fiber;
} TriangularAnisotropicFEMForceField;

typedef TriangularAnisotropicFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(transverse_young, "transverseYoungModulus", "1000", "Pa",
             "Young modulus across the fibres; one value, or one per triangle",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_FINITE_ABOVE(0),
             SOFA_PER_FEM_ELEMENT(.inserted = SOFA_INSERTED_FIRST)),
    SOFA_ROW(fiber_angle, "fiberAngle", "0", "degree",
             "angle of the fibres from the world's x axis towards y, before they are laid into the "
             "triangles' planes", ),
    SOFA_ROW(fiber_center, "fiberCenter", NULL, "m",
             "at most one point: in the plane of each triangle the fibres run around it; replaces "
             "fiberAngle", ),
    SOFA_ROW(show_fiber, "showFiber", "1", "", "draw the fibres", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(local_fiber_direction, "localFiberDirection", NULL, "1",
             "direction of the fibres of each triangle as a sum of its edges from vertex 0 to "
             "vertices 1 and 2, normalised",
             .flags = SOFA_FIELD_OUTPUT),
};

/* ---- laws ---- */

/* Plane stress in the axes of the fibres, q11 and q22 along and across them. */
typedef struct Orthotropic {
  double q11, q12, q22, q66;
} Orthotropic;

/* The same with fibres along d = (c, s): C = T Q T^T (Jones: Mechanics of Composite Materials,
 * 1999, 2.6). */
static void turned_law(const Orthotropic *q, const double *d, double *law) {
  const double q11 = q->q11, q12 = q->q12, q22 = q->q22, q66 = q->q66, c = d[0], s = d[1];
  const double c2 = c * c, s2 = s * s, cs = c * s, mixed = q12 + 2 * q66;
  law[0] = c2 * c2 * q11 + 2 * c2 * s2 * mixed + s2 * s2 * q22;
  law[1] = c2 * s2 * (q11 + q22 - 4 * q66) + (c2 * c2 + s2 * s2) * q12;
  law[2] = cs * (c2 * (q11 - mixed) + s2 * (mixed - q22));
  law[3] = s2 * s2 * q11 + 2 * c2 * s2 * mixed + c2 * c2 * q22;
  law[4] = cs * (s2 * (q11 - mixed) + c2 * (mixed - q22));
  law[5] = c2 * s2 * (q11 + q22 - 2 * q12 - 2 * q66) + (c2 * c2 + s2 * s2) * q66;
}

/* Direction of the fibres of an element in its axes; false: they stand across it, or their centre
 * is the triangle's. */
static bool fiber_direction(const TriangularAnisotropicFEMForceField *t, const double *rest,
                            const SofaTriangleElement *element, double *d) {
  const double angle = t->fiber_angle * 3.14159265358979323846 / 180;
  double world[3] = {cos(angle), sin(angle), 0};
  if (t->fiber_center.n) {
    for (unsigned a = 0; a < 3; a++) {
      world[a] = -t->fiber_center.data[0].v[a];
      for (unsigned k = 0; k < 3; k++) world[a] += rest[3 * element->v[k] + a] / 3;
    }
  }
  const double x = sofa_vec3_dot(element->axes, world), y = sofa_vec3_dot(element->axes + 3, world);
  const double in_plane = hypot(x, y);
  if (!(in_plane > 1e-12 * sofa_vec3_norm(world))) return false;
  // round fibres: across the arm from the centre
  d[0] = (t->fiber_center.n ? -y : x) / in_plane;
  d[1] = (t->fiber_center.n ? x : y) / in_plane;
  return true;
}

/* The same direction as a sum of the edges from vertex 0 to vertices 1 and 2, normalised. */
static void along_edges(const double *rest, const SofaTriangleElement *element, const double *d,
                        double *out) {
  double edge[2][3];
  for (unsigned k = 0; k < 2; k++)
    sofa_vec3_sub(rest + 3 * element->v[k + 1], rest + 3 * element->v[0], edge[k]);
  const double l = sofa_vec3_dot(element->axes, edge[0]);
  const double b = d[1] / sofa_vec3_dot(element->axes + 3, edge[1]);
  const double a = (d[0] - b * sofa_vec3_dot(element->axes, edge[1])) / l, norm = hypot(a, b);
  out[0] = a / norm;
  out[1] = b / norm;
  out[2] = 0;
}

static SofaErr set_law(TriangularAnisotropicFEMForceField *t, size_t e, bool unscaled) {
  const SofaObject *object = &t->triangular.triangle.fem.force_field.object;
  SofaTriangleBatch *batch = &t->triangular.triangle.batch;
  const SofaTriangleElement element = sofa_triangle_at(batch, e);
  size_t n_points;
  const double *rest = sofa_linear_fem_rest(&t->triangular.triangle.fem, &n_points);
  double d[2];
  const double young = sofa_linear_fem_young(&t->triangular.triangle.fem, e);
  const double nu = sofa_linear_fem_poisson(&t->triangular.triangle.fem, e);
  const double across = t->transverse_young.data[e < t->transverse_young.n ? e : 0];
  double law[SOFA_TRIANGLE_LAW];
  if (!fiber_direction(t, rest, &element, d))
    return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                            "the fibres have no direction in the plane of triangle %zu", e);
  const double ratio = young > 0 ? nu * across / young : 0, scale = 1 - nu * ratio;
  if (!(scale > 0))
    return sofa_field_fail(object, "transverseYoungModulus", SOFA_ERR_RANGE,
                           "is %g for triangle %zu: with Young modulus %g and Poisson ratio %g the "
                           "material is unstable, expected less than %g",
                           across, e, young, nu, young / (nu * nu));
  const Orthotropic q = {young / scale, ratio * young / scale, across / scale,
                         young / (2 * (1 + nu))};
  turned_law(&q, d, law);
  along_edges(rest, &element, d, t->local_fiber_direction.data[e].v);
  sofa_triangle_set_law(batch, e, unscaled ? 1 / element.area : 1, law);
  return SOFA_OK;
}

/* The base has made the elements. */
static SofaErr anisotropic_init(SofaObject *object) {
  TriangularAnisotropicFEMForceField *t = (TriangularAnisotropicFEMForceField *)object;
  const size_t n = t->triangular.triangle.batch.n;
  const bool unscaled = sofa_quirk(object, QUIRK_ANISOTROPIC_AREA);
  t->triangular.triangle.unscaled = unscaled;
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
                                     const SofaPoint *at, double *const *f) {
  const SofaTriangleFem *t = (SofaTriangleFem *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(anisotropic_reinit(&ff->object));
  return sofa_triangle_fem_add_force(ff, params, at, f);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = anisotropic_add_force,
    .add_dforce = sofa_triangle_fem_add_dforce,
    .add_k = sofa_triangular_fem_add_k,
    .potential_energy = sofa_triangle_fem_potential_energy,
    .approximation = sofa_triangle_fem_approximation,
    .constant_tangent = sofa_triangle_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TriangularAnisotropicFEMForceField) = {
    SOFA_NAMED(TriangularAnisotropicFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic triangles of thickness 1 with another Young modulus across their "
            "fibres, corotational.",
    .equations = "f = -A R B^T D B (R^T x - X)\n"
                 "\"D: stiffness along and across the fibres\"",
    .base = &sofa_TriangularFEMForceField_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = anisotropic_init,
    .reinit = anisotropic_reinit,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}),
};
