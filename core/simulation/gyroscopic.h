/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gyroscopic torques of rigid bodies whose inertia turns with them (SofaMass.turns).
 *
 * The spin of a body obeys I dw/dt = t - w x I w with I = R I_body R^T. The torque -w x I w has a
 * derivative by w that is not symmetric, and in the matrix of a step it would exclude the solvers
 * for symmetric systems. It couples the spin of one body with itself alone. Hence a step with one
 * linearisation solves this part body by body, without linearisation, and adds the torque that it
 * finds to the forces. Newton's iterations contract by about h w of a body with the spin w, the
 * motion of its inertia among that; stiff forces on the body do not change this.
 *
 * Masses of mapped states count as J^T M J at the point; the forces of the motion of their J are
 * added with the torques (simulation/mapped_inertia.h). */
#ifndef SOFA_SIMULATION_GYROSCOPIC_H
#define SOFA_SIMULATION_GYROSCOPIC_H

#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

/* Does a mass of an independent state turn? Without one the functions below do nothing. */
bool sofa_mech_turns(const SofaMechanics *m);
/* The spin that a scheme wants the torque for: u = v + before a + after a', where a is a known
 * acceleration (NULL: none) and a' = I^-1 (t - u x I u) that by the torques t in f and by this one.
 * after: 0 in explicit stages, h/2 for the middle of a step. */
typedef struct SofaSpinTime {
  const double *v, *a;
  double before, after;
} SofaSpinTime;
/* r = -u x I u */
void sofa_gyroscopic_torque(const double *inertia, const double *u, double *r);
/* f += -u x I u, I at the point's x_mass; and the forces of the motion of J below mappings, at v.
 */
SofaErr sofa_mech_add_gyroscopic(SofaMechanics *m, const SofaMechPoint *at,
                                 const SofaSpinTime *when, double *f);
/* The same without a. */
static inline SofaErr sofa_mech_add_gyroscopic_at(SofaMechanics *m, const SofaMechPoint *at,
                                                  const double *v, double after, double *f) {
  const SofaSpinTime when = {v, NULL, 0, after};
  return sofa_mech_add_gyroscopic(m, at, &when, f);
}

/* a = M^-1 f of the spins of bodies that turn, where constraints hold some of their axes: on the
 * others. Called by sofa_mech_acc_from_f. */
SofaErr sofa_mech_held_spins(SofaMechanics *m, const SofaMechPoint *at, const double *f, double *a);

/* r += factor a x b of the angular parts of the bodies' entries: what the composition of two
 * rotations differs by from that of the sum of their vectors. */
void sofa_mech_add_commutator(const SofaMechanics *m, double factor, const double *a,
                              const double *b, double *r);
/* Is there an independent state of rigid bodies in space? */
bool sofa_mech_has_frames(const SofaMechanics *m);

/* The spin w with I(exp(c w) q) w = p of each body that turns, for momenta p and q at the point:
 * into v. The other entries of v stay. Where constraints hold an axis c is taken for 0. */
SofaErr sofa_mech_spin_of_momentum(SofaMechanics *m, const SofaMechPoint *at, const double *p,
                                   double c, double *v);
/* The angular parts of bodies that turn. */
void sofa_mech_copy_spins(const SofaMechanics *m, const double *from, double *to);

SOFA_END_DECLS

#endif
