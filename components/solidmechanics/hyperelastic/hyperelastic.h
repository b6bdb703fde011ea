/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of hyperelastic linear tetrahedra share: fields, elements, forces, tangents.
 *
 * With s_n = grad N_n and volume V at rest, F = sum x_n s_n^T and the internal force of node n is
 * V F S s_n. Its derivative by node m is K_nm = V ((s_n . S s_m) I + B_n^T D B_m) where B_n, 6 x 3,
 * maps a move of node n to dE with doubled shear (Bonet, Wood: Nonlinear Continuum Mechanics for
 * Finite Element Analysis, 2008, chapter 9). */
#ifndef SOFA_HYPERELASTIC_H
#define SOFA_HYPERELASTIC_H

#include "draw/draw.h"
#include "numerics/fem/linear_fem.h"
#include "components/solidmechanics/hyperelastic/energy_fields.h"
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"
#include "numerics/fem/pair_product.h"
#include "numerics/fem/tetra_element.h"
#include "numerics/material/solid_fields.h"
#include "object/checkpoint.h"

/* After a group: pairs and points up to the last one of the groups so far; pairs of the rows that
 * no later group adds to. */
typedef struct SofaHyperWindow {
  uint32_t pairs, points, complete;
} SofaHyperWindow;

typedef struct SofaHyperelastic {
  SofaForceField force_field;
  SofaEnergyFields energy;
  SofaLink solid_material; /* instead of the energy */
  SofaVec3s anisotropy;
  char *tetrahedron_info, *edge_info;
  SofaElementResults results; /* outputs, computed when they are read */
  double dissipated;          /* likewise, J */
  SofaSolidSource source;     /* of the results */
  SofaLink topology;
  SofaOption dilatation; /* SofaDilatation, of `elements` */
  SofaLink elements;     /* with SOFA_ELEMENT_SOURCE: solids of any shape, instead of tetrahedra */
  /* resolved at init */
  SofaTopology *mesh; /* NULL only with `elements` */
  uint32_t revision;  /* of the topology that the elements were made of */
  const SofaHyperMaterial *material;
  double p[SOFA_HYPER_MAX_PARAMETERS];
  /* owned */
  SofaSolidBatch batch; /* the elements, where a law of points or an output needs them */
  size_t n;
  SofaHyperTetras *tetras; /* n elements in groups */
  SofaElementSums sums;    /* of forces, for several threads */
  SofaLateBlocks late;     /* the same */
  uint32_t *places;        /* SOFA_HYPER_PLACES of each group */
  SofaHyperWindow *windows;
  double *blocks; /* 9 per pair: dF/dx; and late ones */
  uint32_t *own;  /* the pair of each point with itself */
  SofaElementPairs pairs;
  SofaPairProduct product;   /* of pairs, for several threads */
  SofaHyperStress law;       /* the material's stress, or with a quirk costa_law */
  SofaHyperStress costa_law; /* of the class; set by its init */
  uint8_t *backwards;        /* n: bit per edge that the topology lists from its second vertex;
                                NULL unless D may be unsymmetric */
  bool stale;                /* blocks are older than the last force */
  bool pattern_stale;        /* pairs and vertices are older than the topology */
  bool remake;               /* the modification in progress needs all elements made again */
} SofaHyperelastic;

extern const SofaClass sofa_hyperelastic_class; /* abstract */
extern const SofaForceFieldOps sofa_hyperelastic_ops;
extern const SofaDrawOps sofa_hyperelastic_draw;

/* Are the elements computed by the batch? */
static inline bool sofa_hyperelastic_by_batch(const SofaHyperelastic *h) {
  return h->solid_material.target || h->elements.target;
}

/* Makes all elements from the topology and the rest positions: the init of the classes. */
SofaErr sofa_hyperelastic_build(SofaHyperelastic *h);

#endif
