/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of a plan for its modes. */
#ifndef SOFA_NUMERICS_MODES_MODES_IMPL_H
#define SOFA_NUMERICS_MODES_MODES_IMPL_H

#include "numerics/modes/eigenpairs.h"
#include "numerics/modes/modes.h"
#include "numerics/modes/symmetric.h"
#include "simulation/mechanics.h"

/* A point of the plan with vectors of its own. */
typedef struct ModesPoint {
  SofaMechanics *m;
  double *x, *f; /* owned; coord, deriv */
  double *v;     /* owned; of the states */
  SofaMechPoint at;
} ModesPoint;
SofaErr modes_point_create(SofaMechanics *m, ModesPoint *out);
void modes_point_free(ModesPoint *point);
/* The states moved by factor d (d NULL: not moved), with the loads times load_factor, which the
 * plan keeps. */
SofaErr modes_point_set(ModesPoint *point, double factor, const double *d, double load_factor);

/* k K of the point with -k K the derivative of the forces, or m M; rows and columns of what
 * constraints hold are those of the unit matrix. *asymmetry may be NULL. */
SofaErr modes_matrix(const SofaObject *owner, ModesPoint *point, double m, double k,
                     double *asymmetry, SofaSymmetric **out);
/* The mass without these ones on the diagonal; *held: their number. */
SofaErr modes_mass(const SofaObject *owner, ModesPoint *point, double *held, SofaSymmetric **out);

/* Fills modes->mode and modes->shapes, of which there is room for `wanted`. */
SofaErr modes_of_vibration(SofaModes *modes, ModesPoint *point, size_t wanted);
SofaErr modes_of_buckling(SofaModes *modes, ModesPoint *point, size_t wanted);
/* a . b */
static inline double modes_product(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
/* A matrix that is not symmetric: how much, as a warning. */
void modes_warn_asymmetry(const SofaModes *modes, double asymmetry);

#endif
