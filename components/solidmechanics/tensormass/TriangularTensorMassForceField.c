/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularTensorMassForceField: linear elastic triangles in plane stress, one tensor per edge. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/tensormass/tensor_mass.h"
#include "math/vec.h"

enum { QUIRK_TRIANGULAR_TENSOR_MATRIX = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_TRIANGULAR_TENSOR_MATRIX, "triangular-tensor-matrix",
     "TriangularTensorMassForceField adds nothing to assembled matrices",
     "test_quirks_elements.elements"},
};

/* Edge j joins the two vertices after vertex j. */
static const uint8_t edge_nodes[3][2] = {{1, 2}, {2, 0}, {0, 1}};

/* With vertex j opposite the edge (k, l), u = p_j - p_k, w = p_j - p_l, A the area:
 *   K_lk = 1/(4A) (lambda w u^T + mu u w^T - (lambda + 2 mu) (u . w) I),
 * the block of plane stress of thickness 1 with both gradients turned by 90 degrees. I is that of
 * space: out of its plane the membrane is as stiff as a Laplacian. */
static bool triangle_blocks(const SofaTensorMass *t, const double *p, double (*blocks)[9]) {
  double ab[3], ac[3], normal[3];
  sofa_vec3_sub(p + 3, p, ab);
  sofa_vec3_sub(p + 6, p, ac);
  sofa_vec3_cross(ab, ac, normal);
  const double area4 = 2 * sofa_vec3_norm(normal);
  const double lambda = t->young * t->poisson / (1 - t->poisson * t->poisson) / area4;
  const double mu = t->young / (2 * (1 + t->poisson)) / area4;
  if (!(area4 > 0) || !(area4 < INFINITY)) return false;
  for (int j = 0; j < 3; j++) {
    double u[3], w[3];
    sofa_vec3_sub(p + 3 * j, p + 3 * edge_nodes[j][0], u);
    sofa_vec3_sub(p + 3 * j, p + 3 * edge_nodes[j][1], w);
    const double diagonal = (lambda + 2 * mu) * sofa_vec3_dot(u, w);
    for (int i = 0; i < 9; i++)
      blocks[j][i] =
          lambda * w[i / 3] * u[i % 3] + mu * u[i / 3] * w[i % 3] - (i % 4 == 0 ? diagonal : 0);
  }
  return true;
}

static SofaErr triangular_init(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  ff->partial_tangent = sofa_quirk(object, QUIRK_TRIANGULAR_TENSOR_MATRIX);
  return sofa_tensor_mass_make((SofaTensorMass *)object, SOFA_ELEMENT_TRIANGLE, 3, edge_nodes,
                               triangle_blocks);
}

static SofaErr triangular_add_force(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, double *const *f) {
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  if (t->revision != t->mesh->revision) SOFA_TRY(triangular_init(&ff->object));
  return sofa_tensor_mass_add_force(ff, params, at, f);
}

static SofaErr triangular_add_k(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, const SofaTangent *tangent) {
  if (ff->partial_tangent) return SOFA_OK;
  return sofa_tensor_mass_add_k(ff, params, at, tangent);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = triangular_add_force,
    .add_dforce = sofa_tensor_mass_add_dforce,
    .add_k = triangular_add_k,
    .potential_energy = sofa_tensor_mass_potential_energy,
    .tangent_is_dforce = true,
    .constant_tangent = sofa_tensor_mass_constant,
};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TriangularTensorMassForceField) = {
    .name = "TriangularTensorMassForceField",
    .module = "Sofa.Component.SolidMechanics.TensorMass",
    .category = "ForceField",
    SOFA_RANGES({"poissonRatio", SOFA_BETWEEN(-1, 1), SOFA_BAD_REFUSE}),
    .help = "Linear elastic triangles of thickness 1 in plane stress for small displacements, "
            "stored as one tensor per edge.",
    .equations = "f_i = -sum_j K_{ij} (x_j - X_j)",
    .base = &sofa_tensor_mass_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaTensorMass),
    .templates = templates,
    .init = triangular_init,
    .reinit = triangular_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_DRAW, &sofa_draw_field_triangles}),
};
