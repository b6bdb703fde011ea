/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of an assembly: what is kept between builds for components at mapped states. */
#ifndef SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_IMPL_H
#define SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_IMPL_H

#include "numerics/assembly/assembly.h"
#include "math/sparse_product.h"
#include "math/symmetric_operator.h"

/* The arguments of an assembly. */
typedef struct SofaAssemblyArgs {
  const SofaMechParams *params;
  const SofaMechPoint *at;
  const SofaAssemblyParts *parts;
} SofaAssemblyArgs;

/* How a mapped state depends on one main state. */
typedef struct RootJacobian {
  const SofaState *root;
  SofaCsrSum *sum; /* owned; NULL when j is a mapping's own */
  SofaCsr j;       /* of this build */
} RootJacobian;
SOFA_LIST(RootJacobian, RootJacobians);

typedef struct MappedState {
  const SofaState *state;
  SofaMapping *mapping; /* that writes it */
  RootJacobians roots;
  bool needed; /* some local matrix is at this state or below */
  bool linear; /* every mapping up to the roots has a constant J */
} MappedState;
SOFA_LIST(MappedState, MappedStates);

/* One J^T K J: rows of main state `row`, columns of main state `column`. A NULL Jacobian is the
 * identity (the local matrix is at a main state). */
typedef struct Projection {
  const SofaState *row, *column;
  const RootJacobian *left, *right; /* borrowed from MappedState.roots */
  SofaCongruence *congruence;       /* owned */
} Projection;
SOFA_LIST(Projection, Projections);

/* What components at mapped states add for an ordered pair of states. */
typedef struct LocalMatrix {
  const SofaState *s1, *s2;
  bool kept; /* masses that are kept after the second build, see SOFA_QUIRK_KEPT_MAPPED_MASS */
  SofaBlockMatrix *matrix; /* owned */
  Projections projections;
} LocalMatrix;
SOFA_LIST(LocalMatrix, LocalMatrices);

/* Work space: the products that sum up to one Jacobian, a term for each input of a mapping. */
typedef struct JacobianTerms {
  SofaCsr *own; /* n of each, owned */
  const SofaCsr **left, **right;
  size_t n;
} JacobianTerms;

struct SofaAssembly {
  SofaContext *ctx;
  const SofaObject *owner;
  const SofaNode *node; /* the following members belong to its plan number `serial` */
  uint64_t serial;
  bool planned, mapped;
  SofaBlockMatrix *matrix;          /* owned */
  uint8_t *mask;                    /* n_v_main: dofs to discard */
  uint8_t *mapped_mask;             /* as long as the longest state */
  SofaBlockProjections projections; /* of points, after the mask; its memory is kept */
  MappedStates mapped_states;
  JacobianTerms terms;
  SofaTangentPair *pairs; /* of the component being added; owned, n_pairs */
  size_t n_pairs;
  LocalMatrices locals;
  uint64_t builds; /* with this plan */
  SofaSymmetricOperator *symmetric;
  uint64_t applied_version; /* of the values `symmetric` has */
  bool use_symmetric;
};

/* ---- mapped.c ---- */

/* Finds roots, local matrices and projections of the plan. */
SofaErr sofa_assembly_plan_mapped(SofaAssembly *a, SofaMechanics *m);
void sofa_assembly_free_mapped(SofaAssembly *a);
/* Adds everything at mapped states to a->matrix, which is in assembly. */
SofaErr sofa_assembly_add_mapped(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyArgs *args);

/* ---- shared ---- */

/* Does a state of the force field belong to the plan and is it mapped? */
static inline bool touches_mapped(const SofaMechanics *m, const SofaForceField *ff) {
  for (size_t k = 0; k < ff->n_states && ff->state[k]; k++)
    if (ff->state[k]->mechanics == m && ff->state[k]->mapped) return true;
  return false;
}

/* Do masses at this state count? Below mappings only with mapMasses. */
bool sofa_assembly_mass_counts(const SofaMechanics *m, const SofaState *state);

/* Adds K, B and M of one component through a tangent whose matrices are set; the factors come from
 * p. masses_only: nothing but M; forces_only: nothing but K and B. */
typedef enum ComponentPart { PART_ALL, PART_FORCE, PART_MASS } ComponentPart;
SofaErr sofa_assembly_add_component(SofaMechanics *m, SofaForceField *ff,
                                    const SofaAssemblyArgs *args, ComponentPart which,
                                    SofaTangent *tangent);

#endif
