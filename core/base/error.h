/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one error convention: functions return SofaErr and write results to their last arguments. */
#ifndef SOFA_BASE_ERROR_H
#define SOFA_BASE_ERROR_H

#include "base/api.h"

SOFA_BEGIN_DECLS

/* X(code, text). The last four are failures of a step, not of the program: the caller decides. */
#define SOFA_ERRORS(X)                                                                             \
  X(SOFA_OK, "ok")                                                                                 \
  X(SOFA_ERR_MEMORY, "out of memory")                                                              \
  X(SOFA_ERR_ARGUMENT, "invalid argument")                                                         \
  X(SOFA_ERR_PARSE, "unreadable text")                                                             \
  X(SOFA_ERR_NOT_FOUND, "not found")                                                               \
  X(SOFA_ERR_TYPE, "wrong type")                                                                   \
  X(SOFA_ERR_RANGE, "value out of range")                                                          \
  X(SOFA_ERR_IO, "input or output failed")                                                         \
  X(SOFA_ERR_SCENE, "the scene has errors")                                                        \
  X(SOFA_ERR_UNSUPPORTED, "not supported yet")                                                     \
  X(SOFA_ERR_CYCLE, "cyclic dependency")                                                           \
  X(SOFA_ERR_ABI, "plugin was built for another version")                                          \
  X(SOFA_ERR_GEOMETRY, "degenerate or inverted element")                                           \
  X(SOFA_ERR_NOT_CONVERGED, "not converged")                                                       \
  X(SOFA_ERR_SINGULAR, "matrix singular or not positive definite")                                 \
  X(SOFA_ERR_NOT_FINITE, "value not finite")

typedef enum SofaErr {
#define SOFA_ERR_ENUM(code, text) code,
  SOFA_ERRORS(SOFA_ERR_ENUM)
#undef SOFA_ERR_ENUM
} SofaErr;

/* Static text of a code; never NULL. */
const char *sofa_err_text(SofaErr err);

/* Returns on error. Only before the first allocation of a function; afterwards SOFA_GO. */
#define SOFA_TRY(expr)                                                                             \
  do {                                                                                             \
    const SofaErr sofa_try_err_ = (expr);                                                          \
    if (sofa_try_err_ != SOFA_OK) return sofa_try_err_;                                            \
  } while (0)

/* Assigns the result to `err` and jumps to `label` on error: the one cleanup exit. */
#define SOFA_GO(err, label, expr)                                                                  \
  do {                                                                                             \
    (err) = (expr);                                                                                \
    if ((err) != SOFA_OK) goto label;                                                              \
  } while (0)

SOFA_END_DECLS

#endif
