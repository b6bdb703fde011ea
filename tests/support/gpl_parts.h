/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases that need a part of SuiteSparse under the GPL, which a build with CSOFA_GPL off does not
 * have. They are skipped: the program ends with 77, see skipped.h. */
#ifndef TESTS_SUPPORT_GPL_PARTS_H
#define TESTS_SUPPORT_GPL_PARTS_H

#include <string.h>

#include "numerics/direct/gpl_parts.h"
#include "tests/support/skipped.h"

/* Does the text name a solver that this build refuses? Says so. */
static inline bool lacks_gpl_part(const char *text) {
  static const char *const solvers[][2] = {
      {"EigenSparseLU", "UMFPACK"}, {"LUSolver", "UMFPACK"}, {"EigenSparseQR", "SuiteSparseQR"}};
  if (sofa_has_gpl_parts()) return false;
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
    if (strstr(text, solvers[i][0])) {
      NOTE_SKIPPED("%s needs %s, which this build does not have (CSOFA_GPL is off)\n",
                   solvers[i][0], solvers[i][1]);
      return true;
    }
  return false;
}

#endif
