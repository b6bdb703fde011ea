/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases that this machine cannot run. A program with such a case ends with status 77, which ctest
 * counts as skipped: a case that did not run has not passed. */
#ifndef TESTS_SUPPORT_SKIPPED_H
#define TESTS_SUPPORT_SKIPPED_H

#include <stdbool.h>

static bool a_case_was_skipped;

/* Prints why, and remembers it; inside a case `skip()` of cmocka follows. */
#define NOTE_SKIPPED(...) (a_case_was_skipped = true, print_message("skipped: " __VA_ARGS__))

/* Status of the program: number of failures, else 77 when a case was skipped. */
static inline int with_skipped(int failures) {
  return failures ? failures : a_case_was_skipped ? 77 : 0;
}

#endif
