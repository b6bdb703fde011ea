/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared library that is not a plugin. */
__attribute__((visibility("default"))) int no_symbol_value(void);
int no_symbol_value(void) {
  return 1;
}
