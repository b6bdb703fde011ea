/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scan of a scene's text before the XML parser sees it: notes the line of every tag and attribute,
 * and turns what scene files contain but XML forbids into what it means. Malformed text passes
 * through for the parser to report. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "scene/reader_impl.h"

enum { MAX_ATTRIBUTES = 4096 }; /* of one element */

typedef struct Scanner {
  SofaReader *reader;
  const char *file, *at, *end;
  int line;
  bool foreign; /* declares an encoding that is not UTF-8: bytes are the parser's business */
  bool latin;   /* bytes that are not UTF-8 were found */
  SofaScan *out;
} Scanner;

static SofaErr put(Scanner *s, const char *bytes, size_t n) {
  return sofa_text_append(s->reader->ctx, &s->out->text, bytes, n);
}

static bool starts_with(const Scanner *s, const char *word) {
  const size_t n = strlen(word);
  return (size_t)(s->end - s->at) >= n && sofa_compare(s->at, word, n) == 0;
}

/* Position behind the next `word`, or NULL. */
static const char *behind(const Scanner *s, const char *word) {
  const char *found = memmem(s->at, (size_t)(s->end - s->at), word, strlen(word));
  return found ? found + strlen(word) : NULL;
}

/* Copies up to `stop` and counts lines. */
static SofaErr copy_to(Scanner *s, const char *stop) {
  SOFA_TRY(put(s, s->at, (size_t)(stop - s->at)));
  for (; s->at < stop; s->at++) s->line += *s->at == '\n';
  return SOFA_OK;
}

/* Leaves out up to `stop`, all but the line ends. */
static SofaErr blank_to(Scanner *s, const char *stop) {
  SOFA_TRY(put(s, " ", 1));
  for (; s->at < stop; s->at++) {
    if (*s->at != '\n') continue;
    SOFA_TRY(put(s, "\n", 1));
    s->line++;
  }
  return SOFA_OK;
}

/* Is there a predefined or numeric reference at '&'? */
static bool is_reference(const Scanner *s) {
  static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (starts_with(s, names[i])) return true;
  if (!starts_with(s, "&#")) return false;
  const char *digits = s->at + 2;
  const bool hex = digits < s->end && *digits == 'x';
  digits += hex;
  const char *p = digits;
  while (p < s->end && p - digits < 8 &&
         (hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p)))
    p++;
  return p > digits && p < s->end && *p == ';';
}

/* Length of the UTF-8 sequence at p (RFC 3629), 0 when it is none. */
static size_t utf8_length(const char *p, const char *end) {
  const unsigned char c = (unsigned char)*p;
  const size_t n = c < 0x80                ? 1
                   : c >= 0xc2 && c < 0xe0 ? 2
                   : (c & 0xf0) == 0xe0    ? 3
                   : c >= 0xf0 && c < 0xf5 ? 4
                                           : 0;
  if ((size_t)(end - p) < n) return 0;
  for (size_t i = 1; i < n; i++)
    if (((unsigned char)p[i] & 0xc0) != 0x80) return 0;
  const unsigned char second = n > 1 ? (unsigned char)p[1] : 0;
  if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f)) return 0;
  if ((c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f)) return 0;
  return n;
}

