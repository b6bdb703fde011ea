/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exported symbols. Everything is compiled with -fvisibility=hidden. The installed headers declare
 * their functions and variables between `#pragma GCC visibility push(default)` and `pop`. */
#ifndef SOFA_BASE_API_H
#define SOFA_BASE_API_H

/* Exports one function or variable. */
#define SOFA_API __attribute__((visibility("default")))

#endif
