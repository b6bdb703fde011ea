/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and printing of numbers, against strtod and under a locale with a decimal comma. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include "base/text.h"
#include "object/factory.h"
#include "tests/support/skipped.h"

static void reals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    double value;
    const char *rest;
  } rows[] = {
      {"1", true, 1, ""},
      {" \t\n-1.5e2 3", true, -150, " 3"},
      {".5", true, .5, ""},
      {"1.", true, 1, ""},
      {"+2", true, 2, ""},
      {"1e-3", true, 1e-3, ""},
      {"1E+3x", true, 1e3, "x"},
      {"0.5f", true, .5, "f"},
      {"2,5", true, 2, ",5"},
      {"5d-1", true, 5, "d-1"},
      {"0x1p1", true, 0, "x1p1"},
      {"0-0.7", true, 0, "-0.7"},
      {"1.5.5", true, 1.5, ".5"},
      {"5e3.5", true, 5e3, ".5"},
      {"1-2", true, 1, "-2"},
      {"5e", false, 0, "5e"},
      {"5e+", false, 0, "5e+"},
      {"5e x", false, 0, "5e x"},
      {"nan", false, 0, "nan"},
      {" inf", false, 0, "inf"},
      {"-inf", false, 0, "-inf"},
      {"", false, 0, ""},
      {"  ", false, 0, ""},
      {".", false, 0, "."},
      {"-", false, 0, "-"},
      {"+-1", false, 0, "+-1"},
      {".e5", false, 0, ".e5"},
      {"1e400", false, 0, "1e400"},
      {"1e99999999999999999999", false, 0, "1e99999999999999999999"},
      {"1e-99999999999999999999", true, 0, ""},
      {"0e99999999999999999999", true, 0, ""},
      {"1e-400", true, 0, ""},
      {"4.9406564584124654e-324", true, 4.9406564584124654e-324, ""},
      {"1.7976931348623157e308", true, DBL_MAX, ""},
      {"00000000000000000000000000001.5", true, 1.5, ""},
      {"9007199254740993", true, 9007199254740992.0, ""},
      {"9007199254740993.00000000000000000000000000000000001", true, 9007199254740994.0, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *p = rows[i].text;
    double v = 99;
    assert_int_equal(sofa_read_real(&p, &v), rows[i].ok);
    assert_true(v == rows[i].value);
    assert_string_equal(p, rows[i].rest);
  }
  const char *minus_zero = "-0";
  double v = 1;
  assert_true(sofa_read_real(&minus_zero, &v));
  assert_true(v == 0 && signbit(v));
}

/* A pseudo-random sequence (xorshift). */
static uint64_t next(uint64_t *s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static void round_trip(void) {
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 50000; i++) {
    // any bit pattern that is a finite number, or one of ordinary size
    const uint64_t bits = next(&seed);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x) || i % 2) x = (double)(int64_t)bits / 9e15;
    char text[32], shortest[32];
    const char *stop = NULL;
    double y = 0;
    size_t n = sofa_print_real(text, x, 17);
    assert_int_equal(n, strlen(text));
    assert_true(sofa_parse_real(text, text + n, &stop, &y));
    assert_true(x == y && stop == text + n);
    n = sofa_print_real(shortest, x, 0);
    assert_true(sofa_parse_real(shortest, shortest + n, &stop, &y) && x == y);
  }
}

static void against_strtod(void **state) {
  (void)state;
  uint64_t seed = 42;
  for (int i = 0; i < 100000; i++) {
    // up to 25 digits, point anywhere, exponents beyond both ends
    char text[64];
    const uint64_t r = next(&seed);
    int n = snprintf(text, sizeof text, "%" PRIu64, next(&seed) >> (r % 50));
    if (r & 64) n += snprintf(text + n, sizeof text - (size_t)n, ".%" PRIu64, next(&seed) >> 20);
    if (r & 128) {
      n += snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)((r >> 10) % 700) - 350);
    }
    const double expected = strtod(text, NULL);
    const char *stop = NULL;
    double x = 0;
    const bool ok = sofa_parse_real(text, text + n, &stop, &x);
    assert_int_equal(ok, expected <= DBL_MAX);
    if (ok) assert_true(x == expected && stop == text + n);
  }
}

