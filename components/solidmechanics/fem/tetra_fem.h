/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of linear corotational tetrahedra share: elements from the topology, products,
 * assembly, energy, von Mises stress. */
#ifndef SOFA_FEM_TETRA_FEM_H
#define SOFA_FEM_TETRA_FEM_H

#include "components/solidmechanics/fem/polar_frame.h"
#include "numerics/fem/element_kernels_impl.h"
#include "numerics/fem/linear_fem.h"
#include "numerics/fem/tetra_full.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_TETRA_GLOBAL_MATRIX = 1 << 20 };
#define QUIRK_TETRA_GLOBAL_MATRIX_ROW                                                              \
  {                                                                                                \
    QUIRK_TETRA_GLOBAL_MATRIX, "tetra-global-matrix",                                              \
        "tetrahedral FEM with computeGlobalMatrix and polar, svd or plasticity gives no force",    \
        "test_tetrahedron_fem.quirks_change_what_contradicts_itself"                               \
  }

typedef struct SofaTetraFem {
  SofaLinearFem fem;
  SofaTetraBatch batch; /* owned: sofa_tetra_batch_free */
  uint32_t revision;    /* of the topology that batch was made of */
  bool remake;          /* a topological change that the batch cannot follow */
  bool consistent;      /* field of the classes that have it: the tangent is exact */
} SofaTetraFem;

/* Makes the batch of the tetrahedra and rest positions and sets the materials. A bad vertex or
 * an element without volume is an error; a negative volume is warned of. `factors`: of the Young
 * modulus, m factors for the elements in m equal runs; NULL or empty: 1. */
SofaErr sofa_tetra_fem_make(SofaTetraFem *t, SofaTetraMethod method, bool update,
                            const SofaTetras *tetras, const SofaReals *factors);
/* Materials from the fields. */
void sofa_tetra_fem_materials(SofaTetraFem *t, const SofaReals *factors);

/* The operations of SofaForceFieldOps; the first one without looking at the topology. */
SofaErr sofa_tetra_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f);
SofaErr sofa_tetra_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df);
SofaErr sofa_tetra_fem_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent);
SofaErr sofa_tetra_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *energy);
const SofaApproximation *sofa_tetra_fem_approximation(const SofaForceField *ff);
bool sofa_tetra_fem_constant(const SofaForceField *ff);

/* Topological changes: removed tetrahedra leave the batch, where others stay; all else makes it
 * again. `done` without it: sofa_tetra_fem_kept, else reinit. */
SofaErr sofa_tetra_fem_listen(SofaObject *object, const SofaTopologyChange *change);
extern const SofaTopologyListenerOps sofa_tetra_fem_listener;
/* The modification is complete: is the batch that of the topology? */
bool sofa_tetra_fem_kept(SofaTetraFem *t, const SofaReals *factors);

/* Von Mises stress, Pa, of elements and of points (mean of the elements around) at the
 * positions of the state: for mises_of of a class. */
SofaErr sofa_tetra_fem_stress(SofaTetraFem *t, SofaTetraStrain strain, bool mixed_frames);

#endif
