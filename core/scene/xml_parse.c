/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XML text to a raw element tree, through libxml2's event interface: no document is built, no
 * entity is known, nothing is loaded, and depth costs no stack. */
#include <ctype.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <string.h>

#include "scene/reader_impl.h"

typedef struct Parser {
  SofaReader *reader;
  const char *file;
  xmlParserCtxtPtr xml;
  const SofaScan *scan;
  SofaElement *root;
  SofaElement *open[SOFA_SCENE_MAX_DEPTH]; /* elements not closed yet, outermost first */
  size_t depth, n_tags;
  SofaErr err;
} Parser;

/* Ends the parsing with err, once. */
static void stop(Parser *p, SofaErr err) {
  if (p->err == SOFA_OK) p->err = err;
  xmlStopParser(p->xml);
}

static int current_line(const Parser *p) {
  return p->xml->input ? p->xml->input->line : 0;
}

/* Lines of the tag that starts now; the parser knows only where it ends. */
static SofaTagLine tag_line(Parser *p, size_t n_attributes, bool *known) {
  const SofaTagLines *tags = &p->scan->tags;
  SofaTagLine tag = {current_line(p), 0, 0};
  *known = p->n_tags < tags->n && tags->data[p->n_tags].n_attributes == n_attributes;
  if (p->n_tags < tags->n) tag = tags->data[p->n_tags];
  p->n_tags++;
  return tag;
}

static SofaErr add_attributes(Parser *p, SofaElement *element, const xmlChar **attributes, size_t n,
                              const int *lines) {
  SofaContext *ctx = p->reader->ctx;
  SOFA_TRY(SOFA_RESERVE(ctx, &element->attributes, n));
  for (size_t i = 0; i < n; i++) {
    SofaAttribute made = {.line = lines ? lines[i] : element->line};
    made.name = sofa_strdup(ctx, (const char *)attributes[2 * i]);
    made.value = sofa_strdup(ctx, (const char *)attributes[2 * i + 1]);
    if (made.name && made.value) {
      element->attributes.data[element->attributes.n++] = made;
      continue;
    }
    sofa_free(ctx, made.name);
    sofa_free(ctx, made.value);
    return SOFA_ERR_MEMORY;
  }
  return SOFA_OK;
}

static void on_start(void *user, const xmlChar *tag, const xmlChar **attributes) {
  Parser *p = user;
  SofaElement *element = NULL;
  if (p->err != SOFA_OK) return;
  size_t n = 0;
  while (attributes && attributes[2 * n]) n++;
  bool known;
  const SofaTagLine at = tag_line(p, n, &known);
  if (p->depth == SOFA_SCENE_MAX_DEPTH) {
    stop(p, sofa_reader_fail(p->reader, SOFA_ERR_RANGE, p->file, at.line,
                             "elements are nested deeper than %d", SOFA_SCENE_MAX_DEPTH));
    return;
  }

  // make it and hang it below the innermost open element
  SofaErr err = sofa_element_create(p->reader->ctx, (const char *)tag, p->file, at.line, &element);
  if (err == SOFA_OK) {
    const int *lines = known && n ? p->scan->attribute_lines.data + at.first_attribute : NULL;
    err = add_attributes(p, element, attributes, n, lines);
  }
  if (err == SOFA_OK && p->depth > 0)
    err = sofa_element_append(p->reader->ctx, p->open[p->depth - 1], element);
  if (err != SOFA_OK) {
    sofa_element_free(p->reader->ctx, element);
    stop(p, err);
    return;
  }
  if (p->depth == 0) p->root = element;
  p->open[p->depth++] = element;
}

static void on_end(void *user, const xmlChar *tag) {
  Parser *p = user;
  (void)tag;
  if (p->err == SOFA_OK && p->depth > 0) p->depth--;
}

