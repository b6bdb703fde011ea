/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A size (area, volume) per element as a mapping, for AreaMapping and VolumeMapping. */
#ifndef SOFA_NUMERICS_MAPPING_PATCHES_H
#define SOFA_NUMERICS_MAPPING_PATCHES_H

#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/map_rows.h"

SOFA_BEGIN_DECLS

/* Size of one element of vertices p (3 reals each), its gradient, and its second derivatives (3
 * width x 3 width, row major); those that are NULL are not wanted. */
typedef double (*SofaPatchSize)(const double *p, double *gradient, double *hessian);

typedef struct SofaPatches {
  SofaMapping mapping;
  SofaOption geometric;
  SofaLink topology;
  size_t n_in, n;
  unsigned width;   /* vertices per element: 3 or 4 */
  SofaMapRows rows; /* n: the vertices */
  SofaPatchSize size;
  SofaMapMatrix j;
} SofaPatches;

/* For the class's setup: size is that of its kind of element. */
SofaErr sofa_patches_setup(SofaPatches *m, SofaElementKind kind, SofaPatchSize size);
/* Sizes are inserted and removed with the elements, and removed with their points. */
extern const SofaTopologyListenerOps sofa_patches_listener;
void sofa_patches_destroy(SofaObject *object);
/* All operations but setup. */
SofaErr sofa_patches_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out);
SofaErr sofa_patches_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                              SofaJacobian *out);
SofaErr sofa_patches_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                               const double *f_out, const double *const *dx_in,
                               double *const *df_in);
SofaErr sofa_patches_add_djt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                             const SofaTangent *tangent);
const char *sofa_patches_approximation(const SofaMapping *mapping);

extern const SofaLinkRule sofa_patch_topology_rule;
#define SOFA_PATCH_ROWS(T, what)                                                                   \
  SOFA_FIELD(T, patches.geometric, "geometricStiffness", "Stabilized", "",                         \
             "second derivatives: left out, exact, or of elements with negative force only",       \
             .options = sofa_geometric_items),                                                     \
      SOFA_FIELD(T, patches.topology, "topology", NULL, "", what,                                  \
                 .link = &sofa_patch_topology_rule)

SOFA_END_DECLS

#endif
