/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projections of points on lines and planes: P = n n^T or P = I - n n^T for a unit vector n. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_LINEAR_PROJECTION_H
#define SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_LINEAR_PROJECTION_H

#include "components/constraint/projective/indexed.h"

typedef struct LinearProjection {
  IndexedConstraint indexed;
  SofaReals origin; /* of the line or plane, m */
  SofaReals given;  /* direction or normal as the scene gives it */
  bool plane;       /* else a line */
  bool from_start;  /* the line goes through each point's own first position */
  unsigned dims;
  double unit[6]; /* given, normalised; 0 when it has no direction */
  uint32_t limit; /* points behind it are not projected, see duplicate-indices */
  SofaReals x0;   /* coords at the first projection */
} LinearProjection;

/* abstract: indices, drawing. The table of a class says what it is: a plane has a field `normal`,
 * a line a field `direction`; a line without `origin` goes through each point's first position. */
extern const SofaClass linear_projection_class;
/* Takes dims, unit and limit from the fields; `field` names given. */
SofaErr linear_projection_init(LinearProjection *p, const char *field);
#define LINEAR_PROJECTION_LISTS PROJECTIVE_COORDS(LinearProjection, x0)
/* r_i = P r_i for derivs. */
void linear_projection_apply(const LinearProjection *p, double *r);
/* Marks the components that P takes away; false when n is not an axis: then there are none. */
bool linear_projection_axes(const LinearProjection *p, bool *components);
/* Takes what P takes away out of an assembled system: dofs where n is an axis, else projections of
 * points. */
SofaErr linear_projection_discard(const LinearProjection *p, SofaDiscard *discard);
/* the indices and the first places follow the points */
extern const SofaTopologyListenerOps linear_projection_listener;
/* response and velocity, position, discard */
extern const SofaProjectiveOps linear_projection_ops;

/* A class on this base with the table `fields` of its file. */
#define LINEAR_PROJECTION_CLASS(Name, help_text, formula)                                          \
  SOFA_CLASS(Name) = {.name = #Name,                                                               \
                      .module = "Sofa.Component.Constraint.Projective",                            \
                      .category = "ProjectiveConstraintSet",                                       \
                      .help = (help_text),                                                         \
                      .equations = (formula),                                                      \
                      .base = &linear_projection_class,                                            \
                      .size = sizeof(LinearProjection),                                            \
                      SOFA_FIELDS(fields),                                                         \
                      .templates = linear_projection_templates}
extern const char *const linear_projection_templates[];

#endif
