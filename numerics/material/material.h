/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic materials: energy density, stress and tangent as functions of C = F^T F.
 *
 * E = (C - I) / 2 is the Green strain, S = dW/dE = 2 dW/dC the second Piola-Kirchhoff stress, and
 * D = dS/dE. Symmetric tensors are stored as six numbers in the order xx yy zz xy yz zx; D (6 x 6,
 * row major) maps dE with doubled shear to dS. I1 = tr C, I2 = (I1^2 - tr C^2) / 2, L = ln J. */
#ifndef SOFA_NUMERICS_MATERIAL_MATERIAL_H
#define SOFA_NUMERICS_MATERIAL_MATERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

enum {
  SOFA_HYPER_MAX_PARAMETERS = 8,
  SOFA_HYPER_LINKS = 2 /* parameter of ArrudaBoyce behind those of the list: links of a chain */
};

/* State of deformation of an element. Filled by sofa_deformation. */
typedef struct SofaDeformation {
  double f[9];  /* deformation gradient, row major */
  double c[6];  /* F^T F */
  double ci[6]; /* C^-1 */
  double j;     /* det F */
  double l;     /* ln J; 0 when the material does not need it */
  double i1, i2;
} SofaDeformation;

typedef struct SofaHyperParameter {
  const char *name, *unit;
  double least; /* -INFINITY: any number */
  bool nonzero; /* 0 is not allowed */
} SofaHyperParameter;

/* W(I1, I2, L) and its derivatives. */
typedef struct SofaHyperDerivatives {
  double w, w1, w2, wl, w11, w1l, w2l, wll;
} SofaHyperDerivatives;

/* The form of W, for loops that use it. */
typedef enum SofaHyperForm {
  SOFA_HYPER_OTHER,
  SOFA_HYPER_STRAIN, /* not on L: W = f(I1) + w2 I2, w2 constant */
  SOFA_HYPER_SPLIT   /* W = w1 I1 + g(L), w1 constant */
} SofaHyperForm;

/* S (6) and, unless NULL, D (36). */
typedef void (*SofaHyperStress)(const double *p, const SofaDeformation *x, double *s, double *d);

typedef struct SofaHyperMaterial {
  const char *name;
  size_t n_parameters;
  SofaHyperParameter parameter[SOFA_HYPER_MAX_PARAMETERS];
  bool inverts; /* defined for J < 0 */
  bool log;     /* uses ln J */
  SofaHyperForm form;
  /* Derivatives from c, j, l, i1, i2 of x alone; NULL: W is not a function of the invariants. */
  void (*derivatives)(const double *p, const SofaDeformation *x, SofaHyperDerivatives *w);
  /* Energy density, J/m^3, 0 at rest. */
  double (*energy)(const double *p, const SofaDeformation *x);
  SofaHyperStress stress; /* NULL: that of the derivatives, in the elements of solid_batch.h */
  /* U(J), U', U'', the part of W that a change of volume alone costs and that grows without limit
   * for a material that keeps its volume; J > 0. NULL: there is no such part. */
  void (*dilatation)(const double *p, double j, double u[3]);
} SofaHyperMaterial;

extern const SofaHyperMaterial sofa_arruda_boyce, sofa_st_venant_kirchhoff, sofa_neo_hookean,
    sofa_mooney_rivlin, sofa_veronda_westman, sofa_costa, sofa_ogden, sofa_stable_neo_hookean;

/* SOFA's departures from the derivative of Costa's stress, for quirks: the term -2 J L k0 Ci.Ci of
 * D without k0; also one cross term of D with Q^2 for Q, so that D is unsymmetric. */
void sofa_costa_unscaled(const double *p, const SofaDeformation *x, double *s, double *d);
void sofa_costa_unsymmetric(const double *p, const SofaDeformation *x, double *s, double *d);

/* Names for an option field, NULL-terminated, and the materials in their order. */
extern const char *const sofa_hyper_material_names[];
/* NULL when the name is unknown. */
const SofaHyperMaterial *sofa_hyper_material_find(const char *name);

/* Is the material defined where det F = j? Not where j is 0 or not a number. */
static inline bool sofa_hyper_defined(const SofaHyperMaterial *material, double j) {
  return j > 0 || (material->inverts && j < 0);
}
/* Fills x from x->f. false when the material is not defined there: J = 0, J < 0, not a number. */
bool sofa_deformation(const SofaHyperMaterial *material, SofaDeformation *x);

SOFA_END_DECLS

#endif
