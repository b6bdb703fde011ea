/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the class tables say, for users. */
#ifndef RUNCSOFA_DOC_H
#define RUNCSOFA_DOC_H

#include <stdio.h>
#include "base/context.h"
#include "object/class.h"

SofaErr doc_list(SofaContext *ctx, FILE *out);
/* A line per quirk and class that has it in its table. */
SofaErr doc_list_quirks(SofaContext *ctx, FILE *out);
/* Markdown of each class of a list separated by commas: summary, templates, table of fields.
 * Unknown names are reported, the others are printed; then the result is SOFA_ERR_NOT_FOUND. */
SofaErr doc_classes(SofaContext *ctx, const char *names, FILE *out);
/* The default of a row as a user would write it; in the text of at least 64 characters, or the
 * row's.
 */
const char *doc_default(const SofaField *field, char *text, size_t size);
/* What --keep-going does with a value outside of its range: "the default"; NULL: it is refused. */
const char *doc_on_bad(SofaOnBad on_bad);
/* Formulas of the class, or of the nearest base with some; NULL: none. */
const char *doc_equations(const SofaClass *klass);
void doc_licenses(FILE *out);

#endif
