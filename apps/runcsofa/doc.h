/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the class tables say, for users. */
#ifndef RUNCSOFA_DOC_H
#define RUNCSOFA_DOC_H

#include <stdio.h>
#include "base/context.h"

SofaErr doc_list(SofaContext *ctx, FILE *out);
/* A line per quirk and class that has it in its table. */
SofaErr doc_list_quirks(SofaContext *ctx, FILE *out);
/* Markdown: summary, templates, table of fields. Unknown names are reported. */
SofaErr doc_class(SofaContext *ctx, const char *name, FILE *out);
void doc_licenses(FILE *out);

#endif