/* A byte above 127: kept when it starts a UTF-8 sequence, else read as Latin-1. */
static SofaErr high_byte(Scanner *s) {
  const size_t n = s->foreign ? 1 : utf8_length(s->at, s->end);
  if (n > 0) {
    SOFA_TRY(put(s, s->at, n));
    s->at += n;
    return SOFA_OK;
  }
  const unsigned char c = (unsigned char)*s->at++;
  const char pair[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
  if (!s->latin) sofa_reader_warn(s->reader, s->file, s->line, "not UTF-8: read as Latin-1");
  s->latin = true;
  return put(s, pair, 2);
}

/* One character that may need care, in text or (in_value) in an attribute's value. */
static SofaErr special(Scanner *s, bool in_value, int *held_lines) {
  const char c = *s->at;
  if ((unsigned char)c >= 0x80) return high_byte(s);
  if (c == '&') {
    const bool known = is_reference(s);
    s->at++;
    return known ? put(s, "&", 1) : put(s, "&amp;", 5);
  }
  s->at++;
  if (!in_value) {
    s->line += c == '\n';
    return put(s, &c, 1);
  }
  if (c == '<') return put(s, "&lt;", 4);
  if (c == '\t') return put(s, "&#9;", 4);
  if (c == '\r') return s->at < s->end && *s->at == '\n' ? SOFA_OK : put(s, "&#10;", 5);
  if (c == '\n') {
    s->line++;
    (*held_lines)++;
    return put(s, "&#10;", 5);
  }
  return put(s, &c, 1);
}

static bool is_plain(char c) {
  return (unsigned char)c < 0x80 && c != '&' && c != '<' && c != '\t' && c != '\r' && c != '\n';
}

/* Of an attribute that follows a value. */
static bool begins_name(char c) {
  return isalpha((unsigned char)c) || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

/* Attribute value; s->at is the opening quote. */
static SofaErr value(Scanner *s) {
  const char quote = *s->at;
  const int first_line = s->line;
  int held_lines = 0;
  SOFA_TRY(put(s, s->at++, 1));
  while (s->at < s->end && *s->at != quote) {
    const char *plain = s->at;
    while (plain < s->end && *plain != quote && is_plain(*plain)) plain++;
    SOFA_TRY(put(s, s->at, (size_t)(plain - s->at)));
    s->at = plain;
    if (s->at < s->end && *s->at != quote) SOFA_TRY(special(s, true, &held_lines));
  }
  if (s->at == s->end)
    return sofa_reader_fail(s->reader, SOFA_ERR_PARSE, s->file, first_line,
                            "the attribute value that starts here has no closing %c", quote);
  SOFA_TRY(put(s, s->at++, 1));
  if (s->at < s->end && begins_name(*s->at)) {
    sofa_reader_warn(
        s->reader, s->file, s->line,
        "white space is missing between two attributes: it is read as if it were there");
    SOFA_TRY(put(s, " ", 1));
  }
  // the lines of the value follow it, so that later line numbers stay true
  while (held_lines-- > 0) SOFA_TRY(put(s, "\n", 1));
  return SOFA_OK;
}

/* Start tag; s->at is '<'. */
static SofaErr start_tag(Scanner *s) {
  SofaContext *ctx = s->reader->ctx;
  SofaTagLine tag = {s->line, s->out->attribute_lines.n, 0};
  int name_line = s->line;
  bool in_name = true;
  SOFA_TRY(put(s, s->at++, 1));
  while (s->at < s->end && *s->at != '>' && *s->at != '<') {
    const char c = *s->at;
    if (c == '"' || c == '\'') {
      if (++tag.n_attributes > MAX_ATTRIBUTES)
        return sofa_reader_fail(s->reader, SOFA_ERR_RANGE, s->file, tag.line,
                                "an element has more than %d attributes", MAX_ATTRIBUTES);
      SOFA_TRY(SOFA_APPEND(ctx, &s->out->attribute_lines, &name_line));
      SOFA_TRY(value(s));
      in_name = false;
      continue;
    }
    // the line of an attribute is the one of its name
    const bool space = isspace((unsigned char)c) != 0;
    if (!space && !in_name && c != '=') name_line = s->line;
    in_name = !space;
    SOFA_TRY(special(s, false, NULL));
  }
  if (s->at < s->end && *s->at == '>') SOFA_TRY(put(s, s->at++, 1));
  return SOFA_APPEND(ctx, &s->out->tags, &tag);
}

/* <!DOCTYPE name> alone says nothing; any more could define entities or name other files. */
static SofaErr doctype(Scanner *s) {
  const char *p = s->at + strlen("<!DOCTYPE");
  while (p < s->end && (isspace((unsigned char)*p) || isalnum((unsigned char)*p) || *p == '_')) p++;
  const char *stop = memchr(s->at, '>', (size_t)(s->end - s->at));
  const char *words = s->at + strlen("<!DOCTYPE");
  while (words < s->end && isspace((unsigned char)*words)) words++;
  while (words < s->end && !isspace((unsigned char)*words) && *words != '>') words++;
  while (words < s->end && isspace((unsigned char)*words)) words++;
  if (stop && p == stop && words == stop) return blank_to(s, stop + 1);
  return sofa_reader_fail(s->reader, SOFA_ERR_PARSE, s->file, s->line,
                          "a DOCTYPE with entities or external parts is not read: remove it and "
                          "write the text of the entities in place");
}

/* Declares the text between at and stop another encoding than UTF-8? */
static bool declares_encoding(const char *at, const char *stop) {
  const char *p = memmem(at, (size_t)(stop - at), "encoding", 8);
  if (!p) return false;
  p += 8;
  while (p < stop && (isspace((unsigned char)*p) || *p == '=')) p++;
  return !(stop - p > 6 && strncasecmp(p + 1, "utf-8", 5) == 0);
}

/* <?...?>: only a declaration at the very start is kept. */
static SofaErr instruction(Scanner *s) {
  const char *stop = behind(s, "?>");
  if (!stop)
    return sofa_reader_fail(s->reader, SOFA_ERR_PARSE, s->file, s->line, "'<?' has no '?>'");
  const bool declaration = starts_with(s, "<?xml") && isspace((unsigned char)s->at[5]);
  if (!declaration || s->out->text.n > 0) return blank_to(s, stop);
  s->foreign = declares_encoding(s->at, stop);
  return copy_to(s, stop);
}

/* Something that starts with '<'. */
static SofaErr markup(Scanner *s) {
  if (starts_with(s, "<!--")) {
    const char *stop = behind(s, "-->");
    if (stop) return blank_to(s, stop);
    return sofa_reader_fail(s->reader, SOFA_ERR_PARSE, s->file, s->line,
                            "the comment that starts here has no '-->'");
  }
  if (starts_with(s, "<![CDATA[")) {
    const char *stop = behind(s, "]]>");
    return blank_to(s, stop ? stop : s->end);
  }
  if (starts_with(s, "<!DOCTYPE")) return doctype(s);
  if (starts_with(s, "<?")) return instruction(s);
  if (starts_with(s, "</") || starts_with(s, "<!")) {
    const char *stop = behind(s, ">");
    return copy_to(s, stop ? stop : s->end);
  }
  return start_tag(s);
}

SofaErr sofa_scan_text(SofaReader *reader, const char *file, const char *bytes, size_t size,
                       SofaScan *out) {
  Scanner s = {.reader = reader, .file = file, .at = bytes, .end = bytes + size, .line = 1};
  s.out = out;
  *out = (SofaScan){0};

  // encodings without ASCII
  const bool wide =
      size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
  if (wide || memchr(bytes, 0, size))
    return sofa_reader_fail(reader, SOFA_ERR_PARSE, file, 0,
                            wide ? "the file is UTF-16: save it as UTF-8"
                                 : "the file is not a text: it contains a zero byte");
  if (starts_with(&s, "\xef\xbb\xbf")) s.at += 3;

  // white space in front of the declaration is not an error in a scene; lines are kept by blanking
  while (s.at < s.end) {
    if (*s.at == '<') {
      SOFA_TRY(markup(&s));
      continue;
    }
    const char *plain = s.at;
    while (plain < s.end && is_plain(*plain)) plain++;
    SOFA_TRY(put(&s, s.at, (size_t)(plain - s.at)));
    s.at = plain;
    if (s.at < s.end && *s.at != '<') SOFA_TRY(special(&s, false, NULL));
  }
  return SOFA_OK;
}

void sofa_scan_free(SofaContext *ctx, SofaScan *scan) {
  sofa_list_free(ctx, &scan->text);
  sofa_list_free(ctx, &scan->tags);
  sofa_list_free(ctx, &scan->attribute_lines);
}