static void many_digits(void **state) {
  (void)state;
  // 2^53 + 1 is a tie: one digit far behind decides
  static char text[5000];
  memset(text, '0', sizeof text);
  memcpy(text, "9007199254740993.", 17);
  const char *stop = NULL;
  double x = 0;
  assert_true(sofa_parse_real(text, text + sizeof text, &stop, &x));
  assert_true(x == 9007199254740992.0 && stop == text + sizeof text);
  text[4999] = '1';
  assert_true(sofa_parse_real(text, text + sizeof text, &stop, &x));
  assert_true(x == 9007199254740994.0);
  // a dropped integer part counts in the exponent
  memset(text, '1', sizeof text);
  memcpy(text + 4990, "e-4980", 6);
  assert_true(sofa_parse_real(text, text + 4996, &stop, &x));
  assert_true(fabs(x / 1.1111111111111111e9 - 1) < 1e-15);
}

static void bounded(void **state) {
  (void)state;
  // the character behind the end is not looked at: a block of the exact size shows it
  static const char source[] = "12.5e3";
  for (size_t n = 0; n < sizeof source; n++) {
    char *block = malloc(n ? n : 1);
    memcpy(block, source, n);
    const char *stop = NULL;
    double x = 0;
    int64_t k = 0;
    const bool ok = sofa_parse_real(block, block + n, &stop, &x);
    assert_int_equal(ok, n != 0 && n != 5);
    assert_true(stop >= block && stop <= block + n);
    assert_int_equal(sofa_parse_int(block, block + n, &stop, &k), n > 0);
    free(block);
  }
}

static void integers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    int64_t value;
    const char *rest;
  } rows[] = {
      {"17", true, 17, ""},
      {" -5 6", true, -5, " 6"},
      {"1.5", true, 1, ".5"},
      {"+3", true, 3, ""},
      {"9223372036854775807", true, INT64_MAX, ""},
      {"-9223372036854775808", true, INT64_MIN, ""},
      {"9223372036854775808", false, 0, "9223372036854775808"},
      {"-9223372036854775809", false, 0, "-9223372036854775809"},
      {"99999999999999999999999", false, 0, "99999999999999999999999"},
      {"x", false, 0, "x"},
      {"-", false, 0, "-"},
      {"", false, 0, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *p = rows[i].text;
    int64_t v = 99;
    assert_int_equal(sofa_read_int(&p, &v), rows[i].ok);
    assert_true(v == rows[i].value);
    assert_string_equal(p, rows[i].rest);
  }
}

static void words(void **state) {
  (void)state;
  const char *p = "  one\ttwo\n ", *word = NULL;
  size_t n = 0;
  assert_false(sofa_at_end(&p));
  assert_true(sofa_read_word(&p, &word, &n) && n == 3 && !strncmp(word, "one", 3));
  assert_true(sofa_read_word(&p, &word, &n) && n == 3 && !strncmp(word, "two", 3));
  assert_false(sofa_read_word(&p, &word, &n));
  assert_true(sofa_at_end(&p));
  // likeness, with the values of the textbook example and Python's difflib
  assert_true(sofa_similarity("abcd", "bcde") == 0.75);
  assert_true(fabs(sofa_similarity("WIKIMEDIA", "WIKIMANIA") - 14.0 / 18) < 1e-15);
  assert_true(sofa_similarity("", "") == 1 && sofa_similarity("a", "") == 0);
  static const char *const known[] = {"poissonRatio", "youngModulus", "method"};
  assert_int_equal(sofa_nearest_word("yongModulus", known, 3), 1);
  assert_int_equal(sofa_nearest_word("zzz", known, 3), 3);
}

/* The C library's form, and the fewest digits that read back. */
static void like_the_c_library(double x) {
  char text[32], expected[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(expected, sizeof expected, "%.*g", digits, x);
    const size_t n = sofa_print_real(text, x, digits);
    assert_int_equal(n, strlen(text));
    if (strcmp(text, expected) != 0) fail_msg("%d digits: %s, not %s", digits, text, expected);
  }
  int digits = 15;
  do snprintf(expected, sizeof expected, "%.*g", digits, x);
  while (strtod(expected, NULL) != x && isfinite(x) && digits++ < 17);
  sofa_print_real(text, x, 0);
  if (strcmp(text, expected) != 0) fail_msg("shortest: %s, not %s", text, expected);
}

