/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a shared library shows: all is compiled with -fvisibility=hidden. The functions and
 * variables of the installed headers stand between `#pragma GCC visibility push(default)` and
 * `pop`. */
#ifndef SOFA_BASE_API_H
#define SOFA_BASE_API_H

/* One function or variable that is shown. */
#define SOFA_API __attribute__((visibility("default")))

#endif
