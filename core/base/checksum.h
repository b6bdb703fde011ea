/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A checksum of bytes. It distinguishes files and matrices; it does not detect forgery. */
#ifndef SOFA_BASE_CHECKSUM_H
#define SOFA_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define SOFA_CHECKSUM_BEGIN UINT64_C(0xcbf29ce484222325)

/* The checksum of the bytes that `sum` covers and n more: FNV-1a over words of eight bytes,
 * high bits folded down so that the last bits of every word count. */
static inline uint64_t sofa_checksum(uint64_t sum, const void *bytes, size_t n) {
  const unsigned char *at = (const unsigned char *)bytes;
  while (n) {
    uint64_t word = 0;
    const size_t part = n < 8 ? n : 8;
    sofa_copy(&word, at, part);
    sum = (sum ^ word) * UINT64_C(0x100000001b3);
    sum ^= sum >> 32;
    at += part;
    n -= part;
  }
  return sum;
}

#endif
