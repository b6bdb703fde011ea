/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared library that is not a plugin: it must not be opened. */
#include <stdio.h>

__attribute__((constructor)) static void begin(void) {
  fputs("a constructor ran\n", stderr);
}

__attribute__((visibility("default"))) int no_symbol_value(void);
int no_symbol_value(void) {
  return 1;
}
