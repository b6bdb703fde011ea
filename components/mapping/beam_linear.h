/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of BeamLinearMapping, for the class that is based on it. */
#ifndef SOFA_MAPPING_BEAM_LINEAR_H
#define SOFA_MAPPING_BEAM_LINEAR_H

#include "numerics/mapping/frame_sums.h"

typedef struct BeamLinearMapping {
  SofaFrameSums sums;
  bool local_coord;
  SofaIndices chain; /* frames along the line */
} BeamLinearMapping;

extern const SofaClass sofa_BeamLinearMapping_class;

#endif
