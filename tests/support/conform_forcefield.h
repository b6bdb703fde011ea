/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance of force fields: what every class that implements SOFA_FORCE_FIELD must fulfil, in
 * every kind and method. A case is a small scene; the checks move its states and compare the
 * operations with each other. Derivatives by velocities are those of the force in every case.
 *
 * Corotational forms leave the derivative of the rotation out of their tangent. At rest that is
 * exact: the derivative of R^T meets a force of zero, and the one of R inside the displacement is
 * an infinitesimal rotation, which the element stiffness annihilates. So their differences are
 * checked at rest (CONFORM_FD_AT_REST) and, to first order in the strain, near it. */
#ifndef TESTS_SUPPORT_CONFORM_FORCEFIELD_H
#define TESTS_SUPPORT_CONFORM_FORCEFIELD_H

#include <math.h>
#include "tests/support/scene_run.h"

enum {
  CONFORM_FD = 1 << 0,         /* add_dforce equals differences of add_force, wherever x is */
  CONFORM_FD_AT_REST = 1 << 1, /* ... at rest, and near it up to the strain */
  CONFORM_K = 1 << 2,          /* add_k gives the operator of add_dforce */
  CONFORM_SYMMETRIC = 1 << 3,
  CONFORM_ENERGY = 1 << 4,   /* the force is minus the gradient of potential_energy */
  CONFORM_REST = 1 << 5,     /* no force at rest */
  CONFORM_ROTATES = 1 << 6,  /* forces turn with the body; none in a moved and turned rest shape */
  CONFORM_DENSE_K = 1 << 8,  /* as CONFORM_K, but the matrix is too dense to replace add_dforce */
  CONFORM_BALANCED = 1 << 7, /* internal forces: their sum is zero (Vec kinds) */
  CONFORM_LATE = 1 << 9,     /* damps by the velocity before the step: no derivative by it */
  CONFORM_IDLE = 1 << 10,    /* no force in the state of the case */
  CONFORM_ELASTIC = CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST | CONFORM_BALANCED,
  CONFORM_COROTATIONAL = CONFORM_FD_AT_REST | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST |
                         CONFORM_ROTATES | CONFORM_BALANCED
};

typedef struct ForceFieldCase {
  const char *klass; /* name of the class */
  const char *what;  /* the variant, for messages */
  const char *scene; /* text of the scene; the force field is the first object of the class in it */
  unsigned checks;
  double shake; /* size of random displacements, m; 0: 0.05 */
} ForceFieldCase;

/* Runs all checks of a case; a failing one fails the cmocka test. */
void conform_force_field(const ForceFieldCase *c);
/* Fails when a creatable class that is a force field, built in or of the plugin SofaCaribou, has no
 * case in the lists. */
void conform_force_fields_complete(const ForceFieldCase *const *lists, const size_t *sizes,
                                   size_t n);

#endif