/* Text between elements means nothing in a scene; a word there is probably a slip. */
static void on_text(void *user, const xmlChar *text, int n) {
  Parser *p = user;
  int first = 0;
  while (first < n && isspace(text[first])) first++;
  if (p->err != SOFA_OK || first == n) return;
  int stop_at = first;
  while (stop_at < n && stop_at - first < 20 && !isspace(text[stop_at])) stop_at++;
  sofa_reader_warn(p->reader, p->file, current_line(p), "text outside of a tag is ignored: '%.*s'",
                   stop_at - first, (const char *)text + first);
}

static void no_memory(Parser *p) {
  stop(p, sofa_reader_fail(p->reader, SOFA_ERR_MEMORY, p->file, 0, "out of memory"));
}

/* The first thing the XML parser finds wrong. An error that has no memory for its text has none. */
static void on_error(void *user, const char *format, ...) {
  Parser *p = user;
  (void)format;
  if (p->err != SOFA_OK) return;
  const xmlError *error = xmlCtxtGetLastError(p->xml);
  if (!error || !error->message || error->code == XML_ERR_NO_MEMORY) {
    no_memory(p);
    return;
  }
  size_t n = strlen(error->message);
  while (n > 0 && isspace((unsigned char)error->message[n - 1])) n--;
  stop(p, sofa_reader_fail(p->reader, SOFA_ERR_PARSE, p->file, error->line, "malformed XML: %.*s",
                           (int)n, error->message));
}

static void on_warning(void *user, const char *format, ...) {
  (void)user;
  (void)format;
}

/* Runs libxml2 over the scanned text. */
static SofaErr run(Parser *p) {
  const SofaText *text = &p->scan->text;
  xmlInitParser(); // under its lock; what the library makes at first use has none
  p->xml = xmlCreateMemoryParserCtxt(text->n ? text->data : " ", text->n ? (int)text->n : 1);
  if (!p->xml) return sofa_reader_fail(p->reader, SOFA_ERR_MEMORY, p->file, 0, "out of memory");

  // old events: names with colons stay as they are, and no handler that loads anything is there
  xmlSAXHandler events = {0};
  events.startElement = on_start;
  events.endElement = on_end;
  events.characters = on_text;
  events.error = on_error;
  events.warning = on_warning;
  events.initialized = 1;
  *p->xml->sax = events;
  p->xml->userData = p;
  // substitution concerns the five predefined entities only: declarations were refused before
  xmlCtxtUseOptions(p->xml, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOENT);

  // without memory for the value of an attribute, some versions of the library leave it out
  xmlResetLastError();
  xmlParseDocument(p->xml);
  const xmlError *last = xmlGetLastError();
  if (p->err == SOFA_OK && last && last->code == XML_ERR_NO_MEMORY) no_memory(p);
  if (p->err == SOFA_OK && (!p->xml->wellFormed || !p->root))
    p->err = sofa_reader_fail(p->reader, SOFA_ERR_PARSE, p->file, current_line(p), "malformed XML");
  xmlFreeParserCtxt(p->xml);
  return p->err;
}

SofaErr sofa_parse_xml(SofaReader *reader, const char *file, const char *bytes, size_t size,
                       SofaElement **out) {
  SofaErr err;
  SofaScan scan = {0};
  Parser parser = {.reader = reader, .file = file, .scan = &scan};
  if (size == 0) {
    err = sofa_reader_fail(reader, SOFA_ERR_PARSE, file, 1, "the file is empty");
    goto done;
  }
  SOFA_GO(err, done, sofa_scan_text(reader, file, bytes, size, &scan));
  if (scan.text.n > INT32_MAX) {
    err = sofa_reader_fail(reader, SOFA_ERR_RANGE, file, 0, "the file is too large");
    goto done;
  }
  SOFA_GO(err, done, run(&parser));
  *out = parser.root;
  parser.root = NULL;
done:
  sofa_element_free(reader->ctx, parser.root);
  sofa_scan_free(reader->ctx, &scan);
  return err;
}
