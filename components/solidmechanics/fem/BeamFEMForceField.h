/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BeamFEMForceField, for the classes that derive from it. */
#ifndef SOFA_FEM_BEAM_FEM_FORCE_FIELD_H
#define SOFA_FEM_BEAM_FEM_FORCE_FIELD_H

#include "numerics/fem/beam_kernels.h"
#include "numerics/fem/linear_fem.h"
#include "numerics/fem/packed_pairs.h"

typedef struct BeamFEMBeam {
  uint32_t a, b;
  SofaBeam law;
  /* of the quirk */
  SofaBeamPose pose;   /* of the last force */
  double rest[3];      /* q_a0^-1 (X_b - X_a), m */
  double rest_turn[4]; /* q_a0^-1 q_b0 */
} BeamFEMBeam;

typedef struct BeamFEMForceField {
  SofaLinearFem fem;
  SofaReals beams_data;     /* output: forces at the ends */
  SofaVec6s section_forces; /* output: in the middle */
  double radius, radius_inner;
  double area, iy, iz, j; /* 0: of the round section */
  bool shear;
  double shear_y, shear_z; /* likewise */
  SofaIndices list_segment;
  bool symmetric_assembly;
  BeamFEMBeam *beams;
  SofaBeamBatch batch; /* the same, in lanes */
  SofaElementSums sums;
  SofaElementPairs *pairs; /* of ends of beams; made by the first assembly */
  size_t n;
  uint32_t revision;
  bool none;        /* all of listSegment were removed */
  bool exact;       /* beams are geometrically exact; set by a class at construction */
  bool first_frame; /* the quirk */
  bool tangents;    /* those of the batch are of the last force */
} BeamFEMForceField;

extern const SofaClass sofa_BeamFEMForceField_class;

#endif
