/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of TriangularFEMForceField, for the classes that derive from it. */
#ifndef SOFA_FEM_TRIANGULAR_FEM_FORCE_FIELD_H
#define SOFA_FEM_TRIANGULAR_FEM_FORCE_FIELD_H

#include "components/solidmechanics/fem/triangle_fem.h"

typedef struct TriangularFEMForceField {
  SofaTriangleFem triangle;
  char *method;
  char *triangle_info, *vertex_info;
  SofaReals rotated_initial_elements; /* 9 per triangle, m */
  SofaReals initial_transformation;   /* 9 per triangle */
  double hosford_exponent, criteria_value;
  bool show_stress_value, show_stress_vector, show_fracturable, compute_principal_stress;
} TriangularFEMForceField;

extern const SofaClass sofa_TriangularFEMForceField_class;

/* Elements and isotropic laws, from the fields. */
SofaErr sofa_triangular_fem_build(TriangularFEMForceField *t);
/* Quirk: nothing for the small method. */
SofaErr sofa_triangular_fem_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent);

#endif
