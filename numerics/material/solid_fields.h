/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses, strains and energies of the elements of a SofaSolidBatch, as fields of a component.
 *
 * Tensors are symmetric: xx yy zz xy yz zx, in the axes of the scene; sigma is the Cauchy stress, E
 * the Green-Lagrange strain. Means of an element and of the elements around a point are by volume
 * at rest; a point gets the means of its elements. Where the material is not defined values are
 * NAN. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_FIELDS_H
#define SOFA_NUMERICS_MATERIAL_SOLID_FIELDS_H

#include "numerics/material/solid_points.h"

SOFA_BEGIN_DECLS

/* Outputs of one evaluation. All lists but `weight` are fields of the component. All-zero: empty.
 */
typedef struct SofaSolidFields {
  SofaVec6s point_stress, point_strain;     /* of quadrature points, element by element */
  SofaVec6s element_stress, element_strain; /* means */
  SofaVec6s node_stress, node_strain;       /* of the points of the state */
  SofaVec3s element_principal;              /* of the mean stress, greatest first, Pa */
  SofaReals element_mises;                  /* of the mean stress, Pa */
  SofaReals node_mises;                     /* means of element_mises, Pa */
  SofaReals weight;                         /* volume around each point, m^3; owned */
  SofaReals element_energy;                 /* stored, J */
  double dissipated;                        /* since the start, J */
} SofaSolidFields;

/* Rows of the fields of a struct with the member `results`, after SOFA_ROW's SofaSelf. The von
 * Mises stresses have rows of their own. */
#define SOFA_SOLID_FIELD_FLAGS (SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK)
#define SOFA_SOLID_TENSOR(member, xml, unit, help)                                                 \
  SOFA_ROW(results.member, xml, NULL, unit, help " (addition of csofa)",                           \
           .flags = SOFA_SOLID_FIELD_FLAGS)
#define SOFA_SOLID_POINT_ROWS                                                                      \
  SOFA_SOLID_TENSOR(point_stress, "gaussPointStress", "Pa",                                        \
                    "Cauchy stress at the quadrature points of each element, xx yy zz xy yz zx"),  \
      SOFA_SOLID_TENSOR(point_strain, "gaussPointStrain", "1",                                     \
                        "Green-Lagrange strain at the quadrature points of each element"),         \
      SOFA_SOLID_TENSOR(node_stress, "nodeStress", "Pa",                                           \
                        "Cauchy stress of each point: mean of its elements, by their volume"),     \
      SOFA_SOLID_TENSOR(node_strain, "nodeStrain", "1",                                            \
                        "Green-Lagrange strain of each point: mean of its elements, by their "     \
                        "volume"),                                                                 \
      SOFA_SOLID_TENSOR(element_principal, "principalStressPerElement", "Pa",                      \
                        "principal Cauchy stresses of each element, greatest first"),              \
      SOFA_SOLID_TENSOR(element_energy, "energyPerElement", "J", "stored energy of each element"), \
      SOFA_SOLID_TENSOR(dissipated, "dissipatedEnergy", "J",                                       \
                        "work that the material dissipated since the start")
#define SOFA_SOLID_ELEMENT_ROWS                                                                    \
  SOFA_SOLID_TENSOR(element_stress, "elementStress", "Pa",                                         \
                    "mean Cauchy stress of each element, xx yy zz xy yz zx"),                      \
      SOFA_SOLID_TENSOR(element_strain, "elementStrain", "1",                                      \
                        "mean Green-Lagrange strain of each element")

/* Computes all fields at x. `law` is that of dt = 0. n_points: of the state. */
SofaErr sofa_solid_fields_compute(SofaContext *ctx, const SofaSolidBatch *batch,
                                  const SofaSolidLaw *law, const double *x, size_t n_points,
                                  SofaSolidFields *out);

void sofa_solid_fields_free(SofaContext *ctx, SofaSolidFields *fields);

/* Of a stress. */
double sofa_von_mises(const double *stress);

SOFA_END_DECLS

#endif
