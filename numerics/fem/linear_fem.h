/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of finite elements with an isotropic linear law: material fields, topology, checks. */
#ifndef SOFA_NUMERICS_FEM_LINEAR_FEM_H
#define SOFA_NUMERICS_FEM_LINEAR_FEM_H

#include "behavior/mass.h"
#include "change/topology_change.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/element_results.h"

SOFA_BEGIN_DECLS

typedef struct SofaLinearFem {
  union {
    SofaForceField force_field;
    SofaMass mass; /* of the classes that are masses, too */
  };
  struct SofaHexaMass
      *hexa_mass; /* of classes with sofa_hexa_mass_ops, set at construction; in the object */
  SofaReals young_modulus; /* Pa; one value, or one per element */
  SofaReals poisson_ratio; /* 1 */
  SofaLink topology;
  SofaTopology *mesh;       /* resolved at init; NULL only with a source */
  const SofaObject *source; /* with SOFA_ELEMENT_SOURCE, instead of the topology: the target of a
                               link `elements` that the class may have; else NULL */
  /* outputs that are computed when they are read (linear_strain.c) */
  SofaElementResults results;
  uint32_t results_version;    /* of the positions they belong to, 0: none */
  bool recovered;              /* recoveredStress, too */
  uint32_t mises_version;      /* the same of the class's own von Mises stresses */
  SofaElementMesh result_mesh; /* while they are computed */
  size_t result_stride;        /* bytes from an element to the next */
  unsigned rest_width;         /* reals from a point to the next of result_mesh.rest */
  /* set by the class when it makes its elements */
  bool gives_strain;
  SofaShape strain_shape;
  bool fixed_frame;    /* small strains in the axes of the world */
  bool strains_across; /* of surfaces and lines in space by slopes across them */
  unsigned law_dim;    /* of the law: 3, 2 in plane stress, 1 uniaxial; 0 is 3 */
  bool graded;         /* the topology's factors (sparse grids) multiply the modulus */
  /* fills results.element_mises and node_mises at the positions of the state, Pa, and touches the
   * fields: own ones, where results.own_mises says so */
  SofaErr (*mises_of)(struct SofaLinearFem *fem);
  /* energy of an element at the positions of the state, J; NULL: not told */
  double (*energy_of)(const struct SofaLinearFem *fem, size_t element);
  /* changes rest positions of an element's nodes (n_nodes x 3) to those of its forces, m; NULL:
   * they are those of the state */
  void (*rest_of)(const struct SofaLinearFem *fem, size_t element, double *rest);
  /* of another law than the isotropic one; NULL: that one */
  void (*stress_of)(const struct SofaLinearFem *fem, size_t element, const double *strain,
                    double *stress);
  /* changes stresses, and the energy, of a sample with n quadrature points where the pressure is
   * not that of the strain; NULL: it is */
  void (*pressure_of)(const struct SofaLinearFem *fem, size_t element, unsigned n,
                      SofaElementSample *sample);
  const SofaReals *factors; /* of the Young modulus, m factors for m equal runs of elements; NULL */
  /* of a class that splits the topology's elements: vertices of the first one that it makes, their
   * number, and the bytes from one to the next; NULL: elements are those of the topology */
  const uint32_t *split;
  size_t n_split, split_stride;
  /* known when the elements are made: lists with values of each have `parts` for each of this kind
   */
  SofaElementKind elements;
  unsigned parts;
} SofaLinearFem;

/* Sets how strains and stresses of the elements are computed: see the members above. */
void sofa_linear_fem_give_strain(SofaLinearFem *fem, SofaShape shape, bool fixed, unsigned law_dim,
                                 const SofaReals *factors);
/* Then, where elements of the topology are split: the own ones, borrowed. NULL: they are freed. */
void sofa_linear_fem_give_split(SofaLinearFem *fem, const uint32_t *vertices, size_t n,
                                size_t stride);
/* Of the positions that the results belonged to. */
static inline void sofa_linear_fem_forget_results(SofaLinearFem *fem) {
  fem->results_version = fem->mises_version = 0;
}
/* Tells strains and stresses as given above; classes with others implement SOFA_ELEMENT_RESULTS
 * themselves. */
extern const SofaElementResultsOps sofa_linear_fem_results;
/* Compute function of the results. */
SofaErr sofa_linear_fem_compute(SofaObject *object, const SofaField *field);

extern const SofaClass sofa_linear_fem_class; /* abstract; follows topological changes by reinit */

/* Value of an element: its own entry when the list is long enough, else the first. */
static inline double sofa_linear_fem_young(const SofaLinearFem *fem, size_t element) {
  return fem->young_modulus.data[element < fem->young_modulus.n ? element : 0];
}
static inline double sofa_linear_fem_poisson(const SofaLinearFem *fem, size_t element) {
  return fem->poisson_ratio.data[element < fem->poisson_ratio.n ? element : 0];
}

/* Rest positions of the state (its positions when it has none), *n points. Borrowed. */
const double *sofa_linear_fem_rest(const SofaLinearFem *fem, size_t *n);

/* Reports the first element with a vertex that is not a point of the state. `what`: "triangle". */
SofaErr sofa_linear_fem_check_vertices(const SofaLinearFem *fem, SofaElementKind kind,
                                       const void *vertices, size_t n);

/* Rest state of the topology's elements of a shape, checked: without any, or with a bad vertex, an
 * error. Borrowed until the topology or the state changes. */
SofaErr sofa_linear_fem_elements(SofaLinearFem *fem, SofaShape shape, SofaElementMesh *mesh);

/* For the row of a list with values per element: the list follows topological changes. */
#define SOFA_PER_FEM_ELEMENT(...)                                                                  \
  SOFA_BELONGS(.role = SOFA_ROLE_PER, .kind_at = offsetof(SofaLinearFem, elements),                \
               .width_at = offsetof(SofaLinearFem, parts), __VA_ARGS__)

/* Of elements whose frames turn: the derivative of the frames is left out. */
extern const SofaApproximation sofa_frames_left_out;
/* The same for the elements of a batch; NULL: its derivatives are exact. */
const SofaApproximation *sofa_element_batch_approximation(const SofaElementBatch *batch);

/* Index of a word in a NULL-terminated list; 0 when it is not one of them. */
size_t sofa_linear_fem_option(const char *const *options, const char *word);

SOFA_END_DECLS

#endif
