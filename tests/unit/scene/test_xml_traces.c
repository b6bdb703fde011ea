/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of scenes with each of their characters replaced by others, left out, or with others before
 * it: the tree, its lines and the messages are those of xml_traces.txt. What changes on purpose is
 * recorded again: CSOFA_RECORD=FILE writes what was found. */
#include "scene_test.h"
#include "tests/support/trace.h"

#include "scene/description.h"

#include <ctype.h>

enum { MOST_TEXT = 400000, MOST_TREE = 4000 };

static const char *const texts[] = {
    "<?xml version='1.0' encoding='utf-8'?>\n<!-- a\nb --><Node name='root'\n\n dt=\"0.1\">\n"
    "<A x='1 &amp; 2'\n  y='3'/>text\n<B/></Node>\n",
    "\xef\xbb\xbf <!DOCTYPE Node>\n<Node a='x\ty\nz' b='\xc3\xa9'><![CDATA[ a\n]]><C c='&#65;'/>\n"
    "<Object type='D'\nd='&lt;'/></Node>",
    "<Node><A><Attribute type='p'>\n<Data value='1'/><Data value='2'/></Attribute></A>\n"
    "<?pi a?><Node name='\xe9'/></Node>",
    "<Node a='1'b='2' c = '3'\n><!---- x ---><E e='&'/>\r\n<F f='\r\n&#x41;&quot;'/></Node>",
};
/* "": the character is left out. */
static const char *const others[] = {
    "",  "<", ">", "\"", "'",  "&", "=", "/", "!",    "-",
    "?", ";", "#", " ",  "\n", "x", "7", "[", "\xe4", "\xf0\x9f\x98\x80"};

typedef struct Tracer {
  Bench b;
  char *text;
  size_t n, most;
} Tracer;

static void __attribute__((format(printf, 2, 3))) add(Tracer *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  t->n += (size_t)vsnprintf(t->text + t->n, t->most - t->n, format, list);
  va_end(list);
  assert_true(t->n < t->most);
}

static size_t dump(const SofaElement *e, char *out, size_t n) {
  n += (size_t)snprintf(out + n, MOST_TREE - n, "%d%s(", e->line, e->tag);
  for (size_t i = 0; i < e->attributes.n && n < MOST_TREE; i++) {
    const SofaAttribute *a = &e->attributes.data[i];
    n += (size_t)snprintf(out + n, MOST_TREE - n, "%d%s=%s,", a->line, a->name, a->value);
  }
  for (size_t i = 0; i < e->n_children && n < MOST_TREE; i++) n = dump(e->children[i], out, n);
  assert_true(n < MOST_TREE - 2);
  return n + (size_t)snprintf(out + n, MOST_TREE - n, ")");
}

/* The tree and the messages; what the XML parser itself refuses depends on its version. */
static void read_text(Tracer *t, const char *text, size_t n, char out[MOST_TREE]) {
  SofaDescription d;
  size_t used = 0;
  bench_clear(&t->b);
  *out = 0;
  const SofaErr err = sofa_description_read_text(t->b.ctx, "s", t->b.folder, text, n, &d);
  if (err == SOFA_OK) used = dump(d.root, out, 0);
  sofa_description_free(t->b.ctx, &d);
  const bool foreign = strstr(t->b.messages, "malformed XML") != NULL;
  if (foreign) snprintf(out, MOST_TREE, "malformed");
  else snprintf(out + used, MOST_TREE - used, "%s\n%s", sofa_err_text(err), t->b.messages);
}

/* Fowler, Noll and Vo, 1991. */
static uint32_t hash_of(const char *text) {
  uint32_t hash = 2166136261U;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619U;
  return hash;
}

static void add_place(Tracer *t, const char *text, size_t i) {
  static char changed[1000], found[MOST_TREE];
  const size_t n = strlen(text);
  const unsigned char c = (unsigned char)text[i];
  add(t, isgraph(c) && c < 128 ? "%c" : "%02x", c);
  for (int instead = 0; instead < 2; instead++)
    for (size_t k = 0; k < SOFA_COUNT(others); k++) {
      const size_t w = strlen(others[k]), rest = i + (size_t)instead;
      if (!w && !instead) continue;
      memcpy(changed, text, i);
      memcpy(changed + i, others[k], w);
      memcpy(changed + i + w, text + rest, n - rest);
      read_text(t, changed, i + w + n - rest, found);
      add(t, " %04x", hash_of(found) & 0xffff);
    }
  add(t, "\n");
}

static void add_trace(Tracer *t, const char *text) {
  static char found[MOST_TREE];
  read_text(t, text, strlen(text), found);
  add(t, "## %s\n", found);
  for (size_t i = 0; text[i]; i++) {
    add_place(t, text, i);
    read_text(t, text, i, found); // cut here
    add(t, "  %04x", hash_of(found) & 0xffff);
  }
  add(t, "\n");
}

static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  static Tracer t = {.text = found, .most = sizeof found};
  (void)state;
  bench_open(&t.b, false);
  add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t i = 0; i < SOFA_COUNT(texts); i++) add_trace(&t, texts[i]);
  bench_close(&t.b);
  trace_check(&(Trace){found, t.n, sizeof found}, "tests/unit/scene/xml_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
