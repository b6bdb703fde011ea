/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of materials, and the tensors of a deformation. */
#include "numerics/material/material.h"

#include <math.h>
#include <string.h>
#include "math/vec.h"

static const SofaHyperMaterial *const materials[] = {
    &sofa_arruda_boyce,  &sofa_st_venant_kirchhoff, &sofa_neo_hookean,
    &sofa_mooney_rivlin, &sofa_veronda_westman,     &sofa_costa,
    &sofa_ogden,         &sofa_stable_neo_hookean};

const char *const sofa_hyper_material_names[] = {"ArrudaBoyce",  "StVenantKirchhoff", "NeoHookean",
                                                 "MooneyRivlin", "VerondaWestman",    "Costa",
                                                 "Ogden",        "StableNeoHookean",  NULL};

const SofaHyperMaterial *sofa_hyper_material_find(const char *name) {
  for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
    if (strcmp(materials[i]->name, name) == 0) return materials[i];
  }
  return NULL;
}

bool sofa_deformation(const SofaHyperMaterial *material, SofaDeformation *x) {
  double c[9], k[9];
  x->j = sofa_mat3_det(x->f);
  if (!sofa_hyper_defined(material, x->j)) return false;
  sofa_mat3_mul_tn(x->f, x->f, c);
  sofa_mat3_cofactors(c, k);
  const double scale = 1 / (x->j * x->j);
  const int voigt[6] = {0, 4, 8, 1, 5, 2};
  for (int i = 0; i < 6; i++) {
    x->c[i] = c[voigt[i]];
    x->ci[i] = scale * k[voigt[i]];
  }
  x->l = material->log ? log(x->j) : 0;
  x->i1 = c[0] + c[4] + c[8];
  x->i2 = k[0] + k[4] + k[8];
  return true;
}
