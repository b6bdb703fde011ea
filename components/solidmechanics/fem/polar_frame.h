/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What corotational tetrahedra and hexahedra share about frames by decomposition: the quirk of
 * their polar factors, and the field `consistent`. */
#ifndef SOFA_FEM_POLAR_FRAME_H
#define SOFA_FEM_POLAR_FRAME_H

#include "object/object.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_POLAR_EDGES = 1 << 23 };
#define QUIRK_POLAR_EDGES_ROW                                                                      \
  {                                                                                                \
    QUIRK_POLAR_EDGES, "polar-edges",                                                              \
        "corotational tetrahedra and hexahedra decompose their edges, not their deformation",      \
        "test_consistent.polar_factor_of_the_deformation"                                          \
  }

/* Row of the flag `member`; words: the methods it is for. */
#define SOFA_ROW_CONSISTENT(member, words)                                                         \
  SOFA_ROW(member, "consistent", "0", "",                                                          \
           "force and tangent are the exact derivatives of the elastic energy, that of the "       \
           "rotation included: energy is conserved, the net torque is zero, Newton's method "      \
           "converges quadratically. For method " words ". The matrix may be indefinite under "    \
           "large compression")

/* Refuses `consistent` with a method whose frame is not that of a decomposition, and with data that
 * has no energy: `why` (NULL: none). */
SofaErr polar_frame_check(const SofaObject *object, const char *method, const char *why);

#endif
