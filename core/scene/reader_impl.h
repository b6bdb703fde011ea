/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of core/scene: how a description tree is read, changed and completed by includes. */
#ifndef SOFA_SCENE_READER_IMPL_H
#define SOFA_SCENE_READER_IMPL_H

#include "scene/description.h"

/* Elements. A created element is owned by the caller until it is appended. */
SofaErr sofa_element_create(SofaContext *ctx, const char *tag, const char *file, int line,
                            SofaElement **out);
void sofa_element_free(SofaContext *ctx, SofaElement *element); /* with children; NULL-safe */
/* Takes the child; on failure it stays with the caller. */
SofaErr sofa_element_append(SofaContext *ctx, SofaElement *parent, SofaElement *child);
/* Replaces the attribute or appends a new one. */
SofaErr sofa_element_set(SofaContext *ctx, SofaElement *element, const char *name,
                         const char *value, int line);
void sofa_element_remove(SofaContext *ctx, SofaElement *element, const char *name);
SofaAttribute *sofa_element_find(const SofaElement *element, const char *name);
bool sofa_element_is_node(const SofaElement *element);

/* One reading: counts over all files of a scene. */
typedef struct SofaReader {
  SofaContext *ctx;
  SofaDescription *out;
  size_t n_bytes, n_includes;
  SofaStrings stack; /* canonical names of the files being read, outermost first */
} SofaReader;

/* Reports a problem of the description and counts it. Always returns err. */
SofaErr sofa_reader_fail(SofaReader *reader, SofaErr err, const char *file, int line,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
void sofa_reader_warn(SofaReader *reader, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Line of a start tag and of its attributes in the text as it was written. */
typedef struct SofaTagLine {
  int line;
  size_t first_attribute, n_attributes;
} SofaTagLine;
SOFA_LIST(SofaTagLine, SofaTagLines);

/* The text made acceptable to a strict XML parser: comments are removed, lone '&' and '<' in values
 * escaped, line ends in values kept as references, bytes that are not UTF-8 read as Latin-1. Every
 * line end of the original is still there, so that line numbers stay true. */
typedef struct SofaScan {
  SofaText text;
  SofaTagLines tags;
  SofaInts attribute_lines;
} SofaScan;
SofaErr sofa_scan_text(SofaReader *reader, const char *file, const char *bytes, size_t size,
                       SofaScan *out);
void sofa_scan_free(SofaContext *ctx, SofaScan *scan);

/* Text to raw tree: includes are still elements. `file` is borrowed by the elements. */
SofaErr sofa_parse_xml(SofaReader *reader, const char *file, const char *bytes, size_t size,
                       SofaElement **out);
/* Raw tree to description: includes, prefabs, <Object type>, <Attribute>. Takes `raw`. */
SofaErr sofa_expand(SofaReader *reader, SofaElement *raw, SofaElement **out);
/* Reads a file into a raw tree; keeps its name in the description. */
SofaErr sofa_reader_file(SofaReader *reader, const char *path, SofaElement **out);
/* Keeps a name as long as the description lives. */
SofaErr sofa_reader_keep_name(SofaReader *reader, const char *name, const char **out);

#endif
