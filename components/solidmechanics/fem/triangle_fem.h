/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of linear corotational triangles share. */
#ifndef SOFA_FEM_TRIANGLE_FEM_H
#define SOFA_FEM_TRIANGLE_FEM_H

#include "numerics/fem/linear_fem.h"
#include "numerics/fem/triangle_element.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_TRIANGLE_SMALL = 1 << 20 };
#define QUIRK_TRIANGLE_SMALL_ROW                                                                   \
  {                                                                                                \
    QUIRK_TRIANGLE_SMALL, "triangle-small",                                                        \
        "the small method of triangles acts in world x and y only; TriangularFEM assembles no "    \
        "matrix",                                                                                  \
        "test_triangle_fem.quirks_change_forces"                                                   \
  }

typedef struct SofaTriangleFem {
  SofaLinearFem fem;
  SofaTriangleBatch batch;
  double thickness;  /* m, of the laws */
  bool unscaled;     /* their laws are not times the area (a quirk) */
  uint32_t revision; /* of the topology the elements were made of */
} SofaTriangleFem;

/* Makes the elements with the method. corners: n x 9 rest positions, NULL: those of the state.
 * Reports what is wrong with them. Laws are not set. A list that is not the topology's stays until
 * the next call. */
SofaErr sofa_triangle_fem_make(SofaTriangleFem *t, SofaTriangleMethod method,
                               const SofaTriangles *triangles, const double *corners);
/* Sets isotropic laws from the fields of the base. */
void sofa_triangle_fem_isotropic(SofaTriangleFem *t, bool plane_strain, double thickness);

/* Entries for tables of operations. add_force does not look at the topology's revision. */
SofaErr sofa_triangle_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, double *const *f);
SofaErr sofa_triangle_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, const double *const *dx,
                                     double *const *df);
SofaErr sofa_triangle_fem_add_k(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, const SofaTangent *tangent);
SofaErr sofa_triangle_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                           const SofaPoint *at, double *energy);
const SofaApproximation *sofa_triangle_fem_approximation(const SofaForceField *ff);
bool sofa_triangle_fem_constant(const SofaForceField *ff);
void sofa_triangle_fem_destroy(SofaObject *object);

#endif
