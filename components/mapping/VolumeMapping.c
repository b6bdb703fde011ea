/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VolumeMapping: the signed volumes of the tetrahedra. */
#include "numerics/mapping/patches.h"
#include "math/vec.h"
#include "object/checkpoint.h"

typedef struct VolumeMapping {
  SofaPatches patches;
} VolumeMapping;

static const SofaField volume_fields[] = {
    SOFA_PATCH_ROWS(VolumeMapping, "tetrahedra to measure; default: the topology in context"),
};

/* Second derivatives of V = a . (b x c) / 6 with the edges a, b, c from vertex 0: the gradient by a
 * is b x c / 6, so its derivative by b is -[c]x / 6 and by c it is [b]x / 6, and so on. */
static void second_derivatives(const double e[3][3], double *hessian) {
  memset(hessian, 0, 144 * sizeof *hessian);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (i == j) continue;
      double block[9];
      sofa_mat3_cross(e[3 - i - j], block);
      sofa_mat3_scale(j == (i + 1) % 3 ? -1. / 6 : 1. / 6, block, block);
      // vertex 0 moves against all edges
      for (int k = 0; k < 9; k++) {
        const int r = k / 3, c = k % 3;
        hessian[12 * (3 * (i + 1) + r) + 3 * (j + 1) + c] = block[k];
        hessian[12 * r + 3 * (j + 1) + c] -= block[k];
        hessian[12 * (3 * (i + 1) + r) + c] -= block[k];
        hessian[12 * r + c] += block[k];
      }
    }
}

static double measure(const double *p, double *gradient, double *hessian) {
  double e[3][3];
  for (int i = 0; i < 3; i++) sofa_vec3_sub(p + 3 * (i + 1), p, e[i]);
  if (gradient) sofa_vec3_set(gradient, 0, 0, 0);
  for (int i = 0; gradient && i < 3; i++) {
    double *g = gradient + 3 * (i + 1);
    sofa_vec3_cross(e[(i + 1) % 3], e[(i + 2) % 3], g);
    sofa_vec3_scale(1. / 6, g, g);
    sofa_vec3_sub(gradient, g, gradient);
  }
  if (hessian) second_derivatives(e, hessian);
  return sofa_vec3_triple(e[0], e[1], e[2]) / 6;
}

static SofaErr volume_setup(SofaMapping *mapping) {
  return sofa_patches_setup((SofaPatches *)mapping, SOFA_ELEMENT_TETRA, measure);
}

static const SofaMappingOps volume_ops = {
    .setup = volume_setup,
    .apply = sofa_patches_apply,
    .apply_djt = sofa_patches_apply_djt,
    .approximation = sofa_patches_approximation,
    .add_djt = sofa_patches_add_djt,
    .jacobian = sofa_patches_jacobian,
};

static const char *const volume_templates[] = {"Vec3d,Vec1d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(VolumeMapping, patches.j),
};

SOFA_CLASS(VolumeMapping) = {
    SOFA_NAMED(VolumeMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points to the signed volumes of the tetrahedra between them.",
    .equations = "y = 1/6 a.(b times c)\n"
                 "a = x_1 - x_0, b = x_2 - x_0, c = x_3 - x_0",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(volume_fields),
    .templates = volume_templates,
    .destroy = sofa_patches_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &volume_ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_patches_listener}),
};