/* Powers of 2, beside which doubles change their distance, powers of 10, ties, and any. */
static void printing_like_the_c_library(void **state) {
  (void)state;
  uint64_t seed = 17;
  for (int e = -1074; e<1024; e += e> - 140 && e < 140 ? 1 : 13)
    for (int k = -1; k <= 1; k++) {
      const double x = ldexp(1, e);
      like_the_c_library(k ? nextafter(x, k * HUGE_VAL) : x);
      like_the_c_library(1.5 * x);
    }
  for (int e = -45; e < 40; e++) {
    const double x = pow(10, e);
    for (int k = 1; k <= 9; k++) like_the_c_library(k * x);
    like_the_c_library(nextafter(x, 0));
    like_the_c_library(-9.9999999999999995 * x);
    like_the_c_library(0.99999949999999995 * x);
  }
  static const double others[] = {0, -0.0, INFINITY, -INFINITY, 0.5, 2.5, 1e15 + 0.5, 123456789.5};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) like_the_c_library(others[i]);
  for (int i = 0; i < 20000; i++) {
    const uint64_t bits = next(&seed);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) like_the_c_library(x);
    like_the_c_library(ldexp((double)(int64_t)bits, -(int)(next(&seed) % 120)));
    like_the_c_library((double)(bits % 1000000) / 1e3);
  }
}

/* 17 to 19 digits, and halves between two doubles: to the even one. */
static void long_numbers(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 200000; i++) {
    const uint64_t m = next(&seed) >> next(&seed) % 12;
    const int e = (int)(next(&seed) % 70) - 35;
    char text[60];
    const char *stop;
    double x;
    const int n = i % 3 ? snprintf(text, sizeof text, "%" PRIu64 "e%d", m / 10, e)
                        : snprintf(text, sizeof text, "%" PRIu64 "e-1", (m >> 13 | 1) * 5);
    assert_true(sofa_parse_real(text, text + n, &stop, &x));
    if (x != strtod(text, NULL)) fail_msg("%s read as %.17g", text, x);
  }
}

static void printing_integers(void **state) {
  (void)state;
  static const int64_t all[] = {0, 7, -7, 10, 99, 100, -100, INT32_MIN, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char text[24], expected[24];
    snprintf(expected, sizeof expected, "%" PRId64, all[i]);
    assert_int_equal(sofa_print_int(text, all[i]), strlen(expected));
    assert_string_equal(text, expected);
  }
}

static void printing(void **state) {
  (void)state;
  char text[32];
  assert_int_equal(sofa_print_real(text, 0.1, 6), 3);
  assert_string_equal(text, "0.1");
  sofa_print_real(text, 1234567.0, 6);
  assert_string_equal(text, "1.23457e+06");
  sofa_print_real(text, 0.1, 17);
  assert_string_equal(text, "0.10000000000000001");
  sofa_print_real(text, 0.1, 0);
  assert_string_equal(text, "0.1");
  sofa_print_real(text, -DBL_MAX, 99);
  assert_string_equal(text, "-1.7976931348623157e+308");
  round_trip();
}

static void comma_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
    found = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
  }
  if (!found) {
    NOTE_SKIPPED("no locale with a decimal comma is installed\n");
    setlocale(LC_ALL, "C");
    skip();
  }
  round_trip();
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  char *text = sofa_format(ctx, "%g", 0.5);
  assert_string_equal(text, "0.5");
  sofa_free(ctx, text);
  sofa_context_destroy(&ctx);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reals),
                                     cmocka_unit_test(against_strtod),
                                     cmocka_unit_test(many_digits),
                                     cmocka_unit_test(bounded),
                                     cmocka_unit_test(integers),
                                     cmocka_unit_test(words),
                                     cmocka_unit_test(printing_like_the_c_library),
                                     cmocka_unit_test(long_numbers),
                                     cmocka_unit_test(printing_integers),
                                     cmocka_unit_test(printing),
                                     cmocka_unit_test(comma_locale)};
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
