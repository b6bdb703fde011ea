/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularFEMForceField: linear corotational triangles of thickness 1. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/TriangularFEMForceField.h"
#include "object/checkpoint.h"

#include <string.h>

static const SofaQuirk quirks[] = {
    QUIRK_TRIANGLE_SMALL_ROW,
};

static const char *const methods[] = {"large", "small", NULL};

typedef TriangularFEMForceField SofaSelf; /* of SOFA_ROW */
#define DISPLAY .flags = SOFA_FIELD_DISPLAY

static const SofaField fields[] = {
    SOFA_ROW_BOOKKEEPING(triangle_info, "triangleInfo"),
    SOFA_ROW_BOOKKEEPING(vertex_info, "vertexInfo"),
    SOFA_ROW(method, "method", "large", "",
             "frame of an element: 'large' turns with it, 'small' is fixed (linear elasticity)",
             .options = methods),
    SOFA_ROW(
        rotated_initial_elements, "rotatedInitialElements", NULL, "m",
        "corners of the triangles at rest, 9 reals each, instead of the state's rest positions; "
        "with initialTransformation only",
        SOFA_PER(SOFA_ELEMENT_TRIANGLE, .width = 9, .inserted = SOFA_INSERTED_NOTHING)),
    SOFA_ROW(initial_transformation, "initialTransformation", NULL, "1",
             "rotations of the triangles at rest, 9 reals each; with rotatedInitialElements only",
             SOFA_PER(SOFA_ELEMENT_TRIANGLE, .width = 9, .inserted = SOFA_INSERTED_NOTHING)),
    SOFA_ROW(hosford_exponent, "hosfordExponant", "1", "1",
             "exponent of the drawn fracture criterion", DISPLAY),
    SOFA_ROW(criteria_value, "criteriaValue", "1e+15", "Pa",
             "limit of the drawn fracture criterion", DISPLAY),
    SOFA_ROW(show_stress_value, "showStressValue", "1", "", "draw stresses as colours", DISPLAY),
    SOFA_ROW(show_stress_vector, "showStressVector", "0", "", "draw directions of stress", DISPLAY),
    SOFA_ROW(show_fracturable, "showFracturableTriangles", "0", "",
             "draw triangles beyond the criterion", DISPLAY),
    SOFA_ROW(compute_principal_stress, "computePrincipalStress", "0", "",
             "compute principal stresses, for drawing", DISPLAY),
};

static SofaErr check_corners(const TriangularFEMForceField *t, size_t n) {
  const SofaObject *object = &t->triangle.fem.force_field.object;
  const SofaReals *lists[] = {&t->rotated_initial_elements, &t->initial_transformation};
  static const char *const names[] = {"rotatedInitialElements", "initialTransformation"};
  for (int i = 0; i < 2; i++) {
    if (lists[i]->n == 9 * n) continue;
    return sofa_field_fail(
        object, names[i], SOFA_ERR_RANGE,
        "has %zu reals, expected 9 for each of the %zu triangles, in both fields or in neither",
        lists[i]->n, n);
  }
  return SOFA_OK;
}

SofaErr sofa_triangular_fem_build(TriangularFEMForceField *t) {
  const SofaObject *object = &t->triangle.fem.force_field.object;
  const SofaTriangles *triangles = sofa_topology_triangles(t->triangle.fem.mesh);
  const double *corners = NULL;
  SofaTriangleMethod method = SOFA_TRIANGLE_CURRENT;
  SOFA_TRY(t->triangle.fem.mesh->failure);
  if (strcmp(t->method, "small") == 0)
    method = sofa_quirk(object, QUIRK_TRIANGLE_SMALL) ? SOFA_TRIANGLE_WORLD : SOFA_TRIANGLE_SMALL;
  t->triangle.fem.force_field.partial_tangent = method == SOFA_TRIANGLE_WORLD;
  if (t->rotated_initial_elements.n || t->initial_transformation.n) {
    SOFA_TRY(check_corners(t, triangles->n));
    corners = t->rotated_initial_elements.data;
  }
  SOFA_TRY(sofa_triangle_fem_make(&t->triangle, method, triangles, corners));
  sofa_triangle_fem_isotropic(&t->triangle, false, 1);
  return SOFA_OK;
}

static SofaErr triangular_fem_init(SofaObject *object) {
  return sofa_triangular_fem_build((TriangularFEMForceField *)object);
}

static SofaErr triangular_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *const *f) {
  TriangularFEMForceField *t = (TriangularFEMForceField *)ff;
  if (t->triangle.revision != t->triangle.fem.mesh->revision)
    SOFA_TRY(sofa_triangular_fem_build(t));
  return sofa_triangle_fem_add_force(ff, params, at, f);
}

SofaErr sofa_triangular_fem_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  if (ff->partial_tangent) return SOFA_OK;
  return sofa_triangle_fem_add_k(ff, params, at, tangent);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = triangular_fem_add_force,
    .add_dforce = sofa_triangle_fem_add_dforce,
    .add_k = sofa_triangular_fem_add_k,
    .potential_energy = sofa_triangle_fem_potential_energy,
    .approximation = sofa_triangle_fem_approximation,
    .constant_tangent = sofa_triangle_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* ---- topological changes ---- */

/* Inserted triangles lie where their vertices are at rest, not turned. */
static SofaErr triangular_listen(SofaObject *object, const SofaTopologyChange *change) {
  TriangularFEMForceField *t = (TriangularFEMForceField *)object;
  const SofaTopology *mesh = t->triangle.fem.mesh;
  size_t n_points, at = t->rotated_initial_elements.n;
  const double *rest = sofa_linear_fem_rest(&t->triangle.fem, &n_points);
  if (change->kind != SOFA_CHANGE_ADD || !sofa_change_of(change, mesh, SOFA_ELEMENT_TRIANGLE) ||
      !at)
    return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->rotated_initial_elements, at + 9 * change->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->initial_transformation, at + 9 * change->n));
  for (size_t i = 0; i < change->n; i++, at += 9) {
    const uint32_t *v = mesh->mesh.triangles.data[change->ids[i]].v;
    for (size_t k = 0; k < 3; k++) {
      if (v[k] < n_points)
        memcpy(t->rotated_initial_elements.data + at + 3 * k, rest + 3 * (size_t)v[k],
               3 * sizeof *rest);
      t->initial_transformation.data[at + 4 * k] = 1;
    }
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = triangular_listen,
                                                 .done = sofa_listen_reinit};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TriangularFEMForceField, triangle.batch),
};

SOFA_CLASS(TriangularFEMForceField) = {
    SOFA_NAMED(TriangularFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic triangles of thickness 1 in plane stress, corotational: a membrane. "
            "Strains are taken in the current shape of the elements.",
    .equations = "f = -A R B^T D B (R^T x - X)",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_RANGES({"poissonRatio", SOFA_BETWEEN(-1, 1), SOFA_BAD_DEFAULT}),
    .templates = templates,
    .init = triangular_fem_init,
    .reinit = triangular_fem_init,
    .destroy = sofa_triangle_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &sofa_draw_field_triangles}),
};
