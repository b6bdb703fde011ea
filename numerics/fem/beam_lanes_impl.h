/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Beams in lanes: what the kernels of forces and of tangents share. */
#ifndef SOFA_NUMERICS_FEM_BEAM_LANES_H
#define SOFA_NUMERICS_FEM_BEAM_LANES_H

#include "numerics/fem/beam_kernels.h"
#include "numerics/fem/beam_series_impl.h"
#include "numerics/fem/lane_frames_impl.h"

/* Lanes of a law. */
typedef struct Law {
  Lanes length, axial, shear[2], turn[3], stretch[3], rest_a[4], rest_b[4];
} Law;
_Static_assert(sizeof(Law) == SOFA_BEAM_LAW * sizeof(Lanes), "the reals of a law");
/* Lanes of a pose. */
typedef struct Pose {
  Lanes frame[4], length, direction[3], theta[3], load[12];
} Pose;
_Static_assert(sizeof(Pose) == SOFA_BEAM_POSE * sizeof(Lanes), "the reals of a pose");

ALWAYS void load_rows(const double (*from)[SOFA_LANES], size_t s, size_t n, Lanes *to) {
  for (size_t k = 0; k < n; k++) to[k] = lanes_load(from[k] + s);
}
ALWAYS void store_rows(const Lanes *from, size_t s, size_t n, double (*to)[SOFA_LANES]) {
  for (size_t k = 0; k < n; k++) lanes_store(to[k] + s, from[k]);
}

/* s, with s_x = 0: the shear forces of a chord, times its length. */
ALWAYS void shear_of(const Law *law, const Lanes *n, Lanes *s) {
  s[0] = lanes_set(0);
  s[1] = law->shear[0] * n[1];
  s[2] = law->shear[1] * n[2];
}

#endif
