/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SpringForceField: base struct of the components that make linear springs. */
#ifndef SOFA_SPRING_FORCE_FIELD_H
#define SOFA_SPRING_FORCE_FIELD_H

#include "components/solidmechanics/spring/spring_set.h"

typedef struct SpringForceField {
  SofaForceField force_field;
  SofaReals spring; /* 5 numbers each: m1 m2 ks kd L */
  SofaIndices indices1, indices2;
  SofaReals stiffness, damping, lengths;
  SofaBools elongation_only, enabled;
  double arrow_size;
  int draw_mode;
  /* state */
  SofaSprings springs;
  SofaSpringSpace space;
  bool renumbered;    /* by topological changes, which the lists of the scene do not follow */
  size_t n_assembled; /* springs in assembled matrices and energies: all but for quirks */
  double *tangents;   /* sofa_spring_kept of the springs, of the last force */
  SofaElementSums sums;
  SofaEdgeAssembly *edges;
} SpringForceField;

extern const SofaClass sofa_SpringForceField_class;

#endif
