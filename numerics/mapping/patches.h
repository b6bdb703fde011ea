/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A size (area, volume) per element as a mapping: what AreaMapping and VolumeMapping share. */
#ifndef SOFA_NUMERICS_MAPPING_PATCHES_H
#define SOFA_NUMERICS_MAPPING_PATCHES_H

#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/map_rows.h"

typedef struct SofaPatches {
  SofaMapping mapping;
  SofaOption geometric;
  SofaLink topology;
  size_t n_in, n;
  unsigned width;     /* vertices per element: 3 or 4 */
  SofaMapRows rows;   /* n: the vertices */
  SofaReals x;        /* n x 3 width: vertices at the last apply */
  SofaReals gradient; /* n x 3 width */
  SofaMapMatrix j;
} SofaPatches;

/* Size of one element of vertices p (3 reals each), its gradient, and its second derivatives (3
 * width x 3 width, row major); those that are NULL are not wanted. */
typedef double (*SofaPatchSize)(const double *p, double *gradient, double *hessian);

SofaErr sofa_patches_setup(SofaPatches *m, SofaElementKind kind);
/* Sizes go and come with the elements, and go with their points. */
extern const SofaFollowerOps sofa_patches_follower;
void sofa_patches_destroy(SofaObject *object);
SofaErr sofa_patches_apply(SofaPatches *m, SofaPatchSize size, const double *x, double *out);
SofaErr sofa_patches_apply_j(SofaMapping *mapping, const double *const *v, double *out);
SofaErr sofa_patches_apply_jt(SofaMapping *mapping, const double *f, double *const *in);
SofaErr sofa_patches_apply_djt(SofaPatches *m, SofaPatchSize size, double factor, const double *f,
                               const double *dx, double *df);
SofaErr sofa_patches_add_djt(SofaPatches *m, SofaPatchSize size, const double *f,
                             const SofaTangent *tangent);
SofaErr sofa_patches_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out);

extern const SofaLinkRule sofa_patch_topology_rule;
#define SOFA_PATCH_ROWS(T, what)                                                                   \
  SOFA_FIELD(T, patches.geometric, "geometricStiffness", "Stabilized", "",                         \
             "second derivatives: left out, exact, or of elements with negative force only",       \
             .options = sofa_geometric_items),                                                     \
      SOFA_FIELD(T, patches.topology, "topology", NULL, "", what,                                  \
                 .link = &sofa_patch_topology_rule)

#endif
