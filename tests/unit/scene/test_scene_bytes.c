/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of scene files: every kind of sequence of UTF-8 and what is none, references, byte
 * order marks, encodings, DOCTYPEs, and the limit of attributes. */
#include "scene_test.h"

#include "scene/description.h"

/* Reads the text; the value of an attribute of the root, "" without it. */
static SofaErr value_of(Bench *b, const char *text, size_t n, const char *name, char out[200]) {
  SofaDescription d;
  bench_clear(b);
  *out = 0;
  const SofaErr err = sofa_description_read_text(b->ctx, "s", b->folder, text, n, &d);
  const char *value = err == SOFA_OK ? sofa_element_attribute(d.root, name) : NULL;
  snprintf(out, 200, "%s", value ? value : "");
  sofa_description_free(b->ctx, &d);
  return err;
}

/* ---- UTF-8 ---- */

/* Length of a sequence by its code point: the shortest form, no half of a pair, at most 0x10ffff.
 */
static size_t length_of(const unsigned char *p, size_t left) {
  static const struct {
    unsigned mask, lead;
    uint32_t least, most;
  } forms[] = {{0x80, 0, 0, 0x7f},
               {0xe0, 0xc0, 0x80, 0x7ff},
               {0xf0, 0xe0, 0x800, 0xffff},
               {0xf8, 0xf0, 0x10000, 0x10ffff}};
  for (size_t n = 1; n <= 4; n++) {
    if ((p[0] & forms[n - 1].mask) != forms[n - 1].lead) continue;
    uint32_t point = p[0] & ~forms[n - 1].mask & 0xff;
    if (n > left) return 0;
    for (size_t i = 1; i < n; i++) {
      if (p[i] < 0x80 || p[i] > 0xbf) return 0;
      point = point * 64 + p[i] - 0x80;
    }
    const bool half = point >= 0xd800 && point <= 0xdfff;
    return point >= forms[n - 1].least && point <= forms[n - 1].most && !half ? n : 0;
  }
  return 0;
}

/* What is no sequence is Latin-1; *latin: there was some. */
static void expected_of(const unsigned char *bytes, size_t n, char *out, bool *latin) {
  *latin = false;
  for (size_t i = 0; i < n;) {
    const size_t length = length_of(bytes + i, n - i);
    for (size_t k = 0; k < length; k++) *out++ = (char)bytes[i + k];
    i += length;
    if (length) continue;
    *latin = true;
    *out++ = (char)(bytes[i] < 0xc0 ? 0xc2 : 0xc3);
    *out++ = (char)(bytes[i] < 0xc0 ? bytes[i] : bytes[i] - 0x40);
    i++;
  }
  *out = 0;
}

