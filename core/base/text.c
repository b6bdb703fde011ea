/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and printing of numbers without the locale, and the likeness of words. */
#include "base/text.h"
#include "base/decimal_impl.h"

#include <float.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the C locale ---- */

/* glibc hands out its built-in C locale here: no allocation, and nothing to go wrong. */
static locale_t c_locale(void) {
  return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int sofa_vprint(char *buffer, size_t size, const char *format, va_list args) {
  // most programs leave the decimal point as it is: nothing to switch
  const bool point = strcmp(nl_langinfo(RADIXCHAR), ".") == 0;
  const locale_t c = point ? (locale_t)0 : c_locale();
  const locale_t old = c ? uselocale(c) : (locale_t)0;
  const int n = vsnprintf(buffer, size, format, args);
  if (c) {
    uselocale(old);
    freelocale(c);
  }
  return n;
}

static int print(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int print(char *buffer, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = sofa_vprint(buffer, size, format, args);
  va_end(args);
  return n;
}

/* ---- scanning ---- */

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The next character, NUL at the end; end is NULL when the text ends with a NUL. */
static char peek(const char *p, const char *end) {
  return p == end ? '\0' : *p;
}

static const char *skip_space(const char *p) {
  while (is_space(*p)) p++;
  return p;
}

bool sofa_at_end(const char **text) {
  *text = skip_space(*text);
  return **text == '\0';
}

bool sofa_read_word(const char **text, const char **word, size_t *length) {
  const char *p = skip_space(*text);
  *word = p;
  while (*p && !is_space(*p)) p++;
  *length = (size_t)(p - *word);
  *text = p;
  return *length > 0;
}

/* ---- integers ---- */

static bool parse_int(const char *p, const char *end, const char **stop, int64_t *value) {
  const bool minus = peek(p, end) == '-';
  const uint64_t limit = minus ? UINT64_C(1) << 63 : INT64_MAX;
  uint64_t u = 0;
  *stop = p;
  *value = 0;
  if (minus || peek(p, end) == '+') p++;
  if (!is_digit(peek(p, end))) return false;
  for (; is_digit(peek(p, end)); p++) {
    const uint64_t digit = (uint64_t)(*p - '0');
    if (u > (limit - digit) / 10) return false;
    u = u * 10 + digit;
  }
  *stop = p;
  *value = minus ? (int64_t)(0 - u) : (int64_t)u;
  return true;
}

bool sofa_parse_int(const char *begin, const char *end, const char **stop, int64_t *value) {
  return parse_int(begin, end, stop, value);
}

bool sofa_read_int(const char **text, int64_t *value) {
  *text = skip_space(*text);
  return parse_int(*text, NULL, text, value);
}

/* ---- reals ---- */

/* The value is m * 10^exponent, m being the first 19 significant digits when there are no more,
 * with the digits found in [digits, digits_end) among which one '.' may stand. */
typedef struct Decimal {
  const char *digits, *digits_end;
  uint64_t m;
  int64_t exponent;
  size_t significant;
  bool minus;
} Decimal;

/* Digits and the point. False when there is no digit. */
static bool scan_digits(const char **text, const char *end, Decimal *d) {
  const char *p = *text;
  bool point = false, any = false;
  d->digits = p;
  for (;; p++) {
    const char c = peek(p, end);
    if (c == '.' && !point) {
      point = true;
    } else if (is_digit(c)) {
      any = true;
      d->exponent -= point;
      if (d->significant || c != '0') d->significant++;
      if (d->significant <= 19) d->m = d->m * 10 + (uint64_t)(c - '0');
    } else {
      break;
    }
  }
  d->digits_end = *text = p;
  return any;
}

/* e[sign]digits, if there is an e. False when no digit follows it: C++ streams refuse "5e". */
static bool scan_exponent(const char **text, const char *end, Decimal *d) {
  const char *p = *text;
  if (peek(p, end) != 'e' && peek(p, end) != 'E') return true;
  p++;
  const bool minus = peek(p, end) == '-';
  if (minus || peek(p, end) == '+') p++;
  if (!is_digit(peek(p, end))) return false;
  int64_t e = 0;
  for (; is_digit(peek(p, end)); p++) {
    if (e < INT64_MAX / 100) e = e * 10 + (*p - '0');
  }
  // far beyond any double, whatever the digits in front are
  d->exponent += minus ? -e : e;
  *text = p;
  return true;
}

/* Significant digits kept for strtod: more than the 767 that decide the rounding of a double. */
#define KEPT_DIGITS 800

/* Correctly rounded for any number of digits: the tail is replaced by one digit that keeps the
 * number on the right side of every rounding boundary. */
static double slow_decimal(const Decimal *d) {
  char buffer[KEPT_DIGITS + 32];
  size_t n = 0, dropped = 0;
  bool tail = false;
  for (const char *p = d->digits; p < d->digits_end; p++) {
    if (*p == '.' || (!n && *p == '0')) continue;
    if (n < KEPT_DIGITS) {
      buffer[n++] = *p;
    } else {
      dropped++;
      tail |= *p != '0';
    }
  }
  int64_t exponent = d->exponent + (int64_t)dropped;
  if (tail) {
    buffer[n++] = '1';
    exponent--;
  }
  if (exponent > 1000000) exponent = 1000000;
  if (exponent < -1000000) exponent = -1000000;
  print(buffer + n, sizeof buffer - n, "e%d", (int)exponent);
  const locale_t c = c_locale();
  const double value = strtod_l(buffer, NULL, c);
  freelocale(c);
  return value;
}

static double decimal_value(const Decimal *d) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double value;
  if (!d->significant) return 0;
  // both factors are exact, so the one rounding of the operation is the right one
  if (d->significant <= 19 && d->m <= UINT64_C(1) << 53) {
    const double m = (double)d->m;
    if (d->exponent >= 0 && d->exponent <= 22) return m * tens[d->exponent];
    if (d->exponent < 0 && d->exponent >= -22) return m / tens[-d->exponent];
  }
  if (d->significant <= 19 && sofa_decimal_value(d->m, d->exponent, &value)) return value;
  return slow_decimal(d);
}

static bool parse_real(const char *p, const char *end, const char **stop, double *value) {
  Decimal d = {0};
  *stop = p;
  *value = 0;
  d.minus = peek(p, end) == '-';
  if (d.minus || peek(p, end) == '+') p++;
  if (!scan_digits(&p, end, &d) || !scan_exponent(&p, end, &d)) return false;
  const double v = decimal_value(&d);
  if (v > DBL_MAX) return false;
  *stop = p;
  *value = d.minus ? -v : v;
  return true;
}

bool sofa_parse_real(const char *begin, const char *end, const char **stop, double *value) {
  return parse_real(begin, end, stop, value);
}

bool sofa_read_real(const char **text, double *value) {
  *text = skip_space(*text);
  return parse_real(*text, NULL, text, value);
}

/* ---- printing ---- */

static char *put(char *p, const char *from, int n) {
  memcpy(p, from, (size_t)n);
  return p + n;
}

/* The form %.{n}g of a number with n digits; returns the length. */
static size_t put_decimal(char *buffer, bool minus, const SofaDecimal *d, int n) {
  char text[20], *p = buffer;
  int e = d->exponent, last = n;
  uint64_t digits = d->digits;
  for (int i = n; i-- > 0; digits /= 10) text[i] = (char)('0' + digits % 10);
  while (last > 1 && text[last - 1] == '0') last--;
  if (minus) *p++ = '-';
  if (e < -4 || e >= n) {
    *p++ = text[0];
    if (last > 1) *p++ = '.';
    p = put(p, text + 1, last - 1);
    *p++ = 'e';
    *p++ = e < 0 ? '-' : '+';
    e = abs(e);
    *p++ = (char)('0' + e / 10);
    *p++ = (char)('0' + e % 10);
  } else if (e >= 0) {
    p = put(p, text, e + 1);
    if (last > e + 1) *p++ = '.';
    if (last > e + 1) p = put(p, text + e + 1, last - e - 1);
  } else {
    p = put(p, "0.000", 1 - e);
    p = put(p, text, last);
  }
  *p = '\0';
  return (size_t)(p - buffer);
}

static size_t put_zero(char *buffer, bool minus) {
  memcpy(buffer, "-0" + !minus, (size_t)3 - !minus);
  return (size_t)2 - !minus;
}

size_t sofa_print_real(char *buffer, double value, int digits) {
  const bool shortest = digits <= 0;
  SofaDecimal d = {.same = false};
  int n = shortest ? 15 : digits < 17 ? digits : 17;
  if (value == 0) return put_zero(buffer, signbit(value));
  bool found = sofa_decimal_of(fabs(value), n, &d);
  while (found && shortest && !d.same && n < 17) found = sofa_decimal_of(fabs(value), ++n, &d);
  if (found) return put_decimal(buffer, signbit(value), &d, n);
  // very small and large ones, and what is no number
  int length = print(buffer, 32, "%.*g", n, value);
  while (shortest && n < 17 && isfinite(value)) {
    const char *stop = NULL;
    double back = 0;
    if (sofa_parse_real(buffer, buffer + length, &stop, &back) && back == value) break;
    length = print(buffer, 32, "%.*g", ++n, value);
  }
  return length > 0 ? (size_t)length : 0;
}

SofaErr sofa_text_real(SofaContext *ctx, SofaText *text, double value, int digits) {
  char buffer[32];
  return sofa_text_append(ctx, text, buffer, sofa_print_real(buffer, value, digits));
}

size_t sofa_print_int(char *buffer, int64_t value) {
  char digits[20], *p = buffer;
  uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  int n = 0;
  for (digits[n++] = (char)('0' + left % 10); left >= 10;) {
    left /= 10;
    digits[n++] = (char)('0' + left % 10);
  }
  if (value < 0) *p++ = '-';
  while (n) *p++ = digits[--n];
  *p = '\0';
  return (size_t)(p - buffer);
}

SofaErr sofa_text_int(SofaContext *ctx, SofaText *text, int64_t value) {
  char buffer[24];
  return sofa_text_append(ctx, text, buffer, sofa_print_int(buffer, value));
}

/* ---- text that is not printable ---- */

size_t sofa_printable(const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  if (*p < 0x80) return *p >= ' ' && *p != 0x7f;
  const size_t n = *p >= 0xc2 && *p < 0xe0   ? 2
                   : (*p & 0xf0) == 0xe0     ? 3
                   : *p >= 0xf0 && *p < 0xf5 ? 4
                                             : 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  return *p == 0xc2 && p[1] < 0xa0 ? 0 : n; // the control characters U+0080 to U+009F
}

/* The next piece of *text, as it is or escaped in `code`; *text moves behind it. */
static const char *next_piece(const char **text, char code[8], size_t *n) {
  const char *begin = *text;
  size_t length;
  while ((length = sofa_printable(*text)) > 0) *text += length;
  *n = (size_t)(*text - begin);
  if (*n) return begin;
  const unsigned char c = (unsigned char)*(*text)++;
  if (c == '\n' || c == '\t') *n = (size_t)snprintf(code, 8, "\\%c", c == '\n' ? 'n' : 't');
  else *n = (size_t)snprintf(code, 8, "\\x%02x", c);
  return code;
}

void sofa_print_escaped(FILE *out, const char *text) {
  char code[8];
  size_t n;
  while (*text) {
    const char *piece = next_piece(&text, code, &n);
    fwrite(piece, 1, n, out);
  }
}

SofaErr sofa_text_escaped(SofaContext *ctx, SofaText *to, const char *text) {
  char code[8];
  size_t n;
  while (*text) {
    const char *piece = next_piece(&text, code, &n);
    SOFA_TRY(sofa_text_append(ctx, to, piece, n));
  }
  return SOFA_OK;
}

/* ---- likeness of words ---- */

#define LONGEST_WORD ((size_t)128) /* the rest of a longer one does not count */

/* Characters matched by the longest common piece and, on both sides of it, the same again.
 * Ratcliff, Metzener: Pattern matching, the gestalt approach. Dr. Dobb's Journal 13(7), 1988. */
static size_t matched(const char *a, size_t na, const char *b, size_t nb) {
  size_t best = 0, at_a = 0, at_b = 0;
  for (size_t i = 0; i < na; i++) {
    for (size_t j = 0; j < nb; j++) {
      size_t k = 0;
      while (i + k < na && j + k < nb && a[i + k] == b[j + k]) k++;
      if (k > best) best = k, at_a = i, at_b = j;
    }
  }
  if (!best) return 0;
  const size_t right_a = at_a + best, right_b = at_b + best;
  return best + matched(a, at_a, b, at_b) +
         matched(a + right_a, na - right_a, b + right_b, nb - right_b);
}

double sofa_similarity(const char *a, const char *b) {
  const size_t na = strnlen(a, LONGEST_WORD), nb = strnlen(b, LONGEST_WORD);
  if (!na && !nb) return 1;
  return 2.0 * (double)matched(a, na, b, nb) / (double)(na + nb);
}

size_t sofa_nearest_word(const char *word, const char *const *words, size_t n) {
  size_t nearest = n;
  double best = 0.5;
  for (size_t i = 0; i < n; i++) {
    const double s = sofa_similarity(word, words[i]);
    if (s > best || (s >= best && nearest == n)) best = s, nearest = i;
  }
  return nearest;
}

SofaErr sofa_text_suggest(SofaContext *ctx, const char *word, const char *const *words, size_t n,
                          SofaText *out) {
  const size_t nearest = sofa_nearest_word(word, words, n);
  return nearest < n ? sofa_text_printf(ctx, out, "; did you mean '%s'?", words[nearest]) : SOFA_OK;
}
