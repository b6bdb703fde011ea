/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over beams, compiled once per instruction set. avx2 and avx512 give the same bits;
 * lanes do not see each other. Forces are added beam by beam. */
#ifndef SOFA_NUMERICS_FEM_BEAM_KERNELS_H
#define SOFA_NUMERICS_FEM_BEAM_KERNELS_H

#include "base/context.h"
#include "numerics/fem/beam_element.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/element_sums.h"

SOFA_BEGIN_DECLS

enum {
  SOFA_BEAM_LAW = 18,   /* length, axial, shear y z, turn, stretch, rest_a, rest_b of a SofaBeam */
  SOFA_BEAM_POSE = 23,  /* the reals of a SofaBeamPose */
  SOFA_BEAM_PACKED = 78 /* the lower half of 12 x 12, by rows */
};

/* Beams side by side; lanes beyond the last beam repeat it. */
typedef struct SofaBeamGroup {
  uint32_t v[2][SOFA_LANES];
  double law[SOFA_BEAM_LAW][SOFA_LANES];
  double pose[SOFA_BEAM_POSE][SOFA_LANES];      /* of the last force */
  double turning[2][SOFA_LANES];                /* (t/2) / sin(t/2) and cos(t/2) of its angle */
  double tangent[SOFA_BEAM_PACKED][SOFA_LANES]; /* minus the second derivative of W */
} SofaBeamGroup;

typedef struct SofaBeamBatch {
  size_t n;
  bool exact;            /* all of them */
  SofaBeamGroup *groups; /* borrowed */
} SofaBeamBatch;

/* Puts a beam into its lane. */
void sofa_beam_batch_set(const SofaBeamBatch *batch, size_t beam, const uint32_t *v,
                         const SofaBeam *law);
void sofa_beam_batch_pose(const SofaBeamBatch *batch, size_t beam, SofaBeamPose *out);
/* k: the second derivative of W, symmetric. */
void sofa_beam_batch_set_tangent(const SofaBeamBatch *batch, size_t beam, const double *k);
/* The tangent, 12 x 12: minus that. */
void sofa_beam_batch_tangent(const SofaBeamBatch *batch, size_t beam, double *k);

/* x: poses of all points, 7 reals each; dx, f and df: 6 reals each. */
typedef struct SofaBeamKernels {
  const char *name; /* as of SofaKernels */
  /* Poses at x; gives minus the derivative of W. */
  void (*force)(const SofaBeamBatch *batch, const double *x, SofaVectorsTo to);
  /* Makes the tangents at the poses of the last force. */
  void (*tangents)(const SofaBeamBatch *batch);
  /* Gives factor times the tangents with dx. */
  void (*product)(const SofaBeamBatch *batch, double factor, const double *dx, SofaVectorsTo to);
} SofaBeamKernels;

/* The kernels of the context's instruction set. */
const SofaBeamKernels *sofa_beam_kernels(const SofaContext *ctx);

/* Use sofa_beam_kernels. The last two exist on x86-64 only. */
extern const SofaBeamKernels sofa_beam_kernels_baseline, sofa_beam_kernels_avx2,
    sofa_beam_kernels_avx512;

SOFA_END_DECLS

#endif
