/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of an assembly: what is kept between builds for components at mapped states. */
#ifndef SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_IMPL_H
#define SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_IMPL_H

#include "numerics/assembly/assembly.h"
#include "math/block_mark.h"
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

/* What decides the matrix of a component, see reuse.c. */
typedef struct TangentKey {
  bool constant; /* then it is the same as long as the other members are */
  uint64_t changes;
  double k, b, m; /* factors */
} TangentKey;

typedef struct AssemblyReuse {
  TangentKey *keys, *last; /* of the force fields now and in the last build; owned, n each */
  size_t n;
  bool known;         /* last is of a build with this plan */
  size_t n_constant;  /* constant components before the first that is not */
  size_t n_same;      /* components before the first that may have changed */
  SofaBlockMark mark; /* behind the first n_marked */
  size_t n_marked;
  uint64_t built_version; /* of the values of the last build; 0: they cannot be used again */
  bool constrained;       /* the rest: constraints of that build */
  uint8_t *last_mask;     /* owned */
  SofaBlockProjections last_projections;
} AssemblyReuse;

struct SofaAssembly {
  SofaContext *ctx;
  const SofaObject *owner;
  const SofaNode *node; /* the following members belong to its plan number `serial` */
  uint64_t serial;
  bool planned, mapped;
  SofaBlockMatrix *matrix;          /* owned */
  uint8_t *mask;                    /* n_v_main: dofs to discard */
  bool constrained;                 /* by any constraint */
  uint8_t *mapped_mask;             /* as long as the longest state */
  SofaBlockProjections projections; /* of points, after the mask; its memory is kept */
  MappedStates mapped_states;
  JacobianTerms terms;
  SofaTangentPair *pairs; /* of the component being added; owned, n_pairs */
  size_t n_pairs;
  LocalMatrices locals;
  uint64_t builds; /* with this plan */
  AssemblyReuse reuse;
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

/* ---- reuse.c ---- */

SofaErr sofa_assembly_plan_reuse(SofaAssembly *a, const SofaMechanics *m);
void sofa_assembly_free_reuse(SofaAssembly *a);
/* Compares the components with those of the last build. */
void sofa_assembly_compare(SofaAssembly *a, const SofaMechanics *m, const SofaAssemblyArgs *args);
/* Has the matrix the values of this build, with the constraints that were found for it? */
bool sofa_assembly_is_built(const SofaAssembly *a, const SofaMechanics *m);
/* After a build: what the next one is compared with. */
SofaErr sofa_assembly_remember(SofaAssembly *a, const SofaMechanics *m);
/* Begins the assembly; returns the first component to add. */
size_t sofa_assembly_begin(SofaAssembly *a);
/* Behind the constant components. */
SofaErr sofa_assembly_set_mark(SofaAssembly *a);

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
