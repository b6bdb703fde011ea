/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic of one point's mass for every kind of state, and the .rigid file of a rigid body. */
#ifndef SOFA_NUMERICS_MASS_RIGID_MASS_H
#define SOFA_NUMERICS_MASS_RIGID_MASS_H

#include "behavior/mass.h"

#pragma GCC visibility push(default)

/* A point's M acts on its deriv: m on the linear part, m * inertia on the angular one (inertia is
 * per unit mass, in world axes, never rotated). All of these take one point. */
static inline void point_mass_apply(SofaStateKind kind, const SofaRigidMass *m, double factor,
                                    const double *dx, double *res) {
  const double f = factor * m->mass;
  const unsigned deriv = sofa_state_kind_info(kind)->deriv;
  if (kind == SOFA_RIGID3) {
    for (int c = 0; c < 3; c++) {
      const double *row = m->inertia + 3 * c;
      res[c] += f * dx[c];
      res[3 + c] += f * (row[0] * dx[3] + row[1] * dx[4] + row[2] * dx[5]);
    }
  } else if (kind == SOFA_RIGID2) {
    res[0] += f * dx[0];
    res[1] += f * dx[1];
    res[2] += f * m->inertia[0] * dx[2];
  } else {
    for (unsigned c = 0; c < deriv; c++) res[c] += f * dx[c];
  }
}

/* block (deriv x deriv, row major) = M of the point. */
void sofa_point_mass_block(SofaStateKind kind, const SofaRigidMass *m, double *block);
/* a = M^-1 f. inverse: of m * inertia, from sofa_point_mass_inverse (rigid kinds only). */
void sofa_point_mass_divide(SofaStateKind kind, const SofaRigidMass *m, const double *inverse,
                            const double *f, double *a);
/* Inverse of m * inertia (9 reals; Rigid2: 1); zeros when it is singular. */
void sofa_point_mass_inverse(SofaStateKind kind, const SofaRigidMass *m, double *inverse);
/* 1/2 v . M v */
double sofa_point_mass_kinetic(SofaStateKind kind, const SofaRigidMass *m, const double *v);

/* The contents of a .rigid file. */
typedef struct SofaRigidFile {
  SofaRigidMass value;
  bool has_mass, has_volume, has_inertia;
} SofaRigidFile;
/* Reads a .rigid file for a Rigid3 mass. Unknown lines are reported with file and line: an error,
 * with keep_going they are skipped. */
SofaErr sofa_rigid_file_read(const SofaObject *object, const char *path, SofaRigidFile *out);

#pragma GCC visibility pop

#endif
