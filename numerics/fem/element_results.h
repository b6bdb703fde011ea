/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of finite elements as fields of a component: stresses and strains at quadrature points,
 * means of elements, values of points, invariants, energies. The component only tells what one
 * element has (SOFA_ELEMENT_RESULTS); all the rest is computed here, when a field is read.
 *
 * Tensors are symmetric: xx yy zz xy yz zx, shear strains being tensor components. Where a law is
 * not defined values are NAN. */
#ifndef SOFA_NUMERICS_FEM_ELEMENT_RESULTS_H
#define SOFA_NUMERICS_FEM_ELEMENT_RESULTS_H

#include "behavior/force_field.h"
#include "numerics/fem/finite_element.h"

SOFA_BEGIN_DECLS

/* What one element tells. */
typedef struct SofaElementSample {
  uint32_t v[SOFA_SHAPE_MAX_NODES];      /* points of the state */
  double weight[SOFA_QUADRATURE_MAX];    /* of a quadrature point at rest: m, m^2 or m^3 */
  double place[SOFA_QUADRATURE_MAX][3];  /* at rest, m */
  double stress[SOFA_QUADRATURE_MAX][6]; /* Pa */
  double strain[SOFA_QUADRATURE_MAX][6];
  double axes[SOFA_QUADRATURE_MAX][9]; /* rows: the axes of the tensors at rest; of turned ones */
  double middle_place[3], middle_axes[9];
  double middle_stress[6], middle_strain[6]; /* of the element */
  double energy;                             /* stored, J */
  double mises; /* where it is not that of middle_stress, Pa; below 0 before the call */
} SofaElementSample;

/* Elements of a force field at the positions of its state. */
typedef struct SofaResultElements {
  size_t n;                  /* elements */
  size_t n_points;           /* of the state */
  unsigned n_nodes, n_gauss; /* of an element; at most SOFA_QUADRATURE_MAX */
  unsigned dim;              /* of an element: 1, 2 or 3 */
  const double *rest;        /* n_points x rest_width: at rest, m, of which `space` are used */
  unsigned rest_width, space;
  bool middle;        /* the middle is where stresses are best; else all quadrature points are */
  bool turned;        /* tensors are in axes of their own: surfaces and curves in space */
  const void *source; /* first argument of sample; borrowed until the component changes */
  void (*sample)(const void *source, size_t element, SofaElementSample *out);
} SofaResultElements;

extern const SofaInterface sofa_element_results_interface;
#define SOFA_ELEMENT_RESULTS (&sofa_element_results_interface)

/* Of a force field that can tell results of its elements. */
typedef struct SofaElementResultsOps {
  /* required: sets *out; out->n = 0 while there are no elements */
  SofaErr (*elements)(SofaForceField *ff, SofaResultElements *out);
} SofaElementResultsOps;

/* Outputs of one evaluation: fields of the component. All-zero: empty. */
typedef struct SofaElementResults {
  SofaVec6s point_stress, point_strain;     /* of quadrature points, element by element */
  SofaVec6s element_stress, element_strain; /* of elements */
  SofaVec6s node_stress, node_strain;       /* of the points of the state, in the scene's axes */
  SofaVec6s recovered_stress;               /* the same */
  SofaVec3s element_principal;              /* of element_stress, greatest first, Pa */
  SofaReals element_mises;                  /* of element_stress, Pa */
  SofaReals node_mises;                     /* means of element_mises, Pa */
  SofaReals element_energy;                 /* J */
  bool own_mises; /* element_mises and node_mises are filled by the component itself */
  /* owned */
  SofaReals weight;          /* measure of the elements around each point */
  SofaVec3s sample_place;    /* where the recovery takes stresses, m */
  SofaVec6s sample_stress;   /* those, in the scene's axes */
  SofaIndices vertices;      /* n x n_nodes */
  SofaIndices start, around; /* elements around a point: around[start[v]] .. */
  SofaIndices seen;          /* by the point that a patch is for, + 1 */
} SofaElementResults;

#define SOFA_RESULT_FLAGS (SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK)
#define SOFA_RESULT_ROW(T, member, xml, unit, help)                                                \
  SOFA_FIELD(T, results.member, xml, NULL, unit, help, .flags = SOFA_RESULT_FLAGS)
/* Rows of a struct T with the member `results`. The texts say which stress and strain they are, and
 * in which axes. */
#define SOFA_RESULT_ROWS(T, stress, strain)                                                        \
  SOFA_RESULT_ROW(T, point_stress, "gaussPointStress", "Pa",                                       \
                  "stress at the quadrature points of each element, xx yy zz xy yz zx: " stress),  \
      SOFA_RESULT_ROW(T, point_strain, "gaussPointStrain", "1",                                    \
                      "strain at the quadrature points of each element: " strain),                 \
      SOFA_RESULT_ROW(T, element_stress, "elementStress", "Pa",                                    \
                      "stress of each element, xx yy zz xy yz zx: " stress),                       \
      SOFA_RESULT_ROW(T, element_strain, "elementStrain", "1",                                     \
                      "strain of each element, xx yy zz xy yz zx: " strain),                       \
      SOFA_RESULT_ROW(T, node_stress, "nodeStress", "Pa",                                          \
                      "stress of each point: mean of elementStress around it by volume, of "       \
                      "surfaces and curves turned to the axes of the scene at rest"),              \
      SOFA_RESULT_ROW(T, node_strain, "nodeStrain", "1",                                           \
                      "strain of each point: the same mean of elementStrain"),                     \
      SOFA_RESULT_ROW(T, recovered_stress, "recoveredStress", "Pa",                                \
                      "stress of each point, in the axes of nodeStress: the linear function that " \
                      "is nearest to the stresses of the elements around it (Zienkiewicz and Zhu " \
                      "1992); a patch that lies in a plane or on a line gets more elements"),      \
      SOFA_RESULT_ROW(T, element_principal, "principalStressPerElement", "Pa",                     \
                      "principal values of elementStress, greatest first"),                        \
      SOFA_RESULT_ROW(T, element_mises, "vonMisesPerElement", "Pa",                                \
                      "von Mises stress of each element, of elementStress"),                       \
      SOFA_RESULT_ROW(                                                                             \
          T, node_mises, "vonMisesPerNode", "Pa",                                                  \
          "von Mises stress of each point: mean of the elements around it, by volume"),            \
      SOFA_RESULT_ROW(T, element_energy, "energyPerElement", "J",                                  \
                      "stored energy of each element; the sum is the potential energy")

/* Computes the fields; recoveredStress only with `recover`. */
SofaErr sofa_element_results_compute(SofaContext *ctx, const SofaResultElements *elements,
                                     bool recover, SofaElementResults *out);
/* The same for compute_output of a class with SOFA_ELEMENT_RESULTS: then touches `field`. */
SofaErr sofa_element_results_output(SofaObject *object, const SofaField *field,
                                    SofaElementResults *out);
void sofa_element_results_free(SofaContext *ctx, SofaElementResults *results);

/* ---- for those who fill samples ---- */

/* Means by weight over n_gauss points, to the middle. */
void sofa_element_sample_mean(unsigned n_gauss, SofaElementSample *sample);
/* t = A^T s A with the rows of A as axes of s: the tensor in the axes of the scene. */
void sofa_tensor_to_scene(const double *axes, const double *s, double *t);
/* Of a stress. */
double sofa_von_mises(const double *stress);
/* Greatest first; NAN where the stress is. */
void sofa_principal_values(const double *stress, double *out);

SOFA_END_DECLS

#endif
