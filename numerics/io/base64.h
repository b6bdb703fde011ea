/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digits of base64. Source: RFC 4648, section 4. */
#ifndef SOFA_NUMERICS_IO_BASE64_H
#define SOFA_NUMERICS_IO_BASE64_H

/* 0 to 63; -1: it is none. */
static inline int sofa_base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

#endif
