/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correctly rounded conversions between doubles and decimal numbers by integers of up to 192 bits,
 * for the numbers that files are full of; a caller uses the C library for the others. */
#ifndef SOFA_BASE_DECIMAL_IMPL_H
#define SOFA_BASE_DECIMAL_IMPL_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number: digits * 10^(exponent + 1 - n_digits), digits < 10^n_digits, that is
 * d.ddd * 10^exponent. */
typedef struct SofaDecimal {
  uint64_t digits;
  int exponent;
  bool same; /* it reads back as the double that it was made of */
} SofaDecimal;

/* The nearest number of 1 to 17 digits to value > 0, of two the even one. false: the value is not
 * normal, or too large or too small: about 1e-38 to 10^n_digits can be converted. */
bool sofa_decimal_of(double value, int n_digits, SofaDecimal *out);

/* The double nearest to m 10^exponent, of two the even one. false: |exponent| > 27. */
bool sofa_decimal_value(uint64_t m, int64_t exponent, double *value);

#endif
