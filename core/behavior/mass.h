/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses: M, gravity, energies. A mass is also a force field: its add_force is gravity. */
#ifndef SOFA_BEHAVIOR_MASS_H
#define SOFA_BEHAVIOR_MASS_H

#include "behavior/force_field.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_mass_interface;
#define SOFA_MASS (&sofa_mass_interface)

typedef struct SofaMass {
  SofaForceField force_field;
  bool separate_gravity;
  bool gravity_apart; /* the solver of the plan adds gravity to velocities: no forces of gravity */
  double rayleigh_mass;
  bool inert; /* refused after an error with keep_going: no M, but still gravity, as in SOFA */
  bool turns; /* set at init: the inertia of the bodies turns with them and is not that of balls,
                 so that M depends on x and gyroscopic torques act */
} SofaMass;

extern const SofaClass sofa_mass_class; /* abstract */

/* Rows of the fields of a mass, for the tables of classes with another base whose struct starts
 * with a SofaMass all the same. path: the text before the member in struct T, with its dot. */
#define SOFA_MASS_ROWS(T, path)                                                                    \
  SOFA_FIELD(T, path separate_gravity, "separateGravity", "0", "",                                 \
             "add gravity to the velocities at the end of a step instead of to the forces"),       \
      SOFA_FIELD(T, path rayleigh_mass, "rayleighMass", "0", "1/s",                                \
                 "Rayleigh damping proportional to this mass: adds rayleighMass M to the damping")

/* M is a function of the positions x of the state, in its layout: rigid bodies have a constant
 * inertia in their own axes. Forces that follow from its change are sofa_mech_add_gyroscopic. */
typedef struct SofaMassOps {
  /* required: res += factor M(x) dx, arrays in the state's layout. */
  SofaErr (*add_mdx)(SofaMass *mass, const double *x, const double *dx, double *res, double factor);
  /* required when is_diagonal can be true: a = M(x)^-1 f (dofs without mass are left). */
  SofaErr (*acc_from_f)(SofaMass *mass, const double *x, const double *f, double *a);
  /* required: adds M(x) (the tangent's factor holds the factor). */
  SofaErr (*add_m)(SofaMass *mass, const double *x, const SofaTangent *tangent);
  /* required */
  bool (*is_diagonal)(const SofaMass *mass);
  double (*kinetic_energy)(SofaMass *mass, const double *x, const double *v);
  double (*potential_energy)(SofaMass *mass, const double *x, const double g[3]);
  /* optional: total mass [kg], for checks and monitors */
  double (*total_mass)(const SofaMass *mass);
  /* of classes that set SofaMass.turns: inertia[9 i ...] += that of body i about its centre in
   * world axes, row major, kg m^2 */
  void (*add_inertia)(SofaMass *mass, const double *x, double *inertia);
  bool tangent_is_mdx; /* add_m gives the operator of add_mdx */
  bool constant;       /* M depends on x only where SofaMass.turns is set, and changes only with
                          sofa_object_changed */
} SofaMassOps;

static inline const SofaMassOps *sofa_mass_ops(const SofaMass *mass) {
  return mass->force_field.mass_ops;
}
/* The positions of its state now. */
static inline const double *sofa_mass_x(const SofaMass *mass) {
  return mass->force_field.state[0]->position.data;
}
/* m - r * rayleighMass of the component: the factor of its M. */
static inline double sofa_mfactor(const SofaMass *mass, const SofaMechParams *params) {
  return params->m - params->r * mass->rayleigh_mass;
}
/* After an error of a mass was reported: returns err, or with keep_going makes the mass inert and
 * returns SOFA_OK. */
SofaErr sofa_mass_refuse(SofaMass *mass, SofaErr err);
/* Do all assemblies of K, B and M with the same factors add the same until sofa_object_changed? */
bool sofa_force_field_is_constant(const SofaForceField *ff);
/* v += g dt on every dof of the state (linear part), for separateGravity. */
void sofa_mass_add_gravity_to_v(SofaMass *mass, double dt, double *v);

SOFA_END_DECLS

#endif
