/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of the error codes. */
#include "base/error.h"

#include <stddef.h>

const char *sofa_err_text(SofaErr err) {
#define SOFA_ERR_ROW(code, text) text,
  static const char *const texts[] = {SOFA_ERRORS(SOFA_ERR_ROW)};
#undef SOFA_ERR_ROW
  const size_t n = sizeof texts / sizeof *texts;
  return (size_t)err < n ? texts[(size_t)err] : "unknown error";
}
