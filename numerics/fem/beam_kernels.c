/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of beams, and single beams of a batch. */
#include "numerics/fem/beam_kernels.h"

#include "math/isa.h"

void sofa_beam_batch_set(const SofaBeamBatch *batch, size_t beam, const uint32_t *v,
                         const SofaBeam *law) {
  SofaBeamGroup *group = &batch->groups[beam / SOFA_LANES];
  const double *const parts[] = {&law->length, &law->axial, law->shear + 1, law->turn,
                                 law->stretch, law->rest_a, law->rest_b};
  const size_t sizes[] = {1, 1, 2, 3, 3, 4, 4};
  for (size_t l = beam % SOFA_LANES; l < SOFA_LANES; l++) {
    size_t k = 0;
    for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++)
      for (size_t i = 0; i < sizes[p]; i++) group->law[k++][l] = parts[p][i];
    for (size_t n = 0; n < 2; n++) group->v[n][l] = v[n];
  }
}

void sofa_beam_batch_pose(const SofaBeamBatch *batch, size_t beam, SofaBeamPose *out) {
  const SofaBeamGroup *group = &batch->groups[beam / SOFA_LANES];
  double *const parts[] = {out->frame, &out->length, out->direction, out->theta, out->load};
  const size_t sizes[] = {4, 1, 3, 3, 12};
  size_t k = 0;
  for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++)
    for (size_t i = 0; i < sizes[p]; i++) parts[p][i] = group->pose[k++][beam % SOFA_LANES];
}

void sofa_beam_batch_set_tangent(const SofaBeamBatch *batch, size_t beam, const double *k) {
  SofaBeamGroup *group = &batch->groups[beam / SOFA_LANES];
  for (size_t i = 0, e = 0; i < 12; i++)
    for (size_t j = 0; j <= i; j++, e++) group->tangent[e][beam % SOFA_LANES] = -k[12 * i + j];
}

void sofa_beam_batch_tangent(const SofaBeamBatch *batch, size_t beam, double *k) {
  const double *from = batch->groups[beam / SOFA_LANES].tangent[0] + beam % SOFA_LANES;
  for (size_t i = 0; i < 12; i++)
    for (size_t j = 0; j <= i; j++, from += SOFA_LANES) k[12 * i + j] = k[12 * j + i] = *from;
}

const SofaBeamKernels *sofa_beam_kernels(const SofaContext *ctx) {
  static const SofaBeamKernels *const variants[] = SOFA_VARIANTS(&sofa_beam_kernels);
  return variants[sofa_isa(ctx)];
}