static void sequences(void **state) {
  static const unsigned char seconds[] = {'a', 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  static Bench b;
  (void)state;
  bench_open(&b, false);
  for (unsigned lead = 0x80; lead < 0x100; lead++)
    for (size_t k = 0; k < sizeof seconds; k++)
      for (size_t n = 1; n <= 5; n++) {
        const unsigned char bytes[5] = {(unsigned char)lead, seconds[k], 0x80, 0xbf, 'b'};
        char text[60], expected[60], found[200];
        bool latin;
        const int head = snprintf(text, sizeof text, "<Node\na='");
        memcpy(text + head, bytes, n);
        snprintf(text + head + n, sizeof text - (size_t)head - n, "'/>");
        expected_of(bytes, n, expected, &latin);
        assert_int_equal(value_of(&b, text, strlen(text), "a", found), SOFA_OK);
        if (strcmp(found, expected) != 0)
          fail_msg("%02x %02x, %zu: '%s'", lead, seconds[k], n, found);
        assert_string_equal(b.messages, latin ? "s:2: warning: not UTF-8: read as Latin-1\n" : "");
      }
  bench_close(&b);
}

/* ---- references ---- */

static void references(void **state) {
  static const char *const pairs[][2] = {
      {"&amp;&lt;&gt;&quot;&apos;", "&<>\"'"},
      {"&#65;&#x41;&#x6a;&#x6A;", "AAjj"},
      {"&#0000065;", "A"},
      {"&#00000065;", "A"},
      {"&#000000065;", "&#000000065;"},
      {"&#x00000041;", "A"},
      {"&#x000000041;", "&#x000000041;"},
      {"&#;&#x;&#65&#xg;&#a;", "&#;&#x;&#65&#xg;&#a;"},
      {"&#X41;", "&#X41;"},
      {"&amp&lt &g; &", "&amp&lt &g; &"},
      {"&#", "&#"},
      {"&#6", "&#6"},
      {"1 < 2\t3", "1 < 2\t3"},
      {"a\r\nb\rc\nd", "a\nb\nc\nd"},
  };
  static Bench b;
  (void)state;
  bench_open(&b, false);
  for (size_t k = 0; k < SOFA_COUNT(pairs); k++) {
    char text[100], found[200];
    snprintf(text, sizeof text, "<Node a=\"%s\"/>", strchr(pairs[k][0], '"') ? "" : pairs[k][0]);
    assert_int_equal(value_of(&b, text, strlen(text), "a", found), SOFA_OK);
    assert_string_equal(found, pairs[k][1]);
    assert_no_message(&b);
  }
  bench_close(&b);
}

/* ---- what comes first ---- */

typedef struct Start {
  const char *text;
  size_t n; /* 0: up to its end */
  const char *value, *message;
} Start;

static void beginnings(void **state) {
  static const Start starts[] = {
      {"\xef\xbb\xbf<Node a='1'/>", 0, "1", ""},
      {"\xef\xbb<Node a='1'/>", 0, NULL, "not UTF-8"},
      {"\xff\xfe<\0N\0", 6, NULL, "s:0: error: the file is UTF-16: save it as UTF-8\n"},
      {"\xfe\xff\0<\0N", 6, NULL, "s:0: error: the file is UTF-16: save it as UTF-8\n"},
      {"\xff\xfe", 2, NULL, "s:0: error: the file is UTF-16: save it as UTF-8\n"},
      {"\xff", 1, NULL, "not UTF-8"},
      {"<Node a='\0'/>", 12, NULL, "s:0: error: the file is not a text: it contains a zero byte\n"},
      {"", 0, NULL, "s:1: error: the file is empty\n"},
      {" \n<?xml version='1.0'?>\n<Node a='1'/>", 0, "1", ""},
      {"<?xml version='1.0' encoding='UTF-8'?><Node a='\xc3\xa9'/>", 0, "\xc3\xa9", ""},
      {"<?xml version='1.0' encoding = \"utf-8\"?><Node a='\xe9'/>", 0, "\xc3\xa9",
       "s:1: warning: not UTF-8: read as Latin-1\n"},
      {"<?xml version='1.0' encoding='ISO-8859-1'?><Node a='\xe9'/>", 0, "\xc3\xa9", ""},
      {"<?xml version='1.0' encoding='ISO-8859-1'?><Node a='\xc3\xa9'/>", 0, "\xc3\x83\xc2\xa9",
       ""},
      {"<?xml version='1.0'?><?xml version='1.0'?><Node a='1'/>", 0, "1", ""},
      {"<?xml version='1.0'?><Node a='1'/><?end x?>", 0, "1", ""},
      {"<Node a='1'/>\n<?end x", 0, NULL, "s:2: error: '<?' has no '?>'\n"},
      {"<!DOCTYPE Node><Node a='1'/>", 0, "1", ""},
      {"<!DOCTYPE\n Node_1 ><Node a='1'/>", 0, "1", ""},
      {"<!DOCTYPE Node x><Node a='1'/>", 0, NULL, "s:1: error: a DOCTYPE with entities"},
      {"\n<!DOCTYPE Node SYSTEM 'a'><Node a='1'/>", 0, NULL, "s:2: error: a DOCTYPE with entities"},
      {"<!DOCTYPE Node [<!ENTITY e 'x'>]><Node a='&e;'/>", 0, NULL, "a DOCTYPE with entities"},
      {"<!DOCTYPE Node", 0, NULL, "a DOCTYPE with entities"},
      {"<!-- a\n--><Node a='1'/>", 0, "1", ""},
      {"<Node a='1'/>\n<!-- b", 0, NULL, "s:2: error: the comment that starts here has no '-->'\n"},
      {"<Node\na='1", 0, NULL,
       "s:2: error: the attribute value that starts here has no closing '\n"},
      {"<Node a='1'b='2'/>", 0, "1", "s:1: warning: white space is missing"},
      {"<Node a='1'_='2'/>", 0, "1", "s:1: warning: white space is missing"},
      {"<Node a='1' b='2'/>", 0, "1", ""},
      {"<Node a='1'/>", 0, "1", ""},
  };
  static Bench b;
  (void)state;
  bench_open(&b, false);
  for (size_t k = 0; k < SOFA_COUNT(starts); k++) {
    const Start *s = &starts[k];
    char found[200];
    const SofaErr err = value_of(&b, s->text, s->n ? s->n : strlen(s->text), "a", found);
    if ((err == SOFA_OK) != (s->value != NULL)) fail_msg("%zu: %s", k, b.messages);
    if (s->value) assert_string_equal(found, s->value);
    if (!*s->message) assert_no_message(&b);
    assert_message(&b, s->message);
  }
  bench_close(&b);
}

static void many_attributes(void **state) {
  static char text[60000];
  static Bench b;
  char found[200];
  (void)state;
  bench_open(&b, false);
  for (int most = 4096; most < 4098; most++) {
    size_t n = (size_t)snprintf(text, sizeof text, "<Node>\n<A");
    for (int k = 0; k < most; k++) n += (size_t)snprintf(text + n, sizeof text - n, " a%d='1'", k);
    n += (size_t)snprintf(text + n, sizeof text - n, "/></Node>");
    const SofaErr err = value_of(&b, text, n, "a", found);
    assert_int_equal(err == SOFA_OK, most == 4096);
    if (err != SOFA_OK) assert_message(&b, "s:2: error: an element has more than 4096 attributes");
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequences),
      cmocka_unit_test(references),
      cmocka_unit_test(beginnings),
      cmocka_unit_test(many_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
