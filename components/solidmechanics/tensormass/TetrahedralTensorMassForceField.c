/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedralTensorMassForceField: linear elastic tetrahedra, one tensor per edge. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/tensormass/tensor_mass.h"
#include "math/vec.h"

/* Gradients of the shape functions, 4 x 3; returns the volume. */
static double gradients(const double *p, double (*g)[3]) {
  double edges[9], inverse[9], det;
  for (int n = 0; n < 3; n++) sofa_vec3_sub(p + 3 * (n + 1), p, edges + 3 * n);
  if (!sofa_mat3_inverse(edges, inverse, &det)) return 0;
  for (int i = 0; i < 3; i++) {
    g[0][i] = 0;
    for (int n = 0; n < 3; n++) {
      g[n + 1][i] = inverse[3 * i + n];
      g[0][i] -= inverse[3 * i + n];
    }
  }
  return fabs(det) / 6;
}

/* K_lk = V (lambda g_l g_k^T + mu (g_k g_l^T + (g_k . g_l) I)) */
static bool tetra_blocks(const SofaTensorMass *t, const double *p, double (*blocks)[9]) {
  double g[4][3];
  const double volume = gradients(p, g);
  const double mu = volume * t->young / (2 * (1 + t->poisson));
  const double lambda = volume * t->young * t->poisson / ((1 - 2 * t->poisson) * (1 + t->poisson));
  if (!(volume > 0) || !(volume < INFINITY)) return false;
  for (int j = 0; j < 6; j++) {
    const double *k = g[sofa_tetra_edges[j][0]], *l = g[sofa_tetra_edges[j][1]];
    const double dot = mu * sofa_vec3_dot(k, l);
    for (int i = 0; i < 9; i++)
      blocks[j][i] =
          lambda * l[i / 3] * k[i % 3] + mu * k[i / 3] * l[i % 3] + (i % 4 == 0 ? dot : 0);
  }
  return true;
}

static SofaErr tetrahedral_init(SofaObject *object) {
  return sofa_tensor_mass_make((SofaTensorMass *)object, SOFA_ELEMENT_TETRA, 6, sofa_tetra_edges,
                               tetra_blocks);
}

static SofaErr tetrahedral_add_force(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, double *const *f) {
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  if (t->revision != t->mesh->revision) SOFA_TRY(tetrahedral_init(&ff->object));
  return sofa_tensor_mass_add_force(ff, params, at, f);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = tetrahedral_add_force,
    .add_dforce = sofa_tensor_mass_add_dforce,
    .add_k = sofa_tensor_mass_add_k,
    .potential_energy = sofa_tensor_mass_potential_energy,
    .tangent_is_dforce = true,
    .constant_tangent = sofa_tensor_mass_constant,
};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TetrahedralTensorMassForceField) = {
    .name = "TetrahedralTensorMassForceField",
    .module = "Sofa.Component.SolidMechanics.TensorMass",
    .category = "ForceField",
    .help = "Linear elastic tetrahedra for small displacements, stored as one tensor per edge.",
    .equations = "f_i = -sum_j K_{ij} (x_j - X_j)",
    .base = &sofa_tensor_mass_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    .size = sizeof(SofaTensorMass),
    .templates = templates,
    .init = tetrahedral_init,
    .reinit = tetrahedral_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_DRAW, &sofa_draw_field_tetrahedra}),
};
