/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/decimal_impl.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

enum { MANTISSA = 53, MOST_FIVES = 27 }; /* bits of a double; 5^27 has 63 bits */

static uint64_t power(uint64_t base, unsigned n) {
  uint64_t result = 1;
  for (; n; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}

static unsigned bits_of(Wide x) {
  const uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
  return high  ? 128 - (unsigned)__builtin_clzll(high)
         : low ? 64 - (unsigned)__builtin_clzll(low)
               : 0;
}

/* ---- to decimal ---- */

/* value = m 2^e; value 10^k = x 2^-shift with x = m 5^k in 192 bits. */
typedef struct Scaled {
  uint64_t m;
  int e, shift;
  Wide five; /* 5^k */
  uint64_t high;
  Wide low;
} Scaled;

static bool scale(Scaled *s, int k) {
  if (k < 0 || k > 2 * MOST_FIVES) return false;
  const uint64_t a = power(5, (unsigned)(k < MOST_FIVES ? k : MOST_FIVES));
  const uint64_t b = k > MOST_FIVES ? power(5, (unsigned)(k - MOST_FIVES)) : 1;
  const Wide first = (Wide)s->m * a, lower = (Wide)(uint64_t)first * b,
             upper = (Wide)(uint64_t)(first >> 64) * b + (uint64_t)(lower >> 64);
  s->five = (Wide)a * b;
  s->low = upper << 64 | (uint64_t)lower;
  s->high = (uint64_t)(upper >> 64);
  s->shift = -(s->e + k);
  return s->shift < 190;
}

/* x 2^-shift without its fraction, and the rest of x; false: more than 64 bits. */
static bool divide(const Scaled *s, uint64_t *whole, uint64_t *rest_high, Wide *rest) {
  const int n = s->shift;
  *rest_high = 0;
  *rest = 0;
  if (n <= 0) {
    *whole = (uint64_t)s->low << (n > -64 ? -n : 0);
    return n > -64 && !s->high && bits_of(s->low) + (unsigned)-n <= 64;
  }
  if (n >= 128) {
    *whole = s->high >> (n - 128);
    *rest_high = n > 128 ? s->high & (((uint64_t)1 << (n - 128)) - 1) : 0;
    *rest = s->low;
    return true;
  }
  const Wide up = n > 64 ? (Wide)s->high << (128 - n) : 0;
  *whole = (uint64_t)(s->low >> n | up);
  *rest = s->low & (((Wide)1 << n) - 1);
  return n > 64 ? bits_of(s->low >> n | up) <= 64 : !s->high && bits_of(s->low >> n) <= 64;
}

/* Rounds d->digits to the nearest. *distance to it in units of x; 2^126 stands for all above. */
static void round_off(const Scaled *s, uint64_t high, Wide rest, SofaDecimal *d, bool *up,
                      Wide *distance) {
  const int n = s->shift;
  *up = false;
  *distance = 0;
  if (n <= 0) return;
  // the rest as a part of 2^n: of its half, in 192 bits
  const uint64_t half_high = n > 128 ? (uint64_t)1 << (n - 129) : 0;
  const Wide half = n > 128 ? 0 : (Wide)1 << (n - 1);
  const bool more = high > half_high || (high == half_high && rest > half);
  *up = more || (high == half_high && rest == half && (d->digits & 1));
  if (*up) {
    const uint64_t all_high = n >= 128 ? (uint64_t)1 << (n - 128) : 0;
    const Wide all = n >= 128 ? 0 : (Wide)1 << n;
    high = all_high - high - (all < rest);
    rest = all - rest;
    d->digits++;
  }
  const Wide most = (Wide)1 << 126;
  *distance = high || rest > most ? most : rest;
}

/* Is the decimal number nearer to m 2^e than to the doubles beside it? In units of x they are
 * 5^k away. */
static bool reads_back(const Scaled *s, bool up, Wide distance) {
  const Wide most = (Wide)1 << 126;
  if (distance >= most) return false;
  // below a power of two, doubles are twice as dense
  if (!up && s->m == (uint64_t)1 << (MANTISSA - 1)) return 4 * distance <= s->five;
  return 2 * distance < s->five || (2 * distance == s->five && !(s->m & 1));
}

bool sofa_decimal_of(double value, int n_digits, SofaDecimal *out) {
  uint64_t bits, rest_high;
  Wide rest, distance;
  bool up;
  memcpy(&bits, &value, sizeof bits);
  const int biased = (int)(bits >> 52);
  if (biased <= 0 || biased >= 2047) return false;
  Scaled s = {.m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52, .e = biased - 1075};
  const uint64_t end = power(10, (unsigned)n_digits);
  // log10 of 2^(e + 52), down; the exponent is this or the next
  *out = (SofaDecimal){.exponent = (int)floor((s.e + 52) * 0.30102999566398120)};
  for (int i = 0; i < 2; i++, out->exponent++) {
    if (!scale(&s, n_digits - 1 - out->exponent)) return false;
    if (divide(&s, &out->digits, &rest_high, &rest) && out->digits < end) break;
    if (i == 1) return false;
  }
  round_off(&s, rest_high, rest, out, &up, &distance);
  out->same = reads_back(&s, up, distance);
  if (out->digits == end) {
    out->digits /= 10;
    out->exponent++;
  }
  return true;
}

/* ---- from decimal ---- */

/* The double nearest to (x + a part of 1 if there is a rest) 2^exponent; x has 54 bits or more, or
 * no rest. */
static double nearest(Wide x, bool rest, int exponent) {
  const unsigned n = bits_of(x);
  if (n <= MANTISSA) return ldexp((double)(uint64_t)x, exponent);
  const unsigned cut = n - MANTISSA;
  uint64_t m = (uint64_t)(x >> cut);
  const Wide part = x & (((Wide)1 << cut) - 1), half = (Wide)1 << (cut - 1);
  m += part > half || (part == half && (rest || (m & 1)));
  return ldexp((double)m, exponent + (int)cut);
}

bool sofa_decimal_value(uint64_t m, int64_t exponent, double *value) {
  if (exponent < -MOST_FIVES || exponent > MOST_FIVES) return false;
  if (!m) {
    *value = 0;
    return true;
  }
  const int e = (int)exponent;
  const uint64_t five = power(5, (unsigned)(e < 0 ? -e : e));
  if (e >= 0) {
    *value = nearest((Wide)m * five, false, e);
    return true;
  }
  const int up = 63 + __builtin_clzll(m);
  const Wide x = (Wide)m << up, quotient = x / five;
  *value = nearest(quotient, quotient * five != x, e - up);
  return true;
}
