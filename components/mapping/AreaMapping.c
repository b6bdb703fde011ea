/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AreaMapping: the areas of the triangles. */
#include "numerics/mapping/patches.h"
#include "math/vec.h"
#include "object/checkpoint.h"

typedef struct AreaMapping {
  SofaPatches patches;
} AreaMapping;

static const SofaField area_fields[] = {
    SOFA_PATCH_ROWS(AreaMapping, "triangles to measure; default: the topology in context"),
};

/* Second derivatives of A = |N| / 2. With a_i the edge opposite to vertex i, dN by vertex i is
 * -[a_i]x and dA/dp_i = a_i x N / (2 |N|); differentiating both factors gives the blocks
 *   -[a_i]x (I - n n^T) [a_j]x / (2 |N|) +- [n]x / 2.
 * As the edges are in the plane normal to n, the product is -(a_i . a_j) n n^T. */
static void second_derivatives(const double a[3][3], const double *normal, double norm,
                               double *hessian) {
  double n[3], twice[9], half[9];
  sofa_vec3_scale(1 / norm, normal, n);
  sofa_mat3_outer(n, n, twice);
  sofa_mat3_cross(n, half);
  sofa_mat3_scale(0.5, half, half);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double factor = 0.5 / norm * sofa_vec3_dot(a[i], a[j]);
      const double turn = i == j ? 0 : j == (i + 1) % 3 ? -1 : 1;
      double *to = hessian + 27 * i + 3 * j;
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
          to[9 * r + c] = factor * twice[3 * r + c] + turn * half[3 * r + c];
    }
}

/* A = |N| / 2, N = (p1 - p0) x (p2 - p0). A triangle without area has no gradient. */
static double measure(const double *p, double *gradient, double *hessian) {
  double a[3][3], normal[3];
  for (int i = 0; i < 3; i++) sofa_vec3_sub(p + 3 * ((i + 1) % 3), p + 3 * ((i + 2) % 3), a[i]);
  // (p1 - p0) x (p2 - p0) = a_2 x a_1 up to sign
  sofa_vec3_cross(a[2], a[1], normal);
  sofa_vec3_scale(-1, normal, normal);
  const double norm = sofa_vec3_norm(normal);
  for (int i = 0; gradient && i < 3; i++) {
    sofa_vec3_cross(a[i], normal, gradient + 3 * i);
    sofa_vec3_scale(norm > 0 ? 0.5 / norm : 0, gradient + 3 * i, gradient + 3 * i);
  }
  if (hessian && norm > 0) second_derivatives(a, normal, norm, hessian);
  else if (hessian) memset(hessian, 0, 81 * sizeof *hessian);
  return norm / 2;
}

static SofaErr area_setup(SofaMapping *mapping) {
  return sofa_patches_setup((SofaPatches *)mapping, SOFA_ELEMENT_TRIANGLE, measure);
}

static const SofaMappingOps area_ops = {
    .setup = area_setup,
    .apply = sofa_patches_apply,
    .apply_djt = sofa_patches_apply_djt,
    .approximation = sofa_patches_approximation,
    .add_djt = sofa_patches_add_djt,
    .jacobian = sofa_patches_jacobian,
};

static const char *const area_templates[] = {"Vec3d,Vec1d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(AreaMapping, patches.j),
};

SOFA_CLASS(AreaMapping) = {
    SOFA_NAMED(AreaMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points to the areas of the triangles between them.",
    .equations = "y = 1/2 |(x_b - x_a) times (x_c - x_a)|",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(area_fields),
    .templates = area_templates,
    .destroy = sofa_patches_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &area_ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_patches_listener}),
};
