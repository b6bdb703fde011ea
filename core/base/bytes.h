/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies, comparisons and sorts of blocks of memory whose size may be 0, of lists that have no
 * memory then: the functions of the C library are undefined for null pointers of any size. */
#ifndef SOFA_BASE_BYTES_H
#define SOFA_BASE_BYTES_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* memcpy */
static inline void sofa_copy(void *to, const void *from, size_t size) {
  if (size) memcpy(to, from, size);
}
/* memmove: the blocks may overlap */
static inline void sofa_move(void *to, const void *from, size_t size) {
  if (size) memmove(to, from, size);
}
/* memset; any other value than 0 is for flags and text */
static inline void sofa_fill(void *to, int value, size_t size) {
  if (size) memset(to, value, size);
}
static inline void sofa_zero(void *to, size_t size) {
  if (size) memset(to, 0, size);
}
/* memcmp; blocks of size 0 are equal */
static inline int sofa_compare(const void *a, const void *b, size_t size) {
  return size ? memcmp(a, b, size) : 0;
}
typedef int (*SofaOrder)(const void *a, const void *b);
/* qsort */
static inline void sofa_sort(void *list, size_t n, size_t size, SofaOrder order) {
  if (n > 1) qsort(list, n, size, order);
}
/* bsearch */
static inline void *sofa_search(const void *key, const void *list, size_t n, size_t size,
                                SofaOrder order) {
  return n ? bsearch(key, list, n, size, order) : NULL;
}

#endif
