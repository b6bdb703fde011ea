/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mass that force fields of hexahedra may have in the same object. */
#ifndef SOFA_NUMERICS_MASS_HEXA_MASS_H
#define SOFA_NUMERICS_MASS_HEXA_MASS_H

#include "numerics/mass/mass_matrix.h"
#include "numerics/fem/element_batch.h"

SOFA_BEGIN_DECLS

/* Mass matrix of one element, 8 x 8, and the share of each of its points in gravity. p: 8 x 3. */
typedef void (*SofaHexaMassLaw)(double density, const double *p, double *m, double *share);
void sofa_hexa_mass_exact(double density, const double *p, double *m, double *share);
/* SOFA's: every entry 8/27 of the mass of a box with the edges at node 0. */
void sofa_hexa_mass_of_box(double density, const double *p, double *m, double *share);

/* All-zero: empty. */
typedef struct SofaHexaMass {
  double density; /* kg/m^3 */
  bool lumped;
  SofaHexaMassLaw law;               /* of an element; set by the class's init */
  SofaReals mass_matrices;           /* output: of the elements, 24 x 24 each */
  bool full_matrix, diagonal_matrix; /* quirks: what is assembled whatever `lumped` says */
  SofaMassMatrix matrix;             /* width 1, or 3 where a class needs it */
  double *gravity;                   /* mass of each point for gravity, kg */
  SofaReals divisor; /* sums of the rows over all processes; empty where none is divided */
  uint32_t revision; /* of the topology that it was made of */
} SofaHexaMass;

/* Computes the mass of hexahedra from rest positions. The density is checked. factor: NULL, or
 * one per hexahedron that multiplies its mass. A width of 3 is set before. */
SofaErr sofa_hexa_mass_make(const SofaObject *object, SofaHexaMass *mass,
                            const SofaElementMesh *mesh, const double *factor);
/* Fills mass_matrices; they stay empty where elements have no mass matrix of their own (width 3).
 */
SofaErr sofa_hexa_mass_give_matrices(const SofaObject *object, SofaHexaMass *mass,
                                     const SofaElementMesh *mesh, const double *factor);
/* Makes all values of the matrix 0, for sofa_mass_matrix_add; gravity stays. */
void sofa_hexa_mass_clear(SofaHexaMass *mass);
void sofa_hexa_mass_free(SofaContext *ctx, SofaHexaMass *mass);

/* f += gravity, unless it is separate. */
void sofa_hexa_mass_add_gravity(const SofaMass *mass, const SofaHexaMass *h, double *f);

/* The operations of a SofaLinearFem with a `hexa_mass`. */
extern const SofaMassOps sofa_hexa_mass_ops;

SOFA_END_DECLS

#endif
