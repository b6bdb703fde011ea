/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the direct solvers LLTSolver, LDLTSolver and LUSolver have in common: the attribute
 * `backend` and counts of what they did. */
#ifndef CARIBOU_SOLVER_DIRECT_H
#define CARIBOU_SOLVER_DIRECT_H

#include "numerics/direct/cholmod_solver.h"

typedef struct CaribouDirect {
  SofaOption backend;
  uint32_t analyses, factorizations; /* since the beginning */
} CaribouDirect;

extern const char *const caribou_backends[];

/* The rows of the fields; `direct` is a CaribouDirect in struct T. */
#define CARIBOU_DIRECT_ROWS(T, direct)                                                             \
  SOFA_FIELD(T, direct.backend, "backend", "Eigen", "",                                            \
             "library that factorises in the plugin; here it is SuiteSparse for both",             \
             .options = caribou_backends),                                                         \
      SOFA_FIELD(T, direct.analyses, "analyses", "0", "1",                                         \
                 "analyses of the pattern of the matrix so far", .flags = SOFA_FIELD_OUTPUT),      \
      SOFA_FIELD(T, direct.factorizations, "factorizations", "0", "1", "factorizations so far",    \
                 .flags = SOFA_FIELD_OUTPUT)

/* Says what serves the backend. */
void caribou_direct_tell(const SofaObject *solver, const CaribouDirect *direct, const char *served);

/* ---- LLTSolver and LDLTSolver ---- */

typedef struct CaribouSymmetric {
  SofaCholmodLinearSolver base;
  CaribouDirect direct;
} CaribouSymmetric;

enum { CARIBOU_SYMMETRIC_FIELDS = 3 };
extern const SofaField caribou_symmetric_fields[CARIBOU_SYMMETRIC_FIELDS];
extern const char *const caribou_symmetric_templates[];
extern const SofaLinearSolverOps caribou_symmetric_ops;
SofaErr caribou_symmetric_init(SofaObject *object);

#endif
