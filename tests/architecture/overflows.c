/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Undefined behaviour, for the sanitizers to find: with an argument or without, a sum overflows. */
#include <limits.h>
#include <stdio.h>

int main(int n, char **arguments) {
  (void)arguments;
  printf("%d\n", INT_MAX - 1 + 2 * n);
  return 0;
}
