/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic of one point's mass for every kind of state, and the .rigid file of a rigid body. */
#ifndef SOFA_NUMERICS_MASS_RIGID_MASS_H
#define SOFA_NUMERICS_MASS_RIGID_MASS_H

#include "behavior/mass.h"
#include "math/quaternion.h"

SOFA_BEGIN_DECLS

/* SOFA: the inertia is constant in the axes of the world, and no gyroscopic torques act. */
enum { SOFA_QUIRK_RIGID_WORLD_INERTIA = 1 << 28 };
#define SOFA_QUIRK_RIGID_WORLD_INERTIA_ROW                                                         \
  {                                                                                                \
    SOFA_QUIRK_RIGID_WORLD_INERTIA, "rigid-world-inertia",                                         \
        "rigid bodies have an inertia that does not turn with them and no gyroscopic torque",      \
        "test_rigid_bodies.quirk_keeps_world_axes"                                                 \
  }

/* A point's M acts on its deriv: m on the linear part, m * inertia on the angular one. The inertia
 * is per unit mass, in the axes of the body. All of these take one point; q: the orientation of a
 * body in space (x, y, z, w), NULL: its axes are those of the world, or do not matter. */

/* Does the inertia of a Rigid3 change when the body turns: is it not a multiple of the identity? */
bool sofa_point_mass_turns(const SofaRigidMass *m);
/* r = R A R^T w with the 3 x 3 matrix A, times factor. */
static inline void point_mass_turned(const double *q, const double *a, double factor,
                                     const double *w, double *r) {
  double body[3], product[3];
  if (q) sofa_quat_rotate_inverse(q, w, body);
  else sofa_vec3_copy(w, body);
  for (int c = 0; c < 3; c++) {
    const double *row = a + 3 * c;
    product[c] = factor * (row[0] * body[0] + row[1] * body[1] + row[2] * body[2]);
  }
  if (q) sofa_quat_rotate(q, product, r);
  else sofa_vec3_copy(product, r);
}

/* res += factor M dx */
static inline void point_mass_apply(SofaStateKind kind, const SofaRigidMass *m, const double *q,
                                    double factor, const double *dx, double *res) {
  const double f = factor * m->mass;
  const unsigned deriv = sofa_state_kind_info(kind)->deriv;
  if (kind == SOFA_RIGID3) {
    double spin[3];
    point_mass_turned(q, m->inertia, f, dx + 3, spin);
    for (int c = 0; c < 3; c++) {
      res[c] += f * dx[c];
      res[3 + c] += spin[c];
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
void sofa_point_mass_block(SofaStateKind kind, const SofaRigidMass *m, const double *q,
                           double *block);
/* inertia (3 x 3, row major) += that of a Rigid3 in world axes, kg m^2. */
void sofa_point_mass_add_inertia(const SofaRigidMass *m, const double *q, double *inertia);
/* a = M^-1 f. inverse: of m * inertia, from sofa_point_mass_inverse (rigid kinds only). */
void sofa_point_mass_divide(SofaStateKind kind, const SofaRigidMass *m, const double *inverse,
                            const double *q, const double *f, double *a);
/* Inverse of m * inertia (9 reals; Rigid2: 1); zeros when it is singular. */
void sofa_point_mass_inverse(SofaStateKind kind, const SofaRigidMass *m, double *inverse);
/* 1/2 v . M v */
double sofa_point_mass_kinetic(SofaStateKind kind, const SofaRigidMass *m, const double *q,
                               const double *v);

/* The contents of a .rigid file. */
typedef struct SofaRigidFile {
  SofaRigidMass value;
  bool has_mass, has_volume, has_inertia;
} SofaRigidFile;
/* Reads a .rigid file for a Rigid3 mass. Unknown lines are reported with file and line: an error,
 * with keep_going they are skipped. */
SofaErr sofa_rigid_file_read(const SofaObject *object, const char *path, SofaRigidFile *out);

SOFA_END_DECLS

#endif
